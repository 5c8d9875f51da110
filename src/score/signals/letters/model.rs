//! The language models in the binary: how many bits a letter costs after the three before it.
//!
//! Takes: `models.bin`, written by `examples/letters`. Gives: [`Models`], unpacked language by language on first use.
//! Fails: never at run time; the file is part of the binary and a test reads all of it.
//!
//! A language knows an alphabet of at most 126 symbols: 0 is the edge of a word, 1 any other letter of its script.
//! `bits` is an interpolated 4-gram of within-word letters, resolved to one row per context: contexts too rare to
//! differ from their shorter ones share those rows.

use std::collections::HashMap;
use std::io::Read;
use std::sync::OnceLock;

use super::chars::{SCRIPTS, Script};
use super::cjk::Table;

/// A symbol of a script or a language.
pub type Symbol = u8;
/// The edge of a word.
pub const EDGE: Symbol = 0;
/// A letter of the script that the alphabet does not hold.
pub const FOREIGN: Symbol = 1;
/// What it costs to say which foreign letter, in units.
const FOREIGN_UNITS: u8 = 32;
/// Units of [`Language::row`] in a bit.
pub const UNITS_PER_BIT: f32 = 8.0;

/// Lengths, in letters, at which clean text was measured.
pub const BOUND_LENGTHS: [usize; 6] = [30, 60, 100, 200, 400, 800];

/// How clean text of a language scores.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Bounds {
    /// Mean bits a letter over held-out text.
    pub mean: f32,
    /// Bits a letter that 99.9 % of held-out windows stay under, by [`BOUND_LENGTHS`], register margin included.
    pub upper: [f32; BOUND_LENGTHS.len()],
}

impl Bounds {
    /// The bound at `n` letters.
    pub fn at(&self, n: usize) -> f32 {
        let last = BOUND_LENGTHS.len() - 1;
        if n <= BOUND_LENGTHS[0] {
            return self.upper[0];
        }
        for i in 1..=last {
            if n <= BOUND_LENGTHS[i] {
                let (a, b) = (BOUND_LENGTHS[i - 1] as f32, BOUND_LENGTHS[i] as f32);
                let t = ((n as f32).ln() - a.ln()) / (b.ln() - a.ln());
                return self.upper[i - 1] + t * (self.upper[i] - self.upper[i - 1]);
            }
        }
        self.upper[last]
    }
}

/// One unpacked language.
#[derive(Debug)]
pub struct Language {
    /// ISO 639 code; `mul` for the pooled model of a script.
    pub code: &'static str,
    /// Its script.
    pub script: Script,
    /// Symbols, edge and foreign included.
    pub k: usize,
    /// The letter of each symbol from 2 on.
    pub letters: Vec<char>,
    /// What clean text costs.
    pub bounds: Bounds,
    /// Script symbol → language symbol.
    pub projection: [Symbol; 256],
    pairs: usize,
    index: Vec<u16>,
    rows: Vec<u8>,
}

impl Language {
    /// Costs of every symbol after a context, in units of 1/8 bit.
    #[inline]
    pub fn row(&self, context: usize) -> &[u8] {
        let start = usize::from(self.index[context]) * self.k;
        &self.rows[start..start + self.k]
    }

    /// Costs of every symbol whatever stands before it.
    pub fn unigram(&self) -> &[u8] {
        &self.rows[..self.k]
    }

    /// The context after `symbol`.
    #[inline]
    pub fn next(&self, context: usize, symbol: Symbol) -> usize {
        if symbol == EDGE {
            return 0;
        }
        // Drops the oldest of the three symbols of the context.
        (context % self.pairs) * self.k + usize::from(symbol)
    }

    /// Cost of a text of language symbols in which words stand between single edges, and how many symbols were costed.
    pub fn units(&self, symbols: &[Symbol]) -> (u32, u32) {
        let (mut context, mut sum) = (0, 0);
        for &symbol in symbols {
            sum += u32::from(self.row(context)[usize::from(symbol)]);
            context = self.next(context, symbol);
        }
        (sum, symbols.len() as u32)
    }
}

/// The languages of one script and what tells them apart cheaply.
#[derive(Debug)]
pub struct ScriptModels {
    /// The script.
    pub script: Script,
    /// Letters of all its languages; symbol 2 is the first.
    pub letters: Vec<char>,
    /// Codes of the languages, `mul` last.
    pub codes: Vec<&'static str>,
    symbols: HashMap<char, Symbol>,
    blobs: Vec<&'static [u8]>,
    languages: Vec<OnceLock<Language>>,
    pairs_blob: &'static [u8],
    pairs: OnceLock<Vec<u8>>,
}

impl ScriptModels {
    /// Languages, the pooled one included.
    pub fn n_languages(&self) -> usize {
        self.codes.len()
    }

    /// The script symbol of a folded letter: [`FOREIGN`] for one of no alphabet.
    pub fn symbol(&self, folded: char) -> Symbol {
        self.symbols.get(&folded).copied().unwrap_or(FOREIGN)
    }

    /// Unpacks a language, once.
    pub fn language(&self, index: usize) -> &Language {
        self.languages[index].get_or_init(|| read_language(self, index))
    }

    /// The language with this code.
    pub fn by_code(&self, code: &str) -> Option<usize> {
        self.codes.iter().position(|&c| c == code)
    }

    /// Costs of a pair of script symbols in every language, in units of 1/8 bit.
    #[inline]
    pub fn pair(&self, first: Symbol, second: Symbol) -> &[u8] {
        let pairs = self.pairs.get_or_init(|| inflate(self.pairs_blob));
        let width = self.codes.len();
        let start = (usize::from(first) * (self.letters.len() + 2) + usize::from(second)) * width;
        &pairs[start..start + width]
    }
}

/// All models.
#[derive(Debug)]
pub struct Models {
    scripts: Vec<ScriptModels>,
    by_script: [Option<u8>; SCRIPTS.len()],
    simplified_blob: &'static [u8],
    simplified: OnceLock<HashMap<char, char>>,
    tables: Vec<(&'static str, &'static [u8], OnceLock<Table>)>,
}

static MODELS_BIN: &[u8] = include_bytes!("models.bin");

impl Models {
    /// The models in the binary.
    pub fn get() -> &'static Self {
        static MODELS: OnceLock<Models> = OnceLock::new();
        MODELS.get_or_init(|| Self::read(MODELS_BIN))
    }

    /// Reads the directory of a model file.
    ///
    /// # Panics
    /// When the bytes are not what `examples/letters` writes: the file is compiled in.
    pub fn read(bytes: &'static [u8]) -> Self {
        let mut reader = Reader { bytes, at: 0 };
        let n_scripts = reader.u8();
        let scripts: Vec<ScriptModels> = (0..n_scripts).map(|_| read_script(&mut reader)).collect();
        let mut by_script = [None; SCRIPTS.len()];
        for (i, script) in scripts.iter().enumerate() {
            by_script[script.script as usize] = Some(i as u8);
        }
        let simplified_blob = reader.blob();
        let n_tables = reader.u8();
        let tables = (0..n_tables).map(|_| (reader.text(), reader.blob(), OnceLock::new())).collect();
        Self { scripts, by_script, simplified_blob, simplified: OnceLock::new(), tables }
    }

    /// The table of `zh`, `ja` or `ko`.
    pub fn table(&self, code: &str) -> Option<&Table> {
        let (code, blob, table) = self.tables.iter().find(|t| t.0 == code)?;
        Some(table.get_or_init(|| read_table(code, blob)))
    }

    /// A traditional ideograph as the simplified one that the Chinese table knows.
    pub fn simplify(&self, c: char) -> char {
        let map = self.simplified.get_or_init(|| {
            let text = String::from_utf8(inflate(self.simplified_blob)).expect("the builder writes UTF-8");
            let chars: Vec<char> = text.chars().collect();
            chars.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
        });
        map.get(&c).copied().unwrap_or(c)
    }

    /// The models of a script, where there are any.
    pub fn script(&self, script: Script) -> Option<&ScriptModels> {
        self.by_script[script as usize].map(|i| &self.scripts[usize::from(i)])
    }

    /// All scripts with models.
    pub fn scripts(&self) -> &[ScriptModels] {
        &self.scripts
    }
}

struct Reader {
    bytes: &'static [u8],
    at: usize,
}

impl Reader {
    fn take(&mut self, n: usize) -> &'static [u8] {
        let out = &self.bytes[self.at..self.at + n];
        self.at += n;
        out
    }
    fn u8(&mut self) -> usize {
        usize::from(self.take(1)[0])
    }
    fn u32(&mut self) -> usize {
        let bytes = self.take(4);
        u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize
    }
    fn varint(&mut self) -> usize {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.u8();
            value |= (byte & 0x7F) << shift;
            if byte < 0x80 {
                return value;
            }
            shift += 7;
        }
    }
    fn ascending(&mut self, n: usize) -> Vec<usize> {
        let mut at = 0;
        (0..n)
            .map(|_| {
                at += self.varint();
                at
            })
            .collect()
    }
    fn text(&mut self) -> &'static str {
        let n = self.u8();
        std::str::from_utf8(self.take(n)).expect("the builder writes UTF-8")
    }
    fn blob(&mut self) -> &'static [u8] {
        let n = self.u32();
        self.take(n)
    }
    fn bounds(&mut self) -> Bounds {
        let mut float = || self.u32() as f32 / 1000.0;
        let mean = float();
        Bounds { mean, upper: std::array::from_fn(|_| float()) }
    }
    fn letters(&mut self) -> Vec<char> {
        let n = self.u32();
        std::str::from_utf8(self.take(n)).expect("the builder writes UTF-8").chars().collect()
    }
}

fn read_script(reader: &mut Reader) -> ScriptModels {
    let script = SCRIPTS[reader.u8()];
    let letters = reader.letters();
    let n = reader.u8();
    let codes: Vec<&'static str> = (0..n).map(|_| reader.text()).collect();
    let blobs: Vec<&'static [u8]> = (0..=n).map(|_| reader.blob()).collect();
    ScriptModels {
        script,
        symbols: letters.iter().enumerate().map(|(i, &c)| (c, i as u8 + 2)).collect(),
        letters,
        languages: codes.iter().map(|_| OnceLock::new()).collect(),
        codes,
        pairs_blob: blobs[n],
        blobs: blobs[..n].to_vec(),
        pairs: OnceLock::new(),
    }
}

fn inflate(blob: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    flate2::read::ZlibDecoder::new(blob).read_to_end(&mut out).expect("the builder writes zlib");
    out
}

/// A blob holds: bounds, alphabet, then rows from the shortest context to the longest, each as the difference to its
/// shorter context's row in units of 1/4 bit.
fn read_language(models: &ScriptModels, which: usize) -> Language {
    let bytes: &'static [u8] = inflate(models.blobs[which]).leak(); // once a language, for the life of the process
    let mut reader = Reader { bytes, at: 0 };
    let bounds = reader.bounds();
    let letters = reader.letters();
    let k = letters.len() + 2;
    let (n2, n3) = (reader.u32(), reader.u32());
    let mut contexts = reader.ascending(n2);
    contexts.extend(reader.ascending(n3));
    let mut rows = Vec::with_capacity((1 + k + n2 + n3) * k);
    rows.extend_from_slice(reader.take(k));
    let mut row = |base: usize, rows: &mut Vec<u8>| {
        let start = base * k;
        let difference = reader.take(k);
        for (i, &step) in difference.iter().enumerate() {
            rows.push(rows[start + i].wrapping_add(step.wrapping_mul(2)));
        }
    };
    (0..k).for_each(|_| row(0, &mut rows));
    let mut index: Vec<u16> = (0..k * k * k).map(|context| 1 + (context % k) as u16).collect();
    let spread = |context: usize, number: usize, index: &mut [u16]| {
        index.iter_mut().skip(context).step_by(k * k).for_each(|slot| *slot = number as u16);
    };
    for (i, &context) in contexts.iter().enumerate() {
        row(usize::from(index[context]), &mut rows);
        let number = 1 + k + i;
        if i < n2 {
            spread(context, number, &mut index);
        } else {
            index[context] = number as u16;
        }
    }
    // One symbol stands for every other letter of the script: to say which costs some more bits.
    for row in rows.chunks_exact_mut(k) {
        row[usize::from(FOREIGN)] = row[usize::from(FOREIGN)].saturating_add(FOREIGN_UNITS).clamp(88, 160);
    }
    let mut projection = [FOREIGN; 256];
    projection[usize::from(EDGE)] = EDGE;
    for (i, letter) in letters.iter().enumerate() {
        projection[usize::from(models.symbol(*letter))] = i as u8 + 2;
    }
    Language {
        code: models.codes[which],
        script: models.script,
        k,
        pairs: k * k,
        letters,
        bounds,
        projection,
        index,
        rows,
    }
}

/// A blob holds: bounds, characters, the cost of each at the beginning of a word, what leaving each costs, and for each
/// the characters after it in ascending order with their costs.
fn read_table(code: &'static str, blob: &[u8]) -> Table {
    let bytes: &'static [u8] = inflate(blob).leak(); // once a table, for the life of the process
    let mut reader = Reader { bytes, at: 0 };
    let bounds = reader.bounds();
    let chars = reader.letters();
    let first = reader.take(chars.len()).to_vec();
    let leave = reader.take(chars.len()).to_vec();
    let pairs = chars
        .iter()
        .map(|_| {
            let n = reader.varint();
            let seconds = reader.ascending(n);
            let costs = reader.take(n);
            seconds.iter().zip(costs).map(|(&s, &cost)| (s as u16, cost)).collect()
        })
        .collect();
    Table::new(code, bounds, &chars, first, leave, pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::signals::letters::words::Words;

    /// Mean bits of `text` in a language.
    fn bits(code: &str, text: &str) -> f32 {
        let words = Words::read(text.chars());
        let script = words.main_script().expect("has letters");
        let models = Models::get().script(script).expect("has models");
        let language = models.language(models.by_code(code).expect("is a language"));
        let symbols: Vec<Symbol> = words.prose[script as usize]
            .symbols
            .iter()
            .map(|s| language.projection[usize::from(*s)])
            .collect();
        let (sum, n) = language.units(&symbols);
        sum as f32 / UNITS_PER_BIT / n as f32
    }

    #[test]
    fn every_model_unpacks_and_knows_its_bounds() {
        let mut n = 0;
        for script in Models::get().scripts() {
            for index in 0..script.n_languages() {
                let language = script.language(index);
                assert!(language.k > 20 && language.k < 128, "{}", language.code);
                assert!(
                    (1.5..4.0).contains(&language.bounds.mean),
                    "{}: {:?}",
                    language.code,
                    language.bounds
                );
                let bounds = language.bounds;
                assert!(bounds.upper.windows(2).all(|w| w[0] + 0.2 > w[1]), "{}: {bounds:?}", language.code);
                assert!(bounds.upper.iter().all(|b| *b > bounds.mean), "{}: {bounds:?}", language.code);
                n += 1;
            }
        }
        assert!(n >= 40, "{n} languages");
        for code in ["zh", "ja", "ko"] {
            assert!(Models::get().table(code).expect("is a table").bounds.mean > 4.0);
        }
        assert!(MODELS_BIN.len() <= 6_000_000, "{} bytes", MODELS_BIN.len());
    }

    #[test]
    fn costs_of_a_context_are_a_distribution() {
        let models = Models::get().script(Script::Latin).expect("Latin has models");
        let english = models.language(models.by_code("en").expect("English"));
        for word in ["", "th", "qu", "zx", "tio"] {
            let symbol = |c| english.projection[usize::from(models.symbol(c))];
            let context = word.chars().fold(0, |at, c| english.next(at, symbol(c)));
            let sum: f32 = english.row(context).iter().map(|u| (-f32::from(*u) / UNITS_PER_BIT).exp2()).sum();
            assert!((0.8..1.25).contains(&sum), "after `{word}`: {sum}");
        }
    }

    #[test]
    fn text_costs_least_in_its_own_language() {
        let texts = [
            ("en", "the quick brown fox jumps over the lazy dog while the others are watching from the hill"),
            ("de", "der schnelle braune Fuchs springt über den faulen Hund während die anderen zuschauen"),
            ("pl", "szybki brązowy lis przeskakuje nad leniwym psem a pozostali patrzą na to ze wzgórza"),
            ("vi", "con cáo nâu nhanh nhẹn nhảy qua con chó lười biếng trong khi những con khác đang xem"),
        ];
        for (code, text) in texts {
            for (other, _) in texts {
                let (own, foreign) = (bits(code, text), bits(other, text));
                assert!(code == other || own + 0.5 < foreign, "{code} {own} {other} {foreign}");
            }
        }
        assert!(bits("ru", "быстрая коричневая лиса прыгает через ленивую собаку пока другие смотрят") < 3.6);
        assert!(bits("ar", "الثعلب البني السريع يقفز فوق الكلب الكسول بينما يشاهد الآخرون من التل") < 4.0);
        assert!(
            bits("en", "gur dhvpx oebja sbk whzcf bire gur ynml qbt juvyr gur bguref ner jngpuvat") > 6.0
        );
    }

    #[test]
    fn chinese_by_pairs() {
        let table = Models::get().table("zh").expect("is a table");
        let bits = |text: &str| {
            let (sum, n) = table.score(text.chars().map(|c| Models::get().simplify(c)));
            sum as f32 / UNITS_PER_BIT / n as f32
        };
        let clean = bits("我们可以通过选择菜单中的命令来打开新的文件");
        assert!(clean < 8.5, "{clean}");
        assert!(bits("我們可以通過選擇菜單中的命令來打開新的文件") < 9.0);
        assert!(bits("文来以菜的开件我通们新打中选可择过令单命") > clean + 2.0);
    }
}
