//! A ToUnicode map made for other codes than those drawn: keys of the wrong length, or of a subset before it was
//! renumbered (row C4h, spec/fonts 6.3).
//!
//! Such a map lacks many drawn codes and speaks of codes that the font does not even have widths for; where it hits a drawn code,
//! it is by chance.

use super::super::{CharCode, Font};
use super::view::{Source, View};

/// Drawn codes, and keys of the map, that make the comparison worth while.
const MIN_CODES: usize = 12;
/// Keys that are compared; a map of more is no subset's.
const MAX_KEYS: usize = 1024;
/// Share of the drawn codes that the map knows, at most, and share of its keys without a width, at least, in percent.
const MAX_KNOWN: usize = 60;
const MIN_STRAY: usize = 40;

/// How badly a map fits.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Misfit {
    /// Drawn codes that the map knows, wrongly as it must be thought.
    pub(super) codes: Vec<u32>,
    /// Drawn codes in all.
    pub(super) n_drawn: usize,
    /// Keys without a width, and keys in all.
    pub(super) n_stray: usize,
    pub(super) n_keys: usize,
}

pub(super) fn find(view: &View<'_>) -> Option<Misfit> {
    let font = view.font().filter(|_| view.is_composite)?;
    let known = |code: &&super::view::Code| code.source == Source::ToUnicode && code.claim.is_some();
    let n_drawn = view.drawn().count();
    let codes: Vec<u32> = view.drawn().filter(known).map(|code| code.code).collect();
    if n_drawn < MIN_CODES || codes.is_empty() || codes.len() * 100 > n_drawn * MAX_KNOWN {
        return None;
    }
    let keys = font.to_unicode_entries(MAX_KEYS + 1);
    let has_widths = view.drawn().filter(|code| code.stated.is_some()).count() * 10 >= n_drawn * 9;
    if !(MIN_CODES..=MAX_KEYS).contains(&keys.len()) || !has_widths {
        return None;
    }
    let n_stray = keys.iter().filter(|(code, _)| is_stray(font, *code)).count();
    let n_keys = keys.len();
    (n_stray * 100 >= n_keys * MIN_STRAY).then_some(Misfit { codes, n_drawn, n_stray, n_keys })
}

/// A code that the font states no width for.
fn is_stray(font: &Font, code: u32) -> bool {
    font.stated_width(CharCode(code), 2).is_none()
}
