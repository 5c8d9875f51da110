//! What `fetch.sh` laid out, as counts and as held-out text.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use fst::Streamer;
use pagesieve::score::signals::letters::chars::{Char, Kind, Script};

/// A language and where its counts come from.
pub struct Source {
    pub code: &'static str,
    pub script: Script,
    pub lingua: Option<&'static str>,
    pub wordfreq: Option<&'static str>,
}

const fn lingua(code: &'static str, script: Script, name: &'static str) -> Source {
    Source { code, script, lingua: Some(name), wordfreq: None }
}

/// Languages with an alphabet, by script.
pub const SOURCES: &[Source] = &[
    lingua("en", Script::Latin, "english"),
    lingua("de", Script::Latin, "german"),
    lingua("fr", Script::Latin, "french"),
    lingua("es", Script::Latin, "spanish"),
    lingua("pt", Script::Latin, "portuguese"),
    lingua("it", Script::Latin, "italian"),
    lingua("nl", Script::Latin, "dutch"),
    lingua("pl", Script::Latin, "polish"),
    lingua("cs", Script::Latin, "czech"),
    lingua("sk", Script::Latin, "slovak"),
    lingua("hu", Script::Latin, "hungarian"),
    lingua("ro", Script::Latin, "romanian"),
    lingua("sv", Script::Latin, "swedish"),
    lingua("da", Script::Latin, "danish"),
    lingua("nb", Script::Latin, "bokmal"),
    lingua("fi", Script::Latin, "finnish"),
    lingua("tr", Script::Latin, "turkish"),
    lingua("vi", Script::Latin, "vietnamese"),
    lingua("id", Script::Latin, "indonesian"),
    lingua("ca", Script::Latin, "catalan"),
    lingua("hr", Script::Latin, "croatian"),
    lingua("sl", Script::Latin, "slovene"),
    lingua("lt", Script::Latin, "lithuanian"),
    lingua("lv", Script::Latin, "latvian"),
    lingua("et", Script::Latin, "estonian"),
    lingua("la", Script::Latin, "latin"),
    lingua("is", Script::Latin, "icelandic"),
    lingua("ru", Script::Cyrillic, "russian"),
    lingua("uk", Script::Cyrillic, "ukrainian"),
    lingua("bg", Script::Cyrillic, "bulgarian"),
    lingua("sr", Script::Cyrillic, "serbian"),
    lingua("mk", Script::Cyrillic, "macedonian"),
    lingua("be", Script::Cyrillic, "belarusian"),
    lingua("el", Script::Greek, "greek"),
    lingua("ar", Script::Arabic, "arabic"),
    lingua("fa", Script::Arabic, "persian"),
    lingua("ur", Script::Arabic, "urdu"),
    lingua("he", Script::Hebrew, "hebrew"),
    Source { code: "hi", script: Script::Devanagari, lingua: None, wordfreq: Some("small_hi") },
    lingua("th", Script::Thai, "thai"),
];

/// Counts of folded strings of one to four letters, and of those that begin a word.
#[derive(Default)]
pub struct Counts {
    /// Anywhere in a word.
    pub inner: BTreeMap<Vec<char>, f64>,
    /// At the beginning of a word.
    pub start: BTreeMap<Vec<char>, f64>,
}

fn fold_into(map: &mut BTreeMap<Vec<char>, f64>, letters: &[char], n: f64) {
    let folded: Vec<char> = letters.iter().map(|&c| Char::of(c).fold).collect();
    *map.entry(folded).or_default() += n;
}

/// Reads the n-grams of a lingua crate: natural logarithms of conditional frequencies, none pruned, so that counts
/// of all strings and, by subtraction, of those at the edges of words come back exactly.
pub fn lingua_counts(dir: &Path, name: &str) -> Counts {
    let bytes = std::fs::read(dir.join("lingua").join(name).join("ngrams.fst")).expect("run fetch.sh first");
    let map = fst::Map::new(bytes).expect("an fst");
    let mut conditional: BTreeMap<Vec<char>, f64> = BTreeMap::new();
    let mut stream = map.stream();
    while let Some((key, value)) = stream.next() {
        let key = std::str::from_utf8(key).expect("UTF-8").chars().collect();
        conditional.insert(key, f64::from_bits(value));
    }
    let absolute = |gram: &[char]| -> Option<f64> {
        (1..=gram.len()).map(|n| conditional.get(&gram[..n]).copied()).sum::<Option<f64>>().map(f64::exp)
    };
    let totals: BTreeMap<&Vec<char>, f64> =
        conditional.keys().filter_map(|gram| Some((gram, absolute(gram)?))).collect();
    let least = totals.values().copied().fold(f64::MAX, f64::min);
    let mut preceded: BTreeMap<&[char], f64> = BTreeMap::new();
    for (gram, n) in &totals {
        *preceded.entry(&gram[1..]).or_default() += n;
    }
    let mut counts = Counts::default();
    for (gram, n) in &totals {
        if gram.len() <= 4 {
            fold_into(&mut counts.inner, gram, n / least);
            let start = (n - preceded.get(gram.as_slice()).copied().unwrap_or(0.0)) / least;
            if start > 0.5 {
                fold_into(&mut counts.start, gram, start);
            }
        }
    }
    counts
}

/// Words and their frequencies of a wordfreq list: gzipped msgpack, lists of words by falling frequency in centibels.
pub fn wordfreq_words(dir: &Path, name: &str) -> Vec<(String, f64)> {
    let path = dir.join("wordfreq").join(format!("{name}.msgpack.gz"));
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).expect("run fetch.sh first");
    flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).expect("gzip");
    let mut at = 0;
    let n_lists = array(&bytes, &mut at);
    let mut words = Vec::new();
    skip_map(&bytes, &mut at);
    for list in 0..n_lists - 1 {
        for _ in 0..array(&bytes, &mut at) {
            words.push((string(&bytes, &mut at), 10_f64.powf(-(list as f64) / 100.0)));
        }
    }
    words
}

/// Characters mapped to simplified ones by wordfreq's table.
pub fn simplified(dir: &Path) -> Vec<(char, char)> {
    let mut bytes = Vec::new();
    let file =
        std::fs::File::open(dir.join("wordfreq/_chinese_mapping.msgpack.gz")).expect("run fetch.sh first");
    flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).expect("gzip");
    let mut at = 0;
    let n = match bytes[at] {
        0xDE => {
            at += 3;
            usize::from(u16::from_be_bytes([bytes[1], bytes[2]]))
        }
        byte => {
            at += 1;
            usize::from(byte & 0x0F)
        }
    };
    let mut out = Vec::new();
    for _ in 0..n {
        let key = match bytes[at] {
            0xCD => {
                at += 3;
                u32::from(u16::from_be_bytes([bytes[at - 2], bytes[at - 1]]))
            }
            0xCE => {
                at += 5;
                u32::from_be_bytes([bytes[at - 4], bytes[at - 3], bytes[at - 2], bytes[at - 1]])
            }
            other => {
                at += 1;
                u32::from(other)
            }
        };
        let value = string(&bytes, &mut at);
        if let (Some(from), Some(to)) = (char::from_u32(key), value.chars().next()) {
            out.push((from, to));
        }
    }
    out
}

fn array(bytes: &[u8], at: &mut usize) -> usize {
    let byte = bytes[*at];
    *at += 1;
    match byte {
        0x90..=0x9F => usize::from(byte & 0x0F),
        0xDC => {
            *at += 2;
            usize::from(u16::from_be_bytes([bytes[*at - 2], bytes[*at - 1]]))
        }
        0xDD => {
            *at += 4;
            u32::from_be_bytes([bytes[*at - 4], bytes[*at - 3], bytes[*at - 2], bytes[*at - 1]]) as usize
        }
        _ => panic!("an array expected, found {byte:#x}"),
    }
}

fn string(bytes: &[u8], at: &mut usize) -> String {
    let byte = bytes[*at];
    *at += 1;
    let n = match byte {
        0xA0..=0xBF => usize::from(byte & 0x1F),
        0xD9 => {
            *at += 1;
            usize::from(bytes[*at - 1])
        }
        0xDA => {
            *at += 2;
            usize::from(u16::from_be_bytes([bytes[*at - 2], bytes[*at - 1]]))
        }
        _ => panic!("a string expected, found {byte:#x}"),
    };
    let text = std::str::from_utf8(&bytes[*at..*at + n]).expect("UTF-8").to_owned();
    *at += n;
    text
}

fn skip_map(bytes: &[u8], at: &mut usize) {
    let n = usize::from(bytes[*at] & 0x0F);
    *at += 1;
    for _ in 0..n {
        string(bytes, at);
        if bytes[*at] < 0x80 { *at += 1 } else { drop(string(bytes, at)) }
    }
}

/// Counts from words with frequencies.
pub fn word_counts(words: &[(String, f64)], script: Script) -> Counts {
    let mut counts = Counts::default();
    for (word, frequency) in words {
        let letters: Vec<char> = word.chars().collect();
        let is_ours = |c: &char| Char::of(*c).kind == Kind::Letter && Char::of(*c).script == script;
        if letters.is_empty() || !letters.iter().all(is_ours) {
            continue;
        }
        let n = frequency * 1e8;
        for from in 0..letters.len() {
            for to in from + 1..=(from + 4).min(letters.len()) {
                fold_into(&mut counts.inner, &letters[from..to], n);
                if from == 0 {
                    fold_into(&mut counts.start, &letters[..to], n);
                }
            }
        }
    }
    counts
}

/// Held-out paragraphs of a language by source: `news` are lingua's test sentences.
pub fn held_out(dir: &Path, code: &str) -> Vec<(String, Vec<String>)> {
    let mut out = Vec::new();
    let lingua = SOURCES.iter().find(|s| s.code == code).and_then(|s| s.lingua);
    let lingua = lingua.or(match code {
        "hi" => Some("hindi"),
        "ko" => Some("korean"),
        "zh" => Some("chinese"),
        "ja" => Some("japanese"),
        _ => None,
    });
    let read = |path: &Path| -> Vec<String> {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.lines().filter(|l| !l.trim().is_empty()).map(str::to_owned).collect()
    };
    if let Some(name) = lingua {
        out.push(("news".to_owned(), read(&dir.join("lingua").join(name).join("sentences.txt"))));
    }
    let mut files: Vec<_> = std::fs::read_dir(dir.join("text").join(code))
        .map(|entries| entries.flatten().map(|e| e.path()).collect())
        .unwrap_or_default();
    files.sort();
    for path in files {
        let name = path.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
        out.push((name, read(&path)));
    }
    out.retain(|(_, paragraphs)| !paragraphs.is_empty());
    out
}
