//! `/Contents` of a page → one run of bytes (ISO 32000-2, 7.7.3.3 and 7.8.2).

use std::borrow::Cow;
use std::cell::RefCell;

use super::filters::{End, decode_data_end, is_locked};
use super::rescue::{lost_stream, until_endobj};
use super::{Dict, Document, MaybeRef, Object, ObjectIdentifier, Page, Stream, second};
use crate::score::evidence::{Finding, FindingCode};

/// Parts of one page's content at most.
const MAX_PARTS: usize = 1 << 16;
/// Arrays within arrays at most; more than one is already against the standard.
const MAX_DEPTH: usize = 4;
/// Scratch memory above this is given back after use.
const KEEP_SCRATCH_BYTES: usize = 8 << 20;

/// How reading a page's content went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContentOutcome {
    /// At most one of each code, with the page's number.
    pub findings: Vec<Finding>,
    /// Some part gave nothing or less than it holds: an empty answer is not "no text".
    pub undecodable: bool,
}

impl ContentOutcome {
    fn find(&mut self, page: &Page<'_>, code: FindingCode, detail: &str) {
        if self.findings.iter().all(|finding| finding.code != code) {
            self.findings.push(Finding { page: Some(page.index + 1), code, detail: detail.into() });
        }
    }
}

/// One stream of a page's content.
enum Part<'a> {
    Stream(Stream<'a>),
    /// Found again behind its dictionary.
    Rescued(ObjectIdentifier, Dict<'a>, &'a [u8]),
    /// No object, or none that is a stream.
    Lost(ObjectIdentifier),
}

thread_local! {
    static PART: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Decodes the page's content into `out` (cleared first), its parts joined by a newline, never past
/// `Limits::content_bytes` in total. A part that cannot be decoded is asked of the second reader.
pub fn page_content(document: &Document, page: &Page<'_>, out: &mut Vec<u8>) -> ContentOutcome {
    let mut outcome = ContentOutcome::default();
    out.clear();
    if page.lost {
        outcome.undecodable = true;
        outcome.find(page, FindingCode::ContentUndecodable, "the page's object is lost");
        return outcome;
    }
    let mut parts = Vec::new();
    match page.dict.get_raw::<Object<'_>>("Contents") {
        Some(contents) => collect(document, page, contents, &mut Vec::new(), &mut parts, &mut outcome),
        None if page.dict.contains_key("Contents") => {
            outcome.undecodable = true;
            outcome.find(page, FindingCode::ContentUndecodable, "`/Contents` cannot be read");
        }
        None => {}
    }
    let cap_bytes = document.limits.content_bytes;
    let mut scratch = PART.take();
    for (position, part) in parts.iter().enumerate() {
        // The first part needs no second buffer, and most pages have one.
        if position == 0 {
            decode_part(document, page, part, cap_bytes, out, &mut outcome);
            continue;
        }
        if out.len() >= cap_bytes {
            note(page, End::OverLimit, &mut outcome);
            break;
        }
        out.push(b'\n');
        let room = cap_bytes - out.len();
        decode_part(document, page, part, room, &mut scratch, &mut outcome);
        out.extend_from_slice(&scratch);
    }
    scratch.clear();
    scratch.shrink_to(KEEP_SCRATCH_BYTES);
    PART.set(scratch);
    outcome
}

fn decode_part(
    document: &Document,
    page: &Page<'_>,
    part: &Part<'_>,
    cap_bytes: usize,
    out: &mut Vec<u8>,
    outcome: &mut ContentOutcome,
) {
    out.clear();
    let max_filters = document.limits.filters;
    let (id, raw, end) = match part {
        Part::Stream(stream) => {
            let mut raw = stream.raw_data();
            if let Cow::Borrowed(bytes) = raw {
                raw = Cow::Borrowed(own_bytes(stream.dict(), bytes));
            }
            let end = match is_locked(stream, &raw) {
                true => End::Unsupported,
                false => decode_data_end(stream.dict(), &raw, max_filters, cap_bytes, out),
            };
            (stream.obj_id(), Some(raw), Some(end))
        }
        Part::Rescued(id, dict, data) => {
            outcome.find(
                page,
                FindingCode::StreamDamaged,
                "a content stream lacks a keyword or its line end",
            );
            let end = decode_data_end(dict, data, max_filters, cap_bytes, out);
            // Without a filter nothing tells a stream that ends with the file from one that was cut.
            let is_cut = end == End::Complete
                && !dict.contains_key("Filter")
                && data.as_ptr_range().end == document.bytes().as_ptr_range().end;
            (*id, Some(Cow::Borrowed(*data)), Some(if is_cut { End::Truncated } else { end }))
        }
        Part::Lost(id) => (*id, None, None),
    };
    let is_damaged = !matches!(end, Some(End::Complete | End::OverLimit));
    let mut second_out = Vec::new();
    let second_end = if is_damaged {
        second::decode_stream(document, id, raw.as_deref(), cap_bytes, &mut second_out)
    } else {
        None
    };
    match (end, second_end) {
        (end, Some(second_end)) if second_out.len() > out.len() || end.is_none_or(|end| second_end < end) => {
            *out = second_out;
            outcome.find(
                page,
                FindingCode::ReadBySecondReader,
                "a content stream is read by the second reader",
            );
            note(page, second_end, outcome);
        }
        (Some(end), _) => note(page, end, outcome),
        (None, _) => {
            outcome.undecodable = true;
            outcome.find(page, FindingCode::ContentUndecodable, "a content stream is missing");
        }
    }
}

/// With a wrong `/Length` the reader looks for `endstream`, which may belong to a later object. Behind a filter what follows
/// is ignored; plain content would run on into it.
fn own_bytes<'a>(dict: &Dict<'_>, raw: &'a [u8]) -> &'a [u8] {
    let is_plain = !dict.contains_key("Filter") && !dict.contains_key("F");
    if is_plain && dict.get::<i64>("Length") != Some(raw.len() as i64) { until_endobj(raw) } else { raw }
}

fn note(page: &Page<'_>, end: End, outcome: &mut ContentOutcome) {
    let (code, detail) = match end {
        End::Complete => return,
        End::Truncated => (FindingCode::StreamTruncated, "a content stream ends early"),
        End::Damaged => (FindingCode::StreamDamaged, "a content stream is damaged"),
        End::OverLimit => (FindingCode::StreamOverLimit, "content is larger than `limits.content_bytes`"),
        End::Unsupported => {
            (FindingCode::FilterUnsupported, "a content stream has a filter that cannot be undone")
        }
    };
    outcome.undecodable = true;
    outcome.find(page, code, detail);
}

fn collect<'a>(
    document: &'a Document,
    page: &Page<'_>,
    contents: MaybeRef<Object<'a>>,
    parents: &mut Vec<Option<ObjectIdentifier>>,
    parts: &mut Vec<Part<'a>>,
    outcome: &mut ContentOutcome,
) {
    let (id, object) = match contents {
        MaybeRef::Ref(id) if parents.contains(&Some(id.into())) => (None, None),
        MaybeRef::Ref(id) => (Some(id.into()), document.get(id.into())),
        MaybeRef::NotRef(object) => (None, Some(object)),
    };
    match (id, object) {
        (_, Some(Object::Stream(stream))) => parts.push(Part::Stream(stream)),
        (_, Some(Object::Null(_))) => {}
        (_, Some(Object::Array(array))) if parents.len() < MAX_DEPTH => {
            parents.push(id);
            for part in array.raw_iter() {
                if parts.len() >= MAX_PARTS {
                    outcome.undecodable = true;
                    outcome.find(page, FindingCode::StreamOverLimit, "too many parts of content");
                    return;
                }
                collect(document, page, part, parents, parts, outcome);
            }
            parents.pop();
        }
        (Some(id), _) => parts.push(match lost_stream(document, id) {
            Some((dict, data)) => Part::Rescued(id, dict, data),
            None => Part::Lost(id),
        }),
        _ => {
            outcome.undecodable = true;
            outcome.find(page, FindingCode::ContentUndecodable, "`/Contents` is no stream, or leads back");
        }
    }
}

/// The first content stream of each of the first pages, in the reader's order.
pub(super) fn some_streams(document: &Document) -> impl Iterator<Item = Stream<'_>> {
    document.pdf.pages().iter().take(64).filter_map(|page| {
        match page.raw().get::<Object<'_>>("Contents")? {
            Object::Stream(stream) => Some(stream),
            Object::Array(parts) => parts.iter::<Stream<'_>>().next(),
            _ => None,
        }
    })
}
