//! One text, one judgement: are these the letters that are printed?
//!
//! Takes: the text of one font (or of one page), with codes. Gives: a [`Judgement`]. Fails: never.
//!
//! ```text
//! as it is ── inside the clean bound ──► one code better read otherwise? ──► partial_substitution │ plausible
//!     │ above
//!     ├─ shift, code page, exchange of letters: inside the bound, and gains more than it costs to name ──► its reason
//!     ├─ like some language of the script (pooled model) ──► not judged
//!     └─ far above, 200 letters of prose, nothing certified, nothing like code ──► letter_substitution, suspected
//! ```

use rustc_hash::FxHashSet;

use super::chars::{Char, Kind, SCRIPTS, Script};
use super::codepage::{self, CodePages};
use super::fit::{Fit, candidates, fit_words};
use super::model::{EDGE, Language, Models, Symbol};
use super::partial::{CodedWords, Suspect};
use super::shift::{self, Shift};
use super::solve::{Cipher, Solution};
use super::words::{NonProse, Prose, Words};
use crate::score::result::{Certainty, ReasonCode};

/// Letters below which nothing is said of a text as it is.
pub const LEAST_LETTERS: usize = 40;
/// Letters of prose from which an implausible text without explanation is suspected: 200 letters of running text,
/// acronyms and names in digits left out.
pub const SUSPECTED_FROM: usize = 140;
/// Letters from which single codes are tested.
pub const PARTIAL_FROM: usize = 100;
/// Bits above the clean bound that are far above, for the best language.
const FAR_BITS: f32 = 1.6;
/// Bits above the pooled model's clean bound that are far above.
const FAR_POOLED_BITS: f32 = 1.2;
/// Bits above the clean bound up to which single codes may be the cause.
const NEAR_BITS: f32 = 2.0;
/// Gain in bits, less the description, from which an alternative is believed.
const LEAST_GAIN_BITS: f32 = 40.0;
/// Slack on the clean bound for an alternative: solved text has holes.
const SOLVED_SLACK: f32 = 0.15;
/// Bits above the mean of clean text that a solved exchange may keep, whatever the bound: formulas can be bent so far.
const SOLVED_EXCESS: f32 = 1.0;
/// Bits above the clean bound from which any exchange of letters is looked for, in several languages; in nearer text only
/// a few letters can be exchanged, of the language that it nearly reads as.
const EXCHANGED_BITS: f32 = 0.5;
/// Letters of different words below which, and share of the letters below which, a text only repeats itself: prose of 200
/// letters has 150, of any length that is less half of them and more.
const DISTINCT_LETTERS: usize = 150;
/// See `DISTINCT_LETTERS`.
const DISTINCT_SHARE: f32 = 0.35;
/// Bits above the clean bound after one climb from which no further climb is tried: a permutation of 200 letters comes
/// within a bit of it at once.
const HOPELESS_BITS: f32 = 1.5;
/// Bits by which a second language may be farther off after one climb to be climbed in earnest.
const SECOND_BITS: f32 = 0.6;
/// Letters a word below which a text is formulas and labels; Thai words are cut at their marks.
const WORD_LETTERS: f32 = 2.4;
/// Different letters up to which a text is a sequence of codes; the smallest alphabet of a language has twelve.
const SEQUENCE_LETTERS: usize = 7;
/// Share of all letters that the judged script must hold before its text is called implausible without explanation:
/// where words mix scripts, no language can be asked.
const SCRIPT_SHARE: f32 = 0.65;

/// The text of one font: characters with the code each came from.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    /// Characters in reading order; white space where words part.
    pub chars: Vec<char>,
    /// Codes, as many as characters.
    pub codes: Vec<u32>,
}

impl Sample {
    /// A text whose codes are its characters.
    pub fn from_text(text: &str) -> Self {
        let chars: Vec<char> = text.chars().collect();
        let codes = chars.iter().map(|c| u32::from(*c)).collect();
        Self { chars, codes }
    }
}

/// What is known beside the letters.
#[derive(Debug, Clone, Copy, Default)]
pub struct Known {
    /// An independent witness certified the Unicode: strange text is strange, not garbled.
    pub certified: bool,
    /// A structural witness speaks against the font already: less text convicts.
    pub suspicious: bool,
    /// A language the document holds.
    pub hint: Option<(Script, usize)>,
    /// A charge is enough where one stands without it: no permutation of the letters is searched for.
    pub unsolved: bool,
}

/// What an alternative does to the text.
#[derive(Debug, Clone)]
pub enum Remedy {
    /// Move code points.
    Shift(Shift),
    /// Decode by another code page.
    CodePages(CodePages),
    /// Exchange letters: pairs of folded letters, given and meant.
    Letters(Vec<(char, char)>),
    /// Read codes as other letters: code and letter meant.
    Codes(Vec<(u32, char)>),
}

/// One thing held against a text.
#[derive(Debug, Clone)]
pub struct Wrong {
    /// The reason.
    pub code: ReasonCode,
    /// How strong.
    pub certainty: Certainty,
    /// The codes it concerns; empty: all.
    pub codes: Vec<u32>,
    /// From fixed templates.
    pub detail: String,
    /// What undoes it, where that is known.
    pub remedy: Option<Remedy>,
}

/// What the letters say.
#[derive(Debug, Clone, Default)]
pub struct Judgement {
    /// How the text reads as it is; `None` without letters.
    pub fit: Option<Fit>,
    /// Whether the letters were enough to say yes or no.
    pub judged: bool,
    /// Letters of the text.
    pub n_letters: u32,
    /// What is wrong, worst first.
    pub wrong: Vec<Wrong>,
}

impl Judgement {
    /// Plausible and nothing held against it.
    pub fn is_trusted(&self) -> bool {
        self.judged && self.wrong.is_empty()
    }
}

/// Judges one text.
pub fn judge(sample: &Sample, known: &Known) -> Judgement {
    let words = Words::read(sample.chars.iter().copied());
    judge_words(sample, &words, known)
}

/// As [`judge`], with the words read already.
pub fn judge_words(sample: &Sample, words: &Words, known: &Known) -> Judgement {
    let fit = fit_words(words, known.hint);
    let n_letters = words.n_letters();
    let mut judgement = Judgement { fit, n_letters, ..Judgement::default() };
    let enough = fit.filter(|f| f.n_letters >= LEAST_LETTERS);
    if enough.is_some_and(|f| f.is_plausible()) {
        let fit = enough.expect("checked");
        judgement.judged = true;
        if !known.certified {
            judgement.wrong.extend(wrong_code_page(sample, &fit, words));
            if judgement.wrong.is_empty() {
                judgement.wrong.extend(wrong_codes(sample, words, &fit));
            }
        }
        return judgement;
    }
    if known.certified {
        return judgement;
    }
    // A shift or a code page makes text look like code: they are tried before that is asked.
    let near = enough.filter(|f| f.bits < f.bound + NEAR_BITS);
    let mut found = near.and_then(|f| wrong_codes(sample, words, &f));
    found = found.or_else(|| find_shift(sample, words, fit.as_ref()));
    found = found.or_else(|| find_code_page(sample, words, fit.as_ref()));
    if found.is_none() && is_code_like(words) && !known.suspicious {
        return judgement;
    }
    if known.unsolved {
        found = found.or_else(|| unexplained(words, fit.as_ref(), known));
    }
    found = found.or_else(|| find_exchange(words, fit.as_ref()));
    judgement.wrong.extend(found.or_else(|| unexplained(words, fit.as_ref(), known)));
    judgement.judged = !judgement.wrong.is_empty();
    judgement
}

/// Whether a text is no prose: part numbers, identifiers, tables, formulas.
pub fn is_code_like(words: &Words) -> bool {
    let letters = words.n_letters().max(1);
    let left_out: u32 = words.left_out.iter().sum::<u32>() - words.left_out[NonProse::Broken as usize];
    let (mut single, mut all) = (0, 0);
    for script in SCRIPTS {
        single += words.prose[script as usize].n_single;
        all += words.prose[script as usize].n_words;
    }
    let prose =
        words.main_script().filter(|script| *script != Script::Thai).map(|s| &words.prose[s as usize]);
    let short = prose.is_some_and(|prose| (prose.n_letters() as f32) < WORD_LETTERS * prose.n_words as f32);
    left_out * 5 > letters * 2
        || words.digits * 2 > words.visible
        || single * 2 > all
        || short
        || prose.is_some_and(is_sequence)
}

/// Whether words are blocks of a sequence: of very few letters, or nearly all of one length as no language has them.
fn is_sequence(prose: &Prose) -> bool {
    let mut uses = [0_u32; 256];
    prose.symbols.iter().filter(|s| **s != EDGE).for_each(|s| uses[usize::from(*s)] += 1);
    let different = uses.iter().filter(|n| **n > 0).count();
    let mut lengths = [0_u32; 32];
    prose.words().for_each(|word| lengths[word.len().min(31)] += 1);
    let alike = lengths[5..31].iter().max().copied().unwrap_or(0);
    different <= SEQUENCE_LETTERS || alike * 5 > prose.n_words * 4
}

fn wrong_codes(sample: &Sample, words: &Words, fit: &Fit) -> Option<Wrong> {
    if fit.n_letters < PARTIAL_FROM || fit.language == usize::MAX {
        return None;
    }
    let models = Models::get().script(fit.script)?;
    let language = models.language(fit.language);
    let prose = &words.prose[fit.script as usize];
    let coded = CodedWords::new(language, &prose.symbols, |i| sample.codes[prose.at[i] as usize]);
    let suspects: Vec<Suspect> = coded.suspects(language);
    let first = suspects.first()?;
    let letter = |symbol: Symbol| language.letters.get(usize::from(symbol).wrapping_sub(2)).copied();
    let meant = suspects.iter().filter_map(|s| Some((s.code, letter(s.wanted)?))).collect();
    Some(Wrong {
        code: ReasonCode::PartialSubstitution,
        certainty: Certainty::Measured,
        codes: suspects.iter().map(|s| s.code).collect(),
        detail: format!(
            "{} codes read as other letters than {} words ask for; code {:#06x} gains {:.0} bits in {} uses",
            suspects.len(),
            fit.code,
            first.code,
            first.gain_bits,
            first.uses
        ),
        remedy: Some(Remedy::Codes(meant)),
    })
}

/// Accents of a plausible text may still be those of another code page.
fn wrong_code_page(sample: &Sample, fit: &Fit, words: &Words) -> Option<Wrong> {
    let odd = codepage::odd_symbols(&sample.chars);
    if odd < 3 || odd * 150 < words.n_letters() {
        return None;
    }
    code_page(sample, Some(fit))
}

fn find_code_page(sample: &Sample, words: &Words, fit: Option<&Fit>) -> Option<Wrong> {
    let beyond = codepage::odd_symbols(&sample.chars) + codepage::letters_beyond_ascii(&sample.chars);
    if beyond < 5 || beyond * 50 < words.visible {
        return None;
    }
    code_page(sample, fit)
}

fn code_page(sample: &Sample, fit: Option<&Fit>) -> Option<Wrong> {
    let found = codepage::find(&sample.chars, fit)?;
    let clears = found.odd.0 >= 3 && found.odd.1 * 4 <= found.odd.0;
    let more = |f: &Fit| found.fit.n_letters * 20 > f.n_letters * 21; // broken words were left out before
    let reads_better =
        fit.is_none_or(|f| found.fit.script != f.script || found.fit.bits < f.bits - 0.1 || more(f));
    // Two bytes make one ideograph; otherwise letters stay letters.
    let given = fit.map_or(0, |f| f.n_letters);
    let ideographs = found.fit.language == usize::MAX;
    let keeps = found.fit.n_letters * if ideographs { 5 } else { 1 } * 5 >= given * 4;
    if !clears || !reads_better || !keeps || found.fit.n_letters < 12 {
        return None;
    }
    Some(Wrong {
        code: ReasonCode::CodePageMojibake,
        certainty: Certainty::Measured,
        codes: Vec::new(),
        detail: format!(
            "{} text taken for {}: {:.1} bits a letter as {}",
            found.pages.written_in.name(),
            found.pages.read_as.name(),
            found.fit.bits,
            found.fit.code
        ),
        remedy: Some(Remedy::CodePages(found.pages)),
    })
}

fn find_shift(sample: &Sample, words: &Words, fit: Option<&Fit>) -> Option<Wrong> {
    // Text that reads like some language in most of its characters is not that language moved.
    let reads = fit.is_some_and(|f| f.is_passable() && f.n_letters * 2 > words.visible as usize);
    if words.visible < 30 || reads {
        return None;
    }
    let found = shift::find(&sample.chars)?;
    let before = fit.map_or(9.0, |f| f.bits);
    // What is broken or no prose before the shift has no bits to compare: letters that become prose are the gain.
    let gain = (before - found.fit.bits).max(0.0) * found.fit.n_letters as f32;
    let becomes_prose = fit.map_or(0, |f| f.n_letters) * 2 < found.fit.n_letters;
    if !found.fit.is_plausible() || found.prose_share < 0.4 || found.fit.n_letters < 30 {
        return None;
    }
    if !becomes_prose && gain < LEAST_GAIN_BITS + 8.0 {
        return None;
    }
    let by = match found.shift {
        Shift::All(by) => format!("code points are {by:+} off"),
        Shift::Rotated(by) => format!("the alphabet is rotated by {by}"),
    };
    Some(Wrong {
        code: ReasonCode::GlyphCodeShift,
        certainty: Certainty::Measured,
        codes: Vec::new(),
        detail: format!(
            "{by}: {:.1} bits a letter as {}, {before:.1} as given",
            found.fit.bits, found.fit.code
        ),
        remedy: Some(Remedy::Shift(found.shift)),
    })
}

fn find_exchange(words: &Words, fit: Option<&Fit>) -> Option<Wrong> {
    let fit = fit.filter(|f| f.n_letters >= LEAST_LETTERS && f.language != usize::MAX)?;
    let models = Models::get().script(fit.script)?;
    let symbols = &words.prose[fit.script as usize].symbols;
    if repeats(&words.prose[fit.script as usize]) {
        return None;
    }
    let over = |i: usize, s: &Solution| s.bits - models.language(i).bounds.at(fit.n_letters);
    if fit.bits < fit.bound + EXCHANGED_BITS || fit.is_passable() {
        let language = models.language(fit.language);
        let cipher = Cipher::new(language, symbols);
        let solution = cipher.mend(language)?;
        return exchange(fit, language, &cipher, &solution);
    }
    let mut glances: Vec<(f32, usize)> = solving_order(fit, symbols)
        .into_iter()
        .map(|i| (over(i, &Cipher::new(models.language(i), symbols).glance(models.language(i))), i))
        .collect();
    glances.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut best: Option<(usize, Cipher, Solution)> = None;
    let nearest = glances.first()?.0;
    for (_, index) in glances
        .into_iter()
        .take(2)
        .filter(|glance| glance.0 < HOPELESS_BITS && glance.0 < nearest + SECOND_BITS)
    {
        let language = models.language(index);
        let cipher = Cipher::new(language, symbols);
        let solution = cipher.solve(language);
        if best.as_ref().is_none_or(|(i, _, b)| over(index, &solution) < over(*i, b)) {
            let solved = solution.bits < language.bounds.mean + 0.35;
            best = Some((index, cipher, solution));
            if solved {
                break;
            }
        }
    }
    let (index, cipher, solution) = best?;
    exchange(fit, models.language(index), &cipher, &solution)
}

/// Whether a text says the same few words again and again: any of them can be bent into others at no cost.
fn repeats(prose: &Prose) -> bool {
    let distinct: FxHashSet<&[Symbol]> = prose.words().collect();
    let letters: usize = distinct.iter().map(|word| word.len()).sum();
    letters < DISTINCT_LETTERS && (letters as f32) < DISTINCT_SHARE * prose.n_letters() as f32
}

/// The charge of a solved exchange, where the solution reads and gains more than it costs to name.
fn exchange(fit: &Fit, language: &Language, cipher: &Cipher, solution: &Solution) -> Option<Wrong> {
    let bound = (language.bounds.at(fit.n_letters) + SOLVED_SLACK).min(language.bounds.mean + SOLVED_EXCESS);
    if solution.bits > bound || solution.net_gain_bits(language.k) < LEAST_GAIN_BITS {
        return None;
    }
    let letter = |symbol: Symbol| language.letters.get(usize::from(symbol).wrapping_sub(2)).copied();
    let pairs: Vec<(char, char)> = cipher
        .given
        .iter()
        .zip(&solution.reading)
        .filter(|(given, meant)| given != meant)
        .filter_map(|(given, meant)| Some((letter(*given)?, letter(*meant)?)))
        .collect();
    Some(Wrong {
        code: ReasonCode::LetterSubstitution,
        certainty: Certainty::Measured,
        codes: Vec::new(),
        detail: format!(
            "{} letters exchanged: {:.1} bits a letter as {}, {:.1} as given",
            solution.n_changed, solution.bits, language.code, fit.bits
        ),
        remedy: Some(Remedy::Letters(pairs)),
    })
}

/// Languages to solve in: those whose letters the text seems to have, then the widely used ones.
fn solving_order(fit: &Fit, symbols: &[Symbol]) -> Vec<usize> {
    let Some(models) = Models::get().script(fit.script) else { return Vec::new() };
    let mut order = vec![fit.language];
    order.extend(["en", "de", "fr", "es", "ru", "ar"].iter().filter_map(|code| models.by_code(code)));
    order.extend(candidates(models, symbols).into_iter().take(3));
    let mut seen = Vec::new();
    order.retain(|i| {
        let new = !seen.contains(i);
        seen.push(*i);
        new
    });
    order
}

fn unexplained(words: &Words, fit: Option<&Fit>, known: &Known) -> Option<Wrong> {
    let fit = fit?;
    let from = if known.suspicious { LEAST_LETTERS } else { SUSPECTED_FROM };
    let far = fit.bits > fit.bound + FAR_BITS && fit.pooled_bits > fit.pooled_bound + FAR_POOLED_BITS;
    let mixed = fit.language != usize::MAX
        && (words.letters[fit.script as usize] as f32) < SCRIPT_SHARE * words.n_letters() as f32;
    if fit.n_letters < from || !far || (mixed && !known.suspicious) {
        return None;
    }
    Some(Wrong {
        code: ReasonCode::LetterSubstitution,
        certainty: Certainty::Suspected,
        codes: Vec::new(),
        detail: format!(
            "{:.1} bits a letter as {}, clean text stays under {:.1}; no exchange explains it",
            fit.bits, fit.code, fit.bound
        ),
        remedy: None,
    })
}

/// Visible characters of a text by what they are: letters first.
pub fn count_kind(chars: &[char], kind: Kind) -> usize {
    chars.iter().filter(|c| Char::of(**c).kind == kind).count()
}
