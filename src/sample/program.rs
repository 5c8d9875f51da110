//! The font programs a PDF font can embed.

use super::glyphs::Glyph;
use super::objects::StreamSpec;
use super::sfnt::Sfnt;

/// An embedded font program.
#[derive(Debug, Clone)]
pub enum Program {
    /// TrueType outlines: `FontFile2`.
    TrueType(Sfnt),
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
            Self::Raw { glyphs, .. } => glyphs,
        }
    }

    /// The GID of a character's glyph.
    pub fn gid(&self, letter: char) -> Option<u16> {
        self.glyphs().iter().position(|glyph| glyph.letter == Some(letter)).map(|gid| gid as u16)
    }

    /// The CID by which a CIDFont without a map names a glyph: its charset's, else the GID.
    pub fn cid(&self, gid: u16) -> u16 {
        gid
    }

    /// Advance of a character in 1/1000 em.
    pub fn advance(&self, letter: char) -> Option<u16> {
        self.glyphs().iter().find(|glyph| glyph.letter == Some(letter)).map(|glyph| glyph.advance)
    }

    /// The key in the FontDescriptor and the stream under it.
    pub(super) fn stream(&self) -> (&'static str, StreamSpec) {
        match self {
            Self::TrueType(sfnt) => {
                let bytes = sfnt.build();
                ("FontFile2", StreamSpec::new(format!("/Length1 {}", bytes.len()), bytes))
            }
            Self::Raw { key, entries, bytes, .. } => (key, StreamSpec::new(entries.clone(), bytes.clone())),
        }
    }

    /// Whether a composite font with it is a CIDFontType2.
    pub(super) fn is_truetype(&self) -> bool {
        self.stream_key() == "FontFile2"
    }

    fn stream_key(&self) -> &'static str {
        match self {
            Self::TrueType(_) => "FontFile2",
            Self::Raw { key, .. } => key,
        }
    }
}

impl From<Sfnt> for Program {
    fn from(sfnt: Sfnt) -> Self {
        Self::TrueType(sfnt)
    }
}
