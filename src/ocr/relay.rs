//! The outbox → the OCR queue.

use std::collections::BTreeSet;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;
use tracing::{info, warn};

use super::OcrRequest;
use crate::ledger::{Ledger, LedgerError, OutboxRequest};
use crate::queue::{Broker, Outgoing, Publisher, QueueError};
use crate::telemetry::{health, names, trace};
use crate::words::chain;

/// Requests sent before their confirms are awaited.
const WINDOW: u32 = 1_000;
/// Time between two looks at an empty outbox.
const POLL: Duration = Duration::from_secs(1);
/// Time between two looks at a full queue.
const FULL: Duration = Duration::from_secs(5);
/// Pauses after a failure, doubling.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));
/// What a window may still take once the relay is asked to stop.
const DRAIN: Duration = Duration::from_secs(15);
/// Content type of CloudEvents in structured mode.
const CONTENT_TYPE: &str = "application/cloudevents+json";

/// Publishes the outbox. Any number may: each request is one relay's at a time.
pub struct Relay {
    /// Names this relay in the ledger.
    pub owner: String,
    /// The outbox.
    pub ledger: Ledger,
    /// The broker.
    pub broker: Broker,
    /// Messages in the queue at which the relay pauses.
    pub max_backlog: u64,
    /// Test hook: called after a window is confirmed and before that is noted.
    pub confirmed: fn(),
}

/// Why nothing was sent.
#[derive(Debug, thiserror::Error)]
enum RelayError {
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// What a round did.
enum Round {
    Sent,
    Empty,
    Full(u64),
}

impl Relay {
    /// Publishes until `stop`, then ends the window in work. Services that are away are waited for.
    ///
    /// # Errors
    /// Only for what waiting cannot cure.
    pub async fn run(&self, mut stop: watch::Receiver<bool>) -> Result<(), QueueError> {
        let mut publisher = Publisher::new(self.broker.clone());
        let mut pause = PAUSES.0;
        let mut full = false;
        while !*stop.borrow() {
            let round = tokio::select! {
                round = self.round(&mut publisher) => round,
                () = stopped_for(&mut stop, DRAIN) => break,
            };
            let wait = match round {
                Ok(Round::Sent) => {
                    health::well("broker");
                    health::well("ledger");
                    (pause, full) = (PAUSES.0, false);
                    continue;
                }
                Ok(Round::Empty) => {
                    health::well("broker");
                    health::well("ledger");
                    (pause, full) = (PAUSES.0, false);
                    POLL
                }
                Ok(Round::Full(messages)) => {
                    if !std::mem::replace(&mut full, true) {
                        warn!(
                            "the OCR queue holds {messages} requests: pausing until it has room; scanning goes on"
                        );
                    }
                    FULL
                }
                Err(RelayError::Queue(error)) if !error.is_transient() => return Err(error),
                Err(error) => {
                    warn!("the relay waits: {}", chain(&error));
                    let part = if matches!(error, RelayError::Ledger(_)) { "ledger" } else { "broker" };
                    health::problem(part, chain(&error));
                    pause = (pause * 2).min(PAUSES.1);
                    pause
                }
            };
            tokio::select! {
                () = sleep(wait) => {}
                _ = stop.changed() => {}
            }
        }
        Ok(())
    }

    /// Sends one window.
    async fn round(&self, publisher: &mut Publisher) -> Result<Round, RelayError> {
        let queue = self.broker.topology().ocr();
        let backlog = publisher.state(&queue).await?.messages;
        metrics::gauge!(names::OCR_BACKLOG).set(backlog as f64);
        let room = self.max_backlog.saturating_sub(backlog);
        if room == 0 {
            return Ok(Round::Full(backlog));
        }
        let limit = u32::try_from(room).unwrap_or(u32::MAX).min(WINDOW);
        let requests = self.ledger.take_requests(&self.owner, limit).await?;
        if requests.is_empty() {
            return Ok(Round::Empty);
        }
        let sent = self.send(publisher, &queue, &requests).await;
        if let Err(RelayError::Queue(_)) = &sent {
            // Nothing of it went out: another relay need not wait for the lease to run out.
            let ids: Vec<&str> = requests.iter().map(|request| request.id.as_str()).collect();
            self.ledger.give_back_requests(&ids).await?;
        }
        sent.map(|()| Round::Sent)
    }

    async fn send(
        &self,
        publisher: &mut Publisher,
        queue: &str,
        requests: &[OutboxRequest],
    ) -> Result<(), RelayError> {
        let messages = self.messages(requests).await?;
        let window = publisher.publish(queue, &messages).await?;
        (self.confirmed)();
        let by_confirmed = |wanted: bool| -> Vec<&str> {
            let pairs = std::iter::zip(requests, &window.confirmed);
            pairs.filter(|(_, done)| **done == wanted).map(|(request, _)| request.id.as_str()).collect()
        };
        let (done, left) = (by_confirmed(true), by_confirmed(false));
        self.note(&done).await;
        metrics::counter!(names::OCR_PUBLISHED).increment(done.len() as u64);
        info!(sent = done.len(), left = left.len(), "window published");
        match window.problem {
            Some(problem) => {
                self.ledger.give_back_requests(&left).await?;
                warn!("{} OCR requests were not taken and are sent again: {}", left.len(), chain(&problem));
                sleep(PAUSES.0).await;
                if problem.is_transient() { Ok(()) } else { Err(problem.into()) }
            }
            None => Ok(()),
        }
    }

    /// Marks confirmed requests, however long the ledger is away: until then each would be sent twice.
    async fn note(&self, ids: &[&str]) {
        let mut pause = PAUSES.0;
        while let Err(error) = self.ledger.mark_published(ids).await {
            warn!("{} OCR requests are sent but not marked: {}", ids.len(), chain(&error));
            sleep(pause).await;
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    /// The messages, with where their contents are found now.
    async fn messages(&self, requests: &[OutboxRequest]) -> Result<Vec<Outgoing>, LedgerError> {
        let contents: BTreeSet<&str> =
            requests.iter().map(|request| request.document_sha256.as_str()).collect();
        let places = self.ledger.places(&contents).await?;
        let ids: Vec<&str> = requests.iter().map(|request| request.id.as_str()).collect();
        let jobs = self.ledger.request_jobs(&ids).await?;
        let message = |request: &OutboxRequest| {
            let places = places.get(&request.document_sha256).map_or(&[][..], Vec::as_slice);
            // A body that does not read is sent as it is: its consumers validate, and it is not lost.
            let body = OcrRequest::with_places(&request.body, places)
                .map_or_else(|_| request.body.clone(), |request| request.to_json());
            Outgoing {
                id: request.id.clone(),
                body: body.into_bytes(),
                content_type: CONTENT_TYPE,
                headers: jobs
                    .get(&request.id)
                    .and_then(|job| trace::traceparent(job, "ocr"))
                    .map(|trace| (trace::TRACEPARENT, trace))
                    .into_iter()
                    .collect(),
            }
        };
        Ok(requests.iter().map(message).collect())
    }
}

/// Waits until `stop` was asked for, and then `grace` longer.
async fn stopped_for(stop: &mut watch::Receiver<bool>, grace: Duration) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        std::future::pending::<()>().await; // nobody can ask any more
    }
    sleep(grace).await;
}
