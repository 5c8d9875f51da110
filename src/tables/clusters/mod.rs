//! Rows of `pages` and `page_fonts` of one bucket → rows of `clusters`.
//!
//! Takes: a bucket's files. Gives: batches in the table's order. A pure function of their rows, so a bucket that is taken
//! over unchanged keeps its clusters. Never: holds more than the runs of one producer family (a run is one font of one
//! document, 4 bytes a page).
//!
//! ```text
//! page_fonts ─► runs of (producer family, family, subset, document) ─► by version, family, signature ─► rows
//! pages ─► flagged pages with the fonts their reasons name ─┘     └─ by program, where programs repeat
//! ```

mod aggregate;
mod flagged;
mod read;
mod runs;
mod wilson;

use std::path::PathBuf;

use arrow::array::RecordBatch;

use super::TablesError;

pub use wilson::wilson;

/// Hands the clusters of a bucket to `sink`, in order; `pages` and `fonts` are the bucket's files of these tables.
pub(super) fn build(
    job: &str,
    pages: &[PathBuf],
    fonts: &[PathBuf],
    sink: &mut dyn FnMut(RecordBatch) -> Result<(), TablesError>,
) -> Result<(), TablesError> {
    let flagged = flagged::read(pages)?;
    let mut runs = runs::Runs::new(&flagged);
    let mut end = |producer: Option<String>, runs: runs::OfProducer| {
        let rows = aggregate::rows(runs);
        if rows.is_empty() { Ok(()) } else { sink(aggregate::batch(job, producer.as_deref(), &rows)?) }
    };
    for path in fonts {
        for batch in read::page_fonts(path)? {
            runs.add(&batch?, &mut end)?;
        }
    }
    runs.end(&mut end)
}
