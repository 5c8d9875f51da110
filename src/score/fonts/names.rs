//! Glyph names → Unicode, by the rules of the Adobe Glyph List, and what other names look like.

use std::cell::RefCell;

use read_fonts::ps::agl;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Longest glyph name that is looked at, in bytes. Names of the wild end at about 60.
const MAX_NAME_BYTES: usize = 128;

/// What a glyph name is, seen by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameShape {
    /// Resolves to Unicode.
    Unicode,
    /// `.notdef`.
    NotDef,
    /// Numbers a glyph of the program: `g12`, `gid12`, `glyph12`, `index12` (row S6).
    Glyph(u32),
    /// Numbers a CID: `cid12` (row S6).
    Cid(u32),
    /// Numbered without saying what it counts: `G12`, `C12` (row S6).
    Numbered(u32),
    /// Echoes a character code: `a12`, `c12`, `12`, `#4A`, `x4A`, `=` (row S7).
    Echo(u32),
    /// A word that the list lacks: `quarthead`, `checkbox`. It names a sign, and no letter is lost with it.
    Word,
    /// Anything else.
    Arbitrary,
}

/// The Unicode text of a glyph name: a name of the list, `uniXXXX…`, `uXXXXX`, components joined by `_`,
/// everything from the first dot on cut off. `None` where a component has no meaning.
///
/// `zapf` admits the names a1–a206, which mean Zapf's dingbats in the font ZapfDingbats only. Private-use
/// values of the list (small capitals, old-style figures, pieces of brackets) become the public characters
/// they are forms of.
pub(in crate::score) fn unicode_of_name(name: &str, zapf: bool) -> Option<String> {
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    KNOWN.with_borrow_mut(|known| {
        let known = &mut known[usize::from(zapf)];
        if let Some(text) = known.get(name) {
            return text.clone();
        }
        let text = resolve(name, zapf);
        if known.len() < MOST_KNOWN {
            known.insert(name.into(), text.clone());
        }
        text
    })
}

/// Names remembered by a thread: documents use some hundred over and over, hostile ones as many as they like.
const MOST_KNOWN: usize = 4096;

thread_local! {
    /// What names mean, without and with Zapf's names.
    static KNOWN: RefCell<[FxHashMap<Box<str>, Option<String>>; 2]> = RefCell::default();
}

fn resolve(name: &str, zapf: bool) -> Option<String> {
    let base = name.split('.').next().filter(|base| !base.is_empty())?;
    let mut text = String::new();
    for component in base.split('_') {
        push_component(component, zapf, &mut text)?;
    }
    Some(text)
}

/// As [`unicode_of_name`], for names that mean one character.
pub(super) fn char_of_name(name: &str, zapf: bool) -> Option<char> {
    let text = unicode_of_name(name, zapf)?;
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

fn push_component(component: &str, zapf: bool, text: &mut String) -> Option<()> {
    if !zapf && is_zapf_name(component) {
        return None; // read-fonts keeps both lists in one table
    }
    if let Some(hex) = component.strip_prefix("uni")
        && push_uni_groups(hex, text).is_some()
    {
        return Some(());
    }
    if let Some(hex) = component.strip_prefix('u')
        && (4..=6).contains(&hex.len())
        && let Some(c) = char_of_hex(hex)
    {
        text.push(c);
        return Some(());
    }
    let start = text.len();
    text.extend(agl::name_to_chars(component).map(public_form));
    if text.len() > start {
        return Some(());
    }
    if let Some(meant) = extra(component) {
        text.push_str(meant);
        return Some(());
    }
    // Forms of a letter that are not in the list: periodoldstyle.
    let base =
        ["oldstyle", "small", "superior", "inferior"].iter().find_map(|s| component.strip_suffix(s))?;
    text.extend(agl::name_to_chars(base).map(public_form));
    (text.len() > start).then_some(())
}

/// `uni` names: groups of four hexadecimal digits, none a surrogate. The list wants capitals; small letters
/// mean nothing else and occur.
fn push_uni_groups(hex: &str, text: &mut String) -> Option<()> {
    if hex.is_empty() || !hex.len().is_multiple_of(4) || !hex.is_ascii() {
        return None;
    }
    let groups = (0..hex.len()).step_by(4).map(|at| char_of_hex(&hex[at..at + 4]));
    let chars = groups.collect::<Option<SmallVec<[char; 4]>>>()?;
    text.extend(chars);
    Some(())
}

fn char_of_hex(hex: &str) -> Option<char> {
    if !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    char::from_u32(u32::from_str_radix(hex, 16).ok()?)
}

fn is_zapf_name(name: &str) -> bool {
    name.strip_prefix('a').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// What a name looks like. Names that resolve are [`NameShape::Unicode`] before all else.
pub(super) fn shape_of_name(name: &str, zapf: bool) -> NameShape {
    if name == ".notdef" {
        return NameShape::NotDef;
    }
    if unicode_of_name(name, zapf).is_some() {
        return NameShape::Unicode;
    }
    if let Some(hex) = name.strip_prefix('#') {
        return u32::from_str_radix(hex, 16).map_or(NameShape::Arbitrary, NameShape::Echo);
    }
    if let Some(hex) = name.strip_prefix(['x', 'X'])
        && hex.len() == 2
        && let Ok(code) = u32::from_str_radix(hex, 16)
    {
        return NameShape::Echo(code);
    }
    let mut chars = name.chars();
    if let (Some(c), None) = (chars.next(), chars.next())
        && !c.is_alphanumeric()
        && (c as u32) < 0x100
    {
        return NameShape::Echo(c as u32); // the character itself, controls included
    }
    let base = name.split('.').next().unwrap_or_default();
    let digits_at = base.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    let (prefix, digits) = base.split_at(digits_at);
    let Ok(number) = digits.parse::<u32>() else {
        return if is_word(base) { NameShape::Word } else { NameShape::Arbitrary };
    };
    match prefix {
        "g" | "gid" | "glyph" | "Glyph" | "index" | "gl" => NameShape::Glyph(number),
        "cid" | "CID" | "cid." | "cid+" => NameShape::Cid(number),
        "G" | "C" => NameShape::Numbered(number),
        "" | "a" | "c" | "char" | "chr" => NameShape::Echo(number),
        _ => NameShape::Arbitrary,
    }
}

/// Small letters with vowels among them, as words of most languages have. Names made up by obfuscators rarely do.
fn is_word(name: &str) -> bool {
    let is_vowel = |b: &u8| matches!(b, b'a' | b'e' | b'i' | b'o' | b'u' | b'y');
    let bytes = name.as_bytes();
    let n_vowels = bytes.iter().filter(|b| is_vowel(b)).count();
    bytes.len() >= 5
        && bytes.iter().all(u8::is_ascii_lowercase)
        && (bytes.len()..=bytes.len() * 3).contains(&(n_vowels * 5))
        && !bytes.split(is_vowel).any(|consonants| consonants.len() > 4)
}

/// The public character behind a private-use value of the Adobe Glyph List.
fn public_form(c: char) -> char {
    let code = c as u32;
    let public = match code {
        // Small capitals and old-style figures sit at F700 plus the code of the small letter or figure. Small
        // capitals are capitals: what is drawn, and what other readers give.
        0xF761..=0xF77A | 0xF7E0..=0xF7F6 | 0xF7F8..=0xF7FE => code - 0xF720,
        0xF7FF => 0x178,
        0xF721..=0xF760 | 0xF7A1..=0xF7DF => code - 0xF700,
        0xF6BE => 0x237,
        0xF6C3 => 0x326,
        0xF6C9 => 0xB4,
        0xF6CA => 0x2C7,
        0xF6CB => 0xA8,
        0xF6CE => 0x60,
        0xF6CF => 0x2DD,
        0xF6D0 => 0xAF,
        0xF6D1 | 0xF6D4 => 0x306,
        0xF6D9 | 0xF8E9 => 0xA9,
        0xF6DA | 0xF8E8 => 0xAE,
        0xF6DB | 0xF8EA => 0x2122,
        0xF6DC => 0x31,
        0xF6DD => 0x20A8,
        0xF6DE => 0x2014,
        0xF6DF | 0xF6E0 => 0xA2,
        0xF6E1 | 0xF6E2 => 0x2C,
        0xF6E3 | 0xF6E4 => 0x24,
        0xF6E5 | 0xF6E6 => 0x2D,
        0xF6E7 | 0xF6E8 => 0x2E,
        0xF6E9 => 'a' as u32,
        0xF6EA => 'b' as u32,
        0xF6EB => 'd' as u32,
        0xF6EC => 'e' as u32,
        0xF6ED => 'i' as u32,
        0xF6EE => 'l' as u32,
        0xF6EF => 'm' as u32,
        0xF6F0 => 'o' as u32,
        0xF6F1 => 'r' as u32,
        0xF6F2 => 's' as u32,
        0xF6F3 => 't' as u32,
        0xF6F4 => 0x2D8,
        0xF6F5 => 0x2C7,
        0xF6F6 => 0x2C6,
        0xF6F7 => 0x2D9,
        0xF6F8 => 0x2DD,
        0xF6F9 => 0x141,
        0xF6FA => 0x152,
        0xF6FB => 0x2DB,
        0xF6FC => 0x2DA,
        0xF6FD => 0x160,
        0xF6FE => 0x2DC,
        0xF6FF => 0x17D,
        0xF8E5 => 0x203E,
        0xF8E6 => 0x23D0,
        0xF8E7 => 0x23AF,
        0xF8EB..=0xF8FE => return PIECES[code as usize - 0xF8EB],
        _ => return c,
    };
    char::from_u32(public).unwrap_or(c)
}

/// Pieces of tall parentheses, brackets, braces and integrals in the list's order.
static PIECES: [char; 20] =
    ['⎛', '⎜', '⎝', '⎡', '⎢', '⎣', '⎧', '⎨', '⎩', '⎪', '⎮', '⎞', '⎟', '⎠', '⎤', '⎥', '⎦', '⎫', '⎬', '⎭'];

/// Names that the list lacks and that TeX's fonts and Apple's `post` table use.
fn extra(name: &str) -> Option<&'static str> {
    if let Ok(at) = EXTRA.binary_search_by_key(&name, |row| row.0) {
        return Some(EXTRA[at].1);
    }
    // Sizes of TeX's delimiters and operators: parenleftbigg, summationdisplay.
    let base = ["Bigg", "bigg", "Big", "big", "display", "text"].iter().find_map(|s| name.strip_suffix(s))?;
    if let Ok(at) = EXTRA.binary_search_by_key(&base, |row| row.0) {
        return Some(EXTRA[at].1);
    }
    SIZED.iter().find(|row| row.0 == base).map(|row| row.1)
}

/// Names of the list that TeX draws in several sizes.
static SIZED: [(&str, &str); 20] = [
    ("backslash", "\\"),
    ("bar", "|"),
    ("braceleft", "{"),
    ("braceright", "}"),
    ("bracketleft", "["),
    ("bracketright", "]"),
    ("circledot", "⊙"),
    ("circlemultiply", "⊗"),
    ("circleplus", "⊕"),
    ("integral", "∫"),
    ("intersection", "∩"),
    ("logicaland", "∧"),
    ("logicalor", "∨"),
    ("parenleft", "("),
    ("parenright", ")"),
    ("product", "∏"),
    ("radical", "√"),
    ("slash", "/"),
    ("summation", "∑"),
    ("union", "∪"),
];

/// Sorted by name in byte order.
#[rustfmt::skip]
static EXTRA: [(&str, &str); 201] = [
    ("CR", " "), ("Germandbls", "ẞ"), ("NULL", " "), ("SS", "SS"), ("angbracketleft", "⟨"),
    ("angbracketright", "⟩"), ("anticlockwise", "↺"), ("arrowbothv", "↕"), ("arrowdblbothv", "⇕"),
    ("arrowleftbothalf", "↽"), ("arrowlefttophalf", "↼"), ("arrownortheast", "↗"), ("arrownorthwest", "↖"),
    ("arrowparrleftright", "⇆"), ("arrowparrrightleft", "⇄"), ("arrowrightbothalf", "⇁"),
    ("arrowrighttophalf", "⇀"), ("arrowsoutheast", "↘"), ("arrowsouthwest", "↙"), ("arrowtailleft", "↢"),
    ("arrowtailright", "↣"), ("asymptequal", "≍"), ("bardbl", "‖"), ("beth", "ℶ"), ("ceilingleft", "⌈"),
    ("ceilingright", "⌉"), ("check", "✓"), ("circleS", "Ⓢ"), ("circleasterisk", "⊛"), ("circlecopyrt", "◯"),
    ("circledash", "⊝"), ("circledivide", "⊘"), ("circledot", "⊙"), ("circleequal", "≗"),
    ("circleminus", "⊖"), ("circlering", "⊚"), ("clockwise", "↻"), ("compwordmark", "\u{200C}"),
    ("contintegral", "∮"), ("coproduct", "∐"), ("curlyleft", "↫"), ("curlyright", "↬"), ("cwm", "\u{200C}"),
    ("daleth", "ℸ"), ("dbar", "đ"), ("dblarrowdwn", "⇊"), ("dblarrowheadleft", "↞"),
    ("dblarrowheadright", "↠"), ("dblarrowup", "⇈"), ("defines", "≜"), ("diamondmath", "⋄"),
    ("diamondsolid", "◆"), ("digamma", "ϝ"), ("dividemultiply", "⋇"), ("ellipsisdiag", "⋱"),
    ("ellipsisv", "⋮"), ("epsilon1", "ϵ"), ("equalsdots", "≑"), ("equivasymptotic", "≍"), ("finv", "Ⅎ"),
    ("flat", "♭"), ("floorleft", "⌊"), ("floorright", "⌋"), ("followsequal", "≽"), ("followsorequal", "≿"),
    ("forces", "⊩"), ("forcesbar", "⊪"), ("frown", "⌢"), ("greaterdblequal", "≧"),
    ("greaterlessequal", "⋛"), ("greatermuch", "⋙"), ("greaternotdblequal", "≩"), ("greaternotequal", "≩"),
    ("greaterorapproxeql", "⪆"), ("greaterorequalslant", "⩾"), ("greaterorsimilar", "≳"),
    ("harpoondownleft", "⇃"), ("harpoondownright", "⇂"), ("harpoonleftright", "⇋"),
    ("harpoonrightleft", "⇌"), ("harpoonupleft", "↿"), ("harpoonupright", "↾"), ("hatwide", "\u{302}"),
    ("hyphenchar", "-"), ("imaginary", "ℑ"), ("intercal", "⊺"), ("intersectiondbl", "⋒"),
    ("intersectionsq", "⊓"), ("kappasmall", "ϰ"), ("kra", "ĸ"), ("latticetop", "⊤"), ("lessdblequal", "≦"),
    ("lessequalgreater", "⋚"), ("lessmuch", "⋘"), ("lessnotdblequal", "≨"), ("lessnotequal", "≨"),
    ("lessorapproxeql", "⪅"), ("lessorequalslant", "⩽"), ("lessorsimilar", "≲"), ("lozengesolid", "⧫"),
    ("lscript", "ℓ"), ("maltesecross", "✠"), ("mapsto", "↦"), ("measuredangle", "∡"),
    ("multicloseleft", "⋉"), ("multicloseright", "⋊"), ("multimap", "⊸"), ("multiopenleft", "⋋"),
    ("multiopenright", "⋌"), ("natural", "♮"), ("negationslash", "\u{338}"), ("ng", "ŋ"),
    ("nonmarkingreturn", " "), ("notarrowboth", "↮"), ("notarrowleft", "↚"), ("notarrowright", "↛"),
    ("notbar", "∤"), ("notdblarrowboth", "⇎"), ("notdblarrowleft", "⇍"), ("notdblarrowright", "⇏"),
    ("notexistential", "∄"), ("notfollows", "⊁"), ("notgreaterequal", "≱"), ("notlessequal", "≰"),
    ("notsubsetdblequal", "⊈"), ("notsupersetdblequal", "⊉"), ("nottriangeqlleft", "⋬"),
    ("nottriangeqlright", "⋭"), ("nottriangleleft", "⋪"), ("nottriangleright", "⋫"), ("notturnstile", "⊬"),
    ("owner", "∋"), ("perpcorrespond", "⩞"), ("perpendicularmath", "⊥"), ("perthousandzero", "₀"),
    ("pi1", "ϖ"), ("planckover2pi", "ℏ"), ("planckover2pi1", "ħ"), ("pounds", "£"), ("precedesequal", "≼"),
    ("precedesorequal", "≾"), ("prime", "′"), ("primereverse", "‵"), ("proportionalsmall", "∝"),
    ("realpart", "ℜ"), ("revasymptequal", "⋍"), ("revsimilar", "∽"), ("rho1", "ϱ"), ("satisfies", "⊨"),
    ("sharp", "♯"), ("shiftleft", "↰"), ("shiftright", "↱"), ("similarequal", "≃"), ("slurabove", "⌢"),
    ("slurbelow", "⌣"), ("smile", "⌣"), ("sphericalangle", "∢"), ("square", "□"), ("squaredot", "⊡"),
    ("squareminus", "⊟"), ("squaremultiply", "⊠"), ("squareplus", "⊞"), ("squaresmallsolid", "▪"),
    ("squaresolid", "■"), ("squiggleleftright", "↭"), ("squiggleright", "⇝"), ("star", "⋆"),
    ("subsetdbl", "⋐"), ("subsetdblequal", "⫅"), ("subsetsqequal", "⊑"), ("supersetdbl", "⋑"),
    ("supersetdblequal", "⫆"), ("supersetsqequal", "⊒"), ("suppress", "\u{335}"), ("tie", "\u{361}"),
    ("tildewide", "\u{303}"), ("triangle", "△"), ("triangledownsld", "▼"), ("triangleinv", "▽"),
    ("triangleleft", "◃"), ("triangleleftequal", "⊴"), ("triangleleftsld", "◀"), ("triangleright", "▹"),
    ("trianglerightequal", "⊵"), ("trianglerightsld", "▶"), ("trianglesolid", "▲"), ("turnstileleft", "⊢"),
    ("turnstileright", "⊣"), ("underbar", "_"), ("uniondbl", "⋓"), ("unionmulti", "⊎"), ("unionsq", "⊔"),
    ("universalmath", "∀"), ("vector", "\u{20D7}"), ("vextenddouble", "‖"), ("vextendsingle", "|"),
    ("visiblespace", "␣"), ("visualspace", "␣"), ("wreathproduct", "≀"), ("zeroslash", "0"),
    ("zwnj", "\u{200C}"),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn s5_names_by_the_rules_of_the_list() {
        for (name, text) in [
            ("A", "A"),
            ("eacute", "é"),
            ("afii10017", "А"),
            ("A.swash", "A"),
            ("f_f_i.alt", "ffi"),
            ("uni0041", "A"),
            ("uni05D0", "א"),
            ("uniFEEE", "\u{FEEE}"),
            ("uni0066006C", "fl"),
            ("uni20ac", "€"),
            ("u1F600", "😀"),
            ("dalethatafpatah", "דֲ"),
            ("Asmall", "A"),
            ("Oslashsmall", "Ø"),
            ("Ydieresissmall", "Ÿ"),
            ("periodoldstyle", "."),
            ("prime", "′"),
            ("oneoldstyle", "1"),
            ("parenlefttp", "⎛"),
            ("bracketlefttp", "⎡"),
            ("bracketrightbt", "⎦"),
            ("braceleftmid", "⎨"),
            ("braceex", "⎪"),
            ("bracerightbt", "⎭"),
            ("parenleftbigg", "("),
            ("summationdisplay", "∑"),
            ("floorleftBig", "⌊"),
            ("similarequal", "≃"),
        ] {
            assert_eq!(unicode_of_name(name, false).as_deref(), Some(text), "{name}");
        }
    }

    #[test]
    fn s5_names_that_mean_nothing() {
        for name in [
            "small", ".notdef", "", "uniD800", "uni004", "u110000", "uD800", "f_zz_i", "foo", "glyph12",
            "g3", "cid77", "A1x", "a10", "_", "a_",
        ] {
            assert_eq!(unicode_of_name(name, false), None, "{name}");
        }
    }

    #[test]
    fn s4_zapf_names_mean_dingbats_in_zapf_dingbats_only() {
        assert_eq!(unicode_of_name("a10", true).as_deref(), Some("✡"));
        assert_eq!(shape_of_name("a10", true), NameShape::Unicode);
        assert_eq!(unicode_of_name("a10", false), None);
        assert_eq!(shape_of_name("a10", false), NameShape::Echo(10));
    }

    #[test]
    fn s6_numbered_names() {
        for (name, shape) in [
            ("g12", NameShape::Glyph(12)),
            ("gid00012", NameShape::Glyph(12)),
            ("glyph7", NameShape::Glyph(7)),
            ("index7.alt", NameShape::Glyph(7)),
            ("cid4711", NameShape::Cid(4711)),
            ("G12", NameShape::Numbered(12)),
            ("C12", NameShape::Numbered(12)),
            ("g", NameShape::Unicode),
            ("g99999999999", NameShape::Arbitrary),
        ] {
            assert_eq!(shape_of_name(name, false), shape, "{name}");
        }
    }

    #[test]
    fn s7_names_that_echo_a_code() {
        for (name, shape) in [
            ("a65", NameShape::Echo(65)),
            ("c65", NameShape::Echo(65)),
            ("65", NameShape::Echo(65)),
            ("#41", NameShape::Echo(65)),
            ("x41", NameShape::Echo(65)),
            ("=", NameShape::Echo(61)),
            ("a", NameShape::Unicode),
            (".notdef", NameShape::NotDef),
            ("square6", NameShape::Arbitrary),
        ] {
            assert_eq!(shape_of_name(name, false), shape, "{name}");
        }
    }

    #[test]
    fn s6_words_are_signs() {
        for name in ["quarthead", "trebleclef", "sharpsharp", "checkbox", "halfrest.1"] {
            assert_eq!(shape_of_name(name, false), NameShape::Word, "{name}");
        }
        for name in ["BnZr", "xkcdqz", "H9273", "sym00C", "US", "fooo", "aeiou", "C0"] {
            assert_ne!(shape_of_name(name, false), NameShape::Word, "{name}");
        }
    }

    #[test]
    fn the_table_of_extras_is_sorted() {
        assert!(EXTRA.is_sorted_by_key(|row| row.0));
        assert!(EXTRA.iter().all(|row| agl::name_to_char(row.0).is_none()));
    }

    #[test]
    fn no_private_use_is_left_in_the_latin_part_of_the_list() {
        for name in ["Zsmall", "Thornsmall", "Ydieresissmall", "zerooldstyle", "tsuperior", "copyrightserif"]
        {
            let c = char_of_name(name, false).unwrap();
            assert!(!(0xE000..=0xF8FF).contains(&(c as u32)), "{name}");
        }
    }

    proptest! {
        #[test]
        fn survives_any_name(name in "\\PC{0,40}") {
            let _ = (unicode_of_name(&name, false), shape_of_name(&name, true));
        }

        #[test]
        fn uni_names_round_trip(text in proptest::collection::vec(any::<char>(), 1..5)) {
            prop_assume!(text.iter().all(|&c| (c as u32) < 0x10000));
            let name = text.iter().fold("uni".to_owned(), |name, &c| format!("{name}{:04X}", c as u32));
            let text: String = text.into_iter().collect();
            prop_assert_eq!(unicode_of_name(&name, false), Some(text));
        }
    }
}
