use std::path::PathBuf;

/// Why the ledger refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The database failed or is unreachable.
    #[error("ledger failed")]
    Database(#[source] sqlx::Error),
    /// The file system of a SQLite ledger has no room.
    #[error("no space is left on the disk of the ledger")]
    Full(#[source] sqlx::Error),
    /// The schema could not be brought up to date.
    #[error("failed to migrate the ledger")]
    Migrate(#[source] sqlx::migrate::MigrateError),
    /// Another process works on this SQLite ledger.
    #[error("`{path}` is in use by another process")]
    Busy {
        /// The ledger's file.
        path: PathBuf,
    },
    /// The ledger's lock file could not be opened.
    #[error("failed to lock `{path}`")]
    Lock {
        /// The lock file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The folder of a SQLite ledger takes no file: no room, no right.
    #[error("cannot write to the folder of `{path}`")]
    Unwritable {
        /// The ledger's file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The lease on a task went to another worker, or the job was abandoned: drop the results.
    #[error("the lease on task {task} of job `{job}` is lost")]
    LeaseLost {
        /// The job.
        job: String,
        /// The task.
        task: i64,
    },
    /// The results are not those of the task's documents, one each.
    #[error("the results of task {task} of job `{job}` are not one per document")]
    Outcomes {
        /// The job.
        job: String,
        /// The task.
        task: i64,
    },
    /// A staging file is too old to be registered: the janitor may be about to remove it.
    #[error("staging file `{file}` is older than 12 hours")]
    StagingTooOld {
        /// Its object key.
        file: String,
    },
    /// The call does not fit the job's state.
    #[error("job `{job}` is {state}, not {expected}")]
    JobState {
        /// The job.
        job: String,
        /// What it is.
        state: String,
        /// What the call needs.
        expected: &'static str,
    },
    /// No such job.
    #[error("there is no job `{0}`")]
    NoJob(String),
    /// A newer leader exists: stop acting as one.
    #[error("leader epoch {epoch} was superseded")]
    Fenced {
        /// The epoch that is no longer ours.
        epoch: i64,
    },
    /// The server refuses user, password or database.
    #[error("the server refuses user, password or database")]
    Refused(#[source] sqlx::Error),
    /// The ledger holds what no release writes.
    #[error("the ledger holds an unknown {what} `{value}`")]
    Unknown {
        /// The kind of value.
        what: &'static str,
        /// The value.
        value: String,
    },
}

/// SQLSTATE classes and codes of a server that is going down, coming up, full, or that cut a transaction short.
const PASSING: &[&str] = &["08", "40", "53", "57P", "25006"];
/// SQLSTATE codes of wrong user, password or database.
const REFUSALS: &[&str] = &["28000", "28P01", "3D000"];

/// SQLite's extended result codes of a disk without room: `SQLITE_FULL`, and `SQLITE_IOERR_SHMSIZE` where the index of the
/// write-ahead log cannot grow.
const FULL: &[&str] = &["13", "4874"];

impl From<sqlx::Error> for LedgerError {
    fn from(error: sqlx::Error) -> Self {
        // PostgreSQL's codes have five characters.
        let code = error.as_database_error().and_then(|error| error.code().map(|code| code.into_owned()));
        if code.is_some_and(|code| FULL.contains(&code.as_str())) {
            return Self::Full(error);
        }
        Self::Database(error)
    }
}

impl From<sqlx::migrate::MigrateError> for LedgerError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        match error {
            sqlx::migrate::MigrateError::Execute(error) => match Self::from(error) {
                Self::Full(error) => Self::Full(error),
                Self::Database(error) => Self::Migrate(sqlx::migrate::MigrateError::Execute(error)),
                other => other,
            },
            sqlx::migrate::MigrateError::ExecuteMigration(error, version) => match Self::from(error) {
                Self::Database(error) => {
                    Self::Migrate(sqlx::migrate::MigrateError::ExecuteMigration(error, version))
                }
                other => other,
            },
            other => Self::Migrate(other),
        }
    }
}

impl LedgerError {
    /// Whether the same call can succeed later: the database is away, overloaded, or ended a transaction.
    pub fn is_transient(&self) -> bool {
        let error = match self {
            Self::Database(error) => error,
            Self::Migrate(sqlx::migrate::MigrateError::Execute(error)) => error,
            _ => return false,
        };
        match error {
            sqlx::Error::Io(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::Tls(_)
            | sqlx::Error::Protocol(_) => true,
            sqlx::Error::Database(error) => {
                error.code().is_some_and(|code| PASSING.iter().any(|class| code.starts_with(class)))
            }
            _ => false,
        }
    }

    /// Sorts an error of the first connection.
    pub(super) fn of_connecting(error: sqlx::Error) -> Self {
        let code = error.as_database_error().and_then(|error| error.code().map(|code| code.into_owned()));
        if code.is_some_and(|code| REFUSALS.contains(&code.as_str())) {
            return Self::Refused(error);
        }
        Self::Database(error)
    }
}
