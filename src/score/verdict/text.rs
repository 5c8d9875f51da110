//! Charges on decoded text: order, forms, marks, spaces, letters of one page.

use super::super::evidence::FontEvidence;
use super::{Finding, PageEvidence, ReasonCode, Scope, weighs};

pub(super) fn findings(page: &PageEvidence, fonts: &[FontEvidence], page_drawn: u32) -> Vec<Finding> {
    page.text_charges
        .iter()
        .map(|charge| {
            let share = charge.glyphs as f32 / page_drawn.max(1) as f32;
            let mut finding = Finding::new(charge.code, charge.certainty, share, charge.detail.clone());
            let font =
                charge.font_index.and_then(|index| page.fonts.iter().find(|font| font.font_index == index));
            if let Some(font) = font {
                finding.reason.font = fonts.get(font.font_index as usize).map(|f| f.facts.font.clone());
                finding.regions = font.lines.iter().map(|line| line.bounds).collect();
            }
            finding.reason.scope = charge.scope;
            // The OCR layer is not among the visible glyphs: its own charge tells its weight.
            let drawn = if charge.code == ReasonCode::UntrustedOcrLayer { charge.glyphs } else { page_drawn };
            finding.listed_unless(weighs(charge.glyphs, drawn))
        })
        .filter(|finding| finding.reason.scope == Scope::Page || finding.reason.share > 0.0)
        .collect()
}
