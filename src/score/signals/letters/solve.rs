//! Which letters were exchanged: the best one-to-one reading of a text in a language.
//!
//! Takes: a text of arbitrary letters. Gives: the reading that costs least, found by climbing from the order of
//! frequencies. Fails: never; a reading that stays dear says that the text is no exchange of letters.
//!
//! No randomness: restarts shake the best reading so far by a fixed sequence.

use super::model::{EDGE, FOREIGN, Language, Symbol, UNITS_PER_BIT};

/// Symbols looked at.
const MOST_SYMBOLS: usize = 600;
/// Climbs from shaken readings.
const RESTARTS: usize = 8;
/// Different letters a text may have.
const MOST_LETTERS: usize = 96;

/// A reading.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// For each letter of the text (its number) the symbol of the language.
    pub reading: Vec<Symbol>,
    /// Bits a symbol under it.
    pub bits: f32,
    /// Bits a symbol of the text as it was given.
    pub bits_before: f32,
    /// Letters that changed, by number.
    pub n_changed: usize,
    /// Symbols scored.
    pub n: usize,
}

impl Solution {
    /// Total gain less what naming the exchange costs: log2 of the ways to exchange that many letters.
    pub fn net_gain_bits(&self, k: usize) -> f32 {
        let description: f32 =
            (0..self.n_changed).map(|i| ((k.saturating_sub(i)).max(2) as f32).log2()).sum();
        (self.bits_before - self.bits) * self.n as f32 - description
    }
}

/// A text over numbered letters: `text` holds numbers from 1 on, 0 is the edge of a word; `given[number]` is the symbol
/// that letter has in the language as the text was given.
#[derive(Debug, Clone)]
pub struct Cipher {
    /// Letters as numbers.
    pub text: Vec<u8>,
    /// What each number was given as; index 0 is the edge.
    pub given: Vec<Symbol>,
}

impl Cipher {
    /// Numbers the letters of a text of script symbols.
    pub fn new(language: &Language, symbols: &[Symbol]) -> Self {
        let mut numbers = [0_u8; 256];
        let mut given = vec![EDGE];
        let mut text = Vec::with_capacity(symbols.len().min(MOST_SYMBOLS));
        for &symbol in symbols.iter().take(MOST_SYMBOLS) {
            if symbol == EDGE {
                text.push(0);
                continue;
            }
            if numbers[usize::from(symbol)] == 0 && given.len() < MOST_LETTERS {
                numbers[usize::from(symbol)] = given.len() as u8;
                given.push(language.projection[usize::from(symbol)]);
            }
            text.push(numbers[usize::from(symbol)]);
        }
        Self { text, given }
    }

    fn units(&self, language: &Language, reading: &[Symbol]) -> u32 {
        let mut context = 0;
        let mut sum = 0;
        for &number in &self.text {
            let symbol = reading[usize::from(number)];
            sum += u32::from(language.row(context)[usize::from(symbol)]);
            context = language.next(context, symbol);
        }
        sum
    }

    /// Finds the cheapest reading, from several starts.
    pub fn solve(&self, language: &Language) -> Solution {
        self.climb(language, RESTARTS)
    }

    /// One climb only: tells languages apart.
    pub fn glance(&self, language: &Language) -> Solution {
        self.climb(language, 0)
    }

    /// The reading nearest to the text as it is: finds a few letters exchanged, at the cost of one climb. `None` where two
    /// letters were given as one.
    pub fn mend(&self, language: &Language) -> Option<Solution> {
        let before = self.units(language, &self.given);
        let mut climber = Climber::new(self, language);
        if self.given.len() < 2 || !climber.start_as_given() {
            return None;
        }
        climber.climb();
        Some(self.solution(&climber, before))
    }

    fn solution(&self, climber: &Climber<'_>, before: u32) -> Solution {
        let reading = climber.reading();
        let bits = |units: u32| units as f32 / UNITS_PER_BIT / self.text.len().max(1) as f32;
        let n_changed = reading.iter().zip(&self.given).skip(1).filter(|(a, b)| a != b).count();
        Solution {
            n_changed,
            reading,
            bits: bits(climber.units),
            bits_before: bits(before),
            n: self.text.len(),
        }
    }

    fn climb(&self, language: &Language, restarts: usize) -> Solution {
        let before = self.units(language, &self.given);
        if self.given.len() < 2 {
            return Solution { reading: self.given.clone(), bits: 0.0, bits_before: 0.0, n_changed: 0, n: 0 };
        }
        let mut climber = Climber::new(self, language);
        climber.start_by_frequency();
        climber.climb();
        let mut best = (climber.units, climber.slots.clone());
        // A few letters exchanged: the text as it is lies nearer than the order of frequencies.
        if climber.start_as_given() {
            climber.climb();
            if climber.units < best.0 {
                best = (climber.units, climber.slots.clone());
            }
        }
        let enough = ((language.bounds.mean + 0.3) * UNITS_PER_BIT * self.text.len() as f32) as u32;
        let mut shake = Shake(0x9E37_79B9_7F4A_7C15 ^ self.text.len() as u64);
        for round in 0..restarts {
            if best.0 < enough {
                break;
            }
            climber.slots.clone_from(&best.1);
            climber.shake(&mut shake, 4 + round);
            climber.climb();
            if climber.units < best.0 {
                best = (climber.units, climber.slots.clone());
            }
        }
        (climber.units, climber.slots) = best;
        self.solution(&climber, before)
    }
}

/// A fixed sequence (SplitMix64).
struct Shake(u64);

impl Shake {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// `slots[number - 1]` is the symbol of a letter; slots beyond the text's letters hold the symbols not used.
struct Climber<'c> {
    cipher: &'c Cipher,
    language: &'c Language,
    slots: Vec<Symbol>,
    n_letters: usize,
    units: u32,
    /// Positions whose cost a letter shares in: itself and the three after it, inside its word.
    touched: Vec<Vec<u32>>,
    /// How many symbols before each position belong to its context, 0 to 3.
    before: Vec<u8>,
    costs: Vec<u8>,
    stamps: Vec<u32>,
    stamp: u32,
}

impl<'c> Climber<'c> {
    fn new(cipher: &'c Cipher, language: &'c Language) -> Self {
        let n_letters = cipher.given.len() - 1;
        let mut touched = vec![Vec::new(); n_letters];
        let mut before = Vec::with_capacity(cipher.text.len());
        let mut reach = 0;
        for (at, &number) in cipher.text.iter().enumerate() {
            before.push(reach);
            let from = at - usize::from(reach);
            for letter in cipher.text[from..=at].iter().filter(|n| **n > 0) {
                let list: &mut Vec<u32> = &mut touched[usize::from(*letter) - 1];
                if list.last() != Some(&(at as u32)) {
                    list.push(at as u32);
                }
            }
            reach = if number == 0 { 0 } else { (reach + 1).min(3) };
        }
        let n = cipher.text.len();
        Self {
            cipher,
            language,
            slots: Vec::new(),
            n_letters,
            units: 0,
            touched,
            before,
            costs: vec![0; n],
            stamps: vec![0; n],
            stamp: 0,
        }
    }

    fn reading(&self) -> Vec<Symbol> {
        std::iter::once(EDGE).chain(self.slots.iter().take(self.n_letters).copied()).collect()
    }

    fn cost(&self, at: usize, reading: &[Symbol]) -> u8 {
        let text = &self.cipher.text[at - usize::from(self.before[at])..=at];
        let (last, context) = text.split_last().expect("a position has itself");
        let context = context
            .iter()
            .fold(0, |c, number| c * self.language.k + usize::from(reading[usize::from(*number)]));
        self.language.row(context)[usize::from(reading[usize::from(*last)])]
    }

    fn score(&mut self) {
        let reading = self.reading();
        self.costs = (0..self.costs.len()).map(|at| self.cost(at, &reading)).collect();
        self.units = self.costs.iter().map(|c| u32::from(*c)).sum();
    }

    fn start_by_frequency(&mut self) {
        let mut counts = vec![0_u32; self.n_letters];
        self.cipher.text.iter().filter(|n| **n > 0).for_each(|n| counts[usize::from(*n) - 1] += 1);
        let mut letters: Vec<usize> = (0..self.n_letters).collect();
        letters.sort_by_key(|i| (std::cmp::Reverse(counts[*i]), *i));
        let mut symbols: Vec<Symbol> = (2..self.language.k as Symbol).collect();
        symbols.sort_by_key(|s| self.language.unigram()[usize::from(*s)]);
        let n = symbols.len().max(self.n_letters);
        self.slots = vec![FOREIGN; n];
        let mut symbols = symbols.into_iter();
        for letter in letters {
            self.slots[letter] = symbols.next().unwrap_or(FOREIGN);
        }
        for (slot, symbol) in self.slots.iter_mut().skip(self.n_letters).zip(symbols) {
            *slot = symbol;
        }
    }

    /// `false` where two letters were given as one.
    fn start_as_given(&mut self) -> bool {
        let given = &self.cipher.given[1..];
        let mut rest: Vec<Symbol> = (2..self.language.k as Symbol).filter(|s| !given.contains(s)).collect();
        let known = given.iter().filter(|s| **s != FOREIGN).count();
        let mut distinct = given.to_vec();
        distinct.retain(|s| *s != FOREIGN);
        distinct.sort_unstable();
        distinct.dedup();
        self.slots = given.to_vec();
        self.slots.append(&mut rest);
        distinct.len() == known
    }

    /// Positions that an exchange of two slots touches, each once.
    fn positions(&mut self, i: usize, j: usize, out: &mut Vec<u32>) {
        out.clear();
        self.stamp += 1;
        for letter in [i, j] {
            for &at in self.touched.get(letter).map_or(&[][..], Vec::as_slice) {
                let stamp = &mut self.stamps[at as usize];
                if *stamp != self.stamp {
                    *stamp = self.stamp;
                    out.push(at);
                }
            }
        }
    }

    /// Exchanges pairs while that helps.
    fn climb(&mut self) {
        self.score();
        let mut reading = self.reading();
        let mut positions = Vec::new();
        loop {
            let mut improved = false;
            for i in 0..self.n_letters {
                for j in i + 1..self.slots.len() {
                    self.positions(i, j, &mut positions);
                    let exchange = |slots: &mut [Symbol], reading: &mut [Symbol]| {
                        slots.swap(i, j);
                        reading[i + 1] = slots[i];
                        if j + 1 < reading.len() {
                            reading[j + 1] = slots[j];
                        }
                    };
                    exchange(&mut self.slots, &mut reading);
                    let old: u32 = positions.iter().map(|at| u32::from(self.costs[*at as usize])).sum();
                    let new: u32 =
                        positions.iter().map(|at| u32::from(self.cost(*at as usize, &reading))).sum();
                    if new < old {
                        for &at in &positions {
                            self.costs[at as usize] = self.cost(at as usize, &reading);
                        }
                        self.units = self.units + new - old;
                        improved = true;
                    } else {
                        exchange(&mut self.slots, &mut reading);
                    }
                }
            }
            if !improved {
                return;
            }
        }
    }

    fn shake(&mut self, shake: &mut Shake, swaps: usize) {
        for _ in 0..swaps {
            let (i, j) = (shake.below(self.n_letters.max(1)), shake.below(self.slots.len()));
            if i < self.slots.len() {
                self.slots.swap(i, j);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::chars::Script;
    use super::super::model::Models;
    use super::super::words::Words;
    use super::*;

    const TEXT: &str = "The committee met on the following day and agreed that the report should be published \
        without further delay. Its authors had asked for more time, but nobody could say what they would do with \
        it. The chairman thanked everyone for their patience and closed the meeting shortly before midnight.";

    #[test]
    fn a_permutation_is_undone() {
        let models = Models::get().script(Script::Latin).expect("has models");
        let english = models.language(models.by_code("en").expect("English"));
        let turned: String = TEXT
            .chars()
            .map(|c| match c {
                'a'..='z' => char::from((c as u8 - b'a') * 7 % 26 + b'a'),
                'A'..='Z' => char::from((c as u8 - b'A') * 7 % 26 + b'A'),
                c => c,
            })
            .collect();
        let clean = Words::read(TEXT.chars());
        let words = Words::read(turned.chars());
        let cipher = Cipher::new(english, &words.prose[Script::Latin as usize].symbols);
        let solution = cipher.solve(english);
        let clean_units = english.units(
            &clean.prose[Script::Latin as usize]
                .symbols
                .iter()
                .map(|s| english.projection[usize::from(*s)])
                .collect::<Vec<_>>(),
        );
        assert!(solution.bits <= clean_units.0 as f32 / 8.0 / clean_units.1 as f32 + 0.1, "{solution:?}");
        assert!(solution.bits_before > 6.0, "{solution:?}");
        assert!(solution.net_gain_bits(english.k) > 500.0);
    }

    #[test]
    fn clean_text_stays_as_it_is() {
        let models = Models::get().script(Script::Latin).expect("has models");
        let english = models.language(models.by_code("en").expect("English"));
        let words = Words::read(TEXT.chars());
        let solution = Cipher::new(english, &words.prose[Script::Latin as usize].symbols).solve(english);
        assert!(solution.net_gain_bits(english.k) < 40.0, "{solution:?}");
    }
}
