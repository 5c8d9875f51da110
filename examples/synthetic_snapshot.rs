//! Writes a results root of synthetic documents through ledger, staging and close, two nights of it, and reports sizes, times
//! and memory.
//!
//! usage: synthetic_snapshot DIR [DOCUMENTS=25000] [PAGES_PER_DOCUMENT=20]

#[expect(dead_code, unreachable_pub, reason = "shared with the tests, which use all of it")]
#[path = "../tests/synthetic.rs"]
mod synthetic;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use pagesieve::coordinator::Closing;
use pagesieve::ledger::{Access, Ledger, NewJob, Outcome, Task, TaskResult};
use pagesieve::objects::{Folder, ObjectKey, Objects};
use pagesieve::ocr;
use pagesieve::score::{RULES_VERSION, Route};
use pagesieve::source::DocumentRef;
use pagesieve::tables::{self, ScoredDocument, StagingContext};
use pagesieve::time::Timestamp;

const N_PRODUCERS: u64 = 3800;

type Error = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let args: Vec<String> = std::env::args().collect();
    let number = |at: usize, default| args.get(at).map_or(Ok(default), |text| text.parse::<u64>());
    let (n_documents, n_pages) = (number(2, 25_000)?, number(3, 20)?);
    let root = Path::new(args.get(1).ok_or("usage: synthetic_snapshot DIR [DOCUMENTS] [PAGES]")?);
    std::fs::create_dir_all(root)?;
    let ledger = Ledger::open_file(&root.join("_ledger.sqlite"), Access::Worker).await?;
    let first: Vec<(u64, u64)> = (0..n_documents).map(|n| (n, 0)).collect();
    night(&ledger, root, &first, n_pages, "first night").await?;
    // 1 % changed, 1 % new, 1 % deleted.
    let kept = first.iter().filter(|(n, _)| n % 100 != 7).map(|&(n, _)| (n, u64::from(n % 100 == 3)));
    let second: Vec<_> = kept.chain((0..n_documents / 100).map(|n| (n_documents + n, 0))).collect();
    night(&ledger, root, &second, n_pages, "second night").await
}

async fn night(
    ledger: &Ledger,
    root: &Path,
    documents: &[(u64, u64)],
    n_pages: u64,
    name: &str,
) -> Result<(), Error> {
    let objects = Folder::new(root);
    let mut lap = Lap::start(name);
    let new = NewJob {
        corpus: "default".into(),
        fingerprint: "synthetic".into(),
        score_key: "synthetic".into(),
        rules_version: RULES_VERSION.into(),
        fresh: false,
    };
    let job = ledger.begin_job(&new).await?.id;
    let listed: Vec<DocumentRef> = documents.iter().map(|&(n, version)| listed(n, version)).collect();
    ledger.store_documents(&job, &listed).await?;
    ledger.seal(&job, listed.len() as u64, true).await?;
    let planned = ledger.plan(&job).await?;
    lap.end(&format!("listed and planned: {planned:?}"));
    let versions: BTreeMap<u64, u64> = documents.iter().copied().collect();
    let mut staged_bytes = 0;
    loop {
        let tasks = ledger.claim("synthetic", 4).await?;
        if tasks.is_empty() {
            break;
        }
        for task in tasks {
            staged_bytes += work(ledger, &objects, &task, &versions, n_pages).await?;
        }
    }
    lap.end(&format!("staged {:.1} MB", staged_bytes as f64 / 1e6));
    let epoch = ledger.lead("synthetic").await?;
    let lap = Mutex::new(lap);
    let after = |step| {
        lap.lock().expect("no panic while held").end(&format!("closing: {step:?}"));
        true
    };
    let closing =
        Closing { ledger, objects: &objects, epoch, keep_jobs: 30, queue_file: true, after: &after };
    let closed = closing.run(&job).await?;
    let mut by_table = BTreeMap::<&str, (u64, u64, u64)>::new();
    for file in &closed.manifest.files {
        let entry = by_table.entry(&file.table).or_default();
        *entry =
            (entry.0 + 1, entry.1 + file.rows, entry.2 + std::fs::metadata(root.join(&file.path))?.len());
    }
    for (table, (files, rows, bytes)) in &by_table {
        println!("  {table:11} {files:3} files {rows:9} rows {:8.2} MB", *bytes as f64 / 1e6);
    }
    let bytes: u64 = by_table.values().map(|entry| entry.2).sum();
    println!("  together {:.2} MB; {} OCR requests", bytes as f64 / 1e6, closed.ocr_requests);
    Ok(())
}

fn listed(n: u64, version: u64) -> DocumentRef {
    let uri = format!("s3://archive/{:03}/{:02}/document-{n:06}.pdf", n % 311, n % 17);
    DocumentRef { uri, etag: Some(format!("{n:x}-{version}")), size_bytes: Some(40_000 + n * 37 % 900_000) }
}

async fn work(
    ledger: &Ledger,
    objects: &Folder,
    task: &Task,
    versions: &BTreeMap<u64, u64>,
    n_pages: u64,
) -> Result<u64, Error> {
    let rules_version = RULES_VERSION.to_owned();
    let context = StagingContext { job: task.job.clone(), corpus: task.corpus.clone(), rules_version };
    let staged_at = Timestamp::now();
    let mut scored = Vec::new();
    for document in &task.documents {
        let uri = &document.document.uri;
        let n: u64 = uri[uri.len() - 10..uri.len() - 4].parse()?;
        let version = versions.get(&n).copied().unwrap_or(0);
        let sha256 = synthetic::sha256_of(n, version);
        scored.push(ScoredDocument {
            change: document.change(document.document.etag.as_deref(), Some(&sha256)),
            document: document.document.clone(),
            sha256: Some(sha256),
            scored_at: Timestamp::now(),
            score: synthetic::document(n, version, N_PRODUCERS, n_pages * 5 / 4),
        });
    }
    let staged = tables::stage(&context, &scored)?;
    let outcomes = scored.iter().map(|scored| Outcome {
        uri: scored.document.uri.clone(),
        etag: scored.document.etag.clone(),
        sha256: scored.sha256.clone(),
        size_bytes: scored.document.size_bytes,
        state: scored.score.state,
        state_reason: None,
        change: scored.change,
        n_pages: scored.score.pages.len() as u32,
        n_pages_ocr: scored.score.pages.iter().filter(|page| page.route == Route::Ocr).count() as u32,
    });
    let staging_file = tables::staging_file(&task.job, task.number, task.attempt);
    let staging_bytes = staged.bytes.len() as u64;
    objects.put(&ObjectKey::new(staging_file.as_str())?, staged.bytes).await?;
    let requests = ocr::requests(&context, &scored);
    let result =
        TaskResult { staging_file, staging_bytes, staged_at, outcomes: outcomes.collect(), requests };
    ledger.close_task(task, &result).await?;
    Ok(staging_bytes)
}

/// Wall clock, CPU and peak memory of a phase.
struct Lap {
    name: String,
    wall: Instant,
    cpu: f64,
}

impl Lap {
    fn start(name: &str) -> Self {
        Self { name: name.to_owned(), wall: Instant::now(), cpu: cpu_seconds() }
    }

    fn end(&mut self, what: &str) {
        let (wall, cpu) = (self.wall.elapsed().as_secs_f64(), cpu_seconds() - self.cpu);
        println!("{}: {what}: {wall:.1} s, CPU {cpu:.1} s, peak memory {} MB", self.name, peak_megabytes());
        (self.wall, self.cpu) = (Instant::now(), cpu_seconds());
    }
}

fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<f64>().ok());
    ticks.sum::<f64>() / 100.0
}

fn peak_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
