//! CFF programs, name-keyed and CID-keyed (Adobe Technical Notes 5176 and 5177).

use read_fonts::ps::Sid;

use super::glyphs::{self, Glyph, Segment};

/// A bare CFF font with real charstrings.
#[derive(Debug, Clone)]
pub struct Cff {
    glyphs: Vec<Glyph>,
    keys: Keys,
    encoding: CffEncoding,
    font_name: String,
}

#[derive(Debug, Clone)]
enum Keys {
    Names,
    Cids { registry: String, ordering: String, supplement: u16, cids: Vec<u16> },
}

/// The built-in encoding of a name-keyed CFF.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum CffEncoding {
    /// StandardEncoding.
    #[default]
    Standard,
    /// Codes of its own.
    Custom {
        /// Codes of GID 1, 2, 3 …
        codes: Vec<u8>,
        /// Further codes of glyphs, by name.
        supplements: Vec<(u8, String)>,
    },
}

impl Cff {
    /// Glyphs known by name; the first should be `.notdef`.
    pub fn name_keyed(glyphs: Vec<Glyph>) -> Self {
        Self { glyphs, keys: Keys::Names, encoding: CffEncoding::Standard, font_name: "Sub".into() }
    }

    /// ASCII and accented Latin letters, name-keyed.
    pub fn latin() -> Self {
        Self::name_keyed(glyphs::glyphs_for(&glyphs::latin_letters()))
    }

    /// Glyphs known by CID; at first CID = GID.
    pub fn cid_keyed(registry: &str, ordering: &str, supplement: u16, glyphs: Vec<Glyph>) -> Self {
        let cids = (0..glyphs.len() as u16).collect();
        let keys = Keys::Cids { registry: registry.into(), ordering: ordering.into(), supplement, cids };
        Self { glyphs, keys, encoding: CffEncoding::Standard, font_name: "Sub".into() }
    }

    /// Other CIDs: the function sees GID and glyph, `.notdef` keeps 0.
    pub fn cids(mut self, cid: impl Fn(u16, &Glyph) -> u16) -> Self {
        if let Keys::Cids { cids, .. } = &mut self.keys {
            for (gid, glyph) in self.glyphs.iter().enumerate().skip(1) {
                cids[gid] = cid(gid as u16, glyph);
            }
        }
        self
    }

    /// Renames every glyph but `.notdef`.
    pub fn names(mut self, name: impl Fn(usize, &Glyph) -> String) -> Self {
        for (gid, glyph) in self.glyphs.iter_mut().enumerate().skip(1) {
            glyph.name = name(gid, glyph);
        }
        self
    }

    /// Another built-in encoding.
    pub fn encoding(mut self, encoding: CffEncoding) -> Self {
        self.encoding = encoding;
        self
    }

    /// Every advance the same, in units of 1/1000 em.
    pub fn monospaced(mut self, advance: u16) -> Self {
        self.glyphs.iter_mut().for_each(|glyph| glyph.advance = advance);
        self
    }

    /// The glyphs, in GID order.
    pub fn glyphs(&self) -> &[Glyph] {
        &self.glyphs
    }

    /// The CID of a glyph; in a name-keyed font its GID (ISO 32000-2, 9.7.4.2).
    pub fn cid(&self, gid: u16) -> u16 {
        match &self.keys {
            Keys::Names => gid,
            Keys::Cids { cids, .. } => cids.get(usize::from(gid)).copied().unwrap_or(0),
        }
    }

    /// The bytes of the program.
    pub fn build(&self) -> Vec<u8> {
        let mut strings = Strings::default();
        let charset = self.charset(&mut strings);
        let encoding = self.encoding_data(&mut strings);
        let charstrings: Vec<Vec<u8>> = self.glyphs.iter().map(|glyph| self.charstring(glyph)).collect();
        let charstrings = index(&charstrings);
        let private = dict(&[(&[0], &[20]), (&[0], &[21])]); // defaultWidthX, nominalWidthX
        let ros = self.ros(&mut strings);
        let name_index = index(&[self.font_name.as_bytes().to_vec()]);
        let string_index = index(&strings.custom);
        let global_subrs = index(&[]);
        // All offsets have five bytes in the Top DICT, so its size is known before they are.
        let top_size = index(&[self.top_dict(&ros, &Offsets::default())]).len();
        let mut at = 4 + name_index.len() + top_size + string_index.len() + global_subrs.len();
        let mut place = |size: usize| {
            let here = at;
            at += size;
            here as i32
        };
        let fd_select: Vec<u8> = match self.keys {
            Keys::Names => Vec::new(),
            Keys::Cids { .. } => [vec![0], vec![0; self.glyphs.len()]].concat(),
        };
        let mut offsets = Offsets {
            charset: place(charset.len()),
            encoding: place(encoding.len()),
            charstrings: place(charstrings.len()),
            private: place(private.len()),
            private_size: private.len() as i32,
            fd_select: place(fd_select.len()),
            fd_array: 0,
            has_encoding: !encoding.is_empty(),
        };
        offsets.fd_array = place(0);
        let fd_array = match self.keys {
            Keys::Names => Vec::new(),
            Keys::Cids { .. } => index(&[dict(&[(&[offsets.private_size, offsets.private], &[18])])]),
        };
        let top = index(&[self.top_dict(&ros, &offsets)]);
        let header = vec![1, 0, 4, 4];
        [
            header,
            name_index,
            top,
            string_index,
            global_subrs,
            charset,
            encoding,
            charstrings,
            private,
            fd_select,
            fd_array,
        ]
        .concat()
    }

    fn ros(&self, strings: &mut Strings) -> Option<[i32; 3]> {
        match &self.keys {
            Keys::Names => None,
            Keys::Cids { registry, ordering, supplement, .. } => {
                Some([strings.sid(registry).into(), strings.sid(ordering).into(), i32::from(*supplement)])
            }
        }
    }

    fn top_dict(&self, ros: &Option<[i32; 3]>, offsets: &Offsets) -> Vec<u8> {
        let mut out = Vec::new();
        if let Some(ros) = ros {
            out.extend(dict(&[(ros, &[12, 30])]));
        }
        out.extend(dict(&[(&[0, -200, 1000, 1000], &[5]), (&[offsets.charset], &[15])]));
        if offsets.has_encoding || *offsets == Offsets::default() {
            out.extend(dict(&[(&[offsets.encoding], &[16])]));
        } else {
            out.extend(dict(&[(&[0], &[16])]));
        }
        out.extend(dict(&[(&[offsets.charstrings], &[17])]));
        match ros {
            None => out.extend(dict(&[(&[offsets.private_size, offsets.private], &[18])])),
            Some(_) => out.extend(dict(&[
                (&[65_535], &[12, 34]),
                (&[offsets.fd_array], &[12, 36]),
                (&[offsets.fd_select], &[12, 37]),
            ])),
        }
        out
    }

    /// Format 0: the SID or CID of GID 1, 2, 3 …
    fn charset(&self, strings: &mut Strings) -> Vec<u8> {
        let mut out = vec![0];
        for (gid, glyph) in self.glyphs.iter().enumerate().skip(1) {
            let key = match &self.keys {
                Keys::Names => strings.sid(&glyph.name),
                Keys::Cids { cids, .. } => cids[gid],
            };
            out.extend(key.to_be_bytes());
        }
        out
    }

    fn encoding_data(&self, strings: &mut Strings) -> Vec<u8> {
        let CffEncoding::Custom { codes, supplements } = &self.encoding else { return Vec::new() };
        let mut out = vec![if supplements.is_empty() { 0 } else { 0x80 }, codes.len() as u8];
        out.extend(codes);
        if !supplements.is_empty() {
            out.push(supplements.len() as u8);
            for (code, name) in supplements {
                out.push(*code);
                out.extend(strings.sid(name).to_be_bytes());
            }
        }
        out
    }

    fn charstring(&self, glyph: &Glyph) -> Vec<u8> {
        const R_MOVE_TO: u8 = 21;
        const R_LINE_TO: u8 = 5;
        const RR_CURVE_TO: u8 = 8;
        const END_CHAR: u8 = 14;
        let mut out = Vec::new();
        put_operand(&mut out, i32::from(glyph.advance)); // the width, once, before all else
        let mut pen = Pen::default();
        for contour in glyph.contours(&self.glyphs) {
            let Some((start, segments)) = glyphs::cubic_segments(&contour) else { continue };
            pen.go(&mut out, &[start], R_MOVE_TO);
            for segment in segments {
                match segment {
                    Segment::Line(x, y) => pen.go(&mut out, &[(x, y)], R_LINE_TO),
                    Segment::Curve(points) => pen.go(&mut out, &points, RR_CURVE_TO),
                }
            }
        }
        out.push(END_CHAR);
        out
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Offsets {
    charset: i32,
    encoding: i32,
    charstrings: i32,
    private: i32,
    private_size: i32,
    fd_select: i32,
    fd_array: i32,
    has_encoding: bool,
}

#[derive(Default)]
struct Pen {
    x: i16,
    y: i16,
}

impl Pen {
    /// Operands relative to the point before, then the operator.
    fn go(&mut self, out: &mut Vec<u8>, points: &[(i16, i16)], operator: u8) {
        for &(x, y) in points {
            put_operand(out, i32::from(x - self.x));
            put_operand(out, i32::from(y - self.y));
            (self.x, self.y) = (x, y);
        }
        out.push(operator);
    }
}

/// Names in use, beside the 391 standard ones.
#[derive(Default)]
struct Strings {
    custom: Vec<Vec<u8>>,
}

impl Strings {
    fn sid(&mut self, name: &str) -> u16 {
        const STANDARD: u16 = 391;
        let standard = (0..STANDARD).find(|&sid| Sid::new(sid).resolve_standard() == Ok(name.as_bytes()));
        standard.unwrap_or_else(|| {
            let known = self.custom.iter().position(|custom| custom == name.as_bytes());
            let index = known.unwrap_or_else(|| {
                self.custom.push(name.as_bytes().to_vec());
                self.custom.len() - 1
            });
            STANDARD + index as u16
        })
    }
}

/// A charstring operand.
fn put_operand(out: &mut Vec<u8>, value: i32) {
    match value {
        -107..=107 => out.push((value + 139) as u8),
        108..=1131 => {
            let value = value - 108;
            out.extend([(value >> 8) as u8 + 247, value as u8]);
        }
        -1131..=-108 => {
            let value = -value - 108;
            out.extend([(value >> 8) as u8 + 251, value as u8]);
        }
        _ => {
            out.push(28);
            out.extend((value as i16).to_be_bytes());
        }
    }
}

/// DICT data; every operand in five bytes.
fn dict(entries: &[(&[i32], &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (operands, operator) in entries {
        for operand in *operands {
            out.push(29);
            out.extend(operand.to_be_bytes());
        }
        out.extend(*operator);
    }
    out
}

/// An INDEX with offsets of four bytes.
fn index(items: &[Vec<u8>]) -> Vec<u8> {
    let mut out = (items.len() as u16).to_be_bytes().to_vec();
    if items.is_empty() {
        return out;
    }
    out.push(4);
    let mut offset = 1_u32;
    out.extend(offset.to_be_bytes());
    for item in items {
        offset += item.len() as u32;
        out.extend(offset.to_be_bytes());
    }
    out.extend(items.concat());
    out
}
