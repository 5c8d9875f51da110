//! The current snapshot: its producers, and which of them moved.

use serde::{Serialize, Serializer};

use crate::report::{Answer, ReportError, Results, moved, producers};

/// Rows of each list.
const ROWS: usize = 10;

/// Producers of a snapshot.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Movement {
    pub(super) job: String,
    pub(super) corpus: String,
    pub(super) previous_job: Option<String>,
    pub(super) closed_at: String,
    /// Most flagged pages above the corpus rate first.
    #[serde(serialize_with = "rows")]
    pub(super) producers: Answer,
    /// Least accidental change of the flagged share first.
    #[serde(serialize_with = "rows")]
    pub(super) moved: Answer,
}

fn rows<S: Serializer>(answer: &Answer, serializer: S) -> Result<S::Ok, S::Error> {
    answer.json().serialize(serializer)
}

/// Reads both snapshots. Blocks.
pub(super) fn movement(results: &Results) -> Result<Movement, ReportError> {
    let manifest = results.manifest();
    let top = |mut answer: Answer| {
        answer.rows.truncate(ROWS);
        answer
    };
    Ok(Movement {
        job: manifest.job.clone(),
        corpus: manifest.corpus.clone(),
        previous_job: manifest.previous_job.clone(),
        closed_at: manifest.closed_at.clone(),
        producers: top(producers(results)?),
        moved: top(moved(results)?),
    })
}
