//! What a scan is given → documents.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader};
use std::path::{Component, Path, PathBuf};

use super::{DocumentRef, bucket, local, uri};
use crate::config::Store;
use crate::objects::parse_url;

/// One SOURCE of the command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file, whatever its name, or a folder, of which all `*.pdf` (in any case) are taken, recursively and
    /// through links. Absolute.
    Path(PathBuf),
    /// A pattern (`*`, `?`, `[…]`, `**`): files are taken whatever their names, folders as folders are. Absolute.
    Glob(String),
    /// `s3://bucket/prefix`: of the objects whose keys begin with the prefix, those named `*.pdf` (in any case), and the one
    /// that has the prefix for its name.
    Bucket {
        /// The bucket.
        bucket: String,
        /// Begin of the keys.
        prefix: String,
    },
    /// A file of paths or `file://` URIs, one a line.
    Manifest(PathBuf),
    /// The same from standard input.
    Stdin,
}

/// Why there is nothing to list.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The path does not exist, or may not be looked at.
    #[error("cannot scan `{path}`")]
    Path {
        /// What was asked for.
        path: String,
        /// The cause.
        source: io::Error,
    },
    /// The pattern does not parse.
    #[error("`{pattern}` is not a pattern")]
    Glob {
        /// What was asked for.
        pattern: String,
        /// The cause.
        source: glob::PatternError,
    },
    /// It begins like an S3 address, and is none.
    #[error("`{0}` is not s3://bucket/prefix")]
    Bucket(String),
}

impl Source {
    /// Reads one SOURCE argument. Relative paths are below the current folder.
    ///
    /// # Errors
    /// When it names nothing that exists. That it holds no document shows when it is listed.
    pub fn parse(argument: &OsStr) -> Result<Self, SourceError> {
        let text = argument.to_string_lossy();
        let error = |source| SourceError::Path { path: text.clone().into_owned(), source };
        if text == "-" {
            return Ok(Self::Stdin);
        }
        if text.starts_with("s3://") {
            let (bucket, prefix) =
                parse_url(&text).ok_or_else(|| SourceError::Bucket(text.clone().into_owned()))?;
            return Ok(Self::Bucket { bucket: bucket.to_owned(), prefix: prefix.to_owned() });
        }
        if let Some(path) = uri::to_path(&text) {
            return existing(&path).map(Self::Path).map_err(error);
        }
        match existing(Path::new(argument)) {
            Ok(path) => Ok(Self::Path(path)),
            Err(source) => match text.strip_prefix('@') {
                Some(manifest) => existing(Path::new(manifest)).map(Self::Manifest).map_err(error),
                None if text.contains(['*', '?', '[']) => Self::glob(&text),
                None => Err(error(source)),
            },
        }
    }

    fn glob(pattern: &str) -> Result<Self, SourceError> {
        let error = |source| SourceError::Glob { pattern: pattern.to_owned(), source };
        glob::Pattern::new(pattern).map_err(error)?;
        let absolute = std::path::absolute(pattern)
            .map_err(|source| SourceError::Path { path: pattern.to_owned(), source })?;
        Ok(Self::Glob(absolute.to_string_lossy().into_owned()))
    }

    /// The source as it enters the job's fingerprint: the same command from the same folder has the same one.
    pub fn fingerprint(&self) -> String {
        format!("{self:?}")
    }
}

/// An absolute path to something that exists. Links stay in it, so that a link moved to a new folder each
/// night keeps the URIs; `..` does not, or one folder would have many names.
fn existing(path: &Path) -> io::Result<PathBuf> {
    std::fs::symlink_metadata(path)?;
    if path.components().any(|component| component == Component::ParentDir) {
        return std::fs::canonicalize(path);
    }
    std::path::absolute(path)
}

/// What a listing finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Listed {
    /// A document.
    Document(DocumentRef),
    /// Something that could not be looked into; documents may be missing from the listing.
    Problem {
        /// Where.
        place: String,
        /// Why.
        why: String,
    },
}

/// Lists sources in order, folders by name. Nothing is read of any document, and no more than one folder's
/// entries is held.
pub fn list(sources: Vec<Source>) -> Listing {
    Listing { sources: sources.into(), store: Store::default(), open: None }
}

/// The documents of some sources; see [`list`].
pub struct Listing {
    sources: VecDeque<Source>,
    store: Store,
    open: Option<Box<dyn Iterator<Item = Listed> + Send>>,
}

impl Listing {
    /// Looks for buckets on this server; without it, where the environment says.
    #[must_use]
    pub fn on(mut self, store: &Store) -> Self {
        self.store = store.clone();
        self
    }
}

impl Iterator for Listing {
    type Item = Listed;

    fn next(&mut self) -> Option<Listed> {
        loop {
            if let Some(listed) = self.open.as_mut().and_then(Iterator::next) {
                return Some(listed);
            }
            self.open = Some(open(self.sources.pop_front()?, &self.store));
        }
    }
}

fn open(source: Source, store: &Store) -> Box<dyn Iterator<Item = Listed> + Send> {
    match source {
        Source::Path(path) if path.is_dir() => Box::new(folder(&path)),
        Source::Path(path) => Box::new(std::iter::once(file(&path))),
        Source::Glob(pattern) => Box::new(matches(&pattern)),
        Source::Bucket { bucket, prefix } => Box::new(bucket::list(store, bucket, prefix)),
        Source::Manifest(path) => match std::fs::File::open(&path) {
            Ok(manifest) => Box::new(lines(BufReader::new(manifest), path.display().to_string())),
            Err(error) => Box::new(std::iter::once(problem(&path, &error))),
        },
        Source::Stdin => Box::new(lines(BufReader::new(io::stdin()), "standard input".to_owned())),
    }
}

fn file(path: &Path) -> Listed {
    Listed::Document(local::document(path, std::fs::metadata(path).ok().as_ref()))
}

fn problem(place: &Path, why: &dyn std::fmt::Display) -> Listed {
    Listed::Problem { place: place.display().to_string(), why: why.to_string() }
}

fn is_pdf(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pdf"))
}

/// Every `*.pdf` below a folder. A link back to a folder that is being listed is left out.
fn folder(root: &Path) -> impl Iterator<Item = Listed> + Send + use<> {
    walkdir::WalkDir::new(root).follow_links(true).sort_by_file_name().into_iter().filter_map(|entry| {
        match entry {
            Ok(entry) if !is_pdf(entry.path()) => None,
            Ok(entry) => {
                let metadata = entry.metadata().ok();
                let other = metadata.as_ref().is_some_and(|metadata| !metadata.is_file());
                (!other).then(|| Listed::Document(local::document(entry.path(), metadata.as_ref())))
            }
            Err(error) if error.loop_ancestor().is_some() => None,
            Err(error) => {
                let path = error.path().unwrap_or(Path::new("")).to_owned();
                // A link that leads nowhere, or a file that went while the folder was read.
                let gone = error.io_error().is_some_and(|error| error.kind() == io::ErrorKind::NotFound);
                match (gone, is_pdf(&path)) {
                    (true, true) => Some(Listed::Document(local::document(&path, None))),
                    (true, false) => None,
                    (false, _) => Some(problem(
                        &path,
                        &error.io_error().map_or_else(|| error.to_string(), ToString::to_string),
                    )),
                }
            }
        }
    })
}

fn matches(pattern: &str) -> impl Iterator<Item = Listed> + Send + use<> {
    let paths = glob::glob(pattern).into_iter().flatten();
    paths.flat_map(|path| -> Box<dyn Iterator<Item = Listed> + Send> {
        match path {
            Ok(path) if path.is_dir() => Box::new(folder(&path)),
            Ok(path) => Box::new(std::iter::once(file(&path))),
            Err(error) => Box::new(std::iter::once(problem(error.path(), error.error()))),
        }
    })
}

/// One document per line that is not empty.
fn lines<R: BufRead + Send>(input: R, place: String) -> impl Iterator<Item = Listed> + Send {
    input.split(b'\n').filter_map(move |line| {
        let line = match line {
            Ok(line) => line,
            Err(error) => return Some(Listed::Problem { place: place.clone(), why: error.to_string() }),
        };
        let line = line.strip_suffix(b"\r").unwrap_or(&line);
        (!line.is_empty()).then(|| from_line(line))
    })
}

fn from_line(line: &[u8]) -> Listed {
    use std::os::unix::ffi::OsStrExt;
    if line.starts_with(b"s3://") {
        let uri = String::from_utf8_lossy(line).into_owned();
        return match parse_url(&uri) {
            Some((_, key)) if !key.is_empty() => {
                Listed::Document(DocumentRef { uri, etag: None, size_bytes: None })
            }
            _ => Listed::Problem { place: uri, why: "not s3://bucket/key".to_owned() },
        };
    }
    let path = match std::str::from_utf8(line).ok().and_then(uri::to_path) {
        Some(path) => path,
        None => PathBuf::from(OsStr::from_bytes(line)),
    };
    // A file that is gone keeps its line's name; fetching it says so.
    let path = existing(&path).or_else(|_| std::path::absolute(&path)).unwrap_or(path);
    file(&path)
}
