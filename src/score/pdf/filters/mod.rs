//! Stream filters under a cap (ISO 32000-2, 7.4).
//!
//! Takes: raw (decrypted, still encoded) bytes and the filters of their dictionary. Gives: decoded bytes, at most
//! `cap_bytes` after each stage, and how it ended; what came before damage is kept. Fails: never. Never:
//! decodes an image, grows a buffer past the cap, or allocates in proportion to a number the file states.

mod ascii;
mod brotli;
pub(super) mod flate;
mod lzw;
mod predictor;
mod run_length;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cell::RefCell;

use smallvec::SmallVec;
use xxhash_rust::xxh3::Xxh3;

use super::{Array, Dict, Object, Stream};
pub use predictor::{Layout, Predictor};

/// Filters of one stream that [`decode_stream`] follows; equals the default of `Limits::filters`.
pub const MAX_FILTERS: usize = 16;

/// Scratch memory above this is given back after use.
const KEEP_SCRATCH_BYTES: usize = 8 << 20;

/// How a decode ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decoded {
    /// Every byte.
    Complete,
    /// The data ended early or is damaged; what came before is kept.
    Partial,
    /// The cap was reached; what came before is kept.
    OverLimit,
    /// A filter of images, of encryption not at hand, or an unknown one: nothing was decoded.
    Unsupported,
}

/// As [`Decoded`], with the two kinds of [`Decoded::Partial`] told apart. Ordered by severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum End {
    Complete,
    Truncated,
    Damaged,
    OverLimit,
    Unsupported,
}

impl From<End> for Decoded {
    fn from(end: End) -> Self {
        match end {
            End::Complete => Self::Complete,
            End::Truncated | End::Damaged => Self::Partial,
            End::OverLimit => Self::OverLimit,
            End::Unsupported => Self::Unsupported,
        }
    }
}

/// One filter with what its parameters say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// FlateDecode.
    Flate(Predictor),
    /// LZWDecode; `early_change` as in ISO 32000-2, 7.4.4.3, table 8.
    Lzw {
        /// Whether code lengths grow one code early.
        early_change: bool,
        /// Applied afterwards.
        predictor: Predictor,
    },
    /// ASCII85Decode.
    Ascii85,
    /// ASCIIHexDecode.
    AsciiHex,
    /// RunLengthDecode.
    RunLength,
    /// BrotliDecode, of PDF 2.0 extensions.
    Brotli(Predictor),
    /// A crypt filter that changes nothing at this place.
    Identity,
    /// An image codec, another crypt filter, or an unknown name.
    Unsupported,
}

/// The filters of one stream, in the order they are undone.
pub type Filters = SmallVec<[Filter; 2]>;

impl Filter {
    /// Reads a filter's name, abbreviations of inline images included: writers use them on ordinary streams too.
    pub fn from_name(name: &[u8], parms: Option<&Dict<'_>>) -> Self {
        match name {
            b"FlateDecode" | b"Fl" => Self::Flate(Predictor::read(parms)),
            b"LZWDecode" | b"LZW" => Self::Lzw {
                early_change: parms.and_then(|parms| parms.get::<i32>("EarlyChange")) != Some(0),
                predictor: Predictor::read(parms),
            },
            b"ASCII85Decode" | b"A85" => Self::Ascii85,
            b"ASCIIHexDecode" | b"AHx" => Self::AsciiHex,
            b"RunLengthDecode" | b"RL" => Self::RunLength,
            b"BrotliDecode" => Self::Brotli(Predictor::read(parms)),
            b"Crypt" => match parms.and_then(|parms| parms.get::<super::Name<'_>>("Name")) {
                Some(name) if &*name != b"Identity" => Self::Unsupported,
                _ => Self::Identity,
            },
            _ => Self::Unsupported,
        }
    }
}

/// Reads `/Filter` and `/DecodeParms` of a stream dictionary: a name or an array, direct or by reference, under
/// their full or inline-image keys. `None` where they cannot be followed: no name where one must be, an
/// external file, or more than `max_filters`.
pub fn read_filters(dict: &Dict<'_>, max_filters: usize) -> Option<Filters> {
    let named = named_filters(dict, max_filters)?;
    let mut filters = Filters::with_capacity(named.len());
    for (position, (name, parms)) in named.iter().enumerate() {
        let filter = match Filter::from_name(name, parms.as_ref()) {
            // The reader has already decrypted through a crypt filter that stands first.
            Filter::Unsupported if position == 0 && &**name == b"Crypt" => Filter::Identity,
            filter => filter,
        };
        filters.push(filter);
    }
    Some(filters)
}

type NamedFilters<'a> = SmallVec<[(super::Name<'a>, Option<Dict<'a>>); 2]>;

fn named_filters<'a>(dict: &Dict<'a>, max_filters: usize) -> Option<NamedFilters<'a>> {
    let mut named = NamedFilters::new();
    // `/F` names an external file in a stream dictionary (7.3.8.2); only inline images abbreviate so.
    let filter = match dict.get::<Object<'a>>("Filter") {
        Some(Object::Null(_)) | None => match dict.get::<Object<'a>>("F") {
            Some(Object::String(_) | Object::Dict(_)) => return None,
            other => other,
        },
        some => some,
    };
    let parms = || match dict.get::<Object<'a>>("DecodeParms") {
        Some(Object::Null(_)) | None => dict.get::<Object<'a>>("DP"),
        some => some,
    };
    match filter {
        None | Some(Object::Null(_)) => {}
        Some(Object::Name(name)) => {
            let parms = match parms() {
                Some(Object::Array(array)) => elements(&array, 1).into_iter().next().flatten(),
                other => other,
            };
            named.push((name, parms.and_then(Object::into_dict)));
        }
        Some(Object::Array(array)) => {
            // One more than allowed, to see that there are too many.
            let names = elements(&array, max_filters + 1);
            if names.len() > max_filters {
                return None;
            }
            let parms = match parms() {
                Some(Object::Array(parms)) => elements(&parms, names.len()),
                Some(other) => vec![Some(other)],
                None => Vec::new(),
            };
            let mut parms = parms.into_iter();
            for name in names {
                let Some(Object::Name(name)) = name else { return None };
                named.push((name, parms.next().flatten().and_then(Object::into_dict)));
            }
        }
        Some(_) => return None,
    }
    Some(named)
}

/// The first `limit` elements, references resolved; an unresolvable one keeps its place.
fn elements<'a>(array: &Array<'a>, limit: usize) -> Vec<Option<Object<'a>>> {
    let length = array.raw_iter().take(limit).count();
    let mut iter = array.flex_iter();
    (0..length).map(|_| iter.next::<Object<'a>>()).collect()
}

/// Decodes a stream through its filters into `out` (cleared first), never past `cap_bytes`.
///
/// At most [`MAX_FILTERS`] filters; each stage is held to the cap. A stream without filters is copied.
pub fn decode_stream(stream: &Stream<'_>, cap_bytes: usize, out: &mut Vec<u8>) -> Decoded {
    decode_stream_end(stream, MAX_FILTERS, cap_bytes, out).into()
}

pub(super) fn decode_stream_end(
    stream: &Stream<'_>,
    max_filters: usize,
    cap_bytes: usize,
    out: &mut Vec<u8>,
) -> End {
    let raw = stream.raw_data();
    if is_locked(stream, &raw) {
        out.clear();
        return End::Unsupported;
    }
    decode_data_end(stream.dict(), &raw, max_filters, cap_bytes, out)
}

/// Encrypted nothing takes up to this many bytes: the initial vector and a block of padding.
const EMPTY_ENCRYPTED_BYTES: i64 = 32;

/// The reader answers a failed decryption with nothing.
#[expect(clippy::ptr_arg, reason = "owned bytes are decrypted ones")]
pub(super) fn is_locked(stream: &Stream<'_>, raw: &Cow<'_, [u8]>) -> bool {
    matches!(raw, Cow::Owned(bytes) if bytes.is_empty())
        && stream.dict().get::<i64>("Length").is_some_and(|length| length > EMPTY_ENCRYPTED_BYTES)
}

pub(super) fn decode_data_end(
    dict: &Dict<'_>,
    raw: &[u8],
    max_filters: usize,
    cap_bytes: usize,
    out: &mut Vec<u8>,
) -> End {
    match read_filters(dict, max_filters) {
        Some(filters) => run(&filters, raw, cap_bytes, out),
        None => {
            out.clear();
            End::Unsupported
        }
    }
}

/// Decodes raw bytes through given filters into `out` (cleared first), never past `cap_bytes`: inline images, tests.
pub fn decode_raw(filters: &[Filter], raw: &[u8], cap_bytes: usize, out: &mut Vec<u8>) -> Decoded {
    run(filters, raw, cap_bytes, out).into()
}

thread_local! {
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The worst end of any stage; a stage after a bad one still runs on what the bad one gave.
pub(super) fn run(filters: &[Filter], raw: &[u8], cap_bytes: usize, out: &mut Vec<u8>) -> End {
    out.clear();
    if filters.contains(&Filter::Unsupported) {
        return End::Unsupported;
    }
    let stages: SmallVec<[Filter; 2]> =
        filters.iter().copied().filter(|filter| *filter != Filter::Identity).collect();
    match stages.as_slice() {
        [] => {
            out.extend_from_slice(&raw[..raw.len().min(cap_bytes)]);
            if raw.len() > cap_bytes { End::OverLimit } else { End::Complete }
        }
        [only] => run_stage(*only, raw, cap_bytes, out),
        [first, rest @ ..] => {
            let mut scratch = SCRATCH.take();
            let mut end = run_stage(*first, raw, cap_bytes, out);
            for stage in rest {
                std::mem::swap(out, &mut scratch);
                out.clear();
                end = end.max(run_stage(*stage, &scratch, cap_bytes, out));
            }
            scratch.clear();
            scratch.shrink_to(KEEP_SCRATCH_BYTES);
            SCRATCH.set(scratch);
            end
        }
    }
}

fn run_stage(stage: Filter, input: &[u8], cap_bytes: usize, out: &mut Vec<u8>) -> End {
    match stage {
        Filter::Flate(predictor) => {
            let end = flate::inflate(input, cap_bytes, out);
            end.max(predictor.undo(out))
        }
        Filter::Lzw { early_change, predictor } => {
            let end = lzw::decode(input, early_change, cap_bytes, out);
            end.max(predictor.undo(out))
        }
        Filter::Brotli(predictor) => {
            let end = brotli::decode(input, cap_bytes, out);
            end.max(predictor.undo(out))
        }
        Filter::Ascii85 => ascii::decode_85(input, cap_bytes, out),
        Filter::AsciiHex => ascii::decode_hex(input, cap_bytes, out),
        Filter::RunLength => run_length::decode(input, cap_bytes, out),
        Filter::Identity => End::Complete,
        Filter::Unsupported => End::Unsupported,
    }
}

/// Hash (xxh3-64) of everything that decides a stream's decoded bytes: raw bytes, filter names, parameters.
///
/// Equal streams of different documents hash alike, so that what is found out once holds for both.
pub fn compressed_hash(stream: &Stream<'_>) -> u64 {
    let mut hasher = Xxh3::new();
    match named_filters(stream.dict(), MAX_FILTERS) {
        Some(named) => {
            for (name, parms) in named {
                hasher.update(&name);
                hasher.update(b"\0");
                hasher.update(parms.as_ref().map_or(b"", |parms| parms.data()));
                hasher.update(b"\0");
            }
        }
        None => hasher.update(b"?"),
    }
    hasher.update(&stream.raw_data());
    hasher.digest()
}
