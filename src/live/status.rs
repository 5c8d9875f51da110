//! Ledger and broker → how things stand.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::Live;
use super::fail::Failure;
use super::moved::Movement;
use crate::ledger::{Job, JobState, Ledger, OutboxState, Progress};
use crate::score::{RULES_VERSION, State};
use crate::telemetry::health;
use crate::time::Timestamp;
use crate::words::chain;

/// Jobs shown, newest first.
const JOBS: u32 = 10;
/// Time over which a pace is taken.
const WINDOW: Duration = Duration::from_secs(60);
/// Jobs whose pace is known.
const PACED: usize = 32;
/// Time the broker has to answer.
const BROKER: Duration = Duration::from_secs(2);

/// Everything the live page shows.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Status {
    pub(super) at: String,
    pub(super) version: &'static str,
    pub(super) rules_version: &'static str,
    /// Newest first.
    pub(super) jobs: Vec<JobStatus>,
    pub(super) workers: Vec<Worker>,
    pub(super) ocr: OcrStatus,
    /// Of the corpus of the job that is shown first.
    pub(super) producers: Option<Arc<Movement>>,
    /// What this process lacks, by part.
    pub(super) problems: BTreeMap<&'static str, String>,
}

/// A job, how far it is and how fast.
#[derive(Debug, Clone, Serialize)]
pub(super) struct JobStatus {
    pub(super) job: String,
    pub(super) corpus: String,
    pub(super) state: JobState,
    pub(super) previous_job: Option<String>,
    pub(super) complete: bool,
    pub(super) begun_at: String,
    pub(super) closed_at: Option<String>,
    pub(super) documents: u64,
    pub(super) pending: u64,
    pub(super) carried: u64,
    pub(super) pages: u64,
    pub(super) pages_ocr: u64,
    pub(super) tasks_open: u64,
    pub(super) tasks_leased: u64,
    pub(super) documents_by_state: BTreeMap<State, u64>,
    /// Pages scored per second, over the last minute at most.
    pub(super) pages_per_second: Option<f64>,
    /// The same over the whole of the job before, while the ledger has it.
    pub(super) pages_per_second_before: Option<f64>,
    /// Seconds until nothing is pending, at the pace of the last minute.
    pub(super) eta_s: Option<u64>,
}

impl JobStatus {
    pub(super) fn ended(&self) -> bool {
        matches!(self.state, JobState::Closed | JobState::Abandoned)
    }
}

/// A worker with tasks in its hands.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Worker {
    pub(super) worker: String,
    pub(super) tasks: u64,
    pub(super) documents: u64,
    pub(super) lease_left_s: u64,
}

/// What waits for OCR.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct OcrStatus {
    /// Messages in the OCR queue; `null` where the broker does not tell.
    pub(super) queue: Option<u64>,
    pub(super) consumers: Option<u64>,
    /// Requests that are not sent yet.
    pub(super) outbox_pending: u64,
    pub(super) outbox_oldest_s: Option<u64>,
    pub(super) published: u64,
    /// Requests consumed per second, over the last minute at most.
    pub(super) consumed_per_second: Option<f64>,
    /// Seconds until queue and outbox are empty at that pace.
    pub(super) drain_s: Option<u64>,
    pub(super) problem: Option<String>,
}

/// A number that grows, at points in time.
#[derive(Debug, Default)]
struct Samples(VecDeque<(Instant, [f64; 2])>);

impl Samples {
    /// Adds a look and gives both rates per second over the window, where time has gone by.
    fn add(&mut self, now: Instant, values: [f64; 2]) -> Option<[f64; 2]> {
        self.0.push_back((now, values));
        // The oldest one kept is at least a window old, or the first.
        while self.0.len() > 2 && now.duration_since(self.0[1].0) >= WINDOW {
            self.0.pop_front();
        }
        let (then, before) = self.0[0];
        let seconds = now.duration_since(then).as_secs_f64();
        (seconds >= 0.5).then(|| [0, 1].map(|at| (values[at] - before[at]).max(0.0) / seconds))
    }
}

/// What was seen before, to tell how fast things go.
#[derive(Debug, Default)]
pub(super) struct Pace {
    jobs: BTreeMap<String, Samples>,
    ocr: Samples,
}

impl Pace {
    /// Pages and documents per second.
    fn job(&mut self, id: &str, now: Instant, progress: &Progress) -> Option<[f64; 2]> {
        if self.jobs.len() >= PACED && !self.jobs.contains_key(id) {
            self.jobs.pop_first(); // ids begin with their time
        }
        let pages = progress.pages.saturating_sub(progress.pages_carried) as f64;
        let documents = progress.documents.saturating_sub(progress.pending + progress.carried) as f64;
        self.jobs.entry(id.to_owned()).or_default().add(now, [pages, documents])
    }

    /// Requests consumed per second: what was sent and is no longer in the queue.
    fn ocr(&mut self, now: Instant, published: u64, queue: u64) -> Option<f64> {
        let consumed = published as f64 - queue as f64;
        self.ocr.add(now, [consumed, 0.0]).map(|rates| rates[0])
    }
}

/// Looks at everything.
pub(super) async fn look(live: &Arc<Live>) -> Result<Status, Failure> {
    let ledger = live.ledger()?;
    let mut jobs = Vec::new();
    for job in ledger.newest_jobs(JOBS).await? {
        jobs.push(job_status(live, ledger, job).await?);
    }
    let workers = ledger.busy_workers().await?.into_iter().map(|busy| Worker {
        worker: busy.owner,
        tasks: busy.tasks,
        documents: busy.documents,
        lease_left_s: busy.lease_left.as_secs(),
    });
    let shown = jobs.iter().find(|job| !job.ended()).or(jobs.first());
    let current = match shown {
        Some(job) => ledger.current_job(&job.corpus).await?,
        None => None,
    };
    Ok(Status {
        at: Timestamp::now().whole_second().to_string(),
        version: env!("CARGO_PKG_VERSION"),
        rules_version: RULES_VERSION,
        workers: workers.collect(),
        ocr: ocr(live, ledger).await?,
        producers: movement(live, current).await,
        jobs,
        problems: health::problems(),
    })
}

/// The movement of the snapshot; none where it cannot be read, which must not hide the rest.
async fn movement(live: &Arc<Live>, current: Option<String>) -> Option<Arc<Movement>> {
    let job = current?;
    if let Some(known) = live.movements.lock().ok()?.get(&job) {
        return Some(Arc::clone(known));
    }
    let id = job.clone();
    match live.make(move |live| Ok(super::moved::movement(&*live.results(&id)?)?)).await {
        Ok(movement) => {
            let movement = Arc::new(movement);
            let mut known = live.movements.lock().ok()?;
            if known.len() >= super::RESULTS {
                known.pop_first();
            }
            known.insert(job, Arc::clone(&movement));
            Some(movement)
        }
        Err(failure) => {
            tracing::warn!("producers of job {job} are not shown: {}", chain(&failure));
            None
        }
    }
}

/// How far one job is.
pub(super) async fn job_status(live: &Arc<Live>, ledger: &Ledger, job: Job) -> Result<JobStatus, Failure> {
    let progress = ledger.progress(&job.id).await?;
    let ended = matches!(job.state, JobState::Closed | JobState::Abandoned);
    let mut status = JobStatus {
        documents: progress.documents,
        pending: progress.pending,
        carried: progress.carried,
        pages: progress.pages,
        pages_ocr: progress.pages_ocr,
        tasks_open: progress.tasks_open,
        tasks_leased: progress.tasks_leased,
        documents_by_state: progress.by_state.clone(),
        pages_per_second: None,
        pages_per_second_before: None,
        eta_s: None,
        corpus: job.corpus.clone(),
        state: job.state,
        previous_job: job.previous_job.clone(),
        complete: job.complete,
        begun_at: job.begun_at.to_string(),
        closed_at: job.closed_at.map(|at| at.to_string()),
        job: job.id.clone(),
    };
    if ended {
        status.pages_per_second = average(&job, &progress);
        if progress.documents == 0 && job.state == JobState::Closed {
            from_manifest(live, &mut status).await;
        }
        return Ok(status);
    }
    if let Some(before) = &job.previous_job {
        status.pages_per_second_before = average(&ledger.job(before).await?, &ledger.progress(before).await?);
    }
    let rates = live.pace.lock().unwrap_or_else(std::sync::PoisonError::into_inner).job(
        &job.id,
        Instant::now(),
        &progress,
    );
    if let Some([pages, documents]) = rates {
        status.pages_per_second = Some(pages);
        status.eta_s = match progress.pending {
            0 => Some(0),
            pending if documents > 0.0 => Some((pending as f64 / documents).ceil() as u64),
            _ => None,
        };
    }
    Ok(status)
}

/// Pages per second over a whole job.
fn average(job: &Job, progress: &Progress) -> Option<f64> {
    let seconds = (job.closed_at?.0 - job.begun_at.0) as f64 / 1e6;
    let pages = progress.pages.saturating_sub(progress.pages_carried);
    (seconds > 0.0 && pages > 0).then(|| pages as f64 / seconds)
}

/// The ledger forgets the documents of older jobs; the manifest of a kept one has the counts.
async fn from_manifest(live: &Arc<Live>, status: &mut JobStatus) {
    let id = status.job.clone();
    let Ok(results) = live.make(move |live| live.results(&id)).await else { return };
    let counts = &results.manifest().counts;
    status.documents = counts.documents;
    status.pages = counts.pages;
    status.pages_ocr = counts.pages_by_route.get("ocr").copied().unwrap_or(0);
    let states = counts.documents_by_state.iter();
    status.documents_by_state =
        states.filter_map(|(word, n)| Some((crate::words::parse_word(word)?, *n))).collect();
}

async fn ocr(live: &Live, ledger: &Ledger) -> Result<OcrStatus, Failure> {
    let OutboxState { pending, published, oldest } = ledger.outbox_state().await?;
    let mut status = OcrStatus {
        outbox_pending: pending,
        outbox_oldest_s: oldest.map(|oldest| oldest.as_secs()),
        published,
        ..OcrStatus::default()
    };
    let Some(broker) = &live.broker else {
        status.problem = Some("no broker is set".to_owned());
        return Ok(status);
    };
    let queues = [broker.topology().ocr()];
    match tokio::time::timeout(BROKER, broker.queue_states(&queues)).await {
        Err(_) => status.problem = Some("the broker does not answer".to_owned()),
        Ok(Err(error)) => status.problem = Some(chain(&error)),
        Ok(Ok(states)) => match states.into_iter().next() {
            Some((_, Ok(state))) => {
                (status.queue, status.consumers) = (Some(state.messages), Some(state.consumers));
                let mut pace = live.pace.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                status.consumed_per_second = pace.ocr(Instant::now(), published, state.messages);
                let waiting = (state.messages + pending) as f64;
                status.drain_s = match status.consumed_per_second {
                    _ if waiting == 0.0 => Some(0),
                    Some(rate) if rate > 0.0 => Some((waiting / rate).ceil() as u64),
                    _ => None,
                };
            }
            _ => {
                status.problem =
                    Some("the OCR queue is missing; `pagesieve doctor` says what to do".to_owned())
            }
        },
    }
    Ok(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_is_that_of_the_last_minute() {
        let (start, mut samples) = (Instant::now(), Samples::default());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(samples.add(at(0), [0.0, 0.0]), None);
        assert_eq!(samples.add(at(10), [100.0, 5.0]), Some([10.0, 0.5]));
        assert_eq!(samples.add(at(60), [100.0, 5.0]), Some([100.0 / 60.0, 5.0 / 60.0]));
        assert_eq!(samples.add(at(70), [160.0, 5.0]), Some([1.0, 0.0]), "from the look a minute ago");
        assert_eq!(samples.add(at(80), [0.0, 0.0]), Some([0.0, 0.0]), "a count that shrank is no pace");
        assert!(samples.0.len() <= 4);
    }

    #[test]
    fn what_is_carried_forward_is_no_pace() {
        let (start, mut pace) = (Instant::now(), Pace::default());
        let progress = |documents, pending, carried, pages, pages_carried| Progress {
            documents,
            pending,
            carried,
            pages,
            pages_carried,
            ..Progress::default()
        };
        assert_eq!(pace.job("a", start, &progress(100, 100, 0, 0, 0)), None);
        let later = start + Duration::from_secs(10);
        assert_eq!(pace.job("a", later, &progress(100, 30, 60, 700, 600)), Some([10.0, 1.0]));
    }

    #[test]
    fn the_drain_is_told_by_what_was_sent_and_is_gone() {
        let (start, mut pace) = (Instant::now(), Pace::default());
        assert_eq!(pace.ocr(start, 1000, 1000), None);
        // Sent 500 more, 700 are in the queue: 800 were consumed.
        assert_eq!(pace.ocr(start + Duration::from_secs(40), 1500, 700), Some(20.0));
    }
}
