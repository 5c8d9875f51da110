//! `pagesieve worker`: claims tasks, scores their documents, commits the results.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::config::Config;
use crate::failpoint;
use crate::isolate::Pool;
use crate::ledger::{Access, Ledger, Wake};
use crate::worker::{Worker, WorkerConfig};

use super::exit::Exit;
use super::fleet;
use super::output::say;
use super::setup::{Threads, pool_config};

/// What tasks in work may still take once the role is asked to stop; spot nodes are gone after 30 s.
const DRAIN: Duration = Duration::from_secs(20);

/// Role: claims tasks and scores their documents
///
/// Any number may run. Needs `ledger.url` and `results.root`, no broker; waits for what is not there yet.
/// Reads `s3://` documents, and local ones below the folders of `worker.file_roots` alone.
/// Settings that shape a score must be the coordinator's: tasks of other settings are left alone, and that is
/// said. SIGTERM drains: no new claims, tasks that end within 20 s are committed, the others given back.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Serve /healthz, /readyz and /metrics at this address, as `listen.addr` does; beyond loopback a token is needed.
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Scoring threads in all; one per processor when not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    let listen = fleet::listen(config, args.listen.as_deref())?;
    fleet::run_role("worker", &listen, axum::Router::new(), |mut stop| async move {
        match fleet::ledger(config, "worker", Access::Worker, &mut stop).await? {
            Some(ledger) => serve(config, args.threads, ledger, stop).await,
            None => Ok(()),
        }
    })
}

/// The role on an open ledger, until `stop`.
pub(super) async fn serve(
    config: &Config,
    threads: Option<u16>,
    ledger: Ledger,
    stop: watch::Receiver<bool>,
) -> anyhow::Result<()> {
    let pool = pool_config(config, config.settings(), Threads::asked(threads.map(usize::from)), None);
    let worker = WorkerConfig {
        owner: fleet::owner("worker"),
        children: pool.children,
        max_inflight_bytes: config.worker.max_inflight_bytes,
        store: config.store.clone(),
        document_bytes: config.limits.document_bytes,
        file_roots: Some(config.worker.file_roots.iter().map(PathBuf::from).collect()),
        score_key: Some(fleet::key(config).score_key),
        after: failpoint::reach,
    };
    let objects = fleet::objects(config)?;
    say(&format!("worker: {} scoring processes", pool.children));
    let wake = Wake::listen(fleet::ledger_url(config)?);
    let worker = Arc::new(Worker::new(worker, ledger, objects, Pool::new(pool)?, Box::new(|_| ())));
    worker.serve(stop, wake, DRAIN).await?;
    Ok(())
}
