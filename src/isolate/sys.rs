//! The few system calls that std does not offer. Every function here is a thin, checked wrapper.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

fn check(result: libc::c_int) -> io::Result<()> {
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// A resource of `setrlimit(2)`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Resource {
    AddressSpace,
    Core,
    Cpu,
    FileSize,
    OpenFiles,
}

impl Resource {
    fn number(self) -> libc::__rlimit_resource_t {
        match self {
            Self::AddressSpace => libc::RLIMIT_AS,
            Self::Core => libc::RLIMIT_CORE,
            Self::Cpu => libc::RLIMIT_CPU,
            Self::FileSize => libc::RLIMIT_FSIZE,
            Self::OpenFiles => libc::RLIMIT_NOFILE,
        }
    }
}

/// Sets the soft and, unless `None`, the hard limit of this process.
pub(super) fn set_limit(resource: Resource, soft: u64, hard: Option<u64>) -> io::Result<()> {
    let limit = libc::rlimit { rlim_cur: soft, rlim_max: hard.unwrap_or(libc::RLIM_INFINITY) };
    // SAFETY: `limit` is a valid rlimit that lives through the call.
    check(unsafe { libc::setrlimit(resource.number(), &raw const limit) })
}

/// CPU time of all threads of this process so far.
pub(super) fn cpu_time() -> Duration {
    // SAFETY: an all-zero rusage is a valid value, and getrusage only writes to it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let of = |time: libc::timeval| {
        Duration::from_secs(time.tv_sec.unsigned_abs()) + Duration::from_micros(time.tv_usec.unsigned_abs())
    };
    of(usage.ru_utime) + of(usage.ru_stime)
}

fn prctl(option: libc::c_int, value: libc::c_ulong) -> io::Result<()> {
    // SAFETY: the options used in this module take one integer and touch no memory of ours.
    check(unsafe { libc::prctl(option, value, 0, 0, 0) })
}

/// Makes the kernel kill this process when the thread that started it ends.
pub(super) fn die_with_parent() -> io::Result<()> {
    prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong)
}

/// No later `execve` may gain privileges; also what unprivileged seccomp needs.
pub(super) fn no_new_privileges() -> io::Result<()> {
    prctl(libc::PR_SET_NO_NEW_PRIVS, 1)
}

/// Keeps other processes of the user from reading this one's memory, and dumps from being written.
pub(super) fn not_dumpable() -> io::Result<()> {
    prctl(libc::PR_SET_DUMPABLE, 0)
}

/// Closes every descriptor but the first three, whatever was inherited.
pub(super) fn close_other_descriptors() -> io::Result<()> {
    // SAFETY: this runs before anything in this process owns a descriptor above 2.
    let result = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Leaves the signals of a terminal or service manager to the parent, which ends its children itself.
pub(super) fn ignore_stop_signals() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGUSR1, libc::SIGUSR2] {
        // SAFETY: ignoring a signal installs no handler code.
        unsafe { libc::signal(signal, libc::SIG_IGN) };
    }
}

/// Gives up every capability, so that a process of root is bound by its hard limits too.
///
/// The user stays: the parent must be able to kill the child without capabilities of its own.
pub(super) fn drop_capabilities() -> io::Result<()> {
    const VERSION_3: u32 = 0x2008_0522;
    let header: [u32; 2] = [VERSION_3, 0]; // version, this process
    let none: [u32; 6] = [0; 6]; // twice effective, permitted, inheritable
    // SAFETY: both arrays have the layout of capset(2), version 3, and live through the call.
    let result = unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()) };
    if result == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Makes reads and writes return at once.
pub(super) fn set_nonblocking(fd: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: fcntl with these commands reads and writes flags only.
    unsafe {
        let flags = libc::fcntl(fd.as_raw_fd(), libc::F_GETFL);
        check(flags)?;
        check(libc::fcntl(fd.as_raw_fd(), libc::F_SETFL, flags | libc::O_NONBLOCK))
    }
}

/// Asks for a larger pipe, so that a document takes few switches; a refusal costs only speed.
pub(super) fn enlarge_pipe(fd: BorrowedFd<'_>, bytes: i32) {
    // SAFETY: F_SETPIPE_SZ takes an integer.
    unsafe { libc::fcntl(fd.as_raw_fd(), libc::F_SETPIPE_SZ, bytes) };
}

/// A descriptor to wait for; see [`poll`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Wait<'a> {
    pub(super) fd: Option<BorrowedFd<'a>>,
    pub(super) write: bool,
}

/// Waits until one of `waits` is ready or `timeout` has passed, and says which are.
///
/// Errors and hang-ups count as ready: the read or write then tells.
pub(super) fn poll<const N: usize>(waits: [Wait<'_>; N], timeout: Duration) -> io::Result<[bool; N]> {
    let mut fds = waits.map(|wait| libc::pollfd {
        fd: wait.fd.map_or(-1, |fd| fd.as_raw_fd()),
        events: if wait.write { libc::POLLOUT } else { libc::POLLIN },
        revents: 0,
    });
    // Rounded up, so that a wait of half a millisecond does not spin.
    let millis = i32::try_from(timeout.as_millis() + 1).unwrap_or(i32::MAX);
    // SAFETY: `fds` is an array of N valid pollfd; negative descriptors are skipped by the kernel.
    let result = unsafe { libc::poll(fds.as_mut_ptr(), N as libc::nfds_t, millis) };
    match check(result) {
        Err(error) if error.kind() != io::ErrorKind::Interrupted => Err(error),
        Err(_) => Ok([false; N]),
        Ok(()) => Ok(fds.map(|fd| fd.revents != 0)),
    }
}
