//! `pagesieve check`: judges text from any extractor.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::config::Config;
use crate::score::{Route, TextPage, TextScore, check_text};
use crate::telemetry::grouped;
use crate::words::Word;

use super::exit::Exit;
use super::given::Source;
use super::output;
use super::scan::FailOn;

/// Judges text from any extractor, page by page
///
/// Form feeds part pages; a text without any is judged in runs of whole lines with about 500 letters. Blank pages are
/// counted and skipped. Prints each page that is not kept, with its reasons; `--json` prints every page.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    source: Source,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Exit with 1 when a page has this route or a worse one, or could not be judged: repair, reextract, ocr or not-judged.
    #[arg(long, value_name = "ROUTE", value_parser = FailOn::of_given)]
    fail_on: Option<FailOn>,
}

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    let text = args.source.read()?;
    let score = check_text(&text, &config.settings().policy);
    let shown = if args.json { serde_json::to_string(&score)? + "\n" } else { human(&score) };
    output::print(&shown)?;
    let by_route = score.pages.iter().map(|page| (page.route, 1));
    let trips = args.fail_on.is_some_and(|gate| gate.trips(by_route, u64::from(score.n_not_judged)));
    Ok(if trips { Exit::Gate } else { Exit::Done })
}

fn human(score: &TextScore) -> String {
    let mut text = String::new();
    for page in score.pages.iter().filter(|page| page.route > Route::Keep) {
        text.push_str(&of_page(page));
    }
    let mut routes = BTreeMap::<Route, u64>::new();
    score.pages.iter().for_each(|page| *routes.entry(page.route).or_default() += 1);
    let _ = write!(text, "{} pages", grouped(u64::from(score.n_pages)));
    for (route, n) in routes {
        let _ = write!(text, ", {} {}", grouped(n), Word(route));
    }
    for (n, what) in [(score.n_blank, "blank"), (score.n_not_judged, "not judged")] {
        if n > 0 {
            let _ = write!(text, ", {} {what}", grouped(u64::from(n)));
        }
    }
    text.push('\n');
    text
}

fn of_page(page: &TextPage) -> String {
    let mut text = format!("page {}, line {}: {}\n", page.page, page.line, Word(page.route));
    for reason in &page.reasons {
        let share = 100.0 * reason.share;
        let (code, certainty) = (Word(reason.code), Word(reason.certainty));
        let _ = writeln!(text, "  {code} {certainty} {share:.0} %  {}", output::safe(&reason.detail));
    }
    text
}
