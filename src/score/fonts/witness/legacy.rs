//! Fonts that draw another script under Latin codes (row S19), known by their family names.
//!
//! Structure cannot prove it: names and codes are consistent, only the outlines are of another script. The families
//! listed were made for one legacy encoding and exist in no other; a ToUnicode map that gives the right script acquits.

use super::view::View;

/// Drawn codes of Latin letters or signs that the charge needs.
const MIN_CODES: usize = 10;

/// Beginnings of family names, lower case, without spaces, hyphens and dots, with what they encode.
const FAMILIES: [(&str, &str); 40] = [
    ("vntime", "TCVN3 (Vietnamese)"),
    ("vnarial", "TCVN3 (Vietnamese)"),
    ("vnhelv", "TCVN3 (Vietnamese)"),
    ("vncourier", "TCVN3 (Vietnamese)"),
    ("vnbook", "TCVN3 (Vietnamese)"),
    ("vnisouthern", "VNI (Vietnamese)"),
    ("vnitimes", "VNI (Vietnamese)"),
    ("vnihelve", "VNI (Vietnamese)"),
    ("vniavo", "VNI (Vietnamese)"),
    ("vnicentur", "VNI (Vietnamese)"),
    ("krutidev", "Kruti Dev (Devanagari)"),
    ("devlys", "DevLys (Devanagari)"),
    ("walkmanchanakya", "Chanakya (Devanagari)"),
    ("preeti", "Preeti (Devanagari)"),
    ("kantipur", "Kantipur (Devanagari)"),
    ("shusha", "Shusha (Devanagari)"),
    ("dvttyogesh", "DV-TT (Devanagari)"),
    ("dvttsurekh", "DV-TT (Devanagari)"),
    ("akrutidev", "Akruti (Devanagari)"),
    ("sutonnymj", "Bijoy (Bengali)"),
    ("sutonnyemj", "Bijoy (Bengali)"),
    ("bamini", "Bamini (Tamil)"),
    ("tamlkamban", "TAM (Tamil)"),
    ("fmabhaya", "FM (Sinhala)"),
    ("fmbindumathi", "FM (Sinhala)"),
    ("dlmanel", "DL (Sinhala)"),
    ("anmollipi", "AnmolLipi (Gurmukhi)"),
    ("gurbaniakhar", "GurbaniAkhar (Gurmukhi)"),
    ("asees", "Asees (Gurmukhi)"),
    ("lmgarun", "LMG (Gujarati)"),
    ("gopika", "Gopika (Gujarati)"),
    ("nudi", "Nudi (Kannada)"),
    ("limons", "Limon (Khmer)"),
    ("wininnwa", "Win (Myanmar)"),
    ("acadnusx", "AcadNusx (Georgian)"),
    ("acadmtavr", "AcadMtavr (Georgian)"),
    ("litnusx", "LitNusx (Georgian)"),
    ("arialarmenian", "ArmSCII-like (Armenian)"),
    ("timesarmenian", "ArmSCII-like (Armenian)"),
    ("axtmanal", "AXt (Arabic)"),
];

/// The legacy encoding of the font, and the drawn codes that read as Latin.
pub(super) fn find(view: &View<'_>) -> Option<(&'static str, Vec<u32>)> {
    let family: String =
        view.family?.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let (_, encoding) = FAMILIES.iter().find(|(start, _)| family.starts_with(start))?;
    let is_latin = |c: char| matches!(c as u32, 0x21..=0x17F | 0x2013..=0x203A | 0x20AC | 0x2122 | 0x192 | 0x2C6 | 0x2DC);
    let drawn: Vec<_> = view.drawn().filter(|code| code.claim.is_some()).collect();
    let latin: Vec<u32> = drawn
        .iter()
        .filter(|code| code.claim.as_deref().is_some_and(|claim| claim.chars().all(is_latin)))
        .map(|code| code.code)
        .collect();
    (latin.len() >= MIN_CODES && latin.len() * 10 >= drawn.len() * 8).then_some((*encoding, latin))
}
