//! Type 3 fonts: glyphs drawn by content streams.

use std::fmt::Write as _;

use super::glyphs::{self, Glyph, Segment};
use super::objects::{Objects, StreamSpec, name};
use super::to_unicode::ToUnicode;

/// A Type 3 font. At first codes are those of ASCII and names those of the Adobe Glyph List.
#[derive(Debug, Clone)]
pub struct Type3 {
    glyphs: Vec<Type3Glyph>,
    to_unicode: ToUnicode,
    font_name: Option<String>,
    has_encoding: bool,
    resources: String,
}

/// One glyph of a Type 3 font.
#[derive(Debug, Clone)]
pub struct Type3Glyph {
    /// The character it truly is.
    pub letter: char,
    /// Its code.
    pub code: u8,
    /// Its name in `/CharProcs` and `/Differences`.
    pub name: String,
    /// Its advance in glyph space, 1/1000 of the font size.
    pub advance: u16,
    /// Its procedure.
    pub procedure: CharProc,
}

/// What a procedure draws.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CharProc {
    /// The outline of the letter.
    Outline,
    /// An inline image mask of 5 × 8 pixels, as bitmap fonts have.
    Bitmap,
    /// Sets the width and draws nothing.
    Empty,
    /// These operators.
    Operators(String),
}

impl Type3 {
    /// A glyph for every character of `letters`, which must be ASCII for a code of its own.
    pub fn new(letters: &str) -> Self {
        let glyph = |letter: char| {
            let Glyph { name, advance, .. } = Glyph::of(letter);
            let code = u8::try_from(letter as u32).unwrap_or(b'?');
            Type3Glyph { letter, code, name, advance, procedure: CharProc::Outline }
        };
        Self {
            glyphs: letters.chars().map(glyph).collect(),
            to_unicode: ToUnicode::Absent,
            font_name: None,
            has_encoding: true,
            resources: String::new(),
        }
    }

    /// Codes from `first` upwards, in the order of the letters.
    pub fn codes_from(mut self, first: u8) -> Self {
        self.glyphs.iter_mut().zip(first..).for_each(|(glyph, code)| glyph.code = code);
        self
    }

    /// Changes every glyph: its name, procedure, code.
    pub fn each(mut self, change: impl FnMut(&mut Type3Glyph)) -> Self {
        self.glyphs.iter_mut().for_each(change);
        self
    }

    /// Names from character and code.
    pub fn named(self, name_of: impl Fn(char, u8) -> String) -> Self {
        self.each(|glyph| glyph.name = name_of(glyph.letter, glyph.code))
    }

    /// The same kind of procedure for every glyph that is no space.
    pub fn procedures(self, procedure: CharProc) -> Self {
        self.each(|glyph| {
            if glyph.letter != ' ' {
                glyph.procedure = procedure.clone();
            }
        })
    }

    /// A ToUnicode map.
    pub fn to_unicode(mut self, to_unicode: ToUnicode) -> Self {
        self.to_unicode = to_unicode;
        self
    }

    /// `/Name` of the font.
    pub fn font_name(mut self, name: &str) -> Self {
        self.font_name = Some(name.into());
        self
    }

    /// No `/Encoding` at all.
    pub fn without_encoding(mut self) -> Self {
        self.has_encoding = false;
        self
    }

    /// Entries of the font's resource dictionary.
    pub fn resources(mut self, entries: &str) -> Self {
        self.resources = entries.into();
        self
    }

    /// The code of a character.
    pub fn code(&self, letter: char) -> Option<u8> {
        self.glyphs.iter().find(|glyph| glyph.letter == letter).map(|glyph| glyph.code)
    }

    pub(super) fn advance(&self, letter: char) -> u16 {
        self.glyphs.iter().find(|glyph| glyph.letter == letter).map_or(0, |glyph| glyph.advance)
    }

    pub(super) fn write(&self, objects: &mut Objects) -> String {
        let mut sorted: Vec<&Type3Glyph> = self.glyphs.iter().collect();
        sorted.sort_by_key(|glyph| glyph.code);
        let mut procedures = String::new();
        let mut differences = String::new();
        for glyph in &sorted {
            let id = objects.add_stream(&StreamSpec::new("", glyph.operators().into_bytes()));
            let _ = write!(procedures, "{} {id} ", name(&glyph.name));
            let _ = write!(differences, "{} {} ", glyph.code, name(&glyph.name));
        }
        let (first, last) =
            (sorted.first().map_or(0, |glyph| glyph.code), sorted.last().map_or(0, |glyph| glyph.code));
        let widths: Vec<String> = (first..=last)
            .map(|code| {
                let glyph = sorted.iter().find(|glyph| glyph.code == code);
                glyph.map_or(0, |glyph| glyph.advance).to_string()
            })
            .collect();
        let mut entries = String::new();
        if let Some(font_name) = &self.font_name {
            let _ = write!(entries, " /Name {}", name(font_name));
        }
        if self.has_encoding {
            let _ = write!(entries, " /Encoding << /Type /Encoding /Differences [{differences}] >>");
        }
        let codes: Vec<(u32, char)> =
            sorted.iter().map(|glyph| (u32::from(glyph.code), glyph.letter)).collect();
        if let Some(value) = self.to_unicode.write(objects, &codes, 1) {
            let _ = write!(entries, " /ToUnicode {value}");
        }
        format!(
            "<< /Type /Font /Subtype /Type3 /FontBBox [0 -200 1000 1000] /FontMatrix [0.001 0 0 0.001 0 0] \
             /CharProcs << {procedures}>> /FirstChar {first} /LastChar {last} /Widths [{}] \
             /Resources << {} >>{entries} >>",
            widths.join(" "),
            self.resources,
        )
    }
}

impl Type3Glyph {
    fn operators(&self) -> String {
        let width = self.advance;
        match &self.procedure {
            CharProc::Outline => format!("{width} 0 0 -200 1000 1000 d1\n{}", outline(self.letter)),
            CharProc::Empty => format!("{width} 0 0 0 0 0 d1"),
            CharProc::Operators(operators) => format!("{width} 0 d0\n{operators}"),
            CharProc::Bitmap => {
                let rows = rows(self.letter);
                let data: String = rows.iter().map(|row| format!("{row:02X}")).collect();
                format!(
                    "{width} 0 0 -200 1000 1000 d1\nq {width} 0 0 800 0 -100 cm\nBI /W 6 /H 8 /IM true /BPC 1 \
                     /D [1 0] /F /AHx ID {data}>\nEI Q"
                )
            }
        }
    }
}

/// The contours of a letter, filled.
fn outline(letter: char) -> String {
    let mut out = String::new();
    for contour in Glyph::of(letter).contours(&[]) {
        let Some(((x, y), segments)) = glyphs::cubic_segments(&contour) else { continue };
        let _ = write!(out, "{x} {y} m ");
        for segment in segments {
            let _ = match segment {
                Segment::Line(x, y) => write!(out, "{x} {y} l "),
                Segment::Curve([(ax, ay), (bx, by), (cx, cy)]) => {
                    write!(out, "{ax} {ay} {bx} {by} {cx} {cy} c ")
                }
            };
        }
        out.push_str("h ");
    }
    if !out.is_empty() {
        out.push('f');
    }
    out
}

/// The grid of a letter as rows of an image, the leftmost pixel in the highest bit.
fn rows(letter: char) -> [u8; 8] {
    let grid = super::letters::grid(letter);
    std::array::from_fn(|row| {
        grid.iter().enumerate().fold(0, |bits, (column, cells)| bits | (cells >> row & 1) << (7 - column))
    })
}
