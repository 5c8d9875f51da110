//! Commands around the roles: doctor, migrate, status, ocr, compact, submit --producer.

use serde_json::Value;

use crate::support::fleet::{Fleet, Role, wait_for};
use crate::support::services::Rabbit;
use crate::support::{self, stderr, stdout, text};

/// Runs a command that must end with `code`, and gives what it said on standard output.
fn said(fleet: &Fleet, code: i32, arguments: &[&str]) -> String {
    let output = fleet.command(arguments).output().unwrap();
    let (out, err) = (stdout(&output).to_owned(), stderr(&output));
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {out}{err}");
    out
}

/// The lines of `doctor` that are not well.
fn complaints(fleet: &Fleet) -> Vec<String> {
    let output = fleet.command(&["doctor"]).output().unwrap();
    let lines: Vec<String> =
        stdout(&output).lines().filter(|line| line.starts_with("BAD")).map(str::to_owned).collect();
    assert_eq!(output.status.code(), Some(if lines.is_empty() { 0 } else { 3 }), "{}", stdout(&output));
    lines
}

fn complains(fleet: &Fleet, words: &[&str]) {
    let lines = complaints(fleet);
    assert_eq!(lines.len(), 1, "{lines:?}");
    for word in words {
        assert!(lines[0].contains(word), "{word}: {lines:?}");
    }
    assert!(!lines[0].contains("hunter2"), "{lines:?}");
}

#[test]
fn doctor_names_what_is_wrong_and_the_remedy() {
    let mut fleet = Fleet::new();
    let settings = fleet.settings.clone();
    let lines = complaints(&fleet);
    assert!(lines[0].contains("no schema yet: run `pagesieve migrate`"), "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.contains("is missing")).count(), 4, "{lines:?}");
    said(&fleet, 0, &["migrate"]);
    assert!(complaints(&fleet).is_empty());

    fleet.set("PAGESIEVE_QUEUE__URL", "amqp://u:hunter2@127.0.0.1:1/%2f");
    complains(&fleet, &["127.0.0.1:1", "unreachable", "start RabbitMQ"]);
    let host =
        support::fleet::amqp().split('@').next_back().unwrap().trim_start_matches("amqp://").to_owned();
    fleet.set("PAGESIEVE_QUEUE__URL", format!("amqp://nobody:hunter2@{host}"));
    complains(&fleet, &["refuses user `nobody`", "correct user, password"]);
    fleet.settings.clone_from(&settings);

    fleet.set("PAGESIEVE_LEDGER__URL", "postgres://u:hunter2@127.0.0.1:1/x");
    complains(&fleet, &["ledger", "start PostgreSQL"]);
    let elsewhere = support::fleet::postgres();
    let nowhere = format!("{}/nowhere", elsewhere.rsplit_once('/').unwrap().0);
    fleet.set("PAGESIEVE_LEDGER__URL", nowhere);
    complains(&fleet, &["nowhere", "correct user, password and database"]);
    fleet.settings.clone_from(&settings);

    fleet.sql_here("delete from _sqlx_migrations where version = 2");
    complains(&fleet, &["schema 1 is old", "run `pagesieve migrate`"]);
    fleet.sql_here(
        "insert into _sqlx_migrations values (2, '', now(), true, '', 0), (999, '', now(), true, '', 0)",
    );
    assert!(complaints(&fleet).is_empty(), "a newer release's schema suits this one");

    fleet.delete_queue(&fleet.topology.ocr());
    complains(&fleet, &[&fleet.topology.ocr(), "unroutable", "run `pagesieve migrate`"]);
    said(&fleet, 3, &["doctor", "--json"]);
    fleet.set("PAGESIEVE_RESULTS__ROOT", "");
    assert!(complaints(&fleet).iter().any(|line| line.contains("PAGESIEVE_RESULTS__ROOT")));
}

#[test]
fn settings_that_are_missing_are_exit_2_and_name_the_variable() {
    let mut fleet = Fleet::new();
    fleet.set("PAGESIEVE_LEDGER__URL", "");
    for role in ["coordinator", "worker", "relay", "up", "status", "migrate"] {
        let output = fleet.command(&[role]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{role}: {}", stderr(&output));
        assert!(stderr(&output).contains("PAGESIEVE_LEDGER__URL"), "{}", stderr(&output));
    }
    let stranger = fleet.ledger_url("postgres://nobody:hunter2@127.0.0.1:1/x");
    fleet.set("PAGESIEVE_LEDGER__URL", stranger);
    let output = fleet.command(&["status"]).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(!stderr(&output).contains("hunter2"), "{}", stderr(&output));
}

#[test]
fn status_requeue_dead_letters_and_one_producer() {
    let fleet = Fleet::new();
    support::corpus(&fleet.corpus(), 3);
    let mut up: Role = fleet.start(&["up"]);
    let job = fleet.submit(&[]);
    fleet.wait_closed(&job);
    fleet.wait_relayed();

    let status: Value = serde_json::from_str(&said(&fleet, 0, &["status", &job, "--json"])).unwrap();
    assert_eq!(status["jobs"][0]["state"], "closed");
    assert_eq!(status["jobs"][0]["documents"], fleet.tables()["documents"].len());
    assert_eq!(status["queues"][1]["queue"], fleet.topology.ocr());
    assert_eq!(status["outbox_pending"], 0);
    assert!(said(&fleet, 0, &["status", &job, "--watch"]).contains(&job), "ends when the job is closed");
    assert!(said(&fleet, 0, &["status"]).contains("0 OCR requests wait"));
    said(&fleet, 2, &["status", "no-such-job"]);

    let requests = fleet.drain(&fleet.topology.ocr());
    let first: Value = serde_json::from_slice(&requests[0].1).unwrap();
    let sha256 = first["data"]["sha256"].as_str().unwrap();
    said(&fleet, 0, &["ocr", "requeue", "--sha256", sha256]);
    fleet.wait_relayed();
    let again = fleet.drain(&fleet.topology.ocr());
    assert!(!again.is_empty());
    let schema: Value = serde_json::from_str(pagesieve::ocr::OCR_REQUEST_JSON).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for (id, body) in &again {
        let body: Value = serde_json::from_slice(body).unwrap();
        assert!(schema.is_valid(&body), "{body}");
        assert_eq!((body["data"]["generation"].as_u64(), body["id"].as_str()), (Some(1), Some(id.as_str())));
        assert!(requests.iter().all(|(other, _)| other != id));
    }
    said(&fleet, 0, &["ocr", "requeue", "--sha256", sha256]);
    fleet.wait_relayed();
    let third: Value = serde_json::from_slice(&fleet.drain(&fleet.topology.ocr())[0].1).unwrap();
    assert_eq!(third["data"]["generation"], 2);
    said(&fleet, 2, &["ocr", "requeue", "--sha256", &"0".repeat(64)]);

    fleet.publish(&["nonsense\u{1b}[31m".to_owned()]);
    let listed = wait_for("the dead letter", || {
        let listed = said(&fleet, 0, &["ocr", "dead", "--documents"]);
        listed.contains("not a document message").then_some(listed)
    });
    assert!(!listed.contains('\u{1b}'), "{listed:?}");
    assert!(said(&fleet, 0, &["ocr", "dead", "--documents", "--replay"]).contains("1 dead letters; sent"));
    assert!(said(&fleet, 0, &["ocr", "dead"]).contains("0 dead letters"));

    // One producer's documents are scored again, the others stay, nothing is deleted.
    let before = fleet.tables();
    let producer = fleet.producer_of_some_document();
    let second = fleet.submit(&["--producer", &producer]);
    fleet.wait_closed(&second);
    support::tables::assert_equal(&before, &fleet.tables());
    let ledger = fleet.ledger();
    let progress = fleet.runtime.block_on(ledger.progress(&second)).unwrap();
    assert!(progress.carried > 0 && progress.carried < progress.documents, "{progress:?}");
    let corpus = fleet.corpus();
    let nobody = ["submit", text(&corpus), "--corpus", "default", "--producer", "nobody"];
    said(&fleet, 2, &nobody);
    assert!(up.stop().success());
    assert!(said(&fleet, 0, &["compact"]).contains("removed 0 old snapshots"));
}

#[test]
fn amqps_with_a_private_authority_and_nothing_less() {
    let rabbit = Rabbit::start_with_tls();
    let mut fleet = Fleet::on(&support::fleet::postgres(), &rabbit.url());
    fleet.set("PAGESIEVE_QUEUE__URL", rabbit.tls_url("localhost"));
    fleet.set("SSL_CERT_FILE", text(&rabbit.authority()));
    said(&fleet, 0, &["migrate"]);
    assert!(complaints(&fleet).is_empty());
    fleet.set("PAGESIEVE_QUEUE__URL", rabbit.tls_url("127.0.0.1"));
    complains(&fleet, &["broker", "certificate"]);
    fleet.set("PAGESIEVE_QUEUE__URL", rabbit.tls_url("localhost"));
    fleet.set("SSL_CERT_FILE", "/etc/ssl/certs/ca-certificates.crt");
    complains(&fleet, &["broker", "certificate"]);
}
