//! Streams that the first reader loses: without `endstream`, or with something else than a line end after `stream`.
//!
//! It reads the dictionary of such a stream, which lies in the file's bytes, and the data behind it is found from there.

use memchr::memmem;

use super::{Dict, Document, ObjectIdentifier};

/// The dictionary and raw data of a stream that [`Document::get`] does not give as one. Encrypted data stay locked: the
/// key is the first reader's.
pub(super) fn lost_stream(document: &Document, id: ObjectIdentifier) -> Option<(Dict<'_>, &[u8])> {
    if document.info().encrypted {
        return None;
    }
    let dict = document.objects().get::<Dict<'_>>(id)?;
    let after = offset_in(document.bytes(), dict.data())? + dict.data().len();
    let data = stream_data(document.bytes(), after, dict.get::<i64>("Length"))?;
    Some((dict, data))
}

/// Where `part` lies in `whole`; `None` for a part of other memory (an object stream).
fn offset_in(whole: &[u8], part: &[u8]) -> Option<usize> {
    let offset = part.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
    (offset + part.len() <= whole.len()).then_some(offset)
}

/// The data of the stream whose dictionary ends at `after`: up to `/Length` where an end keyword follows it, else up to the
/// first end keyword of the stream or the object, else to the end of the file (ISO 32000-2, 7.3.8.1).
pub(super) fn stream_data(bytes: &[u8], after: usize, length: Option<i64>) -> Option<&[u8]> {
    let rest = bytes.get(after..)?.trim_ascii_start().strip_prefix(b"stream")?;
    let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let rest = match &rest[blanks..] {
        [b'\r', b'\n', rest @ ..] | [b'\r' | b'\n', rest @ ..] => rest,
        rest => rest,
    };
    let stated = length.and_then(|length| usize::try_from(length).ok()).filter(|length| {
        rest.get(*length..).is_some_and(|tail| {
            let tail = &tail[..tail.len().min(16)];
            let tail = tail.trim_ascii_start();
            tail.starts_with(b"endstream") || tail.starts_with(b"endobj")
        })
    });
    if let Some(length) = stated {
        return Some(&rest[..length]);
    }
    let end = memmem::find(rest, b"endstream").unwrap_or(rest.len());
    Some(until_endobj(&rest[..end]))
}

/// Cuts at an `endobj` that another object follows: the `endstream` found belongs to that one.
pub(super) fn until_endobj(data: &[u8]) -> &[u8] {
    for end in memmem::find_iter(data, b"endobj") {
        let starts_line = end == 0 || data[end - 1].is_ascii_whitespace();
        if starts_line && goes_on(data[end + 6..].trim_ascii_start()) {
            return data[..end].trim_ascii_end();
        }
    }
    data
}

/// Whether what follows is the end of the file, another object, or the cross-reference.
fn goes_on(next: &[u8]) -> bool {
    let digits = next.iter().take_while(|byte| byte.is_ascii_digit()).count();
    next.is_empty()
        || (digits > 0 && next[digits..].starts_with(b" "))
        || [b"xref".as_slice(), b"trailer", b"startxref"].iter().any(|keyword| next.starts_with(keyword))
}
