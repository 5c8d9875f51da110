//! What was drawn → evidence, one file per signal.
//!
//! Takes: the [`PageMeasure`](super::text::PageMeasure)s of a document. Gives: evidence per page and per font, pooled over
//! the document. Fails: never. Never: decides a route; thresholds live in [`verdict`](super::verdict).

pub(in crate::score) mod fonts;
pub(super) mod image;
pub mod letters;
pub(super) mod outlines;
pub(in crate::score) mod rtl;
pub(in crate::score) mod spaces;
pub(in crate::score) mod symbols;

use serde::{Deserialize, Serialize};

use super::result::{Certainty, ReasonCode, Scope};

/// What a signal holds against the text of a page or of a font in the document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextCharge {
    /// The reason it supports.
    pub code: ReasonCode,
    /// How strong.
    pub certainty: Certainty,
    /// Visible glyphs it concerns.
    pub glyphs: u32,
    /// Index into the page's fonts, where it concerns one.
    pub font_index: Option<u32>,
    /// What it was pooled over.
    pub scope: Scope,
    /// At most 120 characters from fixed templates, without document text.
    pub detail: String,
}
