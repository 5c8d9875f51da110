//! Text from any extractor → a verdict per page.
//!
//! Takes: text. Gives: [`TextScore`]. Fails: never; any text is a text. Never: knows the PDF it came from, or what
//! extracted it.
//!
//! ```text
//! parts.rs   text → pages: at form feeds, else runs of whole lines
//! marks.rs   what extractors leave where a glyph has no Unicode: (cid:7), /g23, GLYPH<12>
//! check.rs   one page → route and reasons; symbols, letters and spaces as in PDFs
//!            (order, shapes and marks of Arabic and Hebrew: signals/rtl.rs)
//! repair.rs  pages routed to repair → the text they mean, where that passes the check
//! ```
//!
//! The same models and bounds judge the fonts of PDFs; here the unit is the page, for fonts are not known.

mod check;
mod marks;
mod parts;
mod repair;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::result::{Reason, ReasonCode, Route};
use super::{Policy, RULES_VERSION};

pub use parts::PartedBy;
pub use repair::{Change, LeftAlone, RepairedPage, RepairedText, repair_text};

/// The verdict on a text from any extractor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextScore {
    /// The worst route of its pages.
    pub route: Route,
    /// Rules that judged it.
    pub rules_version: String,
    /// How it was parted into pages.
    pub parted_by: PartedBy,
    /// Pages, blank ones counted.
    pub n_pages: u32,
    /// Pages without a visible character; they are not judged and not listed.
    pub n_blank: u32,
    /// Pages with too little evidence either way.
    pub n_not_judged: u32,
    /// Pages that are not blank, in order.
    pub pages: Vec<TextPage>,
}

/// The verdict on one page of a text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TextPage {
    /// 1-based page number; blank pages count.
    pub page: u32,
    /// 1-based number of the line of the whole text on which it begins.
    pub line: u32,
    /// The worst route of the reasons over the threshold.
    pub route: Route,
    /// Whether there was enough evidence to judge.
    pub judged: bool,
    /// Visible characters.
    pub visible: u32,
    /// Letters of any script.
    pub letters: u32,
    /// ISO 15924 code of the script that was judged.
    pub script: Option<String>,
    /// ISO 639 code of the language the page reads as.
    pub language: Option<String>,
    /// At most 8, worst first; shares are of the visible characters.
    pub reasons: Vec<Reason>,
}

/// Judges text from any extractor, page by page.
///
/// Pages are parted by form feeds (U+000C); a text without any is parted into runs of whole lines with about 500
/// letters. Never fails.
pub fn check_text(text: &str, policy: &Policy) -> TextScore {
    let (parts, parted_by) = parts::split(text);
    let mut pages = Vec::new();
    let (mut line, mut n_blank) = (1, 0);
    for (part, page) in parts.iter().zip(1..) {
        let own = &text[part.clone()];
        match check::examine(own, policy) {
            Some(found) => pages.push(TextPage { page, line, ..found.page }),
            None => n_blank += 1,
        }
        line += own.bytes().filter(|b| *b == b'\n').count() as u32;
    }
    TextScore {
        route: pages.iter().map(|page| page.route).max().unwrap_or(Route::Keep),
        rules_version: RULES_VERSION.to_owned(),
        parted_by,
        n_pages: parts.len() as u32,
        n_blank,
        n_not_judged: pages.iter().filter(|page| !page.judged).count() as u32,
        pages,
    }
}

impl ReasonCode {
    /// The route a reason leads to in text that an extractor gave, when it weighs enough.
    pub fn route_of_given(self) -> Route {
        use ReasonCode as R;
        match self {
            R::GlyphCodeShift | R::KnownGlyphOrder => Route::Ocr,
            R::GlyphNames => Route::Repair,
            R::MixedReadingOrder | R::LamAlefTransposition | R::LostWordBoundaries | R::MergedWords => {
                Route::Reextract
            }
            other => other.route(),
        }
    }
}
