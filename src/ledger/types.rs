use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::score::State;
use crate::source::{Change, DocumentRef};
use crate::time::Timestamp;

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

/// What scores depend on beside the documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScoreKey {
    /// Hash of rules version, limits that shape results and model versions.
    pub score_key: String,
    /// [`RULES_VERSION`](crate::score::RULES_VERSION).
    pub rules_version: String,
}

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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
    /// Hash of its sources and settings.
    pub fingerprint: String,
    /// The job whose snapshot is carried forward and compared against.
    pub previous_job: Option<String>,
    /// Whether the listing saw the whole corpus, so that what it lacks was deleted.
    pub complete: bool,
    /// When it was begun.
    pub begun_at: Timestamp,
    /// When its closing began; the manifest's `closed_at`.
    pub closed_at: Option<Timestamp>,
    /// Whether [`Ledger::begin_job`](super::Ledger::begin_job) found it unfinished.
    pub resumed: bool,
}

/// What [`Ledger::plan`](super::Ledger::plan) did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Planned {
    /// Documents carried forward.
    pub carried: u64,
    /// Documents put into new tasks.
    pub planned: u64,
    /// New tasks.
    pub tasks: u64,
    /// Nothing was planned yet: an older job of the corpus is unfinished.
    pub waiting: bool,
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

/// The right to work on a task: holds until another claim of the same task.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Lease {
    /// The job.
    pub job: String,
    /// The task's number.
    pub task: i64,
    /// The fencing token.
    pub attempt: i64,
}

impl Task {
    /// The lease this claim gave.
    pub fn lease(&self) -> Lease {
        Lease { job: self.job.clone(), task: self.number, attempt: self.attempt }
    }
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
    /// 9 (first) to 0 (last).
    pub priority: u8,
    /// The message; its `uris` and `etag` are the scored document's and are renewed when it is sent.
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
    /// Of these, of documents carried forward.
    pub pages_carried: u64,
    /// Pages of terminal documents that are routed to OCR.
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
