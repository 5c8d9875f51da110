//! Answers as tables, JSON and CSV.

use std::io::IsTerminal;

use serde_json::json;

use crate::cli::table::{Cell, Style, Table, colours, left, right};
use crate::report::{Answer, Column, Kind, Results, Value};
use crate::telemetry::grouped;
use crate::words::clean;

use super::bars::bar;

/// How an answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Format {
    Table,
    Json,
    Csv,
}

impl Format {
    pub(in crate::cli) fn of(json: bool, csv: bool) -> Self {
        match (json, csv) {
            (true, _) => Self::Json,
            (_, true) => Self::Csv,
            _ => Self::Table,
        }
    }
}

/// Longest text in a table for people, in characters.
const CELL_CHARS: usize = 44;
/// Columns that only machines want: intervals are one column for people, hashes none.
const MACHINE: [&str; 6] = [
    "flagged_share_low",
    "flagged_share_high",
    "signature",
    "program_sha256",
    "documents_flagged",
    "example_page",
];

pub(super) fn answer(answer: &Answer, results: &Results, format: Format) -> anyhow::Result<String> {
    Ok(match format {
        Format::Json => {
            let manifest = results.manifest();
            json_text(&json!({
                "report": answer.report,
                "job": manifest.job,
                "previous_job": manifest.previous_job,
                "corpus": manifest.corpus,
                "notes": answer.notes,
                "rows": answer.json(),
            }))?
        }
        Format::Csv => csv_text(answer)?,
        Format::Table => table(answer),
    })
}

/// JSON and a line feed. What could steer a terminal is escaped, so the text is the same JSON, harmless to look at.
pub(in crate::cli) fn json_text(value: &serde_json::Value) -> serde_json::Result<String> {
    let text = serde_json::to_string_pretty(value)?;
    let mut out = String::with_capacity(text.len() + 1);
    for c in text.chars() {
        if c != '\n' && clean(c.encode_utf8(&mut [0; 4]), 1) == " " && c != ' ' {
            let mut units = [0; 2];
            c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    Ok(out + "\n")
}

/// CSV with a line of names. Control characters are blanks; a text that a spreadsheet would take for a formula is led in by an
/// apostrophe.
pub(in crate::cli) fn csv_text(answer: &Answer) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(answer.columns.iter().map(|column| column.name.as_ref()))?;
    for row in &answer.rows {
        writer.write_record(row.iter().map(csv_cell))?;
    }
    Ok(String::from_utf8(writer.into_inner().map_err(|error| error.into_error())?)?)
}

fn csv_cell(value: &Value) -> String {
    match value {
        Value::None => String::new(),
        Value::Count(n) => n.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Text(text) => csv_safe(text),
    }
}

/// The rows of a query.
#[cfg(feature = "sql")]
pub(in crate::cli) fn rows_text(
    batches: &[arrow::array::RecordBatch],
    results: &Results,
    format: Format,
) -> anyhow::Result<String> {
    let mut rows = Answer::new("query", &[]);
    for batch in batches {
        if rows.columns.is_empty() {
            let column = |field: &std::sync::Arc<arrow::datatypes::Field>| Column {
                name: clean(field.name(), 200).into(),
                kind: if field.data_type().is_numeric() { Kind::Count } else { Kind::Text },
            };
            rows.columns = batch.schema().fields().iter().map(column).collect();
        }
        rows.rows.extend(crate::report::value_rows(batch));
    }
    answer(&rows, results, format)
}

/// Text as a cell that no spreadsheet runs.
pub(in crate::cli) fn csv_safe(text: &str) -> String {
    let text = clean(text, usize::MAX);
    let formula =
        text.trim_start().starts_with(['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}']);
    if formula { format!("'{text}") } else { text }
}

fn table(answer: &Answer) -> String {
    let shown: Vec<(usize, &Column)> =
        answer.columns.iter().enumerate().filter(|(_, column)| !MACHINE.contains(&&*column.name)).collect();
    let position = |name| answer.columns.iter().position(|column| column.name == name);
    let interval = position("flagged_share_low").zip(position("flagged_share_high"));
    let bars = std::io::stdout()
        .is_terminal()
        .then(|| position("flagged_share").or_else(|| position("pages_share")));
    let mut titles: Vec<String> = Vec::new();
    for (_, column) in &shown {
        let mark = if column.kind == Kind::Text { "" } else { ">" };
        titles.push(format!("{mark}{}", column.name.replace('_', " ")));
        if column.name == "flagged_share" && interval.is_some() {
            titles.push("95 % interval".to_owned());
        }
    }
    if bars.flatten().is_some() {
        titles.push(String::new());
    }
    let mut table = Table::titled(&titles.iter().map(String::as_str).collect::<Vec<_>>());
    for row in &answer.rows {
        let mut cells = Vec::new();
        for (index, column) in &shown {
            cells.push(cell(column.kind, &row[*index]));
            if column.name == "flagged_share"
                && let Some((low, high)) = interval
            {
                cells.push(
                    left(format!("{}–{}", percent(&row[low]), percent(&row[high])))
                        .styled(Some(Style::Faint)),
                );
            }
        }
        if let Some(Value::Number(share)) = bars.flatten().map(|index| &row[index]) {
            cells.push(left(bar(*share)).styled(Some(share_style(*share))));
        }
        table.row(cells);
    }
    let mut text = if answer.rows.is_empty() { "  nothing\n".to_owned() } else { table.print(colours()) };
    for note in &answer.notes {
        text.push_str(&format!("\n  {note}"));
    }
    text + if answer.notes.is_empty() { "" } else { "\n" }
}

fn share_style(share: f64) -> Style {
    match share {
        s if s >= 0.5 => Style::Bad,
        s if s >= 0.05 => Style::Fair,
        _ => Style::Good,
    }
}

fn cell(kind: Kind, value: &Value) -> Cell {
    match (kind, value) {
        (Kind::Text, Value::None) => left("(none)").styled(Some(Style::Faint)),
        (_, Value::None) => right("–").styled(Some(Style::Faint)),
        (_, Value::Text(text)) => left(shortened(text)),
        (_, Value::Count(n)) => match u64::try_from(*n) {
            Ok(n) => right(grouped(n)),
            Err(_) => right(n.to_string()),
        },
        (Kind::Share, value) => right(format!("{} %", percent(value))),
        (Kind::Count, Value::Number(number)) => right(number.to_string()),
        (Kind::Points, Value::Number(number)) => right(signed(*number, 1) + " pt"),
        (_, Value::Number(number)) => right(signed(*number, 0)),
    }
}

/// The beginning and, where there is more, the end: a path's name matters.
fn shortened(text: &str) -> String {
    let n = text.chars().count();
    if n <= CELL_CHARS {
        return text.to_owned();
    }
    let head: String = text.chars().take(CELL_CHARS / 3).collect();
    let tail: String = text.chars().skip(n - (CELL_CHARS - CELL_CHARS / 3 - 1)).collect();
    format!("{head}…{tail}")
}

fn percent(value: &Value) -> String {
    match value {
        Value::Number(share) => format!("{:.1}", 100.0 * share),
        _ => String::new(),
    }
}

fn signed(number: f64, decimals: usize) -> String {
    let text = format!("{number:+.decimals$}");
    if text.trim_start_matches(['+', '-', '0', '.']).is_empty() { "0".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hostile() -> Answer {
        let mut answer = Answer::new("producers", &[("producer_family", Kind::Text), ("pages", Kind::Count)]);
        answer
            .rows
            .push(vec![Value::Text("=cmd|' /C calc'!A0\u{1b}[31m\"x,\u{202e}\n".into()), Value::Count(-1)]);
        answer.rows.push(vec![Value::Text(" +1\u{9b}2J".into()), Value::None]);
        answer
    }

    #[test]
    fn no_output_lets_control_characters_or_formulas_through() {
        let csv = csv_text(&hostile()).unwrap();
        assert_eq!(csv, "producer_family,pages\n\"'=cmd|' /C calc'!A0 [31m\"\"x,  \",-1\n' +1 2J,\n");
        let json = json_text(&hostile().json()).unwrap();
        assert!(json.chars().all(|c| c == '\n' || clean(&c.to_string(), 1) == c.to_string()), "{json:?}");
        let back: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(back[0]["producer_family"], "=cmd|' /C calc'!A0\u{1b}[31m\"x,\u{202e}\n");
        let table = table(&hostile());
        assert!(table.chars().all(|c| c == '\n' || !c.is_control()), "{table:?}");
        assert_eq!(table.lines().count(), 3);
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([signed(0.04, 1), signed(-3.26, 1), signed(12.0, 0)], ["0", "-3.3", "+12"]);
        let long = shortened(&"a".repeat(200));
        assert_eq!(long.chars().count(), CELL_CHARS);
    }
}
