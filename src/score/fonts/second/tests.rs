use std::sync::Arc;

use super::*;
use crate::sample::{self, Cff, CidToGid, Cmap, PdfBuilder, Post, Sfnt, Simple, ToUnicode, Type0, Type1Font};
use crate::score::Limits;
use crate::score::fonts::witness;
use crate::score::pdf::Dict;

const TEXT: &str = "COURT of appeal";

fn open(font: sample::Font) -> Document {
    let file = PdfBuilder::new().page(|page| page.font(font).show(TEXT)).build();
    Document::open(Arc::from(file), &Limits::default()).unwrap()
}

/// The page's only font, and its name in reports.
fn read(document: &Document, name: Option<&str>) -> (Font, String) {
    let pages = document.pages();
    let fonts: Dict<'_> = pages[0].resources.get("Font").unwrap();
    let key = fonts.keys().next().unwrap();
    let id = fonts.get_ref(&*key);
    let own = id.map_or_else(
        || format!("p1/{}", String::from_utf8_lossy(&key)),
        |id| format!("{} {} R", id.obj_number, id.gen_number),
    );
    let font = Font::read(&fonts.get::<Dict<'_>>(key).unwrap(), document, name.unwrap_or(&own).to_owned());
    (font, own)
}

fn drawn(font: &Font, sample: &sample::Font) -> Vec<(CharCode, u8, u32)> {
    let mut codes: Vec<_> =
        font.codes(&sample.encode(TEXT)).map(|(code, n_bytes)| (code, n_bytes, 1)).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

/// The first stack reads `font`; the second finds `other` under its name.
fn asked(
    font: impl Into<sample::Font>,
    other: impl Into<sample::Font>,
) -> (Option<SecondStack>, Vec<Certainty>) {
    let (font, other) = (font.into(), other.into());
    let (first, second) = (open(font.clone()), open(other));
    let (_, name) = read(&second, None);
    let (read, _) = read(&first, Some(&name));
    let drawn = drawn(&read, &font);
    let mut charges = witness::charges(&read, &drawn);
    let verdict = confirm(&second, &read, &drawn, &mut charges);
    (verdict, charges.iter().map(|charge| charge.certainty).collect())
}

fn alone(font: impl Into<sample::Font>) -> Option<SecondStack> {
    let font = font.into();
    asked(font.clone(), font).0
}

fn severed() -> Type0 {
    Type0::identity_h(Sfnt::latin().without(&["cmap", "post"]))
}

#[test]
fn c15_a_severed_font_is_confirmed() {
    assert_eq!(alone(severed()), Some(SecondStack::Agrees));
    assert_eq!(alone(severed().cid_to_gid(CidToGid::Moved(7))), Some(SecondStack::Agrees));
    assert_eq!(alone(severed().to_unicode(ToUnicode::Empty)), Some(SecondStack::Agrees));
    assert_eq!(alone(severed().to_unicode(ToUnicode::all("\u{FFFD}"))), Some(SecondStack::Agrees));
    assert_eq!(
        alone(Type0::identity_h(Sfnt::latin().without(&["cmap"]).post(Post::None))),
        Some(SecondStack::Agrees)
    );
}

#[test]
fn a_direct_dictionary_is_found_by_page_and_name() {
    let font = sample::Font::from(severed()).direct();
    assert_eq!(alone(font), Some(SecondStack::Agrees));
}

#[test]
fn nothing_is_asked_of_a_healthy_font() {
    assert_eq!(alone(Type0::identity_h(Sfnt::latin())), None);
    assert_eq!(alone(Simple::standard14("Helvetica")), None);
}

#[test]
fn a_route_the_second_stack_finds_denies_the_proof() {
    let healthy = [
        Type0::identity_h(Sfnt::latin().without(&["post"])),
        Type0::identity_h(Sfnt::latin().without(&["post"]).unsorted_directory()),
        Type0::identity_h(Sfnt::latin().without(&["post"]).cmaps(&[Cmap::UnicodeFull])),
        Type0::identity_h(Sfnt::latin().without(&["post"]).cmaps(&[Cmap::MacRoman])),
        Type0::identity_h(Sfnt::latin().without(&["cmap"])),
        severed().to_unicode(ToUnicode::Right),
        severed().to_unicode(ToUnicode::IdentityName),
    ];
    for font in healthy {
        assert_eq!(asked(severed(), font).0, Some(SecondStack::Disagrees));
    }
}

#[test]
fn other_facts_in_the_dictionary_deny_the_proof() {
    for font in [
        severed().encoding("GBK-EUC-H"),
        severed().system_info("Adobe", "Japan1", 2),
        severed().cid_to_gid(CidToGid::UnicodeCids),
        severed().descendant("CIDFontType0"),
    ] {
        assert_eq!(asked(severed(), font).0, Some(SecondStack::Disagrees));
    }
    assert_eq!(asked(severed(), Simple::truetype(Sfnt::latin())).0, Some(SecondStack::Disagrees));
}

#[test]
fn what_cannot_be_read_is_said_to_be_so() {
    let damaged = Type0::identity_h(Sfnt::latin().without(&["post"]).truncate("cmap", 3));
    assert_eq!(asked(severed(), damaged).0, Some(SecondStack::CannotRead));
    let (document, font) = (open(severed().into()), severed().into());
    let (read, _) = read(&document, Some("999 0 R"));
    let drawn = drawn(&read, &font);
    assert_eq!(confirm(&document, &read, &drawn, &mut []), Some(SecondStack::CannotRead));
}

#[test]
fn c17_c18_cff_programs_are_confirmed() {
    let keyed = || Type0::identity_h(Cff::cid_keyed("Adobe", "Identity", 0, Sfnt::latin().glyphs().to_vec()));
    let numbered =
        |name: &'static str| Type0::identity_h(Cff::latin().names(move |gid, _| format!("{name}{gid}")));
    assert_eq!(alone(keyed()), Some(SecondStack::Agrees));
    assert_eq!(alone(numbered("zz")), Some(SecondStack::Agrees));
    let named = Type0::identity_h(Cff::latin());
    assert_eq!(asked(numbered("zz"), named).0, Some(SecondStack::Disagrees));
}

#[test]
fn s6_numbered_names_of_simple_fonts_are_confirmed() {
    let dead = |name: &'static str| {
        let sfnt = Sfnt::latin().without(&["cmap", "post"]);
        Simple::truetype(sfnt)
            .codes_from(33, &sample::distinct(TEXT))
            .named(move |_, code| format!("{name}{code}"))
    };
    assert_eq!(alone(dead("G")), Some(SecondStack::Agrees));
    assert_eq!(asked(dead("G"), dead("H")).0, Some(SecondStack::Disagrees));
    let named =
        Simple::truetype(Sfnt::latin().without(&["cmap", "post"])).codes_from(33, &sample::distinct(TEXT));
    let named = named.named(|letter, _| sample::glyph_name(letter));
    assert_eq!(asked(dead("G"), named).0, Some(SecondStack::Disagrees));
}

#[test]
fn type1_programs_are_confirmed_by_their_encoding() {
    let font = |prefix: &'static str| {
        let letters = sample::distinct(TEXT);
        let program =
            Type1Font::latin().names(move |gid, _| format!("{prefix}{gid}")).encode_from(33, &letters);
        Simple::type1(program).no_encoding().codes_from(33, &letters)
    };
    assert_eq!(alone(font("zz")), Some(SecondStack::Agrees));
    let letters = sample::distinct(TEXT);
    let named =
        Simple::type1(Type1Font::latin().encode_from(33, &letters)).no_encoding().codes_from(33, &letters);
    assert_eq!(asked(font("zz"), named).0, Some(SecondStack::Disagrees));
}

#[test]
fn a_proven_contradiction_stands_or_falls_with_the_second_stack() {
    let shifted = || Type0::identity_h(Sfnt::latin()).to_unicode(ToUnicode::shifted(1));
    assert_eq!(asked(shifted(), shifted()), (Some(SecondStack::Agrees), vec![Certainty::Proven]));
    let right = Type0::identity_h(Sfnt::latin()).to_unicode(ToUnicode::Right);
    assert_eq!(asked(shifted(), right), (Some(SecondStack::Disagrees), vec![Certainty::Suspected]));
    let identity = || Type0::identity_h(Sfnt::latin()).to_unicode(ToUnicode::Identity);
    assert_eq!(asked(identity(), identity()), (Some(SecondStack::Agrees), vec![Certainty::Proven]));
    let severed = severed().to_unicode(ToUnicode::Identity);
    assert_eq!(asked(identity(), severed), (Some(SecondStack::Disagrees), vec![Certainty::Suspected]));
}

#[test]
fn another_decode_of_the_program_is_seen() {
    assert!(SecondProgram::parse(Vec::new()).is_err());
    assert!(SecondProgram::parse(b"no font".to_vec()).is_err());
}

#[test]
fn s15_controls_of_a_private_subtable_are_no_route() {
    let letters = sample::distinct(TEXT);
    let font = |first: u32| {
        let n = letters.chars().count() as u32;
        let map = (0..n).map(|at| (first + at, 1 + at as u16)).collect();
        let private = Cmap::Custom { platform: 1, encoding: 0, format: 6, map };
        let sfnt = Sfnt::for_text(TEXT).cmaps(&[private]).post(Post::None);
        Simple::truetype(sfnt).symbolic().no_encoding().codes_from(first as u8, &letters)
    };
    assert_eq!(alone(font(1)), Some(SecondStack::Agrees));
    let (first, second) = (sample::Font::from(font(1)), sample::Font::from(font(0x41)));
    assert_eq!(asked(first, second).0, Some(SecondStack::Disagrees));
}
