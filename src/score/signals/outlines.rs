//! Text drawn as paths (X4): small filled shapes on common lines, the same shapes again and again.
//!
//! Works without knowing any letter, so in any script: text repeats its shapes, drawings do not.

use rustc_hash::FxHashMap;

use crate::score::evidence::{LineBox, OutlineEvidence};
use crate::score::text::geometry::Bounds;
use crate::score::text::lines;
use crate::score::text::path::Subpath;

/// Shapes of one page that are kept; further ones only count.
const MAX_SHAPES: usize = 1 << 16;
/// Extent of a letter's part on the page, in points.
const MIN_EXTENT: f32 = 1.5;
const MAX_EXTENT: f32 = 72.0;
/// Segments of a letter's contour; four make the bevels and arrow heads of forms and drawings.
const MIN_SEGMENTS: u32 = 5;
const MAX_SEGMENTS: u32 = 400;

/// A shape that could be a letter's contour.
#[derive(Debug, Clone, Copy)]
struct Shape {
    bounds: Bounds,
    /// The same for the same contour anywhere on the page.
    print: u64,
}

/// Shapes painted on one page.
#[derive(Debug, Default)]
pub(in crate::score) struct OutlineLog {
    filled: Vec<Shape>,
    stroked: Vec<Shape>,
    n_filled: u32,
}

impl OutlineLog {
    /// Records the subpaths of a filled path.
    pub(in crate::score) fn fill(&mut self, subpaths: &[Subpath], clip: &Bounds) {
        for subpath in subpaths {
            if is_letter_like(subpath, clip) {
                self.n_filled = self.n_filled.saturating_add(1);
                if self.filled.len() < MAX_SHAPES {
                    self.filled.push(shape(subpath));
                }
            }
        }
    }

    /// Records the subpaths of a stroked path: letters of plotters.
    pub(in crate::score) fn stroke(&mut self, subpaths: &[Subpath], clip: &Bounds) {
        for subpath in subpaths {
            if is_letter_like(subpath, clip) && self.stroked.len() < MAX_SHAPES {
                self.stroked.push(shape(subpath));
            }
        }
    }
}

fn is_letter_like(subpath: &Subpath, clip: &Bounds) -> bool {
    let (width, height) = (subpath.bounds.width(), subpath.bounds.height());
    !subpath.straight
        && (MIN_SEGMENTS..=MAX_SEGMENTS).contains(&subpath.n_segments)
        && width.max(height) >= MIN_EXTENT
        && width.max(height) <= MAX_EXTENT
        && width.min(height) > 0.0
        && clip.contains(subpath.bounds.center())
}

fn shape(subpath: &Subpath) -> Shape {
    let bounds = subpath.bounds;
    let n = subpath.n_segments as f32;
    // Where the mean of the end points lies in the box, in eighths; extents in half points: coarse enough for
    // coordinates rounded to a hundredth, fine enough to tell letters of equal build apart.
    let eighths = |mean: f32, low: f32, extent: f32| ((mean - low) / extent.max(0.1) * 8.0) as u64 & 15;
    let halves = |extent: f32| (extent * 2.0).round() as u64 & 0xFF;
    let print = u64::from(subpath.kinds) << 32
        | halves(bounds.width()) << 24
        | halves(bounds.height()) << 16
        | (u64::from(subpath.n_segments) & 0xFF) << 8
        | eighths(subpath.sum[0] / n, bounds.x0, bounds.width()) << 4
        | eighths(subpath.sum[1] / n, bounds.y0, bounds.height());
    Shape { bounds, print }
}

/// Measures the shapes of a page.
pub(in crate::score) fn measure(log: &OutlineLog) -> OutlineEvidence {
    let mut evidence = OutlineEvidence { glyph_like: log.n_filled, ..OutlineEvidence::default() };
    if log.filled.len() < 8 {
        return evidence;
    }
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    log.filled.iter().for_each(|shape| *counts.entry(shape.print).or_default() += 1);
    evidence.n_shapes = counts.values().filter(|&&count| count >= 3).count() as u32;
    evidence.repeated = counts.values().filter(|&&count| count >= 3).sum();
    let mut found: Vec<LineBox> = Vec::new();
    for shape in &log.filled {
        lines::add(&mut found, &shape.bounds, 1, 1);
    }
    evidence.on_lines = found.iter().filter(|line| line.glyphs >= 4).map(|line| line.glyphs).sum();
    found.retain(|line| line.glyphs >= 4);
    evidence.lines = lines::reduce(found);
    evidence.stroked = log.stroked.len() as u32;
    evidence
}
