//! What witnesses and the second stack ask of a font. Nothing here is cached: it is asked per font, not per glyph.

use super::font::{Font, Kind};
use super::program::Program;
use super::simple::Simple;
use super::{CharCode, Cid, Gid, names};

impl Font {
    /// The embedded program, read now if nothing has read it yet; `None` where there is none to read.
    pub(in crate::score) fn program(&self) -> Option<&Program> {
        self.program.get()
    }

    /// The program if something has read it already.
    #[cfg(test)]
    pub(in crate::score) fn program_if_read(&self) -> Option<&Program> {
        self.program.peek()
    }

    /// Whether a program is embedded, readable or not.
    pub(in crate::score) fn is_embedded(&self) -> bool {
        self.program.is_embedded()
    }

    /// Whether the font is composite.
    pub(in crate::score) fn is_composite(&self) -> bool {
        matches!(self.kind, Kind::Composite(_))
    }

    /// The glyph of the program that a code draws; `None` where no program is read or no glyph found.
    pub(in crate::score) fn gid(&self, code: CharCode, n_bytes: u8) -> Option<Gid> {
        let program = self.program()?;
        match &self.kind {
            Kind::Type3(..) => None,
            Kind::Composite(composite) => composite.gid(composite.cid(code, n_bytes)?, program),
            Kind::Simple(simple) => self.simple_gid(program, simple, u8::try_from(code.0).ok()?),
        }
    }

    /// The CID of a code of a composite font.
    pub(in crate::score) fn cid(&self, code: CharCode, n_bytes: u8) -> Option<Cid> {
        match &self.kind {
            Kind::Composite(composite) => composite.cid(code, n_bytes),
            _ => None,
        }
    }

    /// Up to `cap` codes of the ToUnicode map with their targets, in code order.
    pub(in crate::score) fn to_unicode_entries(&self, cap: usize) -> Vec<(u32, String)> {
        self.to_unicode.as_ref().map(|map| map.entries(cap)).unwrap_or_default()
    }

    /// The glyph name that the dictionary gives a code of a simple font: Differences, else the base encoding.
    pub(in crate::score) fn glyph_name(&self, code: CharCode) -> Option<&str> {
        let simple = self.as_simple()?;
        Some(simple.name(u8::try_from(code.0).ok()?)?.0)
    }

    /// The text of that name by the Adobe Glyph List.
    pub(in crate::score) fn glyph_name_text(&self, code: CharCode) -> Option<String> {
        names::unicode_of_name(self.glyph_name(code)?, self.as_simple()?.is_zapf())
    }

    /// The names of `/Differences` with their codes, in code order.
    pub(in crate::score) fn differences(&self) -> Vec<(u8, &str)> {
        let mut all: Vec<_> =
            self.as_simple().map(|simple| simple.differences().collect()).unwrap_or_default();
        all.sort_unstable();
        all
    }

    /// The width that the dictionary states for a code, in em: `/Widths`, or `/W` without its default.
    pub(in crate::score) fn stated_width(&self, code: CharCode, n_bytes: u8) -> Option<f32> {
        let width = match &self.kind {
            Kind::Composite(composite) => {
                composite.widths.stated(u32::from(composite.cid(code, n_bytes)?.0))?
            }
            Kind::Simple(simple) => simple.widths.get(code.0)?,
            Kind::Type3(simple, type3) => simple.widths.get(code.0)? * type3.matrix[0] * 1000.0,
        };
        Some(width / 1000.0)
    }

    /// Whether a CIDToGIDMap stream stands between CIDs and glyphs.
    pub(in crate::score) fn has_cid_to_gid_stream(&self) -> bool {
        matches!(&self.kind, Kind::Composite(composite) if composite.has_gid_stream())
    }

    /// Whether codes are CIDs (Identity-H or -V, named or by default).
    pub(in crate::score) fn is_identity_encoded(&self) -> bool {
        matches!(&self.kind, Kind::Composite(composite)
            if composite.code_map.predefined().is_some_and(|map| map.is_identity()))
    }

    fn as_simple(&self) -> Option<&Simple> {
        match &self.kind {
            Kind::Simple(simple) | Kind::Type3(simple, _) => Some(simple),
            Kind::Composite(_) => None,
        }
    }
}
