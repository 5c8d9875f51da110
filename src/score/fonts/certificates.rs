//! Doubtful subtables of a program that the program itself can vouch for (rows C11, C12, S14, S15).

use std::sync::OnceLock;

use smallvec::SmallVec;

use super::encodings::Encoding;
use super::font::Font;
use super::program::Program;
use super::standard14::Standard;
use super::{Gid, names};

/// What was found, looked at once.
#[derive(Debug, Default)]
pub(super) struct Certificates {
    mac_is_roman: OnceLock<bool>,
    symbol_is_latin: OnceLock<bool>,
}

impl Font {
    /// Whether the codes of the (1, 0) subtable are those of Mac OS Roman: at least three glyphs whose own names
    /// or whose widths (of a font with standard metrics) agree, and hardly one that does not (row C12).
    pub(super) fn mac_codes_are_roman(&self, program: &Program) -> bool {
        *self.certificates.mac_is_roman.get_or_init(|| {
            self.codes_are(program, |code| Some((program.gid_of_mac(code)?, Encoding::MacRoman.name(code)?)))
        })
    }

    /// Whether the codes of the (3, 0) subtable are those of Windows, by the same evidence (row C11).
    pub(super) fn symbol_codes_are_latin(&self, program: &Program) -> bool {
        *self.certificates.symbol_is_latin.get_or_init(|| {
            self.codes_are(program, |code| {
                Some((program.gid_of_symbol(u16::from(code))?, Encoding::WinAnsi.name(code)?))
            })
        })
    }

    fn codes_are(&self, program: &Program, meant: impl Fn(u8) -> Option<(Gid, &'static str)>) -> bool {
        let standard =
            self.standard().filter(|standard| !standard.is_symbolic() && *standard != Standard::Courier);
        let (mut named, mut misnamed, mut fitting, mut misfitting) = (0, 0, 0, 0);
        let mut widths = SmallVec::<[u16; 16]>::new();
        for (gid, name) in (0x21..0x7F).filter_map(meant) {
            if let Some(c) = program.glyph_name(gid).and_then(|name| names::char_of_name(name, false)) {
                let agrees = names::char_of_name(name, false) == Some(c);
                *(if agrees { &mut named } else { &mut misnamed }) += 1;
            }
            let stated = || standard?.latin_width(names::char_of_name(name, false)?);
            if let (Some(width), Some(advance)) = (stated(), program.advance(gid)) {
                let fits = (advance * 1000.0 - f32::from(width)).abs() <= 2.0;
                *(if fits { &mut fitting } else { &mut misfitting }) += 1;
                if fits && !widths.contains(&width) {
                    widths.push(width);
                }
            }
        }
        // Widths alone: at least eight glyphs of four widths, since half of a font's letters are equally wide.
        (named >= 3 && misnamed * 10 <= named)
            || (misnamed == 0 && fitting >= 8 && widths.len() >= 4 && misfitting * 10 <= fitting)
    }
}
