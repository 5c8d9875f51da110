//! Closing a job: crashes between any two steps, lost leases, the janitor.

use std::sync::atomic::{AtomicUsize, Ordering};

use pagesieve::coordinator::{CoordinatorError, Step};
use pagesieve::ledger::{JobState, NewJob};
use pagesieve::objects::{ObjectKey, Objects};
use pagesieve::score::State;
use pagesieve::tables::{self, Table};

use crate::world::{Doc, World, begin, corpus, new_job};

const STEPS: [Step; 12] = [
    Step::Begun,
    Step::Merged,
    Step::Moved(Table::Documents),
    Step::Moved(Table::Pages),
    Step::Moved(Table::PageFonts),
    Step::Moved(Table::Clusters),
    Step::Manifest,
    Step::Published,
    Step::Current,
    Step::Queued,
    Step::Unstaged,
    Step::Finished,
];

/// The second night of a corpus: some documents changed, some are gone, some are new.
fn second_night() -> Vec<Doc> {
    let mut docs = corpus(120);
    docs.drain(10..13);
    docs[30].version = 5;
    docs.extend([Doc::new(900), Doc::new(901)]);
    docs
}

async fn first_night() -> World {
    let world = World::new().await;
    world.scan(&corpus(120)).await;
    world
}

#[tokio::test]
async fn steps_are_the_ones_tested() {
    let world = first_night().await;
    let job = world.work(&new_job("k"), &second_night(), true).await;
    let seen = std::sync::Mutex::new(Vec::new());
    let note = |step| {
        seen.lock().unwrap().push(step);
        true
    };
    world.closing(&note).await.run(&job).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), STEPS);
}

#[tokio::test]
async fn a_crash_after_any_step_ends_in_equal_tables() {
    let expected = {
        let world = first_night().await;
        world.scan(&second_night()).await;
        (world.tables(), queue_without_time(&world))
    };
    for crash in STEPS {
        let world = first_night().await;
        let job = world.work(&new_job("k"), &second_night(), true).await;
        let stop = move |step| step != crash;
        let stopped = world.closing(&stop).await.run(&job).await;
        assert!(matches!(stopped, Err(CoordinatorError::Stopped(step)) if step == crash), "{stopped:?}");

        let world = world.restart().await;
        let resumed = begin(&world, &new_job("k")).await;
        if crash == Step::Finished {
            assert_ne!(resumed.id, job, "the first job had ended");
        } else {
            assert_eq!(
                (resumed.id.as_str(), resumed.state),
                (job.as_str(), JobState::Closed),
                "after {crash:?}"
            );
            let files = world.files();
            let leftover = files.keys().find(|path| path.starts_with("_staging") || path.starts_with("_tmp"));
            assert_eq!(leftover, None, "after {crash:?}");
        }
        assert_eq!((world.tables(), queue_without_time(&world)), expected, "after {crash:?}");
    }
}

/// The queue's requests without what tells the runs apart.
fn queue_without_time(world: &World) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(world.root().join("ocr-queue.ndjson")).unwrap();
    let without_time = |line: &str| {
        let mut request: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(request.as_object_mut().unwrap().remove("time").is_some());
        request
    };
    text.lines().map(without_time).collect()
}

#[tokio::test]
async fn repeating_the_merge_writes_the_same_bytes_to_the_same_names() {
    let world = first_night().await;
    let job = world.work(&new_job("k"), &second_night(), true).await;
    let stop = |step| step != Step::Manifest;
    assert!(world.closing(&stop).await.run(&job).await.is_err());
    let once = world.files();
    assert!(once.keys().any(|path| path.contains(&job) && path.starts_with("pages/")));
    assert!(world.closing(&stop).await.run(&job).await.is_err());
    let twice = world.files();
    assert_eq!(once.keys().collect::<Vec<_>>(), twice.keys().collect::<Vec<_>>());
    for (path, bytes) in &once {
        assert!(&twice[path] == bytes, "{path} differs");
    }
    world.close(&job).await.unwrap();
    let third = world.files();
    let published = once.iter().filter(|(path, _)| path.ends_with(".parquet") && !path.starts_with('_'));
    assert!(published.into_iter().all(|(path, bytes)| third.get(path) == Some(bytes)));
}

#[tokio::test]
async fn nothing_lies_under_a_table_before_the_snapshot_is_whole() {
    let world = first_night().await;
    let before: Vec<_> = world.files().into_keys().filter(|path| !path.starts_with('_')).collect();
    let job = world.work(&new_job("k"), &second_night(), true).await;
    let stop = |step| step != Step::Merged;
    assert!(world.closing(&stop).await.run(&job).await.is_err());
    let after: Vec<_> = world.files().into_keys().filter(|path| !path.starts_with('_')).collect();
    assert_eq!(before, after);
}

#[tokio::test]
async fn a_frozen_worker_publishes_nothing() {
    let world = World::new().await;
    let docs = corpus(10);
    let job = world.ledger.begin_job(&new_job("k")).await.unwrap().id;
    let listed: Vec<_> = docs.iter().map(Doc::reference).collect();
    world.ledger.store_documents(&job, &listed).await.unwrap();
    world.ledger.seal(&job, 10, true).await.unwrap();
    world.ledger.plan(&job).await.unwrap();
    let frozen = world.ledger.claim("frozen", 1).await.unwrap().remove(0);
    world.ledger.release(&[frozen.lease()]).await.unwrap();
    let task = world.ledger.claim("other", 1).await.unwrap().remove(0);
    let (late, result) = (world.stage(&frozen, &docs).await, world.stage(&task, &docs).await);
    assert_ne!(late.staging_file, result.staging_file);
    assert!(world.ledger.close_task(&frozen, &late).await.is_err());
    world.ledger.close_task(&task, &result).await.unwrap();
    let closed = world.close(&job).await.unwrap();
    assert_eq!(closed.manifest.counts.documents, 10);
    let stray = ObjectKey::new(late.staging_file).unwrap();
    assert_eq!(world.objects.head(&stray).await.unwrap(), None, "the ledger is ours alone: swept at once");
}

#[tokio::test]
async fn another_scan_gives_up_the_unfinished_job_and_its_files() {
    let world = first_night().await;
    let before = world.tables();
    let job = world.work(&new_job("k"), &corpus(130), true).await;
    assert!(world.files().keys().any(|path| path.starts_with(&format!("_staging/{job}"))));
    let fresh = NewJob { fresh: true, ..new_job("k") };
    let world = world.restart().await;
    let next = begin(&world, &fresh).await;
    assert_ne!(next.id, job);
    assert_eq!(world.tables(), before, "the published snapshot stays");
    let job = world.work(&NewJob { fresh: false, ..fresh }, &corpus(120), true).await;
    assert_eq!(job, next.id);
    let closed = world.close(&job).await.unwrap();
    assert_eq!(world.tables(), before);
    assert_eq!(closed.manifest.previous_job, None);
    assert!(world.files().keys().all(|path| !path.starts_with("_staging")));
}

#[tokio::test]
async fn the_janitor_keeps_the_newest_snapshots_and_what_is_registered() {
    let mut world = World::new().await;
    world.keep_jobs = 2;
    let mut jobs = Vec::new();
    for _ in 0..4 {
        jobs.push(world.scan(&corpus(5)).await.job);
    }
    for (n, job) in jobs.iter().enumerate() {
        let files = world.files();
        let kept = files.keys().filter(|path| path.contains(job.as_str())).count();
        assert_eq!(kept > 0, n >= 2, "job {n}");
    }
    // An unfinished job's files stay, however old; an unknown job's young file stays, its old one goes.
    let docs = [Doc { state: State::Scored, ..Doc::new(77) }];
    let job = world.work(&new_job("other"), &docs, true).await;
    let registered = tables::staging_file(&job, 1, 1);
    for (file, hours) in
        [(registered.as_str(), 100), ("_staging/unknown/old", 25), ("_staging/unknown/young", 23)]
    {
        if file != registered {
            world.objects.put(&ObjectKey::new(file).unwrap(), Vec::new()).await.unwrap();
        }
        let past = std::time::SystemTime::now() - std::time::Duration::from_secs(hours * 3600);
        let opened = std::fs::File::options().append(true).open(world.root().join(file)).unwrap();
        opened.set_modified(past).unwrap();
    }
    pagesieve::coordinator::sweep(&world.ledger, &world.objects, 2).await.unwrap();
    let staged: Vec<_> = world.files().into_keys().filter(|path| path.starts_with("_staging")).collect();
    assert_eq!(staged, [registered, "_staging/unknown/young".into()]);
}

#[tokio::test]
async fn a_superseded_leader_publishes_nothing() {
    let world = World::new().await;
    let job = world.work(&new_job("k"), &corpus(5), true).await;
    let n_steps = AtomicUsize::new(0);
    let count = |_| {
        n_steps.fetch_add(1, Ordering::Relaxed);
        true
    };
    let old = world.closing(&count).await;
    let new = world.closing(&|_| true).await;
    assert!(old.run(&job).await.is_err());
    assert_eq!(n_steps.load(Ordering::Relaxed), 0);
    new.run(&job).await.unwrap();
}
