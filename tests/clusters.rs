//! The table `clusters` against the tables it is derived from, counted here in another way.

use std::collections::{BTreeMap, BTreeSet};

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{Float32Type, Int32Type, Int64Type};

use pagesieve::tables::{Table, wilson};

use crate::world::{World, batches, corpus};

/// Producer family, its version, font family, signature.
type Key = (Option<String>, Option<String>, Option<String>, String);

#[derive(Debug, Default, PartialEq)]
struct Counts {
    documents: usize,
    documents_flagged: usize,
    pages: usize,
    pages_flagged: usize,
    glyphs: i64,
}

fn text(batch: &RecordBatch, column: &str, row: usize) -> Option<String> {
    let column = batch.column_by_name(column).unwrap().as_string::<i32>();
    column.is_valid(row).then(|| column.value(row).to_owned())
}

fn int(batch: &RecordBatch, column: &str, row: usize) -> i32 {
    batch.column_by_name(column).unwrap().as_primitive::<Int32Type>().value(row)
}

fn all(world: &World, table: Table, job: &str) -> Vec<RecordBatch> {
    batches(world.root(), table, job).into_iter().flat_map(|(_, batches)| batches).collect()
}

fn key(batch: &RecordBatch, row: usize) -> Key {
    let column = |name| text(batch, name, row);
    (column("producer_family"), column("producer_version"), column("family"), column("signature").unwrap())
}

/// Fonts that reasons of flagged pages name: (document, page, font).
fn accused(world: &World, job: &str) -> BTreeSet<(String, i32, String)> {
    let mut accused = BTreeSet::new();
    for batch in all(world, Table::Pages, job) {
        let reasons = batch.column_by_name("reasons").unwrap().as_list::<i32>();
        for row in 0..batch.num_rows() {
            if text(&batch, "route", row).unwrap() == "keep" {
                continue;
            }
            let of_page = reasons.value(row);
            let fonts = of_page.as_struct().column_by_name("font").unwrap().as_string::<i32>().clone();
            for font in fonts.iter().flatten() {
                accused.insert((
                    text(&batch, "document_uri", row).unwrap(),
                    int(&batch, "page", row),
                    font.to_owned(),
                ));
            }
        }
    }
    accused
}

fn expected(world: &World, job: &str) -> BTreeMap<Key, Counts> {
    let accused = accused(world, job);
    let mut pages = BTreeMap::<Key, BTreeMap<(String, i32), bool>>::new();
    let mut glyphs = BTreeMap::<Key, i64>::new();
    for batch in all(world, Table::PageFonts, job) {
        for row in 0..batch.num_rows() {
            let page = (text(&batch, "document_uri", row).unwrap(), int(&batch, "page", row));
            let font = text(&batch, "font", row).unwrap();
            let flagged = accused.contains(&(page.0.clone(), page.1, font));
            *pages.entry(key(&batch, row)).or_default().entry(page).or_default() |= flagged;
            *glyphs.entry(key(&batch, row)).or_default() += i64::from(int(&batch, "glyphs_drawn", row));
        }
    }
    let documents = |pages: &BTreeMap<(String, i32), bool>, only_flagged: bool| {
        let of = pages.iter().filter(|(_, flagged)| **flagged || !only_flagged);
        of.map(|((uri, _), _)| uri.as_str()).collect::<BTreeSet<_>>().len()
    };
    let count = |(key, pages): (Key, BTreeMap<(String, i32), bool>)| {
        let counts = Counts {
            documents: documents(&pages, false),
            documents_flagged: documents(&pages, true),
            pages: pages.len(),
            pages_flagged: pages.values().filter(|flagged| **flagged).count(),
            glyphs: glyphs[&key],
        };
        (key, counts)
    };
    pages.into_iter().map(count).collect()
}

fn check(world: &World, job: &str) {
    let mut expected = expected(world, job);
    let n = expected.len();
    let mut flagged = 0;
    for batch in all(world, Table::Clusters, job) {
        for row in 0..batch.num_rows() {
            // Programs are random here, so none repeats.
            assert_eq!(text(&batch, "program_sha256", row), None);
            let of = |column| usize::try_from(int(&batch, column, row)).unwrap();
            let got = Counts {
                documents: of("documents"),
                documents_flagged: of("documents_flagged"),
                pages: of("pages"),
                pages_flagged: of("pages_flagged"),
                glyphs: batch.column_by_name("glyphs_drawn").unwrap().as_primitive::<Int64Type>().value(row),
            };
            let share =
                |column| batch.column_by_name(column).unwrap().as_primitive::<Float32Type>().value(row);
            let exact = got.pages_flagged as f64 / got.pages as f64;
            let (low, high) = wilson(exact, got.documents as u64);
            assert_eq!(
                [share("flagged_share"), share("flagged_share_low"), share("flagged_share_high")],
                [exact as f32, low as f32, high as f32]
            );
            flagged += got.pages_flagged;
            assert_eq!(Some(got), expected.remove(&key(&batch, row)), "{:?}", key(&batch, row));
        }
    }
    assert!(expected.is_empty(), "not in the table: {expected:?}");
    assert!(n > 100 && flagged > 50, "{n} clusters, {flagged} flagged pages");
}

#[tokio::test]
async fn clusters_count_what_pages_and_fonts_say() {
    let world = World::new().await;
    let mut docs = corpus(150);
    let first = world.scan(&docs).await;
    check(&world, &first.job);
    // A night in which nothing changed takes clusters over with the rest; one with changes counts anew where it must.
    let second = world.scan(&docs).await;
    check(&world, &second.job);
    docs.remove(7);
    docs[11].version = 1;
    let third = world.scan(&docs).await;
    check(&world, &third.job);
    let fresh = World::new().await;
    let again = fresh.scan(&docs).await;
    assert_eq!(world.tables()["clusters"], fresh.tables()["clusters"]);
    assert_eq!(third.manifest.counts.clusters, again.manifest.counts.clusters);
}
