//! The operators of content streams, one by one.

use std::sync::Arc;

use super::cache::{Resources, Space, XObject};
use super::geometry::{Bounds, Matrix};
use super::images::inline_info;
use super::machine::{Colour, Machine, name_key};
use super::marked::{Mark, text_string};
use super::page_font::PageFont;
use crate::score::evidence::FindingCode;
use crate::score::pdf::tokens::{Entries, Op, Operand, name_bytes, string_bytes};
use crate::score::pdf::{Decoded, Dict, PdfString, Tokenizer};

/// Lines thinner than this leave no background to speak of, in points.
const MIN_BROAD_LINE: f32 = 4.0;

impl<'a> Machine<'_, 'a> {
    /// Runs content with its resources, until its end or that of a budget.
    pub(super) fn run(&mut self, content: &[u8], resources: &Arc<Resources<'a>>) {
        let mut tokens = Tokenizer::new(content);
        while let Some(op) = tokens.next_op() {
            if self.operators_left == 0 {
                self.out_of(FindingCode::OperatorBudget, "more operators than `limits.operators_per_page`");
                break;
            }
            self.operators_left -= 1;
            self.execute(op, &tokens, resources);
        }
        self.damage = self.damage.saturating_add(tokens.damage());
    }

    fn execute(&mut self, op: Op, tokens: &Tokenizer<'_>, resources: &Arc<Resources<'a>>) {
        match op {
            Op::MoveTo => {
                if let Some([x, y]) = tokens.numbers() {
                    self.path.move_to(self.state.ctm.apply(x, y));
                }
            }
            Op::LineTo => {
                if let Some([x, y]) = tokens.numbers() {
                    self.path.line_to(self.state.ctm.apply(x, y));
                }
            }
            Op::CurveTo => {
                if let Some([ax, ay, bx, by, x, y]) = tokens.numbers() {
                    let ctm = &self.state.ctm;
                    self.path.curve_to(ctm.apply(ax, ay), ctm.apply(bx, by), ctm.apply(x, y));
                }
            }
            Op::CurveToInitial => {
                if let Some([bx, by, x, y]) = tokens.numbers() {
                    let ctm = &self.state.ctm;
                    self.path.curve_to(self.path.point(), ctm.apply(bx, by), ctm.apply(x, y));
                }
            }
            Op::CurveToFinal => {
                if let Some([ax, ay, x, y]) = tokens.numbers() {
                    let (first, end) = (self.state.ctm.apply(ax, ay), self.state.ctm.apply(x, y));
                    self.path.curve_to(first, end, end);
                }
            }
            Op::Rectangle => {
                if let Some(numbers) = tokens.numbers() {
                    self.path.rectangle(&self.state.ctm, numbers);
                }
            }
            Op::ClosePath => self.path.close(),
            Op::Fill | Op::FillEvenOdd => self.paint(true, false),
            Op::Stroke | Op::CloseStroke => self.paint(false, true),
            Op::FillStroke | Op::FillStrokeEvenOdd | Op::CloseFillStroke | Op::CloseFillStrokeEvenOdd => {
                self.paint(true, true)
            }
            Op::EndPath => self.paint(false, false),
            Op::Clip | Op::ClipEvenOdd => self.path.clips = true,

            Op::Save => self.save(),
            Op::Restore => self.restore(),
            Op::Concat => {
                if let Some(numbers) = tokens.numbers() {
                    self.state.ctm = Matrix(numbers).then(&self.state.ctm);
                }
            }
            Op::SetLineWidth => {
                if let Some([width]) = tokens.numbers() {
                    self.state.line_width = width;
                }
            }
            Op::SetGraphicsState => {
                if let Some(Operand::Name(name)) = tokens.operands().last() {
                    self.set_ext_state(name, resources);
                }
            }

            Op::BeginText => {
                (self.text_matrix, self.line_matrix) = (Matrix::IDENTITY, Matrix::IDENTITY);
            }
            Op::EndText => {
                if let Some(first) = self.clips_from.take() {
                    self.state.text_clip = Some((first, self.measure.runs.len() as u32));
                }
            }
            Op::SetTextMatrix => {
                if let Some(numbers) = tokens.numbers() {
                    (self.text_matrix, self.line_matrix) = (Matrix(numbers), Matrix(numbers));
                }
            }
            Op::MoveText => {
                if let Some([x, y]) = tokens.numbers() {
                    self.move_line(x, y);
                }
            }
            Op::MoveTextSetLeading => {
                if let Some([x, y]) = tokens.numbers() {
                    self.state.leading = -y;
                    self.move_line(x, y);
                }
            }
            Op::NextLine => self.move_line(0.0, -self.state.leading),
            Op::SetFont => {
                if let [.., Operand::Name(name), Operand::Number(size)] = tokens.operands() {
                    self.state.font = Some(self.font_of(name, resources));
                    self.state.size = *size;
                }
            }
            Op::SetCharSpacing => self.set(tokens, |state| &mut state.char_spacing),
            Op::SetWordSpacing => self.set(tokens, |state| &mut state.word_spacing),
            Op::SetLeading => self.set(tokens, |state| &mut state.leading),
            Op::SetRise => self.set(tokens, |state| &mut state.rise),
            Op::SetHorizontalScaling => {
                if let Some([percent]) = tokens.numbers() {
                    self.state.scaling = percent / 100.0;
                }
            }
            Op::SetRenderMode => {
                if let Some([mode]) = tokens.numbers() {
                    self.state.mode = mode.clamp(0.0, 255.0) as u8;
                }
            }
            Op::ShowText => {
                let shown = tokens.operands();
                self.show(&shown[shown.len().saturating_sub(1)..], resources);
            }
            Op::ShowTextAdjusted => match tokens.operands().last() {
                Some(&Operand::Array(start, end)) => {
                    self.show(&tokens.items()[start as usize..end as usize], resources);
                }
                Some(string) => self.show(&[*string], resources),
                None => {}
            },
            Op::NextLineShow => {
                self.move_line(0.0, -self.state.leading);
                let shown = tokens.operands();
                self.show(&shown[shown.len().saturating_sub(1)..], resources);
            }
            Op::NextLineShowSpaced => {
                self.move_line(0.0, -self.state.leading);
                if let [.., Operand::Number(word), Operand::Number(char), string] = tokens.operands() {
                    (self.state.word_spacing, self.state.char_spacing) = (*word, *char);
                    self.show(&[*string], resources);
                }
            }

            Op::SetFillGray => self.state.fill = additive(tokens.numbers::<1>()),
            Op::SetFillRgb => self.state.fill = additive(tokens.numbers::<3>()),
            Op::SetFillCmyk => self.state.fill = subtractive(tokens.numbers::<4>()),
            Op::SetStrokeGray => self.state.stroke = additive(tokens.numbers::<1>()),
            Op::SetStrokeRgb => self.state.stroke = additive(tokens.numbers::<3>()),
            Op::SetStrokeCmyk => self.state.stroke = subtractive(tokens.numbers::<4>()),
            Op::SetFillSpace => {
                self.state.fill_space = self.space_of(tokens, resources);
                self.state.fill = Colour::Other;
            }
            Op::SetStrokeSpace => {
                self.state.stroke_space = self.space_of(tokens, resources);
                self.state.stroke = Colour::Other;
            }
            Op::SetFillColor | Op::SetFillColorN => {
                self.state.fill = colour_in(self.state.fill_space, tokens.operands());
            }
            Op::SetStrokeColor | Op::SetStrokeColorN => {
                self.state.stroke = colour_in(self.state.stroke_space, tokens.operands());
            }

            Op::DrawXObject => {
                if let Some(Operand::Name(name)) = tokens.operands().last() {
                    self.draw_x_object(name, resources);
                }
            }
            Op::InlineImage => {
                if let [Operand::Dict(dict), Operand::Bytes(data)] = tokens.operands() {
                    let mut info = inline_info(dict);
                    info.n_bytes = data.len().min(u32::MAX as usize) as u32;
                    self.draw_image(info);
                }
            }
            Op::Shade => self.shade(),

            Op::BeginMarkedContent => self.marks.push(Mark::Plain),
            Op::BeginMarkedContentDict => self.begin_mark(tokens.operands(), resources),
            Op::EndMarkedContent => self.end_mark(),

            Op::BeginCompatibility
            | Op::EndCompatibility
            | Op::EndInlineImage
            | Op::InlineImageData
            | Op::GlyphWidth
            | Op::GlyphWidthAndBox
            | Op::MarkPoint
            | Op::MarkPointDict
            | Op::SetDash
            | Op::SetFlatness
            | Op::SetLineCap
            | Op::SetLineJoin
            | Op::SetMiterLimit
            | Op::SetRenderingIntent => {}
        }
    }

    fn set(&mut self, tokens: &Tokenizer<'_>, field: fn(&mut super::machine::State) -> &mut f32) {
        if let Some([value]) = tokens.numbers() {
            *field(&mut self.state) = value;
        }
    }

    fn move_line(&mut self, x: f32, y: f32) {
        self.line_matrix.shift(x, y);
        self.text_matrix = self.line_matrix;
    }

    fn set_ext_state(&mut self, name: &[u8], resources: &Arc<Resources<'a>>) {
        let name = name_bytes(name, &mut self.scratch);
        let cache = self.cache;
        let found = self.memo.states.entry(name_key(resources, name));
        let Some(ext) = found.or_insert_with(|| cache.ext_state(resources, name)).clone() else { return };
        let state = &mut self.state;
        state.fill_alpha = ext.fill_alpha.unwrap_or(state.fill_alpha);
        state.stroke_alpha = ext.stroke_alpha.unwrap_or(state.stroke_alpha);
        state.blends = ext.blends.unwrap_or(state.blends);
        state.masked = ext.masked.unwrap_or(state.masked);
        state.line_width = ext.line_width.unwrap_or(state.line_width);
        if let Some((font, size)) = &ext.font {
            self.state.size = *size;
            self.state.font = Some(self.font_index(font));
        }
    }

    fn space_of(&mut self, tokens: &Tokenizer<'_>, resources: &Arc<Resources<'a>>) -> Space {
        let Some(Operand::Name(name)) = tokens.operands().last() else { return Space::Other };
        let name = name_bytes(name, &mut self.scratch);
        let cache = self.cache;
        let found = self.memo.spaces.entry(name_key(resources, name));
        *found.or_insert_with(|| cache.space(resources, name))
    }

    /// The font a name stands for; one that the resources lack is drawn with an unknown font.
    fn font_of(&mut self, name: &[u8], resources: &Arc<Resources<'a>>) -> u32 {
        let name = name_bytes(name, &mut self.scratch);
        let key = name_key(resources, name);
        if let Some(&index) = self.memo.fonts.get(&key) {
            return index;
        }
        let index = match self.cache.font(resources, name, self.page_index) {
            Some(font) => self.font_index(&font),
            None => self.missing_font(),
        };
        self.memo.fonts.insert(key, index);
        index
    }

    pub(super) fn missing_font(&mut self) -> u32 {
        if let Some(index) = self.memo.missing_font {
            return index;
        }
        self.find(FindingCode::FontMissing, "text is shown in a font that the resources lack");
        let index = self.font_index(&self.cache.missing_font(self.page_index));
        self.memo.missing_font = Some(index);
        index
    }

    fn font_index(&mut self, font: &Arc<super::cache::PdfFont<'a>>) -> u32 {
        let address = Arc::as_ptr(font) as usize;
        if let Some(&index) = self.memo.by_font.get(&address) {
            return index;
        }
        let n_fonts = self.fonts.len();
        if n_fonts >= self.cache.document().limits.fonts_per_page {
            self.out_of(FindingCode::TooManyFonts, "more fonts than `limits.fonts_per_page`");
            return n_fonts.saturating_sub(1) as u32;
        }
        self.fonts.push(PageFont::new(font.clone()));
        self.memo.by_font.insert(address, n_fonts as u32);
        n_fonts as u32
    }

    fn draw_x_object(&mut self, name: &[u8], resources: &Arc<Resources<'a>>) {
        let name = name_bytes(name, &mut self.scratch);
        let cache = self.cache;
        let found = self.memo.x_objects.entry(name_key(resources, name));
        let Some(x_object) = found.or_insert_with(|| cache.x_object(resources, name)).clone() else { return };
        match &*x_object {
            XObject::Image { info, dict } => {
                if !self.hides(dict) {
                    self.draw_image(*info);
                }
            }
            XObject::Form(form) => {
                if !self.hides(form.stream.dict()) {
                    self.draw_form(form, resources);
                }
            }
            XObject::Other => {}
        }
    }

    fn hides(&self, dict: &Dict<'a>) -> bool {
        self.cache.layers().hides(self.cache.document(), dict, b"OC")
    }

    pub(super) fn decode(&mut self, form: &super::cache::Form<'a>, out: &mut Vec<u8>) {
        let (code, detail) = match self.cache.decode_form(form, out) {
            Decoded::Complete => return,
            Decoded::Partial => (FindingCode::StreamDamaged, "the content of a form is damaged"),
            Decoded::OverLimit => {
                (FindingCode::StreamOverLimit, "a form is larger than `limits.content_bytes`")
            }
            Decoded::Unsupported => {
                (FindingCode::ContentUndecodable, "the content of a form cannot be decoded")
            }
        };
        self.measure.evidence.undecodable = true;
        self.find(code, detail);
    }

    /// BDC: its tag and its properties, inline or by name.
    fn begin_mark(&mut self, operands: &[Operand<'_>], resources: &Arc<Resources<'a>>) {
        let [.., Operand::Name(tag), properties] = operands else { return self.marks.push(Mark::Plain) };
        let first_run = self.measure.runs.len();
        match properties {
            Operand::Dict(dict) => match Entries::get(dict, b"ActualText") {
                Some(Operand::String(raw, spelling)) => {
                    let text = text_string(string_bytes(raw, spelling, &mut self.scratch));
                    self.marks.push_actual(text, first_run);
                }
                _ => self.marks.push(Mark::Plain),
            },
            Operand::Name(name) => {
                let name = name_bytes(name, &mut self.scratch);
                let Some(known) = resources.properties() else { return self.marks.push(Mark::Plain) };
                if *tag == b"OC" {
                    let hidden = self.cache.layers().hides(self.cache.document(), known, name);
                    return self.marks.push(if hidden { Mark::Hidden } else { Mark::Plain });
                }
                let text =
                    known.get::<Dict<'a>>(name).and_then(|dict| dict.get::<PdfString<'a>>("ActualText"));
                match text {
                    Some(text) => self.marks.push_actual(text_string(text.as_bytes()), first_run),
                    None => self.marks.push(Mark::Plain),
                }
            }
            _ => self.marks.push(Mark::Plain),
        }
    }

    pub(super) fn end_mark(&mut self) {
        if let Some(actual) = self.marks.pop() {
            self.end_actual(&actual);
        }
    }

    /// Paints and clips with the current path, then forgets it.
    fn paint(&mut self, fill: bool, stroke: bool) {
        self.path.end();
        let bounds = self.path.bounds.intersect(&self.state.clip);
        if (fill || stroke) && !bounds.is_empty() && !self.marks.is_hidden() {
            let alpha = self.state.group_alpha;
            if fill && self.state.fill_alpha * alpha > 0.0 {
                self.fill(&bounds);
            }
            if stroke && self.state.stroke_alpha * alpha > 0.0 && self.state.stroke != Colour::White {
                self.stroke(&bounds, fill);
            }
        }
        // Viewers ignore a clip without a path.
        if self.path.clips && !self.path.bounds.is_empty() {
            self.state.clip = bounds;
        }
        self.path.clear();
    }

    fn fill(&mut self, bounds: &Bounds) {
        let evidence = &mut self.measure.evidence;
        let is_box = |straight: bool, n_segments: u32| straight && matches!(n_segments, 3..=4);
        match self.state.fill {
            Colour::Pattern => {
                evidence.n_shadings = evidence.n_shadings.saturating_add(1);
                self.ink.mark(bounds);
                self.paint_through_text(bounds);
                return;
            }
            Colour::Other => {
                evidence.n_paths = evidence.n_paths.saturating_add(1);
                self.ink.mark(bounds);
                self.outlines.fill(&self.path.subpaths, &self.state.clip);
                self.paint_through_text(bounds);
            }
            // White on white leaves no mark; on something else it may be letters.
            Colour::White if self.ink.touches(bounds) => {
                self.outlines.fill(&self.path.subpaths, &self.state.clip);
            }
            Colour::White => {}
        }
        if !self.state.is_opaque() || self.path.subpaths.len() > 64 {
            return;
        }
        for at in 0..self.path.subpaths.len() {
            let subpath = self.path.subpaths[at];
            if is_box(subpath.straight, subpath.n_segments) {
                let area = subpath.bounds.intersect(&self.state.clip);
                if self.state.fill == Colour::White {
                    self.ink.clear(&area);
                }
                self.cover(&area, false);
            }
        }
    }

    fn stroke(&mut self, bounds: &Bounds, filled: bool) {
        if !filled {
            let evidence = &mut self.measure.evidence;
            evidence.n_paths = evidence.n_paths.saturating_add(1);
        }
        let [x, y] = self.state.ctm.scales();
        let width = self.state.line_width * x.max(y);
        if width >= MIN_BROAD_LINE {
            self.ink.mark(&bounds.grown(width / 2.0));
        }
    }

    fn shade(&mut self) {
        let visible = !self.marks.is_hidden() && self.state.fill_alpha * self.state.group_alpha > 0.0;
        if visible && !self.state.clip.is_empty() {
            self.measure.evidence.n_shadings = self.measure.evidence.n_shadings.saturating_add(1);
            let clip = self.state.clip;
            self.ink.mark(&clip);
            self.paint_through_text(&clip);
        }
    }
}

/// White where all components are full.
fn additive<const N: usize>(components: Option<[f32; N]>) -> Colour {
    match components {
        Some(values) if values.iter().all(|&value| value >= 0.98) => Colour::White,
        _ => Colour::Other,
    }
}

/// White where no component is.
fn subtractive<const N: usize>(components: Option<[f32; N]>) -> Colour {
    match components {
        Some(values) if values.iter().all(|&value| value <= 0.02) => Colour::White,
        _ => Colour::Other,
    }
}

fn colour_in(space: Space, operands: &[Operand<'_>]) -> Colour {
    if matches!(operands.last(), Some(Operand::Name(_))) {
        return Colour::Pattern;
    }
    let all = |test: fn(f32) -> bool| {
        !operands.is_empty()
            && operands.iter().all(|value| matches!(value, Operand::Number(value) if test(*value)))
    };
    let white = match space {
        Space::Additive => all(|value| value >= 0.98),
        Space::Subtractive => all(|value| value <= 0.02),
        Space::Other => false,
    };
    if white { Colour::White } else { Colour::Other }
}
