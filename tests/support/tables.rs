//! Published tables as multisets of rows, without what differs between two scans of the same corpus.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use arrow::array::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

/// Columns in which two scans of equal content may differ.
const DIFFERENT: &[&str] =
    &["job_id", "scored_job_id", "scored_at", "first_seen", "last_seen", "change", "etag"];

/// Rows of each table of the one current job, printed and sorted; URIs below `corpus`.
pub(crate) type Tables = BTreeMap<String, Vec<String>>;

/// Reads the current snapshot below `root` through its manifest.
pub(crate) fn read(root: &Path, corpus: &Path) -> Tables {
    read_below(root, &format!("file://{}/", corpus.display()))
}

/// Reads the current snapshot below `root`; URIs below the one that is given.
pub(crate) fn read_below(root: &Path, corpus: &str) -> Tables {
    let json = |path: &Path| -> serde_json::Value {
        let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        serde_json::from_slice(&bytes).expect("JSON")
    };
    let current = json(&root.join("_current.json"));
    let job = current["corpora"]["default"]["job"].as_str().expect("a current job").to_owned();
    let manifest = json(&root.join("_manifests").join(format!("{job}.json")));
    let mut tables = Tables::new();
    for file in manifest["files"].as_array().expect("files") {
        let table = tables.entry(file["table"].as_str().expect("a table").to_owned()).or_default();
        let path = root.join(file["path"].as_str().expect("a path"));
        let file = File::open(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let reader =
            ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet").build().expect("Parquet");
        for batch in reader {
            rows(&batch.expect("rows"), corpus, table);
        }
    }
    tables.values_mut().for_each(|rows| rows.sort());
    tables
}

fn rows(batch: &RecordBatch, corpus: &str, rows: &mut Vec<String>) {
    let options = FormatOptions::new().with_null("null");
    let schema = batch.schema();
    let columns: Vec<(&str, ArrayFormatter<'_>)> = std::iter::zip(schema.fields(), batch.columns())
        .filter(|(field, _)| !DIFFERENT.contains(&field.name().as_str()))
        .map(|(field, column)| {
            (field.name().as_str(), ArrayFormatter::try_new(column, &options).expect("printable"))
        })
        .collect();
    for row in 0..batch.num_rows() {
        let cells = columns.iter().map(|(name, column)| format!("{name}={}", column.value(row)));
        rows.push(cells.collect::<Vec<_>>().join(" ").replace(corpus, ""));
    }
}

/// Fails with the first differences.
pub(crate) fn assert_equal(left: &Tables, right: &Tables) {
    assert_eq!(left.keys().collect::<Vec<_>>(), right.keys().collect::<Vec<_>>());
    for (table, rows) in left {
        let others = &right[table];
        let differ = std::iter::zip(rows, others).find(|(row, other)| row != other);
        if let Some((row, other)) = differ {
            panic!("{table} differs:\n  {row}\n  {other}");
        }
        assert_eq!(rows.len(), others.len(), "{table} differs in length");
    }
}
