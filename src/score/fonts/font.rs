//! One font: reading its dictionary, and what others ask of it.

use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::cmap::Codespace;
use super::composite::Composite;
use super::dict::{self, Descriptor, Source};
use super::embedded::ProgramSlot;
use super::encodings::Encoding;
use super::names;
use super::program::Program;
use super::simple::{BaseEncoding, Simple, SimpleKind};
use super::standard14::Standard;
use super::symbols;
use super::table::GlyphTable;
use super::to_unicode::{TargetClass, ToUnicode, target_class};
use super::type3::{self, Type3};
use super::{CharCode, Cid, CodeClass, Gid, Glyph};
use crate::score::evidence::{Finding, FindingCode, FontFacts, ProgramKind, ToUnicodeKind};
use crate::score::pdf::{Decoded, Dict, Document, Object, decode_stream};

/// A font of one document. Cheap to share; glyphs are resolved on first use and kept.
#[derive(Debug)]
pub struct Font {
    pub(super) facts: FontFacts,
    pub(super) kind: Kind,
    pub(super) to_unicode: Option<ToUnicode>,
    pub(super) program: ProgramSlot,
    missing_width: f32,
    extent: (f32, f32),
    findings: Vec<Finding>,
    glyphs: GlyphTable,
    certificates: Certificates,
}

/// What a font is by the rules it follows.
#[derive(Debug)]
pub(super) enum Kind {
    Simple(Simple),
    Type3(Simple, Type3),
    Composite(Composite),
}

/// Doubtful routes that the program itself can vouch for, looked at once.
#[derive(Debug, Default)]
struct Certificates {
    mac_is_roman: OnceLock<bool>,
    symbol_is_latin: OnceLock<bool>,
}

impl Font {
    /// Reads a font dictionary. `name` is its name in reports (`4 0 R`, or `p1/F1`).
    ///
    /// Never fails: a missing or wrong `/Subtype` is guessed from the other keys, and what is damaged becomes
    /// a finding.
    pub fn read(dict: &Dict<'_>, document: &Document, name: String) -> Self {
        let source =
            Source { dict: dict.clone(), cap_bytes: document.limits.font_bytes, objects: document.objects() };
        let mut reading = Reading { source, findings: Vec::new() };
        let subtype = reading.subtype();
        let mut font = match subtype.as_str() {
            "Type0" | "CIDFontType0" | "CIDFontType2" => reading.composite(),
            "Type3" => reading.type3(),
            "TrueType" => reading.simple(SimpleKind::TrueType),
            "MMType1" => reading.simple(SimpleKind::MmType1),
            _ => reading.simple(SimpleKind::Type1),
        };
        font.facts.subtype = subtype;
        font.facts.font = name;
        font.findings = reading.findings;
        font.facts.signature = font.signature();
        font
    }

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
        // A whole ToUnicode needs no program, and none is inflated to find an empty outline.
        let blank = is_space
            || (decision.class != CodeClass::ReadSpec || self.program.peek().is_some())
                && self.outline_is_blank(code, n_bytes);
        let advance = self.advance(code, n_bytes, decision.text.as_deref());
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

    // ---- certificates of doubtful cmaps ----

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

/// A font on its way from dictionary to [`Font`].
struct Reading<'a> {
    source: Source<'a>,
    findings: Vec<Finding>,
}

impl Reading<'_> {
    fn finding(&mut self, code: FindingCode, detail: &str) {
        self.findings.push(Finding { page: None, code, detail: detail.to_owned() });
    }

    /// `/Subtype`, or what the other keys say where it is missing or no font's.
    fn subtype(&mut self) -> String {
        let dict = &self.source.dict;
        let stated = dict::name(dict, "Subtype").unwrap_or_default();
        let has = |key: &str| dict.contains_key(key);
        let guess = match stated.as_str() {
            "Type0" if !has("DescendantFonts") && !has("Encoding") => "Type1",
            "Type0" | "CIDFontType0" | "CIDFontType2" | "TrueType" | "Type1" | "MMType1" => return stated,
            "Type3" if type3::has_char_procs(dict) => return stated,
            _ if has("DescendantFonts") => "Type0",
            _ if type3::has_char_procs(dict) => "Type3",
            _ if dict::dict(dict, "FontDescriptor").is_some_and(|d| d.contains_key("FontFile2")) => {
                "TrueType"
            }
            _ => "Type1",
        };
        self.finding(FindingCode::FontDamaged, "font without a valid subtype");
        guess.to_owned()
    }

    fn to_unicode(&mut self) -> Option<ToUnicode> {
        let map = match self.source.dict.get::<Object<'_>>("ToUnicode")? {
            Object::Null(_) => return None,
            Object::Name(name) => ToUnicode::named(&dict::clean_name(&name)),
            Object::Stream(stream) => {
                let mut data = Vec::new();
                match decode_stream(&stream, self.source.cap_bytes, &mut data) {
                    Decoded::Unsupported => ToUnicode::unreadable(),
                    end => ToUnicode::parse(&data, end == Decoded::Complete),
                }
            }
            _ => ToUnicode::unreadable(),
        };
        if map.is_damaged() {
            self.finding(FindingCode::CMapDamaged, "ToUnicode map with unreadable entries");
        }
        Some(map)
    }

    fn simple(&mut self, kind: SimpleKind) -> Font {
        let descriptor = Descriptor::read(&self.source.dict, &self.source);
        let base_font = dict::name(&self.source.dict, "BaseFont").or_else(|| descriptor.font_name.clone());
        let mut facts = name_facts(base_font);
        let family = facts.family.clone().unwrap_or_default();
        let simple = Simple::read(&self.source.dict, kind, &family, &descriptor);
        facts.encoding = encoding_fact(&self.source.dict);
        self.finish(facts, Kind::Simple(simple), descriptor)
    }

    fn type3(&mut self) -> Font {
        let dict = &self.source.dict;
        let mut descriptor = Descriptor::read(dict, &self.source);
        descriptor.program = None;
        let name = dict::name(dict, "Name").or_else(|| dict::name(dict, "BaseFont"));
        let mut facts = name_facts(name.or_else(|| descriptor.font_name.clone()));
        let family = facts.family.clone().unwrap_or_default();
        let simple = Simple::read(dict, SimpleKind::Type3, &family, &Descriptor::default());
        facts.encoding = encoding_fact(dict);
        let type3 = Type3::read(dict, &self.source);
        self.finish(facts, Kind::Type3(simple, type3), descriptor)
    }

    fn composite(&mut self) -> Font {
        let font = self.source.dict.clone();
        let descendant = dict::first_dict(&font, "DescendantFonts");
        if descendant.is_none() {
            self.finding(FindingCode::FontDamaged, "composite font without a descendant");
        }
        let descendant = descendant.unwrap_or_else(|| font.clone());
        let mut descriptor = Descriptor::read(&descendant, &self.source);
        if descriptor.program.is_none() && font.contains_key("FontDescriptor") {
            descriptor = Descriptor::read(&font, &self.source);
        }
        let base_font = dict::name(&font, "BaseFont").or_else(|| dict::name(&descendant, "BaseFont"));
        let mut facts = name_facts(base_font.or_else(|| descriptor.font_name.clone()));
        facts.descendant = dict::name(&descendant, "Subtype");
        facts.encoding = encoding_fact(&font);
        let composite = Composite::read(&font, &descendant, &self.source);
        if !composite.sound {
            self.finding(FindingCode::CMapDamaged, "composite font without a readable CMap");
        }
        facts.ordering = composite.ordering.clone();
        self.finish(facts, Kind::Composite(composite), descriptor)
    }

    fn finish(&mut self, mut facts: FontFacts, kind: Kind, descriptor: Descriptor) -> Font {
        let to_unicode = self.to_unicode();
        facts.to_unicode = to_unicode.as_ref().map_or(ToUnicodeKind::Absent, ToUnicode::kind);
        let extent = match &kind {
            Kind::Type3(_, type3) => type3.vertical_extent(),
            _ => descriptor.vertical_extent(),
        };
        let program = ProgramSlot::new(descriptor.program);
        facts.program = match kind {
            Kind::Type3(..) => ProgramKind::Type3,
            _ => program.kind(),
        };
        Font {
            facts,
            kind,
            to_unicode,
            program,
            missing_width: descriptor.missing_width,
            extent: extent.unwrap_or((0.75, -0.25)),
            findings: Vec::new(),
            glyphs: GlyphTable::default(),
            certificates: Certificates::default(),
        }
    }
}

/// `/BaseFont` apart: subset tag (ISO 32000-2, 9.9.2) and family.
fn name_facts(base_font: Option<String>) -> FontFacts {
    let mut facts = FontFacts::default();
    if let Some(name) = base_font {
        let tag = name.split_once('+').filter(|(tag, family)| {
            tag.len() == 6 && tag.bytes().all(|b| b.is_ascii_uppercase()) && !family.is_empty()
        });
        let tag = tag.map(|(tag, family)| (tag.to_owned(), family.to_owned()));
        facts.family = Some(tag.as_ref().map_or_else(|| name.clone(), |(_, family)| family.clone()));
        facts.subset_tag = tag.map(|(tag, _)| tag);
        facts.base_font = Some(name);
    }
    facts
}

fn encoding_fact(font: &Dict<'_>) -> Option<String> {
    match font.get::<Object<'_>>("Encoding")? {
        Object::Name(name) => Some(dict::clean_name(&name)),
        Object::Stream(_) => Some("stream".to_owned()),
        Object::Dict(encoding) => match dict::name(&encoding, "BaseEncoding") {
            Some(base) if !encoding.contains_key("Differences") => Some(base),
            _ => Some("differences".to_owned()),
        },
        _ => None,
    }
}

// What the witnesses ask. Nothing here is cached: it is asked per font, not per glyph.
#[expect(dead_code, reason = "the witnesses are built beside this")]
impl Font {
    /// The embedded program, read now if nothing has read it yet; `None` where there is none to read.
    pub(in crate::score) fn program(&self) -> Option<&Program> {
        self.program.get()
    }

    /// As [`Font::program`], to be kept.
    pub(in crate::score) fn shared_program(&self) -> Option<Arc<Program>> {
        self.program.shared()
    }

    /// The program if something has read it already.
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

    /// Whether the font is flagged symbolic (simple fonts), or a standard symbol font.
    pub(in crate::score) fn is_symbolic(&self) -> bool {
        match &self.kind {
            Kind::Simple(simple) | Kind::Type3(simple, _) => simple.is_symbolic,
            Kind::Composite(_) => symbols::is_symbol_set(self.family()),
        }
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

    /// The target of a code in the ToUnicode map, empty and forbidden ones included.
    pub(in crate::score) fn to_unicode_target(&self, code: CharCode) -> Option<String> {
        self.to_unicode.as_ref()?.lookup(code)
    }

    /// Statistics over the keys of the ToUnicode map.
    pub(in crate::score) fn to_unicode_keys(&self) -> Option<super::ToUnicodeKeys> {
        self.to_unicode.as_ref().map(ToUnicode::keys)
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

    /// Lowest and highest CID (or code of a simple font) with a stated width, and how many have one.
    pub(in crate::score) fn width_range(&self) -> Option<(u32, u32, u64)> {
        match &self.kind {
            Kind::Composite(composite) => composite.widths.range(),
            Kind::Simple(simple) | Kind::Type3(simple, _) => {
                let (first, last) = simple.widths.range()?;
                Some((first, last, u64::from(last - first) + 1))
            }
        }
    }

    /// Advance of a character in the standard font that this font's family name means, in em.
    pub(in crate::score) fn standard_width(&self, c: char) -> Option<f32> {
        Some(f32::from(self.standard()?.latin_width(c)?) / 1000.0)
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

    /// The object of a code's glyph procedure, of a Type 3 font.
    pub(in crate::score) fn char_proc(&self, code: CharCode) -> Option<crate::score::pdf::ObjectIdentifier> {
        match &self.kind {
            Kind::Type3(_, type3) => type3.proc_id(self.glyph_name(code)?),
            _ => None,
        }
    }

    /// Number of glyph procedures of a Type 3 font.
    pub(in crate::score) fn n_char_procs(&self) -> usize {
        match &self.kind {
            Kind::Type3(_, type3) => type3.n_procs(),
            _ => 0,
        }
    }

    /// Whether the base encoding is named by the dictionary.
    pub(in crate::score) fn has_named_encoding(&self) -> bool {
        self.as_simple().is_some_and(|simple| matches!(simple.base, BaseEncoding::Named(_)))
    }

    fn as_simple(&self) -> Option<&Simple> {
        match &self.kind {
            Kind::Simple(simple) | Kind::Type3(simple, _) => Some(simple),
            Kind::Composite(_) => None,
        }
    }
}
