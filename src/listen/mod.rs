//! The port for probes and metrics: `/healthz`, `/readyz`, `/metrics`, and what a role adds.
//!
//! Takes: `[listen]` and the routes of a role. Gives: a [`Server`] on the runtime of its caller, until it is dropped. Fails:
//! [`ListenError`], before anything is served. Never: is open to strangers without a token, or shows a secret.
//!
//! A role calls [`start`] once, early, with the routes it has (none: `Router::new()`), and keeps the [`Server`] as long as
//! it lives. It tells what it lacks with [`health::problem`] and
//! [`health::well`]; `/readyz` answers 503 while there is a problem, and `draining` is one.
//! Counters and gauges of [`names`](crate::telemetry::names) are served from wherever in the process they are set.
//!
//! Probes need no token, and without it they name no cause. Everything else needs it where one is set; where none is,
//! the address is loopback, and only requests to a loopback name are answered, so that no web page can read it through
//! a name of its own.

mod guard;
mod metrics;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::config::Listen;
use crate::telemetry::health;
use guard::Guard;

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// The address cannot be listened on.
    #[error("cannot listen on `{addr}`")]
    Bind {
        /// `listen.addr`.
        addr: String,
        /// The cause.
        source: std::io::Error,
    },
    /// Another recorder of metrics is installed.
    #[error("metrics cannot be recorded: {0}")]
    Recorder(String),
}

/// A port that is served until this is dropped.
#[derive(Debug)]
pub struct Server {
    addr: SocketAddr,
    serving: JoinHandle<()>,
}

impl Server {
    /// The address, with the port that was chosen where `listen.addr` says 0.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// Serves `listen.addr` on the current runtime; `None` when it is empty.
///
/// # Errors
/// When the address cannot be bound, or metrics are recorded elsewhere.
pub async fn start(listen: &Listen, routes: Router) -> Result<Option<Server>, ListenError> {
    if listen.addr.is_empty() {
        return Ok(None);
    }
    let failed = |source| ListenError::Bind { addr: listen.addr.clone(), source };
    let listener = TcpListener::bind(&listen.addr).await.map_err(failed)?;
    let addr = listener.local_addr().map_err(failed)?;
    let recorder = metrics::recorder()?;
    let guard = Arc::new(Guard::new(&listen.token));
    let render = move || async move {
        ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], metrics::render(recorder))
    };
    let guarded = routes.route("/metrics", get(render));
    let guarded = guarded.layer(axum::middleware::from_fn_with_state(Arc::clone(&guard), guard::check));
    let app = Router::new()
        .route("/healthz", get(|| async { "ok\n" }))
        .route("/readyz", get(ready))
        .with_state(guard)
        .merge(guarded)
        .layer(axum::middleware::map_response(guard::strict));
    let serving = tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, app).await {
            tracing::error!("the port of probes and metrics failed: {error}");
        }
    });
    Ok(Some(Server { addr, serving }))
}

/// Whether nothing is missing; what is, for those who may know.
async fn ready(State(guard): State<Arc<Guard>>, request: Request) -> impl IntoResponse {
    let problems = health::problems();
    if problems.is_empty() {
        return (StatusCode::OK, "ready\n".to_owned());
    }
    let told = guard.admits(&request);
    let lines = problems.iter().map(|(part, why)| {
        let why: String = why.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        if told { format!("{part}: {why}\n") } else { format!("{part}\n") }
    });
    (StatusCode::SERVICE_UNAVAILABLE, lines.collect())
}
