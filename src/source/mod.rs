//! Folder, bucket listing, manifest or queue → [`DocumentRef`].

use serde::{Deserialize, Serialize};

/// One PDF as a listing names it, before a byte of it is read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DocumentRef {
    /// Path below the corpus root (folders) or `s3://bucket/key`; unique in a job.
    pub uri: String,
    /// The version of the content: S3's ETag, or `size-mtime-inode` of a file; `None` when unknown.
    pub etag: Option<String>,
    /// Size, where the listing tells it.
    pub size_bytes: Option<u64>,
}

/// What a document is against the corpus's previous snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The URI was not there.
    New,
    /// The URI was there with other content.
    Changed,
    /// The URI was there with the same content, whether it was scored again or carried forward.
    Unchanged,
}
