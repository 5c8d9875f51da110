//! The current path: its subpaths' bounds and shapes, in points of the crop box.

use super::geometry::{Bounds, Matrix};

/// Subpaths of one path that are kept apart; the bounds of the path count them all.
const MAX_SUBPATHS: usize = 1 << 15;

/// One subpath.
#[derive(Debug, Clone, Copy)]
pub(in crate::score) struct Subpath {
    pub bounds: Bounds,
    /// Segments, the closing one left out.
    pub n_segments: u32,
    /// All segments run along an axis.
    pub straight: bool,
    /// Rolling hash of the kinds of segments.
    pub kinds: u32,
    /// Sum of the segments' end points.
    pub sum: [f32; 2],
}

/// The path under construction.
#[derive(Debug)]
pub(super) struct Path {
    pub subpaths: Vec<Subpath>,
    /// Bounds of all subpaths.
    pub bounds: Bounds,
    /// `W` or `W*` was seen: the next painting operator clips.
    pub clips: bool,
    open: Subpath,
    start: [f32; 2],
    point: [f32; 2],
}

impl Default for Path {
    fn default() -> Self {
        Self {
            subpaths: Vec::new(),
            bounds: Bounds::EMPTY,
            clips: false,
            open: Subpath::at([0.0; 2]),
            start: [0.0; 2],
            point: [0.0; 2],
        }
    }
}

impl Subpath {
    #[inline]
    fn at(point: [f32; 2]) -> Self {
        let [x, y] = point;
        Self {
            bounds: Bounds { x0: x, y0: y, x1: x, y1: y },
            n_segments: 0,
            straight: true,
            kinds: 0,
            sum: [0.0; 2],
        }
    }

    #[inline]
    fn step(&mut self, kind: u32, end: [f32; 2]) {
        self.n_segments += 1;
        self.kinds = (self.kinds.rotate_left(5) ^ kind).wrapping_mul(0x9e37_79b9);
        self.sum[0] += end[0];
        self.sum[1] += end[1];
    }
}

impl Path {
    #[inline]
    pub(super) fn move_to(&mut self, point: [f32; 2]) {
        self.finish();
        self.open = Subpath::at(point);
        (self.start, self.point) = (point, point);
    }

    #[inline]
    pub(super) fn line_to(&mut self, end: [f32; 2]) {
        let (dx, dy) = ((end[0] - self.point[0]).abs(), (end[1] - self.point[1]).abs());
        self.open.straight &= dx.min(dy) <= 0.01;
        self.open.bounds.add(end);
        self.open.step(1, end);
        self.point = end;
    }

    /// Control points count for the bounds: at most a third too large, and cheap.
    #[inline]
    pub(super) fn curve_to(&mut self, first: [f32; 2], second: [f32; 2], end: [f32; 2]) {
        self.open.straight = false;
        self.open.bounds.add(first);
        self.open.bounds.add(second);
        self.open.bounds.add(end);
        self.open.step(2, end);
        self.point = end;
    }

    /// Current point, for `v`.
    pub(super) fn point(&self) -> [f32; 2] {
        self.point
    }

    pub(super) fn close(&mut self) {
        let start = self.start;
        self.finish();
        self.open = Subpath::at(start);
        self.point = start;
    }

    pub(super) fn rectangle(&mut self, matrix: &Matrix, [x, y, width, height]: [f32; 4]) {
        self.move_to(matrix.apply(x, y));
        for (x, y) in [(x + width, y), (x + width, y + height), (x, y + height)] {
            self.line_to(matrix.apply(x, y));
        }
        self.line_to(self.start);
        self.close();
    }

    /// Ends the open subpath; a lone point leaves no mark.
    #[inline]
    fn finish(&mut self) {
        if self.open.n_segments == 0 {
            return;
        }
        self.bounds.union(&self.open.bounds);
        if self.subpaths.len() < MAX_SUBPATHS {
            self.subpaths.push(self.open);
        }
        self.open.n_segments = 0;
    }

    /// To be called before the path is painted or clipped to.
    pub(super) fn end(&mut self) {
        self.finish();
    }

    pub(super) fn clear(&mut self) {
        self.subpaths.clear();
        self.bounds = Bounds::EMPTY;
        self.clips = false;
        self.open.n_segments = 0;
    }
}
