//! A results root on object storage, for readers that block: what they read is copied to this machine first.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

use super::ReportError;
use crate::objects::{ObjectError, ObjectKey, Objects};

/// Largest manifest.
const MAX_MANIFEST: u64 = 64 << 20;
/// Files that are copied side by side.
const SIDE_BY_SIDE: usize = 8;

/// Object storage with copies of what was read. Published files never change, so a copy is always right.
#[derive(Debug)]
pub(super) struct Remote {
    objects: Arc<dyn Objects>,
    /// `None` only while dropped.
    runtime: Option<Runtime>,
    folder: TempDir,
    copies: Mutex<BTreeMap<String, PathBuf>>,
}

impl Remote {
    pub(super) fn new(objects: Arc<dyn Objects>) -> Result<Self, ReportError> {
        let failed = |source| ReportError::Open { path: std::env::temp_dir(), source };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
        let folder = TempDir::new().map_err(failed)?;
        Ok(Self { objects, runtime: Some(runtime), folder, copies: Mutex::default() })
    }

    fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.as_ref().expect("there until it is dropped").block_on(work)
    }

    /// A whole small object.
    pub(super) fn get(&self, name: &str) -> Result<Vec<u8>, ObjectError> {
        let key = ObjectKey::new(name)?;
        self.wait(self.objects.get(&key, MAX_MANIFEST, None))
    }

    /// Copies of objects, in the order of their names.
    pub(super) fn files(&self, names: &[&str]) -> Result<Vec<PathBuf>, ObjectError> {
        // Held while copying: another reader would copy the same files.
        let mut copies = self.copies.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let missing: Vec<&str> = names.iter().copied().filter(|name| !copies.contains_key(*name)).collect();
        let copied: Result<Vec<_>, ObjectError> = self.wait(async {
            let (mut running, mut copied) = (JoinSet::new(), Vec::new());
            for name in missing {
                if running.len() >= SIDE_BY_SIDE
                    && let Some(done) = running.join_next().await
                {
                    copied.push(done.expect("copying does not panic and is not aborted")?);
                }
                let (objects, folder) = (Arc::clone(&self.objects), self.folder.path().to_owned());
                let key = ObjectKey::new(name)?;
                running.spawn(async move {
                    let path = objects.local_file(&key, &folder).await?;
                    Ok::<_, ObjectError>((key.as_str().to_owned(), path))
                });
            }
            while let Some(done) = running.join_next().await {
                copied.push(done.expect("copying does not panic and is not aborted")?);
            }
            Ok(copied)
        });
        copies.extend(copied?);
        names
            .iter()
            .map(|name| copies.get(*name).cloned().ok_or_else(|| ObjectError::NotFound((*name).to_owned())))
            .collect()
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background(); // it may be dropped where blocking is not allowed
        }
    }
}
