//! What a font gives for the codes of a text, before any verdict.

use super::super::fonts;
use super::super::pdf::{Dict, Document};
use super::*;

/// Reads the codes that show `text` in a font; codes without a character give nothing.
pub(super) fn decode(font: &Font, text: &str) -> String {
    let codes = font.encode(text);
    let file = PdfBuilder::new().page(|page| page.font(font).show_codes(&codes)).build();
    let document = Document::open(file.into(), &Limits::default()).unwrap();
    let pages = document.pages();
    let fonts = pages[0].resources.get::<Dict<'_>>(&b"Font"[..]).unwrap();
    let font = fonts::Font::read(&fonts.get::<Dict<'_>>(&b"F1"[..]).unwrap(), &document, "F1".into());
    let text = font.codes(&codes).map(|(code, n_bytes)| {
        font.glyph(code, n_bytes).route.unicode.as_deref().unwrap_or_default().to_owned()
    });
    text.collect()
}
