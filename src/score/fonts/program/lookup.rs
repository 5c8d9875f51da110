//! Codes, names and CIDs of a program's glyphs, both ways.

use super::cff::{self, Builtin};
use super::codes::Codes;
use super::{Body, Program, type1};
use crate::score::fonts::{Cid, Gid};

impl Program {
    /// The best character that a Unicode cmap subtable (platform 0, or 3 with encoding 1 or 10, or one with a legacy
    /// CJK encoding) maps to this glyph: not private use, not a compatibility character, then the lowest.
    pub fn unicode_of(&self, gid: Gid) -> Option<char> {
        self.unicodes_of(gid).first().copied()
    }

    /// All characters the Unicode subtables map to this glyph, best first (see [`Program::unicode_of`]).
    pub fn unicodes_of(&self, gid: Gid) -> &[char] {
        self.cmap().unicode.codes(gid)
    }

    /// The lowest code the symbol subtable (3, 0) maps to this glyph, as stored: F000–F0FF in most fonts.
    pub fn symbol_code_of(&self, gid: Gid) -> Option<u16> {
        self.cmap().symbol.codes(gid).first().copied()
    }

    /// The lowest code the Macintosh Roman subtable (1, 0) maps to this glyph.
    pub fn mac_code_of(&self, gid: Gid) -> Option<u8> {
        self.cmap().mac.codes(gid).first().copied()
    }

    /// Whether any cmap subtable, of whatever platform, reaches this glyph.
    pub fn is_reached(&self, gid: Gid) -> bool {
        self.cmap().is_reached(gid)
    }

    /// Whether there is a Unicode subtable that maps something.
    pub fn has_unicode_cmap(&self) -> bool {
        !self.cmap().unicode.is_empty()
    }

    /// Whether there is a symbol subtable (3, 0) that maps something.
    pub fn has_symbol_cmap(&self) -> bool {
        !self.cmap().symbol.is_empty()
    }

    /// Whether there is a Macintosh Roman subtable (1, 0) that maps something.
    pub fn has_mac_cmap(&self) -> bool {
        !self.cmap().mac.is_empty()
    }

    /// The glyph of a character in the Unicode subtables; never glyph 0.
    pub fn gid_of_unicode(&self, c: char) -> Option<Gid> {
        self.cmap().unicode.gid(c)
    }

    /// The glyph of a one-byte code in the symbol subtable: the code itself, then F000, F100 and F200 plus the code
    /// (ISO 32000-2, 9.6.5.4). Codes above FF are looked up as they are. Never glyph 0.
    pub fn gid_of_symbol(&self, code: u16) -> Option<Gid> {
        let symbol = &self.cmap().symbol;
        let ranges: &[u16] = if code > 0xFF { &[0] } else { &[0, 0xF000, 0xF100, 0xF200] };
        ranges.iter().find_map(|range| symbol.gid(range + code))
    }

    /// The glyph of a code in the Macintosh Roman subtable; never glyph 0.
    pub fn gid_of_mac(&self, code: u8) -> Option<Gid> {
        self.cmap().mac.gid(code)
    }

    /// The name of a glyph. post 1 counts only in a program of exactly 258 glyphs: in others its names are not these glyphs'.
    pub fn glyph_name(&self, gid: Gid) -> Option<&str> {
        self.names().get(gid)
    }

    /// The first glyph of that name.
    pub fn gid_of_name(&self, name: &str) -> Option<Gid> {
        self.names().find(name)
    }

    fn builtin(&self) -> Option<&Builtin> {
        let builtin = self.encoding.get_or_init(|| match &self.body {
            Body::Type1(font) => type1::read_encoding(font),
            Body::Cff(_, facts) if facts.ros.is_none() => cff::read_encoding(&self.cff_font()?),
            _ => None,
        });
        builtin.as_ref()
    }

    /// Whether the program has a built-in encoding that can be read.
    pub fn has_builtin_encoding(&self) -> bool {
        self.builtin().is_some()
    }

    /// The glyph of a code in the built-in encoding of a Type 1 or name-keyed CFF program, supplements included.
    pub fn builtin_gid(&self, code: u8) -> Option<Gid> {
        self.builtin()?.gids[usize::from(code)]
    }

    /// The glyph name of a code in the built-in encoding; `None` where the encoding has none or `.notdef`. In a
    /// predefined encoding a code has its name also where the program lacks the glyph.
    pub fn builtin_name(&self, code: u8) -> Option<&str> {
        let builtin = self.builtin()?;
        let name = match builtin.predefined {
            Some(predefined) => predefined.name(code),
            None => self.glyph_name(builtin.gids[usize::from(code)]?)?,
        };
        (!name.is_empty() && name != ".notdef").then_some(name)
    }

    /// Registry and ordering of a CID-keyed CFF program.
    pub fn ros(&self) -> Option<(&str, &str)> {
        let ros = self.cff_facts()?.ros.as_ref()?;
        Some((&ros.registry, &ros.ordering))
    }

    /// Supplement of a CID-keyed CFF program.
    pub fn ros_supplement(&self) -> Option<i32> {
        Some(self.cff_facts()?.ros.as_ref()?.supplement)
    }

    fn cids(&self) -> Option<&Codes<u16>> {
        let cids = self.cids.get_or_init(|| {
            if !self.is_cid_keyed() {
                return None;
            }
            cff::read_cids(&self.cff_font()?)
        });
        cids.as_ref()
    }

    /// The glyph of a CID: through the charset of a CID-keyed CFF program, the same number in all others.
    /// `None` past the last glyph.
    pub fn gid_of_cid(&self, cid: Cid) -> Option<Gid> {
        match self.cids() {
            Some(cids) => cids.gid(cid.0),
            None => (u32::from(cid.0) < self.n_glyphs()).then_some(Gid(cid.0)),
        }
    }

    /// The CID of a glyph: inverse of [`Program::gid_of_cid`].
    pub fn cid_of_gid(&self, gid: Gid) -> Option<Cid> {
        match self.cids() {
            Some(cids) => cids.codes(gid).first().copied().map(Cid),
            None => (u32::from(gid.0) < self.n_glyphs()).then_some(Cid(gid.0)),
        }
    }
}
