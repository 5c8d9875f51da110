//! When two witnesses mean the same text.

use unicode_normalization::UnicodeNormalization;

/// Whether two texts are the same after folding what glyphs do not tell apart: compatibility forms, case,
/// kinds of spaces and hyphens, mirrored brackets, doubles of the Adobe Glyph List (Δ and ∆, Ω and Ohm, µ and μ).
pub(super) fn same_text(a: &str, b: &str) -> bool {
    a == b || folded(a).eq(folded(b))
}

fn folded(text: &str) -> impl Iterator<Item = char> + '_ {
    text.nfkc().map(fold_char).flat_map(char::to_lowercase).filter(|c| !is_ignorable(*c))
}

fn is_ignorable(c: char) -> bool {
    // NFKC spells a spacing accent as a space and a combining mark; of the pair only the mark counts.
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FEFF}' | '\u{640}')
}

fn fold_char(c: char) -> char {
    match c {
        '\u{AD}' | '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{2043}' => '-',
        c if c.is_whitespace() => ' ',
        ')' => '(',
        ']' => '[',
        '}' => '{',
        '>' => '<',
        '»' => '«',
        '›' => '‹',
        '⟩' | '〉' | '\u{232A}' => '⟨',
        '〈' | '\u{2329}' => '⟨',
        '∆' => 'Δ',
        '∑' => 'Σ',
        '∏' => 'Π',
        '∙' | '⋅' | '•' | '‧' => '·',
        '⁄' | '∕' => '/',
        '∼' | '˜' | '～' => '~',
        '∣' => '|',
        '‘' | '’' | '′' | 'ʼ' => '\'',
        'ı' => 'i',
        'ˉ' => '¯',
        'ţ' => 'ț',
        'Ţ' => 'Ț',
        'ş' => 'ș',
        'Ş' => 'Ș',
        'Ð' | 'Đ' => 'đ',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn benign_doubles_are_the_same() {
        for (a, b) in [
            ("∆", "Δ"),
            ("\u{2126}", "\u{3A9}"),
            ("\u{B5}", "\u{3BC}"),
            ("(", ")"),
            ("ﬁ", "fi"),
            ("A", "a"),
            ("\u{AD}", "-"),
            ("\u{A0}", " "),
            ("ﻫ", "ه"),
            ("⺅", "⺅"),
            ("Ţ", "Ț"),
        ] {
            assert!(same_text(a, b), "{a} {b}");
        }
    }

    #[test]
    fn letters_stay_apart() {
        for (a, b) in [("a", "b"), ("а", "a"), ("é", "e"), ("1", "2"), ("", "a"), ("rn", "m"), ("م", "د")]
        {
            assert!(!same_text(a, b), "{a} {b}");
        }
    }
}
