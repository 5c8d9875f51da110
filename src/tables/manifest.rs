//! What a published snapshot consists of.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// `_manifests/<job>.json`: written last, so what it names is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the tables' schema.
    pub schema: String,
    /// The job.
    pub job: String,
    /// Its corpus.
    pub corpus: String,
    /// Version of the rules that scored what was not carried forward.
    pub rules_version: String,
    /// The job whose snapshot was carried forward and compared with.
    pub previous_job: Option<String>,
    /// When the job's closing began, RFC 3339.
    pub closed_at: String,
    /// What is in the snapshot.
    pub counts: Counts,
    /// Its files.
    pub files: Vec<ManifestFile>,
}

/// What is in a snapshot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Rows of `documents`.
    pub documents: u64,
    /// Of these by state.
    pub documents_by_state: BTreeMap<String, u64>,
    /// Of these by change.
    pub documents_by_change: BTreeMap<String, u64>,
    /// Rows of `pages`.
    pub pages: u64,
    /// Of these by route.
    pub pages_by_route: BTreeMap<String, u64>,
    /// Of these with too little evidence to judge.
    pub pages_not_judged: u64,
    /// Rows of `page_fonts`.
    pub page_fonts: u64,
    /// Rows of `clusters`.
    #[serde(default)]
    pub clusters: u64,
}

/// One file of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManifestFile {
    /// Its table.
    pub table: String,
    /// Its object key below the root.
    pub path: String,
    /// Its rows.
    pub rows: u64,
    /// SHA-256 of its bytes, lower-case hex.
    pub sha256: String,
}

/// `_current.json`: the snapshot of each corpus that readers should take.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Current {
    /// By name.
    pub corpora: BTreeMap<String, CurrentCorpus>,
}

/// The current snapshot of one corpus.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CurrentCorpus {
    /// Its job.
    pub job: String,
    /// Object key of its manifest.
    pub manifest: String,
}

/// Object key of `_current.json`.
pub const CURRENT_FILE: &str = "_current.json";

/// Object key of a job's manifest.
pub fn manifest_file(job: &str) -> String {
    format!("_manifests/{job}.json")
}
