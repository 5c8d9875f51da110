//! What a scan found, for people and as JSON.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::cli::inspect::route_style;
use crate::cli::output::safe;
use crate::cli::table::{Style, Table, colours, left, right};
use crate::coordinator::Closed;
use crate::report::{Overview, Producer};
use crate::score::{ReasonCode, Route, State};
use crate::telemetry::grouped;
use crate::words::Word;

use super::fail_on::FailOn;

/// Producers that are listed.
const PRODUCERS: usize = 5;
/// Reasons that are listed for people.
const REASONS: usize = 12;
/// Longest name of a producer that is shown whole.
const NAME_CHARS: usize = 48;

/// A finished scan.
pub(super) struct Summary<'a> {
    pub(super) out: &'a Path,
    pub(super) closed: Closed,
    /// The whole snapshot, carried documents included.
    pub(super) overview: Overview,
    /// Wall clock of this command.
    pub(super) elapsed: Duration,
    /// Pages scored by this command, and their number per second.
    pub(super) scored: (u64, f64),
}

#[derive(Serialize)]
struct Json<'a> {
    job: &'a str,
    #[serde(flatten)]
    overview: &'a Overview,
    worst_producers: Vec<&'a Producer>,
    ocr_requests: u64,
    pages_scored: u64,
    pages_per_second: f64,
    elapsed_seconds: f64,
    tables: &'a Path,
    ocr_queue: &'a Path,
}

impl Summary<'_> {
    /// Documents in another state than `scored` and `encrypted`.
    pub(super) fn unscored(&self) -> u64 {
        let states = self.overview.documents_by_state.iter();
        states.filter(|(state, _)| !matches!(state, State::Scored | State::Encrypted)).map(|(_, n)| n).sum()
    }

    /// Whether the gate trips.
    pub(super) fn trips(&self, gate: FailOn) -> bool {
        let routes = self.overview.pages_by_route.iter().map(|(route, pages)| (*route, *pages));
        gate.trips(routes, self.overview.pages_not_judged)
    }

    /// One object and a line feed.
    pub(super) fn json(&self) -> serde_json::Result<String> {
        let json = Json {
            job: &self.closed.job,
            overview: &self.overview,
            worst_producers: self.worst_producers(),
            ocr_requests: self.closed.ocr_requests,
            pages_scored: self.scored.0,
            pages_per_second: rounded(self.scored.1),
            elapsed_seconds: rounded(self.elapsed.as_secs_f64()),
            tables: self.out,
            ocr_queue: &self.out.join("ocr-queue.ndjson"),
        };
        Ok(serde_json::to_string(&json)? + "\n")
    }

    fn worst_producers(&self) -> Vec<&Producer> {
        self.overview.producers.iter().filter(|producer| producer.pages_flagged > 0).take(PRODUCERS).collect()
    }

    /// For a terminal or a log.
    pub(super) fn human(&self) -> String {
        let colours = colours();
        let overview = &self.overview;
        let mut text = String::new();
        let (pages, rate) = self.scored;
        let seconds = self.elapsed.as_secs_f64();
        let _ = writeln!(
            text,
            "{} documents, {} pages; {} pages scored in {seconds:.1} s ({rate:.0} pages/s)",
            grouped(overview.documents),
            grouped(overview.pages),
            grouped(pages),
        );
        let states =
            overview.documents_by_state.iter().map(|(state, n)| format!("{} {}", Word(*state), grouped(*n)));
        let _ = writeln!(text, "documents: {}", joined(states));
        let changes = overview
            .documents_by_change
            .iter()
            .map(|(change, n)| format!("{} {}", Word(*change), grouped(*n)));
        let _ = writeln!(text, "changes:   {}", joined(changes));
        text.push_str("\npages by route\n");
        text.push_str(&self.routes().print(colours));
        if !overview.pages_by_reason.is_empty() {
            text.push_str("\npages by reason\n");
            text.push_str(&self.reasons().print(colours));
        }
        let worst = self.worst_producers();
        if !worst.is_empty() {
            text.push_str("\nproducers with the largest share of pages that need OCR or decoding\n");
            text.push_str(&producers(&worst).print(colours));
        }
        let out = safe(&self.out.display().to_string());
        let _ = writeln!(text, "\ntables:    {out}");
        let requests = grouped(self.closed.ocr_requests);
        let _ = writeln!(text, "OCR queue: {out}/ocr-queue.ndjson ({requests} pages)");
        text
    }

    fn routes(&self) -> Table {
        let overview = &self.overview;
        let mut table = Table::default();
        for (route, pages) in &overview.pages_by_route {
            let name = left(Word(*route).to_string()).styled(Some(route_style(*route)));
            table.row([
                name,
                right(grouped(*pages)),
                right(percent(*pages, overview.pages)),
                left(meaning(*route)),
            ]);
        }
        let not_judged = overview.pages_not_judged;
        let name = left("not judged").styled(Some(Style::Faint));
        let meaning = left("too little evidence; counted above by policy");
        table.row([name, right(grouped(not_judged)), right(percent(not_judged, overview.pages)), meaning]);
        table
    }

    fn reasons(&self) -> Table {
        let mut reasons: Vec<(&ReasonCode, &u64)> = self.overview.pages_by_reason.iter().collect();
        reasons.sort_by_key(|(code, pages)| (std::cmp::Reverse(**pages), **code));
        let mut table = Table::default();
        for (code, pages) in reasons.iter().take(REASONS) {
            table.row([left(Word(**code).to_string()), right(grouped(**pages))]);
        }
        if reasons.len() > REASONS {
            table.row([left(format!("and {} more", reasons.len() - REASONS)).styled(Some(Style::Faint))]);
        }
        table
    }
}

fn producers(worst: &[&Producer]) -> Table {
    let mut table = Table::titled(&["producer", ">documents", ">pages", ">flagged", ">share"]);
    for producer in worst {
        let name: String = producer.family.as_deref().unwrap_or("(none)").chars().take(NAME_CHARS).collect();
        table.row([
            left(name),
            right(grouped(producer.documents)),
            right(grouped(producer.pages)),
            right(grouped(producer.pages_flagged)),
            right(percent(producer.pages_flagged, producer.pages)),
        ]);
    }
    table
}

fn meaning(route: Route) -> &'static str {
    match route {
        Route::Keep => "the text layer is right, or there is nothing to read",
        Route::Repair => "letters right; order, forms or spaces need a repair",
        Route::Decode => "letters recoverable without OCR",
        Route::Reextract => "damaged by the extractor",
        Route::Ocr => "must be read from pixels",
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(", ")
}

fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// Three decimals: more would be noise.
fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}
