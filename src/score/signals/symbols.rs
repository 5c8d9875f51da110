//! Characters that are no text: replacement and private-use characters, controls, pages of signs.
//!
//! Takes: one page's [`PageMeasure`] and the fonts of the document. Gives: charges on the page, each with its structural
//! cause where the fonts tell it. Fails: never. Never: says a page is bad for one sign; weights are the verdict's.

use rustc_hash::FxHashMap;

use super::TextCharge;
use super::letters::chars::{Char, Kind};
use crate::score::evidence::FontEvidence;
use crate::score::fonts::{Case, CodeClass, holds_letters};
use crate::score::result::{Certainty, ReasonCode, Scope};
use crate::score::text::PageMeasure;

/// Visible characters from which the signs of a page are weighed.
const SOUP_VISIBLE: u32 = 100;
/// Share of letters and digits below which they are soup.
const SOUP_SHARE: f32 = 0.3;
/// Different signs it takes: rules, leaders and bullets are few.
const SOUP_SIGNS: usize = 12;

/// What a page's characters are, over the fonts no witness certified.
#[derive(Default)]
struct Counts {
    /// Glyphs that are no text, by reason, and the cases they came by.
    no_text: FxHashMap<ReasonCode, (u32, FxHashMap<Case, u32>)>,
    visible: u32,
    letters: u32,
    digits: u32,
    signs: u32,
    different: usize,
}

/// Charges that rest on what the characters of a page are.
pub(in crate::score) fn charges(measure: &PageMeasure, fonts: &[FontEvidence]) -> Vec<TextCharge> {
    let counts = count(measure, fonts);
    let mut charges: Vec<TextCharge> = counts
        .no_text
        .iter()
        .map(|(&code, (glyphs, cases))| {
            let most = cases.iter().max_by_key(|(case, n)| (**n, std::cmp::Reverse(**case)));
            let case = most.map_or(String::new(), |(case, _)| format!("{case:?}: "));
            let what = match code {
                ReasonCode::ReplacementCharacters => "U+FFFD",
                ReasonCode::PrivateUse => "private use",
                _ => "control characters",
            };
            charge(
                code,
                Certainty::Measured,
                *glyphs,
                format!("{case}{glyphs} visible glyphs are {what} in the text"),
            )
        })
        .collect();
    charges.extend(soup(&counts));
    charges.sort_by_key(|charge| charge.code);
    charges
}

fn charge(code: ReasonCode, certainty: Certainty, glyphs: u32, detail: String) -> TextCharge {
    TextCharge { code, certainty, glyphs, font_index: None, scope: Scope::Page, detail }
}

fn soup(counts: &Counts) -> Option<TextCharge> {
    let text = counts.letters + counts.digits;
    let soup = is_soup(text, counts.visible, counts.different);
    let detail = format!("{text} letters and digits among {} visible characters", counts.visible);
    soup.then(|| charge(ReasonCode::SymbolSoup, Certainty::Suspected, counts.signs, detail))
}

/// Whether so many letters and digits among so many visible characters, of which so many are different signs, are no text.
pub(in crate::score) fn is_soup(text: u32, visible: u32, different_signs: usize) -> bool {
    visible >= SOUP_VISIBLE && (text as f32) < SOUP_SHARE * visible as f32 && different_signs >= SOUP_SIGNS
}

fn count(measure: &PageMeasure, fonts: &[FontEvidence]) -> Counts {
    let mut counts = Counts::default();
    for (used, evidence) in measure.fonts.iter().zip(&measure.evidence.fonts) {
        let known = fonts.get(evidence.font_index as usize);
        let certified = known.is_some_and(|font| font.certified);
        if !holds_letters(used.font.facts().family.as_deref()) {
            continue;
        }
        for code in used.codes.iter().filter(|code| code.visible > 0) {
            let glyph = used.font.glyph(code.code, code.n_bytes);
            if glyph.blank {
                continue;
            }
            counts.visible += code.visible;
            let Some(c) = glyph.route.unicode.as_deref().and_then(|text| text.chars().next()) else {
                continue;
            };
            let kind = Char::of(c).kind;
            match kind {
                Kind::Letter | Kind::Mark => counts.letters += code.visible,
                Kind::Digit => counts.digits += code.visible,
                // What a certified program calls a sign is one; leaders and rules are drawn by the hundred.
                _ if certified || is_rule(c) => counts.visible -= code.visible,
                _ => {
                    counts.signs += code.visible;
                    counts.different += 1;
                }
            }
            let reason = match kind {
                Kind::Replacement => ReasonCode::ReplacementCharacters,
                Kind::Private => ReasonCode::PrivateUse,
                Kind::Control => ReasonCode::ControlCharacters,
                _ => continue,
            };
            // TeX's bitmaps keep ligatures and Greek at low codes beside letters at their own, and readers echo them; fonts
            // whose codes mean nothing at all are charged by the order of their codes.
            let known_habit = kind == Kind::Control && matches!(glyph.route.case, Case::T3 | Case::T4);
            if known_habit || matches!(glyph.route.class, CodeClass::ReadProgram | CodeClass::Inferred) {
                continue;
            }
            let (glyphs, cases) = counts.no_text.entry(reason).or_default();
            *glyphs += code.visible;
            *cases.entry(glyph.route.case).or_default() += code.visible;
        }
    }
    counts
}

/// Signs that are repeated for their looks.
pub(in crate::score) fn is_rule(c: char) -> bool {
    matches!(c, '.' | '_' | '-' | '·' | '…' | '•' | '*' | '=' | '~' | '|' | '\u{2010}'..='\u{2015}' | '\u{2500}'..='\u{25FF}')
}
