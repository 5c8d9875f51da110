//! Why there is no answer.

use std::path::PathBuf;

/// Why a table could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The folder is no results root.
    #[error("`{0}` holds no results; name the folder that `scan --out` wrote")]
    NoResults(PathBuf),
    /// It begins like an S3 address, and is none.
    #[error("`{0}` is not s3://bucket/prefix")]
    Url(PathBuf),
    /// The object storage that the results lie on failed.
    #[error("failed to read `{root}`")]
    Storage {
        /// The results root.
        root: PathBuf,
        /// The cause.
        source: crate::objects::ObjectError,
    },
    /// The job is not there, or no longer.
    #[error("there is no job `{job}` in `{root}`; _current.json names the current one, _manifests lists all")]
    NoJob {
        /// The results root.
        root: PathBuf,
        /// The job.
        job: String,
    },
    /// There are several corpora and none is called `default`.
    #[error("`{root}` holds several corpora; name a job with --job: {jobs}")]
    WhichCorpus {
        /// The results root.
        root: PathBuf,
        /// Corpora with their current jobs.
        jobs: String,
    },
    /// A manifest cannot be read.
    #[error("`{0}` is damaged")]
    Damaged(PathBuf),
    /// A file cannot be opened.
    #[error("failed to open `{path}`")]
    Open {
        /// The file, or the folder it should be in.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file of it is no Parquet.
    #[error("failed to read `{path}`")]
    Parquet {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: parquet::errors::ParquetError,
    },
    /// A file of it has not the columns that this release writes.
    #[error("`{path}` has no column `{column}` as this release writes it")]
    Column {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
    },
}

impl ReportError {
    /// Whether another command line would help.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::NoResults(_) | Self::Url(_) | Self::NoJob { .. } | Self::WhichCorpus { .. })
    }
}
