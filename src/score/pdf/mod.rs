//! File syntax: objects, cross-reference, filters, page tree, content tokens.
//!
//! Takes: bytes and [`Limits`]. Gives: a [`Document`] with its [`Page`]s, raw streams decoded under a
//! cap ([`decode_stream`]), and content as tokens ([`Tokenizer`]). Fails: [`OpenError`] when neither
//! reader reaches a page tree. Never: inflates without a cap, recurses without a bound, touches image data.

mod bombs;
mod content;
mod filters;
mod info;
mod open;
mod rescue;
mod second;
pub mod tokens;
mod tree;

#[cfg(test)]
mod tests;

pub use content::{ContentOutcome, page_content};
pub use filters::{
    Decoded, Filter, Filters, Layout, MAX_FILTERS, Predictor, compressed_hash, decode_raw, decode_stream,
    read_filters,
};
pub use info::text as text_string;
pub use tokens::Tokenizer;

pub use hayro_syntax::object::{
    Array, Dict, MaybeRef, Name, Null, Number, ObjRef, Object, ObjectIdentifier, Rect, Stream,
    String as PdfString,
};

use std::sync::{Arc, OnceLock};

use super::evidence::{DocumentInfo, Finding};
use super::limits::Limits;
use open::PageSource;

/// An open document. Shared by the threads that measure its pages.
pub struct Document {
    /// Limits of this attempt.
    pub limits: Limits,
    info: DocumentInfo,
    findings: Vec<Finding>,
    pdf: hayro_syntax::Pdf,
    /// What `pdf` reads: the file, or what the second reader made of it.
    bytes: Arc<[u8]>,
    original: Arc<[u8]>,
    source: open::PageSource,
    n_objects: usize,
    /// The second reader had to rebuild the cross-reference to be of use.
    rebuilt: bool,
    second: OnceLock<Option<lopdf::Document>>,
}

/// Why a document has no pages to score.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// A password or key is needed.
    #[error("{0}")]
    Encrypted(&'static str),
    /// No page tree is reachable in either reader.
    #[error("{0}")]
    Malformed(&'static str),
    /// Too many bytes or pages.
    #[error("{0}")]
    OverLimit(String),
}

/// One page, inherited attributes resolved.
#[derive(Clone)]
pub struct Page<'a> {
    /// 0-based.
    pub index: u32,
    /// The page's own dictionary.
    pub dict: Dict<'a>,
    /// The tree lists the page, but its object is lost: `dict` is empty, and so is what it draws.
    pub lost: bool,
    /// Own or inherited resources.
    pub resources: Dict<'a>,
    /// `[x0, y0, x1, y1]` in default user space: crop box within media box, A4 where empty.
    pub crop_box: [f32; 4],
    /// 0, 90, 180 or 270, clockwise.
    pub rotate: u16,
}

impl Document {
    /// Opens a file with the first reader, then with the second where the first fails, finds no pages
    /// or fewer than `/Count`.
    pub fn open(bytes: Arc<[u8]>, limits: &Limits) -> Result<Self, OpenError> {
        open::open(bytes, limits)
    }

    /// What the file says of itself.
    pub fn info(&self) -> &DocumentInfo {
        &self.info
    }

    /// Damage seen while opening.
    pub fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The pages in order, `info().n_pages` of them; a page listed twice is there twice. Walks the tree at each call.
    pub fn pages(&self) -> Vec<Page<'_>> {
        let n_pages = self.info.n_pages as usize;
        let mut pages = Vec::with_capacity(n_pages);
        match self.source {
            PageSource::Tree { holes } => {
                tree::walk(&self.pdf, self.limits.pages, |found| {
                    if holes || !found.is_hole() {
                        pages.push(found.into_page(pages.len() as u32));
                    }
                });
            }
            PageSource::Orphans => {
                pages.extend(
                    tree::orphans(&self.pdf).zip(0..).map(|(dict, index)| tree::lone_page(&dict, index)),
                );
            }
            PageSource::Reader => {
                let dicts = self.pdf.pages().iter().map(|page| page.raw());
                pages.extend(dicts.zip(0..).map(|(dict, index)| tree::lone_page(dict, index)));
            }
        }
        // The reader may have repaired its table since the pages were counted.
        pages.truncate(n_pages);
        pages.extend((pages.len()..n_pages).map(|index| tree::lost_page(index as u32)));
        pages
    }

    /// Whether the first reader has repaired its table since [`Self::open`]: what was resolved before may be another
    /// revision of what is resolved now. A score must not depend on which thread met the damage first, so measure
    /// the pages once more; a table is repaired only once.
    pub fn repaired_since_open(&self) -> bool {
        self.pdf.len() != self.n_objects
    }

    /// The file as the second reader sees it, loaded once when first asked for; `None` where it cannot read it, or
    /// the file is larger than 64 MiB. With `info().second_reader`, both readers rest on its objects.
    pub fn second_reader(&self) -> Option<&lopdf::Document> {
        self.second.get_or_init(|| second::load(&self.original, self.rebuilt, &self.limits)).as_ref()
    }

    /// The bytes that offsets of objects point into: the file, or what the second reader made of it.
    pub(in crate::score) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Resolves an object. Re-parses at each call: cache by id what is asked for twice.
    pub fn get<'a>(&'a self, id: ObjectIdentifier) -> Option<Object<'a>> {
        self.pdf.xref().get::<Object<'a>>(id)
    }

    /// The objects, by a handle that may outlive the borrow of the document and costs one reference
    /// count: a font keeps it, so that its program is read only when it is asked for.
    pub(in crate::score) fn objects(&self) -> &hayro_syntax::xref::XRef {
        self.pdf.xref()
    }

    /// `/Title` of the document information.
    pub fn title(&self) -> Option<String> {
        info::text(self.pdf.metadata().title.as_deref()?)
    }

    /// The document catalog.
    pub fn catalog(&self) -> Option<Dict<'_>> {
        self.pdf.xref().get::<Dict<'_>>(self.pdf.xref().root_id())
    }
}
