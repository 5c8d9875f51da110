//! What the leader looks after: its own lease, and jobs that wait for something.

use std::time::Duration;

use sqlx::Row;

use super::jobs::{JOB, JobRow, UNFINISHED, to_u64};
use super::{Job, Ledger, LedgerError};
use crate::time::Timestamp;

/// Life of the leader's lease after it was taken or renewed.
pub const LEADER_LEASE: Duration = Duration::from_secs(15);

/// A job that has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenJob {
    /// The job.
    pub job: Job,
    /// Whether it holds documents that came without a job.
    pub feed: bool,
    /// Time since its last message, by the ledger's clock.
    pub silence: Duration,
    /// Different URIs that its seal promised.
    pub n_promised: Option<u64>,
    /// Whether documents are in no task yet.
    pub unplanned: bool,
    /// Whether tasks are not done yet.
    pub in_work: bool,
}

impl Ledger {
    /// Becomes the leader where nobody is: a new fencing epoch. Leases are measured by the ledger's clock.
    pub async fn try_lead(&self, owner: &str) -> Result<Option<i64>, LedgerError> {
        let sql = format!(
            "update leader set epoch = epoch + 1, owner = $1, lease_until = {now} + $2 where lease_until < {now} \
             returning epoch",
            now = self.dialect.now()
        );
        let row = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(owner)
            .bind(micros(LEADER_LEASE))
            .fetch_optional(&self.pool)
            .await?;
        Ok(row.map(|row| row.try_get("epoch")).transpose()?)
    }

    /// Extends the lease of the leader of `epoch`; `false` when there is a newer one.
    pub async fn renew_lead(&self, epoch: i64) -> Result<bool, LedgerError> {
        let sql = format!("update leader set lease_until = {} + $2 where epoch = $1", self.dialect.now());
        let done = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(epoch)
            .bind(micros(LEADER_LEASE))
            .execute(&self.pool)
            .await?;
        Ok(done.rows_affected() == 1)
    }

    /// Lets the next leader take over at once, where `owner` is the leader.
    pub async fn resign(&self, owner: &str) -> Result<(), LedgerError> {
        sqlx::query("update leader set lease_until = 0 where owner = $1")
            .bind(owner)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Refuses a leader that was superseded.
    pub async fn check_lead(&self, epoch: i64) -> Result<(), LedgerError> {
        let newest: i64 = sqlx::query_scalar("select epoch from leader").fetch_one(&self.pool).await?;
        if newest == epoch { Ok(()) } else { Err(LedgerError::Fenced { epoch }) }
    }

    /// Jobs that have not ended, oldest first.
    pub async fn unfinished_jobs(&self) -> Result<Vec<OpenJob>, LedgerError> {
        let sql = format!(
            "{} where j.state in {UNFINISHED} order by j.seq",
            JOB.replacen(
                "select ",
                &format!(
                    "select j.feed, {now} - case when j.heard_at = 0 then j.begun_at else j.heard_at end as silence, \
                     case when exists (select 1 from documents d where d.job = j.seq and d.task is null \
                     and d.state is null) then 1 else 0 end as unplanned, \
                     case when exists (select 1 from tasks t where t.job = j.seq and t.state <> 'done') \
                     then 1 else 0 end as in_work, ",
                    now = self.dialect.now()
                ),
                1
            )
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql)).fetch_all(&self.pool).await?;
        rows.iter()
            .map(|row| {
                let silence = to_u64(row.try_get("silence")?);
                let read = JobRow::read(row)?;
                Ok(OpenJob {
                    feed: row.try_get::<i64, _>("feed")? != 0,
                    silence: Duration::from_micros(silence),
                    n_promised: read.n_documents.map(to_u64),
                    unplanned: row.try_get::<i64, _>("unplanned")? != 0,
                    in_work: row.try_get::<i64, _>("in_work")? != 0,
                    job: read.job,
                })
            })
            .collect()
    }

    /// Seals a job with the documents it has, as a listing that did not see the whole corpus.
    pub async fn seal_as_it_is(&self, job: &str, epoch: i64) -> Result<(), LedgerError> {
        self.check_lead(epoch).await?;
        sqlx::query(
            "update jobs set state = 'sealed', complete = 0, \
             n_documents = (select count(*) from documents d where d.job = jobs.seq) \
             where id = $1 and state in ('open', 'sealed')",
        )
        .bind(job)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Documents that a job has.
    pub async fn n_documents(&self, job: &str) -> Result<u64, LedgerError> {
        let n: i64 = sqlx::query_scalar(
            "select count(*) from documents d join jobs j on j.seq = d.job where j.id = $1",
        )
        .bind(job)
        .fetch_one(&self.pool)
        .await?;
        Ok(to_u64(n))
    }

    /// Documents in tasks that are not done.
    pub async fn n_pending(&self) -> Result<u64, LedgerError> {
        let sql = format!(
            "select cast(coalesce(sum(t.n_documents), 0) as bigint) from tasks t join jobs j on j.seq = t.job \
             where j.state in {UNFINISHED} and t.state <> 'done'"
        );
        Ok(to_u64(sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&self.pool).await?))
    }

    /// The ledger's clock.
    pub async fn now(&self) -> Result<Timestamp, LedgerError> {
        let sql = format!("select {} as now", self.dialect.now());
        Ok(Timestamp(sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&self.pool).await?))
    }
}

fn micros(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}
