use super::super::{KnownOrder, allocation_charge, known_letter, known_order};
use super::*;
use crate::sample::{Glyph, Outline, Point, Sfnt, Simple, ToUnicode, Type0, Type3};
use crate::score::fonts::names;

fn dead(sfnt: Sfnt) -> Type0 {
    Type0::identity_h(sfnt.without(&["cmap", "post"]))
}

#[test]
fn widths_deny_a_permutation_of_letters() {
    let swapped = ToUnicode::replaced("abcdefghijklmnopqrstuvwxyz", "zmwyxvtusrqponlkibjcghdfea");
    let charge = charged(dead(Sfnt::latin()).to_unicode(swapped), PANGRAM);
    assert_eq!((charge.code, charge.certainty), (ReasonCode::ContradictedUnicode, Certainty::Measured));
    assert!(charge.detail.starts_with("witness letterforms: widths r = "), "{}", charge.detail);
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

/// A monospaced font whose letters are boxes of the heights that letters have; capitals only, if so asked.
fn boxes(capitals: bool) -> Sfnt {
    let glyph = |letter: char| {
        let (mut bottom, mut top) = (0, 480);
        if "bdfhklti".contains(letter) || letter.is_uppercase() || capitals {
            top = 700;
        }
        if "gjpqy".contains(letter) && !capitals {
            bottom = -210;
        }
        let corner = |x, y| Point { x, y, on_curve: true };
        // One box apart from another by a notch, so that no two outlines are the same.
        let notch = corner(300, bottom + 100 + letter as i16 % 64);
        let ring = [corner(50, bottom), notch, corner(550, bottom), corner(550, top), corner(50, top)];
        Glyph { outline: Outline::Contours(vec![ring.to_vec()]), advance: 600, ..Glyph::of(letter) }
    };
    let letters = ('a'..='z').chain('A'..='Z').map(glyph);
    Sfnt::with_glyphs([Glyph::notdef(), Glyph::blank("space", 600)].into_iter().chain(letters).collect())
}

const WORDS: &str = "SphinxofblackquartzjudgemyvowThequickbrownfox";

#[test]
fn heights_deny_other_letters_where_widths_say_nothing() {
    let font = |map: ToUnicode| dead(boxes(false)).to_unicode(map);
    let charge =
        charged(font(ToUnicode::replaced("abcdefghijklmnopqrstuvwxyz", "pybgdjqhklatfeciwomnusrxzv")), WORDS);
    assert_eq!((charge.code, charge.certainty), (ReasonCode::ContradictedUnicode, Certainty::Measured));
    assert!(charge.detail.starts_with("witness letterforms: heights r = "), "{}", charge.detail);
    let charge = charged(font(ToUnicode::shifted(-2)), WORDS);
    assert_eq!(charge.code, ReasonCode::GlyphCodeShift);
    assert!(charge.detail.ends_with("shifted by 2 they fit"), "{}", charge.detail);
}

#[test]
fn heights_twin_right_letters_capitals_and_few_letters_are_kept() {
    assert_kept(dead(boxes(false)).to_unicode(ToUnicode::Right), WORDS);
    assert_kept(dead(boxes(true)).to_unicode(ToUnicode::rotated(7)), WORDS);
    assert_kept(dead(boxes(false)).to_unicode(ToUnicode::rotated(7)), "gopher");
}

#[test]
fn heights_confirm_names_of_a_monospaced_font() {
    let font = |sfnt: Sfnt| Type0::identity_h(sfnt.without(&["cmap"])).to_unicode(ToUnicode::Right);
    assert!(judged(font(boxes(false)), WORDS).is_certified);
    assert!(!judged(font(boxes(true)), WORDS).is_certified);
}

#[test]
fn t3_names_that_echo_codes_are_no_dingbats() {
    let letters: String = ('A'..='P').collect();
    let dingbat = |letter: char| names::unicode_of_name(&format!("a{}", letter as u32), true);
    let font = |map: ToUnicode| Type3::new(&letters).named(|_, code| format!("a{code}")).to_unicode(map);
    let charge = charged(font(ToUnicode::mapped(dingbat)), &letters);
    assert_eq!(charge.code, ReasonCode::ContradictedUnicode);
    assert_kept(font(ToUnicode::Right), &letters);
    // In ZapfDingbats numbers are no codes: a1 stands at 21.
    let zapf = |letter: char| names::unicode_of_name(&format!("a{}", letter as u32 - 32), true);
    assert_kept(font(ToUnicode::mapped(zapf)), &letters);
}

#[test]
fn t3_t6_allocated_codes_with_a_blank_among_them_are_dead() {
    let text = "thequickbrownfoxjumps";
    let letters = crate::sample::distinct(text);
    let font = Type3::new(&letters).codes_from(1).named(|_, code| format!("a{code}")).each(|glyph| {
        if glyph.letter == 'q' {
            glyph.procedure = crate::sample::CharProc::Empty;
        }
    });
    let first_use: Vec<CharCode> = (1..=letters.chars().count() as u32).map(CharCode).collect();
    let charge = with_font(font.clone(), text, |font, _| allocation_charge(font, &first_use)).unwrap();
    assert_eq!(charge.code, ReasonCode::UndecodableFont);
    let shuffled: Vec<CharCode> = first_use.iter().rev().copied().collect();
    assert_eq!(with_font(font, text, |font, _| allocation_charge(font, &shuffled)), None);
}
