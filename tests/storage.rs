//! Documents on object storage.

use serde_json::Value;

use crate::support::s3::Bucket;
use crate::support::{self, pagesieve, stderr, stdout, tables, text};

fn scan(bucket: &Bucket, arguments: &[&str]) -> Value {
    let mut command = pagesieve();
    bucket.settings(&mut command);
    let output = command.args(["scan", "--json", "--quiet"]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}{}", stdout(&output), stderr(&output));
    serde_json::from_str(stdout(&output)).unwrap()
}

#[test]
fn a_bucket_is_scanned_like_the_folder_it_was_filled_from() {
    let root = tempfile::tempdir().unwrap();
    let (corpus, here, there) =
        (root.path().join("corpus"), root.path().join("here"), root.path().join("there"));
    support::corpus(&corpus, 3);
    std::fs::write(corpus.join("notes.txt"), "no document").unwrap();
    let bucket = Bucket::new();
    bucket.fill("in/deep", &corpus);
    support::expect(0, &["scan", "--quiet", text(&corpus), "--out", text(&here)]);
    let source = bucket.url("in/deep/");
    let first = scan(&bucket, &[&source, "--out", text(&there)]);
    tables::assert_equal(&tables::read(&here, &corpus), &tables::read_below(&there, &source));

    let store = bucket.store("in/deep");
    bucket.put(&store, "samples/clean.pdf", b"%PAGESIEVE-HOOK open=1".to_vec());
    bucket.put(&store, "new.PDF", b"%PAGESIEVE-HOOK open=2".to_vec());
    bucket.delete(&store, "hooks-0/0000.pdf");
    let second = scan(&bucket, &[&source, "--out", text(&there)]);
    let n_documents = first["documents"].as_u64().unwrap();
    assert_eq!(second["documents"], n_documents);
    let changes = serde_json::json!({"new": 1, "changed": 1, "unchanged": n_documents - 2});
    assert_eq!(second["documents_by_change"], changes);
}

#[test]
fn reports_on_a_bucket_are_those_on_the_folder_it_was_filled_from() {
    let root = tempfile::tempdir().unwrap();
    let (corpus, out) = (root.path().join("corpus"), root.path().join("out"));
    let bucket = Bucket::new();
    support::corpus(&corpus, 3);
    bucket.fill("in", &corpus);
    scan(&bucket, &[&bucket.url("in"), "--out", text(&out)]);
    bucket.fill("results", &out);
    let url = bucket.url("results");
    let ask = |code: i32, arguments: &[&str]| {
        let mut command = pagesieve();
        bucket.settings(&mut command);
        let output = command.args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
        output
    };
    for what in ["producers", "fonts", "clusters", "reasons", "documents"] {
        let [here, there] = [text(&out), &url].map(|root| ask(0, &["report", root, what, "--json"]));
        assert_eq!(stdout(&here), stdout(&there), "{what}");
        assert!(stdout(&there).contains("\"rows\""));
    }
    let uri = bucket.url("in/samples/scan.pdf");
    let found = ask(0, &["report", &url, "documents", &uri, "--json"]);
    assert!(stdout(&found).contains(&uri), "{}", stdout(&found));
    let [here, there] = [(text(&out), "here.csv"), (&url, "there.csv")].map(|(from, name)| {
        let file = root.path().join(name);
        ask(0, &["export", from, "pages", text(&file)]);
        std::fs::read(file).unwrap()
    });
    assert_eq!(here, there);
    let html = root.path().join("report.html");
    ask(0, &["report", &url, "--html", text(&html)]);
    let html = std::fs::read_to_string(html).unwrap();
    assert!(html.matches("data:image/png;base64,iVBOR").count() >= 5, "documents of a bucket are drawn");
    ask(2, &["report", &bucket.url("nothing"), "producers"]);
    ask(2, &["report", "s3://", "producers"]);
    ask(3, &["report", "s3://pagesieve-no-such-bucket/x", "producers"]);
}

#[test]
fn what_is_named_and_gone_or_too_large_has_its_state() {
    let root = tempfile::tempdir().unwrap();
    let (list, out) = (root.path().join("list"), root.path().join("out"));
    let bucket = Bucket::new();
    let store = bucket.store("");
    bucket.put(&store, "a", b"%PAGESIEVE-HOOK open=1".to_vec());
    bucket.put(&store, "large.pdf", vec![b' '; 4096]);
    std::fs::write(&list, ["a", "gone.pdf", "large.pdf"].map(|key| bucket.url(key)).join("\n")).unwrap();
    let mut command = pagesieve();
    bucket.settings(&mut command);
    command.env("PAGESIEVE_LIMITS__DOCUMENT_BYTES", "2048");
    let manifest = format!("@{}", text(&list));
    let output =
        command.args(["scan", "--json", "--quiet", &manifest, "--out", text(&out)]).output().unwrap();
    let summary: Value = serde_json::from_str(stdout(&output)).unwrap();
    let states = serde_json::json!({"scored": 1, "missing": 1, "over_limit": 1});
    assert_eq!(summary["documents_by_state"], states, "{}", stderr(&output));
}

#[test]
fn a_storage_that_is_away_is_no_documents_fault() {
    let root = tempfile::tempdir().unwrap();
    let list = root.path().join("list");
    std::fs::write(&list, "s3://bucket/a.pdf\n").unwrap();
    let mut command = pagesieve();
    command.env("PAGESIEVE_STORE__ENDPOINT", "http://127.0.0.1:9").env("PAGESIEVE_STORE__PATH_STYLE", "true");
    command.env("AWS_ACCESS_KEY_ID", "a").env("AWS_SECRET_ACCESS_KEY", "b");
    let manifest = format!("@{}", text(&list));
    let out = root.path().join("out");
    let output = command.args(["scan", "--quiet", &manifest, "--out", text(&out)]).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("s3") || stderr(&output).contains("storage"), "{}", stderr(&output));
}
