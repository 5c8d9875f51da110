//! One child, seen from the parent: bytes in, frames out, and how it died.

use std::io::{self, IoSlice, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, ExitStatus};
use std::time::{Duration, Instant};

use crate::score::{DocumentInfo, DocumentScore, Event, FontFacts, PageEvidence, State};

use super::check::{self, Expected};
use super::frame::{self, Header, Kind, Ready, Setup, Splitter};
use super::spawn::{Role, Spawner};
use super::sys::{self, Wait};

/// Time a child has to fence itself in; it takes milliseconds, on a machine under load more.
const START: Duration = Duration::from_secs(60);
/// Time between the end of a child's output and its end.
const FAREWELL: Duration = Duration::from_secs(5);
/// What is kept of a child's last words.
const STDERR_BYTES: usize = 2048;
/// Room in the pipe to a child: a typical document goes through it in one piece.
const PIPE_BYTES: i32 = 1 << 20;
/// Page frames kept of one document, in bytes; those beyond count as not measured.
const KEPT_BYTES: usize = 256 << 20;

/// Why an attempt on a document ended without a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The wall clock of the document ran out.
    WallLimit,
    /// Nothing was heard for the fixed part of the wall clock.
    Silence,
    /// The CPU time of the document ran out.
    CpuLimit,
    /// An allocation failed.
    MemoryLimit,
    /// Killed, and not by us: most likely by the kernel, for want of memory.
    Killed,
    /// The stack overflowed.
    StackOverflow,
    /// Another signal.
    Signal(i32),
    /// The child ended by itself.
    Exit(i32),
    /// A frame that no child of ours writes.
    BadFrame,
}

impl Cause {
    /// The state of a document of which no page arrived.
    pub fn state(self) -> State {
        match self {
            Self::WallLimit | Self::Silence | Self::CpuLimit => State::Timeout,
            Self::MemoryLimit | Self::Killed => State::Memory,
            Self::StackOverflow | Self::Signal(_) | Self::Exit(_) | Self::BadFrame => State::Crashed,
        }
    }

    /// The label of the metric; a bounded set.
    pub fn name(self) -> &'static str {
        match self {
            Self::WallLimit => "wall_limit",
            Self::Silence => "silence",
            Self::CpuLimit => "cpu_limit",
            Self::MemoryLimit => "memory_limit",
            Self::Killed => "killed",
            Self::StackOverflow => "stack_overflow",
            Self::Signal(_) => "signal",
            Self::Exit(_) => "exit",
            Self::BadFrame => "bad_frame",
        }
    }

    /// Reads the cause from how the child ended and its last words.
    ///
    /// Rust aborts on a failed allocation and on a stack overflow, and says which.
    fn of(status: ExitStatus, last_words: &str) -> Self {
        match status.signal() {
            Some(libc::SIGXCPU) => Self::CpuLimit,
            Some(libc::SIGKILL) => Self::Killed,
            Some(libc::SIGABRT) if last_words.contains("memory allocation of") => Self::MemoryLimit,
            Some(libc::SIGABRT) if last_words.contains("overflowed its stack") => Self::StackOverflow,
            Some(signal) => Self::Signal(signal),
            None => Self::Exit(status.code().unwrap_or(-1)),
        }
    }
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::WallLimit => f.write_str("over the limit of time"),
            Self::Silence => f.write_str("silent for too long"),
            Self::CpuLimit => f.write_str("over the limit of cpu time"),
            Self::MemoryLimit => f.write_str("over the limit of memory"),
            Self::Killed => f.write_str("killed, most likely for want of memory"),
            Self::StackOverflow => f.write_str("stack overflow"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::Exit(code) => write!(f, "exit status {code}"),
            Self::BadFrame => f.write_str("bad frame"),
        }
    }
}

/// How long a document may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    /// Fixed part; also the longest silence that is borne.
    pub(super) fixed: Duration,
    /// Part per page.
    pub(super) per_page: Duration,
}

/// What a child reported before it died.
#[derive(Debug, Default)]
pub(super) struct Arrived {
    opened: Option<DocumentInfo>,
    /// Payloads, read only when a verdict must be made of them.
    pages: Vec<Vec<u8>>,
    kept_bytes: usize,
    n_page_frames: u32,
}

impl Arrived {
    pub(super) fn n_pages(&self) -> usize {
        self.pages.len()
    }

    /// Takes a frame; gives the pages of the document as far as known, `None` when it must not come.
    fn take(&mut self, kind: Kind, payload: Vec<u8>, expected: &Expected) -> Option<u32> {
        match kind {
            Kind::Opened if self.opened.is_none() => {
                let Ok(Event::Opened(info)) = serde_json::from_slice(&payload) else { return None };
                check::info(&info).ok()?;
                self.opened = Some(info);
            }
            Kind::Page if self.opened.is_some() && self.n_page_frames < expected.max_pages => {
                self.n_page_frames += 1;
                if self.kept_bytes + payload.len() <= KEPT_BYTES {
                    self.kept_bytes += payload.len();
                    self.pages.push(payload);
                }
            }
            _ => return None,
        }
        Some(self.opened.as_ref().map_or(0, |info| info.n_pages.min(expected.max_pages)))
    }

    /// The pages that can be read, each once, as [`verdict::salvage`](crate::score::verdict::salvage) takes them.
    pub(super) fn into_evidence(
        self,
        expected: &Expected,
    ) -> (Option<DocumentInfo>, Vec<(PageEvidence, Vec<FontFacts>)>) {
        let Some(info) = self.opened else { return (None, Vec::new()) };
        let mut pages: Vec<(PageEvidence, Vec<FontFacts>)> = Vec::new();
        for payload in &self.pages {
            if let Ok(Event::Page { evidence, fonts }) = serde_json::from_slice(payload)
                && check::page(&evidence, &fonts, &info, expected).is_ok()
            {
                pages.push((evidence, fonts));
            }
        }
        pages.sort_by_key(|(evidence, _)| evidence.page_index);
        pages.dedup_by_key(|(evidence, _)| evidence.page_index);
        (Some(info), pages)
    }
}

/// An attempt that ended without a score.
#[derive(Debug)]
pub(super) struct Death {
    pub(super) cause: Cause,
    /// For the log: exit status and last words, free of document text.
    pub(super) detail: String,
    pub(super) arrived: Arrived,
}

/// How an exchange ended when not with a score. The child is gone in every case.
#[derive(Debug)]
pub(super) enum Failure {
    /// It died of the document.
    Died(Box<Death>),
    /// The pool is closing.
    Interrupted,
    /// The machine failed.
    Io(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// A document on its way to a child.
pub(super) struct Order<'a> {
    pub(super) file: &'a [u8],
    pub(super) threads: usize,
    pub(super) clock: Clock,
    pub(super) expected: &'a Expected,
}

/// A running child. Dropping it kills it.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// `None` once it was told to go.
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    /// `None` once it ended.
    stderr: Option<ChildStderr>,
    frames: Splitter,
    last_words: Vec<u8>,
}

/// What is left to send: a frame, then a document.
struct Outgoing<'a> {
    frame: &'a [u8],
    file: &'a [u8],
}

impl Outgoing<'_> {
    fn is_empty(&self) -> bool {
        self.frame.is_empty() && self.file.is_empty()
    }

    fn advance(&mut self, sent: usize) {
        let of_frame = sent.min(self.frame.len());
        self.frame = &self.frame[of_frame..];
        self.file = &self.file[sent - of_frame..];
    }
}

/// What ends a wait.
enum Heard {
    Frame(Kind, Vec<u8>),
    /// All is sent.
    Sent,
    /// The child closed its output.
    End,
    BadFrame,
    Deadline,
    Interrupted,
}

impl Process {
    /// Starts a child and waits until it is fenced in.
    ///
    /// # Errors
    /// When it cannot be started, or ends or stays silent before it is ready.
    pub(super) fn start(
        spawner: &Spawner,
        address_space: u64,
        setup: &Setup,
        interrupt: &io::PipeReader,
    ) -> Result<(Self, Ready), Failure> {
        let mut process = Self::adopt(spawner.start(Role::Scores, address_space)?)?;
        let mut frame = Vec::new();
        frame::append(&mut frame, Kind::Setup, setup)?;
        let mut outgoing = Outgoing { frame: &frame, file: &[] };
        let deadline = Instant::now() + START;
        loop {
            match process.hear(&mut outgoing, deadline, interrupt)? {
                Heard::Sent => {}
                Heard::Frame(Kind::Ready, payload) => {
                    let ready = serde_json::from_slice(&payload).map_err(io::Error::from)?;
                    return Ok((process, ready));
                }
                Heard::Interrupted => return Err(Failure::Interrupted),
                Heard::Frame(..) | Heard::End | Heard::BadFrame | Heard::Deadline => {
                    let status = process.end()?;
                    let words = process.last_words();
                    return Err(
                        io::Error::other(format!("it ended before it was ready: {status} {words}")).into()
                    );
                }
            }
        }
    }

    fn adopt(mut child: Child) -> io::Result<Self> {
        let stdin = child.stdin.take().expect("the spawner pipes it");
        let stdout = child.stdout.take().expect("the spawner pipes it");
        let stderr = child.stderr.take().expect("the spawner pipes it");
        sys::set_nonblocking(stdin.as_fd())?;
        sys::set_nonblocking(stdout.as_fd())?;
        sys::set_nonblocking(stderr.as_fd())?;
        sys::enlarge_pipe(stdin.as_fd(), PIPE_BYTES);
        let frames = Splitter::default();
        Ok(Self { child, stdin: Some(stdin), stdout, stderr: Some(stderr), frames, last_words: Vec::new() })
    }

    /// Memory the child holds, in bytes; `None` where the kernel does not say.
    pub(super) fn resident_bytes(&self) -> Option<u64> {
        let statm = std::fs::read_to_string(format!("/proc/{}/statm", self.child.id())).ok()?;
        let pages: u64 = statm.split(' ').nth(1)?.parse().ok()?;
        Some(pages * 4096)
    }

    /// Has one document scored. `meanwhile` runs once, when the document is sent.
    ///
    /// # Errors
    /// Whatever the error, the child is gone.
    pub(super) fn score(
        &mut self,
        order: &Order<'_>,
        interrupt: &io::PipeReader,
        meanwhile: impl FnOnce(),
    ) -> Result<DocumentScore, Failure> {
        let header = Header { size_bytes: order.file.len() as u64, threads: order.threads };
        let mut frame = Vec::new();
        frame::append(&mut frame, Kind::Document, &header)?;
        let mut outgoing = Outgoing { frame: &frame, file: order.file };
        let mut meanwhile = Some(meanwhile);
        let mut arrived = Arrived::default();
        let started = Instant::now();
        let (mut wall, mut heard_at) = (order.clock.fixed, started);
        let cause = loop {
            let (wall_end, silence_end) = (started + wall, heard_at + order.clock.fixed);
            match self.hear(&mut outgoing, wall_end.min(silence_end), interrupt)? {
                Heard::Sent => {
                    if let Some(work) = meanwhile.take() {
                        work();
                    }
                }
                Heard::Frame(Kind::Done, payload) => match self.accept(&payload, &outgoing, order.expected) {
                    Some(score) => return Ok(score),
                    None => break Some(Cause::BadFrame),
                },
                Heard::Frame(kind, payload) => {
                    heard_at = Instant::now();
                    match arrived.take(kind, payload, order.expected) {
                        Some(n_pages) => wall = order.clock.fixed + order.clock.per_page * n_pages,
                        None => break Some(Cause::BadFrame),
                    }
                }
                Heard::End => break None,
                Heard::BadFrame => break Some(Cause::BadFrame),
                Heard::Deadline if wall_end <= silence_end => break Some(Cause::WallLimit),
                Heard::Deadline => break Some(Cause::Silence),
                Heard::Interrupted => {
                    self.kill()?;
                    return Err(Failure::Interrupted);
                }
            }
        };
        Err(self.autopsy(cause, arrived, order.expected)?)
    }

    /// The score in a last frame, if it is one that our child may send at this point.
    fn accept(&self, payload: &[u8], outgoing: &Outgoing<'_>, expected: &Expected) -> Option<DocumentScore> {
        let Ok(Event::Done(score)) = serde_json::from_slice(payload) else { return None };
        let whole = outgoing.is_empty() && self.frames.is_empty();
        (whole && check::score(&score, expected).is_ok()).then_some(*score)
    }

    /// Finds out how the child died, and takes what it said before. `cause` is known where we end it.
    fn autopsy(
        &mut self,
        cause: Option<Cause>,
        mut arrived: Arrived,
        expected: &Expected,
    ) -> io::Result<Failure> {
        if cause.is_some() {
            self.kill()?;
        }
        let (_keep_open, never) = std::io::pipe().map(|(reader, writer)| (writer, reader))?;
        let mut nothing = Outgoing { frame: &[], file: &[] };
        let deadline = Instant::now() + FAREWELL;
        while cause != Some(Cause::BadFrame)
            && let Heard::Frame(kind, payload) = self.hear(&mut nothing, deadline, &never)?
            && arrived.take(kind, payload, expected).is_some()
        {}
        let status = self.end()?;
        let words = self.last_words();
        let cause = cause.unwrap_or_else(|| Cause::of(status, &words));
        Ok(Failure::Died(Box::new(Death { cause, detail: format!("{status}: {words}"), arrived })))
    }

    /// Sends what is left to send and listens, until there is something to tell.
    fn hear(
        &mut self,
        outgoing: &mut Outgoing<'_>,
        deadline: Instant,
        interrupt: &io::PipeReader,
    ) -> io::Result<Heard> {
        loop {
            match self.frames.next() {
                Err(_) => return Ok(Heard::BadFrame),
                Ok(Some((kind, payload))) => return Ok(Heard::Frame(kind, payload.to_vec())),
                Ok(None) => {}
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(Heard::Deadline);
            }
            let unsent = self.stdin.as_ref().filter(|_| !outgoing.is_empty());
            let [output, words, stop, room] = sys::poll(
                [
                    Wait { fd: Some(self.stdout.as_fd()), write: false },
                    Wait { fd: self.stderr.as_ref().map(AsFd::as_fd), write: false },
                    Wait { fd: Some(interrupt.as_fd()), write: false },
                    Wait { fd: unsent.map(AsFd::as_fd), write: true },
                ],
                left,
            )?;
            if stop {
                return Ok(Heard::Interrupted);
            }
            if words {
                self.hear_words();
            }
            if room && self.send(outgoing) {
                return Ok(Heard::Sent);
            }
            if output && self.hear_output()? {
                return Ok(Heard::End);
            }
        }
    }

    /// Sends what fits; true when all is sent. A child that no longer listens shows by its end.
    fn send(&mut self, outgoing: &mut Outgoing<'_>) -> bool {
        let Some(stdin) = &mut self.stdin else { return false };
        match stdin.write_vectored(&[IoSlice::new(outgoing.frame), IoSlice::new(outgoing.file)]) {
            Ok(sent) => outgoing.advance(sent),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => self.stdin = None,
            Err(_) => {} // not now
        }
        outgoing.is_empty()
    }

    /// Reads what has arrived; true at the end.
    fn hear_output(&mut self) -> io::Result<bool> {
        let mut bytes = [0; 64 << 10];
        match self.stdout.read(&mut bytes) {
            Ok(0) => Ok(true),
            Ok(n) => {
                self.frames.push(&bytes[..n]);
                Ok(false)
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Keeps the end of what the child says on its standard error, however much that is.
    fn hear_words(&mut self) {
        let Some(stderr) = &mut self.stderr else { return };
        let mut bytes = [0; STDERR_BYTES];
        match stderr.read(&mut bytes) {
            Ok(0) => self.stderr = None,
            Ok(n) => {
                self.last_words.extend_from_slice(&bytes[..n]);
                let surplus = self.last_words.len().saturating_sub(STDERR_BYTES);
                self.last_words.drain(..surplus);
            }
            Err(_) => {} // not now
        }
    }

    fn last_words(&self) -> String {
        let words = String::from_utf8_lossy(&self.last_words);
        words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().trim().to_owned()
    }

    fn kill(&mut self) -> io::Result<()> {
        self.child.kill()
    }

    /// Waits for the child's end, and brings it about where it does not come.
    fn end(&mut self) -> io::Result<ExitStatus> {
        self.stdin = None;
        let deadline = Instant::now() + FAREWELL;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait()? {
                // The last words are in the pipe now, if it said any.
                for _ in 0..16 {
                    self.hear_words();
                }
                return Ok(status);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        self.kill()?;
        self.child.wait()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // An idle child ends by itself at the end of its input; a busy one must not outlive its document.
        let _ = self.kill();
        let _ = self.child.wait();
    }
}
