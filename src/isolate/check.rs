//! What a frame of a child may say. A child may be in the hands of its document: counts, lengths and
//! references are checked before the parent uses them.

use crate::score::{
    DocumentInfo, DocumentScore, Finding, FontFacts, FontScore, Limits, PageEvidence, PageScore, Settings,
};

/// What is known of a document's score before it arrives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Expected {
    /// Most pages a score may have.
    pub(super) max_pages: u32,
    /// Most fonts a page may have.
    pub(super) max_fonts_per_page: usize,
}

impl Expected {
    pub(super) fn of(settings: &Settings) -> Self {
        let Limits { pages, fonts_per_page, .. } = settings.limits;
        Self { max_pages: pages, max_fonts_per_page: fonts_per_page }
    }
}

/// What is wrong with a frame.
pub(super) type Wrong = &'static str;

/// Most bytes of a string; the scorer's own bounds are in characters and lower.
const TEXT_BYTES: usize = 4096;
const REASONS: usize = 8;
const REGIONS: usize = 16;
const FINDINGS: usize = 100_000;
/// Most fonts of a document.
const FONTS: usize = 1_000_000;

fn ensure(holds: bool, wrong: Wrong) -> Result<(), Wrong> {
    if holds { Ok(()) } else { Err(wrong) }
}

fn text(value: &str) -> Result<(), Wrong> {
    ensure(value.len() <= TEXT_BYTES, "a string is too long")
}

fn texts<'a>(values: impl IntoIterator<Item = &'a Option<String>>) -> Result<(), Wrong> {
    values.into_iter().flatten().try_for_each(|value| text(value))
}

/// Checks what a file says of itself.
pub(super) fn info(info: &DocumentInfo) -> Result<(), Wrong> {
    texts([&info.producer, &info.creator, &info.pdf_version])
}

fn facts(facts: &FontFacts) -> Result<(), Wrong> {
    text(&facts.font)?;
    text(&facts.subtype)?;
    texts([
        &facts.base_font,
        &facts.subset_tag,
        &facts.family,
        &facts.descendant,
        &facts.encoding,
        &facts.ordering,
        &facts.program_sha256,
    ])
}

fn findings(findings: &[Finding]) -> Result<(), Wrong> {
    ensure(findings.len() <= FINDINGS, "too many findings")?;
    findings.iter().try_for_each(|finding| text(&finding.detail))
}

/// Checks a page that arrived before its document was done.
pub(super) fn page(
    page: &PageEvidence,
    fonts: &[FontFacts],
    info: &DocumentInfo,
    expected: &Expected,
) -> Result<(), Wrong> {
    ensure(page.page_index < info.n_pages.min(expected.max_pages), "a page the document does not have")?;
    ensure(fonts.len() <= expected.max_fonts_per_page, "too many fonts on a page")?;
    let n_fonts = fonts.len();
    ensure(
        page.fonts.iter().all(|font| (font.font_index as usize) < n_fonts),
        "a font the page does not have",
    )?;
    let charged = page.text_charges.iter().filter_map(|charge| charge.font_index);
    ensure(charged.into_iter().all(|font| (font as usize) < n_fonts), "a charge against no font")?;
    texts([&page.script, &page.language])?;
    page.text_charges.iter().try_for_each(|charge| text(&charge.detail))?;
    findings(&page.findings)?;
    fonts.iter().try_for_each(facts)
}

/// Checks a whole score.
pub(super) fn score(score: &DocumentScore, expected: &Expected) -> Result<(), Wrong> {
    ensure(score.pages.len() <= expected.max_pages as usize, "more pages than the limit")?;
    ensure(score.fonts.len() <= FONTS, "too many fonts")?;
    let ordered = score.pages.windows(2).all(|pair| pair[0].page < pair[1].page);
    ensure(ordered && score.pages.iter().all(|page| page.page >= 1), "pages out of order")?;
    info(&score.info)?;
    texts([&score.state_reason])?;
    findings(&score.findings)?;
    score.fonts.iter().try_for_each(|FontScore { facts: of_font, .. }| facts(of_font))?;
    score.pages.iter().try_for_each(|page| page_score(page, score.fonts.len(), expected))
}

fn page_score(page: &PageScore, n_fonts: usize, expected: &Expected) -> Result<(), Wrong> {
    ensure(page.reasons.len() <= REASONS, "too many reasons")?;
    ensure(page.regions.len() <= REGIONS, "too many regions")?;
    ensure(page.fonts.len() <= expected.max_fonts_per_page, "too many fonts on a page")?;
    ensure(
        page.fonts.iter().all(|font| (font.font_index as usize) < n_fonts),
        "a font the document does not have",
    )?;
    let shares =
        page.reasons.iter().map(|reason| reason.share).chain([page.judged_share, page.image_coverage]);
    ensure(shares.into_iter().all(|share| (0.0..=1.0).contains(&share)), "a share outside 0 to 1")?;
    texts([&page.script, &page.language])?;
    page.reasons.iter().try_for_each(|reason| {
        text(&reason.detail)?;
        texts([&reason.font])
    })
}
