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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_share_two_buffers() {
        let mut page = PageMeasure::default();
        let run = TextRun::new(0, [10.0, 700.0], [30.0, 700.0], 12.0);
        page.push_run(run, [(CharCode(1), "a"), (CharCode(2), ""), (CharCode(3), "é")]);
        page.push_run(TextRun { gap_before: true, ..run }, [(CharCode(4), "b")]);
        let [first, second] = page.runs[..] else { panic!("two runs") };
        assert_eq!(page.text(&first), "aé");
        assert_eq!(page.codes(&first), [(CharCode(1), 0), (CharCode(2), 1), (CharCode(3), 1)]);
        assert_eq!((page.text(&second), page.codes(&second)), ("b", &[(CharCode(4), 0)][..]));
    }
}
