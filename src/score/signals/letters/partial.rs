//! One to six letters wrong: is a code of the font better read as another letter?
//!
//! Takes: words with their codes, of a text that is plausible as a whole. Gives: the codes that are not the letter they
//! claim, each with the letter that the words ask for. Fails: never.
//!
//! The test is per *code*, not per letter: of two codes read as one letter only one is wrong. A word counts at most
//! twice, or a name that comes often would convict its letters.

use rustc_hash::FxHashMap;

use super::model::{EDGE, Language, Symbol, UNITS_PER_BIT};

/// Bits that reading the code as another letter must gain. This and the next four are measured by `examples/letters`:
/// of 400-letter windows in 34 languages 0.3 % clean ones exceed them, a third of these with a real fault of the text.
pub const LEAST_GAIN_BITS: f32 = 35.0;
/// Bits for each occurrence that it must gain.
pub const LEAST_GAIN_PER_USE: f32 = 3.0;
/// Share of the words that must read better.
const LEAST_BETTER_SHARE: f32 = 0.6;
/// Bits a symbol above clean text that the words may keep: words of another language stay strange however read.
const MOST_EXCESS_BITS: f32 = 0.9;
/// A gain so large allows more.
const LARGE_GAIN_BITS: f32 = 60.0;
/// What it allows.
const MOST_EXCESS_OF_LARGE_BITS: f32 = 1.4;
/// Occurrences, each word counted at most twice.
pub const LEAST_USES: u32 = 4;
/// How often a word counts.
const MOST_OF_A_WORD: u32 = 2;
/// Words that are looked at.
const MOST_WORDS: usize = 4_000;

/// A code that is better read as another letter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Suspect {
    /// The code.
    pub code: u32,
    /// The letter it claims, folded.
    pub claimed: Symbol,
    /// The letter the words ask for (a symbol of the language).
    pub wanted: Symbol,
    /// Bits gained by reading it so.
    pub gain_bits: f32,
    /// Occurrences counted.
    pub uses: u32,
    /// Share of the words with it that read better.
    pub better_share: f32,
    /// Bits a symbol of the words with it, read so, above what clean text costs.
    pub excess_bits: f32,
}

/// A word: language symbols and the codes they came from.
#[derive(Debug, Clone)]
struct Word {
    symbols: Vec<Symbol>,
    codes: Vec<u32>,
    weight: u32,
    units: u32,
}

/// Words of a text by their codes.
#[derive(Debug)]
pub struct CodedWords {
    words: Vec<Word>,
    uses: FxHashMap<u32, Vec<u32>>,
}

fn units(language: &Language, symbols: &[Symbol]) -> u32 {
    let mut context = 0;
    let mut sum = 0;
    for &symbol in symbols {
        sum += u32::from(language.row(context)[usize::from(symbol)]);
        context = language.next(context, symbol);
    }
    sum + u32::from(language.row(context)[usize::from(EDGE)])
}

impl CodedWords {
    /// Collects words. `symbols` are script symbols ending each word with [`EDGE`]; `code` gives the code behind the
    /// symbol at an index.
    pub fn new(language: &Language, symbols: &[Symbol], code: impl Fn(usize) -> u32) -> Self {
        let mut numbers: FxHashMap<Vec<u32>, usize> = FxHashMap::default();
        let mut words: Vec<Word> = Vec::new();
        let mut start = 0;
        for (end, _) in symbols.iter().enumerate().filter(|(_, s)| **s == EDGE) {
            let range = std::mem::replace(&mut start, end + 1)..end;
            if range.is_empty() {
                continue;
            }
            let codes: Vec<u32> = range.clone().map(&code).collect();
            if let Some(&number) = numbers.get(&codes) {
                let weight = &mut words[number].weight;
                *weight = (*weight + 1).min(MOST_OF_A_WORD);
            } else if words.len() < MOST_WORDS {
                let symbols: Vec<Symbol> =
                    symbols[range].iter().map(|s| language.projection[usize::from(*s)]).collect();
                let units = units(language, &symbols);
                numbers.insert(codes.clone(), words.len());
                words.push(Word { symbols, codes, weight: 1, units });
            }
        }
        let mut uses: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for (number, word) in words.iter().enumerate() {
            for code in &word.codes {
                let list = uses.entry(*code).or_default();
                if list.last() != Some(&(number as u32)) {
                    list.push(number as u32);
                }
            }
        }
        Self { words, uses }
    }

    /// Codes that are better read as another letter, best gain first.
    pub fn suspects(&self, language: &Language) -> Vec<Suspect> {
        let mut out = self.readings(language);
        out.retain(Suspect::is_convicted);
        out
    }

    /// The best other reading of every code worth a look, best gain first.
    pub fn readings(&self, language: &Language) -> Vec<Suspect> {
        let mut out: Vec<Suspect> =
            self.uses.iter().filter_map(|(code, words)| self.suspect(language, *code, words)).collect();
        out.sort_by(|a, b| b.gain_bits.total_cmp(&a.gain_bits).then(a.code.cmp(&b.code)));
        out
    }

    /// The best other reading of one code, whatever it gains; `None` where the words read as they should.
    fn suspect(&self, language: &Language, code: u32, numbers: &[u32]) -> Option<Suspect> {
        let occurrences = |w: &Word| w.codes.iter().filter(|c| **c == code).count() as u32;
        let uses: u32 =
            numbers.iter().map(|n| &self.words[*n as usize]).map(|w| w.weight * occurrences(w)).sum();
        if uses < LEAST_USES {
            return None;
        }
        // Words that read well as they are cannot gain enough: not worth a look at every letter.
        let mean: f32 =
            numbers.iter().map(|n| &self.words[*n as usize]).map(|w| w.weight * w.units).sum::<u32>() as f32;
        let letters: u32 = numbers
            .iter()
            .map(|n| &self.words[*n as usize])
            .map(|w| w.weight * (w.symbols.len() as u32 + 1))
            .sum();
        if mean / letters as f32 / UNITS_PER_BIT < language.bounds.mean + 0.2 {
            return None;
        }
        let first = &self.words[numbers[0] as usize];
        let at = first.codes.iter().position(|c| *c == code).expect("the word was listed for this code");
        let claimed = first.symbols[at];
        let mut best: Option<(f32, Symbol, f32)> = None;
        let mut buffer = Vec::new();
        for wanted in 2..language.k as Symbol {
            if wanted == claimed {
                continue;
            }
            let (mut gain, mut better, mut all) = (0_i64, 0, 0);
            for word in numbers.iter().map(|n| &self.words[*n as usize]) {
                buffer.clear();
                buffer.extend_from_slice(&word.symbols);
                for (symbol, c) in buffer.iter_mut().zip(&word.codes) {
                    if *c == code {
                        *symbol = wanted;
                    }
                }
                let units = units(language, &buffer);
                gain += i64::from(word.weight) * (i64::from(word.units) - i64::from(units));
                better += u32::from(units < word.units);
                all += 1;
            }
            let gain = gain as f32 / UNITS_PER_BIT;
            if best.is_none_or(|b| gain > b.0) {
                best = Some((gain, wanted, better as f32 / all as f32));
            }
        }
        let (gain_bits, wanted, better_share) = best?;
        let after = (mean / UNITS_PER_BIT - gain_bits) / letters as f32;
        let excess_bits = after - language.bounds.mean;
        Some(Suspect { code, claimed, wanted, gain_bits, uses, better_share, excess_bits })
    }
}

impl Suspect {
    /// Whether the evidence is enough.
    pub fn is_convicted(&self) -> bool {
        let excess =
            if self.gain_bits > LARGE_GAIN_BITS { MOST_EXCESS_OF_LARGE_BITS } else { MOST_EXCESS_BITS };
        self.gain_bits > LEAST_GAIN_BITS
            && self.gain_bits > LEAST_GAIN_PER_USE * self.uses as f32
            && self.better_share > LEAST_BETTER_SHARE
            && self.excess_bits < excess
    }
}
