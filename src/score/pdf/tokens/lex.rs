//! The lexical level: numbers, names, strings (ISO 32000-2, 7.2 and 7.3), read from a slice at an offset.
//!
//! Every function takes the offset of the first byte of its token and gives the offset after the last one, which is
//! always greater.

/// What a byte can start or mean between tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Class {
    White,
    Number,
    Keyword,
    Name,
    String,
    Less,
    Greater,
    ArrayStart,
    ArrayEnd,
    Comment,
    /// `)`, `{`, `}`: never the start of anything.
    Stray,
}

pub(super) static CLASS: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut table = [Class::Keyword; 256];
    let mut digit = b'0';
    while digit <= b'9' {
        table[digit as usize] = Class::Number;
        digit += 1;
    }
    table[b'+' as usize] = Class::Number;
    table[b'-' as usize] = Class::Number;
    table[b'.' as usize] = Class::Number;
    table[0] = Class::White;
    table[b'\t' as usize] = Class::White;
    table[b'\n' as usize] = Class::White;
    table[12] = Class::White;
    table[b'\r' as usize] = Class::White;
    table[b' ' as usize] = Class::White;
    table[b'/' as usize] = Class::Name;
    table[b'(' as usize] = Class::String;
    table[b'<' as usize] = Class::Less;
    table[b'>' as usize] = Class::Greater;
    table[b'[' as usize] = Class::ArrayStart;
    table[b']' as usize] = Class::ArrayEnd;
    table[b'%' as usize] = Class::Comment;
    table[b')' as usize] = Class::Stray;
    table[b'{' as usize] = Class::Stray;
    table[b'}' as usize] = Class::Stray;
    table
}

pub(super) fn is_white(byte: u8) -> bool {
    CLASS[byte as usize] == Class::White
}

/// Neither white space nor a delimiter (7.2.3).
#[inline]
pub(super) fn is_regular(byte: u8) -> bool {
    matches!(CLASS[byte as usize], Class::Keyword | Class::Number)
}

/// Offset after the regular characters at `at`.
#[inline]
pub(super) fn skip_regular(data: &[u8], mut at: usize) -> usize {
    while data.get(at).is_some_and(|&byte| is_regular(byte)) {
        at += 1;
    }
    at
}

#[inline]
pub(super) fn skip_white(data: &[u8], mut at: usize) -> usize {
    while data.get(at).is_some_and(|&byte| is_white(byte)) {
        at += 1;
    }
    at
}

/// Offset of the end of the line a comment stands on.
pub(super) fn skip_comment(data: &[u8], at: usize) -> usize {
    memchr::memchr2(b'\r', b'\n', &data[at..]).map_or(data.len(), |end| at + end)
}

static SCALE: [f64; 20] = [
    1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12, 1e-13, 1e-14, 1e-15,
    1e-16, 1e-17, 1e-18, 1e-19,
];

/// Reads a number as viewers do: repeated signs count once, what follows a second point or an inner minus is
/// ignored, a sign or point alone is 0.
#[inline]
pub(super) fn number(data: &[u8], at: usize) -> (f32, usize) {
    let mut end = at;
    let mut negative = false;
    while let Some(sign @ (b'-' | b'+')) = data.get(end) {
        negative |= *sign == b'-';
        end += 1;
    }
    let mut mantissa: u64 = 0;
    let first = end;
    while let Some(digit) = data.get(end).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit <= 9) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
        end += 1;
    }
    let mut n_digits = end - first;
    let mut n_decimals = 0;
    if data.get(end) == Some(&b'.') {
        end += 1;
        let first = end;
        while let Some(digit) = data.get(end).map(|byte| byte.wrapping_sub(b'0')).filter(|&digit| digit <= 9)
        {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(digit));
            end += 1;
        }
        n_decimals = end - first;
        n_digits += n_decimals;
    }
    let mut value =
        if n_digits <= 18 { mantissa as f64 * SCALE[n_decimals] } else { long_number(&data[first..end]) };
    if let Some(b'-' | b'.' | b'e' | b'E') = data.get(end) {
        (value, end) = number_tail(data, end, value);
    }
    (if negative { -value as f32 } else { value as f32 }, end)
}

/// More digits than fit in 64 bits.
#[cold]
fn long_number(digits: &[u8]) -> f64 {
    std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok()).unwrap_or(0.0)
}

/// An exponent (outside the standard, but written), or digits that belong to no number.
#[cold]
fn number_tail(data: &[u8], at: usize, value: f64) -> (f64, usize) {
    if matches!(data[at], b'-' | b'.') {
        let mut end = at;
        while data.get(end).is_some_and(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.')) {
            end += 1;
        }
        return (value, end);
    }
    let mut end = at + 1;
    let negative = match data.get(end) {
        Some(b'-') => true,
        Some(b'+') => false,
        Some(b'0'..=b'9') => {
            end -= 1;
            false
        }
        _ => return (value, at),
    };
    end += 1;
    let first = end;
    let mut exponent: i32 = 0;
    while let Some(digit) = data.get(end).filter(|byte| byte.is_ascii_digit()) {
        exponent = exponent.saturating_mul(10).saturating_add(i32::from(digit - b'0')).min(400);
        end += 1;
    }
    if end == first {
        return (value, at);
    }
    let scaled = value * 10f64.powi(if negative { -exponent } else { exponent });
    (if scaled.is_finite() { scaled } else { 0.0 }, end)
}

/// How the bytes of a string are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// In parentheses, each byte standing for itself.
    Plain,
    /// In parentheses, with escapes or line ends.
    Escaped,
    /// In angle brackets, as hexadecimal digits.
    Hex,
}

static ENDS_RUN: [bool; 256] = {
    let mut table = [false; 256];
    table[b'(' as usize] = true;
    table[b')' as usize] = true;
    table[b'\\' as usize] = true;
    table[b'\r' as usize] = true;
    table
};

/// The literal string whose `(` stands at `at`: content without the outer parentheses, spelling, offset after it;
/// `None` when it never ends.
#[inline]
pub(super) fn literal(data: &[u8], at: usize) -> Option<(&[u8], Spelling, usize)> {
    let start = at + 1;
    let mut end = start;
    let mut depth = 0u32;
    let mut spelling = Spelling::Plain;
    loop {
        let byte = *data.get(end)?;
        if !ENDS_RUN[byte as usize] {
            end += 1;
            continue;
        }
        match byte {
            b'(' => depth = depth.saturating_add(1),
            b')' if depth == 0 => return Some((&data[start..end], spelling, end + 1)),
            b')' => depth -= 1,
            b'\\' => {
                spelling = Spelling::Escaped;
                end += 1;
            }
            _ => spelling = Spelling::Escaped,
        }
        end += 1;
    }
}

/// A literal string that never ends: cut at its first `)`, else at its line's end.
#[cold]
pub(super) fn cut_literal(data: &[u8], at: usize) -> (&[u8], Spelling, usize) {
    let rest = &data[at + 1..];
    match memchr::memchr(b')', rest) {
        Some(end) => (&rest[..end], Spelling::Escaped, at + 1 + end + 1),
        None => {
            let end = memchr::memchr2(b'\r', b'\n', rest).unwrap_or(rest.len());
            (&rest[..end], Spelling::Escaped, at + 1 + end)
        }
    }
}

/// Writes the bytes a string stands for into `out`; gives them borrowed where they are spelled plainly.
pub(super) fn unescape<'s>(raw: &'s [u8], spelling: Spelling, out: &'s mut Vec<u8>) -> &'s [u8] {
    match spelling {
        Spelling::Plain => return raw,
        Spelling::Hex => unescape_hex(raw, out),
        Spelling::Escaped => unescape_literal(raw, out),
    }
    out
}

/// 7.3.4.3; a missing last digit is 0, other characters are skipped.
fn unescape_hex(raw: &[u8], out: &mut Vec<u8>) {
    out.clear();
    let mut high = None;
    for digit in raw.iter().filter_map(|&byte| hex_digit(byte)) {
        match high.take() {
            None => high = Some(digit << 4),
            Some(high) => out.push(high | digit),
        }
    }
    out.extend(high);
}

fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

/// 7.3.4.2, table 3.
fn unescape_literal(raw: &[u8], out: &mut Vec<u8>) {
    out.clear();
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        at += 1;
        match byte {
            b'\r' => {
                at += usize::from(raw.get(at) == Some(&b'\n'));
                out.push(b'\n');
            }
            b'\\' => at = unescape_one(raw, at, out),
            _ => out.push(byte),
        }
    }
}

/// What stands after a backslash.
fn unescape_one(raw: &[u8], at: usize, out: &mut Vec<u8>) -> usize {
    let Some(&byte) = raw.get(at) else { return at };
    let value = match byte {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 8,
        b'f' => 12,
        b'\n' => return at + 1,
        b'\r' => return at + 1 + usize::from(raw.get(at + 1) == Some(&b'\n')),
        b'0'..=b'7' => {
            let digits = raw[at..].iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
            let (value, n) =
                digits.fold((0u32, 0), |(value, n), byte| (value * 8 + u32::from(byte - b'0'), n + 1));
            out.push(value as u8); // the standard: high-order overflow is ignored
            return at + n;
        }
        other => other,
    };
    out.push(value);
    at + 1
}

/// The name after its `/`, `#xx` resolved into `out` where there is one (7.3.5).
pub(super) fn unescape_name<'s>(raw: &'s [u8], out: &'s mut Vec<u8>) -> &'s [u8] {
    if !raw.contains(&b'#') {
        return raw;
    }
    out.clear();
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        let digit = |at: usize| raw.get(at).and_then(|&byte| hex_digit(byte));
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'#', Some(high), Some(low)) => {
                out.push(high << 4 | low);
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    out
}
