//! `pagesieve status`: jobs, outbox and queues at a glance.

use std::io::IsTerminal;
use std::time::Duration;

use serde::Serialize;

use crate::config::Config;
use crate::ledger::{Access, Job, JobState, Ledger, LedgerError, OutboxState, Progress};
use crate::queue::{Broker, QueueState};
use crate::telemetry::{self, grouped};
use crate::words::{Word, chain};

use super::exit::{Exit, usage};
use super::fleet;
use super::output::{self, safe};
use super::setup::runtime;
use super::table::{Style, Table, colours, left, right};

/// Jobs shown without JOB, newest first.
const JOBS: u32 = 10;
/// Time between two looks with --watch.
const EVERY: Duration = Duration::from_secs(2);

/// How far jobs are, what waits for OCR
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only this job, with the states of its documents.
    #[arg(value_name = "JOB")]
    job: Option<String>,
    /// Look again every two seconds, until JOB is closed or for ever.
    #[arg(long)]
    watch: bool,
    /// Print one JSON object (with --watch one a line).
    #[arg(long)]
    json: bool,
}

/// A job with its progress; the documents of superseded jobs are no longer in the ledger.
#[derive(Debug, Serialize)]
struct JobStatus {
    job: String,
    corpus: String,
    state: JobState,
    previous_job: Option<String>,
    complete: bool,
    begun_at: String,
    documents: u64,
    pending: u64,
    carried: u64,
    pages: u64,
    pages_ocr: u64,
    tasks_open: u64,
    tasks_leased: u64,
    documents_by_state: std::collections::BTreeMap<crate::score::State, u64>,
}

#[derive(Debug, Serialize)]
struct Status {
    jobs: Vec<JobStatus>,
    outbox_pending: u64,
    outbox_published: u64,
    outbox_oldest_s: Option<u64>,
    queues: Vec<QueueStatus>,
    /// Why nothing is known of the queues.
    broker_problem: Option<String>,
}

#[derive(Debug, Serialize)]
struct QueueStatus {
    queue: String,
    messages: Option<u64>,
    consumers: Option<u64>,
}

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    telemetry::start_logging();
    runtime()?.block_on(async {
        let ledger = Ledger::open(fleet::ledger_url(config)?, Access::Guest).await?;
        let broker = fleet::broker(config, "status").ok();
        loop {
            let status = look(args, &ledger, broker.as_ref()).await?;
            show(args, &status)?;
            let ended = |job: &JobStatus| matches!(job.state, JobState::Closed | JobState::Abandoned);
            if !args.watch || (args.job.is_some() && status.jobs.iter().all(ended)) {
                return Ok(Exit::Done);
            }
            tokio::time::sleep(EVERY).await;
        }
    })
}

async fn look(args: &Args, ledger: &Ledger, broker: Option<&Broker>) -> anyhow::Result<Status> {
    let jobs = match &args.job {
        Some(job) => match ledger.job(job).await {
            Ok(job) => vec![job],
            Err(LedgerError::NoJob(job)) => {
                return Err(usage(format!(
                    "there is no job `{}` in the ledger; its messages may still be in the queue",
                    safe(&job)
                )));
            }
            Err(error) => return Err(error.into()),
        },
        None => ledger.newest_jobs(JOBS).await?,
    };
    let mut statuses = Vec::with_capacity(jobs.len());
    for job in jobs {
        let progress = ledger.progress(&job.id).await?;
        statuses.push(job_status(job, progress));
    }
    let OutboxState { pending, published, oldest } = ledger.outbox_state().await?;
    let (queues, broker_problem) = queues(broker).await;
    Ok(Status {
        jobs: statuses,
        outbox_pending: pending,
        outbox_published: published,
        outbox_oldest_s: oldest.map(|oldest| oldest.as_secs()),
        queues,
        broker_problem,
    })
}

fn job_status(job: Job, progress: Progress) -> JobStatus {
    JobStatus {
        job: job.id,
        corpus: job.corpus,
        state: job.state,
        previous_job: job.previous_job,
        complete: job.complete,
        begun_at: job.begun_at.to_string(),
        documents: progress.documents,
        pending: progress.pending,
        carried: progress.carried,
        pages: progress.pages,
        pages_ocr: progress.pages_ocr,
        tasks_open: progress.tasks_open,
        tasks_leased: progress.tasks_leased,
        documents_by_state: progress.by_state,
    }
}

async fn queues(broker: Option<&Broker>) -> (Vec<QueueStatus>, Option<String>) {
    let Some(broker) = broker else { return (Vec::new(), Some("no broker is set".to_owned())) };
    match broker.queue_states(&broker.topology().queues()).await {
        Ok(states) => {
            let status = |(queue, state): (String, Result<QueueState, _>)| {
                let state = state.ok();
                QueueStatus {
                    queue,
                    messages: state.map(|state| state.messages),
                    consumers: state.map(|state| state.consumers),
                }
            };
            (states.into_iter().map(status).collect(), None)
        }
        Err(error) => (Vec::new(), Some(chain(&error))),
    }
}

fn show(args: &Args, status: &Status) -> anyhow::Result<()> {
    if args.json {
        let json =
            if args.watch { serde_json::to_string(status) } else { serde_json::to_string_pretty(status) };
        return Ok(output::print(&format!("{}\n", json?))?);
    }
    let home = if args.watch && std::io::stdout().is_terminal() { "\x1b[H\x1b[J" } else { "" };
    Ok(output::print(&format!("{home}{}", human(status)))?)
}

fn human(status: &Status) -> String {
    let mut jobs =
        Table::titled(&["job", "corpus", "state", ">done", ">documents", ">unchanged", ">pages", ">ocr"]);
    for job in &status.jobs {
        let style = match job.state {
            JobState::Abandoned => Some(Style::Bad),
            JobState::Closed => Some(Style::Faint),
            _ => Some(Style::Good),
        };
        jobs.row([
            left(&job.job),
            left(&job.corpus),
            left(Word(job.state).to_string()).styled(style),
            right(grouped(job.documents - job.pending)),
            right(grouped(job.documents)),
            right(grouped(job.carried)),
            right(grouped(job.pages)),
            right(grouped(job.pages_ocr)),
        ]);
    }
    let mut text = jobs.print(colours());
    if let [job] = &status.jobs[..] {
        for (state, n) in &job.documents_by_state {
            text.push_str(&format!("  {:>12} {}\n", grouped(*n), Word(*state)));
        }
    }
    text.push_str(&format!("  outbox: {} OCR requests wait", grouped(status.outbox_pending)));
    if let Some(oldest) = status.outbox_oldest_s {
        text.push_str(&format!(", the oldest for {} s", grouped(oldest)));
    }
    text.push_str(&format!("; {} sent so far\n", grouped(status.outbox_published)));
    for queue in &status.queues {
        let state = match (queue.messages, queue.consumers) {
            (Some(messages), Some(consumers)) => {
                format!("{} messages, {consumers} consumers", grouped(messages))
            }
            _ => "missing; `pagesieve doctor` says what to do".to_owned(),
        };
        text.push_str(&format!("  {}: {state}\n", safe(&queue.queue)));
    }
    if let Some(problem) = &status.broker_problem {
        text.push_str(&format!("  broker: {}\n", safe(problem)));
    }
    text
}
