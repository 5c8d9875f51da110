//! Where SQLite's and PostgreSQL's SQL differ. Everything else is one text.

use std::fmt::Write as _;
use std::path::Path;

use sqlx::{AnyConnection, AssertSqlSafe, Executor};

use super::LedgerError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Sqlite,
    Postgres,
}

/// Type of a column of a batch.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Text,
    Int,
}

impl Dialect {
    /// By the scheme of the ledger's address.
    pub(super) fn of_url(url: &str) -> Self {
        if url.starts_with("sqlite:") { Self::Sqlite } else { Self::Postgres }
    }

    /// SQLite has one writer; a second connection would only wait for it.
    pub(super) fn connections(self) -> u32 {
        match self {
            Self::Sqlite => 1,
            Self::Postgres => 8,
        }
    }

    pub(super) async fn set_up(self, connection: &mut AnyConnection) -> Result<(), sqlx::Error> {
        if self == Self::Sqlite {
            // FULL: a finished task must survive a power cut, its staging file did (fsync before commit).
            connection
                .execute(
                    "pragma busy_timeout = 30000; pragma journal_mode = wal; pragma synchronous = full; \
                     pragma temp_store = memory; pragma foreign_keys = off; pragma cache_size = -32768",
                )
                .await?;
        }
        Ok(())
    }

    pub(super) fn begin(self) -> &'static str {
        match self {
            Self::Sqlite => "begin immediate",
            Self::Postgres => "begin",
        }
    }

    /// Suffix of the `select` that picks rows of the table `alias` to take, so that two takers never wait for each other.
    pub(super) fn skip_locked(self, alias: &str) -> String {
        match self {
            Self::Sqlite => String::new(),
            Self::Postgres => format!(" for update of {alias} skip locked"),
        }
    }

    /// Suffix of a `select` whose rows stay as they are until the transaction ends.
    pub(super) fn lock_rows(self) -> &'static str {
        match self {
            Self::Sqlite => "", // whoever writes is alone
            Self::Postgres => " for update",
        }
    }

    /// The ledger's clock in microseconds, an expression: the clocks of workers may differ by minutes.
    pub(super) fn now(self) -> &'static str {
        match self {
            Self::Sqlite => "cast(unixepoch('subsec') * 1000000 as integer)",
            Self::Postgres => "cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)",
        }
    }

    /// A statement over a batch: `r` in `body` is the table of the JSON array bound as `$1`.
    ///
    /// One parameter a batch, whatever its size: neither database's limit of parameters is met, and the text is one
    /// prepared statement.
    pub(super) fn batch(self, columns: &[(&str, Kind)], body: &str) -> AssertSqlSafe<String> {
        let mut sql = String::from("with r as ");
        match self {
            Self::Sqlite => {
                // Materialized, or the planner parses the array again for every row of the other table.
                sql.push_str("materialized (select ");
                for (index, (name, _)) in columns.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(sql, "{comma}value->>'{name}' as {name}").expect("writing to a string");
                }
                sql.push_str(" from json_each($1)) ");
            }
            Self::Postgres => {
                sql.push_str("(select * from jsonb_to_recordset($1::jsonb) as x(");
                for (index, (name, kind)) in columns.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    let kind = match kind {
                        Kind::Text => "text",
                        Kind::Int => "bigint",
                    };
                    write!(sql, "{comma}{name} {kind}").expect("writing to a string");
                }
                sql.push_str(")) ");
            }
        }
        sql.push_str(body);
        AssertSqlSafe(sql) // fixed texts only: values are bound
    }
}

/// The URL of a SQLite file: everything but unreserved characters and slashes is percent-encoded.
pub(super) fn sqlite_url(path: &Path) -> Result<String, LedgerError> {
    let text = path
        .to_str()
        .ok_or_else(|| LedgerError::Unknown { what: "path", value: path.to_string_lossy().into_owned() })?;
    let absolute =
        std::path::absolute(text).map_err(|source| LedgerError::Lock { path: path.to_owned(), source })?;
    let mut url = String::from("sqlite://");
    for byte in absolute.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'~' | b'.' => {
                url.push(byte.into())
            }
            _ => write!(url, "%{byte:02X}").expect("writing to a string"),
        }
    }
    url.push_str("?mode=rwc");
    Ok(url)
}
