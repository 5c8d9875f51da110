//! Rows C1 to C23.

use super::{Drawn, routes, routes_of};
use crate::sample::{
    Cff, CidToGid, Cmap, Post, Program, Sfnt, StreamSpec, ToUnicode, Type0, Type1Font, glyphs_for,
};

/// An embedded subset without cmap and names: GIDs in order of first use.
fn bare() -> Sfnt {
    Sfnt::for_text("COURT ").without(&["cmap", "post"])
}

fn with_map(map: ToUnicode) -> Type0 {
    Type0::identity_h(bare()).to_unicode(map)
}

#[test]
fn c1_a_right_map_is_read() {
    assert_eq!(routes(with_map(ToUnicode::Right), "COURT"), "C1 ReadSpec COURT");
}

#[test]
fn c2_codes_that_a_map_lacks_fall_through() {
    assert_eq!(
        routes(with_map(ToUnicode::without("U")), "COURT"),
        "C1 ReadSpec CO, C15 Dead ?, C1 ReadSpec RT"
    );
    let twin = Type0::identity_h(Sfnt::for_text("COURT")).to_unicode(ToUnicode::without("U"));
    assert_eq!(routes(twin, "COURT"), "C1 ReadSpec CO, C10 ReadProgram U, C1 ReadSpec RT");
}

#[test]
fn c3_an_empty_map_is_none() {
    assert_eq!(routes(with_map(ToUnicode::Empty), "COURT"), "C15 Dead ?????");
    assert_eq!(routes(with_map(ToUnicode::Raw(b"rubbish".to_vec())), "COURT"), "C15 Dead ?????");
}

#[test]
fn c4a_targets_of_replacement_characters_are_none() {
    assert_eq!(routes(with_map(ToUnicode::all("\u{FFFD}")), "COURT"), "C4a Dead ?????");
    let twin = Type0::identity_h(Sfnt::for_text("COURT")).to_unicode(ToUnicode::all("\u{FFFD}"));
    assert_eq!(routes(twin, "COURT"), "C4a ReadProgram COURT");
}

#[test]
fn c4b_forbidden_targets_are_none() {
    for target in ["\0", "\u{FEFF}", "\u{FFFE}"] {
        assert_eq!(routes(with_map(ToUnicode::all(target)), "COURT"), "C4b Dead ?????", "{target:?}");
    }
    let twin = Type0::identity_h(Sfnt::for_text("COURT")).to_unicode(ToUnicode::all("\0"));
    assert_eq!(routes(twin, "COURT"), "C4b ReadProgram COURT");
}

#[test]
fn c4c_private_use_means_something_in_known_symbol_fonts_only() {
    let private = || with_map(ToUnicode::Codes(vec![(1, "\u{F061}".into()), (2, "\u{F062}".into())]));
    assert_eq!(routes_of(private(), b"\0\x01\0\x02"), "C4c Dead \u{F061}\u{F062}");
    let symbol = private().base_font("AAAAAA+SymbolMT");
    assert_eq!(routes_of(symbol, b"\0\x01\0\x02"), "C4c ReadProgram αβ");
    let named = private().base_font("AAAAAA+MySymbolMT");
    assert_eq!(routes_of(named, b"\0\x01\0\x02"), "C4c Dead \u{F061}\u{F062}");
}

#[test]
fn c4d_control_targets_contradict() {
    let map = |target: &str| with_map(ToUnicode::Codes(vec![(1, target.into())]));
    assert_eq!(routes_of(map("\u{3}"), b"\0\x01"), "C4d Contradicted \u{3}");
    assert_eq!(routes_of(map("\u{85}"), b"\0\x01"), "C4d Contradicted \u{85}");
    // A tab is white space, and white space leaves no mark.
    assert_eq!(routes_of(map("\t"), b"\0\x01"), "");
}

#[test]
fn c4e_an_identity_map_over_glyph_indices_is_not_read() {
    let mapped = |sfnt| Type0::identity_h(sfnt).to_unicode(ToUnicode::Identity);
    // GIDs 36 … of the Mac order are the codes of other letters: nothing in the program says so, so nobody knows.
    let mac = Sfnt::mac_order().without(&["cmap", "post"]);
    assert_eq!(routes(mapped(mac), "CO"), "C4e Unknown &2");
    assert_eq!(routes(mapped(Sfnt::mac_order()), "CO"), "C4e Contradicted &2");
    let named = Type0::identity_h(Sfnt::mac_order()).to_unicode(ToUnicode::IdentityName);
    assert_eq!(routes(named, "CO"), "C4e Contradicted &2");
}

#[test]
fn c4e_an_identity_map_over_unicode_cids_is_read() {
    let font = Type0::identity_h(bare()).cid_to_gid(CidToGid::UnicodeCids).to_unicode(ToUnicode::Identity);
    assert_eq!(routes(font, "COURT"), "C4e ReadSpec COURT");
    let font = Type0::identity_h(Sfnt::for_text("COURT"))
        .cid_to_gid(CidToGid::UnicodeCids)
        .to_unicode(ToUnicode::Identity);
    assert_eq!(routes(font, "COURT"), "C4e ReadSpec COURT");
}

#[test]
fn c4f_c4g_c4h_are_left_to_the_witnesses() {
    for map in [ToUnicode::shifted(1), ToUnicode::merged("COU", "X"), ToUnicode::OneByteKeys] {
        let text = routes(with_map(map), "COURT");
        assert!(text.starts_with("C1 ReadSpec "), "{text}");
    }
}

#[test]
fn c5_legacy_cmaps_are_read() {
    for (cmap, ordering, text) in [
        ("GBK-EUC-H", "GB1", "中文"),
        ("GB-EUC-H", "GB1", "中文"),
        ("90ms-RKSJ-H", "Japan1", "日本"),
        ("EUC-H", "Japan1", "日本"),
        ("ETen-B5-H", "CNS1", "中文"),
        ("KSC-EUC-H", "Korea1", "한글"),
    ] {
        let font = Type0::not_embedded("SimSun", cmap, ordering);
        assert_eq!(routes(font, text), format!("C5 ReadSpec {text}"), "{cmap}");
    }
}

#[test]
fn c6_unicode_cmaps_are_read() {
    for (cmap, ordering, text) in [
        ("UniGB-UCS2-H", "GB1", "中文"),
        ("UniJIS-UTF16-H", "Japan1", "日本"),
        ("UniKS-UCS2-H", "Korea1", "한글"),
        ("UniCNS-UTF16-H", "CNS1", "中文"),
    ] {
        let font = Type0::not_embedded("SimSun", cmap, ordering);
        assert_eq!(routes(font, text), format!("C6 ReadSpec {text}"), "{cmap}");
    }
}

#[test]
fn c7_identity_of_a_collection_is_read_unless_the_program_denies_it() {
    let bare = Type0::identity_h(Sfnt::for_text("AB").without(&["cmap", "post"]));
    // CIDs 1 and 2 of Adobe-Japan1 are a space and an exclamation mark.
    assert_eq!(routes_of(bare.system_info("Adobe", "Japan1", 2), b"\0\x02"), "C7 ReadSpec !");
    let denied = Type0::identity_h(Sfnt::for_text("AB")).system_info("Adobe", "Japan1", 2);
    assert_eq!(routes_of(denied, b"\0\x02"), "C7 Contradicted !");
    let agreeing = Type0::identity_h(Sfnt::for_text(" !")).system_info("Adobe", "Japan1", 2);
    assert_eq!(routes_of(agreeing, b"\0\x02"), "C7 ReadSpec !");
}

#[test]
fn c8_an_embedded_cmap_is_read_through_the_one_it_uses() {
    let base = StreamSpec::new(
        "/Type /CMap /CMapName /Mine /UseCMap /GBK-EUC-H",
        "begincmap 1 begincidchar <8080> 4559 endcidchar endcmap",
    );
    let font = Type0::not_embedded("SimSun", "Identity-H", "GB1").encoding_stream(base);
    assert_eq!(routes_of(font, b"\xD6\xD0"), "C8 ReadSpec 中");
}

#[test]
fn c8_a_private_cmap_leads_to_glyphs() {
    let cmap = || {
        StreamSpec::new(
            "/Type /CMap /CMapName /Mine",
            "begincmap 1 begincodespacerange <00> <FF> endcodespacerange 1 begincidrange <41> <45> 1 endcidrange endcmap",
        )
    };
    let font = Type0::identity_h(bare()).encoding_stream(cmap());
    assert_eq!(routes_of(font, b"AB"), "C15 Dead ??");
    let twin = Type0::identity_h(Sfnt::for_text("COURT")).encoding_stream(cmap());
    assert_eq!(routes_of(twin, b"AB"), "C10 ReadProgram CO");
}

#[test]
fn c9_unknown_orderings() {
    let ucs =
        |sfnt: Sfnt| Type0::identity_h(sfnt).cid_to_gid(CidToGid::UnicodeCids).system_info("Adobe", "UCS", 0);
    assert_eq!(routes(ucs(bare()), "COURT"), "C9 Unknown COURT");
    assert_eq!(routes(ucs(Sfnt::for_text("COURT")), "COURT"), "C16 ReadProgram COURT");
    let rubbish = Type0::identity_h(bare()).system_info("Adobe", "Indentity0", 0);
    assert_eq!(routes(rubbish, "COURT"), "C15 Dead ?????");
}

#[test]
fn c10_the_unicode_cmap_of_the_program_is_inverted() {
    for cmap in [Cmap::Unicode, Cmap::UnicodeFull, Cmap::UnicodePlatform] {
        let sfnt = Sfnt::for_text("COURT").cmaps(&[cmap]).post(Post::None);
        assert_eq!(routes(Type0::identity_h(sfnt), "COURT"), "C10 ReadProgram COURT");
    }
    let unsorted = Sfnt::for_text("COURT").without(&["post"]).unsorted_directory();
    assert_eq!(routes(Type0::identity_h(unsorted), "COURT"), "C10 ReadProgram COURT");
}

#[test]
fn c11_a_symbol_cmap_alone_is_doubtful() {
    let sfnt = || Sfnt::latin().cmaps(&[Cmap::Symbol]).post(Post::None);
    let odd = sfnt().monospaced(600);
    assert_eq!(routes(Type0::identity_h(odd), "COURT"), "C11 Unknown COURT");
    let greek = Type0::identity_h(sfnt().monospaced(600)).base_font("AAAAAA+SymbolMT");
    assert_eq!(routes(greek, "abg"), "C11 ReadProgram αβγ");
}

#[test]
fn c12_a_macintosh_cmap_alone_is_doubtful() {
    let sfnt = |post| Sfnt::latin().cmaps(&[Cmap::MacRoman]).post(post).monospaced(600);
    assert_eq!(routes(Type0::identity_h(sfnt(Post::None)), "COURT"), "C12 Unknown COURT");
    // Glyphs without names of their own, in a font where three names and more agree with the codes.
    let named = sfnt(Post::Names).names(|_, glyph| match glyph.letter {
        Some('Z' | 'z') => "g0".into(),
        _ => glyph.name.clone(),
    });
    let text = routes(Type0::identity_h(named), "Zz");
    assert_eq!(text, "C12 ReadProgram Zz");
}

#[test]
fn c13_the_mac_order_names_glyphs() {
    let sfnt = Sfnt::mac_order().padded(258).without(&["cmap"]).post(Post::Mac);
    let text = routes(Type0::identity_h(sfnt), "COURT");
    assert_eq!(text, "C13 ReadProgram COURT");
}

#[test]
fn c14_names_of_the_program_are_read() {
    let sfnt = || Sfnt::for_text("COURT").without(&["cmap"]);
    assert_eq!(routes(Type0::identity_h(sfnt().post(Post::Names)), "COURT"), "C14 ReadProgram COURT");
    let numbered = sfnt().post(Post::Names).names(|gid, _| format!("glyph{gid}"));
    assert_eq!(routes(Type0::identity_h(numbered), "COURT"), "C14 Dead ?????");
}

#[test]
fn c15_nothing_left_is_dead() {
    assert_eq!(routes(Type0::identity_h(bare()), "COURT"), "C15 Dead ?????");
    let post3 = Sfnt::for_text("COURT").without(&["cmap"]).post(Post::None);
    assert_eq!(routes(Type0::identity_h(post3), "COURT"), "C15 Dead ?????");
    // A space among the dead leaves no mark.
    assert_eq!(routes(Type0::identity_h(bare()), "CO RT"), "C15 Dead ????");
}

#[test]
fn c15_is_no_proof_where_the_program_is_damaged() {
    let cut = Sfnt::for_text("COURT").without(&["post"]).truncate("cmap", 6);
    let text = routes(Type0::identity_h(cut), "COURT");
    assert!(text.ends_with("Unknown ?????"), "{text}");
    let noise = Program::Raw {
        key: "FontFile2",
        entries: String::new(),
        bytes: b"no font".to_vec(),
        glyphs: Vec::new(),
    };
    assert_eq!(routes_of(Type0::identity_h(noise), b"\0\x01\0\x02"), "C23 Unknown ??");
}

#[test]
fn c16_cids_are_composed_with_the_map_to_glyphs() {
    let font = |sfnt| Type0::identity_h(sfnt).cid_to_gid(CidToGid::Moved(100));
    assert_eq!(routes(font(Sfnt::for_text("COURT")), "COURT"), "C16 ReadProgram COURT");
    assert_eq!(routes(font(bare()), "COURT"), "C15 Dead ?????");
}

#[test]
fn c17_a_cid_keyed_program_has_no_names_but_may_have_a_collection() {
    let keyed = |ordering: &str| Cff::cid_keyed("Adobe", ordering, 0, glyphs_for("COURT"));
    assert_eq!(routes(Type0::identity_h(keyed("Identity")), "COURT"), "C17 Dead ?????");
    // CIDs 36, 48 … of Adobe-Japan1 are the letters themselves, whatever the dictionary says.
    let japan = keyed("Japan1").cids(|_, glyph| glyph.letter.map_or(0, |letter| letter as u16 - 31));
    assert_eq!(routes(Type0::identity_h(japan), "COURT"), "C17 ReadProgram COURT");
}

#[test]
fn c18_a_name_keyed_program_is_read_by_its_charset() {
    let keyed = || Cff::name_keyed(glyphs_for("COURT"));
    assert_eq!(routes(Type0::identity_h(keyed()), "COURT"), "C18 ReadProgram COURT");
    let numbered = keyed().names(|gid, _| format!("cid{gid:05}"));
    assert_eq!(routes(Type0::identity_h(numbered), "COURT"), "C18 Dead ?????");
}

#[test]
fn c19_an_opentype_wrapper_brings_its_cmap() {
    let keyed = || Cff::cid_keyed("Adobe", "Identity", 0, glyphs_for("COURT"));
    let wrapped = Program::OpenType(Sfnt::for_text("COURT"), keyed());
    assert_eq!(routes(Type0::identity_h(wrapped), "COURT"), "C19 ReadProgram COURT");
    let bare = Program::OpenType(Sfnt::for_text("COURT").without(&["cmap", "post"]), keyed());
    assert_eq!(routes(Type0::identity_h(bare), "COURT"), "C17 Dead ?????");
}

#[test]
fn c20_glyph_indices_of_an_absent_font_are_unknown() {
    let font = Type0::not_embedded("ArialBlack", "Identity-H", "Identity");
    assert_eq!(routes_of(font, b"\0\x24\0\x25"), "C20 Unknown ??");
}

#[test]
fn c21_cids_of_a_collection_are_read_without_a_program() {
    let font = Type0::not_embedded("Ryumin-Light", "Identity-H", "Japan1");
    assert_eq!(routes(font, "日本"), "C21 ReadSpec 日本");
}

#[test]
fn c22_vertical_cmaps_are_read_alike() {
    let drawn = Drawn::new(Type0::not_embedded("SimSun", "UniGB-UCS2-V", "GB1"), "中文");
    assert_eq!(drawn.summary(), "C22 ReadSpec 中文");
    assert!(drawn.font.is_vertical());
    let (code, n_bytes) = drawn.font.codes(&drawn.string).next().unwrap();
    assert_eq!(drawn.font.glyph(code, n_bytes).advance, -1.0);
    assert!(!Drawn::new(Type0::not_embedded("SimSun", "UniGB-UCS2-H", "GB1"), "中").font.is_vertical());
}

#[test]
fn c23_a_program_that_cannot_be_read_proves_nothing() {
    let font = Type0::identity_h(Program::Type1(Type1Font::latin().damaged()));
    let text = routes_of(font, b"\0\x01");
    assert!(text.contains("Unknown"), "{text}");
}
