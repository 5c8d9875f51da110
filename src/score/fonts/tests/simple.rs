//! Rows S1 to S20.

use super::super::standard14::Standard;
use super::{Drawn, routes, routes_of};
use crate::sample::{Cff, CffEncoding, Cmap, Post, Program, Sfnt, Simple, ToUnicode, Type1Font, glyphs_for};

fn absent(base_font: &str) -> Simple {
    Simple::not_embedded("Type1", base_font)
}

#[test]
fn s1_a_map_comes_first() {
    let font = |map| absent("Foo").to_unicode(map);
    assert_eq!(routes(font(ToUnicode::Right), "COURT"), "S1 ReadSpec COURT");
    assert_eq!(routes(font(ToUnicode::without("U")), "CU"), "S1 ReadSpec C, S2 ReadSpec U");
    assert_eq!(routes(font(ToUnicode::all("\u{FFFD}")), "CU"), "C4a ReadSpec CU");
}

#[test]
fn s2_a_named_encoding_is_read() {
    assert_eq!(routes(absent("Foo"), "Café"), "S2 ReadSpec Café");
    let mac = absent("Foo").encoding("MacRomanEncoding");
    assert_eq!(routes_of(mac, b"Caf\x8E"), "S2 ReadSpec Café");
    let expert = absent("Foo").encoding("MacExpertEncoding");
    assert_eq!(routes_of(expert, b"ab"), "S2 ReadSpec AB");
    assert_eq!(routes(Simple::type1(Type1Font::latin()), "Café"), "S2 ReadSpec Café");
}

#[test]
fn s2_codes_without_a_name_draw_nothing() {
    assert_eq!(routes_of(absent("Foo"), b"A\x07\rB"), "S2 ReadSpec AB");
}

#[test]
fn s3_standard_encoding_without_any() {
    assert_eq!(routes_of(Simple::standard14("Helvetica").no_encoding(), b"it's"), "S3 ReadSpec it’s");
    assert_eq!(routes_of(absent("Foo").no_encoding(), b"\xE1"), "S3 ReadSpec Æ");
}

#[test]
fn s4_symbol_and_dingbats_by_exact_name() {
    assert_eq!(routes_of(Simple::standard14("Symbol"), b"abg"), "S4 ReadSpec αβγ");
    assert_eq!(routes_of(Simple::standard14("ZapfDingbats"), b"!4"), "S4 ReadSpec ✁✔");
    let named = Simple::standard14("ZapfDingbats").differences([(65, "a20"), (66, "a19")]);
    assert_eq!(routes_of(named, b"AB"), "S4 ReadSpec ✔✓");
    // Readers ignore a Latin encoding here.
    assert_eq!(routes_of(Simple::standard14("Symbol").encoding("WinAnsiEncoding"), b"a"), "S4 ReadSpec α");
    let other = absent("MyZapfDingbats").differences([(65, "a20")]);
    assert_eq!(routes_of(other, b"A"), "S7 Unknown ?");
}

#[test]
fn s5_names_of_differences() {
    let font = Simple::type1(Type1Font::latin()).differences([
        (1, "eacute"),
        (2, "uni0416"),
        (3, "f_f_i"),
        (4, "A.swash"),
        (5, "u1F600"),
        (6, "uniFEEE"),
    ]);
    assert_eq!(routes_of(font, b"\x01\x02\x03\x04\x05\x06"), "S5 ReadSpec éЖffiA😀\u{FEEE}");
}

#[test]
fn s6_numbered_names_are_dead_without_a_route_in_the_program() {
    let letters = "COURT";
    let program = Cff::name_keyed(glyphs_for(letters)).names(|gid, _| format!("g{gid}"));
    let font = Simple::type1(program).codes_from(65, letters).named(|_, code| format!("g{}", code - 64));
    assert_eq!(routes(font, letters), "S6 Dead ?????");
    // Not embedded: nobody knows.
    let font = absent("Foo").codes_from(65, letters).named(|_, code| format!("g{}", code - 64));
    assert_eq!(routes(font, letters), "S6 Unknown ?????");
}

#[test]
fn s6_numbered_names_are_read_through_the_programs_cmap() {
    let letters = "COURT";
    let sfnt = || Sfnt::with_letters(letters).post(Post::None);
    let font =
        |sfnt| Simple::truetype(sfnt).codes_from(65, letters).named(|_, code| format!("gid{}", code - 64));
    assert_eq!(routes(font(sfnt()), letters), "S6 ReadProgram COURT");
    assert_eq!(routes(font(sfnt().without(&["cmap", "post"])), letters), "S6 Dead ?????");
}

#[test]
fn s6_words_name_signs() {
    let program =
        Cff::name_keyed(glyphs_for("AB")).names(|gid, _| ["", "quarthead", "trebleclef"][gid].to_owned());
    let font = Simple::type1(program).differences([(65, "quarthead"), (66, "trebleclef")]);
    assert_eq!(routes_of(font, b"AB"), "S6 Unknown ??");
}

#[test]
fn s7_code_echoes_are_doubtful_but_in_fonts_of_tex() {
    let echo = |base_font: &str| {
        absent(base_font).differences([(72, "a72"), (105, "c105"), (12, "12"), (33, "#21")])
    };
    assert_eq!(routes_of(echo("Foo"), b"Hi!"), "S7 Unknown Hi!");
    assert_eq!(routes_of(echo("AAAAAA+CMR10"), b"Hi\x0C"), "S7 Inferred Hi\u{FB01}");
    assert_eq!(routes_of(echo("CMTT10"), b"\x0C"), "S7 Inferred ↓");
    // Never for ZapfDingbats, where a72 is a dingbat.
    assert_eq!(routes_of(echo("ZapfDingbats"), b"H"), "S4 ReadSpec ❍");
}

#[test]
fn s8_false_names_are_left_to_the_witnesses() {
    let font = Simple::type1(Type1Font::latin()).differences([(67, "D"), (79, "P")]);
    assert_eq!(routes_of(font, b"CO"), "S5 ReadSpec DP");
}

#[test]
fn s9_notdef_falls_back_to_the_base_encoding() {
    let font = |base: &str| absent("Foo").encoding(base).differences([(65, ".notdef"), (1, ".notdef")]);
    assert_eq!(routes_of(font("WinAnsiEncoding"), b"A"), "S9 ReadSpec A");
    let program = Cff::name_keyed(glyphs_for("AB")).names(|gid, _| format!("x{gid}y"));
    let embedded = Simple::type1(program).no_encoding().differences([(65, ".notdef"), (66, ".notdef")]);
    assert_eq!(routes_of(embedded, b"AB"), "S9 Dead ??");
}

#[test]
fn s10_the_encoding_built_into_a_type_1_program() {
    let program = || Type1Font::latin().encode_from(1, "COURT");
    let font = Simple::type1(program()).no_encoding().codes_from(1, "COURT");
    assert_eq!(routes(font, "COURT"), "S10 ReadProgram COURT");
    let renamed = Type1Font::latin().names(|gid, _| format!("G{gid:02}")).encode_from(1, "COURT");
    let font = Simple::type1(renamed).no_encoding().codes_from(1, "COURT");
    assert_eq!(routes(font, "COURT"), "S6 Dead ?????");
}

#[test]
fn s11_the_encoding_built_into_a_cff_program() {
    let glyphs = || glyphs_for("COURT");
    let encoding = CffEncoding::Custom { codes: (1..=5).collect(), supplements: vec![(200, "U".to_owned())] };
    let font = || Simple::type1(Cff::name_keyed(glyphs()).encoding(encoding.clone())).no_encoding();
    assert_eq!(routes_of(font(), b"\x01\x02\x03\x04\x05\xC8"), "S11 ReadProgram COURTU");
    assert_eq!(routes(Simple::type1(Cff::latin()).no_encoding(), "Court"), "S11 ReadProgram Court");
}

#[test]
fn s12_multiple_masters_are_read_as_type_1() {
    let font = Simple::not_embedded("MMType1", "MyriadMM_400_600_");
    assert_eq!(routes(font, "Court"), "S12 ReadSpec Court");
    let font = Simple::type1(Type1Font::latin()).subtype("MMType1").no_encoding();
    assert_eq!(routes(font, "Court"), "S12 ReadProgram Court");
}

#[test]
fn s13_names_are_checked_in_the_programs_cmap() {
    let sfnt = Sfnt::for_text("COURT");
    assert_eq!(routes(Simple::truetype(sfnt.clone()), "COURT"), "S13 ReadSpec COURT");
    // A name whose letter the program does not hold draws no such letter.
    let lacking = Simple::truetype(Sfnt::for_text("COURT").post(Post::None)).differences([(88, "X")]);
    assert_eq!(routes_of(lacking, b"CX"), "S13 ReadSpec C, S13 Contradicted X");
    // Doubles of the list are found under either number.
    let delta = Sfnt::with_letters("\u{394}");
    assert_eq!(routes_of(Simple::truetype(delta).differences([(65, "Delta")]), b"A"), "S13 ReadSpec ∆");
    // Nothing in the program to check by: the standard's route stands.
    let bare = Sfnt::for_text("COURT").without(&["cmap", "post"]);
    let named = Simple::truetype(bare).codes_from(1, "COURT").named(|letter, _| letter.to_string());
    assert_eq!(routes(named, "COURT"), "S13 ReadSpec COURT");
}

#[test]
fn s14_symbolic_with_a_symbol_cmap() {
    let sfnt = || Sfnt::latin().cmaps(&[Cmap::Symbol]).post(Post::None).monospaced(600);
    assert_eq!(routes(Simple::truetype(sfnt()).symbolic(), "COURT"), "S14 Unknown COURT");
    assert_eq!(
        routes(Simple::truetype(sfnt()).symbolic().base_font("AAAAAA+Symbol"), "abg"),
        "S14 ReadProgram αβγ"
    );
    // Named encodings are read, and denied where a symbol font is said to be Latin.
    assert_eq!(routes(Simple::truetype(sfnt()).flags(4), "COURT"), "S14 ReadSpec COURT");
    let trap = Simple::truetype(sfnt()).flags(4).base_font("AAAAAA+SymbolMT");
    assert_eq!(routes(trap, "ab"), "S13 Contradicted ab");
}

#[test]
fn s14_widths_of_a_standard_font_vouch_for_its_codes() {
    // Sample glyphs have the widths of Helvetica or not; the test takes what they have.
    let sfnt = Sfnt::latin().cmaps(&[Cmap::Symbol]).post(Post::None);
    let drawn = Drawn::new(Simple::truetype(sfnt).symbolic().base_font("AAAAAA+ArialMT"), "COURT");
    let program = drawn.font.program().unwrap();
    let fits = ('A'..='Z').filter(|&c| {
        let gid = program.gid_of_symbol(c as u16).unwrap();
        let advance = program.advance(gid).unwrap();
        Standard::Helvetica
            .latin_width(c)
            .is_some_and(|width| (f32::from(width) - advance * 1000.0).abs() <= 2.0)
    });
    let expected = if fits.count() >= 24 { "S14 ReadProgram COURT" } else { "S14 Unknown COURT" };
    assert_eq!(drawn.summary(), expected);
}

#[test]
fn s15_symbolic_with_a_macintosh_cmap() {
    let private = Cmap::Custom {
        platform: 1,
        encoding: 0,
        format: 6,
        map: (0..5).map(|at| (0x21 + at, at as u16 + 1)).collect(),
    };
    let sfnt = Sfnt::for_text("COURT").cmaps(&[private]).post(Post::None);
    let font = Simple::truetype(sfnt).symbolic().codes_from(0x21, "COURT");
    assert_eq!(routes(font, "COURT"), "S15 Unknown !\"#$%");
    // Codes that no text has are proof.
    let map = (1..=5).map(|at| (at, at as u16)).collect();
    let numbered = Cmap::Custom { platform: 1, encoding: 0, format: 6, map };
    let sfnt = Sfnt::for_text("COURT").cmaps(&[numbered]).post(Post::None);
    assert_eq!(routes(Simple::truetype(sfnt).symbolic().codes_from(1, "COURT"), "COURT"), "S15 Dead ?????");
    let roman = Sfnt::latin().cmaps(&[Cmap::MacRoman]).post(Post::None).monospaced(600);
    assert_eq!(routes(Simple::truetype(roman).symbolic(), "Court"), "S15 Unknown Court");
}

#[test]
fn s16_symbolic_with_names() {
    let sfnt = Sfnt::for_text("COURT").cmaps(&[Cmap::Symbol]).post(Post::Names);
    assert_eq!(routes(Simple::truetype(sfnt).symbolic(), "COURT"), "S16 ReadProgram COURT");
    let both = Sfnt::for_text("COURT").cmaps(&[Cmap::MacRoman, Cmap::Unicode]).post(Post::None);
    assert_eq!(routes(Simple::truetype(both).symbolic(), "COURT"), "S16 ReadProgram COURT");
}

#[test]
fn s17_symbolic_with_nothing_is_dead() {
    let sfnt = Sfnt::for_text("COURT").without(&["cmap", "post"]);
    let font = Simple::truetype(sfnt.clone()).symbolic().codes_from(1, "COURT");
    assert_eq!(routes(font, "COURT"), "S17 Dead ?????");
    let mapped = Simple::truetype(sfnt).symbolic().codes_from(1, "COURT").to_unicode(ToUnicode::Right);
    assert_eq!(routes(mapped, "COURT"), "S1 ReadSpec COURT");
}

#[test]
fn s18_not_embedded_with_an_encoding_of_its_own() {
    let named = absent("Foo").no_encoding().differences([(1, "eacute")]);
    assert_eq!(routes_of(named, b"\x01"), "S18 ReadSpec é");
    let symbolic = absent("Foo").symbolic();
    assert_eq!(routes_of(symbolic, b"A"), "S18 Unknown A");
    let wingdings = Simple::not_embedded("TrueType", "Wingdings").symbolic();
    assert_eq!(routes_of(wingdings, b"\xA7"), "S18 Inferred ▪");
}

#[test]
fn s19_latin_names_for_another_script_are_left_to_the_witnesses() {
    let font = absent("TimesCyr").differences([(0xE9, "eacute")]);
    assert_eq!(routes_of(font, b"\xE9"), "S18 ReadSpec é");
}

#[test]
fn s20_the_base_encoding_where_none_is_named() {
    // Not embedded, non-symbolic: StandardEncoding; TrueType as all engines: WinAnsi.
    let type1 = absent("Foo").no_encoding().differences([(1, "eacute")]);
    assert_eq!(routes_of(type1, b"\xE1"), "S20 ReadSpec Æ");
    let truetype = Simple::not_embedded("TrueType", "Foo").no_encoding().differences([(1, "eacute")]);
    assert_eq!(routes_of(truetype, b"\xE1"), "S20 ReadSpec á");
    // Embedded Type 1: its own encoding.
    let program = Type1Font::latin().encode_from(0xE1, "Z");
    let embedded = Simple::type1(program).no_encoding().differences([(1, "eacute")]);
    assert_eq!(routes_of(embedded, b"\x01\xE1"), "S5 ReadSpec é, S10 ReadProgram Z");
}

#[test]
fn programs_of_another_kind_than_stated_are_followed() {
    let font = Simple::type1(Program::TrueType(Sfnt::for_text("COURT"))).no_encoding();
    let text = routes(font, "COURT");
    assert!(text.ends_with("COURT"), "{text}");
    let font = Simple::truetype(Cff::latin()).flags(4).no_encoding();
    assert_eq!(routes(font, "Court"), "S11 ReadProgram Court");
}
