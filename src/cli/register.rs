//! `pagesieve register`: published files as tables of a lake.

use std::path::PathBuf;

use crate::config::Config;

use super::exit::{Exit, usage};

/// Registers the published files as Delta tables, without rewriting them
///
/// Writes a log beside the files of each table: DIR/pages and so on can be read as Delta tables with the current snapshots of all
/// corpora. Run it again after each job: one version a run, none where nothing changed. Needs a build with the cargo feature
/// `delta`; any other build says so and exits with 2.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folder with results of `scan`, or `s3://bucket/prefix` of a fleet.
    #[arg(value_name = "DIR")]
    root: PathBuf,
    /// As Delta tables.
    #[arg(long, required = true)]
    delta: bool,
}

#[cfg(not(feature = "delta"))]
pub(super) fn run(args: &Args, _config: &Config) -> anyhow::Result<Exit> {
    let _ = (&args.root, args.delta);
    Err(usage("this build cannot register tables: build with the cargo feature `delta`"))
}

#[cfg(feature = "delta")]
pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    use crate::objects;
    use crate::tables::{CURRENT_FILE, delta};
    use crate::telemetry::grouped;

    let wrong = || usage(format!("`{}` holds no results", args.root.display()));
    let root = args.root.to_str().ok_or_else(wrong)?;
    // A folder that is not there must not be made.
    if !root.starts_with("s3://") && !args.root.join(CURRENT_FILE).is_file() {
        return Err(wrong());
    }
    let objects = objects::open(root, &config.store).map_err(|error| usage(error.to_string()))?;
    let registered = super::setup::runtime()?.block_on(delta::register(&*objects));
    let registered = match registered {
        Err(delta::DeltaError::NoResults) => return Err(wrong()),
        other => other?,
    };
    for table in registered {
        let what = if table.new { "registered" } else { "unchanged" };
        let files = grouped(table.files as u64);
        super::output::print(&format!(
            "{}: version {}, {files} files, {what}\n",
            table.table.name(),
            table.version
        ))?;
    }
    debug_assert!(args.delta);
    Ok(Exit::Done)
}
