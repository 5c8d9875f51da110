//! `pagesieve text`: the trusted text of one PDF.

use std::fmt::Write;
use std::path::PathBuf;

use serde::Serialize;

use crate::config::{Config, Isolation};
use crate::isolate::{Outcome, Pool};
use crate::score::{
    AskedRegion, DocumentScore, PageScore, PageText, RULES_VERSION, Rect, Route, Settings, State, TextPiece,
    TextWish, Withheld,
};
use crate::source::{self, FetchError};
use crate::words::Word;
use crate::worker;

use super::exit::{Exit, usage};
use super::output::{self, safe};
use super::region;
use super::scan::page_range;
use super::setup::{Threads, pool_config, runtime};

/// Prints the text of a PDF as far as it can be trusted, a form feed after each page
///
/// Text of untrusted fonts and regions is left out; a page that is routed as a whole is empty, so that the positions of the
/// others hold. Standard error says which pages miss something, and what would bring it back.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A PDF file.
    file: PathBuf,
    /// Only these pages, counted from 1: `3-7`, `3-`, `-7` or `3`; fonts are still judged over the whole document.
    #[arg(long, value_name = "A-B", value_parser = page_range)]
    pages: Option<(u32, u32)>,
    /// Print pages that are routed to `repair` after their repair, where the result passes the check.
    #[arg(long)]
    repair: bool,
    /// Print pages that are routed to `decode` by glyph order, glyph names or a solved map, where at least 80 % of the
    /// glyphs are read and the result passes the check.
    #[arg(long)]
    decode: bool,
    /// Print only what is inside this box, each judged by itself: points of the crop box from its lower left corner,
    /// before any rotation. May be given several times.
    #[arg(long = "region", value_name = "x0,y0,x1,y1", value_parser = region::parse, allow_hyphen_values = true)]
    regions: Vec<Rect>,
    /// Print one JSON object, with the provenance of each piece.
    #[arg(long)]
    json: bool,
    /// Where the file is parsed: `none` is this very process, for files you trust.
    #[arg(long, value_name = "process|none")]
    isolation: Option<Isolation>,
}

#[derive(Serialize)]
struct Report<'a> {
    uri: &'a str,
    sha256: Option<&'a str>,
    rules_version: &'a str,
    state: State,
    state_reason: Option<&'a str>,
    pages: Vec<PageReport<'a>>,
}

#[derive(Serialize)]
struct PageReport<'a> {
    page: u32,
    route: Route,
    judged: bool,
    text: String,
    pieces: &'a [TextPiece],
    withheld: Option<Withheld>,
    glyphs_withheld: u32,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    regions: Vec<RegionReport<'a>>,
}

#[derive(Serialize)]
struct RegionReport<'a> {
    region: Rect,
    route: Route,
    text: String,
    pieces: &'a [TextPiece],
    withheld: Option<Withheld>,
    glyphs_withheld: u32,
}

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    let path = std::path::absolute(&args.file)?;
    let uri = source::from_path(&path);
    let (mut score, sha256) = match source::fetch(&path, config.limits.document_bytes) {
        Ok(fetched) => score(args, config, fetched)?,
        Err(error @ FetchError::TooLarge { .. }) => (worker::unread_score(&error), None),
        Err(error) => return Err(usage(format!("cannot read `{}`: {error}", args.file.display()))),
    };
    if let Some((first, last)) = args.pages {
        score.pages.retain(|page| (first..=last).contains(&page.page));
        if score.state == State::Scored && score.pages.is_empty() {
            return Err(usage(format!("there is no page {first}: the file has {}", score.info.n_pages)));
        }
    }
    if args.json {
        output::print(&json(&uri, sha256.as_deref(), &score)?)?;
    } else {
        output::print(&plain(&score, !args.regions.is_empty()))?;
        say_what_is_missing(&score, !args.regions.is_empty());
    }
    if score.state == State::Scored {
        return Ok(Exit::Done);
    }
    let why = score.state_reason.as_deref().map(|why| format!(" ({})", safe(why))).unwrap_or_default();
    output::say(&format!("pagesieve: {}: {}{why}", safe(&uri), Word(score.state)));
    Ok(Exit::Gate)
}

fn score(
    args: &Args,
    config: &Config,
    fetched: source::Fetched,
) -> anyhow::Result<(DocumentScore, Option<String>)> {
    let regions = args.regions.iter().map(|&region| AskedRegion { page: None, region }).collect();
    let text = Some(TextWish { repair: args.repair, decode: args.decode });
    let settings = Settings { regions, text, ..config.settings() };
    let pool = Pool::new(pool_config(config, settings, Threads::all(), args.isolation))?;
    let Outcome { score, sha256, .. } = runtime()?.block_on(pool.score(fetched.bytes))?;
    Ok((score, Some(sha256)))
}

/// The texts of a page: its own, or those of the boxes.
fn texts(page: &PageScore, regions: bool) -> Vec<&PageText> {
    if regions {
        page.assessed.iter().filter_map(|region| region.text.as_ref()).collect()
    } else {
        page.text.iter().collect()
    }
}

fn plain(score: &DocumentScore, regions: bool) -> String {
    let mut out = String::new();
    for page in &score.pages {
        texts(page, regions).into_iter().for_each(|text| out.push_str(&text.text()));
        out.push('\u{C}');
    }
    out
}

fn say_what_is_missing(score: &DocumentScore, regions: bool) {
    for page in &score.pages {
        for text in texts(page, regions) {
            let Some(why) = text.withheld else { continue };
            let what = match why {
                Withheld::Ocr => "must be read from pixels",
                Withheld::NeedsRepair => "need a repair: --repair",
                Withheld::RepairFails => "cannot be repaired so that the text passes the check",
                Withheld::NeedsDecoding => "need decoding: --decode",
                Withheld::DecodingFails => "cannot be decoded so that the text passes the check",
            };
            let mut reasons = String::new();
            for reason in page.reasons.iter().take(2) {
                let _ = write!(reasons, " {}", Word(reason.code));
            }
            output::say(&format!(
                "page {}: {} glyphs left out, {what};{reasons}",
                page.page, text.glyphs_withheld
            ));
        }
    }
}

fn json(uri: &str, sha256: Option<&str>, score: &DocumentScore) -> anyhow::Result<String> {
    let empty = PageText::default();
    let pages = score.pages.iter().map(|page| {
        let own = page.text.as_ref().unwrap_or(&empty);
        let regions = page.assessed.iter().filter_map(|region| {
            let text = region.text.as_ref()?;
            Some(RegionReport {
                region: region.region,
                route: region.route,
                text: text.text(),
                pieces: &text.pieces,
                withheld: text.withheld,
                glyphs_withheld: text.glyphs_withheld,
            })
        });
        PageReport {
            page: page.page,
            route: page.route,
            judged: page.judged,
            text: own.text(),
            pieces: &own.pieces,
            withheld: own.withheld,
            glyphs_withheld: own.glyphs_withheld,
            regions: regions.collect(),
        }
    });
    let report = Report {
        uri,
        sha256,
        rules_version: RULES_VERSION,
        state: score.state,
        state_reason: score.state_reason.as_deref(),
        pages: pages.collect(),
    };
    Ok(serde_json::to_string(&report)? + "\n")
}
