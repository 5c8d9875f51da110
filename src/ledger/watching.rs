//! Who works at the moment, for those who look on.

use std::time::Duration;

use sqlx::Row;

use super::jobs::to_u64;
use super::{Ledger, LedgerError};

/// Workers that are told of at most.
const MOST: i64 = 1000;

/// A worker with tasks under a lease.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Busy {
    /// Its name: `worker-<host>-<process>`.
    pub owner: String,
    /// Tasks in its hands.
    pub tasks: u64,
    /// Their documents.
    pub documents: u64,
    /// Time until the first of its leases runs out, by the ledger's clock; a heartbeat every 10 s extends it to 60 s.
    pub lease_left: Duration,
}

impl Ledger {
    /// Workers whose leases hold, by name; a worker that waits for tasks has none and is not among them.
    pub async fn busy_workers(&self) -> Result<Vec<Busy>, LedgerError> {
        let sql = format!(
            "select owner, count(*) as n, cast(sum(n_documents) as bigint) as documents, \
             min(lease_until) - {now} as lease_left from tasks where state = 'leased' and lease_until > {now} \
             and owner is not null group by owner order by owner limit $1",
            now = self.dialect.now()
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(MOST).fetch_all(&self.pool).await?;
        rows.iter()
            .map(|row| {
                Ok(Busy {
                    owner: row.try_get("owner")?,
                    tasks: to_u64(row.try_get("n")?),
                    documents: to_u64(row.try_get("documents")?),
                    lease_left: Duration::from_micros(to_u64(row.try_get("lease_left")?)),
                })
            })
            .collect()
    }
}
