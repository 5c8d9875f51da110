//! Tasks: claimed, kept alive, given back, closed.

use std::collections::BTreeMap;

use serde::Serialize;
use sqlx::{Any, Row, Transaction};

use super::dialect::Kind;
use super::jobs::{json, to_i64, to_u64};
use super::{
    Attempt, LEASE, Lease, Ledger, LedgerError, OutboxRequest, Outcome, Previous, STAGING_COMMIT_AGE, Task,
    TaskDocument, TaskResult,
};
use crate::source::DocumentRef;
use crate::time::Timestamp;
use crate::words::Word;

const LEASE_MICROS: i64 = LEASE.as_micros() as i64;
const LEASE_COLUMNS: &[(&str, Kind)] = &[("job", Kind::Text), ("task", Kind::Int), ("attempt", Kind::Int)];

#[derive(Serialize)]
struct Ended<'a> {
    uri: &'a str,
    etag: Option<&'a str>,
    sha256: Option<&'a str>,
    size: Option<i64>,
    state: String,
    reason: Option<&'a str>,
    change: String,
    pages: u32,
    pages_ocr: u32,
}

impl<'a> Ended<'a> {
    fn new(outcome: &'a Outcome) -> Self {
        Self {
            uri: &outcome.uri,
            etag: outcome.etag.as_deref(),
            sha256: outcome.sha256.as_deref(),
            size: outcome.size_bytes.map(to_i64),
            state: Word(outcome.state).to_string(),
            reason: outcome.state_reason.as_deref(),
            change: Word(outcome.change).to_string(),
            pages: outcome.n_pages,
            pages_ocr: outcome.n_pages_ocr,
        }
    }
}

#[derive(Serialize)]
struct Asked<'a> {
    id: &'a str,
    sha256: &'a str,
    page: u32,
    priority: u8,
    body: &'a str,
}

#[derive(Serialize)]
struct Tried<'a> {
    uri: &'a str,
    state: String,
    reason: &'a str,
    wall_ms: i64,
}

impl Ledger {
    /// Claims up to `max` tasks of any job for [`LEASE`], oldest job first. `owner` names this worker in `status`.
    ///
    /// Every claim of a task has a new attempt number; an older one can no longer close it.
    pub async fn claim(&self, owner: &str, max: u32) -> Result<Vec<Task>, LedgerError> {
        self.claim_scored_by(owner, max, None).await
    }

    /// As [`claim`](Self::claim), but only tasks of jobs with this score key: a worker of another release or with other
    /// limits must not mix its scores in.
    pub async fn claim_scored_by(
        &self,
        owner: &str,
        max: u32,
        score_key: Option<&str>,
    ) -> Result<Vec<Task>, LedgerError> {
        let mut tx = self.write().await?;
        let sql = format!(
            "update tasks set state = 'leased', attempt = attempt + 1, owner = $1, lease_until = {now} + $2 \
             where (job, number) in (select t.job, t.number from tasks t join jobs j on j.seq = t.job \
             where j.state in ('open', 'sealed') and ($3 = '' or j.score_key = $3) and t.state <> 'done' \
             and (t.state = 'ready' or (t.state = 'leased' and t.lease_until < {now})) \
             order by t.job, t.number limit $4{locked}) returning job, number, attempt",
            now = self.dialect.now(),
            locked = self.dialect.skip_locked("t")
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(owner)
            .bind(LEASE_MICROS)
            .bind(score_key.unwrap_or_default())
            .bind(i64::from(max))
            .fetch_all(&mut *tx)
            .await?;
        let mut claimed = BTreeMap::new();
        for row in &rows {
            let key: (i64, i64) = (row.try_get("job")?, row.try_get("number")?);
            claimed.insert(key, row.try_get::<i64, _>("attempt")?);
        }
        let mut tasks = Vec::with_capacity(claimed.len());
        for ((seq, number), attempt) in claimed {
            tasks.push(read_task(&mut tx, seq, number, attempt).await?);
        }
        tx.commit().await?;
        Ok(tasks)
    }

    /// Extends leases to [`LEASE`] from now. Returns those that are lost: stop working on them.
    pub async fn heartbeat(&self, leases: &[Lease]) -> Result<Vec<Lease>, LedgerError> {
        let body = format!(
            "update tasks set lease_until = {} + $2 from r, jobs j where j.id = r.job and tasks.job = j.seq \
             and tasks.number = r.task and tasks.attempt = r.attempt and tasks.state = 'leased' \
             and j.state in ('open', 'sealed') returning (select id from jobs where seq = tasks.job) as id, \
             tasks.number as number, tasks.attempt as attempt",
            self.dialect.now()
        );
        let sql = self.dialect.batch(LEASE_COLUMNS, &body);
        let rows = sqlx::query(sql).bind(json(leases)).bind(LEASE_MICROS).fetch_all(&self.pool).await?;
        let mut lost = leases.to_vec();
        for row in &rows {
            let (job, task, attempt): (String, i64, i64) =
                (row.try_get("id")?, row.try_get("number")?, row.try_get("attempt")?);
            lost.retain(|lease| !(lease.job == job && lease.task == task && lease.attempt == attempt));
        }
        Ok(lost)
    }

    /// Gives leases back, uncounted; those that are no longer ours stay as they are.
    pub async fn release(&self, leases: &[Lease]) -> Result<(), LedgerError> {
        let sql = self.dialect.batch(
            LEASE_COLUMNS,
            "update tasks set state = 'ready', owner = null, lease_until = null from r, jobs j \
             where j.id = r.job and tasks.job = j.seq and tasks.number = r.task and tasks.attempt = r.attempt \
             and tasks.state = 'leased'",
        );
        sqlx::query(sql).bind(json(leases)).execute(&self.pool).await?;
        Ok(())
    }

    /// Tasks that wait for workers of another score key.
    pub async fn n_tasks_of_others(&self, score_key: &str) -> Result<u64, LedgerError> {
        let n: i64 = sqlx::query_scalar(
            "select count(*) from tasks t join jobs j on j.seq = t.job \
             where j.state in ('open', 'sealed') and j.score_key <> $1 and t.state = 'ready'",
        )
        .bind(score_key)
        .fetch_one(&self.pool)
        .await?;
        Ok(to_u64(n))
    }

    /// Gives every lease back: only for whoever knows that no owner lives.
    pub(super) async fn release_all(&self) -> Result<(), LedgerError> {
        for sql in [
            "update tasks set state = 'ready', owner = null, lease_until = null where state = 'leased'",
            "update leader set lease_until = 0",
            "update outbox set relay = null, relay_until = 0 where relay is not null",
        ] {
            sqlx::query(sql).execute(&self.pool).await?;
        }
        Ok(())
    }

    /// Notes crashes and limits of a task's documents, append-only; later claims tell their number. A lost lease or a
    /// service that could not be reached is no attempt.
    pub async fn record_attempts(&self, task: &Task, attempts: &[Attempt]) -> Result<(), LedgerError> {
        let tried: Vec<Tried<'_>> = attempts
            .iter()
            .map(|a| Tried {
                uri: &a.uri,
                state: Word(a.state).to_string(),
                reason: &a.reason,
                wall_ms: i64::try_from(a.wall.as_millis()).unwrap_or(i64::MAX),
            })
            .collect();
        let sql = self.dialect.batch(
            &[("uri", Kind::Text), ("state", Kind::Text), ("reason", Kind::Text), ("wall_ms", Kind::Int)],
            "insert into attempts (job, task, attempt, uri, state, reason, wall_ms, at) \
             select j.seq, $3, $4, r.uri, r.state, r.reason, r.wall_ms, $5 from r, jobs j where j.id = $2",
        );
        sqlx::query(sql)
            .bind(json(&tried))
            .bind(&task.job)
            .bind(task.number)
            .bind(task.attempt)
            .bind(Timestamp::now().0)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    /// Ends a task in one transaction: checks the lease, registers the staging file, sets the documents' states and
    /// inserts the OCR requests.
    ///
    /// A lease that ran out but was not claimed again still holds. Repeating a call whose answer was lost succeeds.
    /// Refuses with [`LedgerError::LeaseLost`] or [`LedgerError::StagingTooOld`]: then the results are dropped.
    pub async fn close_task(&self, task: &Task, result: &TaskResult) -> Result<(), LedgerError> {
        let now = Timestamp::now();
        if result.staged_at <= now.minus(STAGING_COMMIT_AGE) {
            return Err(LedgerError::StagingTooOld { file: result.staging_file.clone() });
        }
        let mut tx = self.write().await?;
        let seq = match end_lease(&mut tx, task).await? {
            Some(seq) => seq,
            None if was_closed(&mut tx, task, &result.staging_file).await? => return Ok(()),
            None => return Err(LedgerError::LeaseLost { job: task.job.clone(), task: task.number }),
        };
        sqlx::query(
            "insert into staging_files (file, job, task, size_bytes, registered_at) values ($1, $2, $3, $4, $5)",
        )
        .bind(&result.staging_file)
        .bind(seq)
        .bind(task.number)
        .bind(to_i64(result.staging_bytes))
        .bind(now.0)
        .execute(&mut *tx)
        .await?;
        self.end_documents(&mut tx, task, seq, &result.outcomes).await?;
        self.ask_ocr(&mut tx, task, seq, &result.requests).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn end_documents(
        &self,
        tx: &mut Transaction<'static, Any>,
        task: &Task,
        seq: i64,
        outcomes: &[Outcome],
    ) -> Result<(), LedgerError> {
        let ended: Vec<Ended<'_>> = outcomes.iter().map(Ended::new).collect();
        let sql = self.dialect.batch(
            &[
                ("uri", Kind::Text),
                ("etag", Kind::Text),
                ("sha256", Kind::Text),
                ("size", Kind::Int),
                ("state", Kind::Text),
                ("reason", Kind::Text),
                ("change", Kind::Text),
                ("pages", Kind::Int),
                ("pages_ocr", Kind::Int),
            ],
            "update documents set etag = r.etag, sha256 = r.sha256, size_bytes = r.size, state = r.state, \
             state_reason = r.reason, change = r.change, n_pages = r.pages, n_pages_ocr = r.pages_ocr, \
             score_key = (select score_key from jobs where seq = $2) \
             from r where documents.job = $2 and documents.task = $3 and documents.uri = r.uri",
        );
        let done = sqlx::query(sql).bind(json(&ended)).bind(seq).bind(task.number).execute(&mut **tx).await?;
        let n: i64 = sqlx::query_scalar("select n_documents from tasks where job = $1 and number = $2")
            .bind(seq)
            .bind(task.number)
            .fetch_one(&mut **tx)
            .await?;
        if done.rows_affected() != to_u64(n) || outcomes.len() as u64 != to_u64(n) {
            return Err(LedgerError::Outcomes { job: task.job.clone(), task: task.number });
        }
        Ok(())
    }

    async fn ask_ocr(
        &self,
        tx: &mut Transaction<'static, Any>,
        task: &Task,
        seq: i64,
        requests: &[OutboxRequest],
    ) -> Result<(), LedgerError> {
        // Equal contents in one task ask for the same pages; a statement may touch a row once.
        let distinct: BTreeMap<&str, &OutboxRequest> = requests.iter().map(|r| (r.id.as_str(), r)).collect();
        let distinct: Vec<&OutboxRequest> = distinct.into_values().collect();
        for chunk in distinct.chunks(1000) {
            let asked: Vec<Asked<'_>> = chunk
                .iter()
                .map(|r| Asked {
                    id: &r.id,
                    sha256: &r.document_sha256,
                    page: r.page,
                    priority: r.priority,
                    body: &r.body,
                })
                .collect();
            // A request that was not sent yet takes the newest words; one that was sent is never sent again. The newest is known
            // by the ledger's clock.
            let insert = format!(
                "insert into outbox (id, corpus, job, document_sha256, page, priority, body, created_at) \
                 select id, $2, $3, sha256, page, priority, body, {} from r where true \
                 on conflict (id) do update set body = excluded.body, priority = excluded.priority, \
                 job = excluded.job, withdrawn_at = null where outbox.published_at is null",
                self.dialect.now()
            );
            let sql = self.dialect.batch(
                &[
                    ("id", Kind::Text),
                    ("sha256", Kind::Text),
                    ("page", Kind::Int),
                    ("priority", Kind::Int),
                    ("body", Kind::Text),
                ],
                &insert,
            );
            sqlx::query(sql).bind(json(&asked)).bind(&task.corpus).bind(seq).execute(&mut **tx).await?;
        }
        Ok(())
    }
}

async fn read_task(
    tx: &mut Transaction<'static, Any>,
    seq: i64,
    number: i64,
    attempt: i64,
) -> Result<Task, LedgerError> {
    let job =
        sqlx::query("select id, corpus from jobs where seq = $1").bind(seq).fetch_one(&mut **tx).await?;
    let rows = sqlx::query(
        "select d.uri, d.etag, d.size_bytes, p.uri as previous, p.etag as previous_etag, p.sha256 as previous_sha256, \
         (select count(*) from attempts a where a.job = d.job and a.uri = d.uri) as attempts \
         from documents d join jobs j on j.seq = d.job \
         left join documents p on p.job = j.base and p.uri = d.uri \
         where d.job = $1 and d.task = $2 order by d.uri",
    )
    .bind(seq)
    .bind(number)
    .fetch_all(&mut **tx)
    .await?;
    let mut documents = Vec::with_capacity(rows.len());
    for row in &rows {
        let previous = row.try_get::<Option<String>, _>("previous")?;
        documents.push(TaskDocument {
            document: DocumentRef {
                uri: row.try_get("uri")?,
                etag: row.try_get("etag")?,
                size_bytes: row.try_get::<Option<i64>, _>("size_bytes")?.map(to_u64),
            },
            previous: match previous {
                Some(_) => Some(Previous {
                    etag: row.try_get("previous_etag")?,
                    sha256: row.try_get("previous_sha256")?,
                }),
                None => None,
            },
            attempts: u32::try_from(row.try_get::<i64, _>("attempts")?).unwrap_or(u32::MAX),
        });
    }
    Ok(Task { number, job: job.try_get("id")?, corpus: job.try_get("corpus")?, attempt, documents })
}

/// Marks the task done where the lease is still its holder's; the job's number then.
async fn end_lease(tx: &mut Transaction<'static, Any>, task: &Task) -> Result<Option<i64>, LedgerError> {
    let row = sqlx::query(
        "update tasks set state = 'done', owner = null, lease_until = null from jobs j \
         where j.id = $1 and j.state in ('open', 'sealed') and tasks.job = j.seq and tasks.number = $2 \
         and tasks.attempt = $3 and tasks.state = 'leased' returning tasks.job as seq",
    )
    .bind(&task.job)
    .bind(task.number)
    .bind(task.attempt)
    .fetch_optional(&mut **tx)
    .await?;
    Ok(row.map(|row| row.try_get("seq")).transpose()?)
}

async fn was_closed(
    tx: &mut Transaction<'static, Any>,
    task: &Task,
    file: &str,
) -> Result<bool, LedgerError> {
    let n: i64 = sqlx::query_scalar(
        "select count(*) from staging_files s join jobs j on j.seq = s.job \
         where j.id = $1 and s.task = $2 and s.file = $3",
    )
    .bind(&task.job)
    .bind(task.number)
    .bind(file)
    .fetch_one(&mut **tx)
    .await?;
    Ok(n > 0)
}
