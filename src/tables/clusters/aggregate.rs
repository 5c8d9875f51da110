//! Runs of one producer family → rows of `clusters`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Float32Array, Int32Array, Int64Array, ListArray, RecordBatch, StringArray, StructArray,
    TimestampMicrosecondArray,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::DataType;

use super::runs::{Kind, OfProducer, Run, Structure};
use super::wilson::wilson;
use crate::score::ReasonCode;
use crate::tables::TablesError;
use crate::tables::schema::Table;
use crate::words::Word;

/// A row of the table.
#[derive(Debug)]
pub(super) struct Cluster {
    structure: Structure,
    program: Option<String>,
    kind: Kind,
    documents: i32,
    documents_flagged: i32,
    pages: i32,
    pages_flagged: i32,
    glyphs_drawn: i64,
    glyphs_suspect: i64,
    reasons: BTreeMap<ReasonCode, i32>,
    first_seen: i64,
    last_seen: i64,
    example: (String, String, i32),
}

/// The clusters of a producer family, in order.
pub(super) fn rows(runs: OfProducer) -> Vec<Cluster> {
    let mut clusters = Vec::new();
    for (structure, (kind, runs)) in runs {
        if programs_repeat(&runs) {
            let mut by_program = BTreeMap::<Option<String>, Vec<Run>>::new();
            for run in runs {
                by_program.entry(run.program.as_deref().map(str::to_owned)).or_default().push(run);
            }
            for (program, runs) in by_program {
                clusters.push(cluster(structure.clone(), program, kind.clone(), &runs));
            }
        } else {
            clusters.push(cluster(structure, None, kind, &runs));
        }
    }
    clusters
}

/// Whether a program is found in two documents or more on average: then the programs, not the structure, are what fails
/// or does not.
fn programs_repeat(runs: &[Run]) -> bool {
    let with = runs.iter().filter_map(|run| Some((run.program.as_deref()?, run.document)));
    let pairs: BTreeSet<(&str, u128)> = with.collect();
    let programs: BTreeSet<&str> = pairs.iter().map(|(program, _)| *program).collect();
    !programs.is_empty() && pairs.len() >= 2 * programs.len()
}

fn cluster(structure: Structure, program: Option<String>, kind: Kind, runs: &[Run]) -> Cluster {
    let documents: BTreeSet<u128> = runs.iter().map(|run| run.document).collect();
    // A page on which two subsets of the cluster draw is one page.
    let pages: BTreeSet<(u128, i32)> =
        runs.iter().flat_map(|run| run.pages.iter().map(|page| (run.document, *page))).collect();
    let flagged = || runs.iter().flat_map(|run| run.flagged.iter().map(move |page| (run, page)));
    let flagged_pages: BTreeSet<(u128, i32)> =
        flagged().map(|(run, page)| (run.document, page.page)).collect();
    let flagged_documents: BTreeSet<u128> = flagged_pages.iter().map(|(document, _)| *document).collect();
    let by_code: BTreeSet<(ReasonCode, u128, i32)> = flagged()
        .flat_map(|(run, page)| page.codes.iter().map(move |code| (*code, run.document, page.page)))
        .collect();
    let mut reasons = BTreeMap::new();
    for (code, _, _) in by_code {
        *reasons.entry(code).or_default() += 1;
    }
    // The flagged page with most suspect glyphs; without one, the first page of all.
    let worst = flagged().map(|(run, page)| (-page.suspect, &*run.uri, page.page, run));
    let first = runs.iter().flat_map(|run| run.pages.first().map(|page| (0, &*run.uri, *page, run)));
    let key = |example: &(i32, &str, i32, &Run)| (example.0, example.1.to_owned(), example.2);
    let example = worst.min_by_key(key).or_else(|| first.min_by_key(key));
    let example = example.map(|(_, uri, page, run)| (uri.to_owned(), run.sha256.to_string(), page));
    Cluster {
        structure,
        program,
        kind,
        documents: int(documents.len()),
        documents_flagged: int(flagged_documents.len()),
        pages: int(pages.len()),
        pages_flagged: int(flagged_pages.len()),
        glyphs_drawn: runs.iter().map(|run| run.glyphs_drawn).sum(),
        glyphs_suspect: runs.iter().map(|run| run.glyphs_suspect).sum(),
        reasons,
        first_seen: runs.iter().map(|run| run.scored_at).min().unwrap_or(0),
        last_seen: runs.iter().map(|run| run.scored_at).max().unwrap_or(0),
        example: example.unwrap_or_default(),
    }
}

fn int(n: usize) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}

/// The rows as a batch of the table.
pub(super) fn batch(job: &str, producer: Option<&str>, rows: &[Cluster]) -> Result<RecordBatch, TablesError> {
    let same = |value: Option<&str>| -> ArrayRef {
        Arc::new(std::iter::repeat_n(value, rows.len()).collect::<StringArray>())
    };
    let text = |value: &dyn Fn(&Cluster) -> Option<&str>| -> ArrayRef {
        Arc::new(rows.iter().map(value).collect::<StringArray>())
    };
    let number = |value: &dyn Fn(&Cluster) -> i32| -> ArrayRef {
        Arc::new(Int32Array::from_iter_values(rows.iter().map(value)))
    };
    let long = |value: &dyn Fn(&Cluster) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(rows.iter().map(value)))
    };
    let share = |value: &dyn Fn(&Cluster) -> f64| -> ArrayRef {
        Arc::new(Float32Array::from_iter_values(rows.iter().map(|row| value(row) as f32)))
    };
    let time = |value: &dyn Fn(&Cluster) -> i64| -> ArrayRef {
        Arc::new(TimestampMicrosecondArray::from_iter_values(rows.iter().map(value)).with_timezone("UTC"))
    };
    let flagged = |row: &Cluster| f64::from(row.pages_flagged) / f64::from(row.pages.max(1));
    let interval = |row: &Cluster| wilson(flagged(row), u64::try_from(row.documents).unwrap_or(0));
    let columns = vec![
        same(Some(job)),
        same(producer),
        text(&|row| row.structure.version.as_deref()),
        text(&|row| row.structure.family.as_deref()),
        text(&|row| Some(&row.structure.signature)),
        text(&|row| row.program.as_deref()),
        text(&|row| Some(&row.kind.subtype)),
        text(&|row| row.kind.encoding.as_deref()),
        text(&|row| Some(&row.kind.to_unicode)),
        number(&|row| row.documents),
        number(&|row| row.documents_flagged),
        number(&|row| row.pages),
        number(&|row| row.pages_flagged),
        share(&flagged),
        share(&|row| interval(row).0),
        share(&|row| interval(row).1),
        long(&|row| row.glyphs_drawn),
        long(&|row| row.glyphs_suspect),
        Arc::new(reasons(rows)?),
        time(&|row| row.first_seen),
        time(&|row| row.last_seen),
        text(&|row| Some(&row.example.0)),
        text(&|row| Some(&row.example.1)),
        number(&|row| row.example.2),
    ];
    Ok(RecordBatch::try_new(Table::Clusters.schema(), columns)?)
}

/// Most frequent first.
fn reasons(rows: &[Cluster]) -> Result<ListArray, TablesError> {
    let schema = Table::Clusters.schema();
    let DataType::List(element) =
        schema.field_with_name("reasons").expect("a column of the table").data_type()
    else {
        panic!("reasons are a list")
    };
    let DataType::Struct(fields) = element.data_type() else { panic!("of structs") };
    let sorted = rows.iter().map(|row| {
        let mut reasons: Vec<(ReasonCode, i32)> = row.reasons.iter().map(|(code, n)| (*code, *n)).collect();
        reasons.sort_by_key(|&(code, n)| (std::cmp::Reverse(n), code));
        reasons
    });
    let lists: Vec<Vec<(ReasonCode, i32)>> = sorted.collect();
    let items = || lists.iter().flatten();
    let codes: StringArray = items().map(|(code, _)| Some(Word(*code).to_string())).collect();
    let pages = Int32Array::from_iter_values(items().map(|(_, n)| *n));
    let values = StructArray::try_new(fields.clone(), vec![Arc::new(codes), Arc::new(pages)], None)?;
    let offsets = OffsetBuffer::from_lengths(lists.iter().map(Vec::len));
    Ok(ListArray::try_new(Arc::clone(element), offsets, Arc::new(values), None)?)
}

#[cfg(test)]
mod tests {
    use super::super::runs::FlaggedPage;
    use super::*;

    fn run(document: u128, program: Option<&str>, pages: &[i32], flagged: &[i32]) -> Run {
        let of_page = |page: &i32| FlaggedPage {
            page: *page,
            suspect: *page,
            codes: vec![ReasonCode::UndecodableFont],
        };
        Run {
            document,
            uri: format!("file:///{document}.pdf").into(),
            sha256: format!("{document:064x}").into(),
            program: program.map(Into::into),
            pages: pages.to_vec(),
            flagged: flagged.iter().map(of_page).collect(),
            glyphs_drawn: 10,
            glyphs_suspect: 1,
            scored_at: i64::try_from(document).unwrap(),
        }
    }

    fn rows_of(runs: Vec<Run>) -> Vec<Cluster> {
        let structure = Structure { version: None, family: Some("Sub".into()), signature: "s".into() };
        let kind = Kind { subtype: "Type0".into(), encoding: None, to_unicode: "absent".into() };
        rows(OfProducer::from([(structure, (kind, runs))]))
    }

    #[test]
    fn two_subsets_on_one_page_count_it_once() {
        let rows = rows_of(vec![run(1, Some("a"), &[1, 2], &[2]), run(1, Some("b"), &[2, 3], &[2, 3])]);
        let [row] = rows.as_slice() else { panic!("{rows:?}") };
        assert_eq!((row.documents, row.documents_flagged, row.pages, row.pages_flagged), (1, 1, 3, 2));
        assert_eq!(row.reasons, BTreeMap::from([(ReasonCode::UndecodableFont, 2)]));
        assert_eq!(
            row.example,
            ("file:///1.pdf".to_owned(), format!("{:064x}", 1), 3),
            "most suspect glyphs"
        );
    }

    #[test]
    fn programs_that_repeat_are_clusters_of_their_own() {
        let runs = |shared: u128| {
            let of = |document| run(document, Some(if document < shared { "a" } else { "b" }), &[1], &[]);
            (0..4).map(of).collect::<Vec<_>>()
        };
        let rows = rows_of(runs(3));
        let programs: Vec<_> = rows.iter().map(|row| (row.program.as_deref(), row.documents)).collect();
        assert_eq!(programs, [(Some("a"), 3), (Some("b"), 1)]);
        let distinct = (0..4).map(|n| run(n, Some(&n.to_string()), &[1], &[])).collect();
        let rows = rows_of(distinct);
        assert_eq!(
            rows.iter().map(|row| (row.program.as_deref(), row.documents)).collect::<Vec<_>>(),
            [(None, 4)]
        );
        assert_eq!((rows[0].first_seen, rows[0].last_seen), (0, 3));
    }
}
