//! Published Parquet files: written with what readers need, read back for the next snapshot.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use arrow::array::{Array, AsArray, RecordBatch, StringArray};
use arrow::datatypes::Int32Type;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::file::metadata::{KeyValue, ParquetMetaDataReader, SortingColumn};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;
use sha2::{Digest, Sha256};

use super::copy::copy_file;
use super::schema::{ColumnEncoding, SCHEMA_VERSION, Table};
use super::{TablesError, hex};

/// Rows of one row group.
const ROW_GROUP_ROWS: usize = 128 * 1024;
/// Rows of one data page: what is skipped or read as one; a quarter of them would make the files 1 % larger.
const DATA_PAGE_ROWS: usize = 64 * 1024;
/// 5 % smaller than level 3 at the same CPU; beyond 12 it costs more than it saves.
const ZSTD_LEVEL: i32 = 9;
/// Rows of one batch read back.
const READ_ROWS: usize = 4096;

/// A finished file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) rows: u64,
    pub(super) bytes: u64,
    pub(super) sha256: String,
}

/// Writes one Parquet file of a table.
pub(super) struct TableWriter {
    path: PathBuf,
    writer: ArrowWriter<Hashing>,
    rows: u64,
}

impl TableWriter {
    pub(super) fn create(path: &Path, table: Table) -> Result<Self, TablesError> {
        let sink = Hashing::create(path)?;
        let writer = ArrowWriter::try_new(sink, table.schema(), Some(properties(table)?))?;
        Ok(Self { path: path.to_owned(), writer, rows: 0 })
    }

    pub(super) fn write(&mut self, batch: &RecordBatch) -> Result<(), TablesError> {
        self.rows += batch.num_rows() as u64;
        Ok(self.writer.write(batch)?)
    }

    pub(super) fn rows(&self) -> u64 {
        self.rows
    }

    /// Ends the file.
    pub(super) fn finish(self) -> Result<Written, TablesError> {
        self.writer.into_inner()?.finish(&self.path, self.rows)
    }
}

/// Writes the rows of a published file once more, as rows of another job.
pub(super) fn copy(from: &Path, to: &Path, table: Table, job: &str) -> Result<Written, TablesError> {
    let rows = ParquetMetaDataReader::new().parse_and_finish(&open(from)?)?.file_metadata().num_rows();
    let sink = copy_file(from, table, job, Hashing::create(to)?)?;
    sink.finish(to, u64::try_from(rows).unwrap_or(0))
}

fn open(path: &Path) -> Result<File, TablesError> {
    File::open(path).map_err(|source| TablesError::File { path: path.to_owned(), source })
}

pub(super) fn properties(table: Table) -> Result<WriterProperties, TablesError> {
    let layout = table.layout();
    let sorting = layout.sort.iter().map(|&index| SortingColumn {
        // Columns before and among the sort keys have one leaf each, so leaf and column indexes agree (tested).
        column_idx: i32::try_from(index).expect("few columns"),
        descending: false,
        nulls_first: true,
    });
    let text = |key: &str, value: &str| KeyValue::new(key.to_owned(), value.to_owned());
    let mut builder = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(ZSTD_LEVEL)?))
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        .set_data_page_row_count_limit(DATA_PAGE_ROWS)
        .set_sorting_columns(Some(sorting.collect()))
        .set_key_value_metadata(Some(vec![
            text("pagesieve.schema", SCHEMA_VERSION),
            text("pagesieve.table", table.name()),
        ]));
    for leaf in leaves(table) {
        let root = leaf.parts().first().cloned().unwrap_or_default();
        let encoding = match layout.encodings[&root] {
            ColumnEncoding::Dictionary => None,
            ColumnEncoding::Plain => Some(Encoding::PLAIN),
            ColumnEncoding::Delta => Some(Encoding::DELTA_BINARY_PACKED),
            ColumnEncoding::DeltaLength => Some(Encoding::DELTA_LENGTH_BYTE_ARRAY),
            ColumnEncoding::ByteStreamSplit => Some(Encoding::BYTE_STREAM_SPLIT),
        };
        if let Some(encoding) = encoding {
            builder = builder
                .set_column_dictionary_enabled(leaf.clone(), false)
                .set_column_encoding(leaf.clone(), encoding);
        }
        if let Some(&level) = layout.zstd_levels.get(&root) {
            let zstd = Compression::ZSTD(ZstdLevel::try_new(level)?);
            builder = builder.set_column_compression(leaf.clone(), zstd);
        }
        // Bounds of every page help where rows are sorted by the column; elsewhere the row group's do, and of lists none.
        let sorts = layout.sort.iter().any(|&index| *layout.schema.field(index).name() == root);
        let statistics = match (leaf.parts().len(), sorts) {
            (1, true) => EnabledStatistics::Page,
            (1, false) => EnabledStatistics::Chunk,
            _ => EnabledStatistics::None,
        };
        builder = builder.set_column_statistics_enabled(leaf.clone(), statistics);
        if layout.bloom.contains(&root) {
            // A filter begins at this size and is folded down to what the row group holds.
            builder = builder
                .set_column_bloom_filter_max_ndv(leaf.clone(), ROW_GROUP_ROWS as u64)
                .set_column_bloom_filter_fpp(leaf, 0.05);
        }
    }
    Ok(builder.build())
}

/// The Parquet leaf columns of a table.
fn leaves(table: Table) -> Vec<ColumnPath> {
    let schema = parquet::arrow::ArrowSchemaConverter::new().convert(&table.schema());
    let schema = schema.expect("every type of the tables has a Parquet form");
    schema.columns().iter().map(|column| column.path().clone()).collect()
}

/// Batches of a published file, in order.
pub(super) fn read(
    path: &Path,
    table: Table,
) -> Result<impl Iterator<Item = Result<RecordBatch, TablesError>> + Send + use<>, TablesError> {
    let builder = reader(path, table)?;
    let schema = table.schema();
    // The reader's schema carries the file's metadata; rows of all sources must have one schema.
    Ok(builder.with_batch_size(READ_ROWS).build()?.map(move |batch| {
        let batch = batch?;
        Ok(RecordBatch::try_new(schema.clone(), batch.columns().to_vec())?)
    }))
}

/// Batches of some columns of a published file, in order.
pub(super) fn read_columns(
    path: &Path,
    table: Table,
    columns: &[&str],
) -> Result<impl Iterator<Item = Result<RecordBatch, TablesError>> + use<>, TablesError> {
    let builder = reader(path, table)?;
    let mask = ProjectionMask::columns(builder.parquet_schema(), columns.iter().copied());
    let batches = builder.with_projection(mask).with_batch_size(READ_ROWS).build()?;
    Ok(batches.map(|batch| Ok(batch?)))
}

fn reader(path: &Path, table: Table) -> Result<ParquetRecordBatchReaderBuilder<File>, TablesError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(open(path)?)?;
    if builder.schema().fields() != table.schema().fields() {
        return Err(TablesError::OtherSchema(path.to_owned()));
    }
    Ok(builder)
}

/// A file that hashes what goes through.
struct Hashing {
    file: BufWriter<File>,
    hash: Sha256,
    bytes: u64,
}

impl Hashing {
    fn create(path: &Path) -> Result<Self, TablesError> {
        let failed = |source| TablesError::File { path: path.to_owned(), source };
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(failed)?;
        }
        let file = BufWriter::with_capacity(1 << 16, File::create(path).map_err(failed)?);
        Ok(Self { file, hash: Sha256::new(), bytes: 0 })
    }

    /// The bytes are synced by whoever publishes them.
    fn finish(mut self, path: &Path, rows: u64) -> Result<Written, TablesError> {
        self.flush().map_err(|source| TablesError::File { path: path.to_owned(), source })?;
        Ok(Written { rows, bytes: self.bytes, sha256: hex(&self.hash.finalize()) })
    }
}

impl Write for Hashing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.hash.update(&bytes[..n]);
        self.bytes += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Calls `found` with the content and the page of every page with route `ocr` in a file of `pages`. Reads three columns.
pub fn read_ocr_pages(path: &Path, found: &mut dyn FnMut(&str, u32)) -> Result<(), TablesError> {
    let columns = ["document_sha256", "page", "route"];
    for batch in read_columns(path, Table::Pages, &columns)? {
        let batch = batch?;
        let other = || TablesError::OtherSchema(path.to_owned());
        let [sha256, page, route] = columns.map(|name| batch.column_by_name(name));
        let sha256 = sha256.and_then(|c| c.as_string_opt::<i32>()).ok_or_else(other)?;
        let page = page.and_then(|c| c.as_primitive_opt::<Int32Type>()).ok_or_else(other)?;
        let route = route.and_then(|c| c.as_string_opt::<i32>()).ok_or_else(other)?;
        for row in 0..batch.num_rows() {
            if route.value(row) == "ocr" {
                found(sha256.value(row), u32::try_from(page.value(row)).unwrap_or(0));
            }
        }
    }
    Ok(())
}

/// Calls `found` with the URI, and producer and producer family where there are any, of every document in a file of
/// `documents`. Reads three columns.
pub fn read_producers(
    path: &Path,
    found: &mut dyn FnMut(&str, [Option<&str>; 2]),
) -> Result<(), TablesError> {
    let columns = ["document_uri", "producer", "producer_family"];
    for batch in read_columns(path, Table::Documents, &columns)? {
        let batch = batch?;
        let column = |name| {
            let column = batch.column_by_name(name).and_then(|c| c.as_string_opt::<i32>());
            column.ok_or_else(|| TablesError::OtherSchema(path.to_owned()))
        };
        let (uri, producer, family) = (column(columns[0])?, column(columns[1])?, column(columns[2])?);
        for row in 0..batch.num_rows() {
            let text = |column: &StringArray| column.is_valid(row).then(|| column.value(row).to_owned());
            let names = [text(producer), text(family)];
            found(uri.value(row), names.each_ref().map(Option::as_deref));
        }
    }
    Ok(())
}
