//! What is reported of a font, and its measures.

use super::{CharCode, Drawn};
use crate::sample::{Cff, Post, Sfnt, Simple, ToUnicode, Type0, Type1Font, Type3};
use crate::score::evidence::{ProgramKind, ToUnicodeKind};

#[test]
fn names_are_taken_apart() {
    let facts = |name: &str| Drawn::codes(Simple::not_embedded("Type1", name), b"A").font.facts().clone();
    let subset = facts("ABCDEF+Sub Set");
    assert_eq!(subset.subset_tag.as_deref(), Some("ABCDEF"));
    assert_eq!(subset.family.as_deref(), Some("Sub Set"));
    assert_eq!(subset.base_font.as_deref(), Some("ABCDEF+Sub Set"));
    for plain in ["ABCDE+Sub", "abcdef+Sub", "ABCDEF+", "ABCDEF"] {
        assert_eq!(facts(plain).subset_tag, None, "{plain}");
        assert_eq!(facts(plain).family.as_deref(), Some(plain));
    }
    assert_eq!(facts(&"x".repeat(500)).base_font.map(|name| name.len()), Some(200));
}

#[test]
fn a_composite_font_is_described_with_its_descendant() {
    let drawn = Drawn::new(Type0::identity_h(Sfnt::for_text("COURT").post(Post::Names)), "COURT");
    let _ = drawn.summary();
    let facts = drawn.font.facts_for(&drawn.drawn());
    assert_eq!(facts.subtype, "Type0");
    assert_eq!(facts.descendant.as_deref(), Some("CIDFontType2"));
    assert_eq!(facts.encoding.as_deref(), Some("Identity-H"));
    assert_eq!(facts.ordering.as_deref(), Some("Identity"));
    assert_eq!((facts.to_unicode, facts.program), (ToUnicodeKind::Absent, ProgramKind::TrueType));
    assert!(facts.has_cmap && facts.has_post_names);
    assert_eq!(facts.program_sha256.map(|sha256| sha256.len()), Some(64));
}

#[test]
fn a_program_is_not_read_without_need() {
    let drawn = Drawn::new(Type0::identity_h(Sfnt::for_text("COURT")).to_unicode(ToUnicode::Right), "COURT");
    let _ = drawn.summary();
    assert!(drawn.font.program_if_read().is_none());
    let facts = drawn.font.facts_for(&drawn.drawn());
    assert_eq!((facts.program, facts.program_sha256), (ProgramKind::TrueType, None));
    let standard = Drawn::new(Simple::type1(Cff::latin()), "Court");
    let _ = standard.summary();
    assert!(standard.font.program_if_read().is_none());
}

#[test]
fn to_unicode_is_judged_by_what_is_drawn() {
    let kind = |map, text: &str| {
        let drawn = Drawn::new(Type0::identity_h(Sfnt::for_text("COURT ")).to_unicode(map), text);
        drawn.font.facts_for(&drawn.drawn()).to_unicode
    };
    assert_eq!(kind(ToUnicode::Right, "COURT"), ToUnicodeKind::Usable);
    assert_eq!(kind(ToUnicode::without("U"), "COURT"), ToUnicodeKind::Partial);
    assert_eq!(kind(ToUnicode::without("U"), "CORT"), ToUnicodeKind::Usable);
    assert_eq!(kind(ToUnicode::without(" "), "CO RT"), ToUnicodeKind::Usable); // a space is no evidence
    assert_eq!(kind(ToUnicode::Empty, "COURT"), ToUnicodeKind::Empty);
    assert_eq!(kind(ToUnicode::Identity, "COURT"), ToUnicodeKind::Identity);
    assert_eq!(kind(ToUnicode::IdentityName, "COURT"), ToUnicodeKind::Identity);
    assert_eq!(kind(ToUnicode::Raw(b"x".to_vec()), "COURT"), ToUnicodeKind::Damaged);
    assert_eq!(kind(ToUnicode::Absent, "COURT"), ToUnicodeKind::Absent);
}

#[test]
fn kinds_of_programs() {
    let kind = |font: crate::sample::Font| Drawn::codes(font, b"A").font.facts().program;
    assert_eq!(kind(Simple::type1(Type1Font::latin()).into()), ProgramKind::Type1);
    assert_eq!(kind(Simple::type1(Cff::latin()).into()), ProgramKind::Cff);
    assert_eq!(kind(Simple::truetype(Sfnt::latin()).into()), ProgramKind::TrueType);
    assert_eq!(kind(Type3::new("A").into()), ProgramKind::Type3);
    assert_eq!(kind(Simple::standard14("Helvetica").into()), ProgramKind::None);
}

#[test]
fn widths_stated_standard_and_of_the_program() {
    let advance = |font: crate::sample::Font, code: u32| {
        Drawn::codes(font, &[code as u8]).font.glyph(CharCode(code), 1).advance
    };
    assert_eq!(advance(Simple::standard14("Helvetica").into(), 0x57), 0.944);
    assert_eq!(advance(Simple::standard14("Times-Bold").into(), 0xE9), 0.444);
    assert_eq!(advance(Simple::standard14("Courier").into(), 0x69), 0.6);
    assert_eq!(advance(Simple::standard14("Symbol").into(), 0x61), 0.631);
    let sfnt = Sfnt::for_text("W").monospaced(700);
    assert_eq!(advance(Simple::truetype(sfnt.clone()).into(), 0x57), 0.7);
    assert_eq!(advance(Simple::truetype(sfnt).without_widths().into(), 0x57), 0.7);
}

#[test]
fn signatures_are_of_the_scheme_and_not_of_the_subset() {
    let signature = |font: crate::sample::Font, text: &str| {
        let drawn = Drawn::new(font, text);
        let _ = drawn.summary();
        drawn.font.facts_for(&drawn.drawn()).signature
    };
    let bare = |text: &str| Type0::identity_h(Sfnt::for_text(text).without(&["cmap", "post"]));
    let one = signature(bare("COURT").into(), "COURT");
    assert_eq!(one, signature(bare("COURT").into(), "COURT"));
    let named = Type0::identity_h(Sfnt::for_text("COURT").post(Post::Names));
    assert_ne!(one, signature(named.into(), "COURT"));
    let mapped = bare("COURT").to_unicode(ToUnicode::Right);
    assert_ne!(one, signature(mapped.into(), "COURT"));
}

#[test]
fn the_witnesses_view() {
    let letters = "COURT";
    let drawn = Drawn::new(Type0::identity_h(Sfnt::for_text(letters)).to_unicode(ToUnicode::Right), letters);
    let font = &drawn.font;
    let code = CharCode(1);
    assert_eq!(font.gid(code, 2).map(|gid| gid.0), Some(1));
    assert_eq!(font.cid(code, 2).map(|cid| cid.0), Some(1));
    assert_eq!(font.to_unicode_entries(2), [(1, "C".to_owned()), (2, "O".to_owned())]);
    assert!(font.stated_width(code, 2).is_some());
    assert!(font.is_embedded() && font.is_composite() && font.is_identity_encoded());
    let simple =
        Drawn::codes(Simple::not_embedded("Type1", "Foo").differences([(1, "eacute")]), b"\x01").font;
    assert_eq!(simple.glyph_name(code), Some("eacute"));
    assert_eq!(simple.glyph_name_text(code).as_deref(), Some("é"));
    assert_eq!(simple.differences(), [(1, "eacute")]);
}

#[test]
fn vertical_extents_come_from_the_descriptor() {
    let (ascent, descent) = Drawn::codes(Simple::truetype(Sfnt::latin()), b"A").font.vertical_extent();
    assert!((0.5..1.2).contains(&ascent) && (-0.5..=0.0).contains(&descent), "{ascent} {descent}");
    let plain = Drawn::codes(Simple::standard14("Helvetica"), b"A").font;
    assert_eq!(plain.vertical_extent(), (0.75, -0.25));
}
