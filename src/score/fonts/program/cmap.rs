//! The font table `cmap`, inverted.
//!
//! Own walk over the subtables instead of a library's look-ups: the question is which codes reach a glyph,
//! subset writers leave wrong lengths, and whether a subtable was read *to its end* decides if its silence proves
//! anything. Formats 0, 2, 4, 6, 10, 12 and 13 (OpenType 1.9.1, cmap); 14 maps no code by itself.

use unicode_normalization::UnicodeNormalization;

use super::Part;
use super::codes::Codes;
use super::directory::{i16_at, u16_at, u32_at};
use crate::score::fonts::Gid;

/// Most encoding records that are looked at.
const MAX_RECORDS: usize = 64;
/// Most codes that one subtable may map; a full plane 0 is a quarter of it.
const MAX_CODES: u32 = 1 << 18;

/// What the subtables of one font say.
#[derive(Debug, Default)]
pub(super) struct SfntCmap {
    pub(super) unicode: Codes<char>,
    pub(super) symbol: Codes<u16>,
    pub(super) mac: Codes<u8>,
    /// Glyphs that some subtable reaches, sorted.
    reached: Vec<u16>,
    n_subtables: usize,
    damaged: bool,
}

/// What the codes of a subtable are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    /// Unicode; the lower rank is preferred when two subtables disagree.
    Unicode(u8),
    /// A legacy multibyte encoding, by the tables of encoding_rs.
    Legacy(&'static encoding_rs::Encoding),
    Symbol,
    Mac,
    Other,
}

fn meaning(platform: u16, encoding: u16) -> Meaning {
    match (platform, encoding) {
        (3, 10) => Meaning::Unicode(0),
        (0, 4 | 6) => Meaning::Unicode(1),
        (3, 1) => Meaning::Unicode(2),
        (0, _) => Meaning::Unicode(3),
        (3, 2) | (1, 1) => Meaning::Legacy(encoding_rs::SHIFT_JIS),
        (3, 3) | (1, 25) => Meaning::Legacy(encoding_rs::GBK),
        (3, 4) | (1, 2) => Meaning::Legacy(encoding_rs::BIG5),
        (3, 5) | (1, 3) => Meaning::Legacy(encoding_rs::EUC_KR),
        (3, 0) => Meaning::Symbol,
        (1, 0) => Meaning::Mac,
        _ => Meaning::Other,
    }
}

impl SfntCmap {
    /// Reads all subtables. `table` is `None` where the font has no `cmap`; `complete` says whether it lies in the file.
    pub(super) fn parse(table: Option<(&[u8], bool)>) -> Self {
        let mut cmap = Self::default();
        let Some((data, complete)) = table else { return cmap };
        let Some(n_records) = u16_at(data, 2).map(usize::from) else {
            cmap.damaged = !data.is_empty() || !complete;
            return cmap;
        };
        // A length cut short matters only when a subtable reaches past it, which its own walk notices.
        cmap.damaged = n_records > MAX_RECORDS;
        let mut raw = RawCodes::default();
        let mut seen: Vec<(usize, Meaning)> = Vec::new();
        for index in 0..n_records.min(MAX_RECORDS) {
            let at = 4 + 8 * index;
            let (Some(platform), Some(encoding), Some(offset)) =
                (u16_at(data, at), u16_at(data, at + 2), u32_at(data, at + 4))
            else {
                cmap.damaged = true;
                break;
            };
            let key = (offset as usize, meaning(platform, encoding));
            if seen.contains(&key) {
                continue;
            }
            seen.push(key);
            cmap.read_subtable(data.get(key.0..).unwrap_or_default(), key.1, &mut raw);
        }
        cmap.finish(raw);
        cmap
    }

    fn read_subtable(&mut self, subtable: &[u8], meaning: Meaning, raw: &mut RawCodes) {
        let walked = walk(subtable, &mut |code, gid| raw.push(meaning, code, gid));
        match walked {
            Walk::NoCodes => return,
            Walk::Complete => {}
            Walk::Damaged => self.damaged = true,
        }
        self.n_subtables += 1;
    }

    fn finish(&mut self, mut raw: RawCodes) {
        raw.reached.sort_unstable();
        raw.reached.dedup();
        self.reached = raw.reached;
        self.unicode = Codes::new(raw.unicode, |c| quality(*c));
        self.symbol = Codes::new(raw.symbol, |_| 0);
        self.mac = Codes::new(raw.mac, |_| 0);
    }

    pub(super) fn part(&self) -> Part {
        match (self.damaged, self.n_subtables) {
            (true, _) => Part::Damaged,
            (false, 0) => Part::Absent,
            (false, _) => Part::Read,
        }
    }

    pub(super) fn n_subtables(&self) -> usize {
        self.n_subtables
    }

    pub(super) fn is_reached(&self, gid: Gid) -> bool {
        self.reached.binary_search(&gid.0).is_ok()
    }
}

/// Mappings in the order of the subtables: code, rank, glyph.
#[derive(Default)]
struct RawCodes {
    unicode: Vec<(char, u8, u16)>,
    symbol: Vec<(u16, u8, u16)>,
    mac: Vec<(u8, u8, u16)>,
    reached: Vec<u16>,
}

impl RawCodes {
    fn push(&mut self, meaning: Meaning, code: u32, gid: u16) {
        self.reached.push(gid);
        match meaning {
            Meaning::Unicode(rank) => {
                if let Some(c) = char::from_u32(code) {
                    self.unicode.push((c, rank, gid));
                }
            }
            Meaning::Legacy(encoding) => {
                if let Some(c) = decode_legacy(encoding, code) {
                    self.unicode.push((c, 4, gid));
                }
            }
            Meaning::Symbol => self.symbol.extend(u16::try_from(code).map(|code| (code, 0, gid))),
            Meaning::Mac => self.mac.extend(u8::try_from(code).map(|code| (code, 0, gid))),
            Meaning::Other => {}
        }
    }
}

fn decode_legacy(encoding: &'static encoding_rs::Encoding, code: u32) -> Option<char> {
    let bytes = u16::try_from(code).ok()?.to_be_bytes();
    let bytes = if bytes[0] == 0 { &bytes[1..] } else { &bytes[..] };
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

/// How little a character says about the glyph it shares with others; 0 is best.
pub(super) fn quality(c: char) -> u8 {
    match c as u32 {
        0xE000..=0xF8FF | 0xF0000.. => 3,
        0..=0x1F | 0x7F..=0x9F => 2,
        0..=0x7E => 0,
        _ if c.nfkc().eq(std::iter::once(c)) => 0,
        _ => 1,
    }
}

/// How far a subtable could be walked.
#[derive(Debug, PartialEq, Eq)]
enum Walk {
    Complete,
    /// Cut short, of an unknown format, or mapping more codes than there are.
    Damaged,
    /// Format 14: variation sequences only.
    NoCodes,
}

/// Visits every code that maps to a glyph other than 0.
fn walk(data: &[u8], visit: &mut dyn FnMut(u32, u16)) -> Walk {
    let done = match u16_at(data, 0) {
        Some(0) => walk_bytes(data, visit),
        Some(2) => walk_high_bytes(data, visit),
        Some(4) => walk_segments(data, visit),
        Some(6) => walk_array(data, 6, visit),
        Some(10) => walk_array(data, 10, visit),
        Some(12) => walk_groups(data, true, visit),
        Some(13) => walk_groups(data, false, visit),
        Some(14) => return Walk::NoCodes,
        _ => None,
    };
    if done.is_some() { Walk::Complete } else { Walk::Damaged }
}

fn walk_bytes(data: &[u8], visit: &mut dyn FnMut(u32, u16)) -> Option<()> {
    let gids = data.get(6..)?;
    for (code, &gid) in (0..256).zip(gids) {
        if gid != 0 {
            visit(code, u16::from(gid));
        }
    }
    (gids.len() >= 256).then_some(())
}

/// Format 2: a first byte selects one of the sub-headers, each a range of second bytes.
fn walk_high_bytes(data: &[u8], visit: &mut dyn FnMut(u32, u16)) -> Option<()> {
    const HEADERS: usize = 6 + 512;
    for high in 0..256_u32 {
        let key = usize::from(u16_at(data, 6 + 2 * high as usize)?);
        let at = HEADERS + key; // the key is the index of the sub-header times 8, its size
        let first = u32::from(u16_at(data, at)?);
        let count = u32::from(u16_at(data, at + 2)?).min(256);
        let delta = i16_at(data, at + 4)?;
        let array = at + 6 + usize::from(u16_at(data, at + 6)?);
        for step in 0..count {
            let low = first + step;
            // Sub-header 0 is for one-byte codes: the byte itself is looked up in it.
            if low > 0xFF || (key == 0 && low != high) {
                continue;
            }
            let gid = u16_at(data, array + 2 * step as usize)?;
            if gid != 0 {
                let code = if key == 0 { low } else { high << 8 | low };
                visit(code, gid.wrapping_add_signed(delta));
            }
        }
    }
    Some(())
}

fn walk_segments(data: &[u8], visit: &mut dyn FnMut(u32, u16)) -> Option<()> {
    let n = usize::from(u16_at(data, 6)? / 2);
    let (ends, starts) = (14, 16 + 2 * n);
    let (deltas, offsets) = (starts + 2 * n, starts + 4 * n);
    let mut left = MAX_CODES;
    let mut complete = Some(());
    for i in 0..n {
        let (end, start) = (u16_at(data, ends + 2 * i)?, u16_at(data, starts + 2 * i)?);
        let (delta, offset) = (u16_at(data, deltas + 2 * i)?, u16_at(data, offsets + 2 * i)?);
        // An offset of FFFF is a known fault of the last segment: it maps nothing.
        if start > end || offset == 0xFFFF {
            continue;
        }
        for code in start..=end {
            left = left.checked_sub(1)?;
            let gid = if offset == 0 {
                code.wrapping_add(delta)
            } else {
                let at = offsets + 2 * i + usize::from(offset) + 2 * usize::from(code - start);
                match u16_at(data, at) {
                    Some(0) => 0,
                    Some(gid) => gid.wrapping_add(delta),
                    // The terminating segment FFFF often points past the end.
                    None if code == 0xFFFF => 0,
                    None => {
                        complete = None;
                        0
                    }
                }
            };
            if gid != 0 {
                visit(u32::from(code), gid);
            }
        }
    }
    complete
}

/// Formats 6 and 10: one run of codes.
fn walk_array(data: &[u8], format: u16, visit: &mut dyn FnMut(u32, u16)) -> Option<()> {
    let (first, count, array) = if format == 6 {
        (u32::from(u16_at(data, 6)?), u32::from(u16_at(data, 8)?), 10)
    } else {
        (u32_at(data, 12)?, u32_at(data, 16)?, 20)
    };
    for i in 0..count.min(MAX_CODES) {
        let gid = u16_at(data, array + 2 * i as usize)?;
        if gid != 0 {
            visit(first.checked_add(i)?, gid);
        }
    }
    (count <= MAX_CODES).then_some(())
}

/// Formats 12 (one glyph a code) and 13 (one glyph a group).
fn walk_groups(data: &[u8], ascending: bool, visit: &mut dyn FnMut(u32, u16)) -> Option<()> {
    let n = u32_at(data, 12)?;
    let mut left = MAX_CODES;
    for i in 0..n {
        let at = 16 + 12 * i as usize;
        let (start, end, gid) = (u32_at(data, at)?, u32_at(data, at + 4)?, u32_at(data, at + 8)?);
        for code in start..=end.min(0x10_FFFF) {
            left = left.checked_sub(1)?;
            let gid = if ascending { gid.saturating_add(code - start) } else { gid };
            match u16::try_from(gid) {
                Ok(0) => {}
                Ok(gid) => visit(code, gid),
                Err(_) => break,
            }
        }
    }
    Some(())
}
