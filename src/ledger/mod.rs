//! Jobs, documents, tasks, leases, attempts, staging files and the outbox of OCR requests.
//!
//! Takes: what was listed, who works, how documents ended. Gives: what is left to do and what was
//! done, after any crash. Fails: [`LedgerError`]; each call is one transaction and may be repeated.
//! Never: believes a worker whose lease was given to another.
//!
//! ```text
//! job:   open ──seal──► sealed ──begin_close──► closing ──publish──► published ──finish──► closed
//!          └──────────────┴── abandon ──► abandoned
//! task:  ready ──claim──► leased ──close_task──► done
//!          ▲                 │
//!          └──release, lease expired
//! ```

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::score::State;
use crate::source::{Change, DocumentRef};
use crate::time::Timestamp;

/// Documents of one task, at most.
pub const TASK_DOCUMENTS: usize = 64;
/// Bytes of one task's documents, at most; a larger document is a task of its own.
pub const TASK_BYTES: u64 = 64 << 20;
/// Life of a lease after a claim or heartbeat.
pub const LEASE: Duration = Duration::from_secs(60);
/// A commit refuses a staging file older than this; the janitor spares files twice as long.
pub const STAGING_COMMIT_AGE: Duration = Duration::from_secs(12 * 3600);

/// Why the ledger refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The database failed or is unreachable.
    #[error("ledger failed")]
    Database(#[from] sqlx::Error),
    /// The schema could not be brought up to date.
    #[error("failed to migrate the ledger")]
    Migrate(#[from] sqlx::migrate::MigrateError),
    /// Another process works on this SQLite ledger.
    #[error("`{path}` is in use by another process")]
    Busy {
        /// The ledger's file.
        path: PathBuf,
    },
    /// The ledger's lock file could not be opened.
    #[error("failed to lock `{path}`")]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The lease on a task went to another worker, or the job was abandoned: drop the results.
    #[error("the lease on task {task} of job `{job}` is lost")]
    LeaseLost {
        /// The job.
        job: String,
        /// The task.
        task: i64,
    },
    /// A staging file is too old to be registered: the janitor may be about to remove it.
    #[error("staging file `{file}` is older than 12 hours")]
    StagingTooOld {
        /// Its object key.
        file: String,
    },
    /// The call does not fit the job's state.
    #[error("job `{job}` is {state}, not {expected}")]
    JobState {
        /// The job.
        job: String,
        /// What it is.
        state: String,
        /// What the call needs.
        expected: &'static str,
    },
    /// No such job.
    #[error("there is no job `{0}`")]
    NoJob(String),
    /// A newer leader exists: stop acting as one.
    #[error("leader epoch {epoch} was superseded")]
    Fenced {
        /// The epoch that is no longer ours.
        epoch: i64,
    },
    /// The ledger holds what no release writes.
    #[error("the ledger holds an unknown {what} `{value}`")]
    Unknown {
        /// The kind of value.
        what: &'static str,
        /// The value.
        value: String,
    },
}

/// Whether this process works on a SQLite ledger or only looks at it. PostgreSQL makes no difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Works: takes the file's lock for its life, so every lease found is a dead process's and is given back.
    Worker,
    /// Looks on, and asks for OCR again.
    Guest,
}

/// What a new job is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewJob {
    /// Name of the corpus; `scan` uses `default`.
    pub corpus: String,
    /// Hash of sources and settings: an unfinished job with another one is abandoned, not resumed.
    pub fingerprint: String,
    /// Hash of rules version, limits that shape results and model versions.
    pub score_key: String,
    /// [`RULES_VERSION`](crate::score::RULES_VERSION).
    pub rules_version: String,
    /// Abandon an unfinished job, carry nothing forward.
    pub fresh: bool,
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JobState {
    /// Documents are still listed.
    Open,
    /// The listing is complete or was given up.
    Sealed,
    /// Every document is terminal; the snapshot is being merged.
    Closing,
    /// The snapshot is the corpus's current one; what is derived from it is being written.
    Published,
    /// Done.
    Closed,
    /// Given up; nothing of it is published.
    Abandoned,
}

/// One pass over a corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// UUIDv7, hyphenated.
    pub id: String,
    /// Name of the corpus.
    pub corpus: String,
    /// Where it stands.
    pub state: JobState,
    /// Key of the rules, limits and models that score it.
    pub score_key: String,
    /// Version of the rules that score it.
    pub rules_version: String,
    /// The job whose snapshot is carried forward and compared against.
    pub previous_job: Option<String>,
    /// Whether the listing saw the whole corpus, so that what it lacks was deleted.
    pub complete: bool,
    /// When it was begun.
    pub begun_at: Timestamp,
    /// When its closing began; the manifest's `closed_at`.
    pub closed_at: Option<Timestamp>,
    /// Whether [`Ledger::begin_job`] found it unfinished.
    pub resumed: bool,
}

/// What [`Ledger::plan`] did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Planned {
    /// Documents carried forward.
    pub carried: u64,
    /// Documents put into new tasks.
    pub planned: u64,
    /// New tasks.
    pub tasks: u64,
}

/// A claimed task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// Number within the job, from 1.
    pub number: i64,
    /// The job.
    pub job: String,
    /// The job's corpus.
    pub corpus: String,
    /// The fencing token: how often the task was claimed, this claim included. Names the staging file.
    pub attempt: i64,
    /// Sorted by URI.
    pub documents: Vec<TaskDocument>,
}

/// One document of a claimed task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskDocument {
    /// What was listed.
    pub document: DocumentRef,
    /// ETag and SHA-256 in the previous snapshot, where the URI was there.
    pub previous: Option<Previous>,
    /// Crashes and limits that earlier attempts on this document ended in, in this job.
    pub attempts: u32,
}

/// A document in the previous snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Previous {
    /// Its ETag then.
    pub etag: Option<String>,
    /// Its content then, lower-case hex; `None` where it was not read.
    pub sha256: Option<String>,
}

impl TaskDocument {
    /// The document's change, told by content, or by ETag where either content is unknown.
    pub fn change(&self, etag: Option<&str>, sha256: Option<&str>) -> Change {
        let Some(previous) = &self.previous else { return Change::New };
        let same = match (previous.sha256.as_deref(), sha256) {
            (Some(then), Some(now)) => then == now,
            _ => previous.etag.is_some() && previous.etag.as_deref() == etag,
        };
        if same { Change::Unchanged } else { Change::Changed }
    }
}

/// How one document of a task ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The document.
    pub uri: String,
    /// ETag of the bytes that were scored.
    pub etag: Option<String>,
    /// SHA-256 of these bytes, lower-case hex; `None` where they were not read.
    pub sha256: Option<String>,
    /// Their size.
    pub size_bytes: Option<u64>,
    /// How it ended.
    pub state: State,
    /// Why.
    pub state_reason: Option<String>,
    /// Against the previous snapshot.
    pub change: Change,
    /// Pages.
    pub n_pages: u32,
    /// Pages whose route is `ocr`.
    pub n_pages_ocr: u32,
}

/// One OCR request as the outbox keeps it; [`ocr`](crate::ocr) makes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxRequest {
    /// `ocr:` and 64 hex digits.
    pub id: String,
    /// SHA-256 of the document, lower-case hex.
    pub document_sha256: String,
    /// 1-based.
    pub page: u32,
    /// 0 (first) to 9 (last).
    pub priority: u8,
    /// The message without `uris` and `etag`, which are known when it is sent.
    pub body: String,
}

/// Everything the transaction that ends a task writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskResult {
    /// Object key of the staging file.
    pub staging_file: String,
    /// Its size.
    pub staging_bytes: u64,
    /// When its upload began.
    pub staged_at: Timestamp,
    /// One entry per document of the task.
    pub outcomes: Vec<Outcome>,
    /// Pages routed to OCR.
    pub requests: Vec<OutboxRequest>,
}

/// A crash or a limit that an attempt on a document ended in. Lost nodes and services are not counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// The document.
    pub uri: String,
    /// `timeout`, `memory`, `crashed` or `partial`.
    pub state: State,
    /// What is known of the cause.
    pub reason: String,
    /// Wall clock spent.
    pub wall: Duration,
}

/// How far a job is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// Documents stored.
    pub documents: u64,
    /// Of these, not yet terminal.
    pub pending: u64,
    /// Of these, carried forward.
    pub carried: u64,
    /// Terminal documents by state.
    pub by_state: BTreeMap<State, u64>,
    /// Pages of terminal documents.
    pub pages: u64,
    /// Of these, routed to OCR.
    pub pages_ocr: u64,
    /// Tasks that are not done.
    pub tasks_open: u64,
    /// Tasks under a lease.
    pub tasks_leased: u64,
}

/// A staging file that a finished task registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StagingFile {
    /// The task.
    pub task: i64,
    /// Object key.
    pub file: String,
    /// Size.
    pub bytes: u64,
}

/// Jobs, documents, tasks, leases and the outbox, in SQLite (or PostgreSQL).
#[derive(Debug, Clone)]
pub struct Ledger {}

#[expect(unused_variables, clippy::todo, reason = "bodies follow")]
impl Ledger {
    /// Opens and migrates the ledger at `sqlite://path` (created when absent).
    ///
    /// A worker of a SQLite ledger holds a lock on the file `<path>-lock` until the last clone is dropped. The kernel
    /// drops it with the process, so after `kill -9` the next one gets it at once and knows that every lease is dead.
    pub async fn open(url: &str, access: Access) -> Result<Self, LedgerError> {
        todo!()
    }

    /// Begins a job, or resumes the corpus's unfinished one where its fingerprint is the same.
    ///
    /// An unfinished job that is already `closing` or `published` is always resumed (its end is decided), unless
    /// `fingerprint` differs or `fresh` is set: then it is returned too, and the caller closes it and asks again.
    pub async fn begin_job(&self, new: &NewJob) -> Result<Job, LedgerError> {
        todo!()
    }

    /// One job.
    pub async fn job(&self, job: &str) -> Result<Job, LedgerError> {
        todo!()
    }

    /// Stores listed documents; one already there keeps its row. Returns how many are new.
    pub async fn store_documents(&self, job: &str, documents: &[DocumentRef]) -> Result<u64, LedgerError> {
        todo!()
    }

    /// Ends the listing. `complete` tells that it saw the whole corpus.
    pub async fn seal(&self, job: &str, n_documents: u64, complete: bool) -> Result<(), LedgerError> {
        todo!()
    }

    /// Carries unchanged documents forward and puts the others into tasks, neighbours by URI together.
    pub async fn plan(&self, job: &str) -> Result<Planned, LedgerError> {
        todo!()
    }

    /// Claims up to `max` tasks of any job for [`LEASE`]. `owner` names this worker.
    pub async fn claim(&self, owner: &str, max: u32) -> Result<Vec<Task>, LedgerError> {
        todo!()
    }

    /// Extends leases. Returns the numbers of `tasks` whose lease is lost: stop working on them.
    pub async fn heartbeat(
        &self,
        tasks: &[(String, i64, i64)],
    ) -> Result<Vec<(String, i64, i64)>, LedgerError> {
        todo!()
    }

    /// Gives leases back, uncounted. `tasks` are (job, number, attempt).
    pub async fn release(&self, tasks: &[(String, i64, i64)]) -> Result<(), LedgerError> {
        todo!()
    }

    /// Notes crashes and limits of a task's documents; append-only.
    pub async fn record_attempts(&self, task: &Task, attempts: &[Attempt]) -> Result<(), LedgerError> {
        todo!()
    }

    /// Ends a task in one transaction: checks the lease, registers the staging file, sets the documents' states and
    /// inserts the OCR requests. Refuses with [`LedgerError::LeaseLost`] or [`LedgerError::StagingTooOld`].
    pub async fn close_task(&self, task: &Task, result: &TaskResult) -> Result<(), LedgerError> {
        todo!()
    }

    /// How far a job is.
    pub async fn progress(&self, job: &str) -> Result<Progress, LedgerError> {
        todo!()
    }

    /// Becomes the leader: returns a new fencing epoch, and every older one is refused from now on.
    pub async fn lead(&self, owner: &str) -> Result<i64, LedgerError> {
        todo!()
    }

    /// The job whose snapshot is the corpus's current one.
    pub async fn current_job(&self, corpus: &str) -> Result<Option<String>, LedgerError> {
        todo!()
    }
}
