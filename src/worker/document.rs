//! One document: fetch, score, or the state that says why not.

use std::sync::{Arc, Once};
use std::time::Duration;

use tracing::warn;

use crate::ledger::{Attempt, TaskDocument};
use crate::objects::{Buckets, parse_url};
use crate::score::{DocumentInfo, DocumentScore, State};
use crate::source::{self, DocumentRef, FetchError, Fetched};
use crate::tables::ScoredDocument;
use crate::time::Timestamp;

use super::{BUDGET_UNIT, Worker, WorkerError, blocking};

/// A document that ended.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) document: ScoredDocument,
    /// Tries that ended without a score.
    pub(super) attempts: Vec<Attempt>,
}

impl Worker {
    /// Fetches and scores one document.
    pub(super) async fn document(self: &Arc<Self>, document: &TaskDocument) -> Result<Done, WorkerError> {
        let _place = self.places.acquire().await.expect("never closed");
        let size = document.document.size_bytes.unwrap_or(0).min(self.config.document_bytes);
        let units = u32::try_from(size / BUDGET_UNIT + 1).unwrap_or(u32::MAX).min(self.budget_units);
        let _bytes = self.budget.acquire_many(units).await.expect("never closed");
        let fetched = match self.fetch(&document.document).await? {
            Ok(fetched) => fetched,
            Err(error) => return Ok(unread(document, &error)),
        };
        let mut listed = document.document.clone();
        listed.etag = Some(fetched.etag);
        listed.size_bytes = Some(fetched.bytes.len() as u64);
        let outcome = self.pool.score(fetched.bytes).await?;
        let attempts = outcome.attempts.into_iter().map(|attempt| Attempt {
            uri: listed.uri.clone(),
            state: attempt.state,
            reason: attempt.reason,
            wall: attempt.wall,
        });
        Ok(Done {
            attempts: attempts.collect(),
            document: ScoredDocument {
                change: document.change(listed.etag.as_deref(), Some(&outcome.sha256)),
                document: listed,
                sha256: Some(outcome.sha256),
                scored_at: Timestamp::now(),
                score: outcome.score,
            },
        })
    }

    /// A document's bytes; the inner error is the document's own end.
    async fn fetch(&self, document: &DocumentRef) -> Result<Result<Fetched, FetchError>, WorkerError> {
        let limit = self.config.document_bytes;
        if let Some((bucket, key)) = parse_url(&document.uri) {
            return self.fetch_object(bucket, key, document.etag.as_deref(), limit).await;
        }
        let Some(path) = source::to_path(&document.uri) else { return Ok(Err(FetchError::Missing)) };
        let roots = self.config.file_roots.clone();
        blocking(move || {
            Ok(match roots {
                Some(roots) => source::fetch_below(&roots, &path, limit).inspect_err(tell_refused),
                None => source::fetch(&path, limit),
            })
        })
        .await
    }
}

/// Rounds in which a storage fails to hand over one object, while its bucket answers, before that is the object's end. In each
/// the client repeats the request six times.
const ROUNDS: u32 = 3;
/// Pause between two of them.
const ROUND: Duration = Duration::from_secs(5);

impl Worker {
    /// An object's bytes. A storage that is away or refuses everything is no document's end.
    async fn fetch_object(
        &self,
        bucket: &str,
        key: &str,
        etag: Option<&str>,
        limit: u64,
    ) -> Result<Result<Fetched, FetchError>, WorkerError> {
        let mut round = 1;
        loop {
            match source::fetch_object(&self.buckets, bucket, key, etag, limit).await {
                Err(FetchError::Storage(error)) if Buckets::is_ours(&error) => {
                    if !error.is_transient() || !self.buckets.answers(bucket).await {
                        return Err(WorkerError::Store(error));
                    }
                    if round == ROUNDS {
                        return Ok(Err(FetchError::Storage(error)));
                    }
                    round += 1;
                    tokio::time::sleep(ROUND).await;
                }
                ended => return Ok(ended),
            }
        }
    }
}

/// Says once in a process that local files are refused; each document tells it in the tables.
fn tell_refused(error: &FetchError) {
    static TOLD: Once = Once::new();
    if matches!(error, FetchError::NotAllowed) {
        TOLD.call_once(|| {
            warn!(
                "refused to read a local file below no folder of worker.file_roots; others are not told again"
            );
        });
    }
}

/// The score of a document of which nothing was read.
pub fn unread_score(error: &FetchError) -> DocumentScore {
    let state = match error {
        FetchError::Missing => State::Missing,
        FetchError::TooLarge { .. } => State::OverLimit,
        FetchError::NotAFile
        | FetchError::NotAllowed
        | FetchError::Changing
        | FetchError::Read(_)
        | FetchError::Storage(_) => State::FetchFailed,
    };
    DocumentScore {
        state,
        state_reason: Some(error.to_string().chars().take(120).collect()),
        info: DocumentInfo::default(),
        fonts: Vec::new(),
        pages: Vec::new(),
        findings: Vec::new(),
    }
}

fn unread(document: &TaskDocument, error: &FetchError) -> Done {
    let listed = document.document.clone();
    let document = ScoredDocument {
        change: document.change(listed.etag.as_deref(), None),
        document: listed,
        sha256: None,
        scored_at: Timestamp::now(),
        score: unread_score(error),
    };
    Done { document, attempts: Vec::new() }
}
