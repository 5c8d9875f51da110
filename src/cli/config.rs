//! `pagesieve config`: the settings in force.

use crate::config::{Config, DEFAULT_TOML};

use super::exit::Exit;
use super::output;

/// Shows or checks the settings
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Prints the settings in force, without secrets.
    Print {
        /// Print the commented defaults instead, as a start for a settings file.
        #[arg(long)]
        defaults: bool,
    },
    /// Checks file and environment; says what is wrong and exits with 2.
    Check,
}

pub(super) fn run(args: Args, config: &Config) -> anyhow::Result<Exit> {
    match args.action {
        Action::Print { defaults: true } => output::print(DEFAULT_TOML)?,
        Action::Print { defaults: false } => output::print(&config.to_toml())?,
        // Reading them was the check.
        Action::Check => output::print("the settings are valid\n")?,
    }
    Ok(Exit::Done)
}
