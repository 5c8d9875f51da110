//! A text → its pages, as ranges of bytes that together are the whole text.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::score::signals::letters::chars::{Char, Kind};

/// Letters of a run of lines.
const RUN_LETTERS: usize = 500;
/// Letters after which a run ends within a line, at a blank: a text need not have lines.
const LONGEST_RUN: usize = 4_000;

/// How a text was parted into pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartedBy {
    /// Form feeds; one at the very end opens no page.
    FormFeeds,
    /// Runs of whole lines with about 500 letters.
    Length,
}

/// The pages of a text. A form feed belongs to the page it ends.
pub(super) fn split(text: &str) -> (Vec<Range<usize>>, PartedBy) {
    if text.contains('\u{C}') {
        let mut start = 0;
        let pages = text.split_inclusive('\u{C}').map(|page| {
            let range = start..start + page.len();
            start = range.end;
            range
        });
        return (pages.collect(), PartedBy::FormFeeds);
    }
    let mut runs = Vec::new();
    let (mut start, mut letters) = (0, 0);
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        let kind = Char::of(c).kind;
        letters += usize::from(kind == Kind::Letter);
        let full = (c == '\n' && letters >= RUN_LETTERS)
            || (kind == Kind::Space && letters >= LONGEST_RUN)
            || letters >= 2 * LONGEST_RUN;
        if full {
            runs.push(start..end);
            (start, letters) = (end, 0);
        }
    }
    if start < text.len() {
        runs.push(start..text.len());
    }
    (runs, PartedBy::Length)
}
