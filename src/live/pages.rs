//! The pages, as HTML without inline script or style. Every value goes through `escape`.

use std::fmt::Write;
use std::sync::Arc;

use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};

use super::Live;
use super::api::{Named, asked, find, given};
use super::fail::Failure;
use super::moved::Movement;
use super::status::{JobStatus, OcrStatus, Status, Worker, job_status};
use crate::report::html::{card, escape, table};
use crate::report::{Answer, Kind, Results, Value, clusters, json_cells, overview, producers};
use crate::score::Route;
use crate::telemetry::grouped;
use crate::words::Word;

/// A page may load the style sheet and the script of this port, ask this port, and show pictures that it holds itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/// Rows of a table of flagged pages.
const CLUSTERS: usize = 20;

/// A page, or why there is none.
pub(super) struct Page {
    status: StatusCode,
    title: String,
    body: String,
    /// Whether it changes by itself.
    live: bool,
}

impl Page {
    fn new(title: impl Into<String>, body: String, live: bool) -> Self {
        Self { status: StatusCode::OK, title: title.into(), body, live }
    }
}

impl From<Failure> for Page {
    fn from(failure: Failure) -> Self {
        failure.log();
        let body = format!("<p class=\"problem\">{}.</p>", escape(&failure.told()));
        // A coordinator that waits for its ledger has something to show soon.
        let live = failure.status() == StatusCode::SERVICE_UNAVAILABLE;
        Self { status: failure.status(), title: "no answer".to_owned(), body, live }
    }
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        let script = if self.live { "<script src=\"/live.js\" defer></script>\n" } else { "" };
        let updates = "<div id=\"updates\"><noscript>Reload the page to update it.</noscript></div>\n";
        let html = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} – pagesieve</title>\n\
             <link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"/live.css\">\n{script}</head>\n<body>\n\
             <a class=\"skip\" href=\"#main\">Skip to the content</a>\n\
             <header><h1><a href=\"/\">pagesieve</a> {title}</h1>\n{updates}</header>\n\
             <main id=\"main\" tabindex=\"-1\">\n<div id=\"live\">\n{body}</div>\n</main>\n\
             <footer><p><a href=\"/v1/openapi.json\">API</a> · <a href=\"/metrics\">metrics</a> · \
             A page is <b>flagged</b> when its route is decode or ocr.</p></footer>\n</body>\n</html>\n",
            title = escape(&self.title),
            updates = if self.live { updates } else { "" },
            body = self.body,
        );
        let headers =
            [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CONTENT_SECURITY_POLICY, POLICY)];
        (self.status, headers, html).into_response()
    }
}

pub(super) async fn home(State(live): State<Arc<Live>>) -> Result<Page, Page> {
    let status = live.status().await?;
    let Status { jobs, workers, ocr, producers, problems, at, .. } = &*status;
    let mut body = String::new();
    if !problems.is_empty() {
        let lines = problems.iter().map(|(part, why)| format!("{}: {}", escape(part), escape(why)));
        section(
            &mut body,
            "problems",
            "Problems",
            &format!("<p class=\"problem\">{}</p>", lines.collect::<Vec<_>>().join("<br>")),
        );
    }
    let shown: Vec<&JobStatus> = jobs.iter().filter(|job| !job.ended()).collect();
    let shown = if shown.is_empty() { jobs.iter().take(1).collect() } else { shown };
    if shown.is_empty() {
        section(
            &mut body,
            "no-job",
            "Jobs",
            "<p>No job has begun: <code>pagesieve submit SOURCE --corpus NAME</code>.</p>",
        );
    }
    for job in shown.into_iter().rev() {
        job_section(&mut body, job);
    }
    section(&mut body, "workers", "Workers", &workers_table(workers));
    section(&mut body, "ocr", "OCR backlog", &ocr_tiles(ocr));
    if let Some(movement) = producers {
        movement_sections(&mut body, movement);
    }
    section(&mut body, "jobs", "Newest jobs", &jobs_table(jobs));
    section(
        &mut body,
        "at",
        "As of",
        &format!(
            "<p>{} UTC, rules {}.</p>",
            escape(&at[..19].replace('T', " ")),
            escape(status.rules_version)
        ),
    );
    Ok(Page::new("live", body, true))
}

pub(super) async fn job(
    State(live): State<Arc<Live>>,
    path: Result<Path<String>, axum::extract::rejection::PathRejection>,
) -> Result<Page, Page> {
    let ledger = live.ledger()?;
    let job = ledger.job(&given(path)?).await.map_err(Failure::from)?;
    let status = job_status(&live, ledger, job).await?;
    let mut body = String::new();
    job_section(&mut body, &status);
    let ended = status.ended();
    if ended {
        let id = status.job.clone();
        let results = live.make(move |live| {
            let results = live.results(&id)?;
            results_sections(&results)
        });
        match results.await {
            Ok(sections) => body.push_str(&sections),
            Err(failure) => {
                let text = format!("<p class=\"problem\">{}.</p>", escape(&failure.told()));
                section(&mut body, "results", "Results", &text);
            }
        }
    }
    Ok(Page::new("job", body, !ended))
}

pub(super) async fn page(
    State(live): State<Arc<Live>>,
    path: Result<Path<(String, u32)>, axum::extract::rejection::PathRejection>,
    query: Result<axum::extract::Query<Named>, axum::extract::rejection::QueryRejection>,
) -> Result<Page, Page> {
    let ((job, page), Named { document }) = (given(path)?, asked(query)?);
    let body = live.make(move |live| {
        let found = find(&*live.results(&job)?, &document)?;
        let mut card = card(&found, page).ok_or(Failure::Missing("such page"))?;
        live.drawing.draw(std::slice::from_mut(&mut card))?;
        let mut body = String::new();
        section(&mut body, "page", "The page and its text layer", &card.html());
        let fonts = found.page_fonts.iter().filter(|row| row["page"] == page);
        let columns = [
            ("font", Kind::Text),
            ("base_font", Kind::Text),
            ("subtype", Kind::Text),
            ("to_unicode", Kind::Text),
            ("program", Kind::Text),
            ("font_class", Kind::Text),
            ("font_case", Kind::Text),
            ("glyphs_drawn", Kind::Count),
            ("glyphs_unmapped", Kind::Count),
            ("glyphs_suspect", Kind::Count),
        ];
        let mut answer = Answer::new("fonts", &columns);
        answer.rows = fonts.map(|row| json_cells(row, &answer.columns)).collect();
        let back = format!("<p><a href=\"/jobs/{}\">The job</a></p>", escape(&job));
        section(&mut body, "fonts", "Fonts on the page", &format!("{}{back}", table(&answer)));
        Ok((card.page, body))
    });
    let (number, body) = body.await?;
    Ok(Page::new(format!("page {number}"), body, false))
}

fn section(body: &mut String, id: &str, title: &str, content: &str) {
    let _ = write!(
        body,
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{title}</h2>\n{content}</section>\n"
    );
}

fn tiles(tiles: &[(&str, String)]) -> String {
    let tiles = tiles
        .iter()
        .map(|(name, value)| format!("<div class=\"tile\"><dt>{name}</dt><dd>{value}</dd></div>\n"));
    format!("<dl class=\"tiles\">\n{}</dl>\n", tiles.collect::<String>())
}

fn job_section(body: &mut String, job: &JobStatus) {
    let done = job.documents - job.pending;
    let mut content = format!(
        "<p>Corpus <b>{}</b>, begun {} UTC <span class=\"state\">{}</span></p>\n",
        escape(&job.corpus),
        escape(&job.begun_at[..19].replace('T', " ")),
        Word(job.state),
    );
    let _ = writeln!(
        content,
        "<p><progress value=\"{done}\" max=\"{}\" aria-label=\"documents done\"></progress></p>",
        job.documents.max(1)
    );
    let pace = match (job.pages_per_second, job.pages_per_second_before) {
        (Some(now), Some(before)) => format!("{now:.1} <small>last time {before:.1}</small>"),
        (Some(now), None) => format!("{now:.1}"),
        (None, Some(before)) => format!("– <small>last time {before:.1}</small>"),
        (None, None) => "–".to_owned(),
    };
    let left =
        if job.ended() { "0 s".to_owned() } else { job.eta_s.map_or_else(|| "–".to_owned(), duration) };
    content.push_str(&tiles(&[
        ("documents done", format!("{} <small>of {}</small>", grouped(done), grouped(job.documents))),
        (if job.ended() { "pages a second" } else { "pages a second now" }, pace),
        ("time left", left),
        ("pages", grouped(job.pages)),
        ("pages for OCR", grouped(job.pages_ocr)),
        ("carried forward", grouped(job.carried)),
        (
            "tasks",
            format!("{} <small>{} in work</small>", grouped(job.tasks_open), grouped(job.tasks_leased)),
        ),
    ]));
    let mut states = Answer::new("documents by state", &[("state", Kind::Text), ("documents", Kind::Count)]);
    states.rows = job
        .documents_by_state
        .iter()
        .map(|(state, n)| vec![Value::Text(Word(*state).to_string()), Value::count(*n)])
        .collect();
    if job.pending > 0 {
        states.rows.push(vec![Value::Text("not done yet".to_owned()), Value::count(job.pending)]);
    }
    content.push_str("<h3>Documents by state</h3>\n");
    content.push_str(&table(&states));
    let title = format!("Job <a href=\"/jobs/{0}\"><code>{0}</code></a>", escape(&job.job));
    section(body, &format!("job-{}", escape(&job.job)), &title, &content);
}

fn duration(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, s) => format!("{s} s"),
        (0, m, s) => format!("{m} min {s} s"),
        (h, m, _) => format!("{} h {m} min", grouped(h)),
    }
}

fn workers_table(workers: &[Worker]) -> String {
    if workers.is_empty() {
        return "<p>No worker has tasks in its hands.</p>\n".to_owned();
    }
    let columns = [
        ("worker", Kind::Text),
        ("tasks", Kind::Count),
        ("documents", Kind::Count),
        ("lease_s", Kind::Count),
    ];
    let mut answer = Answer::new("workers", &columns);
    answer.rows = workers
        .iter()
        .map(|worker| {
            vec![
                Value::Text(worker.worker.clone()),
                Value::count(worker.tasks),
                Value::count(worker.documents),
                Value::count(worker.lease_left_s),
            ]
        })
        .collect();
    table(&answer)
}

fn ocr_tiles(ocr: &OcrStatus) -> String {
    let number = |n: Option<u64>| n.map_or_else(|| "–".to_owned(), grouped);
    let oldest = ocr.outbox_oldest_s.map(|age| format!(" <small>oldest {}</small>", duration(age)));
    let mut content = tiles(&[
        ("in the queue", number(ocr.queue)),
        ("consumers", number(ocr.consumers)),
        ("not sent yet", format!("{}{}", grouped(ocr.outbox_pending), oldest.unwrap_or_default())),
        ("sent", grouped(ocr.published)),
        (
            "consumed a second",
            ocr.consumed_per_second.map_or_else(|| "–".to_owned(), |rate| format!("{rate:.1}")),
        ),
        ("drained in", ocr.drain_s.map_or_else(|| "–".to_owned(), duration)),
    ]);
    if let Some(problem) = &ocr.problem {
        let _ = writeln!(content, "<p class=\"problem\">{}</p>", escape(problem));
    }
    content
}

fn movement_sections(body: &mut String, movement: &Movement) {
    let of = format!(
        "<p>Corpus <b>{}</b> as of job <a href=\"/jobs/{1}\"><code>{1}</code></a>: most flagged pages above the corpus rate \
         first.</p>\n",
        escape(&movement.corpus),
        escape(&movement.job),
    );
    let columns = [
        "producer_family",
        "documents",
        "pages",
        "pages_flagged",
        "flagged_share",
        "pages_above_rate",
        "share_moved",
    ];
    section(body, "producers", "Producers", &(of + &table(&movement.producers.only(&columns))));
    let content = if movement.moved.rows.is_empty() {
        let nothing = if movement.previous_job.is_some() {
            "Nothing moved."
        } else {
            "There is no job before this one."
        };
        format!("<p>{nothing}</p>\n")
    } else {
        format!(
            "<p>Producers whose flagged share differs from the job before, least accidental first.</p>\n{}",
            table(&movement.moved)
        )
    };
    section(body, "moved", "Moved most", &content);
}

fn jobs_table(jobs: &[JobStatus]) -> String {
    let mut html = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"jobs table\"><table><thead><tr>\
                    <th scope=\"col\">job</th><th scope=\"col\">corpus</th><th scope=\"col\">state</th>\
                    <th scope=\"col\" class=\"number\">documents</th><th scope=\"col\" class=\"number\">pages</th>\
                    <th scope=\"col\" class=\"number\">for OCR</th></tr></thead><tbody>\n"
        .to_owned();
    for job in jobs {
        let _ = writeln!(
            html,
            "<tr><td><a href=\"/jobs/{0}\">{0}</a></td><td>{1}</td><td>{2}</td><td class=\"number\">{3}</td>\
             <td class=\"number\">{4}</td><td class=\"number\">{5}</td></tr>",
            escape(&job.job),
            escape(&job.corpus),
            Word(job.state),
            grouped(job.documents),
            grouped(job.pages),
            grouped(job.pages_ocr),
        );
    }
    html + "</tbody></table></div>\n"
}

/// What a published job found: routes, producers, and clusters with a page to look at.
fn results_sections(results: &Results) -> Result<String, Failure> {
    let mut body = String::new();
    let counts = overview(results)?;
    let routes = counts.pages_by_route.iter();
    let routes: Vec<(String, String)> =
        routes.map(|(route, n)| (Word(*route).to_string(), grouped(*n))).collect();
    let mut shown: Vec<(&str, String)> =
        routes.iter().map(|(route, n)| (route.as_str(), n.clone())).collect();
    shown.push(("not judged", grouped(counts.pages_not_judged)));
    let flagged: u64 =
        counts.pages_by_route.iter().filter(|(route, _)| **route >= Route::Decode).map(|(_, n)| n).sum();
    shown.push(("flagged", grouped(flagged)));
    section(&mut body, "routes", "Pages by route", &tiles(&shown));
    let columns =
        ["producer_family", "documents", "pages", "pages_flagged", "flagged_share", "pages_above_rate"];
    section(
        &mut body,
        "producers",
        "Producers",
        &table(&producers(results)?.limited(CLUSTERS).only(&columns)),
    );
    section(&mut body, "clusters", "Flagged clusters", &clusters_table(results)?);
    Ok(body)
}

fn clusters_table(results: &Results) -> Result<String, Failure> {
    let names = [
        "producer_family",
        "producer_version",
        "family",
        "reason",
        "pages",
        "pages_flagged",
        "example_uri",
        "example_page",
    ];
    let answer = clusters(results)?.only(&names);
    let mut html = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"clusters table\"><table><thead><tr>\
                    <th scope=\"col\">producer</th><th scope=\"col\">version</th><th scope=\"col\">font</th>\
                    <th scope=\"col\">reason</th><th scope=\"col\" class=\"number\">pages</th>\
                    <th scope=\"col\" class=\"number\">flagged</th><th scope=\"col\">look at</th></tr></thead><tbody>\n"
        .to_owned();
    let text = |value: &Value| match value {
        Value::Text(text) => escape(text),
        _ => "–".to_owned(),
    };
    let number = |value: &Value| match value {
        Value::Count(n) => u64::try_from(*n).unwrap_or(0),
        _ => 0,
    };
    let flagged = answer.rows.iter().filter(|row| number(&row[5]) > 0);
    for row in flagged.take(CLUSTERS) {
        let Value::Text(uri) = &row[6] else { continue };
        let page = number(&row[7]);
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>\
             <td><a href=\"/pages/{}/{page}?document={}\">page {page} of {}</a></td></tr>",
            text(&row[0]),
            text(&row[1]),
            text(&row[2]),
            text(&row[3]),
            grouped(number(&row[4])),
            grouped(number(&row[5])),
            escape(&results.manifest().job),
            query_value(uri),
            escape(uri.rsplit('/').next().unwrap_or(uri)),
        );
    }
    Ok(html + "</tbody></table></div>\n")
}

/// A value of a query: everything but unreserved characters is percent-encoded.
fn query_value(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => out.push(byte.into()),
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_addresses_are_encoded() {
        assert_eq!(query_value("file:///a b/\"<é.pdf"), "file%3A%2F%2F%2Fa%20b%2F%22%3C%C3%A9.pdf");
    }

    #[test]
    fn times_are_short() {
        assert_eq!([59, 61, 7300].map(duration), ["59 s", "1 min 1 s", "2 h 1 min"]);
    }
}
