//! Objects of a PDF file and the streams among them, written as bytes so that every lie can be told.

use std::io::Write as _;

/// The number of an indirect object; generation 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ref(pub u32);

impl std::fmt::Display for Ref {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} 0 R", self.0)
    }
}

/// A filter of a stream: applied when the data is written, or only declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// zlib.
    Flate,
    /// LZW with the early change of PDF's default.
    Lzw,
    /// Base 85.
    Ascii85,
    /// Hexadecimal.
    AsciiHex,
    /// Runs of equal bytes.
    RunLength,
    /// Named, the data left as it is: image codecs, unknown filters.
    Declared(&'static str),
}

/// A stream and the lies told about it.
#[derive(Debug, Clone, Default)]
pub struct StreamSpec {
    /// Dictionary entries beside `/Length` and `/Filter`.
    pub entries: String,
    /// Data before filters.
    pub data: Vec<u8>,
    /// As in the file: the first is decoded first.
    pub filters: Vec<Filter>,
    /// `/Length` as written; `None` is the right one.
    pub length: Option<i64>,
    /// `/Filter` is a reference.
    pub indirect_filter: bool,
    /// `/Fl`, `/A85`: the names of inline images.
    pub abbreviated: bool,
    /// No `endstream`.
    pub no_endstream: bool,
    /// Encoded bytes kept; the rest is cut off.
    pub keep_bytes: Option<usize>,
    /// Data are encoded already: `filters` are only declared.
    pub raw: bool,
}

impl StreamSpec {
    /// Data without a filter.
    pub fn new(entries: impl Into<String>, data: impl Into<Vec<u8>>) -> Self {
        Self { entries: entries.into(), data: data.into(), ..Self::default() }
    }

    /// With filters, the first decoded first.
    pub fn filters(mut self, filters: &[Filter]) -> Self {
        self.filters = filters.to_vec();
        self
    }

    fn encoded(&self) -> Vec<u8> {
        let mut data = self.data.clone();
        if !self.raw {
            for filter in self.filters.iter().rev() {
                data = filter.encode(&data);
            }
        }
        data.truncate(self.keep_bytes.unwrap_or(usize::MAX));
        data
    }

    /// Dictionary, data and keywords.
    fn write(&self, filter_value: &str) -> Vec<u8> {
        let data = self.encoded();
        let length = self.length.unwrap_or(data.len() as i64);
        let mut out = format!("<< {} /Length {length}{filter_value} >>\nstream\n", self.entries).into_bytes();
        out.extend(data);
        out.extend(if self.no_endstream { &b"\n"[..] } else { &b"\nendstream"[..] });
        out
    }

    fn filter_names(&self) -> String {
        let names: Vec<String> =
            self.filters.iter().map(|filter| format!("/{}", filter.name(self.abbreviated))).collect();
        match names.as_slice() {
            [] => String::new(),
            [name] => name.clone(),
            _ => format!("[{}]", names.join(" ")),
        }
    }
}

impl Filter {
    fn name(self, abbreviated: bool) -> &'static str {
        match (self, abbreviated) {
            (Self::Flate, false) => "FlateDecode",
            (Self::Flate, true) => "Fl",
            (Self::Lzw, false) => "LZWDecode",
            (Self::Lzw, true) => "LZW",
            (Self::Ascii85, false) => "ASCII85Decode",
            (Self::Ascii85, true) => "A85",
            (Self::AsciiHex, false) => "ASCIIHexDecode",
            (Self::AsciiHex, true) => "AHx",
            (Self::RunLength, false) => "RunLengthDecode",
            (Self::RunLength, true) => "RL",
            (Self::Declared(name), _) => name,
        }
    }

    /// Encodes data as this filter decodes it.
    pub fn encode(self, data: &[u8]) -> Vec<u8> {
        match self {
            Self::Flate => deflate(data),
            Self::Lzw => weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
                .encode(data)
                .expect("the encoder takes any bytes"),
            Self::Ascii85 => ascii85(data),
            Self::AsciiHex => format!("{}>", hex(data)).into_bytes(),
            Self::RunLength => run_length(data),
            Self::Declared(_) => data.to_vec(),
        }
    }
}

/// zlib at the fastest level that compresses.
pub(super) fn deflate(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(data).and_then(|()| encoder.finish()).expect("writing to memory cannot fail")
}

/// Upper-case hexadecimal digits.
pub(super) fn hex(data: &[u8]) -> String {
    data.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn ascii85(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in data.chunks(4) {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        let mut value = u32::from_be_bytes(word);
        if value == 0 && chunk.len() == 4 {
            out.push(b'z');
            continue;
        }
        let mut digits = [0; 5];
        for digit in digits.iter_mut().rev() {
            *digit = b'!' + (value % 85) as u8;
            value /= 85;
        }
        out.extend(&digits[..=chunk.len()]);
    }
    out.extend(b"~>");
    out
}

/// Literal runs only: valid, never smaller.
fn run_length(data: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in data.chunks(128) {
        out.push((chunk.len() - 1) as u8);
        out.extend(chunk);
    }
    out.push(128);
    out
}

/// The objects of a file in the making.
#[derive(Debug)]
pub struct Objects {
    bodies: Vec<Body>,
    compress: bool,
}

/// The body of an object.
#[derive(Debug, Clone)]
pub(super) enum Body {
    /// Anything but a stream: may go into an object stream.
    Plain(Vec<u8>),
    /// A stream, encoded.
    Stream(Vec<u8>),
}

impl Objects {
    /// None yet; `compress` deflates streams that have no filter of their own.
    pub(super) fn new(compress: bool) -> Self {
        Self { bodies: Vec::new(), compress }
    }

    /// Takes the next number; `null` until set.
    pub fn reserve(&mut self) -> Ref {
        self.bodies.push(Body::Plain(b"null".to_vec()));
        Ref(self.bodies.len() as u32)
    }

    /// Sets a reserved object.
    pub fn set(&mut self, id: Ref, body: impl Into<Vec<u8>>) {
        self.bodies[id.0 as usize - 1] = Body::Plain(body.into());
    }

    /// Adds an object.
    pub fn add(&mut self, body: impl Into<Vec<u8>>) -> Ref {
        let id = self.reserve();
        self.set(id, body);
        id
    }

    /// Sets a reserved object to a stream.
    pub fn set_stream(&mut self, id: Ref, stream: &StreamSpec) {
        let compressed;
        let mut stream = stream;
        if self.compress && stream.filters.is_empty() && stream.length.is_none() && !stream.raw {
            compressed = StreamSpec { filters: vec![Filter::Flate], ..stream.clone() };
            stream = &compressed;
        }
        let filter = match stream.filter_names() {
            names if names.is_empty() => String::new(),
            names if stream.indirect_filter => format!(" /Filter {}", self.add(names)),
            names => format!(" /Filter {names}"),
        };
        self.bodies[id.0 as usize - 1] = Body::Stream(stream.write(&filter));
    }

    /// Adds a stream.
    pub fn add_stream(&mut self, stream: &StreamSpec) -> Ref {
        let id = self.reserve();
        self.set_stream(id, stream);
        id
    }

    pub(super) fn bodies(&self) -> &[Body] {
        &self.bodies
    }
}

/// A PDF text string: plain where it is ASCII, else UTF-16 with its mark.
pub(super) fn text_string(text: &str) -> String {
    if text.chars().all(|letter| (' '..='~').contains(&letter)) {
        return format!("<{}>", hex(text.as_bytes()));
    }
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    format!("<FEFF{}>", hex(&utf16))
}

/// A PDF name, anything but letters, digits and a few signs as `#XX`.
pub(super) fn name(text: &str) -> String {
    let mut out = String::from("/");
    for &byte in text.as_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'+' | b'-' | b'.' | b'_' | b'*' => {
                out.push(byte as char)
            }
            _ => out.push_str(&format!("#{byte:02X}")),
        }
    }
    out
}
