use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::{Created, ObjectError, ObjectKey, ObjectMeta, Objects, Reply};
use crate::time::Timestamp;

/// Folder of unfinished files below the root; no key reaches it and no listing shows it.
const SCRATCH: &str = "_tmp";

/// A local folder as object storage.
///
/// An object is written to a file of another name, synced, and renamed (or, for a conditional create, linked: `link(2)`
/// fails where the name exists), then the folder is synced. Symbolic links below the root are its owner's affair.
#[derive(Debug, Clone)]
pub struct Folder {
    root: PathBuf,
}

impl Folder {
    /// The folder at `root`, created with the first object.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    fn path(&self, key: &ObjectKey) -> PathBuf {
        self.root.join(key.as_str())
    }

    /// A synced file of a fresh name in the scratch folder.
    fn spool(&self, bytes: &[u8]) -> io::Result<tempfile::TempPath> {
        let scratch = self.root.join(SCRATCH);
        fs::create_dir_all(&scratch)?;
        // `tempfile` makes files for their owner alone; an object has the mode any program gives a file, under the umask.
        let mode = fs::Permissions::from_mode(0o666);
        let mut file = tempfile::Builder::new().prefix("put-").permissions(mode).tempfile_in(scratch)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        Ok(file.into_temp_path())
    }

    fn put_path(&self, from: &Path, to: &Path) -> io::Result<()> {
        with_parents(to, || fs::rename(from, to))?;
        sync_parent(to)
    }

    fn list_now(&self, prefix: &str, after: Option<&str>, max: usize) -> io::Result<Vec<ObjectMeta>> {
        let mut found = Vec::new();
        if max > 0 {
            walk(&self.root, String::new(), prefix, after.unwrap_or(""), max, &mut found)?;
        }
        Ok(found)
    }
}

/// Adds the objects below `folder`, whose keys begin with `base`, in order. `false` when `max` is reached.
fn walk(
    folder: &Path,
    base: String,
    prefix: &str,
    after: &str,
    max: usize,
    found: &mut Vec<ObjectMeta>,
) -> io::Result<bool> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry?;
        let Ok(mut name) = entry.file_name().into_string() else { continue }; // no key can name it
        if entry.file_type()?.is_dir() {
            name.push('/'); // a folder sorts by what its keys begin with
        }
        names.push(name);
    }
    names.sort_unstable();
    for name in names {
        let key = format!("{base}{name}");
        if let Some(folder_name) = name.strip_suffix('/') {
            let may_match = key.starts_with(prefix) || prefix.starts_with(&key);
            let passed = after > key.as_str() && !after.starts_with(&key);
            let hidden = base.is_empty() && folder_name == SCRATCH;
            if may_match && !passed && !hidden {
                let below = folder.join(folder_name);
                if !walk(&below, key, prefix, after, max, found)? {
                    return Ok(false);
                }
            }
        } else if key.starts_with(prefix)
            && key.as_str() > after
            && let Ok(object_key) = ObjectKey::new(key)
            && let Some(metadata) = metadata(&folder.join(&name))?
        {
            found.push(meta(object_key, &metadata));
            if found.len() == max {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn metadata(path: &Path) -> io::Result<Option<Metadata>> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some(metadata).filter(Metadata::is_file)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error),
    }
}

fn meta(key: ObjectKey, metadata: &Metadata) -> ObjectMeta {
    let nanos = metadata.mtime_nsec();
    ObjectMeta {
        key,
        etag: etag(metadata),
        size_bytes: metadata.len(),
        modified: Timestamp(metadata.mtime().saturating_mul(1_000_000).saturating_add(nanos / 1000)),
    }
}

fn etag(metadata: &Metadata) -> String {
    format!("{}-{}.{:09}-{}", metadata.len(), metadata.mtime(), metadata.mtime_nsec(), metadata.ino())
}

/// Opens an object of the expected version.
fn open(path: &Path, key: &ObjectKey, if_match: Option<&str>) -> Result<(File, u64), ObjectError> {
    let failed = |source| ObjectError::Io { action: "read", key: key.to_string(), source };
    let file = File::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => ObjectError::NotFound(key.to_string()),
        _ => failed(error),
    })?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(ObjectError::NotFound(key.to_string()));
    }
    if if_match.is_some_and(|expected| expected != etag(&metadata)) {
        return Err(ObjectError::Changed(key.to_string()));
    }
    Ok((file, metadata.len()))
}

fn make_parents(path: &Path) -> io::Result<()> {
    let Some(parent) = path.parent() else { return Ok(()) };
    if parent.is_dir() {
        return Ok(());
    }
    make_parents(parent)?;
    match fs::create_dir(parent) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
        _ => sync_parent(parent),
    }
}

/// Makes the entry of `path` in its folder survive a power cut.
fn sync_parent(path: &Path) -> io::Result<()> {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => File::open(parent)?.sync_all(),
        _ => File::open(".")?.sync_all(),
    }
}

/// Does `work` with the folders of `path` made; again where another thread removed an empty one in between.
fn with_parents(path: &Path, work: impl Fn() -> io::Result<()>) -> io::Result<()> {
    for _ in 0..8 {
        match make_parents(path).and_then(|()| work()) {
            Err(error) if error.kind() == ErrorKind::NotFound => (),
            done => return done,
        }
    }
    make_parents(path).and_then(|()| work())
}

/// Syncs a folder, its folders and its files.
fn sync_tree(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { sync_tree(&path)? } else { File::open(&path)?.sync_all()? }
    }
    File::open(folder)?.sync_all()
}

/// Moves the files of `from` over those of `to`, file by file, and removes what `from` lacks.
fn replace_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(to)? {
        let entry = entry?;
        let twin = from.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            if !twin.is_dir() {
                fs::remove_dir_all(entry.path())?;
            }
        } else if !twin.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            replace_tree(&entry.path(), &target)?;
        } else {
            fs::rename(entry.path(), target)?;
        }
    }
    File::open(to)?.sync_all()
}

/// Runs `work` where blocking is allowed.
fn blocking<'a, T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ObjectError> + Send + 'static,
) -> Reply<'a, T> {
    Box::pin(async move {
        tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
            Err(ObjectError::Io { action: "handle", key: String::new(), source: io::Error::other(error) })
        })
    })
}

impl Objects for Folder {
    fn list<'a>(&'a self, prefix: &'a str, after: Option<&'a str>, max: usize) -> Reply<'a, Vec<ObjectMeta>> {
        let (this, prefix, after) = (self.clone(), prefix.to_owned(), after.map(str::to_owned));
        blocking(move || {
            let list = this.list_now(&prefix, after.as_deref(), max);
            list.map_err(|source| ObjectError::Io { action: "list", key: prefix, source })
        })
    }

    fn get<'a>(
        &'a self,
        key: &'a ObjectKey,
        limit_bytes: u64,
        if_match: Option<&'a str>,
    ) -> Reply<'a, Vec<u8>> {
        let (path, key, if_match) = (self.path(key), key.clone(), if_match.map(str::to_owned));
        blocking(move || {
            let (file, size_bytes) = open(&path, &key, if_match.as_deref())?;
            if size_bytes > limit_bytes {
                return Err(ObjectError::TooLarge { key: key.to_string(), size_bytes, limit_bytes });
            }
            let mut bytes = Vec::with_capacity(usize::try_from(size_bytes).unwrap_or(0));
            // A file that grows meanwhile is cut where it ended at first.
            match file.take(size_bytes).read_to_end(&mut bytes) {
                Ok(_) => Ok(bytes),
                Err(source) => Err(ObjectError::Io { action: "read", key: key.to_string(), source }),
            }
        })
    }

    fn get_range<'a>(
        &'a self,
        key: &'a ObjectKey,
        range: Range<u64>,
        if_match: Option<&'a str>,
    ) -> Reply<'a, Vec<u8>> {
        let (path, key, if_match) = (self.path(key), key.clone(), if_match.map(str::to_owned));
        blocking(move || {
            let (mut file, size_bytes) = open(&path, &key, if_match.as_deref())?;
            let length = range.end.min(size_bytes).saturating_sub(range.start);
            let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
            let read = file
                .seek(SeekFrom::Start(range.start))
                .and_then(|_| file.take(length).read_to_end(&mut bytes));
            match read {
                Ok(_) => Ok(bytes),
                Err(source) => Err(ObjectError::Io { action: "read", key: key.to_string(), source }),
            }
        })
    }

    fn head<'a>(&'a self, key: &'a ObjectKey) -> Reply<'a, Option<ObjectMeta>> {
        let (path, key) = (self.path(key), key.clone());
        blocking(move || match metadata(&path) {
            Ok(metadata) => Ok(metadata.map(|metadata| meta(key, &metadata))),
            Err(source) => Err(ObjectError::Io { action: "look up", key: key.to_string(), source }),
        })
    }

    fn put<'a>(&'a self, key: &'a ObjectKey, bytes: Vec<u8>) -> Reply<'a, ()> {
        let (this, key) = (self.clone(), key.clone());
        blocking(move || {
            let put = this.spool(&bytes).and_then(|file| this.put_path(&file, &this.path(&key)));
            put.map_err(|source| ObjectError::Io { action: "write", key: key.to_string(), source })
        })
    }

    fn put_if_absent<'a>(&'a self, key: &'a ObjectKey, bytes: Vec<u8>) -> Reply<'a, Created> {
        let (this, key) = (self.clone(), key.clone());
        blocking(move || {
            let put = || {
                let (file, to) = (this.spool(&bytes)?, this.path(&key));
                match with_parents(&to, || fs::hard_link(&file, &to)) {
                    Ok(()) => sync_parent(&to).map(|()| Created::Yes),
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(Created::Exists),
                    Err(error) => Err(error),
                }
            };
            put().map_err(|source| ObjectError::Io { action: "create", key: key.to_string(), source })
        })
    }

    fn put_file<'a>(&'a self, key: &'a ObjectKey, file: &'a Path) -> Reply<'a, ()> {
        let (this, key, file) = (self.clone(), key.clone(), file.to_owned());
        blocking(move || {
            let put = || {
                File::open(&file)?.sync_all()?;
                match this.put_path(&file, &this.path(&key)) {
                    Err(error) if error.kind() == ErrorKind::CrossesDevices => {
                        let copy = this.spool(&fs::read(&file)?)?;
                        this.put_path(&copy, &this.path(&key))?;
                        fs::remove_file(&file)
                    }
                    done => done,
                }
            };
            put().map_err(|source| ObjectError::Io { action: "write", key: key.to_string(), source })
        })
    }

    fn put_folder<'a>(&'a self, prefix: &'a ObjectKey, folder: &'a Path) -> Reply<'a, ()> {
        let (this, key, folder) = (self.clone(), prefix.clone(), folder.to_owned());
        blocking(move || {
            let put = || {
                sync_tree(&folder)?;
                let to = this.path(&key);
                match with_parents(&to, || fs::rename(&folder, &to)) {
                    Ok(()) => sync_parent(&to),
                    // Something is there: an earlier try, cut short after this step.
                    Err(error)
                        if matches!(
                            error.kind(),
                            ErrorKind::DirectoryNotEmpty | ErrorKind::AlreadyExists
                        ) =>
                    {
                        replace_tree(&folder, &to)
                    }
                    Err(error) => Err(error),
                }
            };
            put().map_err(|source| ObjectError::Io { action: "publish", key: key.to_string(), source })
        })
    }

    fn local_file<'a>(&'a self, key: &'a ObjectKey, _folder: &'a Path) -> Reply<'a, PathBuf> {
        let (path, key) = (self.path(key), key.clone());
        blocking(move || open(&path, &key, None).map(|_| path))
    }

    fn delete<'a>(&'a self, key: &'a ObjectKey) -> Reply<'a, ()> {
        let (this, key) = (self.clone(), key.clone());
        blocking(move || {
            let path = this.path(&key);
            match fs::remove_file(&path) {
                Ok(()) => (),
                Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => (),
                Err(source) => {
                    return Err(ObjectError::Io { action: "delete", key: key.to_string(), source });
                }
            }
            // Folders are no objects: an empty one goes with its last object.
            let mut folder = path.parent();
            while let Some(parent) =
                folder.filter(|parent| *parent != this.root && parent.starts_with(&this.root))
            {
                if fs::remove_dir(parent).is_err() {
                    break;
                }
                folder = parent.parent();
            }
            Ok(())
        })
    }

    fn scratch(&self) -> PathBuf {
        self.root.join(SCRATCH)
    }
}

#[cfg(test)]
mod tests {
    use super::super::conformance::{conformance, race};
    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn a_folder_is_object_storage() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path().join("root"));
        conformance(&folder).await;
        race(std::sync::Arc::new(folder.clone())).await;
        for object in folder.list("", None, 1000).await.unwrap() {
            folder.delete(&object.key).await.unwrap();
        }
        let left: Vec<_> = fs::read_dir(dir.path().join("root")).unwrap().collect();
        assert_eq!(left.len(), 1, "the scratch folder, empty folders are gone: {left:?}");
        assert_eq!(fs::read_dir(folder.scratch()).unwrap().count(), 0);
    }
}
