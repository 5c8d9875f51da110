//! A results root with its ledger, and jobs run over synthetic documents.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use arrow::util::display::array_value_to_string;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use pagesieve::coordinator::{self, Closed, Closing, CoordinatorError, Step};
use pagesieve::ledger::{Access, Ledger, NewJob, Outcome, Task, TaskDocument, TaskResult};
use pagesieve::objects::{Folder, ObjectKey, Objects};
use pagesieve::ocr;
use pagesieve::score::{Route, State};
use pagesieve::source::DocumentRef;
use pagesieve::tables::{self, ScoredDocument, StagingContext, Table};
use pagesieve::time::Timestamp;

use crate::synthetic;

/// A document of the corpus: its content is a function of `n` and `version`.
#[derive(Debug, Clone, PartialEq)]
pub struct Doc {
    pub uri: String,
    pub n: u64,
    pub version: u64,
    pub state: State,
    /// Made by a broken tool of its own: every page is flagged for its first font.
    pub planted: bool,
}

impl Doc {
    pub fn new(n: u64) -> Self {
        Self { uri: format!("{:02}/{n:05}.pdf", n % 7), n, version: 0, state: State::Scored, planted: false }
    }

    pub fn reference(&self) -> DocumentRef {
        DocumentRef {
            uri: self.uri.clone(),
            etag: Some(format!("v{}-{}", self.version, self.n)),
            size_bytes: Some(10_000 + self.n),
        }
    }
}

pub fn corpus(n: u64) -> Vec<Doc> {
    (0..n).map(Doc::new).collect()
}

pub struct World {
    pub dir: tempfile::TempDir,
    pub ledger: Ledger,
    pub objects: Folder,
    pub keep_jobs: u32,
}

impl World {
    pub async fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let ledger = Ledger::open_file(&dir.path().join("_ledger.sqlite"), Access::Worker).await.unwrap();
        let objects = Folder::new(dir.path());
        Self { dir, ledger, objects, keep_jobs: 30 }
    }

    /// As after a `kill -9`: nothing is left of the process but the files.
    pub async fn restart(self) -> Self {
        let Self { dir, ledger, objects, keep_jobs } = self;
        ledger.close().await;
        let ledger = Ledger::open_file(&dir.path().join("_ledger.sqlite"), Access::Worker).await.unwrap();
        Self { dir, ledger, objects, keep_jobs }
    }

    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    pub async fn closing<'a>(&'a self, after: &'a (dyn Fn(Step) -> bool + Sync)) -> Closing<'a> {
        let epoch = self.ledger.lead("test").await.unwrap();
        Closing {
            ledger: &self.ledger,
            objects: &self.objects,
            epoch,
            keep_jobs: self.keep_jobs,
            queue_file: true,
            after,
        }
    }

    /// Lists, plans and works on everything; the job is ready to be closed.
    pub async fn work(&self, new: &NewJob, docs: &[Doc], complete: bool) -> String {
        let job = self.ledger.begin_job(new).await.unwrap().id;
        let listed: Vec<_> = docs.iter().map(Doc::reference).collect();
        self.ledger.store_documents(&job, &listed).await.unwrap();
        self.ledger.seal(&job, listed.len() as u64, complete).await.unwrap();
        self.ledger.plan(&job).await.unwrap();
        loop {
            let tasks = self.ledger.claim("test", 3).await.unwrap();
            if tasks.is_empty() {
                return job;
            }
            for task in tasks {
                let result = self.stage(&task, docs).await;
                self.ledger.close_task(&task, &result).await.unwrap();
            }
        }
    }

    /// Scores a task's documents and stores the staging file.
    pub async fn stage(&self, task: &Task, docs: &[Doc]) -> TaskResult {
        let rules_version = pagesieve::score::RULES_VERSION.to_owned();
        let context = StagingContext { job: task.job.clone(), corpus: task.corpus.clone(), rules_version };
        let scored: Vec<ScoredDocument> = task
            .documents
            .iter()
            .map(|document| score(document, docs.iter().find(|d| d.uri == document.document.uri).unwrap()))
            .collect();
        let staged = tables::stage(&context, &scored).unwrap();
        let staging_file = tables::staging_file(&task.job, task.number, task.attempt);
        let (key, staging_bytes) =
            (ObjectKey::new(staging_file.as_str()).unwrap(), staged.bytes.len() as u64);
        let staged_at = Timestamp::now();
        self.objects.put(&key, staged.bytes).await.unwrap();
        let outcomes = scored.iter().map(outcome).collect();
        TaskResult {
            staging_file,
            staging_bytes,
            staged_at,
            outcomes,
            requests: ocr::requests(&context, &scored),
        }
    }

    pub async fn close(&self, job: &str) -> Result<Closed, CoordinatorError> {
        self.closing(&|_| true).await.run(job).await
    }

    /// A whole job.
    pub async fn scan(&self, docs: &[Doc]) -> Closed {
        let job = self.work(&new_job("k"), docs, true).await;
        self.close(&job).await.unwrap()
    }

    /// What the current snapshot says, without what equal tables may differ in: sorted rows by table.
    pub fn tables(&self) -> BTreeMap<&'static str, Vec<String>> {
        let current = read_json(&self.root().join("_current.json"));
        let job = current["corpora"]["default"]["job"].as_str().unwrap().to_owned();
        let rows = Table::ALL.map(|table| (table.name(), table_rows(self.root(), table, &job)));
        rows.into()
    }

    /// All files below the root but the ledger's, with their bytes.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.root(), self.root(), &mut files);
        files.retain(|path, _| !path.starts_with("_ledger.sqlite"));
        files
    }
}

pub fn new_job(score_key: &str) -> NewJob {
    NewJob {
        corpus: "default".into(),
        fingerprint: "f".into(),
        score_key: score_key.into(),
        rules_version: pagesieve::score::RULES_VERSION.into(),
        fresh: false,
    }
}

fn score(document: &TaskDocument, doc: &Doc) -> ScoredDocument {
    let read = !matches!(doc.state, State::Missing | State::FetchFailed | State::OverLimit);
    let sha256 = read.then(|| synthetic::sha256_of(doc.n, doc.version));
    let score = match doc.state {
        State::Scored | State::Partial => {
            let mut score = synthetic::document(doc.n, doc.version, 40, 6);
            score.state = doc.state;
            if doc.planted {
                synthetic::plant(&mut score);
            }
            score
        }
        state => synthetic::unread(state),
    };
    ScoredDocument {
        change: document.change(document.document.etag.as_deref(), sha256.as_deref()),
        document: document.document.clone(),
        sha256,
        scored_at: Timestamp::now(),
        score,
    }
}

fn outcome(scored: &ScoredDocument) -> Outcome {
    let pages = &scored.score.pages;
    Outcome {
        uri: scored.document.uri.clone(),
        etag: scored.document.etag.clone(),
        sha256: scored.sha256.clone(),
        size_bytes: scored.document.size_bytes,
        state: scored.score.state,
        state_reason: scored.score.state_reason.clone(),
        change: scored.change,
        n_pages: pages.len() as u32,
        n_pages_ocr: pages.iter().filter(|page| page.route == Route::Ocr).count() as u32,
    }
}

/// Batches of a table in one job's snapshot, file by file.
pub fn batches(root: &Path, table: Table, job: &str) -> Vec<(PathBuf, Vec<RecordBatch>)> {
    let folder = root.join(tables::table_folder(table, job));
    let mut files = BTreeMap::new();
    collect(&folder, &folder, &mut files);
    let read = |name: String| {
        let path = folder.join(name);
        let reader =
            ParquetRecordBatchReaderBuilder::try_new(File::open(&path).unwrap()).unwrap().build().unwrap();
        (path, reader.map(Result::unwrap).collect())
    };
    files.into_keys().map(read).collect()
}

fn table_rows(root: &Path, table: Table, job: &str) -> Vec<String> {
    let exempt = ["job_id", "scored_job_id", "scored_at", "first_seen", "last_seen", "change", "etag"];
    let mut rows = Vec::new();
    for batch in batches(root, table, job).into_iter().flat_map(|(_, batches)| batches) {
        for row in 0..batch.num_rows() {
            let mut text = String::new();
            for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
                if !exempt.contains(&field.name().as_str()) {
                    let value = array_value_to_string(column, row).unwrap();
                    text.push_str(&format!("{}={value};", field.name()));
                }
            }
            rows.push(text);
        }
    }
    rows.sort();
    rows
}

pub fn read_json(path: &Path) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
            files.insert(name, std::fs::read(&path).unwrap());
        }
    }
}

/// Begins as `scan` does: carries through what an earlier process had decided.
pub async fn begin(world: &World, new: &NewJob) -> pagesieve::ledger::Job {
    coordinator::begin(&world.closing(&|_| true).await, new).await.unwrap()
}
