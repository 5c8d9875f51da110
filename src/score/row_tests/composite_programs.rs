//! C10 to C19: what the embedded program of a composite font still says.

use super::*;
use crate::sample::{
    Cff, CidToGid, Cmap, Font, Post, Program, Sfnt, Simple, ToUnicode, Type0, glyphs_for, latin_letters,
};

/// The 28 letters of the severed line.
const LINE: &str = "COURT OF APPEAL DECISION OF MARCH";

fn severed() -> Sfnt {
    Sfnt::mac_order().monospaced(600).without(&["cmap", "post"])
}

#[test]
fn c10_programs_cmap_reads_the_glyphs() {
    for cmap in [Cmap::Unicode, Cmap::UnicodeFull, Cmap::UnicodePlatform] {
        let sfnt = Sfnt::latin().cmaps(&[cmap]).post(Post::None);
        english_in(Type0::identity_h(sfnt)).is_kept(&[FontClass::ReadProgram], &[Case::C10]);
    }
}

#[test]
fn c10_real_code_points_win_over_private_ones() {
    let sfnt = Sfnt::latin();
    let mut map: Vec<(u32, u16)> = Vec::new();
    for (letter, gid) in sfnt.letters() {
        map.extend([(letter as u32, gid), (0xE000 + u32::from(gid), gid)]);
    }
    let cmap = Cmap::Custom { platform: 3, encoding: 1, format: 4, map };
    english_in(Type0::identity_h(sfnt.cmaps(&[cmap]).post(Post::None)))
        .is_kept(&[FontClass::ReadProgram], &[Case::C10]);
}

#[test]
fn c10_unsorted_directory_is_read() {
    english_in(Type0::identity_h(Sfnt::latin().post(Post::None).unsorted_directory()))
        .is_kept(&[FontClass::ReadProgram], &[Case::C10]);
}

#[test]
fn c10_cmap_of_private_code_points_only_reads_nothing() {
    let sfnt = Sfnt::latin().monospaced(600);
    let map = sfnt.letters().map(|(_, gid)| (0xE000 + u32::from(gid), gid)).collect();
    let cmap = Cmap::Custom { platform: 3, encoding: 1, format: 4, map };
    english_in(Type0::identity_h(sfnt.cmaps(&[cmap]).post(Post::None))).is_dead(&[Case::C10, Case::C15]);
}

#[test]
fn c11_symbol_cmap_alone_is_doubtful() {
    let sfnt = Sfnt::latin().cmaps(&[Cmap::Symbol]).post(Post::None);
    english_in(Type0::identity_h(sfnt)).is_not_condemned();
}

#[test]
fn c11_symbol_cmap_of_codes_in_order_of_first_use_is_not_text() {
    let sfnt = Sfnt::for_text(&english());
    let map = sfnt.letters().map(|(_, gid)| (0xF020 + u32::from(gid), gid)).collect();
    let cmap = Cmap::Custom { platform: 3, encoding: 0, format: 4, map };
    english_in(Type0::identity_h(sfnt.monospaced(600).cmaps(&[cmap]).post(Post::None))).is_not_trusted();
}

#[test]
fn c12_mac_cmap_alone_is_doubtful() {
    for cmap in [Cmap::MacRoman, Cmap::MacRomanTrimmed] {
        let sfnt = Sfnt::latin().cmaps(&[cmap]).post(Post::None);
        english_in(Type0::identity_h(sfnt)).is_not_condemned();
    }
}

#[test]
fn c12_mac_cmap_of_sequential_codes_is_not_text() {
    let sfnt = Sfnt::for_text(&english());
    let map = sfnt.letters().map(|(_, gid)| (u32::from(gid) + 32, gid)).collect();
    let cmap = Cmap::Custom { platform: 1, encoding: 0, format: 0, map };
    english_in(Type0::identity_h(sfnt.cmaps(&[cmap]).post(Post::None))).is_not_trusted();
}

#[test]
fn c13_post_1_names_the_original_glyphs() {
    let sfnt = Sfnt::mac_order().padded(258).post(Post::Mac).without(&["cmap"]);
    english_in(Type0::identity_h(sfnt)).is_kept(&[FontClass::ReadProgram], &[Case::C13]);
}

#[test]
fn c13_post_1_over_another_glyph_order_is_a_lie() {
    // In the first it names other letters, in the second it does not even have a name for every glyph.
    let sfnt = || Sfnt::latin().post(Post::Mac).without(&["cmap"]);
    english_in(Type0::identity_h(sfnt().padded(258))).is_not_trusted();
    english_in(Type0::identity_h(sfnt())).is_not_trusted();
}

#[test]
fn c14_post_2_names_the_glyphs() {
    let sfnt = Sfnt::latin().without(&["cmap"]);
    english_in(Type0::identity_h(sfnt)).is_kept(&[FontClass::ReadProgram], &[Case::C14]);
}

#[test]
fn c14_numbered_names_are_none() {
    for prefix in ["glyph", "gid", "g", "G"] {
        let sfnt = Sfnt::latin().monospaced(600).names(|gid, _| format!("{prefix}{gid}")).without(&["cmap"]);
        english_in(Type0::identity_h(sfnt)).is_dead(&[Case::C14]);
    }
}

#[test]
fn c15_severed_font_goes_to_ocr() {
    let judged = judge(PdfBuilder::new().page(|page| page.font(Type0::identity_h(severed())).show(LINE)));
    judged.goes_to(&[Route::Ocr], &[ReasonCode::UndecodableFont]).is(&[FontClass::Dead], &[Case::C15]);
    let (page, font) = (&judged.0.pages[0], judged.font());
    let reason = judged.reason(ReasonCode::UndecodableFont).unwrap();
    assert_eq!(page.glyphs_drawn, 28, "spaces are blank\n{judged}");
    assert_eq!((page.glyphs_suspect, font.glyphs_unmapped, reason.share), (28, 28, 1.0), "{judged}");
    assert_eq!(reason.font.as_deref(), Some(font.facts.font.as_str()), "{judged}");
    let [x0, y0, x1, y1] = page.regions[0];
    let right = 72.0 + 0.6 * 12.0 * LINE.len() as f32;
    assert!((x0 - 72.0).abs() < 3.0 && (x1 - right).abs() < 8.0, "{:?}", page.regions);
    assert!((710.0..=720.0).contains(&y0) && (725.0..=735.0).contains(&y1), "{:?}", page.regions);
}

#[test]
fn c15_healthy_text_acquits_no_dead_line() {
    let helvetica: Font = Simple::standard14("Helvetica").into();
    let dead: Font = Type0::identity_h(severed()).into();
    let nine_times = prose::sentences(prose::ENGLISH).take(3).collect::<Vec<_>>().join(" ");
    for footer in ["Page 1 of 1", nine_times.as_str()] {
        let judged = judge(
            PdfBuilder::new()
                .page(|page| page.font(&dead).show(LINE).font(&helvetica).at(72.0, 400.0).paragraph(footer)),
        );
        judged.goes_to(&[Route::Ocr], &[ReasonCode::UndecodableFont]);
        let page = &judged.0.pages[0];
        assert_eq!(page.glyphs_suspect, 28, "{judged}");
        assert!(page.regions.iter().all(|region| region[1] > 600.0), "the footer is no region: {judged}");
    }
}

#[test]
fn c15_twins_with_cmap_and_with_names_are_kept() {
    let line =
        |sfnt: Sfnt| judge(PdfBuilder::new().page(|page| page.font(Type0::identity_h(sfnt)).show(LINE)));
    let sfnt = || Sfnt::mac_order().monospaced(600);
    line(sfnt().without(&["post"])).is_kept(&[FontClass::ReadProgram], &[Case::C10]);
    line(sfnt().without(&["cmap"])).is_kept(&[FontClass::ReadProgram], &[Case::C14]);
}

#[test]
fn c15_dead_bullets_convict_no_page() {
    let bullets: Font = Type0::identity_h(Sfnt::with_letters("•").without(&["cmap", "post"])).into();
    let helvetica: Font = Simple::standard14("Helvetica").into();
    let judged = judge(PdfBuilder::new().page(|page| {
        (0..12).fold(page, |page, i| {
            let y = 700.0 - 30.0 * i as f32;
            page.font(&bullets)
                .at(72.0, y)
                .show("•")
                .font(&helvetica)
                .at(90.0, y)
                .show("Fish are weighed on the quay, written into a long paper list, and sold")
        })
    }));
    assert_eq!(judged.route(), Route::Keep, "{judged}");
    assert!(
        judged.reason(ReasonCode::UndecodableFont).is_some(),
        "named, though it changes no route\n{judged}"
    );
}

#[test]
fn c15_unused_dead_font_changes_nothing() {
    let judged = judge(PdfBuilder::new().page(|page| {
        page.unused_font(Type0::identity_h(severed()))
            .unused_form(|form| form.font(Type0::identity_h(severed())).show(LINE))
            .font(Simple::standard14("Helvetica"))
            .paragraph(&english())
    }));
    judged.is_kept(&[FontClass::ReadSpec], &[Case::S2]);
    assert!(judged.reasons().is_empty(), "{judged}");
}

#[test]
fn c15_mac_order_is_decoded_when_widths_confirm_it() {
    let sfnt = Sfnt::mac_order().without(&["cmap", "post"]);
    english_in(Type0::identity_h(sfnt)).goes_to(&[Route::Decode], &[ReasonCode::KnownGlyphOrder]);
}

#[test]
fn c15_obsolete_post_tables_are_none() {
    let sfnt = Sfnt::latin().monospaced(600).without(&["cmap"]);
    english_in(Type0::identity_h(sfnt.clone().post(Post::None))).is_dead(&[Case::C15]);
    english_in(Type0::identity_h(sfnt.post(Post::Offsets))).is_not_trusted();
}

#[test]
fn c16_the_map_is_composed_before_the_program_is_asked() {
    let moved = |sfnt: Sfnt| Type0::identity_h(sfnt).cid_to_gid(CidToGid::Moved(200));
    english_in(moved(Sfnt::latin())).is_kept(&[FontClass::ReadProgram], &[Case::C16, Case::C10]);
    let dead = Sfnt::latin().monospaced(600).without(&["cmap", "post"]);
    english_in(moved(dead)).is_dead(&[Case::C16, Case::C15]);
}

#[test]
fn c17_cid_keyed_cff_of_no_collection_is_dead() {
    let cff = Cff::cid_keyed("Adobe", "Identity", 0, glyphs_for(&latin_letters())).monospaced(600);
    english_in(Type0::identity_h(cff)).is_dead(&[Case::C17]);
}

#[test]
fn c17_twin_whose_program_names_its_collection() {
    let by_collection = Type0::not_embedded("X", "Identity-H", "Japan1");
    let cff = Cff::cid_keyed("Adobe", "Japan1", 4, glyphs_for(&crate::sample::distinct(prose::JAPANESE)))
        .cids(|_, glyph| {
            let code = glyph.letter.and_then(|letter| by_collection.code(letter));
            code.map_or(0, |code| u16::from_be_bytes([code[0], code[1]]))
        });
    lines_in(Type0::identity_h(cff), prose::JAPANESE).is_kept(&[FontClass::ReadProgram], &[Case::C17]);
}

#[test]
fn c17_twin_with_to_unicode() {
    let cff = Cff::cid_keyed("Adobe", "Identity", 0, glyphs_for(&latin_letters()));
    english_in(Type0::identity_h(cff).to_unicode(ToUnicode::Right))
        .is_kept(&[FontClass::ReadSpec], &[Case::C1]);
}

#[test]
fn c18_name_keyed_cff_is_read_by_its_charset() {
    english_in(Type0::identity_h(Cff::latin())).is_kept(&[FontClass::ReadProgram], &[Case::C18]);
}

#[test]
fn c18_numbered_names_are_dead() {
    let cff = Cff::latin().monospaced(600).names(|gid, _| format!("glyph{gid:05}"));
    english_in(Type0::identity_h(cff)).is_dead(&[Case::C18]);
}

#[test]
fn c19_opentype_cff_is_read_by_its_cmap() {
    let letters = latin_letters();
    let wrapper = Sfnt::with_letters(&letters).post(Post::None);
    let cff = || Cff::cid_keyed("Adobe", "Identity", 0, glyphs_for(&letters)).monospaced(600);
    english_in(Type0::identity_h(Program::OpenType(wrapper.clone(), cff())))
        .is_kept(&[FontClass::ReadProgram], &[Case::C19, Case::C10]);
    let severed = wrapper.monospaced(600).without(&["cmap"]);
    english_in(Type0::identity_h(Program::OpenType(severed, cff()))).is_dead(&[Case::C19, Case::C17]);
}
