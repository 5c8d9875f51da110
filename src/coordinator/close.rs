use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tracing::Instrument;

use super::{CoordinatorError, janitor};
use crate::ledger::{Job, JobState, Ledger};
use crate::objects::{Folder, ObjectKey, Objects};
use crate::ocr::{self, QueueFile};
use crate::tables::{
    self, CURRENT_FILE, Current, CurrentCorpus, DroppedUris, Manifest, PreviousFile, SCHEMA_VERSION,
    Snapshot, SnapshotInput, Table, manifest_file, table_folder,
};
use crate::telemetry::trace;

/// Object key of the file of OCR requests in a local root.
pub(super) const QUEUE_FILE: &str = "ocr-queue.ndjson";
/// Most bytes of a manifest or of `_current.json`.
pub(super) const MANIFEST_BYTES: u64 = 256 << 20;
/// URIs asked for at once.
const DROPPED_BATCH: u32 = 10_000;

/// What a closed job left behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// The job.
    pub job: String,
    /// Its manifest.
    pub manifest: Manifest,
    /// Requests in `ocr-queue.ndjson`; 0 where it is not written.
    pub ocr_requests: u64,
}

/// A step of closing, by what was just done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// The ledger fixed the job's end.
    Begun,
    /// The snapshot is written beside the tables.
    Merged,
    /// A table's files are in place.
    Moved(Table),
    /// The manifest is written.
    Manifest,
    /// The ledger made the snapshot the current one.
    Published,
    /// `_current.json` is written.
    Current,
    /// `ocr-queue.ndjson` is written, the outbox follows it.
    Queued,
    /// The job's staging files are removed.
    Unstaged,
    /// The ledger ended the job.
    Finished,
}

/// Closes jobs for the leader of `epoch`.
#[derive(Clone, Copy)]
pub struct Closing<'a> {
    /// The ledger.
    pub ledger: &'a Ledger,
    /// The results root.
    pub objects: &'a dyn Objects,
    /// From [`Ledger::lead`].
    pub epoch: i64,
    /// Snapshots kept per corpus, at least 1.
    pub keep_jobs: u32,
    /// Whether `ocr-queue.ndjson` is written: where no relay publishes the outbox.
    pub queue_file: bool,
    /// Test hook: `false` stops after the step, as a crash would.
    pub after: &'a (dyn Fn(Step) -> bool + Sync),
}

/// Closes a job of a local results root; see [`Closing::run`].
pub async fn close_job(
    ledger: &Ledger,
    root: &Path,
    job: &str,
    epoch: i64,
    keep_jobs: usize,
) -> Result<Closed, CoordinatorError> {
    let objects = Folder::new(root);
    let keep_jobs = u32::try_from(keep_jobs).unwrap_or(u32::MAX);
    Closing { ledger, objects: &objects, epoch, keep_jobs, queue_file: true, after: &|_| true }.run(job).await
}

impl Closing<'_> {
    /// Closes a job whose documents are all terminal: merges the snapshot, writes the manifest, makes it current, rewrites
    /// `ocr-queue.ndjson`, sweeps. Repeating it after a crash at any point ends in the same files.
    pub async fn run(&self, job: &str) -> Result<Closed, CoordinatorError> {
        self.close(job).instrument(trace::span(job, "close")).await
    }

    async fn close(&self, job: &str) -> Result<Closed, CoordinatorError> {
        let job = self.ledger.begin_close(job, self.epoch).await?;
        self.reached(Step::Begun)?;
        if job.state == JobState::Closing {
            self.publish(&job).await?;
        }
        self.forget_work(&job)?;
        let manifest = read_manifest(self.objects, &job.id).await?;
        if job.state == JobState::Closed {
            let ocr_requests = if self.queue_file { self.wanted(&job).await?.1.len() as u64 } else { 0 };
            return Ok(Closed { job: job.id, manifest, ocr_requests });
        }
        self.write_current().await?;
        self.reached(Step::Current)?;
        let ocr_requests = self.write_queue(&job).await?;
        self.reached(Step::Queued)?;
        for staged in self.ledger.staging_files(&job.id).await? {
            self.objects.delete(&ObjectKey::new(staged.file)?).await?;
        }
        self.reached(Step::Unstaged)?;
        self.ledger.finish(&job.id, self.epoch).await?;
        self.reached(Step::Finished)?;
        janitor::sweep(self.ledger, self.objects, self.keep_jobs).await?;
        Ok(Closed { job: job.id, manifest, ocr_requests })
    }

    fn reached(&self, step: Step) -> Result<(), CoordinatorError> {
        if (self.after)(step) { Ok(()) } else { Err(CoordinatorError::Stopped(step)) }
    }

    /// Merges and publishes the snapshot.
    async fn publish(&self, job: &Job) -> Result<(), CoordinatorError> {
        // Named by the epoch: a leader that does not know yet that it was superseded may still be writing.
        let work = self.objects.scratch().join(format!("{}{}", work_prefix(&job.id), self.epoch));
        remove_folder(&work)?;
        std::fs::create_dir_all(&work)
            .map_err(|source| CoordinatorError::File { path: work.clone(), source })?;
        let snapshot = self.merge(job, &work).await?;
        self.reached(Step::Merged)?;
        for table in Table::ALL {
            let folder = table_folder(table, &job.id);
            self.ledger.check_lead(self.epoch).await?;
            self.objects.put_folder(&ObjectKey::new(folder.clone())?, &work.join("out").join(folder)).await?;
            self.reached(Step::Moved(table))?;
        }
        let manifest = Manifest {
            schema: SCHEMA_VERSION.to_owned(),
            job: job.id.clone(),
            corpus: job.corpus.clone(),
            rules_version: job.rules_version.clone(),
            previous_job: job.previous_job.clone(),
            closed_at: job.closed_at.unwrap_or_default().to_string(),
            counts: snapshot.counts,
            files: snapshot.files,
        };
        self.put_json(&manifest_file(&job.id), &manifest).await?;
        self.reached(Step::Manifest)?;
        self.ledger.publish(&job.id, self.epoch).await?;
        self.reached(Step::Published)
    }

    /// Removes what this and earlier leaders merged: the job is published.
    fn forget_work(&self, job: &Job) -> Result<(), CoordinatorError> {
        let prefix = work_prefix(&job.id);
        for entry in std::fs::read_dir(self.objects.scratch()).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                remove_folder(&entry.path())?;
            }
        }
        Ok(())
    }

    /// Writes the snapshot below `work/out`.
    async fn merge(&self, job: &Job, work: &Path) -> Result<Snapshot, CoordinatorError> {
        let mut staging = Vec::new();
        for staged in self.ledger.staging_files(&job.id).await? {
            staging.push(self.objects.local_file(&ObjectKey::new(staged.file)?, work).await?);
        }
        let (previous, dropped) = self.carried(job, work).await?;
        let input = SnapshotInput { job: job.id.clone(), staging, previous, dropped };
        let (out, scratch) = (work.join("out"), work.to_owned());
        let merge = move || tables::write_snapshot(&input, &out, &scratch);
        let snapshot = tokio::task::spawn_blocking(merge).await.map_err(|_| CoordinatorError::Panicked)??;
        let documents = self.ledger.progress(&job.id).await?.documents;
        let rows = snapshot.counts.documents;
        if rows != documents {
            return Err(CoordinatorError::Mismatch { job: job.id.clone(), rows, documents });
        }
        Ok(snapshot)
    }

    /// The previous snapshot's files and what of them is left behind; no files when nothing is carried forward.
    async fn carried(
        &self,
        job: &Job,
        work: &Path,
    ) -> Result<(Vec<PreviousFile>, DroppedUris), CoordinatorError> {
        let (mut files, mut dropped) = (Vec::new(), DroppedUris::default());
        let Some(previous) = &job.previous_job else { return Ok((files, dropped)) };
        if self.ledger.n_carried(&job.id).await? == 0 {
            return Ok((files, dropped));
        }
        for file in read_manifest(self.objects, previous).await?.files {
            let Some((table, bucket)) = table_and_bucket(&file.table, &file.path) else { continue };
            let path = self.objects.local_file(&ObjectKey::new(file.path)?, work).await?;
            files.push(PreviousFile { table, bucket, path });
        }
        let mut after = String::new();
        loop {
            let uris = self.ledger.dropped(&job.id, &after, DROPPED_BATCH).await?;
            uris.iter().for_each(|uri| dropped.insert(uri));
            match uris.into_iter().last() {
                Some(last) => after = last,
                None => return Ok((files, dropped)),
            }
        }
    }

    /// Derives `_current.json` from the ledger.
    async fn write_current(&self) -> Result<(), CoordinatorError> {
        let jobs = self.ledger.current_jobs().await?;
        let entry =
            |(name, job): (String, String)| (name, CurrentCorpus { manifest: manifest_file(&job), job });
        self.put_json(CURRENT_FILE, &Current { corpora: jobs.into_iter().map(entry).collect() }).await
    }

    /// Requests of the pages that the current snapshots flag: those of the job's corpus, and all.
    async fn wanted(&self, job: &Job) -> Result<(QueueFile, QueueFile), CoordinatorError> {
        let mut by_corpus = BTreeMap::new();
        for (corpus, current) in self.ledger.current_jobs().await? {
            by_corpus.insert(corpus, self.pages_files(&current).await?);
        }
        let of_job = by_corpus.get(&job.corpus).cloned().unwrap_or_default();
        let all: Vec<PathBuf> = by_corpus.into_values().flatten().collect();
        let read = move || Ok::<_, CoordinatorError>((ocr::request_ids(&of_job)?, ocr::request_ids(&all)?));
        tokio::task::spawn_blocking(read).await.map_err(|_| CoordinatorError::Panicked)?
    }

    /// Rewrites `ocr-queue.ndjson` and withdraws what is no longer asked for. Returns the number of requests.
    async fn write_queue(&self, job: &Job) -> Result<u64, CoordinatorError> {
        let (wanted, all) = self.wanted(job).await?;
        // Requests of any generation stand and fall with their page.
        let is_wanted = |sha256: &str, page| wanted.contains(&ocr::request_id(sha256, page, 0));
        self.ledger.withdraw_requests(&job.corpus, is_wanted).await?;
        if !self.queue_file {
            return Ok(0);
        }
        let path = self.objects.scratch().join(format!("queue-{}", job.id));
        ocr::write_queue_file(self.ledger, &all, &path).await?;
        self.objects.put_file(&ObjectKey::new(QUEUE_FILE)?, &path).await?;
        Ok(all.len() as u64)
    }

    /// Local files of a published snapshot's `pages`.
    async fn pages_files(&self, job: &str) -> Result<Vec<PathBuf>, CoordinatorError> {
        let (mut files, scratch) = (Vec::new(), self.objects.scratch());
        for file in read_manifest(self.objects, job).await?.files {
            if file.table == Table::Pages.name() {
                files.push(self.objects.local_file(&ObjectKey::new(file.path)?, &scratch).await?);
            }
        }
        Ok(files)
    }

    async fn put_json<T: serde::Serialize>(&self, file: &str, value: &T) -> Result<(), CoordinatorError> {
        let mut bytes = serde_json::to_vec_pretty(value).expect("texts and numbers serialize");
        bytes.push(b'\n');
        Ok(self.objects.put(&ObjectKey::new(file)?, bytes).await?)
    }
}

pub(super) async fn read_manifest(objects: &dyn Objects, job: &str) -> Result<Manifest, CoordinatorError> {
    let file = manifest_file(job);
    let bytes = objects.get(&ObjectKey::new(file.clone())?, MANIFEST_BYTES, None).await?;
    serde_json::from_slice(&bytes).map_err(|source| CoordinatorError::Damaged { file, source })
}

/// Table and bucket of a published file; `None` for a table that is derived from the others.
fn table_and_bucket(table: &str, path: &str) -> Option<(Table, u8)> {
    let (_, rest) = path.split_once("/bucket=")?;
    Some((Table::parse(table)?, rest.get(..2)?.parse().ok()?))
}

fn work_prefix(job: &str) -> String {
    format!("close-{job}-")
}

fn remove_folder(path: &Path) -> Result<(), CoordinatorError> {
    match std::fs::remove_dir_all(path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
            Err(CoordinatorError::File { path: path.to_owned(), source })
        }
        _ => Ok(()),
    }
}
