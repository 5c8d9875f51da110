//! The smallest programs that show a fault.

/// Big-endian `u16`s.
pub(super) fn words(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_be_bytes()).collect()
}

/// An sfnt whose directory is in the order given.
pub(super) fn sfnt(tables: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut file = vec![0, 1, 0, 0];
    file.extend(words(&[tables.len() as u16, 0, 0, 0]));
    let mut body = Vec::new();
    for (tag, data) in tables {
        let offset = 12 + 16 * tables.len() + body.len();
        file.extend_from_slice(*tag);
        file.extend([0; 4]);
        file.extend((offset as u32).to_be_bytes());
        file.extend((data.len() as u32).to_be_bytes());
        body.extend(data);
        body.resize(body.len().next_multiple_of(4), 0);
    }
    file.extend(body);
    file
}

pub(super) fn head(long_loca: u16) -> Vec<u8> {
    let mut table = vec![0; 54];
    table[..8].copy_from_slice(&[0, 1, 0, 0, 0, 2, 0x80, 0]); // revision 2.5
    table[18..20].copy_from_slice(&1000_u16.to_be_bytes());
    table[50..52].copy_from_slice(&long_loca.to_be_bytes());
    table
}

pub(super) fn maxp(n_glyphs: u16) -> Vec<u8> {
    [vec![0, 0, 0x50, 0], words(&[n_glyphs])].concat()
}

/// A `cmap` with one record per subtable.
pub(super) fn cmap(subtables: &[(u16, u16, Vec<u8>)]) -> Vec<u8> {
    let mut table = words(&[0, subtables.len() as u16]);
    let mut at = 4 + 8 * subtables.len() as u32;
    for (platform, encoding, data) in subtables {
        table.extend(words(&[*platform, *encoding]));
        table.extend(at.to_be_bytes());
        at += data.len() as u32;
    }
    subtables.iter().for_each(|(_, _, data)| table.extend(data));
    table
}

/// Format 4 with one segment per (first, last, delta), and the closing one.
pub(super) fn format4(segments: &[(u16, u16, i16)]) -> Vec<u8> {
    let n = segments.len() as u16 + 1;
    let mut table = words(&[4, 16 + 8 * n, 0, 2 * n, 0, 0, 0]);
    table.extend(words(&segments.iter().map(|s| s.1).chain([0xFFFF]).collect::<Vec<_>>()));
    table.extend([0, 0]);
    table.extend(words(&segments.iter().map(|s| s.0).chain([0xFFFF]).collect::<Vec<_>>()));
    table.extend(words(&segments.iter().map(|s| s.2.cast_unsigned()).chain([1]).collect::<Vec<_>>()));
    table.extend(words(&vec![0; n.into()]));
    table
}

/// A triangle of that height.
pub(super) fn triangle(height: i16) -> Vec<u8> {
    let mut glyph = words(&[1, 0, 0, 500, height.cast_unsigned(), 2, 0]);
    glyph.extend([1, 1, 1]); // three points on the curve, long coordinates
    glyph.extend(words(&[0, 250, 250, 0, height.cast_unsigned(), height.wrapping_neg().cast_unsigned()]));
    glyph
}

/// A composite of glyphs shifted upwards.
pub(super) fn composite(parts: &[(u16, i16)]) -> Vec<u8> {
    let mut glyph = words(&[0xFFFF, 0, 0, 0, 0]);
    for (index, (gid, dy)) in parts.iter().enumerate() {
        let more = if index + 1 < parts.len() { 0x20 } else { 0 };
        glyph.extend(words(&[3 | more, *gid, 0, dy.cast_unsigned()]));
    }
    glyph
}

/// `glyf` and short `loca`.
pub(super) fn outlines(glyphs: &[Vec<u8>]) -> [(&'static [u8; 4], Vec<u8>); 2] {
    let (mut glyf, mut loca) = (Vec::new(), vec![0]);
    for glyph in glyphs {
        glyf.extend(glyph);
        glyf.resize(glyf.len().next_multiple_of(2), 0);
        loca.push((glyf.len() / 2) as u16);
    }
    [(b"glyf", glyf), (b"loca", words(&loca))]
}

/// A healthy font of four glyphs: `.notdef`, blank, A, B; further tables as given.
pub(super) fn font(more: &[(&'static [u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut tables = vec![(b"head", head(0)), (b"maxp", maxp(4))];
    tables.extend(outlines(&[triangle(100), vec![], triangle(700), triangle(600)]));
    tables.extend(more.iter().cloned());
    sfnt(&tables)
}

fn encrypt(plain: &[u8], mut key: u16) -> Vec<u8> {
    let mut cipher = |&byte: &u8| {
        let out = byte ^ (key >> 8) as u8;
        key = u16::from(out).wrapping_add(key).wrapping_mul(52845).wrapping_add(22719);
        out
    };
    plain.iter().map(&mut cipher).collect()
}

/// A Type 1 program (PFA with a binary encrypted portion): name, charstring in plain.
pub(super) fn type1(encoding: &str, glyphs: &[(&str, &[u8])]) -> Vec<u8> {
    let mut private = b"0000/Private 8 dict dup begin /lenIV 4 def\n".to_vec();
    private.extend(format!("2 index /CharStrings {} dict dup begin\n", glyphs.len()).bytes());
    for (name, charstring) in glyphs {
        let data = encrypt(&[b"0000", *charstring].concat(), 4330);
        private.extend(format!("/{name} {} RD ", data.len()).bytes());
        private.extend(data);
        private.extend(b" ND\n");
    }
    private.extend(b"end end readonly put noaccess put dup/FontName get exch definefont pop mark currentfile closefile\n");
    let mut file = b"%!PS-AdobeFont-1.0: Test\n/FontMatrix [0.001 0 0 0.001 0 0] def\n".to_vec();
    file.extend(format!("/Encoding {encoding}\ncurrentfile eexec\n").bytes());
    file.extend(encrypt(&private, 55665));
    file
}

fn index(items: &[Vec<u8>]) -> Vec<u8> {
    if items.is_empty() {
        return vec![0, 0];
    }
    let mut table = words(&[items.len() as u16]);
    table.push(2);
    let mut offset = 1_u16;
    table.extend(offset.to_be_bytes());
    for item in items {
        offset += item.len() as u16;
        table.extend(offset.to_be_bytes());
    }
    items.iter().for_each(|item| table.extend(item));
    table
}

fn number(value: usize) -> Vec<u8> {
    let value = value as u16;
    [vec![28], words(&[value])].concat()
}

/// What a CFF program is made of; parts are tables in their file format.
#[derive(Clone, Default)]
pub(super) struct Cff {
    pub(super) strings: Vec<&'static str>,
    /// Formatted charset; `None` leaves the predefined one.
    pub(super) charset: Option<Vec<u8>>,
    pub(super) encoding: Option<Vec<u8>>,
    pub(super) charstrings: Vec<Vec<u8>>,
    pub(super) global_subrs: Vec<Vec<u8>>,
    /// SIDs of registry and ordering.
    pub(super) ros: Option<(u16, u16)>,
}

impl Cff {
    pub(super) fn build(&self) -> Vec<u8> {
        // Numbers of the top dictionary are of fixed width: a first pass finds where the tables begin.
        let start = self.front(0).len();
        let mut file = self.front(start);
        self.tables().into_iter().for_each(|(_, table)| file.extend(table));
        file
    }

    /// Header, names, top dictionary, strings and global subroutines.
    fn front(&self, start: usize) -> Vec<u8> {
        let mut top = Vec::new();
        if let Some((registry, ordering)) = self.ros {
            top.extend([number(registry.into()), number(ordering.into()), number(3), vec![12, 30]].concat());
        }
        let mut at = start;
        for (operator, table) in self.tables() {
            if operator == [18] {
                top.extend(number(table.len()));
            }
            top.push(29);
            top.extend((at as u32).to_be_bytes());
            top.extend(operator);
            at += table.len();
        }
        let strings: Vec<Vec<u8>> = self.strings.iter().map(|name| name.as_bytes().to_vec()).collect();
        [
            vec![1, 0, 4, 2],
            index(&[b"Test".to_vec()]),
            index(&[top]),
            index(&strings),
            index(&self.global_subrs),
        ]
        .concat()
    }

    /// Tables behind the front, with the operators that point at them.
    fn tables(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        let mut tables = vec![(vec![17], index(&self.charstrings))];
        // defaultWidthX 500, nominalWidthX 600
        let private = [number(500), vec![20], number(600), vec![21]].concat();
        if self.ros.is_some() {
            // The private dictionary of the only font dictionary is empty: size 0 at offset 0.
            tables.push((vec![12, 36], index(&[[number(0), number(0), vec![18]].concat()])));
            tables.push((vec![12, 37], vec![0; 1 + self.charstrings.len()]));
        } else {
            tables.push((vec![18], private));
        }
        tables.extend(self.charset.iter().map(|table| (vec![15], table.clone())));
        tables.extend(self.encoding.iter().map(|table| (vec![16], table.clone())));
        tables
    }
}

/// A Type 2 charstring: a square of that side, width 600 + `width`.
pub(super) fn square(width: i16, side: i16) -> Vec<u8> {
    let n = |value: i16| number(value.cast_unsigned().into());
    // w dx dy rmoveto, dx dy dx dy dx hlineto, endchar
    [n(width), n(0), n(0), vec![21], n(side), n(side), n(-side), vec![6, 14]].concat()
}
