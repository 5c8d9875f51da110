//! Document messages → jobs: stored, committed, then acknowledged.

use std::collections::BTreeMap;
use std::time::Duration;

use tokio::sync::watch;
use tracing::{info, warn};

use super::stopped;
use crate::failpoint;
use crate::ledger::{Arrival, Arrived, Ledger, ScoreKey};
use crate::queue::{Batch, Broker, Consumer, Message, QueueError};
use crate::source::DocumentRef;
use crate::telemetry::{health, names};
use crate::words::chain;

/// Pauses between two tries, doubling.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));

/// Reads the document queue until `stop`. Several may: whoever stores a document first has stored it.
///
/// # Errors
/// Only for what waiting cannot cure; services that are away are waited for, and that is said.
pub async fn intake(
    ledger: &Ledger,
    broker: &Broker,
    key: &ScoreKey,
    mut stop: watch::Receiver<bool>,
) -> Result<(), QueueError> {
    let mut consumer = Consumer::new(broker.clone());
    let mut pause = PAUSES.0;
    loop {
        let taken = tokio::select! {
            () = stopped(&mut stop) => return Ok(()), // what was delivered and not stored comes again
            taken = take(ledger, &mut consumer, key) => taken,
        };
        match taken {
            Ok(()) => {
                health::well("broker");
                pause = PAUSES.0;
            }
            Err(error) if error.is_transient() => {
                warn!("waiting for the broker: {}", chain(&error));
                health::problem("broker", chain(&error));
                tokio::select! {
                    () = stopped(&mut stop) => return Ok(()),
                    () = tokio::time::sleep(pause) => pause = (pause * 2).min(PAUSES.1),
                }
            }
            Err(error) => return Err(error),
        }
    }
}

/// One batch.
async fn take(ledger: &Ledger, consumer: &mut Consumer, key: &ScoreKey) -> Result<(), QueueError> {
    let batch = consumer.next().await?;
    let mut refused = Vec::new();
    for ((job, corpus), (arrival, indexes)) in group(&batch) {
        let arrived = receive(ledger, &arrival, key).await;
        info!(job = arrived.job, corpus, new = arrived.n_new, "documents stored");
        metrics::counter!(names::DOCUMENTS_RECEIVED).increment(arrived.n_new);
        for (index, uri) in indexes {
            if arrived.foreign {
                refused.push((
                    index,
                    format!("job `{}` is of another corpus", job.as_deref().unwrap_or_default()),
                ));
            } else if uri.is_some_and(|uri| arrived.late.contains(uri)) {
                refused.push((index, format!("job `{}` has ended without this document", arrived.job)));
            }
        }
    }
    failpoint::reach("intake-stored");
    let n_unread = batch.messages.iter().filter(|message| message.is_err()).count();
    metrics::counter!(names::MESSAGES_REFUSED).increment((n_unread + refused.len()) as u64);
    consumer.settle(batch, &refused).await
}

/// Arrivals by job and corpus, each with the places of its messages in the batch and their URIs.
type Groups<'a> = BTreeMap<(Option<String>, &'a str), (Arrival, Vec<(usize, Option<&'a str>)>)>;

fn group(batch: &Batch) -> Groups<'_> {
    let mut groups = Groups::new();
    for (index, message) in batch.messages.iter().enumerate() {
        let (job, corpus, forced) = match message {
            Ok(Message::Document(document)) => (document.job.clone(), &document.corpus, document.force),
            Ok(Message::Seal(seal)) => (Some(seal.job.clone()), &seal.corpus, seal.force),
            Err(_) => continue,
        };
        let (arrival, indexes) = groups
            .entry((job.clone(), corpus))
            .or_insert_with(|| (Arrival { job, corpus: corpus.clone(), ..Arrival::default() }, Vec::new()));
        arrival.forced |= forced;
        match message {
            Ok(Message::Document(document)) => {
                indexes.push((index, Some(&document.uri)));
                arrival.documents.push(DocumentRef {
                    uri: document.uri.clone(),
                    etag: document.etag.clone(),
                    size_bytes: document.size_bytes,
                });
            }
            Ok(Message::Seal(seal)) => {
                indexes.push((index, None));
                arrival.seal = Some((seal.documents, seal.complete));
            }
            Err(_) => {}
        }
    }
    groups
}

/// Stores an arrival, however long the ledger is away: the messages stay unacknowledged meanwhile.
async fn receive(ledger: &Ledger, arrival: &Arrival, key: &ScoreKey) -> Arrived {
    let mut pause = PAUSES.0;
    loop {
        match ledger.receive(arrival, key).await {
            Ok(arrived) => {
                health::well("ledger");
                return arrived;
            }
            Err(error) => {
                warn!("waiting for the ledger: {}", chain(&error));
                health::problem("ledger", chain(&error));
            }
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PAUSES.1);
    }
}
