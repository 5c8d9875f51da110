//! The outbox as relays see it: taken for a while, sent, marked.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::dialect::Kind;
use super::jobs::{json, to_u64};
use super::{Ledger, LedgerError, OutboxRequest};
use crate::time::Timestamp;

/// How long a relay has to send what it took; after that another one takes it.
pub const RELAY_LEASE: Duration = Duration::from_secs(60);

#[derive(Serialize)]
struct Id<'a> {
    id: &'a str,
}

#[derive(Serialize)]
struct Again<'a> {
    id: &'a str,
    old: &'a str,
    body: &'a str,
}

/// What waits in the outbox.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OutboxState {
    /// Requests not yet sent nor withdrawn.
    pub pending: u64,
    /// Requests sent so far.
    pub published: u64,
    /// Age of the oldest pending one.
    pub oldest: Option<Duration>,
}

pub(super) fn read_request(row: &AnyRow) -> Result<OutboxRequest, LedgerError> {
    Ok(OutboxRequest {
        id: row.try_get("id")?,
        document_sha256: row.try_get("document_sha256")?,
        page: u32::try_from(row.try_get::<i64, _>("page")?).unwrap_or(u32::MAX),
        priority: u8::try_from(row.try_get::<i64, _>("priority")?).unwrap_or(0),
        body: row.try_get("body")?,
    })
}

impl Ledger {
    /// Takes up to `limit` requests to be sent, first by priority: no other relay takes them for [`RELAY_LEASE`].
    pub async fn take_requests(&self, relay: &str, limit: u32) -> Result<Vec<OutboxRequest>, LedgerError> {
        let now = self.dialect.now();
        let sql = format!(
            "update outbox set relay = $1, relay_until = {now} + $2 where id in (select o.id from outbox o \
             where o.published_at is null and o.withdrawn_at is null and o.relay_until < {now} \
             order by o.priority desc, o.id limit $3{}) \
             returning id, document_sha256, page, priority, body",
            self.dialect.skip_locked("o")
        );
        let mut tx = self.write().await?;
        let rows = sqlx::query(sqlx::AssertSqlSafe(sql))
            .bind(relay)
            .bind(i64::try_from(RELAY_LEASE.as_micros()).unwrap_or(i64::MAX))
            .bind(i64::from(limit))
            .fetch_all(&mut *tx)
            .await?;
        let mut requests = rows.iter().map(read_request).collect::<Result<Vec<_>, _>>()?;
        tx.commit().await?;
        requests.sort_by(|a, b| b.priority.cmp(&a.priority).then_with(|| a.id.cmp(&b.id)));
        Ok(requests)
    }

    /// Notes that requests were sent: they are never sent again.
    pub async fn mark_published(&self, ids: &[&str]) -> Result<(), LedgerError> {
        self.on_requests(
            ids,
            "update outbox set published_at = $2, relay = null from r where outbox.id = r.id \
             and outbox.published_at is null",
            Timestamp::now().0,
        )
        .await
    }

    /// Gives requests back that were taken and not sent.
    pub async fn give_back_requests(&self, ids: &[&str]) -> Result<(), LedgerError> {
        self.on_requests(
            ids,
            "update outbox set relay = null, relay_until = $2 from r where outbox.id = r.id \
             and outbox.published_at is null",
            0,
        )
        .await
    }

    async fn on_requests(&self, ids: &[&str], body: &str, value: i64) -> Result<(), LedgerError> {
        if ids.is_empty() {
            return Ok(());
        }
        let ids: Vec<Id<'_>> = ids.iter().map(|id| Id { id }).collect();
        let sql = self.dialect.batch(&[("id", Kind::Text)], body);
        sqlx::query(sql).bind(json(&ids)).bind(value).execute(&self.pool).await?;
        Ok(())
    }

    /// How full the outbox is.
    pub async fn outbox_state(&self) -> Result<OutboxState, LedgerError> {
        let row = sqlx::query(
            "select count(*) as n, min(created_at) as oldest from outbox where published_at is null \
             and withdrawn_at is null",
        )
        .fetch_one(&self.pool)
        .await?;
        let published: i64 = sqlx::query_scalar("select count(*) from outbox where published_at is not null")
            .fetch_one(&self.pool)
            .await?;
        let now = self.now().await?.0;
        let oldest = row.try_get::<Option<i64>, _>("oldest")?;
        Ok(OutboxState {
            pending: to_u64(row.try_get("n")?),
            published: to_u64(published),
            oldest: oldest.map(|at| Duration::from_micros(to_u64(now - at))),
        })
    }

    /// The newest request of each page, of one content or of all of a corpus: sent ones only. At most `limit`, in order of
    /// (SHA-256, page), after `after`.
    pub async fn sent_requests(
        &self,
        corpus: &str,
        sha256: Option<&str>,
        after: &(String, u32),
        limit: u32,
    ) -> Result<Vec<OutboxRequest>, LedgerError> {
        let rows = sqlx::query(
            "select o.id, o.document_sha256, o.page, o.priority, o.body from outbox o \
             where o.corpus = $1 and ($2 = '' or o.document_sha256 = $2) and o.published_at is not null \
             and (o.document_sha256 > $3 or (o.document_sha256 = $3 and o.page > $4)) \
             and not exists (select 1 from outbox n where n.document_sha256 = o.document_sha256 and n.page = o.page \
             and (n.created_at > o.created_at or (n.created_at = o.created_at and n.id > o.id))) \
             order by o.document_sha256, o.page limit $5",
        )
        .bind(corpus)
        .bind(sha256.unwrap_or_default())
        .bind(&after.0)
        .bind(i64::from(after.1))
        .bind(i64::from(limit))
        .fetch_all(&self.pool)
        .await?;
        rows.iter().map(read_request).collect()
    }

    /// Lets requests that were sent be sent once more, under the same ids: for a broker that lost its queue. Returns how
    /// many.
    pub async fn send_again(&self, corpus: &str, sha256: Option<&str>) -> Result<u64, LedgerError> {
        let done = sqlx::query(
            "update outbox set published_at = null, relay = null, relay_until = 0 \
             where corpus = $1 and ($2 = '' or document_sha256 = $2) and published_at is not null",
        )
        .bind(corpus)
        .bind(sha256.unwrap_or_default())
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected())
    }

    /// Asks again for pages that were asked for: each new request (id, body) is put beside the old one (id). Returns how
    /// many are new.
    pub async fn ask_again(&self, requests: &BTreeMap<String, (String, String)>) -> Result<u64, LedgerError> {
        let again: Vec<Again<'_>> =
            requests.iter().map(|(id, (old, body))| Again { id, old, body }).collect();
        let insert = format!(
            "insert into outbox (id, corpus, job, document_sha256, page, priority, body, created_at) \
             select r.id, o.corpus, o.job, o.document_sha256, o.page, o.priority, r.body, {} \
             from r join outbox o on o.id = r.old where true on conflict (id) do nothing",
            self.dialect.now()
        );
        let columns = [("id", Kind::Text), ("old", Kind::Text), ("body", Kind::Text)];
        let sql = self.dialect.batch(&columns, &insert);
        let done = sqlx::query(sql).bind(json(&again)).execute(&self.pool).await?;
        Ok(done.rows_affected())
    }
}
