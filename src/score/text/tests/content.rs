//! Text state, runs, forms, marked content, annotations, Type 3 glyphs.

use super::*;
use crate::sample::Annotation;
use crate::score::fonts::{Case, CodeClass};

#[test]
fn gaps_separate_words_and_kerning_does_not() {
    let show = |ops: &'static str| {
        text(&page(move |page| page.show("").op("BT /F1 10 Tf 72 600 Td").op(ops).op("ET")))
    };
    assert_eq!(show("[(The) -333 (uni) 28 (t)] TJ"), "|The|unit");
    assert_eq!(show("(The) Tj 40 0 Td (unit) Tj"), "|The|unit");
    assert_eq!(show("(The) Tj 17.2 0 Td (unit) Tj"), "|Theunit");
    assert_eq!(show("(The) Tj 12 TL T* (unit) Tj"), "|The|unit");
    assert_eq!(show("(The) Tj 12 TL (unit) '"), "|The|unit");
    assert_eq!(show("(a) Tj 3 Ts (b) Tj"), "|ab"); // a superscript
    assert_eq!(show("10 Tc (wide) Tj"), "|wide");
}

#[test]
fn pieces_placed_leftwards_join() {
    // Right-to-left text is placed piece by piece, each ending where the one before began.
    let ops =
        "BT /F1 10 Tf 1 0 0 1 100 600 Tm (H) Tj 1 0 0 1 92.78 600 Tm (H) Tj 1 0 0 1 60 600 Tm (H) Tj ET";
    assert_eq!(text(&page(|page| page.show("").op(ops))), "|HH|H");
}

#[test]
fn runs_have_their_place_on_the_page() {
    let seen = page(|page| {
        page.crop_box([10.0, 20.0, 400.0, 700.0])
            .show("")
            .op("2 0 0 2 0 0 cm BT /F1 6 Tf 50 200 Td 50 Tz (HH) Tj ET")
    });
    let run = seen.runs[0];
    assert_eq!(run.from, [90.0, 380.0]);
    assert!(near(run.to[0], 90.0 + 2.0 * 0.722 * 6.0 * 2.0 / 2.0) && near(run.to[1], 380.0), "{:?}", run.to);
    assert!(near(run.size, 12.0));
    assert_eq!(seen.evidence.size, [390.0, 680.0]);
}

#[test]
fn spacing_moves_what_follows() {
    let to = |ops: &'static str| page(move |page| page.show("").op(ops)).runs[0].to[0];
    assert!(near(to("BT /F1 10 Tf (HH) Tj ET"), 14.44));
    assert!(near(to("BT /F1 10 Tf 5 Tc (HH) Tj ET"), 19.44));
    assert!(near(to("BT /F1 10 Tf 5 Tw (H H) Tj ET"), 22.22));
    assert!(near(to("BT /F1 10 Tf 5 Tw 100 Tz 1 0 0 1 0 0 Tm 3 2 (H) \" ET"), 7.22));
    assert!(near(to("BT /F1 10 Tf [(H) 100 (H)] TJ ET"), 13.44));
}

#[test]
fn lines_are_boxes_along_baselines() {
    let seen = page(|page| page.show("Hello you there").show("and here"));
    let lines = &seen.evidence.fonts[0].lines;
    assert_eq!(lines.iter().map(|line| line.glyphs).collect::<Vec<_>>(), [13, 7]);
    let [x0, y0, x1, y1] = lines[0].bounds;
    assert!(near(x0, 72.0) && x1 > 130.0 && y0 < 720.0 && y1 > 726.0, "{:?}", lines[0].bounds);
    assert_eq!(seen.evidence.script.as_deref(), Some("Latn"));
}

#[test]
fn saved_states_are_restored() {
    assert_eq!(glyphs(&page(|page| page.saved(|page| page.render_mode(3).show("a")).show("bc"))), [2, 1, 0]);
    assert_eq!(glyphs(&page(|page| page.op("Q Q Q").show("ab"))), [2, 0, 0]);
    // More saves than are kept still pair with their restores.
    let deep =
        |page: PageBuilder| page.op(&"q ".repeat(5000)).render_mode(3).op(&"Q ".repeat(3000)).show("ab");
    assert_eq!(glyphs(&page(deep)), [0, 2, 0]);
    let level = |page: PageBuilder| page.op(&"q ".repeat(5000)).op(&"Q ".repeat(5000)).show("ab");
    assert_eq!(glyphs(&page(level)), [2, 0, 0]);
}

#[test]
fn forms_count_as_often_as_they_are_drawn() {
    let hello = |form: PageBuilder| form.font(helvetica()).show("Hello");
    assert_eq!(glyphs(&page(|page| page.form(hello).op("1 0 0 1 0 -50 cm /X1 Do"))), [10, 0, 0]);
    assert_eq!(glyphs(&page(|page| page.unused_form(hello).show("a"))), [1, 0, 0]);
    let moved_off = page(|page| page.form_with("/Matrix [1 0 0 1 900 0]", hello));
    assert_eq!(glyphs(&moved_off), [0, 0, 0]); // not even read
}

#[test]
fn what_a_form_sets_does_not_leave_it() {
    let seen = page(|page| page.form(|form| form.op("q q 3 Tr 0 0 1 1 re W n /Span BMC")).show("Hello"));
    assert_eq!(glyphs(&seen), [5, 0, 0]);
    let seen = page(|page| page.op("q").form(|form| form.op("Q Q Q Q")).render_mode(3).op("Q").show("Hello"));
    assert_eq!(glyphs(&seen), [5, 0, 0]);
}

#[test]
fn actual_text_stands_for_what_is_drawn() {
    let seen = page(|page| page.actual_text("ffi", |page| page.show("#@")).show("x"));
    assert_eq!(text(&seen), "|ffi|x");
    assert_eq!(
        seen.evidence.fonts[0].cases,
        [(Case::S2, CodeClass::ReadSpec, 1), (Case::X1, CodeClass::ReadSpec, 2)]
    );
    assert!(seen.runs[0].actual_text && !seen.runs[1].actual_text);
}

#[test]
fn actual_text_is_given_once_and_the_outer_one_counts() {
    let seen = page(|page| {
        page.actual_text("outer", |page| {
            page.show("ab").actual_text("inner", |page| page.show("cd")).show("ef")
        })
        .show("x")
    });
    assert_eq!(text(&seen), "|outer|||x");
}

#[test]
fn actual_text_of_the_properties() {
    let entries = "/Properties << /P1 << /ActualText (whole) >> >>";
    let seen =
        page(|page| page.resource_entries(entries).op("/Span /P1 BDC").show("abcde").op("EMC").show("x"));
    assert_eq!(text(&seen), "|whole|x");
}

#[test]
fn actual_text_too_short_for_its_glyphs_says_nothing_of_them() {
    let seen = page(|page| page.actual_text("•", |page| page.show("A whole sentence.")));
    let cases = &seen.evidence.fonts[0].cases;
    assert!(cases.iter().all(|(case, ..)| *case != Case::X1), "{cases:?}");
    assert_eq!(text(&seen), "|•"); // as an extractor gives it
}

#[test]
fn empty_actual_text_takes_letters_away() {
    let seen = page(|page| page.actual_text("", |page| page.show("Hello ...")));
    assert_eq!(seen.evidence.fonts[0].unmapped, 5);
    assert_eq!(text(&seen), "|");
}

#[test]
fn annotations_and_fields_are_drawn() {
    let field = |page: PageBuilder| {
        page.text_field([100.0, 100.0, 300.0, 120.0], "Hi", |form| form.font(helvetica()).show("Hi"))
    };
    let seen = page(|page| field(page.show("a")));
    assert_eq!(glyphs(&seen), [3, 0, 0]);
    assert!((100.0..300.0).contains(&seen.runs[1].from[0]), "{:?}", seen.runs[1].from);
    for (flags, visible) in [(2, 1), (32, 1), (0, 3)] {
        let stamp = Annotation {
            subtype: "Stamp",
            rect: [0.0, 0.0, 612.0, 792.0],
            flags,
            entries: String::new(),
            appearance: Some(PageBuilder::default().font(helvetica()).show("Hi")),
        };
        assert_eq!(glyphs(&page(|page| page.show("a").annotation(stamp)))[0], visible, "flags {flags}");
    }
}

#[test]
fn unbalanced_content_does_not_reach_the_annotations() {
    let seen = page(|page| {
        page.op("q 0 0 1 1 re W n 3 Tr /Span << /ActualText (x) >> BDC").text_field(
            [100.0, 100.0, 300.0, 120.0],
            "Hi",
            |form| form.font(helvetica()).show("Hi"),
        )
    });
    assert_eq!(glyphs(&seen), [2, 0, 0]);
    assert_eq!(text(&seen), "|Hi");
}

#[test]
fn fonts_are_those_that_draw() {
    let file = PdfBuilder::new().page(|page| {
        let page = page.font(helvetica()).op("BT /F1 9 Tf ET");
        page.font(Font::from(Simple::standard14("Courier"))).show("Hello")
    });
    let seen = measure_all(file.build(), &Limits::default()).remove(0);
    assert_eq!(
        seen.facts().iter().filter_map(|facts| facts.family.as_deref()).collect::<Vec<_>>(),
        ["Courier"]
    );
    assert_eq!(seen.runs[0].font, 0);
    let drawn: u32 = seen.fonts[0].codes.iter().map(|code| code.visible).sum();
    assert_eq!(drawn, 5);
}

/// A page whose only font is this Type 3 dictionary; `F` and `B` are its procedures.
fn type3(font: &str, full: &str, bare: &str, content: &str) -> PageMeasure {
    let stream = |content: &str| format!("<< /Length {} >> stream\n{content}\nendstream", content.len());
    let bodies = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /T 5 0 R >> >> >>"
            .to_owned(),
        stream(content),
        format!("<< /Type /Font /Subtype /Type3 /CharProcs << /F 6 0 R /B 7 0 R >> {font} >>"),
        stream(full),
        stream(bare),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    for (number, body) in (1..).zip(&bodies) {
        file += &format!("{number} 0 obj\n{body}\nendobj\n");
    }
    file += "trailer << /Root 1 0 R >>\n";
    measure_all(file.into_bytes(), &Limits::default()).remove(0)
}

const TYPE3: &str = "/FontMatrix [0.01 0 0 0.01 0 0] /FontBBox [0 0 100 100] /FirstChar 65 /LastChar 67 /Widths [100 100 100] \
    /Encoding << /Differences [65 /F /B /None] >>";

#[test]
fn t6_type3_procedures_that_paint_nothing_are_blank() {
    let seen = type3(
        TYPE3,
        "100 0 d0 0 0 80 70 re f",
        "100 0 d0 0 0 80 70 re n",
        "BT /T 10 Tf 50 50 Td (AABC) Tj ET",
    );
    assert_eq!(glyphs(&seen), [2, 0, 0]);
    assert!(near(seen.runs[0].to[0], 90.0), "{:?}", seen.runs[0]);
}

#[test]
fn t5_type3_image_of_the_page_is_an_image() {
    let image = "600 0 d0 q 60000 0 0 80000 0 0 cm BI /W 1700 /H 2200 /IM true ID x EI Q";
    let seen = type3(TYPE3, image, "100 0 d0", "BT /T 1 Tf (A) Tj ET");
    let images = &seen.evidence.images;
    assert!(near(images.largest_coverage, 1.0), "{images:?}");
    assert!(near(images.effective_dpi, 198.0) && images.bilevel && images.stencil, "{images:?}");
    // A bitmap of one letter is a letter.
    let letter = "100 0 d0 q 80 0 0 70 0 0 cm BI /W 17 /H 22 /IM true ID x EI Q";
    let seen = type3(TYPE3, letter, "100 0 d0", "BT /T 10 Tf 50 50 Td (A) Tj ET");
    assert_eq!((seen.evidence.images.n_images, glyphs(&seen)), (0, [1, 0, 0]));
}

#[test]
fn t5_type3_procedure_of_a_whole_word_is_no_letter() {
    let word = |n: usize| (0..n).map(|at| format!("{} 0 20 40 re ", 30 * at)).collect::<String>() + "f";
    let seen = type3(TYPE3, &format!("300 0 d0 {}", word(8)), "100 0 d0", "BT /T 10 Tf 50 50 Td (A) Tj ET");
    assert_eq!(seen.evidence.fonts[0].cases, [(Case::T5, CodeClass::Dead, 1)]);
    let seen = type3(TYPE3, &format!("100 0 d0 {}", word(2)), "100 0 d0", "BT /T 10 Tf 50 50 Td (A) Tj ET");
    assert!(seen.evidence.fonts[0].cases.iter().all(|(case, ..)| *case != Case::T5));
}

#[test]
fn type3_sizes_mean_what_their_glyphs_say() {
    let seen = type3(
        &TYPE3.replace("0.01 0 0 0.01", "1 0 0 1"),
        "100 0 d0 0 0 80 70 re f",
        "100 0 d0",
        "0.1 0 0 0.1 50 50 cm BT /T 1 Tf (AA) Tj ET",
    );
    assert_eq!(glyphs(&seen), [2, 0, 0]);
    assert!(near(seen.runs[0].size, 7.0), "{}", seen.runs[0].size);
}
