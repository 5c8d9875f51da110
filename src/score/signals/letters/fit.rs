//! How well a text fits the languages of its script, as it is.
//!
//! Takes: [`Prose`]. Gives: a [`Fit`]: the best language and its bits a letter. Fails: never. Solves nothing.
//!
//! Pairs of letters, summed for all languages at once, choose the candidates; 4-grams of the best few decide.

use super::chars::Script;
use super::cjk;
use super::model::{Bounds, EDGE, Language, Models, ScriptModels, Symbol, UNITS_PER_BIT};
use super::words::{Prose, Words};

/// Symbols that choose candidates at most.
const CHOOSING_SYMBOLS: usize = 1_000;
/// Symbols that are scored at most.
const SCORED_SYMBOLS: usize = 6_000;
/// Candidates scored beside the first.
const CANDIDATES: usize = 4;

/// A text under its best language.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fit {
    /// Its script.
    pub script: Script,
    /// Index of the best language in its script's models; of no meaning for ideographs.
    pub language: usize,
    /// ISO 639 code of the best language.
    pub code: &'static str,
    /// Bits a letter or edge under it.
    pub bits: f32,
    /// Letters in prose.
    pub n_letters: usize,
    /// The language's clean bound at this length.
    pub bound: f32,
    /// Bits under the pooled model of the script.
    pub pooled_bits: f32,
    /// The pooled model's clean bound at this length.
    pub pooled_bound: f32,
}

impl Fit {
    /// Inside the clean bound of a language.
    pub fn is_plausible(&self) -> bool {
        self.bits <= self.bound
    }

    /// Like text of some language of the script, perhaps one without a model: inside the pooled model's bound.
    pub fn is_passable(&self) -> bool {
        self.pooled_bits <= self.pooled_bound
    }
}

/// Bits a symbol of script symbols under a language.
pub fn bits(language: &Language, symbols: &[Symbol]) -> f32 {
    if symbols.is_empty() {
        return 0.0;
    }
    let (mut context, mut sum) = (0, 0_u32);
    for &symbol in symbols {
        let symbol = language.projection[usize::from(symbol)];
        sum += u32::from(language.row(context)[usize::from(symbol)]);
        context = language.next(context, symbol);
    }
    sum as f32 / UNITS_PER_BIT / symbols.len() as f32
}

/// Languages of the script by falling likelihood of the text's pairs, the pooled one left out.
pub fn candidates(models: &ScriptModels, symbols: &[Symbol]) -> Vec<usize> {
    let n = models.n_languages();
    let mut sums = vec![0_u32; n];
    let mut before = EDGE;
    for &symbol in symbols.iter().take(CHOOSING_SYMBOLS) {
        for (sum, cost) in sums.iter_mut().zip(models.pair(before, symbol)) {
            *sum += u32::from(*cost);
        }
        before = symbol;
    }
    let mut order: Vec<usize> = (0..n).filter(|i| models.codes[*i] != "mul").collect();
    order.sort_by_key(|i| sums[*i]);
    order
}

/// Scores a text as it is. `hint` is a language the document is known to hold.
pub fn fit(prose: &Prose, script: Script, hint: Option<usize>) -> Option<Fit> {
    let models = Models::get().script(script)?;
    let n_letters = prose.n_letters();
    if n_letters == 0 {
        return None;
    }
    let symbols = &prose.symbols[..prose.symbols.len().min(SCORED_SYMBOLS)];
    let order = candidates(models, symbols);
    let mut best: Option<(usize, f32, Bounds)> = None;
    for &index in order.iter().take(CANDIDATES).chain(hint.iter()) {
        let language = models.language(index);
        let bits = bits(language, symbols);
        if best.is_none_or(|b| bits - language.bounds.mean < b.1 - b.2.mean) {
            best = Some((index, bits, language.bounds));
        }
        // The first that reads like its mean is the language: no other comes near.
        if bits < language.bounds.mean + 0.35 {
            break;
        }
    }
    let (language, own, bounds) = best?;
    let pooled = models.language(models.n_languages() - 1);
    let is_plausible = own <= bounds.at(n_letters);
    let pooled_bits = if is_plausible { own } else { bits(pooled, symbols) };
    Some(Fit {
        script,
        language,
        code: models.codes[language],
        bits: own,
        n_letters,
        bound: bounds.at(n_letters),
        pooled_bits,
        pooled_bound: pooled.bounds.at(n_letters),
    })
}

/// Scores what a text holds most of: prose in an alphabet or ideographs.
pub fn fit_words(words: &Words, hint: Option<(Script, usize)>) -> Option<Fit> {
    let script = words.main_script();
    let n_prose = script.map_or(0, |s| words.prose[s as usize].n_letters());
    // An ideograph says as much as two letters.
    if words.n_ideographs() * 2 > n_prose {
        return fit_ideographs(words);
    }
    let script = script?;
    fit(&words.prose[script as usize], script, hint.filter(|h| h.0 == script).map(|h| h.1))
}

/// Scores ideographs, kana and hangul.
pub fn fit_ideographs(words: &Words) -> Option<Fit> {
    let code = cjk::language(&words.letters);
    let models = Models::get();
    let table = models.table(code)?;
    let chinese = code == "zh";
    let chars = words.ideographs.iter().map(|(c, _)| if chinese { models.simplify(*c) } else { *c });
    let (units, n) = table.score(chars.take(SCORED_SYMBOLS));
    if n == 0 {
        return None;
    }
    let bits = units as f32 / UNITS_PER_BIT / n as f32;
    let bound = table.bounds.at(n as usize);
    let script = match code {
        "ko" => Script::Hangul,
        "ja" => Script::Kana,
        _ => Script::Han,
    };
    Some(Fit {
        script,
        language: usize::MAX,
        code: table.code,
        bits,
        n_letters: n as usize,
        bound,
        pooled_bits: bits,
        pooled_bound: bound,
    })
}
