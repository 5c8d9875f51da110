//! The roles with documents and results on object storage.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::fleet::{Fleet, Role};
use crate::support::s3::Bucket;
use crate::support::tables::Tables;
use crate::support::{self, tables};

/// A fleet whose documents lie below `in/` of a bucket, and its results below `results/of/mine`.
fn fleet_on(bucket: &Bucket) -> Fleet {
    let mut fleet = Fleet::new();
    fleet.settings.extend(bucket.environment());
    fleet.set("PAGESIEVE_RESULTS__ROOT", bucket.url("results/of/mine"));
    support::corpus(&fleet.corpus(), 40);
    bucket.fill("in", &fleet.corpus());
    fleet
}

/// The bucket's current snapshot, which must be that of a local scan of the same files.
fn snapshot_as_local(fleet: &Fleet, bucket: &Bucket) -> Tables {
    let copy = tempfile::tempdir().unwrap();
    bucket.empty_into("results/of/mine", copy.path());
    let found = tables::read_below(copy.path(), &bucket.url("in/"));
    tables::assert_equal(&fleet.local().0, &found);
    found
}

/// Ids of the distinct (content, page) whose row says `ocr`.
fn flagged(tables: &Tables) -> BTreeSet<String> {
    let cell = |row: &str, name: &str| {
        let (_, rest) = row.split_once(&format!(" {name}=")).unwrap();
        rest.split(' ').next().unwrap().to_owned()
    };
    let rows = tables["pages"].iter().filter(|row| cell(row, "route") == "ocr");
    rows.map(|row| {
        let page = cell(row, "page").parse().unwrap();
        pagesieve::ocr::request_id(&cell(row, "document_sha256"), page, 0)
    })
    .collect()
}

/// Takes what was asked for since the last time: the ids, each of which came once.
fn asked(fleet: &Fleet, bucket: &Bucket) -> BTreeSet<String> {
    fleet.wait_relayed();
    let sent = fleet.drain(&fleet.topology.ocr());
    for (_, body) in &sent {
        let request: Value = serde_json::from_slice(body).unwrap();
        let uri = request["data"]["uris"][0].as_str().unwrap();
        assert!(uri.starts_with(&bucket.url("in/")), "{uri}");
    }
    let ids: BTreeSet<String> = sent.iter().map(|(id, _)| id.clone()).collect();
    assert_eq!(ids.len(), sent.len(), "a request came twice");
    ids
}

#[test]
fn three_workers_on_a_bucket_write_what_a_local_scan_writes_two_nights_long() {
    let bucket = Bucket::new();
    let fleet = fleet_on(&bucket);
    let mut roles: Vec<Role> = vec![fleet.start(&["coordinator"]), fleet.start(&["relay"])];
    roles.extend((0..3).map(|_| fleet.start(&["worker", "--threads", "1"])));
    let first = fleet.submit_source(&bucket.url("in/"), &[]);
    fleet.wait_closed(&first);
    let before = flagged(&snapshot_as_local(&fleet, &bucket));
    assert_eq!(asked(&fleet, &bucket), before);
    assert!(before.len() > 3, "{before:?}");
    let staged = |bucket: &Bucket| bucket.keys("results/of/mine/_staging");
    assert_eq!(staged(&bucket), Vec::<String>::new());

    let (store, samples) = (bucket.store("in"), fleet.corpus().join("samples"));
    let scan = std::fs::read(samples.join("scan.pdf")).unwrap();
    for (key, content) in [
        ("samples/clean.pdf", scan.clone()),
        ("samples/new.pdf", [&scan[..], b"\n%another content\n"].concat()),
    ] {
        std::fs::write(fleet.corpus().join(key), &content).unwrap();
        bucket.put(&store, key, content);
    }
    std::fs::remove_file(fleet.corpus().join("hooks-0/0000.pdf")).unwrap();
    bucket.delete(&store, "hooks-0/0000.pdf");
    let second = fleet.submit_source(&bucket.url("in/"), &[]);
    fleet.wait_closed(&second);
    let after = flagged(&snapshot_as_local(&fleet, &bucket));
    let new: BTreeSet<String> = after.difference(&before).cloned().collect();
    assert_eq!((asked(&fleet, &bucket), new.len()), (new, 1));
    let progress = fleet.runtime.block_on(fleet.ledger().progress(&second)).unwrap();
    assert_eq!(progress.documents - progress.carried, 2);
    assert_eq!(staged(&bucket), Vec::<String>::new());
    for role in &mut roles {
        assert!(role.stop().success(), "{}", role.said());
    }
}

#[test]
fn a_coordinator_killed_while_it_publishes_to_a_bucket() {
    let bucket = Bucket::new();
    let fleet = fleet_on(&bucket);
    let _others = [fleet.start(&["worker"]), fleet.start(&["relay"])];
    let job = fleet.submit_source(&bucket.url("in/"), &[]);
    for step in ["Merged", "Moved(Pages)", "Manifest", "Current", "Unstaged"] {
        fleet.dies(&["coordinator"], &format!("close-{step}"));
        fleet.sql_here("update leader set lease_until = 0");
    }
    let _coordinator = fleet.start(&["coordinator"]);
    fleet.wait_closed(&job);
    let found = snapshot_as_local(&fleet, &bucket);
    assert_eq!(asked(&fleet, &bucket), flagged(&found));
}
