//! OCR requests: asked for once per content, kept until sent or withdrawn.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use sqlx::Row;

use super::dialect::Kind;
use super::jobs::json;
use super::relaying::read_request;
use super::{Ledger, LedgerError, OutboxRequest};
use crate::time::Timestamp;

/// Rows looked at in one statement.
const BATCH: usize = 1000;

#[derive(Serialize)]
struct Id<'a> {
    id: &'a str,
}

/// Where a content is found in the current snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The document.
    pub uri: String,
    /// Its ETag.
    pub etag: Option<String>,
}

impl Ledger {
    /// The jobs that asked first for the requests with these ids, by id.
    pub async fn request_jobs(&self, ids: &[&str]) -> Result<BTreeMap<String, String>, LedgerError> {
        let ids: Vec<Id<'_>> = ids.iter().map(|id| Id { id }).collect();
        let sql = self.dialect.batch(
            &[("id", Kind::Text)],
            "select o.id, j.id as job from r join outbox o on o.id = r.id join jobs j on j.seq = o.job",
        );
        let rows = sqlx::query(sql).bind(json(&ids)).fetch_all(&self.pool).await?;
        rows.iter().map(|row| Ok((row.try_get("id")?, row.try_get("job")?))).collect()
    }

    /// The requests with these ids, by id; ids that the outbox lacks are left out.
    pub async fn requests(&self, ids: &[&str]) -> Result<BTreeMap<String, OutboxRequest>, LedgerError> {
        let mut found = BTreeMap::new();
        for chunk in ids.chunks(BATCH) {
            let ids: Vec<Id<'_>> = chunk.iter().map(|&id| Id { id }).collect();
            let sql = self.dialect.batch(
                &[("id", Kind::Text)],
                "select o.id, o.document_sha256, o.page, o.priority, o.body from r join outbox o on o.id = r.id",
            );
            for row in &sqlx::query(sql).bind(json(&ids)).fetch_all(&self.pool).await? {
                let request = read_request(row)?;
                found.insert(request.id.clone(), request);
            }
        }
        Ok(found)
    }

    /// Where contents with pages for OCR are found in the current snapshots, in order of URI, by SHA-256.
    pub async fn places(
        &self,
        sha256s: &BTreeSet<&str>,
    ) -> Result<BTreeMap<String, Vec<Place>>, LedgerError> {
        let mut found = BTreeMap::<String, Vec<Place>>::new();
        let sha256s: Vec<&str> = sha256s.iter().copied().collect();
        for chunk in sha256s.chunks(BATCH) {
            let ids: Vec<Id<'_>> = chunk.iter().map(|&id| Id { id }).collect();
            let sql = self.dialect.batch(
                &[("id", Kind::Text)],
                "select d.sha256, d.uri, d.etag from r cross join corpora c cross join documents d \
                 where d.job = c.current_job and d.sha256 = r.id and d.n_pages_ocr > 0 order by d.sha256, d.uri",
            );
            for row in &sqlx::query(sql).bind(json(&ids)).fetch_all(&self.pool).await? {
                let place = Place { uri: row.try_get("uri")?, etag: row.try_get("etag")? };
                found.entry(row.try_get("sha256")?).or_default().push(place);
            }
        }
        Ok(found)
    }

    /// Requests not yet sent nor withdrawn, first by priority, then by id.
    pub async fn pending_requests(&self, limit: u32) -> Result<Vec<OutboxRequest>, LedgerError> {
        let rows = sqlx::query(
            "select id, document_sha256, page, priority, body from outbox \
             where published_at is null and withdrawn_at is null order by priority desc, id limit $1",
        )
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(read_request).collect()
    }

    /// Withdraws the corpus's unsent requests whose page (SHA-256, number) is no longer `wanted`, and takes back the withdrawal of those that
    /// are again. Returns how many were withdrawn.
    pub async fn withdraw_requests(
        &self,
        corpus: &str,
        wanted: impl Fn(&str, u32) -> bool,
    ) -> Result<u64, LedgerError> {
        let (mut after, mut n_withdrawn) = (String::new(), 0);
        loop {
            let rows = sqlx::query(
                "select id, document_sha256, page, withdrawn_at from outbox where corpus = $1 and id > $2 and published_at is null \
                 order by id limit $3",
            )
            .bind(corpus)
            .bind(&after)
            .bind(BATCH as i64)
            .fetch_all(&self.pool)
            .await?;
            let Some(last) = rows.last() else { return Ok(n_withdrawn) };
            after = last.try_get("id")?;
            let (mut withdraw, mut restore) = (Vec::new(), Vec::new());
            for row in &rows {
                let id: String = row.try_get("id")?;
                let withdrawn = row.try_get::<Option<i64>, _>("withdrawn_at")?.is_some();
                let sha256: String = row.try_get("document_sha256")?;
                let page = u32::try_from(row.try_get::<i64, _>("page")?).unwrap_or(0);
                match (wanted(&sha256, page), withdrawn) {
                    (false, false) => withdraw.push(id),
                    (true, true) => restore.push(id),
                    _ => (),
                }
            }
            n_withdrawn += withdraw.len() as u64;
            self.set_withdrawn(&withdraw, Some(Timestamp::now())).await?;
            self.set_withdrawn(&restore, None).await?;
        }
    }

    async fn set_withdrawn(&self, ids: &[String], at: Option<Timestamp>) -> Result<(), LedgerError> {
        if ids.is_empty() {
            return Ok(());
        }
        let ids: Vec<Id<'_>> = ids.iter().map(|id| Id { id }).collect();
        let sql = self.dialect.batch(
            &[("id", Kind::Text)],
            "update outbox set withdrawn_at = $2 from r where outbox.id = r.id and outbox.published_at is null",
        );
        sqlx::query(sql).bind(json(&ids)).bind(at.map(|at| at.0)).execute(&self.pool).await?;
        Ok(())
    }
}
