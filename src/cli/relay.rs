//! `pagesieve relay`: the outbox to the OCR queue.

use tokio::sync::watch;

use crate::config::Config;
use crate::failpoint;
use crate::ledger::{Access, Ledger};
use crate::ocr::Relay;

use super::exit::Exit;
use super::fleet;
use super::output::say;

/// Role: publishes OCR requests
///
/// Takes requests from the ledger, highest priority first, publishes them with confirms, and pauses while the
/// queue holds `ocr.max_backlog` of them. Any number may run. Needs `queue.url` and `ledger.url`; waits for
/// what is not there yet. SIGTERM ends it after the window in work.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Serve /healthz, /readyz and /metrics at this address, as `listen.addr` does; beyond loopback a token is needed.
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
}

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    let listen = fleet::listen(config, args.listen.as_deref())?;
    fleet::run_role("relay", &listen, axum::Router::new(), |mut stop| async move {
        match fleet::ledger(config, "relay", Access::Worker, &mut stop).await? {
            Some(ledger) => serve(config, ledger, stop).await,
            None => Ok(()),
        }
    })
}

/// The role on an open ledger, until `stop`.
pub(super) async fn serve(
    config: &Config,
    ledger: Ledger,
    mut stop: watch::Receiver<bool>,
) -> anyhow::Result<()> {
    let broker = fleet::broker(config, "relay")?;
    if !fleet::declare(&broker, "relay", &mut stop).await? {
        return Ok(());
    }
    say(&format!("relay: publishing to `{}`", broker.topology().ocr()));
    let relay = Relay {
        owner: fleet::owner("relay"),
        ledger,
        broker,
        max_backlog: config.ocr.max_backlog,
        confirmed: || failpoint::reach("relay-confirmed"),
    };
    Ok(relay.run(stop).await?)
}
