//! TrueType programs: a small valid font, and every way subsetters leave one.

use super::glyphs::{self, Glyph, Outline, Point};

/// A TrueType program, built table by table.
///
/// [`Sfnt::latin`] is healthy: (3,1) cmap, post names, advances like Helvetica's. Its glyphs stand in an order that
/// is no known one; [`Sfnt::mac_order`] gives the one where GID = code − 29.
#[derive(Debug, Clone)]
pub struct Sfnt {
    glyphs: Vec<Glyph>,
    cmaps: Vec<Cmap>,
    post: Post,
    without: Vec<String>,
    truncated: Vec<(String, usize)>,
    replaced: Vec<(String, Vec<u8>)>,
    unsorted: bool,
    family: String,
}

/// A cmap subtable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cmap {
    /// (3,1) format 4: Unicode to GID, from the glyphs' own characters.
    Unicode,
    /// (3,10) format 12: the same in 32 bits.
    UnicodeFull,
    /// (0,3) format 4: the same for the Unicode platform.
    UnicodePlatform,
    /// (3,0) format 4: F000 + MacRoman-like byte of the character, as symbol fonts have.
    Symbol,
    /// (1,0) format 0: MacRoman code to GID.
    MacRoman,
    /// (1,0) format 6: the same, trimmed.
    MacRomanTrimmed,
    /// Any mapping.
    Custom {
        /// Platform ID.
        platform: u16,
        /// Encoding ID.
        encoding: u16,
        /// 0, 4, 6 or 12.
        format: u16,
        /// Code to GID.
        map: Vec<(u32, u16)>,
    },
}

/// The post table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Post {
    /// Version 1: the 258 Mac glyphs in their order.
    Mac,
    /// Version 2: the glyphs' own names.
    Names,
    /// Version 3: no names.
    None,
    /// Version 2.5 (obsolete): offsets into the Mac order, all zero.
    Offsets,
}

impl Sfnt {
    /// ASCII and accented Latin letters.
    pub fn latin() -> Self {
        // Letters by frequency: the order of no known font, and one that reads as no text when echoed.
        let frequent = " etaoinshrdlucmfwypvbgkjqxz";
        let rest = glyphs::latin_letters();
        let rest = rest.chars().rev().filter(|letter| !frequent.contains(*letter));
        Self::with_letters(&frequent.chars().chain(rest).collect::<String>())
    }

    /// One glyph a character, in this order, after `.notdef`.
    pub fn with_letters(letters: &str) -> Self {
        Self::with_glyphs(glyphs::glyphs_for(letters))
    }

    /// The characters of a text in order of first use: what a subsetter leaves.
    pub fn for_text(text: &str) -> Self {
        Self::with_letters(&glyphs::distinct(text))
    }

    /// These glyphs; the first should be `.notdef`.
    pub fn with_glyphs(glyphs: Vec<Glyph>) -> Self {
        Self {
            glyphs,
            cmaps: vec![Cmap::Unicode],
            post: Post::Names,
            without: Vec::new(),
            truncated: Vec::new(),
            replaced: Vec::new(),
            unsorted: false,
            family: "Sub".into(),
        }
    }

    /// The Mac glyph order: GID = ASCII code − 29.
    pub fn mac_order() -> Self {
        let mut glyphs = glyphs::glyphs_for(&glyphs::latin_letters());
        glyphs.splice(1..1, [Glyph::blank(".null", 0), Glyph::blank("nonmarkingreturn", 278)]);
        Self::with_glyphs(glyphs)
    }

    /// Leaves tables out; absent from the directory too.
    pub fn without(mut self, tables: &[&str]) -> Self {
        self.without.extend(tables.iter().map(|&tag| tag.to_owned()));
        self
    }

    /// Every advance the same, in units of 1/1000 em.
    pub fn monospaced(mut self, advance: u16) -> Self {
        self.glyphs.iter_mut().for_each(|glyph| glyph.advance = advance);
        self
    }

    /// These cmap subtables instead of (3,1).
    pub fn cmaps(mut self, cmaps: &[Cmap]) -> Self {
        self.cmaps = cmaps.to_vec();
        self
    }

    /// Another post table.
    pub fn post(mut self, post: Post) -> Self {
        self.post = post;
        self
    }

    /// The directory in reverse order, as some subsetters write it.
    pub fn unsorted_directory(mut self) -> Self {
        self.unsorted = true;
        self
    }

    /// Cuts a table after `n_bytes`; the directory says so too.
    pub fn truncate(mut self, table: &str, n_bytes: usize) -> Self {
        self.truncated.push((table.to_owned(), n_bytes));
        self
    }

    /// Replaces or adds a table.
    pub fn table(mut self, tag: &str, data: &[u8]) -> Self {
        self.replaced.push((tag.to_owned(), data.to_vec()));
        self
    }

    /// Renames every glyph: `name` sees the GID and the glyph.
    pub fn names(mut self, name: impl Fn(usize, &Glyph) -> String) -> Self {
        for (gid, glyph) in self.glyphs.iter_mut().enumerate().skip(1) {
            glyph.name = name(gid, glyph);
        }
        self
    }

    /// Accented letters become composites of base letter and mark; the marks join the font.
    pub fn composites(mut self) -> Self {
        let mut marks = Vec::new();
        for glyph in &mut self.glyphs {
            let Some((base, mark)) = glyph.letter.and_then(glyphs::base_and_mark) else { continue };
            let (dx, dy) = glyphs::mark_offset(base);
            glyph.outline = Outline::Parts(vec![(base, 0, 0), (mark, dx, dy)]);
            if !marks.contains(&mark) {
                marks.push(mark);
            }
        }
        self.glyphs.extend(marks.into_iter().map(Glyph::of));
        self
    }

    /// Changes one character's glyph: its outline, advance or name.
    pub fn alter(mut self, letter: char, change: impl FnOnce(&mut Glyph)) -> Self {
        if let Some(glyph) = self.glyphs.iter_mut().find(|glyph| glyph.letter == Some(letter)) {
            change(glyph);
        }
        self
    }

    /// The glyph of a character draws nothing.
    pub fn empty_outline(self, letter: char) -> Self {
        self.alter(letter, |glyph| glyph.outline = Outline::Empty)
    }

    /// Adds a glyph at the end; its GID is `glyphs().len() - 1` afterwards.
    pub fn push(mut self, glyph: Glyph) -> Self {
        self.glyphs.push(glyph);
        self
    }

    /// Blank glyphs at the end, up to `n_glyphs` in all: post 1 speaks of exactly 258.
    pub fn padded(mut self, n_glyphs: usize) -> Self {
        while self.glyphs.len() < n_glyphs {
            let name = format!("blank{}", self.glyphs.len());
            self.glyphs.push(Glyph::blank(&name, 0));
        }
        self
    }

    /// The name table's family.
    pub fn family(mut self, family: &str) -> Self {
        self.family = family.into();
        self
    }

    /// The glyphs, in GID order.
    pub fn glyphs(&self) -> &[Glyph] {
        &self.glyphs
    }

    /// The GID of a character's glyph.
    pub fn gid(&self, letter: char) -> Option<u16> {
        self.glyphs.iter().position(|glyph| glyph.letter == Some(letter)).map(|gid| gid as u16)
    }

    /// Every character with its GID, in GID order.
    pub fn letters(&self) -> impl Iterator<Item = (char, u16)> + '_ {
        self.glyphs.iter().enumerate().filter_map(|(gid, glyph)| Some((glyph.letter?, gid as u16)))
    }

    /// The bytes of the program.
    pub fn build(&self) -> Vec<u8> {
        let mut tables = self.outline_tables();
        tables.extend(self.common_tables());
        self.assemble(*b"\0\x01\0\0", tables)
    }

    /// The same font around a `CFF ` table instead of `glyf`.
    pub(super) fn build_opentype(&self, cff: Vec<u8>) -> Vec<u8> {
        let mut tables = self.common_tables();
        tables.push(("CFF ", cff));
        self.assemble(*b"OTTO", tables)
    }

    fn assemble(&self, version: [u8; 4], tables: Vec<(&'static str, Vec<u8>)>) -> Vec<u8> {
        let mut tables: Vec<(String, Vec<u8>)> =
            tables.into_iter().map(|(tag, data)| (tag.to_owned(), data)).collect();
        for (tag, data) in &self.replaced {
            tables.retain(|(other, _)| other != tag);
            tables.push((tag.clone(), data.clone()));
        }
        tables.retain(|(tag, _)| !self.without.contains(tag));
        tables.sort();
        if self.unsorted {
            tables.reverse();
        }
        for (tag, data) in &mut tables {
            for (_, n_bytes) in self.truncated.iter().filter(|(cut, _)| cut == tag) {
                data.truncate(*n_bytes);
            }
        }
        directory(version, &tables)
    }

    fn outline_tables(&self) -> Vec<(&'static str, Vec<u8>)> {
        let mut glyf = Vec::new();
        let mut loca = Vec::new();
        for glyph in &self.glyphs {
            put32(&mut loca, glyf.len() as u32);
            glyf.extend(self.glyph_record(glyph));
            glyf.resize(glyf.len().next_multiple_of(4), 0);
        }
        put32(&mut loca, glyf.len() as u32);
        vec![("glyf", glyf), ("loca", loca)]
    }

    fn glyph_record(&self, glyph: &Glyph) -> Vec<u8> {
        let contours = glyph.contours(&self.glyphs);
        if contours.is_empty() {
            return Vec::new();
        }
        let mut record = Vec::new();
        let is_composite = matches!(glyph.outline, Outline::Parts(_));
        put16(&mut record, if is_composite { u16::MAX } else { contours.len() as u16 });
        for value in bounds(&contours) {
            put16(&mut record, value as u16);
        }
        match &glyph.outline {
            Outline::Parts(parts) => self.put_parts(&mut record, parts),
            _ => put_points(&mut record, &contours),
        }
        record
    }

    /// Components (OpenType, glyf table): words as offsets, more to come but for the last.
    fn put_parts(&self, record: &mut Vec<u8>, parts: &[(char, i16, i16)]) {
        const ARGS_ARE_WORDS: u16 = 1;
        const ARGS_ARE_XY: u16 = 2;
        const MORE: u16 = 0x20;
        for (i, &(letter, dx, dy)) in parts.iter().enumerate() {
            let more = if i + 1 < parts.len() { MORE } else { 0 };
            put16(record, ARGS_ARE_WORDS | ARGS_ARE_XY | more);
            put16(record, self.gid(letter).unwrap_or(0));
            put16(record, dx as u16);
            put16(record, dy as u16);
        }
    }

    fn common_tables(&self) -> Vec<(&'static str, Vec<u8>)> {
        let mut hmtx = Vec::new();
        for glyph in &self.glyphs {
            put16(&mut hmtx, glyph.advance);
            let left = glyph.contours(&self.glyphs).iter().flatten().map(|point| point.x).min();
            put16(&mut hmtx, left.unwrap_or(0) as u16);
        }
        vec![
            ("OS/2", self.os2()),
            ("cmap", self.cmap_table()),
            ("head", head()),
            ("hhea", self.hhea()),
            ("hmtx", hmtx),
            ("maxp", self.maxp()),
            ("name", self.name_table()),
            ("post", self.post_table()),
        ]
    }

    fn hhea(&self) -> Vec<u8> {
        let widest = self.glyphs.iter().map(|glyph| glyph.advance).max().unwrap_or(0);
        let mut table = Vec::new();
        put32(&mut table, 0x0001_0000);
        for value in [800, -200_i16 as u16, 0, widest, 0, 0, widest, 1, 0, 0, 0, 0, 0, 0, 0] {
            put16(&mut table, value);
        }
        put16(&mut table, self.glyphs.len() as u16);
        table
    }

    fn maxp(&self) -> Vec<u8> {
        let mut table = Vec::new();
        put32(&mut table, 0x0001_0000);
        // numGlyphs, points and contours (also of composites), zones, no hinting, components
        for value in [self.glyphs.len() as u16, 400, 40, 400, 40, 2, 0, 0, 0, 0, 0, 0, 4, 1] {
            put16(&mut table, value);
        }
        table
    }

    fn os2(&self) -> Vec<u8> {
        let letters: Vec<u32> = self.letters().map(|(letter, _)| letter as u32).collect();
        let first = letters.iter().min().map_or(0, |&code| code.min(0xFFFF)) as u16;
        let last = letters.iter().max().map_or(0, |&code| code.min(0xFFFF)) as u16;
        let mut table = Vec::new();
        for value in [4, 500, 400, 5, 0, 650, 600, 0, 75, 650, 600, 0, 350, 50, 300, 0] {
            put16(&mut table, value);
        }
        table.extend([0; 10 + 16]); // PANOSE, Unicode ranges
        table.extend(b"SMPL");
        for value in [0x40, first, last, 800, -200_i16 as u16, 0, 800, 200] {
            put16(&mut table, value);
        }
        table.extend([0; 8]); // code page ranges
        for value in [500, 700, 0, 32, 1] {
            put16(&mut table, value);
        }
        table
    }

    fn name_table(&self) -> Vec<u8> {
        let post_script = self.family.replace(' ', "");
        let names = [(1, self.family.as_str()), (2, "Regular"), (4, self.family.as_str()), (6, &post_script)];
        let (mut records, mut strings) = (Vec::new(), Vec::new());
        for (id, name) in names {
            let text: Vec<u8> = name.encode_utf16().flat_map(u16::to_be_bytes).collect();
            for value in [3, 1, 0x409, id, text.len() as u16, strings.len() as u16] {
                put16(&mut records, value);
            }
            strings.extend(text);
        }
        let mut table = Vec::new();
        for value in [0, names.len() as u16, 6 + records.len() as u16] {
            put16(&mut table, value);
        }
        [table, records, strings].concat()
    }

    fn post_table(&self) -> Vec<u8> {
        let version = match self.post {
            Post::Mac => 0x0001_0000,
            Post::Names => 0x0002_0000,
            Post::Offsets => 0x0002_5000,
            Post::None => 0x0003_0000,
        };
        let mut table = Vec::new();
        put32(&mut table, version);
        put32(&mut table, 0);
        put16(&mut table, -75_i16 as u16);
        put16(&mut table, 50);
        table.extend([0; 20]); // isFixedPitch and memory use
        match self.post {
            Post::Mac | Post::None => {}
            Post::Offsets => {
                put16(&mut table, self.glyphs.len() as u16);
                table.resize(table.len() + self.glyphs.len(), 0);
            }
            Post::Names => {
                put16(&mut table, self.glyphs.len() as u16);
                for index in 0..self.glyphs.len() as u16 {
                    put16(&mut table, 258 + index);
                }
                for glyph in &self.glyphs {
                    let name = &glyph.name.as_bytes()[..glyph.name.len().min(63)];
                    table.push(name.len() as u8);
                    table.extend(name);
                }
            }
        }
        table
    }

    fn cmap_table(&self) -> Vec<u8> {
        let (mut records, mut subtables) = (Vec::new(), Vec::new());
        let start = 4 + 8 * self.cmaps.len();
        for cmap in &self.cmaps {
            let (platform, encoding, format, map) = self.resolve(cmap);
            put16(&mut records, platform);
            put16(&mut records, encoding);
            put32(&mut records, (start + subtables.len()) as u32);
            subtables.extend(subtable(format, map));
        }
        let mut table = Vec::new();
        put16(&mut table, 0);
        put16(&mut table, self.cmaps.len() as u16);
        [table, records, subtables].concat()
    }

    fn resolve(&self, cmap: &Cmap) -> (u16, u16, u16, Vec<(u32, u16)>) {
        let unicode = || self.letters().map(|(letter, gid)| (letter as u32, gid)).collect();
        let bytes = |base: u32| {
            self.letters()
                .filter_map(|(letter, gid)| Some((base + u32::from(mac_roman(letter)?), gid)))
                .collect()
        };
        match cmap {
            Cmap::Unicode => (3, 1, 4, unicode()),
            Cmap::UnicodeFull => (3, 10, 12, unicode()),
            Cmap::UnicodePlatform => (0, 3, 4, unicode()),
            Cmap::Symbol => (3, 0, 4, bytes(0xF000)),
            Cmap::MacRoman => (1, 0, 0, bytes(0)),
            Cmap::MacRomanTrimmed => (1, 0, 6, bytes(0)),
            Cmap::Custom { platform, encoding, format, map } => (*platform, *encoding, *format, map.clone()),
        }
    }
}

/// The Mac OS Roman code of a character.
pub(super) fn mac_roman(letter: char) -> Option<u8> {
    let mut utf8 = [0; 4];
    let (bytes, _, unmappable) = encoding_rs::MACINTOSH.encode(letter.encode_utf8(&mut utf8));
    (!unmappable).then(|| bytes[0])
}

fn put16(out: &mut Vec<u8>, value: u16) {
    out.extend(value.to_be_bytes());
}

fn put32(out: &mut Vec<u8>, value: u32) {
    out.extend(value.to_be_bytes());
}

fn head() -> Vec<u8> {
    let mut table = Vec::new();
    for value in [0x0001_0000, 0x0001_0000, 0, 0x5F0F_3CF5] {
        put32(&mut table, value);
    }
    put16(&mut table, 0x000B);
    put16(&mut table, 1000); // units per em
    table.extend([0; 16]); // created, modified
    for value in [0, -200_i16 as u16, 1000, 1000, 0, 8, 2, 1, 0] {
        put16(&mut table, value); // bounds, style, smallest size, direction, long loca, glyph format
    }
    table
}

fn bounds(contours: &[Vec<Point>]) -> [i16; 4] {
    let points = || contours.iter().flatten();
    let (xs, ys) = (|| points().map(|point| point.x), || points().map(|point| point.y));
    [xs().min(), ys().min(), xs().max(), ys().max()].map(|bound| bound.unwrap_or(0))
}

fn put_points(record: &mut Vec<u8>, contours: &[Vec<Point>]) {
    let mut end = 0;
    for contour in contours {
        end += contour.len();
        put16(record, (end - 1) as u16);
    }
    put16(record, 0); // no instructions
    let points: Vec<Point> = contours.iter().flatten().copied().collect();
    record.extend(points.iter().map(|point| u8::from(point.on_curve)));
    for coordinate in [|point: &Point| point.x, |point: &Point| point.y] {
        let mut before = 0;
        for point in &points {
            put16(record, (coordinate(point) - before) as u16);
            before = coordinate(point);
        }
    }
}

fn subtable(format: u16, mut map: Vec<(u32, u16)>) -> Vec<u8> {
    map.sort_unstable();
    map.dedup_by_key(|entry| entry.0);
    match format {
        0 => format0(&map),
        6 => format6(&map),
        12 => format12(&map),
        _ => format4(&map),
    }
}

fn format0(map: &[(u32, u16)]) -> Vec<u8> {
    let mut table = Vec::new();
    for value in [0, 262, 0] {
        put16(&mut table, value);
    }
    let mut gids = [0; 256];
    for &(code, gid) in map.iter().filter(|entry| entry.0 < 256) {
        gids[code as usize] = gid as u8;
    }
    table.extend(gids);
    table
}

fn format6(map: &[(u32, u16)]) -> Vec<u8> {
    let first = map.first().map_or(0, |entry| entry.0);
    let n_codes = map.last().map_or(0, |entry| entry.0 + 1 - first) as usize;
    let mut gids = vec![0; n_codes];
    for &(code, gid) in map {
        gids[(code - first) as usize] = gid;
    }
    let mut table = Vec::new();
    for value in [6, (10 + 2 * n_codes) as u16, 0, first as u16, n_codes as u16] {
        put16(&mut table, value);
    }
    for gid in gids {
        put16(&mut table, gid);
    }
    table
}

/// One segment a code, all by delta: larger than needed, and right.
fn format4(map: &[(u32, u16)]) -> Vec<u8> {
    let mut segments: Vec<(u16, u16)> =
        map.iter().filter(|entry| entry.0 < 0xFFFF).map(|&(code, gid)| (code as u16, gid)).collect();
    segments.push((0xFFFF, 0));
    let n_segments = segments.len() as u16;
    let power = 1 << n_segments.ilog2();
    let mut table = Vec::new();
    let search = [n_segments * 2, power * 2, n_segments.ilog2() as u16, (n_segments - power) * 2];
    for value in [4, 16 + 8 * n_segments, 0].into_iter().chain(search) {
        put16(&mut table, value);
    }
    segments.iter().for_each(|segment| put16(&mut table, segment.0));
    put16(&mut table, 0);
    segments.iter().for_each(|segment| put16(&mut table, segment.0));
    segments.iter().for_each(|segment| put16(&mut table, segment.1.wrapping_sub(segment.0)));
    segments.iter().for_each(|_| put16(&mut table, 0));
    table
}

fn format12(map: &[(u32, u16)]) -> Vec<u8> {
    let mut table = Vec::new();
    put16(&mut table, 12);
    put16(&mut table, 0);
    for value in [16 + 12 * map.len() as u32, 0, map.len() as u32] {
        put32(&mut table, value);
    }
    for &(code, gid) in map {
        for value in [code, code, u32::from(gid)] {
            put32(&mut table, value);
        }
    }
    table
}

/// Directory and tables; checksums are right, that of the whole file is set in `head`.
fn directory(version: [u8; 4], tables: &[(String, Vec<u8>)]) -> Vec<u8> {
    let n_tables = tables.len() as u16;
    let power = 1_u16 << n_tables.max(1).ilog2();
    let mut file = version.to_vec();
    for value in [n_tables, power * 16, power.ilog2() as u16, n_tables.saturating_sub(power) * 16] {
        put16(&mut file, value);
    }
    let mut offset = 12 + 16 * tables.len();
    let mut head_at = None;
    for (tag, data) in tables {
        let mut padded_tag = tag.as_bytes().to_vec();
        padded_tag.resize(4, b' ');
        file.extend(padded_tag);
        for value in [checksum(data), offset as u32, data.len() as u32] {
            put32(&mut file, value);
        }
        if tag == "head" && data.len() >= 12 {
            head_at = Some(offset);
        }
        offset += data.len().next_multiple_of(4);
    }
    for (_, data) in tables {
        file.extend(data);
        file.resize(file.len().next_multiple_of(4), 0);
    }
    if let Some(at) = head_at {
        let adjustment = 0xB1B0_AFBA_u32.wrapping_sub(checksum(&file));
        file[at + 8..at + 12].copy_from_slice(&adjustment.to_be_bytes());
    }
    file
}

fn checksum(data: &[u8]) -> u32 {
    data.chunks(4).fold(0, |sum: u32, chunk| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        sum.wrapping_add(u32::from_be_bytes(word))
    })
}
