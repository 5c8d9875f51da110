//! Clusters of fonts, and fonts over all their clusters.

use std::collections::BTreeMap;
use std::path::Path;

use arrow::array::{AsArray, RecordBatch};

use super::answer::{Answer, Kind, Value};
use super::producers::{Tally, rank};
use super::read::{count_at, counts, read, text_at, texts};
use super::{ReportError, Results};
use crate::tables::Table;

/// What names a cluster.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) producer: Option<String>,
    pub(super) version: Option<String>,
    pub(super) family: Option<String>,
    pub(super) signature: String,
    pub(super) program: Option<String>,
}

/// A row of `clusters`.
#[derive(Debug, Clone, Default)]
pub(super) struct Cluster {
    pub(super) tally: Tally,
    pub(super) reason: Option<String>,
    pub(super) example: (String, u64),
}

const COLUMNS: [&str; 12] = [
    "producer_family",
    "producer_version",
    "family",
    "signature",
    "program_sha256",
    "documents",
    "documents_flagged",
    "pages",
    "pages_flagged",
    "reasons.list.element.code",
    "example_uri",
    "example_page",
];

/// Clusters, those with most flagged pages above the corpus rate first.
///
/// The rate is that of all clusters together: a page counts once for each cluster that draws on it.
///
/// # Errors
/// When a file of the tables is missing or not as this release writes it.
pub fn clusters(results: &Results) -> Result<Answer, ReportError> {
    let now = load(results)?;
    let before = results.previous().map(|previous| load(&previous)).transpose()?;
    let rate = rate(&now);
    let mut groups: Vec<((Key, Cluster), Tally)> = now
        .into_iter()
        .map(|(key, cluster)| (cluster.tally, (key, cluster)))
        .map(|(t, kc)| (kc, t))
        .collect();
    rank(&mut groups, rate);
    let mut columns = vec![
        ("producer_family", Kind::Text),
        ("producer_version", Kind::Text),
        ("family", Kind::Text),
        ("signature", Kind::Text),
        ("program_sha256", Kind::Text),
    ];
    columns.extend(Tally::COLUMNS);
    columns.extend([("reason", Kind::Text), ("example_uri", Kind::Text), ("example_page", Kind::Count)]);
    let mut answer = Answer::new("clusters", &columns);
    for ((key, cluster), tally) in groups {
        let moved = before.as_ref().map(|before| before.get(&key).map(|cluster| cluster.tally));
        let mut row = vec![
            Value::text(key.producer),
            Value::text(key.version),
            Value::text(key.family),
            Value::Text(key.signature),
            Value::text(key.program),
        ];
        row.extend(tally.values(rate, moved));
        row.extend([
            Value::text(cluster.reason),
            Value::Text(cluster.example.0),
            Value::count(cluster.example.1),
        ]);
        answer.rows.push(row);
    }
    answer.notes.push(note(rate));
    Ok(answer)
}

/// Font families over all producers, ranked as clusters are. A document or page counts once for each cluster it is in.
///
/// # Errors
/// When a file of the tables is missing or not as this release writes it.
pub fn fonts(results: &Results) -> Result<Answer, ReportError> {
    let now = by_font(load(results)?);
    let before = results.previous().map(|previous| load(&previous).map(by_font)).transpose()?;
    let mut all = Tally::default();
    now.values().for_each(|font| all.add(font.tally));
    let rate = all.share();
    let mut groups: Vec<((Option<String>, Font), Tally)> = now
        .into_iter()
        .map(|(family, font)| {
            let tally = font.tally;
            ((family, font), tally)
        })
        .collect();
    rank(&mut groups, rate);
    let mut columns = vec![("family", Kind::Text), ("producers", Kind::Count), ("clusters", Kind::Count)];
    columns.extend(Tally::COLUMNS);
    columns.push(("reason", Kind::Text));
    let mut answer = Answer::new("fonts", &columns);
    for ((family, font), tally) in groups {
        let moved = before.as_ref().map(|before| before.get(&family).map(|font| font.tally));
        let mut row = vec![Value::text(family), Value::count(font.producers), Value::count(font.clusters)];
        row.extend(tally.values(rate, moved));
        row.push(Value::text(font.reason));
        answer.rows.push(row);
    }
    answer.notes.push(note(rate));
    Ok(answer)
}

/// A font family over its clusters.
#[derive(Debug, Clone, Default)]
struct Font {
    tally: Tally,
    producers: u64,
    clusters: u64,
    reason: Option<String>,
    reason_pages: u64,
}

fn by_font(clusters: BTreeMap<Key, Cluster>) -> BTreeMap<Option<String>, Font> {
    let mut fonts = BTreeMap::<Option<String>, Font>::new();
    let mut last = BTreeMap::<Option<String>, Option<String>>::new();
    // Keys are sorted by producer, so a producer new to a font differs from the last one.
    for (key, cluster) in clusters {
        let font = fonts.entry(key.family.clone()).or_default();
        font.tally.add(cluster.tally);
        font.clusters += 1;
        font.producers += u64::from(last.insert(key.family, key.producer.clone()) != Some(key.producer));
        if cluster.tally.pages_flagged > font.reason_pages {
            (font.reason, font.reason_pages) = (cluster.reason, cluster.tally.pages_flagged);
        }
    }
    fonts
}

fn rate(clusters: &BTreeMap<Key, Cluster>) -> f64 {
    let mut all = Tally::default();
    clusters.values().for_each(|cluster| all.add(cluster.tally));
    all.share()
}

fn note(rate: f64) -> String {
    format!(
        "rate of all clusters {:.2} % (a page counts once for each font cluster on it); flagged: a reason names the font; \
         intervals are Wilson's, 95 %, over documents",
        100.0 * rate
    )
}

pub(super) fn load(results: &Results) -> Result<BTreeMap<Key, Cluster>, ReportError> {
    let mut clusters = BTreeMap::new();
    for path in results.files(Table::Clusters)? {
        read(&path, &COLUMNS, |batch| add(batch, &path, &mut clusters))?;
    }
    Ok(clusters)
}

fn add(batch: &RecordBatch, path: &Path, clusters: &mut BTreeMap<Key, Cluster>) -> Result<(), ReportError> {
    let text = |column| texts(batch, path, column);
    let number = |column| counts(batch, path, column);
    let (producers, versions, families) =
        (text("producer_family")?, text("producer_version")?, text("family")?);
    let (signatures, programs, uris) = (text("signature")?, text("program_sha256")?, text("example_uri")?);
    let (documents, documents_flagged) = (number("documents")?, number("documents_flagged")?);
    let (pages, pages_flagged, example) =
        (number("pages")?, number("pages_flagged")?, number("example_page")?);
    let wrong = || ReportError::Column { path: path.to_owned(), column: "reasons" };
    let reasons =
        batch.column_by_name("reasons").and_then(|array| array.as_list_opt::<i32>()).ok_or_else(wrong)?;
    let codes = reasons.values().as_struct_opt().and_then(|reasons| reasons.column_by_name("code"));
    let codes = codes.and_then(|codes| codes.as_string_opt::<i32>()).ok_or_else(wrong)?;
    for row in 0..batch.num_rows() {
        let owned = |array| text_at(array, row).map(str::to_owned);
        let key = Key {
            producer: owned(producers),
            version: owned(versions),
            family: owned(families),
            signature: signatures.value(row).to_owned(),
            program: owned(programs),
        };
        let first = reasons.value_offsets()[row] as usize;
        let has_reason = reasons.value_length(row) > 0;
        let cluster = Cluster {
            tally: Tally {
                documents: count_at(documents, row),
                documents_flagged: count_at(documents_flagged, row),
                pages: count_at(pages, row),
                pages_flagged: count_at(pages_flagged, row),
            },
            reason: has_reason.then(|| codes.value(first).to_owned()),
            example: (uris.value(row).to_owned(), count_at(example, row)),
        };
        clusters.insert(key, cluster);
    }
    Ok(())
}
