//! The font programs a PDF font can embed.

use super::cff::Cff;
use super::glyphs::Glyph;
use super::objects::StreamSpec;
use super::sfnt::Sfnt;
use super::type1::Type1Font;

/// An embedded font program.
#[derive(Debug, Clone)]
pub enum Program {
    /// TrueType outlines: `FontFile2`.
    TrueType(Sfnt),
    /// A `CFF ` table in the wrapper of another font, whose own outlines are left out.
    OpenType(Sfnt, Cff),
    /// Bare CFF: `FontFile3` as Type1C or CIDFontType0C.
    Cff(Cff),
    /// Type 1: `FontFile`.
    Type1(Type1Font),
    /// Any bytes under any key, with the glyphs they stand for.
    Raw {
        /// `FontFile`, `FontFile2` or `FontFile3`.
        key: &'static str,
        /// Entries of the stream's dictionary (`/Subtype /Type1C` …).
        entries: String,
        /// The program.
        bytes: Vec<u8>,
        /// Glyphs in GID order, as far as `show` needs them.
        glyphs: Vec<Glyph>,
    },
}

impl Program {
    /// The glyphs, in GID order.
    pub fn glyphs(&self) -> &[Glyph] {
        match self {
            Self::TrueType(sfnt) => sfnt.glyphs(),
            Self::OpenType(_, cff) | Self::Cff(cff) => cff.glyphs(),
            Self::Type1(font) => font.glyphs(),
            Self::Raw { glyphs, .. } => glyphs,
        }
    }

    /// The GID of a character's glyph.
    pub fn gid(&self, letter: char) -> Option<u16> {
        self.glyphs().iter().position(|glyph| glyph.letter == Some(letter)).map(|gid| gid as u16)
    }

    /// The CID by which a CIDFont without a map names a glyph: its charset's, else the GID.
    pub fn cid(&self, gid: u16) -> u16 {
        match self {
            Self::OpenType(_, cff) | Self::Cff(cff) => cff.cid(gid),
            _ => gid,
        }
    }

    /// Advance of a character in 1/1000 em.
    pub fn advance(&self, letter: char) -> Option<u16> {
        self.glyphs().iter().find(|glyph| glyph.letter == Some(letter)).map(|glyph| glyph.advance)
    }

    /// The key in the FontDescriptor and the stream under it.
    pub(super) fn stream(&self, is_composite: bool) -> (&'static str, StreamSpec) {
        match self {
            Self::TrueType(sfnt) => {
                let bytes = sfnt.build();
                ("FontFile2", StreamSpec::new(format!("/Length1 {}", bytes.len()), bytes))
            }
            Self::OpenType(sfnt, cff) => {
                ("FontFile3", StreamSpec::new("/Subtype /OpenType", sfnt.build_opentype(cff.build())))
            }
            Self::Cff(cff) => {
                let subtype = if is_composite { "CIDFontType0C" } else { "Type1C" };
                ("FontFile3", StreamSpec::new(format!("/Subtype /{subtype}"), cff.build()))
            }
            Self::Type1(font) => {
                let (bytes, [clear, cipher, end]) = font.build();
                let entries = format!("/Length1 {clear} /Length2 {cipher} /Length3 {end}");
                ("FontFile", StreamSpec::new(entries, bytes))
            }
            Self::Raw { key, entries, bytes, .. } => (key, StreamSpec::new(entries.clone(), bytes.clone())),
        }
    }

    /// Whether a composite font with it is a CIDFontType2.
    pub(super) fn is_truetype(&self) -> bool {
        matches!(self, Self::TrueType(_) | Self::Raw { key: "FontFile2", .. })
    }
}

impl From<Sfnt> for Program {
    fn from(sfnt: Sfnt) -> Self {
        Self::TrueType(sfnt)
    }
}

impl From<Cff> for Program {
    fn from(cff: Cff) -> Self {
        Self::Cff(cff)
    }
}

impl From<Type1Font> for Program {
    fn from(font: Type1Font) -> Self {
        Self::Type1(font)
    }
}
