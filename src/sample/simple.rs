//! Simple fonts: Type1, MMType1 and TrueType.

use std::collections::BTreeMap;

use super::font::descriptor;
use super::letters;
use super::objects::{Objects, name};
use super::program::Program;
use super::to_unicode::ToUnicode;

/// A font whose codes are bytes.
#[derive(Debug, Clone)]
pub struct Simple {
    subtype: &'static str,
    base_font: String,
    program: Option<Program>,
    base_encoding: Option<String>,
    differences: BTreeMap<u8, String>,
    flags: u32,
    to_unicode: ToUnicode,
    codes: BTreeMap<char, u8>,
    own_codes_only: bool,
    widths: bool,
    has_descriptor: bool,
}

impl Simple {
    /// An embedded TrueType font: non-symbolic, WinAnsiEncoding.
    pub fn truetype(program: impl Into<Program>) -> Self {
        Self { program: Some(program.into()), ..Self::not_embedded("TrueType", "AAAAAA+Sub") }
    }

    /// An embedded Type 1 program, bare CFF or OpenType: non-symbolic, WinAnsiEncoding.
    pub fn type1(program: impl Into<Program>) -> Self {
        Self { program: Some(program.into()), ..Self::not_embedded("Type1", "AAAAAA+Sub") }
    }

    /// One of the 14 standard fonts: WinAnsiEncoding for text, the built-in one for Symbol and ZapfDingbats.
    pub fn standard14(base_font: &str) -> Self {
        let is_symbol = matches!(base_font, "Symbol" | "ZapfDingbats");
        let font = Self { has_descriptor: false, widths: false, ..Self::not_embedded("Type1", base_font) };
        if is_symbol { font.no_encoding() } else { font }
    }

    /// A font that is only named; `subtype` is `Type1`, `MMType1` or `TrueType`.
    pub fn not_embedded(subtype: &'static str, base_font: &str) -> Self {
        Self {
            subtype,
            base_font: base_font.into(),
            program: None,
            base_encoding: Some("WinAnsiEncoding".into()),
            differences: BTreeMap::new(),
            flags: 32,
            to_unicode: ToUnicode::Absent,
            codes: BTreeMap::new(),
            own_codes_only: false,
            widths: true,
            has_descriptor: true,
        }
    }

    /// Another `/Subtype` (`MMType1`).
    pub fn subtype(mut self, subtype: &'static str) -> Self {
        self.subtype = subtype;
        self
    }

    /// Another `/BaseFont`.
    pub fn base_font(mut self, name: &str) -> Self {
        self.base_font = name.into();
        self
    }

    /// FontDescriptor flags: 4 symbolic, 32 non-symbolic.
    pub fn flags(mut self, flags: u32) -> Self {
        self.flags = flags;
        self
    }

    /// Symbolic, without `/Encoding`.
    pub fn symbolic(self) -> Self {
        self.no_encoding().flags(4)
    }

    /// No base encoding; with Differences the dictionary has none, without them there is no `/Encoding`.
    pub fn no_encoding(mut self) -> Self {
        self.base_encoding = None;
        self
    }

    /// Another base encoding.
    pub fn encoding(mut self, base: &str) -> Self {
        self.base_encoding = Some(base.into());
        self
    }

    /// `/Differences`: names of codes.
    pub fn differences<'n>(mut self, names: impl IntoIterator<Item = (u8, &'n str)>) -> Self {
        self.differences.extend(names.into_iter().map(|(code, name)| (code, name.to_owned())));
        self
    }

    /// `/Differences` for every code set by [`Simple::codes`], named by its character.
    pub fn named(mut self, name_of: impl Fn(char, u8) -> String) -> Self {
        self.differences = self.codes.iter().map(|(&letter, &code)| (code, name_of(letter, code))).collect();
        self
    }

    /// Codes of characters; others keep those of Windows-1252.
    pub fn codes(mut self, codes: impl IntoIterator<Item = (char, u8)>) -> Self {
        self.codes.extend(codes);
        self
    }

    /// Codes from `first` upwards for these characters, and no others: a subset in order of first use.
    pub fn codes_from(mut self, first: u8, letters: &str) -> Self {
        for letter in letters.chars() {
            let next = first as usize + self.codes.len();
            if let Ok(code) = u8::try_from(next) {
                self.codes.entry(letter).or_insert(code);
            }
        }
        self.own_codes_only = true;
        self
    }

    /// A ToUnicode map.
    pub fn to_unicode(mut self, to_unicode: ToUnicode) -> Self {
        self.to_unicode = to_unicode;
        self
    }

    /// No `/Widths`, `/FirstChar` and `/LastChar`.
    pub fn without_widths(mut self) -> Self {
        self.widths = false;
        self
    }

    /// The code of a character.
    pub fn code(&self, letter: char) -> Option<u8> {
        if let Some(&code) = self.codes.get(&letter) {
            return Some(code);
        }
        if self.own_codes_only {
            return None;
        }
        let encoding = match self.base_encoding.as_deref() {
            Some("MacRomanEncoding") => encoding_rs::MACINTOSH,
            _ => encoding_rs::WINDOWS_1252,
        };
        let mut utf8 = [0; 4];
        let (bytes, _, unmappable) = encoding.encode(letter.encode_utf8(&mut utf8));
        (!unmappable).then(|| bytes[0])
    }

    pub(super) fn advance(&self, letter: char) -> u16 {
        let own = self.program.as_ref().and_then(|program| program.advance(letter));
        own.unwrap_or_else(
            || if self.base_font.starts_with("Courier") { 600 } else { letters::advance(letter) },
        )
    }

    fn known_codes(&self) -> Vec<(u32, char)> {
        let of_program: Vec<char> = self
            .program
            .iter()
            .flat_map(|program| program.glyphs())
            .filter_map(|glyph| glyph.letter)
            .collect();
        let letters: Vec<char> = match (self.own_codes_only, self.program.is_some()) {
            (true, _) => Vec::new(),
            (false, true) => of_program,
            (false, false) => (' '..='~').collect(),
        };
        let mut codes: Vec<(u32, char)> = letters
            .into_iter()
            .chain(self.codes.keys().copied())
            .filter_map(|letter| Some((u32::from(self.code(letter)?), letter)))
            .collect();
        codes.sort_unstable();
        codes.dedup_by_key(|entry| entry.0);
        codes
    }

    pub(super) fn write(&self, objects: &mut Objects) -> String {
        let codes = self.known_codes();
        let mut entries = format!("/BaseFont {}", name(&self.base_font));
        entries.push_str(&self.encoding_entry());
        if self.widths {
            entries.push_str(&self.width_entries(&codes));
        }
        if self.has_descriptor {
            let file = self.program.as_ref().map(|program| {
                let (key, stream) = program.stream(false);
                format!("/{key} {}", objects.add_stream(&stream))
            });
            let descriptor = descriptor(objects, &self.base_font, self.flags, file);
            entries.push_str(&format!(" /FontDescriptor {descriptor}"));
        }
        if let Some(value) = self.to_unicode.write(objects, &codes, 1) {
            entries.push_str(&format!(" /ToUnicode {value}"));
        }
        format!("<< /Type /Font /Subtype /{} {entries} >>", self.subtype)
    }

    fn encoding_entry(&self) -> String {
        match (&self.base_encoding, self.differences.is_empty()) {
            (None, true) => String::new(),
            (Some(base), true) => format!(" /Encoding {}", name(base)),
            (base, false) => {
                let base =
                    base.as_ref().map(|base| format!("/BaseEncoding {}", name(base))).unwrap_or_default();
                let names: Vec<String> = self
                    .differences
                    .iter()
                    .map(|(code, glyph_name)| format!("{code} {}", name(glyph_name)))
                    .collect();
                format!(" /Encoding << /Type /Encoding {base} /Differences [{}] >>", names.join(" "))
            }
        }
    }

    fn width_entries(&self, codes: &[(u32, char)]) -> String {
        let (Some(first), Some(last)) = (codes.first(), codes.last()) else { return String::new() };
        let widths: Vec<String> = (first.0..=last.0)
            .map(|code| {
                let letter = codes.iter().find(|entry| entry.0 == code);
                letter.map_or(0, |entry| self.advance(entry.1)).to_string()
            })
            .collect();
        format!(" /FirstChar {} /LastChar {} /Widths [{}]", first.0, last.0, widths.join(" "))
    }
}
