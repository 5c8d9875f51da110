//! Images as drawn: dictionary fields and the place on the page; data are never read.

use super::cache::ImageInfo;
use super::geometry::{Bounds, Grid, Matrix};
use crate::score::pdf::tokens::{Entries, Operand};

/// Drawn images that are kept apart; further ones only count and mark the grid.
const MAX_IMAGES: usize = 8192;

/// One image as drawn.
#[derive(Debug, Clone, Copy)]
pub(in crate::score) struct DrawnImage {
    pub info: ImageInfo,
    /// What is left of it after clipping, in points of the crop box.
    pub bounds: Bounds,
    /// Pixels per inch, the lower of the two axes.
    pub dpi: f32,
}

/// The images drawn on one page.
#[derive(Debug)]
pub(in crate::score) struct ImageLog {
    pub images: Vec<DrawnImage>,
    pub n_images: u32,
    /// Cells under any image.
    pub cells: Grid,
}

impl ImageLog {
    pub(super) fn new(size: [f32; 2]) -> Self {
        Self { images: Vec::new(), n_images: 0, cells: Grid::new(size) }
    }

    /// Records an image drawn on the unit square of `matrix`, of which `bounds` is visible.
    pub(super) fn add(&mut self, info: ImageInfo, matrix: &Matrix, bounds: Bounds) {
        self.n_images = self.n_images.saturating_add(1);
        self.cells.mark(&bounds);
        if self.images.len() < MAX_IMAGES {
            let [width, height] = matrix.scales();
            let per_inch = |pixels: u32, points: f32| pixels as f32 * 72.0 / points.max(1e-3);
            let dpi = per_inch(info.width, width).min(per_inch(info.height, height));
            self.images.push(DrawnImage { info, bounds, dpi });
        }
    }
}

/// Fields of an inline image's dictionary (8.9.7, table 91).
pub(super) fn inline_info(dict: &[u8]) -> ImageInfo {
    let mut info = ImageInfo { opaque: true, ..ImageInfo::default() };
    for (key, value) in Entries::new(dict).take(64) {
        match (key, value) {
            (b"W" | b"Width", Operand::Number(value)) => info.width = value.clamp(0.0, 1e6) as u32,
            (b"H" | b"Height", Operand::Number(value)) => info.height = value.clamp(0.0, 1e6) as u32,
            (b"BPC" | b"BitsPerComponent", Operand::Number(1.0)) => info.bilevel = true,
            (b"IM" | b"ImageMask", Operand::Bool(true)) => {
                (info.stencil, info.bilevel, info.opaque) = (true, true, false);
            }
            (b"F" | b"Filter", Operand::Name(b"CCF" | b"CCITTFaxDecode")) => info.bilevel = true,
            (b"F" | b"Filter", Operand::Bytes(filters)) => {
                info.bilevel |= memchr::memmem::find(filters, b"CC").is_some();
            }
            _ => {}
        }
    }
    info
}
