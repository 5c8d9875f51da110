//! C1 to C4h: what a ToUnicode map says, and what it is worth.

use super::*;
use crate::sample::{CidToGid, Program, Sfnt, ToUnicode, Type0};
use crate::score::ToUnicodeKind;

/// A program that leads to no letters.
fn severed() -> Program {
    Sfnt::latin().without(&["cmap", "post"]).into()
}

/// The same, all advances alike: widths say nothing either.
fn severed_monospaced() -> Program {
    Sfnt::latin().monospaced(600).without(&["cmap", "post"]).into()
}

fn with(program: impl Into<Program>, to_unicode: ToUnicode) -> Type0 {
    Type0::identity_h(program).to_unicode(to_unicode)
}

#[test]
fn c1_to_unicode_covers_the_drawn_codes() {
    let judged = english_in(with(severed(), ToUnicode::Right));
    judged.is_kept(&[FontClass::ReadSpec], &[Case::C1]);
    assert_eq!(judged.font().facts.to_unicode, ToUnicodeKind::Usable, "{judged}");
}

#[test]
fn c1_twin_with_a_program_that_agrees() {
    english_in(with(Sfnt::latin(), ToUnicode::Right)).is_kept(&[FontClass::ReadSpec], &[Case::C1]);
}

#[test]
fn c2_codes_missing_from_to_unicode_fall_through() {
    let judged = english_in(with(severed_monospaced(), ToUnicode::without("aeo")));
    judged.goes_to(&[Route::Ocr], &[ReasonCode::UnmappedGlyphs, ReasonCode::UndecodableFont]);
    assert_eq!(judged.font().facts.to_unicode, ToUnicodeKind::Partial, "{judged}");
    let n_missing = english().chars().filter(|letter| "aeo".contains(*letter)).count() as u32;
    assert_eq!(judged.font().glyphs_unmapped, n_missing, "{judged}");
    assert!(judged.glyphs(Case::C1) > n_missing, "{judged}");
}

#[test]
fn c2_twin_whose_program_knows_the_missing_codes() {
    let judged = english_in(with(Sfnt::latin(), ToUnicode::without("aeo")));
    assert_eq!(judged.route(), Route::Keep, "{judged}");
    assert!(judged.glyphs(Case::C10) > 20, "{judged}");
    assert_eq!(judged.font().font_class, FontClass::Mixed, "{judged}");
}

#[test]
fn c3_empty_to_unicode_is_as_none() {
    let judged = english_in(with(severed_monospaced(), ToUnicode::Empty));
    judged.is_dead(&[Case::C3, Case::C15]);
    assert_eq!(judged.font().facts.to_unicode, ToUnicodeKind::Empty, "{judged}");
}

#[test]
fn c3_twin_whose_program_speaks() {
    english_in(with(Sfnt::latin(), ToUnicode::Empty))
        .is_kept(&[FontClass::ReadProgram], &[Case::C3, Case::C10]);
}

#[test]
fn c4a_to_unicode_of_replacement_characters() {
    english_in(with(severed_monospaced(), ToUnicode::all("\u{FFFD}")))
        .goes_to(&[Route::Ocr], &[ReasonCode::UndecodableFont, ReasonCode::ReplacementCharacters])
        .is(&[FontClass::Dead], &[Case::C4a]);
}

#[test]
fn c4a_twin_whose_program_speaks() {
    english_in(with(Sfnt::latin(), ToUnicode::all("\u{FFFD}")))
        .is_kept(&[FontClass::ReadProgram], &[Case::C4a, Case::C10]);
}

#[test]
fn c4b_to_unicode_of_zeros_and_byte_order_marks() {
    for target in ["\0", "\u{FEFF}", "\u{FFFE}"] {
        english_in(with(severed_monospaced(), ToUnicode::all(target)))
            .goes_to(&[Route::Ocr], &[ReasonCode::UndecodableFont, ReasonCode::ControlCharacters])
            .is(&[FontClass::Dead], &[Case::C4b]);
    }
}

#[test]
fn c4b_twin_whose_program_speaks() {
    english_in(with(Sfnt::latin(), ToUnicode::all("\0")))
        .is_kept(&[FontClass::ReadProgram], &[Case::C4b, Case::C10]);
}

#[test]
fn c4c_to_unicode_into_the_private_use_area() {
    english_in(with(severed_monospaced(), ToUnicode::private_use()))
        .goes_to(&[Route::Ocr], &[ReasonCode::PrivateUse, ReasonCode::UndecodableFont])
        .is(&[FontClass::Dead], &[Case::C4c]);
}

#[test]
fn c4c_twin_whose_program_speaks() {
    english_in(with(Sfnt::latin(), ToUnicode::private_use()))
        .is_kept(&[FontClass::ReadProgram], &[Case::C4c, Case::C10]);
}

/// A control character for every letter, white space left out.
fn control(letter: char) -> Option<String> {
    let place = letter as u32 % 26;
    char::from_u32(if place < 8 { place + 1 } else { place + 6 }).map(String::from)
}

#[test]
fn c4d_to_unicode_of_control_characters() {
    english_in(with(severed_monospaced(), ToUnicode::mapped(control)))
        .goes_to(&[Route::Ocr], &[ReasonCode::ControlCharacters, ReasonCode::UndecodableFont])
        .is(&[FontClass::Dead, FontClass::Contradicted], &[Case::C4d]);
}

#[test]
fn c4d_twin_whose_program_speaks() {
    let judged = english_in(with(Sfnt::latin(), ToUnicode::mapped(control)));
    judged.is(&[FontClass::ReadProgram, FontClass::Contradicted], &[Case::C4d, Case::C10]);
}

#[test]
fn c4e_identity_to_unicode_over_glyph_indices() {
    let judged = english_in(with(Sfnt::latin(), ToUnicode::Identity));
    judged
        .goes_to(&[Route::Ocr, Route::Decode], &[ReasonCode::IdentityUnicodeOnGlyphs])
        .is(&[FontClass::Contradicted], &[Case::C4e]);
    assert_eq!(judged.font().facts.to_unicode, ToUnicodeKind::Identity, "{judged}");
}

#[test]
fn c4e_the_name_identity_h_is_the_same_lie() {
    english_in(with(Sfnt::latin(), ToUnicode::IdentityName))
        .goes_to(&[Route::Ocr, Route::Decode], &[ReasonCode::IdentityUnicodeOnGlyphs]);
}

#[test]
fn c4e_without_any_witness_is_not_trusted() {
    english_in(with(severed_monospaced(), ToUnicode::Identity)).is_not_trusted();
}

#[test]
fn c4e_twin_whose_cids_are_unicode() {
    let font = with(Sfnt::latin(), ToUnicode::Identity).cid_to_gid(CidToGid::UnicodeCids);
    english_in(font).is_kept(&[FontClass::ReadSpec], &[Case::C4e, Case::C1]);
}

#[test]
fn c4f_to_unicode_shifted_against_the_programs_cmap() {
    english_in(with(Sfnt::latin(), ToUnicode::shifted(1)))
        .goes_to(
            &[Route::Ocr, Route::Decode],
            &[ReasonCode::ContradictedUnicode, ReasonCode::GlyphCodeShift, ReasonCode::LetterSubstitution],
        )
        .is(&[FontClass::Contradicted, FontClass::Mixed], &[Case::C4f, Case::C1]);
}

#[test]
fn c4f_to_unicode_shifted_against_the_programs_names() {
    english_in(with(Sfnt::latin().without(&["cmap"]), ToUnicode::shifted(1))).goes_to(
        &[Route::Ocr, Route::Decode],
        &[ReasonCode::ContradictedUnicode, ReasonCode::GlyphCodeShift, ReasonCode::LetterSubstitution],
    );
}

#[test]
fn c4f_three_letters_swapped_against_the_programs_cmap() {
    english_in(with(Sfnt::latin(), ToUnicode::replaced("aeotns", "eotnsa"))).goes_to(
        &[Route::Ocr, Route::Decode],
        &[ReasonCode::ContradictedUnicode, ReasonCode::PartialSubstitution, ReasonCode::LetterSubstitution],
    );
}

#[test]
fn c4f_twin_benign_disagreements_are_kept() {
    // Typographic and compatibility forms of the same letter: NFKC, hyphen and space folding.
    let folded = |letter: char| {
        Some(match letter {
            '-' => "\u{2010}".to_owned(),
            ' ' => "\u{A0}".to_owned(),
            '\'' => "\u{2019}".to_owned(),
            other => other.to_string(),
        })
    };
    english_in(with(Sfnt::latin(), ToUnicode::mapped(folded))).is_kept(&[FontClass::ReadSpec], &[Case::C1]);
}

#[test]
fn c4g_many_glyphs_to_one_letter() {
    english_in(with(severed_monospaced(), ToUnicode::merged("abcdfghijklmnoprstuvw", "e"))).goes_to(
        &[Route::Ocr, Route::Decode],
        &[ReasonCode::NonInjectiveUnicode, ReasonCode::LetterSubstitution, ReasonCode::PartialSubstitution],
    );
}

#[test]
fn c4g_five_glyphs_to_one_letter() {
    english_in(with(Sfnt::latin().without(&["cmap", "post"]), ToUnicode::merged("aeiou", "a"))).goes_to(
        &[Route::Ocr, Route::Decode],
        &[ReasonCode::NonInjectiveUnicode, ReasonCode::PartialSubstitution, ReasonCode::LetterSubstitution],
    );
}

#[test]
fn c4g_every_glyph_to_a_space_is_no_blank_page() {
    let judged = english_in(with(severed_monospaced(), ToUnicode::all(" ")));
    judged.is_not_trusted();
    assert!(judged.reason(ReasonCode::Blank).is_none(), "letters are seen\n{judged}");
}

#[test]
fn c4g_twin_small_capitals_are_alternates() {
    let lower = |letter: char| Some(letter.to_lowercase().to_string());
    let text = english();
    let first_half: String = text.chars().take(text.len() / 2).collect();
    let mixed = format!("{first_half} {}", text[first_half.len()..].to_uppercase());
    text_in(with(severed(), ToUnicode::mapped(lower)), &mixed).is_kept(&[FontClass::ReadSpec], &[Case::C1]);
}

#[test]
fn c4h_keys_of_one_byte_for_codes_of_two() {
    // Codes from 400 upwards, keys of their low bytes only: no drawn code has an entry.
    let font = with(severed_monospaced(), ToUnicode::OneByteKeys).cid_to_gid(CidToGid::Moved(400));
    english_in(font).is_not_trusted();
}

#[test]
fn c4h_keys_of_the_font_before_subsetting() {
    let judged = english_in(with(severed_monospaced(), ToUnicode::MovedKeys(400)));
    judged.goes_to(
        &[Route::Ocr],
        &[ReasonCode::UndecodableFont, ReasonCode::UnmappedGlyphs, ReasonCode::ContradictedUnicode],
    );
    judged.is(&[FontClass::Dead, FontClass::Contradicted], &[Case::C4h, Case::C15, Case::C3]);
}

#[test]
fn c4h_keys_off_by_a_few_places() {
    english_in(with(severed_monospaced(), ToUnicode::MovedKeys(3))).is_not_trusted();
}
