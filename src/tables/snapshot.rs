//! Staging files and the previous snapshot → one complete snapshot of the corpus.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{AsArray, BooleanArray, RecordBatch, StringArray};
use arrow::compute::filter_record_batch;
use sha2::{Digest, Sha256};

use super::clusters;
use super::files::{self, TableWriter};
use super::manifest::{Counts, ManifestFile};
use super::merge::{Source, merge};
use super::schema::{SCHEMA_VERSION, Table};
use super::staging::{StagingFile, StagingWriter};
use super::{N_BUCKETS, TablesError};

/// Staging files merged at once; more are merged into runs first.
const FAN_IN: usize = 512;
/// Rows of one file of a bucket; what is beyond goes into the next part.
const PART_ROWS: u64 = 16 << 20;

/// URIs whose rows are not taken over, by 128 bits of their SHA-256: flat memory, and no file can choose a collision.
#[derive(Debug, Clone, Default)]
pub struct DroppedUris(BTreeSet<u128>);

impl DroppedUris {
    /// Adds a URI.
    pub fn insert(&mut self, uri: &str) {
        self.0.insert(short_hash(uri));
    }

    fn contains(&self, uri: &str) -> bool {
        !self.0.is_empty() && self.0.contains(&short_hash(uri))
    }
}

pub(super) fn short_hash(uri: &str) -> u128 {
    let hash = Sha256::digest(uri.as_bytes());
    hash.iter().take(16).fold(0, |bits, &byte| bits << 8 | u128::from(byte))
}

/// A published file of the previous snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviousFile {
    /// Its table.
    pub table: Table,
    /// Its bucket.
    pub bucket: u8,
    /// Where its bytes are.
    pub path: PathBuf,
}

/// What a snapshot is made of.
#[derive(Debug, Clone)]
pub struct SnapshotInput {
    /// The job.
    pub job: String,
    /// The registered staging files, in the order of their tasks.
    pub staging: Vec<PathBuf>,
    /// The previous snapshot, parts of a bucket in order; empty when nothing is carried forward.
    pub previous: Vec<PreviousFile>,
    /// What of it is left behind.
    pub dropped: DroppedUris,
}

/// A snapshot that is written but not published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Its files, with paths as they will be published.
    pub files: Vec<ManifestFile>,
    /// What is in it.
    pub counts: Counts,
    /// Bytes of all files.
    pub bytes: u64,
}

/// Folder of a table in a job's snapshot: `<table>/schema=v1/job=<id>`.
pub fn table_folder(table: Table, job: &str) -> String {
    format!("{}/schema={SCHEMA_VERSION}/job={job}", table.name())
}

/// Writes a snapshot below `folder`, at the paths it will be published under.
///
/// Rows are totally ordered and nothing but the rows goes into a file, so repeating this writes the same bytes to the same
/// names. Memory is bounded by `FAN_IN` chunks and one row group, whatever the size of the corpus. CPU-bound: call it
/// from a blocking thread. `scratch` takes runs of a merge with more inputs.
pub fn write_snapshot(input: &SnapshotInput, folder: &Path, scratch: &Path) -> Result<Snapshot, TablesError> {
    write_with(input, folder, scratch, FAN_IN)
}

pub(super) fn write_with(
    input: &SnapshotInput,
    folder: &Path,
    scratch: &Path,
    fan_in: usize,
) -> Result<Snapshot, TablesError> {
    let runs = reduce(&input.staging, scratch, fan_in)?;
    let staging = runs.iter().map(|path| StagingFile::open(path)).collect::<Result<Vec<_>, _>>()?;
    let mut snapshot = Snapshot { files: Vec::new(), counts: Counts::default(), bytes: 0 };
    let mut changed = [false; N_BUCKETS as usize];
    for table in Table::SCORED {
        let first = snapshot.files.len();
        for bucket in 0..N_BUCKETS {
            let mut sources = staged(&staging, table, bucket);
            let previous: Vec<&Path> = previous_files(input, table, bucket).collect();
            let parts = Parts::new(input, folder, table, bucket);
            if sources.is_empty() && !previous.is_empty() && keeps_all(&previous, table, &input.dropped)? {
                parts.copy(&previous, &mut snapshot)?;
                continue;
            }
            sources.extend(carried(input, table, &previous)?);
            if !sources.is_empty() {
                changed[usize::from(bucket)] |= table != Table::Documents;
                parts.write(sources, &mut snapshot)?;
            }
        }
        if snapshot.files.len() == first {
            // So that a plain path finds the table even when it has no rows.
            Parts::new(input, folder, table, 0).finish_empty(&mut snapshot)?;
        }
    }
    write_clusters(input, folder, changed, &mut snapshot)?;
    Ok(snapshot)
}

/// Derives `clusters` from the files just written; a bucket whose pages and fonts were taken over keeps its own.
fn write_clusters(
    input: &SnapshotInput,
    folder: &Path,
    changed: [bool; N_BUCKETS as usize],
    snapshot: &mut Snapshot,
) -> Result<(), TablesError> {
    let first = snapshot.files.len();
    for bucket in 0..N_BUCKETS {
        let parts = Parts::new(input, folder, Table::Clusters, bucket);
        let previous: Vec<&Path> = previous_files(input, Table::Clusters, bucket).collect();
        if !changed[usize::from(bucket)] && !previous.is_empty() {
            parts.copy(&previous, snapshot)?;
            continue;
        }
        let part = format!("/bucket={bucket:02}/");
        let written = |table: Table| -> Vec<PathBuf> {
            let files =
                snapshot.files.iter().filter(|file| file.table == table.name() && file.path.contains(&part));
            files.map(|file| folder.join(&file.path)).collect()
        };
        let (pages, fonts) = (written(Table::Pages), written(Table::PageFonts));
        parts.derive(&pages, &fonts, snapshot)?;
    }
    if snapshot.files.len() == first {
        Parts::new(input, folder, Table::Clusters, 0).finish_empty(snapshot)?;
    }
    Ok(())
}

fn staged(files: &[StagingFile], table: Table, bucket: u8) -> Vec<Source> {
    let with_rows = files.iter().filter(|file| file.has(table, bucket));
    with_rows.map(|file| Box::new(file.chunks(table, bucket)) as Source).collect()
}

fn previous_files(input: &SnapshotInput, table: Table, bucket: u8) -> impl Iterator<Item = &Path> {
    let files = input.previous.iter().filter(move |file| file.table == table && file.bucket == bucket);
    files.map(|file| file.path.as_path())
}

/// Whether no row of these files is left behind.
fn keeps_all(files: &[&Path], table: Table, dropped: &DroppedUris) -> Result<bool, TablesError> {
    if dropped.0.is_empty() {
        return Ok(true);
    }
    for file in files {
        for batch in files::read_columns(file, table, &["document_uri"])? {
            if text(&batch?, "document_uri").iter().flatten().any(|uri| dropped.contains(uri)) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// The rows of the previous snapshot that are carried forward, as rows of this job.
fn carried(input: &SnapshotInput, table: Table, files: &[&Path]) -> Result<Option<Source>, TablesError> {
    let readers = files.iter().map(|file| files::read(file, table)).collect::<Result<Vec<_>, _>>()?;
    if readers.is_empty() {
        return Ok(None);
    }
    let (dropped, job) = (Arc::new(input.dropped.clone()), input.job.clone());
    let rows = readers.into_iter().flatten().map(move |batch| carry(&batch?, table, &dropped, &job));
    Ok(Some(Box::new(rows)))
}

fn carry(
    batch: &RecordBatch,
    table: Table,
    dropped: &DroppedUris,
    job: &str,
) -> Result<RecordBatch, TablesError> {
    let uris = text(batch, "document_uri");
    let mut last = (None, false);
    let keep: BooleanArray = uris
        .iter()
        .map(|uri| {
            if last.0 != uri {
                last = (uri, uri.is_some_and(|uri| dropped.contains(uri)));
            }
            Some(!last.1)
        })
        .collect();
    let batch = filter_record_batch(batch, &keep)?;
    let n = batch.num_rows();
    let mut columns = batch.columns().to_vec();
    let mut replace = |name: &str, value: &str| {
        let index = batch.schema().index_of(name).expect("a column of the table");
        columns[index] = Arc::new(StringArray::from_iter_values(std::iter::repeat_n(value, n)));
    };
    replace("job_id", job);
    if table == Table::Documents {
        replace("change", "unchanged");
    }
    Ok(RecordBatch::try_new(batch.schema(), columns)?)
}

fn text<'b>(batch: &'b RecordBatch, name: &str) -> &'b StringArray {
    batch.column_by_name(name).expect("a column of the table").as_string()
}

/// The files of one table and bucket.
struct Parts<'a> {
    input: &'a SnapshotInput,
    folder: &'a Path,
    table: Table,
    bucket: u8,
    n_parts: u32,
    open: Option<TableWriter>,
}

impl<'a> Parts<'a> {
    fn new(input: &'a SnapshotInput, folder: &'a Path, table: Table, bucket: u8) -> Self {
        Self { input, folder, table, bucket, n_parts: 0, open: None }
    }

    fn path(&self) -> String {
        let folder = table_folder(self.table, &self.input.job);
        format!("{folder}/bucket={:02}/part-{}.parquet", self.bucket, self.n_parts)
    }

    fn write(mut self, sources: Vec<Source>, snapshot: &mut Snapshot) -> Result<(), TablesError> {
        let table = self.table;
        merge(table, sources, &mut |batch| {
            snapshot.counts.add(table, &batch);
            if self.open.as_ref().is_some_and(|writer| writer.rows() >= PART_ROWS) {
                self.end_part(snapshot)?;
            }
            if self.open.is_none() {
                self.open = Some(TableWriter::create(&self.folder.join(self.path()), table)?);
            }
            self.open.as_mut().expect("just opened").write(&batch)
        })?;
        self.end_part(snapshot)
    }

    /// Writes the clusters of the bucket whose files are given; nothing where there are none.
    fn derive(
        mut self,
        pages: &[PathBuf],
        fonts: &[PathBuf],
        snapshot: &mut Snapshot,
    ) -> Result<(), TablesError> {
        clusters::build(&self.input.job, pages, fonts, &mut |batch| {
            snapshot.counts.add(Table::Clusters, &batch);
            if self.open.is_none() {
                self.open = Some(TableWriter::create(&self.folder.join(self.path()), Table::Clusters)?);
            }
            self.open.as_mut().expect("just opened").write(&batch)
        })?;
        self.end_part(snapshot)
    }

    /// Takes files over whose rows all stay.
    fn copy(mut self, files: &[&Path], snapshot: &mut Snapshot) -> Result<(), TablesError> {
        for file in files {
            let columns: &[&str] = match self.table {
                Table::Documents => &["state", "change"],
                Table::Pages => &["route", "judged"],
                Table::PageFonts | Table::Clusters => &[],
            };
            let written = files::copy(file, &self.folder.join(self.path()), self.table, &self.input.job)?;
            if columns.is_empty() {
                match self.table {
                    Table::Clusters => snapshot.counts.clusters += written.rows,
                    _ => snapshot.counts.page_fonts += written.rows,
                }
            } else {
                for batch in files::read_columns(&self.folder.join(self.path()), self.table, columns)? {
                    snapshot.counts.add(self.table, &batch?);
                }
            }
            self.note(written, snapshot);
        }
        Ok(())
    }

    fn finish_empty(mut self, snapshot: &mut Snapshot) -> Result<(), TablesError> {
        self.open = Some(TableWriter::create(&self.folder.join(self.path()), self.table)?);
        self.end_part(snapshot)
    }

    fn end_part(&mut self, snapshot: &mut Snapshot) -> Result<(), TablesError> {
        if let Some(writer) = self.open.take() {
            let written = writer.finish()?;
            self.note(written, snapshot);
        }
        Ok(())
    }

    fn note(&mut self, written: files::Written, snapshot: &mut Snapshot) {
        snapshot.bytes += written.bytes;
        snapshot.files.push(ManifestFile {
            table: self.table.name().to_owned(),
            path: self.path(),
            rows: written.rows,
            sha256: written.sha256,
        });
        self.n_parts += 1;
    }
}

/// At most `fan_in` files with the rows of `files`: themselves, or sorted runs of them in `scratch`.
fn reduce(files: &[PathBuf], scratch: &Path, fan_in: usize) -> Result<Vec<PathBuf>, TablesError> {
    let (mut files, mut level) = (files.to_vec(), 0);
    while files.len() > fan_in {
        let mut runs = Vec::new();
        for (n, group) in files.chunks(fan_in).enumerate() {
            let path = scratch.join(format!("run-{level}-{n}.parquet"));
            write_run(group, &path)?;
            runs.push(path);
        }
        if level > 0 {
            files.iter().for_each(|run| drop(std::fs::remove_file(run)));
        }
        (files, level) = (runs, level + 1);
    }
    Ok(files)
}

fn write_run(files: &[PathBuf], path: &Path) -> Result<(), TablesError> {
    let failed = |source| TablesError::File { path: path.to_owned(), source };
    let files = files.iter().map(|path| StagingFile::open(path)).collect::<Result<Vec<_>, _>>()?;
    let mut writer = StagingWriter::new(std::fs::File::create(path).map_err(failed)?)?;
    for table in Table::SCORED {
        for bucket in 0..N_BUCKETS {
            let sources = staged(&files, table, bucket);
            merge(table, sources, &mut |batch| writer.write(table, bucket, &batch))?;
        }
    }
    writer.finish()?;
    Ok(())
}

impl Counts {
    fn add(&mut self, table: Table, batch: &RecordBatch) {
        let n = batch.num_rows() as u64;
        let tally = |map: &mut BTreeMap<String, u64>, column: &str| {
            for word in text(batch, column).iter().flatten() {
                match map.get_mut(word) {
                    Some(count) => *count += 1,
                    None => drop(map.insert(word.to_owned(), 1)),
                }
            }
        };
        match table {
            Table::Documents => {
                self.documents += n;
                tally(&mut self.documents_by_state, "state");
                tally(&mut self.documents_by_change, "change");
            }
            Table::Pages => {
                self.pages += n;
                tally(&mut self.pages_by_route, "route");
                let judged = batch.column_by_name("judged").expect("a column of the table").as_boolean();
                self.pages_not_judged += (judged.len() - judged.true_count()) as u64;
            }
            Table::PageFonts => self.page_fonts += n,
            Table::Clusters => self.clusters += n,
        }
    }
}
