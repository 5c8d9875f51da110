//! One test a row of the specification, each fault beside its healthy twin; and what a font dictionary may be.

mod composite;
mod damage;
mod facts;
mod simple;
mod type3;

use std::sync::Arc;

use super::{CharCode, Font};
use crate::sample::{self, PdfBuilder};
use crate::score::Limits;
use crate::score::pdf::{Dict, Document};

/// A font read from a file of one page that draws with it.
struct Drawn {
    font: Font,
    string: Vec<u8>,
}

impl Drawn {
    fn new(font: impl Into<sample::Font>, text: &str) -> Self {
        let font = font.into();
        let string = font.encode(text);
        Self::of_file(&PdfBuilder::new().page(|page| page.font(font).show(text)).build(), string)
    }

    fn codes(font: impl Into<sample::Font>, codes: &[u8]) -> Self {
        let file = PdfBuilder::new().page(|page| page.font(font).show_codes(codes)).build();
        Self::of_file(&file, codes.to_vec())
    }

    fn of_file(file: &[u8], string: Vec<u8>) -> Self {
        Self::try_of_file(file, string).expect("the page has a font")
    }

    fn try_of_file(file: &[u8], string: Vec<u8>) -> Option<Self> {
        let document = Document::open(Arc::from(file), &Limits::default()).unwrap();
        let page = document.pages().remove(0);
        let fonts = page.resources.get::<Dict<'_>>("Font")?;
        let key = fonts.keys().min()?;
        let font = Font::read(&fonts.get::<Dict<'_>>(key)?, &document, "4 0 R".to_owned());
        Some(Self { font, string })
    }

    /// Case, class and text of the codes that leave a mark; equal neighbours joined. `?` stands for no text.
    fn summary(&self) -> String {
        let mut parts: Vec<(String, String)> = Vec::new();
        for (code, n_bytes) in self.font.codes(&self.string) {
            let glyph = self.font.glyph(code, n_bytes);
            if glyph.blank {
                continue;
            }
            let route = format!("{:?} {:?}", glyph.route.case, glyph.route.class);
            let text = glyph.route.unicode.as_deref().unwrap_or("?");
            match parts.last_mut() {
                Some(last) if last.0 == route => last.1.push_str(text),
                _ => parts.push((route, text.to_owned())),
            }
        }
        let parts: Vec<String> = parts.into_iter().map(|(route, text)| format!("{route} {text}")).collect();
        parts.join(", ")
    }

    fn drawn(&self) -> Vec<(CharCode, u8, u32)> {
        self.font.codes(&self.string).map(|(code, n_bytes)| (code, n_bytes, 1)).collect()
    }
}

/// [`Drawn::summary`] of a text in a font.
fn routes(font: impl Into<sample::Font>, text: &str) -> String {
    Drawn::new(font, text).summary()
}

/// As [`routes`], for codes as they stand.
fn routes_of(font: impl Into<sample::Font>, codes: &[u8]) -> String {
    Drawn::codes(font, codes).summary()
}
