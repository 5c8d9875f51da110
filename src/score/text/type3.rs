//! Glyph procedures of Type 3 fonts (ISO 32000-2, 9.6.4): what they paint, found once per code.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use super::cache::{FontCache, ImageInfo, Resources, XObject, read_numbers};
use super::geometry::{Bounds, Matrix};
use super::images::inline_info;
use crate::score::pdf::tokens::{Op, Operand, name_bytes};
use crate::score::pdf::{Array, Decoded, Dict, Object, Stream, Tokenizer, decode_stream};

/// Decoded bytes of one procedure that are looked at.
const MAX_PROC_BYTES: usize = 4 << 20;
/// Operators of one procedure that are looked at.
const MAX_PROC_OPS: u32 = 1 << 16;
/// States saved inside one procedure.
const MAX_SAVED: usize = 64;

/// The procedures of one font.
pub(super) struct Type3<'a> {
    procs: Option<Dict<'a>>,
    /// Names by code, where the font has `/Differences`.
    names: Option<FxHashMap<u8, Box<[u8]>>>,
    matrix: Matrix,
    resources: Option<Arc<Resources<'a>>>,
    /// Height of the font's box in text space, 0 where it says none.
    pub box_em: f32,
    inks: OnceLock<Box<[OnceLock<Ink>; 256]>>,
}

/// What a procedure paints, in text space for a size of 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ink {
    /// Nothing at all. Never said of what could not be read.
    pub blank: bool,
    /// Bounds of everything painted.
    pub bounds: Bounds,
    /// The largest image and its matrix.
    pub image: Option<(Matrix, ImageInfo)>,
    /// Subpaths painted.
    pub n_subpaths: u32,
    /// Operators that had to be read.
    pub n_ops: u32,
}

impl Ink {
    const NONE: Self = Self { blank: true, bounds: Bounds::EMPTY, image: None, n_subpaths: 0, n_ops: 0 };
    const UNKNOWN: Self = Self { blank: false, ..Self::NONE };

    /// Much longer than high, and of many parts: a line of letters rather than one. A dash has one part, dots three.
    pub(super) fn is_word_of_paths(&self) -> bool {
        self.is_long() && self.n_subpaths >= 6
    }

    /// An image much longer than high: a word, or a dash.
    pub(super) fn is_word_image(&self) -> bool {
        self.is_long() && self.image.is_some()
    }

    fn is_long(&self) -> bool {
        self.bounds.width() > 3.0 * self.bounds.height() && self.bounds.height() > 0.0
    }
}

impl<'a> Type3<'a> {
    /// `None` for any other kind of font.
    pub(super) fn read(dict: &Dict<'a>, cache: &FontCache<'a>) -> Option<Self> {
        let subtype = dict.get::<crate::score::pdf::Name<'_>>("Subtype")?;
        if &*subtype != b"Type3" {
            return None;
        }
        let matrix =
            read_numbers(dict, "FontMatrix").map_or(Matrix([0.001, 0.0, 0.0, 0.001, 0.0, 0.0]), Matrix);
        let bbox = read_numbers(dict, "FontBBox").map(Bounds::of);
        Some(Self {
            procs: dict.get("CharProcs"),
            names: dict.get::<Dict<'_>>("Encoding").and_then(|encoding| read_differences(&encoding)),
            matrix,
            resources: cache.resources_of(dict),
            box_em: bbox.map_or(0.0, |bbox| matrix.bounds(&bbox).height()),
            inks: OnceLock::new(),
        })
    }

    /// What a code paints. `outer` are the resources of the content that shows it.
    pub(super) fn ink(&self, code: u32, cache: &FontCache<'a>, outer: &Resources<'a>) -> Ink {
        let Ok(code) = u8::try_from(code) else { return Ink::UNKNOWN };
        let inks = self.inks.get_or_init(|| Box::new([const { OnceLock::new() }; 256]));
        *inks[usize::from(code)].get_or_init(|| self.read_ink(code, cache, outer))
    }

    fn read_ink(&self, code: u8, cache: &FontCache<'a>, outer: &Resources<'a>) -> Ink {
        let (Some(names), Some(procs)) = (&self.names, &self.procs) else { return Ink::UNKNOWN };
        // A code without a name, or a name without a procedure, paints nothing.
        let Some(name) = names.get(&code) else { return Ink::NONE };
        if !procs.contains_key(name) {
            return Ink::NONE;
        }
        let Some(stream) = procs.get::<Stream<'a>>(name) else { return Ink::UNKNOWN };
        let mut content = Vec::new();
        let cap_bytes = MAX_PROC_BYTES.min(cache.document().limits.content_bytes);
        match decode_stream(&stream, cap_bytes, &mut content) {
            Decoded::Complete => {}
            _ => return Ink { n_ops: (content.len() / 8) as u32, ..Ink::UNKNOWN },
        }
        let resources = self.resources.as_deref().unwrap_or(outer);
        Probe::new(self.matrix).read(&content, cache, resources)
    }
}

/// Names by code of `/Differences`.
fn read_differences(encoding: &Dict<'_>) -> Option<FxHashMap<u8, Box<[u8]>>> {
    let differences: Array<'_> = encoding.get("Differences")?;
    let mut names = FxHashMap::default();
    let mut code = 0u32;
    for entry in differences.iter::<Object<'_>>().take(4096) {
        match entry {
            Object::Number(number) => code = number.as_i64().clamp(0, 256) as u32,
            Object::Name(name) => {
                if let Ok(code) = u8::try_from(code) {
                    names.insert(code, Box::from(&*name));
                }
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    Some(names)
}

/// A reader of one procedure: matrix and paint only.
struct Probe {
    matrix: Matrix,
    saved: Vec<Matrix>,
    path: Bounds,
    path_subpaths: u32,
    ink: Ink,
}

impl Probe {
    fn new(matrix: Matrix) -> Self {
        Self { matrix, saved: Vec::new(), path: Bounds::EMPTY, path_subpaths: 0, ink: Ink::NONE }
    }

    fn read<'a>(mut self, content: &[u8], cache: &FontCache<'a>, resources: &Resources<'a>) -> Ink {
        let mut tokens = Tokenizer::new(content);
        let mut scratch = Vec::new();
        while let Some(op) = tokens.next_op() {
            self.ink.n_ops += 1;
            if self.ink.n_ops >= MAX_PROC_OPS {
                return Ink { n_ops: self.ink.n_ops, ..Ink::UNKNOWN };
            }
            match op {
                Op::Save if self.saved.len() < MAX_SAVED => self.saved.push(self.matrix),
                Op::Restore => self.matrix = self.saved.pop().unwrap_or(self.matrix),
                Op::Concat => {
                    if let Some(numbers) = tokens.numbers() {
                        self.matrix = Matrix(numbers).then(&self.matrix);
                    }
                }
                Op::InlineImage => {
                    if let Some(Operand::Dict(dict)) = tokens.operands().first() {
                        self.image(inline_info(dict));
                    }
                }
                Op::DrawXObject => {
                    if let Some(Operand::Name(name)) = tokens.operands().last() {
                        let x_object = cache.x_object(resources, name_bytes(name, &mut scratch));
                        self.x_object(x_object.as_deref());
                    }
                }
                Op::ShowText
                | Op::ShowTextAdjusted
                | Op::NextLineShow
                | Op::NextLineShowSpaced
                | Op::Shade => self.ink.blank = false,
                op => self.path_op(op, &tokens),
            }
        }
        self.ink
    }

    fn path_op(&mut self, op: Op, tokens: &Tokenizer<'_>) {
        match op {
            Op::Rectangle => {
                if let Some([x, y, width, height]) = tokens.numbers() {
                    self.path_subpaths += 1;
                    self.path.union(&self.matrix.bounds(&Bounds::of([x, y, x + width, y + height])));
                }
            }
            Op::MoveTo => {
                self.path_subpaths += 1;
                self.point(tokens);
            }
            Op::LineTo | Op::CurveTo | Op::CurveToFinal | Op::CurveToInitial => self.point(tokens),
            Op::Fill
            | Op::FillEvenOdd
            | Op::FillStroke
            | Op::FillStrokeEvenOdd
            | Op::CloseFillStroke
            | Op::CloseFillStrokeEvenOdd
            | Op::Stroke
            | Op::CloseStroke => self.paint(),
            Op::EndPath => (self.path, self.path_subpaths) = (Bounds::EMPTY, 0),
            _ => {}
        }
    }

    fn point(&mut self, tokens: &Tokenizer<'_>) {
        if let Some([x, y]) = tokens.numbers() {
            self.path.add(self.matrix.apply(x, y));
        }
    }

    fn paint(&mut self) {
        if !self.path.is_empty() {
            self.ink.blank = false;
            self.ink.n_subpaths += self.path_subpaths;
            self.ink.bounds.union(&self.path);
        }
        (self.path, self.path_subpaths) = (Bounds::EMPTY, 0);
    }

    fn image(&mut self, info: ImageInfo) {
        // TeX drivers and others write 1 × 1 images for spaces; they are ink all the same.
        self.ink.blank = false;
        self.ink.bounds.union(&self.matrix.bounds(&Bounds::UNIT));
        if self.ink.image.is_none_or(|(largest, _)| largest.area() < self.matrix.area()) {
            self.ink.image = Some((self.matrix, info));
        }
    }

    fn x_object(&mut self, x_object: Option<&XObject<'_>>) {
        match x_object {
            Some(XObject::Image { info, .. }) => self.image(*info),
            Some(XObject::Form(form)) => {
                self.ink.blank = false;
                if let Some(bbox) = form.bbox {
                    self.ink.bounds.union(&form.matrix.then(&self.matrix).bounds(&bbox));
                }
            }
            Some(XObject::Other) | None => {}
        }
    }
}
