//! Where the data of an inline image ends (ISO 32000-2, 8.9.7): the format does not say.

use memchr::memmem;

use super::lex::{Class, is_regular, is_white};
use super::{Entries, Op, Operand};

/// How far after an `EI` its surroundings must look like content.
const PLAUSIBLE_BYTES: usize = 64;

/// What the dictionary says of the data's length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    /// Unfiltered: computed from width, height and samples.
    Exact(usize),
    /// ASCII85: ends with `~>`; ASCIIHex: ends with `>`.
    Ascii(&'static [u8]),
    /// Anything else.
    Unknown,
}

fn length(dict: &[u8]) -> Length {
    let (mut width, mut height, mut bits, mut components) = (0.0f32, 0.0f32, 8.0f32, 0usize);
    let mut mask = false;
    for (key, value) in Entries::new(dict) {
        match (key, value) {
            (b"W" | b"Width", Operand::Number(value)) => width = value,
            (b"H" | b"Height", Operand::Number(value)) => height = value,
            (b"BPC" | b"BitsPerComponent", Operand::Number(value)) => bits = value,
            (b"IM" | b"ImageMask", Operand::Bool(value)) => mask = value,
            (b"CS" | b"ColorSpace", Operand::Name(name)) => components = n_components(name),
            (b"F" | b"Filter", value) => return filtered_length(value),
            _ => {}
        }
    }
    if mask {
        (bits, components) = (1.0, 1);
    }
    let plausible = (1.0..=65_536.0).contains(&width) && (1.0..=65_536.0).contains(&height);
    if components == 0 || !plausible || !(1.0..=16.0).contains(&bits) {
        return Length::Unknown;
    }
    let row = (width as usize * components * bits as usize).div_ceil(8);
    Length::Exact(row * height as usize)
}

fn n_components(space: &[u8]) -> usize {
    match space {
        b"G" | b"DeviceGray" | b"CalGray" => 1,
        b"RGB" | b"DeviceRGB" | b"CalRGB" => 3,
        b"CMYK" | b"DeviceCMYK" => 4,
        _ => 0, // a name of the resources
    }
}

fn filtered_length(filter: Operand<'_>) -> Length {
    match filter {
        Operand::Name(b"A85" | b"ASCII85Decode") => Length::Ascii(b"~>"),
        Operand::Name(b"AHx" | b"ASCIIHexDecode") => Length::Ascii(b">"),
        Operand::Bytes(b"") => Length::Unknown,
        _ => Length::Unknown,
    }
}

/// Finds the end of the data that starts at `from`: offset of its end, offset after `EI`.
///
/// `lenient` leaves out the look at what follows; the caller sets it once the strict search has failed in a stream,
/// so that a stream is never searched to its end twice.
pub(super) fn find_end(data: &[u8], dict: &[u8], from: usize, lenient: &mut bool) -> (usize, usize) {
    let start = match length(dict) {
        Length::Exact(n_bytes) => match exact_end(data, from, n_bytes) {
            Some(found) => return found,
            None => from,
        },
        Length::Ascii(end) => memmem::find(&data[from..], end).map_or(from, |at| from + at),
        Length::Unknown => from,
    };
    if !*lenient {
        if let Some(found) = search(data, start, true) {
            return found;
        }
        *lenient = true;
    }
    search(data, start, false).unwrap_or((data.len(), data.len()))
}

/// `EI` where the computed length says, give or take white space.
fn exact_end(data: &[u8], from: usize, n_bytes: usize) -> Option<(usize, usize)> {
    let end = from.checked_add(n_bytes)?;
    let mut at = end;
    while at < end + 4 && data.get(at).is_some_and(|&byte| is_white(byte)) {
        at += 1;
    }
    let found = data.get(at..at + 2)? == b"EI" && !data.get(at + 2).is_some_and(|&byte| is_regular(byte));
    found.then_some((end, at + 2))
}

fn search(data: &[u8], from: usize, strict: bool) -> Option<(usize, usize)> {
    memmem::find_iter(data.get(from..)?, b"EI").map(|at| from + at).find_map(|at| {
        let apart_before = at == from || is_white(data[at - 1]) || (!strict && !is_regular(data[at - 1]));
        let apart_after = !data.get(at + 2).is_some_and(|&byte| is_regular(byte));
        let found = apart_before && apart_after && (!strict || plausible(&data[at + 2..]));
        found.then_some((at, at + 2))
    })
}

/// Whether content goes on here: printable, and the first keyword is an operator.
fn plausible(rest: &[u8]) -> bool {
    let window = &rest[..rest.len().min(PLAUSIBLE_BYTES)];
    if window.iter().take(16).any(|&byte| !(is_white(byte) && byte != 0 || (b' '..=b'~').contains(&byte))) {
        return false;
    }
    let mut at = 0;
    while at < window.len() {
        if super::lex::CLASS[window[at] as usize] != Class::Keyword {
            // A token of another kind, or white space: names and strings may hold letters, so step over whole tokens.
            at = super::skip_token(window, at);
            continue;
        }
        let end = super::lex::skip_regular(window, at);
        let keyword = &window[at..end];
        return Op::from_keyword(keyword).is_some()
            || super::op::split_glued(keyword).is_some()
            || matches!(keyword, b"true" | b"false" | b"null")
            || end == window.len();
    }
    true
}
