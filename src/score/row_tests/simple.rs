//! S1 to S9, S18 to S20: encodings and names of simple fonts.

use super::*;
use crate::sample::{Cff, Sfnt, Simple, ToUnicode, distinct, glyph_name, latin_letters};

#[test]
fn s1_to_unicode_of_a_simple_font() {
    let letters = distinct(&english());
    let font = Simple::truetype(Sfnt::latin().without(&["cmap", "post"]))
        .symbolic()
        .codes_from(33, &letters)
        .to_unicode(ToUnicode::Right);
    english_in(font).is_kept(&[FontClass::ReadSpec], &[Case::S1, Case::C1]);
}

#[test]
fn s1_useless_to_unicode_falls_back_to_the_encoding() {
    let font = Simple::standard14("Helvetica").to_unicode(ToUnicode::all("\u{FFFD}"));
    let judged = english_in(font);
    assert_ne!(judged.route(), Route::Ocr, "the names read every letter\n{judged}");
    assert_ne!(judged.font().font_class, FontClass::Dead, "{judged}");
}

#[test]
fn s1_to_unicode_without_one_ligature_leaves_one_gap() {
    // A code that ToUnicode lacks is unmapped, never the Latin-1 letter of its number.
    let letters = distinct(&english());
    let font = Simple::type1(Cff::latin().names(|gid, _| format!("G{gid:02}")))
        .no_encoding()
        .codes_from(200, &letters)
        .named(|letter, _| {
            format!("G{:02}", latin_letters().chars().position(|other| other == letter).unwrap() + 1)
        })
        .to_unicode(ToUnicode::without("q"));
    let judged = english_in(font);
    assert_eq!(judged.route(), Route::Keep, "{judged}");
    let n_missing = english().matches('q').count() as u32;
    assert_eq!(judged.font().glyphs_unmapped, n_missing, "{judged}");
}

#[test]
fn s2_named_encodings_are_read() {
    for encoding in ["WinAnsiEncoding", "MacRomanEncoding"] {
        text_in(
            Simple::standard14("Helvetica").encoding(encoding),
            prose::FRENCH.replace('œ', "oe").as_str(),
        )
        .is_kept(&[FontClass::ReadSpec], &[Case::S2]);
    }
}

#[test]
fn s2_trap_symbolic_truetype_with_private_codes() {
    // WinAnsi is declared, but codes are handed out in order of first use: the names lie.
    let text = english();
    let letters = distinct(&text);
    let sfnt = Sfnt::for_text(&letters);
    let map = sfnt.letters().map(|(_, gid)| (32 + u32::from(gid), gid)).collect();
    let cmap = crate::sample::Cmap::Custom { platform: 1, encoding: 0, format: 0, map };
    let font = Simple::truetype(sfnt.cmaps(&[cmap]).without(&["post"])).flags(4).codes_from(33, &letters);
    text_in(font, &text).is_not_trusted();
}

#[test]
fn s3_standard_fonts_have_standard_encoding() {
    english_in(Simple::standard14("Times-Roman").no_encoding()).is_kept(&[FontClass::ReadSpec], &[Case::S3]);
}

#[test]
fn s3_other_fonts_without_encoding_are_not_dead() {
    english_in(Simple::not_embedded("Type1", "Frutiger-Roman").no_encoding()).is_not_condemned();
}

#[test]
fn s4_symbol_and_zapf_dingbats_have_encodings_of_their_own() {
    for base_font in ["Symbol", "ZapfDingbats", "ABCDEF+ZapfDingbats"] {
        let judged = judge(PdfBuilder::new().page(|page| {
            page.font(Simple::standard14(base_font).no_encoding())
                .show_codes(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
        }));
        assert_eq!(judged.route(), Route::Keep, "{judged}");
        judged.is(&[FontClass::ReadSpec], &[Case::S4]);
    }
}

#[test]
fn s4_real_zapf_names_are_no_numbers() {
    let font =
        Simple::standard14("ZapfDingbats").differences([(65, "a1"), (66, "a20"), (67, "a206"), (68, "a191")]);
    let judged = judge(PdfBuilder::new().page(|page| page.font(font).show_codes(&b"ABCD".repeat(10))));
    judged.is(&[FontClass::ReadSpec], &[Case::S4]);
}

#[test]
fn s4_a_name_that_only_contains_zapf_is_another_font() {
    let font = Simple::not_embedded("Type1", "MyZapfDingbatsSans").no_encoding().differences([
        (65, "a1"),
        (66, "a20"),
        (67, "a206"),
        (68, "a191"),
    ]);
    let judged = judge(PdfBuilder::new().page(|page| page.font(font).show_codes(&b"ABCD".repeat(10))));
    assert_ne!(judged.font().font_class, FontClass::ReadSpec, "{judged}");
}

#[test]
fn s5_names_of_the_glyph_list_are_read() {
    let letters = distinct(&english());
    let styles: [fn(char, u8) -> String; 4] = [
        |letter, _| glyph_name(letter),
        |letter, _| format!("uni{:04X}", letter as u32),
        |letter, _| format!("u{:05X}", letter as u32),
        |letter, _| format!("{}.alt", glyph_name(letter)),
    ];
    for name in styles {
        let font = Simple::type1(Cff::latin().names(move |_, glyph| name(glyph.letter.unwrap_or(' '), 0)))
            .no_encoding()
            .codes_from(150, &letters)
            .named(name);
        english_in(font).is_kept(&[FontClass::ReadSpec], &[Case::S5]);
    }
}

#[test]
fn s5_arabic_form_names_are_read_and_folded() {
    // Names of presentation forms (here: all isolated), as some converters write them.
    let forms = |letter: char| match letter {
        'ا' => "uniFE8D".to_owned(),
        'ب' => "uniFE8F".to_owned(),
        'ل' => "uniFEDD".to_owned(),
        'م' => "uniFEE1".to_owned(),
        'ن' => "uniFEE5".to_owned(),
        'ه' => "uniFEE9".to_owned(),
        'و' => "uniFEED".to_owned(),
        'ي' => "uniFEF1".to_owned(),
        other => glyph_name(other),
    };
    let letters = distinct(prose::ARABIC);
    let font = Simple::type1(Cff::name_keyed(crate::sample::glyphs_for(&letters)))
        .no_encoding()
        .codes_from(40, &letters)
        .named(|letter, _| forms(letter));
    let font: Font = font.into();
    let judged = judge(
        PdfBuilder::new()
            .page(|page| page.font(font).paragraph_rtl(prose::ARABIC, |page, line| page.show_rtl(line))),
    );
    assert!(judged.route() <= Route::Repair, "{judged}");
    judged.is(&[FontClass::ReadSpec], &[Case::S5]);
}

#[test]
fn s6_numbered_names_are_dead_without_a_program_that_knows() {
    let letters = distinct(&english());
    for prefix in ["g", "G", "gid", "glyph", "index", "cid"] {
        let program = Cff::latin().monospaced(600).names(|gid, _| format!("{prefix}{gid:02}"));
        let gid_of =
            |letter: char| program.glyphs().iter().position(|glyph| glyph.letter == Some(letter)).unwrap();
        let font = Simple::type1(program.clone())
            .no_encoding()
            .codes_from(33, &letters)
            .named(|letter, _| format!("{prefix}{:02}", gid_of(letter)));
        english_in(font).is_dead(&[Case::S6]);
    }
}

#[test]
fn s6_twin_whose_programs_cmap_knows_the_glyph() {
    let (all, letters) = (crate::sample::latin_letters(), distinct(&english()));
    let numbered = |gid: usize, _: &crate::sample::Glyph| format!("gid{gid:05}");
    let cff = Cff::name_keyed(crate::sample::glyphs_for(&all)).names(numbered);
    let wrapper = Sfnt::with_letters(&all).post(crate::sample::Post::None);
    let gid_of = |letter| wrapper.gid(letter).unwrap();
    let font = Simple::type1(crate::sample::Program::OpenType(wrapper.clone(), cff))
        .no_encoding()
        .codes_from(33, &letters)
        .named(|letter, _| format!("gid{:05}", gid_of(letter)));
    english_in(font).is_kept(&[FontClass::ReadProgram], &[Case::S6]);
}

#[test]
fn s7_code_echo_of_ascii_is_doubtful_not_dead() {
    let letters = distinct(&english());
    let font =
        Simple::type1(Cff::latin().names(|_, glyph| format!("a{}", glyph.letter.map_or(0, u32::from))))
            .no_encoding()
            .codes(letters.chars().map(|letter| (letter, letter as u8)))
            .named(|_, code| format!("a{code}"));
    english_in(font).is_not_condemned();
}

#[test]
fn s7_code_echo_of_private_codes_is_not_trusted() {
    let letters = distinct(&english());
    let code_of =
        |letter: Option<char>| letters.chars().position(|other| Some(other) == letter).unwrap_or(0) + 33;
    let font = Simple::type1(Cff::latin().names(|_, glyph| format!("a{}", code_of(glyph.letter))))
        .no_encoding()
        .codes_from(33, &letters)
        .named(|_, code| format!("a{code}"));
    english_in(font).is_not_trusted();
}

#[test]
fn s8_valid_names_that_lie() {
    // Every glyph carries the name of the next letter of the alphabet.
    let next = |letter: char| match letter {
        'a'..='y' | 'A'..='Y' => char::from(letter as u8 + 1),
        'z' => 'a',
        'Z' => 'A',
        other => other,
    };
    let letters = distinct(&english());
    let font =
        Simple::type1(Cff::latin().names(move |_, glyph| glyph_name(next(glyph.letter.unwrap_or(' ')))))
            .codes(letters.chars().map(|letter| (letter, next(letter) as u8)));
    english_in(font).goes_to(
        &[Route::Ocr, Route::Decode],
        &[ReasonCode::LetterSubstitution, ReasonCode::GlyphCodeShift, ReasonCode::ContradictedUnicode],
    );
}

#[test]
fn s9_notdef_in_differences_falls_back_to_the_base_encoding() {
    let notdefs: Vec<(u8, &str)> = (65..=122).map(|code| (code, ".notdef")).collect();
    let judged = english_in(Simple::standard14("Helvetica").differences(notdefs.clone()));
    assert_ne!(judged.font().font_class, FontClass::Dead, "{judged}");
    assert_ne!(judged.route(), Route::Ocr, "{judged}");
}

#[test]
fn s9_notdef_where_the_base_has_nothing_either() {
    let letters = distinct(&english());
    let codes: Vec<(u8, &str)> = (128..=160).map(|code| (code, ".notdef")).collect();
    let font = Simple::type1(Cff::latin().monospaced(600).names(|gid, _| format!("G{gid}")))
        .no_encoding()
        .differences(codes)
        .codes_from(128, &letters);
    let judged = english_in(font);
    judged.is_not_trusted();
}

#[test]
fn s18_not_embedded_font_is_read_by_its_names() {
    let letters = distinct(&english());
    let font = Simple::not_embedded("Type1", "Frutiger-Roman")
        .no_encoding()
        .codes_from(130, &letters)
        .named(|letter, _| glyph_name(letter));
    english_in(font).is_kept(&[FontClass::ReadSpec], &[Case::S18, Case::S5]);
}

#[test]
fn s18_twin_without_real_names_is_unknown() {
    let letters = distinct(&english());
    let font = Simple::not_embedded("Type1", "Frutiger-Roman")
        .no_encoding()
        .codes_from(33, &letters)
        .named(|_, code| format!("G{code}"));
    let judged = english_in(font);
    judged.is_not_trusted().is(&[FontClass::Unknown, FontClass::Dead], &[Case::S18, Case::S6]);
    assert!(judged.reasons().iter().all(|reason| reason.certainty != Certainty::Proven), "{judged}");
}

/// Text of a code page under the names of Windows-1252: what a pre-Unicode font and WinAnsiEncoding make of it.
fn under_latin_names(text: &str, encoding: &'static encoding_rs::Encoding) -> Judged {
    let codes = distinct(text);
    let codes = codes.chars().filter_map(|letter| {
        let mut utf8 = [0; 4];
        let (bytes, _, unmappable) = encoding.encode(letter.encode_utf8(&mut utf8));
        (!unmappable).then(|| (letter, bytes[0]))
    });
    text_in(Simple::not_embedded("TrueType", "TimesNewRomanCyr").codes(codes), text)
}

#[test]
fn s19_twin_accented_latin_is_itself() {
    for text in [prose::FRENCH, prose::GERMAN] {
        under_latin_names(text, encoding_rs::WINDOWS_1252).is_kept(&[FontClass::ReadSpec], &[Case::S2]);
    }
}

#[test]
fn s20_differences_without_a_base_encoding() {
    // Non-symbolic: StandardEncoding below the Differences; ASCII letters are there, é comes by name.
    let font = Simple::not_embedded("Type1", "Frutiger-Roman").no_encoding().differences([
        (200, "eacute"),
        (201, "egrave"),
        (202, "agrave"),
        (203, "ccedilla"),
        (204, "ecircumflex"),
        (205, "ocircumflex"),
        (206, "icircumflex"),
        (207, "ugrave"),
        (208, "quotesingle"),
        (209, "oe"),
        (210, "acircumflex"),
    ]);
    let font = font.codes([
        ('é', 200),
        ('è', 201),
        ('à', 202),
        ('ç', 203),
        ('ê', 204),
        ('ô', 205),
        ('î', 206),
        ('ù', 207),
        ('\'', 208),
        ('œ', 209),
        ('â', 210),
    ]);
    text_in(font, prose::FRENCH).is_kept(&[FontClass::ReadSpec], &[Case::S20, Case::S5, Case::S18]);
}

#[test]
fn s20_embedded_font_has_its_own_base() {
    let letters = distinct(&english());
    let program = crate::sample::Type1Font::latin().encode_from(128, &letters);
    let font =
        Simple::type1(program).flags(4).no_encoding().codes_from(128, &letters).differences([(20, "A")]);
    english_in(font).is_kept(&[FontClass::ReadProgram, FontClass::ReadSpec], &[Case::S20, Case::S10]);
}
