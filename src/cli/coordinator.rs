//! `pagesieve coordinator`: ids from the queue into jobs and tasks, jobs into snapshots.

use std::time::Duration;

use tokio::sync::watch;

use crate::config::Config;
use crate::coordinator::{self, Leading};
use crate::failpoint;
use crate::ledger::{Access, Ledger};

use super::exit::Exit;
use super::fleet;
use super::output::say;

/// Role: takes document ids from the queue, plans tasks, closes jobs
///
/// Several may run: each takes ids from the queue, one of them leads (a lease in the ledger with a fencing
/// epoch) and plans, carries unchanged documents forward and closes jobs. Needs `queue.url`, `ledger.url`
/// and `results.root`; waits for services that are not there yet. SIGTERM ends it.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Serve the live page, /v1, /healthz, /readyz and /metrics at this address, as `listen.addr` does; beyond loopback a token is needed.
    #[arg(long, value_name = "ADDR")]
    listen: Option<String>,
}

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    let listen = fleet::listen(config, args.listen.as_deref())?;
    let live = fleet::live(config)?;
    fleet::run_role("coordinator", &listen, live.routes(), |mut stop| async move {
        match fleet::ledger(config, "coordinator", Access::Worker, &mut stop).await? {
            Some(ledger) => {
                live.set_ledger(ledger.clone());
                serve(config, ledger, stop).await
            }
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
    let broker = fleet::broker(config, "coordinator")?;
    let leading = Leading {
        owner: fleet::owner("coordinator"),
        ledger: ledger.clone(),
        objects: fleet::objects(config)?,
        keep_jobs: config.results.keep_jobs,
        feed_idle: Duration::from_secs(config.coordinator.feed_idle_s),
        unsealed: Duration::from_secs(3600 * config.coordinator.unsealed_hours),
        after: |step| {
            failpoint::reach(&format!("close-{step:?}"));
            true
        },
    };
    let key = fleet::key(config);
    // Jobs are led while the broker is still away.
    let intake = async {
        if fleet::declare(&broker, "coordinator", &mut stop.clone()).await? {
            say(&format!("coordinator: reading `{}`", broker.topology().documents()));
            coordinator::intake(&ledger, &broker, &key, stop.clone()).await?;
        }
        anyhow::Ok(())
    };
    let lead = async {
        leading.run(stop.clone()).await;
        anyhow::Ok(())
    };
    tokio::try_join!(intake, lead)?;
    let _ = stop.borrow_and_update();
    Ok(())
}
