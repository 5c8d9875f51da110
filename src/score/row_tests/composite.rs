//! C5 to C9 and C20 to C23: predefined and embedded CMaps, fonts that are not embedded, vertical writing, damage.

use super::*;
use crate::sample::{Cff, CidToGid, Program, Sfnt, StreamSpec, ToUnicode, Type0, glyphs_for, latin_letters};

fn cjk(cmap: &str, ordering: &str, text: &str) -> Judged {
    lines_in(Type0::not_embedded("AAAAAA+CJK", cmap, ordering), text)
}

#[test]
fn c5_legacy_cmaps_are_read() {
    for (cmap, ordering, text) in [
        ("GBK-EUC-H", "GB1", prose::CHINESE),
        ("GBKp-EUC-H", "GB1", prose::CHINESE),
        ("90ms-RKSJ-H", "Japan1", prose::JAPANESE),
        ("EUC-H", "Japan1", prose::JAPANESE),
        ("ETen-B5-H", "CNS1", prose::CHINESE_TRADITIONAL),
        ("KSCms-UHC-H", "Korea1", prose::KOREAN),
    ] {
        cjk(cmap, ordering, text).is_kept(&[FontClass::ReadSpec], &[Case::C5, Case::C21]);
    }
}

#[test]
fn c6_unicode_cmaps_are_read() {
    for (cmap, ordering, text) in [
        ("UniGB-UCS2-H", "GB1", prose::CHINESE),
        ("UniGB-UTF16-H", "GB1", prose::CHINESE),
        ("UniJIS-UTF16-H", "Japan1", prose::JAPANESE),
        ("UniJIS-UCS2-H", "Japan1", prose::JAPANESE),
        ("UniCNS-UTF16-H", "CNS1", prose::CHINESE_TRADITIONAL),
        ("UniKS-UCS2-H", "Korea1", prose::KOREAN),
    ] {
        cjk(cmap, ordering, text).is_kept(&[FontClass::ReadSpec], &[Case::C6, Case::C21]);
    }
}

#[test]
fn c6_utf32_codes_are_read() {
    cjk("UniJIS-UTF32-H", "Japan1", prose::JAPANESE).is_kept(&[FontClass::ReadSpec], &[Case::C6, Case::C21]);
}

#[test]
fn c7_identity_over_a_known_collection_is_read() {
    for (ordering, text) in [
        ("Japan1", prose::JAPANESE),
        ("GB1", prose::CHINESE),
        ("Korea1", prose::KOREAN),
        ("CNS1", prose::CHINESE_TRADITIONAL),
    ] {
        cjk("Identity-H", ordering, text).is_kept(&[FontClass::ReadSpec], &[Case::C7, Case::C21]);
    }
}

#[test]
fn c7_collection_that_the_programs_cmap_denies() {
    // GIDs in order of first use, declared to be CIDs of Adobe-Japan1: any reader gives other characters.
    let font = Type0::identity_h(Sfnt::for_text(prose::JAPANESE)).system_info("Adobe", "Japan1", 4);
    lines_in(font, prose::JAPANESE)
        .goes_to(
            &[Route::Ocr, Route::Decode],
            &[ReasonCode::ContradictedUnicode, ReasonCode::UndecodableFont, ReasonCode::LetterSubstitution],
        )
        .is(&[FontClass::Contradicted], &[Case::C7]);
}

const PRIVATE_CMAP: &str = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n\
    /CIDSystemInfo << /Registry (Private) /Ordering (Own) /Supplement 0 >> def\n\
    /CMapName /Own-H def /CMapType 1 def /WMode 0 def\n\
    1 begincodespacerange <0000> <FFFF> endcodespacerange\n\
    1 begincidrange <0000> <FFFF> 0 endcidrange\n\
    endcmap CMapName currentdict /CMap defineresource pop end end\n";

fn private_cmap() -> StreamSpec {
    let entries = "/Type /CMap /CMapName /Own-H \
        /CIDSystemInfo << /Registry (Private) /Ordering (Own) /Supplement 0 >>";
    StreamSpec::new(entries, PRIVATE_CMAP)
}

#[test]
fn c8_embedded_cmap_over_a_severed_program() {
    let program = Sfnt::latin().monospaced(600).without(&["cmap", "post"]);
    let font = Type0::identity_h(program).encoding_stream(private_cmap()).system_info("Private", "Own", 0);
    english_in(font).is_dead(&[Case::C8, Case::C9, Case::C15]);
}

#[test]
fn c8_twin_whose_program_speaks() {
    let font =
        Type0::identity_h(Sfnt::latin()).encoding_stream(private_cmap()).system_info("Private", "Own", 0);
    english_in(font).is_kept(&[FontClass::ReadProgram], &[Case::C8, Case::C10]);
}

#[test]
fn c8_embedded_cmap_that_uses_a_predefined_one() {
    let cmap = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n/GBK-EUC-H usecmap\n\
        /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >> def\n\
        /CMapName /Own-H def /CMapType 1 def\nendcmap CMapName currentdict /CMap defineresource pop end end\n";
    let entries = "/Type /CMap /CMapName /Own-H /UseCMap /GBK-EUC-H \
        /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 2 >>";
    let by_name = Type0::not_embedded("SimSun", "GBK-EUC-H", "GB1");
    let codes: Vec<(char, u16)> = prose::CHINESE
        .chars()
        .filter_map(|letter| Some((letter, u16::from_be_bytes(by_name.code(letter)?.try_into().ok()?))))
        .collect();
    let font = Type0::not_embedded("SimSun", "Identity-H", "GB1")
        .encoding_stream(StreamSpec::new(entries, cmap))
        .codes(codes);
    lines_in(font, prose::CHINESE)
        .is_kept(&[FontClass::ReadSpec], &[Case::C8, Case::C5, Case::C7, Case::C21]);
}

#[test]
fn c9_unknown_orderings_fall_through_to_the_program() {
    for ordering in ["Indentity0", "WinCharSet", "Modern1", "\u{7}\u{12}x"] {
        let dead = Sfnt::latin().monospaced(600).without(&["cmap", "post"]);
        english_in(Type0::identity_h(dead).system_info("Adobe", ordering, 0)).is_dead(&[Case::C9, Case::C15]);
        english_in(Type0::identity_h(Sfnt::latin()).system_info("Adobe", ordering, 0))
            .is_kept(&[FontClass::ReadProgram], &[Case::C9, Case::C10]);
    }
}

#[test]
fn c9_ordering_ucs_with_cids_that_are_unicode() {
    let font = |program: Sfnt| {
        Type0::identity_h(program).system_info("Adobe", "UCS", 0).cid_to_gid(CidToGid::UnicodeCids)
    };
    english_in(font(Sfnt::latin()))
        .is_kept(&[FontClass::ReadSpec, FontClass::ReadProgram], &[Case::C9, Case::C10, Case::C16]);
    // Nothing in the program vouches for it: the letters may, a proof of death may not be said.
    english_in(font(Sfnt::latin().without(&["cmap", "post"]))).is_not_condemned();
}

#[test]
fn c20_identity_over_a_font_nobody_has() {
    let judged = english_in(Type0::not_embedded("TimesNewRomanPSMT", "Identity-H", "Identity"));
    judged.is_not_trusted();
    judged.is(&[FontClass::Unknown, FontClass::Dead, FontClass::Inferred], &[Case::C20]);
}

#[test]
fn c20_twin_with_to_unicode() {
    let letters = latin_letters();
    let font = Type0::not_embedded("TimesNewRomanPSMT", "Identity-H", "Identity")
        .codes(letters.chars().zip(3..))
        .to_unicode(ToUnicode::Right);
    english_in(font).is_kept(&[FontClass::ReadSpec], &[Case::C1]);
}

#[test]
fn c20_unused_font_changes_nothing() {
    let font = Type0::not_embedded("TimesNewRomanPSMT", "Identity-H", "Identity");
    let judged = judge(PdfBuilder::new().page(|page| {
        page.unused_font(font).font(crate::sample::Simple::standard14("Helvetica")).paragraph(&english())
    }));
    judged.is_kept(&[FontClass::ReadSpec], &[Case::S2]);
    assert_eq!(judged.0.fonts.len(), 1, "{judged}");
}

#[test]
fn c21_not_embedded_cjk_fonts_are_read() {
    cjk("GBK-EUC-H", "GB1", prose::CHINESE).is_kept(&[FontClass::ReadSpec], &[Case::C5, Case::C21]);
}

#[test]
fn c22_vertical_cmaps_are_read() {
    for (cmap, ordering, text) in [
        ("GBK-EUC-V", "GB1", prose::CHINESE),
        ("UniJIS-UTF16-V", "Japan1", prose::JAPANESE),
        ("90ms-RKSJ-V", "Japan1", prose::JAPANESE),
        ("Identity-V", "Japan1", prose::JAPANESE),
    ] {
        let font: Font = Type0::not_embedded("AAAAAA+CJK", cmap, ordering).into();
        let letters: Vec<char> = text.chars().collect();
        let judged = judge(PdfBuilder::new().page(|page| {
            letters.chunks(40).enumerate().fold(page.font(font), |page, (column, letters)| {
                page.at(540.0 - 20.0 * column as f32, 740.0).show(&letters.iter().collect::<String>())
            })
        }));
        judged.is_kept(&[FontClass::ReadSpec], &[Case::C22, Case::C5, Case::C6, Case::C7, Case::C21]);
    }
}

#[test]
fn c23_damaged_program_is_unknown_never_dead() {
    let sfnt = Sfnt::latin().without(&["cmap", "post"]);
    let bytes: Vec<u8> = sfnt.build().iter().map(|byte| byte ^ 0x5A).collect();
    let damaged = |to_unicode| {
        let program = Program::Raw {
            key: "FontFile2",
            entries: String::new(),
            bytes: bytes.clone(),
            glyphs: sfnt.glyphs().to_vec(),
        };
        Type0::identity_h(program).to_unicode(to_unicode)
    };
    let judged = english_in(damaged(ToUnicode::Absent));
    judged.is_not_trusted().is(&[FontClass::Unknown], &[Case::C23]);
    assert!(judged.reasons().iter().all(|reason| reason.certainty != Certainty::Proven), "{judged}");
    english_in(damaged(ToUnicode::Right)).is_kept(&[FontClass::ReadSpec], &[Case::C1]);
}

#[test]
fn c23_cid_keyed_program_cut_short() {
    let cff = Cff::cid_keyed("Adobe", "Identity", 0, glyphs_for(&latin_letters())).monospaced(600);
    let mut bytes = cff.build();
    bytes.truncate(60);
    let program = Program::Raw {
        key: "FontFile3",
        entries: "/Subtype /CIDFontType0C".into(),
        bytes,
        glyphs: cff.glyphs().to_vec(),
    };
    english_in(Type0::identity_h(program)).is_not_trusted().is(&[FontClass::Unknown], &[Case::C23]);
}
