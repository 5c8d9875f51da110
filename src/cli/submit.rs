//! `pagesieve submit`: document ids to the queue, then the seal.

use std::collections::HashSet;
use std::ffi::OsString;
use std::time::Duration;

use tokio::sync::watch;
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_64;

use crate::config::Config;
use crate::failpoint;
use crate::queue::{Broker, DocumentMessage, Message, Outgoing, Publisher, SealMessage};
use crate::source::{self, DocumentRef, Listed, Listing, Source};
use crate::telemetry::{self, grouped, trace};
use crate::words::chain;

use super::exit::{Exit, usage};
use super::fleet;
use super::output::{self, safe, say};
use super::setup::runtime;
use super::signals::Stop;

/// Messages in one window of confirms.
const WINDOW: usize = 1_000;
/// Pauses after a failure, doubling.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));

/// Puts documents into the queue as one job
///
/// Prints the job's id first, then sends one message per document and ends with a seal that tells their
/// number. What the sources no longer name counts as deleted, unless the listing was incomplete. Killed
/// half-way, the same command with --job and that id goes on: what was sent twice is scored once.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, folders (all *.pdf in them, recursively), patterns, s3://bucket/prefix, @FILE (a URI a line) or
    /// - (the same from standard input). The workers must reach them under the same names.
    #[arg(required = true, value_name = "SOURCE")]
    sources: Vec<OsString>,
    /// Corpus that the documents are of.
    #[arg(long, value_name = "NAME", value_parser = corpus_name)]
    corpus: String,
    /// Go on with this job, a UUID, instead of a new one.
    #[arg(long, value_name = "ID", value_parser = job_id)]
    job: Option<String>,
    /// Score every document again, changed or not.
    #[arg(long)]
    force: bool,
    /// Only documents whose producer, or its family, is NAME in the corpus's current snapshot; they are scored
    /// again, the others stay as they are. Needs `results.root`.
    #[arg(long, value_name = "NAME")]
    producer: Option<String>,
}

fn corpus_name(text: &str) -> Result<String, String> {
    let plain = (1..=200).contains(&text.len()) && !text.chars().any(char::is_control);
    plain
        .then(|| text.to_owned())
        .ok_or_else(|| "a name of 1 to 200 bytes without control characters".to_owned())
}

fn job_id(text: &str) -> Result<String, String> {
    Uuid::parse_str(text).map(|id| id.hyphenated().to_string()).map_err(|_| "a job id is a UUID".to_owned())
}

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    telemetry::start_logging();
    let sources = args.sources.iter().map(|source| Source::parse(source)).collect::<Result<Vec<_>, _>>()?;
    let broker = fleet::broker(config, "submit")?;
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let mut asked = Stop::watch()?;
        let job = args.job.clone().unwrap_or_else(|| Uuid::now_v7().hyphenated().to_string());
        tokio::select! {
            submitted = submit(args, config, sources, broker, &job) => submitted,
            () = asked.asked() => {
                say(&format!("interrupted; to go on run the same command with --job {job}"));
                Ok(Exit::Interrupted)
            }
        }
    });
    runtime.shutdown_background(); // a listing that waits for standard input would be waited for
    ended
}

async fn submit(
    args: &Args,
    config: &Config,
    sources: Vec<Source>,
    broker: Broker,
    job: &str,
) -> anyhow::Result<Exit> {
    let only = match &args.producer {
        Some(producer) => Some(super::producer::uris(config, &args.corpus, producer).await?),
        None => None,
    };
    let (_alive, mut stop) = watch::channel(false);
    fleet::declare(&broker, "submit", &mut stop).await?;
    let queue = broker.topology().documents();
    let mut publisher = Publisher::new(broker);
    let force = args.force || args.producer.is_some();
    let (send, mut batches) = tokio::sync::mpsc::channel(4);
    // Folders and standard input block.
    let listing = source::list(sources).on(&config.store);
    let lister = tokio::task::spawn_blocking(move || list(listing, &send));
    let mut sent = HashSet::new();
    while let Some(batch) = batches.recv().await {
        let wanted = |document: &DocumentRef| only.as_ref().is_none_or(|only| only.contains(&document.uri));
        let fresh: Vec<DocumentRef> = batch
            .into_iter()
            .filter(|document: &DocumentRef| {
                wanted(document) && !sent.contains(&xxh3_64(document.uri.as_bytes()))
            })
            .collect();
        if fresh.is_empty() {
            continue;
        }
        if sent.is_empty() {
            output::print(&format!("{job}\n"))?;
        }
        sent.extend(fresh.iter().map(|document| xxh3_64(document.uri.as_bytes())));
        let messages: Vec<Outgoing> = fresh
            .into_iter()
            .map(|document| outgoing(job, &document_message(args, job, force, document)))
            .collect();
        publish(&mut publisher, &queue, messages).await?;
        failpoint::reach("submit-window");
    }
    let problems = lister.await?;
    for (place, why) in problems.iter().take(20) {
        say(&format!("pagesieve: cannot list `{}`: {}", safe(place), safe(why)));
    }
    if sent.is_empty() {
        return Err(usage(match &args.producer {
            Some(producer) => format!("nothing to submit: no document of the sources is by `{}`", safe(producer)),
            None => "nothing to submit: the sources hold no PDF. In folders, files named *.pdf are looked for, in any \
                     case; a file of another name must be named itself"
                .to_owned(),
        }));
    }
    // What could not be listed, or was not asked for, is not thereby deleted.
    let complete = problems.is_empty() && args.producer.is_none();
    let documents = sent.len() as u64;
    let seal = SealMessage { job: job.to_owned(), corpus: args.corpus.clone(), documents, complete, force };
    publish(&mut publisher, &queue, vec![outgoing(job, &Message::Seal(seal))]).await?;
    let rest = if complete { "" } else { "; nothing counts as deleted" };
    say(&format!("{} documents submitted{rest}", grouped(documents)));
    Ok(Exit::Done)
}

fn document_message(args: &Args, job: &str, force: bool, document: DocumentRef) -> Message {
    Message::Document(DocumentMessage {
        uri: document.uri,
        etag: document.etag,
        size_bytes: document.size_bytes,
        corpus: args.corpus.clone(),
        job: Some(job.to_owned()),
        force,
    })
}

fn outgoing(job: &str, message: &Message) -> Outgoing {
    let trace = trace::traceparent(job, "submit");
    Outgoing {
        body: message.to_json(),
        content_type: "application/json",
        headers: trace.map(|trace| (trace::TRACEPARENT, trace)).into_iter().collect(),
        ..Outgoing::default()
    }
}

/// Publishes until every message is confirmed; what waiting cannot cure ends it.
async fn publish(publisher: &mut Publisher, queue: &str, mut left: Vec<Outgoing>) -> anyhow::Result<()> {
    let mut pause = PAUSES.0;
    loop {
        let problem = match publisher.publish(queue, &left).await {
            Ok(window) => {
                let mut confirmed = window.confirmed.into_iter();
                left.retain(|_| !confirmed.next().unwrap_or(false));
                if left.is_empty() {
                    return Ok(());
                }
                window.problem
            }
            Err(error) => Some(error),
        };
        if let Some(problem) = problem {
            if !problem.is_transient() {
                return Err(problem.into());
            }
            say(&format!("submit: waiting for the broker: {}", safe(&chain(&problem))));
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PAUSES.1);
    }
}

fn list(listing: Listing, send: &tokio::sync::mpsc::Sender<Vec<DocumentRef>>) -> Vec<(String, String)> {
    let mut problems = Vec::new();
    let mut batch = Vec::new();
    for listed in listing {
        match listed {
            Listed::Problem { place, why } => problems.push((place, why)),
            Listed::Document(document) => {
                batch.push(document);
                if batch.len() == WINDOW && send.blocking_send(std::mem::take(&mut batch)).is_err() {
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
