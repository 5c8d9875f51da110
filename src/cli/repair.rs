//! `pagesieve repair`: repairs what `check` routes to repair.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::config::Config;
use crate::score::{LeftAlone, RULES_VERSION, RepairedPage, repair_text};
use crate::words::Word;

use super::exit::Exit;
use super::given::Source;
use super::output;

/// Repairs the pages of a text that `check` routes to repair, and no others
///
/// Writes the whole text: repaired pages in place, all others byte for byte as they were read. Each repaired page passes
/// the check. Standard error lists each change and each faulty page that was left alone; with `--json` standard output
/// does, and the text goes to `-o` or into the object.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    source: Source,
    /// Write the text to this file, once it is whole; it may be the one that is read.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object with the changes.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report<'a> {
    rules_version: &'a str,
    n_pages: u32,
    repaired: &'a [RepairedPage],
    left_alone: &'a [LeftAlone],
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

pub(super) fn run(args: &Args, config: &Config) -> anyhow::Result<Exit> {
    let text = args.source.read()?;
    let repaired = repair_text(&text, &config.settings().policy);
    if let Some(path) = &args.output {
        write(path, &repaired.text)?;
    }
    let inline = args.output.is_none().then_some(repaired.text.as_str());
    if args.json {
        let report = Report {
            rules_version: RULES_VERSION,
            n_pages: repaired.n_pages,
            repaired: &repaired.repaired,
            left_alone: &repaired.left_alone,
            text: inline,
        };
        output::print(&(serde_json::to_string(&report)? + "\n"))?;
        return Ok(Exit::Done);
    }
    output::print(inline.unwrap_or_default())?;
    output::say(human(&repaired.repaired, &repaired.left_alone).trim_end());
    Ok(Exit::Done)
}

/// The file appears whole or not at all.
fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let written = output::unfinished_in(folder).and_then(|mut file| {
        file.write_all(text.as_bytes())?;
        file.persist(path).map_err(|error| error.error)
    });
    written.map_err(|error| super::exit::usage(format!("cannot write `{}`: {error}", path.display())))?;
    Ok(())
}

fn human(repaired: &[RepairedPage], left_alone: &[LeftAlone]) -> String {
    let mut text = String::new();
    for page in repaired {
        for change in &page.changes {
            let (code, detail) = (Word(change.code), output::safe(&change.detail));
            let _ = writeln!(text, "page {}, line {}: repaired {code}: {detail}", page.page, page.line);
        }
    }
    for page in left_alone {
        let (route, code) = (Word(page.route), Word(page.code));
        let _ = writeln!(
            text,
            "page {}, line {}: left alone, {route} for {code}: {}",
            page.page, page.line, page.why
        );
    }
    let _ = writeln!(text, "{} pages repaired, {} left alone", repaired.len(), left_alone.len());
    text
}
