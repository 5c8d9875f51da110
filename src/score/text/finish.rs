//! From what one page left behind to its evidence.

use icu_properties::props::Script;
use icu_properties::{CodePointMapData, PropertyNamesShort};
use rustc_hash::FxHashMap;

use super::geometry::Grid;
use super::lines;
use super::machine::{Machine, RunExtra};
use super::page_font::{PageFont, SlotText};
use super::{CodeCount, FontUse, PageMeasure, TextRun};
use crate::score::evidence::{FindingCode, LineBox, PageFontEvidence};
use crate::score::fonts::{Case, CodeClass};
use crate::score::signals::{image, outlines};

impl Machine<'_, '_> {
    /// Ends the page.
    pub(super) fn finish(mut self) -> PageMeasure {
        self.reset();
        if self.damage > 0 {
            self.find(FindingCode::ContentSyntax, "tokens in the content were skipped");
        }
        self.apply_covers();
        self.keep_used_fonts();
        let mut measure = std::mem::take(&mut self.measure);
        let cells = self.text_cells(&measure);
        let runs = measure.runs.iter().zip(&self.extras);
        let seen = |(run, extra): (&TextRun, &RunExtra)| image::SeenText {
            bounds: extra.bounds,
            size: run.size,
            inked: extra.inked,
            invisible: run.invisible,
        };
        let evidence = &mut measure.evidence;
        evidence.images = image::measure(&self.images, evidence.size, &cells, runs.clone().map(seen));
        evidence.outlines = outlines::measure(&self.outlines);
        evidence.text_coverage = cells.share();
        evidence.script = self.script();
        evidence.fonts = self.font_evidence(runs);
        for font in &self.fonts {
            let codes = font.slots.iter().filter(|slot| slot.visible > 0);
            let codes =
                codes.map(|slot| CodeCount { code: slot.code, n_bytes: slot.n_bytes, visible: slot.visible });
            measure.fonts.push(FontUse { font: font.pdf.font.clone(), codes: codes.collect() });
        }
        measure
    }

    /// Leaves out fonts that were set and drew nothing.
    fn keep_used_fonts(&mut self) {
        if self.fonts.iter().all(|font| font.used) {
            return;
        }
        let mut n_kept = 0;
        let moved: Vec<u32> = self
            .fonts
            .iter()
            .map(|font| {
                n_kept += u32::from(font.used);
                n_kept.saturating_sub(1)
            })
            .collect();
        self.measure.runs.iter_mut().for_each(|run| run.font = moved[run.font as usize]);
        self.fonts.retain(|font| font.used);
    }

    /// Cells under lines of visible text.
    fn text_cells(&self, measure: &PageMeasure) -> Grid {
        let mut cells = Grid::new(measure.evidence.size);
        for (run, extra) in measure.runs.iter().zip(&self.extras) {
            if !run.invisible && extra.inked > 0 {
                cells.mark(&extra.bounds);
            }
        }
        cells
    }

    fn font_evidence<'x>(
        &self,
        runs: impl Iterator<Item = (&'x TextRun, &'x RunExtra)>,
    ) -> Vec<PageFontEvidence> {
        let mut by_font: Vec<Vec<LineBox>> = vec![Vec::new(); self.fonts.len()];
        for (run, extra) in runs.filter(|(run, extra)| !run.invisible && extra.inked > 0) {
            lines::add(&mut by_font[run.font as usize], &extra.bounds, extra.inked, extra.suspect);
        }
        let fonts = self.fonts.iter().zip(by_font).zip(0..);
        fonts.map(|((font, seen), font_index)| evidence_of(font, font_index, lines::reduce(seen))).collect()
    }

    /// ISO 15924 code of the most frequent script of the visible text.
    fn script(&self) -> Option<String> {
        let scripts = CodePointMapData::<Script>::new();
        let mut counts: FxHashMap<Script, u64> = FxHashMap::default();
        for font in &self.fonts {
            for slot in font.slots.iter().filter(|slot| slot.visible > 0) {
                let letter = match slot.text {
                    SlotText::None => continue,
                    SlotText::Char(letter) => letter,
                    SlotText::Longer => {
                        let glyph = font.pdf.font.glyph(slot.code, slot.n_bytes);
                        let Some(letter) =
                            glyph.route.unicode.as_deref().and_then(|text| text.chars().next())
                        else {
                            continue;
                        };
                        letter
                    }
                };
                *counts.entry(scripts.get(letter)).or_default() += u64::from(slot.visible);
            }
        }
        let none = [Script::Common, Script::Inherited, Script::Unknown];
        let best = counts.into_iter().filter(|(script, _)| !none.contains(script));
        // Equal counts are settled by the script's number, not by the order of a map.
        let (script, _) = best.max_by_key(|&(script, count)| (count, std::cmp::Reverse(script)))?;
        PropertyNamesShort::<Script>::new().get(script).map(str::to_owned)
    }
}

fn evidence_of(font: &PageFont<'_>, font_index: u32, lines: Vec<LineBox>) -> PageFontEvidence {
    let mut cases: Vec<(Case, CodeClass, u32)> = Vec::new();
    let mut unmapped = font.silenced;
    let mut add = |case: Case, class: CodeClass, count: u32| {
        if count == 0 {
            return;
        }
        match cases.iter_mut().find(|(known, of, _)| (*known, *of) == (case, class)) {
            Some((.., total)) => *total += count,
            None => cases.push((case, class, count)),
        }
    };
    for slot in font.slots.iter().filter(|slot| !slot.blank) {
        let own = slot.visible - slot.actual.min(slot.visible);
        add(slot.case, slot.class, own);
        add(Case::X1, CodeClass::ReadSpec, slot.visible - own);
        if slot.text == SlotText::None {
            unmapped += own;
        }
    }
    cases.sort_unstable();
    PageFontEvidence { font_index, cases, unmapped, invisible: font.invisible, hidden: font.hidden, lines }
}
