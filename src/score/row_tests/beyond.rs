//! X1 to X7: text that is not in fonts, and text that is not seen.

use super::*;
use crate::sample::{Font, Image, PageBuilder, Sfnt, Simple, ToUnicode, Type0, distinct};

const WHOLE: [f32; 4] = [0.0, 0.0, 612.0, 792.0];

fn helvetica() -> Font {
    Simple::standard14("Helvetica").into()
}

/// A font that leads to no letters.
fn dead() -> Font {
    Type0::identity_h(Sfnt::latin().monospaced(600).without(&["cmap", "post"])).into()
}

fn scan() -> Image {
    Image::scan_of_text(1275, 1650)
}

#[test]
fn x1_actual_text_replaces_the_run() {
    let text = english();
    let judged = judge(PdfBuilder::new().page(|page| {
        let lines = page.clone().font(dead()).lines(&text, 468.0);
        lines.iter().fold(page.font(dead()), |page, line| page.actual_text(line, |page| page.show(line)))
    }));
    assert_eq!(judged.route(), Route::Keep, "{judged}");
    judged.is(&[FontClass::ReadSpec], &[Case::X1]);
}

#[test]
fn x1_twin_alternate_text_is_no_text() {
    let text = english();
    let judged = judge(PdfBuilder::new().page(|page| {
        page.op("/Figure << /Alt (the harbour office) /E (expansion) >> BDC")
            .font(dead())
            .paragraph(&text)
            .op("EMC")
    }));
    judged.is_dead(&[Case::C15]);
}

#[test]
fn x1_actual_text_of_another_length_is_not_trusted_blindly() {
    // One ActualText of a single letter over a whole dead paragraph reads next to nothing of it.
    let text = english();
    let judged = judge(
        PdfBuilder::new().page(|page| page.font(dead()).actual_text("x", |page| page.paragraph(&text))),
    );
    judged.is_not_trusted();
}

#[test]
fn x2_good_invisible_layer_is_kept() {
    let judged =
        judge(PdfBuilder::new().page(|page| {
            page.image(scan(), WHOLE).font(helvetica()).render_mode(3).paragraph(prose::ENGLISH)
        }));
    assert_eq!(judged.route(), Route::Keep, "{judged}");
}

#[test]
fn x2_dummy_font_of_an_ocr_layer_is_right() {
    // Identity ToUnicode over codes that are Unicode: correct there, whatever the glyphs are.
    let layer = Type0::identity_h(Sfnt::with_letters("\u{A0}").without(&["cmap", "post"]))
        .base_font("GlyphLessFont")
        .codes(distinct(prose::ENGLISH).chars().map(|letter| (letter, letter as u16)))
        .to_unicode(ToUnicode::Identity);
    let judged = judge(
        PdfBuilder::new()
            .page(|page| page.image(scan(), WHOLE).font(layer).render_mode(3).paragraph(prose::ENGLISH)),
    );
    assert_eq!(judged.route(), Route::Keep, "{judged}");
    assert!(judged.reason(ReasonCode::IdentityUnicodeOnGlyphs).is_none(), "{judged}");
}

/// A page of healthy text with dead text that nobody sees.
fn with_hidden(hide: impl FnOnce(PageBuilder) -> PageBuilder) -> Judged {
    judge(
        PdfBuilder::new()
            .page(|page| hide(page).font(helvetica()).size(12.0).at(72.0, 400.0).paragraph(&english())),
    )
}

fn dead_lines(page: PageBuilder) -> PageBuilder {
    page.font(dead())
        .at(72.0, 700.0)
        .show("The harbour office opens at seven")
        .show("and by then the first boats")
}

#[test]
fn x3_hidden_text_is_no_evidence() {
    let kept: [(&str, Judged); 6] = [
        ("white", with_hidden(|page| page.saved(|page| dead_lines(page.colour(1.0, 1.0, 1.0))))),
        ("clipped", with_hidden(|page| page.saved(|page| dead_lines(page.op("0 0 10 10 re W n"))))),
        (
            "off the page",
            with_hidden(|page| page.font(dead()).at(72.0, 2000.0).show("The harbour office opens at seven")),
        ),
        (
            "tiny",
            with_hidden(|page| {
                page.font(dead()).size(0.5).at(72.0, 700.0).show("The harbour office opens at seven")
            }),
        ),
        ("hidden layer", with_hidden(|page| page.layer(false, dead_lines))),
        (
            "behind a picture",
            with_hidden(|page| dead_lines(page).image(Image::grey(100, 100), [50.0, 660.0, 560.0, 730.0])),
        ),
    ];
    for (name, judged) in &kept {
        assert_eq!(judged.route(), Route::Keep, "{name}\n{judged}");
        assert_eq!(judged.0.pages[0].glyphs_suspect, 0, "{name}\n{judged}");
    }
}

#[test]
fn x3_twins_that_are_seen_go_to_ocr() {
    for judged in [
        with_hidden(dead_lines),
        with_hidden(|page| page.layer(true, dead_lines)),
        with_hidden(|page| page.saved(|page| dead_lines(page.op("0 0 612 792 re W n")))),
        with_hidden(|page| dead_lines(page.image(Image::grey(100, 100), [50.0, 660.0, 560.0, 730.0]))),
    ] {
        judged.goes_to(&[Route::Ocr], &[ReasonCode::UndecodableFont]);
    }
}

/// A page of outlined text in these letters, under a live page number.
fn outlined(text: &str) -> Judged {
    let font = Sfnt::for_text(text);
    judge(PdfBuilder::new().page(|page| {
        let lines = page.clone().font(Type0::identity_h(font.clone())).lines(text, 468.0);
        let page = lines.iter().fold(page, |page, line| page.outlined(&font, line));
        page.font(helvetica()).at(300.0, 40.0).show("17")
    }))
}

#[test]
fn x4_outlined_text_goes_to_ocr_in_any_script() {
    for text in [prose::ENGLISH, prose::RUSSIAN, prose::ARABIC] {
        let judged = outlined(text);
        judged.goes_to(&[Route::Ocr], &[ReasonCode::OutlinedText]);
        assert!(!judged.0.pages[0].regions.is_empty(), "{judged}");
    }
}

#[test]
fn x4_twin_drawings_and_dotted_rules_are_kept() {
    let judged = judge(PdfBuilder::new().page(|page| {
        let page = page.font(helvetica()).paragraph(&english());
        let dots = (0..400).fold(page, |page, i| {
            page.op(&format!("{} {} 1 1 re f", 72 + (i % 100) * 4, 500 - 30 * (i / 100)))
        });
        (0..60).fold(dots, |page, i| {
            let (x, y) = (100 + i * 7, 300 + (i * 37) % 90);
            page.op(&format!(
                "{x} {y} m {} {} l {} {} {} {} {} {} c h f",
                x + 5,
                y + 9,
                x + 9,
                y + 2,
                x + i,
                y,
                x,
                y + i
            ))
        })
    }));
    assert_eq!(judged.route(), Route::Keep, "{judged}");
}

#[test]
fn x5_scan_and_scan_under_a_header() {
    let judged = judge(PdfBuilder::new().page(|page| page.image(scan(), WHOLE)));
    judged.goes_to(&[Route::Ocr], &[ReasonCode::Scanned]);
    let judged = judge(PdfBuilder::new().page(|page| {
        page.image(scan(), [0.0, 0.0, 612.0, 740.0])
            .font(helvetica())
            .at(72.0, 760.0)
            .show("Filed 17 March 2024, page 1 of 1")
    }));
    judged.goes_to(&[Route::Ocr], &[ReasonCode::ScanWithOverlay]);
    assert!(!judged.0.pages[0].regions.is_empty(), "{judged}");
}

#[test]
fn x5_coverage_is_that_of_the_largest_drawn_image() {
    let text = english();
    let page = |draw: fn(PageBuilder) -> PageBuilder| {
        judge(PdfBuilder::new().page(|page| draw(page).font(helvetica()).at(72.0, 700.0).paragraph(&text)))
    };
    let unused = page(|page| page.unused_image(scan()));
    assert_eq!((unused.route(), unused.0.pages[0].image_coverage), (Route::Keep, 0.0), "{unused}");
    let clipped =
        page(|page| page.saved(|page| page.op("10 10 60 60 re W n").image(Image::grey(50, 50), WHOLE)));
    assert!(clipped.0.pages[0].image_coverage < 0.02, "{clipped}");
    assert_eq!(clipped.route(), Route::Keep, "{clipped}");
    let many = page(|page| {
        (0..40).fold(page, |page, i| {
            let (x, y) = (60.0 + 50.0 * (i % 10) as f32, 60.0 + 60.0 * (i / 10) as f32);
            page.image(Image::grey(20, 20), [x, y, x + 45.0, y + 55.0])
        })
    });
    assert!(many.0.pages[0].image_coverage < 0.02, "{many}");
    assert_eq!(many.route(), Route::Keep, "{many}");
}

#[test]
fn x5_text_over_a_background_picture_is_kept() {
    let judged = judge(
        PdfBuilder::new()
            .page(|page| page.image(Image::grey(40, 50), WHOLE).font(helvetica()).paragraph(prose::ENGLISH)),
    );
    assert_eq!(judged.route(), Route::Keep, "{judged}");
}

#[test]
fn x6_form_values_witness_for_the_appearance() {
    let value = "The harbour office opens at seven in the morning";
    let font: Font =
        Type0::identity_h(Sfnt::latin().without(&["cmap", "post"])).to_unicode(ToUnicode::shifted(1)).into();
    let judged = judge(PdfBuilder::new().page(|page| {
        let page = page.font(helvetica()).paragraph(&english());
        (0..4).fold(page, |page, i| {
            let y = 300.0 - 40.0 * i as f32;
            page.text_field([72.0, y, 540.0, y + 20.0], value, |form| form.font(&font).show(value))
        })
    }));
    judged.goes_to(
        &[Route::Ocr, Route::Decode],
        &[ReasonCode::ContradictedUnicode, ReasonCode::LetterSubstitution, ReasonCode::GlyphCodeShift],
    );
}

#[test]
fn x6_twin_whose_appearance_says_the_value() {
    let value = "The harbour office opens at seven in the morning";
    let font: Font =
        Type0::identity_h(Sfnt::latin().without(&["cmap", "post"])).to_unicode(ToUnicode::Right).into();
    let judged = judge(PdfBuilder::new().page(|page| {
        let page = page.font(helvetica()).paragraph(&english());
        page.text_field([72.0, 300.0, 540.0, 320.0], value, |form| form.font(&font).show(value))
    }));
    assert_eq!(judged.route(), Route::Keep, "{judged}");
    assert_eq!(judged.0.fonts.len(), 2, "the appearance draws\n{judged}");
}
