//! A look at object and cross-reference streams before the first reader inflates them without a cap.
//!
//! Defence in depth: what hides its `/Type` behind an escape or a wrong name is met by the memory limit of the process
//! that reads. Work is bounded: each dictionary is parsed within a small window, and each stream counted under a cap.

use memchr::memmem;

use super::filters::flate;
use super::filters::{End, Filter, decode_data_end, read_filters};
use super::{Array, Dict, OpenError};
use crate::score::limits::Limits;
use hayro_syntax::object::FromBytes;

/// No deflate stream inflates more than this (zlib's technical notes: 1032 to 1).
const MAX_RATIO: u64 = 1032;
/// All such streams together may take this many times the limit of one.
const TOTAL_FACTOR: u64 = 8;
/// The largest number of objects a file may have (ISO 32000-1, annex C).
const MAX_OBJECTS: u64 = 8_388_607;
/// A dictionary of such a stream lies within this.
const WINDOW_BYTES: usize = 4 << 10;
/// After so many dictionaries that do not parse, the file is left to the limits of the process.
const MAX_FAILURES: u32 = 10_000;

/// Refuses a file whose object or cross-reference streams would inflate past the limits.
pub(super) fn check(bytes: &[u8], limits: &Limits) -> Result<(), OpenError> {
    let one = limits.object_stream_bytes as u64;
    let total = one * TOTAL_FACTOR;
    let over = |what: &str| OpenError::OverLimit(format!("{what} over the limit of {one} bytes"));
    let mut scratch = Vec::new();
    let mut bound_sum = 0;
    let mut plain = Vec::new();
    for needle in [b"/ObjStm".as_slice(), b"/XRef"] {
        for stream in Candidates::new(bytes, needle) {
            if needle == b"/XRef" && stream.n_entries().is_some_and(|entries| entries > MAX_OBJECTS) {
                return Err(OpenError::OverLimit(format!("more than {MAX_OBJECTS} objects")));
            }
            let filters = read_filters(&stream.dict, limits.filters).unwrap_or_default();
            match filters.as_slice() {
                [] => bound_sum += stream.data.len() as u64,
                [Filter::Flate(_)] => {
                    let bound = stream.data.len() as u64 * MAX_RATIO;
                    let bound = if bound > one { flate::inflated_len(stream.data, one + 1) } else { bound };
                    if bound > one {
                        return Err(over("an object stream is"));
                    }
                    bound_sum += bound;
                    plain.push(stream.data);
                }
                _ => {
                    let cap = limits.object_stream_bytes;
                    if decode_data_end(&stream.dict, stream.data, limits.filters, cap, &mut scratch)
                        == End::OverLimit
                    {
                        return Err(over("an object stream is"));
                    }
                    bound_sum += scratch.len() as u64;
                }
            }
        }
    }
    // The bounds are far above what real streams give; only where they do not suffice is each one counted.
    if bound_sum > total {
        let mut sum = 0;
        for data in plain {
            sum += flate::inflated_len(data, one);
            if sum > total {
                return Err(OpenError::OverLimit(format!(
                    "object streams are over the limit of {total} bytes"
                )));
            }
        }
    }
    Ok(())
}

struct Candidate<'a> {
    dict: Dict<'a>,
    data: &'a [u8],
}

impl Candidate<'_> {
    /// Entries that a cross-reference stream states, where its data could hold them.
    fn n_entries(&self) -> Option<u64> {
        let [a, b, c] = self.dict.get::<[u32; 3]>("W")?;
        let entry_bytes = u64::from(a) + u64::from(b) + u64::from(c);
        let held = (self.data.len() as u64 * MAX_RATIO).checked_div(entry_bytes)?;
        let stated = match self.dict.get::<Array<'_>>("Index") {
            Some(index) => index.iter::<u32>().skip(1).step_by(2).map(u64::from).sum(),
            None => u64::from(self.dict.get::<u32>("Size")?),
        };
        Some(held.min(stated))
    }
}

/// Streams whose dictionary holds the needle.
struct Candidates<'a> {
    bytes: &'a [u8],
    finder: memmem::Finder<'static>,
    position: usize,
    failures: u32,
}

impl<'a> Candidates<'a> {
    fn new(bytes: &'a [u8], needle: &'static [u8]) -> Self {
        Self { bytes, finder: memmem::Finder::new(needle), position: 0, failures: 0 }
    }

    fn parse(&mut self, hit: usize) -> Option<Candidate<'a>> {
        let before = &self.bytes[hit.saturating_sub(WINDOW_BYTES).max(self.position.min(hit))..hit];
        let object = hit - before.len() + memmem::rfind(before, b"obj")? + 3;
        let window = &self.bytes[object..self.bytes.len().min(hit + WINDOW_BYTES)];
        let start = object + window.iter().position(|byte| !byte.is_ascii_whitespace())?;
        let dict = Dict::from_bytes(&self.bytes[start..self.bytes.len().min(hit + WINDOW_BYTES)])?;
        let after = start + dict.data().len();
        let data = super::rescue::stream_data(self.bytes, after, dict.get::<i64>("Length"))?;
        Some(Candidate { dict, data })
    }
}

impl<'a> Iterator for Candidates<'a> {
    type Item = Candidate<'a>;

    fn next(&mut self) -> Option<Candidate<'a>> {
        while self.failures < MAX_FAILURES {
            let hit = self.position + self.finder.find(self.bytes.get(self.position..)?)?;
            match self.parse(hit) {
                Some(stream) => {
                    // The dictionary's end lies behind the hit, or the hit is in a later one's.
                    self.position = hit + self.finder.needle().len();
                    return Some(stream);
                }
                None => {
                    self.failures += 1;
                    self.position = hit + self.finder.needle().len();
                }
            }
        }
        None
    }
}
