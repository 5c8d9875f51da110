use proptest::collection::vec;
use proptest::prelude::*;

use super::super::Program;
use super::build::*;
use crate::score::fonts::{Cid, Gid};

/// Asks everything of every glyph.
fn exercise(bytes: &[u8]) {
    let Ok(program) = Program::parse(bytes) else { return };
    let _ = (program.kind(), program.sha256(), program.tables(), program.proves_absence(), program.ros());
    let _ = (program.ascent(), program.descent(), program.revision(), program.post_version());
    for gid in (0..program.n_glyphs().min(300) as u16).chain([0xFFFF]).map(Gid) {
        let unicodes = program.unicodes_of(gid);
        assert!(unicodes.iter().all(|&c| program.gid_of_unicode(c).is_some()));
        let named = program.glyph_name(gid).map(|name| program.gid_of_name(name));
        assert_ne!(named, Some(None), "a name finds some glyph");
        let _ = (program.symbol_code_of(gid), program.mac_code_of(gid), program.is_reached(gid));
        let _ = (program.advance(gid), program.is_blank(gid), program.bounds(gid), program.components(gid));
        if let Some(cid) = program.cid_of_gid(gid) {
            assert!(program.gid_of_cid(cid).is_some());
        }
        let _ = program.gid_of_cid(Cid(gid.0));
    }
    for code in 0..=255 {
        let _ = (program.builtin_gid(code), program.builtin_name(code), program.gid_of_symbol(code.into()));
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let names = [vec![0, 2, 0, 0], vec![0; 28], words(&[4, 0, 3, 258, 37]), b"\x05alpha".to_vec()].concat();
    let mut glyphs = vec![triangle(100), vec![], triangle(700)];
    glyphs.push(composite(&[(2, 0), (0, 750)]));
    let mut tables = vec![
        (
            b"cmap",
            cmap(&[(3, 1, format4(&[(0x41, 0x42, 2 - 0x41)])), (1, 0, words(&[6, 14, 0, 0x41, 2, 2, 3]))]),
        ),
        (b"head", head(0)),
        (b"hmtx", words(&[500, 0, 600, 0])),
        (b"maxp", maxp(4)),
        (b"post", names),
    ];
    tables.extend(outlines(&glyphs));
    let cff = Cff {
        strings: vec!["Zhe-cy", "g17"],
        charset: Some([vec![0], words(&[34, 391, 392])].concat()),
        encoding: Some([vec![0x80, 2, 0x41, 0x42, 1, 0x7A], words(&[392])].concat()),
        charstrings: vec![vec![14], square(0, 400), square(100, 500), vec![14]],
        ..Cff::default()
    };
    let keyed =
        Cff { strings: vec!["Adobe", "Japan1"], ros: Some((391, 392)), encoding: None, ..cff.clone() };
    let ink: &[u8] = &[139, 248, 236, 13, 139, 139, 21, 239, 6, 239, 7, 39, 6, 9, 14];
    vec![
        sfnt(&tables),
        cff.build(),
        keyed.build(),
        type1("StandardEncoding def", &[(".notdef", ink), ("A", ink)]),
    ]
}

proptest! {
    #[test]
    fn any_bytes_are_survived(magic in 0..6_usize, bytes in vec(any::<u8>(), 0..2048)) {
        let magics: [&[u8]; 6] = [b"", b"\0\x01\0\0", b"OTTO", b"ttcf", b"\x01\0\x04\x02", b"%!PS-AdobeFont-1.0 currentfile eexec "];
        exercise(&[magics[magic], &bytes].concat());
    }

    #[test]
    fn damaged_fonts_are_survived(
        seed in 0..4_usize,
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 0..12),
        keep in any::<prop::sample::Index>(),
        cut in any::<bool>(),
    ) {
        let mut bytes = seeds().swap_remove(seed);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if cut {
            bytes.truncate(keep.index(bytes.len()));
        }
        exercise(&bytes);
    }

    /// Codes given to a cmap come back, both ways.
    #[test]
    fn segments_round_trip(first in 0x20_u16..0xD000, n in 1_u16..50) {
        let last = first + n - 1;
        let table = cmap(&[(3, 1, format4(&[(first, last, 1_u16.wrapping_sub(first).cast_signed())]))]);
        let program = Program::parse(&font(&[(b"cmap", table)])).unwrap();
        for (code, gid) in (first..=last).zip(1..) {
            let c = char::from_u32(code.into()).unwrap();
            prop_assert_eq!(program.gid_of_unicode(c), Some(Gid(gid)));
            prop_assert_eq!(program.unicode_of(Gid(gid)), Some(c));
        }
    }
}
