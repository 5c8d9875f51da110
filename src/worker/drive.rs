//! The loop around tasks: claimed, kept alive, ended; drained on request.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::{AbortHandle, Id, JoinSet};
use tokio::time::{Instant, interval, sleep, sleep_until, timeout};
use tracing::{Instrument, info, warn};

use super::{Worker, WorkerError};
use crate::ledger::{Lease, Wake};
use crate::telemetry::{health, names, trace};
use crate::words::chain;

/// Time between two extensions of the leases.
const HEARTBEAT: Duration = Duration::from_secs(10);
/// Longest time between two looks for tasks.
const POLL: Duration = Duration::from_secs(1);
/// Pauses after a failure, doubling.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));
/// Time between two remarks that the only tasks are of other settings.
const REMARK: Duration = Duration::from_secs(60);
/// Patience with the ledger when leases are given back at the end.
const GIVE_BACK: Duration = Duration::from_secs(3);

/// How a loop ends.
pub(super) enum Until {
    /// When there is no task to claim.
    Empty,
    /// When asked to stop; tasks in work have `drain` more.
    Asked { wake: Wake, drain: Duration },
}

/// Tasks in work, by the tokio task that works on each.
#[derive(Default)]
struct InWork {
    ends: JoinSet<Result<(), WorkerError>>,
    leases: HashMap<Id, (Lease, AbortHandle)>,
    /// Leases that a heartbeat found lost: not to be believed at once, for the task may have been committed meanwhile.
    doubted: Vec<Lease>,
}

impl Worker {
    /// Works until `until`; `false` when `stop` ended it.
    pub(super) async fn drive(
        self: &Arc<Self>,
        mut stop: watch::Receiver<bool>,
        until: Until,
    ) -> Result<bool, WorkerError> {
        let mut work = InWork::default();
        let mut heartbeat = interval(HEARTBEAT);
        let mut pause = PAUSES.0;
        let mut rest: Option<Instant> = None; // no claims before
        let mut remarked: Option<Instant> = None;
        let mut deadline: Option<Instant> = None;
        // One task is scored while the next is fetched; with many children one task is soon at its last documents.
        let most = 2 + self.config.children / 16;
        loop {
            let stopping = *stop.borrow_and_update();
            if let (true, Until::Asked { drain, .. }, None) = (stopping, &until, deadline) {
                deadline = Some(Instant::now() + *drain);
            }
            let room = most.saturating_sub(work.ends.len());
            let resting = rest.is_some_and(|rest| rest > Instant::now());
            let mut hungry = false;
            if room > 0 && !stopping && !resting {
                match self.claim(room, &mut work).await {
                    Ok(n_claimed) => {
                        hungry = n_claimed == 0;
                        health::well("ledger");
                        metrics::gauge!(names::TASKS_IN_WORK).set(work.ends.len() as f64);
                    }
                    Err(error) if self.waits_for(&error, &until) => {
                        rest = Some(self.tired(&error, &mut pause));
                    }
                    Err(error) => return Err(error),
                }
            }
            if work.ends.is_empty() && (stopping || matches!(until, Until::Empty)) {
                return Ok(!stopping);
            }
            if hungry && work.ends.is_empty() {
                self.remark(&mut remarked).await;
            }
            tokio::select! {
                Some(ended) = work.ends.join_next_with_id() => {
                    let id = match &ended { Ok((id, _)) => *id, Err(error) => error.id() };
                    let lease = work.leases.remove(&id).map(|(lease, _)| lease);
                    match ended {
                        Ok((_, Ok(()))) => {
                            health::well("results");
                            pause = PAUSES.0;
                        }
                        Ok((_, Err(error))) if error.is_lost_lease() => {
                            metrics::counter!(names::LEASES_LOST).increment(1);
                            warn!("dropping results: {error}");
                        }
                        Ok((_, Err(error))) if matches!(until, Until::Asked { .. }) => {
                            rest = Some(self.tired(&error, &mut pause));
                            self.give_back(lease.into_iter().collect()).await;
                        }
                        Ok((_, Err(error))) => return Err(error),
                        Err(error) if error.is_cancelled() => {}
                        Err(_) => return Err(WorkerError::Panicked),
                    }
                }
                _ = heartbeat.tick() => {
                    if let Err(error) = self.beat(&mut work).await {
                        if !self.waits_for(&error, &until) {
                            return Err(error);
                        }
                        warn!("the leases were not extended: {}", chain(&error));
                    }
                }
                () = idle(&until, room > 0 && !stopping, rest) => {}
                () = reached(deadline) => break,
                _ = stop.changed() => {}
            }
        }
        let left: Vec<Lease> = work.leases.values().map(|(lease, _)| lease.clone()).collect();
        info!(tasks = left.len(), "giving back what did not end in time");
        work.ends.shutdown().await;
        self.give_back(left).await;
        Ok(false)
    }

    /// Claims tasks and begins them; how many.
    async fn claim(self: &Arc<Self>, room: usize, work: &mut InWork) -> Result<usize, WorkerError> {
        let room = u32::try_from(room).unwrap_or(1);
        let key = self.config.score_key.as_deref();
        let asked = Instant::now();
        let tasks = self.ledger.claim_scored_by(&self.config.owner, room, key).await?;
        metrics::histogram!(names::LEDGER_SECONDS).record(asked.elapsed().as_secs_f64());
        let n_claimed = tasks.len();
        for task in tasks {
            let lease = task.lease();
            let this = Arc::clone(self);
            let span = trace::span(&task.job, "task");
            span.record("task", task.number);
            let begun = work.ends.spawn(async move { this.handle(&task).await }.instrument(span));
            work.leases.insert(begun.id(), (lease, begun));
        }
        Ok(n_claimed)
    }

    /// Extends the leases. A lease that two heartbeats in a row find lost is another worker's: its task is given up.
    async fn beat(&self, work: &mut InWork) -> Result<(), WorkerError> {
        let leases: Vec<Lease> = work.leases.values().map(|(lease, _)| lease.clone()).collect();
        if leases.is_empty() {
            return Ok(());
        }
        let lost = self.ledger.heartbeat(&leases).await?;
        health::well("ledger");
        for lease in &lost {
            let mut others = work.leases.values();
            let Some((_, task)) = others.find(|(other, _)| other == lease) else { continue };
            if work.doubted.contains(lease) && !task.is_finished() {
                warn!("the lease on task {} of job {} is lost", lease.task, lease.job);
                task.abort();
            }
        }
        work.doubted = lost;
        Ok(())
    }

    /// Whether a failure is waited out.
    fn waits_for(&self, error: &WorkerError, until: &Until) -> bool {
        matches!(until, Until::Asked { .. }) && error.is_transient()
    }

    /// Says what failed; until when no task is claimed.
    fn tired(&self, error: &WorkerError, pause: &mut Duration) -> Instant {
        warn!("waiting {} s: {}", pause.as_secs(), chain(error));
        health::problem(error.part(), chain(error));
        let until = Instant::now() + *pause;
        *pause = (*pause * 2).min(PAUSES.1);
        until
    }

    /// Gives leases back, uncounted; where the ledger is away they run out.
    async fn give_back(&self, leases: Vec<Lease>) {
        if leases.is_empty() {
            return;
        }
        match timeout(GIVE_BACK, self.ledger.release(&leases)).await {
            Ok(Ok(())) => {}
            _ => warn!("{} leases could not be given back; they run out within a minute", leases.len()),
        }
    }

    /// Says now and then that there is work, but none that this worker may do.
    async fn remark(&self, remarked: &mut Option<Instant>) {
        let Some(key) = &self.config.score_key else { return };
        if remarked.is_some_and(|at| at.elapsed() < REMARK) {
            return;
        }
        *remarked = Some(Instant::now());
        if let Ok(n @ 1..) = self.ledger.n_tasks_of_others(key).await {
            warn!(
                "{n} tasks wait for workers of the coordinator's release and limits, which are not this worker's: give all \
                 roles the same [limits] and [policy]"
            );
        }
    }
}

/// Waits until it is time to look for tasks again; for ever where nothing may be claimed or the loop ends instead.
async fn idle(until: &Until, may_claim: bool, rest: Option<Instant>) {
    match until {
        Until::Asked { wake, .. } if may_claim => match rest.filter(|rest| *rest > Instant::now()) {
            Some(rest) => sleep_until(rest).await,
            None => wake.wait(POLL).await,
        },
        _ => std::future::pending().await,
    }
}

async fn reached(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

/// Pauses between two tries to store what is done.
const STORE: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));

/// Does what may be repeated until it succeeds or fails for good: finished work is worth waiting for a service. The heartbeat
/// tells when the lease is lost meanwhile.
pub(super) async fn patiently<T, F>(patient: bool, mut call: impl FnMut() -> F) -> Result<T, WorkerError>
where
    F: Future<Output = Result<T, WorkerError>>,
{
    let mut pause = STORE.0;
    loop {
        match call().await {
            Err(error) if patient && error.is_transient() => {
                warn!("storing results: trying again in {} ms: {}", pause.as_millis(), chain(&error));
                health::problem(error.part(), chain(&error));
                sleep(pause).await;
                pause = (pause * 2).min(STORE.1);
            }
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Isolation;
    use crate::isolate::{Pool, PoolConfig};
    use crate::ledger::{Access, Ledger};
    use crate::objects::Folder;
    use crate::worker::WorkerConfig;

    /// A task that is committed while the heartbeat is on its way looks lost once; a lost one looks lost again.
    #[tokio::test]
    async fn a_lease_is_believed_lost_at_the_second_heartbeat() {
        let dir = tempfile::tempdir().unwrap();
        let ledger = Ledger::open_file(&dir.path().join("l.sqlite"), Access::Worker).await.unwrap();
        let config = WorkerConfig {
            owner: "w".into(),
            children: 1,
            max_inflight_bytes: 1 << 20,
            store: crate::config::Store::default(),
            document_bytes: 1 << 20,
            file_roots: None,
            score_key: None,
            after: |_| (),
        };
        let pool = Pool::new(PoolConfig { isolation: Isolation::None, ..PoolConfig::default() }).unwrap();
        let worker = Worker::new(config, ledger, Arc::new(Folder::new(dir.path())), pool, Box::new(|_| ()));
        let mut work = InWork::default();
        let task = work.ends.spawn(std::future::pending());
        let unknown = Lease { job: "none".into(), task: 1, attempt: 1 };
        work.leases.insert(task.id(), (unknown, task.clone()));
        worker.beat(&mut work).await.unwrap();
        tokio::task::yield_now().await;
        assert!(!task.is_finished(), "one heartbeat is not believed");
        worker.beat(&mut work).await.unwrap();
        let ended = work.ends.join_next().await.expect("one task");
        assert!(ended.unwrap_err().is_cancelled());
    }
}
