//! A table of a snapshot as one sorted stream or file.

use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;

use super::TablesError;
use super::files::{self, TableWriter};
use super::merge::{Source, merge};
use super::schema::Table;

/// Hands the rows of a table's files to `sink`, in the table's order.
pub fn merged(
    table: Table,
    files: &[PathBuf],
    sink: &mut dyn FnMut(RecordBatch) -> Result<(), TablesError>,
) -> Result<(), TablesError> {
    let sources = files.iter().map(|path| Ok(Box::new(files::read(path, table)?) as Source));
    merge(table, sources.collect::<Result<Vec<_>, TablesError>>()?, sink)
}

/// Writes the rows of a table's files into one Parquet file at `to`, in the table's order; returns their number.
pub fn export(table: Table, files: &[PathBuf], to: &Path) -> Result<u64, TablesError> {
    let mut writer = TableWriter::create(to, table)?;
    merged(table, files, &mut |batch| writer.write(&batch))?;
    Ok(writer.finish()?.rows)
}
