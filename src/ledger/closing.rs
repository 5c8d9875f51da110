//! From the last document to the published snapshot. All of it is the leader's alone.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::{Any, Row, Transaction};

use super::jobs::{job_row, to_u64};
use super::{Job, JobState, Ledger, LedgerError, StagingFile};
use crate::time::Timestamp;

impl Ledger {
    /// Becomes the leader: returns a new fencing epoch; actions with an older one are refused from now on.
    pub async fn lead(&self, owner: &str) -> Result<i64, LedgerError> {
        let row = sqlx::query("update leader set epoch = epoch + 1, owner = $1 returning epoch")
            .bind(owner)
            .fetch_one(&self.pool)
            .await?;
        Ok(row.try_get("epoch")?)
    }

    /// Whether a job can be closed: sealed, every promised document stored and terminal.
    pub async fn is_complete(&self, job: &str) -> Result<bool, LedgerError> {
        let n: i64 = sqlx::query_scalar(
            "select count(*) from jobs j where j.id = $1 and j.state <> 'open' and j.state <> 'abandoned' \
             and j.n_documents <= (select count(*) from documents d where d.job = j.seq) \
             and not exists (select 1 from documents d where d.job = j.seq and d.state is null)",
        )
        .bind(job)
        .fetch_one(&self.pool)
        .await?;
        Ok(n > 0)
    }

    /// Decides that the job ends as it is: fixes `closed_at`, and carries forward what an incomplete listing did not
    /// name. Repeating it changes nothing.
    pub async fn begin_close(&self, job: &str, epoch: i64) -> Result<Job, LedgerError> {
        let mut tx = self.write().await?;
        fence(&mut tx, epoch).await?;
        // Locked, or a document could still arrive between the count and the end of the job.
        sqlx::query("update jobs set state = state where id = $1").bind(job).execute(&mut *tx).await?;
        let row = job_row(&mut tx, job).await?;
        if matches!(row.job.state, JobState::Closing | JobState::Published | JobState::Closed) {
            return Ok(row.job);
        }
        row.expect(&[JobState::Sealed], "sealed")?;
        let counts = sqlx::query("select count(*) as n, count(state) as done from documents where job = $1")
            .bind(row.seq)
            .fetch_one(&mut *tx)
            .await?;
        let (stored, done): (i64, i64) = (counts.try_get("n")?, counts.try_get("done")?);
        if done < stored || stored < row.n_documents.unwrap_or(0) {
            return Err(LedgerError::JobState {
                job: job.to_owned(),
                state: format!("at {done} of {} documents", row.n_documents.unwrap_or(0).max(stored)),
                expected: "at its last document",
            });
        }
        if !row.job.complete {
            sqlx::query(
                "insert into documents (job, uri, etag, size_bytes, carried, state, state_reason, sha256, change, \
                 score_key, n_pages, n_pages_ocr) \
                 select $1, p.uri, p.etag, p.size_bytes, 1, p.state, p.state_reason, p.sha256, 'unchanged', \
                 p.score_key, p.n_pages, p.n_pages_ocr from documents p join jobs j on j.base = p.job \
                 where j.seq = $1 on conflict (job, uri) do nothing",
            )
            .bind(row.seq)
            .execute(&mut *tx)
            .await?;
        }
        sqlx::query("update jobs set state = 'closing', closed_at = $2 where seq = $1")
            .bind(row.seq)
            .bind(Timestamp::now().0)
            .execute(&mut *tx)
            .await?;
        let row = job_row(&mut tx, job).await?;
        tx.commit().await?;
        Ok(row.job)
    }

    /// Makes the job's snapshot the corpus's current one. Repeating it changes nothing.
    pub async fn publish(&self, job: &str, epoch: i64) -> Result<(), LedgerError> {
        let mut tx = self.write().await?;
        fence(&mut tx, epoch).await?;
        let row = job_row(&mut tx, job).await?;
        if matches!(row.job.state, JobState::Published | JobState::Closed) {
            return Ok(());
        }
        row.expect(&[JobState::Closing], "closing")?;
        sqlx::query(
            "insert into corpora (name, current_job) values ($1, $2) \
             on conflict (name) do update set current_job = excluded.current_job",
        )
        .bind(&row.job.corpus)
        .bind(row.seq)
        .execute(&mut *tx)
        .await?;
        sqlx::query("update jobs set state = 'published' where seq = $1")
            .bind(row.seq)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(())
    }

    /// Ends the job and forgets its staging files. Repeating it changes nothing.
    pub async fn finish(&self, job: &str, epoch: i64) -> Result<(), LedgerError> {
        let mut tx = self.write().await?;
        fence(&mut tx, epoch).await?;
        let row = job_row(&mut tx, job).await?;
        row.expect(&[JobState::Published, JobState::Closed], "published")?;
        for sql in
            ["update jobs set state = 'closed' where seq = $1", "delete from staging_files where job = $1"]
        {
            sqlx::query(sql).bind(row.seq).execute(&mut *tx).await?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Removes at most `limit` rows of each kind that belong to jobs older than their corpus's closed snapshot, which nothing is
    /// compared with any more. Whether there may be more.
    ///
    /// In small transactions of their own: removing the rows of millions of documents in the one that ends a job would hold the
    /// leader's row for minutes, and its lease could not be renewed.
    pub async fn forget_rows(&self, limit: u32) -> Result<bool, LedgerError> {
        let mut more = false;
        for (table, row) in [("documents", "uri"), ("tasks", "number"), ("attempts", "id")] {
            let sql = format!(
                "delete from {table} where (job, {row}) in (select t.job, t.{row} from jobs o \
                 join corpora c on c.name = o.corpus join jobs k on k.seq = c.current_job join {table} t on t.job = o.seq \
                 where o.seq < c.current_job and o.state in ('closed', 'abandoned') and k.state = 'closed' limit $1)"
            );
            let done =
                sqlx::query(sqlx::AssertSqlSafe(sql)).bind(i64::from(limit)).execute(&self.pool).await?;
            more |= done.rows_affected() == u64::from(limit);
        }
        Ok(more)
    }

    /// The published job of every corpus, by name.
    pub async fn current_jobs(&self) -> Result<BTreeMap<String, String>, LedgerError> {
        let rows = sqlx::query("select c.name, j.id from corpora c join jobs j on j.seq = c.current_job")
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(|row| Ok((row.try_get("name")?, row.try_get("id")?))).collect()
    }

    /// The job whose snapshot is the corpus's current one.
    pub async fn current_job(&self, corpus: &str) -> Result<Option<String>, LedgerError> {
        Ok(self.current_jobs().await?.remove(corpus))
    }

    /// Staging files registered by a job, in the order of its tasks.
    pub async fn staging_files(&self, job: &str) -> Result<Vec<StagingFile>, LedgerError> {
        let rows = sqlx::query(
            "select s.file, s.task, s.size_bytes from staging_files s join jobs j on j.seq = s.job \
             where j.id = $1 order by s.task",
        )
        .bind(job)
        .fetch_all(&self.pool)
        .await?;
        rows.iter()
            .map(|row| {
                Ok(StagingFile {
                    task: row.try_get("task")?,
                    file: row.try_get("file")?,
                    bytes: to_u64(row.try_get("size_bytes")?),
                })
            })
            .collect()
    }

    /// All registered staging files: the janitor never touches these.
    pub async fn known_staging_files(&self) -> Result<BTreeSet<String>, LedgerError> {
        let rows = sqlx::query("select file from staging_files").fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok(row.try_get("file")?)).collect()
    }

    /// Documents carried forward in a closing job.
    pub async fn n_carried(&self, job: &str) -> Result<u64, LedgerError> {
        let n: i64 = sqlx::query_scalar(
            "select count(*) from documents d join jobs j on j.seq = d.job where j.id = $1 and d.carried = 1",
        )
        .bind(job)
        .fetch_one(&self.pool)
        .await?;
        Ok(to_u64(n))
    }

    /// URIs of the previous snapshot whose rows are not carried forward: deleted, changed or scored again. At most `limit`
    /// of them, in order, after `after`.
    pub async fn dropped(&self, job: &str, after: &str, limit: u32) -> Result<Vec<String>, LedgerError> {
        let rows = sqlx::query(
            "select p.uri as uri from jobs j join documents p on p.job = j.base \
             left join documents d on d.job = j.seq and d.uri = p.uri and d.carried = 1 \
             where j.id = $1 and p.uri > $2 and d.uri is null order by p.uri limit $3",
        )
        .bind(job)
        .bind(after)
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(|row| Ok(row.try_get("uri")?)).collect()
    }

    /// Jobs whose files may go: abandoned ones, and published ones beyond the `keep` newest of their corpus.
    pub async fn expired_jobs(&self, keep: u32) -> Result<Vec<String>, LedgerError> {
        let rows = sqlx::query(
            "select j.id from jobs j where j.swept = 0 and (j.state = 'abandoned' or (j.state = 'closed' \
             and j.seq not in (select current_job from corpora) \
             and $1 <= (select count(*) from jobs n where n.corpus = j.corpus and n.seq > j.seq \
             and n.state in ('published', 'closed')))) order by j.seq",
        )
        .bind(i64::from(keep))
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(|row| Ok(row.try_get("id")?)).collect()
    }

    /// Notes that the files of a job are gone.
    pub async fn note_swept(&self, job: &str) -> Result<(), LedgerError> {
        sqlx::query("update jobs set swept = 1 where id = $1").bind(job).execute(&self.pool).await?;
        Ok(())
    }
}

/// Refuses a superseded leader. The row stays locked until the transaction ends, so no newer one can appear in between.
async fn fence(tx: &mut Transaction<'static, Any>, epoch: i64) -> Result<(), LedgerError> {
    let done = sqlx::query("update leader set epoch = epoch where epoch = $1")
        .bind(epoch)
        .execute(&mut **tx)
        .await?;
    if done.rows_affected() == 1 { Ok(()) } else { Err(LedgerError::Fenced { epoch }) }
}
