//! Waking idle workers: PostgreSQL tells them, SQLite's are in this very process and poll.

use std::sync::Arc;
use std::time::Duration;

use sqlx::Connection;
use sqlx::postgres::{PgConnection, PgListener};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::dialect::Dialect;
use super::{Ledger, LedgerError};

/// Channel of `notify`; one for all ledgers of a database: a worker woken for nothing looks and sleeps again.
const CHANNEL: &str = "pagesieve_tasks";
/// Patience with a server that does not answer.
const CONNECT: Duration = Duration::from_secs(10);
/// Pause before listening again.
const RETRY: Duration = Duration::from_secs(5);

/// Tells a worker that there may be tasks.
pub struct Wake {
    notify: Arc<Notify>,
    listener: Option<JoinHandle<()>>,
}

impl Wake {
    /// Listens at the ledger's address; where that fails or cannot be, only the time wakes.
    pub fn listen(url: &str) -> Self {
        let notify = Arc::new(Notify::new());
        if Dialect::of_url(url) == Dialect::Sqlite {
            return Self { notify, listener: None };
        }
        let (woken, url) = (Arc::clone(&notify), url.to_owned());
        let listener = tokio::spawn(async move {
            loop {
                let _ = listen(&url, &woken).await; // polling goes on meanwhile
                tokio::time::sleep(RETRY).await;
            }
        });
        Self { notify, listener: Some(listener) }
    }

    /// Waits for a hint, but no longer than `poll`.
    pub async fn wait(&self, poll: Duration) {
        let _ = timeout(poll, self.notify.notified()).await;
    }
}

impl Drop for Wake {
    fn drop(&mut self) {
        if let Some(listener) = &self.listener {
            listener.abort();
        }
    }
}

async fn listen(url: &str, notify: &Notify) -> Result<(), sqlx::Error> {
    let mut listener = PgListener::connect(url).await?;
    listener.listen(CHANNEL).await?;
    loop {
        listener.recv().await?;
        notify.notify_one();
    }
}

impl Ledger {
    /// Tells idle workers that there are tasks.
    pub(super) async fn wake_workers(&self) -> Result<(), LedgerError> {
        if self.dialect == Dialect::Postgres {
            sqlx::query("select cast(pg_notify($1, '') as text)").bind(CHANNEL).execute(&self.pool).await?;
        }
        Ok(())
    }
}

/// Connects once, so that a server that is away or refuses is told at once and apart.
pub(super) async fn probe(url: &str) -> Result<(), LedgerError> {
    let connecting = timeout(CONNECT, PgConnection::connect(url)).await;
    let connection = connecting
        .unwrap_or_else(|_| Err(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into())))
        .map_err(LedgerError::of_connecting)?;
    let _ = connection.close().await;
    Ok(())
}
