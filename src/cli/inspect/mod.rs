//! `pagesieve inspect`: every font and page of one file, with the evidence.

mod human;
mod json;

use std::path::PathBuf;

use crate::config::{Config, Isolation};
use crate::isolate::{Outcome, Pool};
use crate::score::{AskedRegion, DocumentScore, Rect, Settings, State};
use crate::source::{self, FetchError};
use crate::worker;

pub(super) use human::route_style;

use super::exit::{Exit, usage};
use super::output;
use super::region;
use super::setup::{Threads, pool_config, runtime};

/// Shows every font and page of one file, with the evidence
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A PDF file.
    file: PathBuf,
    /// Only this page, counted from 1; fonts are still judged over the whole document.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    page: Option<u32>,
    /// Judge this box of the page by itself: points of the crop box from its lower left corner, before any rotation.
    /// May be given several times; without `--page` it's judged on every page.
    #[arg(long = "region", value_name = "x0,y0,x1,y1", value_parser = region::parse, allow_hyphen_values = true)]
    regions: Vec<Rect>,
    /// Print JSON, as described in the README.
    #[arg(long)]
    json: bool,
    /// Where the file is parsed: `none` is this very process, for files you trust.
    #[arg(long, value_name = "process|none")]
    isolation: Option<Isolation>,
}

/// A file and what came of it.
struct Inspected {
    uri: String,
    size_bytes: u64,
    sha256: Option<String>,
    score: DocumentScore,
}

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    let mut inspected = inspect(args, config)?;
    if let Some(page) = args.page {
        if inspected.score.state == State::Scored
            && inspected.score.pages.iter().all(|score| score.page != page)
        {
            return Err(usage(format!(
                "there is no page {page}: the file has {}",
                inspected.score.pages.len()
            )));
        }
        inspected.score.pages.retain(|score| score.page == page);
    }
    let text = if args.json { json::print(&inspected)? } else { human::print(&inspected) };
    output::print(&text)?;
    Ok(if inspected.score.state == State::Scored { Exit::Done } else { Exit::Gate })
}

fn inspect(args: &Args, config: &Config) -> anyhow::Result<Inspected> {
    let path = std::path::absolute(&args.file)?;
    let uri = source::from_path(&path);
    let fetched = match source::fetch(&path, config.limits.document_bytes) {
        Ok(fetched) => fetched,
        Err(error @ FetchError::TooLarge { size_bytes, .. }) => {
            return Ok(Inspected { uri, size_bytes, sha256: None, score: worker::unread_score(&error) });
        }
        Err(error) => return Err(usage(format!("cannot inspect `{}`: {error}", args.file.display()))),
    };
    let size_bytes = fetched.bytes.len() as u64;
    let regions = args.regions.iter().map(|&region| AskedRegion { page: args.page, region }).collect();
    let settings = Settings { regions, ..config.settings() };
    let pool = Pool::new(pool_config(config, settings, Threads::all(), args.isolation))?;
    let Outcome { score, sha256, .. } = runtime()?.block_on(pool.score(fetched.bytes))?;
    Ok(Inspected { uri, size_bytes, sha256: Some(sha256), score })
}
