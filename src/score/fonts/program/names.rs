//! Glyph names of a program, from `post`, a CFF charset or Type 1 CharStrings.

use std::sync::OnceLock;

use read_fonts::tables::post::DEFAULT_GLYPH_NAMES;
use rustc_hash::FxHashMap;

use super::Part;
use super::directory::u16_at;
use crate::score::fonts::Gid;

const NONE: u32 = u32::MAX;

/// Names by glyph; equal names are stored once, so that a hostile index cannot multiply them.
#[derive(Debug, Default)]
pub(super) struct Names {
    part: Option<Part>,
    text: String,
    /// End of each distinct name in `text`; it starts where the one before ends.
    ends: Vec<u32>,
    /// Distinct name of each glyph, or `NONE`.
    of_glyph: Vec<u32>,
    /// Glyphs sorted by name, then by number.
    by_name: OnceLock<Vec<u16>>,
}

impl Names {
    /// `part` when there is no name to read.
    pub(super) fn none(part: Part) -> Self {
        Self { part: Some(part), ..Self::default() }
    }

    /// The names of glyphs 0, 1, 2 … ; `None` for a glyph without one.
    pub(super) fn from_glyphs<'a>(
        names: impl Iterator<Item = Option<std::borrow::Cow<'a, str>>>,
        part: Part,
    ) -> Self {
        let mut collected = Self { part: Some(part), ..Self::default() };
        for name in names.take(1 << 16) {
            let entry = name.map_or(NONE, |name| collected.push(&name));
            collected.of_glyph.push(entry);
        }
        collected
    }

    /// The table `post` (OpenType 1.9.1): 1.0 for exactly the 258 glyphs it speaks of, 2.0 and 2.5.
    /// 4.0 holds no names, and 3.0 says that there are none.
    pub(super) fn from_post(data: &[u8], n_glyphs: u32) -> Self {
        match data.get(..4) {
            Some([0, 1, 0, 0]) if n_glyphs as usize == DEFAULT_GLYPH_NAMES.len() => {
                Self::from_glyphs(DEFAULT_GLYPH_NAMES.iter().map(|name| Some((*name).into())), Part::Read)
            }
            Some([0, 2, 0, 0]) => Self::from_post_2(data),
            Some([0, 2, 0x50 | 0x80, 0]) => Self::from_post_25(data),
            // Of another version no reader takes names.
            Some(_) if data.len() >= 32 => Self::none(Part::Absent),
            _ => Self::none(Part::Damaged),
        }
    }

    fn from_post_2(data: &[u8]) -> Self {
        let Some(n) = u16_at(data, 32).map(usize::from) else { return Self::none(Part::Damaged) };
        let mut names = Self { part: Some(Part::Read), ..Self::default() };
        let mut strings = Vec::new();
        let mut at = 34 + 2 * n;
        while let Some(&len) = data.get(at) {
            let Some(bytes) = data.get(at + 1..at + 1 + usize::from(len)) else { break };
            strings.push(bytes);
            at += 1 + bytes.len();
        }
        let mut entries: FxHashMap<usize, u32> = FxHashMap::default();
        for gid in 0..n {
            let Some(index) = u16_at(data, 34 + 2 * gid).map(usize::from) else {
                names.part = Some(Part::Damaged);
                break;
            };
            let bytes = match index.checked_sub(DEFAULT_GLYPH_NAMES.len()) {
                None => Some(DEFAULT_GLYPH_NAMES[index].as_bytes()),
                Some(custom) => strings.get(custom).copied(),
            };
            let entry = match bytes {
                Some(bytes) => *entries.entry(index).or_insert_with(|| names.push(&latin1(bytes))),
                None => {
                    names.part = Some(Part::Damaged);
                    NONE
                }
            };
            names.of_glyph.push(entry);
        }
        names
    }

    fn from_post_25(data: &[u8]) -> Self {
        let Some(n) = u16_at(data, 32) else { return Self::none(Part::Damaged) };
        let offsets = data.get(34..34 + usize::from(n)).unwrap_or_default();
        let part = if offsets.len() == usize::from(n) { Part::Read } else { Part::Damaged };
        let names = offsets.iter().enumerate().map(|(gid, &offset)| {
            let index = gid.checked_add_signed(isize::from(offset.cast_signed()))?;
            DEFAULT_GLYPH_NAMES.get(index).map(|name| (*name).into())
        });
        Self::from_glyphs(names, part)
    }

    fn push(&mut self, name: &str) -> u32 {
        let entry = u32::try_from(self.ends.len()).unwrap_or(NONE);
        self.text.push_str(name);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(NONE));
        entry
    }

    pub(super) fn part(&self) -> Part {
        match self.part {
            Some(Part::Read) if self.ends.is_empty() => Part::Absent,
            part => part.unwrap_or(Part::Absent),
        }
    }

    pub(super) fn has_any(&self) -> bool {
        !self.ends.is_empty()
    }

    pub(super) fn get(&self, gid: Gid) -> Option<&str> {
        self.name(*self.of_glyph.get(usize::from(gid.0))?)
    }

    fn name(&self, entry: u32) -> Option<&str> {
        let entry = entry as usize;
        let end = *self.ends.get(entry)? as usize;
        let start = if entry == 0 { 0 } else { self.ends[entry - 1] as usize };
        self.text.get(start..end).filter(|name| !name.is_empty())
    }

    /// The first glyph of that name.
    pub(super) fn find(&self, name: &str) -> Option<Gid> {
        let sorted = self.by_name.get_or_init(|| {
            let mut gids: Vec<u16> = (0..self.of_glyph.len()).map(|gid| gid as u16).collect();
            gids.sort_by_key(|&gid| self.get(Gid(gid)));
            gids
        });
        let at = sorted.partition_point(|&gid| self.get(Gid(gid)) < Some(name));
        let gid = Gid(*sorted.get(at)?);
        (self.get(gid) == Some(name)).then_some(gid)
    }
}

/// Names are ASCII by specification; other bytes are kept apart rather than lost.
pub(super) fn latin1(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(name) if name.is_ascii() => name.into(),
        _ => bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into(),
    }
}
