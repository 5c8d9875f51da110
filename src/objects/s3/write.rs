//! Writing: whole, conditional, in parts, whole folders.

use std::collections::HashSet;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

use aws_sdk_s3::types::{CompletedMultipartUpload, CompletedPart};
use tokio::task::JoinSet;

use super::super::{Created, ObjectError, ObjectKey, Objects};
use super::client::pause;
use super::error::{failed, status};
use super::root::{S3, blocking};

/// Metadata that tells one put from another: a reply can be lost, and the repeated put then finds its own object.
const TOKEN: &str = "pagesieve-put";
/// Tries of a conditional create that conflicts with another.
const CREATES: u32 = 8;
/// Larger files are sent in parts.
const WHOLE_BYTES: u64 = 16 << 20;
/// Bytes of a part; S3 takes 5 MiB to 5 GiB, and at most 10,000 parts.
const PART_BYTES: u64 = 8 << 20;
const MOST_PARTS: u64 = 10_000;
/// Parts, or files of a folder, in flight.
const AT_A_TIME: usize = 4;

fn token() -> String {
    uuid::Uuid::now_v7().simple().to_string()
}

impl S3 {
    pub(super) async fn write(&self, key: &ObjectKey, bytes: Vec<u8>) -> Result<(), ObjectError> {
        let request = self.buckets.client().await.put_object().bucket(&self.bucket).key(self.full(key));
        let sent = request.body(bytes.into()).send().await;
        sent.map(|_| ()).map_err(|error| failed("write", key.as_str(), &error))
    }

    /// Creates unless there is one. 412: there is one, which is ours where it carries our token; 409: another
    /// create is under way and may yet fail.
    pub(super) async fn create(&self, key: &ObjectKey, bytes: Vec<u8>) -> Result<Created, ObjectError> {
        let token = token();
        let mut tried = 0;
        loop {
            let request = self.buckets.client().await.put_object().bucket(&self.bucket).key(self.full(key));
            let request = request.if_none_match("*").metadata(TOKEN, &token).body(bytes.clone().into());
            let error = match request.send().await {
                Ok(_) => return Ok(Created::Yes),
                Err(error) => error,
            };
            match status(&error) {
                Some(412) => {
                    let ours = self.carries(key, &token).await?;
                    return Ok(if ours { Created::Yes } else { Created::Exists });
                }
                Some(409) if tried + 1 < CREATES => {
                    pause(tried).await;
                    tried += 1;
                }
                _ => return Err(failed("create", key.as_str(), &error)),
            }
        }
    }

    /// Whether the object was written by the put with this token.
    async fn carries(&self, key: &ObjectKey, token: &str) -> Result<bool, ObjectError> {
        let request = self.buckets.client().await.head_object().bucket(&self.bucket).key(self.full(key));
        match request.send().await {
            Ok(answer) => {
                Ok(answer.metadata().and_then(|all| all.get(TOKEN)).is_some_and(|has| has == token))
            }
            Err(error) if status(&error) == Some(404) => Ok(false),
            Err(error) => Err(failed("look up", key.as_str(), &error)),
        }
    }

    /// Sends a file, in parts when it is large.
    pub(super) async fn upload(&self, key: &ObjectKey, file: &Path) -> Result<(), ObjectError> {
        let io = |source| ObjectError::Io { action: "write", key: key.to_string(), source };
        let path = file.to_owned();
        let opened = blocking(move || {
            let file = File::open(path)?;
            let size = file.metadata()?.len();
            Ok((std::sync::Arc::new(file), size))
        });
        let (file, size) = opened.await.map_err(io)?;
        if size <= WHOLE_BYTES {
            return self.write(key, piece(&file, 0, size).await.map_err(io)?).await;
        }
        let client = self.buckets.client().await;
        let token = token();
        let begun = client.create_multipart_upload().bucket(&self.bucket).key(self.full(key));
        let begun = begun.metadata(TOKEN, &token).send().await;
        let begun = begun.map_err(|error| failed("write", key.as_str(), &error))?;
        let upload = begun.upload_id().unwrap_or_default();
        match self.parts(key, upload, &file, size).await {
            Ok(parts) => self.complete(key, upload, parts, &token).await,
            Err(error) => {
                // Best effort: servers drop unfinished uploads by a rule of the bucket.
                let abort = client.abort_multipart_upload().bucket(&self.bucket).key(self.full(key));
                let _ = abort.upload_id(upload).send().await;
                Err(error)
            }
        }
    }

    async fn parts(
        &self,
        key: &ObjectKey,
        upload: &str,
        file: &std::sync::Arc<File>,
        size: u64,
    ) -> Result<Vec<CompletedPart>, ObjectError> {
        let length = PART_BYTES.max(size.div_ceil(MOST_PARTS));
        let mut sending = JoinSet::new();
        let mut parts = Vec::new();
        for (number, start) in (1..).zip((0..size).step_by(length as usize)) {
            if sending.len() == AT_A_TIME {
                parts.extend(joined(sending.join_next().await, key)?);
            }
            let (this, key, upload, file) = (self.clone(), key.clone(), upload.to_owned(), file.clone());
            sending.spawn(async move {
                let bytes = piece(&file, start, length.min(size - start)).await;
                let bytes = bytes.map_err(|source| ObjectError::Io {
                    action: "write",
                    key: key.to_string(),
                    source,
                })?;
                let request =
                    this.buckets.client().await.upload_part().bucket(&this.bucket).key(this.full(&key));
                let request = request.upload_id(upload).part_number(number).body(bytes.into());
                let sent = request.send().await.map_err(|error| failed("write", key.as_str(), &error))?;
                Ok(CompletedPart::builder().part_number(number).set_e_tag(sent.e_tag).build())
            });
        }
        while !sending.is_empty() {
            parts.extend(joined(sending.join_next().await, key)?);
        }
        parts.sort_by_key(|part| part.part_number);
        Ok(parts)
    }

    async fn complete(
        &self,
        key: &ObjectKey,
        upload: &str,
        parts: Vec<CompletedPart>,
        token: &str,
    ) -> Result<(), ObjectError> {
        let request =
            self.buckets.client().await.complete_multipart_upload().bucket(&self.bucket).key(self.full(key));
        let all = CompletedMultipartUpload::builder().set_parts(Some(parts)).build();
        match request.upload_id(upload).multipart_upload(all).send().await {
            Ok(_) => Ok(()),
            // The reply was lost, and the repeated request finds no upload any more.
            Err(_) if self.carries(key, token).await? => Ok(()),
            Err(error) => Err(failed("write", key.as_str(), &error)),
        }
    }

    /// Sends the files of a folder, then removes what else lies below the prefix.
    pub(super) async fn upload_folder(&self, prefix: &ObjectKey, folder: &Path) -> Result<(), ObjectError> {
        let io = |source| ObjectError::Io { action: "publish", key: prefix.to_string(), source };
        let (root, below) = (folder.to_owned(), format!("{prefix}/"));
        let files = blocking(move || {
            let entries = walkdir::WalkDir::new(&root).sort_by_file_name().into_iter();
            let files =
                entries.filter(|entry| entry.as_ref().map_or(true, |entry| entry.file_type().is_file()));
            let paths = files.map(|entry| Ok(entry.map_err(std::io::Error::other)?.into_path()));
            paths.collect::<std::io::Result<Vec<_>>>()
        });
        let mut kept = HashSet::new();
        let mut sending = JoinSet::new();
        for file in files.await.map_err(io)? {
            let name = file.strip_prefix(folder).ok().and_then(Path::to_str).unwrap_or_default();
            let key = ObjectKey::new(format!("{below}{name}"))?;
            kept.insert(key.clone());
            if sending.len() == AT_A_TIME {
                joined(sending.join_next().await, prefix)?;
            }
            let this = self.clone();
            sending.spawn(async move { this.upload(&key, &file).await });
        }
        while !sending.is_empty() {
            joined(sending.join_next().await, prefix)?;
        }
        for object in self.list(&below, None, usize::MAX).await? {
            if !kept.contains(&object.key) {
                self.delete(&object.key).await?;
            }
        }
        tokio::fs::remove_dir_all(folder).await.map_err(io)
    }
}

async fn piece(file: &std::sync::Arc<File>, start: u64, length: u64) -> std::io::Result<Vec<u8>> {
    let file = file.clone();
    blocking(move || {
        let mut bytes = vec![0; usize::try_from(length).map_err(std::io::Error::other)?];
        file.read_exact_at(&mut bytes, start)?;
        Ok(bytes)
    })
    .await
}

fn joined<T>(
    ended: Option<Result<Result<T, ObjectError>, tokio::task::JoinError>>,
    key: &ObjectKey,
) -> Result<Option<T>, ObjectError> {
    match ended {
        None => Ok(None),
        Some(Ok(done)) => done.map(Some),
        Some(Err(error)) => {
            let source = std::io::Error::other(error);
            Err(ObjectError::Io { action: "write", key: key.to_string(), source })
        }
    }
}
