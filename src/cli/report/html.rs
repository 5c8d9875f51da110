//! `pagesieve report DIR --html FILE`: the report as one file, with pages drawn in children.

use std::io::Write;
use std::path::Path;

use anyhow::Context;

use crate::cli::exit::Exit;
use crate::cli::output::{self, safe, say};
use crate::cli::setup::drawing;
use crate::config::Config;
use crate::isolate;
use crate::report::Results;
use crate::report::html::{Picture, cards, html};

pub(super) fn run(results: &Results, file: &Path, gallery: usize, config: &Config) -> anyhow::Result<Exit> {
    isolate::harden_parent();
    let mut cards = cards(results, gallery)?;
    drawing(config)?.draw(&mut cards).context("failed to start a process that draws")?;
    let text = html(results, &cards)?;
    // The file appears whole or not at all.
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut unfinished = output::unfinished_in(folder)
        .with_context(|| format!("failed to create a file in `{}`", folder.display()))?;
    unfinished.write_all(text.as_bytes())?;
    unfinished.persist(file).context("failed to put the file in place")?;
    let drawn = cards.iter().filter(|card| matches!(card.picture, Picture::Rendered(_))).count();
    say(&format!(
        "{} pages in the gallery, {drawn} drawn: {}",
        cards.len(),
        safe(&file.display().to_string())
    ));
    Ok(Exit::Done)
}
