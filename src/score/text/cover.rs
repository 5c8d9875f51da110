//! Images, and what is hidden by something painted later.

use super::cache::ImageInfo;
use super::geometry::{Bounds, Matrix};
use super::machine::{Colour, Cover, Machine};
use super::marked::ActualText;
use super::page_font::SlotText;
use crate::score::fonts::CharCode;

/// Covers that are followed on one page.
const MAX_COVERS: usize = 512;
/// Lower or narrower fills are rules and underlines, in points.
const MIN_COVER: f32 = 3.0;

impl Machine<'_, '_> {
    /// Draws an image on the unit square.
    pub(super) fn draw_image(&mut self, info: ImageInfo) {
        let ctm = self.state.ctm;
        self.place_image(info, &ctm);
    }

    /// Draws an image on the unit square of `matrix`.
    pub(super) fn place_image(&mut self, info: ImageInfo, matrix: &Matrix) {
        let state = &self.state;
        let bounds = matrix.bounds(&Bounds::UNIT).intersect(&state.clip);
        let seen =
            bounds.area() > 0.0 && !self.marks.is_hidden() && state.fill_alpha * state.group_alpha > 0.0;
        // A white stencil on white leaves no mark.
        let white = info.stencil && state.fill == Colour::White && !self.ink.touches(&bounds);
        if !seen || white {
            return;
        }
        let opaque = info.opaque && state.is_opaque();
        self.ink.mark(&bounds);
        if self.paint_through_text(&bounds) {
            return;
        }
        self.images.add(info, matrix, bounds);
        if opaque {
            self.cover(&bounds, true);
        }
    }

    /// Something is painted while text clips it (render mode 7): the text shows. Tells whether it does.
    pub(super) fn paint_through_text(&mut self, bounds: &Bounds) -> bool {
        let Some((first, end)) = self.state.text_clip else { return false };
        for at in first as usize..(end as usize).min(self.measure.runs.len()) {
            let run = &mut self.measure.runs[at];
            let extra = &self.extras[at];
            if !run.invisible || extra.gone || !bounds.contains(extra.bounds.center()) {
                continue;
            }
            run.invisible = false;
            let font = &mut self.fonts[run.font as usize];
            for (code, _) in &self.measure.codes[run.codes.0 as usize..run.codes.1 as usize] {
                if let Some(slot) = font.find(*code) {
                    slot.visible += 1;
                    slot.actual += u32::from(run.actual_text);
                }
            }
            font.invisible = font.invisible.saturating_sub(extra.inked);
        }
        true
    }

    /// Something opaque was painted: what lies under it is not seen any more.
    pub(super) fn cover(&mut self, bounds: &Bounds, image: bool) {
        if bounds.width() < MIN_COVER || bounds.height() < MIN_COVER {
            return;
        }
        if !image && bounds.area() > 0.25 * self.area.area() {
            let covered = bounds.grown(1.0);
            self.images.images.retain(|under| {
                !(covered.contains([under.bounds.x0, under.bounds.y0])
                    && covered.contains([under.bounds.x1, under.bounds.y1]))
            });
        }
        if self.text_cells.touches(bounds) && self.covers.len() < MAX_COVERS {
            self.covers.push(Cover { bounds: *bounds, n_runs: self.measure.runs.len() as u32, image });
        }
    }

    /// Takes covered runs out of the visible ones: under an image they are an OCR layer, under a fill hidden.
    pub(super) fn apply_covers(&mut self) {
        for cover in std::mem::take(&mut self.covers) {
            for at in 0..cover.n_runs as usize {
                if self.extras[at].bounds.is_empty()
                    || !cover.bounds.contains(self.extras[at].bounds.center())
                {
                    continue;
                }
                match (self.measure.runs[at].invisible, self.extras[at].gone) {
                    (true, true) if cover.image => self.reveal_layer(at),
                    (true, _) => {}
                    (false, _) => self.hide(at, cover.image),
                }
            }
        }
        // What is hidden for good leaves the runs.
        let mut extras = self.extras.iter();
        self.measure.runs.retain(|_| extras.next().is_some_and(|extra| !extra.gone));
        self.extras.retain(|extra| !extra.gone);
    }

    /// White text under an image: an OCR layer.
    fn reveal_layer(&mut self, at: usize) {
        let extra = &mut self.extras[at];
        extra.gone = false;
        let font = &mut self.fonts[self.measure.runs[at].font as usize];
        font.hidden = font.hidden.saturating_sub(extra.inked);
        font.invisible += extra.inked;
    }

    /// A visible run under an image or a fill.
    fn hide(&mut self, at: usize, image: bool) {
        let run = &mut self.measure.runs[at];
        run.invisible = true;
        let extra = &mut self.extras[at];
        extra.gone = !image;
        let font = &mut self.fonts[run.font as usize];
        for (code, _) in &self.measure.codes[run.codes.0 as usize..run.codes.1 as usize] {
            if let Some(slot) = font.find(*code) {
                slot.visible = slot.visible.saturating_sub(1);
                slot.actual = slot.actual.saturating_sub(u32::from(run.actual_text)).min(slot.visible);
            }
        }
        let count = if image { &mut font.invisible } else { &mut font.hidden };
        *count += extra.inked;
    }

    /// An ActualText ends: whether it can stand for what was drawn is known only now.
    pub(super) fn end_actual(&mut self, actual: &ActualText) {
        let runs = actual.first_run..self.measure.runs.len();
        let n_inked: usize = self.extras[runs.clone()].iter().map(|extra| extra.inked as usize).sum();
        let n_chars = actual.text.chars().filter(|c| !c.is_whitespace()).count();
        if n_chars == 0 {
            return self.silence(runs);
        }
        // A few characters for many glyphs say nothing of them: producers mark bullets and figures so.
        if n_inked > 4 && 4 * n_chars < n_inked {
            for at in runs {
                let run = self.measure.runs[at];
                let font = &mut self.fonts[run.font as usize];
                let mut suspect = 0;
                for (code, _) in &self.measure.codes[run.codes.0 as usize..run.codes.1 as usize] {
                    if let Some(slot) = font.find(*code)
                        && !run.invisible
                    {
                        slot.actual = slot.actual.saturating_sub(1);
                        suspect += u32::from(!slot.blank && slot.is_suspect());
                    }
                }
                self.extras[at].suspect = suspect;
            }
        }
    }

    /// An empty ActualText takes letters away from every reader.
    fn silence(&mut self, runs: std::ops::Range<usize>) {
        for run in &self.measure.runs[runs] {
            if run.invisible {
                continue;
            }
            let font = &mut self.fonts[run.font as usize];
            let is_letter = |font: &mut super::page_font::PageFont<'_>, code: CharCode| {
                font.find(code).is_some_and(|slot| {
                    !slot.blank && matches!(slot.text, SlotText::Char(letter) if letter.is_alphanumeric())
                })
            };
            for (code, _) in &self.measure.codes[run.codes.0 as usize..run.codes.1 as usize] {
                font.silenced += u32::from(is_letter(font, *code));
            }
        }
    }
}
