//! Content operators → drawn, visible glyphs and what else is painted.
//!
//! Takes: a [`Page`] and the document's [`FontCache`]. Gives: a [`PageMeasure`]: per-font code
//! counts, runs, images, outlines. Fails: never; budgets and damage become findings. Never: keeps
//! operators, follows a form that is not drawn, or looks at image data.

mod annotations;
mod cache;
mod cover;
mod finish;
pub(super) mod geometry;
pub(super) mod images;
mod layers;
pub(super) mod lines;
mod machine;
mod marked;
mod page_font;
pub(super) mod path;
pub(super) mod reading;
mod run;
mod show;
#[cfg(test)]
mod tests;
mod type3;

pub use cache::FontCache;

use std::cell::RefCell;
use std::sync::Arc;

use super::evidence::{FontFacts, PageEvidence};
use super::fonts::{CharCode, Font};
use super::pdf::{Document, Page, page_content};

/// One code drawn by one font on one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeCount {
    /// The code.
    pub code: CharCode,
    /// Its length in bytes.
    pub n_bytes: u8,
    /// Visible glyphs drawn with it.
    pub visible: u32,
}

/// What one text-showing operator (Tj, TJ, ', ") draws, as far as it is visible or an OCR layer.
///
/// Codes and text of all runs of a page lie in two buffers of the [`PageMeasure`]: see [`PageMeasure::codes`] and
/// [`PageMeasure::text`]. A run costs no allocation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextRun {
    /// Index into [`PageMeasure::fonts`].
    pub font: u32,
    /// Start of the baseline, in points of the crop box.
    pub from: [f32; 2],
    /// End of the baseline.
    pub to: [f32; 2],
    /// Font size in points as drawn.
    pub size: f32,
    /// Drawn in render mode 3 or 7: an OCR layer when over an image.
    pub invisible: bool,
    /// A gap of a space's width or a line break stands before this run.
    pub gap_before: bool,
    /// Text comes from ActualText: the first run of the marked span has all of it, the others none.
    pub actual_text: bool,
    /// Range in the buffer of codes.
    codes: (u32, u32),
    /// Range in the buffer of text.
    text: (u32, u32),
}

impl TextRun {
    /// A run without codes, to be filled by [`PageMeasure::push_run`].
    pub fn new(font: u32, from: [f32; 2], to: [f32; 2], size: f32) -> Self {
        Self {
            font,
            from,
            to,
            size,
            invisible: false,
            gap_before: false,
            actual_text: false,
            codes: (0, 0),
            text: (0, 0),
        }
    }
}

/// One font as one page used it.
#[derive(Debug, Clone)]
pub struct FontUse {
    /// The font, shared over the document.
    pub font: Arc<Font>,
    /// Visible codes.
    pub codes: Vec<CodeCount>,
}

/// Everything one page gave.
#[derive(Debug, Clone, Default)]
pub struct PageMeasure {
    /// The evidence; `font_index` counts into `fonts`.
    pub evidence: PageEvidence,
    /// Fonts in order of first use on the page.
    pub fonts: Vec<FontUse>,
    /// Runs in content order, at most the budget of glyphs.
    pub runs: Vec<TextRun>,
    codes: Vec<(CharCode, u32)>,
    text: String,
}

impl PageMeasure {
    /// Facts of the page's fonts, in the order of `fonts`.
    pub fn facts(&self) -> Vec<FontFacts> {
        self.fonts.iter().map(|used| used.font.facts().clone()).collect()
    }

    /// Drawn codes of a run with the byte offset of each one's text in [`PageMeasure::text`]; unmapped codes have
    /// empty text.
    pub fn codes(&self, run: &TextRun) -> &[(CharCode, u32)] {
        self.codes.get(run.codes.0 as usize..run.codes.1 as usize).unwrap_or_default()
    }

    /// Unicode of a run as a conformant extractor gives it (ActualText included).
    pub fn text(&self, run: &TextRun) -> &str {
        self.text.get(run.text.0 as usize..run.text.1 as usize).unwrap_or_default()
    }

    /// Appends a run made of codes with their text.
    pub fn push_run<'s>(&mut self, run: TextRun, pieces: impl IntoIterator<Item = (CharCode, &'s str)>) {
        let (first_code, first_text) = (self.codes.len(), self.text.len());
        for (code, text) in pieces {
            self.codes.push((code, (self.text.len() - first_text) as u32));
            self.text.push_str(text);
        }
        let codes = (first_code as u32, self.codes.len() as u32);
        let text = (first_text as u32, self.text.len() as u32);
        self.runs.push(TextRun { codes, text, ..run });
    }
}

/// Buffers above this are given back after a page.
const KEEP_CONTENT_BYTES: usize = 8 << 20;

thread_local! {
    static CONTENT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Measures one page: its content, then its annotations and form fields.
///
/// Damage becomes a finding of the page; content that could not be decoded sets `undecodable`, a spent budget sets
/// `incomplete`. Linear in the content of the page and of the forms it draws, each as often as it is drawn.
pub fn measure<'a>(document: &'a Document, page: &Page<'a>, fonts: &FontCache<'a>) -> PageMeasure {
    let mut content = CONTENT.take();
    let outcome = page_content(document, page, &mut content);
    let mut machine = machine::Machine::new(fonts, page);
    let resources = fonts.page_resources(page);
    machine.run(&content, &resources);
    machine.reset();
    machine.draw_annotations(page, &resources);
    let mut measure = machine.finish();
    measure.evidence.undecodable |= outcome.undecodable;
    measure.evidence.findings.extend(outcome.findings);
    content.clear();
    content.shrink_to(KEEP_CONTENT_BYTES);
    CONTENT.set(content);
    measure
}
