//! The frames between parent and child: `length: u32 LE`, `kind: u8`, payload (JSON). The length
//! counts the payload. Behind a document's header follow its bytes, unframed.

use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize};

use crate::score::Settings;

use super::sandbox::Sandbox;

/// What a frame carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// To the child, once: [`Setup`].
    Setup,
    /// To the child: [`Header`], then the document.
    Document,
    /// To the parent, once, before any document is read: [`Ready`].
    Ready,
    /// To the parent: `Event::Opened`.
    Opened,
    /// To the parent: `Event::Page`.
    Page,
    /// To the parent, last of a document: `Event::Done`.
    Done,
}

impl Kind {
    const ALL: [Self; 6] = [Self::Setup, Self::Document, Self::Ready, Self::Opened, Self::Page, Self::Done];

    fn byte(self) -> u8 {
        match self {
            Self::Setup => b'S',
            Self::Document => b'D',
            Self::Ready => b'R',
            Self::Opened => b'o',
            Self::Page => b'p',
            Self::Done => b'd',
        }
    }

    fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.byte() == byte)
    }
}

/// The first frame to a child.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Setup {
    pub(super) settings: Settings,
    /// Time after which a document's pages are reported as they come, in milliseconds.
    pub(super) stream_after_ms: u64,
    /// What the limits of time are multiplied with.
    pub(super) limit_factor: u32,
}

/// What a child says before it reads its first document.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Ready {
    pub(super) sandbox: Sandbox,
}

/// Before each document.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Header {
    /// Bytes that follow.
    pub(super) size_bytes: u64,
    /// Threads to score it with.
    pub(super) threads: usize,
}

/// Bytes before the payload.
const PREFIX: usize = 5;

/// Longest payload either side accepts: a score of 100,000 pages has about 100 MiB.
pub(super) const MAX_FRAME: usize = 256 << 20;

/// Appends one frame to `out`.
pub(super) fn append<T: Serialize>(out: &mut Vec<u8>, kind: Kind, value: &T) -> io::Result<()> {
    let start = out.len();
    out.extend_from_slice(&[0; PREFIX]);
    serde_json::to_writer(&mut *out, value)?;
    let length = out.len() - start - PREFIX;
    let length = u32::try_from(length).map_err(|_| io::Error::other("frame over 4 GiB"))?;
    out[start..start + 4].copy_from_slice(&length.to_le_bytes());
    out[start + 4] = kind.byte();
    Ok(())
}

/// Writes one frame.
pub(super) fn write<T: Serialize>(out: &mut impl Write, kind: Kind, value: &T) -> io::Result<()> {
    let mut frame = Vec::new();
    append(&mut frame, kind, value)?;
    out.write_all(&frame)?;
    out.flush()
}

/// Reads one frame of the given kind; `None` at the end of input.
pub(super) fn read<T: for<'de> Deserialize<'de>>(input: &mut impl Read, kind: Kind) -> io::Result<Option<T>> {
    let mut prefix = [0; PREFIX];
    match input.read_exact(&mut prefix) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let (found, length) = split_prefix(prefix).ok_or_else(|| io::Error::other("bad frame"))?;
    if found != kind {
        return Err(io::Error::other("unexpected frame"));
    }
    let mut payload = vec![0; length];
    input.read_exact(&mut payload)?;
    Ok(Some(serde_json::from_slice(&payload)?))
}

fn split_prefix(prefix: [u8; PREFIX]) -> Option<(Kind, usize)> {
    let [a, b, c, d, kind] = prefix;
    let length = usize::try_from(u32::from_le_bytes([a, b, c, d])).ok()?;
    Some((Kind::from_byte(kind)?, length)).filter(|_| length <= MAX_FRAME)
}

/// A frame whose prefix no child of ours writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BadFrame;

/// Cuts a stream of bytes into frames, without ever holding more than has arrived.
#[derive(Debug, Default)]
pub(super) struct Splitter {
    buffer: Vec<u8>,
    start: usize,
}

impl Splitter {
    /// Takes what was read.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole frame, if it has arrived.
    pub(super) fn next(&mut self) -> Result<Option<(Kind, &[u8])>, BadFrame> {
        let rest = &self.buffer[self.start..];
        let Some((prefix, rest)) = rest.split_first_chunk::<PREFIX>() else { return Ok(None) };
        let (kind, length) = split_prefix(*prefix).ok_or(BadFrame)?;
        let Some(payload) = rest.get(..length) else { return Ok(None) };
        self.start += PREFIX + length;
        Ok(Some((kind, payload)))
    }

    /// Whether bytes of an unfinished or unread frame are left.
    pub(super) fn is_empty(&self) -> bool {
        self.start == self.buffer.len()
    }
}
