use super::super::{Part, Program, ProgramError};
use super::build::*;
use crate::score::ProgramKind;
use crate::score::fonts::{Cid, Gid};

/// Type 1: `0 600 hsbw`, a square of side 100, `endchar`.
const INK: &[u8] = &[139, 248, 236, 13, 139, 139, 21, 239, 6, 239, 7, 39, 6, 9, 14];
/// Type 1: `0 250 hsbw endchar`.
const BLANK: &[u8] = &[139, 247, 142, 13, 14];

fn named_cff() -> Cff {
    Cff {
        strings: vec!["Zhe-cy", "g17"],
        charset: Some([vec![0], words(&[34, 391, 392])].concat()), // A, Zhe-cy, g17
        encoding: Some([vec![0x80, 2, 0x41, 0x42, 1, 0x7A], words(&[392])].concat()), // codes of glyphs 1 and 2; 7A: g17
        charstrings: vec![vec![14], square(0, 400), square(100, 500), vec![14]],
        ..Cff::default()
    }
}

#[test]
fn a_name_keyed_cff_names_its_glyphs_and_encodes_codes() {
    let program = Program::parse(&named_cff().build()).unwrap();
    assert_eq!((program.kind(), program.n_glyphs()), (ProgramKind::Cff, 4));
    assert_eq!(program.names_part(), Part::Read);
    let names: Vec<_> = (0..4).map(|gid| program.glyph_name(Gid(gid))).collect();
    assert_eq!(names, [Some(".notdef"), Some("A"), Some("Zhe-cy"), Some("g17")]);
    assert_eq!(program.gid_of_name("Zhe-cy"), Some(Gid(2)));
    assert_eq!(program.builtin_gid(0x42), Some(Gid(2)));
    assert_eq!(program.builtin_name(0x42), Some("Zhe-cy"));
    assert_eq!(program.builtin_gid(0x7A), Some(Gid(3)), "by a supplement");
    assert_eq!(program.builtin_gid(0x43), None);
    assert_eq!(program.ros(), None);
    assert_eq!(program.gid_of_cid(Cid(2)), Some(Gid(2)), "CID = GID in a name-keyed program");
    assert!(program.proves_absence());
}

#[test]
fn cff_outlines_and_widths() {
    let program = Program::parse(&named_cff().build()).unwrap();
    assert_eq!(program.advance(Gid(1)), Some(0.6));
    assert_eq!(program.advance(Gid(2)), Some(0.7));
    assert_eq!(program.advance(Gid(3)), Some(0.5), "the default width");
    assert_eq!((program.is_blank(Gid(1)), program.is_blank(Gid(3))), (Some(false), Some(true)));
    assert_eq!(program.bounds(Gid(2)), Some([0.0, 0.0, 0.5, 0.5]));
    assert_ne!(program.outline_hash(Gid(1)), program.outline_hash(Gid(2)));
}

#[test]
fn a_predefined_encoding_has_names_for_absent_glyphs() {
    let cff = Cff { encoding: None, ..named_cff() };
    let program = Program::parse(&cff.build()).unwrap();
    assert_eq!(program.builtin_gid(0x41), Some(Gid(1)));
    assert_eq!(program.builtin_name(0x42), Some("B"));
    assert_eq!((program.builtin_gid(0x42), program.builtin_name(0x80)), (None, None));
}

#[test]
fn a_cid_keyed_cff_maps_cids_and_has_no_names() {
    let cff = Cff {
        strings: vec!["Adobe", "Identity"],
        charset: Some([vec![0], words(&[34, 843, 1])].concat()),
        ros: Some((391, 392)),
        encoding: None,
        ..named_cff()
    };
    let program = Program::parse(&cff.build()).unwrap();
    assert_eq!(program.ros(), Some(("Adobe", "Identity")));
    assert_eq!(program.ros_supplement(), Some(3));
    assert_eq!(program.gid_of_cid(Cid(843)), Some(Gid(2)));
    assert_eq!(program.cid_of_gid(Gid(3)), Some(Cid(1)));
    assert_eq!(program.gid_of_cid(Cid(2)), None);
    assert_eq!((program.names_part(), program.glyph_name(Gid(1))), (Part::Absent, None));
    assert!(program.proves_absence());
}

#[test]
fn a_charset_that_ends_early_proves_nothing() {
    let mut cff = named_cff();
    cff.encoding = None;
    let mut bytes = cff.build(); // the charset is the last table
    bytes.truncate(bytes.len() - 3);
    let program = Program::parse(&bytes).unwrap();
    assert_eq!(program.names_part(), Part::Damaged);
    assert!(!program.proves_absence());
}

#[test]
fn rubbish_before_a_header_is_skipped() {
    let cff = [b"\r\n".to_vec(), named_cff().build()].concat();
    assert_eq!(Program::parse(&cff).unwrap().glyph_name(Gid(1)), Some("A"));
    let type1 = [b"\n ".to_vec(), type1("StandardEncoding def", &[("A", INK)])].concat();
    assert_eq!(Program::parse(&type1).unwrap().kind(), ProgramKind::Type1);
}

#[test]
fn type1_names_and_custom_encoding() {
    let encoding = "256 array 0 1 255 {1 index exch /.notdef put} for\ndup 1 /afii10024 put\ndup 2 /space put\nreadonly def";
    let bytes = type1(encoding, &[(".notdef", BLANK), ("afii10024", INK), ("space", BLANK)]);
    let program = Program::parse(&bytes).unwrap();
    assert_eq!((program.kind(), program.n_glyphs()), (ProgramKind::Type1, 3));
    assert_eq!(program.builtin_name(1), Some("afii10024"));
    let gid = program.builtin_gid(1).unwrap();
    assert_eq!(program.glyph_name(gid), Some("afii10024"));
    assert_eq!((program.builtin_name(3), program.builtin_gid(3)), (None, None));
    assert_eq!(program.advance(gid), Some(0.6));
    assert_eq!(program.is_blank(gid), Some(false));
    assert_eq!(program.is_blank(program.gid_of_name("space").unwrap()), Some(true));
    assert!(program.proves_absence() && program.has_names() && !program.has_cmap());
}

#[test]
fn type1_with_standard_encoding_and_an_unusual_first_line() {
    let bytes = type1("StandardEncoding def", &[(".notdef", BLANK), ("A", INK)]);
    let program = Program::parse(&bytes).unwrap();
    assert_eq!(program.builtin_name(0x41), Some("A"));
    let text = b"%!PS-AdobeFont-1.0: Test";
    let renamed = [b"%!PS-Adobe-3.0 Resource-Font".as_slice(), &bytes[text.len()..]].concat();
    assert_eq!(Program::parse(&renamed).unwrap().builtin_name(0x41), Some("A"));
}

#[test]
fn type1_without_charstrings_is_damaged() {
    let bytes = type1("StandardEncoding def", &[("A", INK)]);
    let cut = &bytes[..bytes.len() / 2];
    assert_eq!(Program::parse(cut).err(), Some(ProgramError::Damaged));
}

#[test]
fn a_charstring_that_calls_without_end_is_given_up() {
    // Depth is bounded by the reader; what is run in breadth, by the meter.
    let moves = [[139, 139, 21].repeat(20_000), vec![11]].concat();
    let calls = |n: usize| [[32, 29].repeat(n), vec![14]].concat();
    let cff = Cff {
        charset: None,
        encoding: None,
        global_subrs: vec![moves],
        charstrings: vec![vec![14], calls(1), calls(3)],
        ..named_cff()
    };
    let program = Program::parse(&cff.build()).unwrap();
    assert_eq!((program.is_blank(Gid(1)), program.is_blank(Gid(2))), (Some(true), None));
}
