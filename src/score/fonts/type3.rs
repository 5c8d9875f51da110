//! Type 3 fonts: glyph procedures (ISO 32000-2, 9.6.4).

use rustc_hash::FxHashMap;

use super::dict::{self, LateStream, Source};
use crate::score::pdf::{Array, Dict, Object};

/// Glyph procedures of one font that are kept.
const MAX_PROCS: usize = 4096;

/// Decoded bytes of a procedure that are looked at for marks.
const PROC_BYTES: usize = 1 << 20;

/// The procedures of a Type 3 font.
#[derive(Debug)]
pub(super) struct Type3 {
    procs: FxHashMap<Box<str>, LateStream>,
    /// `/FontMatrix`.
    pub(super) matrix: [f32; 6],
    pub(super) bbox: Option<[f32; 4]>,
}

impl Type3 {
    pub(super) fn read(font: &Dict<'_>, source: &Source<'_>) -> Self {
        let mut procs = FxHashMap::default();
        if let Some(dict) = dict::dict(font, "CharProcs") {
            for key in dict.keys().take(MAX_PROCS) {
                let Some(id) = dict::reference(&dict, &key) else { continue };
                let name = dict::glyph_name(&key);
                let stream = LateStream::of(id, source.objects, source.cap_bytes.min(PROC_BYTES));
                procs.insert(name, stream);
            }
        }
        let matrix = font.get::<Array<'_>>("FontMatrix").map(|array| dict::numbers(&array, 6));
        let matrix = match matrix.as_deref() {
            Some(&[a, b, c, d, e, f]) if a != 0.0 || b != 0.0 => [a, b, c, d, e, f],
            _ => [0.001, 0.0, 0.0, 0.001, 0.0, 0.0],
        };
        Self { procs, matrix, bbox: dict::rect(font, "FontBBox") }
    }

    /// Whether a name has a procedure.
    pub(super) fn has_proc(&self, name: &str) -> bool {
        self.procs.contains_key(name)
    }

    /// Whether the procedure of a name paints nothing; `None` where it cannot be read.
    pub(super) fn is_blank(&self, name: &str) -> Option<bool> {
        let (data, _) = self.procs.get(name)?.decode()?;
        Some(!paints(&data))
    }

    /// Ascent and descent in text space.
    pub(super) fn vertical_extent(&self) -> Option<(f32, f32)> {
        let bbox = self.bbox?;
        let scale = self.matrix[3].abs();
        let (ascent, descent) = (bbox[3] * scale, bbox[1] * scale);
        ((0.1..=4.0).contains(&ascent) && (-2.0..=0.5).contains(&descent))
            .then_some((ascent, descent.min(0.0)))
    }
}

/// Whether content holds an operator that can leave a mark. Strings and image data are not told apart from
/// operators: a false mark only keeps a glyph that would have been left out.
fn paints(content: &[u8]) -> bool {
    let is_space = |b: &u8| matches!(b, b'\0' | b'\t' | b'\n' | b'\x0C' | b'\r' | b' ');
    let words = content.split(|b| is_space(b) || matches!(b, b'[' | b']' | b'(' | b')' | b'<' | b'>'));
    words.into_iter().any(|word| {
        matches!(
            word,
            b"f" | b"F"
                | b"f*"
                | b"B"
                | b"B*"
                | b"b"
                | b"b*"
                | b"S"
                | b"s"
                | b"Do"
                | b"BI"
                | b"EI"
                | b"ID"
                | b"sh"
                | b"Tj"
                | b"TJ"
                | b"'"
                | b"\""
        )
    })
}

/// Whether a `/CharProcs` entry is there at all.
pub(super) fn has_char_procs(font: &Dict<'_>) -> bool {
    matches!(font.get::<Object<'_>>("CharProcs"), Some(Object::Dict(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t6_blank_procedures() {
        assert!(!paints(b"600 0 0 0 750 750 d1"));
        assert!(!paints(b"250 0 d0 q 1 0 0 1 0 0 cm Q"));
        assert!(!paints(b"0 0 10 10 re n"));
        assert!(!paints(b""));
        assert!(paints(b"0 0 10 10 re f"));
        assert!(paints(b"600 0 d0 BI /W 1 /H 1 ID x EI"));
        assert!(paints(b"/Im1 Do"));
        assert!(paints(b"0 0 m 10 10 l S"));
    }
}
