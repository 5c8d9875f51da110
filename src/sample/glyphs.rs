//! Glyphs: a name, an advance and an outline of their own for every character.

use unicode_normalization::UnicodeNormalization as _;

use super::letters;

/// A point of an outline in units of 1/1000 em; quadratic curves as in TrueType.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// To the right.
    pub x: i16,
    /// Up from the baseline.
    pub y: i16,
    /// On the curve, or a control point.
    pub on_curve: bool,
}

/// What a glyph draws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outline {
    /// Nothing, as a space.
    Empty,
    /// Closed contours, filled non-zero.
    Contours(Vec<Vec<Point>>),
    /// Other glyphs of the font, by character, moved by (dx, dy): TrueType composites. Formats without
    /// composites draw the contours of the parts.
    Parts(Vec<(char, i16, i16)>),
}

/// One glyph of a font.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glyph {
    /// PostScript name.
    pub name: String,
    /// The character it truly is; `None` for `.notdef` and other glyphs without one.
    pub letter: Option<char>,
    /// Advance in units of 1/1000 em.
    pub advance: u16,
    /// What it draws.
    pub outline: Outline,
}

impl Glyph {
    /// The glyph of a character: legible for ASCII and accented Latin, a pattern of its own otherwise.
    pub fn of(letter: char) -> Self {
        Self {
            name: glyph_name(letter),
            letter: Some(letter),
            advance: advance_of(letter),
            outline: outline_of(letter),
        }
    }

    /// A box, as fonts show for what they lack.
    pub fn notdef() -> Self {
        Self { name: ".notdef".into(), letter: None, advance: 500, outline: outline_of('\u{25A1}') }
    }

    /// A glyph that is no character.
    pub fn blank(name: &str, advance: u16) -> Self {
        Self { name: name.into(), letter: None, advance, outline: Outline::Empty }
    }

    /// The contours it draws, parts resolved among `glyphs`.
    pub fn contours(&self, glyphs: &[Self]) -> Vec<Vec<Point>> {
        match &self.outline {
            Outline::Empty => Vec::new(),
            Outline::Contours(contours) => contours.clone(),
            Outline::Parts(parts) => parts
                .iter()
                .flat_map(|&(letter, dx, dy)| {
                    let part = glyphs.iter().find(|glyph| glyph.letter == Some(letter));
                    let contours = match part.map(|glyph| &glyph.outline) {
                        Some(Outline::Contours(contours)) => contours.clone(),
                        _ => Vec::new(),
                    };
                    moved(contours, dx, dy)
                })
                .collect(),
        }
    }
}

/// Glyphs for every character of `letters`, `.notdef` first.
pub fn glyphs_for(letters: &str) -> Vec<Glyph> {
    std::iter::once(Glyph::notdef()).chain(letters.chars().map(Glyph::of)).collect()
}

/// Each character of a text once, in order of first use.
pub fn distinct(text: &str) -> String {
    let mut letters = String::new();
    for letter in text.chars() {
        if !letters.contains(letter) {
            letters.push(letter);
        }
    }
    letters
}

/// The printable ASCII characters and the accented letters of Mac OS Roman, in that order: with `.notdef`,
/// `.null` and `nonmarkingreturn` before them each stands at its place in the Mac glyph order.
pub fn latin_letters() -> String {
    (' '..='~').chain("ÄÅÇÉÑÖÜáàâäãåçéèêëíìîïñóòôöõúùûü".chars()).collect()
}

/// The PostScript name: that of the 258 Mac glyphs where it is one, else `uniXXXX` or `uXXXXX`.
pub fn glyph_name(letter: char) -> String {
    // AGL maps these three names to other code points than Mac OS Roman does.
    let ambiguous = ['\u{3A9}', '\u{2206}', '\u{B5}', '\u{20AC}'].contains(&letter);
    let mut utf8 = [0; 4];
    let (byte, _, unmappable) = encoding_rs::MACINTOSH.encode(letter.encode_utf8(&mut utf8));
    let index = match byte.first() {
        Some(&byte @ 0x20..=0x7E) => Some(usize::from(byte) - 29),
        Some(&byte @ 0x80..) => Some(usize::from(byte) - 30),
        _ => None,
    };
    match index {
        Some(index) if !unmappable && !ambiguous => {
            read_fonts::tables::post::DEFAULT_GLYPH_NAMES[index].to_owned()
        }
        _ if letter as u32 <= 0xFFFF => format!("uni{:04X}", letter as u32),
        _ => format!("u{:05X}", letter as u32),
    }
}

/// Base letter and accent of a Latin letter that has one.
pub(super) fn base_and_mark(letter: char) -> Option<(char, char)> {
    let mut parts = std::iter::once(letter).nfd();
    let (base, mark) = (parts.next()?, parts.next()?);
    (base.is_ascii() && parts.next().is_none()).then_some((base, mark))
}

fn advance_of(letter: char) -> u16 {
    letters::advance(base_and_mark(letter).map_or(letter, |(base, _)| base))
}

/// How far the mark of an accented letter is moved from where the mark glyph itself stands.
pub(super) fn mark_offset(base: char) -> (i16, i16) {
    let centre = |letter| (advance_of(letter) / 2) as i16;
    (centre(base) - centre('\u{301}'), if base.is_uppercase() { 230 } else { 60 })
}

fn outline_of(letter: char) -> Outline {
    let contours = match base_and_mark(letter) {
        Some((base, mark)) => {
            let (dx, dy) = mark_offset(base);
            let mut contours = trace(letters::grid(base), advance_of(base));
            contours.extend(moved(mark_contours(mark), dx, dy));
            contours
        }
        None if is_mark(letter) => mark_contours(letter),
        None => trace(letters::grid(letter), advance_of(letter)),
    };
    if contours.is_empty() { Outline::Empty } else { Outline::Contours(contours) }
}

fn is_mark(letter: char) -> bool {
    ('\u{300}'..='\u{36F}').contains(&letter)
}

/// Marks sit above the height of a lower-case letter; the cedilla below the baseline.
fn mark_contours(mark: char) -> Vec<Vec<Point>> {
    let rows: [u8; 5] = match mark {
        '\u{300}' => [0, 1, 3, 2, 0],
        '\u{301}' => [0, 2, 3, 1, 0],
        '\u{302}' => [2, 3, 1, 3, 2],
        '\u{303}' => [2, 1, 3, 2, 1],
        '\u{308}' => [0, 3, 0, 3, 0],
        '\u{30A}' => [0, 7, 5, 7, 0],
        '\u{327}' => [0, 4, 7, 2, 0],
        other => letters::grid(other).map(|cells| cells & 3),
    };
    let dy = if mark == '\u{327}' { -880 } else { -60 };
    moved(trace(rows, advance_of('\u{301}')), 0, dy)
}

fn moved(mut contours: Vec<Vec<Point>>, dx: i16, dy: i16) -> Vec<Vec<Point>> {
    for point in contours.iter_mut().flatten() {
        point.x += dx;
        point.y += dy;
    }
    contours
}

/// Height of one cell; seven stand on the baseline, one hangs below.
const CELL: i16 = 100;

/// The outlines of the cells that are set, corners rounded off, scaled to the advance.
fn trace(grid: [u8; 5], advance: u16) -> Vec<Vec<Point>> {
    let cell_width = (advance as i16 / 6).max(20);
    corners(grid)
        .into_iter()
        .map(|corners| {
            let scaled: Vec<(i16, i16)> = corners
                .iter()
                .map(|&(x, y)| (x as i16 * cell_width + cell_width / 2, (7 - y as i16) * CELL))
                .collect();
            round_corners(&scaled)
        })
        .collect()
}

/// Closed rings of corners around the set cells, in grid coordinates, inside always on the right.
fn corners(grid: [u8; 5]) -> Vec<Vec<(i8, i8)>> {
    let set = |x: i8, y: i8| (0..5).contains(&x) && (0..8).contains(&y) && grid[x as usize] >> y & 1 == 1;
    let mut edges: Vec<((i8, i8), (i8, i8))> = Vec::new();
    for x in 0..5 {
        for y in 0..8 {
            if !set(x, y) {
                continue;
            }
            let sides = [
                (!set(x, y - 1), (x, y), (x + 1, y)),
                (!set(x + 1, y), (x + 1, y), (x + 1, y + 1)),
                (!set(x, y + 1), (x + 1, y + 1), (x, y + 1)),
                (!set(x - 1, y), (x, y + 1), (x, y)),
            ];
            edges.extend(sides.iter().filter(|side| side.0).map(|side| (side.1, side.2)));
        }
    }
    let mut rings = Vec::new();
    while let Some((start, mut at)) = edges.pop() {
        let mut ring = vec![start];
        let mut from = start;
        while at != start {
            let direction = (at.0 - from.0, at.1 - from.1);
            // Where four edges meet, turning left joins cells that touch at a corner.
            let left = (at.0 + direction.1, at.1 - direction.0);
            let next = edges
                .iter()
                .position(|&edge| edge == (at, left))
                .or_else(|| edges.iter().position(|edge| edge.0 == at));
            let Some(next) = next else { break };
            let (_, to) = edges.swap_remove(next);
            if (to.0 - at.0, to.1 - at.1) != direction {
                ring.push(at);
            }
            (from, at) = (at, to);
        }
        rings.push(ring);
    }
    rings
}

/// Replaces each corner by a quadratic curve that begins and ends half a cell before and after it.
fn round_corners(corners: &[(i16, i16)]) -> Vec<Point> {
    let n = corners.len();
    let mut points: Vec<Point> = Vec::with_capacity(n * 3);
    for i in 0..n {
        let (before, corner, after) = (corners[(i + n - 1) % n], corners[i], corners[(i + 1) % n]);
        let towards = |other: (i16, i16)| {
            let step = |from: i16, to: i16| (to - from).clamp(-CELL, CELL) / 2;
            (corner.0 + step(corner.0, other.0), corner.1 + step(corner.1, other.1))
        };
        let ((x0, y0), (x2, y2)) = (towards(before), towards(after));
        let on = |x, y| Point { x, y, on_curve: true };
        if points.last() != Some(&on(x0, y0)) {
            points.push(on(x0, y0));
        }
        points.push(Point { x: corner.0, y: corner.1, on_curve: false });
        points.push(on(x2, y2));
    }
    if points.len() > 1 && points.first() == points.last() {
        points.pop();
    }
    points
}

/// A contour as start point and cubic or straight segments, for formats without quadratic curves.
pub(super) fn cubic_segments(contour: &[Point]) -> Option<((i16, i16), Vec<Segment>)> {
    let first = contour.iter().position(|point| point.on_curve)?;
    let n = contour.len();
    let start = contour[first];
    let mut at = start;
    let mut segments = Vec::new();
    let mut i = 1;
    while i <= n {
        let point = contour[(first + i) % n];
        if point.on_curve {
            segments.push(Segment::Line(point.x, point.y));
            at = point;
        } else {
            let end = contour[(first + i + 1) % n];
            let third =
                |from: i16, control: i16| ((f32::from(from) + 2.0 * f32::from(control)) / 3.0).round() as i16;
            segments.push(Segment::Curve([
                (third(at.x, point.x), third(at.y, point.y)),
                (third(end.x, point.x), third(end.y, point.y)),
                (end.x, end.y),
            ]));
            at = end;
            i += 1;
        }
        i += 1;
    }
    Some(((start.x, start.y), segments))
}

/// One piece of a contour, in absolute coordinates.
pub(super) enum Segment {
    Line(i16, i16),
    Curve([(i16, i16); 3]),
}
