//! Jobs: begun, listed, sealed, planned.

use serde::Serialize;
use sqlx::any::AnyRow;
use sqlx::{Any, Row, Transaction};
use uuid::Uuid;

use super::dialect::{Dialect, Kind};
use super::{Job, JobState, Ledger, LedgerError, NewJob, Planned, Progress, TASK_BYTES, TASK_DOCUMENTS};
use crate::source::DocumentRef;
use crate::time::Timestamp;
use crate::words::{Word, parse_word};

pub(super) const JOB: &str = "select j.seq, j.id, j.corpus, j.state, j.fingerprint, j.score_key, j.rules_version, j.fresh, j.forced, j.based, \
    j.complete, j.n_documents, j.begun_at, j.closed_at, p.id as base from jobs j left join jobs p on p.seq = j.base ";

/// States whose job still has to end; the oldest such job of a corpus has the turn.
pub(super) const UNFINISHED: &str = "('open', 'sealed', 'closing', 'published')";

/// Whether the row `p` of the snapshot that job `j` is compared with is the same document, in a state that lasts.
const UNCHANGED: &str = "p.job = j.base and p.uri = documents.uri and p.etag = documents.etag \
    and p.score_key = j.score_key and p.state in ('scored', 'encrypted', 'malformed', 'over_limit')";

/// Documents planned in one transaction.
const PLAN_BATCH: i64 = 8192;

/// A job with what only the ledger needs.
pub(super) struct JobRow {
    pub(super) seq: i64,
    pub(super) fresh: bool,
    pub(super) forced: bool,
    pub(super) based: bool,
    pub(super) n_documents: Option<i64>,
    pub(super) job: Job,
}

impl JobRow {
    pub(super) fn read(row: &AnyRow) -> Result<Self, LedgerError> {
        let state: String = row.try_get("state")?;
        let job = Job {
            id: row.try_get("id")?,
            corpus: row.try_get("corpus")?,
            state: parse_word(&state).ok_or(LedgerError::Unknown { what: "job state", value: state })?,
            fingerprint: row.try_get("fingerprint")?,
            score_key: row.try_get("score_key")?,
            rules_version: row.try_get("rules_version")?,
            previous_job: row.try_get("base")?,
            complete: row.try_get::<i64, _>("complete")? != 0,
            begun_at: Timestamp(row.try_get("begun_at")?),
            closed_at: row.try_get::<Option<i64>, _>("closed_at")?.map(Timestamp),
            resumed: false,
        };
        Ok(Self {
            seq: row.try_get("seq")?,
            fresh: row.try_get::<i64, _>("fresh")? != 0,
            forced: row.try_get::<i64, _>("forced")? != 0,
            based: row.try_get::<i64, _>("based")? != 0,
            n_documents: row.try_get("n_documents")?,
            job,
        })
    }

    /// Whether unchanged documents are carried forward, and not scored again.
    fn carries(&self) -> bool {
        !self.fresh && !self.forced
    }

    /// Refuses unless the job is in one of `states`.
    pub(super) fn expect(&self, states: &[JobState], expected: &'static str) -> Result<(), LedgerError> {
        if states.contains(&self.job.state) {
            return Ok(());
        }
        let state = Word(self.job.state).to_string();
        Err(LedgerError::JobState { job: self.job.id.clone(), state, expected })
    }
}

pub(super) async fn job_row(tx: &mut Transaction<'static, Any>, job: &str) -> Result<JobRow, LedgerError> {
    let sql = sqlx::AssertSqlSafe(format!("{JOB} where j.id = $1"));
    let row = sqlx::query(sql).bind(job).fetch_optional(&mut **tx).await?;
    JobRow::read(&row.ok_or_else(|| LedgerError::NoJob(job.to_owned()))?)
}

async fn oldest_unfinished(
    tx: &mut Transaction<'static, Any>,
    corpus: &str,
) -> Result<Option<JobRow>, LedgerError> {
    let sql = format!("{JOB} where j.corpus = $1 and j.state in {UNFINISHED} order by j.seq limit 1");
    let row = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(corpus).fetch_optional(&mut **tx).await?;
    row.as_ref().map(JobRow::read).transpose()
}

#[derive(Serialize)]
struct Listed<'a> {
    uri: &'a str,
    etag: Option<&'a str>,
    size: Option<i64>,
}

#[derive(Serialize)]
struct NewTask {
    number: i64,
    n: i64,
    size: i64,
}

#[derive(Serialize)]
struct Assigned {
    uri: String,
    task: i64,
}

impl Ledger {
    /// Begins a job, or resumes the corpus's unfinished one.
    ///
    /// An unfinished job with the same fingerprint is resumed; what an unsealed one had listed is dropped, to be listed
    /// again. One with another fingerprint, or `fresh`, is abandoned, unless it is already `closing` or `published`: its end
    /// is decided, so it is returned, and the caller closes it and asks again.
    pub async fn begin_job(&self, new: &NewJob) -> Result<Job, LedgerError> {
        let mut tx = self.write().await?;
        if let Some(mut row) = oldest_unfinished(&mut tx, &new.corpus).await? {
            let decided = matches!(row.job.state, JobState::Closing | JobState::Published);
            if decided || (!new.fresh && row.job.fingerprint == new.fingerprint) {
                if row.job.state == JobState::Open {
                    sqlx::query("delete from documents where job = $1 and task is null and state is null")
                        .bind(row.seq)
                        .execute(&mut *tx)
                        .await?;
                }
                tx.commit().await?;
                row.job.resumed = true;
                return Ok(row.job);
            }
            abandon(&mut tx, row.seq).await?;
        }
        let id = Uuid::now_v7().hyphenated().to_string();
        sqlx::query(
            "insert into jobs (id, corpus, state, fingerprint, score_key, rules_version, fresh, begun_at) \
             values ($1, $2, 'open', $3, $4, $5, $6, $7)",
        )
        .bind(&id)
        .bind(&new.corpus)
        .bind(&new.fingerprint)
        .bind(&new.score_key)
        .bind(&new.rules_version)
        .bind(i64::from(new.fresh))
        .bind(Timestamp::now().0)
        .execute(&mut *tx)
        .await?;
        let mut row = job_row(&mut tx, &id).await?;
        decide_base(&mut tx, &mut row).await?;
        tx.commit().await?;
        Ok(row.job)
    }

    /// One job.
    pub async fn job(&self, job: &str) -> Result<Job, LedgerError> {
        let sql = sqlx::AssertSqlSafe(format!("{JOB} where j.id = $1"));
        let row = sqlx::query(sql).bind(job).fetch_optional(&self.pool).await?;
        Ok(JobRow::read(&row.ok_or_else(|| LedgerError::NoJob(job.to_owned()))?)?.job)
    }

    /// All jobs of a corpus, oldest first.
    pub async fn jobs(&self, corpus: &str) -> Result<Vec<Job>, LedgerError> {
        let sql = sqlx::AssertSqlSafe(format!("{JOB} where j.corpus = $1 order by j.seq"));
        let rows = sqlx::query(sql).bind(corpus).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok(JobRow::read(row)?.job)).collect()
    }

    /// The `limit` newest jobs of all corpora, newest first.
    pub async fn newest_jobs(&self, limit: u32) -> Result<Vec<Job>, LedgerError> {
        let sql = sqlx::AssertSqlSafe(format!("{JOB} order by j.seq desc limit $1"));
        let rows = sqlx::query(sql).bind(i64::from(limit)).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok(JobRow::read(row)?.job)).collect()
    }

    /// Stores listed documents; one that is already there keeps its row. Returns how many are new.
    pub async fn store_documents(&self, job: &str, documents: &[DocumentRef]) -> Result<u64, LedgerError> {
        let mut tx = self.write().await?;
        let row = job_row(&mut tx, job).await?;
        row.expect(&[JobState::Open], "open")?;
        let n_new = insert_documents(&mut tx, self.dialect, row.seq, documents).await?;
        tx.commit().await?;
        Ok(n_new)
    }

    /// Ends the listing of `n_documents` different URIs. `complete` tells that it saw the whole corpus; only then does
    /// what it lacks count as deleted. Sealing twice changes nothing.
    pub async fn seal(&self, job: &str, n_documents: u64, complete: bool) -> Result<(), LedgerError> {
        let mut tx = self.write().await?;
        let row = job_row(&mut tx, job).await?;
        if row.job.state == JobState::Open {
            sqlx::query("update jobs set state = 'sealed', n_documents = $2, complete = $3 where seq = $1")
                .bind(row.seq)
                .bind(to_i64(n_documents))
                .bind(i64::from(complete))
                .execute(&mut *tx)
                .await?;
        } else {
            row.expect(
                &[JobState::Sealed, JobState::Closing, JobState::Published, JobState::Closed],
                "open",
            )?;
        }
        tx.commit().await?;
        Ok(())
    }

    /// Carries unchanged documents forward and puts the others into tasks of at most [`TASK_DOCUMENTS`] and
    /// [`TASK_BYTES`], neighbours by URI together. May be called while documents still arrive.
    pub async fn plan(&self, job: &str) -> Result<Planned, LedgerError> {
        let mut planned = Planned::default();
        let mut tx = self.write().await?;
        let mut row = job_row(&mut tx, job).await?;
        row.expect(&[JobState::Open, JobState::Sealed], "open or sealed")?;
        if !decide_base(&mut tx, &mut row).await? {
            planned.waiting = true;
            return Ok(planned);
        }
        planned.carried = carry_forward(&mut tx, &row).await?;
        tx.commit().await?;
        let mut after = Some(String::new());
        while let Some(uri) = after {
            let mut tx = self.write().await?;
            after = self.plan_batch(&mut tx, &row, &uri, &mut planned).await?;
            tx.commit().await?;
        }
        if planned.tasks > 0 {
            self.wake_workers().await?;
        }
        Ok(planned)
    }

    /// Plans the next documents after the URI `after`; the last URI planned, where there may be more. What is unchanged and
    /// arrived after [`carry_forward`] is left for the next call of [`plan`](Self::plan), or it would be scored for nothing.
    pub(super) async fn plan_batch(
        &self,
        tx: &mut Transaction<'static, Any>,
        row: &JobRow,
        after: &str,
        planned: &mut Planned,
    ) -> Result<Option<String>, LedgerError> {
        let seq = row.seq;
        let sql = format!(
            "select uri, size_bytes from documents where job = $1 and uri > $2 and task is null and state is null \
             and ($4 = 0 or not exists (select 1 from documents p join jobs j on j.seq = $1 where {UNCHANGED})) \
             order by uri limit $3"
        );
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(seq)
            .bind(after)
            .bind(PLAN_BATCH)
            .bind(i64::from(row.carries()))
            .fetch_all(&mut **tx)
            .await?;
        let more = rows.len() as i64 == PLAN_BATCH;
        let first: i64 =
            sqlx::query_scalar("select cast(coalesce(max(number), 0) as bigint) from tasks where job = $1")
                .bind(seq)
                .fetch_one(&mut **tx)
                .await?;
        let (mut tasks, mut assigned) = (Vec::<NewTask>::new(), Vec::with_capacity(rows.len()));
        for row in &rows {
            let size = row.try_get::<Option<i64>, _>("size_bytes")?.unwrap_or(0);
            let fits = tasks.last().is_some_and(|task| {
                task.n < TASK_DOCUMENTS as i64 && task.size.saturating_add(size) <= TASK_BYTES as i64
            });
            if !fits {
                tasks.push(NewTask { number: first + 1 + tasks.len() as i64, n: 0, size: 0 });
            }
            let task = tasks.last_mut().expect("one was pushed");
            (task.n, task.size) = (task.n + 1, task.size.saturating_add(size));
            assigned.push(Assigned { uri: row.try_get("uri")?, task: task.number });
        }
        if more && tasks.len() > 1 {
            // The last task may have neighbours in the next batch.
            let task = tasks.pop().expect("more than one");
            assigned.retain(|a| a.task != task.number);
        }
        let sql = self.dialect.batch(
            &[("number", Kind::Int), ("n", Kind::Int), ("size", Kind::Int)],
            "insert into tasks (job, number, state, n_documents, size_bytes) select $2, number, 'ready', n, size from r",
        );
        sqlx::query(sql).bind(json(&tasks)).bind(seq).execute(&mut **tx).await?;
        let sql = self.dialect.batch(
            &[("uri", Kind::Text), ("task", Kind::Int)],
            "update documents set task = r.task from r where documents.job = $2 and documents.uri = r.uri",
        );
        sqlx::query(sql).bind(json(&assigned)).bind(seq).execute(&mut **tx).await?;
        planned.tasks += tasks.len() as u64;
        planned.planned += assigned.len() as u64;
        Ok(assigned.pop().filter(|_| more).map(|last| last.uri))
    }

    /// How far a job is.
    pub async fn progress(&self, job: &str) -> Result<Progress, LedgerError> {
        let rows = sqlx::query(
            "select d.state, d.carried, count(*) as n, cast(sum(d.n_pages) as bigint) as pages, \
             cast(sum(d.n_pages_ocr) as bigint) as pages_ocr from documents d join jobs j on j.seq = d.job \
             where j.id = $1 group by d.state, d.carried",
        )
        .bind(job)
        .fetch_all(&self.pool)
        .await?;
        let mut progress = Progress::default();
        for row in &rows {
            let n = to_u64(row.try_get("n")?);
            progress.documents += n;
            let pages = to_u64(row.try_get("pages")?);
            progress.pages += pages;
            progress.pages_ocr += to_u64(row.try_get("pages_ocr")?);
            if row.try_get::<i64, _>("carried")? != 0 {
                progress.carried += n;
                progress.pages_carried += pages;
            }
            match row.try_get::<Option<String>, _>("state")? {
                None => progress.pending += n,
                Some(word) => {
                    let state =
                        parse_word(&word).ok_or(LedgerError::Unknown { what: "state", value: word })?;
                    *progress.by_state.entry(state).or_default() += n;
                }
            }
        }
        let rows = sqlx::query(
            "select t.state, count(*) as n from tasks t join jobs j on j.seq = t.job \
             where j.id = $1 and t.state <> 'done' group by t.state",
        )
        .bind(job)
        .fetch_all(&self.pool)
        .await?;
        for row in &rows {
            let n = to_u64(row.try_get("n")?);
            progress.tasks_open += n;
            if row.try_get::<String, _>("state")? == "leased" {
                progress.tasks_leased += n;
            }
        }
        Ok(progress)
    }
}

/// Stores documents of a job; one that is already there keeps its row. Returns how many are new.
pub(super) async fn insert_documents(
    tx: &mut Transaction<'static, Any>,
    dialect: Dialect,
    seq: i64,
    documents: &[DocumentRef],
) -> Result<u64, LedgerError> {
    let mut n_new = 0;
    for chunk in documents.chunks(4096) {
        let listed: Vec<Listed<'_>> = chunk
            .iter()
            .map(|d| Listed { uri: &d.uri, etag: d.etag.as_deref(), size: d.size_bytes.map(to_i64) })
            .collect();
        let sql = dialect.batch(
            &[("uri", Kind::Text), ("etag", Kind::Text), ("size", Kind::Int)],
            "insert into documents (job, uri, etag, size_bytes) \
             select $2, uri, etag, size from r where true on conflict (job, uri) do nothing",
        );
        n_new += sqlx::query(sql).bind(json(&listed)).bind(seq).execute(&mut **tx).await?.rows_affected();
    }
    Ok(n_new)
}

/// Decides which snapshot the job is compared with: the current one when the job gets its turn. `false` before that.
async fn decide_base(tx: &mut Transaction<'static, Any>, row: &mut JobRow) -> Result<bool, LedgerError> {
    if row.based {
        return Ok(true);
    }
    let turn = oldest_unfinished(tx, &row.job.corpus).await?;
    if turn.is_none_or(|turn| turn.seq != row.seq) {
        return Ok(false);
    }
    sqlx::query(
        "update jobs set based = 1, base = (select c.current_job from corpora c where c.name = jobs.corpus \
         and jobs.fresh = 0) where seq = $1",
    )
    .bind(row.seq)
    .execute(&mut **tx)
    .await?;
    *row = job_row(tx, &row.job.id).await?;
    Ok(true)
}

/// Documents whose URI, ETag and score key are those of a lasting state in the previous snapshot end at once.
async fn carry_forward(tx: &mut Transaction<'static, Any>, row: &JobRow) -> Result<u64, LedgerError> {
    if !row.carries() {
        return Ok(0);
    }
    let sql = format!(
        "update documents set carried = 1, change = 'unchanged', state = p.state, state_reason = p.state_reason, \
         sha256 = p.sha256, size_bytes = p.size_bytes, score_key = p.score_key, n_pages = p.n_pages, \
         n_pages_ocr = p.n_pages_ocr \
         from documents p, jobs j \
         where documents.job = $1 and documents.task is null and documents.state is null \
         and j.seq = $1 and {UNCHANGED}"
    );
    let done = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(row.seq).execute(&mut **tx).await?;
    Ok(done.rows_affected())
}

async fn abandon(tx: &mut Transaction<'static, Any>, seq: i64) -> Result<(), LedgerError> {
    for sql in [
        "update jobs set state = 'abandoned' where seq = $1",
        "delete from documents where job = $1",
        "delete from tasks where job = $1",
        "delete from staging_files where job = $1",
    ] {
        sqlx::query(sql).bind(seq).execute(&mut **tx).await?;
    }
    Ok(())
}

pub(super) fn json<T: Serialize>(rows: &[T]) -> String {
    serde_json::to_string(rows).expect("rows of texts and numbers serialize")
}

pub(super) fn to_i64(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

pub(super) fn to_u64(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}
