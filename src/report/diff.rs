//! Two jobs of a corpus, compared.

use std::collections::BTreeMap;

use super::answer::{Answer, Kind, Value};
use super::documents::{self, Row};
use super::{ReportError, Results, producers, reasons};

/// What moved between two jobs: documents, pages by route, reasons, producers, and the documents whose flagged pages changed
/// most. One row a thing that differs, in this order; things that stayed are left out.
///
/// # Errors
/// When a file of the tables is missing or not as this release writes it.
pub fn diff(before: &Results, now: &Results) -> Result<Answer, ReportError> {
    let columns = [
        ("what", Kind::Text),
        ("name", Kind::Text),
        ("before", Kind::Count),
        ("now", Kind::Count),
        ("moved", Kind::Change),
    ];
    let mut answer = Answer::new("diff", &columns);
    let (old, new) = (by_uri(documents::load(before)?), by_uri(documents::load(now)?));
    document_rows(&mut answer, &old, &new);
    let routes = |results: &Results| results.manifest().counts.pages_by_route.clone();
    push_sorted(&mut answer, "pages with route", &routes(before), &routes(now));
    let pages = |results: &Results| -> Result<BTreeMap<String, u64>, ReportError> {
        Ok(reasons::load(results)?.into_iter().map(|(code, reason)| (code, reason.pages)).collect())
    };
    push_sorted(&mut answer, "pages with reason", &pages(before)?, &pages(now)?);
    let families = |results: &Results| -> Result<BTreeMap<String, u64>, ReportError> {
        let families = producers::families(results)?.into_iter();
        Ok(families.map(|(name, tally)| (name.unwrap_or_default(), tally.pages_flagged)).collect())
    };
    push_sorted(&mut answer, "flagged pages of producer", &families(before)?, &families(now)?);
    let flagged = |rows: &BTreeMap<String, Row>| -> BTreeMap<String, u64> {
        rows.iter().map(|(uri, row)| (uri.clone(), row.flagged())).collect()
    };
    push_sorted(&mut answer, "flagged pages of document", &flagged(&old), &flagged(&new));
    answer.notes.push(format!("job {} against job {}", now.manifest().job, before.manifest().job));
    Ok(answer)
}

fn by_uri(rows: Vec<Row>) -> BTreeMap<String, Row> {
    rows.into_iter().map(|row| (row.uri.clone(), row)).collect()
}

fn document_rows(answer: &mut Answer, old: &BTreeMap<String, Row>, new: &BTreeMap<String, Row>) {
    let both = || new.iter().filter_map(|(uri, now)| Some((old.get(uri)?, now)));
    let count = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    let added = count(new.keys().filter(|uri| !old.contains_key(*uri)).count());
    let removed = count(old.keys().filter(|uri| !new.contains_key(*uri)).count());
    let changed = count(both().filter(|(before, now)| before.sha256 != now.sha256).count());
    let states = |rows: &BTreeMap<String, Row>| {
        let mut states = BTreeMap::<String, u64>::new();
        for row in rows.values() {
            *states.entry(row.state.clone()).or_default() += 1;
        }
        states
    };
    push(answer, "documents", "all", count(old.len()), count(new.len()));
    push(answer, "documents", "new", 0, added);
    push(answer, "documents", "gone", removed, 0);
    push(answer, "documents", "with other bytes", 0, changed);
    push_sorted(answer, "documents in state", &states(old), &states(new));
}

/// Rows of the names whose count differs, largest difference first.
fn push_sorted(answer: &mut Answer, what: &str, old: &BTreeMap<String, u64>, new: &BTreeMap<String, u64>) {
    let names: std::collections::BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let count = |map: &BTreeMap<String, u64>, name: &String| map.get(name).copied().unwrap_or(0);
    let mut moved: Vec<(&String, u64, u64)> =
        names.into_iter().map(|name| (name, count(old, name), count(new, name))).collect();
    moved.retain(|(_, before, now)| before != now);
    moved.sort_by_key(|(_, before, now)| std::cmp::Reverse(before.abs_diff(*now)));
    for (name, before, now) in moved {
        push(answer, what, name, before, now);
    }
}

fn push(answer: &mut Answer, what: &str, name: &str, before: u64, now: u64) {
    if before != now {
        answer.rows.push(vec![
            Value::Text(what.to_owned()),
            Value::Text(name.to_owned()),
            Value::count(before),
            Value::count(now),
            Value::number(now as f64 - before as f64),
        ]);
    }
}
