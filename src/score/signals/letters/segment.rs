//! Where a text misses edges between its words.
//!
//! Takes: words of one script and a language. Gives: how many edges the language would add, and what it gains by them.
//! Fails: never.
//!
//! The best cut of a word is found by dynamic programming over the model's contexts (Viterbi 1967): before each letter an
//! edge may be added. A model knows what words begin and end with, so clean text gains next to nothing.

use super::model::{EDGE, Language, Symbol, UNITS_PER_BIT};

/// Symbols that are cut at most.
const MOST_SYMBOLS: usize = 4_000;

/// Edges that a language would add to a text.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Cut {
    /// Letters of the text.
    pub letters: u32,
    /// Words as given.
    pub words: u32,
    /// Edges added.
    pub added: u32,
    /// Bits saved by them, all together.
    pub gain_bits: f32,
    /// Bits a letter or edge with them.
    pub bits: f32,
}

/// One way to have cut a word up to a letter.
#[derive(Clone, Copy)]
struct Path {
    context: usize,
    units: u32,
    added: u32,
}

/// The best cut of a text, given as script symbols, each word ended by [`EDGE`].
pub fn cut(language: &Language, symbols: &[Symbol]) -> Cut {
    let mut out = Cut::default();
    let mut units = 0_u64;
    let (mut paths, mut next): (Vec<Path>, Vec<Path>) = (Vec::new(), Vec::new());
    let symbols = &symbols[..symbols.len().min(MOST_SYMBOLS)];
    let edge = language.projection[usize::from(EDGE)];
    for word in symbols.split(|&symbol| symbol == EDGE).filter(|word| !word.is_empty()) {
        let start = Path { context: 0, units: 0, added: 0 };
        let mut plain = start;
        paths.clear();
        paths.push(start);
        for (at, &symbol) in word.iter().chain([&EDGE]).enumerate() {
            let symbol = language.projection[usize::from(symbol)];
            let is_end = at == word.len();
            plain = step(language, plain, symbol);
            next.clear();
            for &path in &paths {
                keep(&mut next, step(language, path, symbol));
                if at > 0 && !is_end {
                    let parted = step(language, path, edge);
                    keep(&mut next, step(language, Path { added: path.added + 1, ..parted }, symbol));
                }
            }
            std::mem::swap(&mut paths, &mut next);
        }
        let best = paths.iter().min_by_key(|path| path.units).copied().unwrap_or(plain);
        out.letters += word.len() as u32;
        out.words += 1;
        out.added += best.added;
        units += u64::from(best.units);
        out.gain_bits += plain.units.saturating_sub(best.units) as f32 / UNITS_PER_BIT;
    }
    let n = out.letters + out.words + out.added;
    out.bits = units as f32 / UNITS_PER_BIT / n.max(1) as f32;
    out
}

fn step(language: &Language, path: Path, symbol: Symbol) -> Path {
    let units = path.units + u32::from(language.row(path.context)[usize::from(symbol)]);
    Path { context: language.next(path.context, symbol), units, ..path }
}

/// Of paths into one context the cheapest stays.
fn keep(paths: &mut Vec<Path>, path: Path) {
    match paths.iter_mut().find(|own| own.context == path.context) {
        Some(own) if own.units <= path.units => {}
        Some(own) => *own = path,
        None => paths.push(path),
    }
}
