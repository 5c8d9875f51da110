//! What is kept of an outline: whether it leaves ink, a hash, its bounds, its components.

use smallvec::SmallVec;
use xxhash_rust::xxh3::Xxh3;

use crate::score::fonts::Gid;

/// One glyph's outline, summed up.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outline {
    /// 0 for a blank one.
    pub(super) hash: u64,
    /// `[x_min, y_min, x_max, y_max]` in em, control points included; `None` for a blank one.
    pub(super) bounds: Option<[f32; 4]>,
    /// Glyphs it is composed of.
    pub(super) components: SmallVec<[Gid; 2]>,
}

impl Outline {
    /// The outline of a glyph that has none.
    pub(super) fn blank() -> Self {
        Self { hash: 0, bounds: None, components: SmallVec::new() }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.bounds.is_none()
    }
}

/// Sums up path commands. The hash knows no horizontal position (side bearings differ between near copies of a glyph), but
/// the vertical one: a full stop and a middle dot have one shape.
pub(super) struct Shape {
    hasher: Xxh3,
    units_per_em: f32,
    origin: Option<i32>,
    /// A move that draws nothing yet.
    pending: Option<[i32; 2]>,
    bounds: Option<[i32; 4]>,
}

impl Shape {
    /// `units_per_em` counts coordinates to the em.
    pub(super) fn new(units_per_em: f32) -> Self {
        Self { hasher: Xxh3::new(), units_per_em, origin: None, pending: None, bounds: None }
    }

    pub(super) fn move_to(&mut self, x: i32, y: i32) {
        self.pending = Some([x, y]);
    }

    /// A drawing command with its points as x, y, x, y …
    pub(super) fn draw_to(&mut self, operator: u8, coordinates: &[i32]) {
        if let Some(start) = self.pending.take() {
            self.feed(0, &start);
        }
        self.feed(operator, coordinates);
    }

    fn feed(&mut self, operator: u8, coordinates: &[i32]) {
        self.hasher.update(&[operator]);
        for point in coordinates.chunks_exact(2) {
            let (x, y) = (point[0], point[1]);
            let origin = *self.origin.get_or_insert(x);
            self.hasher.update(&x.wrapping_sub(origin).to_le_bytes());
            self.hasher.update(&y.to_le_bytes());
            let [x0, y0, x1, y1] = self.bounds.unwrap_or([x, y, x, y]);
            self.bounds = Some([x0.min(x), y0.min(y), x1.max(x), y1.max(y)]);
        }
    }

    /// An outline without area leaves no ink.
    pub(super) fn finish(self) -> Outline {
        let ink = self.bounds.filter(|[x0, y0, x1, y1]| x1 > x0 && y1 > y0);
        let Some(bounds) = ink else { return Outline::blank() };
        Outline {
            hash: self.hasher.digest().max(1),
            bounds: Some(bounds.map(|value| value as f32 / self.units_per_em)),
            components: SmallVec::new(),
        }
    }
}
