//! What is called proven: facts on which both stacks agree. Rows of dead fonts, and the same where one stack is blind.

use super::*;
use crate::sample::{
    Cff, Damage, Sfnt, Simple, ToUnicode, Type0, Type3, distinct, glyphs_for, latin_letters,
};

fn certainty(judged: &Judged, code: ReasonCode) -> Option<Certainty> {
    judged.reason(code).map(|reason| reason.certainty)
}

/// Every kind of dead font, by its row.
fn dead_fonts() -> Vec<(&'static str, Font)> {
    let letters = distinct(&english());
    let sfnt = || Sfnt::latin().monospaced(600);
    let severed = || Type0::identity_h(sfnt().without(&["cmap", "post"]));
    let cid_keyed = Cff::cid_keyed("Adobe", "Identity", 0, glyphs_for(&latin_letters())).monospaced(600);
    let numbered = Cff::latin().monospaced(600).names(|gid, _| format!("glyph{gid:05}"));
    let private = Sfnt::for_text(&letters).monospaced(600).without(&["cmap", "post"]);
    vec![
        ("C3", severed().to_unicode(ToUnicode::Empty).into()),
        ("C4a", severed().to_unicode(ToUnicode::all("\u{FFFD}")).into()),
        ("C14", Type0::identity_h(sfnt().names(|gid, _| format!("glyph{gid}")).without(&["cmap"])).into()),
        ("C15", severed().into()),
        ("C17", Type0::identity_h(cid_keyed).into()),
        ("C18", Type0::identity_h(numbered).into()),
        ("S17", Simple::truetype(private).symbolic().codes_from(1, &letters).into()),
        ("T4", Type3::new(&letters).codes_from(33).named(|_, code| format!("glyph{code}")).into()),
    ]
}

#[test]
fn proof_of_death_by_both_stacks() {
    for (row, font) in dead_fonts() {
        let judged = english_in(font);
        assert_eq!(judged.route(), Route::Ocr, "{row}\n{judged}");
        assert_eq!(
            certainty(&judged, ReasonCode::UndecodableFont),
            Some(Certainty::Proven),
            "{row}\n{judged}"
        );
    }
}

#[test]
fn proof_falls_to_suspicion_where_the_second_reader_is_blind() {
    // lopdf wants a header; the first reader does not. The route stands, the word does not.
    for (row, font) in dead_fonts() {
        let file =
            PdfBuilder::new().page(|page| page.font(font).paragraph(&english())).damage(Damage::NoHeader);
        let judged = judge(file);
        assert_eq!(judged.route(), Route::Ocr, "{row}\n{judged}");
        assert_eq!(
            certainty(&judged, ReasonCode::UndecodableFont),
            Some(Certainty::Suspected),
            "{row}\n{judged}"
        );
    }
}

#[test]
fn proof_of_an_identity_map_over_glyph_indices() {
    let font = Type0::identity_h(Sfnt::latin()).to_unicode(ToUnicode::Identity);
    let judged = english_in(font);
    assert_eq!(certainty(&judged, ReasonCode::IdentityUnicodeOnGlyphs), Some(Certainty::Proven), "{judged}");
}

#[test]
fn nothing_is_proven_of_a_healthy_font() {
    for font in [
        Type0::identity_h(Sfnt::latin()),
        Type0::identity_h(Sfnt::latin()).to_unicode(ToUnicode::Right),
        Type0::identity_h(Cff::latin()),
        Type0::identity_h(Sfnt::latin().composites()),
    ] {
        let judged = english_in(font);
        let proven = judged.reasons().iter().find(|reason| reason.certainty == Certainty::Proven);
        assert_eq!(proven, None, "{judged}");
    }
}
