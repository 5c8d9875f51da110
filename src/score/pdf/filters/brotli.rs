//! BrotliDecode: an extension of ISO 32000-2 that prototypes already write.

use std::io::Read;

use brotli_decompressor::Decompressor;

use super::End;

const CHUNK_BYTES: usize = 16 << 10;

/// Decodes into `out` (empty), never past `cap_bytes`.
pub(super) fn decode(input: &[u8], cap_bytes: usize, out: &mut Vec<u8>) -> End {
    let mut decoder = Decompressor::new(input, CHUNK_BYTES);
    let mut chunk = [0; CHUNK_BYTES];
    loop {
        match decoder.read(&mut chunk) {
            Ok(0) => return End::Complete,
            Ok(n) => out.extend_from_slice(&chunk[..n]),
            // The decoder does not tell data that end early from damaged ones.
            Err(_) => return End::Damaged,
        }
        if out.len() > cap_bytes {
            out.truncate(cap_bytes);
            return End::OverLimit;
        }
    }
}
