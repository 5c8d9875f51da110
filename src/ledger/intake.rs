//! What the queue brings: documents and seals of jobs that somebody else named.

use std::collections::BTreeSet;

use serde::Serialize;
use sqlx::{Any, Row, Transaction};
use uuid::Uuid;

use super::dialect::Kind;
use super::jobs::{JobRow, insert_documents, job_row, json, to_i64};
use super::{Ledger, LedgerError, ScoreKey};
use crate::source::DocumentRef;
use crate::time::Timestamp;

/// Jobs that come by queue are never begun by `scan`; the word keeps the two apart.
const FINGERPRINT: &str = "queue";

/// What a batch of messages says about one job.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arrival {
    /// The job's UUID; `None`: the corpus's open feed job.
    pub job: Option<String>,
    /// Name of the corpus.
    pub corpus: String,
    /// Unchanged documents are scored again too.
    pub forced: bool,
    /// Documents, possibly known already.
    pub documents: Vec<DocumentRef>,
    /// How many different URIs were sent, and whether they are the whole corpus.
    pub seal: Option<(u64, bool)>,
}

/// What became of an [`Arrival`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Arrived {
    /// The job.
    pub job: String,
    /// Documents that were not known before.
    pub n_new: u64,
    /// URIs that cannot be taken any more: the job no longer lists, and does not have them.
    pub late: BTreeSet<String>,
    /// Nothing can be taken: the job is another corpus's.
    pub foreign: bool,
}

#[derive(Serialize)]
struct Uri<'a> {
    uri: &'a str,
}

impl Ledger {
    /// Stores documents and the seal of one job in one transaction; the job begins with its first message. Messages may
    /// come again and in any order: documents are unique by (job, URI), and a sealed job takes them until it closes.
    pub async fn receive(&self, arrival: &Arrival, key: &ScoreKey) -> Result<Arrived, LedgerError> {
        let mut tx = self.write().await?;
        let row = match &arrival.job {
            Some(job) => self.named_job(&mut tx, job, arrival, key).await?,
            None => self.feed_job(&mut tx, arrival, key).await?,
        };
        let mut arrived = Arrived { job: row.job.id.clone(), ..Arrived::default() };
        if row.job.corpus != arrival.corpus {
            arrived.foreign = true;
            return Ok(arrived);
        }
        // The update is also the lock that puts this transaction before or after a seal and the closing.
        let sql = format!(
            "update jobs set heard_at = {}, forced = case when $2 = 1 then 1 else forced end \
             where seq = $1 and state in ('open', 'sealed')",
            self.dialect.now()
        );
        let heard = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(row.seq)
            .bind(i64::from(arrival.forced))
            .execute(&mut *tx)
            .await?;
        if heard.rows_affected() == 0 {
            arrived.late = self.unknown(&mut tx, row.seq, &arrival.documents).await?;
            return Ok(arrived);
        }
        arrived.n_new = insert_documents(&mut tx, self.dialect, row.seq, &arrival.documents).await?;
        if let Some((n_documents, complete)) = arrival.seal {
            sqlx::query(
                "update jobs set state = 'sealed', n_documents = $2, complete = $3 where seq = $1 and state = 'open'",
            )
            .bind(row.seq)
            .bind(to_i64(n_documents))
            .bind(i64::from(complete))
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await?;
        Ok(arrived)
    }

    async fn named_job(
        &self,
        tx: &mut Transaction<'static, Any>,
        job: &str,
        arrival: &Arrival,
        key: &ScoreKey,
    ) -> Result<JobRow, LedgerError> {
        insert_job(tx, job, false, arrival, key).await?;
        job_row(tx, job).await
    }

    /// The corpus's open feed job; a new one where there is none.
    async fn feed_job(
        &self,
        tx: &mut Transaction<'static, Any>,
        arrival: &Arrival,
        key: &ScoreKey,
    ) -> Result<JobRow, LedgerError> {
        // Locked, or it could be sealed before this transaction's documents are in it.
        let sql = format!(
            "select id from jobs where corpus = $1 and feed = 1 and state = 'open' order by seq limit 1{}",
            self.dialect.lock_rows()
        );
        let open: Option<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(sql))
            .bind(&arrival.corpus)
            .fetch_optional(&mut **tx)
            .await?;
        if let Some(job) = open {
            return job_row(tx, &job).await;
        }
        let id = Uuid::now_v7().hyphenated().to_string();
        insert_job(tx, &id, true, arrival, key).await?;
        job_row(tx, &id).await
    }

    /// The documents that a job does not have.
    async fn unknown(
        &self,
        tx: &mut Transaction<'static, Any>,
        seq: i64,
        documents: &[DocumentRef],
    ) -> Result<BTreeSet<String>, LedgerError> {
        let uris: Vec<Uri<'_>> = documents.iter().map(|document| Uri { uri: &document.uri }).collect();
        let sql = self.dialect.batch(
            &[("uri", Kind::Text)],
            "select distinct r.uri as uri from r where not exists (select 1 from documents d where d.job = $2 and d.uri = r.uri)",
        );
        let rows = sqlx::query(sql).bind(json(&uris)).bind(seq).fetch_all(&mut **tx).await?;
        rows.iter().map(|row| Ok(row.try_get("uri")?)).collect()
    }
}

/// Begins a job unless it is there.
async fn insert_job(
    tx: &mut Transaction<'static, Any>,
    id: &str,
    feed: bool,
    arrival: &Arrival,
    key: &ScoreKey,
) -> Result<(), LedgerError> {
    sqlx::query(
        "insert into jobs (id, corpus, state, fingerprint, score_key, rules_version, fresh, forced, feed, begun_at) \
         values ($1, $2, 'open', $3, $4, $5, 0, $6, $7, $8) on conflict (id) do nothing",
    )
    .bind(id)
    .bind(&arrival.corpus)
    .bind(FINGERPRINT)
    .bind(&key.score_key)
    .bind(&key.rules_version)
    .bind(i64::from(arrival.forced))
    .bind(i64::from(feed))
    .bind(Timestamp::now().0)
    .execute(&mut **tx)
    .await?;
    Ok(())
}
