//! `pagesieve report DIR --html FILE`: the report as one file, with pages drawn in children.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use sha2::{Digest, Sha256};

use crate::cli::exit::Exit;
use crate::cli::output::{self, safe, say};
use crate::config::Config;
use crate::isolate;
use crate::report::Results;
use crate::report::html::{Card, Picture, cards, html};
use crate::source;

/// Time for the pages of one document.
const TIME: Duration = Duration::from_secs(30);

pub(super) fn run(results: &Results, file: &Path, gallery: usize, config: &Config) -> anyhow::Result<Exit> {
    isolate::harden_parent();
    let mut cards = cards(results, gallery)?;
    draw(&mut cards, config)?;
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

/// Draws the cards' pages, document by document.
fn draw(cards: &mut [Card], config: &Config) -> anyhow::Result<()> {
    let mut by_document = BTreeMap::<String, Vec<usize>>::new();
    for (index, card) in cards.iter().enumerate() {
        by_document.entry(card.uri.clone()).or_default().push(index);
    }
    let program = std::env::current_exe().context("failed to find this program")?;
    for (uri, indexes) in by_document {
        let pages: Vec<u32> = indexes.iter().map(|&index| cards[index].page).collect();
        let rendered = match bytes(&uri, &cards[indexes[0]].sha256, config.limits.document_bytes) {
            Ok(file) => isolate::render_pages(program.clone(), file, &pages, &config.settings().limits, TIME)
                .context("failed to start a process that draws")?,
            Err(why) => {
                indexes.iter().for_each(|&index| cards[index].picture = Picture::Missing(why.clone()));
                continue;
            }
        };
        for index in indexes {
            let page = rendered.iter().find(|page| page.page == cards[index].page);
            cards[index].picture = match page {
                Some(page) => Picture::Rendered(page.clone()),
                None => Picture::Missing("drawing it failed or took too long".to_owned()),
            };
        }
    }
    Ok(())
}

/// The bytes that were scored, or why they cannot be had.
fn bytes(uri: &str, sha256: &str, most: u64) -> Result<Arc<[u8]>, String> {
    let path = source::to_path(uri).ok_or("the document is not a local file of this machine")?;
    let size = std::fs::metadata(&path).map_err(|_| "the document is no longer where it was")?.len();
    if size > most {
        return Err("the document is larger than limits.document_bytes".to_owned());
    }
    let file = std::fs::read(&path).map_err(|_| "the document cannot be read")?;
    let hash: String = Sha256::digest(&file).iter().map(|byte| format!("{byte:02x}")).collect();
    if hash == sha256 {
        Ok(file.into())
    } else {
        Err("the document has changed since it was scored".to_owned())
    }
}
