//! `/v1`: the same as JSON.

use std::sync::Arc;

use axum::Json;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Live;
use super::fail::Failure;
use super::status::job_status;
use crate::report::{self, Answer, Document, Results, lookup};

/// Jobs and rows that one answer holds, at most.
const MOST_JOBS: u32 = 100;
const MOST_ROWS: usize = 10_000;
/// The same where the request does not say.
const JOBS: u32 = 10;
const ROWS: usize = 100;
/// Longest URI of a document.
const MAX_URI: usize = 4096;

/// What went wrong, as JSON.
pub(super) struct Refused(Failure);

impl<F: Into<Failure>> From<F> for Refused {
    fn from(failure: F) -> Self {
        Self(failure.into())
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        self.0.log();
        (self.0.status(), Json(json!({"error": self.0.told()}))).into_response()
    }
}

type Answered = Result<Json<Value>, Refused>;
type Given<T> = Result<T, PathRejection>;
type Asked<T> = Result<Query<T>, QueryRejection>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Limit {
    limit: Option<usize>,
}

/// Which document is meant.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Named {
    /// Its URI or SHA-256.
    pub(super) document: String,
}

pub(super) fn given<T>(path: Given<Path<T>>) -> Result<T, Failure> {
    path.map(|Path(value)| value).map_err(|_| Failure::Asked("the path is not as the API describes it"))
}

pub(super) fn asked<T>(query: Asked<T>) -> Result<T, Failure> {
    query.map(|Query(value)| value).map_err(|_| Failure::Asked("the query is not as the API describes it"))
}

fn plain(value: impl serde::Serialize) -> Answered {
    Ok(Json(serde_json::to_value(value).map_err(|_| Failure::Panicked)?))
}

pub(super) async fn status(State(live): State<Arc<Live>>) -> Answered {
    plain(&*live.status().await?)
}

pub(super) async fn jobs(State(live): State<Arc<Live>>, query: Asked<Limit>) -> Answered {
    let limit = asked(query)?.limit.map_or(JOBS, |limit| u32::try_from(limit).unwrap_or(MOST_JOBS));
    let ledger = live.ledger()?;
    let mut jobs = Vec::new();
    for job in ledger.newest_jobs(limit.min(MOST_JOBS)).await.map_err(Failure::from)? {
        jobs.push(job_status(&live, ledger, job).await?);
    }
    plain(json!({"jobs": jobs}))
}

pub(super) async fn job(State(live): State<Arc<Live>>, path: Given<Path<String>>) -> Answered {
    let ledger = live.ledger()?;
    let job = ledger.job(&given(path)?).await.map_err(Failure::from)?;
    plain(job_status(&live, ledger, job).await?)
}

pub(super) async fn report(
    State(live): State<Arc<Live>>,
    path: Given<Path<(String, String)>>,
    query: Asked<Limit>,
) -> Answered {
    let (job, report) = given(path)?;
    let limit = asked(query)?.limit.unwrap_or(ROWS).clamp(1, MOST_ROWS);
    let made = live.make(move |live| {
        let results = live.results(&job)?;
        let mut answer = make_report(&results, &report)?;
        let rows = answer.rows.len();
        answer.rows.truncate(limit);
        let manifest = results.manifest();
        Ok(json!({
            "report": answer.report, "job": manifest.job, "previous_job": manifest.previous_job, "corpus": manifest.corpus,
            "rows_in_all": rows, "notes": answer.notes, "rows": answer.json(),
        }))
    });
    Ok(Json(made.await?))
}

fn make_report(results: &Results, name: &str) -> Result<Answer, Failure> {
    Ok(match name {
        "producers" => report::producers(results)?,
        "moved" => report::moved(results)?,
        "fonts" => report::fonts(results)?,
        "clusters" => report::clusters(results)?,
        "reasons" => report::reasons(results)?,
        "documents" => report::documents(results)?,
        _ => return Err(Failure::Missing("such report")),
    })
}

/// The one document that is meant: of several with the same content the first.
pub(super) fn find(results: &Results, name: &str) -> Result<Document, Failure> {
    if name.len() > MAX_URI {
        return Err(Failure::Asked("the document's name is too long"));
    }
    lookup(results, name)?.into_iter().next().ok_or(Failure::Missing("such document in this job"))
}

pub(super) async fn document(
    State(live): State<Arc<Live>>,
    path: Given<Path<String>>,
    query: Asked<Named>,
) -> Answered {
    let (job, Named { document }) = (given(path)?, asked(query)?);
    let found = live.make(move |live| {
        let Document { document, pages, page_fonts } = find(&*live.results(&job)?, &document)?;
        Ok(json!({"document": document, "pages": pages, "page_fonts": page_fonts}))
    });
    Ok(Json(found.await?))
}

pub(super) async fn page(
    State(live): State<Arc<Live>>,
    path: Given<Path<(String, u32)>>,
    query: Asked<Named>,
) -> Answered {
    let ((job, page), Named { document }) = (given(path)?, asked(query)?);
    let found = live.make(move |live| {
        let found = find(&*live.results(&job)?, &document)?;
        let of_page =
            |rows: Vec<Value>| rows.into_iter().filter(|row| row["page"] == page).collect::<Vec<_>>();
        let row = of_page(found.pages).into_iter().next().ok_or(Failure::Missing("such page"))?;
        Ok(json!({"document": found.document, "page": row, "page_fonts": of_page(found.page_fonts)}))
    });
    Ok(Json(found.await?))
}
