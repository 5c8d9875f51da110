//! Builds `src/score/signals/letters/models.bin`: letters-build DATA OUT [BYTES-PER-LANGUAGE].
//!
//! DATA is what `fetch.sh` laid out. The models are written twice: without bounds, then, measured with the library's
//! own reader on held-out text, with them. Prints a line per language.

#![allow(unreachable_pub, missing_docs, reason = "a program")]

mod sources;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use pagesieve::score::signals::letters::chars::{Char, Kind, SCRIPTS, Script};
use pagesieve::score::signals::letters::model::{BOUND_LENGTHS, Bounds, EDGE, FOREIGN, Language, Models};
use pagesieve::score::signals::letters::words::Words;
use sources::{Counts, SOURCES, held_out, lingua_counts, word_counts, wordfreq_words};

/// Share of every prediction that the pooled trigram of the script gives: names and loan-words.
const BACKGROUND: f64 = 0.03;
/// A letter is in the alphabet from this share of the text on.
const LEAST_SHARE: f64 = 3e-5;
/// Nothing costs more, in bits.
const MOST_BITS: f64 = 20.0;

type Grams = BTreeMap<Vec<u8>, f64>;

/// Conditional counts: context (0 to 3 symbols, edges as 0) → symbol → count.
struct Ngrams {
    k: usize,
    letters: Vec<char>,
    contexts: BTreeMap<Vec<u8>, Vec<f64>>,
}

fn alphabet(counts: &Counts, script: Script, most: usize) -> Vec<char> {
    let mut single: Vec<(f64, char)> = counts
        .inner
        .iter()
        .filter(|(gram, _)| gram.len() == 1)
        .map(|(gram, n)| (*n, gram[0]))
        .filter(|(_, c)| Char::of(*c).kind == Kind::Letter && Char::of(*c).script == script)
        .collect();
    let total: f64 = single.iter().map(|(n, _)| n).sum();
    single.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    single.retain(|(n, _)| *n > total * LEAST_SHARE);
    single.truncate(most);
    let mut letters: Vec<char> = single.into_iter().map(|(_, c)| c).collect();
    letters.sort_unstable();
    letters
}

fn ngrams(counts: &Counts, letters: &[char]) -> Ngrams {
    let number: BTreeMap<char, u8> = letters.iter().enumerate().map(|(i, &c)| (c, i as u8 + 2)).collect();
    let map = |grams: &BTreeMap<Vec<char>, f64>| -> Grams {
        let mut out = Grams::new();
        for (gram, n) in grams {
            let symbols = gram.iter().map(|c| number.get(c).copied().unwrap_or(FOREIGN)).collect();
            *out.entry(symbols).or_default() += n;
        }
        out
    };
    let (inner, start) = (map(&counts.inner), map(&counts.start));
    let k = letters.len() + 2;
    let mut contexts: BTreeMap<Vec<u8>, Vec<f64>> = BTreeMap::new();
    let mut add = |context: Vec<u8>, symbol: u8, n: f64| {
        contexts.entry(context).or_insert_with(|| vec![0.0; k])[usize::from(symbol)] += n;
    };
    for (gram, n) in &inner {
        let (last, context) = gram.split_last().expect("grams are not empty");
        add(context.to_vec(), *last, *n);
        if gram.len() <= 3 {
            add(gram.clone(), EDGE, *n); // what is not followed by a letter: the rest is taken off below
        }
        if gram.len() >= 2 {
            add(context.to_vec(), EDGE, -n);
        }
    }
    for (gram, n) in &start {
        let (last, context) = gram.split_last().expect("grams are not empty");
        if gram.len() <= 3 {
            let after_edge =
                |gram: &[u8]| -> Vec<u8> { std::iter::once(EDGE).chain(gram.iter().copied()).collect() };
            add(after_edge(context), *last, *n);
            if gram.len() <= 2 {
                add(after_edge(gram), EDGE, *n);
            }
            if gram.len() >= 2 {
                add(after_edge(context), EDGE, -n);
            }
        }
    }
    // The unigram: a letter or the end of a word.
    let ends: f64 = start.iter().filter(|(g, _)| g.len() == 1).map(|(_, n)| n).sum();
    contexts.entry(Vec::new()).or_insert_with(|| vec![0.0; k])[usize::from(EDGE)] = ends;
    for row in contexts.values_mut() {
        row.iter_mut().for_each(|n| *n = n.max(0.0));
    }
    Ngrams { k, letters: letters.to_vec(), contexts }
}

/// Witten-Bell: as much weight to the shorter context as there are different followers.
fn interpolate(row: &[f64], shorter: &[f64]) -> Vec<f64> {
    let total: f64 = row.iter().sum();
    let kinds = row.iter().filter(|n| **n >= 0.5).count() as f64;
    let weight = kinds.max(0.5);
    row.iter().zip(shorter).map(|(n, s)| (n + weight * s) / (total + weight)).collect()
}

struct Packed {
    bytes: Vec<u8>,
    raw: Vec<u8>,
}

/// Probabilities by context, interpolated.
struct Smooth {
    unigram: Vec<f64>,
    one: Vec<Vec<f64>>,
    two: BTreeMap<Vec<u8>, (f64, Vec<f64>)>,
    three: BTreeMap<Vec<u8>, (f64, Vec<f64>)>,
}

fn smooth(grams: &Ngrams) -> Smooth {
    let uniform = vec![1.0 / grams.k as f64; grams.k];
    let empty = vec![0.0; grams.k];
    let unigram = interpolate(&grams.contexts[&Vec::new()], &uniform);
    let one: Vec<Vec<f64>> = (0..grams.k)
        .map(|c| interpolate(grams.contexts.get(&vec![c as u8]).unwrap_or(&empty), &unigram))
        .collect();
    let mut two = BTreeMap::new();
    let mut three = BTreeMap::new();
    for (context, row) in grams.contexts.iter().filter(|(c, _)| c.len() == 2) {
        let n: f64 = row.iter().sum();
        two.insert(context.clone(), (n, interpolate(row, &one[usize::from(context[1])])));
    }
    for (context, row) in grams.contexts.iter().filter(|(c, _)| c.len() == 3) {
        let n: f64 = row.iter().sum();
        let shorter = two.get(&context[1..]).map_or(&one[usize::from(context[2])], |r| &r.1);
        three.insert(context.clone(), (n, interpolate(row, shorter)));
    }
    Smooth { unigram, one, two, three }
}

fn units(p: f64) -> u8 {
    ((-p.log2()).clamp(0.0, MOST_BITS) * 8.0).round() as u8
}

fn divergence(p: &[f64], q: &[f64]) -> f64 {
    p.iter().zip(q).map(|(p, q)| if *p > 0.0 { p * (p / q).log2() } else { 0.0 }).sum()
}

struct Built {
    code: String,
    letters: Vec<char>,
    k: usize,
    smooth: Smooth,
}

/// The pooled trigram of a script, projected on a language's symbols: P(symbol | two before).
fn background(pool: &Built, own: &Built) -> impl Fn(&[u8], usize) -> f64 {
    let number: BTreeMap<char, u8> =
        pool.letters.iter().enumerate().map(|(i, &c)| (c, i as u8 + 2)).collect();
    let map: Vec<u8> = (0..own.k)
        .map(|s| match s {
            0 => EDGE,
            1 => FOREIGN,
            s => number.get(&own.letters[s - 2]).copied().unwrap_or(FOREIGN),
        })
        .collect();
    let missing: f64 = {
        let held: Vec<u8> = map[2..].to_vec();
        (2..pool.k).filter(|s| !held.contains(&(*s as u8))).map(|s| pool.smooth.unigram[s]).sum()
    };
    let rows: BTreeMap<Vec<u8>, Vec<f64>> =
        pool.smooth.two.iter().map(|(c, r)| (c.clone(), r.1.clone())).collect();
    let one = pool.smooth.one.clone();
    move |context: &[u8], symbol: usize| {
        if symbol == usize::from(FOREIGN) {
            return missing.max(1e-6);
        }
        let context: Vec<u8> = context.iter().map(|s| map[usize::from(*s)]).collect();
        let row = match context.len() {
            2 => rows.get(&context).unwrap_or(&one[usize::from(context[1])]),
            _ => &one[usize::from(context[0])],
        };
        row[usize::from(map[symbol])]
    }
}

/// Packs a language into at most `most` compressed bytes, longest contexts by what they gain.
fn pack(built: &Built, pool: &Built, bounds: &Bounds, most: usize) -> Packed {
    let k = built.k;
    let ground = background(pool, built);
    let mixed = |context: &[u8], row: &[f64]| -> Vec<f64> {
        let short = if context.len() > 2 { &context[context.len() - 2..] } else { context };
        let share: f64 = if short.is_empty() { 0.0 } else { BACKGROUND };
        let with = |(i, p): (usize, &f64)| {
            (1.0 - share) * p + if share > 0.0 { share * ground(short, i) } else { 0.0 }
        };
        row.iter().enumerate().map(with).collect()
    };
    let one: Vec<Vec<f64>> = (0..k).map(|c| mixed(&[c as u8], &built.smooth.one[c])).collect();
    let two: BTreeMap<usize, (f64, Vec<f64>)> = built
        .smooth
        .two
        .iter()
        .map(|(c, (n, row))| (usize::from(c[0]) * k + usize::from(c[1]), (*n, mixed(c, row))))
        .collect();
    let total: f64 = built.smooth.two.values().map(|r| r.0).sum();
    let keep_two: Vec<usize> = two
        .iter()
        .filter(|(c, (n, row))| n * divergence(row, &one[*c % k]) > total * 3e-8)
        .map(|(c, _)| *c)
        .collect();
    let mut three: Vec<(f64, usize, Vec<f64>)> = Vec::new();
    for (context, (n, row)) in &built.smooth.three {
        let number = context.iter().fold(0, |at, s| at * k + usize::from(*s));
        let row = mixed(context, row);
        let short = number % (k * k);
        let base = if keep_two.binary_search(&short).is_ok() { &two[&short].1 } else { &one[short % k] };
        three.push((n * divergence(&row, base), number, row));
    }
    three.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let encode = |n_three: usize| -> Packed {
        let mut raw = Vec::new();
        let mut float = |value: f32| raw.extend_from_slice(&((value * 1000.0).round() as u32).to_le_bytes());
        float(bounds.mean);
        bounds.upper.iter().for_each(|b| float(*b));
        let letters: String = built.letters.iter().collect();
        raw.extend_from_slice(&(letters.len() as u32).to_le_bytes());
        raw.extend_from_slice(letters.as_bytes());
        let mut longest: Vec<&(f64, usize, Vec<f64>)> = three.iter().take(n_three).collect();
        longest.sort_by_key(|t| t.1);
        raw.extend_from_slice(&(keep_two.len() as u32).to_le_bytes());
        raw.extend_from_slice(&(longest.len() as u32).to_le_bytes());
        ascending(&mut raw, keep_two.iter().copied());
        ascending(&mut raw, longest.iter().map(|t| t.1));
        let root: Vec<u8> = built.smooth.unigram.iter().map(|p| units(*p)).collect();
        raw.extend_from_slice(&root);
        let mut rows_one = Vec::new();
        for row in &one {
            rows_one.push(difference(&mut raw, row, &root));
        }
        let mut rows_two = BTreeMap::new();
        for context in &keep_two {
            let base = rows_one[context % k].clone();
            rows_two.insert(*context, difference(&mut raw, &two[context].1, &base));
        }
        for (_, context, row) in longest {
            let short = context % (k * k);
            let base = rows_two.get(&short).unwrap_or(&rows_one[short % k]).clone();
            difference(&mut raw, row, &base);
        }
        Packed { bytes: deflate(&raw), raw }
    };
    let limit = three.iter().take_while(|t| t.0 > total * 1e-8).count().min(60_000 - keep_two.len());
    let (mut low, mut high) = (0, limit);
    let mut best = encode(0);
    while low < high {
        let middle = (low + high).div_ceil(2);
        let packed = encode(middle);
        if packed.bytes.len() <= most {
            low = middle;
            best = packed;
        } else {
            high = middle - 1;
        }
        if high - low < 32 {
            break;
        }
    }
    println!(
        "{:4} k {k:3} pairs {:5} triples {low:6} of {:6} raw {:7} packed {:6}",
        built.code,
        keep_two.len(),
        built.smooth.three.len(),
        best.raw.len(),
        best.bytes.len()
    );
    best
}

fn ascending(raw: &mut Vec<u8>, numbers: impl Iterator<Item = usize>) {
    let mut at = 0;
    for number in numbers {
        let mut step = number - at;
        at = number;
        while step >= 0x80 {
            raw.push(step as u8 | 0x80);
            step >>= 7;
        }
        raw.push(step as u8);
    }
}

/// Writes a row as steps of 1/4 bit from `base`, and returns what the reader will have. What both think all but
/// impossible is left as it is.
fn difference(raw: &mut Vec<u8>, row: &[f64], base: &[u8]) -> Vec<u8> {
    row.iter()
        .zip(base)
        .map(|(p, &b)| {
            let (target, b) = (i32::from(units(*p)), i32::from(b));
            // What is rare is told coarsely: it is scored seldom, and what decides is that it is rare.
            let grain = match target {
                ..40 => 1,
                40..64 => 2,
                64..88 => 4,
                _ if b > 88 => 128,
                _ => 6,
            };
            let mut step = ((target - b) as f64 / (2 * grain) as f64).round() as i32 * grain;
            if b + 2 * step < 0 {
                step = -b / 2;
            }
            raw.push(step as i8 as u8);
            (b + 2 * step) as u8
        })
        .collect()
}

fn deflate(raw: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(raw).expect("memory");
    encoder.finish().expect("memory")
}

/// Costs of pairs of script symbols in every language: what chooses candidates.
fn pairs(letters: &[char], languages: &[&Built]) -> Vec<u8> {
    let n = letters.len() + 2;
    let mut out = Vec::with_capacity(n * n * languages.len());
    let maps: Vec<Vec<usize>> = languages
        .iter()
        .map(|l| {
            let of = |c: &char| l.letters.iter().position(|x| x == c).map_or(usize::from(FOREIGN), |i| i + 2);
            [0, 1].into_iter().chain(letters.iter().map(of)).collect()
        })
        .collect();
    for a in 0..n {
        for b in 0..n {
            for (language, map) in languages.iter().zip(&maps) {
                let p = language.smooth.one[map[a]][map[b]];
                let p = p * (1.0 - BACKGROUND) + BACKGROUND * language.smooth.unigram[map[b]];
                // To say which foreign letter costs some more. Coarse, so that the table packs well; it only ranks.
                let units = if map[b] == usize::from(FOREIGN) {
                    units(p).saturating_add(32).max(88)
                } else {
                    units(p)
                };
                out.push((units / 4) * 4);
            }
        }
    }
    out
}

fn write(
    dir: &Path,
    scripts: &[(Script, Vec<Built>)],
    bounds: &BTreeMap<String, Bounds>,
    most: usize,
) -> Vec<u8> {
    let mut out = vec![scripts.len() as u8];
    for (script, languages) in scripts {
        let mut letters: Vec<char> = languages.iter().flat_map(|l| l.letters.iter().copied()).collect();
        letters.sort_unstable();
        letters.dedup();
        assert!(letters.len() <= 253, "symbols of a script fit a byte");
        out.push(SCRIPTS.iter().position(|s| s == script).expect("listed") as u8);
        let text: String = letters.iter().collect();
        out.extend_from_slice(&(text.len() as u32).to_le_bytes());
        out.extend_from_slice(text.as_bytes());
        out.push(languages.len() as u8);
        for language in languages {
            out.push(language.code.len() as u8);
            out.extend_from_slice(language.code.as_bytes());
        }
        let pool = languages.last().expect("a script has languages");
        for language in languages {
            let key = format!("{script:?}/{}", language.code);
            let most = if language.code == "mul" { most * 5 / 4 } else { most };
            let packed = pack(language, pool, bounds.get(&key).unwrap_or(&Bounds::default()), most);
            out.extend_from_slice(&(packed.bytes.len() as u32).to_le_bytes());
            out.extend_from_slice(&packed.bytes);
        }
        let table = deflate(&pairs(&letters, &languages.iter().collect::<Vec<_>>()));
        println!("{script:?}: {} letters, pairs packed {}", letters.len(), table.len());
        out.extend_from_slice(&(table.len() as u32).to_le_bytes());
        out.extend_from_slice(&table);
    }
    write_tables(dir, &mut out, bounds);
    out
}

/// Sums the languages of a script, each with the same weight.
fn pooled(all: &[Counts]) -> Counts {
    let mut out = Counts::default();
    for counts in all {
        let total: f64 = counts.inner.iter().filter(|(g, _)| g.len() == 1).map(|(_, n)| n).sum();
        for (gram, n) in &counts.inner {
            *out.inner.entry(gram.clone()).or_default() += n * 1e6 / total;
        }
        for (gram, n) in &counts.start {
            *out.start.entry(gram.clone()).or_default() += n * 1e6 / total;
        }
    }
    out
}

/// Characters a table of ideographs holds at most, and pairs.
const MOST_CHARACTERS: usize = 5_500;
const MOST_PAIRS: usize = 55_000;

fn cost(p: f64) -> u8 {
    ((-p.log2()).clamp(0.0, 20.0) * 8.0).round() as u8
}

/// Counts words into characters at their beginning, pairs inside and ends.
fn table(words: &[(String, f64)], bounds: &Bounds) -> Vec<u8> {
    let ours = |c: char| matches!(Char::of(c).script, Script::Han | Script::Kana | Script::Hangul);
    let (mut single, mut start, mut end) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut pairs: BTreeMap<(char, char), f64> = BTreeMap::new();
    for (word, n) in words {
        let letters: Vec<char> = word.chars().map(|c| Char::of(c).fold).collect();
        if letters.is_empty() || !letters.iter().all(|c| ours(*c)) {
            continue;
        }
        *start.entry(letters[0]).or_insert(0.0) += n;
        *end.entry(letters[letters.len() - 1]).or_insert(0.0) += n;
        letters.iter().for_each(|c| *single.entry(*c).or_insert(0.0) += n);
        letters.windows(2).for_each(|w| *pairs.entry((w[0], w[1])).or_default() += n);
    }
    let mut chars: Vec<(f64, char)> = single.iter().map(|(c, n)| (*n, *c)).collect();
    chars.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    chars.truncate(MOST_CHARACTERS);
    let mut chars: Vec<char> = chars.into_iter().map(|(_, c)| c).collect();
    chars.sort_unstable();
    let (all, starts): (f64, f64) = (single.values().sum(), start.values().sum());
    let first = |c: char| 0.6 * start.get(&c).unwrap_or(&0.0) / starts + 0.4 * single[&c] / all;
    let leave = |c: char| (0.03 + 0.97 * end.get(&c).unwrap_or(&0.0) / single[&c]).min(1.0);
    let mut listed: Vec<(f64, char, char, f64)> = pairs
        .iter()
        .filter(|((a, b), _)| chars.binary_search(a).is_ok() && chars.binary_search(b).is_ok())
        .map(|((a, b), n)| {
            let without = leave(*a) * first(*b);
            let with = 0.97 * n / single[a] + without;
            (n * (with / without).log2(), *a, *b, with)
        })
        .collect();
    listed.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    listed.truncate(MOST_PAIRS);
    let mut rows: BTreeMap<char, Vec<(usize, f64)>> = BTreeMap::new();
    for (_, a, b, p) in &listed {
        let second = chars.binary_search(b).expect("filtered");
        rows.entry(*a).or_default().push((second, *p));
    }
    let mut raw = Vec::new();
    let mut float = |value: f32| raw.extend_from_slice(&((value * 1000.0).round() as u32).to_le_bytes());
    float(bounds.mean);
    bounds.upper.iter().for_each(|b| float(*b));
    let text: String = chars.iter().collect();
    raw.extend_from_slice(&(text.len() as u32).to_le_bytes());
    raw.extend_from_slice(text.as_bytes());
    raw.extend(chars.iter().map(|c| cost(first(*c))));
    raw.extend(chars.iter().map(|c| cost(leave(*c))));
    for c in &chars {
        let mut row = rows.remove(c).unwrap_or_default();
        row.sort_by_key(|r| r.0);
        ascending(&mut raw, std::iter::once(row.len()));
        ascending(&mut raw, row.iter().map(|r| r.0));
        raw.extend(row.iter().map(|r| (cost(r.1) / 2) * 2));
    }
    deflate(&raw)
}

const TABLES: [(&str, &str); 3] = [("zh", "large_zh"), ("ja", "large_ja"), ("ko", "small_ko")];

fn write_tables(dir: &Path, out: &mut Vec<u8>, bounds: &BTreeMap<String, Bounds>) {
    let simplified: String = sources::simplified(dir).into_iter().flat_map(|(a, b)| [a, b]).collect();
    let blob = deflate(simplified.as_bytes());
    println!("simplified: packed {}", blob.len());
    out.extend_from_slice(&(blob.len() as u32).to_le_bytes());
    out.extend_from_slice(&blob);
    out.push(TABLES.len() as u8);
    for (code, list) in TABLES {
        let blob = table(&wordfreq_words(dir, list), bounds.get(code).unwrap_or(&Bounds::default()));
        println!("{code}: packed {}", blob.len());
        out.push(code.len() as u8);
        out.extend_from_slice(code.as_bytes());
        out.extend_from_slice(&(blob.len() as u32).to_le_bytes());
        out.extend_from_slice(&blob);
    }
}

/// Bits a character over windows of held-out ideographs.
fn measure_table(dir: &Path, models: &'static Models, code: &str) -> Bounds {
    let table = models.table(code).expect("written");
    let mut all: [Vec<f32>; BOUND_LENGTHS.len()] = Default::default();
    let mut means = Vec::new();
    let sources = if code == "zh" { vec!["zh", "zh-hant"] } else { vec![code] };
    for (name, paragraphs) in sources.iter().flat_map(|c| held_out(dir, c)) {
        let mut text = Vec::new();
        for paragraph in &paragraphs {
            let words = Words::read_with(models, paragraph.chars());
            text.extend(
                words.ideographs.iter().map(|(c, _)| if code == "zh" { models.simplify(*c) } else { *c }),
            );
        }
        if text.len() < 5_000 {
            continue;
        }
        let bits = |text: &[char]| {
            let (sum, n) = table.score(text.iter().copied());
            sum as f32 / 8.0 / n as f32
        };
        means.push((name, bits(&text)));
        for (length, all) in BOUND_LENGTHS.iter().zip(&mut all) {
            let mut at = 0;
            let mut n = 0;
            for (i, c) in text.iter().enumerate() {
                n += usize::from(*c != '\0');
                if n == *length {
                    all.push(bits(&text[at..=i]));
                    (at, n) = (i + 1, 0);
                }
            }
        }
    }
    let mean = means.iter().map(|m| m.1).sum::<f32>() / means.len() as f32;
    let upper = all.map(|mut bits| {
        bits.sort_by(f32::total_cmp);
        quantile(&bits, 0.999)
    });
    println!("{code} mean {mean:.2} {means:.2?} upper {upper:.2?}");
    Bounds { mean, upper }
}

fn quantile(sorted: &[f32], q: f64) -> f32 {
    sorted[((sorted.len() - 1) as f64 * q).round() as usize]
}

/// Bits a letter over windows of held-out text. Windows that English describes better are left out: untranslated
/// passages. The pooled model is measured on all languages of its script.
fn measure(dir: &Path, models: &'static Models, script: Script, code: &str) -> Option<Bounds> {
    let script_models = models.script(script)?;
    let language = script_models.language(script_models.by_code(code)?);
    let english = script_models.by_code("en").map(|i| script_models.language(i));
    let codes: Vec<&str> = if code == "mul" { script_models.codes.clone() } else { vec![code] };
    let mut windows_at: [Vec<f32>; BOUND_LENGTHS.len()] = Default::default();
    let mut means = Vec::new();
    let mut left_out = 0;
    for (name, paragraphs) in codes.iter().flat_map(|c| held_out(dir, c)) {
        let mut symbols = Vec::new();
        for paragraph in &paragraphs {
            let words = Words::read_with(models, paragraph.chars());
            if words.main_script() == Some(script) {
                symbols.extend_from_slice(&words.prose[script as usize].symbols);
            }
        }
        if symbols.len() < 20_000 {
            continue;
        }
        let bits = |language: &Language, symbols: &[u8]| {
            let projected: Vec<u8> = symbols.iter().map(|s| language.projection[usize::from(*s)]).collect();
            let (sum, n) = language.units(&projected);
            sum as f32 / 8.0 / n as f32
        };
        means.push((name, bits(language, &symbols)));
        for (length, all) in BOUND_LENGTHS.iter().zip(&mut windows_at) {
            for window in windows(&symbols, *length) {
                let own = bits(language, window);
                if code != "en" && code != "mul" && english.is_some_and(|e| bits(e, window) < own) {
                    left_out += 1;
                    continue;
                }
                all.push(own);
            }
        }
    }
    let mean = means.iter().map(|m| m.1).sum::<f32>() / means.len().max(1) as f32;
    let mut last = 0.0;
    let upper = windows_at.map(|mut bits| {
        bits.sort_by(f32::total_cmp);
        if bits.len() >= 60 {
            last = quantile(&bits, 0.999); // too few long windows: the bound of shorter ones, which is higher
        }
        last
    });
    let shown: Vec<String> = means.iter().map(|s| format!("{} {:.2}", s.0, s.1)).collect();
    let shown = if shown.len() > 8 { format!("{} sources", shown.len()) } else { shown.join(", ") };
    println!("{script:?}/{code} mean {mean:.2} [{shown}] upper {upper:.2?} left out {left_out}");
    Some(Bounds { mean, upper })
}

/// Windows of about `letters` letters that end with a word, without overlap.
fn windows(symbols: &[u8], letters: usize) -> impl Iterator<Item = &[u8]> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let (mut at, mut n) = (from, 0);
        while at < symbols.len() {
            if symbols[at] != EDGE {
                n += 1;
            } else if n >= letters {
                let window = &symbols[from..=at];
                from = at + 1;
                return Some(window);
            }
            at += 1;
        }
        None
    })
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let dir = Path::new(&arguments[1]);
    let out = Path::new(&arguments[2]);
    let most: usize = arguments.get(3).map_or(124_000, |n| n.parse().expect("a number of bytes"));
    let mut by_script: BTreeMap<Script, Vec<(&'static str, Counts)>> = BTreeMap::new();
    for source in SOURCES {
        let counts = match (source.lingua, source.wordfreq) {
            (Some(name), _) => lingua_counts(dir, name),
            (None, Some(list)) => word_counts(&wordfreq_words(dir, list), source.script),
            (None, None) => unreachable!("every source has counts"),
        };
        by_script.entry(source.script).or_default().push((source.code, counts));
    }
    let mut scripts = Vec::new();
    for (script, languages) in by_script {
        let (codes, counts): (Vec<_>, Vec<_>) = languages.into_iter().unzip();
        let mut built: Vec<Built> = Vec::new();
        let all = std::iter::once(("mul", pooled(&counts))).chain(codes.into_iter().zip(counts));
        for (code, counts) in all {
            let grams = ngrams(&counts, &alphabet(&counts, script, 96));
            built.push(Built {
                code: code.to_owned(),
                letters: grams.letters.clone(),
                k: grams.k,
                smooth: smooth(&grams),
            });
        }
        built.rotate_left(1); // the pooled model last
        if built.len() == 2 {
            built.pop(); // the pool of one language is that language
        }
        scripts.push((script, built));
    }
    let first: &'static [u8] = write(dir, &scripts, &BTreeMap::new(), most).leak();
    let models: &'static Models = Box::leak(Box::new(Models::read(first)));
    let mut bounds = BTreeMap::new();
    for (script, languages) in &scripts {
        for language in languages {
            let measured = measure(dir, models, *script, &language.code);
            bounds.insert(format!("{script:?}/{}", language.code), measured.unwrap_or_default());
        }
    }
    for (code, _) in TABLES {
        bounds.insert(code.to_owned(), measure_table(dir, models, code));
    }
    let bytes = write(dir, &scripts, &bounds, most);
    std::fs::write(out, &bytes).expect("the folder can be written");
    println!("{} bytes", bytes.len());
}
