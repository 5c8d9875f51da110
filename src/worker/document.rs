//! One document: fetch, score, or the state that says why not.

use std::sync::Arc;

use crate::ledger::{Attempt, TaskDocument};
use crate::score::{DocumentInfo, DocumentScore, State};
use crate::source::{self, FetchError, Fetched};
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
        let fetched = match self.fetch(&document.document.uri).await? {
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
    async fn fetch(&self, uri: &str) -> Result<Result<Fetched, FetchError>, WorkerError> {
        let Some(path) = source::to_path(uri) else { return Ok(Err(FetchError::Missing)) };
        let limit = self.config.document_bytes;
        blocking(move || Ok(source::fetch(&path, limit))).await
    }
}

/// The score of a document of which nothing was read.
pub fn unread_score(error: &FetchError) -> DocumentScore {
    let state = match error {
        FetchError::Missing => State::Missing,
        FetchError::TooLarge { .. } => State::OverLimit,
        FetchError::NotAFile | FetchError::Changing | FetchError::Read(_) => State::FetchFailed,
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
