//! Any bytes: open, list the pages, decode their content.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use pagesieve::score::Limits;
use pagesieve::score::pdf::{Document, page_content};

fuzz_target!(|bytes: &[u8]| {
    let limits =
        Limits { content_bytes: 1 << 20, object_stream_bytes: 1 << 20, pages: 100, ..Limits::default() };
    let Ok(document) = Document::open(Arc::from(bytes), &limits) else { return };
    let pages = document.pages();
    assert_eq!(pages.len(), document.info().n_pages as usize);
    let mut out = Vec::new();
    for page in pages {
        page_content(&document, &page, &mut out);
        assert!(out.len() <= limits.content_bytes);
    }
});
