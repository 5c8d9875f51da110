//! The embedded program of one font, inflated and parsed when it is first asked for.

use std::sync::{Arc, OnceLock};

use super::dict::{Embedded, ProgramKey};
use super::program::cache::{StreamKey, get_or_parse};
use super::program::{Program, ProgramError};
use crate::score::evidence::ProgramKind;
use crate::score::pdf::{MAX_FILTERS, decode_stream, read_filters};

/// A program that may be there.
#[derive(Debug, Default)]
pub(super) struct ProgramSlot {
    embedded: Option<Embedded>,
    loaded: OnceLock<Result<Arc<Program>, ProgramError>>,
}

impl ProgramSlot {
    pub(super) fn new(embedded: Option<Embedded>) -> Self {
        Self { embedded, loaded: OnceLock::new() }
    }

    /// Whether a program is embedded, readable or not.
    pub(super) fn is_embedded(&self) -> bool {
        self.embedded.is_some()
    }

    /// Under which key.
    pub(super) fn key(&self) -> Option<ProgramKey> {
        self.embedded.as_ref().map(|embedded| embedded.key)
    }

    /// The program; `None` where none is embedded or it cannot be read (see [`ProgramSlot::error`]).
    pub(super) fn get(&self) -> Option<&Program> {
        let embedded = self.embedded.as_ref()?;
        self.loaded.get_or_init(|| load(embedded)).as_deref().ok()
    }

    /// The program if something has read it before.
    pub(super) fn peek(&self) -> Option<&Program> {
        self.loaded.get()?.as_deref().ok()
    }

    /// Why the program cannot be read, if something has tried.
    pub(super) fn error(&self) -> Option<ProgramError> {
        self.loaded.get()?.as_ref().err().copied()
    }

    /// The kind of the program: as parsed, else as its key says.
    pub(super) fn kind(&self) -> ProgramKind {
        match (self.peek(), self.key()) {
            (Some(program), _) => program.kind(),
            (None, None) => ProgramKind::None,
            (None, Some(ProgramKey::Type1)) => ProgramKind::Type1,
            (None, Some(ProgramKey::TrueType)) => ProgramKind::TrueType,
            (None, Some(ProgramKey::OpenType)) => ProgramKind::OpentypeCff,
            (None, Some(ProgramKey::Cff)) => ProgramKind::Cff,
        }
    }
}

fn load(embedded: &Embedded) -> Result<Arc<Program>, ProgramError> {
    let cap_bytes = embedded.stream.cap_bytes();
    let loaded = embedded.stream.with(|stream| {
        let raw = stream.raw_data();
        let filters = format!("{:?}", read_filters(stream.dict(), MAX_FILTERS));
        let key = StreamKey { raw: &raw, filters: filters.as_bytes(), cap_bytes };
        get_or_parse(&key, || {
            let mut out = Vec::new();
            decode_stream(stream, cap_bytes, &mut out);
            out
        })
    });
    loaded.unwrap_or(Err(ProgramError::Empty))
}
