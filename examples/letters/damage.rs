//! Ways in which a text layer goes wrong, applied to good text. The codes stay those of the good text.

use pagesieve::score::signals::letters::chars::{Char, Kind, Script};
use pagesieve::score::signals::letters::judge::Sample;

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x2545_F491_4F6C_DD1D) ^ 0x9E37_79B9_7F4A_7C15)
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i + 1));
        }
    }
}

/// A way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// None.
    Clean,
    /// All code points but white space moved by the same amount.
    Shift,
    /// Glyph indices of the Mac order echoed: code points 29 lower, the space too.
    Glyphs29,
    /// The letters of each case exchanged at random.
    Permutation,
    /// Six letters exchanged in a ring.
    Six,
    /// One letter that comes at least five times read as another one.
    One,
    /// Vowels among vowels, consonants among consonants.
    Vowels,
    /// UTF-8 read as Windows-1252.
    Utf8,
}

impl Class {
    pub const ALL: [Self; 8] = [
        Self::Clean,
        Self::Shift,
        Self::Glyphs29,
        Self::Permutation,
        Self::Six,
        Self::One,
        Self::Vowels,
        Self::Utf8,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::Shift => "shift",
            Self::Glyphs29 => "glyphs29",
            Self::Permutation => "permutation",
            Self::Six => "six",
            Self::One => "one",
            Self::Vowels => "vowels",
            Self::Utf8 => "utf8",
        }
    }

    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|c| c.name() == name)
    }
}

/// Letters of the text in its main script, folded, by falling frequency.
fn letters(chars: &[char]) -> Vec<(char, usize)> {
    let mut counts: std::collections::BTreeMap<char, usize> = Default::default();
    let mut scripts: std::collections::BTreeMap<Script, usize> = Default::default();
    for c in chars {
        let info = Char::of(*c);
        if info.kind == Kind::Letter {
            *counts.entry(info.fold).or_default() += 1;
            *scripts.entry(info.script).or_default() += 1;
        }
    }
    let main = scripts.iter().max_by_key(|s| s.1).map(|s| *s.0).unwrap_or(Script::Common);
    let mut out: Vec<(char, usize)> =
        counts.into_iter().filter(|(c, _)| Char::of(*c).script == main).collect();
    out.sort_by_key(|(c, n)| (std::cmp::Reverse(*n), *c));
    out
}

/// Exchanges letters in both cases. `None` where a letter cannot be exchanged.
fn exchange(chars: &[char], pairs: &[(char, char)]) -> Vec<char> {
    let map = |c: char| {
        let info = Char::of(c);
        let Some((_, to)) = pairs.iter().find(|(from, _)| *from == info.fold) else { return c };
        if info.upper { to.to_uppercase().next().unwrap_or(*to) } else { *to }
    };
    chars.iter().map(|c| map(*c)).collect()
}

fn ring(letters: &[char]) -> Vec<(char, char)> {
    letters.iter().enumerate().map(|(i, c)| (*c, letters[(i + 1) % letters.len()])).collect()
}

/// Damages a text; `None` where the class does not apply to it.
pub fn apply(class: Class, text: &str, random: &mut Random) -> Option<Sample> {
    let good = Sample::from_text(text);
    let chars = &good.chars;
    let found = letters(chars);
    let damaged = match class {
        Class::Clean => chars.clone(),
        Class::Shift => {
            let by = [-31, -29, -3, -2, -1, 1, 2, 3, 13, 29][random.below(10)];
            let moved = |c: &char| match *c {
                ' ' | '\n' => *c,
                c => char::from_u32((c as i32 + by).max(1) as u32).unwrap_or('\u{FFFD}'),
            };
            chars.iter().map(moved).collect()
        }
        Class::Glyphs29 => {
            let moved = |c: &char| match *c {
                '\n' => *c,
                c => char::from_u32((c as i32 - 29).max(1) as u32).unwrap_or('\u{FFFD}'),
            };
            chars.iter().map(moved).collect()
        }
        Class::Permutation => {
            let from: Vec<char> = found.iter().map(|f| f.0).collect();
            let mut to = from.clone();
            random.shuffle(&mut to);
            exchange(chars, &from.into_iter().zip(to).collect::<Vec<_>>())
        }
        Class::Six => {
            let mut from: Vec<char> = found.iter().filter(|f| f.1 >= 2).map(|f| f.0).collect();
            random.shuffle(&mut from);
            from.truncate(6);
            if from.len() < 6 {
                return None;
            }
            exchange(chars, &ring(&from))
        }
        Class::One => {
            let often: Vec<char> = found.iter().filter(|f| f.1 >= 5).map(|f| f.0).collect();
            if often.is_empty() || found.len() < 3 {
                return None;
            }
            // One code, so one case: the small letter.
            let from = often[random.below(often.len())];
            if chars.iter().filter(|c| **c == from).count() < 5 {
                return None;
            }
            let to = loop {
                let to = found[random.below(found.len())].0;
                if to != from {
                    break to;
                }
            };
            chars.iter().map(|c| if *c == from { to } else { *c }).collect()
        }
        Class::Vowels => {
            let is_vowel = |c: &char| "aeiouyаеиоуыэюяєіїαεηιουω".contains(*c);
            let mut vowels: Vec<char> = found.iter().map(|f| f.0).filter(is_vowel).collect();
            let mut others: Vec<char> = found.iter().map(|f| f.0).filter(|c| !is_vowel(c)).collect();
            if vowels.len() < 4 {
                return None;
            }
            random.shuffle(&mut vowels);
            random.shuffle(&mut others);
            exchange(chars, &[ring(&vowels), ring(&others)].concat())
        }
        Class::Utf8 => {
            let (decoded, _) = encoding_rs::WINDOWS_1252.decode_without_bom_handling(text.as_bytes());
            let beyond = text.chars().filter(|c| !c.is_ascii() && c.is_alphabetic()).count();
            if beyond < 5 {
                return None;
            }
            return Some(Sample::from_text(&decoded));
        }
    };
    Some(Sample { chars: damaged, codes: good.codes })
}
