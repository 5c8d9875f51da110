//! Reading the document queue in batches that are acknowledged together.

use std::time::Duration;

use futures_lite::StreamExt;
use lapin::message::Delivery;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, BasicQosOptions};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{BasicProperties, Channel};
use tokio::time::{Instant, timeout_at};
use tracing::warn;

use super::broker::{Session, recover};
use super::{Broker, Message, Outgoing, Publisher, QueueError, Topology};
use crate::telemetry::trace::TRACEPARENT;

/// Messages in one batch, at most.
const BATCH: usize = 1_000;
/// How long a batch that is not full waits for more.
const LINGER: Duration = Duration::from_millis(100);

/// Header of a dead letter with why it is one.
pub(super) const REASON_HEADER: &str = "x-pagesieve-reason";

/// Messages that were delivered and are not acknowledged yet.
#[derive(Debug)]
pub struct Batch {
    /// In the order of the queue; the error says why a message cannot be read.
    pub messages: Vec<Result<Message, String>>,
    deliveries: Vec<Delivery>,
}

/// Reads the document queue. One connection, opened when first needed and again when lost.
pub struct Consumer {
    broker: Broker,
    publisher: Publisher,
    open: Option<Open>,
}

struct Open {
    channel: Channel,
    deliveries: lapin::Consumer,
    _session: Session,
}

impl Consumer {
    /// Nothing is connected yet.
    pub fn new(broker: Broker) -> Self {
        Self { publisher: Publisher::new(broker.clone()), broker, open: None }
    }

    /// Waits for the next messages: at least one. May be dropped at any time: what was delivered is delivered again.
    ///
    /// # Errors
    /// When the connection is lost and not recovered; the next call opens a new one.
    pub async fn next(&mut self) -> Result<Batch, QueueError> {
        loop {
            let batch = self.batch().await?;
            if !batch.deliveries.is_empty() {
                return Ok(batch);
            }
        }
    }

    async fn batch(&mut self) -> Result<Batch, QueueError> {
        let mut batch = Batch { messages: Vec::new(), deliveries: Vec::new() };
        self.open().await?;
        let open = self.open.as_mut().expect("just opened");
        let mut until: Option<Instant> = None;
        while batch.deliveries.len() < BATCH {
            let next = match until {
                None => open.deliveries.next().await,
                Some(until) => match timeout_at(until, open.deliveries.next()).await {
                    Ok(next) => next,
                    Err(_) => break,
                },
            };
            match next {
                Some(Ok(delivery)) => {
                    until.get_or_insert_with(|| Instant::now() + LINGER);
                    batch.messages.push(Message::parse(&delivery.data));
                    batch.deliveries.push(delivery);
                }
                Some(Err(error)) => {
                    // What was delivered before is delivered again: its acknowledgement would go astray.
                    if let Err(error) = recover(&open.channel, error).await {
                        self.open = None;
                        return Err(error);
                    }
                    batch.messages.clear();
                    batch.deliveries.clear();
                    until = None;
                }
                // The broker ended the consumer: the queue was deleted, or its node is going down.
                None => {
                    warn!(
                        "the broker ended the reading of `{}`; reading anew",
                        self.broker.topology().documents()
                    );
                    self.open = None;
                    break;
                }
            }
        }
        Ok(batch)
    }

    async fn open(&mut self) -> Result<(), QueueError> {
        if self.open.as_ref().is_some_and(|open| open.channel.status().connected()) {
            return Ok(());
        }
        self.open = None;
        let session = self.broker.session().await?;
        let channel = session.channel().await?;
        let prefetch = u16::try_from(2 * BATCH).expect("a small number");
        channel.basic_qos(prefetch, BasicQosOptions::default()).await?;
        let queue = self.broker.topology().documents();
        let deliveries = channel
            .basic_consume(
                queue.as_str().into(),
                "".into(),
                BasicConsumeOptions::default(),
                FieldTable::default(),
            )
            .await?;
        self.open = Some(Open { channel, deliveries, _session: session });
        Ok(())
    }

    /// Acknowledges a batch whose messages are stored. Those that cannot be read, and those `refused` by index with a
    /// reason, are put among the dead letters first.
    ///
    /// # Errors
    /// When a dead letter could not be stored; nothing is acknowledged then and all is delivered again. An
    /// acknowledgement that does not get through only means the latter.
    pub async fn settle(&mut self, batch: Batch, refused: &[(usize, String)]) -> Result<(), QueueError> {
        let unread = batch
            .messages
            .iter()
            .enumerate()
            .filter_map(|(index, message)| message.as_ref().err().map(|why| (index, why.as_str())));
        let refused = refused.iter().map(|(index, why)| (*index, why.as_str()));
        let dead: Vec<Outgoing> = unread
            .chain(refused)
            .filter_map(|(index, why)| Some(dead_letter(batch.deliveries.get(index)?, why)))
            .collect();
        if !dead.is_empty() {
            self.bury(&dead).await?;
        }
        if let Some(last) = batch.deliveries.last() {
            let all = BasicAckOptions { multiple: true };
            if let Err(error) = last.acker.ack(all).await {
                warn!("an acknowledgement was lost, {} messages come again: {error}", batch.deliveries.len());
            }
        }
        Ok(())
    }

    async fn bury(&mut self, dead: &[Outgoing]) -> Result<(), QueueError> {
        let queue = Topology::dead(&self.broker.topology().documents());
        let exchange = self.broker.topology().dead_exchange();
        warn!("{} messages go to `{queue}`, the first one because: {}", dead.len(), dead[0].headers[0].1);
        let window = self.publisher.publish_to(&exchange, &queue, dead).await?;
        window.problem.map_or(Ok(()), Err)
    }
}

/// The trace context that a message came with, where it is one: handed on with the message.
pub(super) fn trace_of(properties: &BasicProperties) -> Option<(&'static str, String)> {
    let headers = properties.headers().as_ref()?;
    let text = match headers.inner().get(TRACEPARENT)? {
        AMQPValue::LongString(value) => value.to_string(),
        AMQPValue::ShortString(value) => value.as_str().to_owned(),
        _ => return None,
    };
    let plain = text.len() == 55 && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    plain.then_some((TRACEPARENT, text))
}

fn dead_letter(delivery: &Delivery, why: &str) -> Outgoing {
    let id = delivery.properties.message_id().as_ref().map_or_else(String::new, ToString::to_string);
    Outgoing {
        id,
        body: delivery.data.clone(),
        content_type: "application/json",
        headers: [(REASON_HEADER, why.to_owned())]
            .into_iter()
            .chain(trace_of(&delivery.properties))
            .collect(),
    }
}
