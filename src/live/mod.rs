//! The live page and its JSON, on the port of a coordinator.
//!
//! Takes: a ledger, a broker and a results root, each when it is there. Gives: routes for [`listen`](crate::listen), read-only.
//! Fails: a request, with a status and a sentence. Never: lets a string from a document be markup or script, waits long for a
//! service that is away, or lets many readers cost more than one: what they see is looked up at most once a second.
//!
//! ```text
//! status     ledger, broker → how far jobs are, how fast, who works, what waits for OCR
//! moved      the current snapshot and the one before → producers, and what moved
//! api        /v1/…    JSON; config/schemas/openapi.json describes it
//! pages      / /jobs/… /pages/…    HTML made here; live.js only puts a newer page in place of the older one
//! ```

mod api;
mod fail;
mod moved;
mod pages;
mod status;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

use axum::Router;
use axum::http::header;
use axum::routing::{MethodRouter, get};
use tokio::sync::Semaphore;

use crate::ledger::Ledger;
use crate::queue::Broker;
use crate::report::Results;
use crate::report::html::{Drawing, STYLE};
use fail::Failure;
use moved::Movement;
use status::{Pace, Status};

/// Results that are held open: the newest ones looked at.
const RESULTS: usize = 8;
/// Reports and pages that are made side by side.
const SIDE_BY_SIDE: usize = 2;
/// Time between two looks, at least; and as a multiple of what a look takes, so that looking is a small part of the ledger's work.
const FRESH: Duration = Duration::from_secs(1);
const FRESH_TIMES: u32 = 10;

/// The schema of the JSON.
const OPENAPI: &str = include_str!("../../config/schemas/openapi.json");

/// What the live page shows, from where.
#[derive(Debug)]
pub struct Live {
    ledger: OnceLock<Ledger>,
    broker: Option<Broker>,
    root: PathBuf,
    drawing: Drawing,
    looked: tokio::sync::Mutex<Option<Look>>,
    pace: Mutex<Pace>,
    results: Mutex<Vec<(String, Arc<Results>)>>,
    movements: Mutex<BTreeMap<String, Arc<Movement>>>,
    making: Arc<Semaphore>,
}

/// What was seen last.
#[derive(Debug)]
struct Look {
    until: Instant,
    status: Arc<Status>,
}

impl Live {
    /// Prepares; nothing is asked yet. `root` is the results root, empty where there is none.
    pub fn new(broker: Option<Broker>, root: &str, drawing: Drawing) -> Arc<Self> {
        Arc::new(Self {
            ledger: OnceLock::new(),
            broker,
            root: PathBuf::from(root),
            drawing,
            looked: tokio::sync::Mutex::new(None),
            pace: Mutex::default(),
            results: Mutex::default(),
            movements: Mutex::default(),
            making: Arc::new(Semaphore::new(SIDE_BY_SIDE)),
        })
    }

    /// Shows this ledger from now on.
    pub fn set_ledger(&self, ledger: Ledger) {
        let _ = self.ledger.set(ledger); // a process has one
    }

    /// The routes, to be served where strangers have no access.
    pub fn routes(self: &Arc<Self>) -> Router {
        let routes = ROUTES.iter().fold(Router::new(), |router, (path, route)| router.route(path, route()));
        routes.with_state(Arc::clone(self))
    }

    fn ledger(&self) -> Result<&Ledger, Failure> {
        self.ledger.get().ok_or(Failure::Waiting)
    }

    /// How things stand, not older than it takes to look.
    async fn status(self: &Arc<Self>) -> Result<Arc<Status>, Failure> {
        let mut looked = self.looked.lock().await; // whoever comes meanwhile sees what the first one saw
        if let Some(look) = &*looked
            && look.until > Instant::now()
        {
            return Ok(Arc::clone(&look.status));
        }
        let begun = Instant::now();
        let status = Arc::new(status::look(self).await?);
        let until = Instant::now() + FRESH.max(begun.elapsed() * FRESH_TIMES);
        *looked = Some(Look { until, status: Arc::clone(&status) });
        Ok(status)
    }

    /// Runs blocking work, a few at a time.
    async fn make<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let waited = tokio::time::timeout(Duration::from_secs(10), Arc::clone(&self.making).acquire_owned());
        let permit = waited.await.map_err(|_| Failure::Busy)?.expect("never closed");
        let this = Arc::clone(self);
        let made = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            work(&this)
        });
        made.await.unwrap_or(Err(Failure::Panicked))
    }

    /// The published results of a job. Blocks.
    fn results(&self, job: &str) -> Result<Arc<Results>, Failure> {
        let mut held = self.results.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(at) = held.iter().position(|(name, _)| name == job) {
            let found = held.remove(at);
            held.push(found);
        } else {
            // Siblings share the copies of files on object storage.
            let results = match held.last() {
                Some((_, sibling)) => sibling.sibling(job)?,
                None => Results::open(&self.root, &self.drawing.store, Some(job))?,
            };
            held.push((job.to_owned(), Arc::new(results)));
            if held.len() > RESULTS {
                held.remove(0);
            }
        }
        Ok(Arc::clone(&held.last().expect("just pushed").1))
    }
}

type Route = fn() -> MethodRouter<Arc<Live>>;

/// Every route beside those of probes and metrics.
const ROUTES: &[(&str, Route)] = &[
    ("/", || get(pages::home)),
    ("/jobs/{job}", || get(pages::job)),
    ("/pages/{job}/{page}", || get(pages::page)),
    ("/live.css", || get(|| async { ([(header::CONTENT_TYPE, "text/css; charset=utf-8")], style()) })),
    ("/live.js", || {
        get(|| async {
            ([(header::CONTENT_TYPE, "text/javascript; charset=utf-8")], include_str!("live.js"))
        })
    }),
    ("/v1/openapi.json", || get(|| async { ([(header::CONTENT_TYPE, "application/json")], OPENAPI) })),
    ("/v1/status", || get(api::status)),
    ("/v1/jobs", || get(api::jobs)),
    ("/v1/jobs/{job}", || get(api::job)),
    ("/v1/jobs/{job}/reports/{report}", || get(api::report)),
    ("/v1/jobs/{job}/documents", || get(api::document)),
    ("/v1/pages/{job}/{page}", || get(api::page)),
];

fn style() -> String {
    format!("{STYLE}\n{}", include_str!("live.css"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_openapi_file_names_every_route_of_the_api_and_no_other() {
        let openapi: serde_json::Value = serde_json::from_str(OPENAPI).unwrap();
        assert_eq!(openapi["openapi"], "3.1.0");
        assert_eq!(openapi["info"]["version"], env!("CARGO_PKG_VERSION"));
        let described: BTreeSet<&str> =
            openapi["paths"].as_object().unwrap().keys().map(String::as_str).collect();
        let served = ROUTES.iter().map(|(path, _)| *path).filter(|path| path.starts_with("/v1/"));
        assert_eq!(described, served.collect::<BTreeSet<_>>());
        for (path, item) in openapi["paths"].as_object().unwrap() {
            let parameters = item["get"]["parameters"].as_array().cloned().unwrap_or_default();
            let described: BTreeSet<&str> = parameters
                .iter()
                .filter(|parameter| parameter["in"] == "path")
                .filter_map(|parameter| parameter["name"].as_str())
                .collect();
            let named = path.split(['{', '}']).skip(1).step_by(2);
            assert_eq!(described, named.collect::<BTreeSet<_>>(), "{path}");
        }
    }
}
