//! T1 to T6: fonts whose glyphs are content streams.

use super::*;
use crate::sample::{CharProc, Simple, ToUnicode, Type3, distinct, glyph_name};

fn letters() -> String {
    distinct(&english())
}

#[test]
fn t1_type3_with_to_unicode_is_read() {
    let font = Type3::new(&letters())
        .codes_from(1)
        .named(|_, code| format!("g{code}"))
        .procedures(CharProc::Bitmap)
        .to_unicode(ToUnicode::Right);
    english_in(font).is_kept(&[FontClass::ReadSpec], &[Case::T1]);
}

#[test]
fn t1_shifted_to_unicode_is_not_trusted() {
    let font = Type3::new(&letters()).named(|_, code| format!("g{code}")).to_unicode(ToUnicode::rotated(1));
    english_in(font).goes_to(
        &[Route::Ocr, Route::Decode],
        &[ReasonCode::LetterSubstitution, ReasonCode::GlyphCodeShift, ReasonCode::ContradictedUnicode],
    );
}

#[test]
fn t2_type3_with_names_of_the_glyph_list_is_read() {
    let font = Type3::new(&letters()).codes_from(100).named(|letter, _| glyph_name(letter));
    english_in(font).is_kept(&[FontClass::ReadSpec], &[Case::T2]);
}

#[test]
fn t2_names_handed_out_in_drawing_order_are_not_trusted() {
    let font = Type3::new(&letters()).codes_from(65).named(|_, code| glyph_name(char::from(code)));
    english_in(font).is_not_trusted();
}

#[test]
fn t3_bitmaps_with_code_echo_names_are_not_trusted() {
    let font = Type3::new(&letters())
        .codes_from(33)
        .named(|_, code| format!("a{code}"))
        .procedures(CharProc::Bitmap);
    let judged = english_in(font);
    judged.is_not_trusted().is(&[FontClass::Dead, FontClass::Unknown, FontClass::Inferred], &[Case::T3]);
}

#[test]
fn t3_bitmaps_with_codes_of_a_tex_font_are_not_condemned() {
    let font = Type3::new(&letters()).named(|_, code| format!("a{code}")).procedures(CharProc::Bitmap);
    let judged = english_in(font);
    assert!(judged.route() <= Route::Decode, "{judged}");
}

#[test]
fn t4_arbitrary_names_are_dead() {
    for font in [
        Type3::new(&letters()).codes_from(33).named(|_, code| format!("glyph{code}")),
        Type3::new(&letters()).codes_from(33).named(|_, code| format!("zz{}", u32::from(code) * 7919)),
    ] {
        english_in(font).is_dead(&[Case::T4]);
    }
}

#[test]
fn t4_twin_with_honest_names() {
    english_in(Type3::new(&letters())).is_kept(&[FontClass::ReadSpec], &[Case::T2]);
}

#[test]
fn t5_a_procedure_that_draws_the_whole_page_is_no_character() {
    let page_image = "612 0 0 792 0 0 cm BI /W 8 /H 8 /BPC 1 /CS /G /F /AHx ID AA55AA55AA55AA55> EI";
    let font = Type3::new("A").named(|_, _| "page".into()).procedures(CharProc::Operators(page_image.into()));
    let judged = judge(PdfBuilder::new().page(|page| {
        page.font(font)
            .size(1000.0)
            .at(0.0, 0.0)
            .show("A")
            .font(Simple::standard14("Helvetica"))
            .size(12.0)
            .at(72.0, 720.0)
            .paragraph(&english())
    }));
    let type3 = judged.0.fonts.iter().find(|font| font.facts.subtype == "Type3");
    assert!(type3.is_none_or(|font| !font.cases.contains_key(&Case::T4)), "{judged}");
    assert_ne!(judged.route(), Route::Decode, "{judged}");
}

#[test]
fn t6_blank_procedures_are_no_evidence() {
    let text = english();
    let blanks = Type3::new(&letters())
        .codes_from(33)
        .named(|_, code| format!("glyph{code}"))
        .procedures(CharProc::Empty);
    let judged = judge(PdfBuilder::new().page(|page| {
        page.font(blanks)
            .paragraph(&text)
            .font(Simple::standard14("Helvetica"))
            .at(72.0, 500.0)
            .paragraph(&text)
    }));
    assert_eq!(judged.route(), Route::Keep, "{judged}");
    assert_eq!(judged.0.pages[0].glyphs_suspect, 0, "{judged}");
}
