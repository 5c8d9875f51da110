//! Other Unicode in the file that says what a string reads (rows X6 and X7): the value of a form field beside its
//! appearance, a bookmark's title beside the heading it leads to.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::{CharCode, Charge};
use super::fold;
use crate::score::{Certainty, ReasonCode};

/// A drawn string with the text the file gives it elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct KnownText<'a> {
    /// Codes drawn, with the text each is read as; in order.
    pub drawn: &'a [(CharCode, &'a str)],
    /// The other Unicode: `/V` of a field, `/Title` of an outline item.
    pub known: &'a str,
}

/// Letters of a pair that make it worth comparing.
const MIN_LETTERS: usize = 4;

impl KnownText<'_> {
    /// Each drawn code with its letter of the known text. `None` where the two cannot be laid side by side: of another
    /// length, or the same characters in another order (a field may show a formatted value).
    pub(super) fn pairs(&self) -> Option<Vec<(CharCode, char)>> {
        let known: Vec<char> = self.known.chars().filter(|c| !c.is_whitespace()).collect();
        let drawn: Vec<&(CharCode, &str)> =
            self.drawn.iter().filter(|(_, text)| !text.trim().is_empty()).collect();
        let sorted = |text: String| {
            let mut chars: Vec<char> = text.to_lowercase().chars().collect();
            chars.sort_unstable();
            chars
        };
        let shown: String = drawn.iter().map(|(_, text)| *text).collect();
        let is_reordered =
            shown != known.iter().collect::<String>() && sorted(shown) == sorted(known.iter().collect());
        if known.len() != drawn.len() || is_reordered {
            return None;
        }
        let letters = drawn.iter().zip(known).filter(|(_, known)| known.is_alphabetic());
        Some(letters.map(|(code, known)| (code.0, known)).collect())
    }

    /// The codes whose reading the known text denies, letter by letter, sorted. Empty where the two cannot be laid side
    /// by side, and where half of the letters agree or fewer than four do not.
    pub fn denied(&self) -> Vec<CharCode> {
        let Some(pairs) = self.pairs() else { return Vec::new() };
        let readings: FxHashMap<CharCode, &str> = self.drawn.iter().copied().collect();
        let differs = |(code, known): &(CharCode, char)| {
            is_denied(readings.get(code).copied().unwrap_or_default(), *known)
        };
        let n = pairs.len();
        let mut denied: Vec<CharCode> = pairs.into_iter().filter(differs).map(|(code, _)| code).collect();
        if n < MIN_LETTERS || denied.len() < MIN_LETTERS || denied.len() * 2 < n {
            return Vec::new();
        }
        denied.sort_unstable();
        denied.dedup();
        denied
    }
}

/// Codes that must be denied, each always for the same letter.
const MIN_DENIED: usize = 5;
/// Shown letters that must bear it out.
const MIN_SHOWN: usize = 12;

/// Codes of one font with the letters that other Unicode in the file gives them.
#[derive(Debug, Default)]
pub(super) struct Pairs {
    letters: FxHashMap<u32, FxHashSet<char>>,
    denied: FxHashMap<u32, usize>,
}

impl Pairs {
    /// A code that is read as `read` where the file says `known`.
    pub(super) fn add(&mut self, code: CharCode, read: &str, known: char) {
        let is_denied = known.is_alphanumeric() && is_denied(read, known);
        self.note(code, known, is_denied);
    }

    pub(super) fn note(&mut self, code: CharCode, known: char, is_denied: bool) {
        self.letters.entry(code.0).or_default().insert(known);
        if is_denied {
            *self.denied.entry(code.0).or_default() += 1;
        }
    }

    /// The charge against a font whose every code stands for one letter in the known text, and for another in what it
    /// reads. Known text goes stale and is formatted: a difference that is no substitution of letters says nothing.
    pub(super) fn charge(&self, witness: &str) -> Option<Charge> {
        let one_letter = self.letters.values().all(|letters| letters.len() == 1);
        let letters: FxHashSet<char> = self.letters.values().flatten().copied().collect();
        let n_shown: usize = self.denied.values().sum();
        let is_substitution = one_letter && letters.len() == self.letters.len();
        if !is_substitution || self.denied.len() < MIN_DENIED || n_shown < MIN_SHOWN {
            return None;
        }
        let codes = self.denied.keys().copied().collect();
        let detail = format!("{witness} deny {} codes over {n_shown} letters", self.denied.len());
        Some(super::charge(ReasonCode::ContradictedUnicode, Certainty::Measured, codes, detail))
    }
}

fn is_denied(read: &str, known: char) -> bool {
    let known = known.to_string();
    !fold::same(read, &known) && !fold::is_benign(read, &known)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denied(drawn: &str, known: &str) -> usize {
        let texts: Vec<String> = drawn.chars().map(String::from).collect();
        let codes: Vec<(CharCode, &str)> =
            (0..).map(CharCode).zip(texts.iter().map(String::as_str)).collect();
        KnownText { drawn: &codes, known }.denied().len()
    }

    #[test]
    fn x6_a_value_denies_a_shifted_appearance() {
        assert_eq!(denied("&2857", "COURT"), 5);
        assert_eq!(denied("Nbslfu Tusffu", "Market Street"), 12);
    }

    #[test]
    fn x6_twin_the_same_value_or_another_format_is_no_denial() {
        assert_eq!(denied("Market Street", "MARKET STREET"), 0);
        assert_eq!(denied("1,234.50", "1234.5"), 0);
        assert_eq!(denied("Markot Street", "Market Street"), 0);
        assert_eq!(denied("ab", "cd"), 0);
    }
}
