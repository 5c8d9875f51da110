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
    /// Events held back; `None` once the stream is open.
    held: Option<Vec<Event>>,
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
    pub(super) fn send(&self, event: Event) {
        if matches!(event, Event::Done(_)) {
            return;
        }
        let mut state = self.lock();
        match &mut state.held {
            Some(held) => held.push(event),
            None => state.write(&event),
        }
    }

    /// Sends what was held back; from now on events are sent at once.
    pub(super) fn open(&self) {
        let mut state = self.lock();
        for event in state.held.take().unwrap_or_default() {
            state.write(&event);
        }
    }

    /// Sends the score; nothing is sent after it.
    ///
    /// # Errors
    /// When this or an earlier frame could not be written: the parent is gone.
    pub(super) fn done(&self, score: DocumentScore) -> io::Result<()> {
        let mut state = self.lock();
        state.held = None;
        if let Some(error) = state.failed.take() {
            return Err(error);
        }
        frame::write(&mut state.out, Kind::Done, &Event::Done(Box::new(score)))
    }
}

impl<W: Write> State<W> {
    fn write(&mut self, event: &Event) {
        let kind = match event {
            Event::Opened(_) => Kind::Opened,
            Event::Page { .. } => Kind::Page,
            Event::Done(_) => Kind::Done,
        };
        if let Err(error) = frame::write(&mut self.out, kind, event) {
            self.failed.get_or_insert(error);
        }
    }
}
