//! The leader: plans, seals what waits too long, closes.
//!
//! ```text
//! open ──plan, again and again──► sealed ──last document──► closing … closed
//!   └── feed silent for a minute, job unsealed for hours: sealed as it is
//! ```

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep};
use tracing::{info, warn};

use super::{Closing, CoordinatorError, Step, janitor, stopped};
use crate::ledger::{JobState, Ledger, LedgerError, OpenJob};
use crate::objects::Objects;
use crate::telemetry::{health, names};
use crate::words::chain;

/// Time between two looks at the jobs.
const TICK: Duration = Duration::from_secs(1);
/// Time between two renewals of the leader's lease.
const RENEW: Duration = Duration::from_secs(4);
/// Pause of a coordinator that is not the leader, or whose ledger is away.
const STANDBY: Duration = Duration::from_secs(1);
/// Pause after a job could not be closed.
const RETRY: Duration = Duration::from_secs(10);
/// Time between two counts for the metrics.
const COUNT: Duration = Duration::from_secs(10);
/// Counts over which the pace is taken.
const PACE: usize = 30;
/// Time between two sweeps.
const SWEEP: Duration = Duration::from_secs(3600);

/// What a leader needs.
pub struct Leading {
    /// Names this coordinator in the ledger.
    pub owner: String,
    /// The ledger.
    pub ledger: Ledger,
    /// The results root.
    pub objects: Arc<dyn Objects>,
    /// Snapshots kept per corpus.
    pub keep_jobs: u32,
    /// Silence after which a feed job is sealed.
    pub feed_idle: Duration,
    /// Silence after which a job that waits for its seal, or for promised documents, is closed as incomplete.
    pub unsealed: Duration,
    /// Test hook; see [`Closing::after`].
    pub after: fn(Step) -> bool,
}

impl Leading {
    /// Leads while nobody else does, until `stop`; then the next one may at once. Services that are away are waited for.
    pub async fn run(&self, mut stop: watch::Receiver<bool>) {
        loop {
            let turn = async {
                match self.ledger.try_lead(&self.owner).await {
                    Ok(Some(epoch)) => {
                        info!(epoch, "leading");
                        metrics::gauge!(names::LEADING).set(1.0);
                        self.lead(epoch).await;
                        metrics::gauge!(names::LEADING).set(0.0);
                    }
                    Ok(None) => health::well("ledger"),
                    Err(error) => {
                        warn!("waiting for the ledger: {}", chain(&error));
                        health::problem("ledger", chain(&error));
                    }
                }
                sleep(STANDBY).await;
            };
            tokio::select! {
                () = turn => {}
                () = stopped(&mut stop) => break,
            }
        }
        self.resign().await;
    }

    async fn resign(&self) {
        let resigned = tokio::time::timeout(Duration::from_secs(3), self.ledger.resign(&self.owner)).await;
        if !matches!(resigned, Ok(Ok(()))) {
            info!("the leader's lease could not be given back; it runs out");
        }
    }

    /// Works as the leader of `epoch` until there is a newer one. A closing that is cut short is as one that crashed: the
    /// next leader carries it through.
    async fn lead(&self, epoch: i64) {
        tokio::select! {
            () = self.work(epoch) => {}
            () = self.keep(epoch) => warn!("leader epoch {epoch} is over"),
        }
    }

    /// Renews the lease until it is lost. While the ledger is away nobody else can take it either.
    async fn keep(&self, epoch: i64) {
        loop {
            sleep(RENEW).await;
            match self.ledger.renew_lead(epoch).await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => warn!("the leader's lease was not renewed: {}", chain(&error)),
            }
        }
    }

    async fn work(&self, epoch: i64) {
        let mut pace = Pace::default();
        let (mut swept, mut counted) = (None::<Instant>, None::<Instant>);
        loop {
            if counted.is_none_or(|counted| counted.elapsed() > COUNT) {
                counted = Some(Instant::now());
                self.count(&mut pace).await;
            }
            if swept.is_none_or(|swept| swept.elapsed() > SWEEP) {
                swept = Some(Instant::now());
                if let Err(error) = janitor::sweep(&self.ledger, &*self.objects, self.keep_jobs).await {
                    warn!("the sweep failed and is tried again in an hour: {}", chain(&error));
                }
            }
            match self.tick(epoch).await {
                Ok(()) => {
                    health::well("ledger");
                    sleep(TICK).await;
                }
                Err(CoordinatorError::Ledger(LedgerError::Fenced { .. })) => return,
                Err(error) => {
                    warn!("trying again in {} s: {}", RETRY.as_secs(), chain(&error));
                    sleep(if error.is_transient() { STANDBY } else { RETRY }).await;
                }
            }
        }
    }

    /// Sets the gauges that need a look at many rows.
    async fn count(&self, pace: &mut Pace) {
        if let Ok(pending) = self.ledger.n_pending().await {
            metrics::gauge!(names::DOCUMENTS_PENDING).set(pending as f64);
            if let Some(eta) = pace.eta(Instant::now(), pending as f64) {
                metrics::gauge!(names::JOB_ETA).set(eta.as_secs_f64());
            }
        }
        if let Ok(outbox) = self.ledger.outbox_state().await {
            metrics::gauge!(names::OUTBOX_PENDING).set(outbox.pending as f64);
            metrics::gauge!(names::OUTBOX_OLDEST).set(outbox.oldest.unwrap_or_default().as_secs_f64());
        }
    }

    /// One look at every job that has not ended. A job that fails does not keep the others waiting.
    async fn tick(&self, epoch: i64) -> Result<(), CoordinatorError> {
        let mut failed = None;
        let unfinished = self.ledger.unfinished_jobs().await?;
        metrics::gauge!(names::JOBS_UNFINISHED).set(unfinished.len() as f64);
        for open in unfinished {
            match self.advance(&open, epoch).await {
                Err(CoordinatorError::Ledger(error @ LedgerError::Fenced { .. })) => return Err(error.into()),
                Err(error) => failed = Some(error),
                Ok(()) => {}
            }
        }
        failed.map_or(Ok(()), Err)
    }

    async fn advance(&self, open: &OpenJob, epoch: i64) -> Result<(), CoordinatorError> {
        let job = &open.job;
        if matches!(job.state, JobState::Closing | JobState::Published) {
            return self.close(&job.id, epoch).await;
        }
        self.seal_what_waits(open, epoch).await?;
        if open.unplanned {
            let planned = self.ledger.plan(&job.id).await?;
            if planned.tasks > 0 || planned.carried > 0 {
                info!(job = job.id, tasks = planned.tasks, carried = planned.carried, "planned");
            }
            return Ok(());
        }
        if job.state != JobState::Sealed || open.in_work || !self.ledger.is_complete(&job.id).await? {
            return Ok(());
        }
        // A job without documents was never planned: its turn, and the snapshot it is compared with, are decided here.
        if self.ledger.plan(&job.id).await?.waiting {
            return Ok(());
        }
        self.close(&job.id, epoch).await
    }

    /// Seals a silent feed, and a job that nobody seals or whose promised documents do not come.
    async fn seal_what_waits(&self, open: &OpenJob, epoch: i64) -> Result<(), CoordinatorError> {
        let OpenJob { job, feed, silence, n_promised, .. } = open;
        let is_open = job.state == JobState::Open;
        if *feed && is_open && *silence > self.feed_idle {
            info!(job = job.id, "the feed is silent: sealed");
            self.ledger.seal_as_it_is(&job.id, epoch).await?;
        } else if *silence > self.unsealed {
            let stored = self.ledger.n_documents(&job.id).await?;
            if is_open {
                warn!(
                    "job {} was not sealed for {} s: closing it as incomplete with its {stored} documents; nothing \
                     counts as deleted",
                    job.id,
                    silence.as_secs()
                );
                self.ledger.seal_as_it_is(&job.id, epoch).await?;
            } else if n_promised.is_some_and(|promised| promised > stored) {
                warn!(
                    "job {} has {stored} of {} promised documents: closing it as incomplete; look among the dead \
                     letters for the others",
                    job.id,
                    n_promised.unwrap_or_default()
                );
                self.ledger.seal_as_it_is(&job.id, epoch).await?;
            }
        }
        Ok(())
    }

    async fn close(&self, job: &str, epoch: i64) -> Result<(), CoordinatorError> {
        let closing = Closing {
            ledger: &self.ledger,
            objects: &*self.objects,
            epoch,
            keep_jobs: self.keep_jobs,
            queue_file: false,
            after: &self.after,
        };
        let closed = closing.run(job).await?;
        let counts = closed.manifest.counts;
        info!(job, documents = counts.documents, pages = counts.pages, "closed");
        metrics::counter!(names::JOBS_CLOSED).increment(1);
        metrics::gauge!(names::JOB_CLOSED_AT).set(crate::time::Timestamp::now().0 as f64 / 1e6);
        Ok(())
    }
}

/// How fast pending documents become fewer.
#[derive(Debug, Default)]
struct Pace {
    counts: VecDeque<(Instant, f64)>,
}

impl Pace {
    /// Time until nothing is pending, at the pace of the last counts; `None` while they do not become fewer.
    fn eta(&mut self, now: Instant, pending: f64) -> Option<Duration> {
        self.counts.push_back((now, pending));
        if self.counts.len() > PACE {
            self.counts.pop_front();
        }
        if pending == 0.0 {
            return Some(Duration::ZERO);
        }
        let (then, before) = *self.counts.front()?;
        let done = before - pending;
        let seconds = now.duration_since(then).as_secs_f64();
        (done > 0.0).then(|| Duration::try_from_secs_f64(pending * seconds / done).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_known_when_documents_become_fewer() {
        let (start, mut pace) = (Instant::now(), Pace::default());
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(pace.eta(at(0), 100.0), None);
        assert_eq!(pace.eta(at(10), 100.0), None);
        assert_eq!(pace.eta(at(20), 80.0), Some(Duration::from_secs(80)));
        assert_eq!(pace.eta(at(30), 120.0), None, "more came");
        assert_eq!(pace.eta(at(40), 0.0), Some(Duration::ZERO));
    }
}
