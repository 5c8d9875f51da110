//! Documents that make a child misbehave on purpose. Compiled into debug builds only.
//!
//! A document that starts with `%PAGESIEVE-HOOK` is a list of words, done in turn:
//!
//! | word | does |
//! |---|---|
//! | `open=N` | reports a document of N pages |
//! | `page` | reports the next page |
//! | `sleep=MS` | waits |
//! | `spin` | never ends, at full load |
//! | `hang` | never ends, asleep |
//! | `abort` `segv` `overflow` `panic` `exit` `kill` | dies of it |
//! | `alloc=MIB` | holds that much memory, touched |
//! | `garbage` `huge` `text` | writes what is no frame, one with a length of 4 GiB, one that is no JSON |
//! | `probe` | tries what the sandbox forbids, and answers with what was possible |
//! | `%…` | nothing: makes documents differ |

use std::ffi::OsString;
use std::hint::black_box;
use std::io::Write;
use std::time::Duration;

use crate::score::{DocumentInfo, DocumentScore, Event, PageEvidence, State};

use super::child::failed;

/// Runs a hook document; `None` when the document is none.
pub(super) fn run(file: &[u8], sink: &(dyn Fn(Event) + Sync)) -> Option<DocumentScore> {
    let words = std::str::from_utf8(file).ok()?.strip_prefix("%PAGESIEVE-HOOK")?;
    let mut answer = failed(State::Scored, "hook");
    let mut held = Vec::new();
    let mut n_pages = 0;
    for word in words.split_whitespace() {
        let (word, value) = word.split_once('=').unwrap_or((word, "0"));
        let value: u64 = value.parse().expect("hooks take numbers");
        match word {
            "open" => {
                let n_pages = u32::try_from(value).expect("hooks have few pages");
                sink(Event::Opened(DocumentInfo { n_pages, ..DocumentInfo::default() }));
            }
            "page" => {
                let evidence = PageEvidence { page_index: n_pages, ..PageEvidence::default() };
                sink(Event::Page { evidence, fonts: Vec::new() });
                n_pages += 1;
            }
            "sleep" => std::thread::sleep(Duration::from_millis(value)),
            "alloc" => held.push(vec![1_u8; usize::try_from(value).expect("64 bits") << 20]),
            comment if comment.starts_with('%') => {}
            "probe" => answer.state_reason = Some(probe()),
            other => misbehave(other),
        }
    }
    black_box(held);
    Some(answer)
}

fn misbehave(word: &str) {
    match word {
        "spin" => loop {
            black_box(word);
        },
        "hang" => loop {
            std::thread::sleep(Duration::from_secs(1));
        },
        "abort" => std::process::abort(),
        "panic" => panic!("hook"),
        "exit" => std::process::exit(7),
        "overflow" => {
            black_box(overflow(1));
        }
        // SAFETY: none; dying of it is the purpose.
        "segv" => unsafe { black_box(std::ptr::without_provenance_mut::<u8>(8)).write_volatile(1) },
        // SAFETY: `kill` takes integers. The sandbox forbids it: `raise` reaches this process only.
        "kill" => unsafe {
            libc::syscall(libc::SYS_tgkill, libc::getpid(), libc::syscall(libc::SYS_gettid), libc::SIGKILL);
        },
        "garbage" => write(b"this is not a frame, and long enough to be read as one"),
        "huge" => write(b"\xff\xff\xff\xffp{}"),
        "text" => write(b"\x04\x00\x00\x00d\xff\xfe\xfd\xfc"),
        other => panic!("unknown hook {other}"),
    }
}

fn write(bytes: &[u8]) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}

#[expect(unconditional_recursion, reason = "the purpose")]
fn overflow(depth: u64) -> u64 {
    black_box(overflow(depth + 1)) + black_box(depth)
}

/// What of the outside world this process can reach: names of what succeeded, `fenced` when nothing did.
fn probe() -> String {
    // SAFETY: calls with constant, valid arguments; all are expected to fail.
    let tried = unsafe {
        [
            ("open", libc::open(c"/etc/passwd".as_ptr(), libc::O_RDONLY)),
            ("create", libc::open(c"/tmp/pagesieve-probe".as_ptr(), libc::O_CREAT | libc::O_WRONLY, 0o600)),
            ("socket", libc::socket(libc::AF_INET, libc::SOCK_STREAM, 0)),
            ("fork", libc::fork()),
            ("kill", libc::kill(libc::getppid(), 0)),
            ("dup", libc::dup(0)),
            ("execve", libc::execve(c"/bin/true".as_ptr(), std::ptr::null(), std::ptr::null())),
            ("memory", sys_limit()),
            ("descriptor", libc::fcntl(3, libc::F_GETFD)),
        ]
    };
    let reached: Vec<&str> = tried.iter().filter(|(_, result)| *result >= 0).map(|(name, _)| *name).collect();
    // The allocator's options are set by this program for itself; see `main.rs`.
    let foreign = |(name, _): &(OsString, OsString)| !name.as_encoded_bytes().starts_with(b"MIMALLOC_");
    let environment = std::env::vars_os().filter(foreign).count();
    if reached.is_empty() && environment == 0 {
        return "fenced".to_owned();
    }
    format!("reached {} and {environment} variables", reached.join(" "))
}

/// Tries to lift the limit of memory.
fn sys_limit() -> libc::c_int {
    let limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: `limit` is a valid rlimit.
    unsafe { libc::setrlimit(libc::RLIMIT_AS, &raw const limit) }
}
