//! The fleet under faults: whatever dies, freezes, comes twice or goes away, the tables and OCR requests are a local
//! scan's.

use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use pagesieve::ledger::JobState;

use crate::support::fleet::{Fleet, Role, assert_as_local, children_of, signal, wait_for};
use crate::support::proxy::Proxy;
use crate::support::services::{Postgres, Rabbit};
use crate::support::{self, stderr, text};

/// As after a minute: leases that nobody extends have run out.
fn a_minute_passes(fleet: &Fleet) {
    fleet.sql_here("update tasks set lease_until = 0 where state = 'leased'");
    fleet.sql_here("update leader set lease_until = 0");
    fleet.sql_here("update outbox set relay_until = 0");
}

#[test]
fn a_worker_killed_at_any_step_of_a_commit() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 150);
    let _others = [fleet.start(&["coordinator"]), fleet.start(&["relay"])];
    let job = fleet.submit(&[]);
    for step in ["task-scored", "task-staged", "task-committed"] {
        fleet.dies(&["worker", "--threads", "2"], step);
        a_minute_passes(&fleet);
    }
    let _worker = fleet.start(&["worker"]);
    fleet.wait_closed(&job);
    assert_as_local(&fleet);
    let attempts = fleet.number("select count(*) from attempts");
    assert_eq!(attempts, 0, "a lost worker is no attempt on a document");
}

#[test]
fn children_killed_while_they_work() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 300);
    let _others = [fleet.start(&["coordinator"]), fleet.start(&["relay"])];
    let job = fleet.submit(&[]);
    let worker = fleet.start(&["worker", "--threads", "2"]);
    for _ in 0..2 {
        let child = wait_for("a child", || children_of(worker.id()).first().copied());
        signal(child, libc::SIGKILL);
        std::thread::sleep(Duration::from_millis(900));
    }
    fleet.wait_closed(&job);
    assert_as_local(&fleet);
}

#[test]
fn a_coordinator_killed_at_any_step_of_closing() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 10);
    let _others = [fleet.start(&["worker"]), fleet.start(&["relay"])];
    let job = fleet.submit(&[]);
    let steps = [
        "Begun",
        "Merged",
        "Moved(Documents)",
        "Moved(PageFonts)",
        "Moved(Pages)",
        "Moved(Clusters)",
        "Manifest",
        "Published",
        "Current",
        "Queued",
        "Unstaged",
    ];
    for step in steps {
        fleet.dies(&["coordinator"], &format!("close-{step}"));
        a_minute_passes(&fleet);
    }
    let _coordinator = fleet.start(&["coordinator"]);
    fleet.wait_closed(&job);
    assert_as_local(&fleet);
}

#[test]
fn a_coordinator_killed_between_storing_and_acknowledging() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 10);
    let job = fleet.submit(&[]);
    fleet.dies(&["coordinator"], "intake-stored");
    a_minute_passes(&fleet);
    let _up = fleet.start(&["up"]);
    fleet.wait_closed(&job);
    assert_as_local(&fleet);
}

#[test]
fn a_relay_killed_between_confirm_and_mark_sends_that_window_again_and_no_other() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 10);
    let _others = [fleet.start(&["coordinator"]), fleet.start(&["worker"])];
    let job = fleet.submit(&[]);
    fleet.wait_closed(&job);
    fleet.dies(&["relay"], "relay-confirmed");
    a_minute_passes(&fleet);
    let _relay = fleet.start(&["relay"]);
    fleet.wait_relayed();
    let (_, ids) = fleet.local();
    let mut twice = [ids.clone(), ids].concat();
    twice.sort();
    assert_eq!(fleet.ocr_ids(), twice, "one window, confirmed and not marked");
}

#[test]
fn a_submit_killed_half_way_goes_on_under_the_same_job() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 10);
    let _up = fleet.start(&["up"]);
    let corpus = fleet.corpus();
    let mut half = fleet.command(&["submit", text(&corpus), "--corpus", "default"]);
    half.env("PAGESIEVE_FAILPOINT", "submit-window").stdout(Stdio::piped());
    let output = half.output().unwrap();
    assert!(!output.status.success());
    let job = support::stdout(&output).trim().to_owned();
    assert!(!job.is_empty(), "the id is printed before anything is sent");
    fleet.wait_state(&job, JobState::Open);
    assert_eq!(fleet.submit(&["--job", &job]), job);
    fleet.wait_closed(&job);
    assert_as_local(&fleet);
}

#[test]
fn connections_cut_and_services_gone_for_a_while() {
    let mut fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 800);
    let amqp = Proxy::before(&support::fleet::amqp());
    let postgres = Proxy::before(&support::fleet::postgres());
    fleet.set("PAGESIEVE_QUEUE__URL", amqp.url());
    let ledger = fleet.ledger_url(postgres.url());
    fleet.set("PAGESIEVE_LEDGER__URL", ledger);
    let _roles = [
        fleet.start(&["coordinator"]),
        fleet.start(&["coordinator"]),
        fleet.start(&["worker", "--threads", "1"]),
        fleet.start(&["worker", "--threads", "1"]),
        fleet.start(&["relay"]),
    ];
    let job = fleet.submit(&[]);
    let open_tasks = || fleet.number("select count(*) from tasks where state <> 'done'");
    wait_for("work to begin", || (open_tasks() > 0).then_some(()));
    for round in 0..6 {
        std::thread::sleep(Duration::from_millis(400 + 230 * (round % 3)));
        amqp.cut();
        std::thread::sleep(Duration::from_millis(150));
        postgres.cut();
    }
    assert!(open_tasks() > 0, "the faults hit a fleet at work");
    for service in [&amqp, &postgres] {
        service.down();
        std::thread::sleep(Duration::from_secs(3));
        service.up();
    }
    fleet.wait_closed(&job);
    let (tables, ids) = fleet.local();
    support::tables::assert_equal(&tables, &fleet.tables());
    fleet.wait_relayed();
    // A connection cut between publish and confirm leaves a duplicate, never a gap.
    let mut sent = fleet.ocr_ids();
    sent.dedup();
    assert_eq!(sent, ids);
}

#[test]
fn roles_started_before_their_services_wait_and_say_so() {
    let mut fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 2);
    let amqp = Proxy::before(&support::fleet::amqp());
    let postgres = Proxy::before(&support::fleet::postgres());
    fleet.set("PAGESIEVE_QUEUE__URL", amqp.url());
    let ledger = fleet.ledger_url(postgres.url());
    fleet.set("PAGESIEVE_LEDGER__URL", ledger);
    amqp.down();
    postgres.down();
    let roles: Vec<Role> =
        [["coordinator"], ["worker"], ["relay"]].iter().map(|role| fleet.start(role)).collect();
    roles.iter().for_each(|role| role.says("waiting for the ledger"));
    postgres.up();
    roles.iter().for_each(|role| role.says("the ledger is there"));
    [&roles[0], &roles[2]].iter().for_each(|role| role.says("waiting for the broker"));
    amqp.up();
    let job = fleet.submit(&[]);
    fleet.wait_closed(&job);
    assert_as_local(&fleet);
}

#[test]
fn two_coordinators_and_the_leader_dies() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 100);
    let mut first = fleet.start(&["coordinator"]);
    let leads = || fleet.number("select epoch from leader") > 0;
    wait_for("a leader", || leads().then_some(()));
    let _second = fleet.start(&["coordinator"]);
    let _others = [fleet.start(&["worker"]), fleet.start(&["relay"])];
    let job = fleet.submit(&[]);
    fleet.wait_state(&job, JobState::Sealed);
    first.kill();
    fleet.wait_closed(&job); // the lease of 15 s runs out by itself
    assert!(fleet.number("select epoch from leader") > 1);
    assert_as_local(&fleet);
}

#[test]
fn messages_that_come_twice_out_of_order_or_malformed() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 20);
    let job = uuid::Uuid::now_v7().hyphenated().to_string();
    let sources = vec![pagesieve::source::Source::Path(fleet.corpus())];
    let mut bodies = Vec::new();
    for listed in pagesieve::source::list(sources) {
        let pagesieve::source::Listed::Document(document) = listed else { panic!("{listed:?}") };
        let message = serde_json::json!({"type": "document", "uri": document.uri, "etag": document.etag,
            "size_bytes": document.size_bytes, "job": job});
        bodies.push(message.to_string());
    }
    let seal = serde_json::json!({"type": "seal", "job": job, "documents": bodies.len(), "complete": true});
    let malformed =
        ["", "{", "{\"type\":\"document\"}", "\u{1b}[31m", "{\"type\":\"document\",\"uri\":\"ftp://x\"}"];
    let mut messages = vec![seal.to_string()];
    messages.extend(bodies.iter().rev().cloned());
    messages.extend(malformed.map(str::to_owned));
    messages.extend(bodies.iter().cloned());
    messages.push(seal.to_string());
    fleet.publish(&messages);
    let _up = fleet.start(&["up"]);
    fleet.wait_closed(&job);
    assert_as_local(&fleet);
    // A document for a job that has ended is kept, with the reason; one that it has is not.
    let late = serde_json::json!({"type": "document", "uri": "file:///late.pdf", "job": job}).to_string();
    fleet.publish(&[late, bodies[0].clone()]);
    let dead = pagesieve::queue::Topology::dead(&fleet.topology.documents());
    let mut letters = Vec::new();
    wait_for("the dead letters", || {
        letters.extend(fleet.drain(&dead));
        (letters.len() > malformed.len()).then_some(())
    });
    let bodies: Vec<String> =
        letters.iter().map(|(_, body)| String::from_utf8_lossy(body).into_owned()).collect();
    assert_eq!(bodies.len(), malformed.len() + 1, "{bodies:?}");
    assert!(bodies.last().unwrap().contains("late.pdf"), "{bodies:?}");
}

#[test]
fn a_worker_frozen_past_its_lease_publishes_nothing_twice() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 100);
    let _others = [fleet.start(&["coordinator"]), fleet.start(&["relay"])];
    let job = fleet.submit(&[]);
    let frozen =
        fleet.start_with(&["worker", "--threads", "2"], &[("PAGESIEVE_FAILPOINT", "task-staged:stop")]);
    wait_for("the worker to freeze", || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", frozen.id())).ok()?;
        stat.rsplit_once(") ")?.1.starts_with('T').then_some(())
    });
    a_minute_passes(&fleet);
    let mut other = fleet.start(&["worker"]);
    fleet.wait_closed(&job);
    frozen.signal(libc::SIGCONT);
    frozen.says("dropping results");
    assert_as_local(&fleet);
    assert!(other.stop().success());
}

#[test]
fn a_stopped_worker_gives_back_what_takes_too_long() {
    let fleet = Fleet::new();
    let mut slow = std::fs::File::create(fleet.corpus().join("slow.pdf")).unwrap();
    slow.write_all(b"%PAGESIEVE-HOOK open=1 sleep=28000").unwrap();
    let _coordinator = fleet.start(&["coordinator"]);
    fleet.submit(&[]);
    let mut worker = fleet.start(&["worker", "--threads", "1"]);
    wait_for("the claim", || {
        (fleet.number("select count(*) from tasks where state = 'leased'") == 1).then_some(())
    });
    let asked = std::time::Instant::now();
    assert!(worker.stop().success(), "{}", worker.said());
    assert!(asked.elapsed() < Duration::from_secs(25), "{:?}", asked.elapsed());
    assert_eq!(fleet.number("select count(*) from tasks where state = 'ready'"), 1);
    assert_eq!(fleet.number("select count(*) from attempts"), 0);
}

#[test]
fn an_unsealed_job_is_closed_as_incomplete_after_hours() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 5);
    let _up = fleet.start(&["up"]);
    let first = fleet.submit(&[]);
    fleet.wait_closed(&first);
    let before = fleet.tables();
    let job = uuid::Uuid::now_v7().hyphenated().to_string();
    let uri = pagesieve::source::from_path(&fleet.corpus().join("hooks-0/0000.pdf"));
    fleet.publish(&[serde_json::json!({"type": "document", "uri": uri, "job": job}).to_string()]);
    fleet.wait_state(&job, JobState::Open);
    fleet.sql_here("update jobs set heard_at = heard_at - 6 * 3600 * 1000000::bigint where state = 'open'");
    fleet.wait_closed(&job);
    support::tables::assert_equal(&before, &fleet.tables());
    // Nor does a job that names nothing, and does not say that there is nothing, delete anything.
    let empty = uuid::Uuid::now_v7().hyphenated().to_string();
    let seal = serde_json::json!({"type": "seal", "job": empty, "documents": 0, "complete": false});
    fleet.publish(&[seal.to_string()]);
    fleet.wait_closed(&empty);
    support::tables::assert_equal(&before, &fleet.tables());
}

#[test]
fn a_full_queue_pauses_the_relay_and_not_the_scan() {
    let mut fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 5);
    fleet.set("PAGESIEVE_OCR__MAX_BACKLOG", "3");
    let up = fleet.start(&["up"]);
    let job = fleet.submit(&[]);
    fleet.wait_closed(&job);
    up.says("pausing until it has room");
    let (_, ids) = fleet.local();
    let mut taken = Vec::new();
    wait_for("every request", || {
        let more = fleet.drain(&fleet.topology.ocr());
        assert!(more.len() <= 4, "{} at once", more.len()); // one may be published while the others are taken
        taken.extend(more.into_iter().map(|(id, _)| id));
        (taken.len() >= ids.len()).then_some(())
    });
    taken.sort();
    assert_eq!(taken, ids);
    let output = fleet.command(&["status", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

#[test]
fn storage_that_takes_nothing_for_a_while() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 20);
    std::fs::create_dir_all(fleet.root()).unwrap();
    // A file where the folder of staging files should be: as with a full disk, nothing can be stored.
    let staging = fleet.root().join("_staging");
    std::fs::write(&staging, "").unwrap();
    let _others = [fleet.start(&["coordinator"]), fleet.start(&["relay"])];
    let job = fleet.submit(&[]);
    let worker = fleet.start(&["worker"]);
    worker.says("storing results: trying again");
    assert_eq!(fleet.number("select count(*) from tasks where state = 'done'"), 0);
    std::fs::remove_file(&staging).unwrap();
    fleet.wait_closed(&job);
    assert_as_local(&fleet);
}

#[test]
fn documents_that_change_or_go_between_listing_and_fetching() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 5);
    let _coordinator = fleet.start(&["coordinator"]);
    let job = fleet.submit(&[]);
    wait_for("the plan", || (fleet.number("select count(*) from tasks") > 0).then_some(()));
    let samples = fleet.corpus().join("samples");
    std::fs::copy(samples.join("scan.pdf"), samples.join("clean.pdf")).unwrap();
    std::fs::remove_file(samples.join("encrypted-locked.pdf")).unwrap();
    let _others = [fleet.start(&["worker"]), fleet.start(&["relay"])];
    fleet.wait_closed(&job);
    let (mut tables, ids) = fleet.local();
    let mut found = fleet.tables();
    // The one that went has a row, and says so; a scan that never saw it has none.
    let documents = found.get_mut("documents").unwrap();
    let gone = documents.iter().position(|row| row.contains("encrypted-locked.pdf")).unwrap();
    assert!(documents.remove(gone).contains("state=missing"));
    tables.values_mut().chain(found.values_mut()).for_each(|rows| rows.sort());
    support::tables::assert_equal(&tables, &found);
    fleet.wait_relayed();
    assert_eq!(fleet.ocr_ids(), ids);
}

#[test]
fn requests_are_withdrawn_when_their_page_is_healed_before_they_are_sent() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 5);
    let _others = [fleet.start(&["coordinator"]), fleet.start(&["worker"])];
    let first = fleet.submit(&[]);
    fleet.wait_closed(&first);
    let samples = fleet.corpus().join("samples");
    std::fs::copy(samples.join("clean.pdf"), samples.join("scan.pdf")).unwrap();
    let second = fleet.submit(&[]);
    fleet.wait_closed(&second);
    let _relay = fleet.start(&["relay"]);
    assert_as_local(&fleet);
}

#[test]
fn queues_that_are_lost() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 30);
    let job = fleet.submit(&[]);
    // Ids were lost before anybody read them: the same submit brings them again.
    fleet.delete_queue(&fleet.topology.documents());
    let _up = fleet.start(&["up"]);
    assert_eq!(fleet.submit(&["--job", &job]), job);
    fleet.wait_closed(&job);
    fleet.wait_relayed();
    // Requests were lost before anybody read them: they are sent again, under the same ids.
    fleet.delete_queue(&fleet.topology.ocr());
    let output = fleet.command(&["ocr", "requeue", "--all", "--lost"]).output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    assert_as_local(&fleet);
}

#[test]
fn broker_and_database_restarted_and_killed() {
    let rabbit = Rabbit::start();
    let postgres = Postgres::start();
    let fleet = Fleet::on(&postgres.url(), &rabbit.url());
    support::corpus(&fleet.corpus(), 2_000);
    let _roles = [
        fleet.start(&["coordinator"]),
        fleet.start(&["coordinator"]),
        fleet.start(&["worker", "--threads", "2"]),
        fleet.start(&["relay"]),
    ];
    let job = fleet.submit(&[]);
    let open_tasks = || fleet.number("select count(*) from tasks where state <> 'done'");
    wait_for("work to begin", || (open_tasks() > 0).then_some(()));
    rabbit.control(&["close_all_connections", "a test"]);
    postgres.restart("fast");
    rabbit.control(&["stop_app"]);
    rabbit.control(&["start_app"]);
    postgres.restart("immediate");
    rabbit.kill_and_start();
    assert!(open_tasks() > 0, "the faults hit a fleet at work");
    fleet.wait_closed(&job);
    let (tables, ids) = fleet.local();
    support::tables::assert_equal(&tables, &fleet.tables());
    fleet.wait_relayed();
    let mut sent = fleet.ocr_ids();
    let n_sent = sent.len();
    sent.dedup();
    assert_eq!(sent, ids);
    // A window between confirm and mark may come twice when the connection is cut there, and only then.
    assert!(n_sent <= 2 * ids.len(), "{n_sent} messages for {} requests", ids.len());
}

#[test]
fn a_broker_alarm_is_said_and_waited_out() {
    let rabbit = Rabbit::start();
    let fleet = Fleet::on(&support::fleet::postgres(), &rabbit.url());
    support::corpus(&fleet.corpus(), 5);
    let _others = [fleet.start(&["coordinator"]), fleet.start(&["worker"])];
    let job = fleet.submit(&[]);
    fleet.wait_closed(&job);
    rabbit.control(&["set_vm_memory_high_watermark", "absolute", "1MB"]);
    let relay = fleet.start(&["relay"]);
    relay.says("the broker takes no messages");
    assert_eq!(fleet.number("select count(*) from outbox where published_at is not null"), 0);
    rabbit.control(&["set_vm_memory_high_watermark", "0.4"]);
    fleet.wait_relayed();
    assert_as_local(&fleet);
}

#[test]
fn a_message_makes_a_worker_read_nothing_but_what_it_may() {
    let mut fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 2);
    let secret = fleet.dir.path().join("secret.pdf");
    std::fs::copy(fleet.corpus().join("samples/scan.pdf"), &secret).unwrap();
    let allowed = fleet.corpus().join("samples/clean.pdf");
    fleet.set("PAGESIEVE_WORKER__FILE_ROOTS", text(&fleet.corpus()));
    let up = fleet.start(&["up", "--threads", "1"]);
    up.says("coordinator: reading");
    let job = uuid::Uuid::now_v7().hyphenated().to_string();
    let climbing = format!("file://{}/../secret.pdf", fleet.corpus().display());
    let uris = [
        pagesieve::source::from_path(&secret),
        pagesieve::source::from_path(&allowed),
        climbing,
        "file:///proc/self/environ".to_owned(),
        "file:///nonexistent/.pdf".to_owned(),
    ];
    let mut messages: Vec<String> = uris
        .iter()
        .map(|uri| serde_json::json!({"type": "document", "uri": uri, "job": job}).to_string())
        .collect();
    let seal = serde_json::json!({"type": "seal", "job": job, "documents": uris.len(), "complete": true});
    messages.push(seal.to_string());
    fleet.publish(&messages);
    fleet.wait_closed(&job);
    let documents = &fleet.tables()["documents"];
    let refused = |row: &&String| {
        row.contains("state=fetch_failed state_reason=not below a folder of worker.file_roots")
            && row.contains("sha256=null")
    };
    assert_eq!(documents.iter().filter(refused).count(), 4, "{documents:?}");
    assert_eq!(documents.iter().filter(|row| row.contains("state=scored")).count(), 1, "{documents:?}");
    up.says("worker.file_roots"); // and the operator is told, once
}

/// Leases, leadership and the order of requests are told by the ledger's clock alone.
#[test]
fn clocks_that_are_minutes_apart() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 5);
    for number in 0..6 {
        let slow = format!("%PAGESIEVE-HOOK open=1 sleep=2500 %{number}");
        std::fs::write(fleet.corpus().join(format!("slow-{number}.pdf")), slow).unwrap();
    }
    let wrong = |role: &[&str], seconds: &str| fleet.start_with(role, &[("PAGESIEVE_CLOCK_SKEW_S", seconds)]);
    let first = wrong(&["coordinator"], "-90");
    wait_for("a leader", || (fleet.number("select epoch from leader") == 1).then_some(()));
    let _others = [
        wrong(&["coordinator"], "90"),
        wrong(&["worker", "--threads", "1"], "90"),
        wrong(&["worker", "--threads", "1"], "-90"),
        wrong(&["worker", "--threads", "1"], "0"),
        wrong(&["relay"], "90"),
        wrong(&["relay"], "-90"),
    ];
    let job = fleet.submit(&[]);
    fleet.wait_closed(&job);
    assert_as_local(&fleet);
    assert_eq!(fleet.number("select max(attempt) from tasks"), 1, "nobody took a task that another had");
    assert_eq!(fleet.number("select epoch from leader"), 1, "nobody took the lead: {}", first.said());
    // The newest request of a page is known, whatever clock asked for it.
    let n_requests = || fleet.number("select count(*) from outbox");
    let n_first = n_requests();
    for (nth, seconds) in [(1, "-90"), (2, "90"), (3, "-90")] {
        let mut command = fleet.command(&["ocr", "requeue", "--all"]);
        let output = command.env("PAGESIEVE_CLOCK_SKEW_S", seconds).output().unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(n_requests(), n_first * (nth + 1), "each asking is a new generation");
        fleet.wait_relayed();
    }
}
