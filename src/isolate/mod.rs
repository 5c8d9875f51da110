//! A document's bytes → child process → [`DocumentScore`](crate::score::DocumentScore).
//!
//! Takes: the bytes of one document. Gives: an [`Outcome`], always: a document that kills its child
//! ends in a state of its own. Fails: only when no child can be started ([`IsolateError`]), which is
//! the machine's fault and never the document's. Never: parses a document in this process (but with
//! [`Isolation::None`](crate::config::Isolation)), hands a child anything but bytes and settings, or lets one document harm another.
//!
//! ```text
//! pool      one thread per child hands it documents and holds the timers; retries, recycling
//! spawn     the one thread that starts children
//! process   one child seen from the parent: bytes in, frames out, how it died
//! frame     the frames both sides speak
//! check     what a frame may say
//! child     the other side: `pagesieve child`
//! stream    which pages a child reports before it is done
//! sandbox   what a child gives up before it reads a document
//! render    pages as pictures, for reports: a child of its own for each document
//! sys       the system calls these need
//! ```
//!
//! A document in flight has a child to itself, so a dying child always names its culprit. After a
//! crash or a memory limit the document is tried once more, alone, in a fresh child with double
//! limits; a time limit is final at once, because trying again would cost twice the time that was too much.

mod check;
mod child;
mod frame;
#[cfg(debug_assertions)]
mod hook;
mod pool;
mod process;
mod render;
mod sandbox;
mod spawn;
mod stream;
mod sys;

pub use child::{ChildArgs, run as run_child};
pub use pool::{Attempt, IsolateError, Outcome, Pool, PoolConfig};
pub use process::Cause;
pub use render::{RenderedPage, render_pages, run as run_drawing_child};
pub use sandbox::{Sandbox, harden_parent};
