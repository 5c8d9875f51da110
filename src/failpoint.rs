//! Places where a test lets a process die, as `kill -9` would. Compiled into debug builds only.
//!
//! `PAGESIEVE_FAILPOINT=PLACE` kills the process when it reaches that place; `PLACE:stop` freezes it (SIGSTOP) once.
//! `PAGESIEVE_CLOCK_SKEW_S=SECONDS` makes its clock wrong, negative: slow.

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

/// How wrong this process's clock is.
#[cfg(debug_assertions)]
pub fn skew_micros() -> i64 {
    static SKEW: std::sync::OnceLock<i64> = std::sync::OnceLock::new();
    let read = || std::env::var("PAGESIEVE_CLOCK_SKEW_S").ok()?.parse::<i64>().ok()?.checked_mul(1_000_000);
    *SKEW.get_or_init(|| read().unwrap_or(0))
}

/// How wrong this process's clock is: not at all, in a release.
#[cfg(not(debug_assertions))]
pub fn skew_micros() -> i64 {
    0
}
