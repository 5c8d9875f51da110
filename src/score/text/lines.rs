//! Boxes merged along baselines.

use super::geometry::Bounds;
use crate::score::evidence::LineBox;

/// Lines reported of one font, or of outlines, on one page.
pub(in crate::score) const MAX_LINES: usize = 64;
/// Lines kept apart before they are reduced.
const MAX_LINES_SEEN: usize = 4096;
/// Pieces of one line are at most so many times its height apart.
const LINE_GAP: f32 = 3.0;

/// Adds a piece of text to the line it continues, else begins a new one. Gives the line's index.
pub(in crate::score) fn add(lines: &mut Vec<LineBox>, piece: &Bounds, glyphs: u32, suspect: u32) -> usize {
    let n_lines = lines.len();
    let full = n_lines >= MAX_LINES_SEEN;
    // Text comes in order: the line is one of the last.
    for (back, line) in lines.iter_mut().rev().take(4).enumerate() {
        let mut bounds = Bounds::of(line.bounds);
        if continues(&bounds, piece) || (full && back == 0) {
            bounds.union(piece);
            *line = LineBox {
                bounds: bounds.to_array(),
                glyphs: line.glyphs.saturating_add(glyphs),
                suspect: line.suspect.saturating_add(suspect),
            };
            return n_lines - 1 - back;
        }
    }
    lines.push(LineBox { bounds: piece.to_array(), glyphs, suspect });
    n_lines
}

/// Whether a piece stands on a line: side by side on one baseline, or one above the other in vertical writing.
fn continues(line: &Bounds, piece: &Bounds) -> bool {
    let common = line.intersect(piece); // negative extents are gaps
    let (wide, high) = (common.x1 - common.x0, common.y1 - common.y0);
    let size = line.height().max(piece.height());
    let level = high > 0.5 * line.height().min(piece.height()) && wide > -LINE_GAP * size;
    let breadth = line.width().max(piece.width());
    let upright = line.height() > 2.0 * line.width()
        && piece.height() > piece.width()
        && wide > 0.5 * line.width().min(piece.width())
        && high > -LINE_GAP * breadth;
    level || upright
}

/// At most [`MAX_LINES`]: neighbours in reading order are joined.
pub(in crate::score) fn reduce(lines: Vec<LineBox>) -> Vec<LineBox> {
    if lines.len() <= MAX_LINES {
        return lines;
    }
    let n_joined = lines.len().div_ceil(MAX_LINES);
    let join = |lines: &[LineBox]| {
        let mut bounds = Bounds::EMPTY;
        lines.iter().for_each(|line| bounds.union(&Bounds::of(line.bounds)));
        let total = |count: fn(&LineBox) -> u32| lines.iter().map(count).fold(0u32, u32::saturating_add);
        LineBox {
            bounds: bounds.to_array(),
            glyphs: total(|line| line.glyphs),
            suspect: total(|line| line.suspect),
        }
    };
    lines.chunks(n_joined).map(join).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(x: f32, y: f32) -> Bounds {
        Bounds::of([x, y, x + 30.0, y + 10.0])
    }

    #[test]
    fn words_on_a_baseline_are_one_line() {
        let mut lines = Vec::new();
        for (x, y) in [(0.0, 100.0), (34.0, 100.0), (68.0, 102.0), (0.0, 86.0), (300.0, 100.0)] {
            add(&mut lines, &word(x, y), 5, 1);
        }
        let glyphs: Vec<u32> = lines.iter().map(|line| line.glyphs).collect();
        assert_eq!(glyphs, [15, 5, 5]);
        assert_eq!(lines[0].bounds, [0.0, 100.0, 98.0, 112.0]);
    }

    #[test]
    fn many_lines_are_joined_and_none_is_lost() {
        let mut lines = Vec::new();
        for line in 0..10_000 {
            add(&mut lines, &word(0.0, -15.0 * line as f32), 2, 1);
        }
        assert!(lines.len() <= MAX_LINES_SEEN);
        let reduced = reduce(lines);
        assert!(reduced.len() <= MAX_LINES);
        assert_eq!(reduced.iter().map(|line| line.glyphs).sum::<u32>(), 20_000);
        assert_eq!(reduced.iter().map(|line| line.suspect).sum::<u32>(), 10_000);
    }
}
