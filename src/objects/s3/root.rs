//! A prefix of a bucket as object storage.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aws_sdk_s3::primitives::DateTime;
use sha2::{Digest, Sha256};

use super::super::{Created, ObjectError, ObjectKey, ObjectMeta, Objects, Reply};
use super::buckets::{Buckets, unquoted};
use super::error::{failed, status};
use crate::config::Store;
use crate::time::Timestamp;

/// Most keys that one answer of a listing holds.
const PAGE: usize = 1000;
/// Bytes that are fetched at a time into a local copy.
const PIECE: u64 = 16 << 20;

/// A prefix of a bucket. Clones share the connection.
#[derive(Debug, Clone)]
pub struct S3 {
    pub(super) buckets: Buckets,
    pub(super) bucket: String,
    /// Empty, or ends with `/`.
    prefix: String,
    /// Made with the first use, removed with the last clone.
    scratch: Arc<tempfile::TempDir>,
}

impl S3 {
    /// The objects below `prefix`.
    ///
    /// # Panics
    /// When there is no folder for temporary files.
    pub fn new(store: &Store, bucket: &str, prefix: &str) -> Self {
        let prefix = prefix.trim_matches('/');
        let scratch = tempfile::Builder::new().prefix("pagesieve-").tempdir();
        Self {
            buckets: Buckets::new(store),
            bucket: bucket.to_owned(),
            prefix: if prefix.is_empty() { String::new() } else { format!("{prefix}/") },
            scratch: Arc::new(scratch.expect("the folder for temporary files, TMPDIR, can be written")),
        }
    }

    /// The key in the bucket.
    pub(super) fn full(&self, key: &ObjectKey) -> String {
        format!("{}{key}", self.prefix)
    }

    async fn list_all(
        &self,
        prefix: &str,
        after: Option<&str>,
        max: usize,
    ) -> Result<Vec<ObjectMeta>, ObjectError> {
        let mut found = Vec::new();
        let mut after = after.map(|after| format!("{}{after}", self.prefix));
        while found.len() < max {
            let page = i32::try_from((max - found.len()).min(PAGE)).expect("at most a page");
            let request = self.buckets.client().await.list_objects_v2().bucket(&self.bucket);
            let request = request.prefix(format!("{}{prefix}", self.prefix)).max_keys(page);
            let answer = request.set_start_after(after).send().await;
            let answer = answer.map_err(|error| failed("list", prefix, &error))?;
            let keys = answer.contents().iter().filter_map(|object| {
                // What no key can name is not ours.
                let key = ObjectKey::new(object.key()?.strip_prefix(&self.prefix)?).ok()?;
                Some(ObjectMeta {
                    key,
                    etag: unquoted(object.e_tag().unwrap_or_default()),
                    size_bytes: size(object.size()),
                    modified: timestamp(object.last_modified()),
                })
            });
            found.extend(keys);
            after = answer.contents().last().and_then(|object| object.key()).map(str::to_owned);
            if answer.is_truncated() != Some(true) || after.is_none() {
                break;
            }
        }
        Ok(found)
    }

    /// Copies an object to a file of `folder`, piece by piece and all of one version.
    async fn copy(&self, key: &ObjectKey, folder: &Path) -> Result<PathBuf, ObjectError> {
        let io = |source| ObjectError::Io { action: "copy", key: key.to_string(), source };
        let meta = self.head(key).await?.ok_or_else(|| ObjectError::NotFound(key.to_string()))?;
        tokio::fs::create_dir_all(folder).await.map_err(io)?;
        let name: String =
            Sha256::digest(self.full(key)).iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let path = folder.join(format!("copy-{name}"));
        let mut file = tokio::fs::File::create(&path).await.map_err(io)?;
        let full = self.full(key);
        for start in (0..meta.size_bytes).step_by(PIECE as usize) {
            let range = start..(start + PIECE).min(meta.size_bytes);
            let piece = self.buckets.get_range(&self.bucket, &full, range, Some(&meta.etag)).await?;
            tokio::io::AsyncWriteExt::write_all(&mut file, &piece).await.map_err(io)?;
        }
        tokio::io::AsyncWriteExt::flush(&mut file).await.map_err(io)?;
        Ok(path)
    }
}

fn size(size: Option<i64>) -> u64 {
    size.and_then(|size| u64::try_from(size).ok()).unwrap_or(0)
}

fn timestamp(time: Option<&DateTime>) -> Timestamp {
    let micros =
        time.map(|time| time.secs().saturating_mul(1_000_000) + i64::from(time.subsec_nanos() / 1000));
    Timestamp(micros.unwrap_or(0))
}

impl Objects for S3 {
    fn list<'a>(&'a self, prefix: &'a str, after: Option<&'a str>, max: usize) -> Reply<'a, Vec<ObjectMeta>> {
        Box::pin(self.list_all(prefix, after, max))
    }

    fn get<'a>(
        &'a self,
        key: &'a ObjectKey,
        limit_bytes: u64,
        if_match: Option<&'a str>,
    ) -> Reply<'a, Vec<u8>> {
        Box::pin(async move {
            let body = self.buckets.get(&self.bucket, &self.full(key), limit_bytes, if_match).await?;
            Ok(body.bytes)
        })
    }

    fn get_range<'a>(
        &'a self,
        key: &'a ObjectKey,
        range: Range<u64>,
        if_match: Option<&'a str>,
    ) -> Reply<'a, Vec<u8>> {
        Box::pin(async move { self.buckets.get_range(&self.bucket, &self.full(key), range, if_match).await })
    }

    fn head<'a>(&'a self, key: &'a ObjectKey) -> Reply<'a, Option<ObjectMeta>> {
        Box::pin(async move {
            let request = self.buckets.client().await.head_object().bucket(&self.bucket);
            match request.key(self.full(key)).send().await {
                Ok(answer) => Ok(Some(ObjectMeta {
                    key: key.clone(),
                    etag: unquoted(answer.e_tag().unwrap_or_default()),
                    size_bytes: size(answer.content_length()),
                    modified: timestamp(answer.last_modified()),
                })),
                Err(error) if status(&error) == Some(404) => Ok(None),
                Err(error) => Err(failed("look up", key.as_str(), &error)),
            }
        })
    }

    fn put<'a>(&'a self, key: &'a ObjectKey, bytes: Vec<u8>) -> Reply<'a, ()> {
        Box::pin(self.write(key, bytes))
    }

    fn put_if_absent<'a>(&'a self, key: &'a ObjectKey, bytes: Vec<u8>) -> Reply<'a, Created> {
        Box::pin(self.create(key, bytes))
    }

    fn put_file<'a>(&'a self, key: &'a ObjectKey, file: &'a Path) -> Reply<'a, ()> {
        Box::pin(async move {
            self.upload(key, file).await?;
            let removed = tokio::fs::remove_file(file).await;
            removed.map_err(|source| ObjectError::Io { action: "write", key: key.to_string(), source })
        })
    }

    fn put_folder<'a>(&'a self, prefix: &'a ObjectKey, folder: &'a Path) -> Reply<'a, ()> {
        Box::pin(self.upload_folder(prefix, folder))
    }

    fn local_file<'a>(&'a self, key: &'a ObjectKey, folder: &'a Path) -> Reply<'a, PathBuf> {
        Box::pin(self.copy(key, folder))
    }

    fn delete<'a>(&'a self, key: &'a ObjectKey) -> Reply<'a, ()> {
        Box::pin(async move {
            let request = self.buckets.client().await.delete_object().bucket(&self.bucket);
            match request.key(self.full(key)).send().await {
                Ok(_) => Ok(()),
                Err(error) => match failed("delete", key.as_str(), &error) {
                    ObjectError::NotFound(_) => Ok(()),
                    other => Err(other),
                },
            }
        })
    }

    fn scratch(&self) -> PathBuf {
        self.scratch.path().to_owned()
    }
}

/// Runs blocking work on a file.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}
