//! Splitting shown strings into character codes (ISO 32000-2, 9.7.6.2 and 9.7.6.3).

use smallvec::SmallVec;

use super::super::CharCode;

/// Codes of one length whose every byte lies between two bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::score::fonts) struct CodeRange {
    pub(in crate::score::fonts) n_bytes: u8,
    pub(in crate::score::fonts) low: [u8; 4],
    pub(in crate::score::fonts) high: [u8; 4],
}

impl CodeRange {
    /// A range from its bounds as numbers; `None` for lengths no code has.
    pub(in crate::score::fonts) const fn new(n_bytes: u8, low: u32, high: u32) -> Option<Self> {
        if n_bytes == 0 || n_bytes > 4 {
            return None;
        }
        let shift = (4 - n_bytes as u32) * 8;
        let (low, high) = (low << shift, high << shift);
        Some(Self { n_bytes, low: low.to_be_bytes(), high: high.to_be_bytes() })
    }

    /// How many bytes of `bytes` from its first on fit; the whole code fits when it is `n_bytes`.
    fn n_matching(&self, bytes: &[u8]) -> usize {
        let bounds = self.low.iter().zip(&self.high).take(usize::from(self.n_bytes));
        bounds.zip(bytes).take_while(|((low, high), byte)| (*low..=*high).contains(byte)).count()
    }
}

/// How a font cuts strings into codes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::score::fonts) enum Codespace {
    /// Every byte is a code: simple fonts.
    OneByte,
    /// Every two bytes are a code: Identity-H and most embedded CMaps.
    TwoBytes,
    /// By ranges of mixed lengths.
    Ranges(SmallVec<[CodeRange; 4]>),
}

impl Codespace {
    /// The space of these ranges; two-byte codes where there are none.
    pub(in crate::score::fonts) fn of(ranges: &[CodeRange]) -> Self {
        let whole = |n: u8| {
            let all = |range: &CodeRange| {
                let n = usize::from(n);
                range.low[..n].iter().all(|&b| b == 0) && range.high[..n].iter().all(|&b| b == 0xFF)
            };
            ranges.iter().all(|range| range.n_bytes == n) && ranges.iter().any(all)
        };
        if ranges.is_empty() || whole(2) {
            Self::TwoBytes
        } else if whole(1) {
            Self::OneByte
        } else {
            // Short codes first, as other readers try them: ranges must not overlap, and then it is the same.
            let mut ranges: SmallVec<[CodeRange; 4]> = ranges.iter().copied().collect();
            ranges.sort_by_key(|range| range.n_bytes);
            Self::Ranges(ranges)
        }
    }

    /// The codes of a string, each with its length in bytes.
    #[inline]
    pub(in crate::score::fonts) fn codes<'s>(&'s self, string: &'s [u8]) -> Codes<'s> {
        Codes { space: self, rest: string }
    }
}

/// See [`Codespace::codes`].
#[derive(Debug, Clone)]
pub(in crate::score::fonts) struct Codes<'s> {
    space: &'s Codespace,
    rest: &'s [u8],
}

impl Iterator for Codes<'_> {
    type Item = (CharCode, u8);

    #[inline]
    fn next(&mut self) -> Option<(CharCode, u8)> {
        let (&first, after_first) = self.rest.split_first()?;
        match self.space {
            Codespace::OneByte => {
                self.rest = after_first;
                Some((CharCode(u32::from(first)), 1))
            }
            Codespace::TwoBytes => {
                let Some((&second, rest)) = after_first.split_first() else {
                    self.rest = &[];
                    return Some((CharCode(u32::from(first)), 1)); // half a code at the end of a string
                };
                self.rest = rest;
                Some((CharCode(u32::from(first) << 8 | u32::from(second)), 2))
            }
            Codespace::Ranges(ranges) => {
                let n_bytes = next_length(ranges, self.rest).min(self.rest.len());
                let (code, rest) = self.rest.split_at(n_bytes);
                self.rest = rest;
                let code = code.iter().fold(0, |code, &byte| code << 8 | u32::from(byte));
                Some((CharCode(code), n_bytes as u8))
            }
        }
    }
}

/// Length of the code that `bytes` starts with: of the first range that holds it whole; else of the shortest
/// range that agrees with it longest; at least one byte.
fn next_length(ranges: &[CodeRange], bytes: &[u8]) -> usize {
    let (mut best_match, mut best_length) = (0, usize::MAX);
    for range in ranges {
        let n_bytes = usize::from(range.n_bytes);
        let matching = range.n_matching(bytes);
        if matching == n_bytes {
            return n_bytes;
        }
        if matching > best_match || (matching == best_match && n_bytes < best_length) {
            (best_match, best_length) = (matching, n_bytes);
        }
    }
    if best_length == usize::MAX { 1 } else { best_length.max(1) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn space(ranges: &[(u8, u32, u32)]) -> Codespace {
        let ranges: Vec<_> = ranges.iter().map(|&(n, lo, hi)| CodeRange::new(n, lo, hi).unwrap()).collect();
        Codespace::of(&ranges)
    }

    fn split(space: &Codespace, bytes: &[u8]) -> Vec<(u32, u8)> {
        space.codes(bytes).map(|(code, n)| (code.0, n)).collect()
    }

    #[test]
    fn mixed_lengths_of_shift_jis() {
        let sjis = space(&[(1, 0, 0x80), (2, 0x8140, 0x9FFC), (1, 0xA0, 0xDF), (2, 0xE040, 0xFCFC)]);
        assert_eq!(split(&sjis, b"A\x82\xA0\xB1\xE0\x40"), [(0x41, 1), (0x82A0, 2), (0xB1, 1), (0xE040, 2)]);
        // An invalid second byte takes the two bytes of the range that fits best.
        assert_eq!(split(&sjis, b"\x82\x20A"), [(0x8220, 2), (0x41, 1)]);
        // No range fits FD: the shortest code.
        assert_eq!(split(&sjis, b"\xFDA"), [(0xFD, 1), (0x41, 1)]);
        assert_eq!(split(&sjis, b"\x82"), [(0x82, 1)]);
    }

    #[test]
    fn four_byte_codes() {
        let gb18030 = space(&[(1, 0, 0x7F), (4, 0x8130_8130, 0xFE39_FE39), (2, 0x8140, 0xFEFE)]);
        assert_eq!(split(&gb18030, b"A\x81\x30\x81\x30\x81\x40"), [(0x41, 1), (0x8130_8130, 4), (0x8140, 2)]);
    }

    #[test]
    fn whole_spaces_are_recognised() {
        assert_eq!(space(&[(2, 0, 0xFFFF)]), Codespace::TwoBytes);
        assert_eq!(space(&[(1, 0, 0xFF)]), Codespace::OneByte);
        assert_eq!(space(&[]), Codespace::TwoBytes);
        assert_eq!(split(&space(&[]), b"\0A\0"), [(0x41, 2), (0, 1)]);
        assert!(matches!(space(&[(1, 0, 0xFF), (2, 0, 0xFFFF)]), Codespace::Ranges(_)));
    }

    proptest! {
        #[test]
        fn every_byte_is_used_once(
            ranges in prop::collection::vec((1..5_u8, any::<u32>(), any::<u32>()), 0..6),
            bytes in prop::collection::vec(any::<u8>(), 0..64),
        ) {
            let space = space(&ranges);
            let n: usize = space.codes(&bytes).map(|(_, n)| usize::from(n)).sum();
            prop_assert_eq!(n, bytes.len());
        }
    }
}
