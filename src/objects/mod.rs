//! Object storage: one trait, a local folder and S3.
//!
//! Takes: an [`ObjectKey`], never a path. Gives: bytes, listings, and a conditional create that one of many writers wins.
//! Fails: [`ObjectError`]. Never: shows a half-written object, or touches what lies outside its root.

#[cfg(test)]
mod conformance;
mod folder;
mod key;
mod open;
mod s3;

pub use folder::Folder;
pub use key::ObjectKey;
pub use open::{OpenError, open};
pub use s3::{Body, Buckets, Found, S3, parse_url};

use std::fmt;
use std::future::Future;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::pin::Pin;

/// What a call of [`Objects`] answers.
pub type Reply<'a, T> = Pin<Box<dyn Future<Output = Result<T, ObjectError>> + Send + 'a>>;

/// Why an object could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    /// There is no such object.
    #[error("there is no object `{0}`")]
    NotFound(String),
    /// Its ETag is not the expected one.
    #[error("object `{0}` has changed")]
    Changed(String),
    /// It is larger than the caller allows.
    #[error("object `{key}` is {size_bytes} bytes, over the limit of {limit_bytes}")]
    TooLarge {
        /// The object.
        key: String,
        /// Its size.
        size_bytes: u64,
        /// The caller's limit.
        limit_bytes: u64,
    },
    /// A text that cannot be a key.
    #[error("`{0}` is not an object key")]
    BadKey(String),
    /// The storage refuses, and will the next time: credentials, rights, a bucket that is not there.
    #[error("the storage refused to {action} object `{key}`")]
    Refused {
        /// What was tried.
        action: &'static str,
        /// On what.
        key: String,
        /// What it said.
        source: std::io::Error,
    },
    /// The storage did not answer, or said that it cannot now.
    #[error("the storage failed to {action} object `{key}`")]
    Away {
        /// What was tried.
        action: &'static str,
        /// On what.
        key: String,
        /// The cause.
        source: std::io::Error,
    },
    /// The file system or the transfer failed.
    #[error("failed to {action} object `{key}`")]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        key: String,
        /// The cause.
        source: std::io::Error,
    },
}

impl ObjectError {
    /// Whether the same call can succeed later: the storage failed, such as a full disk or a server that is away.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Io { .. } | Self::Away { .. })
    }
}

/// What is known of an object without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectMeta {
    /// Its key.
    pub key: ObjectKey,
    /// Its version; a folder's is `size-mtime-inode`.
    pub etag: String,
    /// Its size.
    pub size_bytes: u64,
    /// When it was written, by the storage's clock.
    pub modified: crate::time::Timestamp,
}

/// Whether a conditional create created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Created {
    /// The object is ours.
    Yes,
    /// There was one already; it is untouched.
    Exists,
}

/// Object storage. Objects appear whole or not at all, and survive a power cut once the call has returned.
pub trait Objects: fmt::Debug + Send + Sync {
    /// At most `max` objects whose key begins with `prefix` and is greater than `after`, in order of their keys' bytes.
    fn list<'a>(&'a self, prefix: &'a str, after: Option<&'a str>, max: usize) -> Reply<'a, Vec<ObjectMeta>>;

    /// A whole object of at most `limit_bytes`, refused before it is read; `if_match` pins its ETag.
    fn get<'a>(
        &'a self,
        key: &'a ObjectKey,
        limit_bytes: u64,
        if_match: Option<&'a str>,
    ) -> Reply<'a, Vec<u8>>;

    /// The bytes of `range` that the object has.
    fn get_range<'a>(
        &'a self,
        key: &'a ObjectKey,
        range: Range<u64>,
        if_match: Option<&'a str>,
    ) -> Reply<'a, Vec<u8>>;

    /// What is known of an object; `None` where there is none.
    fn head<'a>(&'a self, key: &'a ObjectKey) -> Reply<'a, Option<ObjectMeta>>;

    /// Writes an object, over an older one.
    fn put<'a>(&'a self, key: &'a ObjectKey, bytes: Vec<u8>) -> Reply<'a, ()>;

    /// Writes an object unless there is one; of many writers one wins.
    fn put_if_absent<'a>(&'a self, key: &'a ObjectKey, bytes: Vec<u8>) -> Reply<'a, Created>;

    /// Moves a finished local file to `key`, over an older object. The file is gone afterwards.
    fn put_file<'a>(&'a self, key: &'a ObjectKey, file: &'a Path) -> Reply<'a, ()>;

    /// Moves the finished files below `folder` to keys below `prefix`, over older objects, and removes what else is there.
    /// Where the storage can (a folder whose `prefix` is not there yet), readers see all of them or none.
    fn put_folder<'a>(&'a self, prefix: &'a ObjectKey, folder: &'a Path) -> Reply<'a, ()>;

    /// A local file with an object's bytes, for random access: the object itself where it is one, else a copy in `folder`.
    fn local_file<'a>(&'a self, key: &'a ObjectKey, folder: &'a Path) -> Reply<'a, PathBuf>;

    /// Removes an object; one that is not there is removed already.
    fn delete<'a>(&'a self, key: &'a ObjectKey) -> Reply<'a, ()>;

    /// A local folder for files that [`put_file`](Self::put_file) will take, on the same file system where that is cheaper.
    fn scratch(&self) -> PathBuf;
}
