//! The parts of an sfnt: header, metrics and `glyf` outlines.

use read_fonts::tables::glyf::{Anchor, Component, Glyf, Glyph};
use read_fonts::tables::loca::{Loca, LocaGlyph};
use read_fonts::types::GlyphId;
use read_fonts::{FontData, FontRead};

use super::directory::{Directory, i16_at, u16_at, u32_at};
use super::outline::{Outline, Shape};
use crate::score::fonts::Gid;

/// Nesting of composite glyphs that is followed; real fonts nest twice.
const MAX_DEPTH: u32 = 6;
/// Components and points of one glyph; a composite that fans out at every level would have no end.
const MAX_COMPONENTS: u32 = 256;
const MAX_POINTS: u32 = 1 << 17;

/// Numbers of `head`, `maxp`, `hhea`; each is absent alone.
#[derive(Debug, Clone, Copy)]
pub(super) struct Header {
    pub(super) units_per_em: Option<u16>,
    pub(super) revision: Option<f32>,
    pub(super) n_glyphs: u32,
    /// Ascent and descent in design units.
    pub(super) extent: Option<(i16, i16)>,
    pub(super) post_version: Option<f32>,
    n_h_metrics: Option<u16>,
    long_loca: bool,
}

impl Header {
    /// Reads what is there. `n_cff` is the glyph count of the table `CFF `, where there is one.
    pub(super) fn parse(data: &[u8], directory: &Directory, n_cff: Option<u32>) -> Self {
        let table = |tag| directory.table(data, tag).map_or(&[][..], |(bytes, _)| bytes);
        let (head, hhea, maxp) = (table(b"head"), table(b"hhea"), table(b"maxp"));
        let (loca, hmtx) = (table(b"loca"), table(b"hmtx"));
        let mut long_loca = i16_at(head, 50) == Some(1);
        let announced = u16_at(maxp, 4).map(u32::from);
        let n_loca = |long: bool| (loca.len() / if long { 4 } else { 2 }).saturating_sub(1) as u32;
        // A wrong format in `head`, or none: the table's length tells.
        if let Some(n) = announced {
            if long_loca && n_loca(true) < n && n_loca(false) == n {
                long_loca = false;
            } else if !long_loca && head.len() < 52 && n_loca(true) == n {
                long_loca = true;
            }
        }
        let n_h_metrics = u16_at(hhea, 34);
        let n_glyphs = announced
            .or(n_cff)
            .unwrap_or_else(|| if loca.is_empty() { (hmtx.len() / 4) as u32 } else { n_loca(long_loca) });
        Self {
            units_per_em: u16_at(head, 18).filter(|upem| (16..=16384).contains(upem)),
            revision: u32_at(head, 4).map(|fixed| fixed.cast_signed() as f32 / 65536.0),
            n_glyphs: n_glyphs.min(0xFFFF),
            extent: i16_at(hhea, 4).zip(i16_at(hhea, 6)),
            post_version: u32_at(table(b"post"), 0).and_then(post_version),
            n_h_metrics,
            long_loca,
        }
    }

    /// Advance in design units (`hmtx`, OpenType 1.9.1).
    pub(super) fn advance(&self, hmtx: &[u8], gid: Gid) -> Option<u16> {
        // Without `hhea` the table is taken as full records.
        let n = self.n_h_metrics.map_or(hmtx.len() / 4, usize::from).min(hmtx.len() / 4);
        let index = usize::from(gid.0).min(n.checked_sub(1)?);
        u16_at(hmtx, 4 * index)
    }
}

fn post_version(version: u32) -> Option<f32> {
    match version {
        0x0001_0000 => Some(1.0),
        0x0002_0000 => Some(2.0),
        0x0002_5000 | 0x0002_8000 => Some(2.5),
        0x0003_0000 => Some(3.0),
        0x0004_0000 => Some(4.0),
        _ => None,
    }
}

/// `glyf` and `loca` of one font.
pub(super) struct Outlines<'a> {
    glyf: Glyf<'a>,
    loca: Loca<'a>,
    units_per_em: f32,
}

impl<'a> Outlines<'a> {
    pub(super) fn open(data: &'a [u8], directory: &Directory, header: &Header) -> Option<Self> {
        let (glyf, _) = directory.table(data, b"glyf")?;
        let (loca, _) = directory.table(data, b"loca")?;
        let size = if header.long_loca { 4 } else { 2 };
        let whole = loca.get(..loca.len() / size * size)?;
        Some(Self {
            glyf: Glyf::read(FontData::new(glyf)).ok()?,
            loca: Loca::read(FontData::new(whole), header.long_loca).ok()?,
            units_per_em: f32::from(header.units_per_em.unwrap_or(1000)),
        })
    }

    /// `None` where the glyph cannot be read or costs more than any real one.
    pub(super) fn outline(&self, gid: Gid) -> Option<Outline> {
        let mut walk =
            Walk { outlines: self, shape: Shape::new(self.units_per_em), components: 0, points: 0 };
        walk.glyph(gid, &Placement::default(), 0)?;
        let mut outline = walk.shape.finish();
        if let Some(Glyph::Composite(composite)) = self.glyph(gid)? {
            outline.components = composite
                .component_glyphs_and_flags()
                .take(MAX_COMPONENTS as usize)
                .map(|(gid, _)| small(gid))
                .collect();
        }
        Some(outline)
    }

    /// `Some(None)` is an empty glyph.
    fn glyph(&self, gid: Gid) -> Option<Option<Glyph<'a>>> {
        match self.loca.get(GlyphId::from(gid.0), &self.glyf)? {
            LocaGlyph::Empty => Some(None),
            LocaGlyph::Glyph(glyph) => Some(Some(glyph)),
        }
    }
}

fn small(gid: GlyphId) -> Gid {
    Gid(u16::try_from(gid.to_u32()).unwrap_or(0))
}

/// Where a component stands: a matrix and an offset.
#[derive(Clone, Copy)]
struct Placement {
    matrix: [f32; 4],
    offset: [f32; 2],
}

impl Default for Placement {
    fn default() -> Self {
        Self { matrix: [1.0, 0.0, 0.0, 1.0], offset: [0.0; 2] }
    }
}

impl Placement {
    fn apply(&self, x: f32, y: f32) -> [f32; 2] {
        let [xx, yx, xy, yy] = self.matrix;
        [x * xx + y * xy + self.offset[0], x * yx + y * yy + self.offset[1]]
    }

    fn within(&self, component: &Component) -> Self {
        let [xx, yx, xy, yy] = self.matrix;
        let t = &component.transform;
        let [axx, ayx, axy, ayy] = [t.xx, t.yx, t.xy, t.yy].map(|value| value.to_f32());
        // Placed by matching points: shown unmoved, which is right for hash and ink and near enough for bounds.
        let (dx, dy) = match component.anchor {
            Anchor::Offset { x, y } => (f32::from(x), f32::from(y)),
            Anchor::Point { .. } => (0.0, 0.0),
        };
        Self {
            matrix: [xx * axx + xy * ayx, yx * axx + yy * ayx, xx * axy + xy * ayy, yx * axy + yy * ayy],
            offset: self.apply(dx, dy),
        }
    }
}

struct Walk<'o, 'a> {
    outlines: &'o Outlines<'a>,
    shape: Shape,
    components: u32,
    points: u32,
}

impl Walk<'_, '_> {
    fn glyph(&mut self, gid: Gid, placement: &Placement, depth: u32) -> Option<()> {
        match self.outlines.glyph(gid)? {
            None => {}
            Some(Glyph::Simple(simple)) => {
                let ends = simple.end_pts_of_contours();
                let mut next_end = ends.iter().map(|end| u32::from(end.get()));
                let mut end = next_end.next();
                let mut starts = true;
                let mut n_points = 0;
                for (index, point) in (0_u32..).zip(simple.points()) {
                    n_points += 1;
                    self.points += 1;
                    if self.points > MAX_POINTS {
                        return None;
                    }
                    let [x, y] = placement
                        .apply(f32::from(point.x), f32::from(point.y))
                        .map(|value| value.round() as i32);
                    if starts {
                        self.shape.move_to(x, y);
                    }
                    self.shape.draw_to(1 + u8::from(point.on_curve), &[x, y]);
                    starts = end == Some(index);
                    if starts {
                        end = next_end.next();
                    }
                }
                if n_points != simple.num_points() {
                    return None; // cut short: not the same as empty
                }
            }
            Some(Glyph::Composite(composite)) => {
                if depth >= MAX_DEPTH {
                    return None;
                }
                for component in composite.components() {
                    self.components += 1;
                    if self.components > MAX_COMPONENTS {
                        return None;
                    }
                    self.glyph(small(component.glyph), &placement.within(&component), depth + 1)?;
                }
            }
        }
        Some(())
    }
}
