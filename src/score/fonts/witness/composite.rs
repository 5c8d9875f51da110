//! Accented letters must contain their base letter (spec/fonts 6.6).
//!
//! TrueType composites and CFF `seac` share glyphs with the base letter, so the map's own claims for two glyphs are
//! held against each other: no knowledge of any font is needed.

use unicode_normalization::char::{compose, decompose_canonical};

use super::fold;
use super::view::{Code, View};

/// Composite glyphs, by whether the map is at one with them.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Composites {
    pub(super) agreeing: usize,
    pub(super) denied: Vec<u32>,
}

pub(super) fn find(view: &View<'_>) -> Composites {
    let mut found = Composites::default();
    let Some(program) = view.program else { return found };
    for code in view.drawn() {
        let (Some(gid), Some((base, mark))) = (code.gid, code.letter().and_then(base_of)) else { continue };
        let components = program.components(gid);
        let named: Vec<char> = components
            .iter()
            .flat_map(|&part| view.letters_of(part))
            .copied()
            .filter(|c| c.is_alphabetic())
            .collect();
        if components.len() < 2 || named.is_empty() {
            continue;
        }
        if named.iter().any(|&letter| is_base(letter, base, mark)) {
            found.agreeing += 1;
        } else if is_whole_letter(view, code, &named) {
            found.denied.push(code.code);
        }
    }
    found
}

/// The letter below the first mark, and that mark; only of scripts whose letters are drawn that way.
fn base_of(letter: char) -> Option<(char, char)> {
    let mut parts = Vec::new();
    decompose_canonical(letter, |c| parts.push(c));
    let (&base, &mark) = (parts.first()?, parts.get(1)?);
    matches!(base as u32, 0x41..=0x24F | 0x370..=0x52F).then_some((base, mark))
}

/// Whether a component's letter may stand for the base: itself, a look-alike of another script, or the base with
/// one of several marks already on it (ế from ê).
fn is_base(letter: char, base: char, mark: char) -> bool {
    let same = |a: char, b: char| a == b || folded(a) == folded(b);
    let inner = base_of(letter).map_or(letter, |(inner, _)| inner);
    same(letter, base) || same(inner, base) || compose(base, mark) == Some(letter)
}

/// Case and script folded away: small capitals are built from capitals, Greek accents on Latin outlines.
fn folded(c: char) -> Option<char> {
    fold::alike(c).to_lowercase().next().map(fold::alike)
}

/// Marks and ligature parts get odd names from mapmakers: a component counts as a letter only if it stands in running text
/// too, drawn by a code of its own, or fills the glyph's advance.
fn is_whole_letter(view: &View<'_>, code: &Code, named: &[char]) -> bool {
    let drawn_alone =
        |letter: &char| view.drawn().any(|other| other.code != code.code && other.letter() == Some(*letter));
    named.iter().any(drawn_alone)
}
