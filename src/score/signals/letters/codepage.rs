//! Was the text decoded by the wrong code page?
//!
//! Takes: a text. Gives: the two code pages that exchange it for a plausible one. Fails: never.

use encoding_rs::Encoding;

use super::chars::{Char, Kind};
use super::fit::{Fit, fit_words};
use super::words::Words;

/// Code pages a text may have been misread as.
static READ_AS: [&Encoding; 6] = [
    encoding_rs::WINDOWS_1252,
    encoding_rs::MACINTOSH,
    encoding_rs::WINDOWS_1251,
    encoding_rs::KOI8_R,
    encoding_rs::WINDOWS_1250,
    encoding_rs::IBM866,
];

/// Code pages it may have been written in.
static WRITTEN_IN: [&Encoding; 26] = [
    encoding_rs::UTF_8,
    encoding_rs::WINDOWS_1252,
    encoding_rs::WINDOWS_1251,
    encoding_rs::WINDOWS_1250,
    encoding_rs::MACINTOSH,
    encoding_rs::KOI8_R,
    encoding_rs::KOI8_U,
    encoding_rs::WINDOWS_1253,
    encoding_rs::WINDOWS_1254,
    encoding_rs::WINDOWS_1255,
    encoding_rs::WINDOWS_1256,
    encoding_rs::WINDOWS_1257,
    encoding_rs::WINDOWS_1258,
    encoding_rs::WINDOWS_874,
    encoding_rs::ISO_8859_2,
    encoding_rs::ISO_8859_5,
    encoding_rs::ISO_8859_6,
    encoding_rs::ISO_8859_7,
    encoding_rs::ISO_8859_8,
    encoding_rs::X_MAC_CYRILLIC,
    encoding_rs::IBM866,
    encoding_rs::GBK,
    encoding_rs::BIG5,
    encoding_rs::SHIFT_JIS,
    encoding_rs::EUC_JP,
    encoding_rs::EUC_KR,
];

/// Characters looked at while choosing.
const SAMPLE: usize = 1_500;

/// Two code pages.
#[derive(Debug, Clone, Copy)]
pub struct CodePages {
    /// What the text was taken for.
    pub read_as: &'static Encoding,
    /// What it is.
    pub written_in: &'static Encoding,
}

/// Code pages and how the text reads under them.
#[derive(Debug, Clone, Copy)]
pub struct Reinterpreted {
    /// The code pages.
    pub pages: CodePages,
    /// The fit of the reinterpreted text.
    pub fit: Fit,
    /// Characters that no text of its language has, before and after.
    pub odd: (u32, u32),
}

impl CodePages {
    /// The text as it was written; `None` where it is none in these code pages.
    pub fn apply(self, text: &str) -> Option<String> {
        let bytes = self.bytes(text)?;
        let text = self.written_in.decode_without_bom_handling_and_without_replacement(&bytes)?;
        Some(text.into_owned())
    }

    fn bytes(self, text: &str) -> Option<Vec<u8>> {
        if self.read_as != encoding_rs::WINDOWS_1252 {
            let (bytes, _, failed) = self.read_as.encode(text);
            return (!failed).then(|| bytes.into_owned());
        }
        // Latin-1 and Windows-1252 at once: C1 controls stand for themselves.
        let mut bytes = Vec::with_capacity(text.len());
        let mut buffer = [0; 4];
        for c in text.chars() {
            match u32::from(c) {
                code @ 0..=0xFF => bytes.push(code as u8),
                _ => {
                    let (encoded, _, failed) = encoding_rs::WINDOWS_1252.encode(c.encode_utf8(&mut buffer));
                    if failed || encoded.len() != 1 {
                        return None;
                    }
                    bytes.push(encoded[0]);
                }
            }
        }
        Some(bytes)
    }
}

/// Symbols and controls beyond ASCII that stand by letters: what a wrong code page leaves.
pub fn odd_symbols(text: &[char]) -> u32 {
    let is_letter = |c: Option<&char>| c.is_some_and(|c| Char::of(*c).kind == Kind::Letter);
    let is_odd = |i: usize, c: char| {
        let by_letter = || (i > 0 && is_letter(text.get(i - 1))) || is_letter(text.get(i + 1));
        match Char::of(c).kind {
            Kind::Symbol | Kind::Control | Kind::Digit | Kind::Space | Kind::Format => {
                !matches!(c, '\u{A0}' | '\u{AD}' | '\u{200C}'..='\u{200F}') && by_letter()
            }
            Kind::Punctuation => matches!(c, '¿' | '¡' | '¶' | '§' | '„' | '‚' | '‡' | '†') && by_letter(),
            _ => false,
        }
    };
    text.iter().enumerate().filter(|(i, c)| !c.is_ascii() && is_odd(*i, **c)).count() as u32
}

/// Letters beyond ASCII.
pub fn letters_beyond_ascii(text: &[char]) -> u32 {
    text.iter().filter(|c| !c.is_ascii() && Char::of(**c).kind == Kind::Letter).count() as u32
}

/// Characters by letters that are no letters of the text's language.
fn odd(text: &[char], fit: &Fit, words: &Words) -> u32 {
    let symbols = odd_symbols(text);
    let foreign = super::model::Models::get().script(fit.script).map_or(0, |models| {
        if fit.language == usize::MAX {
            return 0;
        }
        let language = models.language(fit.language);
        let prose = &words.prose[fit.script as usize];
        prose
            .symbols
            .iter()
            .filter(|s| language.projection[usize::from(**s)] == super::model::FOREIGN)
            .count() as u32
    });
    let other: u32 = super::chars::SCRIPTS
        .iter()
        .filter(|s| **s != fit.script && fit.language != usize::MAX)
        .map(|s| words.letters[*s as usize])
        .sum();
    symbols + foreign + other
}

/// The code pages under which the text reads as it should; `None` where it reads best as it is.
pub fn find(text: &[char], as_is: Option<&Fit>) -> Option<Reinterpreted> {
    let sample: String = text.iter().take(SAMPLE).collect();
    let chars: Vec<char> = sample.chars().collect();
    let words = Words::read(sample.chars());
    let before = as_is
        .map_or_else(|| odd_symbols(&chars) + letters_beyond_ascii(&chars), |fit| odd(&chars, fit, &words));
    let mut best: Option<Reinterpreted> = None;
    for read_as in READ_AS {
        let pages = CodePages { read_as, written_in: encoding_rs::UTF_8 };
        let Some(bytes) = pages.bytes(&sample) else { continue };
        for written_in in WRITTEN_IN {
            if written_in == read_as {
                continue;
            }
            // A cut of the sample may split the last character of a multi-byte page.
            let whole = (0..3).find_map(|cut| {
                let end = bytes.len().saturating_sub(cut);
                written_in.decode_without_bom_handling_and_without_replacement(&bytes[..end])
            });
            let Some(written) = whole.filter(|w| *w != sample) else { continue };
            let words = Words::read(written.chars());
            let Some(fit) = fit_words(&words, None).filter(Fit::is_plausible) else { continue };
            let after: Vec<char> = written.chars().collect();
            let odd = (before, odd(&after, &fit, &words));
            let found = Reinterpreted { pages: CodePages { read_as, written_in }, fit, odd };
            let better = |b: &Reinterpreted| {
                (fit.bits - fit.bound + odd.1 as f32 * 0.02)
                    < (b.fit.bits - b.fit.bound + b.odd.1 as f32 * 0.02)
            };
            if best.as_ref().is_none_or(better) {
                best = Some(found);
            }
        }
    }
    best
}
