//! RabbitMQ: topology, consume, publish with confirms.
//!
//! Takes: messages to send, a queue to read. Gives: which messages the broker has taken over; batches of deliveries that are
//! acknowledged together. Fails: [`QueueError`], whose text never holds the URL's password. Never: forgets a message that does
//! not parse, waits for ever on a confirm that does not come, or relies on how a broker counts attempts.
//!
//! ```text
//! <prefix> (direct) ──► <prefix>.documents (quorum) ──rejected, 5 deliveries──► <prefix>.dlx ──► <prefix>.documents.dead
//!                   └─► <prefix>.ocr       (quorum) ──rejected, 5 deliveries──► <prefix>.dlx ──► <prefix>.ocr.dead
//! ```
//!
//! A lost connection is recovered by the client; where it gives up, or a channel was closed by its own error, the next call
//! opens a new session and declares the topology again. Duplicates occur then: whoever reads must be idempotent.

mod broker;
mod consume;
mod dead;
mod error;
mod message;
mod publish;
#[cfg(test)]
mod tests;
mod topology;

pub use broker::Broker;
pub use consume::{Batch, Consumer};
pub use dead::{DeadLetter, dead_letters};
pub use error::QueueError;
pub use message::{DocumentMessage, MAX_BYTES, Message, SealMessage};
pub use publish::{Outgoing, Publisher, Window};
pub use topology::{QueueState, Topology};
