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
        ErrorKind::NotFound | ErrorKind::NotADirectory => ObjectError::NotFound(key.clone()),
        _ => failed(error),
    })?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(ObjectError::NotFound(key.clone()));
    }
    if if_match.is_some_and(|expected| expected != etag(&metadata)) {
        return Err(ObjectError::Changed(key.clone()));
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
                return Err(ObjectError::TooLarge { key, size_bytes, limit_bytes });
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
    use super::*;

    fn key(text: &str) -> ObjectKey {
        ObjectKey::new(text).unwrap()
    }

    /// What every storage must do; S3's runs the same.
    async fn conformance(store: &dyn Objects) {
        let (a, limit) = (key("d/a"), 1 << 20);
        assert_eq!(store.head(&a).await.unwrap(), None);
        assert!(matches!(store.get(&a, limit, None).await, Err(ObjectError::NotFound(_))));
        store.put(&a, b"12345".to_vec()).await.unwrap();
        let meta = store.head(&a).await.unwrap().unwrap();
        assert_eq!((meta.size_bytes, &meta.key), (5, &a));
        assert_eq!(store.get(&a, limit, Some(&meta.etag)).await.unwrap(), b"12345");
        assert_eq!(store.get_range(&a, 1..3, None).await.unwrap(), b"23");
        assert_eq!(store.get_range(&a, 4..9, None).await.unwrap(), b"5");
        let refused = store.get(&a, 4, None).await;
        assert!(matches!(refused, Err(ObjectError::TooLarge { size_bytes: 5, .. })), "{refused:?}");

        assert_eq!(store.put_if_absent(&a, b"x".to_vec()).await.unwrap(), Created::Exists);
        store.put(&a, b"other".to_vec()).await.unwrap();
        let stale = store.get(&a, limit, Some(&meta.etag)).await;
        assert!(matches!(stale, Err(ObjectError::Changed(_))), "{stale:?}");
        assert_eq!(store.put_if_absent(&key("d/a.b"), b"x".to_vec()).await.unwrap(), Created::Yes);

        for more in ["d/a0", "d/a/", "da", "e/f/g", "d/a!"] {
            if let Ok(key) = ObjectKey::new(more) {
                store.put(&key, Vec::new()).await.unwrap();
            }
        }
        let names = |list: Vec<ObjectMeta>| list.iter().map(|m| m.key.to_string()).collect::<Vec<_>>();
        let all = ["d/a", "d/a!", "d/a.b", "d/a0", "da", "e/f/g"];
        assert_eq!(names(store.list("", None, 99).await.unwrap()), all);
        assert_eq!(names(store.list("d/a", None, 99).await.unwrap()), all[..4]);
        assert_eq!(names(store.list("e", Some("d/a"), 99).await.unwrap()), all[5..]);
        let mut paged = Vec::new();
        loop {
            let page = names(store.list("", paged.last().map(String::as_str), 2).await.unwrap());
            if page.is_empty() {
                break;
            }
            paged.extend(page);
        }
        assert_eq!(paged, all);

        std::fs::create_dir_all(store.scratch()).unwrap();
        let file = store.scratch().join("f");
        std::fs::write(&file, b"moved").unwrap();
        store.put_file(&key("e/moved"), &file).await.unwrap();
        assert!(!file.exists());
        let local = store.local_file(&key("e/moved"), &store.scratch()).await.unwrap();
        assert_eq!(std::fs::read(local).unwrap(), b"moved");

        for round in ["first", "again"] {
            let folder = store.scratch().join("f");
            std::fs::create_dir_all(folder.join("x/y")).unwrap();
            std::fs::write(folder.join("x/y/1"), round).unwrap();
            if round == "first" {
                std::fs::write(folder.join("x/gone"), "").unwrap();
            }
            store.put_folder(&key("t/job=1"), &folder).await.unwrap();
        }
        assert_eq!(names(store.list("t/", None, 9).await.unwrap()), ["t/job=1/x/y/1"]);
        assert_eq!(store.get(&key("t/job=1/x/y/1"), 9, None).await.unwrap(), b"again");
        let _ = std::fs::remove_dir_all(store.scratch().join("f"));

        store.delete(&a).await.unwrap();
        store.delete(&a).await.unwrap();
        assert_eq!(store.head(&a).await.unwrap(), None);
    }

    /// Of 16 writers one wins, and its bytes are what is read.
    async fn race(store: std::sync::Arc<dyn Objects>) {
        for round in 0..20 {
            let tasks = (0..16_u8).map(|n| {
                let store = store.clone();
                tokio::spawn(async move {
                    (n, store.put_if_absent(&key(&format!("race/{round}")), vec![n; 100]).await.unwrap())
                })
            });
            let mut winners = Vec::new();
            for task in tasks.collect::<Vec<_>>() {
                let (n, created) = task.await.unwrap();
                if created == Created::Yes {
                    winners.push(n);
                }
            }
            assert_eq!(winners.len(), 1);
            let bytes = store.get(&key(&format!("race/{round}")), 1000, None).await.unwrap();
            assert_eq!(bytes, vec![winners[0]; 100]);
        }
    }

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
