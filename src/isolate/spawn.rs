//! The one thread that starts children.
//!
//! A child dies with the *thread* that started it (`PR_SET_PDEATHSIG`), so that thread must live as
//! long as the pool. Nothing runs between fork and exec (`pre_exec` would copy the page tables of a
//! large parent: 93 ms instead of 2 ms); the child limits itself before it reads anything.

use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread::JoinHandle;

/// What a child is started for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Scores documents, one after another.
    Scores,
    /// Draws pages of one document.
    Draws,
}

impl Role {
    fn argument(self) -> &'static str {
        match self {
            Self::Scores => "child",
            Self::Draws => "drawing-child",
        }
    }
}

struct Request {
    role: Role,
    address_space: u64,
    reply: mpsc::SyncSender<io::Result<Child>>,
}

/// Hands requests to the thread that starts children; children die when it is dropped.
#[derive(Debug)]
pub(super) struct Spawner {
    requests: Option<mpsc::Sender<Request>>,
    thread: Option<JoinHandle<()>>,
}

impl Spawner {
    /// Starts the thread; `program` is what it will execute.
    pub(super) fn new(program: PathBuf) -> io::Result<Self> {
        let (requests, inbox) = mpsc::channel::<Request>();
        let thread = std::thread::Builder::new().name("spawner".to_owned()).spawn(move || {
            for request in inbox {
                let _ = request.reply.send(start(&program, request.role, request.address_space));
            }
        })?;
        Ok(Self { requests: Some(requests), thread: Some(thread) })
    }

    /// Starts one child.
    pub(super) fn start(&self, role: Role, address_space: u64) -> io::Result<Child> {
        let (reply, child) = mpsc::sync_channel(1);
        let requests = self.requests.as_ref().expect("taken by drop only");
        requests.send(Request { role, address_space, reply }).expect("the thread ends after its sender");
        child.recv().expect("the thread answers every request")
    }
}

impl Drop for Spawner {
    fn drop(&mut self) {
        self.requests = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn start(program: &Path, role: Role, address_space: u64) -> io::Result<Child> {
    Command::new(program)
        .arg(role.argument())
        .arg("--address-space")
        .arg(address_space.to_string())
        .env_clear()
        .process_group(0) // the terminal's Ctrl-C is for the parent
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}
