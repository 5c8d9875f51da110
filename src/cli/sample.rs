//! `pagesieve sample`: PDFs to try pagesieve on.

use std::path::PathBuf;

use crate::sample;

use super::exit::{Exit, usage};
use super::output;
use super::table::{Table, colours, left};

/// Writes PDFs that show what pagesieve finds, healthy twins included
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folder to write into; made when it does not exist. Files of the same names are replaced.
    dir: PathBuf,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Exit> {
    let dir = args.dir.display();
    if args.dir.exists() && !args.dir.is_dir() {
        return Err(usage(format!("`{dir}` is not a folder")));
    }
    let files =
        sample::write(&args.dir).map_err(|error| usage(format!("cannot write to `{dir}`: {error}")))?;
    let mut table = Table::titled(&["file", "what it is", "what pagesieve says"]);
    for file in &files {
        table.row([left(file.name), left(file.description), left(file.expected)]);
    }
    let next = format!("\nnow try: pagesieve scan {dir} --out {dir}-out\n");
    output::print(&format!("{} files in {dir}\n{}{next}", files.len(), table.print(colours())))?;
    Ok(Exit::Done)
}
