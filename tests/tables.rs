//! The published files against `config/schemas/tables.json`, and the snapshot's rows against the corpus.

use std::fs::File;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::DataType;
use arrow::row::{RowConverter, SortField};
use parquet::basic::{Compression, Encoding};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;

use pagesieve::coordinator::Closed;
use pagesieve::score::State;
use pagesieve::tables::{TABLES_JSON, Table, bucket_of};

use crate::world::{Doc, World, batches, corpus, new_job, read_json};

/// The documented type, spelled from the Arrow type: the other way round than the writer reads it.
fn spell(data_type: &DataType) -> String {
    match data_type {
        DataType::Timestamp(unit, zone) => {
            assert_eq!((format!("{unit:?}").as_str(), zone.as_deref()), ("Microsecond", Some("UTC")));
            "Timestamp(us, UTC)".into()
        }
        DataType::List(element) => format!("List<{}>", spell(element.data_type())),
        DataType::FixedSizeList(element, n) => format!("FixedSizeList<{},{n}>", spell(element.data_type())),
        DataType::Struct(_) => "Struct".into(),
        simple => format!("{simple:?}"),
    }
}

fn check_columns(documented: &Value, fields: &arrow::datatypes::Fields) {
    let documented = documented.as_array().unwrap();
    assert_eq!(documented.len(), fields.len());
    for (column, field) in documented.iter().zip(fields) {
        assert_eq!(column["name"], field.name().as_str());
        assert_eq!(column["type"], spell(field.data_type()).as_str(), "{}", field.name());
        assert_eq!(column["nullable"], field.is_nullable(), "{}", field.name());
        assert!(column["description"].as_str().unwrap().ends_with('.'), "{}", field.name());
        if let DataType::List(element) = field.data_type()
            && let DataType::Struct(inner) = element.data_type()
        {
            check_columns(&column["fields"], inner);
        }
    }
}

#[tokio::test]
async fn files_are_as_documented() {
    let world = World::new().await;
    check_files(&world, &world.scan(&corpus(150)).await);
    // A night without changes takes files over as bytes; the next one does so where it can.
    let before = world.tables();
    let unchanged = world.scan(&corpus(150)).await;
    assert_eq!(unchanged.manifest.counts.documents_by_change, [("unchanged", 150)].map(own).into());
    assert_eq!(world.tables(), before);
    check_files(&world, &unchanged);
    let mut docs = corpus(150);
    docs.remove(3);
    let closed = world.scan(&docs).await;
    check_files(&world, &closed);
    let fresh = World::new().await;
    let expected = fresh.scan(&docs).await.manifest.counts;
    assert_eq!(world.tables(), fresh.tables());
    assert_eq!(closed.manifest.counts.pages_by_route, expected.pages_by_route);
    assert_eq!(closed.manifest.counts.pages_not_judged, expected.pages_not_judged);
    assert_eq!(closed.manifest.counts.documents_by_state, expected.documents_by_state);
    assert_eq!(closed.manifest.counts.page_fonts, expected.page_fonts);
    assert_eq!(closed.manifest.counts.clusters, expected.clusters);
}

fn check_files(world: &World, closed: &Closed) {
    let documented: Value = serde_json::from_str(TABLES_JSON).unwrap();
    let mut n_files = 0;
    for table in Table::ALL {
        let documented = &documented["tables"][table.name()];
        let sort: Vec<&str> =
            documented["sort"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let files = batches(world.root(), table, &closed.job);
        assert!(!files.is_empty() && files.len() <= 16);
        for (path, batches) in files {
            n_files += 1;
            let schema = batches[0].schema();
            check_columns(&documented["columns"], schema.fields());
            let jobs = batches.iter().flat_map(|b| b.column_by_name("job_id").unwrap().as_string::<i32>());
            assert!(jobs.into_iter().all(|job| job == Some(&closed.job)));
            let bucket = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
            for batch in &batches {
                let family = batch.column_by_name("producer_family").unwrap().as_string::<i32>();
                for row in 0..batch.num_rows() {
                    let family = family.is_valid(row).then(|| family.value(row));
                    assert_eq!(bucket, format!("bucket={:02}", bucket_of(family)));
                }
            }
            check_order(&batches, &sort);
            check_storage(&SerializedFileReader::new(File::open(&path).unwrap()).unwrap(), documented, &sort);
        }
    }
    assert_eq!(closed.manifest.files.len(), n_files);
}

/// Rows stand in the documented order, and no two have the same key.
fn check_order(batches: &[RecordBatch], sort: &[&str]) {
    let schema = batches[0].schema();
    let type_of = |name: &&str| schema.field_with_name(name).unwrap().data_type().clone();
    let converter =
        RowConverter::new(sort.iter().map(|name| SortField::new(type_of(name))).collect()).unwrap();
    let mut last: Option<Vec<u8>> = None;
    for batch in batches {
        let columns: Vec<_> = sort.iter().map(|name| batch.column_by_name(name).unwrap().clone()).collect();
        for row in &converter.convert_columns(&columns).unwrap() {
            assert!(last.as_deref().is_none_or(|last| last < row.as_ref()));
            last = Some(row.as_ref().to_vec());
        }
    }
}

/// zstd, page index, sorting columns, bloom filters, dictionaries where they are declared and nowhere else.
fn check_storage(reader: &SerializedFileReader<File>, documented: &Value, sort: &[&str]) {
    for group in reader.metadata().row_groups() {
        let sorted: Vec<_> = group
            .sorting_columns()
            .unwrap()
            .iter()
            .map(|sorting| {
                assert!(sorting.nulls_first && !sorting.descending);
                group.column(sorting.column_idx as usize).column_path().string()
            })
            .collect();
        assert_eq!(sorted, sort);
        for column in group.columns() {
            let root = column.column_path().parts()[0].as_str();
            let documented =
                documented["columns"].as_array().unwrap().iter().find(|c| c["name"] == root).unwrap();
            assert!(matches!(column.compression(), Compression::ZSTD(_)));
            // Every column can be read page by page; those that rows are sorted by have the pages' bounds, others the group's.
            assert!(column.offset_index_offset().is_some());
            let is_list = documented["type"].as_str().unwrap().starts_with("List");
            assert_eq!(column.column_index_offset().is_some(), sort.contains(&root), "{root}");
            assert_eq!(column.statistics().is_some(), !is_list, "{root}");
            assert_eq!(column.bloom_filter_offset().is_some(), documented["bloom_filter"] == true, "{root}");
            let has = |encoding| column.encodings().any(|e| e == encoding);
            let is_flag = column.column_type() == parquet::basic::Type::BOOLEAN;
            match documented["encoding"].as_str() {
                None => assert_eq!(has(Encoding::RLE_DICTIONARY), !is_flag, "{root}"),
                Some("plain") => assert!(!has(Encoding::RLE_DICTIONARY), "{root}"),
                Some("delta") => assert!(has(Encoding::DELTA_BINARY_PACKED), "{root}"),
                Some("delta_length") => assert!(has(Encoding::DELTA_LENGTH_BYTE_ARRAY), "{root}"),
                Some("byte_stream_split") => assert!(has(Encoding::BYTE_STREAM_SPLIT), "{root}"),
                Some(other) => panic!("{other}"),
            }
        }
    }
}

#[tokio::test]
async fn rows_tell_what_was_scored() {
    let world = World::new().await;
    let mut docs = corpus(20);
    docs[3].state = State::Missing;
    docs[4].state = State::Encrypted;
    let closed = world.scan(&docs).await;
    let counts = &closed.manifest.counts;
    assert_eq!(counts.documents_by_state, [("scored", 18), ("missing", 1), ("encrypted", 1)].map(own).into());
    assert_eq!(counts.documents_by_change, [("new", 20)].map(own).into());
    let tables = world.tables();
    assert_eq!(tables["documents"].len(), 20);
    let missing: Vec<_> = tables["documents"].iter().filter(|row| row.contains("state=missing")).collect();
    assert!(missing[0].contains("document_uri=03/00003.pdf;document_sha256=;"), "{missing:?}");
    for n in (0..20).filter(|n| *n != 3 && *n != 4) {
        let score = crate::synthetic::document(n, 0, 40, 6);
        let of_document = format!("document_uri={};", Doc::new(n).uri);
        let pages: Vec<_> = tables["pages"].iter().filter(|row| row.contains(&of_document)).collect();
        assert_eq!(pages.len(), score.pages.len());
        for page in &score.pages {
            let row = pages.iter().find(|row| row.contains(&format!(";page={};", page.page))).unwrap();
            let font = page.reasons.first().and_then(|reason| reason.font.as_deref());
            assert!(row.contains(&format!("glyphs_drawn={};", page.glyphs_drawn)), "{row}");
            assert!(font.is_none_or(|font| row.contains(&format!("font: {font}"))), "{row}");
            assert!(row.contains(&format!("regions={:?};", page.regions)), "{row}");
        }
        let fonts = tables["page_fonts"].iter().filter(|row| row.contains(&of_document)).count();
        assert_eq!(fonts, score.pages.iter().map(|page| page.fonts.len()).sum::<usize>());
    }
}

fn own((word, n): (&str, u64)) -> (String, u64) {
    (word.to_owned(), n)
}

#[tokio::test]
async fn an_empty_corpus_has_empty_tables() {
    let world = World::new().await;
    let closed = world.scan(&[]).await;
    assert_eq!(closed.manifest.files.len(), 4);
    assert_eq!(world.tables().values().map(Vec::len).sum::<usize>(), 0);
    assert_eq!(std::fs::read(world.root().join("ocr-queue.ndjson")).unwrap(), b"");
}

#[tokio::test]
async fn hostile_strings_change_no_structure() {
    let world = World::new().await;
    let uri = "=cmd|' /C calc'!A0\u{1b}[31m\n\"<script>,;\u{202e}.pdf";
    let docs = [Doc { uri: uri.into(), ..Doc::new(1) }];
    world.scan(&docs).await;
    let queue = std::fs::read_to_string(world.root().join("ocr-queue.ndjson")).unwrap();
    assert!(queue.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    let closed = world.scan(&docs).await;
    assert_eq!(closed.manifest.counts.documents_by_change, [("unchanged", 1)].map(own).into());
}

#[tokio::test]
async fn the_next_night_equals_a_fresh_scan_of_the_new_state() {
    let world = World::new().await;
    let mut docs = corpus(200);
    docs[7].state = State::Timeout;
    docs[8].state = State::OverLimit;
    let first = world.scan(&docs).await;

    docs.remove(50);
    docs.remove(60);
    docs[20].version = 1; // its producer, and so its bucket, may be another
    docs[21].version = 1;
    docs[7].state = State::Scored; // tried again, and read this time
    docs.extend((300..305).map(Doc::new));
    let second = world.scan(&docs).await;
    assert_eq!(second.manifest.previous_job, Some(first.job.clone()));
    let changes = [("new", 5), ("changed", 2), ("unchanged", 196)].map(own);
    assert_eq!(second.manifest.counts.documents_by_change, changes.into());

    let fresh = World::new().await;
    fresh.scan(&docs).await;
    assert_eq!(world.tables(), fresh.tables());
    let (mut carried, mut scored) = (0, 0);
    for (_, batches) in batches(world.root(), Table::Documents, &second.job) {
        for batch in batches {
            let job = batch.column_by_name("job_id").unwrap().as_string::<i32>();
            assert!(job.iter().all(|job| job == Some(&second.job)));
            for job in batch.column_by_name("scored_job_id").unwrap().as_string::<i32>().iter().flatten() {
                if job == first.job { carried += 1 } else { scored += 1 }
            }
        }
    }
    assert_eq!((carried, scored), (195, 8));
    // The first night's snapshot is still whole.
    for file in &first.manifest.files {
        assert!(world.root().join(&file.path).exists());
    }
}

#[tokio::test]
async fn a_new_score_key_scans_everything_and_an_incomplete_listing_keeps_the_rest() {
    let world = World::new().await;
    let docs = corpus(30);
    let first = world.scan(&docs).await;
    let before = world.tables();
    let job = world.work(&new_job("other rules"), &docs[..10], false).await;
    let second = world.close(&job).await.unwrap();
    assert_eq!(world.tables(), before);
    let mut by_job = std::collections::BTreeMap::<String, u64>::new();
    for (_, batches) in batches(world.root(), Table::Documents, &second.job) {
        for job in batches[0].column_by_name("scored_job_id").unwrap().as_string::<i32>().iter().flatten() {
            *by_job.entry(job.to_owned()).or_default() += 1;
        }
    }
    assert_eq!(by_job, [(first.job, 20), (second.job, 10)].into());
}

#[tokio::test]
async fn the_manifest_names_what_is_there() {
    use sha2::{Digest, Sha256};
    let world = World::new().await;
    let closed = world.scan(&corpus(100)).await;
    let manifest = read_json(&world.root().join(format!("_manifests/{}.json", closed.job)));
    let files = world.files();
    for file in manifest["files"].as_array().unwrap() {
        let bytes = &files[file["path"].as_str().unwrap()];
        let hash: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(file["sha256"], hash.as_str());
    }
    let published = files.keys().filter(|path| path.ends_with(".parquet")).count();
    assert_eq!(published, manifest["files"].as_array().unwrap().len(), "{:?}", files.keys());
    let rows = |table| {
        let files = closed.manifest.files.iter().filter(|file| file.table == table);
        files.map(|file| file.rows).sum::<u64>()
    };
    let counts = &closed.manifest.counts;
    assert_eq!((rows("documents"), rows("pages")), (counts.documents, counts.pages));
    assert_eq!(rows("page_fonts"), counts.page_fonts);
    assert_eq!(counts.pages_by_route.values().sum::<u64>(), counts.pages);
}
