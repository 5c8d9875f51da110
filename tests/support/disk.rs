//! A disk of a few megabytes that can be full.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A file system of its own in memory, in the mount namespace of a process that does nothing else; or, where the machine lets nobody
/// mount, a limit on the size of each file, which ends a write in the same place.
pub(crate) enum SmallDisk {
    Mounted { holder: Child, path: PathBuf, below: tempfile::TempDir },
    Limited { folder: tempfile::TempDir, bytes: u64 },
}

/// Fills what is left of the disk.
const BALLAST: &str = "ballast";

impl SmallDisk {
    pub(crate) fn new(bytes: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut holder = Command::new("unshare");
        holder.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
        holder.arg("mount -t tmpfs -o \"size=$2\" none \"$1\" && echo mounted && exec sleep 1000");
        holder.arg("sh").arg(folder.path()).arg(bytes.to_string());
        holder.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let Ok(mut holder) = holder.spawn() else { return Self::Limited { folder, bytes: u64::MAX } };
        let mut line = String::new();
        BufReader::new(holder.stdout.take().unwrap()).read_line(&mut line).unwrap();
        if line == "mounted\n" {
            let inside = folder.path().strip_prefix("/").unwrap();
            let path = Path::new("/proc").join(holder.id().to_string()).join("root").join(inside);
            return Self::Mounted { holder, path, below: folder };
        }
        let _ = holder.wait();
        Self::Limited { folder, bytes: u64::MAX }
    }

    /// The disk as programs of this test see it.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Mounted { path, .. } => path,
            Self::Limited { folder, .. } => folder.path(),
        }
    }

    /// The disk as a program sees it that is [started on it](Self::started_on).
    pub(crate) fn inner_path(&self) -> &Path {
        match self {
            Self::Mounted { below, .. } => below.path(),
            Self::Limited { folder, .. } => folder.path(),
        }
    }

    /// The same program in the disk's own namespace: SQLite resolves a path by its links, and `/proc/…/root` is one.
    pub(crate) fn started_on(&self, mut program: Command) -> Command {
        let Self::Mounted { holder, .. } = self else {
            self.holds(&mut program);
            return program;
        };
        let mut command = Command::new("nsenter");
        command.args([
            "--user",
            "--mount",
            "--preserve-credentials",
            "--target",
            &holder.id().to_string(),
            "--",
        ]);
        command.arg(program.get_program()).args(program.get_args());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }

    /// Leaves `bytes` free.
    pub(crate) fn fill(&mut self, free: u64) {
        match self {
            Self::Mounted { path, .. } => {
                let path = path.join(BALLAST);
                let mut ballast = std::fs::File::create(&path).unwrap();
                let block = [0; 4096];
                while ballast.write_all(&block).is_ok() {}
                let size = ballast.metadata().unwrap().len();
                ballast.set_len(size.saturating_sub(free)).unwrap();
            }
            Self::Limited { bytes, .. } => *bytes = free.max(1),
        }
    }

    /// Gives all room back.
    pub(crate) fn empty(&mut self) {
        match self {
            Self::Mounted { path, .. } => std::fs::remove_file(path.join(BALLAST)).unwrap(),
            Self::Limited { bytes, .. } => *bytes = u64::MAX,
        }
    }

    /// Runs a program on this disk. It keeps the limit that holds now, where there is one.
    pub(crate) fn holds(&self, command: &mut Command) {
        let Self::Limited { bytes, .. } = self else { return };
        let limit = libc::rlimit { rlim_cur: *bytes, rlim_max: libc::RLIM_INFINITY };
        // SAFETY: both calls may be made between fork and exec, and `limit` is a copy.
        unsafe {
            command.pre_exec(move || {
                libc::signal(libc::SIGXFSZ, libc::SIG_IGN); // a write then fails, as on a full disk
                if libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) == 0 {
                    Ok(())
                } else {
                    Err(std::io::Error::last_os_error())
                }
            });
        }
    }

    /// Lets a program that runs have all room.
    pub(crate) fn relieve(&mut self, process: u32) {
        self.empty();
        if matches!(self, Self::Limited { .. }) {
            let limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
            // SAFETY: `limit` lives through the call; the process is a child of this test.
            let done = unsafe {
                libc::prlimit(
                    process.cast_signed(),
                    libc::RLIMIT_FSIZE,
                    &raw const limit,
                    std::ptr::null_mut(),
                )
            };
            assert_eq!(done, 0, "{}", std::io::Error::last_os_error());
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        if let Self::Mounted { holder, .. } = self {
            let _ = holder.kill();
            let _ = holder.wait();
        }
    }
}
