//! Chinese, Japanese and Korean: what a character costs after the one before it.
//!
//! Takes: a run of ideographs, kana or hangul. Gives: units of 1/8 bit. Fails: never.
//!
//! Counted from words, so that a pair is either inside a word or the end of one and the beginning of the next.

use std::collections::HashMap;

use super::chars::Script;
use super::model::Bounds;

/// What an unlisted character costs, in units.
pub const UNKNOWN_UNITS: u32 = 17 * 8;

/// One unpacked table.
#[derive(Debug)]
pub struct Table {
    /// ISO 639 code.
    pub code: &'static str,
    /// What clean text costs.
    pub bounds: Bounds,
    number: HashMap<char, u16>,
    first: Vec<u8>,
    leave: Vec<u8>,
    offsets: Vec<u32>,
    seconds: Vec<u16>,
    costs: Vec<u8>,
}

impl Table {
    pub(super) fn new(
        code: &'static str,
        bounds: Bounds,
        chars: &[char],
        first: Vec<u8>,
        leave: Vec<u8>,
        pairs: Vec<Vec<(u16, u8)>>,
    ) -> Self {
        let mut offsets = vec![0];
        let (mut seconds, mut costs) = (Vec::new(), Vec::new());
        for row in pairs {
            for (second, cost) in row {
                seconds.push(second);
                costs.push(cost);
            }
            offsets.push(seconds.len() as u32);
        }
        let number = chars.iter().enumerate().map(|(i, &c)| (c, i as u16)).collect();
        Self { code, bounds, number, first, leave, offsets, seconds, costs }
    }

    /// The number of a character; `None` for one that the table does not hold.
    pub fn number(&self, c: char) -> Option<u16> {
        self.number.get(&c).copied()
    }

    /// Cost of `c` after `before` (`None`: at the beginning of a run, or after an unlisted one).
    pub fn units(&self, before: Option<u16>, c: Option<u16>) -> u32 {
        let Some(c) = c else { return UNKNOWN_UNITS };
        let alone = u32::from(self.first[usize::from(c)]);
        let Some(before) = before else { return alone };
        let row = self.offsets[usize::from(before)] as usize..self.offsets[usize::from(before) + 1] as usize;
        match self.seconds[row.clone()].binary_search(&c) {
            Ok(i) => u32::from(self.costs[row.start + i]),
            Err(_) => (u32::from(self.leave[usize::from(before)]) + alone).min(UNKNOWN_UNITS + 16),
        }
    }

    /// Cost of a text of runs parted by `\0`, and how many characters were costed.
    pub fn score(&self, text: impl Iterator<Item = char>) -> (u32, u32) {
        let (mut before, mut sum, mut n) = (None, 0, 0);
        for c in text {
            if c == '\0' {
                before = None;
                continue;
            }
            let number = self.number(c);
            sum += self.units(before, number);
            n += 1;
            before = number;
        }
        (sum, n)
    }
}

/// The language of a text by its scripts: kana make Japanese, hangul Korean.
pub fn language(letters: &[u32]) -> &'static str {
    let of = |script: Script| letters[script as usize];
    let (han, kana, hangul) = (of(Script::Han), of(Script::Kana), of(Script::Hangul));
    if hangul * 2 > han + kana {
        "ko"
    } else if kana * 20 > han {
        "ja"
    } else {
        "zh"
    }
}
