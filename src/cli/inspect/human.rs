//! The report for people.

use std::fmt::Write;

use crate::cli::output::safe;
use crate::cli::table::{Cell, Style, Table, colours, left, painted, right};
use crate::score::{FontClass, FontScore, PageScore, Reason, RegionScore, Route, State};
use crate::telemetry::grouped;
use crate::words::Word;

use super::Inspected;

/// Longest font name that is shown whole.
const NAME_CHARS: usize = 40;

pub(super) fn print(inspected: &Inspected) -> String {
    let colours = colours();
    let mut text = head(inspected);
    let score = &inspected.score;
    if !score.fonts.is_empty() {
        text.push_str("\nfonts that draw\n");
        text.push_str(&fonts(&score.fonts).print(colours));
    }
    if !score.pages.is_empty() {
        text.push_str("\npages\n");
        for page in &score.pages {
            text.push_str(&of_page(page, colours));
        }
    }
    if !score.findings.is_empty() {
        text.push_str("\nfindings\n");
        for finding in &score.findings {
            let page = finding.page.map_or_else(|| "file".to_owned(), |page| format!("page {page}"));
            let _ = writeln!(text, "  {page}: {} {}", Word(finding.code), safe(&finding.detail));
        }
    }
    text
}

fn head(inspected: &Inspected) -> String {
    let (score, info) = (&inspected.score, &inspected.score.info);
    let mut text = String::new();
    let _ = writeln!(text, "{}", safe(&inspected.uri));
    let plural = if info.n_pages == 1 { "" } else { "s" };
    let size = grouped(inspected.size_bytes);
    let _ = write!(text, "  {}", Word(score.state));
    if let Some(reason) = &score.state_reason {
        let _ = write!(text, " ({})", safe(reason));
    }
    if score.state == State::Scored || info.n_pages > 0 {
        let _ = write!(text, ", {} page{plural}", grouped(u64::from(info.n_pages)));
    }
    let _ = writeln!(text, ", {size} bytes");
    for (name, value) in [("producer", &info.producer), ("creator", &info.creator)] {
        if let Some(value) = value {
            let _ = writeln!(text, "  {name}: {}", safe(value));
        }
    }
    text
}

fn fonts(fonts: &[FontScore]) -> Table {
    let mut table = Table::titled(&[
        "font",
        "name",
        "kind",
        "encoding",
        "ToUnicode",
        "program",
        "class",
        "case",
        ">glyphs",
        ">suspect",
    ]);
    for font in fonts {
        let facts = &font.facts;
        let name: String = facts.base_font.as_deref().unwrap_or("-").chars().take(NAME_CHARS).collect();
        let kind = facts.descendant.as_deref().unwrap_or(&facts.subtype);
        table.row([
            left(&facts.font),
            left(name),
            left(kind),
            left(facts.encoding.as_deref().unwrap_or("-")),
            left(Word(facts.to_unicode).to_string()),
            left(Word(facts.program).to_string()),
            class(font.font_class),
            left(font.font_case.map_or_else(|| "-".to_owned(), |case| Word(case).to_string())),
            right(grouped(u64::from(font.glyphs_drawn))),
            right(grouped(u64::from(font.glyphs_suspect))),
        ]);
    }
    table
}

fn class(class: FontClass) -> Cell {
    let style = match class {
        FontClass::ReadSpec | FontClass::ReadProgram => Style::Good,
        FontClass::Inferred | FontClass::Mixed | FontClass::Unknown => Style::Fair,
        FontClass::Dead | FontClass::Contradicted => Style::Bad,
    };
    left(Word(class).to_string()).styled(Some(style))
}

/// How a route is coloured.
pub(in crate::cli) fn route_style(route: Route) -> Style {
    match route {
        Route::Keep => Style::Good,
        Route::Repair | Route::Decode | Route::Reextract => Style::Fair,
        Route::Ocr => Style::Bad,
    }
}

fn of_page(page: &PageScore, colours: bool) -> String {
    let mut text = String::new();
    let route = painted(&Word(page.route).to_string(), colours.then(|| route_style(page.route)));
    let _ = write!(text, "  {:>5}  {route}", page.page);
    let glyphs = grouped(u64::from(page.glyphs_drawn));
    let _ = write!(text, ", {glyphs} glyphs");
    if page.glyphs_suspect > 0 {
        let _ = write!(text, ", {} suspect", grouped(u64::from(page.glyphs_suspect)));
    }
    if page.image_coverage > 0.0 {
        let _ = write!(text, ", image {:.0} %", page.image_coverage * 100.0);
    }
    for word in [&page.script, &page.language].into_iter().flatten() {
        let _ = write!(text, ", {}", safe(word));
    }
    if !page.judged {
        text.push_str(", not judged");
    }
    text.push('\n');
    for reason in &page.reasons {
        let _ = writeln!(text, "         {}", of_reason(reason));
    }
    for [x0, y0, x1, y1] in &page.regions {
        let _ = writeln!(text, "         region {x0:.0},{y0:.0},{x1:.0},{y1:.0}");
    }
    if page.n_more_reasons + page.n_more_regions > 0 {
        let (reasons, regions) = (page.n_more_reasons, page.n_more_regions);
        let _ = writeln!(text, "         and {reasons} more reasons, {regions} more regions");
    }
    for assessed in &page.assessed {
        text.push_str(&of_region(assessed, colours));
    }
    text
}

/// A box that the caller asked about.
fn of_region(assessed: &RegionScore, colours: bool) -> String {
    let [x0, y0, x1, y1] = assessed.region;
    let route = painted(&Word(assessed.route).to_string(), colours.then(|| route_style(assessed.route)));
    let glyphs = grouped(u64::from(assessed.glyphs_drawn));
    let mut text = format!("         box {x0},{y0},{x1},{y1}: {route}, {glyphs} glyphs");
    if assessed.glyphs_suspect > 0 {
        let _ = write!(text, ", {} suspect", grouped(u64::from(assessed.glyphs_suspect)));
    }
    text.push_str(if assessed.judged { "\n" } else { ", not judged\n" });
    for reason in &assessed.reasons {
        let _ = writeln!(text, "           {}", of_reason(reason));
    }
    text
}

fn of_reason(reason: &Reason) -> String {
    let font = reason.font.as_ref().map_or_else(String::new, |font| format!(" font {}", safe(font)));
    let share = f64::from(reason.share) * 100.0;
    let detail = safe(&reason.detail);
    format!("{}, {}, {share:.0} %{font}: {detail}", Word(reason.code), Word(reason.certainty))
}
