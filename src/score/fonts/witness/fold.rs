//! When two witnesses that differ do not contradict each other.

use unicode_normalization::UnicodeNormalization;

pub(super) use super::super::fold::same_text as same;

/// Whether a character says anything of a glyph: not private use, no control, no replacement.
pub(super) fn is_meaningful(c: char) -> bool {
    !matches!(c as u32, 0..=0x1F | 0x7F..=0x9F | 0xE000..=0xF8FF | 0xFFF0..=0xFFFF | 0xF0000..)
}

/// Whether a difference between what is claimed of a glyph and what its program says is one of the benign kinds.
pub(super) fn is_benign(claim: &str, testimony: &str) -> bool {
    let (a, b) = (plain(claim), plain(testimony));
    if a.is_empty() || b.is_empty() || a == b {
        return true;
    }
    // Parts of a ligature or of a stacked sign are often given to one of its codes (Thai sara am, fi).
    let parts = |long: &str, short: &str| long.chars().count() > 1 && long.contains(short);
    parts(&a, &b) || parts(&b, &a)
}

/// A text with everything folded that two honest sources spell differently for one glyph.
fn plain(text: &str) -> String {
    text.nfkc()
        .map(alike)
        .flat_map(char::to_lowercase)
        .map(alike)
        .map(rasm)
        .filter(|c| !c.is_whitespace())
        .collect()
}

/// Signs of one look, and letters of one look in Latin, Greek and Cyrillic (one glyph serves both, and a subset's cmap keeps
/// the code that was asked for).
pub(super) fn alike(c: char) -> char {
    match c {
        '“' | '”' | '„' | '‟' | '″' | 'ʺ' | '〃' | '˝' => '"',
        '‘' | '’' | '‚' | '‛' | '′' | 'ʹ' | 'ʻ' | 'ʼ' | 'ʽ' | '`' | '´' | 'ˊ' | 'ˋ' | '΄' | '᾽' => {
            '\''
        }
        '\u{AD}'
        | '\u{2010}'..='\u{2015}'
        | '\u{2212}'
        | '\u{2043}'
        | '\u{AF}'
        | '\u{2C9}'
        | '\u{203E}'
        | '¬'
        | '_' => '-',
        ')' => '(',
        ']' => '[',
        '}' => '{',
        '>' | '‹' | '›' | '⟨' | '⟩' | '〈' | '〉' | '\u{2329}' | '\u{232A}' => '<',
        '»' | '《' | '》' | '≪' | '≫' => '«',
        '∙' | '⋅' | '•' | '‧' | '●' | '・' | '\u{387}' | '○' | '◦' => '·',
        '¦' | '∣' | '│' | 'ǀ' => '|',
        'º' | '°' | '˚' | '∘' => 'o',
        '×' | '✕' | '╳' | '✗' => 'x',
        'ß' => 'β',
        '∕' | '⁄' | '╱' => '/',
        '∼' | '˜' | '～' => '~',
        'ˆ' | '˄' => '^',
        'µ' => 'μ',
        'ð' => 'đ',
        'ı' => 'i',
        'ȷ' => 'j',
        'ς' => 'σ',
        'ţ' => 'ț',
        'ş' => 'ș',
        '∆' | '△' => 'δ',
        '∑' => 'σ',
        '∏' => 'π',
        'ℓ' => 'l',
        'ϕ' | 'ø' | '∅' | 'φ' => 'φ',
        'ϵ' | '∈' | 'є' => 'ε',
        'ϑ' => 'θ',
        'ᴀ' | 'α' | 'а' | '∝' => 'a',
        'ʙ' | 'в' => 'b',
        'ᴄ' | 'с' => 'c',
        'ᴅ' => 'd',
        'ᴇ' | 'е' => 'e',
        'ɡ' | 'ɢ' => 'g',
        'ʜ' | 'н' => 'h',
        'ɪ' | 'ι' | 'і' | 'ӏ' => 'i',
        'ᴊ' | 'ј' => 'j',
        'ᴋ' | 'κ' | 'к' => 'k',
        'ʟ' => 'l',
        'ᴍ' | 'м' => 'm',
        'ɴ' | 'ν' => 'n',
        'ᴏ' | 'ο' | 'о' | 'օ' => 'o',
        'ᴘ' | 'ρ' | 'р' => 'p',
        'ʀ' => 'r',
        'ꜱ' | 'ѕ' => 's',
        'ᴛ' | 'τ' | 'т' => 't',
        'ᴜ' | 'υ' => 'u',
        'ᴠ' => 'v',
        'ᴡ' => 'w',
        'χ' | 'х' => 'x',
        'ʏ' | 'у' | 'ү' => 'y',
        'ᴢ' | 'ζ' => 'z',
        'η' => 'h',
        'ϐ' => 'β',
        'Α' | 'А' => 'A',
        'Β' | 'В' => 'B',
        'С' => 'C',
        'Ε' | 'Е' => 'E',
        'Η' | 'Н' => 'H',
        'Ι' | 'І' | 'Ӏ' => 'I',
        'Ј' => 'J',
        'Κ' | 'К' => 'K',
        'Μ' | 'М' => 'M',
        'Ν' => 'N',
        'Ο' | 'О' => 'O',
        'Ρ' | 'Р' => 'P',
        'Ѕ' => 'S',
        'Τ' | 'Т' => 'T',
        'Χ' | 'Х' => 'X',
        'Υ' | 'У' | 'Ү' => 'Y',
        'Ζ' => 'Z',
        'г' => 'γ',
        'п' => 'π',
        'ф' => 'φ',
        c => c,
    }
}

/// Arabic letters by the undotted skeleton they share in some position: one glyph serves yeh and alef maksura, kaf and keheh,
/// heh goal and heh, and tail forms stand for archigraphemes.
fn rasm(c: char) -> char {
    match c {
        'أ' | 'إ' | 'آ' | 'ٱ' => 'ا',
        'ي' | 'ى' | 'ی' | 'ئ' | 'ۍ' | 'ې' | 'ے' | 'ۓ' => 'ی',
        'ك' | 'ک' | 'ڪ' => 'ک',
        'ه' | 'ہ' | 'ھ' | 'ە' | 'ة' | 'ۀ' | 'ۃ' => 'ه',
        'ؤ' => 'و',
        'ٮ' | 'ب' | 'ت' | 'ث' | 'پ' => 'ٮ',
        'ن' | 'ں' => 'ں',
        'ڡ' | 'ف' | 'ٯ' | 'ق' | 'ڤ' => 'ڡ',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn benign_differences() {
        for (claim, program) in [
            ("Α", "A"),
            ("fi", "f"),
            ("ำ", "า"),
            ("“", "\""),
            ("ى", "ي"),
            ("ٮ", "ب"),
            ("A", "ᴀ"),
            ("(", ")"),
            ("∆", "Δ"),
            ("¬", "-"),
        ] {
            assert!(is_benign(claim, program) && is_benign(program, claim), "{claim} {program}");
        }
    }

    #[test]
    fn letters_stay_apart() {
        for (claim, program) in
            [("b", "a"), ("é", "e"), ("م", "د"), ("1", "l"), ("й", "и"), ("中", "国"), ("α", "β")]
        {
            assert!(!is_benign(claim, program), "{claim} {program}");
        }
    }

    #[test]
    fn private_use_and_controls_say_nothing() {
        assert!(
            ['\u{E000}', '\u{F041}', '\u{1}', '\u{85}', '\u{FFFD}'].into_iter().all(|c| !is_meaningful(c))
        );
        assert!(['a', ' ', '\u{A0}', '中', '\u{20000}'].into_iter().all(is_meaningful));
    }
}
