//! `pagesieve migrate`: the ledger's schema and the broker's topology, brought up to date.

use crate::config::Config;
use crate::ledger::{Access, Ledger};
use crate::telemetry;

use super::exit::Exit;
use super::fleet;
use super::output;
use super::setup::runtime;

/// Brings the ledger's schema and the broker's queues up to date
///
/// Roles do the same when they start; this command does it before them, and where their database user may not.
/// May be repeated, and run while roles of the previous release still work.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only the ledger.
    #[arg(long)]
    ledger_only: bool,
}

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    telemetry::start_logging();
    runtime()?.block_on(async {
        let ledger = Ledger::open(fleet::ledger_url(config)?, Access::Guest).await?;
        let schema = ledger.schema_version().await?;
        ledger.close().await;
        output::print(&format!("the ledger's schema is up to date: {schema}\n"))?;
        if !args.ledger_only {
            let broker = fleet::broker(config, "migrate")?;
            broker.declare().await?;
            output::print(&format!("exchanges and queues are in place at {}\n", broker.address()))?;
        }
        Ok(Exit::Done)
    })
}
