//! Each witness with the fault it is there for, and beside it the nearest healthy font.

mod claims;
mod inference;
mod outlines;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{Judgement, judge};
use crate::sample::{self, PdfBuilder};
use crate::score::fonts::{CharCode, Charge, Font};
use crate::score::pdf::{Dict, Document};
use crate::score::{Certainty, Limits, ReasonCode};

/// Every letter of English, and then some.
const PANGRAM: &str = "The quick brown fox jumps over the lazy dog; Pack my box with five dozen jugs.";

/// Reads the font of a one-page file and counts the codes of a text.
fn with_font<T>(
    font: impl Into<sample::Font>,
    text: &str,
    ask: impl FnOnce(&Font, &[(CharCode, u8, u32)]) -> T,
) -> T {
    let font = font.into();
    let shown = font.encode(text);
    let file = PdfBuilder::new().page(|page| page.font(font).show(text)).build();
    let document = Document::open(Arc::from(file), &Limits::default()).unwrap();
    let pages = document.pages();
    let fonts: Dict<'_> = pages[0].resources.get("Font").unwrap();
    let key = fonts.keys().next().unwrap();
    let read = Font::read(&fonts.get::<Dict<'_>>(key).unwrap(), &document, "4 0 R".into());
    let mut drawn: BTreeMap<(CharCode, u8), u32> = BTreeMap::new();
    read.codes(&shown).for_each(|code| *drawn.entry(code).or_default() += 1);
    let drawn: Vec<_> = drawn.into_iter().map(|((code, n_bytes), n)| (code, n_bytes, n)).collect();
    ask(&read, &drawn)
}

fn judged(font: impl Into<sample::Font>, text: &str) -> Judgement {
    with_font(font, text, judge)
}

/// The only charge against a font.
fn charged(font: impl Into<sample::Font>, text: &str) -> Charge {
    let judgement = judged(font, text);
    assert!(!judgement.is_certified);
    assert_eq!(judgement.charges.len(), 1, "{:?}", judgement.charges);
    let charge = judgement.charges.into_iter().next().unwrap();
    assert!(!charge.codes.is_empty() && charge.detail.len() <= 120);
    charge
}

/// Code, certainty and detail of the only charge.
fn summary(font: impl Into<sample::Font>, text: &str) -> (ReasonCode, Certainty, String) {
    let charge = charged(font, text);
    (charge.code, charge.certainty, charge.detail)
}

/// No charge at all.
fn assert_kept(font: impl Into<sample::Font>, text: &str) {
    let judgement = judged(font, text);
    assert!(judgement.charges.is_empty(), "{:?}", judgement.charges);
}
