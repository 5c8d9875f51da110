//! `/Contents` of a page → one run of bytes (ISO 32000-2, 7.7.3.3 and 7.8.2).

use std::cell::RefCell;

use super::filters::{End, decode_stream_end};
use super::{Document, MaybeRef, ObjRef, Object, Page, Stream};
use crate::score::evidence::{Finding, FindingCode};

/// Parts of one page's content at most.
const MAX_PARTS: usize = 1 << 16;
/// Arrays within arrays at most; more than one is already against the standard.
const MAX_DEPTH: u32 = 4;
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

thread_local! {
    static PART: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Decodes the page's content into `out` (cleared first), its parts joined by a newline, never past
/// `Limits::content_bytes` in total.
pub fn page_content(document: &Document, page: &Page<'_>, out: &mut Vec<u8>) -> ContentOutcome {
    let mut outcome = ContentOutcome::default();
    let mut parts = Vec::new();
    out.clear();
    match page.dict.get_raw::<Object<'_>>("Contents") {
        Some(contents) => collect(document, page, contents, MAX_DEPTH, &mut parts, &mut outcome),
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
            let end = decode_stream_end(part, document.limits.filters, cap_bytes, out);
            note(page, end, &mut outcome);
            continue;
        }
        out.push(b'\n');
        let room = cap_bytes.saturating_sub(out.len());
        let end = decode_stream_end(part, document.limits.filters, room, &mut scratch);
        note(page, end, &mut outcome);
        out.extend_from_slice(&scratch);
        if room == 0 {
            break;
        }
    }
    scratch.clear();
    scratch.shrink_to(KEEP_SCRATCH_BYTES);
    PART.set(scratch);
    outcome
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
    depth: u32,
    parts: &mut Vec<Stream<'a>>,
    outcome: &mut ContentOutcome,
) {
    let object = match contents {
        MaybeRef::Ref(id) => resolve(document, id),
        MaybeRef::NotRef(object) => Some(object),
    };
    match object {
        Some(Object::Stream(stream)) => parts.push(stream),
        Some(Object::Null(_)) => {}
        Some(Object::Array(array)) if depth > 0 => {
            for part in array.raw_iter() {
                if parts.len() >= MAX_PARTS {
                    outcome.undecodable = true;
                    outcome.find(page, FindingCode::StreamOverLimit, "too many parts of content");
                    return;
                }
                collect(document, page, part, depth - 1, parts, outcome);
            }
        }
        _ => {
            outcome.undecodable = true;
            outcome.find(page, FindingCode::ContentUndecodable, "a content stream is missing");
        }
    }
}

fn resolve(document: &Document, id: ObjRef) -> Option<Object<'_>> {
    document.get(id.into())
}
