//! Results on a disk that has no room: it is said, nothing is lost, and work goes on where it stopped.

use crate::support::disk::SmallDisk;
use crate::support::fleet::{Fleet, Role};
use crate::support::{self, expect, pagesieve, stderr, stdout, tables, text};

/// What the system says, and SQLite.
fn tells(said: &str) -> bool {
    ["No space left on device", "File too large", "no space is left on the disk"]
        .iter()
        .any(|words| said.contains(words))
}

#[test]
fn a_scan_goes_on_when_there_is_room_again() {
    let here = tempfile::tempdir().unwrap();
    let (corpus, reference) = (here.path().join("corpus"), here.path().join("reference"));
    support::corpus(&corpus, 200);
    expect(0, &["scan", "--quiet", text(&corpus), "--out", text(&reference)]);
    let mut disk = SmallDisk::new(4 << 20);
    let (out, inside) = (disk.path().join("out"), disk.inner_path().join("out"));
    let scan = |disk: &SmallDisk| {
        let mut command = pagesieve();
        command.args(["scan", "--quiet", "--json", text(&corpus), "--out", text(&inside)]);
        disk.started_on(command).output().unwrap()
    };
    let mut n_full = 0;
    for free in [0, 20, 100, 250, 400, 550] {
        disk.fill(free << 10);
        let output = scan(&disk);
        if output.status.success() {
            break;
        }
        assert!(matches!(output.status.code(), Some(2 | 4)), "{free} KiB: {}", stderr(&output));
        assert!(tells(stderr(&output)), "{free} KiB: {}", stderr(&output));
        n_full += 1;
    }
    assert!(n_full >= 4, "only {n_full} scans met the full disk");
    disk.empty();
    let output = scan(&disk);
    assert!(output.status.success(), "{}", stderr(&output));
    tables::assert_equal(&tables::read(&reference, &corpus), &tables::read(&out, &corpus));
    let queue = |root: &std::path::Path| {
        let lines = std::fs::read_to_string(root.join("ocr-queue.ndjson")).unwrap();
        let id = |line: &str| -> String {
            let request: serde_json::Value = serde_json::from_str(line).unwrap();
            request["id"].as_str().unwrap().to_owned()
        };
        lines.lines().map(id).collect::<Vec<_>>()
    };
    assert_eq!(queue(&reference), queue(&out));
    let summary: serde_json::Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(summary["ocr_requests"], queue(&out).len(), "also where an earlier run had come to the end");
}

#[test]
fn a_fleet_waits_until_there_is_room_again() {
    let mut fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 100);
    let mut disk = SmallDisk::new(4 << 20);
    let root = disk.path().join("root");
    std::fs::create_dir(&root).unwrap();
    fleet.set("PAGESIEVE_RESULTS__ROOT", text(&root));
    disk.fill(0);
    let start = |disk: &SmallDisk, role: &str| -> Role {
        fleet.start_prepared(&[role], |command| disk.holds(command))
    };
    let _relay = fleet.start(&["relay"]);
    let mut planner = start(&disk, "coordinator");
    let mut worker = start(&disk, "worker");
    let job = fleet.submit(&[]);
    worker.says("storing results: trying again");
    assert!(tells(&worker.said()), "{}", worker.said());
    assert_eq!(fleet.number("select count(*) from tasks where state = 'done'"), 0);
    assert!(planner.stop().success());
    disk.relieve(worker.id());
    support::fleet::wait_for("the tasks to be done", || {
        (fleet.number("select count(*) from tasks where state <> 'done'") == 0).then_some(())
    });
    assert_eq!(fleet.number("select max(attempt) from tasks"), 1, "waiting is no reason to score again");
    disk.fill(0);
    let coordinator = start(&disk, "coordinator");
    coordinator.says("trying again in 10 s");
    assert!(tells(&coordinator.said()), "{}", coordinator.said());
    disk.relieve(coordinator.id());
    fleet.wait_closed(&job);
    let (tables, ids) = fleet.local();
    tables::assert_equal(&tables, &tables::read(&root, &fleet.corpus()));
    fleet.wait_relayed();
    assert_eq!(fleet.ocr_ids(), ids);
    assert!(worker.stop().success());
}
