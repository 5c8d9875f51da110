//! RunLengthDecode (ISO 32000-2, 7.4.5).

use super::End;
use super::ascii::within;

/// Decodes runs; a run cut short by the end of the data is kept as far as it goes.
pub(super) fn decode(mut input: &[u8], cap_bytes: usize, out: &mut Vec<u8>) -> End {
    while out.len() <= cap_bytes
        && let [length, rest @ ..] = input
    {
        input = match usize::from(*length) {
            128 => break,
            length @ 0..=127 => {
                let Some((literal, rest)) = rest.split_at_checked(length + 1) else {
                    out.extend_from_slice(rest);
                    return within(cap_bytes, out, End::Truncated);
                };
                out.extend_from_slice(literal);
                rest
            }
            length => {
                let [byte, rest @ ..] = rest else { return End::Truncated };
                out.resize(out.len() + 257 - length, *byte);
                rest
            }
        };
    }
    within(cap_bytes, out, End::Complete)
}
