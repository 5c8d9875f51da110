//! Which reader opens a file, and where its pages come from.
//!
//! ```text
//! first reader ── fails, no pages, or fewer than /Count ──► second reader, as written ──► … , rebuilt
//!      │                                                        │ written anew, read by the first
//!      └────────────── the one with most pages ◄────────────────┘
//! ```

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

use hayro_syntax::{DecryptionError, LoadPdfError, Pdf, PdfData};

use memchr::memmem;

use super::tree::{self, Walked};
use super::{Document, OpenError, bombs, content, info, second};
use crate::score::evidence::{Finding, FindingCode};
use crate::score::limits::Limits;

/// Earlier revisions tried at most.
const MAX_REVISIONS: usize = 3;

/// The bytes of a file, shared and not copied.
struct FileBytes(Arc<[u8]>);

impl AsRef<[u8]> for FileBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Where the pages of a document come from, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageSource {
    /// The page tree. With `holes`, kids whose object is lost hold their place.
    Tree { holes: bool },
    /// Objects of type Page that no tree reaches, in file order.
    Orphans,
    /// The first reader's own search: dictionaries with `/Contents`.
    Reader,
}

/// A file as the first reader sees it.
struct Reading {
    pdf: Pdf,
    bytes: Arc<[u8]>,
    walked: Walked,
    source: PageSource,
    n_pages: u32,
    /// Pages whose object is there.
    n_real: u32,
    by_second: bool,
    rebuilt: bool,
    /// Of the file up to an update that cannot be read.
    is_earlier: bool,
}

enum Refusal {
    Locked(DecryptionError),
    Invalid,
}

impl Reading {
    fn new(bytes: Arc<[u8]>, max_pages: u32) -> Result<Self, Refusal> {
        let data = PdfData::from(Arc::new(FileBytes(bytes.clone())));
        let pdf = match catch_unwind(AssertUnwindSafe(|| Pdf::new(data))) {
            Ok(Ok(pdf)) => pdf,
            Ok(Err(LoadPdfError::Decryption(error))) => return Err(Refusal::Locked(error)),
            Ok(Err(LoadPdfError::Invalid)) | Err(_) => return Err(Refusal::Invalid),
        };
        let mut walked = tree::walk(&pdf, max_pages, |_| ());
        if walked.damaged {
            // A missing object makes the reader repair its table, which may find what the first walk missed.
            walked = tree::walk(&pdf, max_pages, |_| ());
        }
        let mut reading = Self {
            source: PageSource::Tree { holes: false },
            n_pages: walked.n_pages,
            n_real: walked.n_pages,
            pdf,
            bytes,
            walked,
            by_second: false,
            rebuilt: false,
            is_earlier: false,
        };
        reading.choose_source();
        Ok(reading)
    }

    fn choose_source(&mut self) {
        let missing = self.stated().saturating_sub(self.n_real);
        if self.n_real == 0 && !self.is_empty_tree() {
            let n_orphans = tree::orphans(&self.pdf).count() as u32;
            let n_listed = self.pdf.pages().len() as u32;
            (self.source, self.n_real) = match (n_orphans, n_listed) {
                (0, 0) => (self.source, 0),
                (0, n) => (PageSource::Reader, n),
                (n, _) => (PageSource::Orphans, n),
            };
            self.n_pages = self.n_real;
        }
        if self.n_real == self.walked.n_pages && self.walked.n_holes > 0 && self.walked.n_holes <= missing {
            self.source = PageSource::Tree { holes: true };
            self.n_pages = self.n_real + self.walked.n_holes;
        }
    }

    /// `/Count` of the root, as far as it can be believed.
    fn stated(&self) -> u32 {
        self.walked.stated.and_then(|count| u32::try_from(count).ok()).unwrap_or(0)
    }

    /// A tree that says it has no pages, and has none.
    fn is_empty_tree(&self) -> bool {
        self.walked.has_root && !self.walked.damaged && self.walked.n_pages == 0 && self.stated() == 0
    }

    fn is_whole(&self) -> bool {
        match self.source {
            PageSource::Tree { holes } => {
                !holes && (self.is_empty_tree() || (self.n_real > 0 && self.n_real >= self.stated()))
            }
            PageSource::Orphans | PageSource::Reader => false,
        }
    }

    /// A tree is worth more than loose pages, then more pages more than fewer.
    fn rank(&self) -> (bool, u32) {
        (self.n_real > 0 && matches!(self.source, PageSource::Tree { .. }), self.n_real)
    }
}

pub(super) fn open(original: Arc<[u8]>, limits: &Limits) -> Result<Document, OpenError> {
    if original.len() as u64 > limits.document_bytes {
        let message = format!("{} bytes, over the limit of {}", original.len(), limits.document_bytes);
        return Err(OpenError::OverLimit(message));
    }
    bombs::check(&original, limits)?;
    let mut reading = Reading::new(original.clone(), limits.pages);
    if !reading.as_ref().is_ok_and(Reading::is_whole) {
        reading = second_opinion(&original, reading, limits);
    }
    if matches!(reading, Err(Refusal::Invalid)) {
        reading = earlier_revision(&original, limits).ok_or(Refusal::Invalid);
    }
    let reading = reading.map_err(|refusal| match refusal {
        Refusal::Locked(error) => OpenError::Encrypted(locked(error)),
        Refusal::Invalid => OpenError::Malformed(unreachable(&original)),
    })?;
    if reading.n_pages > limits.pages {
        return Err(OpenError::OverLimit(format!("more than {} pages", limits.pages)));
    }
    if reading.n_pages == 0 && !reading.is_empty_tree() {
        return Err(OpenError::Malformed(unreachable(&original)));
    }
    Ok(document(reading, original, limits))
}

fn locked(error: DecryptionError) -> &'static str {
    match error {
        DecryptionError::PasswordProtected => "a password is needed",
        DecryptionError::UnsupportedAlgorithm => "encrypted with an unsupported handler",
        DecryptionError::MissingIDEntry | DecryptionError::InvalidEncryption => {
            "encrypted with an invalid encryption dictionary"
        }
    }
}

fn unreachable(original: &[u8]) -> &'static str {
    if original.len() > second::MAX_FILE_BYTES {
        return "no page tree is reachable (too large for the second reader)";
    }
    "no page tree is reachable in either reader"
}

/// The best of what the first reader made of the file and of what the second one gives it.
fn second_opinion(
    original: &[u8],
    first: Result<Reading, Refusal>,
    limits: &Limits,
) -> Result<Reading, Refusal> {
    let mut best = first;
    for rebuild in [false, true] {
        let Some(clean) = second::load(original, rebuild, limits).and_then(second::rewrite) else { continue };
        let Ok(mut reading) = Reading::new(Arc::from(clean), limits.pages) else { continue };
        (reading.by_second, reading.rebuilt) = (true, rebuild);
        let better = match &best {
            Ok(best) => reading.rank() > best.rank(),
            Err(_) => reading.n_real > 0 || reading.is_empty_tree(),
        };
        if better {
            best = Ok(reading);
        }
        if best.as_ref().is_ok_and(Reading::is_whole) {
            break;
        }
    }
    best
}

/// A file whose last update is beyond reading may have been whole before it (ISO 32000-2, 7.5.6).
fn earlier_revision(original: &[u8], limits: &Limits) -> Option<Reading> {
    let ends: Vec<usize> = memmem::rfind_iter(original, b"%%EOF").take(1 + MAX_REVISIONS).collect();
    ends.iter().skip(1).find_map(|end| {
        let reading = Reading::new(Arc::from(&original[..end + 5]), limits.pages).ok()?;
        (reading.n_real > 0).then_some(Reading { is_earlier: true, ..reading })
    })
}

fn document(reading: Reading, original: Arc<[u8]>, limits: &Limits) -> Document {
    let mut findings = Vec::new();
    let mut find = |code, detail: String| findings.push(Finding { page: None, code, detail });
    if reading.by_second {
        let how = if reading.rebuilt { "with its cross-reference rebuilt" } else { "as it is written" };
        find(FindingCode::ReadBySecondReader, format!("opened through the second reader, {how}"));
    }
    if reading.is_earlier {
        find(
            FindingCode::PageTreeDamaged,
            "the last update cannot be read; this is the file before it".into(),
        );
    }
    if reading.n_real < reading.stated() {
        let stated = reading.stated();
        find(
            FindingCode::FewerPagesThanCount,
            format!("{} pages found, `/Count` is {stated}", reading.n_real),
        );
    }
    match reading.source {
        PageSource::Tree { .. } if !reading.walked.damaged => {}
        PageSource::Tree { .. } => {
            find(FindingCode::PageTreeDamaged, "a node of the page tree is missing or met again".into());
        }
        PageSource::Orphans | PageSource::Reader => {
            find(FindingCode::PageTreeDamaged, "the page tree is lost; pages are in file order".into());
        }
    }
    let mut info = info::read(&reading.pdf, &original, reading.n_pages);
    info.second_reader = reading.by_second;
    let mut document = Document {
        limits: limits.clone(),
        info,
        findings,
        n_objects: reading.pdf.len(),
        pdf: reading.pdf,
        bytes: reading.bytes,
        original,
        source: reading.source,
        rebuilt: reading.rebuilt,
        second: OnceLock::new(),
    };
    document.info.encrypted = if document.info.second_reader {
        document.second_reader().is_some_and(lopdf::Document::was_encrypted)
    } else {
        info::is_encrypted(content::some_streams(&document), &document.bytes)
    };
    document
}
