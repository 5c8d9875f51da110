//! Ids into jobs and tasks; closing a job into a snapshot.

use crate::ledger::{Ledger, LedgerError};
use crate::tables::TablesError;

/// Why a job could not be closed.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// The ledger failed or refused.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The snapshot could not be written.
    #[error(transparent)]
    Tables(#[from] TablesError),
}

/// What a closed job left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// The job.
    pub job: String,
    /// Rows by table.
    pub rows: std::collections::BTreeMap<String, u64>,
    /// Requests in `ocr-queue.ndjson` (local roots).
    pub ocr_requests: u64,
}

/// Closes a job whose documents are all terminal: merges the snapshot, writes the manifest, makes it current,
/// rewrites `ocr-queue.ndjson`, sweeps. Every step may be repeated after a crash.
///
/// `epoch` is the leader's, from [`Ledger::lead`]; `root` the results root.
#[expect(unused_variables, clippy::todo, reason = "body follows")]
pub async fn close_job(
    ledger: &Ledger,
    root: &std::path::Path,
    job: &str,
    epoch: i64,
    keep_jobs: usize,
) -> Result<Closed, CoordinatorError> {
    todo!()
}
