//! A ToUnicode map that says Unicode = code, where the codes are glyph indices (row C4e).
//!
//! With CIDToGIDMap Identity and an embedded TrueType program the code is an index into `glyf`. That it is also the character
//! is false unless the program's cmap says so.

use super::fold;
use super::view::{Source, View};
use crate::score::ProgramKind;

/// Drawn codes a font must have.
const MIN_CODES: usize = 5;

/// What is held against an identity map.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct IdentityOnGlyphs {
    pub(super) codes: Vec<u32>,
    /// How many of them the cmap gives to another character; 0 where it is silent.
    pub(super) denied: usize,
}

pub(super) fn find(view: &View<'_>) -> Option<IdentityOnGlyphs> {
    let program = view.program?;
    if !view.is_composite || program.kind() != ProgramKind::TrueType {
        return None;
    }
    let (mut codes, mut n_drawn, mut denied, mut confirmed) = (Vec::new(), 0, 0, 0);
    for code in view.drawn().filter(|code| code.source == Source::ToUnicode) {
        let (Some(gid), Some(claim)) = (code.gid, code.letter()) else { continue };
        n_drawn += 1;
        if code.code != claim as u32 || u32::from(gid.0) != code.code {
            continue;
        }
        codes.push(code.code);
        let testimony = view.testimony(gid);
        if testimony.by_cmap.contains(&claim) {
            confirmed += 1;
        } else if !testimony.by_cmap.is_empty()
            && !testimony.by_cmap.iter().any(|&c| fold::is_benign(&claim.to_string(), &c.to_string()))
        {
            denied += 1;
        }
    }
    // A true map of a font in code order would have its letters confirmed.
    let identical = codes.len() >= MIN_CODES && codes.len() * 10 >= n_drawn * 9;
    (identical && confirmed * 4 < codes.len()).then_some(IdentityOnGlyphs { codes, denied })
}
