//! A results root → the files of one job.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ReportError;
use super::remote::Remote;
use crate::config::Store;
use crate::objects::{self, ObjectError};
use crate::tables::{CURRENT_FILE, Current, Manifest, Table, manifest_file};

/// One published job of a results root.
#[derive(Debug, Clone)]
pub struct Results {
    root: PathBuf,
    place: Place,
    manifest: Manifest,
}

/// Where the files lie.
#[derive(Debug, Clone)]
enum Place {
    /// Below the root.
    Folder,
    /// On object storage; those that are read are copied first.
    Storage(Arc<Remote>),
}

impl Place {
    fn open(root: &Path, store: &Store) -> Result<Self, ReportError> {
        match root.to_str() {
            Some(url) if url.starts_with("s3://") => {
                let objects = objects::open(url, store).map_err(|_| ReportError::Url(root.to_owned()))?;
                Ok(Self::Storage(Arc::new(Remote::new(objects)?)))
            }
            _ => Ok(Self::Folder),
        }
    }

    /// A small file; `None` where there is none.
    fn read(&self, root: &Path, name: &str) -> Result<Option<Vec<u8>>, ReportError> {
        match self {
            Self::Folder => {
                let path = root.join(name);
                match std::fs::read(&path) {
                    Ok(bytes) => Ok(Some(bytes)),
                    Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                        Ok(None)
                    }
                    Err(source) => Err(ReportError::Open { path, source }),
                }
            }
            Self::Storage(remote) => match remote.get(name) {
                Ok(bytes) => Ok(Some(bytes)),
                Err(ObjectError::NotFound(_)) => Ok(None),
                Err(source) => Err(ReportError::Storage { root: root.to_owned(), source }),
            },
        }
    }
}

impl Results {
    /// Opens the job `job` below `root`, a folder or `s3://bucket/prefix`; without one, the current job of the corpus `default`,
    /// or of the only corpus. Blocks.
    ///
    /// # Errors
    /// [`ReportError::NoResults`] where `root` is no results root, [`ReportError::NoJob`] where the job is not in it.
    pub fn open(root: &Path, store: &Store, job: Option<&str>) -> Result<Self, ReportError> {
        let place = Place::open(root, store)?;
        let job = match job {
            Some(job) => job.to_owned(),
            None => current_job(root, &place)?,
        };
        Self::of(root, place, job)
    }

    /// Another job of the same root.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn sibling(&self, job: &str) -> Result<Self, ReportError> {
        Self::of(&self.root, self.place.clone(), job.to_owned())
    }

    fn of(root: &Path, place: Place, job: String) -> Result<Self, ReportError> {
        let missing = |job| ReportError::NoJob { root: root.to_owned(), job };
        if job.is_empty() || !job.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
            return Err(missing(job));
        }
        let name = manifest_file(&job);
        let Some(bytes) = place.read(root, &name)? else { return Err(missing(job)) };
        let manifest = serde_json::from_slice(&bytes).map_err(|_| ReportError::Damaged(root.join(&name)))?;
        Ok(Self { root: root.to_owned(), place, manifest })
    }

    /// What the job consists of.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The folder or URL the job lies in.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The job before, where it is still there.
    pub fn previous(&self) -> Option<Self> {
        self.sibling(self.manifest.previous_job.as_deref()?).ok()
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

    /// The files of a table, on this machine. Blocks while they are copied from object storage.
    ///
    /// # Errors
    /// When object storage fails.
    pub fn files(&self, table: Table) -> Result<Vec<PathBuf>, ReportError> {
        self.some_files(table, |_| true)
    }

    /// The files of a table that hold a bucket's rows.
    pub(super) fn bucket(&self, table: Table, bucket: u8) -> Result<Vec<PathBuf>, ReportError> {
        let part = format!("/bucket={bucket:02}/");
        self.some_files(table, |path| path.contains(&part))
    }

    fn some_files(&self, table: Table, wanted: impl Fn(&str) -> bool) -> Result<Vec<PathBuf>, ReportError> {
        let files =
            self.manifest.files.iter().filter(|file| file.table == table.name() && wanted(&file.path));
        let names = files.map(|file| file.path.as_str());
        match &self.place {
            Place::Folder => Ok(names.map(|name| self.root.join(name)).collect()),
            Place::Storage(remote) => remote
                .files(&names.collect::<Vec<_>>())
                .map_err(|source| ReportError::Storage { root: self.root.clone(), source }),
        }
    }
}

fn current_job(root: &Path, place: &Place) -> Result<String, ReportError> {
    let missing = || ReportError::NoResults(root.to_owned());
    let bytes = match place.read(root, CURRENT_FILE) {
        Err(ReportError::Open { .. }) => return Err(missing()),
        other => other?.ok_or_else(missing)?,
    };
    let current: Current =
        serde_json::from_slice(&bytes).map_err(|_| ReportError::Damaged(root.join(CURRENT_FILE)))?;
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
