//! Text-showing operators: where each glyph falls, whether it is seen, and what it says.

use std::sync::Arc;

use super::cache::{ImageInfo, Resources};
use super::geometry::{Bounds, Grid, Matrix};
use super::machine::{Colour, Machine, RunExtra};
use super::marked::ActualText;
use super::page_font::{PageFont, SlotText};
use super::{PageMeasure, TextRun};
use crate::score::evidence::FindingCode;
use crate::score::fonts::CharCode;
use crate::score::pdf::tokens::{Operand, string_bytes};

/// A gap between glyphs that separates words, in ems: as wide as the narrowest spaces of justified text.
const WORD_GAP_EMS: f32 = 0.15;
/// A step back that starts anew, in ems; kerning and overprinted accents step back less.
const BACK_STEP_EMS: f32 = 0.5;
/// Text drawn smaller is not for reading, in points.
const MIN_SIZE: f32 = 1.0;
/// Runs whose baselines differ by more stand on different lines, in ems: scripts shift by a third.
const LINE_SHIFT_EMS: f32 = 0.4;

/// How the glyphs of one operator are seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sight {
    Visible,
    /// White: seen only where something else lies under it.
    White,
    /// Render mode 3 or 7.
    Invisible,
    Hidden,
}

/// The pen of one operator.
struct Pen<'x> {
    measure: &'x mut PageMeasure,
    extras: &'x mut Vec<RunExtra>,
    text_cells: &'x mut Grid,
    ink: &'x Grid,
    actual: Option<&'x mut ActualText>,
    clip: Bounds,
    sight: Sight,
    font_index: u32,
    size: f32,
    char_spacing: f32,
    word_spacing: f32,
    scaling: f32,
    /// Size on the page, in points.
    drawn_size: f32,
    /// Of one text-space unit in the direction of writing, in points.
    along: [f32; 2],
    /// From a glyph's baseline to its ascent and to its descent, in points.
    ascent: [f32; 2],
    descent: [f32; 2],
    /// Of one text-space unit up from the baseline, in points; 0 in vertical writing.
    across: [f32; 2],
    rise: f32,
    /// Where the next glyph starts, in points.
    at: [f32; 2],
    /// Text-space units moved since the operator began.
    moved: f32,
    run: OpenRun,
    /// Images that Type 3 glyphs draw: slot and place.
    images: Vec<(CharCode, [f32; 2])>,
}

/// The run being built.
#[derive(Debug, Clone, Copy)]
struct OpenRun {
    sight: Sight,
    from: [f32; 2],
    to: [f32; 2],
    first_code: u32,
    first_text: u32,
    inked: u32,
    suspect: u32,
    actual: bool,
}

fn plus([x, y]: [f32; 2], [dx, dy]: [f32; 2], times: f32) -> [f32; 2] {
    [x + dx * times, y + dy * times]
}

impl<'a> Machine<'_, 'a> {
    /// Shows strings with adjustments between them: the operands of Tj, or the array of TJ.
    pub(super) fn show(&mut self, items: &[Operand<'_>], resources: &Arc<Resources<'a>>) {
        let font_index = match self.state.font {
            Some(index) => index,
            None => self.missing_font(),
        };
        self.resolve_type3(font_index, items, resources);
        if self.state.mode & 7 == 7 && self.clips_from.is_none() {
            self.clips_from = Some(self.measure.runs.len() as u32);
        }
        let Some(font) = self.fonts.get(font_index as usize) else { return };
        let base = self.text_matrix.then(&self.state.ctm);
        let [a, b, c, d, ..] = base.0;
        let state = &self.state;
        let drawn_size = (state.size * font.em() * c.hypot(d)).abs();
        let sight = self.sight((state.size * font.largest_em() * c.hypot(d)).abs(), font.largest_em() == 0.0);
        let state = &self.state;
        let (along, across, extent) = if font.vertical {
            ([c, d], [a, b], [0.5, -0.5]) // the origin of a vertical glyph is above its middle
        } else {
            ([a, b], [c, d], font.extent)
        };
        let rise = if font.vertical { 0.0 } else { state.rise };
        let across_by = |ems: f32| {
            let length = rise + ems * state.size;
            [across[0] * length, across[1] * length]
        };
        let (vertical, scaling) = (font.vertical, if font.vertical { 1.0 } else { state.scaling });
        let mut scratch = std::mem::take(&mut self.scratch);
        let mut pen = Pen {
            ascent: across_by(extent[0]),
            descent: across_by(extent[1]),
            across: if font.vertical { [0.0; 2] } else { across },
            rise,
            at: base.apply(0.0, 0.0),
            clip: state.clip,
            size: state.size,
            char_spacing: state.char_spacing,
            word_spacing: state.word_spacing,
            run: OpenRun::new(&self.measure, sight),
            measure: &mut self.measure,
            extras: &mut self.extras,
            text_cells: &mut self.text_cells,
            ink: &self.ink,
            actual: self.marks.actual.as_mut(),
            sight,
            font_index,
            scaling,
            drawn_size,
            along,
            moved: 0.0,
            images: Vec::new(),
        };
        let font = &mut self.fonts[font_index as usize];
        for item in items {
            match item {
                Operand::String(raw, spelling) => {
                    let bytes = string_bytes(raw, *spelling, &mut scratch);
                    pen.glyphs(
                        bytes,
                        font,
                        (self.cache, resources),
                        &mut self.operators_left,
                        &mut self.glyphs_left,
                    );
                }
                Operand::Number(thousandths) => pen.adjust(*thousandths, vertical),
                _ => {}
            }
        }
        pen.close();
        let (moved, images) = (pen.moved, pen.images);
        self.scratch = scratch;
        if vertical {
            self.text_matrix.shift(0.0, moved);
        } else {
            self.text_matrix.shift(moved, 0.0);
        }
        if self.glyphs_left == 0 {
            self.out_of(FindingCode::GlyphBudget, "more glyphs than `limits.glyphs_per_page`");
        }
        for (code, at) in images {
            self.draw_glyph_image(font_index, code, at, &base, resources);
        }
    }

    /// The glyphs of a Type 3 font say how large it is, so they are resolved before their place is.
    fn resolve_type3(&mut self, font: u32, items: &[Operand<'_>], resources: &Arc<Resources<'a>>) {
        let Some(font) = self.fonts.get_mut(font as usize) else { return };
        if font.pdf.type3.is_none() {
            return;
        }
        let pdf = font.pdf.clone();
        for item in items {
            let Operand::String(raw, spelling) = item else { continue };
            for (code, n_bytes) in pdf.font.codes(string_bytes(raw, *spelling, &mut self.scratch)) {
                let (_, n_ops) = font.slot(code, n_bytes, self.cache, resources);
                self.operators_left = self.operators_left.saturating_sub(u64::from(n_ops));
            }
        }
    }

    fn sight(&self, largest_size: f32, unknown_size: bool) -> Sight {
        let state = &self.state;
        let mode = state.mode & 7;
        let alpha = match mode {
            1 | 5 => state.stroke_alpha,
            2 | 6 => state.stroke_alpha.max(state.fill_alpha),
            _ => state.fill_alpha,
        };
        let colour = match mode {
            1 | 5 => state.stroke,
            2 | 6 if state.stroke != Colour::White => state.stroke,
            _ => state.fill,
        };
        // Not-a-number counts as too small.
        let visible_size = largest_size > MIN_SIZE; // false for NaN too
        let small = !visible_size && !unknown_size;
        if self.marks.is_hidden() || small || alpha * state.group_alpha <= 0.0 {
            Sight::Hidden
        } else if matches!(mode, 3 | 7) {
            Sight::Invisible
        } else if colour == Colour::White {
            Sight::White
        } else {
            Sight::Visible
        }
    }

    /// A Type 3 glyph that is an image of a good part of the page is an image, not a letter (T5).
    fn draw_glyph_image(
        &mut self,
        font: u32,
        code: CharCode,
        at: [f32; 2],
        base: &Matrix,
        resources: &Arc<Resources<'a>>,
    ) {
        let font = &self.fonts[font as usize];
        let Some(type3) = &font.pdf.type3 else { return };
        let Some((matrix, info)) = type3.ink(code.0, self.cache, resources).image else { return };
        let (size, scaling) = (self.state.size, self.state.scaling);
        let [a, b, c, d, ..] = base.0;
        let text = Matrix([a * size * scaling, b * size * scaling, c * size, d * size, at[0], at[1]]);
        let matrix = matrix.then(&text);
        if matrix.area() >= 0.01 * self.area.area() {
            self.place_image(ImageInfo { object: 0, ..info }, &matrix);
        }
    }
}

impl OpenRun {
    fn new(measure: &PageMeasure, sight: Sight) -> Self {
        Self {
            sight,
            from: [0.0; 2],
            to: [0.0; 2],
            first_code: measure.codes.len() as u32,
            first_text: measure.text.len() as u32,
            inked: 0,
            suspect: 0,
            actual: false,
        }
    }
}

impl Pen<'_> {
    fn glyphs<'a>(
        &mut self,
        bytes: &[u8],
        font: &mut PageFont<'a>,
        (cache, resources): (&super::cache::FontCache<'a>, &Resources<'a>),
        operators_left: &mut u64,
        glyphs_left: &mut u64,
    ) {
        let pdf = font.pdf.clone();
        for (code, n_bytes) in pdf.font.codes(bytes) {
            if *glyphs_left == 0 {
                return;
            }
            *glyphs_left -= 1;
            let (slot, n_ops) = font.slot(code, n_bytes, cache, resources);
            *operators_left = operators_left.saturating_sub(u64::from(n_ops));
            self.glyph(code, n_bytes, slot, font);
        }
    }

    #[inline]
    fn glyph(&mut self, code: CharCode, n_bytes: u8, index: usize, font: &mut PageFont<'_>) {
        let slot = &mut font.slots[index];
        let width = slot.advance * self.size * self.scaling;
        let middle = self.rise + slot.middle * self.size;
        let center = plus(plus(self.at, self.along, width / 2.0), self.across, middle);
        let sight = match self.sight {
            _ if !self.clip.contains(center) => Sight::Hidden,
            Sight::White if self.ink.is_marked(center) => Sight::Visible,
            sight => sight,
        };
        if sight != Sight::Hidden {
            if sight != self.run.sight {
                self.close();
                self.run.sight = sight;
            }
            if self.measure.codes.len() as u32 == self.run.first_code {
                self.run.from = self.at;
            }
            self.run.to = plus(self.at, self.along, width);
            // Fonts of OCR layers draw nothing at all: there a glyph counts by what it says.
            let inked = !slot.blank || sight == Sight::Invisible && slot.says_something();
            if sight == Sight::Invisible {
                font.invisible += u32::from(inked);
            } else if sight == Sight::White {
                font.hidden += u32::from(inked);
            } else {
                slot.visible += 1;
                slot.actual += u32::from(self.actual.is_some());
                self.run.suspect += u32::from(inked && self.actual.is_none() && slot.is_suspect());
                if slot.draws_image {
                    self.images.push((code, self.at));
                }
            }
            self.run.inked += u32::from(inked);
            let offset = self.measure.text.len() as u32 - self.run.first_text;
            self.measure.codes.push((code, offset));
            match &mut self.actual {
                None if slot.text == SlotText::None => {}
                None => font.push_text(index, &mut self.measure.text),
                Some(actual) => {
                    self.run.actual = true;
                    if !actual.given {
                        actual.given = true;
                        self.measure.text.push_str(&actual.text);
                    }
                }
            }
        } else {
            font.hidden += u32::from(!slot.blank);
        }
        font.used = true;
        let word = if n_bytes == 1 && code.0 == 32 { self.word_spacing } else { 0.0 };
        self.advance(width + (self.char_spacing + word) * self.scaling);
    }

    #[inline]
    fn advance(&mut self, by: f32) {
        self.at = plus(self.at, self.along, by);
        self.moved += by;
    }

    /// A number of a TJ array. One as wide as a space separates words, so the run ends.
    #[inline]
    fn adjust(&mut self, thousandths: f32, vertical: bool) {
        let ems = -thousandths / 1000.0;
        let gap = if vertical { -ems } else { ems };
        if !(-BACK_STEP_EMS..=WORD_GAP_EMS).contains(&gap) {
            self.close();
        }
        self.advance(ems * self.size * self.scaling);
    }

    /// Ends the run where glyphs were seen.
    fn close(&mut self) {
        let run = self.run;
        let n_codes = self.measure.codes.len() as u32;
        if n_codes == run.first_code {
            return;
        }
        let mut bounds = Bounds::EMPTY;
        for end in [run.from, run.to] {
            bounds.add(plus(end, self.ascent, 1.0));
            bounds.add(plus(end, self.descent, 1.0));
        }
        let gone = run.sight == Sight::White;
        let invisible = gone || run.sight == Sight::Invisible;
        // White text may yet turn out to be an OCR layer under an image.
        if run.sight != Sight::Invisible {
            self.text_cells.mark(&bounds);
        }
        let mut done = TextRun {
            font: self.font_index,
            from: run.from,
            to: run.to,
            size: self.drawn_size,
            invisible,
            gap_before: true,
            actual_text: run.actual,
            codes: (run.first_code, n_codes),
            text: (run.first_text, self.measure.text.len() as u32),
        };
        done.gap_before = self.measure.runs.last().is_none_or(|last| is_apart(last, &done));
        self.measure.runs.push(done);
        self.extras.push(RunExtra { bounds, inked: run.inked, suspect: run.suspect, gone });
        self.run = OpenRun::new(self.measure, run.sight);
    }
}

/// Whether a word gap or a line break stands between two runs.
fn is_apart(last: &TextRun, next: &TextRun) -> bool {
    let em = next.size.max(last.size).max(1e-3);
    let [dx, dy] = [next.to[0] - next.from[0], next.to[1] - next.from[1]];
    let length = dx.hypot(dy);
    // Without a length of its own the last run's direction serves.
    let [dx, dy] =
        if length > 1e-3 { [dx, dy] } else { [last.to[0] - last.from[0], last.to[1] - last.from[1]] };
    let length = dx.hypot(dy).max(1e-3);
    let along = [dx / length, dy / length];
    let gap = |from: [f32; 2], to: [f32; 2]| {
        let step = [to[0] - from[0], to[1] - from[1]];
        let forward = (step[0] * along[0] + step[1] * along[1]) / em;
        let aside = (step[1] * along[0] - step[0] * along[1]).abs() / em;
        (forward, aside)
    };
    let joins = |(forward, aside): (f32, f32)| {
        aside <= LINE_SHIFT_EMS && (-BACK_STEP_EMS..=WORD_GAP_EMS).contains(&forward)
    };
    // Right-to-left text placed piece by piece ends where the piece before began.
    !joins(gap(last.to, next.from)) && !joins(gap(next.to, last.from))
}
