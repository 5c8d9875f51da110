//! Flagged pages as they are seen, beside the text they claim.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value as Json;

use super::escape;
use super::sentences::sentence;
use crate::isolate::RenderedPage;
use crate::report::answer::Value;
use crate::report::lookup::{Document, lookup};
use crate::report::read::{count_at, counts, read, texts};
use crate::report::{ReportError, Results, clusters};
use crate::tables::Table;

/// Regions that are marked on a picture.
const REGIONS: usize = 16;

/// One page of the gallery.
#[derive(Debug, Clone, PartialEq)]
pub struct Card {
    /// URI of the document.
    pub uri: String,
    /// SHA-256 of the bytes that were scored.
    pub sha256: String,
    /// 1-based page.
    pub page: u32,
    /// Producer family.
    pub producer: Option<String>,
    route: String,
    reasons: Vec<(String, String, Option<String>, String)>,
    regions: Vec<[f32; 4]>,
    /// What was drawn, to be filled by whoever can.
    pub picture: Picture,
}

/// What there is to see of a page.
#[derive(Debug, Clone, PartialEq)]
pub enum Picture {
    /// The page as it was drawn.
    Rendered(RenderedPage),
    /// Why there is none, as a fragment.
    Missing(String),
}

/// Cards of at most `most` flagged pages: the example of each cluster, those with most flagged pages above the rate first; then of
/// each reason that no card shows yet; then of each producer.
///
/// # Errors
/// When a file of the tables is missing or not as this release writes it.
pub fn cards(results: &Results, most: usize) -> Result<Vec<Card>, ReportError> {
    let mut wanted: Vec<(String, u32)> = Vec::new();
    let answer = clusters(results)?;
    let column = |name: &str| answer.columns.iter().position(|column| column.name == name).unwrap_or(0);
    let (flagged, uri, page) = (column("pages_flagged"), column("example_uri"), column("example_page"));
    for row in &answer.rows {
        if let (Value::Count(1..), Value::Text(uri), Value::Count(page)) =
            (&row[flagged], &row[uri], &row[page])
        {
            let place = (uri.clone(), u32::try_from(*page).unwrap_or(1));
            if !wanted.contains(&place) {
                wanted.push(place);
            }
        }
    }
    // Half of the room is for what no cluster shows: scans, outlines, errors.
    wanted.truncate(most.div_ceil(2));
    for place in of_reasons(results)? {
        if wanted.len() < most && !wanted.contains(&place) {
            wanted.push(place);
        }
    }
    let mut cards = Vec::new();
    for (uri, page) in wanted {
        if let Some(document) = lookup(results, &uri)?.into_iter().next()
            && let Some(card) = card(&document, page)
        {
            cards.push(card);
        }
    }
    Ok(cards)
}

/// A flagged page for each producer and route reason, as found first in the order of the table.
fn of_reasons(results: &Results) -> Result<Vec<(String, u32)>, ReportError> {
    let columns = ["producer_family", "document_uri", "page", "route", "reasons.list.element.code"];
    let (mut seen, mut of_reason, mut of_producer) = (BTreeSet::new(), Vec::new(), Vec::new());
    for path in results.files(Table::Pages)? {
        read(&path, &columns, |batch| {
            let (uris, routes) = (texts(batch, &path, "document_uri")?, texts(batch, &path, "route")?);
            let (families, pages) = (texts(batch, &path, "producer_family")?, counts(batch, &path, "page")?);
            let reasons = batch.column_by_name("reasons");
            for row in (0..batch.num_rows()).filter(|row| super::flags(routes.value(*row))) {
                let first = reasons.map(|reasons| super::super::json::value(reasons, row));
                let code =
                    first.and_then(|list| list[0]["code"].as_str().map(str::to_owned)).unwrap_or_default();
                let place = || (uris.value(row).to_owned(), u32::try_from(count_at(pages, row)).unwrap_or(1));
                if seen.insert(("reason", code.clone())) {
                    of_reason.push(place());
                } else if seen.insert(("producer", format!("{}\n{code}", families.value(row)))) {
                    of_producer.push(place());
                }
            }
            Ok(())
        })?;
    }
    of_reason.append(&mut of_producer);
    Ok(of_reason)
}

/// The card of a page, not drawn yet; `None` where the document has no such row.
pub fn card(document: &Document, page: u32) -> Option<Card> {
    let row = document.pages.iter().find(|row| row["page"] == page)?;
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let font_name = |font: Option<&str>| {
        let font = font?;
        let fonts = document.page_fonts.iter();
        let named = fonts
            .clone()
            .find(|row| row["page"] == page && row["font"] == font)
            .or_else(|| fonts.clone().find(|row| row["font"] == font));
        let base = named.and_then(|row| row["base_font"].as_str());
        Some(base.map_or_else(|| font.to_owned(), |base| format!("{base} ({font})")))
    };
    let reasons = row["reasons"].as_array()?.iter().map(|reason| {
        let font = font_name(reason["font"].as_str());
        (text(&reason["code"]), text(&reason["certainty"]), font, text(&reason["detail"]))
    });
    let number = |value: &Json| value.as_f64().unwrap_or(0.0) as f32;
    let region =
        |region: &Json| [number(&region[0]), number(&region[1]), number(&region[2]), number(&region[3])];
    Some(Card {
        uri: text(&document.document["document_uri"]),
        sha256: text(&document.document["document_sha256"]),
        page,
        producer: document.document["producer_family"].as_str().map(str::to_owned),
        route: text(&row["route"]),
        reasons: reasons.collect(),
        regions: row["regions"].as_array()?.iter().take(REGIONS).map(region).collect(),
        picture: Picture::Missing("it was not drawn".to_owned()),
    })
}

/// The section of the file.
pub(super) fn section(cards: &[Card]) -> String {
    let mut html = "<section id=\"gallery\" aria-labelledby=\"gallery-title\">\n<h2 id=\"gallery-title\">Gallery</h2>\n\
         <p>Flagged pages as a reader sees them, beside the text that their layer claims. Marked boxes are what the reasons concern; \
         � is a drawn code without a letter.</p>\n"
        .to_owned();
    if cards.is_empty() {
        html.push_str("<p>No page is flagged.</p>\n");
    }
    for (index, card) in cards.iter().enumerate() {
        let _ = write!(html, "{}", article(index, card));
    }
    html + "</section>\n"
}

impl Card {
    /// The card as an article of a page with one card.
    pub fn html(&self) -> String {
        article(0, self)
    }
}

fn article(index: usize, card: &Card) -> String {
    let name = card.uri.rsplit('/').next().unwrap_or(&card.uri);
    let mut html = format!(
        "<article aria-labelledby=\"card-{index}\">\n<h3 id=\"card-{index}\">{}, page {} <span class=\"route {}\">{}</span></h3>\n\
         <p class=\"uri\">{}{}</p>\n<ul>\n",
        escape(name),
        card.page,
        if super::flags(&card.route) { "bad" } else { "good" },
        escape(&card.route),
        escape(&card.uri),
        card.producer.as_deref().map(|producer| format!(" · {}", escape(producer))).unwrap_or_default(),
    );
    for (code, certainty, font, detail) in &card.reasons {
        let _ = writeln!(
            html,
            "<li>{} <span class=\"fine\">{} · {} · {}</span></li>",
            escape(&sentence(code, font.as_deref())),
            escape(code),
            escape(certainty),
            escape(detail)
        );
    }
    html.push_str("</ul>\n<div class=\"pair\">\n");
    match &card.picture {
        Picture::Missing(why) => {
            let _ = writeln!(html, "<p class=\"missing\">No picture: {}.</p>", escape(why));
        }
        Picture::Rendered(page) => html.push_str(&pictured(card, page)),
    }
    html + "</div>\n</article>\n"
}

fn pictured(card: &Card, page: &RenderedPage) -> String {
    let [width, height] = shown_size(page);
    let mut svg = format!(
        "<svg class=\"page\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"Page {} as it is seen, {} regions marked\">",
        card.page,
        card.regions.len()
    );
    if !page.png_base64.is_empty() {
        // The parent has checked that this is base64 of a PNG.
        let _ = write!(
            svg,
            "<image width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\" href=\"data:image/png;base64,{}\"/>",
            page.png_base64
        );
    }
    for region in &card.regions {
        let [x, y, w, h] = shown_box(page, *region);
        let _ = write!(svg, "<rect class=\"mark\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/>");
    }
    svg.push_str("</svg>");
    let text = if page.text.trim().is_empty() {
        "<p class=\"missing\">The text layer is empty.</p>".to_owned()
    } else {
        let lines = page.text.lines().map(escape).collect::<Vec<_>>().join("\n");
        format!(
            "<pre tabindex=\"0\" role=\"region\" aria-label=\"Text layer of page {}\">{lines}</pre>",
            card.page
        )
    };
    format!(
        "<figure>{svg}<figcaption>the page</figcaption></figure>\n<figure>{text}<figcaption>its text layer</figcaption></figure>\n"
    )
}

/// Width and height as the page is shown.
fn shown_size(page: &RenderedPage) -> [f32; 2] {
    let [width, height] = page.size;
    if page.quarter_turns % 2 == 1 { [height, width] } else { [width, height] }
}

/// A region `[x0, y0, x1, y1]`, origin lower left before rotation, as `[x, y, width, height]`, origin upper left after it.
fn shown_box(page: &RenderedPage, [x0, y0, x1, y1]: [f32; 4]) -> [f32; 4] {
    let [width, height] = page.size;
    let (left, top, w, h) = match page.quarter_turns {
        1 => (y0, x0, y1 - y0, x1 - x0),
        2 => (width - x1, y0, x1 - x0, y1 - y0),
        3 => (height - y1, width - x1, y1 - y0, x1 - x0),
        _ => (x0, height - y1, x1 - x0, y1 - y0),
    };
    [left, top, w.max(0.0), h.max(0.0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_turn_with_the_page() {
        let page = |quarter_turns| RenderedPage {
            page: 1,
            png_base64: String::new(),
            size: [200.0, 100.0],
            quarter_turns,
            text: String::new(),
        };
        // A box in the lower left corner, 20 wide and 10 high.
        let region = [0.0, 0.0, 20.0, 10.0];
        assert_eq!(shown_box(&page(0), region), [0.0, 90.0, 20.0, 10.0]);
        assert_eq!(
            shown_box(&page(1), region),
            [0.0, 0.0, 10.0, 20.0],
            "upper left after a quarter turn clockwise"
        );
        assert_eq!(shown_box(&page(2), region), [180.0, 0.0, 20.0, 10.0], "upper right");
        assert_eq!(shown_box(&page(3), region), [90.0, 180.0, 10.0, 20.0], "lower right");
        assert_eq!(shown_size(&page(1)), [100.0, 200.0]);
    }
}
