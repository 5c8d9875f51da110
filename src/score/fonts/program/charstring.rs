//! Charstrings of CFF and Type 1 programs, run once per glyph under a budget.

use std::cell::Cell;

use read_fonts::model::Error;
use read_fonts::ps::cff::{CffFontRef, index::Index};
use read_fonts::ps::charstring::{
    CharstringContext, CharstringKind, CommandSink, TransformSink, evaluate, evaluate_width,
};
use read_fonts::ps::type1::Type1Font;
use read_fonts::types::{Fixed, GlyphId};

use super::outline::{Outline, Shape};
use crate::score::fonts::Gid;

/// Bytes of charstrings that one glyph may run through, subroutines counted at each call. A glyph of the most
/// ornate fonts takes about 10,000; without the bound ten nested calls make a million operations of 50 bytes.
const BUDGET_BYTES: usize = 128 << 10;

/// A context that counts what is run and notes the components of `seac`.
struct Metered<'a, C> {
    inner: &'a C,
    left: Cell<usize>,
    seac: Cell<Option<(i32, i32)>>,
}

impl<'a, C: CharstringContext> Metered<'a, C> {
    fn new(inner: &'a C, charstring: &[u8]) -> Self {
        Self { inner, left: Cell::new(BUDGET_BYTES.saturating_sub(charstring.len())), seac: Cell::new(None) }
    }

    fn pay<'b>(&self, code: &'b [u8]) -> Result<&'b [u8], Error> {
        // A call costs at least the work of making it.
        let left = self.left.get().checked_sub(code.len().max(8)).ok_or(Error::Malformed)?;
        self.left.set(left);
        Ok(code)
    }
}

impl<C: CharstringContext> CharstringContext for Metered<'_, C> {
    fn kind(&self) -> CharstringKind {
        self.inner.kind()
    }

    fn seac_components(&self, base_code: i32, accent_code: i32) -> Result<[&[u8]; 2], Error> {
        self.seac.set(Some((base_code, accent_code)));
        let [base, accent] = self.inner.seac_components(base_code, accent_code)?;
        Ok([self.pay(base)?, self.pay(accent)?])
    }

    fn global_subr(&self, index: i32) -> Result<&[u8], Error> {
        self.pay(self.inner.global_subr(index)?)
    }

    fn subr(&self, index: i32) -> Result<&[u8], Error> {
        self.pay(self.inner.subr(index)?)
    }

    fn weight_vector(&self) -> &[Fixed] {
        self.inner.weight_vector()
    }

    fn build_char_len(&self) -> usize {
        self.inner.build_char_len()
    }
}

impl CommandSink for Shape {
    fn move_to(&mut self, x: Fixed, y: Fixed) {
        self.move_to(x.to_bits(), y.to_bits());
    }

    fn line_to(&mut self, x: Fixed, y: Fixed) {
        self.draw_to(1, &[x.to_bits(), y.to_bits()]);
    }

    fn curve_to(&mut self, cx0: Fixed, cy0: Fixed, cx1: Fixed, cy1: Fixed, x: Fixed, y: Fixed) {
        self.draw_to(2, &[cx0, cy0, cx1, cy1, x, y].map(Fixed::to_bits));
    }

    fn close(&mut self) {}
}

/// Codes of base and accent that an accented glyph is composed of, in StandardEncoding.
pub(super) type Seac = Option<(i32, i32)>;

/// Runs a glyph of a CFF program. `upem` is that of its outlines.
pub(super) fn cff_outline(font: &CffFontRef<'_>, gid: Gid) -> Option<(Outline, Seac)> {
    with_cff_context(font, gid, |subfont_transform, context, charstring| {
        let metered = Metered::new(context, charstring);
        let mut shape = Shape::new(font.upem() as f32 * 65536.0);
        let mut sink = TransformSink::new(&mut shape, subfont_transform);
        evaluate(&metered, None, charstring, &mut sink).ok()?;
        Some((shape.finish(), metered.seac.get()))
    })
}

/// Advance of a glyph of a CFF program, in em.
pub(super) fn cff_advance(font: &CffFontRef<'_>, gid: Gid) -> Option<f32> {
    let subfont = font.subfont(font.subfont_index(GlyphId::from(gid.0))?, &[]).ok()?;
    with_cff_context(font, gid, |transform, context, charstring| {
        let stated = evaluate_width(&Metered::new(context, charstring), None, charstring).ok()?;
        // Where neither is stated the default width is 0 (Technical Note 5176, table 23).
        let width = stated
            .map_or(subfont.default_width().unwrap_or(Fixed::ZERO), |width| width + subfont.nominal_width());
        Some(transform.transform_h_metric(width).to_f32() / font.upem() as f32)
    })
}

type CffContext<'a> = (&'a [u8], &'a Index<'a>, &'a Index<'a>, &'a Index<'a>);

fn with_cff_context<T>(
    font: &CffFontRef<'_>,
    gid: Gid,
    run: impl FnOnce(read_fonts::ps::Transform, &CffContext<'_>, &[u8]) -> Option<T>,
) -> Option<T> {
    let charstring = font.charstrings().get(usize::from(gid.0))?;
    let subfont = font.subfont(font.subfont_index(GlyphId::from(gid.0))?, &[]).ok()?;
    let subrs = match subfont.subrs_offset() as usize {
        0 => Index::Empty,
        offset => Index::new(font.data().get(offset..)?, false).ok()?,
    };
    let context: CffContext<'_> = (font.data(), font.charstrings(), font.global_subrs(), &subrs);
    run(font.transform(&subfont, None), &context, charstring)
}

/// Runs a glyph of a Type 1 program. Its reader hands out no charstrings, so that only the reader's own bound of a
/// million operations holds, and a `seac` is drawn without telling its components.
pub(super) fn type1_outline(font: &Type1Font, gid: Gid) -> Option<Outline> {
    let mut shape = Shape::new(font.upem() as f32 * 65536.0);
    let mut sink = TransformSink::new(&mut shape, font.transform(None));
    font.evaluate_charstring(GlyphId::from(gid.0), &mut sink).ok()?;
    Some(shape.finish())
}

/// Advance of a glyph of a Type 1 program, in em.
pub(super) fn type1_advance(font: &Type1Font, gid: Gid) -> Option<f32> {
    let width = font.evaluate_width(GlyphId::from(gid.0)).ok()??;
    Some(width.to_f32() / font.upem() as f32)
}
