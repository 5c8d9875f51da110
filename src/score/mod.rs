//! Bytes → [`DocumentScore`]. Pure.
//!
//! Takes: the bytes of one PDF and [`Limits`]. Gives: one [`PageScore`] per page, with reasons.
//! Fails: never; damage becomes a [`Finding`]. Never: touches storage, clock, environment, logging.
//!
//! ```text
//! pdf/      file syntax: objects, xref, filters, page tree, content tokens
//! fonts/    font dictionary → routes from character code to Unicode
//! text/     content operators → drawn, visible glyphs and what else is painted
//! signals/  what was drawn → evidence, one file per signal
//! verdict/  evidence → Route and Reasons; the only home of thresholds
//! ```

pub mod fonts;
pub mod pdf;
pub mod signals;
pub mod text;
pub mod verdict;

mod evidence;
mod limits;
mod result;

pub use evidence::{
    DocumentInfo, Event, Finding, FindingCode, FontEvidence, FontFacts, ImageEvidence, LineBox,
    OutlineEvidence, PageEvidence, PageFontEvidence, ProgramKind, ToUnicodeKind,
};
pub use limits::Limits;
pub use result::{
    Certainty, DocumentScore, FontClass, FontScore, PageFontScore, PageScore, Reason, ReasonCode, Route,
    Scope, State,
};

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// What the user wants done with pages that could not be judged or measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Route of a page with too little evidence. `keep` or `ocr`.
    pub unjudged: Route,
    /// Route of a page that a limit, a crash or a panic left unmeasured. `keep` or `ocr`.
    pub unscored: Route,
}

impl Default for Policy {
    fn default() -> Self {
        Self { unjudged: Route::Keep, unscored: Route::Ocr }
    }
}

/// Everything beside the bytes that shapes a score.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Bounds.
    pub limits: Limits,
    /// Wishes.
    pub policy: Policy,
    /// First and last page to score, 1-based; `None` scores all.
    pub pages: Option<(u32, u32)>,
}

/// Changes whenever a verdict may change: part of `score_key` and of every row and message.
pub const RULES_VERSION: &str = "1";

/// Scores the text layer of one PDF file.
///
/// Returns one [`PageScore`] per page, in page order. Never fails: damage becomes a [`Finding`], and
/// a file without a reachable page tree scores zero pages.
pub fn score_document(file: &[u8], limits: &Limits) -> DocumentScore {
    let settings = Settings { limits: limits.clone(), ..Settings::default() };
    score_with(Arc::from(file), &settings, &|_| ())
}

/// As [`score_document`], reporting each page to `sink` as soon as it is measured.
///
/// `sink` is called from rayon's threads, in any page order; the last call is [`Event::Done`]'s content, which is
/// returned and not sent.
pub fn score_with(file: Arc<[u8]>, settings: &Settings, sink: &(dyn Fn(Event) + Sync)) -> DocumentScore {
    let _ = (file, settings, sink);
    todo!("score pipeline")
}
