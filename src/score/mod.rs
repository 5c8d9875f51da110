//! Bytes → [`DocumentScore`]. Pure.
//!
//! Takes: the bytes of one PDF and [`Limits`]. Gives: one [`PageScore`] per page, with reasons.
//! Fails: never; damage becomes a [`Finding`]. Never: touches storage, clock, environment, logging.
//!
//! ```text
//! pdf/      file syntax: objects, xref, filters, page tree, content tokens
//! fonts/    font dictionary → routes from character code to Unicode
//! text/     content operators → drawn, visible glyphs and what else is painted
//! signals/  what was drawn → evidence, one file per signal
//! verdict/  evidence → Route and Reasons; the only home of thresholds
//! given/    text from any extractor → Route and Reasons, by the same models
//! ```

pub mod fonts;
pub mod given;
pub mod pdf;
pub mod signals;
pub mod text;
pub mod verdict;

mod assemble;
#[cfg(test)]
mod case_tests;
mod differential;
mod evidence;
mod limits;
mod pool;
mod regions;
mod result;
#[cfg(test)]
mod row_tests;
mod trusted;

pub use differential::{Disagreement, differential};
pub use evidence::{
    DocumentInfo, Event, Finding, FindingCode, FontEvidence, FontFacts, ImageEvidence, LineBox,
    OutlineEvidence, PageEvidence, PageFontEvidence, ProgramKind, ToUnicodeKind,
};
pub use given::{
    Change, LeftAlone, PartedBy, RepairedPage, RepairedText, TextPage, TextScore, check_text, repair_text,
};
pub use limits::Limits;
pub use result::{
    Certainty, DocumentScore, FontClass, FontScore, PageFontScore, PageScore, Reason, ReasonCode,
    RegionScore, Route, Scope, State,
};

pub use trusted::{PageText, Provenance, TextPiece, TextWish, Withheld};

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use fonts::witness::{FormValues, Titles};
use pdf::{Document, OpenError, Page};
use text::{FontCache, PageMeasure};

/// What the user wants done with pages that could not be judged or measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Policy {
    /// Route of a page with too little evidence. `keep` or `ocr`.
    pub unjudged: Route,
    /// Route of a page that a limit, a crash or a panic left unmeasured. `keep` or `ocr`.
    pub unscored: Route,
}

impl Default for Policy {
    fn default() -> Self {
        Self { unjudged: Route::Keep, unscored: Route::Ocr }
    }
}

/// Everything beside the bytes that shapes a score.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Bounds.
    pub limits: Limits,
    /// Wishes.
    pub policy: Policy,
    /// First and last page to score, 1-based; `None` scores all.
    pub pages: Option<(u32, u32)>,
    /// Boxes that are assessed by themselves.
    pub regions: Vec<AskedRegion>,
    /// Whether and how the text of pages and boxes is wanted too.
    pub text: Option<TextWish>,
}

/// A box that a caller wants assessed by itself.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct AskedRegion {
    /// 1-based; `None` is every scored page.
    pub page: Option<u32>,
    /// Where.
    pub region: Rect,
}

/// A box `[x0, y0, x1, y1]` in points of the crop box, origin lower left, rotation not applied; `x0 < x1`, `y0 < y1`.
pub type Rect = [f32; 4];

/// Boxes that are assessed on one page; what a caller asks beyond is left out.
pub const MAX_ASSESSED: usize = 256;

/// Changes whenever a verdict may change: part of `score_key` and of every row and message.
pub const RULES_VERSION: &str = "3";

/// Scores the text layer of one PDF file.
///
/// Returns one [`PageScore`] per page, in page order. Never fails: damage becomes a [`Finding`], and
/// a file without a reachable page tree scores zero pages.
pub fn score_document(file: &[u8], limits: &Limits) -> DocumentScore {
    let settings = Settings { limits: limits.clone(), ..Settings::default() };
    score_with(Arc::from(file), &settings, &|_| ())
}

/// Assesses boxes of one page: each gets its own route and reasons, from the glyphs, images and paths that are visible
/// inside it. Fonts are judged over the whole document, as for its pages.
///
/// `page` is 1-based. Gives one score per box, in their order, for the first [`MAX_ASSESSED`]; a box without area or
/// outside the page holds nothing and is `blank`. `None` when the file cannot be scored or has no such page.
pub fn assess_regions(file: &[u8], limits: &Limits, page: u32, regions: &[Rect]) -> Option<Vec<RegionScore>> {
    let regions = regions.iter().map(|&region| AskedRegion { page: Some(page), region }).collect();
    let settings = Settings { limits: limits.clone(), regions, ..Settings::default() };
    let score = score_with(Arc::from(file), &settings, &|_| ());
    score.pages.into_iter().find(|score| score.page == page).map(|score| score.assessed)
}

/// The text of each page of a file as far as it can be trusted, repaired and decoded as `wish` says; empty where a page is
/// routed as a whole.
///
/// Pages are those of the score, in order; [`PageScore::text`] holds the text. Never fails: a file that cannot be scored has
/// no pages.
pub fn trusted_text(file: &[u8], limits: &Limits, wish: TextWish) -> DocumentScore {
    let settings = Settings { limits: limits.clone(), text: Some(wish), ..Settings::default() };
    score_with(Arc::from(file), &settings, &|_| ())
}

/// As [`score_document`], reporting each page to `sink` as soon as it is measured.
///
/// `sink` is called from rayon's threads, in any page order; the last call is [`Event::Done`]'s content, which is
/// returned and not sent.
pub fn score_with(file: Arc<[u8]>, settings: &Settings, sink: &(dyn Fn(Event) + Sync)) -> DocumentScore {
    let limits = &settings.limits;
    let document = match Document::open(file, limits) {
        Ok(document) => document,
        Err(error) => return unopened(&error),
    };
    sink(Event::Opened(document.info().clone()));
    let mut cache = FontCache::new(&document);
    let mut measures = measure_pages(&document, &cache, settings.pages, sink);
    if document.repaired_since_open() {
        // The cross-reference was rebuilt between two pages: which of them saw the old one is chance.
        cache = FontCache::new(&document);
        measures = measure_pages(&document, &cache, settings.pages, sink);
    }
    let pooled = pool::number_fonts(&mut measures);
    let known = pool::KnownTexts {
        form_values: catch_unwind(AssertUnwindSafe(|| FormValues::read(&document))).unwrap_or_default(),
        titles: catch_unwind(AssertUnwindSafe(|| Titles::read(&document))).unwrap_or_default(),
    };
    let main_font = pool::main_font(&pooled);
    let judged: Vec<Option<FontEvidence>> = pooled
        .par_iter()
        .enumerate()
        .map(|(at, font)| {
            let judge = || pool::judge_font(&document, font, &measures, &known, at == main_font);
            catch_unwind(AssertUnwindSafe(judge)).ok()
        })
        .collect();
    let mut findings = document.findings().to_vec();
    findings.extend(judged.iter().filter(|judged| judged.is_none()).map(|_| Finding {
        page: None,
        code: FindingCode::FontPanic,
        detail: "judging a font panicked; its codes keep the classes read".to_owned(),
    }));
    let fonts: Vec<FontEvidence> = judged
        .into_iter()
        .zip(&pooled)
        .map(|(judged, font)| judged.unwrap_or_else(|| pool::unjudged(font)))
        .collect();
    findings.extend(pooled.iter().flat_map(|font| font.font.findings()));
    let mut pages = Vec::with_capacity(measures.len());
    let mut scores = Vec::with_capacity(measures.len());
    let readers =
        settings.text.map(|wish| trusted::readers(&pooled, &fonts, &measures, wish)).unwrap_or_default();
    for mut measure in measures {
        pool::apply_charges(&mut measure, &fonts);
        pool::hear_letters(&mut measure, &fonts);
        let mut score = verdict::decide(&measure.evidence, &fonts, &settings.policy);
        score.text =
            settings.text.map(|wish| trusted::page_text(&score, &measure, &readers, wish, &settings.policy));
        scores.push(score);
        pages.push(measure.evidence);
    }
    if !settings.regions.is_empty() {
        regions::assess(
            &document,
            &cache,
            &Judged { pooled: &pooled, fonts: &fonts, readers: &readers },
            settings,
            &mut scores,
        );
    }
    assemble::assemble(document.info().clone(), &pages, &fonts, scores, findings)
}

/// The fonts of a document, judged.
#[derive(Clone, Copy)]
struct Judged<'j> {
    pooled: &'j [pool::PooledFont],
    fonts: &'j [FontEvidence],
    readers: &'j [trusted::Reader],
}

/// Measures the pages in parallel; a panic costs one page.
fn measure_pages<'a>(
    document: &'a Document,
    fonts: &FontCache<'a>,
    wanted: Option<(u32, u32)>,
    sink: &(dyn Fn(Event) + Sync),
) -> Vec<PageMeasure> {
    let wanted = |index: u32| wanted.is_none_or(|(first, last)| (first..=last).contains(&(index + 1)));
    let pages: Vec<Page<'_>> = document.pages().into_iter().filter(|page| wanted(page.index)).collect();
    pages
        .par_iter()
        .map(|page| {
            let measured = catch_unwind(AssertUnwindSafe(|| text::measure(document, page, fonts)));
            let measure = measured.unwrap_or_else(|_| panicked(page.index));
            sink(Event::Page { evidence: measure.evidence.clone(), fonts: measure.facts() });
            measure
        })
        .collect()
}

fn panicked(page_index: u32) -> PageMeasure {
    let finding = Finding {
        page: Some(page_index + 1),
        code: FindingCode::PagePanic,
        detail: "measuring the page panicked".to_owned(),
    };
    let evidence =
        PageEvidence { page_index, incomplete: true, findings: vec![finding], ..PageEvidence::default() };
    let mut measure = PageMeasure::default();
    measure.evidence = evidence;
    measure
}

fn unopened(error: &OpenError) -> DocumentScore {
    let state = match error {
        OpenError::Encrypted(_) => State::Encrypted,
        OpenError::Malformed(_) => State::Malformed,
        OpenError::OverLimit(_) => State::OverLimit,
    };
    DocumentScore {
        state,
        state_reason: Some(error.to_string().chars().take(120).collect()),
        info: DocumentInfo::default(),
        fonts: Vec::new(),
        pages: Vec::new(),
        findings: Vec::new(),
    }
}
