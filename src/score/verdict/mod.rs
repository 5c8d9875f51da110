//! Evidence → route and reasons. The only home of thresholds.
//!
//! Takes: one page's [`PageEvidence`] and the [`FontEvidence`] of its document. Gives: a [`PageScore`]. Fails: never.
//! Never: measures anything, looks at another page.
//!
//! ```text
//! fonts.rs   dead, contradicted and inferred glyphs, weighted by what the page draws
//! images.rs  scans, overlays, outlined text, what the text layer does not cover
//! text.rs    order, forms, marks, spaces: charges on decoded text
//! regions.rs where it is
//! ```

mod fonts;
mod images;
mod regions;
mod salvage;
mod text;
mod thresholds;

pub(super) use fonts::Counts;
pub use salvage::salvage;

use super::evidence::{FindingCode, FontEvidence, PageEvidence};
use super::fonts::CodeClass;
use super::{Certainty, PageFontScore, PageScore, Policy, Reason, ReasonCode, Route, Scope};

const MAX_REASONS: usize = 8;
const MAX_REGIONS: usize = 16;
const MAX_DETAIL_CHARS: usize = 120;

/// A reason with what it does to the page.
#[derive(Debug, Clone)]
struct Finding {
    reason: Reason,
    /// Its route when it weighs enough; `keep` for a reason that is only listed.
    route: Route,
    /// Where, in points of the crop box.
    regions: Vec<[f32; 4]>,
}

impl Finding {
    fn new(code: ReasonCode, certainty: Certainty, share: f32, detail: impl Into<String>) -> Self {
        let detail: String = detail.into();
        let reason = Reason {
            code,
            certainty,
            share: share.clamp(0.0, 1.0),
            font: None,
            scope: Scope::Page,
            detail: detail.chars().take(MAX_DETAIL_CHARS).collect(),
        };
        Self { reason, route: code.route(), regions: Vec::new() }
    }

    fn of_font(mut self, font: &str) -> Self {
        self.reason.font = Some(font.to_owned());
        self.reason.scope = Scope::Document;
        self
    }

    fn at(mut self, regions: Vec<[f32; 4]>) -> Self {
        self.regions = regions;
        self
    }

    /// Lists the reason without letting it change the route.
    fn listed_unless(mut self, weighs: bool) -> Self {
        if !weighs {
            self.route = Route::Keep;
        }
        self
    }
}

/// Visible glyphs of a page by what is known of them.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    drawn: u32,
    suspect: u32,
    unmapped: u32,
    judged: u32,
}

/// Decides one page from its evidence and that of the document's fonts (`font_index` counts into `fonts`).
pub fn decide(page: &PageEvidence, fonts: &[FontEvidence], policy: &Policy) -> PageScore {
    let tally = tally(page, fonts);
    let mut findings = Vec::new();
    findings.extend(fonts::findings(page, fonts, tally.drawn));
    findings.extend(text::findings(page, fonts, tally.drawn));
    findings.extend(images::findings(page, tally.drawn));
    let judged_share = if tally.drawn == 0 { 1.0 } else { tally.judged as f32 / tally.drawn as f32 };
    let routed = findings.iter().any(|finding| finding.route > Route::Keep);
    let unread = unread(page, policy);
    let judged =
        unread.is_none() && (routed || (!page.undecodable && judged_share >= thresholds::JUDGED_SHARE));
    if unread.is_none() && !judged {
        findings.push(not_judged(page, judged_share, policy));
    }
    findings.extend(unread);
    let mut score = score(page, fonts, tally, findings);
    score.judged = judged;
    score.judged_share = judged_share;
    score
}

/// Content that a budget ended or a filter nobody here decodes: others may see text there, so the policy decides.
fn unread(page: &PageEvidence, policy: &Policy) -> Option<Finding> {
    let others_may_read =
        |code| matches!(code, FindingCode::FilterUnsupported | FindingCode::StreamOverLimit);
    let detail = if page.incomplete {
        "a budget or a panic ended the page early"
    } else if page.undecodable && page.findings.iter().any(|finding| others_may_read(finding.code)) {
        "page content cannot be decoded"
    } else {
        return None;
    };
    let mut finding = Finding::new(ReasonCode::PageError, Certainty::Proven, 1.0, detail);
    finding.route = policy.unscored;
    Some(finding)
}

/// Why a page is not judged. Damaged or missing content is what every reader shows, yet never proof of a blank page.
fn not_judged(page: &PageEvidence, judged_share: f32, policy: &Policy) -> Finding {
    let (share, detail) = if page.undecodable {
        (1.0, "page content is damaged or missing; only what could be decoded was measured")
    } else {
        (1.0 - judged_share, "too little evidence either way")
    };
    let mut finding = Finding::new(ReasonCode::NotJudged, Certainty::Measured, share, detail);
    finding.route = policy.unjudged;
    finding
}

/// Worst first: by route, then certainty, then share; equal ones in a fixed order.
fn score(page: &PageEvidence, fonts: &[FontEvidence], tally: Tally, mut findings: Vec<Finding>) -> PageScore {
    findings.sort_by(|a, b| {
        let share = b.reason.share.total_cmp(&a.reason.share);
        (b.route.cmp(&a.route))
            .then(a.reason.certainty.cmp(&b.reason.certainty))
            .then(share)
            .then(a.reason.code.cmp(&b.reason.code))
            .then(a.reason.font.cmp(&b.reason.font))
    });
    let route = findings.first().map_or(Route::Keep, |finding| finding.route);
    let regions = regions::merge(
        findings.iter().filter(|f| f.route > Route::Keep).flat_map(|f| f.regions.iter().copied()),
        page.size,
    );
    let n_regions = regions.len();
    let n_reasons = findings.len();
    PageScore {
        page: page.page_index + 1,
        route,
        judged: true,
        judged_share: 1.0,
        glyphs_drawn: tally.drawn,
        glyphs_suspect: tally.suspect,
        image_coverage: page.images.largest_coverage.clamp(0.0, 1.0),
        script: page.script.clone(),
        language: page.language.clone(),
        reasons: findings.into_iter().take(MAX_REASONS).map(|finding| finding.reason).collect(),
        n_more_reasons: n_reasons.saturating_sub(MAX_REASONS) as u32,
        regions: regions.into_iter().take(MAX_REGIONS).collect(),
        n_more_regions: n_regions.saturating_sub(MAX_REGIONS) as u32,
        fonts: page.fonts.iter().filter_map(|font| page_font(font, fonts)).collect(),
        assessed: Vec::new(),
        text: None,
    }
}

fn page_font(font: &super::PageFontEvidence, fonts: &[FontEvidence]) -> Option<PageFontScore> {
    let evidence = fonts.get(font.font_index as usize)?;
    let counts = fonts::Counts::of(font, evidence);
    Some(PageFontScore {
        font_index: font.font_index,
        font_class: counts.class()?,
        font_case: counts.case(),
        glyphs_drawn: counts.drawn,
        glyphs_unmapped: font.unmapped,
        glyphs_suspect: counts.suspect,
    })
}

fn tally(page: &PageEvidence, fonts: &[FontEvidence]) -> Tally {
    let mut tally = Tally::default();
    for font in &page.fonts {
        let Some(evidence) = fonts.get(font.font_index as usize) else { continue };
        let counts = fonts::Counts::of(font, evidence);
        tally.drawn += counts.drawn;
        tally.suspect += counts.suspect;
        tally.unmapped += font.unmapped;
        tally.judged += counts.judged;
    }
    tally
}

/// Whether so many suspect letters of so many are worth a route (DESIGN: 20 and 3 %).
pub(super) fn weighs(suspect: u32, drawn: u32) -> bool {
    suspect >= thresholds::SUSPECT_GLYPHS
        && f64::from(suspect) >= thresholds::SUSPECT_SHARE * f64::from(drawn.max(1))
}

/// Whether the suspect letters are most of a page, however short.
pub(super) fn is_most_of(suspect: u32, drawn: u32) -> bool {
    suspect >= thresholds::SHORT_PAGE_GLYPHS
        && f64::from(suspect) > thresholds::SHORT_PAGE_SHARE * f64::from(drawn.max(1))
}

impl ReasonCode {
    /// The route a reason leads to in a PDF, when it weighs enough.
    pub fn route(self) -> Route {
        use ReasonCode as R;
        match self {
            R::UndecodableFont
            | R::UnmappedGlyphs
            | R::LetterSubstitution
            | R::PartialSubstitution
            | R::ContradictedUnicode
            | R::NonInjectiveUnicode
            | R::IdentityUnicodeOnGlyphs
            | R::LegacyEncoding
            | R::Scanned
            | R::ScanWithOverlay
            | R::UntrustedOcrLayer
            | R::OutlinedText
            | R::PartialCoverage
            | R::PrivateUse
            | R::ReplacementCharacters
            | R::ControlCharacters
            | R::SymbolSoup
            | R::QuranGlyphCodes
            | R::PageError => Route::Ocr,
            R::GlyphCodeShift | R::KnownGlyphOrder | R::GlyphNames => Route::Decode,
            R::VisualOrder
            | R::PresentationForms
            | R::BidiControls
            | R::UnmappedElongation
            | R::StandInSpace
            | R::CodePageMojibake
            | R::MixedReadingOrder
            | R::LamAlefTransposition
            | R::LostWordBoundaries
            | R::MergedWords => Route::Repair,
            R::Blank | R::NotJudged => Route::Keep,
        }
    }
}

/// Whether a class counts as suspect on its own.
fn is_suspect(class: CodeClass) -> bool {
    matches!(class, CodeClass::Dead | CodeClass::Contradicted)
}
