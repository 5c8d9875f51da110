//! Text drawn as paths (X4): small filled shapes on common lines, the same shapes again and again.
//!
//! Works without knowing any letter, so in any script: text repeats its shapes, drawings do not.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::score::evidence::{LineBox, OutlineEvidence};
use crate::score::text::geometry::Bounds;
use crate::score::text::lines;
use crate::score::text::path::Subpath;

/// Shapes of one page that are kept; further ones only count.
const MAX_SHAPES: usize = 1 << 16;
/// Extent of a letter's part on the page, in points.
const MIN_EXTENT: f32 = 1.5;
const MAX_EXTENT: f32 = 72.0;
/// Segments of a letter's contour: fewer make bars, triangles, boxes and arrow heads.
const MIN_SEGMENTS: u32 = 6;
const MAX_SEGMENTS: u32 = 400;
/// A shape drawn so often on a page is repeated.
const MIN_REPEATS: u32 = 3;
/// Shapes on a line of text, and different ones among them: rules of dots repeat a single one.
const MIN_ON_LINE: u32 = 4;
const MIN_DIFFERENT: usize = 3;

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
    shapes: Vec<Shape>,
    n_shapes: u32,
}

impl OutlineLog {
    /// Records the subpaths of a filled path.
    pub(in crate::score) fn fill(&mut self, subpaths: &[Subpath], clip: &Bounds) {
        for subpath in subpaths {
            if is_letter_like(subpath, clip) {
                self.n_shapes = self.n_shapes.saturating_add(1);
                if self.shapes.len() < MAX_SHAPES {
                    self.shapes.push(shape(subpath));
                }
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

/// Shapes that stand side by side.
#[derive(Debug, Default)]
struct Row {
    n_shapes: u32,
    n_repeated: u32,
    /// Different repeated shapes, at most [`MIN_DIFFERENT`].
    different: SmallVec<[u64; MIN_DIFFERENT]>,
}

impl Row {
    fn add(&mut self, print: u64, repeated: bool) {
        self.n_shapes += 1;
        self.n_repeated += u32::from(repeated);
        if repeated && self.different.len() < MIN_DIFFERENT && !self.different.contains(&print) {
            self.different.push(print);
        }
    }

    /// Most of its shapes come again on the page, and they are not all one.
    fn is_text(&self) -> bool {
        self.n_shapes >= MIN_ON_LINE
            && 2 * self.n_repeated >= self.n_shapes
            && self.different.len() >= MIN_DIFFERENT
    }
}

/// Measures the shapes of a page.
pub(in crate::score) fn measure(log: &OutlineLog) -> OutlineEvidence {
    let mut evidence = OutlineEvidence { glyph_like: log.n_shapes, ..OutlineEvidence::default() };
    if log.shapes.len() < MIN_ON_LINE as usize {
        return evidence;
    }
    let mut counts: FxHashMap<u64, u32> = FxHashMap::default();
    log.shapes.iter().for_each(|shape| *counts.entry(shape.print).or_default() += 1);
    let repeats = counts.values().filter(|&&count| count >= MIN_REPEATS);
    evidence.n_shapes = repeats.clone().count() as u32;
    evidence.repeated = repeats.sum();
    let mut found: Vec<LineBox> = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    for shape in &log.shapes {
        let line = lines::add(&mut found, &shape.bounds, 1, 1);
        rows.resize_with(found.len(), Row::default);
        rows[line].add(shape.print, counts[&shape.print] >= MIN_REPEATS);
    }
    let mut rows = rows.iter();
    found.retain(|_| rows.next().is_some_and(Row::is_text));
    evidence.on_lines = found.iter().map(|line| line.glyphs).sum();
    evidence.lines = lines::reduce(found);
    evidence
}
