//! Documents, those with most flagged pages first.

use std::cmp::Reverse;
use std::path::Path;

use arrow::array::RecordBatch;

use super::answer::{Answer, Kind, Value};
use super::read::{count_at, counts, read, text_at, texts};
use super::{ReportError, Results};
use crate::tables::Table;

/// What a list says of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) uri: String,
    pub(super) sha256: Option<String>,
    pub(super) family: Option<String>,
    pub(super) version: Option<String>,
    pub(super) state: String,
    /// Pages by route: keep, repair, decode, ocr.
    pub(super) pages: [u64; 4],
}

impl Row {
    pub(super) fn flagged(&self) -> u64 {
        self.pages[2] + self.pages[3]
    }

    pub(super) fn all(&self) -> u64 {
        self.pages.iter().sum()
    }
}

const COLUMNS: [&str; 9] = [
    "document_uri",
    "document_sha256",
    "producer_family",
    "producer_version",
    "state",
    "pages_keep",
    "pages_repair",
    "pages_decode",
    "pages_ocr",
];

/// Documents: those that are not `scored` or `encrypted` first, then those with most flagged pages.
///
/// # Errors
/// When a file of the tables is missing or not as this release writes it.
pub fn documents(results: &Results) -> Result<Answer, ReportError> {
    let mut rows = load(results)?;
    rows.sort_by(|a, b| {
        let key = |row: &Row| (matches!(row.state.as_str(), "scored" | "encrypted"), Reverse(row.flagged()));
        key(a).cmp(&key(b)).then_with(|| a.uri.cmp(&b.uri))
    });
    let columns = [
        ("document_uri", Kind::Text),
        ("producer_family", Kind::Text),
        ("producer_version", Kind::Text),
        ("state", Kind::Text),
        ("pages", Kind::Count),
        ("pages_flagged", Kind::Count),
        ("flagged_share", Kind::Share),
        ("pages_ocr", Kind::Count),
        ("pages_decode", Kind::Count),
        ("pages_repair", Kind::Count),
    ];
    let mut answer = Answer::new("documents", &columns);
    for row in rows {
        let (pages, flagged) = (row.all(), row.flagged());
        let [_, repair, decode, ocr] = row.pages;
        answer.rows.push(vec![
            Value::Text(row.uri),
            Value::text(row.family),
            Value::text(row.version),
            Value::Text(row.state),
            Value::count(pages),
            Value::count(flagged),
            Value::number(flagged as f64 / pages.max(1) as f64),
            Value::count(ocr),
            Value::count(decode),
            Value::count(repair),
        ]);
    }
    Ok(answer)
}

pub(super) fn load(results: &Results) -> Result<Vec<Row>, ReportError> {
    let mut rows = Vec::new();
    for path in results.files(Table::Documents)? {
        read(&path, &COLUMNS, |batch| add(batch, &path, &mut rows))?;
    }
    Ok(rows)
}

fn add(batch: &RecordBatch, path: &Path, rows: &mut Vec<Row>) -> Result<(), ReportError> {
    let text = |column| texts(batch, path, column);
    let (uris, hashes, states) = (text("document_uri")?, text("document_sha256")?, text("state")?);
    let (families, versions) = (text("producer_family")?, text("producer_version")?);
    let number = |column| counts(batch, path, column);
    let routes =
        [number("pages_keep")?, number("pages_repair")?, number("pages_decode")?, number("pages_ocr")?];
    for row in 0..batch.num_rows() {
        let owned = |array| text_at(array, row).map(str::to_owned);
        rows.push(Row {
            uri: uris.value(row).to_owned(),
            sha256: owned(hashes),
            family: owned(families),
            version: owned(versions),
            state: states.value(row).to_owned(),
            pages: routes.map(|pages| count_at(pages, row)),
        });
    }
    Ok(())
}
