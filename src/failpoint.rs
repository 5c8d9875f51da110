//! Places where a test lets a process die, as `kill -9` would. Compiled into debug builds only.
//!
//! `PAGESIEVE_FAILPOINT=PLACE` kills the process when it reaches that place; `PLACE:stop` freezes it (SIGSTOP) once.

/// Reaches a place of this name.
#[cfg(debug_assertions)]
pub fn reach(place: &str) {
    use std::sync::atomic::{AtomicBool, Ordering};
    static FROZEN: AtomicBool = AtomicBool::new(false);

    let Some(wanted) = std::env::var_os("PAGESIEVE_FAILPOINT") else { return };
    let wanted = wanted.to_string_lossy();
    let signal = match wanted.strip_prefix(place) {
        Some("") => libc::SIGKILL,
        Some(":stop") if !FROZEN.swap(true, Ordering::SeqCst) => libc::SIGSTOP,
        _ => return,
    };
    // SAFETY: both calls take and give integers.
    unsafe { libc::kill(libc::getpid(), signal) };
}

/// Reaches a place of this name: nothing, in a release.
#[cfg(not(debug_assertions))]
pub fn reach(_place: &str) {}
