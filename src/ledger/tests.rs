//! One conformance suite for both databases. `PAGESIEVE_TEST_POSTGRES` names a PostgreSQL database, which `test.sh` starts;
//! each test has a schema of its own there, and a missing service fails.

use super::*;
use crate::score::State;
use crate::source::{Change, DocumentRef};
use crate::time::Timestamp;

/// A ledger, and what keeps it alive.
pub(super) struct Fixture {
    pub(super) ledger: Ledger,
    dir: Option<tempfile::TempDir>,
}

pub(super) async fn sqlite() -> Fixture {
    let dir = tempfile::tempdir().unwrap();
    let ledger = Ledger::open_file(&dir.path().join("a b%?#.sqlite"), Access::Worker).await.unwrap();
    Fixture { ledger, dir: Some(dir) }
}

pub(super) async fn postgres() -> Fixture {
    let url = std::env::var("PAGESIEVE_TEST_POSTGRES").expect("PAGESIEVE_TEST_POSTGRES names a database");
    let schema = format!("ledger_{}", uuid::Uuid::now_v7().simple());
    sqlx::any::install_default_drivers();
    let pool = AnyPool::connect(&url).await.unwrap();
    sqlx::query(sqlx::AssertSqlSafe(format!("create schema {schema}"))).execute(&pool).await.unwrap();
    let ledger =
        Ledger::open(&format!("{url}?options=-csearch_path%3D{schema}"), Access::Worker).await.unwrap();
    Fixture { ledger, dir: None }
}

macro_rules! conformance {
    ($($name:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test] async fn $name() { super::$name(super::sqlite().await).await })*
        }
        mod on_postgres {
            $(#[tokio::test]
            async fn $name() { super::$name(super::postgres().await).await })*
        }
    };
}

conformance!(
    a_job_runs_from_listing_to_snapshot,
    an_unfinished_job_is_resumed_or_abandoned,
    rows_of_earlier_jobs_are_forgotten_in_small_steps,
    only_lasting_states_with_equal_etag_and_key_are_carried,
    tasks_hold_at_most_64_documents_or_64_mebibytes,
    a_lost_lease_closes_nothing,
    closing_twice_is_one_close,
    results_must_match_the_documents,
    old_staging_files_are_refused,
    attempts_are_told_to_the_next_claim,
    an_incomplete_listing_deletes_nothing,
    a_superseded_leader_is_refused,
    a_job_waits_for_the_older_one,
    requests_are_kept_once_and_withdrawn,
    old_snapshots_expire,
);

fn new_job(key: &str) -> NewJob {
    NewJob {
        corpus: "default".into(),
        fingerprint: "f".into(),
        score_key: key.into(),
        rules_version: "1".into(),
        fresh: false,
    }
}

pub(super) fn doc(uri: &str, etag: &str, size_bytes: u64) -> DocumentRef {
    DocumentRef { uri: uri.into(), etag: Some(etag.into()), size_bytes: Some(size_bytes) }
}

fn outcome(document: &TaskDocument, state: State) -> Outcome {
    let document_ref = &document.document;
    let sha256 = format!("{:0>64}", document_ref.etag.as_deref().unwrap_or("0"));
    Outcome {
        uri: document_ref.uri.clone(),
        etag: document_ref.etag.clone(),
        change: document.change(document_ref.etag.as_deref(), Some(&sha256)),
        sha256: Some(sha256),
        size_bytes: document_ref.size_bytes,
        state,
        state_reason: None,
        n_pages: 3,
        n_pages_ocr: 1,
    }
}

pub(super) fn result(task: &Task, state: impl Fn(&str) -> State) -> TaskResult {
    TaskResult {
        staging_file: format!("_staging/{}/{}-{}", task.job, task.number, task.attempt),
        staging_bytes: 10,
        staged_at: Timestamp::now(),
        outcomes: task.documents.iter().map(|d| outcome(d, state(&d.document.uri))).collect(),
        requests: Vec::new(),
    }
}

/// Runs a whole job over `documents`; returns its id and the claimed documents.
async fn run(
    ledger: &Ledger,
    new: &NewJob,
    documents: &[DocumentRef],
    complete: bool,
    state: impl Fn(&str) -> State,
) -> (String, Vec<TaskDocument>) {
    let job = ledger.begin_job(new).await.unwrap().id;
    ledger.store_documents(&job, documents).await.unwrap();
    ledger.seal(&job, documents.len() as u64, complete).await.unwrap();
    ledger.plan(&job).await.unwrap();
    let mut claimed = Vec::new();
    loop {
        let tasks = ledger.claim("w", 2).await.unwrap();
        if tasks.is_empty() {
            break;
        }
        for task in tasks {
            ledger.close_task(&task, &result(&task, &state)).await.unwrap();
            claimed.extend(task.documents);
        }
    }
    let epoch = ledger.lead("w").await.unwrap();
    ledger.begin_close(&job, epoch).await.unwrap();
    ledger.publish(&job, epoch).await.unwrap();
    (job, claimed)
}

/// As [`run`], to the end.
async fn run_and_finish(
    ledger: &Ledger,
    new: &NewJob,
    documents: &[DocumentRef],
) -> (String, Vec<TaskDocument>) {
    let (job, claimed) = run(ledger, new, documents, true, |_| State::Scored).await;
    let epoch = ledger.lead("w").await.unwrap();
    ledger.finish(&job, epoch).await.unwrap();
    (job, claimed)
}

async fn a_job_runs_from_listing_to_snapshot(f: Fixture) {
    let ledger = &f.ledger;
    let job = ledger.begin_job(&new_job("k")).await.unwrap();
    assert_eq!((job.state, job.resumed, job.previous_job.as_deref()), (JobState::Open, false, None));
    let documents: Vec<_> = (0..100).map(|n| doc(&format!("{n:03}'\"\\{{}}ä.pdf"), "1", 1)).collect();
    assert_eq!(ledger.store_documents(&job.id, &documents[..60]).await.unwrap(), 60);
    assert_eq!(ledger.store_documents(&job.id, &documents[40..]).await.unwrap(), 40);
    assert!(!ledger.is_complete(&job.id).await.unwrap());
    ledger.seal(&job.id, 100, true).await.unwrap();
    ledger.seal(&job.id, 100, true).await.unwrap();
    let planned = ledger.plan(&job.id).await.unwrap();
    assert_eq!(planned, Planned { carried: 0, planned: 100, tasks: 2, waiting: false });
    assert_eq!(ledger.plan(&job.id).await.unwrap(), Planned::default());

    let tasks = ledger.claim("w", 10).await.unwrap();
    assert_eq!(tasks.iter().map(|t| t.documents.len()).collect::<Vec<_>>(), [64, 36]);
    assert_eq!(tasks[0].documents[63].document, documents[63]);
    assert!(ledger.claim("other", 10).await.unwrap().is_empty());
    let progress = ledger.progress(&job.id).await.unwrap();
    assert_eq!((progress.pending, progress.tasks_open, progress.tasks_leased), (100, 2, 2));
    for task in &tasks {
        assert!(!ledger.is_complete(&job.id).await.unwrap());
        ledger.close_task(task, &result(task, |_| State::Scored)).await.unwrap();
    }
    assert!(ledger.is_complete(&job.id).await.unwrap());
    let progress = ledger.progress(&job.id).await.unwrap();
    assert_eq!((progress.pages, progress.pages_ocr, progress.by_state[&State::Scored]), (300, 100, 100));

    let epoch = ledger.lead("w").await.unwrap();
    assert_eq!(ledger.current_job("default").await.unwrap(), None);
    let closing = ledger.begin_close(&job.id, epoch).await.unwrap();
    assert_eq!(closing.state, JobState::Closing);
    assert_eq!(ledger.begin_close(&job.id, epoch).await.unwrap(), closing);
    let files = ledger.staging_files(&job.id).await.unwrap();
    assert_eq!(files.iter().map(|f| (f.task, f.bytes)).collect::<Vec<_>>(), [(1, 10), (2, 10)]);
    ledger.publish(&job.id, epoch).await.unwrap();
    ledger.publish(&job.id, epoch).await.unwrap();
    assert_eq!(ledger.current_job("default").await.unwrap().as_deref(), Some(&*job.id));
    ledger.finish(&job.id, epoch).await.unwrap();
    ledger.finish(&job.id, epoch).await.unwrap();
    assert_eq!(ledger.job(&job.id).await.unwrap().state, JobState::Closed);
    assert!(ledger.staging_files(&job.id).await.unwrap().is_empty());
}

async fn rows_of_earlier_jobs_are_forgotten_in_small_steps(f: Fixture) {
    let ledger = &f.ledger;
    let documents: Vec<_> = (0..70).map(|n| doc(&format!("{n:02}"), "1", 1)).collect();
    let elsewhere = NewJob { corpus: "elsewhere".into(), ..new_job("k") };
    let (other, _) = run_and_finish(ledger, &elsewhere, &documents[..3]).await;
    let (first, _) = run_and_finish(ledger, &new_job("k"), &documents).await;
    assert!(!ledger.forget_rows(100).await.unwrap(), "nothing is old");
    // Published and not closed: a leader may still be at work with the snapshot before.
    let (second, _) = run(ledger, &new_job("other"), &documents[..5], true, |_| State::Scored).await;
    assert!(!ledger.forget_rows(100).await.unwrap());
    assert_eq!(ledger.n_documents(&first).await.unwrap(), 70);
    let epoch = ledger.lead("w").await.unwrap();
    ledger.finish(&second, epoch).await.unwrap();
    assert!(ledger.forget_rows(40).await.unwrap());
    assert_eq!(ledger.n_documents(&first).await.unwrap(), 30);
    assert!(!ledger.forget_rows(40).await.unwrap());
    for (job, n_documents) in [(&first, 0), (&second, 5), (&other, 3)] {
        assert_eq!(ledger.n_documents(job).await.unwrap(), n_documents);
        assert_eq!(ledger.progress(job).await.unwrap().tasks_open, 0);
    }
    let tasks: i64 = sqlx::query_scalar("select count(*) from tasks").fetch_one(&ledger.pool).await.unwrap();
    assert_eq!(tasks, 2, "the two current snapshots' own");
}

async fn an_unfinished_job_is_resumed_or_abandoned(f: Fixture) {
    let ledger = &f.ledger;
    let first = ledger.begin_job(&new_job("k")).await.unwrap();
    ledger.store_documents(&first.id, &[doc("gone", "1", 1)]).await.unwrap();
    // Not sealed: the listing starts over.
    let again = ledger.begin_job(&new_job("k")).await.unwrap();
    assert_eq!((again.id.as_str(), again.resumed), (first.id.as_str(), true));
    assert_eq!(ledger.progress(&first.id).await.unwrap().documents, 0);
    ledger.store_documents(&first.id, &[doc("a", "1", 1)]).await.unwrap();
    ledger.seal(&first.id, 1, true).await.unwrap();
    ledger.plan(&first.id).await.unwrap();
    assert_eq!(ledger.begin_job(&new_job("k")).await.unwrap().state, JobState::Sealed);
    assert_eq!(ledger.progress(&first.id).await.unwrap().documents, 1);

    let task = ledger.claim("w", 1).await.unwrap().remove(0);
    for new in
        [NewJob { fingerprint: "other".into(), ..new_job("k") }, NewJob { fresh: true, ..new_job("k") }]
    {
        let before = ledger.begin_job(&NewJob { fresh: false, ..new.clone() }).await.unwrap();
        let other = ledger.begin_job(&NewJob { fresh: true, ..new }).await.unwrap();
        assert_ne!(other.id, before.id);
        assert_eq!(ledger.job(&before.id).await.unwrap().state, JobState::Abandoned);
    }
    let refused = ledger.close_task(&task, &result(&task, |_| State::Scored)).await;
    assert!(matches!(refused, Err(LedgerError::LeaseLost { .. })), "{refused:?}");
    assert!(ledger.claim("w", 1).await.unwrap().is_empty());
    assert!(ledger.expired_jobs(30).await.unwrap().contains(&first.id));
    ledger.note_swept(&first.id).await.unwrap();
    assert!(!ledger.expired_jobs(30).await.unwrap().contains(&first.id));
}

async fn only_lasting_states_with_equal_etag_and_key_are_carried(f: Fixture) {
    let ledger = &f.ledger;
    let states = [
        State::Scored,
        State::Partial,
        State::Encrypted,
        State::Malformed,
        State::OverLimit,
        State::Timeout,
        State::Memory,
        State::Crashed,
        State::Missing,
        State::FetchFailed,
    ];
    let name = |state: State| format!("{state:?}");
    let mut documents: Vec<_> = states.iter().map(|&s| doc(&name(s), "1", 1)).collect();
    documents.push(doc("edited", "1", 1));
    documents.push(DocumentRef { etag: None, ..doc("no etag", "1", 1) });
    documents.push(doc("deleted", "1", 1));
    let by_name = |uri: &str| states.iter().copied().find(|&s| name(s) == uri).unwrap_or(State::Scored);
    let (first, claimed) = run(ledger, &new_job("k"), &documents, true, by_name).await;
    assert!(claimed.iter().all(|d| d.previous.is_none()));
    let epoch = ledger.lead("w").await.unwrap();
    ledger.finish(&first, epoch).await.unwrap();

    documents.retain(|d| d.uri != "deleted");
    documents.iter_mut().find(|d| d.uri == "edited").unwrap().etag = Some("2".into());
    documents.push(doc("added", "7", 1));
    let (second, claimed) = run(ledger, &new_job("k"), &documents, true, by_name).await;
    let mut again: Vec<_> = claimed.iter().map(|d| d.document.uri.as_str()).collect();
    again.sort();
    let expected =
        ["Crashed", "FetchFailed", "Memory", "Missing", "Partial", "Timeout", "added", "edited", "no etag"];
    assert_eq!(again, expected);
    let change = |uri: &str| {
        let document = claimed.iter().find(|d| d.document.uri == uri).unwrap();
        outcome(document, State::Scored).change
    };
    assert_eq!(change("added"), Change::New);
    assert_eq!(change("edited"), Change::Changed);
    assert_eq!(change("Timeout"), Change::Unchanged);
    assert_eq!(ledger.n_carried(&second).await.unwrap(), 4);
    assert_eq!(ledger.progress(&second).await.unwrap().by_state[&State::Malformed], 1);
    let mut dropped = ledger.dropped(&second, "", 4).await.unwrap();
    let last = dropped.last().unwrap().clone();
    dropped.extend(ledger.dropped(&second, &last, 100).await.unwrap());
    let expected =
        ["Crashed", "FetchFailed", "Memory", "Missing", "Partial", "Timeout", "deleted", "edited", "no etag"];
    assert_eq!(dropped, expected);
    ledger.finish(&second, ledger.lead("w").await.unwrap()).await.unwrap();

    let (_, claimed) = run_and_finish(ledger, &new_job("other key"), &documents).await;
    assert_eq!(claimed.len(), documents.len());
    let fresh = NewJob { fresh: true, ..new_job("other key") };
    let (_, claimed) = run_and_finish(ledger, &fresh, &documents).await;
    assert!(claimed.len() == documents.len() && claimed.iter().all(|d| d.previous.is_none()));
}

async fn tasks_hold_at_most_64_documents_or_64_mebibytes(f: Fixture) {
    let ledger = &f.ledger;
    let job = ledger.begin_job(&new_job("k")).await.unwrap().id;
    let size = |n: usize| if n == 5 { 100 << 20 } else { 1000 };
    let documents: Vec<_> = (0..20_000).map(|n| doc(&format!("{n:05}"), "1", size(n))).collect();
    ledger.store_documents(&job, &documents).await.unwrap();
    ledger.seal(&job, 20_000, true).await.unwrap();
    let planned = ledger.plan(&job).await.unwrap();
    // 5 before the large one, itself, then the 19,994 others: no task is cut short by the planner's own batches.
    assert_eq!(
        planned,
        Planned { carried: 0, planned: 20_000, tasks: 2 + 19_994_u64.div_ceil(64), waiting: false }
    );
    let tasks = ledger.claim("w", 1000).await.unwrap();
    let uris: Vec<_> = tasks.iter().flat_map(|t| &t.documents).map(|d| d.document.uri.clone()).collect();
    assert!(uris.is_sorted());
    assert_eq!(uris.len(), 20_000);
    assert_eq!(tasks[1].documents.len(), 1);
    assert!(tasks.iter().all(|t| t.documents.len() <= TASK_DOCUMENTS));
}

/// A job with the documents `a` and `b` in one task.
pub(super) async fn small_job(ledger: &Ledger) -> String {
    let job = ledger.begin_job(&new_job("k")).await.unwrap().id;
    ledger.store_documents(&job, &[doc("a", "1", 1), doc("b", "2", 1)]).await.unwrap();
    ledger.seal(&job, 2, true).await.unwrap();
    ledger.plan(&job).await.unwrap();
    job
}

async fn expire_leases(ledger: &Ledger) {
    sqlx::query("update tasks set lease_until = 1 where state = 'leased'")
        .execute(&ledger.pool)
        .await
        .unwrap();
}

async fn a_lost_lease_closes_nothing(f: Fixture) {
    let ledger = &f.ledger;
    let job = small_job(ledger).await;
    let frozen = ledger.claim("frozen", 1).await.unwrap().remove(0);
    assert!(ledger.heartbeat(&[frozen.lease()]).await.unwrap().is_empty());
    expire_leases(ledger).await;
    // Nobody claimed it: it is still ours.
    assert!(ledger.heartbeat(&[frozen.lease()]).await.unwrap().is_empty());
    expire_leases(ledger).await;
    let task = ledger.claim("other", 1).await.unwrap().remove(0);
    assert_eq!((frozen.attempt, task.attempt), (1, 2));
    assert_eq!(ledger.heartbeat(&[frozen.lease(), task.lease()]).await.unwrap(), [frozen.lease()]);
    ledger.release(&[frozen.lease()]).await.unwrap();
    let refused = ledger.close_task(&frozen, &result(&frozen, |_| State::Scored)).await;
    assert!(matches!(refused, Err(LedgerError::LeaseLost { .. })));
    assert!(ledger.staging_files(&job).await.unwrap().is_empty());
    assert_eq!(ledger.progress(&job).await.unwrap().pending, 2);

    ledger.release(&[task.lease()]).await.unwrap();
    let task = ledger.claim("third", 1).await.unwrap().remove(0);
    assert_eq!(task.attempt, 3);
    ledger.close_task(&task, &result(&task, |_| State::Scored)).await.unwrap();
    let late = ledger.close_task(&frozen, &result(&frozen, |_| State::Scored)).await;
    assert!(matches!(late, Err(LedgerError::LeaseLost { .. })));
}

async fn closing_twice_is_one_close(f: Fixture) {
    let ledger = &f.ledger;
    let job = small_job(ledger).await;
    let task = ledger.claim("w", 1).await.unwrap().remove(0);
    let result = result(&task, |_| State::Scored);
    ledger.close_task(&task, &result).await.unwrap();
    ledger.close_task(&task, &result).await.unwrap();
    assert_eq!(ledger.staging_files(&job).await.unwrap().len(), 1);
    assert_eq!(ledger.known_staging_files().await.unwrap().into_iter().next(), Some(result.staging_file));
}

async fn results_must_match_the_documents(f: Fixture) {
    let ledger = &f.ledger;
    let job = small_job(ledger).await;
    let task = ledger.claim("w", 1).await.unwrap().remove(0);
    let good = result(&task, |_| State::Scored);
    let mut short = good.clone();
    short.outcomes.pop();
    let mut foreign = good.clone();
    foreign.outcomes.push(Outcome { uri: "c".into(), ..good.outcomes[0].clone() });
    for bad in [short, foreign] {
        let refused = ledger.close_task(&task, &bad).await;
        assert!(matches!(refused, Err(LedgerError::Outcomes { .. })), "{refused:?}");
        assert_eq!(ledger.progress(&job).await.unwrap().pending, 2);
    }
    ledger.close_task(&task, &good).await.unwrap();
}

async fn old_staging_files_are_refused(f: Fixture) {
    let ledger = &f.ledger;
    small_job(ledger).await;
    let task = ledger.claim("w", 1).await.unwrap().remove(0);
    let mut result = result(&task, |_| State::Scored);
    result.staged_at = Timestamp::now().minus(STAGING_COMMIT_AGE);
    let refused = ledger.close_task(&task, &result).await;
    assert!(matches!(refused, Err(LedgerError::StagingTooOld { .. })), "{refused:?}");
    result.staged_at = result.staged_at.plus(Duration::from_secs(600));
    ledger.close_task(&task, &result).await.unwrap();
}

async fn attempts_are_told_to_the_next_claim(f: Fixture) {
    let ledger = &f.ledger;
    small_job(ledger).await;
    let task = ledger.claim("w", 1).await.unwrap().remove(0);
    let attempt = Attempt {
        uri: "b".into(),
        state: State::Memory,
        reason: "1.5 GiB".into(),
        wall: Duration::from_millis(7),
    };
    ledger.record_attempts(&task, &[attempt.clone(), attempt]).await.unwrap();
    ledger.release(&[task.lease()]).await.unwrap();
    let task = ledger.claim("w", 1).await.unwrap().remove(0);
    assert_eq!(task.documents.iter().map(|d| d.attempts).collect::<Vec<_>>(), [0, 2]);
}

async fn an_incomplete_listing_deletes_nothing(f: Fixture) {
    let ledger = &f.ledger;
    run_and_finish(ledger, &new_job("k"), &[doc("a", "1", 1), doc("b", "1", 1)]).await;
    let (job, claimed) =
        run(ledger, &new_job("other"), &[doc("b", "1", 1), doc("c", "1", 1)], false, |_| State::Scored).await;
    assert_eq!(claimed.len(), 2);
    assert_eq!(ledger.progress(&job).await.unwrap().documents, 3);
    assert_eq!(ledger.dropped(&job, "", 9).await.unwrap(), ["b"]);
    ledger.finish(&job, ledger.lead("w").await.unwrap()).await.unwrap();
    // `a` still has the key it was scored under.
    let documents = ["a", "b", "c"].map(|uri| doc(uri, "1", 1));
    let (_, claimed) = run_and_finish(ledger, &new_job("other"), &documents).await;
    assert_eq!(claimed.iter().map(|d| d.document.uri.as_str()).collect::<Vec<_>>(), ["a"]);
}

async fn a_superseded_leader_is_refused(f: Fixture) {
    let ledger = &f.ledger;
    let job = small_job(ledger).await;
    let old = ledger.lead("old").await.unwrap();
    let early = ledger.begin_close(&job, old).await;
    assert!(matches!(early, Err(LedgerError::JobState { .. })), "{early:?}");
    let task = ledger.claim("w", 1).await.unwrap().remove(0);
    ledger.close_task(&task, &result(&task, |_| State::Scored)).await.unwrap();
    let new = ledger.lead("new").await.unwrap();
    assert!(matches!(ledger.begin_close(&job, old).await, Err(LedgerError::Fenced { .. })));
    ledger.begin_close(&job, new).await.unwrap();
    assert!(matches!(ledger.publish(&job, old).await, Err(LedgerError::Fenced { .. })));
    ledger.publish(&job, new).await.unwrap();
    assert!(matches!(ledger.finish(&job, old).await, Err(LedgerError::Fenced { .. })));
    // What is decided is resumed, even where a fresh start is asked for.
    let resumed = ledger.begin_job(&NewJob { fresh: true, ..new_job("k") }).await.unwrap();
    assert_eq!((resumed.id, resumed.state, resumed.resumed), (job, JobState::Published, true));
}

async fn a_job_waits_for_the_older_one(f: Fixture) {
    let ledger = &f.ledger;
    let first = small_job(ledger).await;
    // As a queue brings it: a second job of the corpus is there before the first one has ended.
    sqlx::query(
        "insert into jobs (id, corpus, state, fingerprint, score_key, rules_version, fresh, begun_at) \
         values ('second', 'default', 'open', 'f', 'k', '1', 0, 1)",
    )
    .execute(&ledger.pool)
    .await
    .unwrap();
    ledger.store_documents("second", &[doc("a", "1", 1)]).await.unwrap();
    assert!(ledger.plan("second").await.unwrap().waiting);
    let task = ledger.claim("w", 9).await.unwrap().remove(0);
    ledger.close_task(&task, &result(&task, |_| State::Scored)).await.unwrap();
    let epoch = ledger.lead("w").await.unwrap();
    ledger.begin_close(&first, epoch).await.unwrap();
    ledger.publish(&first, epoch).await.unwrap();
    assert!(ledger.plan("second").await.unwrap().waiting);
    ledger.finish(&first, epoch).await.unwrap();
    assert_eq!(ledger.plan("second").await.unwrap().carried, 1);
    assert_eq!(ledger.job("second").await.unwrap().previous_job, Some(first));
}

pub(super) fn request(n: u32, body: &str) -> OutboxRequest {
    OutboxRequest {
        id: format!("ocr:{n}"),
        document_sha256: format!("{:0>64}", "1"),
        page: n,
        priority: (n % 10) as u8,
        body: body.into(),
    }
}

async fn requests_are_kept_once_and_withdrawn(f: Fixture) {
    let ledger = &f.ledger;
    let job = small_job(ledger).await;
    let task = ledger.claim("w", 1).await.unwrap().remove(0);
    let mut result = result(&task, |_| State::Scored);
    result.requests = vec![request(1, "{\"a\":1}"), request(2, "x"), request(3, "y")];
    ledger.close_task(&task, &result).await.unwrap();
    let ids = |rows: Vec<OutboxRequest>| rows.into_iter().map(|r| r.id).collect::<Vec<_>>();
    assert_eq!(ids(ledger.pending_requests(9).await.unwrap()), ["ocr:3", "ocr:2", "ocr:1"]);
    let found = ledger.requests(&["ocr:1", "ocr:9"]).await.unwrap();
    assert_eq!(found.into_values().collect::<Vec<_>>(), [request(1, "{\"a\":1}")]);

    let epoch = ledger.lead("w").await.unwrap();
    ledger.begin_close(&job, epoch).await.unwrap();
    ledger.publish(&job, epoch).await.unwrap();
    let sha256 = format!("{:0>64}", "1");
    let places = ledger.places(&[&*sha256, "none"].into()).await.unwrap();
    assert_eq!(places[&sha256].iter().map(|p| p.uri.as_str()).collect::<Vec<_>>(), ["a"]);
    ledger.finish(&job, epoch).await.unwrap();

    assert_eq!(ledger.withdraw_requests("default", |_, page| page == 1).await.unwrap(), 2);
    assert_eq!(ledger.withdraw_requests("another corpus", |_, _| false).await.unwrap(), 0);
    assert_eq!(ids(ledger.pending_requests(9).await.unwrap()), ["ocr:1"]);
    assert_eq!(ledger.withdraw_requests("default", |_, page| page != 1).await.unwrap(), 1);
    assert_eq!(ids(ledger.pending_requests(9).await.unwrap()), ["ocr:3", "ocr:2"]);

    // Asked again: an unsent one has the newest words, a sent one stays as it is.
    sqlx::query("update outbox set published_at = 1 where id = 'ocr:2'").execute(&ledger.pool).await.unwrap();
    ledger.begin_job(&new_job("k2")).await.unwrap();
    let job = small_job(ledger).await;
    let mut task = ledger.claim("w", 1).await.unwrap().remove(0);
    assert_eq!(task.job, job);
    result.staging_file = "again".into();
    result.requests = vec![request(1, "new"), request(2, "new")];
    ledger.close_task(&task, &result).await.unwrap();
    let found = ledger.requests(&["ocr:1", "ocr:2"]).await.unwrap();
    assert_eq!((found["ocr:1"].body.as_str(), found["ocr:2"].body.as_str()), ("new", "x"));
    assert_eq!(ids(ledger.pending_requests(9).await.unwrap()), ["ocr:3", "ocr:1"]);
    task.number = 99;
    assert!(matches!(ledger.close_task(&task, &result).await, Err(LedgerError::LeaseLost { .. })));
}

async fn old_snapshots_expire(f: Fixture) {
    let ledger = &f.ledger;
    let mut jobs = Vec::new();
    for _ in 0..4 {
        jobs.push(run_and_finish(ledger, &new_job("k"), &[doc("a", "1", 1)]).await.0);
    }
    assert_eq!(ledger.expired_jobs(2).await.unwrap(), jobs[..2]);
    assert_eq!(ledger.expired_jobs(0).await.unwrap(), jobs[..3], "never the current one");
    ledger.note_swept(&jobs[0]).await.unwrap();
    assert_eq!(ledger.expired_jobs(2).await.unwrap(), jobs[1..2]);
    assert_eq!(ledger.jobs("default").await.unwrap().len(), 4);
}

#[tokio::test]
async fn a_second_worker_is_refused_and_a_dead_ones_leases_are_free() {
    let Fixture { ledger, dir } = sqlite().await;
    let path = dir.as_ref().unwrap().path().join("a b%?#.sqlite");
    assert!(path.exists());
    small_job(&ledger).await;
    let task = ledger.claim("w", 1).await.unwrap().remove(0);
    assert!(matches!(Ledger::open_file(&path, Access::Worker).await, Err(LedgerError::Busy { .. })));
    let guest = Ledger::open_file(&path, Access::Guest).await.unwrap();
    assert_eq!(guest.progress(&task.job).await.unwrap().tasks_leased, 1, "a guest takes nothing");
    drop(ledger); // as the kernel does after kill -9
    let next = Ledger::open_file(&path, Access::Worker).await.unwrap();
    let again = next.claim("w", 1).await.unwrap().remove(0);
    assert_eq!((again.number, again.attempt), (task.number, 2));
}

#[tokio::test]
async fn a_ledger_that_cannot_be_written_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let error = Ledger::open_file(&dir.path().join("nowhere/l.sqlite"), Access::Guest).await.unwrap_err();
    let LedgerError::Unwritable { source, .. } = &error else { panic!("{error:?}") };
    assert_eq!(source.kind(), std::io::ErrorKind::NotFound);
}
