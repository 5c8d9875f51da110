//! Settings: embedded defaults < file < environment < flags.
//!
//! Takes: `config/default.toml`, a file, `PAGESIEVE_<SECTION>__<KEY>`. Gives: one validated [`Config`].
//! Fails: [`ConfigError`], naming key, value and bounds, before any connection opens. Never: prints a secret.

mod print;
mod validate;

use std::path::{Path, PathBuf};

use figment::Figment;
use figment::providers::{Env, Format, Toml};
use serde::{Deserialize, Serialize};

use crate::score::{Limits, Policy, Settings};

/// The defaults, with every key explained.
pub const DEFAULT_TOML: &str = include_str!("../../config/default.toml");

/// Every setting.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The broker.
    pub queue: Queue,
    /// Jobs, tasks, leases.
    pub ledger: Ledger,
    /// The tables.
    pub results: Results,
    /// Object storage.
    pub store: Store,
    /// Scoring.
    pub worker: Worker,
    /// What one document may cost.
    pub limits: Limits,
    /// Routes of pages without a verdict.
    pub policy: Policy,
    /// OCR requests.
    pub ocr: Ocr,
    /// Jobs.
    pub coordinator: Coordinator,
    /// The port for probes, metrics and the API.
    pub listen: Listen,
}

/// The broker of the roles; `scan` needs none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Queue {
    /// `amqp://` or `amqps://`; holds a password.
    pub url: String,
    /// First part of the names of exchanges and queues. 1 to 100 letters, digits, `.`, `-` and `_`.
    pub prefix: String,
}

impl Default for Queue {
    fn default() -> Self {
        Self { url: "amqp://127.0.0.1:5672/%2f".to_owned(), prefix: "pagesieve".to_owned() }
    }
}

/// Jobs, documents, tasks, leases.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ledger {
    /// `postgres://` or `sqlite://`; empty: `_ledger.sqlite` in the output folder. Holds a password.
    pub url: String,
}

/// Where tables are published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Results {
    /// A folder or `s3://bucket/prefix`; empty: `scan --out`.
    pub root: String,
    /// Newest snapshots that are kept. 1 to 10,000.
    pub keep_jobs: u32,
}

impl Default for Results {
    fn default() -> Self {
        Self { root: String::new(), keep_jobs: 30 }
    }
}

/// Object storage. Credentials come by the SDK's chain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Store {
    /// Endpoint of a server that is not AWS; empty: AWS.
    pub endpoint: String,
    /// Region; empty: by the SDK's chain.
    pub region: String,
    /// Bucket in the path instead of in the host name.
    pub path_style: bool,
}

/// Where documents are parsed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// In children, fenced in and limited.
    #[default]
    Process,
    /// In this process: a hostile document can take it down, and no limit of time or memory holds.
    None,
}

/// Scoring.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Worker {
    /// Where documents are parsed.
    pub isolation: Isolation,
    /// Scoring processes; 0: one per processor. 0 to 1,024.
    pub children: usize,
    /// Threads of one document that is large or alone; 0: one per processor, at most 16. 0 to 256.
    pub threads_per_child: usize,
    /// Address space of a scoring process, in bytes. 256 MiB to 64 GiB.
    pub child_memory_bytes: u64,
    /// Documents after which a scoring process is replaced. 1 to 1,000,000,000.
    pub recycle_documents: u32,
    /// Bytes of documents held in memory. 1 MiB to 1 TiB.
    pub max_inflight_bytes: u64,
    /// Folders below which the roles `worker` and `up` read `file:///` documents; empty: they read none. At most 256, absolute.
    #[serde(deserialize_with = "folders")]
    pub file_roots: Vec<String>,
}

impl Default for Worker {
    fn default() -> Self {
        Self {
            isolation: Isolation::Process,
            children: 0,
            threads_per_child: 0,
            child_memory_bytes: 1536 << 20,
            recycle_documents: 20_000,
            max_inflight_bytes: 256 << 20,
            file_roots: Vec::new(),
        }
    }
}

/// OCR requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Ocr {
    /// Requests in the queue at which the relay pauses. 1 to 1,000,000,000.
    pub max_backlog: u64,
}

impl Default for Ocr {
    fn default() -> Self {
        Self { max_backlog: 500_000 }
    }
}

/// Jobs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Coordinator {
    /// Silence after which the open feed job is sealed, in seconds. 1 to 86,400.
    pub feed_idle_s: u64,
    /// Time after which an unsealed job is closed as incomplete, in hours. 1 to 720.
    pub unsealed_hours: u64,
}

impl Default for Coordinator {
    fn default() -> Self {
        Self { feed_idle_s: 60, unsealed_hours: 6 }
    }
}

/// The port for probes, metrics and the API.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Listen {
    /// `host:port`; empty: none.
    pub addr: String,
    /// Bearer token; needed when `addr` is not loopback. A secret.
    #[serde(deserialize_with = "text")]
    pub token: String,
}

/// The environment hands over a token of digits as a number.
fn text<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Text {
        Text(String),
        Number(u64),
    }
    Ok(match Text::deserialize(deserializer)? {
        Text::Text(text) => text,
        Text::Number(number) => number.to_string(),
    })
}

/// A list, or for the environment one text with colons between the folders, as in PATH.
fn folders<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Folders {
        Text(String),
        List(Vec<String>),
    }
    Ok(match Folders::deserialize(deserializer)? {
        Folders::Text(text) => text.split(':').filter(|part| !part.is_empty()).map(str::to_owned).collect(),
        Folders::List(list) => list,
    })
}

/// Why the settings cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("failed to read `{path}`")]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file or variable does not parse, or names an unknown key.
    #[error("{0}")]
    Parse(#[from] Box<figment::Error>),
    /// A value is out of bounds.
    #[error("`{key}` is {value}, but must be {bounds}")]
    Bounds {
        /// The key, `section.key`.
        key: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        bounds: String,
    },
}

impl Config {
    /// Reads defaults, `file` and the environment, and validates them.
    ///
    /// # Errors
    /// When a file cannot be read, a key is unknown or a value is out of its bounds.
    pub fn load(file: Option<&Path>) -> Result<Self, ConfigError> {
        let mut figment = Figment::from(Toml::string(DEFAULT_TOML));
        if let Some(path) = file {
            let text = std::fs::read_to_string(path)
                .map_err(|source| ConfigError::File { path: path.to_owned(), source })?;
            figment = figment.merge(Toml::string(&text));
        }
        let variables = Env::prefixed("PAGESIEVE_").filter(|key| key.as_str().contains("__")).split("__");
        let config: Self = figment.merge(variables).extract().map_err(Box::new)?;
        config.validate()?;
        Ok(config)
    }

    /// What shapes a score.
    pub fn settings(&self) -> Settings {
        Settings { limits: self.limits.clone(), policy: self.policy, ..Settings::default() }
    }
}

#[cfg(test)]
mod tests;
