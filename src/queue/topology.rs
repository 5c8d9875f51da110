//! The exchanges and queues, in one idempotent step.

use lapin::options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions};
use lapin::types::{AMQPValue, FieldTable, LongString};
use lapin::{Channel, ExchangeKind};

use super::QueueError;

/// Deliveries after which a message is dead-lettered. Nothing depends on it: attempts are counted in the ledger.
const DELIVERY_LIMIT: i32 = 5;
/// The same for dead letters, which are looked at without being taken: since RabbitMQ 4.0 the default is 20.
const DEAD_DELIVERY_LIMIT: i32 = 1_000_000;

/// Names of exchanges and queues.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Topology {
    prefix: String,
}

/// What the broker says of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueState {
    /// Messages ready to be delivered.
    pub messages: u64,
    /// Consumers.
    pub consumers: u64,
}

impl Topology {
    /// The names that begin with `prefix`; by default `pagesieve`.
    pub fn new(prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into() }
    }

    /// The exchange that messages are published to; the routing key is the queue's name.
    pub fn exchange(&self) -> String {
        self.prefix.clone()
    }

    /// The exchange of dead letters.
    pub fn dead_exchange(&self) -> String {
        format!("{}.dlx", self.prefix)
    }

    /// Document ids and seals.
    pub fn documents(&self) -> String {
        format!("{}.documents", self.prefix)
    }

    /// OCR requests.
    pub fn ocr(&self) -> String {
        format!("{}.ocr", self.prefix)
    }

    /// Where the dead letters of a queue go.
    pub fn dead(queue: &str) -> String {
        format!("{queue}.dead")
    }

    /// All queues, dead letters last.
    pub fn queues(&self) -> [String; 4] {
        let (documents, ocr) = (self.documents(), self.ocr());
        let dead = [Self::dead(&documents), Self::dead(&ocr)];
        let [dead_documents, dead_ocr] = dead;
        [documents, ocr, dead_documents, dead_ocr]
    }

    /// Declares and binds everything; what is there already, with these properties, stays.
    ///
    /// # Errors
    /// [`QueueError::Mismatch`] where one exists with others; the channel is closed then.
    pub(super) async fn declare(&self, channel: &Channel) -> Result<(), QueueError> {
        let durable = ExchangeDeclareOptions { durable: true, ..ExchangeDeclareOptions::default() };
        for exchange in [self.exchange(), self.dead_exchange()] {
            channel
                .exchange_declare(
                    exchange.as_str().into(),
                    ExchangeKind::Direct,
                    durable,
                    FieldTable::default(),
                )
                .await
                .map_err(|error| QueueError::of_declaration(&exchange, error))?;
        }
        for queue in [self.documents(), self.ocr()] {
            let dead = Self::dead(&queue);
            // The dead letters first: from its first message on a queue has somewhere to send them.
            let mut kept = FieldTable::default();
            kept.insert("x-delivery-limit".into(), AMQPValue::LongInt(DEAD_DELIVERY_LIMIT));
            self.queue(channel, &dead, &self.dead_exchange(), kept).await?;
            self.queue(channel, &queue, &self.exchange(), self.dead_lettering(&dead)).await?;
        }
        Ok(())
    }

    async fn queue(
        &self,
        channel: &Channel,
        name: &str,
        exchange: &str,
        mut arguments: FieldTable,
    ) -> Result<(), QueueError> {
        arguments.insert("x-queue-type".into(), text("quorum"));
        channel
            .queue_declare(name.into(), QueueDeclareOptions::durable(), arguments)
            .await
            .map_err(|error| QueueError::of_declaration(name, error))?;
        channel
            .queue_bind(
                name.into(),
                exchange.into(),
                name.into(),
                QueueBindOptions::default(),
                FieldTable::default(),
            )
            .await
            .map_err(|error| QueueError::of_declaration(name, error))
    }

    fn dead_lettering(&self, dead: &str) -> FieldTable {
        let mut arguments = FieldTable::default();
        arguments.insert("x-delivery-limit".into(), AMQPValue::LongInt(DELIVERY_LIMIT));
        arguments.insert("x-dead-letter-exchange".into(), text(&self.dead_exchange()));
        arguments.insert("x-dead-letter-routing-key".into(), text(dead));
        // At least once needs a queue that refuses instead of dropping its head.
        arguments.insert("x-dead-letter-strategy".into(), text("at-least-once"));
        arguments.insert("x-overflow".into(), text("reject-publish"));
        arguments
    }
}

/// Asks for a queue without creating it. Closes the channel where it is absent.
pub(super) async fn queue_state(channel: &Channel, queue: &str) -> Result<QueueState, QueueError> {
    let passive = QueueDeclareOptions { passive: true, ..QueueDeclareOptions::default() };
    let found = channel
        .queue_declare(queue.into(), passive, FieldTable::default())
        .await
        .map_err(|error| QueueError::of_declaration(queue, error))?;
    Ok(QueueState { messages: found.message_count().into(), consumers: found.consumer_count().into() })
}

fn text(text: &str) -> AMQPValue {
    AMQPValue::LongString(LongString::from(text))
}
