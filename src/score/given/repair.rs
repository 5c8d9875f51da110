//! Repairs of given text: deterministic, for the reasons found, and only where the result passes the check.

use serde::{Deserialize, Serialize};

use super::check::{self, Examined, Fix};
use super::marks::{self, MarkKind};
use super::{ReasonCode, Route, parts};
use crate::score::Policy;
use crate::score::signals::letters::codepage::{CodePages, odd_symbols};
use crate::score::signals::rtl;

/// Faults of a page that are undone one after the other.
const MOST_ROUNDS: usize = 4;

/// A text with what was repaired in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RepairedText {
    /// The whole text: repaired pages in the place of those given, all others byte for byte as given.
    pub text: String,
    /// Pages that were repaired.
    pub repaired: Vec<RepairedPage>,
    /// Pages that have a fault and were left as given.
    pub left_alone: Vec<LeftAlone>,
    /// Pages, blank ones counted.
    pub n_pages: u32,
}

/// A page that was repaired; it passes the check now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RepairedPage {
    /// 1-based page number.
    pub page: u32,
    /// 1-based line of the given text on which it begins.
    pub line: u32,
    /// In the order in which they were made.
    pub changes: Vec<Change>,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The reason it undoes.
    pub code: ReasonCode,
    /// Characters, marks or lines it changed.
    pub n: u32,
    /// What was done, without text of the page.
    pub detail: String,
}

/// A page that was not changed although something is wrong with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LeftAlone {
    /// 1-based page number.
    pub page: u32,
    /// 1-based line of the given text on which it begins.
    pub line: u32,
    /// Its route.
    pub route: Route,
    /// Its worst reason.
    pub code: ReasonCode,
    /// Why no repair was made.
    pub why: String,
}

/// Repairs the pages that [`check_text`](super::check_text) routes to `repair`, for the reasons it found and no others.
///
/// A page is written only when the check then keeps it and judged it; every other page stays byte for byte as it was.
/// Never fails.
pub fn repair_text(text: &str, policy: &Policy) -> RepairedText {
    let (ranges, _) = parts::split(text);
    let mut out = RepairedText {
        text: String::with_capacity(text.len()),
        repaired: Vec::new(),
        left_alone: Vec::new(),
        n_pages: ranges.len() as u32,
    };
    let mut line = 1;
    for (range, page) in ranges.into_iter().zip(1..) {
        let given = &text[range];
        let examined = check::examine(given, policy);
        match examined.filter(|examined| examined.page.route > Route::Keep) {
            None => out.text.push_str(given),
            Some(examined) => match repair_page(given, &examined, policy) {
                Ok((repaired, changes)) => {
                    out.text.push_str(&repaired);
                    out.repaired.push(RepairedPage { page, line, changes });
                }
                Err(why) => {
                    out.text.push_str(given);
                    let (route, reasons) = (examined.page.route, &examined.page.reasons);
                    let code = reasons.first().map_or(ReasonCode::NotJudged, |reason| reason.code);
                    out.left_alone.push(LeftAlone { page, line, route, code, why });
                }
            },
        }
        line += given.bytes().filter(|b| *b == b'\n').count() as u32;
    }
    out
}

/// The page as it was meant with what was changed, or why that is not known.
fn repair_page(given: &str, examined: &Examined, policy: &Policy) -> Result<(String, Vec<Change>), String> {
    if examined.page.route != Route::Repair {
        return Err("no repair brings back what is lost".to_owned());
    }
    let mut text = given.to_owned();
    let mut changes = Vec::new();
    let mut fixes = examined.fixes.clone();
    for _ in 0..MOST_ROUNDS {
        let Some((code, fix)) = fixes.into_iter().next() else {
            return Err("how to undo it is not known".to_owned());
        };
        let (repaired, n, detail) = apply(&text, &fix);
        if n == 0 || repaired == text {
            return Err("nothing could be changed".to_owned());
        }
        text = repaired;
        changes.push(Change { code, n, detail });
        match check::examine(&text, policy) {
            Some(now) if now.page.route == Route::Keep && now.page.judged => return Ok((text, changes)),
            Some(now) if now.page.route == Route::Repair => fixes = now.fixes,
            _ => break,
        }
    }
    Err("the repaired page does not pass the check".to_owned())
}

/// The text with one fault undone, how often that was done, and in words.
fn apply(text: &str, fix: &Fix) -> (String, u32, String) {
    match fix {
        Fix::Blanks(sign) => {
            let n = text.chars().filter(|c| c == sign).count() as u32;
            let detail = format!("U+{:04X} became a blank {n} times", u32::from(*sign));
            (text.replace(*sign, " "), n, detail)
        }
        Fix::Names => names(text),
        Fix::Rtl(faults) => {
            let out = rtl::repair(text, faults);
            let n = text.lines().zip(out.lines()).filter(|(a, b)| a != b).count() as u32;
            (out, n, format!("{n} lines in reading order, in letters, without marks of direction"))
        }
        Fix::CodePages(pages) => code_pages(text, *pages),
    }
}

/// Letters in the place of their names.
fn names(text: &str) -> (String, u32, String) {
    let mut out = String::with_capacity(text.len());
    let (mut from, mut n) = (0, 0);
    for mark in marks::find(text) {
        if let MarkKind::Name(meant) = &mark.kind {
            out.push_str(&text[from..mark.range.start]);
            out.push_str(meant);
            from = mark.range.end;
            n += 1;
        }
    }
    out.push_str(&text[from..]);
    (out, n, format!("{n} glyph names became letters"))
}

/// The whole text decoded anew, or else line by line: a line of another origin has characters that the code page lacks.
fn code_pages(text: &str, pages: CodePages) -> (String, u32, String) {
    let detail = format!("decoded as {} instead of {}", pages.written_in.name(), pages.read_as.name());
    if let Some(whole) = pages.apply(text) {
        let n = text.split('\n').zip(whole.split('\n')).filter(|(a, b)| a != b).count() as u32;
        return (whole, n, format!("{n} lines {detail}"));
    }
    let odd = |text: &str| odd_symbols(&text.chars().collect::<Vec<_>>());
    let mut n = 0;
    let lines = text.split_inclusive('\n').map(|line| match pages.apply(line) {
        Some(meant) if meant != line && odd(&meant) < odd(line) => {
            n += 1;
            meant
        }
        _ => line.to_owned(),
    });
    let out: String = lines.collect();
    (out, n, format!("{n} lines {detail}"))
}
