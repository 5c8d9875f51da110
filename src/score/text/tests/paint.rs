//! Images and outlines.

use super::*;
use crate::sample::{Sfnt, prose};
use crate::score::evidence::{ImageEvidence, OutlineEvidence};

const PAGE: [f32; 4] = [0.0, 0.0, 612.0, 792.0];

fn images(draw: impl FnOnce(PageBuilder) -> PageBuilder) -> ImageEvidence {
    page(draw).evidence.images
}

#[test]
fn a_scan_fills_the_page_at_its_resolution() {
    let seen = images(|page| {
        page.image(Image::declared(1700, 2200, 1, "CCITTFaxDecode"), PAGE).at(72.0, 770.0).show("Hi")
    });
    assert!(near(seen.largest_coverage, 1.0) && near(seen.union_coverage, 1.0), "{seen:?}");
    assert!(near(seen.effective_dpi, 200.0) && seen.bilevel, "{seen:?}");
    assert_eq!((seen.glyphs_over, seen.glyphs_inner, seen.n_pixels), (2, 0, 3_740_000));
    assert!(near(seen.largest_size_over, 12.0));
    assert!(seen.object > 0);
}

#[test]
fn a_headline_inside_the_picture_is_no_header() {
    let seen = images(|page| {
        page.image(Image::declared(1700, 2200, 8, "DCTDecode"), PAGE).size(40.0).at(72.0, 500.0).show("Hi")
    });
    assert_eq!((seen.glyphs_over, seen.glyphs_inner, seen.bilevel), (2, 2, false));
    assert!(near(seen.largest_size_over, 40.0));
}

#[test]
fn the_largest_visible_image_counts_not_the_sum() {
    let photo = || Image::declared(600, 800, 8, "DCTDecode");
    let quarter = |x: f32, y: f32| [x, y, x + 153.0, y + 198.0];
    let seen = images(|page| {
        page.image(photo(), quarter(0.0, 0.0))
            .image(photo(), quarter(300.0, 0.0))
            .image(photo(), quarter(0.0, 500.0))
    });
    assert_eq!(seen.n_images, 3);
    assert!(near(seen.largest_coverage, 1.0 / 16.0), "{seen:?}");
    // Clipped to a strip.
    let seen = images(|page| page.op("0 0 612 79.2 re W n").image(photo(), PAGE));
    assert!(near(seen.largest_coverage, 0.1), "{seen:?}");
    // Unused, or painted over.
    assert_eq!(images(|page| page.unused_image(photo())).n_images, 0);
    assert_eq!(images(|page| page.image(photo(), PAGE).op("1 g 0 0 612 792 re f")).largest_coverage, 0.0);
}

#[test]
fn strips_and_tiles_are_one_image() {
    let strips = |page: PageBuilder| {
        (0..40).fold(page, |page, at| {
            let y = at as f32 * 19.8;
            page.image(Image::declared(1700, 55, 1, "CCITTFaxDecode"), [0.0, y, 612.0, y + 19.8])
        })
    };
    let seen = images(strips);
    assert!(near(seen.largest_coverage, 1.0) && seen.n_tiles == 40, "{seen:?}");
    assert!(near(seen.effective_dpi, 200.0), "{seen:?}");
    let tiles = |page: PageBuilder| {
        (0..48).fold(page, |page, at| {
            let (x, y) = ((at % 6) as f32 * 102.0, (at / 6) as f32 * 99.0);
            page.image(Image::declared(283, 275, 8, "DCTDecode"), [x, y, x + 102.0, y + 99.0])
        })
    };
    let seen = images(tiles);
    assert!(near(seen.largest_coverage, 1.0) && seen.n_tiles == 48, "{seen:?}");
    // Pictures of a contact sheet stand apart.
    let sheet = |page: PageBuilder| {
        (0..12).fold(page, |page, at| {
            let (x, y) = ((at % 3) as f32 * 200.0 + 20.0, (at / 3) as f32 * 190.0 + 20.0);
            page.image(Image::declared(283, 275, 8, "DCTDecode"), [x, y, x + 170.0, y + 160.0])
        })
    };
    let seen = images(sheet);
    assert!(seen.largest_coverage < 0.06 && seen.n_tiles == 1, "{seen:?}");
}

#[test]
fn layers_of_a_scan_are_one_image() {
    let paper = || Image::declared(306, 396, 8, "DCTDecode");
    let print = || Image::declared(1500, 2000, 1, "CCITTFaxDecode");
    let seen = images(|page| page.image(paper(), PAGE).image(print(), [36.0, 36.0, 576.0, 756.0]));
    assert!(near(seen.effective_dpi, 200.0) && seen.bilevel, "{seen:?}");
    assert_eq!((seen.n_bytes, seen.n_pixels), (128, 306 * 396));
    // A stamp on a picture is none of it.
    let seen = images(|page| page.image(paper(), PAGE).image(print(), [36.0, 36.0, 90.0, 108.0]));
    assert!(near(seen.effective_dpi, 36.0) && !seen.bilevel, "{seen:?}");
}

#[test]
fn images_inside_forms_and_inline_images_count() {
    let seen = images(|page| page.form(|form| form.image(Image::declared(1700, 2200, 8, "DCTDecode"), PAGE)));
    assert!(near(seen.largest_coverage, 1.0), "{seen:?}");
    let seen =
        images(|page| page.op("q 612 0 0 792 0 0 cm BI /W 850 /H 1100 /BPC 1 /CS /G /F /Fl ID x EI Q"));
    assert!(near(seen.largest_coverage, 1.0) && near(seen.effective_dpi, 100.0) && seen.bilevel, "{seen:?}");
    assert_eq!(seen.object, 0);
}

#[test]
fn text_over_an_image_is_measured() {
    let seen =
        page(|page| page.image(Image::declared(1275, 1650, 8, "DCTDecode"), PAGE).paragraph(prose::ENGLISH));
    let over = seen.evidence.images;
    assert!(over.text_over_share > 0.1 && over.glyphs_inner > 100, "{over:?}");
    assert!(near(over.free_coverage, 1.0 - seen.evidence.text_coverage));
    let layer = images(|page| page.image(Image::grey(8, 8), PAGE).render_mode(3).show("Hello"));
    assert_eq!((layer.invisible_over, layer.glyphs_over, layer.text_over_share), (5, 0, 0.0));
}

fn outlines(draw: impl FnOnce(PageBuilder) -> PageBuilder) -> OutlineEvidence {
    page(draw).evidence.outlines
}

#[test]
fn x4_outlined_text_repeats_its_shapes_on_lines() {
    let letters = Sfnt::latin();
    let outlined = |page: PageBuilder| {
        prose::ENGLISH
            .split_inclusive(". ")
            .take(6)
            .fold(page.at(72.0, 700.0), |page, line| page.outlined(&letters, line))
    };
    let seen = outlines(outlined);
    assert!(seen.on_lines > 100 && seen.n_shapes >= 8, "{seen:?}");
    assert!(seen.lines.len() >= 4, "{:?}", seen.lines);
    let region = seen.lines[0].bounds;
    assert!(region[0] >= 71.0 && region[1] > 600.0 && region[3] < 720.0, "{region:?}");
    // Live text is no outline.
    assert_eq!(outlines(|page| page.paragraph(prose::ENGLISH)).glyph_like, 0);
}

#[test]
fn x4_rules_boxes_ticks_and_charts_are_no_outlined_text() {
    let circle = |x: f32, y: f32| {
        format!(
            "{} {y} m {} {} {} {} {x} {} c {} {} {} {} {} {y} c {} {} {} {} {x} {} c {} {} {} {} {} {y} c f\n",
            x + 2.0,
            x + 2.0,
            y + 1.1,
            x + 1.1,
            y + 2.0,
            y + 2.0,
            x - 1.1,
            y + 2.0,
            x - 2.0,
            y + 1.1,
            x - 2.0,
            x - 2.0,
            y - 1.1,
            x - 1.1,
            y - 2.0,
            y - 2.0,
            x + 1.1,
            y - 2.0,
            x + 2.0,
            y - 1.1,
            x + 2.0,
        )
    };
    let dotted = |page: PageBuilder| {
        (0..600).fold(page, |page, at| {
            page.op(&circle(72.0 + (at % 60) as f32 * 7.0, 100.0 + (at / 60) as f32 * 60.0))
        })
    };
    assert_eq!(outlines(dotted).on_lines, 0);
    let bevels = |page: PageBuilder| {
        (0..400).fold(page, |page, at| {
            let (x, y) = (72.0 + (at % 40) as f32 * 12.0, 100.0 + (at / 40) as f32 * 30.0);
            page.op(&format!(
                "{x} {y} m {} {y} l {} {} l {} {} l f",
                x + 9.0,
                x + 8.0,
                y + 1.0,
                x + 1.0,
                y + 1.0
            ))
        })
    };
    assert_eq!(outlines(bevels).on_lines, 0);
    // A coast line: many shapes, none twice.
    let mut state = 1u32;
    let mut next = move |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % below
    };
    let mut islands = String::new();
    for at in 0..400u32 {
        let (x, y) = (72 + at % 20 * 20, 100 + at / 20 * 25);
        islands += &format!("{x} {y} m ");
        (0..6 + next(10)).for_each(|_| islands += &format!("{} {} l ", x + next(19), y + next(19)));
        islands += "f\n";
    }
    let map = |page: PageBuilder| page.op(&islands);
    let seen = outlines(map);
    assert!(seen.glyph_like > 300 && seen.on_lines < 20, "{seen:?}");
}

#[test]
fn paint_is_counted_where_it_leaves_a_mark() {
    let painted = |ops: &'static str| {
        let seen = page(move |page| page.op(ops)).evidence;
        (seen.n_paths, seen.n_shadings)
    };
    assert_eq!(painted("0 0 50 50 re f 10 10 m 50 50 l S"), (2, 0));
    assert_eq!(painted("1 g 0 0 50 50 re f 0 0 50 50 re n 900 0 50 50 re f"), (0, 0));
    assert_eq!(painted("0 0 50 50 re B /Sh1 sh"), (1, 1));
    assert_eq!(painted("/Pattern cs /P1 scn 0 0 50 50 re f"), (0, 1));
}
