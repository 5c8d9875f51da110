//! A font program as ttf-parser sees it; Type 1, which it does not read, by a check of our own.

use rustc_hash::FxHashMap;
use ttf_parser::cmap::Format;
use ttf_parser::{GlyphId, RawFace, Tag, cff, cmap, post};

use super::type1::Type1;
use super::{Checked, unreadable};
use crate::score::fonts::{Cid, Gid, names};

/// Subtables that are walked.
const MAX_SUBTABLES: u16 = 16;
/// Bytes of a table whose look-up is linear.
const MAX_LINEAR_BYTES: usize = 64 << 10;

/// What is asked of a program.
pub(super) struct SecondProgram {
    kind: Kind,
    /// Code points by glyph, of Unicode subtables, private use left out; `None` where the cmap cannot be read.
    letters: Option<FxHashMap<u16, Vec<char>>>,
    /// Glyphs that another subtable reaches.
    coded: FxHashMap<u16, ()>,
}

enum Kind {
    Sfnt { data: Vec<u8> },
    Cff { data: Vec<u8>, cids: Option<FxHashMap<u16, u16>> },
    Type1(Type1),
}

impl SecondProgram {
    pub(super) fn parse(data: Vec<u8>) -> Checked<Self> {
        let silent = |kind| Self { kind, letters: Some(FxHashMap::default()), coded: FxHashMap::default() };
        if let Some(table) = cff::Table::parse(&data) {
            let cids = cids_of(&table);
            return Ok(silent(Kind::Cff { data, cids }));
        }
        if let Some(type1) = Type1::parse(&data) {
            return Ok(silent(Kind::Type1(type1)));
        }
        RawFace::parse(&data, 0).map_err(|_| unreadable("the program"))?;
        let mut program = silent(Kind::Sfnt { data });
        program.read_cmap();
        Ok(program)
    }

    pub(super) fn is_type1(&self) -> bool {
        matches!(self.kind, Kind::Type1(_))
    }

    fn read_cmap(&mut self) {
        let Kind::Sfnt { data } = &self.kind else { return };
        let Some(bytes) = table(data, b"cmap").filter(|bytes| !bytes.is_empty()) else { return };
        let (mut letters, mut coded) = (FxHashMap::<u16, Vec<char>>::default(), FxHashMap::default());
        self.letters = cmap::Table::parse(bytes).and_then(|cmap| {
            if cmap.subtables.len() > MAX_SUBTABLES {
                return None;
            }
            for index in 0..cmap.subtables.len() {
                walk(&cmap.subtables.get(index)?, bytes.len(), &mut letters, &mut coded)?;
            }
            Some(letters)
        });
        self.coded = coded;
    }

    /// The glyph of a CID.
    pub(super) fn gid_of_cid(&self, cid: Cid) -> Option<Gid> {
        match &self.kind {
            Kind::Cff { cids: Some(cids), .. } => cids.get(&cid.0).copied().map(Gid),
            Kind::Sfnt { data } => {
                match table(data, b"CFF ").and_then(cff::Table::parse).as_ref().and_then(cids_of) {
                    Some(cids) => cids.get(&cid.0).copied().map(Gid),
                    None => Some(Gid(cid.0)),
                }
            }
            _ => Some(Gid(cid.0)),
        }
    }

    /// Code points that Unicode subtables map to a glyph, private use left out.
    pub(super) fn letters(&self, gid: Gid) -> Checked<&[char]> {
        let letters = self.letters.as_ref().ok_or(unreadable("the cmap"))?;
        Ok(letters.get(&gid.0).map_or(&[], Vec::as_slice))
    }

    /// Whether some subtable reaches a glyph, by a code that is not of private use in Unicode.
    pub(super) fn is_reached(&self, gid: Gid) -> Checked<bool> {
        Ok(!self.letters(gid)?.is_empty() || self.coded.contains_key(&gid.0))
    }

    /// The name of a glyph.
    pub(super) fn glyph_name(&self, gid: Gid) -> Checked<Option<String>> {
        let id = GlyphId(gid.0);
        let by_cff = |table: &cff::Table<'_>| table.glyph_name(id).map(str::to_owned);
        match &self.kind {
            Kind::Type1(_) => Ok(None),
            Kind::Cff { data, .. } => Ok(cff::Table::parse(data).as_ref().and_then(by_cff)),
            Kind::Sfnt { data } => {
                if let Some(cff) = table(data, b"CFF ").and_then(cff::Table::parse) {
                    return Ok(by_cff(&cff));
                }
                let Some(bytes) = table(data, b"post") else { return Ok(None) };
                let n_glyphs = table(data, b"maxp").and_then(|maxp| maxp.get(4..6)).map(|n| [n[0], n[1]]);
                match (bytes.get(..4), n_glyphs) {
                    // ttf-parser takes no names from versions 1 (of 258 glyphs) and 2.5.
                    (Some([0, 1, 0, 0]), Some([1, 2])) | (Some([0, 2, 0x50 | 0x80, 0]), _) | (None, _) => {
                        Err(unreadable("names of glyphs"))
                    }
                    (Some([0, 2, 0, 0]), _) => {
                        let post = post::Table::parse(bytes).ok_or(unreadable("names of glyphs"))?;
                        Ok(post.glyph_name(id).map(str::to_owned))
                    }
                    _ => Ok(None),
                }
            }
        }
    }

    /// Whether the built-in encoding gives a code a name that means something.
    pub(super) fn builtin_name_resolves(&self, code: u8) -> bool {
        let name = match &self.kind {
            Kind::Type1(type1) => type1.name(code),
            Kind::Cff { data, .. } => cff::Table::parse(data).and_then(|table| {
                let name = table.glyph_name(table.glyph_index(code)?)?;
                Some(name.to_owned())
            }),
            Kind::Sfnt { .. } => None,
        };
        name.is_some_and(|name| names::unicode_of_name(&name, false).is_some())
    }
}

/// A table by a linear look: ttf-parser's own is a binary search, and directories are not always sorted.
fn table<'a>(data: &'a [u8], tag: &[u8; 4]) -> Option<&'a [u8]> {
    let face = RawFace::parse(data, 0).ok()?;
    let record = face.table_records.into_iter().find(|record| record.tag == Tag::from_bytes(tag))?;
    let start = record.offset as usize;
    data.get(start..start.checked_add(record.length as usize)?)
}

/// CID to glyph, of a CID-keyed program.
fn cids_of(table: &cff::Table<'_>) -> Option<FxHashMap<u16, u16>> {
    table.glyph_cid(GlyphId(0))?;
    let cid = |gid: u16| Some((table.glyph_cid(GlyphId(gid))?, gid));
    Some((0..table.number_of_glyphs()).rev().filter_map(cid).collect())
}

/// Every code of a subtable is looked up: its own list of codes can be four thousand million long.
fn walk(
    subtable: &cmap::Subtable<'_>,
    size_bytes: usize,
    letters: &mut FxHashMap<u16, Vec<char>>,
    coded: &mut FxHashMap<u16, ()>,
) -> Option<()> {
    let last = match subtable.format {
        Format::UnicodeVariationSequences(_) => return Some(()),
        Format::MixedCoverage => return None,
        Format::ManyToOneRangeMappings(_) if size_bytes > MAX_LINEAR_BYTES => return None,
        Format::ByteEncodingTable(_) => 0xFF,
        Format::TrimmedArray(_) | Format::SegmentedCoverage(_) | Format::ManyToOneRangeMappings(_) => {
            0x3_FFFF
        }
        _ => 0xFFFF,
    };
    for code in 0..=last {
        let Some(gid) = subtable.glyph_index(code) else { continue };
        if !subtable.is_unicode() {
            if is_text(code) {
                coded.insert(gid.0, ());
            }
        } else if !(0xE000..=0xF8FF).contains(&code) {
            letters.entry(gid.0).or_default().extend(char::from_u32(code));
        }
    }
    Some(())
}

/// Whether a code of a subtable that is not Unicode may stand for text: subsetters number glyphs from 1 in Macintosh and
/// symbol subtables, and controls are no text.
fn is_text(code: u32) -> bool {
    let is_one_byte = code <= 0xFF || (0xF000..=0xF2FF).contains(&code);
    !is_one_byte || !matches!(code & 0xFF, 0..=0x1F | 0x7F)
}
