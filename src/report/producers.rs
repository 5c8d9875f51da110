//! Producers, those with most flagged pages above the corpus rate first.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::answer::{Answer, Kind, Value};
use super::read::{count_at, counts, read, text_at, texts};
use super::{ReportError, Results};
use crate::tables::{Table, wilson};

/// What is counted of a group of pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    pub(super) documents: u64,
    pub(super) documents_flagged: u64,
    pub(super) pages: u64,
    pub(super) pages_flagged: u64,
}

impl Tally {
    pub(super) fn share(self) -> f64 {
        self.pages_flagged as f64 / self.pages.max(1) as f64
    }

    /// Flagged pages beyond those that the corpus rate lets expect.
    pub(super) fn excess(self, rate: f64) -> f64 {
        self.pages_flagged as f64 - rate * self.pages as f64
    }

    pub(super) fn add(&mut self, other: Self) {
        self.documents += other.documents;
        self.documents_flagged += other.documents_flagged;
        self.pages += other.pages;
        self.pages_flagged += other.pages_flagged;
    }

    /// Documents, of these flagged, pages, of these flagged, share with interval, excess, points since the job before.
    pub(super) fn values(self, rate: f64, before: Option<Option<Self>>) -> Vec<Value> {
        let (low, high) = wilson(self.share(), self.documents);
        let moved = match before {
            Some(Some(before)) => Value::number(100.0 * (self.share() - before.share())),
            _ => Value::None,
        };
        vec![
            Value::count(self.documents),
            Value::count(self.documents_flagged),
            Value::count(self.pages),
            Value::count(self.pages_flagged),
            Value::number(self.share()),
            Value::number(low),
            Value::number(high),
            Value::number(self.excess(rate)),
            moved,
        ]
    }

    /// The columns of [`Self::values`].
    pub(super) const COLUMNS: [(&'static str, Kind); 9] = [
        ("documents", Kind::Count),
        ("documents_flagged", Kind::Count),
        ("pages", Kind::Count),
        ("pages_flagged", Kind::Count),
        ("flagged_share", Kind::Share),
        ("flagged_share_low", Kind::Share),
        ("flagged_share_high", Kind::Share),
        ("pages_above_rate", Kind::Change),
        ("share_moved", Kind::Points),
    ];
}

/// Sorts groups by excess, then by flagged pages; equal ones keep their order.
pub(super) fn rank<T>(groups: &mut [(T, Tally)], rate: f64) {
    groups.sort_by(|(_, a), (_, b)| {
        let by_excess = b.excess(rate).total_cmp(&a.excess(rate));
        by_excess.then(Reverse(a.pages_flagged).cmp(&Reverse(b.pages_flagged)))
    });
}

/// Families of producers by name; `None` is files that name none.
pub(super) type Families = BTreeMap<Option<String>, Tally>;

/// Producer families, ranked. Reads four columns of `documents`, of this job and of the one before.
///
/// # Errors
/// When a file of the tables is missing or not as this release writes it.
pub fn producers(results: &Results) -> Result<Answer, ReportError> {
    let now = families(results)?;
    let before = results.previous().map(|previous| families(&previous)).transpose()?;
    let mut all = Tally::default();
    now.values().for_each(|family| all.add(*family));
    let rate = all.share();
    let mut groups: Vec<(Option<String>, Tally)> = now.into_iter().collect();
    rank(&mut groups, rate);
    let mut columns = vec![("producer_family", Kind::Text)];
    columns.extend(Tally::COLUMNS);
    let mut answer = Answer::new("producers", &columns);
    for (family, tally) in groups {
        let moved = before.as_ref().map(|before| before.get(&family).copied());
        let mut row = vec![Value::text(family)];
        row.extend(tally.values(rate, moved));
        answer.rows.push(row);
    }
    answer.notes.push(rate_note(all));
    Ok(answer)
}

pub(super) fn rate_note(all: Tally) -> String {
    format!(
        "corpus rate {:.2} %: {} of {} pages flagged (route decode or ocr); intervals are Wilson's, 95 %, over documents",
        100.0 * all.share(),
        all.pages_flagged,
        all.pages
    )
}

pub(super) fn families(results: &Results) -> Result<Families, ReportError> {
    let columns = ["producer_family", "pages_keep", "pages_repair", "pages_decode", "pages_ocr"];
    let mut families = Families::new();
    for path in results.files(Table::Documents)? {
        read(&path, &columns, |batch| {
            let names = texts(batch, &path, "producer_family")?;
            let routes = [columns[1], columns[2], columns[3], columns[4]];
            let routes = routes.map(|column| counts(batch, &path, column));
            let [keep, repair, decode, ocr] = routes;
            let (keep, repair, decode, ocr) = (keep?, repair?, decode?, ocr?);
            let mut last: Option<(Option<String>, Tally)> = None;
            for row in 0..batch.num_rows() {
                let flagged = count_at(decode, row) + count_at(ocr, row);
                let pages = flagged + count_at(keep, row) + count_at(repair, row);
                let tally = Tally {
                    documents: 1,
                    documents_flagged: u64::from(flagged > 0),
                    pages,
                    pages_flagged: flagged,
                };
                let name = text_at(names, row);
                match &mut last {
                    Some((family, sum)) if family.as_deref() == name => sum.add(tally),
                    _ => {
                        if let Some((family, sum)) = last.replace((name.map(str::to_owned), tally)) {
                            families.entry(family).or_default().add(sum);
                        }
                    }
                }
            }
            if let Some((family, sum)) = last {
                families.entry(family).or_default().add(sum);
            }
            Ok(())
        })?;
    }
    Ok(families)
}
