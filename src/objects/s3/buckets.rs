//! Reading and listing by bucket and key, whatever the key looks like: documents are named by others.

use std::ops::Range;
use std::sync::Arc;

use aws_sdk_s3::Client;
use aws_sdk_s3::operation::get_object::GetObjectError;
use aws_sdk_s3::operation::get_object::GetObjectOutput;
use aws_sdk_s3::types::Object;
use tokio::sync::{OnceCell, Semaphore, mpsc};
use tokio::task::JoinSet;

use super::super::ObjectError;
use super::client::{connect, pause};
use super::error::{failed, is_ours, status};
use crate::config::Store;

/// Tries of a body that ends early.
const READS: u32 = 4;
/// Prefixes that are listed at a time.
const LISTED_AT_A_TIME: usize = 16;

/// A whole object, all of one version.
#[derive(Debug)]
pub struct Body {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its ETag, without quotation marks.
    pub etag: String,
}

/// An object as a listing names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Its key, which may be any text.
    pub key: String,
    /// Its ETag, without quotation marks.
    pub etag: String,
    /// Its size.
    pub size_bytes: u64,
}

/// The buckets that the credentials reach. Connects with the first call; clones share the connection.
#[derive(Debug, Clone)]
pub struct Buckets {
    store: Store,
    client: Arc<OnceCell<Client>>,
}

impl Buckets {
    /// Prepares; nothing is sent.
    pub fn new(store: &Store) -> Self {
        Self { store: store.clone(), client: Arc::new(OnceCell::new()) }
    }

    pub(super) async fn client(&self) -> &Client {
        self.client.get_or_init(|| connect(&self.store)).await
    }

    /// Whether a failure is the installation's, such as wrong credentials or a missing bucket, and so no document's.
    pub fn is_ours(error: &ObjectError) -> bool {
        error.is_transient() || is_ours(error)
    }

    /// Whether the bucket is there and may be looked at.
    pub async fn answers(&self, bucket: &str) -> bool {
        self.client().await.head_bucket().bucket(bucket).send().await.is_ok()
    }

    /// A whole object of at most `limit_bytes`, refused before its body is read; `if_match` pins its ETag.
    pub async fn get(
        &self,
        bucket: &str,
        key: &str,
        limit_bytes: u64,
        if_match: Option<&str>,
    ) -> Result<Body, ObjectError> {
        self.read(bucket, key, None, limit_bytes, if_match).await
    }

    /// The bytes of `range` that the object has.
    pub(super) async fn get_range(
        &self,
        bucket: &str,
        key: &str,
        range: Range<u64>,
        if_match: Option<&str>,
    ) -> Result<Vec<u8>, ObjectError> {
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let header = format!("bytes={}-{}", range.start, range.end - 1);
        let limit = range.end - range.start;
        self.read(bucket, key, Some(header), limit, if_match).await.map(|body| body.bytes)
    }

    async fn read(
        &self,
        bucket: &str,
        key: &str,
        range: Option<String>,
        limit_bytes: u64,
        if_match: Option<&str>,
    ) -> Result<Body, ObjectError> {
        let mut tried = 0;
        loop {
            let request = self.client().await.get_object().bucket(bucket).key(key).set_range(range.clone());
            let sent = request.set_if_match(if_match.map(quoted)).send().await;
            let answer = match sent {
                Ok(answer) => answer,
                Err(error) if range.is_some() && status(&error) == Some(416) => {
                    return Ok(Body { bytes: Vec::new(), etag: String::new() }); // it ends before the range
                }
                Err(error) => return Err(failed::<GetObjectError>("read", key, &error)),
            };
            // There are servers that know no If-Match and hand over what is there.
            let is_other = |expected| answer.e_tag().is_some_and(|etag| unquoted(etag) != expected);
            if if_match.is_some_and(is_other) {
                return Err(ObjectError::Changed(key.to_owned()));
            }
            match body(key, answer, limit_bytes).await {
                Err(error) if error.is_transient() && tried + 1 < READS => {
                    pause(tried).await;
                    tried += 1;
                }
                other => return other,
            }
        }
    }

    /// Sends what lies below a prefix, page by page, in no order. Folders of keys are listed side by side.
    ///
    /// # Errors
    /// When a page cannot be had; what was sent before is not complete.
    pub async fn list(
        &self,
        bucket: &str,
        prefix: &str,
        pages: mpsc::Sender<Vec<Found>>,
    ) -> Result<(), ObjectError> {
        // Down to where the keys branch.
        let mut prefix = prefix.to_owned();
        let branches = loop {
            let (found, mut branches) = self.branches(bucket, &prefix).await?;
            let only = branches.len() == 1 && found.is_empty();
            if !found.is_empty() && pages.send(found).await.is_err() {
                return Ok(());
            }
            match branches.pop() {
                Some(branch) if only => prefix = branch,
                last => break branches.into_iter().chain(last),
            }
        };
        let places = Arc::new(Semaphore::new(LISTED_AT_A_TIME));
        let mut listing = JoinSet::new();
        for branch in branches {
            let place = Arc::clone(&places).acquire_owned().await.expect("never closed");
            let (this, bucket, pages) = (self.clone(), bucket.to_owned(), pages.clone());
            listing.spawn(async move {
                let _place = place;
                this.all_below(&bucket, &branch, &pages).await
            });
            while let Some(ended) = listing.try_join_next() {
                joined(ended)?;
            }
        }
        while let Some(ended) = listing.join_next().await {
            joined(ended)?;
        }
        Ok(())
    }

    /// Objects directly below a prefix, and the longer prefixes up to the next `/`.
    async fn branches(&self, bucket: &str, prefix: &str) -> Result<(Vec<Found>, Vec<String>), ObjectError> {
        let client = self.client().await;
        let mut pages =
            client.list_objects_v2().bucket(bucket).prefix(prefix).delimiter("/").into_paginator().send();
        let (mut found, mut branches) = (Vec::new(), Vec::new());
        while let Some(page) = pages.next().await {
            let page = page.map_err(|error| failed("list", prefix, &error))?;
            branches.extend(page.common_prefixes().iter().filter_map(|branch| branch.prefix.clone()));
            found.extend(page.contents().iter().filter_map(read_found));
        }
        Ok((found, branches))
    }

    async fn all_below(
        &self,
        bucket: &str,
        prefix: &str,
        pages: &mpsc::Sender<Vec<Found>>,
    ) -> Result<(), ObjectError> {
        let client = self.client().await;
        let mut answers = client.list_objects_v2().bucket(bucket).prefix(prefix).into_paginator().send();
        while let Some(answer) = answers.next().await {
            let answer = answer.map_err(|error| failed("list", prefix, &error))?;
            if pages.send(answer.contents().iter().filter_map(read_found).collect()).await.is_err() {
                return Ok(()); // nobody wants to know any more
            }
        }
        Ok(())
    }
}

fn joined(ended: Result<Result<(), ObjectError>, tokio::task::JoinError>) -> Result<(), ObjectError> {
    ended.unwrap_or_else(|error| {
        let source = std::io::Error::other(error);
        Err(ObjectError::Io { action: "list", key: String::new(), source })
    })
}

fn read_found(object: &Object) -> Option<Found> {
    Some(Found {
        key: object.key()?.to_owned(),
        etag: unquoted(object.e_tag().unwrap_or_default()),
        size_bytes: u64::try_from(object.size().unwrap_or(0)).unwrap_or(0),
    })
}

/// Reads a body to the end the header tells; a shorter one is a failure that passes.
async fn body(key: &str, mut answer: GetObjectOutput, limit_bytes: u64) -> Result<Body, ObjectError> {
    let told = u64::try_from(answer.content_length().unwrap_or(0)).unwrap_or(0);
    let too_large = |size_bytes| ObjectError::TooLarge { key: key.to_owned(), size_bytes, limit_bytes };
    if told > limit_bytes {
        return Err(too_large(told));
    }
    let io = |source| ObjectError::Away { action: "read", key: key.to_owned(), source };
    let mut bytes = Vec::with_capacity(usize::try_from(told).unwrap_or(0));
    while let Some(chunk) = answer.body.next().await {
        bytes.extend_from_slice(&chunk.map_err(|error| io(std::io::Error::other(error)))?);
        if bytes.len() as u64 > limit_bytes {
            return Err(too_large(bytes.len() as u64)); // a header that lied, or none
        }
    }
    if answer.content_length.is_some() && bytes.len() as u64 != told {
        return Err(io(std::io::ErrorKind::UnexpectedEof.into()));
    }
    Ok(Body { bytes, etag: unquoted(answer.e_tag().unwrap_or_default()) })
}

fn quoted(etag: &str) -> String {
    format!("\"{}\"", etag.trim_matches('"'))
}

pub(super) fn unquoted(etag: &str) -> String {
    etag.trim_matches('"').to_owned()
}
