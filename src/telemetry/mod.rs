//! Names of metrics, logging, and the progress of a scan.
//!
//! Takes: what the stages count. Gives: one log line per handled failure on standard error, a bar on
//! a terminal, plain lines in a pipe. Never: writes document text; labels are from bounded sets.

pub mod health;
mod log;
pub mod names;
#[cfg(feature = "otlp")]
mod otlp;
mod progress;
pub mod trace;

pub use log::start_logging;
pub(crate) use progress::grouped;
pub use progress::{Progress, ProgressKind};
