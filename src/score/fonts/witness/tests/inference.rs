use super::super::{KnownOrder, allocation_charge, known_letter, known_order};
use super::*;
use crate::sample::{Sfnt, Simple, ToUnicode, Type0};

fn dead(sfnt: Sfnt) -> Type0 {
    Type0::identity_h(sfnt.without(&["cmap", "post"]))
}

#[test]
fn widths_deny_a_permutation_of_letters() {
    let swapped = ToUnicode::replaced("abcdefghijklmnopqrstuvwxyz", "zmwyxvtusrqponlkibjcghdfea");
    let charge = charged(dead(Sfnt::latin()).to_unicode(swapped), PANGRAM);
    assert_eq!((charge.code, charge.certainty), (ReasonCode::ContradictedUnicode, Certainty::Measured));
    assert!(charge.detail.starts_with("witness widths: "), "{}", charge.detail);
    let charge = charged(dead(Sfnt::latin()).to_unicode(ToUnicode::rotated(11)), PANGRAM);
    assert_eq!(charge.code, ReasonCode::ContradictedUnicode);
}

#[test]
fn widths_solve_a_shift() {
    let charge = charged(dead(Sfnt::latin()).to_unicode(ToUnicode::shifted(-1)), PANGRAM);
    assert_eq!(charge.code, ReasonCode::GlyphCodeShift);
    assert!(charge.detail.ends_with("shifted by 1 they fit"), "{}", charge.detail);
}

#[test]
fn widths_twin_right_and_monospaced_fonts_are_kept() {
    assert_kept(dead(Sfnt::latin()).to_unicode(ToUnicode::Right), PANGRAM);
    // One width for all says nothing either way.
    assert_kept(dead(Sfnt::latin().monospaced(600)).to_unicode(ToUnicode::rotated(11)), PANGRAM);
    assert_kept(dead(Sfnt::latin()).to_unicode(ToUnicode::rotated(11)), "few letters");
}

#[test]
fn c15_the_mac_order_is_confirmed_by_widths() {
    let (code, certainty, detail) = summary(dead(Sfnt::mac_order()), PANGRAM);
    assert_eq!((code, certainty), (ReasonCode::KnownGlyphOrder, Certainty::Measured));
    assert_eq!(detail, "I1: glyph order with ASCII = index + 29, confirmed by widths");
    let read: String = with_font(dead(Sfnt::mac_order()), PANGRAM, |font, drawn| {
        let order = known_order(font, drawn).unwrap();
        drawn.iter().filter_map(|&(code, n_bytes, _)| known_letter(font, code, n_bytes, order)).collect()
    });
    let mut expected: Vec<char> = PANGRAM.chars().collect();
    expected.sort_unstable();
    expected.dedup();
    assert_eq!(read, expected.into_iter().collect::<String>());
}

#[test]
fn c15_twin_monospaced_or_in_another_order_stays_dead() {
    assert_kept(dead(Sfnt::mac_order().monospaced(600)), PANGRAM);
    assert_kept(dead(Sfnt::latin()), PANGRAM);
    assert_kept(dead(Sfnt::mac_order()), "a few");
    assert_eq!(with_font(dead(Sfnt::latin()), PANGRAM, known_order), None);
}

#[test]
fn known_orders_name_their_letters() {
    let mac = |index| KnownOrder::Mac.letter(index);
    assert_eq!([mac(3), mac(36), mac(68), mac(112)], [Some(' '), Some('A'), Some('a'), Some('é')]);
    assert_eq!([mac(0), mac(258)], [None, None]);
    let adobe = |index| KnownOrder::AdobeStandard.letter(index);
    assert_eq!([adobe(1), adobe(34), adobe(66), adobe(8)], [Some(' '), Some('A'), Some('a'), Some('’')]);
    assert_eq!([adobe(0), adobe(96)], [None, None]);
}

#[test]
fn s15_private_codes_in_order_of_first_use_are_dead() {
    let text = "the quick brown fox jumps";
    let letters = crate::sample::distinct(text);
    let sfnt = Sfnt::for_text(text).cmaps(&[crate::sample::Cmap::Custom {
        platform: 1,
        encoding: 0,
        format: 0,
        map: (0..letters.chars().count()).map(|n| (33 + n as u32, 1 + n as u16)).collect(),
    }]);
    let font = Simple::truetype(sfnt.without(&["post"])).symbolic().no_encoding().codes_from(33, &letters);
    let first_use: Vec<CharCode> = (33..33 + letters.chars().count() as u32).map(CharCode).collect();
    let charge = with_font(font.clone(), text, |font, _| allocation_charge(font, &first_use)).unwrap();
    assert_eq!((charge.code, charge.certainty), (ReasonCode::UndecodableFont, Certainty::Measured));
    // The same codes shown in another order: an encoding, not an allocation.
    let shuffled: Vec<CharCode> = first_use.iter().rev().copied().collect();
    assert_eq!(with_font(font, text, |font, _| allocation_charge(font, &shuffled)), None);
}

#[test]
fn s15_twin_a_font_with_a_route_is_not_asked() {
    let first_use: Vec<CharCode> = (33..60).map(CharCode).collect();
    let font = Simple::truetype(Sfnt::latin());
    assert_eq!(with_font(font, "abc", |font, _| allocation_charge(font, &first_use)), None);
}
