//! `pagesieve report`: what the tables say, for people, as JSON or as CSV.

mod bars;
mod html;
mod lookup;
mod print;

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::config::Config;
use crate::report::{self, Answer, ReportError, Results};

use super::exit::{Exit, usage};
use super::output;

#[cfg(feature = "sql")]
pub(super) use print::rows_text;
pub(super) use print::{Format, csv_safe};

/// Reports on the results of scans
///
/// Reads the tables in DIR, of them only the files and columns it needs. `producers`, `clusters` and `fonts` rank by
/// flagged pages above the corpus rate: a large producer that is as bad as the rest does not hide a small one that is broken.
/// A page is flagged when its route is decode or ocr; for a cluster or font, when a reason names the font.
/// `documents NAME` shows everything about one document.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  pagesieve report out producers\n  pagesieve report out documents scans/a.pdf --json\n  \
    pagesieve report out diff --csv > moved.csv\n  pagesieve report out --html report.html"
)]
pub(super) struct Args {
    /// Folder with results of `scan`, or `s3://bucket/prefix` of a fleet.
    #[arg(value_name = "DIR")]
    root: PathBuf,
    /// What to report.
    #[arg(value_enum, value_name = "REPORT", required_unless_present = "html")]
    what: Option<What>,
    /// With `documents`: one document, by its URI, path or SHA-256.
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// The job to report on; without it the current one.
    #[arg(long, value_name = "ID")]
    job: Option<String>,
    /// With `diff`: the job to compare with; without it the one before.
    #[arg(long, value_name = "ID")]
    against: Option<String>,
    /// Print one JSON object.
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Print CSV (RFC 4180); text that a spreadsheet would take for a formula gets a leading apostrophe.
    #[arg(long)]
    csv: bool,
    /// Rows to print, 0 for all; 25 in a table, all in JSON and CSV when not given.
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Write the whole report into one HTML file without scripts or network: charts, tables, and a gallery of flagged
    /// pages beside their text layers. Documents are read again where they lay when they were scanned.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["what", "json", "csv", "limit"])]
    html: Option<PathBuf>,
    /// Pages in the gallery of --html.
    #[arg(long, value_name = "N", default_value_t = 24, requires = "html")]
    gallery: usize,
}

/// The reports there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Producer families: pages, flagged share with interval, what moved.
    Producers,
    /// Font families over all producers.
    Fonts,
    /// Producer, version, font and signature: where failures have one cause.
    Clusters,
    /// Reasons of pages, by certainty.
    Reasons,
    /// Documents with most flagged pages, or one document.
    Documents,
    /// What moved since the job before.
    Diff,
}

/// Rows of a table for people when none are asked for.
const ROWS: usize = 25;

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    let results = open(&args.root, config, args.job.as_deref())?;
    let format = Format::of(args.json, args.csv);
    if let Some(file) = &args.html {
        return html::run(&results, file, args.gallery, config);
    }
    let what = args.what.expect("asked for where there is no --html");
    if let Some(name) = &args.name {
        if what != What::Documents {
            return Err(usage("a name goes with `documents` only"));
        }
        return lookup::run(&results, name, format);
    }
    let answer = answer(args, what, &results)?;
    let limit = args.limit.unwrap_or(if format == Format::Table { ROWS } else { 0 });
    output::print(&print::answer(&answer.limited(limit), &results, format)?)?;
    Ok(Exit::Done)
}

fn answer(args: &Args, what: What, results: &Results) -> anyhow::Result<Answer> {
    if args.against.is_some() && what != What::Diff {
        return Err(usage("--against goes with `diff` only"));
    }
    Ok(match what {
        What::Producers => report::producers(results)?,
        What::Fonts => report::fonts(results)?,
        What::Clusters => report::clusters(results)?,
        What::Reasons => report::reasons(results)?,
        What::Documents => report::documents(results)?,
        What::Diff => {
            let before = match &args.against {
                Some(job) => opened(results.sibling(job))?,
                None => results.previous().ok_or_else(|| {
                    usage("there is no job before this one to compare with; name one with --against")
                })?,
            };
            report::diff(&before, results)?
        }
    })
}

/// Opens results; what is not there is the caller's mistake.
pub(super) fn open(root: &Path, config: &Config, job: Option<&str>) -> anyhow::Result<Results> {
    opened(Results::open(root, &config.store, job))
}

fn opened(results: Result<Results, ReportError>) -> anyhow::Result<Results> {
    results.map_err(|error| if error.is_usage() { usage(error.to_string()) } else { error.into() })
}
