//! What the roles and the commands around them share: services from the settings, waiting for them, stopping.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::watch;

use crate::config::{Config, Listen};
use crate::ledger::{Access, Ledger, ScoreKey};
use crate::listen;
use crate::live::Live;
use crate::objects::{self, Objects};
use crate::queue::{Broker, Topology};
use crate::score::RULES_VERSION;
use crate::telemetry::{self, health};
use crate::words::chain;

use super::exit::{Exit, usage};
use super::output::{safe, say};
use super::setup::{drawing, runtime, score_key};
use super::signals::Stop;

/// Pauses between two tries to reach a service, doubling.
const PAUSES: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(10));

/// Runs a role until it ends or is asked to stop. A second request ends it at once; nothing is lost by that.
pub(super) fn run_role<F: Future<Output = anyhow::Result<()>>>(
    role: &'static str,
    listen: &Listen,
    routes: axum::Router,
    start: impl FnOnce(watch::Receiver<bool>) -> F,
) -> anyhow::Result<Exit> {
    telemetry::start_logging();
    crate::isolate::harden_parent();
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let mut asked = Stop::watch()?;
        let server = listen::start(listen, routes).await?;
        if let Some(server) = &server {
            say(&format!("{role}: listening on http://{}", server.addr()));
        }
        let (ask, stop) = watch::channel(false);
        let running = start(stop);
        tokio::pin!(running);
        loop {
            tokio::select! {
                ended = &mut running => return ended.map(|()| Exit::Done),
                () = asked.asked() => {
                    if ask.send_replace(true) {
                        return Ok(Exit::Interrupted);
                    }
                    health::problem("draining", "stopping");
                    say(&format!("{role}: stopping: work that ends soon is finished, the rest is given back"));
                }
            }
        }
    });
    // A merge in a thread of its own is worth nothing any more, and would be waited for.
    runtime.shutdown_background();
    telemetry::trace::flush();
    ended
}

/// The port of a role: the settings', or the flag's, which must be as safe.
pub(super) fn listen(config: &Config, flag: Option<&str>) -> anyhow::Result<Listen> {
    let mut config = config.clone();
    if let Some(addr) = flag {
        addr.clone_into(&mut config.listen.addr);
        config.validate()?;
    }
    Ok(config.listen)
}

/// What the coordinator shows on its port beside probes and metrics.
pub(super) fn live(config: &Config) -> anyhow::Result<Arc<Live>> {
    let broker = broker(config, "live").ok(); // the role itself says what is wrong with it
    Ok(Live::new(broker, &config.results.root, drawing(config)?))
}

/// Names this process in the ledger and on the broker.
pub(super) fn owner(role: &str) -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    format!("{role}-{}-{}", host.trim(), std::process::id())
}

/// The broker of the settings; nothing is connected yet.
pub(super) fn broker(config: &Config, role: &str) -> anyhow::Result<Broker> {
    if config.queue.url.is_empty() {
        return Err(usage("no broker is set: give `queue.url`, for instance in PAGESIEVE_QUEUE__URL"));
    }
    let topology = Topology::new(config.queue.prefix.clone());
    Ok(Broker::new(&config.queue.url, topology, &format!("pagesieve {}", owner(role)))?)
}

/// The results root of the settings.
pub(super) fn objects(config: &Config) -> anyhow::Result<Arc<dyn Objects>> {
    let root = &config.results.root;
    if root.is_empty() {
        return Err(usage(
            "no results root is set: give `results.root`, for instance in PAGESIEVE_RESULTS__ROOT",
        ));
    }
    objects::open(root, &config.store).map_err(|error| usage(error.to_string()))
}

/// The address of the ledger.
pub(super) fn ledger_url(config: &Config) -> anyhow::Result<&str> {
    match config.ledger.url.as_str() {
        "" => Err(usage("no ledger is set: give `ledger.url`, for instance in PAGESIEVE_LEDGER__URL")),
        url => Ok(url),
    }
}

/// Opens the ledger, however long it is away; `None` when stopped meanwhile.
pub(super) async fn ledger(
    config: &Config,
    role: &str,
    access: Access,
    stop: &mut watch::Receiver<bool>,
) -> anyhow::Result<Option<Ledger>> {
    let url = ledger_url(config)?;
    let mut waiting = Waiting::new(role, "ledger");
    loop {
        match Ledger::open(url, access).await {
            Ok(ledger) => {
                waiting.over();
                return Ok(Some(ledger));
            }
            Err(error) if error.is_transient() => {
                if waiting.pause(&chain(&error), stop).await {
                    return Ok(None);
                }
            }
            Err(error) => return Err(anyhow::Error::new(error).context("failed to open the ledger")),
        }
    }
}

/// Declares the topology, however long the broker is away; `false` when stopped meanwhile.
pub(super) async fn declare(
    broker: &Broker,
    role: &str,
    stop: &mut watch::Receiver<bool>,
) -> anyhow::Result<bool> {
    let mut waiting = Waiting::new(role, "broker");
    loop {
        match broker.declare().await {
            Ok(()) => {
                waiting.over();
                return Ok(true);
            }
            Err(error) if error.is_transient() => {
                if waiting.pause(&chain(&error), stop).await {
                    return Ok(false);
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// Says once what is waited for, and again when the cause changes.
struct Waiting<'a> {
    role: &'a str,
    service: &'static str,
    said: String,
    pause: Duration,
}

impl<'a> Waiting<'a> {
    fn new(role: &'a str, service: &'static str) -> Self {
        Self { role, service, said: String::new(), pause: PAUSES.0 }
    }

    /// Waits a little; whether stopping was asked for meanwhile.
    async fn pause(&mut self, why: &str, stop: &mut watch::Receiver<bool>) -> bool {
        health::problem(self.service, why);
        if self.said != why {
            say(&format!("{}: waiting for the {}: {}", self.role, self.service, safe(why)));
            why.clone_into(&mut self.said);
        }
        let asked = tokio::time::timeout(self.pause, stop.wait_for(|stop| *stop)).await.is_ok();
        self.pause = (self.pause * 2).min(PAUSES.1);
        asked
    }

    fn over(&self) {
        health::well(self.service);
        if !self.said.is_empty() {
            say(&format!("{}: the {} is there", self.role, self.service));
        }
    }
}

/// What the settings make a score depend on.
pub(super) fn key(config: &Config) -> ScoreKey {
    ScoreKey { score_key: score_key(&config.settings()), rules_version: RULES_VERSION.to_owned() }
}
