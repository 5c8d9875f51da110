//! One claimed task through the stages: fetch, score, stage, commit.
//!
//! Takes: tasks from the ledger. Gives: a registered staging file, document states and OCR requests per
//! task, in one transaction. Fails: [`WorkerError`], for infrastructure only; a document that cannot be
//! fetched or scored ends in its own state. Never: holds more document bytes than it may, starts a child
//! before there is a document for it, or publishes for a lease that is lost.
//!
//! ```text
//! claim ──► fetch ──► score ──► stage ──► commit
//!           bounded   children  Parquet   one transaction
//!           in bytes
//! ```

mod document;
mod drive;
mod error;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tracing::debug;

use crate::config::Store;
use crate::isolate::Pool;
use crate::ledger::{Attempt, Ledger, Outcome, Task, TaskResult, Wake};
use crate::objects::{Buckets, ObjectKey, Objects};
use crate::score::{RULES_VERSION, Route};
use crate::tables::{self, ScoredDocument, StagingContext};
use crate::telemetry::names;
use crate::time::Timestamp;
use crate::words::Word;

pub use document::unread_score;
pub use error::WorkerError;

use document::Done;
use drive::{Until, patiently};

/// Bytes of one permit of the budget of bytes in flight.
const BUDGET_UNIT: u64 = 1 << 10;

/// How a [`Worker`] works.
#[derive(Debug, Clone)]
pub struct WorkerConfig {
    /// Names this worker in the ledger.
    pub owner: String,
    /// Documents scored at a time; as many children.
    pub children: usize,
    /// Bytes of documents held at a time.
    pub max_inflight_bytes: u64,
    /// Object storage that `s3://` documents are read from.
    pub store: Store,
    /// Largest document that is read, in bytes.
    pub document_bytes: u64,
    /// Folders below which local files are read; `None`: all that a task names, for it was named on a command line.
    pub file_roots: Option<Vec<PathBuf>>,
    /// Score key of the jobs to work on; `None`: of any. With one, services that are away are waited for: the worker is one
    /// of several on a shared ledger.
    pub score_key: Option<String>,
    /// Test hook: called after each step of a task's commit, with its name.
    pub after: fn(&str),
}

/// Called with each document when its task is committed.
pub type Observer = dyn Fn(&ScoredDocument) + Send + Sync;

/// Takes tasks to durable results.
pub struct Worker {
    config: WorkerConfig,
    ledger: Ledger,
    /// The results root.
    objects: Arc<dyn Objects>,
    /// Where documents are.
    buckets: Buckets,
    pool: Pool,
    observer: Box<Observer>,
    /// Documents between fetch and verdict: those being scored and as many fetched ahead.
    places: Semaphore,
    /// Bytes of these documents, in [`BUDGET_UNIT`]s.
    budget: Semaphore,
    budget_units: u32,
}

impl Worker {
    /// Prepares a worker; nothing is claimed or started yet.
    pub fn new(
        config: WorkerConfig,
        ledger: Ledger,
        objects: Arc<dyn Objects>,
        pool: Pool,
        observer: Box<Observer>,
    ) -> Self {
        let units = u32::try_from(config.max_inflight_bytes / BUDGET_UNIT).unwrap_or(u32::MAX).max(1);
        let places = Semaphore::new(2 * config.children.max(1) + 2);
        Self {
            buckets: Buckets::new(&config.store),
            config,
            ledger,
            objects,
            pool,
            observer,
            places,
            budget: Semaphore::new(units as usize),
            budget_units: units,
        }
    }

    /// Works until the ledger has no task to claim, or `stop` says so: then tasks in work are ended, no more
    /// are claimed, and the answer is `false`. Dropping the future gives up the tasks in work; their leases
    /// run out, or fall to the next worker of a local ledger.
    ///
    /// # Errors
    /// When the ledger, the results root or the children fail.
    pub async fn run(self: &Arc<Self>, stop: watch::Receiver<bool>) -> Result<bool, WorkerError> {
        self.drive(stop, Until::Empty).await
    }

    /// Works until `stop`, looking for tasks when woken and each second. Then tasks in work have `drain` to end; what does
    /// not is given back, uncounted. Services that are away are waited for.
    ///
    /// # Errors
    /// When waiting cannot help.
    pub async fn serve(
        self: &Arc<Self>,
        stop: watch::Receiver<bool>,
        wake: Wake,
        drain: Duration,
    ) -> Result<(), WorkerError> {
        self.drive(stop, Until::Asked { wake, drain }).await.map(|_| ())
    }

    /// Takes one claimed task to a durable result.
    ///
    /// Every step may be repeated: staging files of a lost attempt are never registered, OCR requests carry
    /// the same ids, and `close_task` refuses a lease that is no longer ours.
    async fn handle(self: &Arc<Self>, task: &Task) -> Result<(), WorkerError> {
        let mut clock = Clock::start();
        let done = self.score(task).await?;
        clock.ended("score");
        let (documents, attempts) = split(done);
        let staged_at = Timestamp::now();
        let context = StagingContext {
            job: task.job.clone(),
            corpus: task.corpus.clone(),
            rules_version: RULES_VERSION.to_owned(),
        };
        let (staged, requests, documents) = blocking(move || {
            let staged = tables::stage(&context, &documents)?;
            let requests = crate::ocr::requests(&context, &documents);
            Ok((staged, requests, documents))
        })
        .await?;
        clock.ended("build");
        let file = tables::staging_file(&task.job, task.number, task.attempt);
        let bytes = staged.bytes.len() as u64;
        let key = ObjectKey::new(file.clone())?;
        (self.config.after)("task-scored");
        let patient = self.config.score_key.is_some();
        let put = || async { Ok(self.objects.put(&key, staged.bytes.clone()).await?) };
        patiently(patient, put).await?;
        clock.ended("upload");
        (self.config.after)("task-staged");
        if !attempts.is_empty() {
            let record = || async { Ok(self.ledger.record_attempts(task, &attempts).await?) };
            patiently(patient, record).await?;
        }
        let outcomes = documents.iter().map(outcome).collect();
        let result = TaskResult { staging_file: file, staging_bytes: bytes, staged_at, outcomes, requests };
        let close = || async { Ok(self.ledger.close_task(task, &result).await?) };
        patiently(patient, close).await?;
        clock.ended("commit");
        (self.config.after)("task-committed");
        debug!(job = %task.job, task = task.number, documents = documents.len(), "committed");
        documents.iter().for_each(|document| {
            count(document);
            (self.observer)(document);
        });
        Ok(())
    }

    /// Fetches and scores a task's documents; the answer is in their order.
    async fn score(self: &Arc<Self>, task: &Task) -> Result<Vec<Done>, WorkerError> {
        let mut scoring = JoinSet::new();
        for (index, document) in task.documents.iter().cloned().enumerate() {
            let this = Arc::clone(self);
            scoring.spawn(async move { (index, this.document(&document).await) });
        }
        let mut done: Vec<Option<Done>> = task.documents.iter().map(|_| None).collect();
        while let Some(scored) = scoring.join_next().await {
            let (index, scored) = scored.map_err(|_| WorkerError::Panicked)?;
            done[index] = Some(scored?);
        }
        Ok(done.into_iter().map(|done| done.expect("each document was scored")).collect())
    }
}

/// Times the steps of a task.
struct Clock(Instant);

impl Clock {
    fn start() -> Self {
        Self(Instant::now())
    }

    fn ended(&mut self, stage: &'static str) {
        tracing::info!(stage, seconds = self.0.elapsed().as_secs_f64(), "stage ended"); // an event of the task's span
        metrics::histogram!(names::STAGE_SECONDS, "stage" => stage).record(self.0.elapsed().as_secs_f64());
        self.0 = Instant::now();
    }
}

fn count(document: &ScoredDocument) {
    metrics::counter!(names::DOCUMENTS, "state" => Word(document.score.state).to_string()).increment(1);
    let mut by_route = BTreeMap::<Route, u64>::new();
    for page in &document.score.pages {
        *by_route.entry(page.route).or_default() += 1;
    }
    let flagged = document.score.pages.iter().filter(|page| page.route == Route::Ocr);
    let mut by_reason = BTreeMap::<String, u64>::new();
    for reason in flagged.flat_map(|page| &page.reasons) {
        *by_reason.entry(Word(reason.code).to_string()).or_default() += 1;
    }
    for (reason, n) in by_reason {
        metrics::counter!(names::FLAGGED, "reason" => reason).increment(n);
    }
    for (route, n) in by_route {
        metrics::counter!(names::PAGES, "route" => Word(route).to_string()).increment(n);
    }
}

fn split(done: Vec<Done>) -> (Vec<ScoredDocument>, Vec<Attempt>) {
    let mut attempts = Vec::new();
    let documents = done.into_iter().map(|done| {
        attempts.extend(done.attempts);
        done.document
    });
    (documents.collect(), attempts)
}

fn outcome(scored: &ScoredDocument) -> Outcome {
    let pages = &scored.score.pages;
    Outcome {
        uri: scored.document.uri.clone(),
        etag: scored.document.etag.clone(),
        sha256: scored.sha256.clone(),
        size_bytes: scored.document.size_bytes,
        state: scored.score.state,
        state_reason: scored.score.state_reason.clone(),
        change: scored.change,
        n_pages: u32::try_from(pages.len()).unwrap_or(u32::MAX),
        n_pages_ocr: u32::try_from(pages.iter().filter(|page| page.route == Route::Ocr).count())
            .unwrap_or(u32::MAX),
    }
}

/// Runs work that does not wait on a thread that may.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, WorkerError> + Send + 'static,
) -> Result<T, WorkerError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| WorkerError::Panicked)?
}
