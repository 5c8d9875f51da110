//! Matrices, boxes and the coarse grid, in points of the crop box.

/// `[a, b, c, d, e, f]` of ISO 32000-2, 8.3.4.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::score) struct Matrix(pub [f32; 6]);

impl Matrix {
    pub(in crate::score) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    /// `self` applied first, then `outer`.
    #[inline]
    pub(in crate::score) fn then(&self, outer: &Self) -> Self {
        let [a, b, c, d, e, f] = self.0;
        let [oa, ob, oc, od, oe, of] = outer.0;
        Self([
            a * oa + b * oc,
            a * ob + b * od,
            c * oa + d * oc,
            c * ob + d * od,
            e * oa + f * oc + oe,
            e * ob + f * od + of,
        ])
    }

    #[inline]
    pub(in crate::score) fn apply(&self, x: f32, y: f32) -> [f32; 2] {
        let [a, b, c, d, e, f] = self.0;
        [a * x + c * y + e, b * x + d * y + f]
    }

    /// Moves the origin by a vector of its own space.
    #[inline]
    pub(in crate::score) fn shift(&mut self, x: f32, y: f32) {
        [self.0[4], self.0[5]] = self.apply(x, y);
    }

    /// Length that one unit along x, and along y, comes to.
    #[inline]
    pub(in crate::score) fn scales(&self) -> [f32; 2] {
        let [a, b, c, d, ..] = self.0;
        [a.hypot(b), c.hypot(d)]
    }

    /// Area that one unit square comes to.
    pub(in crate::score) fn area(&self) -> f32 {
        let [a, b, c, d, ..] = self.0;
        (a * d - b * c).abs()
    }

    /// Bounds of a box after the transform.
    pub(in crate::score) fn bounds(&self, area: &Bounds) -> Bounds {
        let mut bounds = Bounds::EMPTY;
        for (x, y) in [(area.x0, area.y0), (area.x1, area.y0), (area.x0, area.y1), (area.x1, area.y1)] {
            bounds.add(self.apply(x, y));
        }
        bounds
    }
}

/// A box parallel to the axes; empty where `x0 > x1` or `y0 > y1`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::score) struct Bounds {
    pub x0: f32,
    pub y0: f32,
    pub x1: f32,
    pub y1: f32,
}

impl Bounds {
    pub(in crate::score) const EMPTY: Self =
        Self { x0: f32::INFINITY, y0: f32::INFINITY, x1: f32::NEG_INFINITY, y1: f32::NEG_INFINITY };
    pub(in crate::score) const UNIT: Self = Self { x0: 0.0, y0: 0.0, x1: 1.0, y1: 1.0 };

    /// From two opposite corners.
    pub(in crate::score) fn of([x0, y0, x1, y1]: [f32; 4]) -> Self {
        Self { x0: x0.min(x1), y0: y0.min(y1), x1: x0.max(x1), y1: y0.max(y1) }
    }

    pub(in crate::score) fn to_array(self) -> [f32; 4] {
        [self.x0, self.y0, self.x1, self.y1]
    }

    #[inline]
    pub(in crate::score) fn add(&mut self, [x, y]: [f32; 2]) {
        self.x0 = self.x0.min(x);
        self.y0 = self.y0.min(y);
        self.x1 = self.x1.max(x);
        self.y1 = self.y1.max(y);
    }

    #[inline]
    pub(in crate::score) fn union(&mut self, other: &Self) {
        self.x0 = self.x0.min(other.x0);
        self.y0 = self.y0.min(other.y0);
        self.x1 = self.x1.max(other.x1);
        self.y1 = self.y1.max(other.y1);
    }

    #[inline]
    pub(in crate::score) fn intersect(&self, other: &Self) -> Self {
        Self {
            x0: self.x0.max(other.x0),
            y0: self.y0.max(other.y0),
            x1: self.x1.min(other.x1),
            y1: self.y1.min(other.y1),
        }
    }

    #[inline]
    pub(in crate::score) fn contains(&self, [x, y]: [f32; 2]) -> bool {
        self.x0 <= x && x <= self.x1 && self.y0 <= y && y <= self.y1
    }

    /// Whether nothing lies in it; a line has an extent of 0 in one direction and is not empty.
    #[inline]
    pub(in crate::score) fn is_empty(&self) -> bool {
        !(self.x0 <= self.x1 && self.y0 <= self.y1)
    }

    #[inline]
    pub(in crate::score) fn width(&self) -> f32 {
        (self.x1 - self.x0).max(0.0)
    }

    #[inline]
    pub(in crate::score) fn height(&self) -> f32 {
        (self.y1 - self.y0).max(0.0)
    }

    #[inline]
    pub(in crate::score) fn area(&self) -> f32 {
        self.width() * self.height()
    }

    pub(in crate::score) fn center(&self) -> [f32; 2] {
        [(self.x0 + self.x1) / 2.0, (self.y0 + self.y1) / 2.0]
    }

    pub(in crate::score) fn grown(&self, by: f32) -> Self {
        Self { x0: self.x0 - by, y0: self.y0 - by, x1: self.x1 + by, y1: self.y1 + by }
    }
}

/// The page as 64 × 64 cells: what was painted where, coarsely.
#[derive(Debug, Clone)]
pub(in crate::score) struct Grid {
    rows: [u64; Self::SIDE],
    /// Cells per point.
    scale: [f32; 2],
}

impl Grid {
    const SIDE: usize = 64;

    pub(in crate::score) fn new([width, height]: [f32; 2]) -> Self {
        let side = Self::SIDE as f32;
        Self { rows: [0; Self::SIDE], scale: [side / width.max(1.0), side / height.max(1.0)] }
    }

    /// Cells `from..to` along one axis that an interval touches, or that it covers wholly.
    fn range(from: f32, to: f32, scale: f32, whole: bool) -> (usize, usize) {
        // A cell counts as touched or covered when all but a hundredth of it is.
        let (low, high) = (from * scale, to * scale);
        let (low, high) = if whole {
            ((low - 0.01).ceil(), (high + 0.01).floor())
        } else {
            ((low + 0.01).floor(), (high - 0.01).ceil().max((low + 0.01).floor() + 1.0))
        };
        // Casts saturate; not-a-number becomes 0.
        ((low.max(0.0) as usize).min(Self::SIDE), (high.max(0.0) as usize).min(Self::SIDE))
    }

    fn mask(&self, area: &Bounds, whole: bool) -> Option<(u64, usize, usize)> {
        if area.is_empty() {
            return None;
        }
        let (x0, x1) = Self::range(area.x0, area.x1, self.scale[0], whole);
        let (y0, y1) = Self::range(area.y0, area.y1, self.scale[1], whole);
        if x0 >= x1 || y0 >= y1 {
            return None;
        }
        Some(((u64::MAX >> (Self::SIDE - (x1 - x0))) << x0, y0, y1))
    }

    /// Marks the cells a box touches.
    #[inline]
    pub(in crate::score) fn mark(&mut self, area: &Bounds) {
        if let Some((mask, y0, y1)) = self.mask(area, false) {
            self.rows[y0..y1].iter_mut().for_each(|row| *row |= mask);
        }
    }

    /// Clears the cells a box covers wholly.
    pub(in crate::score) fn clear(&mut self, area: &Bounds) {
        if let Some((mask, y0, y1)) = self.mask(area, true) {
            self.rows[y0..y1].iter_mut().for_each(|row| *row &= !mask);
        }
    }

    /// Whether a box touches a marked cell.
    pub(in crate::score) fn touches(&self, area: &Bounds) -> bool {
        self.mask(area, false)
            .is_some_and(|(mask, y0, y1)| self.rows[y0..y1].iter().any(|row| row & mask != 0))
    }

    /// Whether the cell of a point is marked.
    #[inline]
    pub(in crate::score) fn is_marked(&self, [x, y]: [f32; 2]) -> bool {
        let column = ((x * self.scale[0]).max(0.0) as usize).min(Self::SIDE - 1);
        let row = ((y * self.scale[1]).max(0.0) as usize).min(Self::SIDE - 1);
        self.rows[row] >> column & 1 == 1
    }

    /// Share of all cells that are marked.
    pub(in crate::score) fn share(&self) -> f32 {
        let marked: u32 = self.rows.iter().map(|row| row.count_ones()).sum();
        marked as f32 / (Self::SIDE * Self::SIDE) as f32
    }

    /// Share of a box's cells that are marked.
    pub(in crate::score) fn share_of(&self, area: &Bounds) -> f32 {
        let Some((mask, y0, y1)) = self.mask(area, false) else { return 0.0 };
        let marked: u32 = self.rows[y0..y1].iter().map(|row| (row & mask).count_ones()).sum();
        marked as f32 / (mask.count_ones() as usize * (y1 - y0)) as f32
    }

    /// Removes the marks of another grid of the same page.
    pub(in crate::score) fn subtract(&mut self, other: &Self) {
        self.rows.iter_mut().zip(&other.rows).for_each(|(row, other)| *row &= !other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matrices_apply_the_inner_one_first() {
        let scale = Matrix([2.0, 0.0, 0.0, 3.0, 0.0, 0.0]);
        let move_by = Matrix([1.0, 0.0, 0.0, 1.0, 10.0, 20.0]);
        assert_eq!(scale.then(&move_by).apply(1.0, 1.0), [12.0, 23.0]);
        assert_eq!(move_by.then(&scale).apply(1.0, 1.0), [22.0, 63.0]);
        assert_eq!(scale.area(), 6.0);
        let quarter_turn = Matrix([0.0, 1.0, -1.0, 0.0, 0.0, 0.0]);
        assert_eq!(quarter_turn.bounds(&Bounds::UNIT), Bounds::of([-1.0, 0.0, 0.0, 1.0]));
        assert_eq!(scale.then(&quarter_turn).scales(), [2.0, 3.0]);
    }

    #[test]
    fn the_grid_covers_the_page() {
        let mut grid = Grid::new([640.0, 1280.0]);
        grid.mark(&Bounds::of([0.0, 0.0, 640.0, 1280.0]));
        assert_eq!(grid.share(), 1.0);
        grid.clear(&Bounds::of([0.0, 0.0, 320.0, 1280.0]));
        assert_eq!(grid.share(), 0.5);
        assert!(!grid.is_marked([100.0, 100.0]) && grid.is_marked([600.0, 100.0]));
        assert!(grid.touches(&Bounds::of([300.0, 0.0, 340.0, 5.0])));
        assert!(!grid.touches(&Bounds::of([300.0, 0.0, 310.0, 5.0])));
        assert_eq!(grid.share_of(&Bounds::of([160.0, 0.0, 480.0, 640.0])), 0.5);
        // A hair line touches the cells it runs through; boxes off the page touch none.
        grid.mark(&Bounds::of([0.0, 5.0, 300.0, 5.0]));
        assert!(grid.is_marked([100.0, 5.0]));
        assert!(!grid.touches(&Bounds::of([-50.0, -50.0, -1.0, -1.0])));
        for odd in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            grid.mark(&Bounds { x0: odd, y0: odd, x1: odd, y1: odd });
            grid.is_marked([odd, odd]);
        }
    }
}
