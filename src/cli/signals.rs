//! Stopping on request.

use std::io;
use std::time::Duration;

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::time::{Instant, sleep_until};

/// How long documents in work may go on after a request to stop. Service managers kill after 90 s, spot nodes
/// after 30.
const PATIENCE: Duration = Duration::from_secs(20);

/// Requests to stop: Ctrl-C, `kill`, a closed terminal.
#[derive(Debug)]
pub(super) struct Stop {
    signals: [Signal; 3],
    first: Option<Instant>,
}

impl Stop {
    /// From here on such a signal no longer ends the process.
    pub(super) fn watch() -> io::Result<Self> {
        let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()];
        let [interrupt, terminate, hangup] = kinds.map(signal);
        Ok(Self { signals: [interrupt?, terminate?, hangup?], first: None })
    }

    /// Waits for the next request.
    pub(super) async fn asked(&mut self) {
        let [interrupt, terminate, hangup] = &mut self.signals;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
        }
        self.first.get_or_insert_with(Instant::now);
    }

    /// When the patience with what is in work after the first request ends; `None` before it.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.first.map(|first| first + PATIENCE)
    }
}

/// Waits for a deadline; for ever without one.
pub(super) async fn reached(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
