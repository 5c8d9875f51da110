//! A results root → the files of one job.

use std::path::{Path, PathBuf};

use super::ReportError;
use crate::tables::{CURRENT_FILE, Current, Manifest, Table, manifest_file};

/// One published job of a results root.
#[derive(Debug, Clone)]
pub struct Results {
    root: PathBuf,
    manifest: Manifest,
}

impl Results {
    /// Opens the job `job` below `root`; without one, the current job of the corpus `default`, or of the only corpus.
    ///
    /// # Errors
    /// [`ReportError::NoResults`] where `root` is no results root, [`ReportError::NoJob`] where the job is not in it.
    pub fn open(root: &Path, job: Option<&str>) -> Result<Self, ReportError> {
        let job = match job {
            Some(job) if job.is_empty() || !job.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') => {
                return Err(ReportError::NoJob { root: root.to_owned(), job: job.to_owned() });
            }
            Some(job) => job.to_owned(),
            None => current_job(root)?,
        };
        let path = root.join(manifest_file(&job));
        match std::fs::read(&path) {
            Ok(bytes) => {
                let manifest = serde_json::from_slice(&bytes).map_err(|_| ReportError::Damaged(path))?;
                Ok(Self { root: root.to_owned(), manifest })
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(ReportError::NoJob { root: root.to_owned(), job })
            }
            Err(source) => Err(ReportError::Open { path, source }),
        }
    }

    /// What the job consists of.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The folder the job lies in.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The job before, where it is still there.
    pub fn previous(&self) -> Option<Self> {
        Self::open(&self.root, Some(self.manifest.previous_job.as_deref()?)).ok()
    }

    /// This job and those before it that are still there, newest first.
    pub fn history(&self, most: usize) -> Vec<Self> {
        let mut jobs = vec![self.clone()];
        while jobs.len() < most
            && let Some(before) = jobs.last().and_then(Self::previous)
        {
            jobs.push(before);
        }
        jobs
    }

    /// The files of a table.
    pub fn files(&self, table: Table) -> Vec<PathBuf> {
        let files = self.manifest.files.iter().filter(|file| file.table == table.name());
        files.map(|file| self.root.join(&file.path)).collect()
    }

    /// The files of a table that hold a bucket's rows.
    pub(super) fn bucket(&self, table: Table, bucket: u8) -> Vec<PathBuf> {
        let part = format!("/bucket={bucket:02}/");
        let files =
            self.manifest.files.iter().filter(|file| file.table == table.name() && file.path.contains(&part));
        files.map(|file| self.root.join(&file.path)).collect()
    }
}

fn current_job(root: &Path) -> Result<String, ReportError> {
    let path = root.join(CURRENT_FILE);
    let bytes = std::fs::read(&path).map_err(|_| ReportError::NoResults(root.to_owned()))?;
    let current: Current = serde_json::from_slice(&bytes).map_err(|_| ReportError::Damaged(path))?;
    let mut corpora = current.corpora;
    match corpora.remove("default") {
        Some(corpus) => Ok(corpus.job),
        None if corpora.len() == 1 => Ok(corpora.into_values().next().expect("one corpus").job),
        None => Err(ReportError::WhichCorpus {
            root: root.to_owned(),
            jobs: corpora
                .into_iter()
                .map(|(name, corpus)| format!("{name}: {}", corpus.job))
                .collect::<Vec<_>>()
                .join(", "),
        }),
    }
}
