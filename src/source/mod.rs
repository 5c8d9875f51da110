//! Folder, bucket listing, manifest or queue → [`DocumentRef`].
//!
//! Takes: the SOURCE arguments of a scan. Gives: [`Listed`] documents, one after the other; a document's bytes
//! ([`fetch`], [`fetch_object`]). Fails: [`SourceError`] for what names nothing, [`FetchError`] for one document. Never: reads a
//! document to list it, follows a loop of links, waits for a pipe, or reads more than it is allowed.

mod bucket;
mod list;
mod local;
#[cfg(test)]
mod tests;
mod uri;

pub use bucket::fetch_object;
pub use list::{Listed, Listing, Source, SourceError, list};
pub use local::{FetchError, Fetched, fetch, fetch_below};
pub use uri::{from_path, to_path};

use serde::{Deserialize, Serialize};

/// One PDF as a listing names it, before a byte of it is read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DocumentRef {
    /// `file://` and the absolute path ([`from_path`]), or `s3://bucket/key`; unique in a job.
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
