//! One document: its row, its pages, their fonts.

use std::path::Path;

use serde_json::Value;

use super::json::json_rows;
use super::read::read_where;
use super::{ReportError, Results};
use crate::tables::{Table, bucket_of};

/// All rows of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Its row of `documents`.
    pub document: Value,
    /// Its rows of `pages`, in order.
    pub pages: Vec<Value>,
    /// Its rows of `page_fonts`, by page.
    pub page_fonts: Vec<Value>,
}

/// The documents with a URI or, where `name` is 64 hex digits, with a content hash. Bloom filters say in which row groups to
/// look; pages and fonts lie in the bucket of the document's producer.
///
/// # Errors
/// When a file of the tables is missing or not as this release writes it.
pub fn lookup(results: &Results, name: &str) -> Result<Vec<Document>, ReportError> {
    let is_hash = name.len() == 64 && name.bytes().all(|b| b.is_ascii_hexdigit());
    let (column, value) = if is_hash {
        ("document_sha256", name.to_ascii_lowercase())
    } else {
        ("document_uri", name.to_owned())
    };
    let mut documents = Vec::new();
    for path in results.files(Table::Documents)? {
        documents.append(&mut rows(&path, column, &value)?);
    }
    documents.into_iter().map(|document| with_rows(results, document)).collect()
}

fn with_rows(results: &Results, document: Value) -> Result<Document, ReportError> {
    let uri = document["document_uri"].as_str().unwrap_or_default().to_owned();
    let bucket = bucket_of(document["producer_family"].as_str());
    let of_table = |table| -> Result<Vec<Value>, ReportError> {
        let mut all = Vec::new();
        for path in results.bucket(table, bucket)? {
            all.append(&mut rows(&path, "document_uri", &uri)?);
        }
        all.sort_by_key(|row| row["page"].as_i64());
        Ok(all)
    };
    let (pages, page_fonts) = (of_table(Table::Pages)?, of_table(Table::PageFonts)?);
    Ok(Document { document, pages, page_fonts })
}

fn rows(path: &Path, column: &'static str, value: &str) -> Result<Vec<Value>, ReportError> {
    let mut rows = Vec::new();
    read_where(path, column, value, |batch| {
        rows.append(&mut json_rows(batch));
        Ok(())
    })?;
    Ok(rows)
}
