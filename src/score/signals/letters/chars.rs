//! What a character is: one table look-up for the basic plane.
//!
//! Takes: a `char`. Gives: its [`Kind`], its [`Script`] and the letter it folds to. Fails: never.

use std::sync::OnceLock;

use icu_properties::CodePointMapData;
use icu_properties::props::{GeneralCategory, Script as Iso};
use unicode_normalization::UnicodeNormalization;

/// What a character does in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A letter, or a mark that is written as one (vowel signs).
    Letter,
    /// A mark that text can be read without: accents left apart, Arabic and Hebrew points, tatweel.
    Mark,
    /// A decimal digit or another number.
    Digit,
    /// White space.
    Space,
    /// Punctuation.
    Punctuation,
    /// Mathematical, currency and other symbols.
    Symbol,
    /// Invisible format characters, bidi controls, joiners, the byte order mark.
    Format,
    /// C0 and C1 controls that are no white space.
    Control,
    /// Private use.
    Private,
    /// U+FFFD.
    Replacement,
    /// Not assigned, and noncharacters.
    Unassigned,
}

const KINDS: [Kind; 11] = [
    Kind::Letter,
    Kind::Mark,
    Kind::Digit,
    Kind::Space,
    Kind::Punctuation,
    Kind::Symbol,
    Kind::Format,
    Kind::Control,
    Kind::Private,
    Kind::Replacement,
    Kind::Unassigned,
];

/// Scripts told apart; those without models are `Other`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Script {
    /// Shared by scripts, or no letter.
    Common,
    /// Latn
    Latin,
    /// Cyrl
    Cyrillic,
    /// Grek
    Greek,
    /// Arab
    Arabic,
    /// Hebr
    Hebrew,
    /// Deva
    Devanagari,
    /// Thai
    Thai,
    /// Kore: hangul syllables and jamo
    Hangul,
    /// Hani
    Han,
    /// Hiragana and katakana
    Kana,
    /// Any other.
    Other,
}

/// All scripts, in the order of their numbers.
pub const SCRIPTS: [Script; 12] = [
    Script::Common,
    Script::Latin,
    Script::Cyrillic,
    Script::Greek,
    Script::Arabic,
    Script::Hebrew,
    Script::Devanagari,
    Script::Thai,
    Script::Hangul,
    Script::Han,
    Script::Kana,
    Script::Other,
];

impl Script {
    /// The ISO 15924 code; `None` where there is none to tell.
    pub fn iso15924(self) -> Option<&'static str> {
        Some(match self {
            Self::Common | Self::Other => return None,
            Self::Latin => "Latn",
            Self::Cyrillic => "Cyrl",
            Self::Greek => "Grek",
            Self::Arabic => "Arab",
            Self::Hebrew => "Hebr",
            Self::Devanagari => "Deva",
            Self::Thai => "Thai",
            Self::Hangul => "Hang",
            Self::Han => "Hani",
            Self::Kana => "Jpan",
        })
    }

    /// Whether words are parted by blanks in it.
    pub fn parts_words(self) -> bool {
        !matches!(self, Self::Common | Self::Other | Self::Thai | Self::Han | Self::Kana)
    }

    /// Whether lines of it run from right to left.
    pub fn is_rtl(self) -> bool {
        matches!(self, Self::Arabic | Self::Hebrew)
    }
}

/// One entry of the table.
#[derive(Debug, Clone, Copy)]
pub struct Char {
    /// What it does.
    pub kind: Kind,
    /// Its script.
    pub script: Script,
    /// Lower case, compatibility forms resolved; itself where the fold is not one character.
    pub fold: char,
    /// Has an upper-case form of its own: `is_uppercase`.
    pub upper: bool,
}

struct Table {
    kind: Box<[u8]>,
    script: Box<[u8]>,
    fold: Box<[u16]>,
}

const UPPER: u8 = 0x80;

fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    TABLE.get_or_init(|| {
        let all = || (0..=0xFFFF_u32).map(|value| char::from_u32(value).unwrap_or('\u{FFFE}'));
        let chars: Vec<Char> = all().map(look_up).collect();
        Table {
            kind: chars.iter().map(|c| c.kind as u8 | if c.upper { UPPER } else { 0 }).collect(),
            script: chars.iter().map(|c| c.script as u8).collect(),
            fold: chars.iter().map(|c| u16::try_from(u32::from(c.fold)).unwrap_or(0xFFFD)).collect(),
        }
    })
}

impl Char {
    /// Looks a character up.
    #[inline]
    pub fn of(c: char) -> Self {
        let value = c as usize;
        if value > 0xFFFF {
            return look_up(c);
        }
        let table = table();
        let kind = table.kind[value];
        Self {
            kind: KINDS[usize::from(kind & !UPPER)],
            script: SCRIPTS[usize::from(table.script[value])],
            fold: char::from_u32(u32::from(table.fold[value])).unwrap_or(c),
            upper: kind & UPPER != 0,
        }
    }

    /// Whether it leaves a mark on paper.
    pub fn is_visible(self) -> bool {
        !matches!(self.kind, Kind::Space | Kind::Format | Kind::Control)
    }
}

fn look_up(c: char) -> Char {
    let kind = kind(c);
    let script = script(c);
    let script = if kind == Kind::Letter && script == Script::Common { Script::Other } else { script };
    Char { kind, script, fold: fold(c), upper: c.is_uppercase() }
}

fn kind(c: char) -> Kind {
    use GeneralCategory as G;
    match c {
        '\u{FFFD}' => return Kind::Replacement,
        '\t' | '\n' | '\u{B}' | '\u{C}' | '\r' | '\u{85}' => return Kind::Space,
        '\u{640}' => return Kind::Mark, // tatweel stretches a word and says nothing
        // º and ª are letters by category, ordinal signs in text.
        'º' | 'ª' => return Kind::Symbol,
        _ => {}
    }
    match CodePointMapData::<GeneralCategory>::new().get(c) {
        G::UppercaseLetter | G::LowercaseLetter | G::TitlecaseLetter | G::OtherLetter => Kind::Letter,
        G::ModifierLetter => Kind::Mark,
        G::NonspacingMark | G::SpacingMark | G::EnclosingMark => match script(c) {
            // Vowel signs of Indic scripts carry the text as letters do.
            Script::Common
            | Script::Arabic
            | Script::Hebrew
            | Script::Latin
            | Script::Greek
            | Script::Cyrillic => Kind::Mark,
            _ => Kind::Letter,
        },
        G::DecimalNumber | G::OtherNumber => Kind::Digit,
        G::LetterNumber => Kind::Symbol,
        G::SpaceSeparator | G::LineSeparator | G::ParagraphSeparator => Kind::Space,
        G::DashPunctuation
        | G::OpenPunctuation
        | G::ClosePunctuation
        | G::ConnectorPunctuation
        | G::InitialPunctuation
        | G::FinalPunctuation
        | G::OtherPunctuation => Kind::Punctuation,
        G::MathSymbol | G::CurrencySymbol | G::ModifierSymbol | G::OtherSymbol => Kind::Symbol,
        G::Format => Kind::Format,
        G::Control => Kind::Control,
        G::PrivateUse => Kind::Private,
        _ => Kind::Unassigned,
    }
}

fn script(c: char) -> Script {
    match CodePointMapData::<Iso>::new().get(c) {
        Iso::Latin => Script::Latin,
        Iso::Cyrillic => Script::Cyrillic,
        Iso::Greek => Script::Greek,
        Iso::Arabic => Script::Arabic,
        Iso::Hebrew => Script::Hebrew,
        Iso::Devanagari => Script::Devanagari,
        Iso::Thai => Script::Thai,
        Iso::Hangul => Script::Hangul,
        Iso::Han => Script::Han,
        Iso::Hiragana | Iso::Katakana => Script::Kana,
        Iso::Common | Iso::Inherited => Script::Common,
        _ => Script::Other,
    }
}

/// The letter that models know: one character, lower case, NFKC; the character itself where that is longer.
fn fold(c: char) -> char {
    let single = |mut chars: std::iter::Take<std::vec::IntoIter<char>>| match (chars.next(), chars.next()) {
        (Some(one), None) => Some(one),
        _ => None,
    };
    let lower: Vec<char> = c.to_lowercase().collect();
    // Romanian with a cedilla is the same text as with a comma; the counts hold both.
    match c {
        'ş' | 'Ş' => return 'ș',
        'ţ' | 'Ţ' => return 'ț',
        'İ' => return 'i',
        _ => {}
    }
    let first = single(lower.into_iter().take(2)).unwrap_or(c);
    // Hangul syllables and Han ideographs stay as they are; unified forms of Arabic, full-width Latin do not.
    let compat: Vec<char> = std::iter::once(first).nfkc().collect();
    single(compat.into_iter().take(2)).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_fold_to_what_the_models_know() {
        assert_eq!(Char::of('É').fold, 'é');
        assert_eq!(Char::of('İ').fold, 'i');
        assert_eq!(Char::of('Ａ').fold, 'a');
        assert_eq!(Char::of('\u{FEDF}').fold, '\u{644}', "initial lam");
        assert_eq!(Char::of('ﬁ').fold, 'ﬁ', "a ligature stands for two letters");
    }

    #[test]
    fn kinds_and_scripts() {
        let of = |c| (Char::of(c).kind, Char::of(c).script);
        assert_eq!(of('e'), (Kind::Letter, Script::Latin));
        assert_eq!(of('\u{E000}').0, Kind::Private);
        assert_eq!(of('\u{FFFD}').0, Kind::Replacement);
        assert_eq!(of('\u{3}').0, Kind::Control);
        assert_eq!(of('\u{202B}').0, Kind::Format);
        assert_eq!(of('\u{64E}').0, Kind::Mark);
        assert_eq!(of('\u{93F}'), (Kind::Letter, Script::Devanagari));
        assert_eq!(of('한'), (Kind::Letter, Script::Hangul));
        assert_eq!(of('𝐀').0, Kind::Letter, "mathematical letters are of no script with models");
        assert_eq!(of('𝐀').1, Script::Other);
        assert_eq!(of('\u{20000}'), (Kind::Letter, Script::Han));
        assert!(Char::of('A').upper && !Char::of('a').upper);
    }
}
