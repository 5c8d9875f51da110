//! Page scores and font evidence → one document.

use super::evidence::{DocumentInfo, Finding, FontEvidence, PageEvidence};
use super::result::{DocumentScore, FontClass, FontScore, PageScore, State};
use super::verdict::Counts;

/// Findings of one document beyond this are dropped: a hostile file must not fill a table.
const MAX_FINDINGS: usize = 64;

/// Sums each font over the pages and puts the document together.
pub(super) fn assemble(
    info: DocumentInfo,
    pages: &[PageEvidence],
    fonts: &[FontEvidence],
    scores: Vec<PageScore>,
    mut findings: Vec<Finding>,
) -> DocumentScore {
    let mut sums: Vec<(Counts, u32)> = vec![<(Counts, u32)>::default(); fonts.len()];
    for font in pages.iter().flat_map(|page| &page.fonts) {
        let index = font.font_index as usize;
        if let (Some(evidence), Some((counts, unmapped))) = (fonts.get(index), sums.get_mut(index)) {
            counts.add(&Counts::of(font, evidence));
            *unmapped += font.unmapped;
        }
    }
    let fonts = fonts
        .iter()
        .zip(sums)
        .map(|(evidence, (counts, unmapped))| FontScore {
            facts: evidence.facts.clone(),
            font_class: counts.class().unwrap_or(FontClass::Unknown),
            font_case: counts.case(),
            cases: counts.cases(),
            glyphs_drawn: counts.drawn,
            glyphs_unmapped: unmapped,
            glyphs_suspect: counts.suspect,
        })
        .collect();
    findings.extend(pages.iter().flat_map(|page| page.findings.iter().cloned()));
    findings.sort();
    findings.dedup();
    findings.truncate(MAX_FINDINGS);
    DocumentScore { state: State::Scored, state_reason: None, info, fonts, pages: scores, findings }
}
