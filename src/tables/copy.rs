//! A published file whose rows all stay: copied with another job, without decoding it.
//!
//! Column chunks are taken over as bytes; only those that name the job, or say `unchanged`, are written anew. A night in which
//! nothing changed costs a fifth of merging it.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use parquet::arrow::add_encoded_arrow_schema_to_metadata;
use parquet::bloom_filter::Sbbf;
use parquet::column::writer::ColumnCloseResult;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::metadata::{ColumnChunkMetaData, PageIndexPolicy, ParquetMetaData, ParquetMetaDataReader};
use parquet::file::page_index::column_index::ColumnIndexMetaData;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};

use super::TablesError;
use super::files::properties;
use super::schema::Table;

/// Values written at once.
const BATCH: usize = 1024;

/// Writes the file `from` to `sink` with `job` as the job of all rows, and in `documents` with the change `unchanged`.
pub(super) fn copy_file<W: Write + Send>(
    from: &Path,
    table: Table,
    job: &str,
    sink: W,
) -> Result<W, TablesError> {
    let file = File::open(from).map_err(|source| TablesError::File { path: from.to_owned(), source })?;
    let metadata = ParquetMetaDataReader::new()
        .with_page_index_policy(PageIndexPolicy::Optional)
        .parse_and_finish(&file)?;
    let mut properties = properties(table)?;
    add_encoded_arrow_schema_to_metadata(&table.schema(), &mut properties);
    let schema = metadata.file_metadata().schema_descr().root_schema_ptr();
    let mut writer = SerializedFileWriter::new(sink, schema, Arc::new(properties))?;
    for group in 0..metadata.num_row_groups() {
        let mut out = writer.next_row_group()?;
        for (index, column) in metadata.row_group(group).columns().iter().enumerate() {
            let rows = metadata.row_group(group).num_rows();
            match column.column_path().parts() {
                [name] if name == "job_id" => write_constant(&mut out, job, rows)?,
                [name] if name == "change" => write_constant(&mut out, "unchanged", rows)?,
                _ => {
                    let close = close_result(&file, &metadata, column, (group, index), rows);
                    out.append_column(&file, close)?;
                }
            }
        }
        out.close()?;
    }
    Ok(writer.into_inner()?)
}

/// What the writer of a column chunk knew when it closed it.
fn close_result(
    file: &File,
    metadata: &ParquetMetaData,
    column: &ColumnChunkMetaData,
    (group, index): (usize, usize),
    rows: i64,
) -> ColumnCloseResult {
    let column_index = metadata.column_index().and_then(|groups| groups.get(group)?.get(index)).cloned();
    ColumnCloseResult {
        bytes_written: u64::try_from(column.compressed_size()).unwrap_or(0),
        rows_written: u64::try_from(rows).unwrap_or(0),
        metadata: column.clone(),
        bloom_filter: Sbbf::read_from_column_chunk(column, file).ok().flatten(),
        column_index: column_index.filter(|index| !matches!(index, ColumnIndexMetaData::NONE)),
        offset_index: metadata.offset_index().and_then(|groups| groups.get(group)?.get(index)).cloned(),
    }
}

/// Writes a column of one text.
fn write_constant<W: Write + Send>(
    out: &mut SerializedRowGroupWriter<'_, W>,
    value: &str,
    rows: i64,
) -> Result<(), TablesError> {
    let Some(mut column) = out.next_column()? else { return Ok(()) };
    let values = vec![ByteArray::from(value); BATCH];
    let mut left = usize::try_from(rows).unwrap_or(0);
    while left > 0 {
        let n = left.min(BATCH);
        column.typed::<ByteArrayType>().write_batch(&values[..n], None, None)?;
        left -= n;
    }
    Ok(column.close()?)
}
