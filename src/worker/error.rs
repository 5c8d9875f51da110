//! Why a worker stops.

use crate::isolate::IsolateError;
use crate::ledger::LedgerError;
use crate::objects::ObjectError;
use crate::tables::TablesError;

/// Infrastructure failed; no document can cause it.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// The ledger failed or refused.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// No child could be had.
    #[error(transparent)]
    Isolate(#[from] IsolateError),
    /// Rows could not be written.
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// A result could not be stored.
    #[error(transparent)]
    Objects(#[from] ObjectError),
    /// The storage that documents are read from failed or refused.
    #[error(transparent)]
    Store(ObjectError),
    /// This program has a bug; the place is on standard error.
    #[error("internal error in a task")]
    Panicked,
}

impl WorkerError {
    /// Whether a service was away for a moment.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Ledger(error) => error.is_transient(),
            Self::Objects(error) | Self::Store(error) => error.is_transient(),
            _ => false,
        }
    }

    /// The part of the world that failed, as [`health`](crate::telemetry::health) calls it.
    pub(super) fn part(&self) -> &'static str {
        match self {
            Self::Ledger(_) => "ledger",
            Self::Objects(_) => "results",
            Self::Store(_) => "store",
            Self::Isolate(_) | Self::Tables(_) | Self::Panicked => "scoring",
        }
    }

    /// Whether only this task's results are to be dropped, because another worker has the task.
    pub fn is_lost_lease(&self) -> bool {
        matches!(self, Self::Ledger(LedgerError::LeaseLost { .. } | LedgerError::StagingTooOld { .. }))
    }
}
