//! Simple fonts: how a one-byte code gets its glyph name (ISO 32000-2, 9.6).

use rustc_hash::FxHashMap;

use super::dict::{self, Descriptor, glyph_name};
use super::encodings::Encoding;
use super::standard14::Standard;
use super::tex::TexEncoding;
use super::widths::SimpleWidths;
use crate::score::pdf::{Array, Dict, Object};

/// `/Subtype` of a simple font, as far as rules part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SimpleKind {
    Type1,
    MmType1,
    TrueType,
    Type3,
}

/// What a code's name falls back to where `/Differences` does not give one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BaseEncoding {
    /// The dictionary names it.
    Named(Encoding),
    /// Nothing is named; the rules (row S20) and all engines start from this.
    Implicit(Encoding),
    /// The encoding built into the embedded program.
    BuiltIn,
    /// Not embedded, symbolic, nothing named: nobody knows.
    None,
}

/// Where a name comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameSource {
    Differences,
    Named,
    Implicit,
}

/// The encoding of a simple font.
#[derive(Debug, Clone)]
pub(super) struct Simple {
    pub(super) kind: SimpleKind,
    pub(super) base: BaseEncoding,
    differences: FxHashMap<u8, Box<str>>,
    /// What the family name means among the standard fonts.
    pub(super) standard: Option<Standard>,
    /// What the family name means among TeX's fonts.
    pub(super) tex: Option<TexEncoding>,
    /// Flagged symbolic, or a standard symbol font.
    pub(super) is_symbolic: bool,
    pub(super) widths: SimpleWidths,
}

impl Simple {
    /// Reads the encoding of a simple font; `family` is its name without subset tag.
    pub(super) fn read(font: &Dict<'_>, kind: SimpleKind, family: &str, descriptor: &Descriptor) -> Self {
        let standard = Standard::from_name(family);
        let is_embedded = descriptor.program.is_some();
        let is_symbolic =
            descriptor.is_symbolic().unwrap_or_else(|| standard.is_some_and(Standard::is_symbolic));
        let (named, differences) = read_encoding(font);
        let stands_in = standard.filter(|standard| standard.is_symbolic() && !is_embedded);
        let base = match (named, stands_in) {
            // Readers ignore a Latin encoding named for the standard symbol fonts (row S4).
            (_, Some(standard)) => BaseEncoding::Implicit(standard.encoding()),
            (Some(encoding), None) => BaseEncoding::Named(encoding),
            (None, None) => base_by_rule(kind, is_embedded, is_symbolic),
        };
        Self {
            kind,
            base,
            differences,
            standard,
            tex: TexEncoding::of_family(family),
            is_symbolic,
            widths: SimpleWidths::read(font),
        }
    }

    /// The name that `/Differences` gives a code.
    pub(super) fn difference(&self, code: u8) -> Option<&str> {
        self.differences.get(&code).map(|name| &**name)
    }

    /// Whether there are `/Differences`.
    pub(super) fn has_differences(&self) -> bool {
        !self.differences.is_empty()
    }

    /// The names of `/Differences`, by code.
    pub(super) fn differences(&self) -> impl Iterator<Item = (u8, &str)> {
        self.differences.iter().map(|(&code, name)| (code, &**name))
    }

    /// The name that the base encoding gives a code.
    pub(super) fn base_name(&self, code: u8) -> Option<(&'static str, NameSource)> {
        match self.base {
            BaseEncoding::Named(encoding) => Some((encoding.name(code)?, NameSource::Named)),
            BaseEncoding::Implicit(encoding) => Some((encoding.name(code)?, NameSource::Implicit)),
            BaseEncoding::BuiltIn | BaseEncoding::None => None,
        }
    }

    /// The name of a code by the dictionary alone.
    pub(super) fn name(&self, code: u8) -> Option<(&str, NameSource)> {
        match self.difference(code) {
            Some(name) => Some((name, NameSource::Differences)),
            None => self.base_name(code),
        }
    }

    /// Whether names a1–a206 are Zapf's dingbats here.
    pub(super) fn is_zapf(&self) -> bool {
        self.standard == Some(Standard::ZapfDingbats)
    }
}

/// Row S20: without a named base the program's own encoding counts where there is a program (TrueType: where it is
/// symbolic), else StandardEncoding; of TrueType fonts all engines take WinAnsi, which is the same in ASCII.
fn base_by_rule(kind: SimpleKind, is_embedded: bool, is_symbolic: bool) -> BaseEncoding {
    match (kind, is_embedded, is_symbolic) {
        (SimpleKind::Type3, ..) => BaseEncoding::None,
        (SimpleKind::TrueType, _, false) => BaseEncoding::Implicit(Encoding::WinAnsi),
        (_, true, _) => BaseEncoding::BuiltIn,
        (_, false, false) => BaseEncoding::Implicit(Encoding::Standard),
        (_, false, true) => BaseEncoding::None,
    }
}

fn read_encoding(font: &Dict<'_>) -> (Option<Encoding>, FxHashMap<u8, Box<str>>) {
    match font.get::<Object<'_>>("Encoding") {
        Some(Object::Name(name)) => (Encoding::from_name(&name), FxHashMap::default()),
        Some(Object::Dict(encoding)) => {
            let base = dict::name(&encoding, "BaseEncoding");
            let differences = encoding.get::<Array<'_>>("Differences");
            (
                base.and_then(|name| Encoding::from_name(name.as_bytes())),
                differences.map(|array| read_differences(&array)).unwrap_or_default(),
            )
        }
        _ => (None, FxHashMap::default()),
    }
}

/// `[code name name … code name …]`; names past code 255 are left out.
fn read_differences(array: &Array<'_>) -> FxHashMap<u8, Box<str>> {
    let mut differences = FxHashMap::default();
    let mut code = 0_i64;
    // At most a few thousand entries make sense; files repeat codes.
    for object in array.iter::<Object<'_>>().take(1 << 14) {
        match object {
            Object::Number(number) => code = number.as_i64(),
            Object::Name(name) => {
                if let Ok(code) = u8::try_from(code) {
                    differences.insert(code, glyph_name(&name));
                }
                code = code.saturating_add(1);
            }
            _ => {}
        }
    }
    differences
}

#[cfg(test)]
mod tests {
    use hayro_syntax::object::FromBytes;

    use super::*;

    fn read(font: &str, kind: SimpleKind, family: &str) -> Simple {
        let dict = Dict::from_bytes(font.as_bytes()).unwrap();
        Simple::read(&dict, kind, family, &Descriptor::default())
    }

    #[test]
    fn differences_count_on_from_their_code() {
        let font = read(
            "<</Encoding <</BaseEncoding /WinAnsiEncoding /Differences [65 /eacute /x#20y 300 /A -1 /B /C (no) 67 /Z]>>>>",
            SimpleKind::Type1,
            "Foo",
        );
        assert_eq!(font.name(65), Some(("eacute", NameSource::Differences)));
        assert_eq!(font.name(66), Some(("x y", NameSource::Differences)));
        assert_eq!(font.name(67), Some(("Z", NameSource::Differences)));
        assert_eq!(font.name(0), Some(("C", NameSource::Differences)));
        assert_eq!(font.name(68), Some(("D", NameSource::Named)));
    }

    #[test]
    fn s20_base_without_a_name() {
        let base = |font: &str, kind, family| read(font, kind, family).base;
        let plain = "<</Encoding <</Differences [65 /eacute]>>>>";
        assert_eq!(base(plain, SimpleKind::Type1, "Foo"), BaseEncoding::Implicit(Encoding::Standard));
        assert_eq!(base(plain, SimpleKind::TrueType, "Foo"), BaseEncoding::Implicit(Encoding::WinAnsi));
        assert_eq!(base_by_rule(SimpleKind::Type1, true, false), BaseEncoding::BuiltIn);
        assert_eq!(base_by_rule(SimpleKind::TrueType, true, true), BaseEncoding::BuiltIn);
        assert_eq!(base_by_rule(SimpleKind::Type1, false, true), BaseEncoding::None);
        assert_eq!(
            base("<</Encoding /MacRomanEncoding>>", SimpleKind::Type1, "Foo"),
            BaseEncoding::Named(Encoding::MacRoman)
        );
        assert_eq!(
            base("<</Encoding /Rubbish>>", SimpleKind::Type1, "Foo"),
            BaseEncoding::Implicit(Encoding::Standard)
        );
    }

    #[test]
    fn s4_symbol_fonts_keep_their_own_encoding() {
        let font = read("<</Encoding /WinAnsiEncoding>>", SimpleKind::Type1, "Symbol");
        assert_eq!(font.name(0x61), Some(("alpha", NameSource::Implicit)));
        let font = read("<<>>", SimpleKind::Type1, "ZapfDingbats");
        assert_eq!(font.name(0x21), Some(("a1", NameSource::Implicit)));
        assert!(font.is_zapf());
        assert!(!read("<<>>", SimpleKind::Type1, "MyZapfDingbats").is_zapf());
    }
}
