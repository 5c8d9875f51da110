//! How far a scan is: a bar on a terminal, plain lines in a pipe.

use std::io::{IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Time between two plain lines.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// What opening a document costs beside its bytes, for the estimate of time.
const DOCUMENT_BYTES: u64 = 50_000;

/// The bar on the terminal, for [`aside`].
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Writes to the terminal while the bar is out of the way.
pub(super) fn aside<T>(write: impl FnOnce() -> T) -> T {
    match BAR.lock().ok().and_then(|bar| bar.clone()) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Where progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgressKind {
    /// A bar that is drawn again and again.
    Bar,
    /// A line every few seconds.
    Lines,
    /// Nowhere.
    Quiet,
}

impl ProgressKind {
    /// A bar where standard error is a terminal, else lines.
    pub fn detect(quiet: bool) -> Self {
        match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Self::Quiet,
            (false, true) => Self::Bar,
            (false, false) => Self::Lines,
        }
    }
}

/// Counts what is done of a scan and shows it on standard error.
#[derive(Debug)]
pub struct Progress {
    kind: ProgressKind,
    started: Instant,
    documents: u64,
    work: u64,
    done_documents: AtomicU64,
    done_work: AtomicU64,
    pages: AtomicU64,
    last_line: Mutex<Instant>,
}

impl Progress {
    /// Begins with `documents` of `bytes` in all to do.
    pub fn begin(kind: ProgressKind, documents: u64, bytes: u64) -> Self {
        let work = bytes + documents * DOCUMENT_BYTES;
        if kind == ProgressKind::Bar {
            let bar = ProgressBar::with_draw_target(Some(work), ProgressDrawTarget::stderr_with_hz(5));
            let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}");
            bar.set_style(style.expect("a constant template"));
            *BAR.lock().expect("nothing panics while it is held") = Some(bar);
        }
        let now = Instant::now();
        Self {
            kind,
            started: now,
            documents,
            work,
            done_documents: AtomicU64::new(0),
            done_work: AtomicU64::new(0),
            pages: AtomicU64::new(0),
            last_line: Mutex::new(now),
        }
    }

    /// Counts one document.
    pub fn document(&self, bytes: u64, pages: u64) {
        self.done_documents.fetch_add(1, Ordering::Relaxed);
        self.pages.fetch_add(pages, Ordering::Relaxed);
        self.done_work.fetch_add(bytes + DOCUMENT_BYTES, Ordering::Relaxed);
    }

    /// Shows where things stand, if it is time to.
    pub fn show(&self) {
        match self.kind {
            ProgressKind::Quiet => {}
            ProgressKind::Bar => {
                if let Some(bar) = BAR.lock().expect("nothing panics while it is held").as_ref() {
                    bar.set_position(self.done_work.load(Ordering::Relaxed).min(self.work));
                    bar.set_message(self.line());
                }
            }
            ProgressKind::Lines => {
                let mut last = self.last_line.lock().expect("nothing panics while it is held");
                if last.elapsed() >= LINE_EVERY {
                    *last = Instant::now();
                    let _ = writeln!(std::io::stderr(), "{}", self.line()); // nobody may be reading
                }
            }
        }
    }

    /// Pages that were scored, and their number per second of wall clock.
    pub fn rate(&self) -> (u64, f64) {
        let pages = self.pages.load(Ordering::Relaxed);
        (pages, pages as f64 / self.started.elapsed().as_secs_f64().max(0.001))
    }

    /// Takes the bar away.
    pub fn end(&self) {
        if let Some(bar) = BAR.lock().expect("nothing panics while it is held").take() {
            bar.finish_and_clear();
        }
    }

    fn line(&self) -> String {
        let done = self.done_documents.load(Ordering::Relaxed);
        let (pages, rate) = self.rate();
        let left = match self.left() {
            Some(left) => format!(", about {} left", clock(left)),
            None => String::new(),
        };
        let (done, documents) = (grouped(done), grouped(self.documents));
        format!("{done} of {documents} documents, {} pages, {rate:.0} pages/s{left}", grouped(pages))
    }

    /// Estimate from the bytes that are done; `None` before a hundredth is.
    fn left(&self) -> Option<Duration> {
        let done = self.done_work.load(Ordering::Relaxed).min(self.work);
        let share = done as f64 / self.work.max(1) as f64;
        (share >= 0.01).then(|| self.started.elapsed().mul_f64((1.0 - share) / share))
    }
}

/// `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1:02:03` or `2:03`.
fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_readable() {
        assert_eq!(["0", "999", "1,000", "1,234,567"], [0, 999, 1000, 1_234_567].map(grouped)[..]);
        assert_eq!(clock(Duration::from_secs(59)), "0:59");
        assert_eq!(clock(Duration::from_secs(3723)), "1:02:03");
    }

    #[test]
    fn the_line_tells_what_is_done_and_left() {
        let progress = Progress::begin(ProgressKind::Quiet, 1200, 1_000_000);
        assert!(
            progress.line().starts_with("0 of 1,200 documents, 0 pages, 0 pages/s"),
            "{}",
            progress.line()
        );
        for _ in 0..600 {
            progress.document(1000, 3);
        }
        let line = progress.line();
        assert!(line.starts_with("600 of 1,200 documents, 1,800 pages, "), "{line}");
        assert!(line.contains(" left"), "{line}");
    }
}
