//! Budgets, loops and content that is not content.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

#[test]
fn a_font_that_the_resources_lack_is_a_finding() {
    let seen = page(|page| page.show("a").op("BT /Gone 12 Tf 72 500 Td (bcd) Tj ET"));
    assert!(found(&seen, FindingCode::FontMissing));
    assert_eq!(seen.fonts.len(), 2);
    assert_eq!(seen.runs.len(), 2);
    assert!(!found(&page(|page| page.show("a")), FindingCode::FontMissing));
}

#[test]
fn forms_that_draw_themselves_end() {
    let seen = page(|page| page.form(|form| form.font(helvetica()).show("a").op("/X1 Do")).show("b"));
    // A form without resources of that name of its own draws nothing more.
    assert_eq!(glyphs(&seen), [2, 0, 0]);
    let limits = Limits { depth: 3, ..Limits::default() };
    let nested = |page: PageBuilder| {
        page.form(|a| a.form(|b| b.form(|c| c.form(|d| d.font(helvetica()).show("deep"))))).show("b")
    };
    let seen = page_within(&limits, nested);
    assert!(found(&seen, FindingCode::FormDepth) && seen.evidence.incomplete);
    assert_eq!(glyphs(&seen), [1, 0, 0]);
    assert_eq!(glyphs(&page(nested)), [5, 0, 0]);
}

#[test]
fn budgets_keep_what_was_seen() {
    let limits = Limits { operators_per_page: 1000, ..Limits::default() };
    let seen = page_within(&limits, |page| page.show("Hello").op(&"0 g ".repeat(2000)).show("World"));
    assert!(found(&seen, FindingCode::OperatorBudget) && seen.evidence.incomplete);
    assert_eq!(glyphs(&seen), [5, 0, 0]);
    let limits = Limits { glyphs_per_page: 7, ..Limits::default() };
    let seen = page_within(&limits, |page| page.show("Hello").show("World"));
    assert!(found(&seen, FindingCode::GlyphBudget) && seen.evidence.incomplete);
    assert_eq!(glyphs(&seen), [7, 0, 0]);
    assert!(!page(|page| page.show("Hello")).evidence.incomplete);
}

#[test]
fn a_form_drawn_again_and_again_ends_with_its_bytes() {
    let limits = Limits { content_bytes: 1 << 16, document_content_bytes: 1 << 18, ..Limits::default() };
    let padding = "% padding\n".repeat(1000);
    let seen = page_within(&limits, |page| {
        page.form(|form| form.font(helvetica()).show("a").op(&padding)).op(&"/X1 Do ".repeat(100))
    });
    assert!(found(&seen, FindingCode::StreamOverLimit) && seen.evidence.incomplete);
    let [visible, ..] = glyphs(&seen);
    assert!((20..30).contains(&visible), "{visible}");
}

#[test]
fn damaged_content_is_read_on() {
    let seen = page(|page| page.show("a").op("]] >> (unclosed\n0 0 1 rg").at(72.0, 500.0).show("bc"));
    assert!(found(&seen, FindingCode::ContentSyntax));
    let seen = page(|page| page.op("0 0 mBT /F1 12 Tf 72 72 Td(ab)Tj ET").show("c"));
    assert_eq!(glyphs(&seen), [3, 0, 0]);
}

#[test]
fn operands_that_are_no_numbers_do_no_harm() {
    let odd = "99999999999999999999999999999999999999999999 0 0 1e38 0 0 cm 1e38 1e38 re f /F1 1e38 Tf";
    let seen = page(|page| page.show("a").op(odd).show("b").op("[1 2] 0 d (x) w /N m true l null c"));
    assert!(glyphs(&seen)[0] >= 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn pages_of_any_bytes_are_measured(bytes in vec(any::<u8>(), 0..2000)) {
        let _ = page(|page| page.show("a").bytes(&bytes).show("b"));
    }

    #[test]
    fn pages_of_any_operators_are_measured(
        words in vec(prop::sample::select(vec![
            "q", "Q", "BT", "ET", "(ab) Tj", "[(a) -900 (b)] TJ", "7 Tr", "3 Tr", "0 Tr", "1 g", "0 g", "/F1 9 Tf",
            "0 0 99 99 re", "W n", "f", "S", "B*", "1 0 0 1 9 9 cm", "0 0 0 0 0 0 cm", "1e30 0 0 1e30 0 0 cm", "/X1 Do",
            "/Span <</ActualText (x)>> BDC", "/Span <</ActualText ()>> BDC", "EMC", "9 9 Td", "1 0 0 1 70 700 Tm", "-5 Tz",
            "BI /W 9 /H 9 ID x EI", "/Sh sh", "5 5 m 9 9 8 8 7 7 c h",
        ]), 0..120)
    ) {
        let seen = page(|page| page.show("a").unused_form(|form| form.font(helvetica()).show("b")).op(&words.join(" ")));
        for run in &seen.runs {
            prop_assert!((run.font as usize) < seen.fonts.len());
            prop_assert!(seen.codes(run).iter().all(|(_, offset)| seen.text(run).is_char_boundary(*offset as usize)));
        }
        let visible: u32 = seen.fonts.iter().flat_map(|font| &font.codes).map(|code| code.visible).sum();
        let in_runs: usize = seen.runs.iter().filter(|run| !run.invisible).map(|run| seen.codes(run).len()).sum();
        prop_assert_eq!(visible as usize, in_runs);
    }
}
