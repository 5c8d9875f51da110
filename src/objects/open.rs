//! From a URL to the storage it names.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Folder, Objects, S3, parse_url};
use crate::config::Store;

/// Why a results root cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It begins like an S3 address, and is none.
    #[error("`{0}` is not s3://bucket/prefix")]
    Url(String),
    /// The folder cannot be made.
    #[error("cannot make the folder `{path}`: {source}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
}

/// Opens `s3://bucket/prefix`, or a folder, which is made where it is missing. Nothing is sent yet: a bucket that is not there
/// shows with the first call.
///
/// # Errors
/// When the address is none, or the folder cannot be made.
pub fn open(root: &str, store: &Store) -> Result<Arc<dyn Objects>, OpenError> {
    if root.starts_with("s3://") {
        let (bucket, prefix) = parse_url(root).ok_or_else(|| OpenError::Url(root.to_owned()))?;
        return Ok(Arc::new(S3::new(store, bucket, prefix)));
    }
    let failed = |source| OpenError::Folder { path: PathBuf::from(root), source };
    let folder = std::path::absolute(Path::new(root)).map_err(failed)?;
    std::fs::create_dir_all(&folder).map_err(failed)?;
    Ok(Arc::new(Folder::new(folder)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_address_is_refused() {
        for wrong in ["s3://", "s3:///a", "s3://a", "s3://b u/x", "s3://bucket/a\nb"] {
            assert!(matches!(open(wrong, &Store::default()), Err(OpenError::Url(_))), "{wrong:?}");
        }
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        std::fs::write(&file, "").unwrap();
        let below = file.join("x").to_str().unwrap().to_owned();
        assert!(matches!(open(&below, &Store::default()), Err(OpenError::Folder { .. })));
    }
}
