//! The least that must be read of a Type 1 program to confirm a proof: that it decrypts to glyphs, and its encoding.

use std::collections::BTreeMap;

use read_fonts::ps::PredefinedEncoding;

/// Codes that the built-in encoding names.
pub(super) struct Type1 {
    /// `None` for StandardEncoding.
    names: Option<BTreeMap<u8, String>>,
}

impl Type1 {
    /// `None` where it is no Type 1 program, or its encrypted portion holds no glyphs.
    pub(super) fn parse(data: &[u8]) -> Option<Self> {
        let data = without_segment_headers(data);
        let at = find(&data, b"eexec")?;
        let (clear, rest) = data.split_at(at);
        let rest = &rest[5..];
        let body = &rest[rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()..];
        let is_hex = body.len() >= 4 && body[..4].iter().all(u8::is_ascii_hexdigit);
        let private = if is_hex { decrypt(&from_hex(body)) } else { decrypt(body) };
        find(&private, b"/CharStrings")?;
        let encoding = &clear[find(clear, b"/Encoding")?..];
        let mut words = words(encoding).skip(1);
        if words.next() == Some("StandardEncoding") {
            return Some(Self { names: None });
        }
        let mut names = BTreeMap::new();
        while let Some(word) = words.next() {
            match word {
                "def" | "readonly" => break,
                "dup" => {
                    let code = words.next().and_then(|word| word.parse().ok());
                    let name = words.next().and_then(|word| word.strip_prefix('/'));
                    names.extend(code.zip(name.map(str::to_owned)));
                }
                _ => {}
            }
        }
        Some(Self { names: Some(names) })
    }

    /// The name of a code.
    pub(super) fn name(&self, code: u8) -> Option<String> {
        match &self.names {
            Some(names) => names.get(&code).cloned(),
            None => Some(PredefinedEncoding::Standard.name(code).to_owned()),
        }
    }
}

fn find(data: &[u8], what: &[u8]) -> Option<usize> {
    memchr::memmem::find(data, what)
}

/// Words of text, `/` beginning a new one.
fn words(data: &[u8]) -> impl Iterator<Item = &str> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += data.get(at..)?.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let rest = data.get(at..).filter(|rest| !rest.is_empty())?;
        let n = 1 + rest[1..].iter().take_while(|&&byte| !byte.is_ascii_whitespace() && byte != b'/').count();
        at += n;
        Some(std::str::from_utf8(&rest[..n]).unwrap_or("?"))
    })
}

/// PFB segments laid end to end; other data as it is.
fn without_segment_headers(data: &[u8]) -> Vec<u8> {
    let (mut at, mut out) = (0, Vec::new());
    while let Some([0x80, 1 | 2, a, b, c, d]) = data.get(at..at + 6) {
        let length = u32::from_le_bytes([*a, *b, *c, *d]) as usize;
        let end = (at + 6).saturating_add(length).min(data.len());
        out.extend_from_slice(&data[at + 6..end]);
        at = end;
    }
    if at == 0 { data.to_vec() } else { out }
}

fn from_hex(data: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> =
        data.iter().filter_map(|&byte| char::from(byte).to_digit(16)).map(|digit| digit as u8).collect();
    digits.chunks_exact(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

/// `eexec` (Adobe Type 1 Font Format, 7.3).
fn decrypt(cipher: &[u8]) -> Vec<u8> {
    let mut key = 55665_u16;
    let plain = cipher.iter().map(|&byte| {
        let plain = byte ^ (key >> 8) as u8;
        key = u16::from(byte).wrapping_add(key).wrapping_mul(52845).wrapping_add(22719);
        plain
    });
    plain.skip(4).collect()
}
