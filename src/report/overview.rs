//! Counts over the tables of one job.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::Int32Type;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{ReportError, Results};
use crate::score::{ReasonCode, Route, State};
use crate::source::Change;
use crate::tables::Table;
use crate::words::parse_word;

/// What one job's snapshot holds.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Overview {
    /// Documents.
    pub documents: u64,
    /// Documents by state.
    pub documents_by_state: BTreeMap<State, u64>,
    /// Documents by what they are against the snapshot before.
    pub documents_by_change: BTreeMap<Change, u64>,
    /// Pages.
    pub pages: u64,
    /// Pages by route.
    pub pages_by_route: BTreeMap<Route, u64>,
    /// Pages with a reason, by reason; a page counts for each of its own.
    pub pages_by_reason: BTreeMap<ReasonCode, u64>,
    /// Pages with too little evidence to judge.
    pub pages_not_judged: u64,
    /// Producers, those with the largest share of flagged pages first.
    #[serde(skip)]
    pub producers: Vec<Producer>,
}

/// One family of producers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Producer {
    /// Its name; `None` for files that name none.
    #[serde(rename = "producer_family")]
    pub family: Option<String>,
    /// Documents.
    pub documents: u64,
    /// Their pages.
    pub pages: u64,
    /// Of these, routed to `decode` or `ocr`.
    pub pages_flagged: u64,
}

/// Counts the tables of a job. Reads a few columns only, a batch at a time.
///
/// # Errors
/// When a file of the tables is missing or not as this release writes it.
pub fn overview(results: &Results) -> Result<Overview, ReportError> {
    let mut overview = Overview::default();
    let mut producers: BTreeMap<Option<String>, Producer> = BTreeMap::new();
    for path in results.files(Table::Documents)? {
        read(&path, DOCUMENT_COLUMNS, |batch| overview.add_documents(batch, &path, &mut producers))?;
    }
    for path in results.files(Table::Pages)? {
        read(&path, &["reasons"], |batch| overview.add_reasons(batch, &path))?;
    }
    overview.producers = producers.into_values().collect();
    // Ratios as products: exact, and no division by the pages of a producer that has none.
    overview.producers.sort_by(|a, b| {
        let (left, right) = (a.pages_flagged * b.pages.max(1), b.pages_flagged * a.pages.max(1));
        Reverse(left).cmp(&Reverse(right)).then(b.pages_flagged.cmp(&a.pages_flagged))
    });
    Ok(overview)
}

const DOCUMENT_COLUMNS: &[&str] = &[
    "state",
    "change",
    "producer_family",
    "pages_keep",
    "pages_repair",
    "pages_decode",
    "pages_ocr",
    "pages_judged",
];

const ROUTES: [(Route, &str); 4] = [
    (Route::Keep, "pages_keep"),
    (Route::Repair, "pages_repair"),
    (Route::Decode, "pages_decode"),
    (Route::Ocr, "pages_ocr"),
];

impl Overview {
    fn add_documents(
        &mut self,
        batch: &RecordBatch,
        path: &Path,
        producers: &mut BTreeMap<Option<String>, Producer>,
    ) -> Result<(), ReportError> {
        count(&mut self.documents_by_state, batch, path, "state")?;
        count(&mut self.documents_by_change, batch, path, "change")?;
        self.documents += batch.num_rows() as u64;
        let families = strings(batch, path, "producer_family")?;
        let (before, mut n_judged) = (self.pages, 0);
        for (family, judged) in families.iter().zip(numbers(batch, path, "pages_judged")?) {
            let known = producers.entry(family.clone());
            let producer =
                known.or_insert_with(|| Producer { family: family.clone(), ..Producer::default() });
            producer.documents += 1;
            n_judged += judged;
        }
        for (route, column) in ROUTES {
            for (family, pages) in families.iter().zip(numbers(batch, path, column)?) {
                self.pages += pages;
                *self.pages_by_route.entry(route).or_default() += pages;
                let producer = producers.get_mut(family).expect("entered above");
                producer.pages += pages;
                producer.pages_flagged += if route >= Route::Decode { pages } else { 0 };
            }
        }
        self.pages_not_judged += (self.pages - before).saturating_sub(n_judged);
        Ok(())
    }

    fn add_reasons(&mut self, batch: &RecordBatch, path: &Path) -> Result<(), ReportError> {
        let wrong = || ReportError::Column { path: path.to_owned(), column: "reasons" };
        let lists = batch
            .column_by_name("reasons")
            .and_then(|column| column.as_list_opt::<i32>())
            .ok_or_else(wrong)?;
        let codes = lists.values().as_struct_opt().and_then(|reasons| reasons.column_by_name("code"));
        let codes = codes.and_then(|codes| codes.as_string_opt::<i32>()).ok_or_else(wrong)?;
        for row in 0..lists.len() {
            let (start, end) = (lists.value_offsets()[row], lists.value_offsets()[row + 1]);
            let mut of_page: Vec<&str> = (start..end).map(|at| codes.value(at as usize)).collect();
            of_page.sort_unstable();
            of_page.dedup(); // two fonts can give a page the same reason
            for code in of_page {
                *self.pages_by_reason.entry(parse_word(code).ok_or_else(wrong)?).or_default() += 1;
            }
        }
        Ok(())
    }
}

/// Reads some columns of a file; of `reasons` only the codes.
fn read(
    path: &Path,
    columns: &[&str],
    mut each: impl FnMut(&RecordBatch) -> Result<(), ReportError>,
) -> Result<(), ReportError> {
    let failed = |source| ReportError::Parquet { path: path.to_owned(), source };
    let file = File::open(path).map_err(|source| ReportError::Open { path: path.to_owned(), source })?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(failed)?;
    let schema = builder.parquet_schema();
    let leaves = schema.columns().iter().enumerate().filter(|(_, leaf)| {
        let path = leaf.path().parts();
        columns.contains(&path[0].as_str()) && (path.len() == 1 || path[path.len() - 1] == "code")
    });
    let mask = ProjectionMask::leaves(schema, leaves.map(|(leaf, _)| leaf));
    for batch in builder.with_projection(mask).build().map_err(failed)? {
        each(&batch.map_err(|error| failed(error.into()))?)?;
    }
    Ok(())
}

fn strings(
    batch: &RecordBatch,
    path: &Path,
    column: &'static str,
) -> Result<Vec<Option<String>>, ReportError> {
    let array = batch.column_by_name(column).and_then(|array| array.as_string_opt::<i32>());
    let array = array.ok_or_else(|| ReportError::Column { path: path.to_owned(), column })?;
    Ok(array.iter().map(|value| value.map(str::to_owned)).collect())
}

fn numbers(batch: &RecordBatch, path: &Path, column: &'static str) -> Result<Vec<u64>, ReportError> {
    let array = batch.column_by_name(column).and_then(|array| array.as_primitive_opt::<Int32Type>());
    let array = array.ok_or_else(|| ReportError::Column { path: path.to_owned(), column })?;
    Ok(array.iter().map(|value| u64::try_from(value.unwrap_or(0)).unwrap_or(0)).collect())
}

/// Counts the words of a column.
fn count<W: DeserializeOwned + Ord>(
    counts: &mut BTreeMap<W, u64>,
    batch: &RecordBatch,
    path: &Path,
    column: &'static str,
) -> Result<(), ReportError> {
    let mut words: BTreeMap<String, u64> = BTreeMap::new();
    for word in strings(batch, path, column)?.into_iter().flatten() {
        *words.entry(word).or_default() += 1;
    }
    for (word, n) in words {
        let word = parse_word(&word).ok_or_else(|| ReportError::Column { path: path.to_owned(), column })?;
        *counts.entry(word).or_default() += n;
    }
    Ok(())
}
