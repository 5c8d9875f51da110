//! `pagesieve doctor`: what the roles need, one line each, with the remedy.

use crate::config::Config;
use crate::ledger::{self, LedgerError, Schema};
use crate::objects::ObjectKey;
use crate::queue::{Broker, QueueError, Topology};
use crate::telemetry;
use crate::words::chain;

use super::exit::Exit;
use super::fleet;
use super::output::{self, safe};
use super::setup::runtime;

/// Checks ledger, broker and results root; says what to do
///
/// One line each. Exit code 3 when something is missing, refuses, or is of another release.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Print one JSON array.
    #[arg(long)]
    json: bool,
}

/// One line.
#[derive(Debug, serde::Serialize)]
struct Finding {
    what: &'static str,
    ok: bool,
    says: String,
}

fn good(what: &'static str, says: impl Into<String>) -> Finding {
    Finding { what, ok: true, says: says.into() }
}

fn bad(what: &'static str, says: impl Into<String>) -> Finding {
    Finding { what, ok: false, says: says.into() }
}

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    telemetry::start_logging();
    let findings = runtime()?.block_on(async {
        let mut findings = vec![ledger_of(config).await];
        findings.extend(broker_of(config).await);
        findings.push(results_of(config).await);
        findings
    });
    if args.json {
        output::print(&format!("{}\n", serde_json::to_string_pretty(&findings)?))?;
    } else {
        for Finding { what, ok, says } in &findings {
            let mark = if *ok { "ok  " } else { "BAD " };
            output::print(&format!("{mark}{what:<8} {}\n", safe(says)))?;
        }
    }
    Ok(if findings.iter().all(|finding| finding.ok) { Exit::Done } else { Exit::Unreachable })
}

async fn ledger_of(config: &Config) -> Finding {
    let url = match fleet::ledger_url(config) {
        Ok(url) => url,
        Err(error) => return bad("ledger", error.to_string()),
    };
    match ledger::schema(url).await {
        Ok(Schema { found: Some(found), newest, .. }) if found > newest => {
            good("ledger", format!("schema {found} of a newer release, which suits this one ({newest})"))
        }
        Ok(Schema { found: Some(found), newest, missing: 0 }) if found == newest => {
            good("ledger", format!("schema {found}"))
        }
        Ok(Schema { found: Some(found), newest, .. }) => bad(
            "ledger",
            format!("schema {found} is old, this release needs {newest}: run `pagesieve migrate`"),
        ),
        Ok(Schema { found: None, .. }) => bad("ledger", "no schema yet: run `pagesieve migrate`"),
        Err(error @ LedgerError::Refused(_)) => bad(
            "ledger",
            format!(
                "{}: correct user, password and database in `ledger.url` (PAGESIEVE_LEDGER__URL)",
                chain(&error)
            ),
        ),
        Err(error) => bad(
            "ledger",
            format!("{}: start PostgreSQL, or correct `ledger.url` (PAGESIEVE_LEDGER__URL)", chain(&error)),
        ),
    }
}

async fn broker_of(config: &Config) -> Vec<Finding> {
    let broker = match fleet::broker(config, "doctor") {
        Ok(broker) => broker,
        Err(error) => return vec![bad("broker", format!("{error:#}"))],
    };
    let queues = broker.topology().queues();
    match broker.queue_states(&queues).await {
        Ok(states) => {
            let mut findings = vec![good("broker", format!("at {}", broker.address()))];
            let mut all = true;
            for (queue, state) in states {
                all &= state.is_ok();
                findings.extend(queue_of(&broker, &queue, state));
            }
            // With all of them there this creates nothing, but tells those of other properties.
            if all && let Err(error) = broker.declare().await {
                findings.push(bad(
                    "queue",
                    format!("{}: delete it when it is empty, then run `pagesieve migrate`", chain(&error)),
                ));
            }
            findings
        }
        Err(error @ QueueError::Refused { .. }) => vec![bad(
            "broker",
            format!(
                "{}: correct user, password and virtual host in `queue.url` (PAGESIEVE_QUEUE__URL)",
                chain(&error)
            ),
        )],
        Err(error) => vec![bad(
            "broker",
            format!("{}: start RabbitMQ, or correct `queue.url` (PAGESIEVE_QUEUE__URL)", chain(&error)),
        )],
    }
}

fn queue_of(
    broker: &Broker,
    queue: &str,
    state: Result<crate::queue::QueueState, QueueError>,
) -> Option<Finding> {
    let topology = broker.topology();
    let is_dead = [topology.documents(), topology.ocr()].iter().any(|live| Topology::dead(live) == queue);
    match state {
        Ok(state) if is_dead && state.messages > 0 => Some(good(
            "queue",
            format!("`{queue}` holds {} dead letters: see `pagesieve ocr dead --help`", state.messages),
        )),
        Ok(_) => None,
        Err(QueueError::Absent { .. }) => Some(bad(
            "queue",
            format!("`{queue}` is missing, messages for it are unroutable: run `pagesieve migrate`"),
        )),
        Err(error) => Some(bad("queue", format!("`{queue}`: {}", chain(&error)))),
    }
}

/// Writes, reads and removes a small object.
async fn results_of(config: &Config) -> Finding {
    let objects = match fleet::objects(config) {
        Ok(objects) => objects,
        Err(error) => return bad("results", format!("{error:#}")),
    };
    let key =
        ObjectKey::new(format!("_staging/doctor/{}", uuid::Uuid::now_v7().simple())).expect("a plain key");
    let tried = async {
        objects.put(&key, b"doctor".to_vec()).await?;
        objects.get(&key, 64, None).await?;
        objects.delete(&key).await
    };
    match tried.await {
        Ok(()) => good("results", format!("`{}` can be written", config.results.root)),
        Err(error) => {
            bad("results", format!("{}: make `results.root` writable, or free some space", chain(&error)))
        }
    }
}
