//! `pagesieve completions`: tab completion for shells.

use clap::CommandFactory;
use clap_complete::Shell;

use super::exit::Exit;
use super::{Cli, output};

/// Prints tab completion for a shell: `source <(pagesieve completions bash)`
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    shell: Shell,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "pagesieve", &mut script);
    output::print(&String::from_utf8(script)?)?;
    Ok(Exit::Done)
}
