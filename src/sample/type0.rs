//! Composite fonts.

use std::collections::BTreeMap;

use hayro_cmap::{CMap, CMapName};

use super::font::descriptor;
use super::letters;
use super::objects::{Objects, StreamSpec, name};
use super::program::Program;
use super::to_unicode::ToUnicode;

/// A Type0 font with its one descendant.
#[derive(Debug, Clone)]
pub struct Type0 {
    base_font: String,
    encoding: Encoding,
    system_info: (String, String, u32),
    program: Option<Program>,
    cid_to_gid: CidToGid,
    to_unicode: ToUnicode,
    codes: BTreeMap<char, Vec<u8>>,
    default_width: Option<u16>,
    widths: bool,
    flags: u32,
    descendant: Option<String>,
    entries: String,
}

#[derive(Debug, Clone)]
enum Encoding {
    Name(String),
    Stream(StreamSpec),
}

/// The `/CIDToGIDMap` of a CIDFontType2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CidToGid {
    /// No entry (the default is Identity).
    Absent,
    /// The name Identity.
    Identity,
    /// A stream; CIDs are the characters' code points.
    UnicodeCids,
    /// A stream; CID = GID + this.
    Moved(u16),
}

impl Type0 {
    /// Identity-H over an embedded program; Adobe-Identity, no ToUnicode.
    pub fn identity_h(program: impl Into<Program>) -> Self {
        let program = program.into();
        let cid_to_gid = if program.is_truetype() { CidToGid::Identity } else { CidToGid::Absent };
        Self {
            program: Some(program),
            cid_to_gid,
            ..Self::not_embedded("AAAAAA+Sub", "Identity-H", "Identity")
        }
    }

    /// A predefined CMap and an ordering (`GB1`, `Japan1` …), no program.
    pub fn not_embedded(base_font: &str, cmap: &str, ordering: &str) -> Self {
        Self {
            base_font: base_font.into(),
            encoding: Encoding::Name(cmap.into()),
            system_info: ("Adobe".into(), ordering.into(), 0),
            program: None,
            cid_to_gid: CidToGid::Absent,
            to_unicode: ToUnicode::Absent,
            codes: BTreeMap::new(),
            default_width: None,
            widths: true,
            flags: 4,
            descendant: None,
            entries: String::new(),
        }
    }

    /// Another `/BaseFont`.
    pub fn base_font(mut self, name: &str) -> Self {
        self.base_font = name.into();
        self
    }

    /// Another `/Encoding` by name.
    pub fn encoding(mut self, cmap: &str) -> Self {
        self.encoding = Encoding::Name(cmap.into());
        self
    }

    /// An embedded CMap.
    pub fn encoding_stream(mut self, cmap: StreamSpec) -> Self {
        self.encoding = Encoding::Stream(cmap);
        self
    }

    /// Registry, ordering and supplement of the descendant.
    pub fn system_info(mut self, registry: &str, ordering: &str, supplement: u32) -> Self {
        self.system_info = (registry.into(), ordering.into(), supplement);
        self
    }

    /// A ToUnicode map.
    pub fn to_unicode(mut self, to_unicode: ToUnicode) -> Self {
        self.to_unicode = to_unicode;
        self
    }

    /// A CIDToGIDMap.
    pub fn cid_to_gid(mut self, map: CidToGid) -> Self {
        self.cid_to_gid = map;
        self
    }

    /// Codes of characters that the font would not find itself.
    pub fn codes(mut self, codes: impl IntoIterator<Item = (char, u16)>) -> Self {
        self.codes.extend(codes.into_iter().map(|(letter, code)| (letter, code.to_be_bytes().to_vec())));
        self
    }

    /// `/DW` of this, and no `/W`.
    pub fn default_width(mut self, width: u16) -> Self {
        self.default_width = Some(width);
        self.widths = false;
        self
    }

    /// FontDescriptor flags (4 symbolic, 32 non-symbolic).
    pub fn flags(mut self, flags: u32) -> Self {
        self.flags = flags;
        self
    }

    /// Another `/Subtype` of the descendant than the program asks for.
    pub fn descendant(mut self, subtype: &str) -> Self {
        self.descendant = Some(subtype.into());
        self
    }

    /// More entries of the Type0 dictionary.
    pub fn entries(mut self, entries: &str) -> Self {
        self.entries.push_str(entries);
        self
    }

    /// The code of a character, as bytes.
    pub fn code(&self, letter: char) -> Option<Vec<u8>> {
        if let Some(code) = self.codes.get(&letter) {
            return Some(code.clone());
        }
        match &self.encoding {
            Encoding::Name(cmap) if !cmap.starts_with("Identity") => predefined_code(cmap, letter),
            _ => self.cid(letter).map(|cid| cid.to_be_bytes().to_vec()),
        }
    }

    fn cid(&self, letter: char) -> Option<u16> {
        if self.cid_to_gid == CidToGid::UnicodeCids {
            return u16::try_from(letter as u32).ok();
        }
        match &self.program {
            Some(program) => {
                let cid = program.cid(program.gid(letter)?);
                match self.cid_to_gid {
                    CidToGid::Moved(by) => cid.checked_add(by),
                    _ => Some(cid),
                }
            }
            None => collection_cid(&self.system_info.1, letter),
        }
    }

    pub(super) fn advance(&self, letter: char) -> u16 {
        match (&self.program, self.default_width) {
            (_, Some(width)) => width,
            (Some(program), _) => program.advance(letter).unwrap_or_else(|| letters::advance(letter)),
            (None, _) if self.system_info.1 == "Identity" => letters::advance(letter),
            _ => 1000,
        }
    }

    /// Every code the font is known to have, with its character.
    fn known_codes(&self) -> Vec<(u32, char)> {
        let letters =
            self.program.iter().flat_map(|program| program.glyphs()).filter_map(|glyph| glyph.letter);
        let mut codes: Vec<(u32, char)> = letters
            .chain(self.codes.keys().copied())
            .filter_map(|letter| Some((big_endian(&self.code(letter)?), letter)))
            .collect();
        codes.sort_unstable();
        codes.dedup();
        codes
    }

    pub(super) fn write(&self, objects: &mut Objects) -> String {
        let base_font = name(&self.base_font);
        let encoding = match &self.encoding {
            Encoding::Name(cmap) => name(cmap),
            Encoding::Stream(stream) => objects.add_stream(stream).to_string(),
        };
        let to_unicode = self.to_unicode.write(objects, &self.known_codes(), 2);
        let to_unicode = to_unicode.map(|value| format!("/ToUnicode {value}")).unwrap_or_default();
        let descendant = self.write_descendant(objects);
        format!(
            "<< /Type /Font /Subtype /Type0 /BaseFont {base_font} /Encoding {encoding} \
             /DescendantFonts [{descendant}] {to_unicode} {} >>",
            self.entries
        )
    }

    fn write_descendant(&self, objects: &mut Objects) -> String {
        let file = self.program.as_ref().map(|program| {
            let (key, stream) = program.stream(true);
            format!("/{key} {}", objects.add_stream(&stream))
        });
        let descriptor = descriptor(objects, &self.base_font, self.flags, file);
        let map = match self.cid_to_gid {
            CidToGid::Absent => String::new(),
            CidToGid::Identity => "/CIDToGIDMap /Identity".into(),
            CidToGid::UnicodeCids | CidToGid::Moved(_) => {
                format!("/CIDToGIDMap {}", objects.add_stream(&StreamSpec::new("", self.cid_to_gid_stream())))
            }
        };
        let is_truetype = match &self.program {
            Some(program) => program.is_truetype(),
            None => self.system_info.1 == "Identity",
        };
        let subtype = match &self.descendant {
            Some(subtype) => subtype.as_str(),
            None if is_truetype => "CIDFontType2",
            None => "CIDFontType0",
        };
        let (registry, ordering, supplement) = &self.system_info;
        let (registry, ordering) =
            (super::objects::text_string(registry), super::objects::text_string(ordering));
        let default_width = self.default_width.unwrap_or(1000);
        objects
            .add(format!(
                "<< /Type /Font /Subtype /{subtype} /BaseFont {} /CIDSystemInfo << /Registry {registry} /Ordering \
                 {ordering} /Supplement {supplement} >> /FontDescriptor {descriptor} /DW {default_width} {} {map} >>",
                name(&self.base_font),
                self.width_array(),
            ))
            .to_string()
    }

    fn width_array(&self) -> String {
        if !self.widths {
            return String::new();
        }
        let of_program =
            self.program.iter().flat_map(|program| program.glyphs()).filter_map(|glyph| glyph.letter);
        let by_cid = of_program.filter_map(|letter| Some((self.cid(letter)?, self.advance(letter))));
        // Under Identity a code is its CID, which tells the widths of fonts that are not embedded.
        let is_identity = matches!(&self.encoding, Encoding::Name(cmap) if cmap.starts_with("Identity"));
        let named: String = match (&self.program, is_identity && self.system_info.1 == "Identity") {
            (None, true) => super::glyphs::latin_letters(),
            _ => String::new(),
        };
        let given = self.codes.keys().copied().filter(|_| is_identity).chain(named.chars());
        let by_code =
            given.filter_map(|letter| Some((big_endian(&self.code(letter)?) as u16, self.advance(letter))));
        let widths: BTreeMap<u16, u16> = by_cid.chain(by_code).collect();
        let entries: Vec<String> = widths.iter().map(|(cid, width)| format!("{cid} [{width}]")).collect();
        if entries.is_empty() { String::new() } else { format!("/W [{}]", entries.join(" ")) }
    }

    fn cid_to_gid_stream(&self) -> Vec<u8> {
        let glyphs = self.program.iter().flat_map(|program| program.glyphs()).enumerate();
        let pairs: Vec<(u16, u16)> =
            glyphs.filter_map(|(gid, glyph)| Some((self.cid(glyph.letter?)?, gid as u16))).collect();
        let n_cids = pairs.iter().map(|pair| usize::from(pair.0) + 1).max().unwrap_or(0);
        let mut map = vec![0; n_cids * 2];
        for (cid, gid) in pairs {
            map[usize::from(cid) * 2..][..2].copy_from_slice(&gid.to_be_bytes());
        }
        map
    }
}

fn big_endian(code: &[u8]) -> u32 {
    code.iter().fold(0, |value, &byte| value << 8 | u32::from(byte))
}

/// The code of a character under a predefined CMap.
fn predefined_code(cmap: &str, letter: char) -> Option<Vec<u8>> {
    if cmap.contains("UTF32") {
        return Some((letter as u32).to_be_bytes().to_vec());
    }
    if cmap.contains("UTF8") {
        return Some(letter.to_string().into_bytes());
    }
    if cmap.contains("UCS2") || cmap.contains("UTF16") {
        return Some(letter.encode_utf16(&mut [0; 2]).iter().flat_map(|unit| unit.to_be_bytes()).collect());
    }
    let encoding = if cmap.contains("RKSJ") {
        encoding_rs::SHIFT_JIS
    } else if cmap.starts_with("GB") {
        encoding_rs::GBK
    } else if cmap.starts_with("KSC") {
        encoding_rs::EUC_KR
    } else if cmap.starts_with("EUC") {
        encoding_rs::EUC_JP
    } else {
        encoding_rs::BIG5
    };
    let mut utf8 = [0; 4];
    let (bytes, _, unmappable) = encoding.encode(letter.encode_utf8(&mut utf8));
    (!unmappable).then(|| bytes.into_owned())
}

/// The CID of a character in a collection; without one, the GID it has in fonts of the Mac glyph order.
fn collection_cid(ordering: &str, letter: char) -> Option<u16> {
    let cmap: &[u8] = match ordering {
        "GB1" => b"UniGB-UTF16-H",
        "CNS1" => b"UniCNS-UTF16-H",
        "Japan1" => b"UniJIS-UTF16-H",
        "Korea1" => b"UniKS-UTF16-H",
        "KR" => b"UniAKR-UTF16-H",
        _ => return u16::try_from(letter as u32).ok()?.checked_sub(29),
    };
    let cmap =
        CMap::parse(hayro_cmap::load_embedded(CMapName::from_bytes(cmap))?, hayro_cmap::load_embedded)?;
    u16::try_from(cmap.lookup_cid_code(letter as u32, 2)?).ok()
}
