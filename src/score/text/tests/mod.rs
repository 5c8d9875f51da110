//! Pages built in code, and what the interpreter sees of them.

mod content;
mod damage;
mod paint;
mod visibility;

use std::sync::Arc;

use super::*;
use crate::sample::{Font, Image, PageBuilder, PdfBuilder, Simple};
use crate::score::evidence::FindingCode;
use crate::score::limits::Limits;

fn helvetica() -> Font {
    Simple::standard14("Helvetica").into()
}

/// Measures every page of a file.
fn measure_all(file: Vec<u8>, limits: &Limits) -> Vec<PageMeasure> {
    let document = Document::open(Arc::from(file), limits).expect("the file is made to be read");
    let cache = FontCache::new(&document);
    document.pages().iter().map(|page| measure(&document, page, &cache)).collect()
}

/// Measures one page that has Helvetica as its font.
fn page(draw: impl FnOnce(PageBuilder) -> PageBuilder) -> PageMeasure {
    page_within(&Limits::default(), draw)
}

fn page_within(limits: &Limits, draw: impl FnOnce(PageBuilder) -> PageBuilder) -> PageMeasure {
    let file = PdfBuilder::new().page(|page| draw(page.font(helvetica()))).build();
    measure_all(file, limits).remove(0)
}

/// Visible, invisible and hidden glyphs.
fn glyphs(page: &PageMeasure) -> [u32; 3] {
    let fonts = &page.evidence.fonts;
    let visible = fonts.iter().flat_map(|font| &font.cases).map(|(.., count)| count).sum();
    [visible, fonts.iter().map(|font| font.invisible).sum(), fonts.iter().map(|font| font.hidden).sum()]
}

/// Text of the runs, `|` where a gap or a line break stands.
fn text(page: &PageMeasure) -> String {
    let mut text = String::new();
    for run in &page.runs {
        text += if run.gap_before { "|" } else { "" };
        text += page.text(run);
    }
    text
}

fn found(page: &PageMeasure, code: FindingCode) -> bool {
    page.evidence.findings.iter().any(|finding| finding.code == code)
}

fn near(value: f32, expected: f32) -> bool {
    (value - expected).abs() <= 0.02 * expected.abs().max(1.0)
}

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
