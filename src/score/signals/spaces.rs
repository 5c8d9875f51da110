//! A character that stands where blanks should: `the$committee$met`.
//!
//! Takes: the text of one font with its codes. Gives: the code that stands in for the space. Fails: never.
//!
//! One character that is no letter, whose gaps look like the lengths of words, in a text that has next to no blanks.
//! Prices, paths, leaders and hyphens fail one of the two: they stand by digits, by themselves, or between blanks.

use rustc_hash::FxHashMap;

use super::letters::chars::{Char, Kind};
use super::letters::judge::{Sample, Wrong};
use crate::score::result::{Certainty, ReasonCode};

/// Letters a text needs.
const LEAST_LETTERS: u32 = 60;
/// How often the character stands at least.
const LEAST_USES: u32 = 12;
/// Letters between two of them: mean length of words, in letters.
const WORD_LETTERS: std::ops::RangeInclusive<f32> = 2.0..=12.0;
/// Real blanks for each of them at most: lines end, too.
const BLANKS: f32 = 0.35;
/// Share of the gaps that must be words.
const WORD_SHARE: f32 = 0.85;

/// A code that is drawn where words part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::score) struct StandIn {
    /// The code.
    pub(in crate::score) code: u32,
    uses: u32,
}

impl StandIn {
    /// Puts blanks where the code stands.
    pub(in crate::score) fn part(&self, sample: &mut Sample) {
        for (c, code) in sample.chars.iter_mut().zip(&sample.codes) {
            if *code == self.code {
                *c = ' ';
            }
        }
    }

    /// What is held against the font.
    pub(in crate::score) fn wrong(&self) -> Wrong {
        Wrong {
            code: ReasonCode::StandInSpace,
            certainty: Certainty::Measured,
            codes: vec![self.code],
            detail: format!(
                "code {:#06x} parts words {} times where blanks are missing",
                self.code, self.uses
            ),
            remedy: None,
        }
    }
}

/// The code that stands in for the space, where one does.
pub(in crate::score) fn stand_in(sample: &Sample) -> Option<StandIn> {
    let mut uses: FxHashMap<u32, u32> = FxHashMap::default();
    let (mut letters, mut blanks, mut after_blank) = (0_u32, 0_u32, true);
    for (&c, &code) in sample.chars.iter().zip(&sample.codes) {
        match Char::of(c).kind {
            Kind::Letter => letters += 1,
            Kind::Space => blanks += u32::from(!after_blank),
            Kind::Digit | Kind::Mark | Kind::Format => {}
            _ => *uses.entry(code).or_default() += 1,
        }
        after_blank = Char::of(c).kind == Kind::Space;
    }
    let (code, uses) = uses.into_iter().max_by_key(|&(code, n)| (n, std::cmp::Reverse(code)))?;
    let mean = letters as f32 / uses as f32;
    if letters < LEAST_LETTERS
        || uses < LEAST_USES
        || !WORD_LETTERS.contains(&mean)
        || blanks as f32 > BLANKS * uses as f32
    {
        return None;
    }
    (word_share(sample, code) >= WORD_SHARE).then_some(StandIn { code, uses })
}

/// Share of the gaps between the code and itself that are one word: letters, perhaps with a mark behind them.
fn word_share(sample: &Sample, code: u32) -> f32 {
    let (mut gaps, mut words) = (0_u32, 0_u32);
    let (mut letters, mut others) = (0_u32, 0_u32);
    for (&c, &own) in sample.chars.iter().zip(&sample.codes) {
        let kind = Char::of(c).kind;
        if own == code || kind == Kind::Space {
            gaps += u32::from(own == code || letters + others > 0);
            words += u32::from(letters > 0 && others <= 2 && letters <= 24);
            (letters, others) = (0, 0);
        } else if matches!(kind, Kind::Letter | Kind::Mark) {
            letters += 1;
        } else {
            others += 1;
        }
    }
    words as f32 / gaps.max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::prose;

    fn found(text: &str) -> Option<char> {
        stand_in(&Sample::from_text(text)).and_then(|found| char::from_u32(found.code))
    }

    #[test]
    fn any_sign_between_words_is_found() {
        for sign in ['$', '!', '#', '_', '\u{0003}', '\u{E020}', '\u{FFFD}'] {
            let text = prose::ENGLISH.replace(' ', &sign.to_string());
            assert_eq!(found(&text), Some(sign), "{sign:?}");
            assert_eq!(found(&prose::RUSSIAN.replace(' ', &sign.to_string())), Some(sign), "{sign:?}");
        }
    }

    #[test]
    fn signs_that_belong_there_are_none() {
        let prices: String = (1..60).map(|n| format!("Cheddar ${n}.50 Gouda ${n}.20\n")).collect();
        let paths: String = (1..60).map(|_| "/usr/share/doc/readme\n").collect();
        let contents: String =
            (1..60).map(|n| format!("The harbour ....................... {n}\n")).collect();
        let hyphens = "state-of-the-art up-to-date one-by-one ".repeat(20);
        for text in [prose::ENGLISH, prose::GERMAN, &prices, &paths, &contents, &hyphens] {
            assert_eq!(found(text), None, "{}", text.chars().take(40).collect::<String>());
        }
        assert_eq!(found(&prose::CHINESE.repeat(3)), None);
    }
}
