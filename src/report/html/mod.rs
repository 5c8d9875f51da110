//! One job as one HTML file: no script, no network, nothing beside the file.
//!
//! Takes: results, and rendered pages for the gallery. Gives: the file's text. Fails: [`ReportError`]. Never: lets a string from
//! a document be markup; every value goes through `escape`, and a content security policy forbids all but the style sheet,
//! named by its hash, and pictures inside the file.

mod chart;
mod charts;
mod draw;
mod gallery;
mod sentences;

use std::collections::BTreeMap;
use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

pub use draw::Drawing;
pub use gallery::{Card, Picture, card, cards};

use super::answer::{Answer, Kind, Value};
use super::clusters::load as load_clusters;
use super::producers::{self, Tally};
use super::{ReportError, Results, clusters, overview, reasons};
use crate::tables::wilson;
use crate::telemetry::grouped;
use crate::words::{Word, clean};
use charts::Bar;

/// The style sheet of reports.
pub const STYLE: &str = include_str!("style.css");
/// Producers that are drawn.
const PRODUCERS: usize = 15;
/// Producers and fonts of the map.
const MAP: (usize, usize) = (8, 12);
/// Jobs of the time line.
const NIGHTS: usize = 30;
/// Rows of a table of numbers.
const ROWS: usize = 40;

/// A producer as a dot.
struct Dot {
    name: String,
    pages: u64,
    share: f64,
    low: f64,
    high: f64,
}

/// A job on the time line.
struct Night {
    day: String,
    share: f64,
}

/// Text as content or attribute value of HTML; what steers a reader is a blank.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean(text, usize::MAX).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// The whole file.
///
/// # Errors
/// When a file of the tables is missing or not as this release writes it.
pub fn html(results: &Results, cards: &[Card]) -> Result<String, ReportError> {
    let manifest = results.manifest();
    let hash = STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{hash}'; \
         img-src data:; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>pagesieve report: {corpus}, {day}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#main\">Skip to the report</a>\n",
        corpus = escape(&manifest.corpus),
        day = escape(&manifest.closed_at),
    );
    let body = [
        summary(results)?,
        funnel(results),
        reasons_section(results)?,
        producers_section(results)?,
        map_section(results)?,
        time_section(results),
        gallery::section(cards),
    ];
    let _ = write!(
        out,
        "<header><h1>pagesieve report</h1>\n<p>Corpus <b>{}</b>, job <code>{}</code>, closed {}, rules {}.</p>\n{}</header>\n\
         <main id=\"main\" tabindex=\"-1\">\n",
        escape(&manifest.corpus),
        escape(&manifest.job),
        escape(&manifest.closed_at),
        escape(&manifest.rules_version),
        NAVIGATION,
    );
    body.iter().for_each(|section| out.push_str(section));
    out.push_str("</main>\n<footer><p>A page is <b>flagged</b> when its route is decode or ocr. Intervals are Wilson's at 95 % over \
                  documents, because pages of a document are not independent.</p></footer>\n</body>\n</html>\n");
    Ok(out)
}

const NAVIGATION: &str = "<nav aria-label=\"Sections\"><ul><li><a href=\"#routes\">Routes</a></li>\
    <li><a href=\"#reasons\">Reasons</a></li><li><a href=\"#producers\">Producers</a></li>\
    <li><a href=\"#clusters\">Clusters</a></li><li><a href=\"#time\">Over time</a></li>\
    <li><a href=\"#gallery\">Gallery</a></li></ul></nav>\n";

fn summary(results: &Results) -> Result<String, ReportError> {
    let counts = overview(results)?;
    let flagged: u64 = counts
        .pages_by_route
        .iter()
        .filter(|(route, _)| flags(&Word(**route).to_string()))
        .map(|(_, n)| n)
        .sum();
    let tile =
        |name: &str, value: String| format!("<div class=\"tile\"><dt>{name}</dt><dd>{value}</dd></div>\n");
    let states =
        counts.documents_by_state.iter().map(|(state, n)| format!("{} {}", grouped(*n), Word(*state)));
    Ok(format!(
        "<dl class=\"tiles\">\n{}{}{}{}</dl>\n<p>Documents by state: {}.</p>\n",
        tile("documents", grouped(counts.documents)),
        tile("pages", grouped(counts.pages)),
        tile(
            "flagged pages",
            format!(
                "{} <small>{}</small>",
                grouped(flagged),
                percent(flagged as f64 / counts.pages.max(1) as f64)
            )
        ),
        tile("not judged", grouped(counts.pages_not_judged)),
        escape(&states.collect::<Vec<_>>().join(", ")),
    ))
}

fn flags(route: &str) -> bool {
    matches!(route, "decode" | "ocr")
}

fn section(id: &str, title: &str, text: &str, chart: &str, table: &str) -> String {
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{title}</h2>\n<p>{text}</p>\n\
         <figure>{chart}</figure>\n<details><summary>{title} as a table</summary>\n{table}</details>\n</section>\n"
    )
}

/// All pages, what could be judged of them, and where they go.
fn funnel(results: &Results) -> String {
    let counts = &results.manifest().counts;
    let bar = |name: &str, pages, flagged| Bar { name: name.to_owned(), pages, flagged };
    let mut bars = vec![
        bar("all pages", counts.pages, false),
        bar("judged", counts.pages.saturating_sub(counts.pages_not_judged), false),
    ];
    for route in ["keep", "repair", "decode", "ocr"] {
        let pages = counts.pages_by_route.get(route).copied().unwrap_or(0);
        bars.push(bar(&format!("→ {route}"), pages, flags(route)));
    }
    let mut answer = Answer::new("routes", &[("pages", Kind::Text), ("count", Kind::Count)]);
    answer.rows =
        bars.iter().map(|bar| vec![Value::Text(bar.name.clone()), Value::count(bar.pages)]).collect();
    let text = "Each page takes its worst route: keep it, repair it, decode it, or read it from pixels.";
    section("routes", "Pages by route", text, &charts::bars("Pages by route", &bars), &table(&answer))
}

fn reasons_section(results: &Results) -> Result<String, ReportError> {
    let answer = reasons(results)?;
    let flagged = |routes: &Value| matches!(routes, Value::Text(routes) if routes.contains("ocr") || routes.contains("decode"));
    let bars: Vec<Bar> = answer
        .rows
        .iter()
        .filter_map(|row| match (&row[0], &row[1]) {
            (Value::Text(code), Value::Count(pages)) => Some(Bar {
                name: code.replace('_', " "),
                pages: u64::try_from(*pages).ok()?,
                flagged: flagged(&row[7]),
            }),
            _ => None,
        })
        .collect();
    let text = "Why pages have their route; a page counts once for each of its reasons. Red reasons are found on flagged pages.";
    Ok(section("reasons", "Reasons", text, &charts::bars("Pages by reason", &bars), &table(&answer)))
}

fn producers_section(results: &Results) -> Result<String, ReportError> {
    let families = producers::families(results)?;
    let mut all = Tally::default();
    families.values().for_each(|family| all.add(*family));
    let mut groups: Vec<(Option<String>, Tally)> = families.into_iter().collect();
    producers::rank(&mut groups, all.share());
    let dots: Vec<Dot> = groups
        .iter()
        .take(PRODUCERS)
        .map(|(family, tally)| {
            let (low, high) = wilson(tally.share(), tally.documents);
            Dot { name: named(family.as_deref()), pages: tally.pages, share: tally.share(), low, high }
        })
        .collect();
    let text = format!(
        "Share of flagged pages, with its interval; larger dots have more pages. Ranked by flagged pages above the corpus rate of {} \
         (the upright rule); red where the whole interval is above it.",
        percent(all.share())
    );
    let chart = charts::dots("Flagged share of producers", &dots, all.share());
    Ok(section("producers", "Producers", &text, &chart, &table(&super::producers(results)?)))
}

fn map_section(results: &Results) -> Result<String, ReportError> {
    let clusters_by_key = load_clusters(results)?;
    let (mut of_producer, mut of_font) = (BTreeMap::<_, Tally>::new(), BTreeMap::<_, Tally>::new());
    let mut cells = BTreeMap::<(Option<String>, Option<String>), Tally>::new();
    let mut all = Tally::default();
    for (key, cluster) in clusters_by_key {
        of_producer.entry(key.producer.clone()).or_default().add(cluster.tally);
        of_font.entry(key.family.clone()).or_default().add(cluster.tally);
        cells.entry((key.producer, key.family)).or_default().add(cluster.tally);
        all.add(cluster.tally);
    }
    let top = |groups: BTreeMap<Option<String>, Tally>, most: usize| {
        let mut groups: Vec<_> = groups.into_iter().collect();
        producers::rank(&mut groups, all.share());
        groups.into_iter().take(most).map(|(name, _)| name).collect::<Vec<_>>()
    };
    let (names, fonts) = (top(of_producer, MAP.0), top(of_font, MAP.1));
    let mut drawn = Vec::new();
    for ((producer, font), tally) in &cells {
        let column = names.iter().position(|name| name == producer);
        let row = fonts.iter().position(|name| name == font);
        if let Some((column, row)) = column.zip(row) {
            drawn.push((column, row, tally.pages, tally.share()));
        }
    }
    let label =
        |names: &[Option<String>]| names.iter().map(|name| named(name.as_deref())).collect::<Vec<_>>();
    let chart = charts::map("Producers by fonts", &label(&names), &label(&fonts), &drawn);
    let text = "The producers and fonts with most flagged pages above the rate. The area of a dot is pages; red where half of them or \
                more are flagged for the font, amber where some are.";
    Ok(section("clusters", "Clusters", text, &chart, &table(&clusters(results)?)))
}

fn time_section(results: &Results) -> String {
    let mut nights = Vec::new();
    let mut answer = Answer::new(
        "jobs",
        &[
            ("closed", Kind::Text),
            ("job", Kind::Text),
            ("pages", Kind::Count),
            ("flagged", Kind::Count),
            ("flagged_share", Kind::Share),
        ],
    );
    for job in results.history(NIGHTS).iter().rev() {
        let manifest = job.manifest();
        let routes = manifest.counts.pages_by_route.iter();
        let flagged: u64 = routes.filter(|(route, _)| flags(route)).map(|(_, n)| n).sum();
        let share = flagged as f64 / manifest.counts.pages.max(1) as f64;
        nights.push(Night { day: manifest.closed_at.chars().take(10).collect(), share });
        answer.rows.push(vec![
            Value::Text(manifest.closed_at.clone()),
            Value::Text(manifest.job.clone()),
            Value::count(manifest.counts.pages),
            Value::count(flagged),
            Value::number(share),
        ]);
    }
    let text = "Share of flagged pages in each job that is kept.";
    section(
        "time",
        "Over time",
        text,
        &charts::time_line("Flagged share over jobs", &nights),
        &table(&answer),
    )
}

fn named(name: Option<&str>) -> String {
    name.unwrap_or("(none)").to_owned()
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// An answer as a table, in a box that scrolls by itself; its first rows.
pub fn table(answer: &Answer) -> String {
    let mut html = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{} table\"><table><thead><tr>",
        escape(answer.report)
    );
    for column in &answer.columns {
        let class = if column.kind == Kind::Text { "" } else { " class=\"number\"" };
        let _ = write!(html, "<th scope=\"col\"{class}>{}</th>", escape(&column.name.replace('_', " ")));
    }
    html.push_str("</tr></thead><tbody>\n");
    for row in answer.rows.iter().take(ROWS) {
        html.push_str("<tr>");
        for (column, value) in answer.columns.iter().zip(row) {
            let class = if column.kind == Kind::Text { "" } else { " class=\"number\"" };
            let _ = write!(html, "<td{class}>{}</td>", escape(&shown(column.kind, value)));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
    if answer.rows.len() > ROWS {
        let _ = writeln!(
            html,
            "<p>{} more rows: <code>pagesieve report DIR {}</code></p>",
            answer.rows.len() - ROWS,
            escape(answer.report)
        );
    }
    html
}

fn shown(kind: Kind, value: &Value) -> String {
    match (kind, value) {
        (Kind::Text, Value::None) => "(none)".to_owned(),
        (_, Value::None) => "–".to_owned(),
        (_, Value::Text(text)) => text.clone(),
        (_, Value::Count(n)) => u64::try_from(*n).map_or_else(|_| n.to_string(), grouped),
        (Kind::Share, Value::Number(share)) => percent(*share),
        (Kind::Points, Value::Number(points)) => format!("{points:+.1}"),
        (_, Value::Number(number)) => format!("{number:+.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_is_text() {
        assert_eq!(
            escape("<script>alert('x')</script>\u{1b}\u{202e}\"&"),
            "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;  &quot;&amp;"
        );
    }

    #[test]
    fn charts_hold_hostile_names_as_text() {
        let bars = [Bar { name: "</text><script>\u{202e}".into(), pages: 3, flagged: true }];
        let svg = charts::bars("a \"label\"", &bars);
        assert!(
            !svg.contains("<script")
                && !svg.contains('\u{202e}')
                && svg.contains("aria-label=\"a &quot;label&quot;\""),
            "{svg}"
        );
        assert_eq!(svg.matches("<svg ").count(), 2);
    }
}
