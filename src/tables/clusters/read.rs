//! The columns that clusters are made of.

use std::path::Path;

use arrow::array::{Array, AsArray, Int32Array, RecordBatch, StringArray, TimestampMicrosecondArray};
use arrow::datatypes::{Int32Type, TimestampMicrosecondType};

use crate::tables::TablesError;
use crate::tables::files::read_columns;
use crate::tables::schema::Table;

/// Columns of `page_fonts` that are read.
const COLUMNS: [&str; 16] = [
    "producer_family",
    "producer_version",
    "family",
    "subset_tag",
    "document_uri",
    "document_sha256",
    "page",
    "font",
    "scored_at",
    "signature",
    "program_sha256",
    "subtype",
    "encoding",
    "to_unicode",
    "glyphs_drawn",
    "glyphs_suspect",
];

/// Rows of `page_fonts`.
pub(super) struct PageFonts {
    batch: RecordBatch,
}

/// Batches of a file of `page_fonts`.
pub(super) fn page_fonts(
    path: &Path,
) -> Result<impl Iterator<Item = Result<PageFonts, TablesError>> + use<>, TablesError> {
    let batches = read_columns(path, Table::PageFonts, &COLUMNS)?;
    Ok(batches.map(|batch| Ok(PageFonts { batch: batch? })))
}

impl PageFonts {
    pub(super) fn len(&self) -> usize {
        self.batch.num_rows()
    }

    pub(super) fn text(&self, column: &str) -> &StringArray {
        text(&self.batch, column)
    }

    pub(super) fn int(&self, column: &str) -> &Int32Array {
        int(&self.batch, column)
    }

    pub(super) fn scored_at(&self) -> &TimestampMicrosecondArray {
        named(&self.batch, "scored_at").as_primitive::<TimestampMicrosecondType>()
    }
}

pub(super) fn text<'b>(batch: &'b RecordBatch, column: &str) -> &'b StringArray {
    named(batch, column).as_string()
}

pub(super) fn int<'b>(batch: &'b RecordBatch, column: &str) -> &'b Int32Array {
    named(batch, column).as_primitive::<Int32Type>()
}

fn named<'b>(batch: &'b RecordBatch, column: &str) -> &'b dyn Array {
    batch.column_by_name(column).expect("a column of the table, whose types the reader compared")
}

/// The value of a row, where it has one.
pub(super) fn at(array: &StringArray, row: usize) -> Option<&str> {
    array.is_valid(row).then(|| array.value(row))
}
