//! `pagesieve report DIR documents NAME`: everything about one document.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};

use super::print::{Format, json_text};
use crate::cli::exit::{Exit, usage};
use crate::cli::output::{self, safe};
use crate::cli::table::{Table, colours, left, right};
use crate::report::{Document, Results, lookup};
use crate::source;

pub(super) fn run(results: &Results, name: &str, format: Format) -> anyhow::Result<Exit> {
    if format == Format::Csv {
        return Err(usage("one document is no table: use --json"));
    }
    let found = find(results, name)?;
    if found.is_empty() {
        return Err(usage(format!("there is no document `{name}` in job {}", results.manifest().job)));
    }
    let text = if format == Format::Json {
        let object = |found: &Document| json!({"document": found.document, "pages": found.pages, "page_fonts": found.page_fonts});
        let documents: Vec<Value> = found.iter().map(object).collect();
        json_text(&json!({"report": "document", "job": results.manifest().job, "documents": documents}))?
    } else {
        found.iter().map(human).collect()
    };
    output::print(&text)?;
    Ok(Exit::Done)
}

/// By URI or hash as it is given, else as a path.
fn find(results: &Results, name: &str) -> anyhow::Result<Vec<Document>> {
    let found = lookup(results, name)?;
    if !found.is_empty() || name.contains("://") {
        return Ok(found);
    }
    let path = std::path::absolute(Path::new(name))?;
    let path = std::fs::canonicalize(&path).unwrap_or(path);
    Ok(lookup(results, &source::from_path(&path))?)
}

fn human(found: &Document) -> String {
    let mut text = String::new();
    for name in
        ["document_uri", "document_sha256", "producer", "creator", "state", "state_reason", "scored_at"]
    {
        if let Some(value) = found.document[name].as_str() {
            let _ = writeln!(text, "{:16} {}", name.replace('_', " "), safe(value));
        }
    }
    let mut pages = Table::titled(&[">page", "route", ">glyphs", ">suspect", "reasons"]);
    for page in &found.pages {
        let reasons = page["reasons"].as_array().into_iter().flatten().map(reason);
        pages.row([
            right(page["page"].to_string()),
            left(word(&page["route"])),
            right(page["glyphs_drawn"].to_string()),
            right(page["glyphs_suspect"].to_string()),
            left(reasons.collect::<Vec<_>>().join("; ")),
        ]);
    }
    let mut fonts = Table::titled(&[">page", "font", "base font", "class", "case", ">glyphs", ">suspect"]);
    for font in &found.page_fonts {
        fonts.row([
            right(font["page"].to_string()),
            left(word(&font["font"])),
            left(word(&font["base_font"])),
            left(word(&font["font_class"])),
            left(word(&font["font_case"])),
            right(font["glyphs_drawn"].to_string()),
            right(font["glyphs_suspect"].to_string()),
        ]);
    }
    text + "\n" + &pages.print(colours()) + "\n" + &fonts.print(colours())
}

fn reason(reason: &Value) -> String {
    let font = reason["font"].as_str().map(|font| format!(" {font}")).unwrap_or_default();
    format!("{}{font} ({})", word(&reason["code"]), word(&reason["certainty"]))
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or("")
}
