//! ToUnicode maps and CMaps that give other characters than the printed ones, or give the right ones.

use super::*;
use crate::sample::StreamSpec;

#[test]
fn case_05_identity_unicode_over_glyph_indices() {
    let with_cmap = Sfnt::for_text(prose::CHINESE);
    let font = Type0::identity_h(with_cmap.clone()).to_unicode(ToUnicode::Identity);
    lines_in(font, prose::CHINESE)
        .goes_to(&[Route::Ocr, Route::Decode], &[ReasonCode::IdentityUnicodeOnGlyphs]);
    let font = Type0::identity_h(with_cmap).to_unicode(ToUnicode::Right);
    lines_in(font, prose::CHINESE).is_kept(&[FontClass::ReadSpec], &[Case::C1]);
}

#[test]
fn case_05_a_third_of_the_page_is_enough() {
    let wrong: Font =
        Type0::identity_h(Sfnt::for_text(prose::CHINESE)).to_unicode(ToUnicode::Identity).into();
    let right: Font = Type0::not_embedded("SimSun", "UniGB-UCS2-H", "GB1").into();
    let letters: Vec<char> = prose::CHINESE.chars().take(150).collect();
    let judged = judge(PdfBuilder::new().page(|page| {
        letters.chunks(25).enumerate().fold(page, |page, (i, line)| {
            page.font(if i % 3 == 0 { &wrong } else { &right }).show(&line.iter().collect::<String>())
        })
    }));
    judged.goes_to(&[Route::Ocr, Route::Decode], &[ReasonCode::IdentityUnicodeOnGlyphs]);
}

#[test]
fn case_06_ucs2_codes_are_read() {
    let font = Type0::not_embedded("STSong-Light", "UniGB-UCS2-H", "GB1");
    let judged = lines_in(font, prose::CHINESE);
    judged.is_kept(&[FontClass::ReadSpec], &[Case::C6, Case::C21]);
    assert_eq!(judged.font().glyphs_unmapped, 0, "{judged}");
}

#[test]
fn case_08_one_replacement_character_blanks_no_page() {
    let font = only_by(ToUnicode::replaced("J", "\u{FFFD}"), prose::ENGLISH);
    let judged = text_in(font, prose::ENGLISH);
    assert_eq!(prose::ENGLISH.matches('J').count(), 1);
    assert_eq!(judged.route(), Route::Keep, "{judged}");
    assert_eq!(judged.0.pages[0].glyphs_suspect, 1, "the gap is reported\n{judged}");
}

#[test]
fn case_33_each_collection_by_its_own_cmap() {
    for (cmap, ordering, text) in [
        ("EUC-H", "Japan1", prose::JAPANESE),
        ("90ms-RKSJ-H", "Japan1", prose::JAPANESE),
        ("UniJIS-UTF16-H", "Japan1", prose::JAPANESE),
        ("GBK-EUC-H", "GB1", prose::CHINESE),
        ("ETen-B5-H", "CNS1", prose::CHINESE_TRADITIONAL),
        ("KSCms-UHC-H", "Korea1", prose::KOREAN),
    ] {
        let judged = lines_in(Type0::not_embedded("AAAAAA+CJK", cmap, ordering), text);
        assert_eq!(judged.route(), Route::Keep, "{cmap}\n{judged}");
        assert_eq!(judged.font().glyphs_unmapped, 0, "{cmap}\n{judged}");
    }
}

#[test]
fn case_34_custom_fonts_whose_map_is_wrong_or_missing() {
    let text = english();
    let shuffled = ToUnicode::replaced("abcdefghijklmnopqrstuvwxyz", "qwertyuiopasdfghjklzxcvbnm");
    let by_cmap = Type0::identity_h(Sfnt::for_text(&text)).to_unicode(shuffled.clone());
    text_in(by_cmap, &text).goes_to(
        &[Route::Ocr, Route::Decode],
        &[ReasonCode::ContradictedUnicode, ReasonCode::LetterSubstitution],
    );
    text_in(only_by(shuffled, &text), &text).goes_to(
        &[Route::Ocr, Route::Decode],
        &[ReasonCode::LetterSubstitution, ReasonCode::ContradictedUnicode],
    );
    let missing = Type0::identity_h(Sfnt::for_text(&text));
    text_in(missing, &text).is_kept(&[FontClass::ReadProgram], &[Case::C10]);
}

#[test]
fn case_38_useless_targets_are_never_an_empty_page() {
    let text = english();
    for to_unicode in [
        ToUnicode::all("\u{FFFD}"),
        ToUnicode::all("\0"),
        ToUnicode::Empty,
        ToUnicode::private_use(),
        ToUnicode::Raw(b"not a CMap at all".to_vec()),
        ToUnicode::Stream(StreamSpec::default()),
    ] {
        let font = severed(&text).to_unicode(to_unicode.clone());
        let judged = text_in(font, &text);
        assert_eq!(judged.route(), Route::Ocr, "{judged}");
        assert!(judged.reason(ReasonCode::Blank).is_none(), "{judged}");
        assert_eq!(judged.font().font_class, FontClass::Dead, "{judged}");
        let twin = text_in(Type0::identity_h(Sfnt::for_text(&text)).to_unicode(to_unicode), &text);
        assert_eq!(twin.route(), Route::Keep, "the program speaks\n{twin}");
    }
}
