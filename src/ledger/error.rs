use std::path::PathBuf;

/// Why the ledger refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    /// The database failed or is unreachable.
    #[error("ledger failed")]
    Database(#[from] sqlx::Error),
    /// The schema could not be brought up to date.
    #[error("failed to migrate the ledger")]
    Migrate(#[from] sqlx::migrate::MigrateError),
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
    /// The ledger holds what no release writes.
    #[error("the ledger holds an unknown {what} `{value}`")]
    Unknown {
        /// The kind of value.
        what: &'static str,
        /// The value.
        value: String,
    },
}
