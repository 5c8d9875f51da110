//! Rows T1 to T6.

use super::{routes, routes_of};
use crate::sample::{CharProc, ToUnicode, Type3};

#[test]
fn t1_a_map_is_read() {
    let font = Type3::new("COURT").codes_from(1).named(|_, code| format!("q{code}z"));
    assert_eq!(routes(font.to_unicode(ToUnicode::Right), "COURT"), "T1 ReadSpec COURT");
}

#[test]
fn t2_names_of_the_list_are_read() {
    assert_eq!(routes(Type3::new("COURT"), "COURT"), "T2 ReadSpec COURT");
}

#[test]
fn t3_code_echoes_are_doubtful() {
    let font = |prefix: &'static str| Type3::new("COURT").named(move |_, code| format!("{prefix}{code}"));
    assert_eq!(routes(font("a"), "COURT"), "T3 Unknown COURT");
    assert_eq!(routes(font(""), "COURT"), "T3 Unknown COURT");
    assert_eq!(routes(font("a").font_name("cmr10"), "COURT"), "T3 Inferred COURT");
    // The character for its own name, as one old driver writes.
    let literal = Type3::new("=;2").named(|letter, _| letter.to_string());
    assert_eq!(routes(literal, "=;2"), "T3 Unknown =;2");
}

#[test]
fn t4_arbitrary_names_are_dead() {
    let font = || Type3::new("COURT").named(|_, code| format!("Q{code}z"));
    assert_eq!(routes(font(), "COURT"), "T4 Dead ?????");
    assert_eq!(routes(font().procedures(CharProc::Bitmap), "COURT"), "T4 Dead ?????");
    let words =
        Type3::new("AB").named(|letter, _| if letter == 'A' { "checkbox" } else { "stopwatch" }.into());
    assert_eq!(routes(words, "AB"), "T4 Unknown ??");
}

#[test]
fn t4_no_encoding_draws_nothing() {
    assert_eq!(routes_of(Type3::new("COURT").without_encoding(), b"CO"), "");
}

#[test]
fn t5_whole_words_are_left_to_the_page() {
    let font = Type3::new("A").procedures(CharProc::Operators("/Im0 Do".into())).named(|_, _| "Q1z".into());
    assert_eq!(routes(font, "A"), "T4 Dead ?");
}

#[test]
fn t6_blank_procedures_are_no_evidence() {
    let font = Type3::new("COURT").named(|_, code| format!("Q{code}z")).procedures(CharProc::Empty);
    assert_eq!(routes(font, "COURT"), "");
    // A code without a procedure draws nothing either.
    assert_eq!(routes_of(Type3::new("C"), b"\x07"), "");
}
