use std::io;
use std::time::Duration;

use lapin::ErrorKind;
use lapin::protocol::{AMQPErrorKind, AMQPHardError, AMQPSoftError};

/// Why the broker could not be used. No text holds a password.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// `queue.url` is no AMQP address.
    #[error("`queue.url` is not an AMQP address: {0}")]
    Url(String),
    /// Nobody listens there, or not for us.
    #[error("the broker at `{address}` is unreachable")]
    Unreachable {
        /// `host:port`.
        address: String,
        /// The cause.
        source: io::Error,
    },
    /// It took the connection and then said nothing, or nothing of AMQP.
    #[error("the broker at `{address}` does not answer")]
    Silent {
        /// `host:port`.
        address: String,
    },
    /// User, password or virtual host are wrong.
    #[error("the broker at `{address}` refuses user `{user}` on virtual host `{vhost}`")]
    Refused {
        /// `host:port`.
        address: String,
        /// The user.
        user: String,
        /// The virtual host.
        vhost: String,
        /// The broker's words.
        source: Box<lapin::Error>,
    },
    /// A queue or exchange exists with other properties.
    #[error("`{name}` exists on the broker with other properties")]
    Mismatch {
        /// Its name.
        name: String,
        /// The broker's words.
        source: Box<lapin::Error>,
    },
    /// A queue or exchange that must exist does not.
    #[error("`{name}` does not exist on the broker")]
    Absent {
        /// Its name.
        name: String,
        /// The broker's words.
        source: Box<lapin::Error>,
    },
    /// The broker returned a message: no queue is bound for it.
    #[error("the broker has no queue bound for `{queue}`")]
    Unroutable {
        /// The routing key.
        queue: String,
    },
    /// The broker took a message and refused it, such as a full queue does.
    #[error("the broker refuses messages for `{queue}`")]
    Nacked {
        /// The routing key.
        queue: String,
    },
    /// Confirms did not come in time.
    #[error("the broker confirmed nothing for {} s", waited.as_secs())]
    Unconfirmed {
        /// How long was waited.
        waited: Duration,
    },
    /// The connection or channel failed.
    #[error("the connection to the broker failed")]
    Amqp(#[from] lapin::Error),
}

impl QueueError {
    /// Sorts an error of a declaration of `name`.
    pub(super) fn of_declaration(name: &str, source: lapin::Error) -> Self {
        let name = name.to_owned();
        let found = soft(&source);
        let source = Box::new(source);
        match found {
            Some(AMQPSoftError::PRECONDITIONFAILED) => Self::Mismatch { name, source },
            Some(AMQPSoftError::NOTFOUND) => Self::Absent { name, source },
            _ => Self::Amqp(*source),
        }
    }

    /// Whether trying again later can help without anybody changing settings.
    pub fn is_transient(&self) -> bool {
        !matches!(self, Self::Url(_) | Self::Refused { .. } | Self::Mismatch { .. })
    }
}

fn soft(error: &lapin::Error) -> Option<AMQPSoftError> {
    match error.kind() {
        ErrorKind::ProtocolError(error) => match error.kind() {
            AMQPErrorKind::Soft(soft) => Some(soft.clone()),
            AMQPErrorKind::Hard(_) => None,
        },
        _ => None,
    }
}

/// Whether the broker refused user, password or virtual host.
pub(super) fn is_refusal(error: &lapin::Error) -> bool {
    let hard = match error.kind() {
        ErrorKind::ProtocolError(error) => match error.kind() {
            AMQPErrorKind::Hard(hard) => Some(hard.clone()),
            AMQPErrorKind::Soft(_) => None,
        },
        _ => None,
    };
    soft(error) == Some(AMQPSoftError::ACCESSREFUSED)
        || matches!(hard, Some(AMQPHardError::NOTALLOWED | AMQPHardError::INVALIDPATH))
}
