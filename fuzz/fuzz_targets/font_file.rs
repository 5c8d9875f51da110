//! A file of one font, and everything the text interpreter asks of it.

use std::sync::Arc;

use pagesieve::score::Limits;
use pagesieve::score::fonts::Font;
use pagesieve::score::pdf::{Dict, Document};

/// Objects 4, 5 and 6 are the streams: ToUnicode, CMap or CIDToGIDMap, program.
pub fn file(font: &[u8], streams: [&[u8]; 3]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n\
        2 0 obj <</Type /Pages /Kids [3 0 R] /Count 1>> endobj\n\
        3 0 obj <</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources <</Font <</F1 7 0 R>>>>>> endobj\n"
        .to_vec();
    for (number, stream) in (4..).zip(streams) {
        file.extend(format!("{number} 0 obj <</Length {}>> stream\n", stream.len()).bytes());
        file.extend(stream);
        file.extend(b"\nendstream endobj\n");
    }
    file.extend(b"7 0 obj ");
    file.extend(font);
    file.extend(b" endobj\ntrailer <</Root 1 0 R>>\n");
    file
}

/// Reads the font, cuts the string and resolves every code. The whole string must be used, every advance finite.
pub fn ask(file: &[u8], string: &[u8]) {
    let limits = Limits { font_bytes: 1 << 20, ..Limits::default() };
    let Ok(document) = Document::open(Arc::from(file), &limits) else { return };
    for page in document.pages() {
        let fonts = page.resources.get::<Dict<'_>>("Font").unwrap_or_default();
        let Some(dict) = fonts.get::<Dict<'_>>("F1") else { continue };
        let font = Font::read(&dict, &document, String::from("7 0 R"));
        let codes: Vec<_> = font.codes(string).collect();
        assert_eq!(codes.iter().map(|&(_, n_bytes)| usize::from(n_bytes)).sum::<usize>(), string.len());
        for &(code, n_bytes) in &codes {
            let glyph = font.glyph(code, n_bytes);
            assert!(glyph.advance.is_finite());
            assert_ne!(glyph.route.unicode.as_deref(), Some(""));
        }
        let drawn: Vec<_> = codes.iter().map(|&(code, n_bytes)| (code, n_bytes, 1)).collect();
        let facts = font.facts_for(&drawn);
        assert!(facts.base_font.is_none_or(|name| name.chars().count() <= 200));
        let _ = (font.findings(), font.is_vertical(), font.vertical_extent());
    }
}
