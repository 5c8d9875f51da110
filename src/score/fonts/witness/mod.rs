//! Independent witnesses against what a font says of its codes (spec/fonts 6).
//!
//! Takes: a [`Font`] with the codes the document draws with it. Gives: the [`Charge`]s that stand, worst first, and whether the
//! program certifies the font ([`judge`]); the letters of a known glyph order ([`known_order`]). Fails: never. Never:
//! looks at codes that are not drawn but to name glyphs, or believes a witness where it differs in a benign way.
//!
//! ```text
//! agreement    claims against cmap and names of the program (6.1, S13)
//! injectivity  one character for many glyphs (6.2, C4g)
//! identity     Unicode = glyph index (C4e)
//! keys         a map made for other codes (6.3, C4h); allocation: codes numbered in order of first use (S15, T2)
//! measures     advances (widths, 6.4) and heights (extents) against letters; order: known glyph orders
//! blank        letters without ink (6.5)
//! composite    é must contain e (6.6)
//! positional   forms of one letter (6.7)
//! echo         ToUnicode made from names that echo codes (T3)
//! legacy       Latin codes for another script, by family name (S19)
//! known_text   other Unicode in the file (6.9): fields: form values beside their appearances (X6); titles: outline and
//!              document title beside the headings that show them (X7)
//! ```

mod agreement;
mod allocation;
mod blank;
mod composite;
mod echo;
mod extents;
mod fields;
mod fold;
mod identity;
mod injectivity;
mod keys;
mod known_text;
mod legacy;
mod measures;
mod order;
mod positional;
mod titles;
mod view;
mod widths;

#[cfg(test)]
mod tests;

pub use fields::FormValues;
pub use known_text::KnownText;
pub use order::KnownOrder;
pub use titles::{MAX_LINES, Titles};

use self::agreement::Agreement;
use self::injectivity::NonInjective;
use self::measures::Measures;
use self::view::View;
use super::{Case, CharCode, Charge, CodeClass, Font};
use crate::score::{Certainty, ReasonCode};

/// What all witnesses together say of a font.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Judgement {
    /// Worst first; empty for a healthy font.
    pub charges: Vec<Charge>,
    /// The program agrees on nearly all visible glyphs, and nothing contradicts it.
    pub is_certified: bool,
}

/// Codes a certificate needs, and the share of visible glyphs that must agree, in percent.
const CERTIFIED_CODES: usize = 5;
const CERTIFIED_PERCENT: u64 = 90;
/// Correlation of advances or heights with letters that a certificate by names alone needs: names may be as false as the map
/// that was made from them.
const CERTIFIED_CORRELATION: f32 = 0.6;

/// Hears all witnesses on a font, with the codes the document draws with it (code, length in bytes, visible glyphs).
///
/// Reads the program and the outlines of the drawn glyphs: ask it where something can be learned.
pub fn judge(font: &Font, drawn: &[(CharCode, u8, u32)]) -> Judgement {
    judge_view(&View::of(font, drawn))
}

/// The charges of [`judge`].
pub fn charges(font: &Font, drawn: &[(CharCode, u8, u32)]) -> Vec<Charge> {
    judge(font, drawn).charges
}

/// The certificate of [`judge`].
pub fn is_certified(font: &Font, drawn: &[(CharCode, u8, u32)]) -> bool {
    judge(font, drawn).is_certified
}

/// A known glyph order that widths confirm, for a font whose drawn codes have no other route to Unicode.
pub fn known_order(font: &Font, drawn: &[(CharCode, u8, u32)]) -> Option<KnownOrder> {
    order::find(&View::of(font, drawn))
}

/// The letter of a code in a glyph order that [`known_order`] found.
pub fn known_letter(font: &Font, code: CharCode, n_bytes: u8, order: KnownOrder) -> Option<char> {
    order.letter(view::index(font.program(), font.gid(code, n_bytes), code.0))
}

/// The charge that codes were numbered in order of first use, so that they mean nothing (rows S15 and T2): for fonts whose
/// text is an echo of the codes (symbolic TrueType with a private cmap, Type 3 with invented names).
///
/// `first_use` holds the font's codes in the order in which the document's content first shows them.
pub fn allocation_charge(font: &Font, first_use: &[CharCode]) -> Option<Charge> {
    // What was handed out in turn: the code, or for T2 the name. Honest names may well stand at such codes.
    let allocated = |&code: &CharCode| {
        let route = &font.glyph(code, 1).route;
        match route.case {
            Case::S14 | Case::S15 | Case::S7 | Case::T3 | Case::T4 => Some(code.0),
            Case::T2 => route.unicode.as_deref().and_then(|text| text.chars().next()).map(u32::from),
            _ => None,
        }
    };
    // Row T6: a procedure that paints nothing has its number too, and whatever name.
    let paints = |code: &&CharCode| font.glyph(**code, 1).route.case != Case::T6;
    let in_turn: Option<Vec<u32>> = first_use.iter().filter(paints).map(allocated).collect();
    // Where every code is proven dead, the proof stands for itself.
    let is_dead = |code: &CharCode| font.glyph(*code, 1).route.class == CodeClass::Dead;
    if first_use.iter().filter(paints).all(is_dead) {
        return None;
    }
    let codes: Vec<u32> = first_use.iter().map(|code| code.0).collect();
    if font.is_composite() || !in_turn.is_some_and(|numbers| allocation::is_first_use(&numbers)) {
        return None;
    }
    let detail = format!("S15/T2: {} codes are numbered in order of first use and mean nothing", codes.len());
    Some(charge(ReasonCode::UndecodableFont, Certainty::Measured, codes, detail))
}

fn judge_view(view: &View<'_>) -> Judgement {
    let agreement = Agreement::of(view);
    let mut charges = Vec::new();
    charges.extend(identity_charge(view));
    if charges.is_empty() {
        charges.extend(agreement_charge(&agreement));
    }
    charges.extend(injectivity_charge(view));
    charges.extend(keys_charge(view));
    charges.extend(blank_charges(view));
    let composites = composite::find(view);
    if !composites.denied.is_empty() {
        let detail =
            format!("witness composite glyphs: {} accented letters lack their base", composites.denied.len());
        charges.push(charge(ReasonCode::ContradictedUnicode, Certainty::Measured, composites.denied, detail));
    }
    let positional = positional::find(view);
    if !positional.is_empty() {
        let detail = format!(
            "witness positional forms: {} codes differ from other forms of their letter",
            positional.len()
        );
        charges.push(charge(ReasonCode::ContradictedUnicode, Certainty::Measured, positional, detail));
    }
    let measures = Measures::of(view, 0);
    // A cmap that agrees speaks for odd letterforms; names may be as wrong as the map that was made from them.
    if measures.are_contradicted() && agreement.by_cmap < measures.n_letters() / 2 {
        charges.push(measures_charge(view, measures));
    }
    charges.extend(echo_charge(view));
    charges.extend(legacy::find(view).map(|(encoding, codes)| {
        let detail = format!("witness family name: drawn by a font of the legacy encoding {encoding}");
        charge(ReasonCode::LegacyEncoding, Certainty::Suspected, codes, detail)
    }));
    charges.extend(order_charge(view));
    charges.sort_by_key(|charge| charge.certainty);
    let is_certified = charges.is_empty() && is_certified_by(view, &agreement, measures);
    Judgement { charges, is_certified }
}

fn charge(code: ReasonCode, certainty: Certainty, mut codes: Vec<u32>, detail: String) -> Charge {
    codes.sort_unstable();
    codes.dedup();
    debug_assert!(detail.len() <= 120, "{detail}");
    Charge { code, certainty, codes, detail }
}

fn measures_charge(view: &View<'_>, measures: Measures) -> Charge {
    let codes = view.drawn().filter(|code| code.claim.is_some()).map(|code| code.code).collect();
    let found = format!("witness letterforms: {}", measures.describe());
    match measures::solve_shift(view) {
        Some(shift) => {
            let detail = format!("{found}; shifted by {shift} they fit");
            charge(ReasonCode::GlyphCodeShift, Certainty::Measured, codes, detail)
        }
        None => charge(ReasonCode::ContradictedUnicode, Certainty::Measured, codes, found),
    }
}

fn echo_charge(view: &View<'_>) -> Option<Charge> {
    let codes = echo::find(view)?;
    let detail = format!("ToUnicode of {} codes takes names that echo the codes for dingbats", codes.len());
    Some(charge(ReasonCode::ContradictedUnicode, Certainty::Measured, codes, detail))
}

fn identity_charge(view: &View<'_>) -> Option<Charge> {
    let found = identity::find(view)?;
    let n = found.codes.len();
    let (certainty, detail) = if found.denied >= 3 {
        (
            Certainty::Proven,
            format!("C4e: Unicode = glyph index; witness cmap denies {} of {n} codes", found.denied),
        )
    } else {
        (Certainty::Measured, format!("C4e: Unicode = glyph index for {n} codes, and no cmap confirms it"))
    };
    Some(charge(ReasonCode::IdentityUnicodeOnGlyphs, certainty, found.codes, detail))
}

fn agreement_charge(agreement: &Agreement) -> Option<Charge> {
    if !agreement.is_contradicted() {
        return None;
    }
    let (n, of) = (agreement.denied.len(), agreement.testable());
    // The names of a program may be as false as a map; its cmap is what viewers and designers see.
    let (certainty, witness) = match agreement.denied_by_cmap {
        by_cmap if by_cmap >= 3 => (Certainty::Proven, "cmap"),
        _ => (Certainty::Measured, "glyph names"),
    };
    let detail = format!("C4f: witness {witness} of the program denies {n} of {of} testable codes");
    Some(charge(ReasonCode::ContradictedUnicode, certainty, agreement.denied.clone(), detail))
}

fn injectivity_charge(view: &View<'_>) -> Option<Charge> {
    let (codes, detail) = match injectivity::find(view)? {
        NonInjective::Mostly { codes, repeated } => {
            let detail = format!("C4g: {repeated} codes repeat a character that another drawn outline has");
            (codes, detail)
        }
        NonInjective::OneTarget { codes } => {
            let detail = format!("C4g: {} codes of different outlines mean one character", codes.len());
            (codes, detail)
        }
    };
    Some(charge(ReasonCode::NonInjectiveUnicode, Certainty::Measured, codes, detail))
}

fn keys_charge(view: &View<'_>) -> Option<Charge> {
    let keys::Misfit { codes, n_drawn, n_stray, n_keys } = keys::find(view)?;
    let n = codes.len();
    let detail = format!(
        "C4h: the map knows {n} of {n_drawn} drawn codes; {n_stray} of its {n_keys} keys have no width"
    );
    Some(charge(ReasonCode::ContradictedUnicode, Certainty::Measured, codes, detail))
}

fn blank_charges(view: &View<'_>) -> impl Iterator<Item = Charge> {
    let found = blank::find(view);
    let letters = (found.blank_letters, "letters are claimed for empty outlines");
    let spaces = (found.inked_spaces, "spaces are claimed for outlines with ink");
    [letters, spaces].into_iter().filter(|(codes, _)| !codes.is_empty()).map(|(codes, what)| {
        let detail = format!("witness outlines: {} {what}", codes.len());
        charge(ReasonCode::ContradictedUnicode, Certainty::Measured, codes, detail)
    })
}

fn order_charge(view: &View<'_>) -> Option<Charge> {
    let order = order::find(view)?;
    let codes: Vec<u32> = view.drawn().filter(|code| code.claim.is_none()).map(|code| code.code).collect();
    let detail = format!("I1: glyph order with ASCII = index + {}, confirmed by widths", order.offset());
    Some(charge(ReasonCode::KnownGlyphOrder, Certainty::Measured, codes, detail))
}

fn is_certified_by(view: &View<'_>, agreement: &Agreement, measures: Measures) -> bool {
    // A standard font that is not embedded is drawn by the very names that give the text.
    let by_definition = view.program.is_none() && view.standard.is_some_and(|font| !font.is_symbolic());
    if by_definition && view.drawn().all(|code| code.source == view::Source::Encoding && code.claim.is_some())
    {
        return true;
    }
    let agreed = agreement.by_cmap + agreement.by_name;
    let nearly_all = agreed >= CERTIFIED_CODES
        && agreement.denied.len() * 50 <= agreement.testable()
        && agreement.visible_agreed * 100 >= agreement.visible_claimed * CERTIFIED_PERCENT;
    let by_more_than_names = agreement.by_cmap * 2 >= agreed
        || measures.confirm(CERTIFIED_CORRELATION)
        || (view.program.is_none() && view.standard.is_some());
    nearly_all && by_more_than_names
}
