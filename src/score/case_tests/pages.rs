//! What pages show beside text: pictures, rules, outlines, forms; and what a verdict is about.

use super::*;

fn scan() -> Image {
    Image::scan_of_text(1275, 1650)
}

/// Dotted rules as forms have them: many small squares and dots on common lines.
fn dotted_rules(page: PageBuilder) -> PageBuilder {
    (0..8).fold(page, |page, row| {
        (0..120).fold(page, |page, i| page.op(&format!("{} {} 1.2 1.2 re f", 72 + i * 4, 420 - row * 40)))
    })
}

/// Round dots, each a small closed curve: nearer to letters than squares are.
fn round_rules(page: PageBuilder) -> PageBuilder {
    (0..8).fold(page, |page, row| {
        (0..120).fold(page, |page, i| {
            let (x, y) = (72 + i * 4, 430 - row * 40);
            page.op(&format!(
                "{x} {y} m {x} {0} {1} {0} {1} {y} c {1} {2} {x} {2} {x} {y} c h f",
                y + 1,
                x + 1,
                y - 1
            ))
        })
    })
}

#[test]
fn case_09_dotted_form_rules_are_no_outlined_text() {
    for rules in [dotted_rules, round_rules] {
        let judged =
            judge(PdfBuilder::new().page(|page| rules(page.font(helvetica()).paragraph(&english()))));
        assert_eq!(judged.route(), Route::Keep, "{judged}");
        let arabic: Font = only_by(ToUnicode::Right, prose::ARABIC).into();
        let judged = judge(PdfBuilder::new().page(|page| {
            rules(page.font(arabic).paragraph_rtl(prose::ARABIC, |page, line| page.show_rtl(line)))
        }));
        assert_eq!(judged.route(), Route::Keep, "{judged}");
    }
}

#[test]
fn case_09_twin_outlined_text_is_found() {
    let font = Sfnt::for_text(prose::ENGLISH);
    let judged = judge(PdfBuilder::new().page(|page| {
        let lines = page.clone().font(helvetica()).lines(prose::ENGLISH, 468.0);
        lines.iter().fold(page, |page, line| page.outlined(&font, line))
    }));
    judged.goes_to(&[Route::Ocr], &[ReasonCode::OutlinedText]);
}

#[test]
fn case_10_forms_tables_slides_and_figures_are_kept() {
    let form = judge(PdfBuilder::new().page(|page| {
        let labels = ["Name", "Date of birth", "Address", "Telephone", "Amount claimed", "Signature"];
        labels.iter().enumerate().fold(page.font(helvetica()).size(9.0), |page, (i, label)| {
            let y = 700.0 - 40.0 * i as f32;
            let page = page.at(72.0, y).show(label).op(&format!("180 {} 360 18 re S", y - 5.0));
            page.at(186.0, y).show(&format!("{}-{}", i * 31 + 7, i * 977))
        })
    }));
    let table = judge(PdfBuilder::new().page(|page| {
        (0..30).fold(page.font(helvetica()).size(8.0), |page, row| {
            (0..8).fold(page, |page, column| {
                let cell = (row * 8 + column) * 7919 % 10_000;
                page.at(72.0 + 60.0 * column as f32, 720.0 - 14.0 * row as f32).show(&format!(
                    "{}.{:02}",
                    cell / 100,
                    cell % 100
                ))
            })
        })
    }));
    let slide = judge(PdfBuilder::new().page(|page| {
        page.media_box([0.0, 0.0, 960.0, 540.0])
            .image(Image::grey(96, 54), [0.0, 0.0, 960.0, 540.0])
            .font(helvetica())
            .size(40.0)
            .at(80.0, 400.0)
            .show("Landings by month")
            .size(20.0)
            .show("January to June")
            .show("What changed, and why")
    }));
    let figure = judge(PdfBuilder::new().page(|page| {
        let page = page.image(Image::grey(1200, 900), [72.0, 400.0, 540.0, 740.0]);
        page.font(helvetica()).at(72.0, 380.0).paragraph(&english())
    }));
    for (name, judged) in [("form", form), ("table", table), ("slide", slide), ("figure", figure)] {
        assert_eq!(judged.route(), Route::Keep, "{name}\n{judged}");
    }
}

#[test]
fn case_11_scan_under_a_digital_header() {
    let header = "Case 2:24-cv-00118   Document 31   Filed 17 March 2024   Page 1 of 12";
    let judged = judge(PdfBuilder::new().page(|page| {
        page.image(scan(), [0.0, 0.0, 612.0, 750.0]).font(helvetica()).size(9.0).at(72.0, 765.0).show(header)
    }));
    judged.goes_to(&[Route::Ocr], &[ReasonCode::ScanWithOverlay]);
    let region = judged.0.pages[0].regions[0];
    assert!(region[3] <= 752.0 && region[1] <= 2.0 && region[2] >= 610.0, "{region:?}");
    let twin = judge(PdfBuilder::new().page(|page| {
        page.font(helvetica())
            .size(9.0)
            .at(72.0, 765.0)
            .show(header)
            .size(11.0)
            .at(72.0, 720.0)
            .paragraph(prose::ENGLISH)
    }));
    assert_eq!(twin.route(), Route::Keep, "{twin}");
}

#[test]
fn case_17_headline_over_a_full_bleed_picture() {
    let judged = judge(PdfBuilder::new().page(|page| {
        page.image(Image::declared(2400, 3000, 8, "DCTDecode"), WHOLE)
            .font(helvetica())
            .colour(0.0, 0.0, 0.0)
            .size(36.0)
            .at(72.0, 600.0)
            .show("The pier stands again")
            .size(14.0)
            .paragraph("A report on two years of work in the northern harbour, and on what it cost the town.")
    }));
    assert_ne!(judged.route(), Route::Repair, "{judged}");
    assert!(judged.reason(ReasonCode::Scanned).is_none(), "a page with live text is not scanned\n{judged}");
}

#[test]
fn case_17_mathematics_is_kept() {
    let lines = [
        "f (x) = a x2 + b x + c ,   x = ( - b +- d ) / 2 a",
        "p (n, k) = p (n - 1, k) + p (n, k - n) ,   n, k > 0",
        "d s2 = - c2 d t2 + d x2 + d y2 + d z2",
        "E [ X Y ] = E [ X ] E [ Y ] ,   V (X) = E [ X2 ] - E [ X ] 2",
        "a n = 2 a n-1 + 3 a n-2 ,   a 0 = 1 ,   a 1 = 4",
    ];
    let judged = judge(PdfBuilder::new().page(|page| {
        (0..4).fold(page.font(Simple::standard14("Times-Italic")), |page, _| {
            lines.iter().fold(page, |page, line| page.show(line))
        })
    }));
    assert_eq!(judged.route(), Route::Keep, "{judged}");
}

#[test]
fn case_25_coverage_is_that_of_the_largest_visible_image() {
    let text = english();
    // Ten copies of one small picture add up to a page, and are none.
    let copies = judge(PdfBuilder::new().page(|page| {
        let page = (0..10).fold(page, |page, i| {
            let y = 60.0 * i as f32;
            page.image(Image::grey(300, 60), [0.0, y, 612.0, y + 50.0])
        });
        page.font(helvetica()).at(72.0, 740.0).paragraph(&text)
    }));
    assert!(copies.0.pages[0].image_coverage < 0.1, "{copies}");
    assert_eq!(copies.route(), Route::Keep, "{copies}");
    // A picture far larger than the page, clipped to a stamp.
    let clipped = judge(PdfBuilder::new().page(|page| {
        page.saved(|page| page.op("500 40 72 72 re W n").image(scan(), [-2000.0, -2000.0, 3000.0, 3000.0]))
            .font(helvetica())
            .paragraph(&text)
    }));
    assert!(clipped.0.pages[0].image_coverage < 0.02, "{clipped}");
    assert_eq!(clipped.route(), Route::Keep, "{clipped}");
    let twin = judge(PdfBuilder::new().page(|page| page.image(scan(), WHOLE)));
    assert!(twin.0.pages[0].image_coverage > 0.99, "{twin}");
}

#[test]
fn case_31_one_verdict_a_page() {
    let dead: Font = severed(&english()).into();
    let judged = judge(
        PdfBuilder::new()
            .page(|page| page.image(scan(), WHOLE))
            .page(|page| page.font(helvetica()).paragraph(prose::ENGLISH))
            .page(|page| page.font(&dead).paragraph(&english()))
            .page(|page| page),
    );
    assert_eq!(routes(&judged), [Route::Ocr, Route::Keep, Route::Ocr, Route::Keep], "{judged}");
    assert_eq!(judged.0.pages[3].reasons[0].code, ReasonCode::Blank, "{judged}");
}

#[test]
fn case_36_a_local_fault_is_a_region() {
    let judged =
        line_over_prose(severed(&english()), "Fish are weighed on the quay, written into a list, and sold");
    judged.goes_to(&[Route::Ocr], &[ReasonCode::UndecodableFont]);
    let page = &judged.0.pages[0];
    assert!(!page.regions.is_empty() && page.n_more_regions == 0, "{judged}");
    for [_, bottom, _, top] in &page.regions {
        assert!(*bottom > 700.0 && *top < 740.0, "only the line: {:?}", page.regions);
    }
}

#[test]
fn case_37_scans_in_small_placements_are_found() {
    let placed =
        |image: Image| judge(PdfBuilder::new().page(|page| page.image(image, [150.0, 250.0, 460.0, 652.0])));
    placed(scan()).goes_to(&[Route::Ocr], &[ReasonCode::Scanned, ReasonCode::PartialCoverage]);
    let decoration = placed(Image::grey(24, 32));
    assert_eq!(decoration.route(), Route::Keep, "{decoration}");
}
