//! Images of a page against its text: how much they cover, how finely, and what lies over them.

use crate::score::evidence::ImageEvidence;
use crate::score::text::geometry::{Bounds, Grid};
use crate::score::text::images::{DrawnImage, ImageLog};

/// Images whose edges are at most so far apart are tiles of one, in points.
const TILE_GAP: f32 = 2.0;
/// Headers and footers lie within this share of a page's height from its edge.
const MARGIN: f32 = 0.1;
/// A layer of a scan, not a mark on it, covers this share of it.
const MAIN_LAYER: f32 = 0.25;
/// Rounds of joining tiles along rows and columns.
const ROUNDS: usize = 4;

/// A piece of text as seen on the page.
#[derive(Debug, Clone, Copy)]
pub(in crate::score) struct SeenText {
    pub bounds: Bounds,
    /// Size in points.
    pub size: f32,
    /// Glyphs that are not blank.
    pub inked: u32,
    pub invisible: bool,
}

/// One image, or several that fill one area without gaps.
#[derive(Debug, Clone, Copy)]
struct Joined {
    bounds: Bounds,
    dpi: f32,
    n_tiles: u32,
    n_bytes: f32,
    n_pixels: f32,
    bilevel: bool,
    soft_masked: bool,
    stencil: bool,
    object: u32,
}

impl Joined {
    fn new(image: &DrawnImage) -> Self {
        let info = &image.info;
        Self {
            bounds: image.bounds,
            dpi: image.dpi,
            n_tiles: 1,
            n_bytes: info.n_bytes as f32,
            n_pixels: info.width as f32 * info.height as f32,
            bilevel: info.bilevel,
            soft_masked: info.soft_masked,
            stencil: info.stencil,
            object: info.object,
        }
    }

    fn join(&mut self, other: &Self) {
        let larger = if other.bounds.area() > self.bounds.area() { other } else { &*self };
        let object = larger.object;
        self.bounds.union(&other.bounds);
        self.dpi = self.dpi.max(other.dpi);
        self.n_tiles += other.n_tiles;
        self.n_bytes += other.n_bytes;
        self.n_pixels += other.n_pixels;
        self.bilevel |= other.bilevel;
        self.soft_masked &= other.soft_masked;
        self.stencil &= other.stencil;
        self.object = object;
    }
}

/// Joins images that lie side by side in rows, then rows and strips one above the other.
fn join_tiles(images: &[DrawnImage]) -> Vec<Joined> {
    let mut joined: Vec<Joined> = images.iter().map(Joined::new).collect();
    for _ in 0..ROUNDS {
        let before = joined.len();
        join_along(&mut joined, |bounds| [bounds.y0, bounds.y1, bounds.x0, bounds.x1]);
        join_along(&mut joined, |bounds| [bounds.x0, bounds.x1, bounds.y0, bounds.y1]);
        if joined.len() == before {
            break;
        }
    }
    joined
}

/// Joins neighbours of equal extent across; `axes` gives the extent across, then along.
fn join_along(images: &mut Vec<Joined>, axes: fn(&Bounds) -> [f32; 4]) {
    // Extents are compared in steps, so that those which differ by rounding sort together.
    let step = |value: f32| (value / TILE_GAP).round();
    images.sort_by(|one, other| {
        let ([low, high, from, _], [other_low, other_high, other_from, _]) =
            (axes(&one.bounds), axes(&other.bounds));
        let key = |low: f32, high: f32| [step(low), step(high)];
        let (one, other) = (key(low, high), key(other_low, other_high));
        one[0].total_cmp(&other[0]).then(one[1].total_cmp(&other[1])).then(from.total_cmp(&other_from))
    });
    images.dedup_by(|next, last| {
        let ([low, high, from, _], [last_low, last_high, _, last_to]) =
            (axes(&next.bounds), axes(&last.bounds));
        let level = (low - last_low).abs() <= TILE_GAP && (high - last_high).abs() <= TILE_GAP;
        let touches = from <= last_to + TILE_GAP;
        let joins = level && touches;
        if joins {
            last.join(next);
        }
        joins
    });
}

/// Scans are often split into layers, print as stencils over paper as a picture: what lies on the largest image is
/// part of it.
fn add_layers(largest: &mut Joined, joined: &[Joined]) {
    let area = largest.bounds;
    let mut n_bytes = 0.0;
    for layer in joined.iter().filter(|layer| area.contains(layer.bounds.center())) {
        n_bytes += layer.n_bytes;
        if layer.bounds.area() >= MAIN_LAYER * area.area() {
            largest.dpi = largest.dpi.max(layer.dpi);
            largest.bilevel |= layer.bilevel;
        }
    }
    largest.n_bytes = n_bytes; // the largest is among them
}

/// Measures the images of a page of `size` points against its text; `text_cells` are those under visible lines.
pub(in crate::score) fn measure(
    log: &ImageLog,
    size: [f32; 2],
    text_cells: &Grid,
    text: impl Iterator<Item = SeenText>,
) -> ImageEvidence {
    let mut evidence = ImageEvidence {
        n_images: log.n_images,
        union_coverage: log.cells.share(),
        ..ImageEvidence::default()
    };
    let joined = join_tiles(&log.images);
    let largest = joined.iter().max_by(|one, other| one.bounds.area().total_cmp(&other.bounds.area()));
    let Some(mut largest) = largest.copied() else { return evidence };
    add_layers(&mut largest, &joined);
    let page_area = (size[0] * size[1]).max(1.0);
    let mut uncovered = log.cells.clone();
    uncovered.subtract(text_cells);
    evidence.largest_coverage = (largest.bounds.area() / page_area).clamp(0.0, 1.0);
    evidence.largest_bounds = largest.bounds.to_array();
    evidence.effective_dpi = largest.dpi;
    evidence.bilevel = largest.bilevel;
    evidence.stencil = largest.stencil;
    evidence.soft_masked = largest.soft_masked;
    evidence.n_tiles = largest.n_tiles;
    evidence.object = largest.object;
    evidence.bits_per_pixel =
        if largest.n_pixels > 0.0 { 8.0 * largest.n_bytes / largest.n_pixels } else { 0.0 };
    evidence.text_over_share = text_cells.share_of(&largest.bounds);
    evidence.free_coverage = uncovered.share();
    evidence.n_pixels = largest.n_pixels as u64;
    evidence.n_bytes = largest.n_bytes as u64;
    let around = largest.bounds.grown(1.0);
    let margin = MARGIN * largest.bounds.height();
    let inner = (largest.bounds.y0 + margin)..(largest.bounds.y1 - margin);
    for piece in text.filter(|piece| around.contains(piece.bounds.center())) {
        if piece.invisible {
            evidence.invisible_over += piece.inked;
            continue;
        }
        evidence.glyphs_over += piece.inked;
        if piece.inked > 0 {
            evidence.largest_size_over = evidence.largest_size_over.max(piece.size);
        }
        if inner.contains(&piece.bounds.center()[1]) {
            evidence.glyphs_inner += piece.inked;
        }
    }
    evidence
}
