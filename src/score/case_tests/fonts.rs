//! Fonts that lead to no letters, and fonts that do although they look as if they did not.

use super::*;
use crate::sample::{Cff, CharProc, Cmap, Post, Type3, glyph_name, glyphs_for};

#[test]
fn case_01_one_dead_font_among_healthy_ones() {
    let dead: Font = severed(&english()).into();
    let judged = judge(
        PdfBuilder::new()
            .page(|page| page.font(helvetica()).paragraph(prose::ENGLISH))
            .page(|page| {
                page.font(&dead)
                    .paragraph("Fish are weighed on the quay and sold before the town has had its breakfast.")
                    .font(helvetica())
                    .at(72.0, 500.0)
                    .paragraph(&english())
            })
            .page(|page| {
                page.font(helvetica()).paragraph(prose::ENGLISH).font(&dead).at(72.0, 60.0).show("a note")
            }),
    );
    assert_eq!(routes(&judged), [Route::Keep, Route::Ocr, Route::Keep], "{judged}");
    let reason = &judged.0.pages[1].reasons[0];
    let font = judged.0.fonts.iter().find(|font| font.font_class == FontClass::Dead).unwrap();
    assert_eq!(reason.font.as_ref(), Some(&font.facts.font), "{judged}");
    let lowest = judged.0.pages[1].regions.iter().map(|region| region[1]).fold(f32::MAX, f32::min);
    assert!(lowest > 660.0, "the healthy half is no region: {:?}", judged.0.pages[1].regions);
    let note = &judged.0.pages[2].reasons;
    assert!(note.iter().any(|reason| reason.code == ReasonCode::UndecodableFont), "{judged}");
}

#[test]
fn case_03_every_font_has_its_class_and_case() {
    let judged = line_over_prose(severed(&english()), "Fish are weighed on the quay");
    let seen: Vec<_> = judged.0.fonts.iter().map(|font| (font.font_class, font.font_case)).collect();
    assert_eq!(seen, [(FontClass::Dead, Some(Case::C15)), (FontClass::ReadSpec, Some(Case::S2))], "{judged}");
}

#[test]
fn case_07_symbolic_truetype_with_right_unicode_and_leaders() {
    let contents: Vec<String> = (1..30)
        .map(|i| format!("{i}.{} Landings and moorings {} {}", i % 7, ".".repeat(50), i * 7 + 3))
        .collect();
    let letters = distinct(&contents.concat());
    let font: Font = Simple::truetype(Sfnt::for_text(&letters).without(&["cmap", "post"]))
        .symbolic()
        .codes_from(33, &letters)
        .to_unicode(ToUnicode::Right)
        .into();
    let judged = judge(
        PdfBuilder::new().page(|page| contents.iter().fold(page.font(font), |page, line| page.show(line))),
    );
    assert_eq!(judged.route(), Route::Keep, "{judged}");
    judged.is(&[FontClass::ReadSpec], &[Case::S1, Case::C1]);
}

#[test]
fn case_15_quartz_codes_in_order_of_first_use() {
    let letters = distinct(&english());
    let sfnt = Sfnt::for_text(&letters).monospaced(600);
    let map = sfnt.letters().map(|(_, gid)| (32 + u32::from(gid), gid)).collect();
    let cmap = Cmap::Custom { platform: 1, encoding: 0, format: 0, map };
    let font: Font = Simple::truetype(sfnt.cmaps(&[cmap]).without(&["post"]))
        .symbolic()
        .codes_from(33, &letters)
        .to_unicode(ToUnicode::Empty)
        .into();
    let judged = judge(
        PdfBuilder::new()
            .producer("Mac OS X 10.6.8 Quartz PDFContext")
            .page(|page| page.font(helvetica()).paragraph(prose::ENGLISH))
            .page(|page| page.font(&font).paragraph(&english()))
            .page(|page| page.font(&font).paragraph(&english())),
    );
    assert_eq!(routes(&judged)[0], Route::Keep, "{judged}");
    assert!(routes(&judged)[1..].iter().all(|route| *route >= Route::Decode), "{judged}");
    let font = judged.0.fonts.iter().find(|font| font.facts.subtype == "TrueType").unwrap();
    assert_eq!((font.font_class, font.font_case), (FontClass::Dead, Some(Case::S15)), "{judged}");
}

#[test]
fn case_16_a_missing_ligature_stays_missing() {
    let text = english().replace("fi", "ﬁ").replace("ff", "ﬀ");
    let letters = distinct(&text);
    let font = Simple::type1(Cff::name_keyed(glyphs_for(&letters)).names(|gid, _| format!("G{gid:02}")))
        .no_encoding()
        .codes_from(190, &letters)
        .named(|letter, _| format!("G{:02}", letters.chars().position(|other| other == letter).unwrap() + 1))
        .to_unicode(ToUnicode::without("ﬁﬀ"));
    let judged = text_in(font, &text);
    assert_eq!(judged.route(), Route::Keep, "{judged}");
    let n_missing = text.chars().filter(|letter| "ﬁﬀ".contains(*letter)).count() as u32;
    assert!(n_missing > 0);
    assert_eq!(judged.font().glyphs_unmapped, n_missing, "{judged}");
}

#[test]
fn case_18_and_35_glyph_indices_echoed_by_a_fixed_offset() {
    // Offset 29: the Mac order with its two special glyphs; offset 31: without them.
    let without_specials = Sfnt::with_letters(&crate::sample::latin_letters());
    for sfnt in [Sfnt::mac_order(), without_specials] {
        english_in(Type0::identity_h(sfnt.without(&["cmap", "post"])))
            .goes_to(&[Route::Decode], &[ReasonCode::KnownGlyphOrder]);
    }
}

#[test]
fn case_18_twin_whose_widths_deny_the_order() {
    // The same codes would give letters, but the advances are those of other letters.
    let judged = english_in(Type0::identity_h(Sfnt::latin().without(&["cmap", "post"])));
    assert!(judged.reason(ReasonCode::KnownGlyphOrder).is_none(), "{judged}");
    assert_ne!(judged.route(), Route::Keep, "{judged}");
}

#[test]
fn case_20_base_encodings_are_not_mistaken() {
    let french = prose::FRENCH.replace('œ', "oe");
    for encoding in ["MacRomanEncoding", "WinAnsiEncoding"] {
        let font = Simple::truetype(Sfnt::for_text(&french)).encoding(encoding);
        text_in(font, &french).is_kept(&[FontClass::ReadSpec], &[Case::S13]);
    }
}

#[test]
fn case_21_symbol_codes_and_exact_names() {
    let symbols = Simple::truetype(Sfnt::latin().cmaps(&[Cmap::Symbol]).post(Post::None)).symbolic();
    let wingdings: Font = symbols.base_font("AAAAAA+Wingdings-Regular").into();
    let judged = judge(PdfBuilder::new().page(|page| {
        (0..10).fold(page, |page, i| {
            let y = 700.0 - 30.0 * i as f32;
            page.font(&wingdings)
                .at(72.0, y)
                .show("n")
                .font(helvetica())
                .at(90.0, y)
                .show("Fish are weighed on the quay")
        })
    }));
    assert_eq!(judged.route(), Route::Keep, "{judged}");
}

#[test]
fn case_22_fonts_of_one_name_keep_maps_of_their_own() {
    let text = english();
    let one: Font = only_by(ToUnicode::Right, &text).into();
    let reversed: String = distinct(&text).chars().rev().collect();
    let other: Font = only_by(ToUnicode::Right, &reversed).into();
    let judged = judge(
        PdfBuilder::new()
            .page(|page| page.font(&one).paragraph(&text))
            .page(|page| page.font(&other).paragraph(&text))
            .page(|page| page.font(&one).paragraph(&text).font(&other).at(72.0, 400.0).paragraph(&text)),
    );
    assert_eq!(routes(&judged), [Route::Keep; 3], "{judged}");
    assert_eq!(judged.0.fonts.len(), 2, "{judged}");
}

#[test]
fn case_22_twin_one_of_the_two_is_dead() {
    let text = english();
    let one: Font = only_by(ToUnicode::Right, &text).into();
    let dead: Font = severed(&text).into();
    let judged = judge(
        PdfBuilder::new()
            .page(|page| page.font(&one).paragraph(&text))
            .page(|page| page.font(&dead).paragraph(&text)),
    );
    assert_eq!(routes(&judged), [Route::Keep, Route::Ocr], "{judged}");
}

#[test]
fn case_23_24_29_32_glyph_indices_are_no_text() {
    let text = english();
    for font in [
        severed(&text),
        Type0::identity_h(
            Cff::cid_keyed("Adobe", "Identity", 0, glyphs_for(&distinct(&text))).monospaced(600),
        ),
    ] {
        let judged = text_in(font, &text);
        judged
            .goes_to(&[Route::Ocr], &[ReasonCode::UndecodableFont])
            .is(&[FontClass::Dead], &[Case::C15, Case::C17]);
        assert_eq!(judged.font().glyphs_unmapped, judged.font().glyphs_drawn, "{judged}");
    }
}

#[test]
fn case_26_gaps_and_numbered_names_are_named() {
    let polish = "Żółta łódź stoi w małej przystani, a rybacy naprawiają sieci przed długą zimą. Nikt już nie pamięta, \
        kto zbudował pierwszy dom na wyspie, ale każdy zna drogę do starej latarni. Wieczorem dzieci śpiewają pieśni o \
        żaglach, o wietrze i o łąkach, które już dawno zarosły.";
    let judged = text_in(only_by(ToUnicode::without("ąęółżźćńśŻ"), polish), polish);
    judged.goes_to(&[Route::Ocr], &[ReasonCode::UnmappedGlyphs, ReasonCode::UndecodableFont]);
    let n_missing = polish.chars().filter(|letter| "ąęółżźćńśŻ".contains(*letter)).count() as u32;
    assert_eq!(judged.font().glyphs_unmapped, n_missing, "{judged}");
    let twin = text_in(only_by(ToUnicode::Right, polish), polish);
    assert_eq!(twin.route(), Route::Keep, "{twin}");
}

#[test]
fn case_27_names_of_arabic_forms_are_read() {
    let letters = distinct(prose::ARABIC);
    let form = |letter: char| match letter {
        'ه' => "uniFEE9".to_owned(),
        'و' => "uniFEEE".to_owned(),
        'ن' => "uniFEE7".to_owned(),
        'م' => "uniFEE3".to_owned(),
        other => glyph_name(other),
    };
    let font: Font = Simple::type1(Cff::name_keyed(glyphs_for(&letters)))
        .no_encoding()
        .codes_from(40, &letters)
        .named(|letter, _| form(letter))
        .into();
    let judged = judge(
        PdfBuilder::new()
            .page(|page| page.font(font).paragraph_rtl(prose::ARABIC, |page, line| page.show_rtl(line))),
    );
    assert!(judged.route() <= Route::Repair, "{judged}");
    assert_eq!(judged.font().glyphs_unmapped, 0, "{judged}");
}

#[test]
fn case_28_private_encoding_of_a_font_that_is_not_embedded() {
    let letters = distinct(&english());
    let font = Simple::not_embedded("Type1", "ClearfaceGothic")
        .no_encoding()
        .codes_from(33, &letters)
        .named(|_, code| format!("G{code:02}"));
    let judged = english_in(font);
    judged.goes_to(
        &[Route::Ocr, Route::Decode],
        &[ReasonCode::UndecodableFont, ReasonCode::LetterSubstitution],
    );
    assert!(judged.reasons().iter().all(|reason| reason.certainty != Certainty::Proven), "{judged}");
}

#[test]
fn case_30_type3_text_is_read() {
    let font = Type3::new(&distinct(&english()))
        .codes_from(1)
        .named(|_, code| format!("g{code}"))
        .procedures(CharProc::Bitmap)
        .to_unicode(ToUnicode::Right);
    english_in(font).is_kept(&[FontClass::ReadSpec], &[Case::T1]);
}
