//! Known glyph orders: letters of a dead font inferred from its glyph indices, and confirmed by the advances.
//!
//! Most TrueType fonts for Latin keep the order of the Macintosh glyph set, so that in a subset with original indices
//! GID = ASCII − 29; fonts in the order of Adobe's standard strings have GID = ASCII − 31. That a font has such an order is a
//! guess until its advances fit the letters, and fit no other shift.

use read_fonts::tables::post::DEFAULT_GLYPH_NAMES;

use super::super::names;
use super::extents;
use super::measures::{MIN_BESIDE, MIN_LEAD, MIN_SOLVED};
use super::view::{Code, View};
use super::widths::fit;

/// Distinct letters the advances must confirm.
const MIN_LETTERS: usize = 8;

/// A glyph order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KnownOrder {
    /// The 258 glyphs of the Macintosh set: index 3 is the space, ASCII = index + 29.
    Mac,
    /// Adobe's standard strings: index 1 is the space, ASCII = index + 31.
    AdobeStandard,
}

impl KnownOrder {
    /// Difference between ASCII code and glyph index.
    pub fn offset(self) -> u32 {
        match self {
            Self::Mac => 29,
            Self::AdobeStandard => 31,
        }
    }

    /// The character of a glyph index (CID in a CID-keyed program).
    pub fn letter(self, index: u32) -> Option<char> {
        match self {
            Self::Mac => names::char_of_name(DEFAULT_GLYPH_NAMES.get(index as usize)?, false),
            Self::AdobeStandard => {
                let c = char::from_u32(index + self.offset()).filter(|c| matches!(c, ' '..='~'))?;
                // The strings have the typographic quotes at these places.
                Some(match c {
                    '\'' => '’',
                    '`' => '‘',
                    c => c,
                })
            }
        }
    }
}

/// The order that the drawn codes without a claim confirm.
pub(super) fn find(view: &View<'_>) -> Option<KnownOrder> {
    let dead: Vec<&Code> = view.drawn().filter(|code| code.claim.is_none()).collect();
    if !view.is_composite || dead.len() * 10 < view.drawn().count() * 6 {
        return None;
    }
    let correlation = |letter: &dyn Fn(u32) -> Option<char>| {
        let letters = dead.iter().filter_map(|code| Some((letter(view.index(code))?, code.advance)));
        fit(letters, MIN_LETTERS).map(|fit| fit.correlation)
    };
    [KnownOrder::Mac, KnownOrder::AdobeStandard].into_iter().find(|order| {
        let own = correlation(&|index| order.letter(index)).unwrap_or(-1.0);
        let is_other = |shift: &u32| *shift != order.offset();
        let others =
            (0..=60).filter(is_other).filter_map(|shift| correlation(&|index| shifted(index, shift)));
        own >= MIN_SOLVED
            && others.fold(-1.0, f32::max) + MIN_LEAD <= own
            && blanks_agree(view, &dead, *order)
            && heights_agree(view, &dead, *order)
    })
}

fn shifted(index: u32, shift: u32) -> Option<char> {
    char::from_u32(index + shift)
}

/// The outlines are as high and as deep as those letters, where enough of them tell.
fn heights_agree(view: &View<'_>, dead: &[&Code], order: KnownOrder) -> bool {
    let Some(program) = view.program else { return true };
    let letters = dead.iter().filter_map(|code| Some((order.letter(view.index(code))?, code.gid?)));
    extents::fit(program, letters).is_none_or(|fit| fit.correlation >= MIN_BESIDE)
}

/// The space has no ink, letters have.
fn blanks_agree(view: &View<'_>, dead: &[&Code], order: KnownOrder) -> bool {
    dead.iter().all(|code| match (order.letter(view.index(code)), view.is_blank(code)) {
        (Some(letter), Some(is_blank)) if letter.is_whitespace() => is_blank,
        (Some(_), Some(is_blank)) => !is_blank,
        _ => true,
    })
}
