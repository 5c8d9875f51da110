//! Exit codes; a contract.

use std::process::ExitCode;

use crate::config::ConfigError;
use crate::ledger::LedgerError;
use crate::listen::ListenError;
use crate::objects::ObjectError;
use crate::queue::QueueError;
use crate::source::SourceError;
use crate::worker::WorkerError;

/// How the command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    Done = 0,
    /// `--fail-on` or `--strict` tripped, or a single file could not be scored.
    Gate = 1,
    /// The command line or the settings are wrong.
    Usage = 2,
    /// A service is unreachable.
    Unreachable = 3,
    /// Our fault, or the machine's.
    Internal = 4,
    /// Stopped by a signal; the same command goes on where it stopped.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The command line asks for what cannot be done; the message says what to do instead.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct UsageError(pub(super) String);

/// An error that is the caller's.
pub(super) fn usage(message: impl Into<String>) -> anyhow::Error {
    UsageError(message.into()).into()
}

impl Exit {
    /// The exit code of an error, from the first cause that tells.
    pub(super) fn of(error: &anyhow::Error) -> Self {
        for cause in error.chain() {
            if cause.is::<UsageError>()
                || cause.is::<ConfigError>()
                || cause.is::<SourceError>()
                || cause.is::<ListenError>()
            {
                return Self::Usage;
            }
            match cause.downcast_ref() {
                Some(QueueError::Url(_)) => return Self::Usage,
                Some(_) => return Self::Unreachable,
                None => {}
            }
            match cause.downcast_ref() {
                Some(LedgerError::Busy { .. }) => return Self::Usage,
                Some(LedgerError::Refused(_)) => return Self::Unreachable,
                _ => {}
            }
            // Transparent errors leave their object error out of the chain.
            let stored = match cause.downcast_ref() {
                Some(WorkerError::Store(error) | WorkerError::Objects(error)) => Some(error),
                _ => cause.downcast_ref(),
            };
            if let Some(ObjectError::Away { .. } | ObjectError::Refused { .. }) = stored {
                return Self::Unreachable;
            }
            if let Some(sqlx::Error::PoolTimedOut | sqlx::Error::Io(_)) = cause.downcast_ref() {
                return Self::Unreachable;
            }
        }
        Self::Internal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_decides_wherever_it_is_in_the_chain() {
        assert_eq!(Exit::of(&usage("no such folder").context("scan")), Exit::Usage);
        assert_eq!(
            Exit::of(&anyhow::Error::new(sqlx::Error::PoolTimedOut).context("ledger")),
            Exit::Unreachable
        );
        assert_eq!(Exit::of(&anyhow::anyhow!("anything else")), Exit::Internal);
    }
}
