//! `pagesieve compact`: what nothing refers to any more, removed.

use std::path::PathBuf;
use std::sync::Arc;

use crate::config::Config;
use crate::coordinator;
use crate::ledger::{Access, Ledger};
use crate::objects::{Folder, Objects};
use crate::telemetry::{self, grouped};

use super::exit::{Exit, usage};
use super::fleet;
use super::output;
use super::setup::runtime;

/// Removes old snapshots and what crashes left behind
///
/// Snapshots beyond the `results.keep_jobs` newest of each corpus, staging files that nobody can commit any
/// more, and the room that deleted rows take in a SQLite ledger. The coordinator does the same hourly; a
/// snapshot is compact as it is written. Nothing that a reader may be at is touched.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Results folder of `scan`; without it ledger and results root of the settings.
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    telemetry::start_logging();
    runtime()?.block_on(async {
        let (ledger, objects): (Ledger, Arc<dyn Objects>) = match &args.folder {
            Some(folder) => {
                let file = folder.join("_ledger.sqlite");
                if !file.is_file() {
                    return Err(usage(format!("`{}` holds no results of pagesieve", folder.display())));
                }
                (Ledger::open_file(&file, Access::Worker).await?, Arc::new(Folder::new(folder)))
            }
            None => {
                let url = fleet::ledger_url(config)?;
                (Ledger::open(url, Access::Worker).await?, fleet::objects(config)?)
            }
        };
        let swept = coordinator::sweep(&ledger, &*objects, config.results.keep_jobs).await?;
        ledger.vacuum().await?;
        ledger.close().await;
        output::print(&format!(
            "removed {} old snapshots and {} staging files\n",
            grouped(swept.snapshots),
            grouped(swept.staging_files)
        ))?;
        Ok(Exit::Done)
    })
}
