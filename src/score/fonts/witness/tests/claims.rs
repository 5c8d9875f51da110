use super::*;
use crate::sample::{Cmap, Glyph, Sfnt, Simple, ToUnicode, Type0, glyphs_for};

fn composite(map: ToUnicode) -> Type0 {
    Type0::identity_h(Sfnt::latin()).to_unicode(map)
}

#[test]
fn c4f_a_map_shifted_against_the_cmap_is_contradicted() {
    let (code, certainty, detail) = summary(composite(ToUnicode::shifted(1)), "COURT of appeal");
    assert_eq!((code, certainty), (ReasonCode::ContradictedUnicode, Certainty::Proven));
    assert_eq!(detail, "C4f: witness cmap of the program denies 11 of 11 testable codes");
}

#[test]
fn c4f_a_map_against_names_alone_is_measured() {
    let font = Type0::identity_h(Sfnt::latin().without(&["cmap"])).to_unicode(ToUnicode::shifted(1));
    let (code, certainty, detail) = summary(font, "COURT of appeal");
    assert_eq!((code, certainty), (ReasonCode::ContradictedUnicode, Certainty::Measured));
    assert_eq!(detail, "C4f: witness glyph names of the program denies 11 of 11 testable codes");
}

#[test]
fn c4f_few_wrong_codes_among_many_are_no_contradiction() {
    assert_kept(composite(ToUnicode::replaced("cd", "dc")), PANGRAM);
}

#[test]
fn c4f_twin_a_right_map_is_certified() {
    let judgement = judged(composite(ToUnicode::Right), PANGRAM);
    assert_eq!(judgement, Judgement { charges: Vec::new(), is_certified: true });
}

#[test]
fn c4f_twin_benign_differences_are_kept() {
    // Brackets of a right-to-left font, Delta and increment, kinds of hyphens, letters of one look, small capitals.
    let pairs = [("()[]", ")(]["), ("Δµ-", "∆μ\u{2010}"), ("ABEH", "ΑΒЕН"), ("abcd", "ABCD")];
    for (letters, claims) in pairs {
        let font =
            Type0::identity_h(Sfnt::with_letters(letters)).to_unicode(ToUnicode::replaced(letters, claims));
        assert_kept(font, letters);
    }
}

#[test]
fn c4f_twin_arabic_forms_and_archigraphemes_are_kept() {
    let (letters, claims) = ("ﺑﻳﻛﻬﻗ", "ٮیکهٯ");
    let font =
        Type0::identity_h(Sfnt::with_letters(letters)).to_unicode(ToUnicode::replaced(letters, claims));
    assert_kept(font, letters);
    let (letters, claims) = ("بتثج", "مدرس");
    let font =
        Type0::identity_h(Sfnt::with_letters(letters)).to_unicode(ToUnicode::replaced(letters, claims));
    assert_eq!(charged(font, letters).code, ReasonCode::ContradictedUnicode);
}

#[test]
fn c4f_twin_thai_sara_am_is_kept() {
    let (letters, claims) = ("ำกขค", "ากขค");
    let font =
        Type0::identity_h(Sfnt::with_letters(letters)).to_unicode(ToUnicode::replaced(letters, claims));
    assert_kept(font, letters);
}

#[test]
fn c4f_a_private_use_cmap_says_nothing() {
    let font = Type0::identity_h(Sfnt::latin().cmaps(&[Cmap::Symbol]).without(&["post"]));
    assert_kept(font.to_unicode(ToUnicode::shifted(1)), "COURT");
}

#[test]
fn c4f_a_program_at_odds_with_itself_is_no_witness() {
    let names = |gid: usize, _: &Glyph| format!("uni{:04X}", 0x400 + gid);
    let font = Type0::identity_h(Sfnt::latin().names(names)).to_unicode(ToUnicode::shifted(1));
    assert_kept(font, "COURT of appeal");
}

#[test]
fn c4f_a_program_whose_advances_are_not_those_stated_is_no_witness() {
    // The dictionary was written for another program: codes reach other glyphs than those meant.
    let widths = |advance: u16| {
        let sfnt = Sfnt::latin().monospaced(advance);
        Type0::identity_h(sfnt).to_unicode(ToUnicode::shifted(1)).entries("")
    };
    let stated = with_font(widths(600), "COURT", |font, drawn| font.stated_width(drawn[0].0, 2));
    assert_eq!(stated, Some(0.6));
    let sfnt = Sfnt::latin().monospaced(600);
    let other = sfnt.clone().table("hmtx", &[0; 8]);
    let font = |sfnt: Sfnt| Type0::identity_h(sfnt).to_unicode(ToUnicode::shifted(1));
    assert_eq!(charged(font(sfnt), "COURT of appeal").code, ReasonCode::ContradictedUnicode);
    assert_kept(font(other), "COURT of appeal");
}

#[test]
fn s13_names_the_cmap_denies_are_contradicted() {
    // The Macintosh subtable leads MacRoman names to glyphs that the Unicode subtable calls otherwise.
    let sfnt = Sfnt::latin().monospaced(600);
    let wrong: Vec<(u32, u16)> = ('a'..='z')
        .map(|c| (c as u32, sfnt.gid(if c == 'z' { 'a' } else { (c as u8 + 1) as char }).unwrap()))
        .collect();
    let upper: Vec<(u32, u16)> = sfnt.letters().map(|(c, gid)| (c as u32 + 0x10000, gid)).collect();
    let mac = Cmap::Custom { platform: 1, encoding: 0, format: 0, map: wrong };
    let beyond = Cmap::Custom { platform: 0, encoding: 6, format: 12, map: upper };
    let font = Simple::truetype(sfnt.cmaps(&[mac, beyond]).without(&["post"])).encoding("MacRomanEncoding");
    let charge = charged(font, "appeal to the court");
    assert_eq!(charge.code, ReasonCode::ContradictedUnicode);
}

#[test]
fn s13_twin_names_found_in_the_cmap_are_certified() {
    let judgement = judged(Simple::truetype(Sfnt::latin()), PANGRAM);
    assert_eq!(judgement, Judgement { charges: Vec::new(), is_certified: true });
}

#[test]
fn c4g_five_outlines_for_one_letter_are_contradicted() {
    let font = Type0::identity_h(Sfnt::latin().without(&["cmap", "post"]));
    let charge = charged(font.clone().to_unicode(ToUnicode::merged("aeiou", "e")), PANGRAM);
    assert_eq!((charge.code, charge.certainty), (ReasonCode::NonInjectiveUnicode, Certainty::Measured));
    assert_eq!(charge.detail, "C4g: 5 codes of different outlines mean one character");
    assert_eq!(charge.codes.len(), 5);
    let most = ToUnicode::mapped(|letter| Some(if letter < 'n' { "a" } else { "z" }.to_owned()));
    assert_eq!(charged(font.to_unicode(most), "abcdefghnopq").code, ReasonCode::NonInjectiveUnicode);
}

#[test]
fn c4g_twin_alternates_hyphens_and_copies_are_kept() {
    let font = Type0::identity_h(Sfnt::latin().without(&["cmap", "post"]));
    assert_kept(font.to_unicode(ToUnicode::merged("aàáâ", "a")), &format!("{PANGRAM}àáâ"));
    let dashes = "-\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}abc";
    let font = Type0::identity_h(Sfnt::with_letters(dashes).without(&["cmap", "post"]));
    assert_kept(font.to_unicode(ToUnicode::merged("\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}", "-")), dashes);
    // Six codes, one outline: the glyph was copied.
    let outline = Glyph::of('x').outline;
    let copies = "uvwxyz".chars().map(|c| Glyph { outline: outline.clone(), ..Glyph::of(c) });
    let sfnt = Sfnt::with_glyphs(std::iter::once(Glyph::notdef()).chain(copies).collect());
    let font = Type0::identity_h(sfnt.without(&["cmap", "post"]));
    assert_kept(font.to_unicode(ToUnicode::merged("uvwxyz", "x")), "uvwxyz");
}

#[test]
fn c4g_twin_positional_arabic_forms_are_kept() {
    let forms = "ﻉﻊﻋﻌﻍﻎﻏﻐ";
    let font = Type0::identity_h(Sfnt::with_letters(forms).without(&["cmap", "post"]));
    assert_kept(font.to_unicode(ToUnicode::merged(forms, "ع")), forms);
}

/// A font whose glyphs stand at these indices.
fn at_indices(glyphs: impl IntoIterator<Item = (usize, char)>) -> Sfnt {
    let mut all: Vec<Glyph> = Vec::new();
    for (index, letter) in glyphs {
        while all.len() < index {
            let mut filler = if all.is_empty() { Glyph::notdef() } else { Glyph::blank("filler", 500) };
            filler.letter = None;
            all.push(filler);
        }
        all.push(glyphs_for(&letter.to_string()).pop().unwrap());
    }
    Sfnt::with_glyphs(all)
}

#[test]
fn c4e_an_identity_map_on_glyph_indices_is_contradicted() {
    let healthy = Sfnt::latin();
    let font = Type0::identity_h(healthy.clone()).to_unicode(ToUnicode::Identity);
    let charge = charged(font, "COURT of appeal");
    assert_eq!((charge.code, charge.certainty), (ReasonCode::IdentityUnicodeOnGlyphs, Certainty::Proven));
    let severed = Type0::identity_h(healthy.without(&["cmap", "post"])).to_unicode(ToUnicode::Identity);
    let charge = charged(severed, "COURT of appeal");
    assert_eq!((charge.code, charge.certainty), (ReasonCode::IdentityUnicodeOnGlyphs, Certainty::Measured));
}

#[test]
fn c4e_twin_a_font_in_code_order_is_kept() {
    let sfnt = at_indices(('A'..='Z').map(|c| (c as usize, c)));
    assert_kept(Type0::identity_h(sfnt).to_unicode(ToUnicode::Identity), "COURTOFAPPEAL");
    let by_stream = Type0::identity_h(Sfnt::latin()).cid_to_gid(crate::sample::CidToGid::UnicodeCids);
    assert_kept(by_stream.to_unicode(ToUnicode::Identity), "COURT of appeal");
}

#[test]
fn standard_fonts_are_certified_by_definition_and_denied_by_their_names() {
    assert!(judged(Simple::standard14("Helvetica"), PANGRAM).is_certified);
    let shifted = Simple::standard14("Helvetica").to_unicode(ToUnicode::shifted(1));
    assert_eq!(judged(shifted, "appeal").charges[0].code, ReasonCode::ContradictedUnicode);
    let custom = Simple::not_embedded("TrueType", "TestHebrew").to_unicode(ToUnicode::replaced("abc", "שלו"));
    assert_kept(custom, "abc");
}

#[test]
fn names_and_a_map_made_from_them_certify_only_with_widths() {
    let sfnt = Sfnt::latin().without(&["cmap"]);
    assert!(judged(Type0::identity_h(sfnt.clone()).to_unicode(ToUnicode::Right), PANGRAM).is_certified);
    let mono = sfnt.monospaced(600);
    assert!(!judged(Type0::identity_h(mono).to_unicode(ToUnicode::Right), PANGRAM).is_certified);
}

#[test]
fn s19_a_family_made_for_one_legacy_encoding() {
    let text = "abcdefghijklmnop";
    let font = Simple::truetype(Sfnt::latin().without(&["cmap", "post"])).base_font("ABCDEF+Kruti Dev 010");
    let judgement = judged(font, text);
    let charge = judgement.charges.iter().find(|charge| charge.code == ReasonCode::LegacyEncoding).unwrap();
    assert_eq!(charge.certainty, Certainty::Suspected);
    assert!(charge.detail.contains("Devanagari"));
}

#[test]
fn s19_twin_other_families_and_right_maps_are_kept() {
    assert_kept(Simple::truetype(Sfnt::latin()).base_font("ABCDEF+Krugler"), PANGRAM);
    let map = ToUnicode::mapped(|letter| char::from_u32(letter as u32 + 0x8C0).map(String::from));
    let font =
        Simple::truetype(Sfnt::latin().without(&["cmap", "post"])).base_font("Kruti Dev 010").to_unicode(map);
    assert!(judged(font, PANGRAM).charges.iter().all(|charge| charge.code != ReasonCode::LegacyEncoding));
}

#[test]
fn c4h_a_map_for_other_codes_is_contradicted() {
    let sfnt = || Sfnt::for_text(PANGRAM).monospaced(600).without(&["cmap", "post"]);
    let charge = charged(Type0::identity_h(sfnt()).to_unicode(ToUnicode::MovedKeys(20)), PANGRAM);
    assert_eq!(charge.code, ReasonCode::ContradictedUnicode);
    assert!(charge.detail.starts_with("C4h: "), "{}", charge.detail);
}

#[test]
fn c4h_twin_partial_maps_and_maps_of_the_whole_font_are_kept() {
    let sfnt = || Sfnt::for_text(PANGRAM).monospaced(600).without(&["cmap", "post"]);
    let partial = ToUnicode::without("abcdefghijklmnopqrstu");
    assert_kept(Type0::identity_h(sfnt()).to_unicode(partial), PANGRAM);
    assert_kept(Type0::identity_h(sfnt()).to_unicode(ToUnicode::Right), PANGRAM);
}
