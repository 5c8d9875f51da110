//! Reads paths of PDF files from standard input; prints `path <tab> page <tab> route` for each page, by the per-page
//! interface of pdf-inspector, which is the one that says of a page whether it needs OCR.

use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn main() -> std::io::Result<()> {
    std::panic::set_hook(Box::new(|_| ()));
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for path in std::io::stdin().lock().lines() {
        let path = path?;
        let bytes = std::fs::read(&path)?;
        let pages = catch_unwind(AssertUnwindSafe(|| pdf_inspector::extract_pages_markdown_mem(&bytes, None)));
        let Ok(Ok(result)) = pages else { continue };
        for page in result.pages {
            let route = if page.needs_ocr { "ocr" } else { "keep" };
            writeln!(out, "{path}\t{}\t{route}", page.page + 1)?;
        }
    }
    out.flush()
}
