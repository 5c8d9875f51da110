//! DocumentScore → Parquet: schemas, staging file, snapshot, manifest.
//!
//! Takes: scored documents of one task; at close the registered staging files and the previous snapshot.
//! Gives: a staging file's bytes; a snapshot. Fails: [`TablesError`]. Never: writes time or chance into a file,
//! beyond the job ids and `scored_at` that came in.

use crate::score::DocumentScore;
use crate::source::{Change, DocumentRef};
use crate::time::Timestamp;

/// Why rows could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    /// Arrow refused the rows.
    #[error("failed to build rows")]
    Arrow(#[from] arrow::error::ArrowError),
    /// Parquet refused the rows or the file.
    #[error("failed to write or read Parquet")]
    Parquet(#[from] parquet::errors::ParquetError),
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
    /// When it was scored.
    pub scored_at: Timestamp,
    /// The score. For a document that was not read: its state, and nothing else.
    pub score: DocumentScore,
}

/// The rows of one task, ready to be stored at [`Staged::file`].
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

/// Builds the staging file of a task. CPU-bound: call it from a blocking thread.
#[expect(unused_variables, clippy::todo, reason = "body follows")]
pub fn stage(context: &StagingContext, documents: &[ScoredDocument]) -> Result<Staged, TablesError> {
    todo!()
}
