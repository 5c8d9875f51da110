//! Type 1 programs (Adobe Type 1 Font Format, 1990).

use super::glyphs::{self, Glyph, Segment};

/// A Type 1 font: clear text, then the part encrypted with eexec, charstrings encrypted once more.
#[derive(Debug, Clone)]
pub struct Type1Font {
    glyphs: Vec<Glyph>,
    encoding: Option<Vec<(u8, String)>>,
    font_name: String,
    damaged: bool,
}

impl Type1Font {
    /// These glyphs under StandardEncoding.
    pub fn new(glyphs: Vec<Glyph>) -> Self {
        Self { glyphs, encoding: None, font_name: "Sub".into(), damaged: false }
    }

    /// ASCII and accented Latin letters.
    pub fn latin() -> Self {
        Self::new(glyphs::glyphs_for(&glyphs::latin_letters()))
    }

    /// A built-in encoding of its own.
    pub fn encoding<'n>(mut self, names: impl IntoIterator<Item = (u8, &'n str)>) -> Self {
        self.encoding = Some(names.into_iter().map(|(code, name)| (code, name.to_owned())).collect());
        self
    }

    /// Codes from `first` upwards for these characters, each once, by the names of their glyphs.
    pub fn encode_from(mut self, first: u8, letters: &str) -> Self {
        let mut names: Vec<(u8, String)> = Vec::new();
        for letter in letters.chars() {
            let Some(glyph) = self.glyphs.iter().find(|glyph| glyph.letter == Some(letter)) else { continue };
            let code = usize::from(first) + names.len();
            if let Ok(code) = u8::try_from(code)
                && names.iter().all(|(_, name)| *name != glyph.name)
            {
                names.push((code, glyph.name.clone()));
            }
        }
        self.encoding = Some(names);
        self
    }

    /// Renames every glyph but `.notdef`.
    pub fn names(mut self, name: impl Fn(usize, &Glyph) -> String) -> Self {
        for (gid, glyph) in self.glyphs.iter_mut().enumerate().skip(1) {
            glyph.name = name(gid, glyph);
        }
        self
    }

    /// The encrypted part is noise.
    pub fn damaged(mut self) -> Self {
        self.damaged = true;
        self
    }

    /// The glyphs; Type 1 fonts know them by name only.
    pub fn glyphs(&self) -> &[Glyph] {
        &self.glyphs
    }

    /// The program and the lengths of its three parts (`/Length1`, `/Length2`, `/Length3`).
    pub fn build(&self) -> (Vec<u8>, [usize; 3]) {
        let clear = self.clear_text().into_bytes();
        let private = self.private_part();
        let mut cipher = encrypt(&[&[0; 4], private.as_slice()].concat(), 55_665);
        if self.damaged {
            cipher.iter_mut().enumerate().for_each(|(i, byte)| *byte ^= (i * 31 + 7) as u8);
        }
        let end = format!("{}cleartomark\n", format!("{}\n", "0".repeat(64)).repeat(8)).into_bytes();
        let lengths = [clear.len(), cipher.len(), end.len()];
        ([clear, cipher, end].concat(), lengths)
    }

    fn clear_text(&self) -> String {
        let encoding = match &self.encoding {
            None => "/Encoding StandardEncoding def\n".to_owned(),
            Some(names) => {
                let puts: String =
                    names.iter().map(|(code, name)| format!("dup {code} /{name} put\n")).collect();
                format!(
                    "/Encoding 256 array\n0 1 255 {{1 index exch /.notdef put}} for\n{puts}readonly def\n"
                )
            }
        };
        let name = &self.font_name;
        format!(
            "%!PS-AdobeFont-1.0: {name} 1.0\n11 dict begin\n/FontInfo 1 dict dup begin\n/FullName ({name}) \
             readonly def\nend readonly def\n/FontName /{name} def\n/PaintType 0 def\n/FontType 1 def\n\
             /FontMatrix [0.001 0 0 0.001 0 0] readonly def\n{encoding}\
             /FontBBox {{0 -200 1000 1000}} readonly def\ncurrentdict end\ncurrentfile eexec\n"
        )
    }

    fn private_part(&self) -> Vec<u8> {
        let mut out = b"dup /Private 8 dict dup begin\n\
            /RD {string currentfile exch readstring pop} executeonly def\n\
            /ND {noaccess def} executeonly def\n/NP {noaccess put} executeonly def\n\
            /BlueValues [] def\n/MinFeature {16 16} def\n/password 5839 def\n/lenIV 4 def\n"
            .to_vec();
        out.extend(format!("2 index /CharStrings {} dict dup begin\n", self.glyphs.len()).into_bytes());
        for glyph in &self.glyphs {
            let charstring = encrypt(&[&[0; 4], self.charstring(glyph).as_slice()].concat(), 4_330);
            out.extend(format!("/{} {} RD ", glyph.name, charstring.len()).into_bytes());
            out.extend(charstring);
            out.extend(b" ND\n");
        }
        out.extend(
            b"end\nend\nreadonly put\nnoaccess put\ndup /FontName get exch definefont pop\n\
              mark currentfile closefile\n",
        );
        out
    }

    fn charstring(&self, glyph: &Glyph) -> Vec<u8> {
        const HSBW: u8 = 13;
        const R_MOVE_TO: u8 = 21;
        const R_LINE_TO: u8 = 5;
        const RR_CURVE_TO: u8 = 8;
        const CLOSE_PATH: u8 = 9;
        const END_CHAR: u8 = 14;
        let mut out = Vec::new();
        put_number(&mut out, 0);
        put_number(&mut out, i32::from(glyph.advance));
        out.push(HSBW);
        let (mut x, mut y) = (0, 0);
        let mut go = |out: &mut Vec<u8>, points: &[(i16, i16)], operator: u8| {
            for &(px, py) in points {
                put_number(out, i32::from(px - x));
                put_number(out, i32::from(py - y));
                (x, y) = (px, py);
            }
            out.push(operator);
        };
        for contour in glyph.contours(&self.glyphs) {
            let Some((start, segments)) = glyphs::cubic_segments(&contour) else { continue };
            go(&mut out, &[start], R_MOVE_TO);
            for segment in segments {
                match segment {
                    Segment::Line(px, py) => go(&mut out, &[(px, py)], R_LINE_TO),
                    Segment::Curve(points) => go(&mut out, &points, RR_CURVE_TO),
                }
            }
            out.push(CLOSE_PATH);
        }
        out.push(END_CHAR);
        out
    }
}

/// A Type 1 charstring number.
fn put_number(out: &mut Vec<u8>, value: i32) {
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
            out.push(255);
            out.extend(value.to_be_bytes());
        }
    }
}

/// eexec and charstring encryption (chapter 7).
fn encrypt(plain: &[u8], key: u16) -> Vec<u8> {
    let mut r = key;
    plain
        .iter()
        .map(|&byte| {
            let cipher = byte ^ (r >> 8) as u8;
            r = u16::from(cipher).wrapping_add(r).wrapping_mul(52_845).wrapping_add(22_719);
            cipher
        })
        .collect()
}
