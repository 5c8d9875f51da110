//! Local files: what they are called, which version they are, and their bytes.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::{DocumentRef, uri};

/// Most times a file that changes while it is read is read again.
const REREADS: u32 = 3;

/// `size-mtime-inode`, hexadecimal: another one means other content, for all that can be seen from outside.
pub(super) fn etag(metadata: &Metadata) -> String {
    let nanos = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
    format!("{:x}-{:x}-{:x}", metadata.len(), nanos, metadata.ino())
}

/// A file as a document. One that cannot be looked at is a document too: fetching it tells why.
pub(super) fn document(path: &Path, metadata: Option<&Metadata>) -> DocumentRef {
    DocumentRef {
        uri: uri::from_path(path),
        etag: metadata.map(etag),
        size_bytes: metadata.map(Metadata::len),
    }
}

/// A file's bytes and the version they are of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// All bytes.
    pub bytes: Arc<[u8]>,
    /// Version: `size-mtime-inode`, hexadecimal; of an object its ETag.
    pub etag: String,
}

/// Why there are no bytes.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The file is gone.
    #[error("the file is gone")]
    Missing,
    /// It is larger than allowed; nothing was read.
    #[error("{size_bytes} bytes, over the limit of {limit_bytes}")]
    TooLarge {
        /// Its size.
        size_bytes: u64,
        /// The limit.
        limit_bytes: u64,
    },
    /// It is a folder, a pipe or a device.
    #[error("not a regular file")]
    NotAFile,
    /// It lies below no folder that may be read, or a symbolic link on its way leads out of these.
    #[error("not below a folder of worker.file_roots")]
    NotAllowed,
    /// It changed each time it was read.
    #[error("the file changes while it is read")]
    Changing,
    /// It cannot be read.
    #[error("failed to read the file: {0}")]
    Read(io::Error),
    /// Object storage does not hand it over.
    #[error("{}", crate::words::chain(.0))]
    Storage(crate::objects::ObjectError),
}

/// Reads a whole file of at most `limit_bytes`, all of one version. Blocks.
///
/// # Errors
/// See [`FetchError`]; each is the document's own end, none the scan's.
pub fn fetch(path: &Path, limit_bytes: u64) -> Result<Fetched, FetchError> {
    read(|| open(path), limit_bytes)
}

/// As [`fetch`], but only of a file that lies below one of `roots`, symbolic links followed.
///
/// # Errors
/// [`FetchError::NotAllowed`] for any other; where the path's own text leads elsewhere, it is not even looked at.
pub fn fetch_below(roots: &[PathBuf], path: &Path, limit_bytes: u64) -> Result<Fetched, FetchError> {
    let climbs = path.components().any(|part| part == Component::ParentDir);
    if climbs || !roots.iter().any(|root| path.starts_with(root)) {
        return Err(FetchError::NotAllowed);
    }
    let roots: Vec<PathBuf> = roots.iter().filter_map(|root| root.canonicalize().ok()).collect();
    let allowed = |path: &Path| roots.iter().any(|root| path.starts_with(root));
    let open = || {
        let real = path.canonicalize().map_err(unopened)?;
        if !allowed(&real) {
            return Err(FetchError::NotAllowed);
        }
        let file = open(&real)?;
        // What was opened, and not what the path meant a moment before.
        let opened = std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()));
        if allowed(&opened.map_err(FetchError::Read)?) { Ok(file) } else { Err(FetchError::NotAllowed) }
    };
    read(open, limit_bytes)
}

fn read(open: impl Fn() -> Result<File, FetchError>, limit_bytes: u64) -> Result<Fetched, FetchError> {
    for _ in 0..REREADS {
        let mut file = open()?;
        let before = file.metadata().map_err(FetchError::Read)?;
        if !before.is_file() {
            return Err(FetchError::NotAFile);
        }
        if before.len() > limit_bytes {
            return Err(FetchError::TooLarge { size_bytes: before.len(), limit_bytes });
        }
        let Some(bytes) = read_exactly(&mut file, before.len()).map_err(FetchError::Read)? else { continue };
        let version = etag(&before);
        if etag(&file.metadata().map_err(FetchError::Read)?) == version {
            return Ok(Fetched { bytes, etag: version });
        }
    }
    Err(FetchError::Changing)
}

fn open(path: &Path) -> Result<File, FetchError> {
    // Without waiting: a named pipe in a folder would block for ever.
    let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path);
    file.map_err(unopened)
}

fn unopened(error: io::Error) -> FetchError {
    match error.kind() {
        io::ErrorKind::NotFound => FetchError::Missing,
        _ => FetchError::Read(error),
    }
}

/// The first `size_bytes` of a file that has no more and no less; `None` when it has.
fn read_exactly(file: &mut File, size_bytes: u64) -> io::Result<Option<Arc<[u8]>>> {
    let size = usize::try_from(size_bytes).map_err(io::Error::other)?;
    let mut bytes: Arc<[u8]> = std::iter::repeat_n(0, size).collect();
    let buffer = Arc::get_mut(&mut bytes).expect("a new Arc has one owner");
    match file.read_exact(buffer) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let more = file.read(&mut [0])?;
    Ok((more == 0).then_some(bytes))
}
