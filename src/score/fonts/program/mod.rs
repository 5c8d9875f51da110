//! Font program bytes → facts.
//!
//! Takes: the decoded bytes of an embedded font program (sfnt, TTC, `OTTO`, bare CFF, Type 1 as PFA or PFB),
//! recognised by their content and not by the key they hang on. Gives: a [`Program`] that owns what it
//! keeps and answers per glyph. Fails: [`ProgramError`] when nothing can be read at all; a part that cannot be
//! read is [`Part::Damaged`], which is kept apart from [`Part::Absent`], because only the latter proves a
//! code dead. Never: panics, believes a count or an offset, or does work without a bound.

pub mod cache;

use super::{Cid, Gid};
use crate::score::evidence::ProgramKind;

/// Why a program answers nothing. It proves nothing about the codes drawn with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// No bytes.
    #[error("the font program is empty")]
    Empty,
    /// Neither sfnt, CFF nor Type 1.
    #[error("the font program is of no known kind")]
    Unknown,
    /// The kind is known, its directory, top dictionary or encrypted portion cannot be read.
    #[error("the font program is damaged")]
    Damaged,
    /// More bytes than any font has.
    #[error("the font program is over the limit")]
    TooLarge,
}

/// Whether a part of a program was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The program has no such part: safe to build a proof on.
    Absent,
    /// Read to its end.
    Read,
    /// There, but not read or not to its end: what was read stands, absence proves nothing.
    Damaged,
}

/// An embedded font program. Parsing reads directories only; the rest is read on first use and kept.
#[derive(Debug)]
pub struct Program {
    kind: ProgramKind,
    data: Box<[u8]>,
}

impl Program {
    /// Recognises and opens a program.
    pub fn parse(bytes: &[u8]) -> Result<Self, ProgramError> {
        if bytes.is_empty() {
            return Err(ProgramError::Empty);
        }
        Err(ProgramError::Unknown)
    }

    /// The kind its bytes have, whatever `/Subtype` says.
    pub fn kind(&self) -> ProgramKind {
        self.kind
    }

    /// Glyphs of the program; Gids at or above it draw nothing of it.
    pub fn n_glyphs(&self) -> u32 {
        0
    }

    /// SHA-256 of the decoded program, lower-case hex. Computed on first use.
    pub fn sha256(&self) -> &str {
        ""
    }

    /// Size of the decoded program.
    pub fn size_bytes(&self) -> usize {
        self.data.len()
    }

    /// Tags of the sfnt directory, sorted; empty for bare CFF and Type 1.
    pub fn tables(&self) -> &[[u8; 4]] {
        &[]
    }

    /// Whether the font's `cmap` table was read. `Absent` also when the table has no subtable.
    pub fn cmap_part(&self) -> Part {
        Part::Absent
    }

    /// Whether glyph names were read (post 1, 2, 2.5; CFF charset of a name-keyed font; Type 1 CharStrings).
    pub fn names_part(&self) -> Part {
        Part::Absent
    }

    /// Whether a cmap subtable of any kind was read.
    pub fn has_cmap(&self) -> bool {
        self.cmap_part() == Part::Read
    }

    /// Whether the program names its glyphs.
    pub fn has_names(&self) -> bool {
        self.names_part() == Part::Read
    }

    /// Whether what is not found here is not there: nothing damaged on the routes to Unicode, and outlines are there.
    pub fn proves_absence(&self) -> bool {
        false
    }

    /// The best character that a Unicode cmap subtable (platform 0, or 3 with encoding 1 or 10, or 3 with a legacy
    /// CJK encoding) maps to this glyph: not private use, not a compatibility character, then the lowest.
    pub fn unicode_of(&self, gid: Gid) -> Option<char> {
        self.unicodes_of(gid).first().copied()
    }

    /// All characters the Unicode subtables map to this glyph, best first (see [`Program::unicode_of`]).
    pub fn unicodes_of(&self, _gid: Gid) -> &[char] {
        &[]
    }

    /// The lowest code the symbol subtable (3, 0) maps to this glyph, as stored: F000–F0FF in most fonts.
    pub fn symbol_code_of(&self, _gid: Gid) -> Option<u16> {
        None
    }

    /// The lowest code the Macintosh Roman subtable (1, 0) maps to this glyph.
    pub fn mac_code_of(&self, _gid: Gid) -> Option<u8> {
        None
    }

    /// Whether any cmap subtable, of whatever platform, reaches this glyph.
    pub fn is_reached(&self, _gid: Gid) -> bool {
        false
    }

    /// Whether there is a Unicode subtable.
    pub fn has_unicode_cmap(&self) -> bool {
        false
    }

    /// Whether there is a symbol subtable (3, 0).
    pub fn has_symbol_cmap(&self) -> bool {
        false
    }

    /// Whether there is a Macintosh Roman subtable (1, 0).
    pub fn has_mac_cmap(&self) -> bool {
        false
    }

    /// The glyph of a character in the Unicode subtables; never glyph 0.
    pub fn gid_of_unicode(&self, _c: char) -> Option<Gid> {
        None
    }

    /// The glyph of a one-byte code in the symbol subtable: the code itself, then F000, F100 and F200 plus the code
    /// (ISO 32000-2, 9.6.5.4). Codes above FF are looked up as they are. Never glyph 0.
    pub fn gid_of_symbol(&self, _code: u16) -> Option<Gid> {
        None
    }

    /// The glyph of a code in the Macintosh Roman subtable; never glyph 0.
    pub fn gid_of_mac(&self, _code: u8) -> Option<Gid> {
        None
    }

    /// The name of a glyph. post 1 counts only in a program of exactly 258 glyphs: in others its names are not these glyphs'.
    pub fn glyph_name(&self, _gid: Gid) -> Option<&str> {
        None
    }

    /// The first glyph of that name.
    pub fn gid_of_name(&self, _name: &str) -> Option<Gid> {
        None
    }

    /// The glyph of a code in the built-in encoding of a Type 1 or name-keyed CFF program, supplements included.
    pub fn builtin_gid(&self, _code: u8) -> Option<Gid> {
        None
    }

    /// The glyph name of a code in the built-in encoding; `None` where the encoding has none or `.notdef`.
    pub fn builtin_name(&self, _code: u8) -> Option<&str> {
        None
    }

    /// Registry and ordering of a CID-keyed CFF program.
    pub fn ros(&self) -> Option<(&str, &str)> {
        None
    }

    /// Supplement of a CID-keyed CFF program.
    pub fn ros_supplement(&self) -> Option<i32> {
        None
    }

    /// The glyph of a CID: through the charset of a CID-keyed CFF program, the same number in all others.
    /// `None` past the last glyph.
    pub fn gid_of_cid(&self, _cid: Cid) -> Option<Gid> {
        None
    }

    /// The CID of a glyph: inverse of [`Program::gid_of_cid`].
    pub fn cid_of_gid(&self, _gid: Gid) -> Option<Cid> {
        None
    }

    /// Horizontal advance in em.
    pub fn advance(&self, _gid: Gid) -> Option<f32> {
        None
    }

    /// Whether the outline is empty; `None` where it cannot be read.
    pub fn is_blank(&self, _gid: Gid) -> Option<bool> {
        None
    }

    /// Glyphs a composite TrueType glyph is made of, or base and accent of a `seac`; empty for all others.
    pub fn components(&self, _gid: Gid) -> Vec<Gid> {
        Vec::new()
    }

    /// Hash of the outline: equal for equal outlines of one program (hinting left out), 0 for an empty one.
    pub fn outline_hash(&self, _gid: Gid) -> Option<u64> {
        None
    }

    /// Bounds of the outline `[x_min, y_min, x_max, y_max]` in em; `None` for an empty or unreadable one.
    pub fn bounds(&self, _gid: Gid) -> Option<[f32; 4]> {
        None
    }

    /// Design units of the em.
    pub fn units_per_em(&self) -> u32 {
        1000
    }

    /// Ascent in em (hhea, or the Type 1 or CFF font box), as far as it is plausible.
    pub fn ascent(&self) -> Option<f32> {
        None
    }

    /// Descent in em, negative below the baseline.
    pub fn descent(&self) -> Option<f32> {
        None
    }

    /// `fontRevision` of `head`.
    pub fn revision(&self) -> Option<f32> {
        None
    }

    /// Version of `post`: 1.0, 2.0, 2.5, 3.0 or 4.0.
    pub fn post_version(&self) -> Option<f32> {
        None
    }
}
