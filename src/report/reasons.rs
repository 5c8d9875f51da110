//! Reasons, most frequent first.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use arrow::array::{Array, AsArray, RecordBatch};

use super::answer::{Answer, Kind, Value};
use super::read::{read, text_at, texts};
use super::{ReportError, Results};
use crate::tables::Table;

/// What is counted of a reason.
#[derive(Debug, Clone, Default)]
pub(super) struct Reason {
    pub(super) pages: u64,
    pub(super) documents: u64,
    proven: u64,
    measured: u64,
    suspected: u64,
    routes: BTreeMap<String, u64>,
    last_document: String,
}

const COLUMNS: [&str; 4] =
    ["document_uri", "route", "reasons.list.element.code", "reasons.list.element.certainty"];

/// Reasons with the pages and documents that have them. A page counts once for each of its reasons, and by the strongest
/// certainty it has for it.
///
/// # Errors
/// When a file of the tables is missing or not as this release writes it.
pub fn reasons(results: &Results) -> Result<Answer, ReportError> {
    let now = load(results)?;
    let before = results.previous().map(|previous| load(&previous)).transpose()?;
    let pages = results.manifest().counts.pages;
    let mut sorted: Vec<(String, Reason)> = now.into_iter().collect();
    sorted.sort_by_key(|(code, reason)| (Reverse(reason.pages), code.clone()));
    let columns = [
        ("reason", Kind::Text),
        ("pages", Kind::Count),
        ("pages_share", Kind::Share),
        ("documents", Kind::Count),
        ("proven", Kind::Count),
        ("measured", Kind::Count),
        ("suspected", Kind::Count),
        ("routes", Kind::Text),
        ("pages_moved", Kind::Change),
    ];
    let mut answer = Answer::new("reasons", &columns);
    for (code, reason) in sorted {
        let moved = before.as_ref().map(|before| before.get(&code).map_or(0, |reason| reason.pages));
        let change = moved.map(|before| Value::number(reason.pages as f64 - before as f64));
        let routes = reason.routes.iter().map(|(route, n)| format!("{route} {n}"));
        answer.rows.push(vec![
            Value::Text(code),
            Value::count(reason.pages),
            Value::number(reason.pages as f64 / pages.max(1) as f64),
            Value::count(reason.documents),
            Value::count(reason.proven),
            Value::count(reason.measured),
            Value::count(reason.suspected),
            Value::Text(routes.collect::<Vec<_>>().join(", ")),
            change.unwrap_or(Value::None),
        ]);
    }
    answer.notes.push("a page counts once for each of its reasons; routes are those of the pages".to_owned());
    Ok(answer)
}

pub(super) fn load(results: &Results) -> Result<BTreeMap<String, Reason>, ReportError> {
    let mut reasons = BTreeMap::new();
    for path in results.files(Table::Pages)? {
        read(&path, &COLUMNS, |batch| add(batch, &path, &mut reasons))?;
    }
    Ok(reasons)
}

/// Rows of a document stand together, so a document new to a reason differs from its last one.
fn add(batch: &RecordBatch, path: &Path, reasons: &mut BTreeMap<String, Reason>) -> Result<(), ReportError> {
    let wrong = || ReportError::Column { path: path.to_owned(), column: "reasons" };
    let (uris, routes) = (texts(batch, path, "document_uri")?, texts(batch, path, "route")?);
    let lists =
        batch.column_by_name("reasons").and_then(|array| array.as_list_opt::<i32>()).ok_or_else(wrong)?;
    let items = lists.values().as_struct_opt().ok_or_else(wrong)?;
    let field =
        |name| items.column_by_name(name).and_then(|array| array.as_string_opt::<i32>()).ok_or_else(wrong);
    let (codes, certainties) = (field("code")?, field("certainty")?);
    for row in 0..lists.len() {
        let (start, end) = (lists.value_offsets()[row] as usize, lists.value_offsets()[row + 1] as usize);
        // Two fonts can give a page the same reason.
        let mut of_page = BTreeMap::<&str, u8>::new();
        for item in start..end {
            let rank = match text_at(certainties, item) {
                Some("proven") => 0,
                Some("measured") => 1,
                _ => 2,
            };
            let best = of_page.entry(codes.value(item)).or_insert(rank);
            *best = rank.min(*best);
        }
        for (code, rank) in of_page {
            if !reasons.contains_key(code) {
                reasons.insert(code.to_owned(), Reason::default());
            }
            let reason = reasons.get_mut(code).expect("just inserted");
            reason.pages += 1;
            *[&mut reason.proven, &mut reason.measured, &mut reason.suspected][usize::from(rank)] += 1;
            match reason.routes.get_mut(routes.value(row)) {
                Some(n) => *n += 1,
                None => drop(reason.routes.insert(routes.value(row).to_owned(), 1)),
            }
            if reason.last_document != uris.value(row) {
                reason.documents += 1;
                uris.value(row).clone_into(&mut reason.last_document);
            }
        }
    }
    Ok(())
}
