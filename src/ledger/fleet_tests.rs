//! What roles on several machines need of the ledger, on both databases.

use super::tests::{Fixture, doc, postgres, request, result, small_job, sqlite};
use super::*;
use crate::score::State;
use crate::source::DocumentRef;

macro_rules! conformance {
    ($($name:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test] async fn $name() { super::$name(super::sqlite().await).await })*
        }
        mod on_postgres {
            $(#[tokio::test] async fn $name() { super::$name(super::postgres().await).await })*
        }
    };
}

conformance!(
    messages_may_come_twice_and_in_any_order,
    what_comes_after_the_end_is_told,
    documents_without_a_job_share_one_until_it_is_sealed,
    a_forced_job_carries_nothing_forward_and_keeps_its_base,
    what_arrives_while_a_job_is_planned_is_still_carried_forward,
    a_job_without_documents_waits_for_its_turn,
    one_leads_until_its_lease_runs_out,
    workers_claim_only_what_they_score_alike,
    a_request_is_one_relays_at_a_time,
    requests_are_asked_again_under_new_ids_and_lost_ones_under_the_old,
);

fn key(score_key: &str) -> ScoreKey {
    ScoreKey { score_key: score_key.into(), rules_version: "1".into() }
}

fn new_id() -> String {
    uuid::Uuid::now_v7().hyphenated().to_string()
}

fn arrival(job: Option<&str>, documents: &[DocumentRef], seal: Option<(u64, bool)>) -> Arrival {
    Arrival {
        job: job.map(str::to_owned),
        corpus: "default".into(),
        forced: false,
        documents: documents.to_vec(),
        seal,
    }
}

/// Scores every task that can be claimed.
async fn work(ledger: &Ledger) {
    loop {
        let tasks = ledger.claim("w", 9).await.unwrap();
        if tasks.is_empty() {
            return;
        }
        for task in tasks {
            ledger.close_task(&task, &result(&task, |_| State::Scored)).await.unwrap();
        }
    }
}

async fn close(ledger: &Ledger, job: &str) {
    let epoch = ledger.lead("w").await.unwrap();
    ledger.begin_close(job, epoch).await.unwrap();
    ledger.publish(job, epoch).await.unwrap();
    ledger.finish(job, epoch).await.unwrap();
}

async fn messages_may_come_twice_and_in_any_order(f: Fixture) {
    let ledger = &f.ledger;
    let job = new_id();
    let documents = [doc("a", "1", 1), doc("b", "1", 1), doc("c", "1", 1)];
    let sealed = ledger.receive(&arrival(Some(&job), &[], Some((3, true))), &key("k")).await.unwrap();
    assert_eq!((sealed.job.as_str(), sealed.n_new), (job.as_str(), 0));
    let open = ledger.unfinished_jobs().await.unwrap();
    assert_eq!((open.len(), open[0].n_promised, open[0].unplanned, open[0].feed), (1, Some(3), false, false));
    for (part, n_new) in [(&documents[1..], 2), (&documents[..2], 1), (&documents[..], 0)] {
        let again = ledger.receive(&arrival(Some(&job), part, Some((3, true))), &key("k")).await.unwrap();
        assert_eq!((again.n_new, again.late.len()), (n_new, 0));
    }
    assert!(!ledger.is_complete(&job).await.unwrap());
    assert_eq!(ledger.plan(&job).await.unwrap().planned, 3);
    assert!(ledger.unfinished_jobs().await.unwrap()[0].in_work);
    work(ledger).await;
    assert!(ledger.is_complete(&job).await.unwrap());
    assert_eq!(ledger.n_documents(&job).await.unwrap(), 3);
    let other = Arrival { corpus: "another".into(), ..arrival(Some(&job), &documents, None) };
    assert!(ledger.receive(&other, &key("k")).await.unwrap().foreign);
    assert!(ledger.now().await.unwrap() > crate::time::Timestamp::now().minus(LEASE));
}

async fn what_comes_after_the_end_is_told(f: Fixture) {
    let ledger = &f.ledger;
    let job = new_id();
    ledger.receive(&arrival(Some(&job), &[doc("a", "1", 1)], Some((1, true))), &key("k")).await.unwrap();
    ledger.plan(&job).await.unwrap();
    work(ledger).await;
    close(ledger, &job).await;
    let late = arrival(Some(&job), &[doc("a", "1", 1), doc("z", "1", 1)], Some((2, true)));
    let late = ledger.receive(&late, &key("k")).await.unwrap();
    assert_eq!((late.n_new, late.late), (0, ["z".to_owned()].into()));
    assert_eq!(ledger.job(&job).await.unwrap().state, JobState::Closed);
}

async fn documents_without_a_job_share_one_until_it_is_sealed(f: Fixture) {
    let ledger = &f.ledger;
    let first = ledger.receive(&arrival(None, &[doc("a", "1", 1)], None), &key("k")).await.unwrap().job;
    let same = ledger.receive(&arrival(None, &[doc("b", "1", 1)], None), &key("k")).await.unwrap().job;
    assert_eq!(first, same);
    assert!(ledger.unfinished_jobs().await.unwrap()[0].feed);
    let epoch = ledger.lead("w").await.unwrap();
    assert!(ledger.seal_as_it_is(&first, epoch - 1).await.is_err(), "a superseded leader seals nothing");
    ledger.seal_as_it_is(&first, epoch).await.unwrap();
    let job = ledger.job(&first).await.unwrap();
    assert_eq!((job.state, job.complete), (JobState::Sealed, false));
    let next = ledger.receive(&arrival(None, &[doc("c", "1", 1)], None), &key("k")).await.unwrap().job;
    assert_ne!(first, next);
    assert_eq!(ledger.n_documents(&first).await.unwrap(), 2);
}

async fn what_arrives_while_a_job_is_planned_is_still_carried_forward(f: Fixture) {
    let ledger = &f.ledger;
    let (first, second) = (new_id(), new_id());
    ledger.receive(&arrival(Some(&first), &[doc("a", "1", 1)], Some((1, true))), &key("k")).await.unwrap();
    ledger.plan(&first).await.unwrap();
    work(ledger).await;
    close(ledger, &first).await;
    ledger.receive(&arrival(Some(&second), &[doc("b", "1", 1)], None), &key("k")).await.unwrap();
    assert_eq!(ledger.plan(&second).await.unwrap().planned, 1);
    // Between the two steps of planning: what can be carried was, the rest is put into tasks.
    let late = [doc("a", "1", 1), doc("c", "1", 1)];
    ledger.receive(&arrival(Some(&second), &late, Some((3, true))), &key("k")).await.unwrap();
    let (mut tx, mut planned) = (ledger.write().await.unwrap(), Planned::default());
    let row = jobs::job_row(&mut tx, &second).await.unwrap();
    ledger.plan_batch(&mut tx, &row, "", &mut planned).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(planned.planned, 1, "the new one alone");
    assert!(ledger.unfinished_jobs().await.unwrap()[0].unplanned);
    let planned = ledger.plan(&second).await.unwrap();
    assert_eq!((planned.carried, planned.planned), (1, 0));
    work(ledger).await;
    assert!(ledger.is_complete(&second).await.unwrap());
}

async fn a_forced_job_carries_nothing_forward_and_keeps_its_base(f: Fixture) {
    let ledger = &f.ledger;
    let documents = [doc("a", "1", 1), doc("b", "1", 1)];
    let first = new_id();
    ledger.receive(&arrival(Some(&first), &documents, Some((2, true))), &key("k")).await.unwrap();
    ledger.plan(&first).await.unwrap();
    work(ledger).await;
    close(ledger, &first).await;
    let second = new_id();
    let forced = Arrival { forced: true, ..arrival(Some(&second), &documents[..1], Some((1, false))) };
    ledger.receive(&forced, &key("k")).await.unwrap();
    let planned = ledger.plan(&second).await.unwrap();
    assert_eq!((planned.carried, planned.planned), (0, 1));
    assert_eq!(ledger.job(&second).await.unwrap().previous_job, Some(first));
    work(ledger).await;
    close(ledger, &second).await;
    let progress = ledger.progress(&second).await.unwrap();
    assert_eq!((progress.documents, progress.carried), (2, 1), "what was not named stays");
}

async fn a_job_without_documents_waits_for_its_turn(f: Fixture) {
    let ledger = &f.ledger;
    let (first, second) = (new_id(), new_id());
    ledger.receive(&arrival(Some(&first), &[doc("a", "1", 1)], Some((1, true))), &key("k")).await.unwrap();
    ledger.receive(&arrival(Some(&second), &[], Some((0, false))), &key("k")).await.unwrap();
    assert!(ledger.plan(&second).await.unwrap().waiting);
    ledger.plan(&first).await.unwrap();
    work(ledger).await;
    close(ledger, &first).await;
    assert!(!ledger.plan(&second).await.unwrap().waiting);
    close(ledger, &second).await;
    assert_eq!(ledger.progress(&second).await.unwrap().carried, 1, "nothing counts as deleted");
}

async fn one_leads_until_its_lease_runs_out(f: Fixture) {
    let ledger = &f.ledger;
    let first = ledger.try_lead("a").await.unwrap().expect("nobody led");
    assert_eq!(ledger.try_lead("b").await.unwrap(), None);
    assert!(ledger.renew_lead(first).await.unwrap());
    ledger.check_lead(first).await.unwrap();
    ledger.resign("b").await.unwrap();
    assert_eq!(ledger.try_lead("b").await.unwrap(), None, "only the leader can resign");
    ledger.resign("a").await.unwrap();
    let second = ledger.try_lead("b").await.unwrap().expect("the leader resigned");
    assert!(second > first);
    assert!(!ledger.renew_lead(first).await.unwrap());
    assert!(matches!(ledger.check_lead(first).await, Err(LedgerError::Fenced { .. })));
}

async fn workers_claim_only_what_they_score_alike(f: Fixture) {
    let ledger = &f.ledger;
    let job = new_id();
    ledger.receive(&arrival(Some(&job), &[doc("a", "1", 1)], None), &key("new")).await.unwrap();
    ledger.plan(&job).await.unwrap();
    assert!(ledger.claim_scored_by("w", 9, Some("old")).await.unwrap().is_empty());
    assert_eq!(ledger.n_tasks_of_others("old").await.unwrap(), 1);
    assert_eq!(ledger.n_tasks_of_others("new").await.unwrap(), 0);
    assert_eq!(ledger.claim_scored_by("w", 9, Some("new")).await.unwrap().len(), 1);
}

fn ids(requests: &[OutboxRequest]) -> Vec<&str> {
    requests.iter().map(|request| request.id.as_str()).collect()
}

async fn ask(ledger: &Ledger) {
    small_job(ledger).await;
    let task = ledger.claim("w", 1).await.unwrap().remove(0);
    let mut result = result(&task, |_| State::Scored);
    result.requests = vec![request(1, "one"), request(2, "two"), request(3, "three")];
    ledger.close_task(&task, &result).await.unwrap();
}

async fn a_request_is_one_relays_at_a_time(f: Fixture) {
    let ledger = &f.ledger;
    ask(ledger).await;
    let first = ledger.take_requests("a", 2).await.unwrap();
    assert_eq!(ids(&first), ["ocr:3", "ocr:2"]);
    let second = ledger.take_requests("b", 9).await.unwrap();
    assert_eq!(ids(&second), ["ocr:1"]);
    assert!(ledger.take_requests("c", 9).await.unwrap().is_empty());
    ledger.mark_published(&["ocr:3"]).await.unwrap();
    ledger.give_back_requests(&["ocr:3", "ocr:2"]).await.unwrap();
    assert_eq!(
        ids(&ledger.take_requests("c", 9).await.unwrap()),
        ["ocr:2"],
        "what was sent is never sent again"
    );
    let state = ledger.outbox_state().await.unwrap();
    assert_eq!((state.pending, state.published), (2, 1));
    assert!(state.oldest.is_some());
}

async fn requests_are_asked_again_under_new_ids_and_lost_ones_under_the_old(f: Fixture) {
    let ledger = &f.ledger;
    ask(ledger).await;
    let from = (String::new(), 0);
    assert!(
        ledger.sent_requests("default", None, &from, 9).await.unwrap().is_empty(),
        "nothing was sent yet"
    );
    ledger.mark_published(&["ocr:1", "ocr:2"]).await.unwrap();
    let sent = ledger.sent_requests("default", None, &from, 9).await.unwrap();
    assert_eq!(ids(&sent), ["ocr:1", "ocr:2"]);
    let again = [("ocr:1b".to_owned(), ("ocr:1".to_owned(), "one, again".to_owned()))].into();
    assert_eq!(ledger.ask_again(&again).await.unwrap(), 1);
    assert_eq!(ledger.ask_again(&again).await.unwrap(), 0);
    let pending = ledger.take_requests("a", 9).await.unwrap();
    assert_eq!(ids(&pending), ["ocr:3", "ocr:1b"]);
    ledger.mark_published(&["ocr:1b"]).await.unwrap();
    let sha256 = pending[0].document_sha256.clone();
    let newest = ledger.sent_requests("default", Some(&sha256), &from, 9).await.unwrap();
    assert_eq!(ids(&newest), ["ocr:1b", "ocr:2"]);
    assert!(ledger.sent_requests("another", None, &from, 9).await.unwrap().is_empty());
    // The broker lost its queue: everything that was sent is sent once more, as it was.
    assert_eq!(ledger.send_again("default", None).await.unwrap(), 3);
    assert_eq!(ledger.outbox_state().await.unwrap().published, 0);
    assert_eq!(ids(&ledger.take_requests("b", 9).await.unwrap()), ["ocr:2", "ocr:1", "ocr:1b"]);
}
