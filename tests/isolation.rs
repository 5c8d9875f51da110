//! Children that die, hang, lie and eat, with the real program as the child.
//!
//! Documents that start with `%PAGESIEVE-HOOK` make a child of a debug build misbehave on purpose.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use pagesieve::isolate::{Cause, IsolateError, Outcome, Pool, PoolConfig};
use pagesieve::score::{Limits, PageScore, ReasonCode, Settings, State};

fn config() -> PoolConfig {
    PoolConfig { program: PathBuf::from(env!("CARGO_BIN_EXE_pagesieve")), ..PoolConfig::default() }
}

/// The program under a name of its own, so that its children can be told from those of other tests.
struct Named {
    _folder: tempfile::TempDir,
    program: PathBuf,
}

impl Named {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let program = folder.path().join("pagesieve");
        std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_pagesieve"), &program).expect("a link");
        Self { _folder: folder, program }
    }

    fn config(&self) -> PoolConfig {
        PoolConfig { program: self.program.clone(), ..PoolConfig::default() }
    }

    /// Its running children.
    fn children(&self) -> Vec<u32> {
        let mut command = self.program.to_str().expect("a plain path").as_bytes().to_vec();
        command.extend_from_slice(b"\0child\0");
        let processes = std::fs::read_dir("/proc").expect("mounted").flatten();
        let children = processes.filter(|entry| {
            std::fs::read(entry.path().join("cmdline")).is_ok_and(|line| line.starts_with(&command))
        });
        children.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
    }
}

/// Limits of time that a test can wait for.
fn hasty() -> Settings {
    let limits = Limits { wall_ms: 1_000, wall_ms_per_page: 0, ..Limits::default() };
    Settings { limits, ..Settings::default() }
}

fn hook(words: &str) -> Arc<[u8]> {
    Arc::from(format!("%PAGESIEVE-HOOK {words}").as_bytes())
}

async fn score_in(config: PoolConfig, words: &str) -> Outcome {
    let pool = Pool::new(config).expect("threads and pipes can be had");
    pool.score(hook(words)).await.expect("a child can be started")
}

async fn score(words: &str) -> Outcome {
    score_in(config(), words).await
}

fn causes(outcome: &Outcome) -> Vec<Cause> {
    outcome.attempts.iter().map(|attempt| attempt.cause).collect()
}

#[tokio::test]
async fn a_child_reaches_nothing_but_its_pipes() {
    let pool = Pool::new(config()).unwrap();
    assert!(pool.sandbox().is_none(), "no child before the first document");
    let outcome = pool.score(hook("probe")).await.unwrap();
    assert_eq!(outcome.score.state_reason.as_deref(), Some("fenced"));
    let sandbox = pool.sandbox().unwrap();
    assert!(sandbox.seccomp, "{}", sandbox.missing);
    assert!(sandbox.landlock, "{}", sandbox.missing);
}

#[tokio::test]
async fn crashes_are_tried_twice_and_end_as_crashed() {
    for (word, cause) in [
        ("abort", Cause::Signal(libc::SIGABRT)),
        ("segv", Cause::Signal(libc::SIGSEGV)),
        ("overflow", Cause::StackOverflow),
        ("exit", Cause::Exit(7)),
        ("garbage", Cause::BadFrame),
        ("huge", Cause::BadFrame),
        ("text", Cause::BadFrame),
    ] {
        let outcome = score(word).await;
        assert_eq!(causes(&outcome), [cause, cause], "{word}");
        assert_eq!(outcome.score.state, State::Crashed, "{word}");
        assert_eq!(outcome.score.state_reason, Some(cause.to_string()), "{word}");
        assert!(outcome.score.pages.is_empty(), "{word}");
    }
}

#[tokio::test]
async fn a_panic_costs_the_document_and_not_the_child() {
    let pool = Pool::new(config()).unwrap();
    let outcome = pool.score(hook("panic")).await.unwrap();
    assert_eq!(outcome.score.state, State::Crashed);
    assert_eq!(outcome.attempts, []);
}

#[tokio::test]
async fn a_memory_bomb_ends_as_memory() {
    let outcome = score("alloc=100000").await;
    assert_eq!(causes(&outcome), [Cause::MemoryLimit, Cause::MemoryLimit]);
    assert_eq!(outcome.score.state, State::Memory);
}

#[tokio::test]
async fn the_second_try_has_twice_the_memory() {
    let small = PoolConfig { child_memory_bytes: 512 << 20, ..config() };
    let outcome = score_in(small, "alloc=600").await;
    assert_eq!(causes(&outcome), [Cause::MemoryLimit]);
    assert_eq!(outcome.score.state, State::Scored);
}

#[tokio::test]
async fn the_limit_of_memory_is_there_to_be_used() {
    let outcome = score(&"alloc=40 ".repeat(30)).await;
    assert_eq!(causes(&outcome), []);
    assert_eq!(outcome.score.state, State::Scored);
}

#[tokio::test]
async fn a_kill_from_outside_counts_as_memory_and_is_tried_again() {
    let outcome = score("kill").await;
    assert_eq!(causes(&outcome), [Cause::Killed, Cause::Killed]);
    assert_eq!(outcome.score.state, State::Memory);
}

#[tokio::test]
async fn endless_work_ends_by_the_clock_and_is_not_tried_again() {
    let started = Instant::now();
    let outcome = score_in(PoolConfig { settings: hasty(), ..config() }, "spin").await;
    assert!(matches!(causes(&outcome)[..], [Cause::WallLimit | Cause::CpuLimit]), "{outcome:?}");
    assert_eq!(outcome.score.state, State::Timeout);
    let outcome = score_in(PoolConfig { settings: hasty(), ..config() }, "hang").await;
    assert_eq!(causes(&outcome), [Cause::WallLimit]);
    assert_eq!(outcome.score.state, State::Timeout);
    assert!(started.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn silence_ends_a_document_whose_pages_would_allow_more() {
    let limits = Limits { wall_ms: 1_000, wall_ms_per_page: 60_000, ..Limits::default() };
    let settings = Settings { limits, ..Settings::default() };
    let outcome = score_in(PoolConfig { settings, ..config() }, "open=100 sleep=300 hang").await;
    assert_eq!(causes(&outcome), [Cause::Silence]);
    assert_eq!(outcome.score.state, State::Timeout);
}

#[tokio::test]
async fn pages_extend_the_clock() {
    let limits = Limits { wall_ms: 1_000, wall_ms_per_page: 1_000, ..Limits::default() };
    let settings = Settings { limits, ..Settings::default() };
    let words = "open=3 sleep=800 page sleep=800 page sleep=800 page";
    let outcome = score_in(PoolConfig { settings, ..config() }, words).await;
    assert_eq!(causes(&outcome), []);
    assert_eq!(outcome.score.state, State::Scored);
}

/// Routes of a salvaged document's pages, with `!` behind one that was not measured.
fn pages(outcome: &Outcome) -> Vec<String> {
    let unmeasured =
        |page: &PageScore| page.reasons.iter().any(|reason| reason.code == ReasonCode::PageError);
    let pages = outcome.score.pages.iter();
    pages.map(|page| format!("{:?}{}", page.route, if unmeasured(page) { "!" } else { "" })).collect()
}

#[tokio::test]
async fn pages_measured_before_a_kill_are_kept() {
    let settings = hasty();
    let outcome = score_in(PoolConfig { settings, ..config() }, "open=3 page page sleep=300 hang").await;
    assert_eq!(outcome.score.state, State::Partial);
    let reason = outcome.score.state_reason.as_deref().unwrap_or_default();
    assert_eq!(reason, "over the limit of time; 2 of 3 pages measured");
    assert_eq!(pages(&outcome), ["Keep", "Keep", "Ocr!"]);
}

#[tokio::test]
async fn a_crash_too_early_to_report_pages_reports_them_the_second_time() {
    let outcome = score("open=3 page abort").await;
    assert_eq!(causes(&outcome), [Cause::Signal(libc::SIGABRT); 2]);
    assert_eq!(outcome.score.state, State::Partial);
    assert_eq!(pages(&outcome), ["Keep", "Ocr!", "Ocr!"]);
}

#[tokio::test]
async fn a_page_over_the_limit_is_a_bad_frame_and_does_not_count() {
    let limits = Limits { pages: 2, ..Limits::default() };
    let settings = Settings { limits, ..Settings::default() };
    let outcome = score_in(PoolConfig { settings, ..config() }, "open=9 page page page sleep=300").await;
    assert_eq!(causes(&outcome), [Cause::BadFrame, Cause::BadFrame]);
    assert_eq!(pages(&outcome)[..2], ["Keep", "Keep"]);
}

#[tokio::test]
async fn frames_out_of_order_are_bad_frames() {
    for words in ["open=1 open=1 sleep=400", "page open=1 sleep=400"] {
        let outcome = score(words).await;
        assert_eq!(causes(&outcome), [Cause::BadFrame, Cause::BadFrame], "{words}");
        assert_eq!(outcome.score.state, State::Crashed, "{words}");
    }
}

#[tokio::test]
async fn one_killer_in_a_batch_harms_no_neighbour() {
    let pool = Pool::new(PoolConfig { children: 2, ..config() }).unwrap();
    let words =
        ["open=1", "abort", "sleep=50", "overflow", "probe", "exit", "open=2", "alloc=9999", "sleep=5"];
    let files = words.map(|words| (words, hook(words)));
    let mut running = Vec::new();
    for (words, file) in files {
        running.push((words, pool.score(file)));
    }
    let (names, futures): (Vec<_>, Vec<_>) = running.into_iter().unzip();
    let outcomes = join_all(futures).await;
    for (words, outcome) in names.into_iter().zip(outcomes) {
        let outcome = outcome.unwrap();
        let fatal = ["abort", "overflow", "exit", "alloc=9999"].contains(&words);
        assert_eq!(outcome.attempts.len(), if fatal { 2 } else { 0 }, "{words}");
        assert_eq!(outcome.score.state == State::Scored, !fatal, "{words}");
        assert_eq!(outcome.sha256.len(), 64);
    }
}

#[tokio::test]
async fn children_are_replaced_after_a_while() {
    let named = Named::new();
    let pool = Pool::new(PoolConfig { recycle_documents: 2, ..named.config() }).unwrap();
    let mut children = Vec::new();
    for _ in 0..5 {
        pool.score(hook("open=1")).await.unwrap();
        children.push(named.children());
    }
    // One child for two documents each, gone after the second.
    assert_eq!(children.iter().map(Vec::len).collect::<Vec<_>>(), [1, 0, 1, 0, 1]);
    assert_ne!(children[0], children[2]);
}

#[tokio::test]
async fn a_program_that_is_no_child_is_an_error_and_not_the_documents_fault() {
    for program in ["/nonexistent/pagesieve", "/bin/false", "/bin/cat"] {
        let pool = Pool::new(PoolConfig { program: PathBuf::from(program), ..config() }).unwrap();
        let error = pool.score(hook("open=1")).await.unwrap_err();
        assert!(matches!(error, IsolateError::Start(_)), "{program}: {error:?}");
    }
}

#[tokio::test]
async fn closing_a_pool_ends_its_children_at_once() {
    let named = Named::new();
    let pool = Arc::new(Pool::new(named.config()).unwrap());
    let waiting = tokio::spawn({
        let pool = Arc::clone(&pool);
        async move { pool.score(hook("hang")).await }
    });
    while named.children().is_empty() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    waiting.abort();
    let _ = waiting.await;
    let started = Instant::now();
    drop(Arc::into_inner(pool).expect("the only owner"));
    assert!(started.elapsed() < Duration::from_secs(2));
    assert_eq!(named.children(), [] as [u32; 0]);
}

#[tokio::test]
async fn an_empty_environment_whatever_the_parents() {
    let named = Named::new();
    let pool = Pool::new(named.config()).unwrap();
    pool.score(hook("open=1")).await.unwrap();
    for child in named.children() {
        // Not dumpable: even its owner may not look, only root.
        let environment = std::fs::read(format!("/proc/{child}/environ"));
        assert!(environment.map_or(true, |variables| variables.is_empty()));
    }
}

async fn join_all<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut pinned: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut done: Vec<Option<F::Output>> = pinned.iter().map(|_| None).collect();
    std::future::poll_fn(move |context| {
        for (future, done) in pinned.iter_mut().zip(&mut done) {
            if done.is_none()
                && let std::task::Poll::Ready(output) = future.as_mut().poll(context)
            {
                *done = Some(output);
            }
        }
        if done.iter().all(Option::is_some) {
            return std::task::Poll::Ready(done.iter_mut().filter_map(Option::take).collect());
        }
        std::task::Poll::Pending
    })
    .await
}
