use std::path::Path;

use proptest::prelude::*;

use super::snapshot::write_with;
use super::staging::StagingFile;
use super::*;
use crate::score::{DocumentInfo, FontClass, FontFacts, FontScore, PageFontScore, PageScore, Route, State};

/// Document `n`, by one of five producers, with `n_pages` pages in one font.
fn scored(n: u32, n_pages: u32) -> ScoredDocument {
    let page = |page| PageScore {
        page,
        route: if n.is_multiple_of(4) { Route::Ocr } else { Route::Keep },
        judged: true,
        judged_share: f32::NAN, // what no signal should give must not make rows unequal to themselves
        glyphs_drawn: 10 * n + page,
        glyphs_suspect: 0,
        image_coverage: 0.5,
        script: None,
        language: None,
        reasons: Vec::new(),
        n_more_reasons: 0,
        regions: vec![[0.0, -0.0, n as f32, 1.5]],
        n_more_regions: 0,
        assessed: Vec::new(),
        text: None,
        fonts: vec![PageFontScore {
            font_index: 0,
            font_class: FontClass::ReadSpec,
            font_case: None,
            glyphs_drawn: n,
            glyphs_unmapped: 0,
            glyphs_suspect: 0,
        }],
    };
    let font = FontScore {
        facts: FontFacts { font: "1 0 R".into(), subtype: "Type1".into(), ..FontFacts::default() },
        font_class: FontClass::ReadSpec,
        font_case: None,
        cases: Default::default(),
        glyphs_drawn: n,
        glyphs_unmapped: 0,
        glyphs_suspect: 0,
    };
    ScoredDocument {
        document: DocumentRef { uri: format!("{n:04}"), etag: None, size_bytes: None },
        sha256: Some(format!("{n:064x}")),
        change: Change::New,
        scored_at: Timestamp(i64::from(n)),
        score: DocumentScore {
            state: State::Scored,
            state_reason: None,
            info: DocumentInfo {
                n_pages,
                producer: (!n.is_multiple_of(5)).then(|| format!("Tool{} 1.{}", n % 5, n % 3)),
                ..DocumentInfo::default()
            },
            fonts: vec![font],
            pages: (1..=n_pages).map(page).collect(),
            findings: Vec::new(),
        },
    }
}

fn context() -> StagingContext {
    StagingContext { job: "job".into(), corpus: "c".into(), rules_version: "1".into() }
}

/// Staging files of `n_tasks` tasks of eight documents.
fn staging_files(folder: &Path, n_tasks: u32) -> Vec<PathBuf> {
    (0..n_tasks)
        .map(|task| {
            let documents: Vec<_> = (8 * task..8 * task + 8).map(|n| scored(n, 1 + n % 9)).collect();
            let path = folder.join(format!("{task}.parquet"));
            std::fs::write(&path, stage(&context(), &documents).unwrap().bytes).unwrap();
            path
        })
        .collect()
}

#[test]
fn runs_of_runs_give_the_same_bytes() {
    let dir = tempfile::tempdir().unwrap();
    let input = SnapshotInput {
        job: "job".into(),
        staging: staging_files(dir.path(), 23),
        previous: Vec::new(),
        dropped: DroppedUris::default(),
    };
    let write = |fan_in: usize| {
        let scratch = dir.path().join(format!("scratch{fan_in}"));
        std::fs::create_dir_all(&scratch).unwrap();
        write_with(&input, &scratch.join("out"), &scratch, fan_in).unwrap()
    };
    let direct = write(100);
    assert_eq!(direct.counts.documents, 184);
    for fan_in in [2, 3, 22] {
        assert_eq!(write(fan_in), direct, "fan-in {fan_in}");
    }
}

#[test]
fn long_documents_are_merged_chunk_by_chunk() {
    let dir = tempfile::tempdir().unwrap();
    let stage_one = |n: u32, n_pages| {
        let path = dir.path().join(format!("{n}"));
        std::fs::write(&path, stage(&context(), &[scored(n, n_pages)]).unwrap().bytes).unwrap();
        path
    };
    let input = SnapshotInput {
        job: "job".into(),
        staging: vec![stage_one(1, 3000), stage_one(6, 5000), stage_one(11, 1)],
        previous: Vec::new(),
        dropped: DroppedUris::default(),
    };
    let snapshot = write_snapshot(&input, &dir.path().join("out"), dir.path()).unwrap();
    assert_eq!((snapshot.counts.pages, snapshot.counts.page_fonts), (8001, 8001));
    let file = snapshot.files.iter().find(|file| file.table == "pages").unwrap();
    let mut pages = Vec::new();
    for batch in super::files::read(&dir.path().join("out").join(&file.path), Table::Pages).unwrap() {
        use arrow::array::AsArray;
        let batch = batch.unwrap();
        let uris = batch.column_by_name("document_uri").unwrap().as_string::<i32>();
        let numbers = batch.column_by_name("page").unwrap().as_primitive::<arrow::datatypes::Int32Type>();
        pages.extend(uris.iter().zip(numbers.values()).map(|(uri, page)| (uri.unwrap().to_owned(), *page)));
    }
    assert_eq!(pages.len(), 8001);
    // Tool1 1.0 wrote document 6, Tool1 1.1 document 1, Tool1 1.2 document 11.
    let expected = (1..=5000).map(|page| ("0006".to_owned(), page));
    let expected = expected.chain((1..=3000).map(|page| ("0001".to_owned(), page)));
    assert!(pages.into_iter().eq(expected.chain([("0011".to_owned(), 1)])));
}

#[test]
fn scores_that_contradict_themselves_are_refused() {
    let mut no_content = scored(1, 2);
    no_content.sha256 = None;
    assert!(matches!(stage(&context(), &[no_content]), Err(TablesError::NoContent(_))));
    let mut no_font = scored(1, 2);
    no_font.score.fonts.clear();
    assert!(matches!(stage(&context(), &[no_font]), Err(TablesError::NoFont(_))));
}

#[test]
fn equal_scores_stage_to_equal_bytes() {
    let documents: Vec<_> = (0..30).map(|n| scored(n, 3)).collect();
    let mut reversed = documents.clone();
    reversed.reverse();
    let staged = stage(&context(), &documents).unwrap();
    assert_eq!(staged.n_pages, 90);
    assert_eq!(staged, stage(&context(), &reversed).unwrap());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_damaged_staging_file_is_an_error(at in 0_usize..10_000, bit in 0_u8..8, cut in any::<bool>()) {
        let mut bytes = stage(&context(), &[scored(1, 3), scored(2, 2)]).unwrap().bytes;
        let at = at % bytes.len();
        if cut { bytes.truncate(at) } else { bytes[at] ^= 1 << bit }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("damaged");
        std::fs::write(&path, bytes).unwrap();
        // Rows that still decode may be wrong: the object store vouches for bytes. None may panic.
        if let Ok(file) = StagingFile::open(&path) {
            for bucket in 0..N_BUCKETS {
                file.chunks(Table::Pages, bucket).for_each(drop);
            }
        }
    }
}
