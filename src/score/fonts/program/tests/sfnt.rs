use super::super::{Part, Program, ProgramError};
use super::build::*;
use crate::score::ProgramKind;
use crate::score::fonts::{Cid, Gid};

fn parse(bytes: &[u8]) -> Program {
    Program::parse(bytes).unwrap()
}

fn with_cmap(subtables: &[(u16, u16, Vec<u8>)]) -> Program {
    parse(&font(&[(b"cmap", cmap(subtables))]))
}

#[test]
fn a_font_without_cmap_and_names_proves_absence() {
    let program = parse(&font(&[]));
    assert_eq!(program.kind(), ProgramKind::TrueType);
    assert_eq!((program.n_glyphs(), program.units_per_em()), (4, 1000));
    assert_eq!((program.cmap_part(), program.names_part()), (Part::Absent, Part::Absent));
    assert!(program.proves_absence());
    assert!(!program.has_cmap() && !program.has_names());
    assert_eq!(program.tables(), [*b"glyf", *b"head", *b"loca", *b"maxp"]);
    assert_eq!(program.revision(), Some(2.5));
    assert_eq!(program.gid_of_cid(Cid(3)), Some(Gid(3)));
    assert_eq!(program.gid_of_cid(Cid(4)), None);
}

#[test]
fn tables_of_an_unsorted_directory_are_found() {
    let unicode = cmap(&[(3, 1, format4(&[(0x41, 0x42, 2 - 0x41)]))]);
    let [glyf, loca] = outlines(&[triangle(100), vec![], triangle(700), triangle(600)]);
    let names = [vec![0, 2, 0, 0], vec![0; 28], words(&[4, 0, 3, 36, 37])].concat();
    let tables = [loca, (b"post", names), (b"maxp", maxp(4)), glyf, (b"head", head(0)), (b"cmap", unicode)];
    let bytes = sfnt(&tables);
    let program = parse(&bytes);
    assert_eq!(program.unicode_of(Gid(2)), Some('A'));
    assert_eq!(program.glyph_name(Gid(3)), Some("B"));
    assert_eq!(program.is_blank(Gid(2)), Some(false));
    // What a binary search makes of the same file: the false "no cmap" this is about.
    let searched = ttf_parser::RawFace::parse(&bytes, 0).unwrap();
    assert!(searched.table(ttf_parser::Tag::from_bytes(b"cmap")).is_none());
}

#[test]
fn a_damaged_cmap_is_not_an_absent_one() {
    let whole = cmap(&[(3, 1, format4(&[(0x41, 0x42, 2 - 0x41)]))]);
    for length in 0..whole.len() {
        let program = parse(&font(&[(b"cmap", whole[..length].to_vec())]));
        let proves = program.proves_absence();
        assert!(!proves || program.has_cmap() || length == 0, "cut at {length} proves absence");
    }
    let program = parse(&font(&[(b"cmap", whole)]));
    assert_eq!(program.cmap_part(), Part::Read);
    let unknown = with_cmap(&[(3, 1, words(&[8, 0, 0, 0]))]);
    assert_eq!(unknown.cmap_part(), Part::Damaged);
}

#[test]
fn cmap_with_no_subtable_is_absent() {
    assert_eq!(with_cmap(&[]).cmap_part(), Part::Absent);
    // Format 14 holds variation sequences, no codes.
    assert_eq!(with_cmap(&[(0, 5, words(&[14, 0, 10, 0, 0]))]).cmap_part(), Part::Absent);
}

#[test]
fn format_0_maps_mac_codes() {
    let mut table = words(&[0, 262, 0]);
    table.extend([0; 256]);
    table[6 + 0x41] = 2;
    table[6 + 0x61] = 2;
    let program = with_cmap(&[(1, 0, table)]);
    assert_eq!(program.gid_of_mac(0x61), Some(Gid(2)));
    assert_eq!(program.mac_code_of(Gid(2)), Some(0x41));
    assert_eq!(program.gid_of_mac(0x62), None);
    assert!(program.has_mac_cmap() && !program.has_unicode_cmap() && program.is_reached(Gid(2)));
    assert_eq!(program.unicode_of(Gid(2)), None);
}

#[test]
fn format_2_maps_one_and_two_byte_codes() {
    // Sub-header 0: bytes 41–42. Sub-header 1, for the high byte 88: low bytes 9F–A0 (亜 and 唖 in Shift_JIS).
    let mut table = words(&[2, 0, 0]);
    let mut keys = [0_u16; 256];
    keys[0x88] = 8;
    table.extend(words(&keys));
    table.extend(words(&[0x41, 2, 0, 10])); // gids start 10 bytes behind the offset field
    table.extend(words(&[0x9F, 2, 1, 6]));
    table.extend(words(&[2, 3, 1, 2])); // delta 1 for the second pair
    let program = with_cmap(&[(3, 2, table)]);
    assert_eq!(program.cmap_part(), Part::Read);
    assert_eq!(program.gid_of_unicode('A'), Some(Gid(2)));
    assert_eq!(program.unicodes_of(Gid(2)), ['A', '亜']);
    assert_eq!(program.unicodes_of(Gid(3)), ['B', '唖']);
}

#[test]
fn format_4_survives_wrong_lengths_and_offsets() {
    let mut table = format4(&[(0x41, 0x42, 2 - 0x41)]);
    table[2..4].copy_from_slice(&[0, 1]); // length 1
    assert_eq!(with_cmap(&[(3, 1, table)]).unicode_of(Gid(3)), Some('B'));
    let overlapping: Vec<(u16, u16, i16)> = (0..100).map(|_| (0, 0xFFF0, 1)).collect();
    let program = with_cmap(&[(3, 1, format4(&overlapping))]);
    assert_eq!(program.cmap_part(), Part::Damaged, "more codes than there are");
}

#[test]
fn formats_6_10_12_13_map_runs() {
    let six = words(&[6, 14, 0, 0x41, 2, 2, 3]);
    let ten = [words(&[10, 0, 0, 24, 0, 0, 1, 0xF600, 0, 2]), words(&[2, 3])].concat();
    let twelve = words(&[12, 0, 0, 28, 0, 0, 0, 1, 1, 0xF600, 1, 0xF601, 0, 2]);
    let thirteen = words(&[13, 0, 0, 28, 0, 0, 0, 1, 0, 0x41, 0, 0x43, 0, 2]);
    assert_eq!(with_cmap(&[(0, 3, six)]).unicode_of(Gid(3)), Some('B'));
    for table in [ten, twelve] {
        let program = with_cmap(&[(3, 10, table)]);
        assert_eq!(program.cmap_part(), Part::Read);
        assert_eq!(program.unicode_of(Gid(3)), Some('\u{1F601}'));
        assert_eq!(program.gid_of_unicode('\u{1F600}'), Some(Gid(2)));
    }
    assert_eq!(with_cmap(&[(0, 6, thirteen)]).unicodes_of(Gid(2)), ['A', 'B', 'C']);
}

#[test]
fn a_group_over_all_of_unicode_is_bounded() {
    let groups = words(&[13, 0, 0, 28, 0, 0, 0, 1, 0, 0, 0xFFFF, 0xFFFF, 0, 2]);
    assert_eq!(with_cmap(&[(3, 10, groups)]).cmap_part(), Part::Damaged);
}

#[test]
fn of_several_characters_the_plainest_is_best() {
    let segments = format4(&[
        (0x20, 0x20, 1 - 0x20),
        (0xA0, 0xA0, 1 - 0xA0),
        (0xB5, 0xB5, 2 - 0xB5),
        (0x3BC, 0x3BC, 2 - 0x3BC),
        (0xE000, 0xE000, 3_u16.wrapping_sub(0xE000).cast_signed()),
        (0xFB01, 0xFB01, 3_u16.wrapping_sub(0xFB01).cast_signed()),
    ]);
    let program = with_cmap(&[(3, 1, segments)]);
    assert_eq!(program.unicode_of(Gid(1)), Some(' '));
    assert_eq!(program.unicodes_of(Gid(2)), ['μ', 'µ'], "the micro sign is a compatibility character");
    assert_eq!(program.unicodes_of(Gid(3)), ['ﬁ', '\u{E000}'], "private use comes last");
}

#[test]
fn the_fuller_subtable_is_preferred() {
    let program = with_cmap(&[
        (3, 1, format4(&[(0x41, 0x41, 2 - 0x41)])),
        (3, 10, words(&[12, 0, 0, 28, 0, 0, 0, 1, 0, 0x41, 0, 0x41, 0, 3])),
    ]);
    assert_eq!(program.gid_of_unicode('A'), Some(Gid(3)));
    assert_eq!(program.unicode_of(Gid(2)), Some('A'), "both reach their glyphs");
}

#[test]
fn symbol_codes_are_found_in_their_ranges() {
    for start in [0_u16, 0xF000, 0xF100, 0xF200] {
        let first = start + 0x41;
        let segments = format4(&[(first, first + 1, 2_u16.wrapping_sub(first).cast_signed())]);
        let program = with_cmap(&[(3, 0, segments)]);
        assert_eq!(program.gid_of_symbol(0x42), Some(Gid(3)), "{start:04X}");
        assert_eq!(program.symbol_code_of(Gid(3)), Some(start + 0x42));
        assert!(program.has_symbol_cmap() && !program.has_unicode_cmap());
    }
}

fn with_post(post: Vec<u8>) -> Program {
    parse(&font(&[(b"post", post)]))
}

#[test]
fn post_2_names_glyphs() {
    let mut post = [vec![0, 2, 0, 0], vec![0; 28], words(&[4, 0, 3, 258, 259])].concat();
    post.extend(b"\x07uni0416\x05alpha");
    let program = with_post(post.clone());
    let names: Vec<_> = (0..4).map(|gid| program.glyph_name(Gid(gid))).collect();
    assert_eq!(names, [Some(".notdef"), Some("space"), Some("uni0416"), Some("alpha")]);
    assert_eq!(program.gid_of_name("alpha"), Some(Gid(3)));
    assert_eq!(program.gid_of_name("beta"), None);
    assert_eq!((program.post_version(), program.names_part()), (Some(2.0), Part::Read));
    // The strings are cut short: what is there stands, what is not there proves nothing.
    post.truncate(post.len() - 1);
    let program = with_post(post);
    assert_eq!(program.glyph_name(Gid(2)), Some("uni0416"));
    assert_eq!((program.glyph_name(Gid(3)), program.names_part()), (None, Part::Damaged));
    assert!(!program.proves_absence());
}

#[test]
fn post_1_speaks_of_258_glyphs_only() {
    let post = [vec![0, 1, 0, 0], vec![0; 28]].concat();
    assert_eq!(with_post(post.clone()).names_part(), Part::Absent);
    let all = vec![vec![]; 258];
    let mut tables = vec![(b"head", head(0)), (b"maxp", maxp(258)), (b"post", post)];
    tables.extend(outlines(&all));
    let program = parse(&sfnt(&tables));
    assert_eq!(program.glyph_name(Gid(36)), Some("A"));
    assert_eq!(program.gid_of_name("dcroat"), Some(Gid(257)));
}

#[test]
fn post_25_shifts_the_mac_order() {
    let post = [vec![0, 2, 0x50, 0], vec![0; 28], words(&[4]), vec![0, 2, 34, 34]].concat();
    let program = with_post(post);
    let names: Vec<_> = (0..4).map(|gid| program.glyph_name(Gid(gid))).collect();
    assert_eq!(names, [Some(".notdef"), Some("space"), Some("A"), Some("B")]);
}

#[test]
fn post_3_and_4_have_no_names() {
    for version in [3, 4] {
        let program = with_post([vec![0, version, 0, 0], vec![0; 28]].concat());
        assert_eq!(program.names_part(), Part::Absent);
        assert!(program.proves_absence());
    }
}

#[test]
fn outlines_are_summed_up() {
    let glyphs = [triangle(100), vec![], triangle(700), composite(&[(2, 0), (0, 750)]), composite(&[(1, 0)])];
    let mut tables = vec![(b"head", head(0)), (b"maxp", maxp(5))];
    tables.extend(outlines(&glyphs));
    let program = parse(&sfnt(&tables));
    let blank: Vec<_> = (0..6).map(|gid| program.is_blank(Gid(gid))).collect();
    assert_eq!(blank, [Some(false), Some(true), Some(false), Some(false), Some(true), None]);
    assert_eq!(program.components(Gid(3)), [Gid(2), Gid(0)]);
    assert_eq!(program.components(Gid(2)), []);
    assert_ne!(program.outline_hash(Gid(0)), program.outline_hash(Gid(2)));
    assert_eq!(program.outline_hash(Gid(1)), Some(0));
    assert_eq!(program.bounds(Gid(2)), Some([0.0, 0.0, 0.5, 0.7]));
    assert_eq!(program.bounds(Gid(3)), Some([0.0, 0.0, 0.5, 0.85]));
}

#[test]
fn composites_without_end_are_given_up() {
    let itself = composite(&[(0, 0), (0, 0)]);
    let mut tables = vec![(b"head", head(0)), (b"maxp", maxp(1))];
    tables.extend(outlines(&[itself]));
    assert_eq!(parse(&sfnt(&tables)).is_blank(Gid(0)), None);
}

#[test]
fn advances_need_hmtx_and_take_the_last_for_the_rest() {
    let mut hhea = vec![0; 36];
    hhea[4..8].copy_from_slice(&words(&[900, 0_u16.wrapping_sub(200)]));
    hhea[34..].copy_from_slice(&words(&[2]));
    let hmtx = words(&[500, 0, 600, 0, 0, 0]);
    let program = parse(&font(&[(b"hhea", hhea), (b"hmtx", hmtx)]));
    assert_eq!((program.advance(Gid(0)), program.advance(Gid(3))), (Some(0.5), Some(0.6)));
    assert_eq!(program.advance(Gid(4)), None);
    assert_eq!((program.ascent(), program.descent()), (Some(0.9), Some(-0.2)));
    assert_eq!(parse(&font(&[])).advance(Gid(0)), None);
}

#[test]
fn missing_head_and_maxp_are_made_up_for() {
    let tables = outlines(&[triangle(100), vec![], triangle(700)]);
    let program = parse(&sfnt(&tables));
    assert_eq!((program.n_glyphs(), program.units_per_em()), (3, 1000));
    assert_eq!(program.is_blank(Gid(2)), Some(false));
}

#[test]
fn a_font_without_outlines_proves_nothing() {
    let program = parse(&sfnt(&[(b"head", head(0)), (b"maxp", maxp(4))]));
    assert!(!program.proves_absence());
}

#[test]
fn what_is_no_font_is_told_apart() {
    assert_eq!(Program::parse(&[]).err(), Some(ProgramError::Empty));
    assert_eq!(Program::parse(b"25 0 obj\nnull\nendobj").err(), Some(ProgramError::Unknown));
    assert_eq!(Program::parse(&[0, 1, 0, 0, 0]).err(), Some(ProgramError::Damaged));
}

#[test]
fn a_hash_names_the_program() {
    let program = parse(&font(&[]));
    assert_eq!(program.sha256().len(), 64);
    assert_ne!(program.sha256(), parse(&font(&[(b"post", vec![0; 32])])).sha256());
}
