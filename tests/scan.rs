//! `scan` from the first run to the tenth: results, rescans, interruptions, kills.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::support::fleet::{children_of, signal};
use crate::support::{self, expect, pagesieve, stderr, stdout, tables, text};

/// Scans, and gives the summary.
fn scan(arguments: &[&str]) -> Value {
    let output = expect(0, &[&["scan", "--json", "--quiet"], arguments].concat());
    serde_json::from_str(stdout(&output)).expect("one JSON object")
}

fn start(corpus: &Path, out: &Path) -> Child {
    let mut command = pagesieve();
    command.args(["scan", "--quiet", "--threads", "2", text(corpus), "--out", text(out)]);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

/// Reproducible, unevenly spread moments.
fn moments() -> impl Iterator<Item = Duration> {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        Duration::from_millis(50 + state % 700)
    })
}

#[test]
fn every_document_has_one_state_and_every_page_a_route() {
    let root = tempfile::tempdir().unwrap();
    let (corpus, out) = (root.path().join("corpus"), root.path().join("out"));
    support::corpus(&corpus, 3);
    std::fs::write(corpus.join("empty.pdf"), "").unwrap();
    std::os::unix::fs::symlink("nowhere", corpus.join("gone.pdf")).unwrap();
    let summary = scan(&[text(&corpus), "--out", text(&out)]);
    let samples = pagesieve::sample::files();
    assert_eq!(summary["documents"], samples.len() + 3 + 2);
    assert_eq!(summary["documents_by_state"]["missing"], 1);
    assert_eq!(summary["documents_by_state"]["encrypted"], 1);
    let states = summary["documents_by_state"].as_object().unwrap().values().filter_map(Value::as_u64);
    assert_eq!(states.sum::<u64>(), summary["documents"].as_u64().unwrap());
    let routes = summary["pages_by_route"].as_object().unwrap().values().filter_map(Value::as_u64);
    assert_eq!(routes.sum::<u64>(), summary["pages"].as_u64().unwrap());
    let tables = tables::read(&out, &corpus);
    assert_eq!(tables["documents"].len() as u64, summary["documents"].as_u64().unwrap());
    assert_eq!(tables["pages"].len() as u64, summary["pages"].as_u64().unwrap());
    let queue = std::fs::read_to_string(out.join("ocr-queue.ndjson")).unwrap();
    assert_eq!(queue.lines().count() as u64, summary["ocr_requests"].as_u64().unwrap());
}

#[test]
fn a_rescan_reads_nothing_and_a_change_only_itself() {
    let root = tempfile::tempdir().unwrap();
    let (corpus, out) = (root.path().join("corpus"), root.path().join("out"));
    support::corpus(&corpus, 0);
    let first = scan(&[text(&corpus), "--out", text(&out)]);
    let before = tables::read(&out, &corpus);
    let second = scan(&[text(&corpus), "--out", text(&out)]);
    assert_eq!(second["pages_scored"], 0);
    assert_eq!(second["documents_by_change"], serde_json::json!({"unchanged": first["documents"]}));
    tables::assert_equal(&before, &tables::read(&out, &corpus));
    std::fs::write(corpus.join("samples/clean.pdf"), pagesieve::sample::files()[0].bytes.clone()).unwrap();
    std::fs::write(corpus.join("new.pdf"), "%PAGESIEVE-HOOK open=1").unwrap();
    std::fs::remove_file(corpus.join("samples/scan.pdf")).unwrap();
    let third = scan(&[text(&corpus), "--out", text(&out)]);
    assert_eq!(third["documents_by_change"]["changed"], 1);
    assert_eq!(third["documents_by_change"]["new"], 1);
    assert_eq!(third["documents"], first["documents"]);
    let fresh = root.path().join("fresh");
    scan(&[text(&corpus), "--out", text(&fresh)]);
    tables::assert_equal(&tables::read(&fresh, &corpus), &tables::read(&out, &corpus));
}

#[test]
fn threads_and_isolation_change_no_verdict() {
    let root = tempfile::tempdir().unwrap();
    let corpus = root.path().join("corpus");
    support::corpus(&corpus, 5);
    let tables = [["--threads", "1"], ["--threads", "3"], ["--isolation", "none"]].map(|flags| {
        let out = root.path().join(flags.concat());
        scan(&[text(&corpus), "--out", text(&out), flags[0], flags[1]]);
        tables::read(&out, &corpus)
    });
    tables::assert_equal(&tables[0], &tables[1]);
    tables::assert_equal(&tables[0], &tables[2]);
}

#[test]
fn gates_trip_on_routes_and_on_documents() {
    let root = tempfile::tempdir().unwrap();
    let (samples, out) = (root.path().join("samples"), root.path().join("out"));
    pagesieve::sample::write(&samples).unwrap();
    let clean = samples.join("clean.pdf");
    let gates = ["--strict", "--fail-on", "repair"];
    expect(0, &[&["scan", "-q", text(&clean), "--out", text(&out)], &gates[..]].concat());
    expect(1, &["scan", "-q", text(&samples.join("scan.pdf")), "--out", text(&out), "--fail-on", "ocr"]);
    std::fs::write(samples.join("no.pdf"), "no PDF").unwrap();
    expect(1, &["scan", "-q", text(&samples.join("no.pdf")), "--out", text(&out), "--strict"]);
    expect(0, &["scan", "-q", text(&samples.join("encrypted-locked.pdf")), "--out", text(&out), "--strict"]);
    expect(2, &["scan", "-q", text(&clean), "--out", text(&out), "--fail-on", "keep"]);
}

#[test]
fn a_killer_in_the_folder_costs_only_itself() {
    let root = tempfile::tempdir().unwrap();
    let (corpus, out) = (root.path().join("corpus"), root.path().join("out"));
    support::corpus(&corpus, 10);
    let killers = ["abort", "overflow", "exit", "garbage", "kill"];
    for killer in killers {
        std::fs::write(corpus.join(format!("{killer}.pdf")), format!("%PAGESIEVE-HOOK {killer}")).unwrap();
    }
    let with = scan(&[text(&corpus), "--out", text(&out)]);
    assert_eq!(with["documents_by_state"]["crashed"], 4);
    assert_eq!(with["documents_by_state"]["memory"], 1);
    killers.iter().for_each(|killer| std::fs::remove_file(corpus.join(format!("{killer}.pdf"))).unwrap());
    let clean = root.path().join("clean");
    scan(&[text(&corpus), "--out", text(&clean)]);
    let mut rows = tables::read(&out, &corpus);
    rows.get_mut("documents")
        .unwrap()
        .retain(|row| !row.contains("state=crashed") && !row.contains("state=memory"));
    tables::assert_equal(&tables::read(&clean, &corpus), &rows);
}

#[test]
fn kills_at_any_moment_leave_equal_tables() {
    let root = tempfile::tempdir().unwrap();
    let (corpus, out) = (root.path().join("corpus"), root.path().join("out"));
    support::corpus(&corpus, 400);
    let mut moments = moments();
    let mut kills = 0;
    for round in 0..10 {
        let mut parent = start(&corpus, &out);
        std::thread::sleep(moments.next().unwrap());
        if round % 2 == 0 {
            signal(parent.id(), libc::SIGKILL);
        } else {
            // One child, then another: the scan goes on, and is killed after all so that there is a next round.
            children_of(parent.id()).first().iter().for_each(|child| signal(**child, libc::SIGKILL));
            std::thread::sleep(moments.next().unwrap());
            signal(parent.id(), libc::SIGKILL);
        }
        let orphans = children_of(parent.id());
        kills += usize::from(!parent.wait().unwrap().success());
        std::thread::sleep(Duration::from_millis(50));
        assert!(orphans.iter().all(|orphan| !is_child(*orphan)), "children outlive their parent");
    }
    assert!(kills >= 5, "only {kills} kills hit a running scan");
    scan(&[text(&corpus), "--out", text(&out)]);
    let fresh = root.path().join("fresh");
    scan(&[text(&corpus), "--out", text(&fresh)]);
    tables::assert_equal(&tables::read(&fresh, &corpus), &tables::read(&out, &corpus));
}

fn is_child(process: u32) -> bool {
    std::fs::read(format!("/proc/{process}/cmdline"))
        .is_ok_and(|line| line.windows(7).any(|word| word == b"\0child\0"))
}

#[test]
fn a_request_to_stop_is_exit_130_and_the_same_command_goes_on() {
    let root = tempfile::tempdir().unwrap();
    let (corpus, out) = (root.path().join("corpus"), root.path().join("out"));
    support::corpus(&corpus, 400);
    for stop in [libc::SIGINT, libc::SIGTERM] {
        let scan = start(&corpus, &out);
        std::thread::sleep(Duration::from_millis(600));
        signal(scan.id(), stop);
        let output = scan.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
        assert!(stderr(&output).contains("run the same command again"), "{}", stderr(&output));
        assert!(!out.join("_current.json").exists());
    }
    let output = expect(0, &["scan", text(&corpus), "--out", text(&out)]);
    assert!(stderr(&output).contains("going on with the scan"), "{}", stderr(&output));
    let fresh = root.path().join("fresh");
    scan(&[text(&corpus), "--out", text(&fresh)]);
    tables::assert_equal(&tables::read(&fresh, &corpus), &tables::read(&out, &corpus));
}

#[test]
fn a_second_scan_into_the_same_folder_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let (corpus, out) = (root.path().join("corpus"), root.path().join("out"));
    support::corpus(&corpus, 300);
    let mut first = start(&corpus, &out);
    std::thread::sleep(Duration::from_millis(500));
    let refused = expect(2, &["scan", text(&corpus), "--out", text(&out)]);
    assert!(stderr(&refused).contains("another scan"), "{}", stderr(&refused));
    assert!(first.wait().unwrap().success());
}

#[test]
fn names_cannot_steer_the_terminal() {
    let root = tempfile::tempdir().unwrap();
    let (corpus, out) = (root.path().join("corpus"), root.path().join("out"));
    std::fs::create_dir(&corpus).unwrap();
    let hostile = corpus.join("\u{1b}]0;owned\u{7}\u{202e}.pdf");
    std::fs::write(&hostile, pagesieve::sample::files()[0].bytes.clone()).unwrap();
    let scanned = expect(0, &["scan", text(&corpus), "--out", text(&out)]);
    let inspected = expect(0, &["inspect", text(&hostile)]);
    for output in [scanned, inspected] {
        let said = [stdout(&output), stderr(&output)].concat();
        assert!(!said.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{said:?}");
    }
}
