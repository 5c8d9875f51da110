//! Font dictionary → routes from character code to Unicode.
//!
//! Takes: a font dictionary of an open [`Document`](super::pdf::Document). Gives: a [`Font`] that splits strings
//! into codes, measures glyphs and tells each code's [`CodeRoute`]; and, once the drawn codes of the
//! whole document are known, the [`Charge`]s of the witnesses. Fails: never; a font that cannot be
//! read answers `unknown` with a finding. Never: guesses a letter.

mod case;
mod table;

pub mod program;

pub use case::Case;

use serde::{Deserialize, Serialize};

use super::evidence::{Finding, FontFacts};
use super::pdf::{Dict, Document};
use super::result::{Certainty, ReasonCode};

/// A character code as the content stream spells it (ISO 32000-2, 9.7.6), big-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CharCode(pub u32);

/// A character identifier of a CIDFont.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cid(pub u16);

/// A glyph index of a font program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Gid(pub u16);

/// The class of one drawn code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CodeClass {
    /// S1–S3 or ActualText.
    ReadSpec,
    /// P1–P3.
    ReadProgram,
    /// I1–I3, with evidence.
    Inferred,
    /// Proof that no route exists.
    Dead,
    /// A route exists, another independent witness denies it.
    Contradicted,
    /// Not parsed, or nothing can check it.
    Unknown,
}

/// How one code reaches Unicode in one font.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeRoute {
    /// The class, before any pooled witness is heard.
    pub class: CodeClass,
    /// The row of the specification that decided.
    pub case: Case,
    /// The text a conformant reader gives, or the program's where the standard gives none; NFC is not applied.
    pub unicode: Option<Box<str>>,
}

/// One code of one font, as the page needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Glyph {
    /// Displacement in text space units (1.0 = the font size); vertical fonts: along y, negative.
    pub advance: f32,
    /// The route.
    pub route: CodeRoute,
    /// Whether it leaves no mark: the drawn code means a space, or its outline is known to be empty.
    pub blank: bool,
}

/// A font of one document. Cheap to share; glyphs are resolved on first use and kept.
#[derive(Debug)]
pub struct Font {
    facts: FontFacts,
    glyphs: table::GlyphTable,
}

impl Font {
    /// Reads a font dictionary. `name` is its name in reports (`4 0 R`, or `p1/F1`).
    pub fn read(_dict: &Dict<'_>, _document: &Document, name: String) -> Self {
        Self { facts: FontFacts { font: name, ..FontFacts::default() }, glyphs: table::GlyphTable::default() }
    }

    /// What was read, before any verdict. `to_unicode` speaks of the map alone until the drawn codes are known.
    pub fn facts(&self) -> &FontFacts {
        &self.facts
    }

    /// Splits a shown string into codes and their length in bytes (ISO 32000-2, 9.4.3 and 9.7.6.2).
    pub fn codes<'s>(&'s self, string: &'s [u8]) -> impl Iterator<Item = (CharCode, u8)> + 's {
        string.iter().map(|&byte| (CharCode(u32::from(byte)), 1))
    }

    /// Resolves one code. Resolved once, then read without a lock: call it per drawn glyph.
    pub fn glyph(&self, code: CharCode, n_bytes: u8) -> &Glyph {
        self.glyphs.get(code, n_bytes, || todo!("score/fonts"))
    }

    /// The facts, with `to_unicode` judged against the codes that are drawn (code, length in bytes,
    /// visible glyphs), and those of the program where it was read.
    pub fn facts_for(&self, _drawn: &[(CharCode, u8, u32)]) -> FontFacts {
        self.facts.clone()
    }

    /// Whether the font writes vertically.
    pub fn is_vertical(&self) -> bool {
        false
    }

    /// Ascent and descent in text space units, for boxes; (0.75, -0.25) where unknown.
    pub fn vertical_extent(&self) -> (f32, f32) {
        (0.75, -0.25)
    }

    /// Damage seen while reading dictionary and program.
    pub fn findings(&self) -> Vec<Finding> {
        Vec::new()
    }
}

/// What a pooled witness holds against a font.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Charge {
    /// The reason it supports.
    pub code: ReasonCode,
    /// How strong.
    pub certainty: Certainty,
    /// The codes it concerns.
    pub codes: Vec<u32>,
    /// At most 120 characters: the witness, named, without document text.
    pub detail: String,
}

/// What lopdf and ttf-parser say of the facts behind a proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecondStack {
    /// The same facts.
    Agrees,
    /// Other facts: the proof falls to `suspected`.
    Disagrees,
    /// The second stack cannot read the file or the font.
    CannotRead,
}
