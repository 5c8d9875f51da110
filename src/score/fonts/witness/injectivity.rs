//! Many glyphs, one character (row C4g, spec/fonts 6.2).
//!
//! Measured over 595 fonts: the share of duplicates is ≥ .05 in 13, > .5 in 2, both wrong. Two-way alternates stay
//! below .4, with at most three codes a character.

use rustc_hash::{FxHashMap, FxHashSet};

use super::view::{Code, Source, View};

/// Codes a font must draw before the share of duplicates says anything.
const MIN_CODES: usize = 10;
/// Codes of different outlines that one character may not have.
const MAX_OUTLINES: usize = 5;

/// How the map fails to tell glyphs apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NonInjective {
    /// More than half of the drawn codes repeat a character that another code has.
    Mostly { codes: Vec<u32>, repeated: usize },
    /// These codes of different outlines all mean one character.
    OneTarget { codes: Vec<u32> },
}

pub(super) fn find(view: &View<'_>) -> Option<NonInjective> {
    if !may_repeat(view) {
        return None;
    }
    // One code per outline and character: copies of a glyph are no alternates.
    let mut seen: FxHashSet<(&str, u64)> = FxHashSet::default();
    let mut by_target: FxHashMap<&str, Vec<u32>> = FxHashMap::default();
    let mut all = Vec::new();
    for code in view.drawn().filter(|code| code.source == Source::ToUnicode) {
        let (Some(claim), Some(shape)) = (code.claim.as_deref(), shape(view, code)) else { continue };
        if claim.chars().all(is_shared_by_nature) || !seen.insert((claim, shape)) {
            continue;
        }
        by_target.entry(claim).or_default().push(code.code);
        all.push(code.code);
    }
    let repeated = all.len() - by_target.len();
    if all.len() >= MIN_CODES && repeated * 2 > all.len() {
        let codes = by_target.into_values().filter(|codes| codes.len() > 1).flatten().collect();
        return Some(NonInjective::Mostly { codes: sorted(codes), repeated });
    }
    let codes: Vec<u32> =
        by_target.into_values().filter(|codes| codes.len() >= MAX_OUTLINES).flatten().collect();
    (!codes.is_empty()).then(|| NonInjective::OneTarget { codes: sorted(codes) })
}

/// Whether enough codes share a character for [`find`] to find anything: outlines are read only then.
fn may_repeat(view: &View<'_>) -> bool {
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    let mapped = view.drawn().filter(|code| code.source == Source::ToUnicode);
    for claim in mapped.filter_map(|code| code.claim.as_deref()) {
        *counts.entry(claim).or_default() += 1;
    }
    let repeated: usize = counts.values().map(|count| count - 1).sum();
    // `find` leaves out blanks and copies: it can only find fewer repetitions.
    repeated * 2 > MIN_CODES || counts.values().any(|&count| count >= MAX_OUTLINES)
}

fn sorted(mut codes: Vec<u32>) -> Vec<u32> {
    codes.sort_unstable();
    codes
}

/// What tells this code's glyph from others; `None` for blank ones. Without a readable outline, the code itself.
fn shape(view: &View<'_>, code: &Code) -> Option<u64> {
    let outline = view.program.zip(code.gid).and_then(|(program, gid)| program.outline_hash(gid));
    match outline {
        Some(0) => None,
        Some(hash) => Some(hash),
        None => Some(u64::from(code.code)),
    }
}

/// Characters that have many glyphs in honest fonts: spaces, hyphens, marks that stand at many heights, and the
/// positional forms and ligature parts of Arabic and its kin.
fn is_shared_by_nature(c: char) -> bool {
    c.is_whitespace()
        || matches!(c as u32, 0x2D | 0xAD | 0x2010..=0x2015 | 0x2212 | 0x5F)
        || matches!(c as u32, 0x300..=0x36F | 0x590..=0x8FF | 0xFB1D..=0xFDFF | 0xFE70..=0xFEFF)
        || matches!(c as u32, 0x900..=0x109F | 0x1780..=0x18AF | 0x1A20..=0x1AAF | 0xA980..=0xA9DF)
        || !super::fold::is_meaningful(c)
}
