//! S10 to S17: what the embedded program of a simple font still says.

use super::*;
use crate::sample::{
    Cff, CffEncoding, Cmap, Post, Sfnt, Simple, ToUnicode, Type1Font, distinct, latin_letters,
};

#[test]
fn s10_type1_is_read_by_its_built_in_encoding() {
    let letters = distinct(&english());
    let font = |program: Type1Font| {
        Simple::type1(program.encode_from(40, &letters)).symbolic().codes_from(40, &letters)
    };
    english_in(font(Type1Font::latin())).is_kept(&[FontClass::ReadProgram], &[Case::S10]);
    let numbered = Type1Font::latin().names(|gid, _| format!("G{gid:02}"));
    english_in(font(numbered)).is_dead(&[Case::S10, Case::S6]);
}

#[test]
fn s10_damaged_type1_proves_nothing() {
    let letters = distinct(&english());
    let program = Type1Font::latin().names(|gid, _| format!("G{gid:02}")).encode_from(40, &letters).damaged();
    let judged = english_in(Simple::type1(program).symbolic().codes_from(40, &letters));
    assert!(judged.reasons().iter().all(|reason| reason.certainty != Certainty::Proven), "{judged}");
}

#[test]
fn s11_type1c_is_read_by_its_built_in_encoding_and_supplements() {
    let letters = latin_letters();
    let n_letters = letters.chars().count();
    let encoding = CffEncoding::Custom {
        codes: (40..=u8::MAX).take(n_letters).collect(),
        supplements: vec![(33, "e".into()), (34, "t".into())],
    };
    let font = |cff: Cff| {
        Simple::type1(cff.encoding(encoding.clone()))
            .symbolic()
            .codes([('e', 33), ('t', 34)])
            .codes(letters.chars().zip(40..).filter(|(letter, _)| !"et".contains(*letter)))
    };
    english_in(font(Cff::latin())).is_kept(&[FontClass::ReadProgram], &[Case::S11]);
}

#[test]
fn s11_numbered_names_are_dead() {
    let letters = latin_letters();
    let encoding = CffEncoding::Custom {
        codes: (40..=u8::MAX).take(letters.chars().count()).collect(),
        supplements: Vec::new(),
    };
    let cff = Cff::latin().monospaced(600).names(|gid, _| format!("C{gid:04}")).encoding(encoding);
    let font = Simple::type1(cff).symbolic().codes(letters.chars().zip(40..));
    english_in(font).is_dead(&[Case::S11, Case::S6]);
}

#[test]
fn s12_mmtype1_is_as_type1() {
    let letters = distinct(&english());
    let font = Simple::type1(Type1Font::latin().encode_from(40, &letters))
        .subtype("MMType1")
        .symbolic()
        .codes_from(40, &letters);
    english_in(font).is_kept(&[FontClass::ReadProgram], &[Case::S12, Case::S10]);
    english_in(Simple::not_embedded("MMType1", "MyriadMM_400_600_"))
        .is_kept(&[FontClass::ReadSpec], &[Case::S12, Case::S2]);
}

#[test]
fn s13_non_symbolic_truetype_is_read_by_its_encoding() {
    for cmaps in [vec![Cmap::Unicode], vec![Cmap::MacRoman], vec![Cmap::MacRoman, Cmap::Unicode]] {
        english_in(Simple::truetype(Sfnt::latin().cmaps(&cmaps)))
            .is_kept(&[FontClass::ReadSpec], &[Case::S13]);
    }
}

#[test]
fn s13_names_that_the_programs_unicode_cmap_denies() {
    // WinAnsi says Latin; the glyph drawn through (1,0) is a Cyrillic letter in (3,1).
    let cyrillic: Vec<char> = ('а'..='я').chain('А'..='Я').collect();
    let letters: String = cyrillic.iter().collect();
    let sfnt = Sfnt::with_letters(&format!(" .,-{letters}"));
    let windows_1251 = |letter: char| {
        let text = letter.to_string();
        encoding_rs::WINDOWS_1251.encode(&text).0[0]
    };
    let mac = sfnt.letters().map(|(letter, gid)| (u32::from(windows_1251(letter)), gid)).collect();
    let mac = Cmap::Custom { platform: 1, encoding: 0, format: 0, map: mac };
    let font = Simple::truetype(sfnt.cmaps(&[mac, Cmap::Unicode]).without(&["post"]))
        .encoding("MacRomanEncoding")
        .codes(cyrillic.iter().map(|&letter| (letter, windows_1251(letter))));
    let text: String = prose::RUSSIAN.replace('ё', "е");
    text_in(font, &text)
        .goes_to(
            &[Route::Ocr, Route::Decode, Route::Repair],
            &[ReasonCode::ContradictedUnicode, ReasonCode::LegacyEncoding, ReasonCode::CodePageMojibake],
        )
        .is(&[FontClass::Contradicted, FontClass::Mixed], &[Case::S13, Case::S19]);
}

#[test]
fn s14_symbolic_truetype_with_a_symbol_cmap_is_doubtful() {
    let sfnt = Sfnt::latin().cmaps(&[Cmap::Symbol]).post(Post::None);
    english_in(Simple::truetype(sfnt).symbolic()).is_not_condemned();
}

#[test]
fn s14_known_symbol_font_is_kept() {
    let sfnt = Sfnt::latin().cmaps(&[Cmap::Symbol]).post(Post::None);
    let font: Font = Simple::truetype(sfnt).symbolic().base_font("AAAAAA+Wingdings-Regular").into();
    let judged = judge(PdfBuilder::new().page(|page| {
        let page = page.font(Simple::standard14("Helvetica")).paragraph(&english());
        page.font(font).show("lnqtuvwx")
    }));
    assert_eq!(judged.route(), Route::Keep, "{judged}");
}

/// Codes handed out in order of first use, as Quartz does, with a (1,0) cmap that says so.
fn in_order_of_first_use(text: &str) -> Simple {
    let letters = distinct(text);
    let sfnt = Sfnt::for_text(&letters).monospaced(600);
    let map = sfnt.letters().map(|(_, gid)| (32 + u32::from(gid), gid)).collect();
    let cmap = Cmap::Custom { platform: 1, encoding: 0, format: 0, map };
    Simple::truetype(sfnt.cmaps(&[cmap]).without(&["post"])).symbolic().codes_from(33, &letters)
}

#[test]
fn s15_private_codes_in_order_of_first_use_are_dead() {
    let text = english();
    for to_unicode in [ToUnicode::Absent, ToUnicode::Empty] {
        text_in(in_order_of_first_use(&text).to_unicode(to_unicode), &text).is_dead(&[Case::S15]);
    }
}

#[test]
fn s15_twin_with_to_unicode() {
    let text = english();
    text_in(in_order_of_first_use(&text).to_unicode(ToUnicode::Right), &text)
        .is_kept(&[FontClass::ReadSpec], &[Case::S1, Case::C1]);
}

#[test]
fn s15_twin_with_real_mac_codes() {
    let sfnt = Sfnt::latin().cmaps(&[Cmap::MacRoman]).post(Post::None);
    english_in(Simple::truetype(sfnt).symbolic()).is_not_condemned();
}

#[test]
fn s16_symbolic_truetype_is_read_by_post_names() {
    let text = english();
    let letters = distinct(&text);
    let sfnt = Sfnt::for_text(&letters);
    let map = sfnt.letters().map(|(_, gid)| (32 + u32::from(gid), gid)).collect();
    let cmap = Cmap::Custom { platform: 1, encoding: 0, format: 0, map };
    text_in(Simple::truetype(sfnt.cmaps(&[cmap])).symbolic().codes_from(33, &letters), &text)
        .is_kept(&[FontClass::ReadProgram], &[Case::S16]);
}

#[test]
fn s17_truetype_without_cmap_and_names_is_dead() {
    let text = english();
    let letters = distinct(&text);
    let sfnt = Sfnt::for_text(&letters).monospaced(600).without(&["cmap", "post"]);
    text_in(Simple::truetype(sfnt).symbolic().codes_from(1, &letters), &text).is_dead(&[Case::S17]);
}
