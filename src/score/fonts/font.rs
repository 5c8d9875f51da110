//! One font: codes, glyphs and facts.

use super::certificates::Certificates;
use super::cmap::Codespace;
use super::composite::Composite;
use super::embedded::ProgramSlot;
use super::encodings::Encoding;
use super::names;
use super::simple::{BaseEncoding, Simple};
use super::standard14::Standard;
use super::table::GlyphTable;
use super::to_unicode::{TargetClass, ToUnicode, target_class};
use super::type3::Type3;
use super::{CharCode, CodeClass, Gid, Glyph};
use crate::score::evidence::{Finding, FindingCode, FontFacts, ProgramKind, ToUnicodeKind};

/// A font of one document. Cheap to share; glyphs are resolved on first use and kept.
#[derive(Debug)]
pub struct Font {
    pub(super) facts: FontFacts,
    pub(super) kind: Kind,
    pub(super) to_unicode: Option<ToUnicode>,
    pub(super) program: ProgramSlot,
    pub(super) missing_width: f32,
    pub(super) extent: (f32, f32),
    pub(super) findings: Vec<Finding>,
    pub(super) glyphs: GlyphTable,
    pub(super) certificates: Certificates,
}

/// What a font is by the rules it follows.
#[derive(Debug)]
pub(super) enum Kind {
    Simple(Simple),
    Type3(Simple, Type3),
    Composite(Composite),
}

impl Font {
    /// What was read, before any verdict. `to_unicode` speaks of the map alone until the drawn codes are known.
    pub fn facts(&self) -> &FontFacts {
        &self.facts
    }

    /// The facts, with `to_unicode` judged against the codes that are drawn (code, length in bytes, visible
    /// glyphs), and those of the program where it was read.
    pub fn facts_for(&self, drawn: &[(CharCode, u8, u32)]) -> FontFacts {
        let mut facts = self.facts.clone();
        facts.to_unicode = self.to_unicode_for(drawn);
        facts.program = self.program_kind();
        if let Some(program) = self.program.peek() {
            facts.program_sha256 = Some(program.sha256().to_owned());
            facts.has_cmap = program.has_cmap();
            facts.has_post_names = program.has_names();
        }
        facts.signature = self.signature();
        facts
    }

    fn to_unicode_for(&self, drawn: &[(CharCode, u8, u32)]) -> ToUnicodeKind {
        let (Some(map), ToUnicodeKind::Usable) = (&self.to_unicode, self.facts.to_unicode) else {
            return self.facts.to_unicode;
        };
        let lacks = |&&(code, n_bytes, visible): &&(CharCode, u8, u32)| {
            visible > 0
                && map.lookup(code).is_none_or(|text| target_class(&text) != TargetClass::Plausible)
                && !self.glyph(code, n_bytes).blank
        };
        if drawn.iter().any(|code| lacks(&code)) { ToUnicodeKind::Partial } else { ToUnicodeKind::Usable }
    }

    /// Splits a shown string into codes and their length in bytes (ISO 32000-2, 9.4.3 and 9.7.6.2).
    #[inline]
    pub fn codes<'s>(&'s self, string: &'s [u8]) -> impl Iterator<Item = (CharCode, u8)> + 's {
        match &self.kind {
            Kind::Composite(composite) => composite.code_map.codespace().codes(string),
            _ => ONE_BYTE.codes(string),
        }
    }

    /// Resolves one code. Resolved once, then read without a lock: call it per drawn glyph.
    #[inline]
    pub fn glyph(&self, code: CharCode, n_bytes: u8) -> &Glyph {
        self.glyphs.get(code, n_bytes, || self.resolve(code, n_bytes))
    }

    #[doc(hidden)]
    pub fn debug_name(&self, code: CharCode) -> Option<String> {
        self.glyph_name(code)
            .map(str::to_owned)
            .or_else(|| self.program()?.builtin_name(u8::try_from(code.0).ok()?).map(str::to_owned))
    }

    /// Whether the font writes vertically.
    pub fn is_vertical(&self) -> bool {
        matches!(&self.kind, Kind::Composite(composite) if composite.code_map.is_vertical())
    }

    /// Ascent and descent in text space units, for boxes; (0.75, -0.25) where unknown.
    pub fn vertical_extent(&self) -> (f32, f32) {
        self.extent
    }

    /// Damage seen while reading dictionary and program.
    pub fn findings(&self) -> Vec<Finding> {
        let mut findings = self.findings.clone();
        if let Some(error) = self.program.error() {
            findings.push(Finding {
                page: None,
                code: FindingCode::FontProgramDamaged,
                detail: format!("font {}: {error}", self.facts.font),
            });
        }
        findings
    }

    fn resolve(&self, code: CharCode, n_bytes: u8) -> Glyph {
        let decision = self.decide(code, n_bytes);
        let text = decision.text.as_deref().unwrap_or_default();
        let is_space = !text.is_empty() && text.chars().all(is_blank_char);
        // A whole ToUnicode needs no program, and none is inflated to find an empty outline; nor may it matter whether
        // another page has read the program before. Only a map that calls everything a space is not believed.
        let blank = if is_space && self.to_unicode.as_ref().is_some_and(ToUnicode::claims_many_spaces) {
            self.program().is_some() && self.outline_is_blank(code, n_bytes)
        } else {
            is_space || decision.class != CodeClass::ReadSpec && self.outline_is_blank(code, n_bytes)
        };
        let advance = self.advance(code, n_bytes, decision.text.as_deref());
        // Bitmap fonts of TeX advance by hundreds at size 1; beyond a hundred thousand nothing is drawn on any page.
        let advance = if advance.is_finite() { advance.clamp(-1e5, 1e5) } else { 0.0 };
        Glyph { advance, route: decision.into(), blank }
    }

    fn outline_is_blank(&self, code: CharCode, n_bytes: u8) -> bool {
        match &self.kind {
            Kind::Type3(simple, type3) => {
                let name = u8::try_from(code.0).ok().and_then(|code| simple.name(code));
                name.is_none_or(|(name, _)| !type3.has_proc(name) || type3.is_blank(name) == Some(true))
            }
            _ => {
                let Some(program) = self.program() else { return self.draws_nothing(code) };
                let gid = self.gid(code, n_bytes).unwrap_or(Gid(0));
                u32::from(gid.0) >= program.n_glyphs() || program.is_blank(gid) == Some(true)
            }
        }
    }

    /// Whether a code has no name in a font that is not embedded: no reader draws anything for it.
    fn draws_nothing(&self, code: CharCode) -> bool {
        match (&self.kind, u8::try_from(code.0)) {
            (Kind::Simple(simple), Ok(code)) => {
                !self.is_embedded() && simple.base != BaseEncoding::None && simple.name(code).is_none()
            }
            _ => false,
        }
    }

    fn advance(&self, code: CharCode, n_bytes: u8, text: Option<&str>) -> f32 {
        match &self.kind {
            Kind::Composite(composite) => {
                let cid = composite.cid(code, n_bytes).map_or(0, |cid| u32::from(cid.0));
                let widths = &composite.widths;
                let width = if self.is_vertical() { widths.vertical(cid) } else { widths.horizontal(cid) };
                width / 1000.0
            }
            Kind::Type3(simple, type3) => {
                simple.widths.get(code.0).unwrap_or(0.0) * type3.matrix[0].abs().max(type3.matrix[1].abs())
            }
            Kind::Simple(simple) => self.simple_advance(simple, code, n_bytes, text),
        }
    }

    /// The stated width; where none is stated that of the standard font, of the program, or of a substitute.
    fn simple_advance(&self, simple: &Simple, code: CharCode, n_bytes: u8, text: Option<&str>) -> f32 {
        if !simple.widths.is_empty() {
            return simple.widths.get(code.0).unwrap_or(self.missing_width) / 1000.0;
        }
        if let Some(standard) = simple.standard.filter(|_| !self.is_embedded()) {
            let builtin = u8::try_from(code.0).ok().and_then(|code| standard.builtin_width(code));
            let latin = || standard.latin_width(text?.chars().next()?);
            return builtin.or_else(latin).map_or(self.missing_width, f32::from) / 1000.0;
        }
        let by_program = || self.program()?.advance(self.gid(code, n_bytes)?);
        let substitute = || {
            let width = Standard::Helvetica.latin_width(text?.chars().next()?)?;
            Some(f32::from(width) / 1000.0)
        };
        by_program().or_else(substitute).unwrap_or(self.missing_width / 1000.0)
    }

    fn program_kind(&self) -> ProgramKind {
        match self.kind {
            Kind::Type3(..) => ProgramKind::Type3,
            _ => self.program.kind(),
        }
    }

    pub(super) fn to_unicode_kind(&self) -> ToUnicodeKind {
        self.facts.to_unicode
    }

    /// The name without subset tag; empty where there is none.
    pub(super) fn family(&self) -> &str {
        self.facts.family.as_deref().unwrap_or_default()
    }

    pub(super) fn standard(&self) -> Option<Standard> {
        match &self.kind {
            Kind::Simple(simple) | Kind::Type3(simple, _) => simple.standard,
            Kind::Composite(_) => Standard::from_name(self.family()),
        }
    }
}

static ONE_BYTE: Codespace = Codespace::OneByte;

/// Characters that leave no mark.
fn is_blank_char(c: char) -> bool {
    // U+0085 is no space but a control in all that fonts say.
    (c.is_whitespace() && c != '\u{85}')
        || matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{202A}'..='\u{202E}')
}

/// The text of a Mac OS Roman code.
pub(super) fn mac_text(code: u8) -> Option<String> {
    names::unicode_of_name(Encoding::MacRoman.name(code)?, false)
}

/// The text of a Windows code; unused codes are none.
pub(super) fn win_ansi_text(code: u8) -> Option<String> {
    let name = Encoding::WinAnsi.name(code).filter(|&name| name != "bullet" || code == 0x95)?;
    names::unicode_of_name(name, false)
}
