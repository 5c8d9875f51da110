//! DocumentScore → Parquet: schemas, staging file, snapshot, manifest.
//!
//! Takes: scored documents of one task; at close the registered staging files and the previous snapshot.
//! Gives: a staging file's bytes; a snapshot's files. Fails: [`TablesError`]. Never: writes time or chance into a file,
//! beyond the job ids and `scored_at` that came in; puts anything under a table's folder itself.
//!
//! ```text
//! <root>/_staging/<job>/<task>-<attempt>.parquet          what one attempt found (see `staging`)
//! <root>/<table>/schema=v1/job=<id>/bucket=<00..15>/part-<n>.parquet
//! <root>/_manifests/<job>.json                            what the snapshot of a job consists of
//! <root>/_current.json                                    the job to read, by corpus
//! <root>/<table>/_delta_log/…                             by `register --delta` only (see `delta`)
//! ```

mod clusters;
mod copy;
#[cfg(feature = "delta")]
pub mod delta;
mod export;
mod files;
mod manifest;
mod merge;
mod producer;
mod rows;
mod schema;
mod snapshot;
mod staging;
#[cfg(test)]
mod tests;

pub use clusters::wilson;
pub use export::{export, merged};
pub use files::{read_ocr_pages, read_producers};
pub use manifest::{CURRENT_FILE, Counts, Current, CurrentCorpus, Manifest, ManifestFile, manifest_file};
pub use producer::{Tool, made_by};
pub use schema::{SCHEMA_VERSION, TABLES_JSON, Table};
pub use snapshot::{DroppedUris, PreviousFile, Snapshot, SnapshotInput, table_folder, write_snapshot};

use std::path::PathBuf;

use xxhash_rust::xxh3::xxh3_64;

use crate::score::DocumentScore;
use crate::source::{Change, DocumentRef};
use crate::time::Timestamp;

/// Buckets of a table.
pub const N_BUCKETS: u8 = 16;

/// Why rows could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// Arrow refused the rows.
    #[error("failed to build rows")]
    Arrow(#[from] arrow::error::ArrowError),
    /// Parquet refused the rows or the file.
    #[error("failed to write or read Parquet")]
    Parquet(#[from] parquet::errors::ParquetError),
    /// A file could not be written or read.
    #[error("failed to access `{path}`")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file is not a staging file.
    #[error("`{0}` is not a staging file")]
    NotStaging(PathBuf),
    /// A staging file's rows are not what its index says.
    #[error("a staging file's rows of `{0}` are damaged")]
    Damaged(&'static str),
    /// A published file has other columns than this release writes.
    #[error("`{0}` has the columns of another release")]
    OtherSchema(PathBuf),
    /// A score has pages, but the content they are of is not known.
    #[error("the pages of `{0}` have no content hash")]
    NoContent(String),
    /// A page names a font that the document does not have.
    #[error("a page of `{0}` names a font that the document lacks")]
    NoFont(String),
}

/// What all rows of one task share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagingContext {
    /// The job.
    pub job: String,
    /// Its corpus.
    pub corpus: String,
    /// Version of the rules that scored.
    pub rules_version: String,
}

/// One document that ended, with what its rows need beside the score.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoredDocument {
    /// URI, the ETag that was read, size.
    pub document: DocumentRef,
    /// SHA-256 of the bytes, lower-case hex; `None` where they were not read.
    pub sha256: Option<String>,
    /// Against the previous snapshot.
    pub change: Change,
    /// When it was scored; rows and messages tell the second.
    pub scored_at: Timestamp,
    /// The score. For a document that was not read: its state, and nothing else.
    pub score: DocumentScore,
}

/// The rows of one task, ready to be stored at [`staging_file`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Staged {
    /// The staging file.
    pub bytes: Vec<u8>,
    /// Rows of `pages` in it.
    pub n_pages: u64,
}

/// Object key of a task's staging file: `_staging/<job>/<task>-<attempt>.parquet`.
pub fn staging_file(job: &str, task: i64, attempt: i64) -> String {
    format!("_staging/{job}/{task:08}-{attempt}.parquet")
}

/// The bucket that a producer family's rows lie in: xxh3-64 of the family, empty where there is none, mod 16.
pub fn bucket_of(producer_family: Option<&str>) -> u8 {
    let hash = xxh3_64(producer_family.unwrap_or("").as_bytes());
    u8::try_from(hash % u64::from(N_BUCKETS)).expect("below 16")
}

/// Builds the staging file of a task. CPU-bound: call it from a blocking thread.
///
/// Fails on a score that contradicts itself ([`TablesError::NoContent`], [`TablesError::NoFont`]), never on what is in a file.
pub fn stage(context: &StagingContext, documents: &[ScoredDocument]) -> Result<Staged, TablesError> {
    let mut writer = staging::StagingWriter::new(Vec::new())?;
    for ((table, bucket), rows) in rows::build(context, documents)? {
        writer.write(table, bucket, &rows)?;
    }
    let n_pages = documents.iter().map(|document| document.score.pages.len() as u64).sum();
    Ok(Staged { bytes: writer.finish()?, n_pages })
}

/// Lower-case hex.
fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a string");
        text
    })
}
