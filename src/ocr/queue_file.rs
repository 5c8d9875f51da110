//! `ocr-queue.ndjson`: what a machine without a broker has to send to OCR.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::{OcrRequest, request_id};
use crate::ledger::{Ledger, LedgerError};
use crate::tables::{self, TablesError};

/// Requests written at once.
const BATCH: usize = 500;

/// Why the file could not be written.
#[derive(Debug, thiserror::Error)]
pub enum QueueFileError {
    /// The ledger failed.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The snapshot could not be read.
    #[error(transparent)]
    Tables(#[from] TablesError),
    /// The file could not be written.
    #[error("failed to write `{path}`")]
    Write {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// The outbox lacks the request of a page in the snapshot: the ledger is not this snapshot's.
    #[error("the ledger has no request `{0}` of a page in the snapshot")]
    NoRequest(String),
    /// A message of the outbox cannot be read.
    #[error("the request `{id}` in the ledger is damaged")]
    Damaged {
        /// Its id.
        id: String,
        /// The cause.
        source: serde_json::Error,
    },
}

/// Ids of requests, sorted and without repetition: 32 bytes each, so a million pages need 32 MB.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueueFile(Vec<[u8; 32]>);

impl QueueFile {
    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the request `id` (`ocr:` and hex) is among them.
    pub fn contains(&self, id: &str) -> bool {
        parse_id(id).is_some_and(|id| self.0.binary_search(&id).is_ok())
    }
}

fn parse_id(id: &str) -> Option<[u8; 32]> {
    let hex = id.strip_prefix("ocr:").filter(|hex| hex.len() == 64 && hex.is_ascii())?;
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

fn print_id(id: &[u8; 32]) -> String {
    id.iter().fold(String::from("ocr:"), |text, byte| text + &format!("{byte:02x}"))
}

/// The requests of all pages with route `ocr` in the files of a `pages` table. Blocks.
pub fn request_ids(pages: &[PathBuf]) -> Result<QueueFile, TablesError> {
    let mut ids = Vec::new();
    for file in pages {
        tables::read_ocr_pages(file, &mut |sha256, page| {
            ids.extend(parse_id(&request_id(sha256, page, 0)));
        })?;
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(QueueFile(ids))
}

/// Writes the requests in order of their ids, one a line, to `path`; the bytes are on disk then.
pub async fn write_queue_file(ledger: &Ledger, ids: &QueueFile, path: &Path) -> Result<(), QueueFileError> {
    let failed = |source| QueueFileError::Write { path: path.to_owned(), source };
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(failed)?;
    }
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path).map_err(failed)?);
    for ids in ids.0.chunks(BATCH) {
        let ids: Vec<String> = ids.iter().map(print_id).collect();
        let requests = ledger.requests(&ids.iter().map(String::as_str).collect::<Vec<_>>()).await?;
        let contents: BTreeSet<&str> = requests.values().map(|r| r.document_sha256.as_str()).collect();
        let places = ledger.places(&contents).await?;
        for id in ids {
            let request = requests.get(&id).ok_or_else(|| QueueFileError::NoRequest(id.clone()))?;
            let places = places.get(&request.document_sha256).map_or(&[][..], Vec::as_slice);
            let request = OcrRequest::with_places(&request.body, places)
                .map_err(|source| QueueFileError::Damaged { id, source })?;
            writeln!(file, "{}", request.to_json()).map_err(failed)?;
        }
    }
    file.flush().and_then(|()| file.get_ref().sync_all()).map_err(failed)
}
