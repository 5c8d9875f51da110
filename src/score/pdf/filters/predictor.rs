//! Predictors of FlateDecode and LZWDecode (ISO 32000-2, 7.4.4.4), undone in place.

use super::End;
use crate::score::pdf::Dict;

/// Samples of a row at most; above this the parameters are nonsense.
const MAX_COLUMNS: i64 = 1 << 24;
/// Components of a sample at most.
const MAX_COLORS: i64 = 64;

/// A predictor with its row layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Predictor {
    /// 1, or no parameters.
    None,
    /// 2: each sample is a difference to the one on its left.
    Tiff(Layout),
    /// 10 to 15: each row names its own filter.
    Png(Layout),
    /// Parameters out of range.
    Invalid,
}

/// Layout of one row of samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    colors: u32,
    bits: u32,
    row_bytes: usize,
}

impl Layout {
    /// `None` where a parameter is out of range.
    pub fn new(colors: i64, bits_per_component: i64, columns: i64) -> Option<Self> {
        let valid = (1..=MAX_COLORS).contains(&colors)
            && matches!(bits_per_component, 1 | 2 | 4 | 8 | 16)
            && (1..=MAX_COLUMNS).contains(&columns);
        valid.then(|| Self {
            colors: colors as u32,
            bits: bits_per_component as u32,
            row_bytes: ((colors * bits_per_component * columns) as u64).div_ceil(8) as usize,
        })
    }

    /// Distance in bytes to the sample on the left, at least one.
    fn left(self) -> usize {
        (self.colors * self.bits).div_ceil(8) as usize
    }
}

impl Predictor {
    /// Reads a dictionary of decode parameters.
    pub(super) fn read(parms: Option<&Dict<'_>>) -> Self {
        let Some(parms) = parms else { return Self::None };
        let integer = |key: &str, default| parms.get::<i64>(key).unwrap_or(default);
        Self::new(integer("Predictor", 1), || {
            Layout::new(integer("Colors", 1), integer("BitsPerComponent", 8), integer("Columns", 1))
        })
    }

    /// The predictor of that number (7.4.4.4, table 10); the layout is asked for where one is needed.
    pub fn new(predictor: i64, layout: impl FnOnce() -> Option<Layout>) -> Self {
        if predictor <= 1 {
            return Self::None;
        }
        match (predictor, layout()) {
            (2, Some(layout)) => Self::Tiff(layout),
            (10..=15, Some(layout)) => Self::Png(layout),
            _ => Self::Invalid,
        }
    }

    /// Undoes the prediction in place; with invalid parameters nothing is left.
    pub(super) fn undo(self, data: &mut Vec<u8>) -> End {
        match self {
            Self::None => End::Complete,
            Self::Png(layout) => {
                undo_png(layout, data);
                End::Complete
            }
            Self::Tiff(layout) => {
                undo_tiff(layout, data);
                End::Complete
            }
            Self::Invalid => {
                data.clear();
                End::Damaged
            }
        }
    }
}

/// Rows shrink by their tag byte, so that the write position never overtakes the read position.
fn undo_png(layout: Layout, data: &mut Vec<u8>) {
    let (row, left) = (layout.row_bytes, layout.left());
    let first_above = vec![0; row.min(data.len())];
    let (mut read, mut write) = (0, 0);
    while read < data.len() {
        let tag = data[read];
        let length = row.min(data.len() - read - 1);
        data.copy_within(read + 1..read + 1 + length, write);
        let (done, current) = data.split_at_mut(write);
        let above = if write == 0 { &first_above[..length] } else { &done[write - row..][..length] };
        undo_png_row(tag, left, above, &mut current[..length]);
        read += 1 + length;
        write += length;
    }
    data.truncate(write);
}

fn undo_png_row(tag: u8, left: usize, above: &[u8], row: &mut [u8]) {
    let at = |row: &[u8], index: usize| if index < left { 0 } else { row[index - left] };
    match tag {
        1 => {
            for index in left..row.len() {
                row[index] = row[index].wrapping_add(row[index - left]);
            }
        }
        2 => {
            for (byte, above) in row.iter_mut().zip(above) {
                *byte = byte.wrapping_add(*above);
            }
        }
        3 => {
            for index in 0..row.len() {
                let mean = (u16::from(at(row, index)) + u16::from(above[index])) / 2;
                row[index] = row[index].wrapping_add(mean as u8);
            }
        }
        4 => {
            for index in 0..row.len() {
                let guess = paeth(at(row, index), above[index], at(above, index));
                row[index] = row[index].wrapping_add(guess);
            }
        }
        // 0, and tags that do not exist: readers take the row as it is.
        _ => {}
    }
}

fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let (a, b, c) = (i16::from(left), i16::from(above), i16::from(corner));
    let estimate = a + b - c;
    let (da, db, dc) = ((estimate - a).abs(), (estimate - b).abs(), (estimate - c).abs());
    if da <= db && da <= dc {
        left
    } else if db <= dc {
        above
    } else {
        corner
    }
}

fn undo_tiff(layout: Layout, data: &mut [u8]) {
    let left = layout.left();
    for row in data.chunks_mut(layout.row_bytes) {
        match layout.bits {
            8 => {
                for index in left..row.len() {
                    row[index] = row[index].wrapping_add(row[index - left]);
                }
            }
            16 => {
                for index in (left..row.len().saturating_sub(1)).step_by(2) {
                    let before = u16::from_be_bytes([row[index - left], row[index - left + 1]]);
                    let sample = u16::from_be_bytes([row[index], row[index + 1]]).wrapping_add(before);
                    row[index..index + 2].copy_from_slice(&sample.to_be_bytes());
                }
            }
            bits => undo_tiff_bits(bits, layout.colors as usize, row),
        }
    }
}

/// Samples of 1, 2 or 4 bits, packed from the high end.
fn undo_tiff_bits(bits: u32, colors: usize, row: &mut [u8]) {
    let mask = (1u8 << bits) - 1;
    let per_byte = (8 / bits) as usize;
    let shift = |sample: usize| 8 - bits * (sample % per_byte + 1) as u32;
    for sample in colors..row.len() * per_byte {
        let before = row[(sample - colors) / per_byte] >> shift(sample - colors);
        let byte = &mut row[sample / per_byte];
        let value = (*byte >> shift(sample)).wrapping_add(before) & mask;
        *byte = *byte & !(mask << shift(sample)) | value << shift(sample);
    }
}
