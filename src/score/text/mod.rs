//! Content operators → drawn, visible glyphs and what else is painted.
//!
//! Takes: a [`Page`](super::pdf::Page) and the document's [`FontCache`]. Gives: a [`PageMeasure`]: per-font code
//! counts, runs, images, outlines. Fails: never; budgets and damage become findings. Never: keeps
//! operators, follows a form that is not drawn, or looks at image data.

use std::sync::Arc;

use super::evidence::{FontFacts, PageEvidence};
use super::fonts::{CharCode, Font};

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
#[derive(Debug, Clone, PartialEq)]
pub struct TextRun {
    /// Index into [`PageMeasure::fonts`].
    pub font: u32,
    /// Drawn codes with the byte offset of each one's text in `text`; unmapped codes have empty text.
    pub codes: Vec<(CharCode, u32)>,
    /// Unicode as a conformant extractor gives it (ActualText included).
    pub text: String,
    /// Start of the baseline and end of it, in points of the crop box.
    pub from: [f32; 2],
    /// See `from`.
    pub to: [f32; 2],
    /// Font size in points as drawn.
    pub size: f32,
    /// Drawn in render mode 3 or 7: an OCR layer when over an image.
    pub invisible: bool,
    /// A gap of a space's width or a line break stands before this run.
    pub gap_before: bool,
    /// Text comes from ActualText.
    pub actual_text: bool,
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
}

impl PageMeasure {
    /// Facts of the page's fonts, in the order of `fonts`.
    pub fn facts(&self) -> Vec<FontFacts> {
        self.fonts.iter().map(|used| used.font.facts().clone()).collect()
    }
}
