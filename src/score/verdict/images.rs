//! Scans, overlays, outlined text, and what the text layer does not cover.
//!
//! Only dictionaries are read, so whether an image holds print is inferred from what print needs: enough pixels an
//! inch to be legible, more bits than a flat background and fewer than a photograph.

use super::super::evidence::ImageEvidence;
use super::{Certainty, Finding, PageEvidence, ReasonCode, thresholds as t};

pub(super) fn findings(page: &PageEvidence, page_drawn: u32) -> Vec<Finding> {
    let mut findings = Vec::new();
    findings.extend(image(page, page_drawn));
    findings.extend(outlines(page, page_drawn));
    if is_blank(page, page_drawn) {
        findings.push(Finding::new(ReasonCode::Blank, Certainty::Proven, 1.0, "nothing to read on the page"));
    }
    findings
}

fn image(page: &PageEvidence, page_drawn: u32) -> Option<Finding> {
    let images = &page.images;
    // Text drawn invisibly over the image, or visibly and then covered by it, is an OCR layer.
    let layer: u32 = page.fonts.iter().map(|font| font.invisible + font.hidden).sum();
    if layer >= t::SUSPECT_GLYPHS || !may_hold_print(images) {
        return None;
    }
    let coverage = images.largest_coverage;
    let percent = coverage * 100.0;
    let dpi = images.effective_dpi;
    let finding = if page_drawn < t::SUSPECT_GLYPHS && coverage >= t::SCAN_COVERAGE {
        let detail = format!(
            "an image of {dpi:.0} dpi covers {percent:.0} % of the page; {page_drawn} glyphs of text"
        );
        Finding::new(ReasonCode::Scanned, Certainty::Measured, coverage, detail)
    } else if coverage >= t::OVERLAY_COVERAGE && images.glyphs_inner < t::SUSPECT_GLYPHS {
        let detail =
            format!("an image of {dpi:.0} dpi covers {percent:.0} % of the page; text stands at its edges");
        Finding::new(ReasonCode::ScanWithOverlay, Certainty::Suspected, coverage, detail)
    } else if (t::SCAN_COVERAGE..t::OVERLAY_COVERAGE).contains(&coverage) && page_drawn < t::CAPTION_GLYPHS {
        let detail =
            format!("an image of {dpi:.0} dpi covers {percent:.0} % of the page beside {page_drawn} glyphs");
        Finding::new(ReasonCode::PartialCoverage, Certainty::Suspected, coverage, detail)
    } else if images.bilevel
        && coverage >= t::INSET_COVERAGE
        && dpi >= t::INSET_DPI
        && images.text_over_share < t::INSET_TEXT_SHARE
    {
        let detail =
            format!("a bilevel image of {dpi:.0} dpi covers {percent:.0} % of the page beside the text");
        Finding::new(ReasonCode::PartialCoverage, Certainty::Suspected, coverage, detail)
    } else {
        return None;
    };
    Some(finding.at(vec![images.largest_bounds]))
}

/// Whether the largest image can hold print: pixels for a line, bytes for words, more bits than a flat background and
/// fewer than a photograph.
fn may_hold_print(images: &ImageEvidence) -> bool {
    let bits = images.bits_per_pixel;
    let flat = !images.bilevel && bits < t::FLAT_BITS;
    // Raw samples tell nothing of the content; a codec that still needs this many bits holds a photograph.
    let raw = [8.0, 16.0, 24.0, 32.0].iter().any(|raw| (bits - raw).abs() < 0.05);
    let photograph = bits >= t::PHOTOGRAPH_BITS && !raw;
    images.n_pixels >= t::PRINT_PIXELS && images.n_bytes >= t::PRINT_BYTES && !flat && !photograph
}

fn outlines(page: &PageEvidence, page_drawn: u32) -> Option<Finding> {
    let outlined = &page.outlines;
    let letters = outlined.repeated.min(outlined.on_lines);
    if letters < t::SUSPECT_GLYPHS || outlined.n_shapes < t::OUTLINE_SHAPES {
        return None;
    }
    let share = letters as f32 / (letters + page_drawn).max(1) as f32;
    let detail = format!("{letters} glyph-like paths of {} repeated shapes on lines", outlined.n_shapes);
    let finding = Finding::new(ReasonCode::OutlinedText, Certainty::Measured, share, detail)
        .at(outlined.lines.iter().map(|line| line.bounds).collect())
        .listed_unless(share >= t::OUTLINE_SHARE);
    Some(finding)
}

fn is_blank(page: &PageEvidence, page_drawn: u32) -> bool {
    let painted = page.images.n_images > 0 || page.outlines.glyph_like > 0 || page.n_shadings > 0;
    page_drawn == 0 && !painted && !page.undecodable && !page.incomplete
}
