//! Damage done to a finished file, and contents that cost more than they weigh.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;

/// What happens to a finished file.
#[derive(Debug, Clone, PartialEq)]
pub enum Damage {
    /// Only this share of the bytes is kept, from the front.
    Truncated(f32),
    /// `startxref` points into nothing.
    BrokenStartXref,
    /// Every offset of the cross-reference table is wrong.
    WrongOffsets,
    /// No cross-reference and no trailer.
    NoXref,
    /// No `%PDF-` line.
    NoHeader,
    /// Bytes before the header.
    JunkBefore(Vec<u8>),
    /// The first occurrence of some bytes replaced by others.
    Replaced(Vec<u8>, Vec<u8>),
}

impl Damage {
    /// Replaces the first occurrence of `from`.
    pub fn replaced(from: &str, to: &str) -> Self {
        Self::Replaced(from.as_bytes().to_vec(), to.as_bytes().to_vec())
    }
}

pub(super) fn apply(mut file: Vec<u8>, damage: &Damage) -> Vec<u8> {
    match damage {
        Damage::Truncated(share) => {
            file.truncate((file.len() as f32 * share.clamp(0.0, 1.0)) as usize);
            file
        }
        Damage::BrokenStartXref => match rfind(&file, b"startxref") {
            Some(at) => [&file[..at], b"startxref\n7\n%%EOF\n"].concat(),
            None => file,
        },
        Damage::WrongOffsets => {
            for at in 0..file.len().saturating_sub(19) {
                if &file[at + 10..at + 18] == b" 00000 n" {
                    file[at..at + 10].copy_from_slice(b"0000000011");
                }
            }
            file
        }
        Damage::NoXref => {
            let at = rfind(&file, b"\nxref\n").or_else(|| rfind(&file, b"startxref")).unwrap_or(file.len());
            file.truncate(at);
            file
        }
        Damage::NoHeader => {
            let end = file.iter().position(|&byte| byte == b'\n').map_or(0, |at| at + 1);
            file.split_off(end)
        }
        Damage::JunkBefore(junk) => [junk.as_slice(), &file].concat(),
        Damage::Replaced(from, to) => match file.windows(from.len().max(1)).position(|part| part == from) {
            Some(at) => [&file[..at], to, &file[at + from.len()..]].concat(),
            None => file,
        },
    }
}

fn rfind(file: &[u8], needle: &[u8]) -> Option<usize> {
    file.windows(needle.len()).rposition(|part| part == needle)
}

/// zlib data that inflate to `n_bytes` zeros; built without holding them.
pub fn zeros_deflated(n_bytes: u64) -> Vec<u8> {
    repeated_deflated(&[0; 65_536], n_bytes)
}

/// zlib data of a pattern repeated up to `n_bytes`.
pub fn repeated_deflated(pattern: &[u8], n_bytes: u64) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    let mut left = n_bytes;
    while left > 0 {
        let n = left.min(pattern.len() as u64);
        encoder.write_all(&pattern[..n as usize]).expect("writing to memory cannot fail");
        left -= n;
    }
    encoder.finish().expect("writing to memory cannot fail")
}

/// A stream for `/Filter [/FlateDecode /FlateDecode]` that inflates to `n_bytes` zeros: some kilobytes for gigabytes.
///
/// The inner data are zlib blocks that are alike; only one is compressed, the rest is copied into the outer encoder.
pub fn bomb_flate(n_bytes: u64) -> Vec<u8> {
    let mut outer = ZlibEncoder::new(Vec::new(), Compression::best());
    let mut put = |bytes: &[u8]| outer.write_all(bytes).expect("writing to memory cannot fail");
    let block = zero_block();
    let n_blocks = n_bytes / BLOCK_BYTES;
    put(&[0x78, 0xDA]);
    for _ in 0..n_blocks {
        put(&block);
    }
    put(&[0x03, 0x00]); // the last, empty block
    let adler_of_zeros = (((n_blocks * BLOCK_BYTES) % 65_521) as u32) << 16 | 1;
    put(&adler_of_zeros.to_be_bytes());
    outer.finish().expect("writing to memory cannot fail")
}

const BLOCK_BYTES: u64 = 16 << 20;

/// Raw deflate data of 16 MiB of zeros that end on a byte boundary and are not the last block.
fn zero_block() -> Vec<u8> {
    let mut deflater = flate2::Compress::new(Compression::best(), false);
    let zeros = vec![0; 1 << 20];
    let mut out = Vec::with_capacity(1 << 20);
    for i in 0..16 {
        let flush = if i == 15 { flate2::FlushCompress::Full } else { flate2::FlushCompress::None };
        deflater.compress_vec(&zeros, &mut out, flush).expect("the buffer is large enough");
    }
    out
}

/// `n_bytes` of the smallest operators there are.
pub fn tiny_operators(n_bytes: usize) -> Vec<u8> {
    b"q Q 0 g\n".iter().copied().cycle().take(n_bytes).collect()
}

/// Arrays nested `depth` deep, as content.
pub fn nested_arrays(depth: usize) -> Vec<u8> {
    [vec![b'['; depth], vec![b']'; depth]].concat()
}
