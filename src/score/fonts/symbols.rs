//! Symbol fonts whose codes are published: Symbol, ZapfDingbats, Wingdings (row C4c: F020–F0FF = F000 + code).

use super::encodings::Encoding;
use super::names;
use super::standard14::Standard;

/// The text of a code of a symbol font, known by its exact family name; `None` for all other fonts and for codes
/// whose sign Unicode lacks.
pub(super) fn published(family: &str, code: u8) -> Option<String> {
    match Standard::from_name(family) {
        Some(Standard::Symbol) => names::unicode_of_name(Encoding::Symbol.name(code)?, false),
        Some(Standard::ZapfDingbats) => names::unicode_of_name(Encoding::ZapfDingbats.name(code)?, true),
        Some(_) => None,
        None if is_wingdings(family) => wingdings(code).map(String::from),
        None => None,
    }
}

/// The text of a private-use character F000 + code of such a font.
pub(super) fn published_private_use(family: &str, c: char) -> Option<String> {
    published(family, u8::try_from((c as u32).checked_sub(0xF000)?).ok()?)
}

fn is_wingdings(family: &str) -> bool {
    matches!(family, "Wingdings" | "Wingdings-Regular" | "Wingdings,Bold")
}

fn wingdings(code: u8) -> Option<char> {
    let c = match code {
        0x20 => ' ',
        0x21..=0x7E => WINGDINGS_LOW.chars().nth(usize::from(code) - 0x21)?,
        0x80..=0xFE => WINGDINGS_HIGH.chars().nth(usize::from(code) - 0x80)?,
        _ => return None,
    };
    (c != '\u{FFFD}').then_some(c)
}

/// Codes 21–7E, by the Unicode characters made for them.
const WINGDINGS_LOW: &str = concat!(
    "🖉✂✁👓🕭🕮🕯🕿✆🖂🖃📪📫📬📭📁📂📄🗏🗐🗄⌛🖮🖰🖲🖳🖴🖫🖬✇✍",
    "🖎✌👌👍👎☜☞☝☟🖐☺😐☹💣☠🏳🏱✈☼💧❄🕆✞🕈✠✡☪☯ॐ☸♈♉",
    "♊♋♌♍♎♏♐♑♒♓🙰🙵●🔾■□🞐❑❒⬧⧫◆❖⬥⌧⮹⌘🏵🏶🙶🙷"
);

/// Codes 80–FE.
const WINGDINGS_HIGH: &str = concat!(
    "🄋➀➁➂➃➄➅➆➇➈➉🄌➊➋➌➍➎➏➐➑➒➓🙢🙠🙡🙣🙞🙜🙝🙟·•",
    "⬝⭘🞆🞈🞊🞋🔿▪🞎🟂🟀★🟋🟏🟓🟑⯐⌖⟎⟏⯑✪✰🕐🕑🕒🕓🕔🕕🕖🕗🕘",
    "🕙🕚🕛⮰⮱⮲⮳⮴⮵⮶⮷🙪🙫🙕🙔🙗🙖🙐🙑🙒🙓⌫⌦⮘⮚⮙⮛⮈⮊⮉⮋⭠",
    "⭢⭡⭣⭦⭧⭩⭨🡸🡺🡹🡻🡼🡽🡿🡾⇦⇨⇧⇩⬄⇳⬀⬁⬃⬂🢬🢭🗶✔🗷🗹"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_their_length() {
        assert_eq!(WINGDINGS_LOW.chars().count(), 0x7E - 0x21 + 1);
        assert_eq!(WINGDINGS_HIGH.chars().count(), 0xFE - 0x80 + 1);
    }

    #[test]
    fn c4c_private_use_of_published_symbol_fonts() {
        assert_eq!(published_private_use("SymbolMT", '\u{F0B7}').as_deref(), Some("•"));
        assert_eq!(published_private_use("Symbol", '\u{F061}').as_deref(), Some("α"));
        assert_eq!(published_private_use("ZapfDingbats", '\u{F021}').as_deref(), Some("✁"));
        assert_eq!(published_private_use("Wingdings-Regular", '\u{F0A7}').as_deref(), Some("▪"));
        assert_eq!(published_private_use("Wingdings", '\u{F0FC}').as_deref(), Some("✔"));
        assert_eq!(published_private_use("Wingdings", '\u{F076}').as_deref(), Some("❖"));
        assert_eq!(published_private_use("Wingdings", '\u{F0B7}').as_deref(), Some("🕐"));
        assert_eq!(published_private_use("Wingdings", '\u{F0F0}').as_deref(), Some("⇨"));
    }

    #[test]
    fn c4c_other_fonts_and_other_codes_mean_nothing() {
        assert_eq!(published_private_use("Arial", '\u{F061}'), None);
        assert_eq!(published_private_use("MySymbol", '\u{F061}'), None);
        assert_eq!(published_private_use("Symbol", '\u{E061}'), None);
        assert_eq!(published_private_use("Wingdings", '\u{F0FF}'), None);
    }
}
