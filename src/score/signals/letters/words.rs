//! Text → the words that a language model can judge.
//!
//! Takes: characters in reading order. Gives: [`Prose`] per script, words of folded letters between edges, and what
//! was left out as no prose. Fails: never.
//!
//! Part numbers, identifiers, addresses, acronyms and formulas are told from words *before* any model sees them:
//! they are strange in every language, and strange is not wrong.

use super::chars::{Char, Kind, SCRIPTS, Script};
use super::model::{EDGE, Models, ScriptModels, Symbol};

/// Words of one script.
#[derive(Debug, Clone, Default)]
pub struct Prose {
    /// Script symbols; every word ends with [`EDGE`].
    pub symbols: Vec<Symbol>,
    /// For each symbol the index of its character in the text; `u32::MAX` at edges.
    pub at: Vec<u32>,
    /// Words.
    pub n_words: u32,
    /// Words of one letter.
    pub n_single: u32,
    /// Letters of words in capitals throughout, of two letters or more.
    pub n_capital: u32,
}

impl Prose {
    /// Letters in it.
    pub fn n_letters(&self) -> usize {
        self.symbols.len() - self.n_words as usize
    }

    /// Words as slices of symbols, without their edge.
    pub fn words(&self) -> impl Iterator<Item = &[Symbol]> {
        self.symbols.split(|&s| s == EDGE).filter(|word| !word.is_empty())
    }
}

/// What a text consists of.
#[derive(Debug, Clone, Default)]
pub struct Words {
    /// Words by script, in the order of [`SCRIPTS`].
    pub prose: [Prose; SCRIPTS.len()],
    /// Ideographs, kana and hangul with the index of each, runs parted by `\0`.
    pub ideographs: Vec<(char, u32)>,
    /// Letters left out, by why: see [`NonProse`].
    pub left_out: [u32; NonProse::COUNT],
    /// Letters of scripts without models, by script.
    pub letters: [u32; SCRIPTS.len()],
    /// Digits.
    pub digits: u32,
    /// Visible characters.
    pub visible: u32,
}

/// Why a token is no prose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum NonProse {
    /// Digits among letters.
    Digits,
    /// Address, path, identifier: `@ _ \ = < > { } | ~ ^` or dots between letters.
    Address,
    /// A capital after a small letter.
    CamelCase,
    /// Capitals in a text of small letters.
    Acronym,
    /// Holds characters that are no text: controls, private use, U+FFFD.
    Broken,
    /// One or two letters in a text of such words: formulas, labels, cells.
    Short,
}

impl NonProse {
    /// How many kinds there are.
    pub const COUNT: usize = 6;
}

impl Words {
    /// Reads `text`, a sequence of characters.
    pub fn read(text: impl Iterator<Item = char>) -> Self {
        Self::read_with(Models::get(), text)
    }

    /// As [`Words::read`], with other models than those in the binary.
    pub fn read_with(models: &'static Models, text: impl Iterator<Item = char>) -> Self {
        let mut reader = Reader::new(models);
        for (at, c) in text.enumerate() {
            reader.push(c, at as u32);
        }
        reader.finish()
    }

    /// The script with most letters in prose that has models; `None` where there is none.
    pub fn main_script(&self) -> Option<Script> {
        let best = SCRIPTS.iter().max_by_key(|&&s| self.prose[s as usize].n_letters())?;
        (self.prose[*best as usize].n_letters() > 0).then_some(*best)
    }

    /// Ideographs, kana and hangul.
    pub fn n_ideographs(&self) -> usize {
        self.ideographs.iter().filter(|i| i.0 != '\0').count()
    }

    /// Letters, in prose or not.
    pub fn n_letters(&self) -> u32 {
        self.letters.iter().sum()
    }
}

#[derive(Clone, Copy)]
struct Item {
    char: char,
    info: Char,
    at: u32,
}

/// Collects one token after the other; a token stands between white space.
#[derive(Debug)]
pub struct Reader {
    words: Words,
    token: Vec<Item>,
    capitals: Vec<(Script, usize, usize)>,
    models: &'static Models,
}

impl std::fmt::Debug for Item {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.char)
    }
}

impl Reader {
    /// An empty reader.
    pub fn new(models: &'static Models) -> Self {
        Self { words: Words::default(), token: Vec::with_capacity(32), capitals: Vec::new(), models }
    }

    /// Takes the next character; `at` is its index for [`Prose::at`].
    pub fn push(&mut self, c: char, at: u32) {
        let info = Char::of(c);
        match info.kind {
            Kind::Space => self.end_token(),
            Kind::Format if c != '\u{200C}' => {} // bidi marks, joiners and soft hyphens are seen elsewhere
            Kind::Mark => self.mark(c),
            _ => {
                self.words.visible += 1;
                if info.kind == Kind::Digit {
                    self.words.digits += 1;
                }
                if info.kind == Kind::Letter {
                    self.words.letters[info.script as usize] += 1;
                }
                self.token.push(Item { char: c, info, at });
            }
        }
    }

    /// An accent apart from its letter joins it; other marks are skipped.
    fn mark(&mut self, c: char) {
        let Some(last) = self.token.last_mut() else { return };
        if let Some(composed) = unicode_normalization::char::compose(last.char, c) {
            last.char = composed;
            last.info = Char::of(composed);
        }
    }

    fn leave_out(&mut self, why: NonProse, letters: usize) {
        self.words.left_out[why as usize] += letters as u32;
    }

    fn end_token(&mut self) {
        if self.token.is_empty() {
            return;
        }
        let token = std::mem::take(&mut self.token);
        let letters = token.iter().filter(|i| i.info.kind == Kind::Letter).count();
        if letters > 0 {
            match non_prose(&token) {
                Some(why) => self.leave_out(why, letters),
                None => self.add_words(&token),
            }
        }
        self.token = token;
        self.token.clear();
    }

    fn add_words(&mut self, token: &[Item]) {
        for run in token.split(|i| i.info.kind != Kind::Letter) {
            if run.is_empty() {
                continue;
            }
            let mut counts = [0_u32; SCRIPTS.len()];
            run.iter().for_each(|i| counts[i.info.script as usize] += 1);
            let (script, _) =
                counts.iter().enumerate().max_by_key(|(_, n)| **n).expect("scripts are not empty");
            let script = SCRIPTS[script];
            match self.models.script(script) {
                Some(models) => self.add_word(run, models),
                None if matches!(script, Script::Han | Script::Kana | Script::Hangul) => {
                    self.add_ideographs(run)
                }
                None => {} // counted as letters, which nothing can judge
            }
        }
    }

    fn add_word(&mut self, run: &[Item], models: &ScriptModels) {
        let prose = &mut self.words.prose[models.script as usize];
        let start = prose.symbols.len();
        let mut n = 0;
        for item in run {
            let mut add = |folded: char| {
                let symbol = models.symbol(folded);
                prose.symbols.push(symbol);
                prose.at.push(item.at);
                n += 1;
            };
            match ligature(item.info.fold) {
                Some(letters) => letters.chars().for_each(add),
                // Marks of Thai are unknown to its model, which was counted without them.
                None if models.script == Script::Thai && is_thai_mark(item.char) => {
                    if prose.symbols.len() > start && prose.symbols.last() != Some(&EDGE) {
                        prose.symbols.push(EDGE);
                        prose.at.push(u32::MAX);
                        prose.n_words += 1;
                    }
                }
                None => add(item.info.fold),
            }
        }
        if n == 0 || prose.symbols.last() == Some(&EDGE) {
            return;
        }
        prose.symbols.push(EDGE);
        prose.at.push(u32::MAX);
        prose.n_words += 1;
        if n == 1 {
            prose.n_single += 1;
        } else if run.iter().all(|i| i.info.upper) {
            prose.n_capital += n;
            self.capitals.push((models.script, start, prose.symbols.len()));
        }
    }

    fn add_ideographs(&mut self, run: &[Item]) {
        let is_ours = |i: &&Item| matches!(i.info.script, Script::Han | Script::Kana | Script::Hangul);
        self.words.ideographs.extend(run.iter().filter(is_ours).map(|i| (i.info.fold, i.at)));
        self.words.ideographs.push(('\0', u32::MAX));
    }

    /// Ends the last token and drops capitals where the text is in small letters.
    pub fn finish(mut self) -> Words {
        self.end_token();
        for script in SCRIPTS {
            let prose = &self.words.prose[script as usize];
            if prose.n_capital == 0 || prose.n_capital as usize * 2 > prose.n_letters() {
                continue;
            }
            let ranges: Vec<(usize, usize)> =
                self.capitals.iter().filter(|c| c.0 == script).map(|c| (c.1, c.2)).collect();
            let dropped = self.words.prose[script as usize].n_capital;
            self.words.left_out[NonProse::Acronym as usize] += dropped;
            drop_ranges(&mut self.words.prose[script as usize], &ranges);
        }
        self.words
    }
}

fn drop_ranges(prose: &mut Prose, ranges: &[(usize, usize)]) {
    let (mut symbols, mut at) = (Vec::with_capacity(prose.symbols.len()), Vec::with_capacity(prose.at.len()));
    let mut from = 0;
    for &(start, end) in ranges {
        symbols.extend_from_slice(&prose.symbols[from..start]);
        at.extend_from_slice(&prose.at[from..start]);
        from = end;
    }
    symbols.extend_from_slice(&prose.symbols[from..]);
    at.extend_from_slice(&prose.at[from..]);
    prose.symbols = symbols;
    prose.at = at;
    prose.n_words -= ranges.len() as u32;
    prose.n_capital = 0;
}

/// Whether a token is an identifier, a number or an address rather than words.
fn non_prose(token: &[Item]) -> Option<NonProse> {
    let mut previous: Option<Item> = None;
    let mut dots = 0;
    for (i, item) in token.iter().enumerate() {
        let after_letter = previous.is_some_and(|p| p.info.kind == Kind::Letter);
        match item.info.kind {
            Kind::Control | Kind::Private | Kind::Replacement | Kind::Unassigned => {
                return Some(NonProse::Broken);
            }
            Kind::Digit if after_letter => return Some(NonProse::Digits),
            Kind::Letter if previous.is_some_and(|p| p.info.kind == Kind::Digit) => {
                return Some(NonProse::Digits);
            }
            Kind::Letter if after_letter && item.info.upper => {
                let p = previous.expect("a letter stands before");
                let lower_before =
                    !p.info.upper && p.info.fold == p.char && p.info.script == item.info.script;
                if lower_before && p.char.is_lowercase() {
                    return Some(NonProse::CamelCase);
                }
            }
            Kind::Punctuation | Kind::Symbol => match item.char {
                '@' | '_' | '\\' | '=' | '<' | '>' | '{' | '}' | '|' | '~' | '^' | '#' | '+' | '%' => {
                    return Some(NonProse::Address);
                }
                '.' | ':' | '/' | '&' | '?' if after_letter => {
                    if token.get(i + 1).is_some_and(|n| n.info.kind == Kind::Letter) {
                        dots += 1;
                        if item.char == '.' || dots > 1 {
                            return Some(NonProse::Address);
                        }
                    } else if item.char == ':' && token.get(i + 1).is_some_and(|n| n.char == '/') {
                        return Some(NonProse::Address);
                    }
                }
                _ => {}
            },
            _ => {}
        }
        previous = Some(*item);
    }
    None
}

fn ligature(c: char) -> Option<&'static str> {
    Some(match c {
        'ﬀ' => "ff",
        'ﬁ' => "fi",
        'ﬂ' => "fl",
        'ﬃ' => "ffi",
        'ﬄ' => "ffl",
        'ﬅ' | 'ﬆ' => "st",
        'ĳ' => "ij",
        '\u{FEF5}' | '\u{FEF6}' => "لآ",
        '\u{FEF7}' | '\u{FEF8}' => "لأ",
        '\u{FEF9}' | '\u{FEFA}' => "لإ",
        '\u{FEFB}' | '\u{FEFC}' => "لا",
        _ => return None,
    })
}

fn is_thai_mark(c: char) -> bool {
    matches!(c, '\u{E31}' | '\u{E34}'..='\u{E3A}' | '\u{E47}'..='\u{E4E}')
}
