//! Published files registered as Delta tables, read by delta-rs and Polars.

use serde_json::Value;

use crate::engines::run;
use crate::support::{expect, stderr, stdout, text};
use crate::world::{World, corpus};

#[tokio::test]
async fn delta_readers_get_the_current_snapshot_and_the_one_before() {
    let world = World::new().await;
    let root = text(world.root());
    expect(2, &["register", root]);
    expect(2, &["register", root, "--delta"]);
    let first = world.scan(&corpus(80)).await;
    let said = expect(0, &["register", root, "--delta"]);
    assert!(stdout(&said).contains("pages: version 0, "), "{}", stdout(&said));
    let again = expect(0, &["register", root, "--delta"]);
    assert_eq!(stdout(&again).matches(", unchanged").count(), 4, "{}", stdout(&again));
    let before = world.tables();
    let mut docs = corpus(100);
    docs.drain(..10);
    let second = world.scan(&docs).await;
    let said = expect(0, &["register", root, "--delta"]);
    assert_eq!(stdout(&said).matches("version 1, ").count(), 4, "{}", stdout(&said));
    let read: Value = serde_json::from_str(&run("tests/delta.py", &[root])).unwrap();
    for (which, version, closed) in [("first", 0, &first), ("newest", 1, &second)] {
        let (tables, counts) = (&read[which], &closed.manifest.counts);
        let rows = [counts.documents, counts.pages, counts.page_fonts, counts.clusters];
        for (table, rows) in std::iter::zip(["documents", "pages", "page_fonts", "clusters"], rows) {
            assert_eq!(tables[table]["rows"], rows, "{which} {table}");
            assert_eq!(tables[table]["version"], version);
            let files = closed.manifest.files.iter().filter(|file| file.table == table).count();
            assert_eq!(tables[table]["files"], files, "{which} {table}");
        }
        assert_eq!(tables["pages"]["jobs"], serde_json::json!([closed.job]));
        let routes: std::collections::BTreeMap<String, u64> =
            serde_json::from_value(tables["pages"]["routes"].clone()).unwrap();
        assert_eq!(routes, counts.pages_by_route);
        assert!(tables["pages"]["reasons"].as_u64() > Some(0));
    }
    // The log beside the files changes nothing for those who read the files.
    expect(0, &["report", root, "producers"]);
    let third = world.scan(&docs).await;
    assert_eq!(third.manifest.counts.pages, second.manifest.counts.pages);
    assert_ne!(before, world.tables());
    // A log that somebody else keeps is left alone.
    let checkpoint = world.root().join("pages/_delta_log/00000000000000000001.checkpoint.parquet");
    std::fs::write(checkpoint, "PAR1").unwrap();
    let refused = expect(4, &["register", root, "--delta"]);
    assert!(stderr(&refused).contains("another program writes it"), "{}", stderr(&refused));
}
