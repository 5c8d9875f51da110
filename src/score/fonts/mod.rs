//! Font dictionary → routes from character code to Unicode.
//!
//! Takes: a font dictionary of an open [`Document`](super::pdf::Document). Gives: a [`Font`] that splits strings
//! into codes, measures glyphs and tells each code's [`CodeRoute`]; and, once the drawn codes of the
//! whole document are known, the [`Charge`]s of the witnesses. Fails: never; a font that cannot be
//! read answers `unknown` with a finding. Never: guesses a letter.

mod accessors;
mod case;
mod certificates;
mod cmap;
mod composite;
mod dict;
mod embedded;
mod encodings;
mod fold;
mod font;
mod letterless;
mod names;
mod read;
mod route;
mod route_composite;
mod route_simple;
mod signature;
mod simple;
mod standard14;
mod symbols;
mod table;
mod tex;
mod to_unicode;
mod type3;
mod widths;

#[cfg(test)]
mod tests;

pub mod program;
pub mod second;
pub mod witness;

pub use case::Case;
pub use font::Font;
pub(in crate::score) use letterless::holds_letters;
pub(in crate::score) use names::unicode_of_name;

use serde::{Deserialize, Serialize};

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
    /// With [`CodeClass::Unknown`] it is a candidate: what the code would mean if the doubtful route held.
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
