//! `pagesieve up`: coordinator, worker and relay in one process.

use crate::config::Config;
use crate::ledger::Access;

use super::exit::Exit;
use super::{coordinator, fleet, relay, worker};

/// Roles: coordinator, worker and relay in one process
///
/// For one machine, and the only way to run the roles on a SQLite ledger. Needs `queue.url`, `ledger.url` and
/// `results.root`; waits for what is not there yet. SIGTERM drains, as with `worker`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Serve the live page, /v1, /healthz, /readyz and /metrics at this address, as `listen.addr` does; beyond loopback a token is needed.
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
    /// Scoring threads in all; one per processor when not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    let listen = fleet::listen(config, args.listen.as_deref())?;
    let live = fleet::live(config)?;
    fleet::run_role("up", &listen, live.routes(), |mut stop| async move {
        let Some(ledger) = fleet::ledger(config, "up", Access::Worker, &mut stop).await? else {
            return Ok(());
        };
        live.set_ledger(ledger.clone());
        tokio::try_join!(
            coordinator::serve(config, ledger.clone(), stop.clone()),
            worker::serve(config, args.threads, ledger.clone(), stop.clone()),
            relay::serve(config, ledger.clone(), stop.clone()),
        )?;
        ledger.close().await;
        Ok(())
    })
}
