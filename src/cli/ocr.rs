//! `pagesieve ocr`: asking for pages again, and what the OCR consumers refused.

use std::collections::BTreeMap;

use crate::config::Config;
use crate::ledger::{Access, Ledger};
use crate::ocr::OcrRequest;
use crate::queue::{self, DeadLetter};
use crate::telemetry::{self, grouped};

use super::exit::{Exit, usage};
use super::fleet;
use super::output::{self, safe};
use super::setup::runtime;

/// Requests asked again at once.
const BATCH: u32 = 1_000;

/// OCR requests: ask again, look at dead letters
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Asks again, on purpose, for pages that were asked for.
    ///
    /// Each gets a new request with the next generation, and so with another id: consumers that de-duplicate by
    /// id will read the page again. The relay sends them.
    Requeue {
        /// Corpus whose requests are meant.
        #[arg(long, value_name = "NAME", default_value = "default")]
        corpus: String,
        /// SHA-256 of a document whose pages are asked for again; may be repeated.
        #[arg(long, value_name = "HEX", required_unless_present = "all", value_parser = sha256)]
        sha256: Vec<String>,
        /// All pages of the corpus that were ever asked for.
        #[arg(long, conflicts_with = "sha256")]
        all: bool,
        /// The same requests under the same ids: for a broker that lost its queue.
        #[arg(long)]
        lost: bool,
    },
    /// Lists dead letters with their reasons, and sends them back where they came from.
    ///
    /// A dead letter is an OCR request that consumers rejected or failed on five times; with --documents, a
    /// message that could not be read or came too late.
    Dead {
        /// The document queue's dead letters instead of the OCR queue's.
        #[arg(long)]
        documents: bool,
        /// Send them to their queue again; each leaves the dead ones once the broker has it.
        #[arg(long)]
        replay: bool,
        /// Most dead letters to list or send.
        #[arg(long, value_name = "N", default_value_t = 1_000)]
        limit: usize,
        /// Print one JSON object a line.
        #[arg(long)]
        json: bool,
    },
}

fn sha256(text: &str) -> Result<String, String> {
    let text = text.to_ascii_lowercase();
    let plain = text.len() == 64 && text.chars().all(|c| c.is_ascii_hexdigit());
    plain.then_some(text).ok_or_else(|| "a SHA-256 has 64 hexadecimal digits".to_owned())
}

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    telemetry::start_logging();
    runtime()?.block_on(async {
        match &args.action {
            Action::Requeue { corpus, sha256, all, lost } => {
                let contents =
                    if *all { vec![None] } else { sha256.iter().map(|hex| Some(hex.as_str())).collect() };
                requeue(config, corpus, &contents, *lost).await
            }
            Action::Dead { documents, replay, limit, json } => {
                dead(config, *documents, *replay, *limit, *json).await
            }
        }
    })
}

async fn requeue(
    config: &Config,
    corpus: &str,
    contents: &[Option<&str>],
    lost: bool,
) -> anyhow::Result<Exit> {
    let ledger = Ledger::open(fleet::ledger_url(config)?, Access::Guest).await?;
    let mut n_asked = 0;
    for content in contents {
        if lost {
            n_asked += ledger.send_again(corpus, *content).await?;
            continue;
        }
        let mut after = (String::new(), 0);
        loop {
            let sent = ledger.sent_requests(corpus, *content, &after, BATCH).await?;
            let Some(last) = sent.last() else { break };
            after = (last.document_sha256.clone(), last.page);
            let mut again = BTreeMap::new();
            for old in sent {
                let mut request: OcrRequest = serde_json::from_str(&old.body)?;
                request.next_generation();
                again.insert(request.id.clone(), (old.id, request.to_json()));
            }
            n_asked += ledger.ask_again(&again).await?;
        }
    }
    ledger.close().await;
    if n_asked == 0 {
        return Err(usage("nothing to ask for again: no such request of this corpus was sent yet"));
    }
    output::print(&format!("{} OCR requests are in the outbox again\n", grouped(n_asked)))?;
    Ok(Exit::Done)
}

async fn dead(
    config: &Config,
    documents: bool,
    replay: bool,
    limit: usize,
    json: bool,
) -> anyhow::Result<Exit> {
    let broker = fleet::broker(config, "ocr")?;
    let queue = if documents { broker.topology().documents() } else { broker.topology().ocr() };
    let letters = queue::dead_letters(&broker, &queue, limit, replay).await?;
    for letter in &letters {
        output::print(&if json { line_of_json(letter) } else { line(letter) })?;
    }
    if !json {
        let sent = if replay { format!("; sent to `{queue}` again") } else { String::new() };
        output::print(&format!("{} dead letters{sent}\n", grouped(letters.len() as u64)))?;
    }
    Ok(Exit::Done)
}

fn line(letter: &DeadLetter) -> String {
    let body = String::from_utf8_lossy(&letter.body);
    let body: String = body.chars().take(120).collect();
    format!("{}\t{}\t{}\n", safe(&letter.reason), safe(&letter.id), safe(&body))
}

fn line_of_json(letter: &DeadLetter) -> String {
    let body = String::from_utf8_lossy(&letter.body);
    format!("{}\n", serde_json::json!({"id": letter.id, "reason": letter.reason, "body": body}))
}
