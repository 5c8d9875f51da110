//! `report`, `export` and `query` on published tables, against counts made here from the same rows.

use std::collections::{BTreeMap, BTreeSet};

use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::Int32Type;
use serde_json::Value;

use pagesieve::sample::{PdfBuilder, Sfnt, ToUnicode, Type0};
use pagesieve::score::{FontClass, Limits, score_document};
use pagesieve::tables::Table;

use crate::support::{expect, stderr, stdout, text};
use crate::world::{Doc, World, batches, corpus};

/// Some 300 documents, 2 % of them of a broken tool; of the others some are scans, none has a dead font.
fn planted() -> Vec<Doc> {
    let healthy = |doc: &Doc| {
        let score = crate::synthetic::document(doc.n, 0, 40, 6);
        score.fonts.iter().all(|font| font.glyphs_suspect == 0 && font.font_class != FontClass::Dead)
    };
    let mut docs: Vec<Doc> = corpus(330).into_iter().filter(healthy).collect();
    docs.iter_mut().skip(9).step_by(50).for_each(|doc| doc.planted = true);
    docs
}

fn report(world: &World, arguments: &[&str]) -> String {
    let all: Vec<&str> =
        ["report", text(world.root())].into_iter().chain(arguments.iter().copied()).collect();
    stdout(&expect(0, &all)).to_owned()
}

fn json(world: &World, arguments: &[&str]) -> Value {
    serde_json::from_str(&report(world, &[arguments, &["--json"]].concat())).expect("JSON")
}

fn all(world: &World, table: Table, job: &str) -> Vec<RecordBatch> {
    batches(world.root(), table, job).into_iter().flat_map(|(_, batches)| batches).collect()
}

/// Pages and flagged pages by producer family, from the rows of `pages`.
fn by_producer(world: &World, job: &str) -> BTreeMap<String, (i64, i64)> {
    let mut counts = BTreeMap::<String, (i64, i64)>::new();
    for batch in all(world, Table::Pages, job) {
        let column = |name| batch.column_by_name(name).unwrap().as_string::<i32>().clone();
        for (family, route) in column("producer_family").iter().zip(column("route").iter()) {
            let entry = counts.entry(family.unwrap_or_default().to_owned()).or_default();
            *entry = (entry.0 + 1, entry.1 + i64::from(matches!(route, Some("ocr" | "decode"))));
        }
    }
    counts
}

#[tokio::test]
async fn a_planted_broken_producer_comes_first() {
    let world = World::new().await;
    let closed = world.scan(&planted()).await;
    let producers = json(&world, &["producers"]);
    assert_eq!(producers["job"], closed.job.as_str());
    let rows = producers["rows"].as_array().unwrap();
    assert_eq!(rows[0]["producer_family"], "Brokensoft");
    assert_eq!(rows[0]["flagged_share"], 1.0);
    let share = rows[0]["documents"].as_f64().unwrap() / closed.manifest.counts.documents as f64;
    assert!((0.015..0.025).contains(&share), "{share} of the documents are planted");
    assert!(rows[0]["flagged_share_low"].as_f64().unwrap() < 0.7, "so few documents prove little");
    let counts = by_producer(&world, &closed.job);
    assert_eq!(rows.len(), counts.len());
    let mut last = f64::INFINITY;
    let (pages, flagged) = counts.values().fold((0, 0), |sum, n| (sum.0 + n.0, sum.1 + n.1));
    for row in rows {
        let family = row["producer_family"].as_str().unwrap_or_default();
        let got = (row["pages"].as_i64().unwrap(), row["pages_flagged"].as_i64().unwrap());
        assert_eq!(got, counts[family], "{family}");
        let above = row["pages_above_rate"].as_f64().unwrap();
        let expected = got.1 as f64 - got.0 as f64 * flagged as f64 / pages as f64;
        assert!((above - expected).abs() < 1e-3 && above <= last, "{family}: {above}, {expected}, {last}");
        last = above;
    }
    let clusters = json(&world, &["clusters", "--limit", "3"]);
    assert_eq!(clusters["rows"].as_array().unwrap().len(), 3);
    assert_eq!(clusters["rows"][0]["producer_family"], "Brokensoft");
    assert_eq!(clusters["rows"][0]["reason"], "undecodable_font");
    let fonts = json(&world, &["fonts"]);
    let sum = |rows: &Value, column: &str| {
        rows.as_array().unwrap().iter().map(|row| row[column].as_i64().unwrap()).sum::<i64>()
    };
    let clusters = json(&world, &["clusters"]);
    for column in ["pages", "pages_flagged", "documents"] {
        assert_eq!(sum(&fonts["rows"], column), sum(&clusters["rows"], column), "{column}");
    }
    let table = report(&world, &["producers"]);
    assert!(
        table.contains("Brokensoft") && table.contains("corpus rate") && !table.contains('\u{1b}'),
        "{table}"
    );
}

#[tokio::test]
async fn reasons_count_pages_and_documents() {
    let world = World::new().await;
    let closed = world.scan(&planted()).await;
    let mut expected = BTreeMap::<String, BTreeSet<(String, i32)>>::new();
    for batch in all(&world, Table::Pages, &closed.job) {
        let uris = batch.column_by_name("document_uri").unwrap().as_string::<i32>();
        let numbers = batch.column_by_name("page").unwrap().as_primitive::<Int32Type>();
        let reasons = batch.column_by_name("reasons").unwrap().as_list::<i32>();
        for row in 0..batch.num_rows() {
            let of_page = reasons.value(row);
            for code in
                of_page.as_struct().column_by_name("code").unwrap().as_string::<i32>().iter().flatten()
            {
                let page = (uris.value(row).to_owned(), numbers.value(row));
                expected.entry(code.to_owned()).or_default().insert(page);
            }
        }
    }
    let rows = json(&world, &["reasons"])["rows"].as_array().unwrap().clone();
    assert_eq!(rows.len(), expected.len());
    for row in rows {
        let pages = &expected[row["reason"].as_str().unwrap()];
        let documents: BTreeSet<&str> = pages.iter().map(|(uri, _)| uri.as_str()).collect();
        assert_eq!(row["pages"], pages.len());
        assert_eq!(row["documents"], documents.len());
        let certain = ["proven", "measured", "suspected"].map(|certainty| row[certainty].as_u64().unwrap());
        assert_eq!(certain.iter().sum::<u64>(), pages.len() as u64);
    }
}

#[tokio::test]
async fn one_document_is_found_by_uri_and_by_hash() {
    let world = World::new().await;
    world.scan(&corpus(60)).await;
    let score = crate::synthetic::document(17, 0, 40, 6);
    let uri = Doc::new(17).uri;
    let by_uri = json(&world, &["documents", &uri]);
    let [found] = by_uri["documents"].as_array().unwrap().as_slice() else { panic!("{by_uri}") };
    assert_eq!(found["document"]["document_uri"], uri.as_str());
    let pages = found["pages"].as_array().unwrap();
    let numbers: Vec<u64> = pages.iter().map(|page| page["page"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=score.pages.len() as u64).collect::<Vec<_>>());
    for (row, page) in pages.iter().zip(&score.pages) {
        assert_eq!(row["glyphs_drawn"], page.glyphs_drawn);
    }
    assert_eq!(found["page_fonts"].as_array().unwrap().len(), 3 * pages.len());
    let hash = crate::synthetic::sha256_of(17, 0);
    assert_eq!(json(&world, &["documents", &hash])["documents"], by_uri["documents"]);
    let people = report(&world, &["documents", &uri]);
    assert!(people.contains(&hash) && people.lines().count() > 4 * pages.len(), "{people}");
    let output = expect(2, &["report", text(world.root()), "documents", "no/such.pdf"]);
    assert!(stderr(&output).contains("no document `no/such.pdf`"));
}

#[tokio::test]
async fn two_nights_are_compared() {
    let world = World::new().await;
    let mut docs = corpus(120);
    let first = world.scan(&docs).await;
    expect(2, &["report", text(world.root()), "diff"]);
    docs.truncate(110);
    docs.extend((500..503).map(Doc::new));
    docs[9].version = 1;
    for doc in docs.iter_mut().filter(|doc| doc.n % 30 == 2) {
        (doc.planted, doc.version) = (true, 1);
    }
    let second = world.scan(&docs).await;
    let diff = json(&world, &["diff"]);
    let row = |what: &str, name: &str| {
        let rows = diff["rows"].as_array().unwrap().iter();
        rows.clone().find(|row| row["what"] == what && row["name"] == name).cloned()
    };
    let moved = |what: &str, name: &str| row(what, name).unwrap()["moved"].as_f64().unwrap();
    assert_eq!((moved("documents", "new"), moved("documents", "gone")), (3.0, -10.0));
    assert_eq!(moved("documents", "with other bytes"), 5.0);
    let planted = by_producer(&world, &second.job)["Brokensoft"].1;
    assert_eq!(row("flagged pages of producer", "Brokensoft").unwrap()["now"], planted);
    assert_eq!(json(&world, &["diff", "--against", &first.job])["rows"], diff["rows"]);
    assert_eq!(json(&world, &["producers", "--job", &first.job])["job"], first.job.as_str());
    let producers = json(&world, &["producers"]);
    assert!(producers["rows"].as_array().unwrap().iter().any(|row| row["share_moved"].as_f64() != Some(0.0)));
    let output = expect(2, &["report", text(world.root()), "producers", "--job", "../../etc"]);
    assert!(stderr(&output).contains("there is no job"));
}

#[tokio::test]
async fn csv_and_export_hold_every_row_and_no_formula() {
    let world = World::new().await;
    let mut docs = corpus(40);
    docs[3].uri = "=cmd|' /C calc'!A0\u{1b}]0;x\u{7}\n\"<script>,\u{202e}.pdf".into();
    docs[4].planted = true;
    let closed = world.scan(&docs).await;
    let csv = report(&world, &["documents", "--csv"]);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 40);
    assert!(rows.iter().any(|row| row[0].starts_with("'=cmd|")), "{csv}");
    for printed in [
        csv.clone(),
        report(&world, &["documents", "--limit", "0"]),
        report(&world, &["documents", "--json"]),
    ] {
        let steers = |c: &char| c.is_control() && *c != '\n' || ('\u{202a}'..='\u{202e}').contains(c);
        assert_eq!(printed.chars().find(steers), None);
    }
    for table in Table::ALL {
        let parquet = world.root().join("one.parquet");
        let arguments = ["export", text(world.root()), table.name(), text(&parquet)];
        expect(0, &[arguments.as_slice(), &["--overwrite"]].concat());
        expect(2, &arguments);
        let reader = parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder::try_new(
            std::fs::File::open(&parquet).unwrap(),
        );
        let one: Vec<RecordBatch> = reader.unwrap().build().unwrap().map(Result::unwrap).collect();
        let rows = |batches: &[RecordBatch]| batches.iter().map(RecordBatch::num_rows).sum::<usize>();
        assert_eq!(rows(&one), rows(&all(&world, table, &closed.job)), "{}", table.name());
        let families = one.iter().flat_map(|batch| {
            let column = batch.column_by_name("producer_family").unwrap().as_string::<i32>();
            column.iter().map(|family| family.map(str::to_owned)).collect::<Vec<_>>()
        });
        assert!(families.collect::<Vec<_>>().is_sorted(), "{}", table.name());
        let csv = world.root().join("one.csv");
        expect(0, &["export", text(world.root()), table.name(), text(&csv), "--overwrite"]);
        let mut reader = csv::Reader::from_path(&csv).unwrap();
        assert_eq!(reader.headers().unwrap().len(), table.schema().fields().len());
        assert_eq!(reader.records().map(Result::unwrap).count(), rows(&one));
    }
    expect(2, &["export", text(world.root()), "pages", "pages.xlsx"]);
}

#[cfg(not(feature = "sql"))]
#[tokio::test]
async fn without_an_engine_query_says_how_duckdb_does_it() {
    let world = World::new().await;
    let closed = world.scan(&corpus(10)).await;
    let output = expect(2, &["query", text(world.root()), "select count(*) from pages where route = 'ocr'"]);
    let line = stderr(&output);
    let folder = world.root().join("pages/schema=v1").join(format!("job={}", closed.job));
    assert!(line.contains("duckdb -c 'create view documents as"), "{line}");
    assert!(line.contains(text(&folder)) && line.contains("route = '\\''ocr'\\''"), "{line}");
}

#[cfg(feature = "sql")]
#[tokio::test]
async fn queries_read_tables_and_nothing_else() {
    let world = World::new().await;
    let closed = world.scan(&planted()).await;
    let query = |sql: &str| {
        let output = expect(0, &["query", text(world.root()), sql, "--json"]);
        serde_json::from_str::<Value>(stdout(&output)).expect("JSON")
    };
    let sql = "select producer_family, count(*) pages, count(*) filter (where route in ('ocr', 'decode')) flagged \
               from pages group by 1";
    let rows = query(sql)["rows"].as_array().unwrap().clone();
    let got = rows.iter().map(|row| {
        let family = row["producer_family"].as_str().unwrap_or_default().to_owned();
        (family, (row["pages"].as_i64().unwrap(), row["flagged"].as_i64().unwrap()))
    });
    assert_eq!(got.collect::<BTreeMap<_, _>>(), by_producer(&world, &closed.job));
    for refused in [
        "drop table pages",
        "create external table x stored as csv location '/etc/passwd'",
        "copy pages to '/tmp/pagesieve-copied.csv'",
        "insert into pages select * from pages",
        "set datafusion.execution.batch_size = 1",
        "select * from '/etc/passwd'",
        "select",
    ] {
        expect(2, &["query", text(world.root()), refused]);
    }
    assert!(!std::path::Path::new("/tmp/pagesieve-copied.csv").exists());
    let endless =
        "select count(*) from page_fonts a, page_fonts b, page_fonts c where a.page < b.page + c.page";
    let output = expect(2, &["query", text(world.root()), endless, "--timeout", "1"]);
    assert!(stderr(&output).contains("longer than 1 s"), "{}", stderr(&output));
}

/// The signature of the only font of a document that shows `letters` by a subsetter that keeps `tables`.
fn signature(letters: &str, without: &[&str]) -> u64 {
    let font = Type0::identity_h(Sfnt::for_text(letters).without(without)).to_unicode(ToUnicode::Right);
    let file = PdfBuilder::new().page(|page| page.font(font).show(letters)).build();
    let score = score_document(&file, &Limits::default());
    assert_eq!(score.fonts.len(), 1);
    score.fonts[0].facts.signature
}

#[test]
fn subsets_of_one_generator_share_a_signature_and_those_of_another_do_not() {
    let first = signature("COURT", &["cmap", "post"]);
    assert_eq!(first, signature("ORDERS AND", &["cmap", "post"]));
    assert_ne!(first, signature("COURT", &["post"]), "another generator leaves the cmap");
}

/// From `scan` of a folder to one HTML file in two commands, with a hostile document and one that is gone since.
#[test]
fn the_html_report_is_one_harmless_file() {
    let dir = tempfile::tempdir().unwrap();
    let (pdfs, out, file) = (dir.path().join("pdfs"), dir.path().join("out"), dir.path().join("report.html"));
    pagesieve::sample::write(&pdfs).unwrap();
    let hostile = "</title><script>alert(1)</script>\u{1b}]0;x\u{7}\u{202e}=1+1\" onload=\"x";
    let font = || Type0::identity_h(Sfnt::latin().without(&["cmap", "post"])).base_font("AAAAAA+<img src=x>");
    let prose = "THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG AND RUNS AWAY";
    let broken = |name: &str, producer: &str| {
        let file = PdfBuilder::new().producer(producer).page(|page| page.font(font()).show(prose)).build();
        std::fs::write(pdfs.join(name), file).unwrap();
    };
    broken("<b>&amp; hostile.pdf", hostile);
    broken("gone.pdf", "Gonesoft 1.0");
    expect(0, &["scan", text(&pdfs), "--out", text(&out), "--quiet"]);
    std::fs::remove_file(pdfs.join("gone.pdf")).unwrap();
    expect(0, &["report", text(&out), "--html", text(&file), "--gallery", "40"]);
    let html = std::fs::read_to_string(&file).unwrap();
    assert!(html.contains("default-src 'none'; style-src 'sha256-") && html.matches("<h2 ").count() == 6);
    for forbidden in [
        "<script",
        "<img",
        "<link",
        "@import",
        "url(",
        "javascript:",
        "\u{202e}",
        "\u{1b}",
        " onload=\"",
        " style=\"",
    ] {
        assert!(!html.contains(forbidden), "{forbidden}");
    }
    let addresses = html.match_indices("http").map(|(at, _)| html[at..].chars().take(27).collect::<String>());
    // The name of SVG is one; the header that names the policy begins alike.
    assert!(addresses.into_iter().all(
        |address| address.starts_with("http://www.w3.org/2000/svg") || address.starts_with("http-equiv")
    ));
    assert!(
        html.contains("&lt;b&gt;&amp;amp; hostile.pdf") || html.contains("%3Cb%3E&amp;amp;%20hostile.pdf"),
        "its name is shown"
    );
    assert!(html.contains("the document is no longer where it was"));
    assert!(html.matches("data:image/png;base64,iVBOR").count() >= 8, "pages are drawn");
    assert!(
        html.contains("class=\"mark\"")
            && html.contains("Nothing in the file says which letters the codes of")
    );
    let ids: Vec<&str> = html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len(), "ids are unique");
    expect(2, &["report", text(&out), "producers", "--html", text(&file)]);
    expect(2, &["report", text(&out)]);
    expect(2, &["report", text(&pdfs), "producers"]);
}
