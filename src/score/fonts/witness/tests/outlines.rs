use super::*;
use crate::sample::{Glyph, Outline, Sfnt, ToUnicode, Type0};

fn severed(sfnt: Sfnt) -> Type0 {
    Type0::identity_h(sfnt.without(&["cmap", "post"])).to_unicode(ToUnicode::Right)
}

#[test]
fn a_letter_claimed_for_an_empty_outline_is_contradicted() {
    let charge = charged(severed(Sfnt::latin().empty_outline('e')), PANGRAM);
    assert_eq!((charge.code, charge.certainty), (ReasonCode::ContradictedUnicode, Certainty::Measured));
    assert_eq!(charge.detail, "witness outlines: 1 letters are claimed for empty outlines");
    assert_eq!(charge.codes.len(), 1);
}

#[test]
fn an_empty_outline_twin_spaces_fillers_and_invisible_layers_are_kept() {
    assert_kept(severed(Sfnt::latin()), PANGRAM);
    let fillers = "\u{3164}\u{A0}abc";
    let blank = Sfnt::with_letters(fillers).empty_outline('\u{3164}').empty_outline('\u{A0}');
    assert_kept(severed(blank), fillers);
    let all = "abc".chars().fold(Sfnt::with_letters("abc"), Sfnt::empty_outline);
    assert_kept(severed(all), "abc");
}

#[test]
fn a_space_claimed_for_ink_is_contradicted() {
    let text = "a b c d e f g h i j k l m n o p q r s t u v w x y z";
    let inked = Sfnt::latin().alter(' ', |glyph| glyph.outline = Glyph::of('m').outline);
    let charge = charged(severed(inked), text);
    assert_eq!(charge.detail, "witness outlines: 1 spaces are claimed for outlines with ink");
}

#[test]
fn a_space_with_ink_twin_small_marks_and_rare_ones_are_kept() {
    let text = "a b c d e f g h i j k l m n o p q r s t u v w x y z";
    assert_kept(severed(Sfnt::latin().alter(' ', |glyph| glyph.outline = Glyph::of('.').outline)), text);
    assert_kept(severed(Sfnt::latin().alter(' ', |glyph| glyph.outline = Glyph::of('m').outline)), "a b");
}

#[test]
fn an_accented_letter_without_its_base_is_contradicted() {
    let wrong = Sfnt::latin().composites().alter('é', |glyph| {
        let Outline::Parts(parts) = &mut glyph.outline else { panic!("not composed") };
        parts[0].0 = 'o';
    });
    let charge = charged(severed(wrong), "élève poétique");
    assert_eq!((charge.code, charge.certainty), (ReasonCode::ContradictedUnicode, Certainty::Measured));
    assert_eq!(charge.detail, "witness composite glyphs: 1 accented letters lack their base");
}

#[test]
fn an_accented_letter_twin_with_its_base_is_kept() {
    assert_kept(severed(Sfnt::latin().composites()), "élève poétique");
    // The dotless i below an accent, and a small capital built from the capital.
    let small = Sfnt::latin().composites().alter('é', |glyph| {
        let Outline::Parts(parts) = &mut glyph.outline else { panic!("not composed") };
        parts[0].0 = 'E';
    });
    assert_kept(severed(small), "élève Été");
}

#[test]
fn positional_forms_of_one_letter_that_mean_two_are_contradicted() {
    let forms = "ﺱﺲﺳﺴﻡﻢﻣﻤ";
    let named = |_: usize, glyph: &Glyph| {
        let letter = glyph.letter.unwrap_or('\0') as u32;
        let stem = if letter < 0xFEE0 { "seen" } else { "meem" };
        format!("{stem}.{}", ["isol", "fina", "init", "medi"][(letter as usize - 0xFEB1) % 4])
    };
    let font = |map: ToUnicode| {
        Type0::identity_h(Sfnt::with_letters(forms).without(&["cmap"]).names(named)).to_unicode(map)
    };
    assert_kept(font(ToUnicode::replaced(forms, "سسسسمممم")), forms);
    let charge = charged(font(ToUnicode::replaced(forms, "سدسدمرمر")), forms);
    assert_eq!(charge.code, ReasonCode::ContradictedUnicode);
    assert_eq!(charge.detail, "witness positional forms: 4 codes differ from other forms of their letter");
    // Yeh and alef maksura share their forms.
    assert_kept(font(ToUnicode::replaced(forms, "سسسسيىىي")), forms);
}
