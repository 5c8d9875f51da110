//! The schema's version, looked at without changing it.

use sqlx::migrate::Migrator;
use sqlx::{AnyPool, Row};

use super::dialect::Dialect;
use super::{Ledger, LedgerError, wake};

static SQLITE: Migrator = sqlx::migrate!("migrations/sqlite");
static POSTGRES: Migrator = sqlx::migrate!("migrations/postgres");

/// Versions of a ledger's schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Schema {
    /// The newest migration that was applied; `None` where none was.
    pub found: Option<i64>,
    /// The newest one that this release knows.
    pub newest: i64,
    /// Migrations of this release that were not applied, or broke off.
    pub missing: usize,
}

pub(super) fn migrator(dialect: Dialect) -> &'static Migrator {
    match dialect {
        Dialect::Sqlite => &SQLITE,
        Dialect::Postgres => &POSTGRES,
    }
}

/// Looks at the schema of the ledger at `url`; a SQLite file that is not there is not created.
pub async fn schema(url: &str) -> Result<Schema, LedgerError> {
    let dialect = Dialect::of_url(url);
    sqlx::any::install_default_drivers();
    if dialect == Dialect::Postgres {
        wake::probe(url).await?;
    }
    let pool = AnyPool::connect(url).await?;
    // Both answer with an error where the table is absent, and it is absent before the first migration.
    let rows = sqlx::query("select version, success from _sqlx_migrations").fetch_all(&pool).await;
    pool.close().await;
    let rows = match rows {
        Err(sqlx::Error::Database(_)) => Vec::new(),
        other => other?,
    };
    let mut applied = Vec::with_capacity(rows.len());
    for row in &rows {
        // SQLite has no booleans of its own; the driver may tell them as numbers.
        let success = row
            .try_get::<bool, _>("success")
            .or_else(|_| row.try_get::<i64, _>("success").map(|n| n != 0))?;
        if success {
            applied.push(row.try_get::<i64, _>("version")?);
        }
    }
    let known: Vec<i64> = migrator(dialect).iter().map(|migration| migration.version).collect();
    Ok(Schema {
        found: applied.iter().max().copied(),
        newest: known.iter().max().copied().unwrap_or(0),
        missing: known.iter().filter(|version| !applied.contains(version)).count(),
    })
}

impl Ledger {
    /// The newest migration that was applied.
    pub async fn schema_version(&self) -> Result<i64, LedgerError> {
        Ok(sqlx::query_scalar("select max(version) from _sqlx_migrations").fetch_one(&self.pool).await?)
    }

    /// Gives the room of deleted rows back to the file system; PostgreSQL does so by itself.
    pub async fn vacuum(&self) -> Result<(), LedgerError> {
        if self.dialect == Dialect::Sqlite {
            sqlx::query("vacuum").execute(&self.pool).await?;
        }
        Ok(())
    }
}
