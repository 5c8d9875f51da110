//! Flagged pages: those routed to `decode` or `ocr`, with the fonts that their reasons name.

use std::path::PathBuf;

use arrow::array::{Array, AsArray};
use rustc_hash::FxHashMap;

use super::read::{int, text};
use crate::score::ReasonCode;
use crate::tables::TablesError;
use crate::tables::files::read_columns;
use crate::tables::schema::Table;
use crate::tables::snapshot::short_hash;
use crate::words::parse_word;

/// Fonts with the reasons against them, by document and page. A page flagged for another cause (a scan) is not in here: it
/// says nothing about its fonts.
pub(super) struct Flagged(FxHashMap<Page, Vec<Accused>>);

/// 128 bits of the document's URI, and the page.
type Page = (u128, i32);
/// A font, and the reason against it.
type Accused = (Box<str>, ReasonCode);

/// Reads the flagged pages of `files`.
pub(super) fn read(files: &[PathBuf]) -> Result<Flagged, TablesError> {
    let columns = ["document_uri", "page", "route", "reasons.list.element.code", "reasons.list.element.font"];
    let mut pages = FxHashMap::default();
    for file in files {
        for batch in read_columns(file, Table::Pages, &columns)? {
            let batch = batch?;
            let (uris, numbers, routes) =
                (text(&batch, "document_uri"), int(&batch, "page"), text(&batch, "route"));
            let reasons =
                batch.column_by_name("reasons").expect("a column that was asked for").as_list::<i32>();
            let items = reasons.values().as_struct();
            let of_item =
                |name| items.column_by_name(name).expect("a field that was asked for").as_string::<i32>();
            let (code, font) = (of_item("code"), of_item("font"));
            for row in 0..batch.num_rows() {
                if !matches!(routes.value(row), "decode" | "ocr") {
                    continue;
                }
                let (start, end) =
                    (reasons.value_offsets()[row] as usize, reasons.value_offsets()[row + 1] as usize);
                let mut fonts = Vec::new();
                for item in (start..end).filter(|&item| font.is_valid(item)) {
                    let code =
                        parse_word(code.value(item)).ok_or_else(|| TablesError::OtherSchema(file.clone()))?;
                    fonts.push((font.value(item).into(), code));
                }
                if !fonts.is_empty() {
                    pages.insert((short_hash(uris.value(row)), numbers.value(row)), fonts);
                }
            }
        }
    }
    Ok(Flagged(pages))
}

impl Flagged {
    /// The reasons of a page against a font.
    pub(super) fn reasons(&self, document: u128, page: i32, font: &str) -> impl Iterator<Item = ReasonCode> {
        let of_page = self.0.get(&(document, page)).map(Vec::as_slice).unwrap_or_default();
        of_page.iter().filter(move |(named, _)| **named == *font).map(|(_, code)| *code)
    }
}
