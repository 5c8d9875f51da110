//! Font dictionaries as careless and hostile writers leave them.

use proptest::prelude::*;

use super::{Drawn, routes_of};
use crate::sample::Font as SampleFont;
use crate::sample::{PdfBuilder, Sfnt, ToUnicode, Type0};

fn raw(dictionary: &str, codes: &[u8]) -> String {
    routes_of(SampleFont::raw(dictionary), codes)
}

#[test]
fn missing_and_wrong_keys_are_guessed() {
    for dictionary in [
        "<< >>",
        "<< /Type /Font /Subtype /Foo /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding << /BaseEncoding /WinAnsiEncoding >> >>",
        "<< /Subtype /TrueType /BaseFont (Arial) /Encoding << /Differences 7 >> >>",
        "<< /Subtype /Type1 /Encoding [1 2 3] /Widths 7 /FirstChar /x /FontDescriptor 9 0 R /ToUnicode null >>",
        "<< /Subtype /Type3 /BaseFont /Helvetica >>",
    ] {
        let text = raw(dictionary, b"Ab");
        assert!(text.ends_with("ReadSpec Ab"), "{dictionary}: {text}");
    }
}

#[test]
fn composite_fonts_without_their_parts() {
    for dictionary in [
        "<< /Subtype /Type0 /DescendantFonts [] /Encoding /Identity-H >>",
        "<< /Subtype /Type0 /DescendantFonts << /Subtype /CIDFontType2 >> /Encoding /Identity-H >>",
        "<< /DescendantFonts [<< /Subtype /CIDFontType0 /CIDSystemInfo << /Ordering (Identity) >> >>] >>",
        "<< /Subtype /CIDFontType2 /W [1 2 [3]] /DW /x >>",
    ] {
        assert_eq!(raw(dictionary, b"\0A\0B"), "C20 Unknown ??", "{dictionary}");
    }
    let direct = "<< /Subtype /Type0 /Encoding /Identity-H /DescendantFonts \
        << /Subtype /CIDFontType0 /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) >> >> >>";
    assert_eq!(raw(direct, b"\x03\x4B"), "C21 ReadSpec あ");
}

#[test]
fn damage_is_told() {
    let font = |dictionary: &str| Drawn::codes(SampleFont::raw(dictionary), b"A").font;
    let codes = |dictionary: &str| -> Vec<String> {
        font(dictionary).findings().iter().map(|finding| format!("{:?}", finding.code)).collect()
    };
    assert_eq!(codes("<< /Subtype /Foo >>"), ["FontDamaged"]);
    assert_eq!(codes("<< /Subtype /Type0 /Encoding /Foo-H >>"), ["FontDamaged", "CMapDamaged"]);
    assert_eq!(codes("<< /Subtype /Type1 /ToUnicode (x) >>"), ["CMapDamaged"]);
    assert!(codes("<< /Subtype /Type1 /BaseFont /Helvetica >>").is_empty());
}

#[test]
fn half_a_code_at_the_end_is_no_letter() {
    let font = Type0::identity_h(Sfnt::for_text("CO")).to_unicode(ToUnicode::Right);
    let text = routes_of(font, b"\0\x01\0");
    assert!(text.starts_with("C1 ReadSpec C"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn survives_any_dictionary(words in prop::collection::vec(prop::sample::select(vec![
        "/Subtype", "/Type0", "/Type1", "/Type3", "/TrueType", "/CIDFontType2", "/Encoding", "/Identity-H", "/Identity-V",
        "/GBK-EUC-H", "/UniJIS-UTF16-H", "/WinAnsiEncoding", "/Differences", "/BaseFont", "/Symbol", "/ZapfDingbats",
        "/DescendantFonts", "/CIDSystemInfo", "/Ordering", "(Japan1)", "(Identity)", "/W", "/DW", "/W2", "/DW2", "/Widths",
        "/FirstChar", "/FontDescriptor", "/Flags", "/ToUnicode", "/CharProcs", "/FontMatrix", "/A", "/g12", "/a65",
        "[", "]", "<<", ">>", "0", "-1", "65", "255", "1e9", "99999999999", "null",
    ]), 0..40), codes in prop::collection::vec(any::<u8>(), 0..16)) {
        let dictionary = format!("<< {} >>", words.join(" "));
        let font = SampleFont::raw(&dictionary);
        let file = PdfBuilder::new().page(|page| page.font(font).show_codes(&codes)).build();
        let Some(drawn) = Drawn::try_of_file(&file, codes.clone()) else { return Ok(()) };
        let n: usize = drawn.font.codes(&codes).map(|(_, n)| usize::from(n)).sum();
        prop_assert_eq!(n, codes.len());
        let _ = (drawn.summary(), drawn.font.facts_for(&drawn.drawn()), drawn.font.findings());
        for (code, n_bytes) in drawn.font.codes(&codes) {
            prop_assert!(drawn.font.glyph(code, n_bytes).advance.is_finite());
        }
    }
}
