//! What a file says of itself: producer, creator, version, encryption.

use std::borrow::Cow;

use hayro_syntax::Pdf;
use memchr::memmem;

use super::filters::{MAX_FILTERS, decode_stream_end};
use super::{Dict, Name, Object, Stream};
use crate::score::evidence::DocumentInfo;

/// Longest string kept, in characters.
const MAX_CHARS: usize = 512;
/// Metadata beyond this is not looked at; XMP packets are a few kilobytes.
const MAX_XMP_BYTES: usize = 1 << 20;
/// Where the header is looked for, in bytes.
const HEADER_WINDOW_BYTES: usize = 1 << 10;

/// Reads what the trailer's and the catalog's metadata say; `original` are the bytes as they came.
pub(super) fn read(pdf: &Pdf, original: &[u8], n_pages: u32) -> DocumentInfo {
    let catalog = pdf.xref().get::<Dict<'_>>(pdf.xref().root_id());
    let stated = pdf.metadata();
    let mut producer = stated.producer.as_deref().and_then(text);
    let mut creator = stated.creator.as_deref().and_then(text);
    if (producer.is_none() || creator.is_none())
        && let Some(xmp) = catalog.as_ref().and_then(xmp)
    {
        producer = producer.or_else(|| xmp_value(&xmp, "pdf:Producer"));
        creator = creator.or_else(|| xmp_value(&xmp, "xmp:CreatorTool"));
    }
    DocumentInfo {
        n_pages,
        producer,
        creator,
        pdf_version: version(catalog.as_ref(), original),
        encrypted: false,
        second_reader: false,
    }
}

/// The later of the header's and the catalog's version (ISO 32000-2, 7.5.2).
fn version(catalog: Option<&Dict<'_>>, original: &[u8]) -> Option<String> {
    let window = &original[..original.len().min(HEADER_WINDOW_BYTES)];
    let header = memmem::find(window, b"%PDF-").and_then(|at| plain_version(&window[at + 5..]));
    let catalog = catalog.and_then(|catalog| catalog.get::<Name<'_>>("Version"));
    let catalog = catalog.and_then(|version| plain_version(&version));
    header.max(catalog).map(|[major, minor]| format!("{}.{}", major - b'0', minor - b'0'))
}

fn plain_version(bytes: &[u8]) -> Option<[u8; 2]> {
    match *bytes {
        [major @ b'1'..=b'9', b'.', minor @ b'0'..=b'9', ..] => Some([major, minor]),
        _ => None,
    }
}

/// Whether the first reader decrypts. It keeps the trailer to itself, but hands out decrypted data as owned bytes: the first
/// stream found tells. A file without any is asked for the key `/Encrypt`.
pub(super) fn is_encrypted<'a>(mut streams: impl Iterator<Item = Stream<'a>>, bytes: &[u8]) -> bool {
    match streams.next() {
        Some(stream) => matches!(stream.raw_data(), Cow::Owned(_)),
        None => memmem::find_iter(bytes, b"/Encrypt")
            .any(|at| bytes.get(at + 8).is_some_and(|next| next.is_ascii_whitespace() || *next == b'<')),
    }
}

/// Text of a string object: UTF-16 with a byte order mark, UTF-8 with one, else PDFDocEncoding (ISO 32000-2, 7.9.2.2).
pub fn text(bytes: &[u8]) -> Option<String> {
    let decoded = match bytes {
        [0xfe, 0xff, rest @ ..] => utf_16(rest, u16::from_be_bytes),
        // Not allowed, and written nevertheless.
        [0xff, 0xfe, rest @ ..] => utf_16(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        // Writers forget the mark: bytes above ASCII that are valid UTF-8 are no accident.
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|byte| pdf_doc_char(*byte)).collect(),
        },
    };
    cleaned(&decoded)
}

fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    // Enough for the longest string kept, and for the language marks that fall away.
    let decoded =
        char::decode_utf16(units).take(4 * MAX_CHARS).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER));
    without_language_marks(&decoded.collect::<String>())
}

/// Removes ESC language ESC (ISO 32000-2, 7.9.2.2.2).
fn without_language_marks(text: &str) -> String {
    text.split('\u{1b}').step_by(2).collect()
}

/// Without control characters and outer blanks, at most [`MAX_CHARS`]; `None` where nothing is left.
fn cleaned(text: &str) -> Option<String> {
    let kept: String = text.trim().chars().filter(|c| !c.is_control()).take(MAX_CHARS).collect();
    let kept = kept.trim();
    (!kept.is_empty()).then(|| kept.to_owned())
}

/// PDFDocEncoding (ISO 32000-2, annex D.2) where it differs from Latin-1.
fn pdf_doc_char(byte: u8) -> char {
    const LOW: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
    const HIGH: [char; 33] = [
        '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™', 'ﬁ',
        'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{fffd}', '€',
    ];
    match byte {
        0x18..=0x1f => LOW[usize::from(byte - 0x18)],
        0x80..=0xa0 => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

fn xmp(catalog: &Dict<'_>) -> Option<String> {
    let Object::Stream(stream) = catalog.get::<Object<'_>>("Metadata")? else { return None };
    let mut out = Vec::new();
    decode_stream_end(&stream, MAX_FILTERS, MAX_XMP_BYTES, &mut out);
    Some(match out.as_slice() {
        [0xfe, 0xff, rest @ ..] => utf_16_packet(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => utf_16_packet(rest, u16::from_le_bytes),
        _ => String::from_utf8_lossy(&out).into_owned(),
    })
}

fn utf_16_packet(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// The value of a simple property, written as an element or as an attribute (ISO 16684-1, 7.9.2.2).
fn xmp_value(packet: &str, name: &str) -> Option<String> {
    for (at, _) in packet.match_indices(name) {
        let rest = packet[at + name.len()..].trim_start();
        let value = if packet[..at].ends_with('<') {
            let (attributes, rest) = rest.split_once('>')?;
            if attributes.ends_with('/') {
                continue;
            }
            rest.split_once('<')?.0
        } else if let Some(rest) = rest.strip_prefix('=') {
            let rest = rest.trim_start();
            let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            rest[1..].split_once(quote)?.0
        } else {
            continue;
        };
        if let Some(value) = cleaned(&unescaped(value)) {
            return Some(value);
        }
    }
    None
}

/// XML's own entities and character references undone.
fn unescaped(value: &str) -> String {
    let mut out = String::new();
    let mut rest = value;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let entity = rest.find(';').filter(|end| *end <= 10).map(|end| &rest[1..end]);
        match entity.and_then(|entity| Some((entity, entity_char(entity)?))) {
            Some((entity, character)) => {
                out.push(character);
                rest = &rest[entity.len() + 2..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

fn entity_char(entity: &str) -> Option<char> {
    match entity {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = entity.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(code.ok()?)
        }
    }
}
