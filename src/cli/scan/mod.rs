//! `pagesieve scan`: the main job. Sources → tables and OCR queue in one folder.
//!
//! ```text
//! list ──► ledger: a job ──► worker: tasks ──► close: snapshot, manifest, OCR queue ──► summary
//! ```

mod fail_on;
mod out;
mod summary;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::config::{Config, Isolation, Store};
use crate::coordinator::{self, Closing};
use crate::isolate::Pool;
use crate::ledger::{Access, Job, JobState, Ledger, LedgerError, NewJob};
use crate::objects::Folder;
use crate::report::{self, Results};
use crate::score::{RULES_VERSION, Settings};
use crate::source::{self, DocumentRef, Listed, Listing, Source};
use crate::telemetry::{self, Progress, ProgressKind, grouped};
use crate::worker::{Worker, WorkerConfig};

use super::exit::{Exit, usage};
use super::output::{self, safe, say};
use super::setup::{Threads, hash, pool_config, runtime, score_key};
use super::signals::{self, Stop};

pub(super) use fail_on::FailOn;
use summary::Summary;

/// The corpus of a scan; a folder of results holds one.
const CORPUS: &str = "default";
/// Documents stored in the ledger at a time.
const BATCH: usize = 1_000;
/// Time between two looks at the progress.
const TICK: Duration = Duration::from_millis(200);

/// Scans PDFs: tables, OCR queue and a summary
///
/// Reads every PDF of the sources, decides a route for every page, and writes Parquet tables and
/// ocr-queue.ndjson into DIR. The same command again resumes an interrupted scan, or rescans: documents that
/// did not change are carried forward without being read. What the sources no longer name is dropped.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, folders (all *.pdf in them, recursively), patterns, s3://bucket/prefix, @FILE (a path or s3:// address
    /// a line) or - (the same from standard input).
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<OsString>,
    /// Folder for the results: empty, new, or of an earlier scan.
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Scoring threads in all; one per processor when not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// First and last page of each document to score, counted from 1: 3-7, 3-, -7 or 3.
    #[arg(long, value_name = "A-B", value_parser = page_range)]
    pages: Option<(u32, u32)>,
    /// Print the summary as one JSON object.
    #[arg(long)]
    json: bool,
    /// Exit with 1 when a page has this route or a worse one (repair, decode, ocr), or is `not-judged`.
    #[arg(long, value_name = "R")]
    fail_on: Option<FailOn>,
    /// Exit with 1 when a document is neither scored nor encrypted.
    #[arg(long)]
    strict: bool,
    /// Start over: give up an unfinished scan, carry nothing forward.
    #[arg(long)]
    fresh: bool,
    /// Where documents are parsed: `none` is this very process, for documents you trust.
    #[arg(long, value_name = "process|none")]
    isolation: Option<Isolation>,
    /// No progress.
    #[arg(long, short)]
    quiet: bool,
}

/// `3-7`, `3-`, `-7` or `3`, as first and last page.
pub(in crate::cli) fn page_range(text: &str) -> Result<(u32, u32), String> {
    let number = |text: &str, open: u32| if text.is_empty() { Ok(open) } else { text.parse::<u32>() };
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let range = number(first, 1).and_then(|first| Ok((first, number(last, u32::MAX)?)));
    let some_number = text.contains(|c: char| c.is_ascii_digit());
    match range {
        Ok((first, last)) if some_number && (1..=last).contains(&first) => Ok((first, last)),
        _ => Err("pages are counted from 1: 3-7, 3-, -7 or 3".to_owned()),
    }
}

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    telemetry::start_logging();
    crate::isolate::harden_parent();
    let sources = args.sources.iter().map(|source| Source::parse(source)).collect::<Result<Vec<_>, _>>()?;
    let out = out::prepare(&args.out)?;
    runtime()?.block_on(scan(args, config, sources, &out))
}

async fn scan(args: &Args, config: &Config, sources: Vec<Source>, out: &Path) -> anyhow::Result<Exit> {
    let started = Instant::now();
    let mut stop = Stop::watch()?;
    let settings = Settings { pages: args.pages, ..config.settings() };
    let ledger = open_ledger(out).await?;
    let objects = Folder::new(out);
    let closing = Closing {
        ledger: &ledger,
        objects: &objects,
        epoch: ledger.lead(&owner()).await?,
        keep_jobs: config.results.keep_jobs,
        queue_file: true,
        after: &|_| true,
    };
    let job = coordinator::begin(&closing, &new_job(args, &sources, &settings)).await?;
    if job.resumed && !args.quiet {
        say("going on with the scan that was interrupted");
    }
    if job.state == JobState::Open && !list(&ledger, &job, sources, &config.store, &mut stop).await? {
        return interrupted(&ledger, &job).await;
    }
    let progress = Arc::new(begin_progress(&ledger, &job, ProgressKind::detect(args.quiet)).await?);
    if job.state != JobState::Closed {
        let finished = work(args, config, settings, &ledger, out, &progress, &mut stop).await;
        progress.end();
        if !finished? {
            return interrupted(&ledger, &job).await;
        }
    }
    let closed = closing.run(&job.id).await.context("failed to publish the results")?;
    ledger.close().await;
    let overview =
        Results::open(out, &config.store, Some(&closed.job)).and_then(|results| report::overview(&results));
    let overview = overview.context("failed to read the results")?;
    let summary = Summary { out, closed, overview, elapsed: started.elapsed(), scored: progress.rate() };
    output::print(&if args.json { summary.json()? } else { summary.human() })?;
    let gated =
        args.fail_on.is_some_and(|fail_on| summary.trips(fail_on)) || (args.strict && summary.unscored() > 0);
    Ok(if gated { Exit::Gate } else { Exit::Done })
}

fn owner() -> String {
    format!("scan-{}", std::process::id())
}

async fn open_ledger(out: &Path) -> anyhow::Result<Ledger> {
    match Ledger::open_file(&out.join(out::LEDGER), Access::Worker).await {
        Err(LedgerError::Busy { .. }) => Err(usage(format!(
            "another scan is writing to `{}`; wait for it, or choose another --out",
            out.display()
        ))),
        other => Ok(other.context("failed to open the ledger")?),
    }
}

fn new_job(args: &Args, sources: &[Source], settings: &Settings) -> NewJob {
    NewJob {
        corpus: CORPUS.to_owned(),
        fingerprint: fingerprint(sources, settings),
        score_key: score_key(settings),
        rules_version: RULES_VERSION.to_owned(),
        fresh: args.fresh,
    }
}

/// What a job must share with an interrupted one to go on with it.
fn fingerprint(sources: &[Source], settings: &Settings) -> String {
    let sources: Vec<String> = sources.iter().map(Source::fingerprint).collect();
    hash(&(sources, score_key(settings)))
}

/// Lists the sources into the job and seals it; false when stopped.
async fn list(
    ledger: &Ledger,
    job: &Job,
    sources: Vec<Source>,
    store: &Store,
    stop: &mut Stop,
) -> anyhow::Result<bool> {
    let (send, mut batches) = tokio::sync::mpsc::channel(4);
    // Folders and standard input block.
    let listing = source::list(sources).on(store);
    let lister = tokio::task::spawn_blocking(move || list_batches(listing, &send));
    let mut n_documents = 0;
    loop {
        tokio::select! {
            batch = batches.recv() => match batch {
                Some(batch) => n_documents += ledger.store_documents(&job.id, &batch).await?,
                None => break,
            },
            () = stop.asked() => return Ok(false),
        }
    }
    let problems = lister.await?;
    for (place, why) in problems.iter().take(20) {
        say(&format!("pagesieve: cannot list `{}`: {}", safe(place), safe(why)));
    }
    if problems.len() > 20 {
        say(&format!(
            "pagesieve: and {} more places that cannot be listed",
            grouped(problems.len() as u64 - 20)
        ));
    }
    if n_documents == 0 {
        return Err(usage(
            "nothing to scan: the sources hold no PDF. In folders, files named *.pdf are looked for, in any case; \
             a file of another name must be named itself",
        ));
    }
    // What could not be listed is not thereby deleted.
    ledger.seal(&job.id, n_documents, problems.is_empty()).await?;
    Ok(true)
}

fn list_batches(
    listing: Listing,
    send: &tokio::sync::mpsc::Sender<Vec<DocumentRef>>,
) -> Vec<(String, String)> {
    let mut problems = Vec::new();
    let mut batch = Vec::new();
    for listed in listing {
        match listed {
            Listed::Problem { place, why } => problems.push((place, why)),
            Listed::Document(document) => {
                batch.push(document);
                if batch.len() == BATCH && send.blocking_send(std::mem::take(&mut batch)).is_err() {
                    return problems; // stopped
                }
            }
        }
    }
    if !batch.is_empty() {
        let _ = send.blocking_send(batch);
    }
    problems
}

/// Plans what is not planned yet, and begins to count.
async fn begin_progress(ledger: &Ledger, job: &Job, kind: ProgressKind) -> anyhow::Result<Progress> {
    if job.state != JobState::Closed {
        ledger.plan(&job.id).await?;
    }
    let so_far = ledger.progress(&job.id).await?;
    Ok(Progress::begin(kind, so_far.pending, 0))
}

/// Works off the job's tasks; false when stopped before the end.
async fn work(
    args: &Args,
    config: &Config,
    settings: Settings,
    ledger: &Ledger,
    out: &Path,
    progress: &Arc<Progress>,
    stop: &mut Stop,
) -> anyhow::Result<bool> {
    let threads = Threads::asked(args.threads.map(usize::from));
    let pool = pool_config(config, settings, threads, args.isolation);
    let worker = WorkerConfig {
        owner: owner(),
        children: pool.children,
        max_inflight_bytes: config.worker.max_inflight_bytes,
        store: config.store.clone(),
        document_bytes: config.limits.document_bytes,
        file_roots: None,
        score_key: None, // the ledger is this scan's alone
        after: |_| (),
    };
    let counted = Arc::clone(progress);
    let observer = Box::new(move |document: &crate::tables::ScoredDocument| {
        let bytes = document.document.size_bytes.unwrap_or(0);
        counted.document(bytes, document.score.pages.len() as u64);
    });
    let worker =
        Arc::new(Worker::new(worker, ledger.clone(), Arc::new(Folder::new(out)), Pool::new(pool)?, observer));
    let (ask, asked) = tokio::sync::watch::channel(false);
    let running = worker.run(asked);
    tokio::pin!(running);
    let mut tick = tokio::time::interval(TICK);
    loop {
        let deadline = stop.deadline();
        tokio::select! {
            finished = &mut running => return Ok(finished?),
            _ = tick.tick() => progress.show(),
            () = stop.asked() => {
                if ask.send_replace(true) {
                    return Ok(false); // asked twice: what is in work is lost, and scored again
                }
                progress.end();
                say("stopping: documents in work are ended first; press again to stop at once");
            }
            () = signals::reached(deadline) => return Ok(false),
        }
    }
}

async fn interrupted(ledger: &Ledger, job: &Job) -> anyhow::Result<Exit> {
    let so_far = ledger.progress(&job.id).await?;
    let done = grouped(so_far.documents - so_far.pending);
    let all = grouped(so_far.documents);
    say(&format!("interrupted: {done} of {all} documents are done; run the same command again to go on"));
    Ok(Exit::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_ranges() {
        assert_eq!(page_range("3-7"), Ok((3, 7)));
        assert_eq!(page_range("3-"), Ok((3, u32::MAX)));
        assert_eq!(page_range("-7"), Ok((1, 7)));
        assert_eq!(page_range("3"), Ok((3, 3)));
        for wrong in ["", "-", "0", "0-3", "7-3", "a-b", "1-2-3", "+-", "1,2"] {
            assert!(page_range(wrong).is_err(), "{wrong}");
        }
    }
}
