//! What crashes and time leave behind.

use std::time::Duration;

use super::CoordinatorError;
use super::close::read_manifest;
use crate::ledger::{JobState, Ledger, LedgerError};
use crate::objects::{ObjectError, ObjectKey, ObjectMeta, Objects};
use crate::tables::{Table, manifest_file, table_folder};
use crate::time::Timestamp;

/// A staging file that the ledger does not know is kept this long: twice as long as a commit may refer to it.
pub const STAGING_KEPT: Duration = Duration::from_secs(24 * 3600);

/// Objects listed at once.
const PAGE: usize = 1000;

/// Rows of earlier jobs removed in one transaction.
const ROWS: u32 = 20_000;

/// What a sweep removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Swept {
    /// Snapshots of old or abandoned jobs.
    pub snapshots: u64,
    /// Staging files that no ledger knows.
    pub staging_files: u64,
}

/// Removes snapshots beyond the `keep_jobs` newest of each corpus, what abandoned jobs left, staging files that the ledger does
/// not know and nobody can commit any more, and the ledger's rows of documents of earlier jobs. May be repeated, and cut short, at any point.
pub async fn sweep(
    ledger: &Ledger,
    objects: &dyn Objects,
    keep_jobs: u32,
) -> Result<Swept, CoordinatorError> {
    let mut swept = Swept::default();
    for job in ledger.expired_jobs(keep_jobs.max(1)).await? {
        remove_snapshot(objects, &job).await?;
        ledger.note_swept(&job).await?;
        swept.snapshots += 1;
    }
    swept.staging_files = sweep_staging(ledger, objects).await?;
    while ledger.forget_rows(ROWS).await? {}
    sweep_scratch(objects);
    Ok(swept)
}

/// Removes a job's files, its manifest first: a snapshot without one is not there.
async fn remove_snapshot(objects: &dyn Objects, job: &str) -> Result<(), CoordinatorError> {
    match read_manifest(objects, job).await {
        Ok(_) => objects.delete(&ObjectKey::new(manifest_file(job))?).await?,
        Err(CoordinatorError::Objects(ObjectError::NotFound(_))) => (),
        Err(error) => return Err(error),
    }
    for table in Table::ALL {
        let prefix = format!("{}/", table_folder(table, job));
        delete_where(objects, &prefix, &mut |_| true).await?;
    }
    Ok(())
}

async fn sweep_staging(ledger: &Ledger, objects: &dyn Objects) -> Result<u64, CoordinatorError> {
    let known = ledger.known_staging_files().await?;
    let old = Timestamp::now().minus(STAGING_KEPT);
    let mut ended = Vec::new();
    // With the ledger to ourselves nobody else can still write for a job that has ended.
    if ledger.is_exclusive() {
        let staged = list_all(objects, "_staging/").await?;
        let jobs = staged.iter().filter_map(|meta| meta.key.as_str().split('/').nth(1));
        for job in jobs.collect::<std::collections::BTreeSet<_>>() {
            match ledger.job(job).await {
                Ok(job) if matches!(job.state, JobState::Closed | JobState::Abandoned) => ended.push(job.id),
                Ok(_) | Err(LedgerError::NoJob(_)) => (),
                Err(error) => return Err(error.into()),
            }
        }
    }
    delete_where(objects, "_staging/", &mut |meta| {
        let job = meta.key.as_str().split('/').nth(1).unwrap_or("");
        let unclaimed = !known.contains(meta.key.as_str());
        unclaimed && (meta.modified < old || ended.iter().any(|ended| ended == job))
    })
    .await
}

/// Removes local files that a killed process left unfinished, a day later.
fn sweep_scratch(objects: &dyn Objects) {
    let scratch = objects.scratch();
    let Ok(entries) = std::fs::read_dir(&scratch) else { return };
    for entry in entries.flatten() {
        let modified = entry.metadata().and_then(|metadata| metadata.modified());
        let age = modified.ok().and_then(|modified| modified.elapsed().ok());
        if age.is_some_and(|age| age > STAGING_KEPT) {
            let path = entry.path();
            // What cannot be removed now is tried again by the next sweep.
            let _ = if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) };
        }
    }
    let _ = std::fs::remove_dir(scratch); // only when it is empty
}

async fn list_all(objects: &dyn Objects, prefix: &str) -> Result<Vec<ObjectMeta>, CoordinatorError> {
    let mut all = Vec::<ObjectMeta>::new();
    loop {
        let page = objects.list(prefix, all.last().map(|meta| meta.key.as_str()), PAGE).await?;
        if page.is_empty() {
            return Ok(all);
        }
        all.extend(page);
    }
}

/// Deletes the objects below `prefix` that `remove` picks; how many.
async fn delete_where(
    objects: &dyn Objects,
    prefix: &str,
    remove: &mut (dyn FnMut(&ObjectMeta) -> bool + Send),
) -> Result<u64, CoordinatorError> {
    let (mut after, mut n_removed) = (None::<String>, 0);
    loop {
        let page = objects.list(prefix, after.as_deref(), PAGE).await?;
        let Some(last) = page.last() else { return Ok(n_removed) };
        after = Some(last.key.to_string());
        for meta in &page {
            if remove(meta) {
                objects.delete(&meta.key).await?;
                n_removed += 1;
            }
        }
    }
}
