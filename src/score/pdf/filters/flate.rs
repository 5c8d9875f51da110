//! FlateDecode (RFC 1950, RFC 1951), tolerant of what surrounds the deflate data.

use std::cell::RefCell;

use flate2::{Decompress, FlushDecompress, Status};

use super::End;

/// First guess of output over input; typical content inflates four to six times.
const GUESSED_RATIO: usize = 5;
const FIRST_RESERVE_BYTES: usize = 1 << 10;

thread_local! {
    /// Raw deflate: the header is checked here and the checksum not at all, since no reader of PDF insists on it.
    static STATE: RefCell<Decompress> = RefCell::new(Decompress::new(false));
}

/// Inflates into `out` (empty), never past `cap_bytes`.
pub(super) fn inflate(input: &[u8], cap_bytes: usize, out: &mut Vec<u8>) -> End {
    if input.is_empty() {
        return End::Complete;
    }
    if has_header(input) {
        let end = inflate_raw(&input[2..], cap_bytes, out);
        // Two bytes of bare deflate data can look like a header.
        if end < End::Damaged || !out.is_empty() {
            return end;
        }
    }
    inflate_headless(input, cap_bytes, out)
}

/// The header is missing, damaged, or stands behind white space: the start that reaches the end wins,
/// else the one that gives most.
fn inflate_headless(input: &[u8], cap_bytes: usize, out: &mut Vec<u8>) -> End {
    let blanks = input.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let mut starts = [None, Some(0), Some(2)];
    if blanks > 0 && has_header(&input[blanks..]) {
        starts[0] = Some(blanks + 2);
    }
    let mut best = (End::Truncated, 0, None);
    for start in starts.into_iter().flatten().filter(|start| *start < input.len()) {
        let end = inflate_raw(&input[start..], cap_bytes, out);
        if end == End::Complete || end == End::OverLimit {
            return end;
        }
        if best.2.is_none() || out.len() > best.1 {
            best = (end, out.len(), Some(start));
        }
    }
    match best {
        (_, _, Some(start)) => {
            // A bare header decodes to nothing and is not a lie.
            let end = inflate_raw(&input[start..], cap_bytes, out);
            if out.is_empty() { End::Damaged } else { end }
        }
        (end, _, None) => {
            out.clear();
            end
        }
    }
}

fn has_header(input: &[u8]) -> bool {
    let &[cmf, flg, ..] = input else { return false };
    // Method 8, a window the RFC allows, the check bits; a preset dictionary does not exist in PDF.
    cmf & 0x0f == 8 && cmf >> 4 <= 7 && (u16::from(cmf) << 8 | u16::from(flg)) % 31 == 0 && flg & 0x20 == 0
}

fn inflate_raw(input: &[u8], cap_bytes: usize, out: &mut Vec<u8>) -> End {
    out.clear();
    STATE.with_borrow_mut(|state| {
        state.reset(false);
        let mut consumed = 0;
        let guess = input.len().saturating_mul(GUESSED_RATIO).max(FIRST_RESERVE_BYTES);
        loop {
            if out.len() == out.capacity() {
                // One byte above the cap tells a stream that ends there from one that goes on.
                let room = cap_bytes.saturating_add(1) - out.len();
                out.reserve_exact(room.min(guess.max(out.len())).max(1));
            }
            let (before_in, before_out) = (state.total_in(), out.len());
            let status = state.decompress_vec(&input[consumed..], out, FlushDecompress::None);
            let read = (state.total_in() - before_in) as usize;
            consumed += read;
            if out.len() > cap_bytes {
                out.truncate(cap_bytes);
                return End::OverLimit;
            }
            match status {
                Ok(Status::StreamEnd) => return End::Complete,
                Err(_) => return End::Damaged,
                // With room left, only more input could bring it on.
                Ok(_) if out.len() < out.capacity() && consumed == input.len() => return End::Truncated,
                Ok(_) if read == 0 && out.len() == before_out => return End::Damaged,
                Ok(_) => {}
            }
        }
    })
}

/// How many bytes zlib data inflate to, counted without keeping them; stops above `cap_bytes`.
pub(in crate::score::pdf) fn inflated_len(input: &[u8], cap_bytes: u64) -> u64 {
    let mut window = Vec::with_capacity(64 << 10);
    STATE.with_borrow_mut(|state| {
        state.reset(false);
        let mut rest = if has_header(input) { &input[2..] } else { input };
        loop {
            window.clear();
            let before_in = state.total_in();
            let status = state.decompress_vec(rest, &mut window, FlushDecompress::None);
            let read = (state.total_in() - before_in) as usize;
            rest = &rest[read..];
            let is_stuck = read == 0 && window.is_empty();
            if !matches!(status, Ok(Status::Ok)) || is_stuck || state.total_out() > cap_bytes {
                return state.total_out();
            }
        }
    })
}
