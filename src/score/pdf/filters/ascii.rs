//! ASCII85Decode and ASCIIHexDecode (ISO 32000-2, 7.4.2 and 7.4.3).
//!
//! A missing end marker is no damage: many writers leave it out, and nothing is lost.

use super::End;

/// Decodes base 85. Foreign characters are skipped and reported.
pub(super) fn decode_85(input: &[u8], cap_bytes: usize, out: &mut Vec<u8>) -> End {
    let input = input.trim_ascii_start();
    let input = input.strip_prefix(b"<~").unwrap_or(input);
    out.reserve((input.len() / 5 * 4 + 4).min(cap_bytes));
    let mut end = End::Complete;
    let (mut group, mut n_digits) = (0u64, 0);
    for &byte in input {
        match byte {
            b'!'..=b'u' => {
                group = group * 85 + u64::from(byte - b'!');
                n_digits += 1;
                if n_digits == 5 {
                    if group > u64::from(u32::MAX) {
                        end = End::Damaged;
                    }
                    out.extend_from_slice(&(group as u32).to_be_bytes());
                    (group, n_digits) = (0, 0);
                }
            }
            b'z' if n_digits == 0 => out.extend_from_slice(&[0; 4]),
            b'~' => break,
            0 | b'\t' | b'\n' | 0x0c | b'\r' | b' ' => {}
            _ => end = End::Damaged,
        }
        if out.len() > cap_bytes {
            out.truncate(cap_bytes);
            return End::OverLimit;
        }
    }
    match n_digits {
        0 => {}
        // One digit carries less than a byte.
        1 => end = End::Damaged,
        n => {
            for _ in n..5 {
                group = group * 85 + 84;
            }
            out.extend_from_slice(&(group as u32).to_be_bytes()[..n - 1]);
        }
    }
    within(cap_bytes, out, end)
}

/// Decodes pairs of hexadecimal digits; an odd last digit stands for its high half.
pub(super) fn decode_hex(input: &[u8], cap_bytes: usize, out: &mut Vec<u8>) -> End {
    out.reserve((input.len() / 2 + 1).min(cap_bytes));
    let mut end = End::Complete;
    let mut high = None;
    for &byte in input {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'a'..=b'f' => byte - b'a' + 10,
            b'A'..=b'F' => byte - b'A' + 10,
            b'>' => break,
            0 | b'\t' | b'\n' | 0x0c | b'\r' | b' ' => continue,
            _ => {
                end = End::Damaged;
                continue;
            }
        };
        match high.take() {
            None => high = Some(digit << 4),
            Some(high) => out.push(high | digit),
        }
        if out.len() > cap_bytes {
            break;
        }
    }
    out.extend(high);
    within(cap_bytes, out, end)
}

pub(super) fn within(cap_bytes: usize, out: &mut Vec<u8>, end: End) -> End {
    if out.len() > cap_bytes {
        out.truncate(cap_bytes);
        return End::OverLimit;
    }
    end
}
