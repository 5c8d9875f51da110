//! ToUnicode CMaps: right ones, and every way they lie.

use std::fmt::Write as _;
use std::sync::Arc;

use super::objects::{Filter, Objects, StreamSpec, hex};

/// What stands under `/ToUnicode`.
#[derive(Clone, Default)]
pub enum ToUnicode {
    /// No entry.
    #[default]
    Absent,
    /// Every code to its character.
    Right,
    /// Every code to what the function makes of its character; `None` leaves the code out.
    Mapped(Arc<dyn Fn(char) -> Option<String> + Send + Sync>),
    /// These codes, whatever the font shows.
    Codes(Vec<(u32, String)>),
    /// One range 0000–FFFF onto itself.
    Identity,
    /// The name Identity-H instead of a stream.
    IdentityName,
    /// A CMap without any mapping.
    Empty,
    /// Right targets, but keys and codespace of one byte for codes of two.
    OneByteKeys,
    /// Right targets, keys moved by this much: the subset was renumbered.
    MovedKeys(i32),
    /// These bytes.
    Raw(Vec<u8>),
    /// This stream, with whatever lies it tells.
    Stream(StreamSpec),
}

impl std::fmt::Debug for ToUnicode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ToUnicode")
    }
}

impl ToUnicode {
    /// Every code to what `map` makes of its character; `None` leaves the code out.
    pub fn mapped(map: impl Fn(char) -> Option<String> + Send + Sync + 'static) -> Self {
        Self::Mapped(Arc::new(map))
    }

    /// Every target moved by `by` code points.
    pub fn shifted(by: i32) -> Self {
        Self::mapped(move |letter| {
            (letter as u32).checked_add_signed(by).and_then(char::from_u32).map(String::from)
        })
    }

    /// Letters of `from` become the ones at the same place in `to`; others stay.
    pub fn replaced(from: &str, to: &str) -> Self {
        let pairs: Vec<(char, char)> = from.chars().zip(to.chars()).collect();
        Self::mapped(move |letter| {
            let target = pairs.iter().find(|pair| pair.0 == letter).map_or(letter, |pair| pair.1);
            Some(target.to_string())
        })
    }

    /// A cipher inside the alphabets: ASCII letters, Greek, Cyrillic, Arabic and digits each turn by `by` places.
    pub fn rotated(by: u32) -> Self {
        Self::mapped(move |letter| Some(rotate(letter, by).to_string()))
    }

    /// Every code to the same text: U+FFFD, U+0000, nothing.
    pub fn all(target: &str) -> Self {
        let target = target.to_owned();
        Self::mapped(move |_| Some(target.clone()))
    }

    /// Every code into the private use area, E000 + the low byte of its character.
    pub fn private_use() -> Self {
        Self::mapped(|letter| char::from_u32(0xE000 + (letter as u32 & 0xFF)).map(String::from))
    }

    /// Right, but without these characters.
    pub fn without(letters: &str) -> Self {
        let letters = letters.to_owned();
        Self::mapped(move |letter| (!letters.contains(letter)).then(|| letter.to_string()))
    }

    /// Right, but all of these characters become `target`.
    pub fn merged(letters: &str, target: &str) -> Self {
        let (letters, target) = (letters.to_owned(), target.to_owned());
        Self::mapped(move |letter| {
            Some(if letters.contains(letter) { target.clone() } else { letter.to_string() })
        })
    }

    /// The value of the entry, with the stream written.
    pub(super) fn write(
        &self,
        objects: &mut Objects,
        codes: &[(u32, char)],
        n_bytes: usize,
    ) -> Option<String> {
        let right = || codes.iter().map(|&(code, letter)| (code, letter.to_string()));
        let cmap = match self {
            Self::Absent => return None,
            Self::IdentityName => return Some("/Identity-H".into()),
            Self::Stream(stream) => return Some(objects.add_stream(stream).to_string()),
            Self::Raw(bytes) => bytes.clone(),
            Self::Right => cmap(n_bytes, right()),
            Self::Mapped(map) => {
                cmap(n_bytes, codes.iter().filter_map(|&(code, letter)| Some((code, map(letter)?))))
            }
            Self::Codes(codes) => cmap(n_bytes, codes.iter().cloned()),
            Self::Empty => cmap(n_bytes, std::iter::empty()),
            Self::OneByteKeys => cmap(1, right().map(|(code, text)| (code & 0xFF, text))),
            Self::MovedKeys(by) => {
                cmap(n_bytes, right().map(|(code, text)| (code.saturating_add_signed(*by) & 0xFFFF, text)))
            }
            Self::Identity => {
                let (low, high) = if n_bytes == 1 { ("00", "FF") } else { ("0000", "FFFF") };
                let body = format!("1 beginbfrange\n<{low}> <{high}> <0000>\nendbfrange\n");
                wrapped(n_bytes, &body)
            }
        };
        Some(objects.add_stream(&StreamSpec::new("", cmap).filters(&[Filter::Flate])).to_string())
    }
}

fn rotate(letter: char, by: u32) -> char {
    let alphabets = ['a'..='z', 'A'..='Z', '0'..='9', 'α'..='ω', 'Α'..='Ρ', 'а'..='я', 'А'..='Я', 'ا'..='غ'];
    let Some(alphabet) = alphabets.into_iter().find(|alphabet| alphabet.contains(&letter)) else {
        return letter;
    };
    let n_letters = *alphabet.end() as u32 - *alphabet.start() as u32 + 1;
    let place = (letter as u32 - *alphabet.start() as u32 + by) % n_letters;
    char::from_u32(*alphabet.start() as u32 + place).unwrap_or(letter)
}

/// A CMap with these mappings, in blocks of at most 100 as the format demands.
fn cmap(n_bytes: usize, mappings: impl Iterator<Item = (u32, String)>) -> Vec<u8> {
    let mappings: Vec<(u32, String)> = mappings.collect();
    let mut body = String::new();
    for block in mappings.chunks(100) {
        let _ = writeln!(body, "{} beginbfchar", block.len());
        for (code, text) in block {
            let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            let _ = writeln!(body, "<{code:0width$X}> <{}>", hex(&utf16), width = n_bytes * 2);
        }
        body.push_str("endbfchar\n");
    }
    wrapped(n_bytes, &body)
}

fn wrapped(n_bytes: usize, body: &str) -> Vec<u8> {
    format!(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n\
         /CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n\
         /CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n\
         1 begincodespacerange\n<{}> <{}>\nendcodespacerange\n{body}\
         endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n",
        "00".repeat(n_bytes),
        "FF".repeat(n_bytes),
    )
    .into_bytes()
}
