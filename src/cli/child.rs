//! `pagesieve child`: a scoring process. Started by the pool only.

use crate::isolate::{self, ChildArgs};

use super::exit::Exit;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Address space, in bytes.
    #[arg(long)]
    address_space: u64,
}

pub(super) fn run(args: Args) -> anyhow::Result<Exit> {
    isolate::run_child(ChildArgs { address_space: args.address_space })?;
    Ok(Exit::Done)
}
