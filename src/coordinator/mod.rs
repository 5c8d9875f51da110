//! Ids into jobs and tasks; closing a job into a snapshot.
//!
//! Takes: a job whose documents are all terminal. Gives: a published snapshot of the corpus. Fails: [`CoordinatorError`], and
//! every step may be repeated: the same bytes go to the same names. Never: publishes half of a snapshot, or closes for a
//! leader that was superseded.
//!
//! ```text
//! begin_close ──► merge ──► documents, page_fonts, pages ──► manifest ──► publish
//!  (ledger)      (_tmp)     (a folder each, in one move)                  (ledger)
//!                                                                            │
//! finish ◄── staging files removed ◄── ocr-queue.ndjson, outbox ◄── _current.json
//!  (ledger)
//! ```
//!
//! From `begin_close` on the job's end is decided: whatever crashes, the next leader carries the very same snapshot through.
//! So no file ever lies under a table's folder that does not become part of a published snapshot.

mod close;
mod current;
mod intake;
mod janitor;
mod lead;

pub use close::{Closed, Closing, Step, close_job};
pub use current::current_documents;
pub use intake::intake;
pub use janitor::{STAGING_KEPT, Swept, sweep};
pub use lead::Leading;

use crate::ledger::{Job, JobState, Ledger, LedgerError, NewJob};
use crate::objects::ObjectError;
use crate::ocr::QueueFileError;
use crate::tables::TablesError;

/// Why a job could not be begun or closed.
#[derive(Debug, thiserror::Error)]
pub enum CoordinatorError {
    /// The ledger failed or refused.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The snapshot could not be written.
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// The results' storage failed.
    #[error(transparent)]
    Objects(#[from] ObjectError),
    /// `ocr-queue.ndjson` could not be written.
    #[error(transparent)]
    Queue(#[from] QueueFileError),
    /// A manifest or `_current.json` cannot be read.
    #[error("`{file}` is damaged")]
    Damaged {
        /// Its object key.
        file: String,
        /// The cause.
        source: serde_json::Error,
    },
    /// The snapshot has other documents than the ledger: nothing is published.
    #[error("the snapshot of job `{job}` has {rows} documents, the ledger {documents}")]
    Mismatch {
        /// The job.
        job: String,
        /// Rows merged.
        rows: u64,
        /// Documents of the job.
        documents: u64,
    },
    /// A local file could not be handled.
    #[error("failed to access `{path}`")]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// This program has a bug; the place is on standard error.
    #[error("internal error while closing")]
    Panicked,
    /// A test stopped the closing here.
    #[error("stopped after {0:?}")]
    Stopped(Step),
}

impl CoordinatorError {
    /// Whether a service was away for a moment.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Ledger(error) if error.is_transient())
    }
}

/// Waits until `stop` is asked for; for ever where nobody can ask any more.
async fn stopped(stop: &mut tokio::sync::watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Begins a job, or resumes the corpus's unfinished one; what an earlier process had decided is carried through first.
///
/// A job found `closing` or `published` is closed. Where it is the one that is asked for (same fingerprint, not `fresh`), it is
/// returned, `closed`: the command that was killed has its result. Otherwise a new job begins.
pub async fn begin(closing: &Closing<'_>, new: &NewJob) -> Result<Job, CoordinatorError> {
    let ledger: &Ledger = closing.ledger;
    loop {
        let job = ledger.begin_job(new).await?;
        if !matches!(job.state, JobState::Closing | JobState::Published) {
            return Ok(job);
        }
        closing.run(&job.id).await?;
        if job.fingerprint == new.fingerprint && !new.fresh {
            return Ok(Job { resumed: true, ..ledger.job(&job.id).await? });
        }
    }
}
