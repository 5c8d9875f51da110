//! Dead letters: looked at, and sent back where they came from.

use lapin::BasicProperties;
use lapin::options::{BasicAckOptions, BasicGetOptions};
use lapin::types::{AMQPValue, FieldTable};

use super::consume::{REASON_HEADER, trace_of};
use super::{Broker, Outgoing, Publisher, QueueError, Topology};

/// One dead letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeadLetter {
    /// AMQP `message_id`; empty: none.
    pub id: String,
    /// Why it is one: our words, or the broker's (`rejected`, `delivery_limit`, `expired`, `maxlen`).
    pub reason: String,
    /// The message.
    pub body: Vec<u8>,
}

/// Reads the dead letters of `queue`, at most `limit`. With `replay` each is published to `queue` again and leaves the
/// dead ones once the broker has confirmed it; without, all stay.
pub async fn dead_letters(
    broker: &Broker,
    queue: &str,
    limit: usize,
    replay: bool,
) -> Result<Vec<DeadLetter>, QueueError> {
    let session = broker.session().await?;
    let channel = session.channel().await?;
    let mut publisher = Publisher::new(broker.clone());
    let mut letters = Vec::new();
    // Unacknowledged messages go back when the channel closes; so each is seen once.
    while letters.len() < limit {
        let dead = Topology::dead(queue);
        let Some(got) = channel.basic_get(dead.as_str().into(), BasicGetOptions::default()).await? else {
            break;
        };
        let delivery = got.delivery;
        let id = delivery.properties.message_id().as_ref().map_or_else(String::new, ToString::to_string);
        let trace = trace_of(&delivery.properties);
        let letter = DeadLetter { id, reason: reason(&delivery.properties), body: delivery.data };
        if replay {
            let content_type = if letter.id.starts_with("ocr:") {
                "application/cloudevents+json"
            } else {
                "application/json"
            };
            let message = Outgoing {
                id: letter.id.clone(),
                body: letter.body.clone(),
                content_type,
                headers: trace.into_iter().collect(),
            };
            if let Some(problem) = publisher.publish(queue, &[message]).await?.problem {
                return Err(problem);
            }
            delivery.acker.ack(BasicAckOptions::default()).await?;
        }
        letters.push(letter);
    }
    Ok(letters)
}

fn reason(properties: &BasicProperties) -> String {
    let headers = properties.headers().clone().unwrap_or_default();
    let ours = text(&headers, REASON_HEADER);
    ours.or_else(|| text(&headers, "x-first-death-reason")).unwrap_or_else(|| "unknown".to_owned())
}

fn text(headers: &FieldTable, name: &str) -> Option<String> {
    match headers.inner().get(name)? {
        AMQPValue::LongString(value) => Some(crate::words::clean(&value.to_string(), 250)),
        AMQPValue::ShortString(value) => Some(crate::words::clean(value.as_str(), 250)),
        _ => None,
    }
}
