//! Documents to children: one thread per child hands it documents, holds the timers, tries again
//! what died, and replaces children that are old or fat.

use std::collections::VecDeque;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use sha2::{Digest, Sha256};
use tokio::sync::oneshot;
use tracing::{debug, warn};

use crate::config::Isolation;
use crate::score::{DocumentScore, Settings, State, verdict};
use crate::telemetry::names;

use super::check::Expected;
use super::child::{STACK_BYTES, Scorer, failed};
use super::frame::Setup;
use super::process::{Cause, Clock, Death, Failure, Order, Process};
use super::sandbox::Sandbox;
use super::spawn::Spawner;

/// Time after which a child reports pages as they come.
const STREAM_AFTER: Duration = Duration::from_millis(250);
/// A document of this size is worth several threads even when others wait.
const LARGE_BYTES: usize = 4 << 20;
/// What the limits of time and memory are multiplied with when a document is tried again.
const SECOND_TRY: u32 = 2;
/// Documents between two looks at a child's memory.
const LOOK_EVERY: u32 = 32;

/// How a [`Pool`] works.
#[derive(Debug, Clone, PartialEq)]
pub struct PoolConfig {
    /// Where documents are parsed.
    pub isolation: Isolation,
    /// What children execute: this very program.
    pub program: PathBuf,
    /// Children, and so documents in flight. At least 1.
    pub children: usize,
    /// Threads of one document that is large or alone. At least 1.
    pub threads_per_child: usize,
    /// Address space of one child, in bytes.
    pub child_memory_bytes: u64,
    /// Documents after which a child is replaced.
    pub recycle_documents: u32,
    /// Memory an idle child may hold before it is replaced, in bytes.
    pub recycle_bytes: u64,
    /// What shapes the score, and the limits of time.
    pub settings: Settings,
}

impl Default for PoolConfig {
    /// One child with one thread, running the program that this process runs.
    fn default() -> Self {
        Self {
            isolation: Isolation::Process,
            // Still the same file when a new release was installed over it meanwhile.
            program: PathBuf::from("/proc/self/exe"),
            children: 1,
            threads_per_child: 1,
            child_memory_bytes: 1536 << 20,
            recycle_documents: 20_000,
            recycle_bytes: 512 << 20,
            settings: Settings::default(),
        }
    }
}

/// What came of one document.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The verdict.
    pub score: DocumentScore,
    /// SHA-256 of the document, lower-case hex.
    pub sha256: String,
    /// Tries that ended without a score, in order.
    pub attempts: Vec<Attempt>,
    /// Wall clock from the first try's beginning to the last one's end.
    pub wall: Duration,
}

/// One try that ended without a score.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// `timeout`, `memory` or `crashed`.
    pub state: State,
    /// Why.
    pub cause: Cause,
    /// `cause` in words.
    pub reason: String,
    /// Wall clock spent.
    pub wall: Duration,
}

/// Why a document could not be tried at all.
#[derive(Debug, thiserror::Error)]
pub enum IsolateError {
    /// No child could be started; the machine's fault.
    #[error("failed to start a scoring process")]
    Start(#[source] io::Error),
    /// The pool's own files or threads failed.
    #[error("failed to talk to a scoring process")]
    Io(#[source] io::Error),
    /// This program has a bug; the place is on standard error.
    #[error("internal error while a document was scored")]
    Panicked,
    /// The pool was closed while the document waited or was scored.
    #[error("scoring was interrupted")]
    Interrupted,
}

/// Children and the threads that look after them. Children start with the first documents and end
/// with the pool.
#[derive(Debug)]
pub struct Pool {
    shared: Arc<Shared>,
    /// Dropped to make every thread give up at once.
    stop: Option<io::PipeWriter>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    config: PoolConfig,
    queue: Mutex<Queue>,
    news: Condvar,
    spawner: Spawner,
    interrupt: io::PipeReader,
    /// Held while a document is tried with double limits, so that it is alone in that.
    second_try: Mutex<()>,
    sandbox: OnceLock<Sandbox>,
}

#[derive(Debug, Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// Documents in children.
    busy: usize,
    closed: bool,
}

#[derive(Debug)]
struct Job {
    file: Arc<[u8]>,
    reply: oneshot::Sender<Result<Outcome, IsolateError>>,
}

impl Pool {
    /// Prepares a pool; no child is started yet.
    ///
    /// # Errors
    /// When threads or pipes cannot be had.
    pub fn new(config: PoolConfig) -> Result<Self, IsolateError> {
        let (interrupt, stop) = io::pipe().map_err(IsolateError::Io)?;
        let spawner = Spawner::new(config.program.clone()).map_err(IsolateError::Io)?;
        let children = config.children.max(1);
        let shared = Arc::new(Shared {
            config,
            queue: Mutex::default(),
            news: Condvar::new(),
            spawner,
            interrupt,
            second_try: Mutex::new(()),
            sandbox: OnceLock::new(),
        });
        let mut pool = Self { shared, stop: Some(stop), threads: Vec::new() };
        for number in 0..children {
            let slot = Slot { shared: Arc::clone(&pool.shared), child: None, in_process: None };
            // Room for recursion, should documents be scored here.
            let thread = std::thread::Builder::new().name(format!("slot-{number}")).stack_size(STACK_BYTES);
            pool.threads.push(thread.spawn(move || slot.work()).map_err(IsolateError::Io)?);
        }
        Ok(pool)
    }

    /// Scores one document. Documents are taken in the order of the calls.
    ///
    /// # Errors
    /// Only for want of a child: whatever the document does is an [`Outcome`].
    pub async fn score(&self, file: Arc<[u8]>) -> Result<Outcome, IsolateError> {
        let (reply, answer) = oneshot::channel();
        self.shared.lock().jobs.push_back(Job { file, reply });
        self.shared.news.notify_one();
        answer.await.unwrap_or(Err(IsolateError::Interrupted))
    }

    /// Which fences hold around the children; `None` before the first one started.
    pub fn sandbox(&self) -> Option<&Sandbox> {
        self.shared.sandbox.get()
    }
}

impl Drop for Pool {
    /// Ends the children, in the middle of a document too.
    fn drop(&mut self) {
        let mut queue = self.shared.lock();
        queue.closed = true;
        queue.jobs.clear();
        drop(queue);
        self.stop = None;
        self.shared.news.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().expect("nothing panics while it is held")
    }

    /// The next document and the threads to score it with; `None` when the pool is closed.
    fn next(&self) -> Option<(Job, usize)> {
        let mut queue =
            self.news.wait_while(self.lock(), |queue| !queue.closed && queue.jobs.is_empty()).ok()?;
        let job = queue.jobs.pop_front()?;
        queue.busy += 1;
        // With work for everyone a thread each is fastest; a large or lonely document gets them all.
        let alone = queue.busy == 1 && queue.jobs.is_empty();
        let all = alone || job.file.len() >= LARGE_BYTES;
        Some((job, if all { self.config.threads_per_child.max(1) } else { 1 }))
    }

    fn start(&self, factor: u32) -> Result<Process, IsolateError> {
        let stream_after = if factor == 1 { STREAM_AFTER } else { Duration::ZERO };
        let setup = Setup {
            settings: self.config.settings.clone(),
            stream_after_ms: u64::try_from(stream_after.as_millis()).unwrap_or(u64::MAX),
            limit_factor: factor,
        };
        // Stacks are address space that is hardly ever used; they must not come off the document's share.
        let stacks = ((self.config.threads_per_child + 1) * STACK_BYTES) as u64;
        let memory = self.config.child_memory_bytes.saturating_mul(u64::from(factor)).saturating_add(stacks);
        let started = Process::start(&self.spawner, memory, &setup, &self.interrupt);
        let (process, ready) = started.map_err(|failure| match failure {
            Failure::Io(error) => IsolateError::Start(error),
            Failure::Interrupted | Failure::Died(_) => IsolateError::Interrupted,
        })?;
        metrics::counter!(names::CHILDREN_STARTED).increment(1);
        let mut first = false;
        let sandbox = self.sandbox.get_or_init(|| {
            first = true;
            ready.sandbox
        });
        if first && !sandbox.missing.is_empty() {
            warn!("scoring processes are fenced in less than they could be: {}", sandbox.missing);
        }
        Ok(process)
    }

    fn clock(&self, factor: u32) -> Clock {
        let limits = &self.config.settings.limits;
        Clock {
            fixed: Duration::from_millis(limits.wall_ms) * factor,
            per_page: Duration::from_millis(limits.wall_ms_per_page) * factor,
        }
    }
}

/// One thread with at most one child.
struct Slot {
    shared: Arc<Shared>,
    child: Option<(Process, u32)>,
    in_process: Option<Scorer>,
}

impl Slot {
    fn work(mut self) {
        while let Some((job, threads)) = self.shared.next() {
            // A bug in this thread must not leave the documents behind it waiting for ever.
            let outcome = catch_unwind(AssertUnwindSafe(|| match self.shared.config.isolation {
                Isolation::Process => self.score(&job.file, threads),
                Isolation::None => self.score_here(&job.file, threads),
            }));
            let outcome = outcome.unwrap_or(Err(IsolateError::Panicked));
            self.shared.lock().busy -= 1;
            let _ = job.reply.send(outcome); // nobody waits for a cancelled document
        }
    }

    fn score_here(&mut self, file: &Arc<[u8]>, threads: usize) -> Result<Outcome, IsolateError> {
        let started = Instant::now();
        let settings = &self.shared.config.settings;
        let scorer = self.in_process.get_or_insert_with(Scorer::default);
        let score = scorer.score_here(Arc::clone(file), settings, threads).map_err(IsolateError::Io)?;
        Ok(Outcome { score, sha256: sha256(file), attempts: Vec::new(), wall: started.elapsed() })
    }

    /// Tries a document, and once more where that can help.
    fn score(&mut self, file: &Arc<[u8]>, threads: usize) -> Result<Outcome, IsolateError> {
        let shared = Arc::clone(&self.shared);
        let started = Instant::now();
        let expected = Expected::of(&shared.config.settings);
        let order = Order { file, threads, clock: shared.clock(1), expected: &expected };
        let mut hash = None;
        let mut attempts = Vec::new();
        let score = match self.first_try(&order, &mut hash)? {
            Ok(score) => score,
            Err(first) => {
                attempts.push(attempt(&first, started));
                // Twice the time would be no better use of it; twice the memory may be.
                match first.cause.state() {
                    State::Timeout => salvage(*first, &shared.config.settings, &expected),
                    _ => self.second_try(*first, order, &mut attempts)?,
                }
            }
        };
        let sha256 = hash.unwrap_or_else(|| sha256(file));
        Ok(Outcome { score, sha256, attempts, wall: started.elapsed() })
    }

    fn first_try(&mut self, order: &Order<'_>, hash: &mut Option<String>) -> Result<Tried, IsolateError> {
        let (mut process, n_scored) = match self.child.take() {
            Some(child) => child,
            None => (self.shared.start(1)?, 0),
        };
        let scored = process.score(order, &self.shared.interrupt, || *hash = Some(sha256(order.file)));
        if scored.is_ok() {
            self.keep(process, n_scored + 1);
        }
        tried(scored)
    }

    /// Tries a document that killed its child, alone in a fresh one with double limits.
    fn second_try(
        &self,
        first: Death,
        order: Order<'_>,
        attempts: &mut Vec<Attempt>,
    ) -> Result<DocumentScore, IsolateError> {
        let shared = &self.shared;
        let _alone = shared.second_try.lock().expect("nothing panics while it is held");
        let started = Instant::now();
        let expected = order.expected;
        let order = Order { clock: shared.clock(SECOND_TRY), ..order };
        match tried(shared.start(SECOND_TRY)?.score(&order, &shared.interrupt, || ()))? {
            Ok(score) => Ok(score),
            Err(second) => {
                attempts.push(attempt(&second, started));
                Ok(salvage(best_of(first, *second), &shared.config.settings, expected))
            }
        }
    }

    /// Keeps a child for the next document, unless it is old or fat.
    fn keep(&mut self, process: Process, n_scored: u32) {
        let config = &self.shared.config;
        let fat = || process.resident_bytes().is_some_and(|bytes| bytes > config.recycle_bytes);
        if n_scored >= config.recycle_documents || (n_scored.is_multiple_of(LOOK_EVERY) && fat()) {
            debug!(documents = n_scored, "replacing a scoring process");
            return;
        }
        self.child = Some((process, n_scored));
    }
}

/// A try's score or how it ended; the outer error is the machine's.
type Tried = Result<DocumentScore, Box<Death>>;

fn tried(scored: Result<DocumentScore, Failure>) -> Result<Tried, IsolateError> {
    match scored {
        Ok(score) => Ok(Ok(score)),
        Err(Failure::Died(death)) => Ok(Err(death)),
        Err(Failure::Io(error)) => Err(IsolateError::Io(error)),
        Err(Failure::Interrupted) => Err(IsolateError::Interrupted),
    }
}

fn attempt(death: &Death, started: Instant) -> Attempt {
    let cause = death.cause;
    metrics::counter!(names::CHILD_DEATHS, "cause" => cause.name()).increment(1);
    debug!(cause = cause.name(), pages = death.arrived.n_pages(), "a scoring process died: {}", death.detail);
    Attempt { state: cause.state(), cause, reason: cause.to_string(), wall: started.elapsed() }
}

/// The attempt that came further; of equals the second, which had the higher limits.
fn best_of(first: Death, second: Death) -> Death {
    if first.arrived.n_pages() > second.arrived.n_pages() { first } else { second }
}

/// Makes a verdict from what a dead child had reported.
fn salvage(death: Death, settings: &Settings, expected: &Expected) -> DocumentScore {
    let (cause, state) = (death.cause, death.cause.state());
    match death.arrived.into_evidence(expected) {
        (Some(info), pages) if !pages.is_empty() => {
            let reason = format!("{cause}; {} of {} pages measured", pages.len(), info.n_pages);
            verdict::salvage(Some(info), pages, state, &reason, &settings.policy)
        }
        (info, _) => {
            let info = info.unwrap_or_default();
            DocumentScore { info, ..failed(state, &cause.to_string()) }
        }
    }
}

fn sha256(bytes: &[u8]) -> String {
    use std::fmt::Write;
    Sha256::digest(bytes).iter().fold(String::with_capacity(64), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("a string takes what is written");
        hex
    })
}
