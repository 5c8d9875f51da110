//! Jobs, documents, tasks, leases, attempts, staging files and the outbox of OCR requests.
//!
//! Takes: what was listed, who works, how documents ended. Gives: what is left to do and what was
//! done, after any crash. Fails: [`LedgerError`]; each call is one transaction and may be repeated.
//! Never: believes a worker whose lease was given to another.
//!
//! ```text
//! job:   open ──seal──► sealed ──begin_close──► closing ──publish──► published ──finish──► closed
//!          └──────────────┴── begin_job (fresh, or other settings) ──► abandoned
//! task:  ready ──claim──► leased ──close_task──► done
//!          ▲                 │
//!          └─────────────────┘ release, lease expired, owner's process gone (SQLite)
//! ```
//!
//! One SQL text serves SQLite and PostgreSQL (see `dialect`). Jobs of one corpus are worked on one after the other: the
//! oldest unfinished one has the turn, so the snapshot it is compared with cannot change under it.

mod closing;
mod dialect;
mod error;
#[cfg(test)]
mod fleet_tests;
mod intake;
mod jobs;
mod leading;
mod lock;
mod outbox;
mod relaying;
mod schema;
mod tasks;
#[cfg(test)]
mod tests;
mod types;
mod wake;
mod watching;

pub use error::LedgerError;
pub use intake::{Arrival, Arrived};
pub use leading::{LEADER_LEASE, OpenJob};
pub use outbox::Place;
pub use relaying::{OutboxState, RELAY_LEASE};
pub use schema::{Schema, schema};
pub use types::{
    Access, Attempt, Job, JobState, Lease, NewJob, OutboxRequest, Outcome, Planned, Previous, Progress,
    ScoreKey, StagingFile, Task, TaskDocument, TaskResult,
};
pub use wake::Wake;
pub use watching::Busy;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::any::AnyPoolOptions;
use sqlx::migrate::Migrator;
use sqlx::{Any, AnyConnection, AnyPool, Connection, Transaction};

use dialect::Dialect;
use lock::OwnerLock;

/// Documents of one task, at most.
pub const TASK_DOCUMENTS: usize = 64;
/// Bytes of one task's documents, at most; a larger document is a task of its own.
pub const TASK_BYTES: u64 = 64 << 20;
/// Life of a lease after a claim or heartbeat.
pub const LEASE: Duration = Duration::from_secs(60);
/// A commit refuses a staging file older than this; the janitor spares files twice as long.
pub const STAGING_COMMIT_AGE: Duration = Duration::from_secs(12 * 3600);

/// Jobs, documents, tasks, leases and the outbox, in SQLite or PostgreSQL. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Ledger {
    pool: AnyPool,
    dialect: Dialect,
    /// Held for the life of the ledger by a worker of a SQLite file.
    _lock: Option<Arc<OwnerLock>>,
}

impl Ledger {
    /// Opens and migrates the ledger in a SQLite file, created when absent.
    ///
    /// A worker holds an advisory lock on `<path>-lock` until the last clone is dropped; a second worker gets
    /// [`LedgerError::Busy`]. The kernel drops the lock with the process, so after `kill -9` the next worker gets it at once
    /// and knows that every lease in the file is a dead process's: they are given back uncounted. (Process ids with start
    /// times would tell the same on one host, but not across the process namespaces of containers.)
    pub async fn open_file(path: &Path, access: Access) -> Result<Self, LedgerError> {
        let lock = match access {
            Access::Worker => Some(Arc::new(OwnerLock::take(path)?)),
            Access::Guest => None,
        };
        let url = dialect::sqlite_url(path)?;
        let connected = Self::connect(&url, Dialect::Sqlite, lock).await;
        let this = connected.map_err(|error| unwritable(path).unwrap_or(error))?;
        if access == Access::Worker {
            this.release_all().await?;
        }
        Ok(this)
    }

    /// Opens and migrates the ledger at `sqlite:PATH`, `sqlite://PATH` or `postgres://…`.
    pub async fn open(url: &str, access: Access) -> Result<Self, LedgerError> {
        if let Some(rest) = url.strip_prefix("sqlite:") {
            return Self::open_file(Path::new(rest.strip_prefix("//").unwrap_or(rest)), access).await;
        }
        // The pool would try a server that is away for a minute before it says so.
        wake::probe(url).await?;
        Self::connect(url, Dialect::Postgres, None).await
    }

    async fn connect(url: &str, dialect: Dialect, lock: Option<Arc<OwnerLock>>) -> Result<Self, LedgerError> {
        sqlx::any::install_default_drivers();
        let mut first = None;
        if dialect == Dialect::Sqlite {
            // The pool would try for a minute, and then tell nothing of the cause. Held until the pool has its own connection:
            // what this one could open is there for that.
            let mut connection = AnyConnection::connect(url).await?;
            dialect.set_up(&mut connection).await?;
            first = Some(connection);
        }
        let pool = AnyPoolOptions::new()
            .max_connections(dialect.connections())
            .acquire_timeout(Duration::from_secs(60))
            .idle_timeout(None)
            .max_lifetime(None)
            .after_connect(move |connection, _| Box::pin(dialect.set_up(connection)))
            .connect(url)
            .await?;
        let known = schema::migrator(dialect);
        // A newer release may have migrated already; its schema suits this one.
        let mut migrator = Migrator { migrations: known.migrations.clone(), ..Migrator::DEFAULT };
        migrator.set_ignore_missing(true).run(&pool).await?;
        if let Some(first) = first {
            first.close().await?;
        }
        Ok(Self { pool, dialect, _lock: lock })
    }

    /// Whether no other process can be working on this ledger.
    pub fn is_exclusive(&self) -> bool {
        self._lock.is_some()
    }

    /// Closes the connections; what is committed is on disk.
    pub async fn close(self) {
        self.pool.close().await;
    }

    /// A transaction that writes: SQLite's takes the write lock at once, so that it cannot fail half-way.
    async fn write(&self) -> Result<Transaction<'static, Any>, LedgerError> {
        Ok(self.pool.begin_with(self.dialect.begin()).await?)
    }
}

/// Room that a ledger needs to begin with.
const ROOM_BYTES: usize = 1 << 20;

/// The system's own words on why nothing can be written beside a ledger; SQLite keeps them to itself.
fn unwritable(path: &Path) -> Option<LedgerError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let tried = tempfile::tempfile_in(folder).and_then(|mut file| {
        file.write_all(&vec![0; ROOM_BYTES])?;
        file.sync_all()
    });
    tried.err().map(|source| LedgerError::Unwritable { path: path.to_owned(), source })
}
