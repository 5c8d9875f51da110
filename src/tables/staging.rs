//! The staging file: everything one attempt on a task found, in one object.
//!
//! A Parquet file with one column `rows` of type Binary, Snappy-compressed (a zstd context for each of many small row groups
//! costs more than it saves in a file that is read once), one row group per chunk and one row per row group:
//! the rows of one table and bucket as an Arrow IPC stream, sorted as the table is. Which chunk is in which row group
//! stands in the key-value metadata `pagesieve.chunks` as JSON `[[table, bucket, rows, xxh3-64 of the stream], …]`, ordered by
//! table and bucket; the hash, because a damaged stream makes its reader panic. So a
//! merge reads the index of all files, then of each only the chunk it needs next.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, BinaryArray, RecordBatch};
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::ipc::reader::StreamReader;
use arrow::ipc::writer::StreamWriter;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use xxhash_rust::xxh3::xxh3_64;

use super::TablesError;
use super::schema::{SCHEMA_VERSION, Table};

/// Key of the index in the file's metadata.
const INDEX: &str = "pagesieve.chunks";
/// Rows of one chunk, at most: what a merge holds of each file.
pub(super) const CHUNK_ROWS: usize = 512;

/// Writes chunks; the caller keeps them ordered by table and bucket.
pub(super) struct StagingWriter<W: Write + Send> {
    writer: ArrowWriter<W>,
    schema: SchemaRef,
    index: Vec<(&'static str, u8, usize, u64)>,
}

impl<W: Write + Send> StagingWriter<W> {
    pub(super) fn new(sink: W) -> Result<Self, TablesError> {
        let schema = Arc::new(Schema::new(vec![Field::new("rows", DataType::Binary, false)]));
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_dictionary_enabled(false)
            .set_statistics_enabled(EnabledStatistics::None)
            .set_offset_index_disabled(true)
            .build();
        let writer = ArrowWriter::try_new(sink, Arc::clone(&schema), Some(properties))?;
        Ok(Self { writer, schema, index: Vec::new() })
    }

    /// Adds the next sorted rows of a table and bucket.
    pub(super) fn write(&mut self, table: Table, bucket: u8, rows: &RecordBatch) -> Result<(), TablesError> {
        for start in (0..rows.num_rows()).step_by(CHUNK_ROWS) {
            let chunk = rows.slice(start, CHUNK_ROWS.min(rows.num_rows() - start));
            let mut stream = StreamWriter::try_new(Vec::new(), &rows.schema())?;
            stream.write(&chunk)?;
            let bytes = stream.into_inner()?;
            let body = BinaryArray::from_vec(vec![&bytes]);
            self.writer.write(&RecordBatch::try_new(Arc::clone(&self.schema), vec![Arc::new(body)])?)?;
            self.writer.flush()?; // ends the row group
            self.index.push((table.name(), bucket, chunk.num_rows(), xxh3_64(&bytes)));
        }
        Ok(())
    }

    /// Ends the file and gives the sink back.
    pub(super) fn finish(mut self) -> Result<W, TablesError> {
        let index = serde_json::to_string(&self.index).expect("names and numbers serialize");
        self.writer.append_key_value_metadata(KeyValue::new(INDEX.to_owned(), index));
        self.writer.append_key_value_metadata(KeyValue::new(
            "pagesieve.schema".to_owned(),
            SCHEMA_VERSION.to_owned(),
        ));
        Ok(self.writer.into_inner()?)
    }
}

/// Row groups and hashes of the chunks of each table and bucket, in order.
type Chunks = BTreeMap<(Table, u8), Vec<(usize, u64)>>;

/// A staging file that a merge reads: its index is kept, the file is opened for each chunk, so that a merge of many files
/// needs no descriptor for each.
#[derive(Debug, Clone)]
pub(super) struct StagingFile {
    path: Arc<Path>,
    metadata: ArrowReaderMetadata,
    chunks: Arc<Chunks>,
}

impl StagingFile {
    pub(super) fn open(path: &Path) -> Result<Self, TablesError> {
        let file = open_file(path)?;
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())?;
        let chunks = read_index(&metadata).ok_or_else(|| TablesError::NotStaging(path.to_owned()))?;
        Ok(Self { path: path.into(), metadata, chunks: Arc::new(chunks) })
    }

    /// Whether it has rows of this table and bucket.
    pub(super) fn has(&self, table: Table, bucket: u8) -> bool {
        self.chunks.contains_key(&(table, bucket))
    }

    /// The chunks of one table and bucket, in order, each read when it is asked for.
    pub(super) fn chunks(
        &self,
        table: Table,
        bucket: u8,
    ) -> impl Iterator<Item = Result<RecordBatch, TablesError>> + Send + use<> {
        let this = self.clone();
        let groups = self.chunks.get(&(table, bucket)).cloned().unwrap_or_default();
        groups.into_iter().map(move |(group, hash)| this.read(group, hash, table))
    }

    fn read(&self, group: usize, hash: u64, table: Table) -> Result<RecordBatch, TablesError> {
        let damaged = || TablesError::Damaged(table.name());
        let mut reader =
            ParquetRecordBatchReaderBuilder::new_with_metadata(open_file(&self.path)?, self.metadata.clone())
                .with_row_groups(vec![group])
                .with_batch_size(1)
                .build()?;
        let envelope = reader.next().ok_or_else(damaged)??;
        let body = envelope.column(0).as_any().downcast_ref::<BinaryArray>().ok_or_else(damaged)?;
        if body.len() != 1 || xxh3_64(body.value(0)) != hash {
            return Err(damaged());
        }
        let mut stream = StreamReader::try_new(body.value(0), None)?;
        let rows = stream.next().ok_or_else(damaged)??;
        if rows.schema() != table.schema() {
            return Err(damaged());
        }
        Ok(rows)
    }
}

fn open_file(path: &Path) -> Result<File, TablesError> {
    File::open(path).map_err(|source| TablesError::File { path: path.to_owned(), source })
}

fn read_index(metadata: &ArrowReaderMetadata) -> Option<Chunks> {
    let file = metadata.metadata();
    let entries = file.file_metadata().key_value_metadata()?;
    let json = entries.iter().find(|entry| entry.key == INDEX)?.value.as_deref()?;
    let index: Vec<(String, u8, usize, u64)> = serde_json::from_str(json).ok()?;
    if index.len() != file.num_row_groups() {
        return None;
    }
    let mut chunks = Chunks::new();
    for (group, (table, bucket, _, hash)) in index.into_iter().enumerate() {
        chunks.entry((Table::parse(&table)?, bucket)).or_default().push((group, hash));
    }
    Some(chunks)
}
