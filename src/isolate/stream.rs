//! Which pages a child reports before it is done.
//!
//! A short document costs one frame: its events are held back, and dropped when it is done. After a
//! while [`Stream::open`] sends what was held back, and from then on every event is sent at once, so
//! that a kill leaves the parent all pages that were measured.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard};

use crate::score::{DocumentScore, Event};

use super::frame::{self, Kind};

pub(super) struct Stream<W> {
    state: Mutex<State<W>>,
}

struct State<W> {
    out: W,
    /// Frames held back; `None` once the stream is open.
    held: Option<Vec<u8>>,
    failed: Option<io::Error>,
}

impl<W: Write> Stream<W> {
    pub(super) fn new(out: W) -> Self {
        Self { state: Mutex::new(State { out, held: Some(Vec::new()), failed: None }) }
    }

    fn lock(&self) -> MutexGuard<'_, State<W>> {
        self.state.lock().expect("nothing panics while it is held")
    }

    /// Reports an event, now or when the stream opens. The end is reported by [`done`](Self::done).
    pub(super) fn send(&self, event: &Event) {
        let kind = match event {
            Event::Opened(_) => Kind::Opened,
            Event::Page { .. } => Kind::Page,
            Event::Done(_) => return,
        };
        let mut state = self.lock();
        let result = match &mut state.held {
            Some(held) => frame::append(held, kind, event),
            None => frame::write(&mut state.out, kind, event),
        };
        state.note(result);
    }

    /// Sends what was held back; from now on events are sent at once.
    pub(super) fn open(&self) {
        let mut state = self.lock();
        if let Some(held) = state.held.take() {
            let result = state.out.write_all(&held).and_then(|()| state.out.flush());
            state.note(result);
        }
    }

    /// Sends the score.
    ///
    /// # Errors
    /// When this or an earlier frame could not be written: the parent is gone.
    pub(super) fn done(self, score: DocumentScore) -> io::Result<()> {
        let mut state = self.state.into_inner().expect("nothing panics while it is held");
        if let Some(error) = state.failed {
            return Err(error);
        }
        frame::write(&mut state.out, Kind::Done, &Event::Done(Box::new(score)))
    }
}

impl<W> State<W> {
    fn note(&mut self, result: io::Result<()>) {
        if let Err(error) = result {
            self.failed.get_or_insert(error);
        }
    }
}
