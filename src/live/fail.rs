//! Why a request has no answer.

use axum::http::StatusCode;

use crate::ledger::LedgerError;
use crate::report::ReportError;
use crate::words::chain;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("the ledger is not there yet")]
    Waiting,
    #[error("too many reports are being made; try again")]
    Busy,
    #[error("there is no {0}")]
    Missing(&'static str),
    #[error("{0}")]
    Asked(&'static str),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error("no process that draws could be started")]
    Drawing(#[from] std::io::Error),
    #[error("internal error: the log has the cause")]
    Panicked,
}

impl Failure {
    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::Missing(_) | Self::Ledger(LedgerError::NoJob(_)) => StatusCode::NOT_FOUND,
            Self::Report(error) if error.is_usage() => StatusCode::NOT_FOUND,
            Self::Asked(_) => StatusCode::BAD_REQUEST,
            Self::Waiting | Self::Busy => StatusCode::SERVICE_UNAVAILABLE,
            Self::Ledger(error) if error.is_transient() => StatusCode::SERVICE_UNAVAILABLE,
            Self::Report(ReportError::Storage { .. }) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Ledger(_) | Self::Report(_) | Self::Drawing(_) | Self::Panicked => {
                StatusCode::INTERNAL_SERVER_ERROR
            }
        }
    }

    /// A sentence for whoever asked. What failed inside is logged, not told.
    pub(super) fn told(&self) -> String {
        let status = self.status();
        match self {
            Self::Ledger(LedgerError::NoJob(_)) => "there is no such job in the ledger".to_owned(),
            Self::Report(_) if status == StatusCode::NOT_FOUND => {
                "there are no results of this job".to_owned()
            }
            Self::Ledger(_) => "the ledger does not answer".to_owned(),
            Self::Report(_) => "the results cannot be read".to_owned(),
            _ => self.to_string(),
        }
    }

    /// Logs what is not the asker's fault.
    pub(super) fn log(&self) {
        if self.status() == StatusCode::INTERNAL_SERVER_ERROR {
            tracing::error!("a request failed: {}", chain(self));
        }
    }
}
