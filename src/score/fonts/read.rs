//! Font dictionary → [`Font`].

use super::certificates::Certificates;
use super::composite::Composite;
use super::dict::{self, Descriptor, Source};
use super::embedded::ProgramSlot;
use super::font::{Font, Kind};
use super::simple::{Simple, SimpleKind};
use super::table::GlyphTable;
use super::to_unicode::ToUnicode;
use super::type3::{self, Type3};
use crate::score::evidence::{Finding, FindingCode, FontFacts, ProgramKind, ToUnicodeKind};
use crate::score::pdf::{Decoded, Dict, Document, Object, decode_stream};

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

    fn read_to_unicode(&mut self) -> Option<ToUnicode> {
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
        let to_unicode = self.read_to_unicode();
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
