//! The roles on real services, end to end: tables and OCR requests are a local scan's.

use sha2::{Digest, Sha256};

use crate::support::fleet::{Fleet, assert_as_local, staging_files, wait_for};
use crate::support::{self, stderr};

#[test]
fn three_workers_write_what_a_local_scan_writes() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 150);
    let _coordinator = fleet.start(&["coordinator"]);
    let _workers: Vec<_> = (0..3).map(|_| fleet.start(&["worker", "--threads", "1"])).collect();
    let _relay = fleet.start(&["relay"]);
    let job = fleet.submit(&[]);
    fleet.wait_closed(&job);
    assert_as_local(&fleet);
    assert_eq!(staging_files(&fleet.root()), 0);
}

#[test]
fn the_second_night_scores_what_changed_and_asks_for_nothing_twice() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 20);
    let mut up = fleet.start(&["up", "--threads", "2"]);
    let first = fleet.submit(&[]);
    fleet.wait_closed(&first);
    assert_as_local(&fleet);
    let samples = fleet.corpus().join("samples");
    std::fs::remove_file(samples.join("clean.pdf")).unwrap();
    std::fs::copy(samples.join("scan.pdf"), samples.join("copy-of-scan.pdf")).unwrap();
    let new = [&std::fs::read(samples.join("scan.pdf")).unwrap()[..], b"\n%another content\n"].concat();
    std::fs::write(samples.join("new.pdf"), &new).unwrap();
    let second = fleet.submit(&[]);
    fleet.wait_closed(&second);
    support::tables::assert_equal(&fleet.local().0, &fleet.tables());
    fleet.wait_relayed();
    // The copy's content was asked for the night before.
    let sha256 = Sha256::digest(&new).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    assert_eq!(fleet.ocr_ids(), [pagesieve::ocr::request_id(&sha256, 1, 0)]);
    let ledger = fleet.ledger();
    let progress = fleet.runtime.block_on(ledger.progress(&second)).unwrap();
    assert_eq!(progress.documents - progress.carried, 2);
    // A third with --force scores everything, and still asks for nothing.
    let third = fleet.submit(&["--force"]);
    fleet.wait_closed(&third);
    support::tables::assert_equal(&fleet.local().0, &fleet.tables());
    assert_eq!(fleet.runtime.block_on(ledger.progress(&third)).unwrap().carried, 0);
    assert!(fleet.ocr_ids().is_empty());
    assert!(up.stop().success(), "{}", up.said());
}

#[test]
fn one_process_on_a_sqlite_ledger_is_a_fleet_too() {
    let mut fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 30);
    let file = fleet.dir.path().join("ledger.sqlite");
    fleet.set("PAGESIEVE_LEDGER__URL", format!("sqlite://{}", file.display()));
    let mut up = fleet.start(&["up"]);
    let job = fleet.submit(&[]);
    let status = || {
        let output = fleet.command(&["status", &job, "--json"]).output().unwrap();
        let status: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
        (status["jobs"][0]["state"] == "closed" && status["outbox_pending"] == 0).then_some(())
    };
    wait_for("the job to be closed and sent", status);
    let (tables, ids) = fleet.local();
    support::tables::assert_equal(&tables, &fleet.tables());
    assert_eq!(fleet.ocr_ids(), ids);
    let second = fleet.command(&["worker"]).output().unwrap();
    assert_eq!(second.status.code(), Some(2), "{}", stderr(&second));
    assert!(stderr(&second).contains("in use by another process"), "{}", stderr(&second));
    assert!(up.stop().success(), "{}", up.said());
}

#[test]
fn documents_without_a_job_join_a_feed_that_closes_by_itself() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 3);
    let _up = fleet.start(&["up", "--threads", "1"]);
    let document = |path: &std::path::Path| {
        serde_json::json!({"type": "document", "uri": pagesieve::source::from_path(path)}).to_string()
    };
    let samples: Vec<_> = std::fs::read_dir(fleet.corpus().join("samples")).unwrap().flatten().collect();
    _up.says("coordinator: reading");
    fleet.publish(&samples.iter().map(|entry| document(&entry.path())).collect::<Vec<_>>());
    let published = wait_for("the feed's snapshot", || {
        let current = std::fs::read(fleet.root().join("_current.json")).ok()?;
        let current: serde_json::Value = serde_json::from_slice(&current).ok()?;
        Some(current["corpora"]["default"]["job"].as_str()?.to_owned())
    });
    fleet.wait_closed(&published);
    assert_eq!(fleet.tables()["documents"].len(), samples.len());
    // A second feed brings one more, and deletes nothing.
    fleet.publish(&[document(&fleet.corpus().join("hooks-0/0000.pdf"))]);
    wait_for("the second feed's snapshot", || {
        (fleet.tables()["documents"].len() == samples.len() + 1).then_some(())
    });
}

#[test]
fn sources_without_documents_submit_nothing() {
    let fleet = Fleet::new();
    let corpus = fleet.corpus();
    let output = fleet.command(&["submit", support::text(&corpus), "--corpus", "default"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("nothing to submit"), "{}", stderr(&output));
    assert!(output.stdout.is_empty());
}

#[test]
fn messages_of_a_job_carry_its_trace() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 2);
    let mut up = fleet.start(&["up", "--threads", "1"]);
    let job = fleet.submit(&[]);
    fleet.wait_closed(&job);
    fleet.wait_relayed();
    let of = |job: &str| format!("00-{}-", job.replace('-', ""));
    let traces = fleet.traces(&fleet.topology.ocr());
    assert!(!traces.is_empty() && traces.iter().all(|trace| trace.starts_with(&of(&job))), "{traces:?}");
    // A document of a job that has ended is refused, and its trace goes along to the dead letters and back.
    let late = fleet.submit(&["--job", &job]);
    assert_eq!(late, job);
    std::fs::copy(fleet.corpus().join("samples/scan.pdf"), fleet.corpus().join("late.pdf")).unwrap();
    fleet.submit(&["--job", &job]);
    let dead = pagesieve::queue::Topology::dead(&fleet.topology.documents());
    wait_for("the late document among the dead letters", || {
        let traces = fleet.traces(&dead);
        (!traces.is_empty() && traces.iter().all(|trace| trace.starts_with(&of(&job)))).then_some(())
    });
    assert!(up.stop().success(), "{}", up.said());
    let waiting = fleet.submit(&["--force"]);
    // Late documents that were not refused yet when the roles stopped are still there.
    let traces = fleet.traces(&fleet.topology.documents());
    let (own, late): (Vec<_>, Vec<_>) = traces.iter().partition(|trace| trace.starts_with(&of(&waiting)));
    assert!(own.len() > 3 && late.iter().all(|trace| trace.starts_with(&of(&job))), "{traces:?}");
    assert_eq!(own.iter().collect::<std::collections::BTreeSet<_>>().len(), 1, "one span sends them");
}
