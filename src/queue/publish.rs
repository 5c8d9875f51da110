//! Publishing in windows: everything is sent, then every confirm awaited.

use std::time::Duration;

use lapin::options::{BasicPublishOptions, ConfirmSelectOptions};
use lapin::types::{AMQPValue, FieldTable, LongString, ShortString};
use lapin::{BasicProperties, Channel, Confirmation, PublisherConfirm};
use tokio::time::Instant;

use super::broker::{Session, recover};
use super::topology::queue_state;
use super::{Broker, QueueError, QueueState};
use crate::telemetry::names;

/// Messages on disk.
const PERSISTENT: u8 = 2;
/// Time without an alarm after which missing confirms are an error.
const CONFIRMS: Duration = Duration::from_secs(30);
/// Time between two looks at the alarm.
const LOOK: Duration = Duration::from_millis(250);

/// One message to publish.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outgoing {
    /// AMQP `message_id`; empty: none.
    pub id: String,
    /// The body.
    pub body: Vec<u8>,
    /// AMQP `content_type`.
    pub content_type: &'static str,
    /// Text headers.
    pub headers: Vec<(&'static str, String)>,
}

/// What became of a window.
#[derive(Debug)]
pub struct Window {
    /// By message: whether the broker has it, on the disks of a majority.
    pub confirmed: Vec<bool>,
    /// Why not all are; publish those again.
    pub problem: Option<QueueError>,
}

/// Publishes with confirms. One connection, opened when first needed and again when lost.
pub struct Publisher {
    broker: Broker,
    open: Option<Open>,
}

struct Open {
    channel: Channel,
    session: Session,
}

impl Publisher {
    /// Nothing is connected yet.
    pub fn new(broker: Broker) -> Self {
        Self { broker, open: None }
    }

    /// Publishes a window to a queue. Under an alarm it waits for the broker to take messages again.
    ///
    /// # Errors
    /// When there is no connection to be had. What fails later is told in the [`Window`].
    pub async fn publish(&mut self, queue: &str, messages: &[Outgoing]) -> Result<Window, QueueError> {
        let exchange = self.broker.topology().exchange();
        self.publish_to(&exchange, queue, messages).await
    }

    /// Asks for the state of a queue.
    pub async fn state(&mut self, queue: &str) -> Result<QueueState, QueueError> {
        self.channel().await?;
        let open = self.open.as_ref().expect("just opened");
        let asked = async {
            let channel = open.session.channel().await?; // an absent queue closes its channel
            let state = queue_state(&channel, queue).await?;
            channel.close(200, "".into()).await?;
            Ok(state)
        };
        // Under an alarm, and after a fault, answers may not come.
        let state = tokio::time::timeout(CONFIRMS, asked)
            .await
            .unwrap_or(Err(QueueError::Unconfirmed { waited: CONFIRMS }));
        if state.is_err() {
            self.open = None; // the next session declares the queue again
        }
        state
    }

    pub(super) async fn publish_to(
        &mut self,
        exchange: &str,
        queue: &str,
        messages: &[Outgoing],
    ) -> Result<Window, QueueError> {
        let channel = self.channel().await?;
        let mut window = Window { confirmed: vec![false; messages.len()], problem: None };
        let sent = send(&channel, exchange, queue, messages, &mut window);
        if let Err(error) = self.watched(sent).await {
            window.problem = Some(error);
        }
        match window.problem.take() {
            None => return Ok(window),
            Some(QueueError::Amqp(error)) => {
                let recovered = recover(&channel, error.clone()).await;
                if recovered.is_err() {
                    self.open = None;
                }
                window.problem = Some(error.into());
            }
            // A new session declares the queue again, and forgets what is still on its way.
            Some(other) => {
                self.open = None;
                window.problem = Some(other);
            }
        }
        Ok(window)
    }

    async fn channel(&mut self) -> Result<Channel, QueueError> {
        if let Some(open) = self.open.take_if(|open| !open.channel.status().connected()) {
            drop(open);
        }
        if let Some(open) = &self.open {
            return Ok(open.channel.clone());
        }
        let session = self.broker.session().await?;
        let channel = session.channel().await?;
        channel.confirm_select(ConfirmSelectOptions::default()).await?;
        self.open = Some(Open { channel: channel.clone(), session });
        Ok(channel)
    }

    /// Waits for a window, with a limit that stands still while the broker says that it takes no messages.
    async fn watched(&self, window: impl Future<Output = ()>) -> Result<(), QueueError> {
        tokio::pin!(window);
        let mut until = Instant::now() + CONFIRMS;
        loop {
            if tokio::time::timeout(LOOK, &mut window).await.is_ok() {
                return Ok(());
            }
            if self.broker.alarm().is_some() {
                until = Instant::now() + CONFIRMS;
            } else if Instant::now() > until {
                return Err(QueueError::Unconfirmed { waited: CONFIRMS });
            }
        }
    }
}

/// Sends every message, then takes the confirms in order.
async fn send(channel: &Channel, exchange: &str, queue: &str, messages: &[Outgoing], window: &mut Window) {
    let mut confirms: Vec<Option<PublisherConfirm>> = Vec::with_capacity(messages.len());
    let (exchange, key): (ShortString, ShortString) = (exchange.into(), queue.into());
    let options = BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() };
    for message in messages {
        let sent = channel
            .basic_publish(exchange.clone(), key.clone(), options, &message.body, properties(message))
            .await;
        match sent {
            Ok(confirm) => confirms.push(Some(confirm)),
            Err(error) => {
                window.problem = Some(error.into());
                break;
            }
        }
    }
    for (index, confirm) in confirms.iter_mut().enumerate() {
        let Some(confirm) = confirm.take() else { continue };
        let queue = queue.to_owned();
        match confirm.await {
            Ok(Confirmation::Ack(None)) => window.confirmed[index] = true,
            Ok(Confirmation::Ack(Some(_))) => window.problem = Some(QueueError::Unroutable { queue }),
            Ok(Confirmation::Nack(_) | Confirmation::NotRequested) => {
                window.problem = Some(QueueError::Nacked { queue });
            }
            Err(error) => window.problem = Some(error.into()),
        }
    }
    let n_confirmed = window.confirmed.iter().filter(|confirmed| **confirmed).count();
    metrics::counter!(names::CONFIRMS, "outcome" => "confirmed").increment(n_confirmed as u64);
    let n_missed = messages.len() - n_confirmed;
    metrics::counter!(names::CONFIRMS, "outcome" => "missed").increment(n_missed as u64);
}

fn properties(message: &Outgoing) -> BasicProperties {
    let mut properties = BasicProperties::default().with_delivery_mode(PERSISTENT);
    if !message.content_type.is_empty() {
        properties = properties.with_content_type(message.content_type.into());
    }
    if !message.id.is_empty() {
        properties = properties.with_message_id(message.id.as_str().into());
    }
    if !message.headers.is_empty() {
        let mut headers = FieldTable::default();
        for (name, value) in &message.headers {
            headers.insert((*name).into(), AMQPValue::LongString(LongString::from(value.as_str())));
        }
        properties = properties.with_headers(headers);
    }
    properties
}
