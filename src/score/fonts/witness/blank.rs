//! Letters without ink, and spaces with it (spec/fonts 6.5).

use super::view::{Code, View};

/// Space glyphs with ink occur as drawn blanks (␣, dotted leaders); of a word space it takes this many glyphs.
const MIN_INKED_SPACES: u32 = 20;

/// Codes whose claim the outline belies.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Blankness {
    /// Letters and digits claimed for an empty outline.
    pub(super) blank_letters: Vec<u32>,
    /// Spaces claimed for an outline with ink.
    pub(super) inked_spaces: Vec<u32>,
}

pub(super) fn find(view: &View<'_>) -> Blankness {
    let mut found = Blankness::default();
    let mut with_ink = 0;
    for code in view.drawn() {
        let Some(is_blank) = view.is_blank(code) else { continue };
        with_ink += usize::from(!is_blank);
        let Some(claim) = code.claim.as_deref() else { continue };
        if is_blank && claim.chars().all(is_inked) {
            found.blank_letters.push(code.code);
        } else if !is_blank && claim.chars().all(is_space) && is_inked_space(view, code) {
            found.inked_spaces.push(code.code);
        }
    }
    // A font without any ink is an invisible layer drawn in a visible mode, not a lie about a letter.
    if with_ink <= found.blank_letters.len() {
        found.blank_letters.clear();
    }
    found
}

fn is_inked_space(view: &View<'_>, code: &Code) -> bool {
    let height = |bounds: [f32; 4]| bounds[3] - bounds[1];
    let bounds = view.program.zip(code.gid).and_then(|(program, gid)| program.bounds(gid));
    code.visible >= MIN_INKED_SPACES && bounds.is_some_and(|bounds| height(bounds) > 0.3)
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\u{A0}' | '\u{2002}'..='\u{200A}' | '\u{202F}' | '\u{205F}' | '\u{3000}')
}

/// Characters that every font draws with ink. Fillers are letters by category and blank by design.
fn is_inked(c: char) -> bool {
    c.is_alphanumeric()
        && !matches!(
            c as u32,
            0x115F | 0x1160 | 0x3164 | 0xFFA0 | 0x2800 | 0x1D159 | 0x16FE4 | 0x180B..=0x180F
        )
}
