//! The ToUnicode map of a font (ISO 32000-2, 9.10.3), and what its targets are worth.

use super::CharCode;
use super::cmap::{CMap, Collection, Damage, Target};
use crate::score::evidence::ToUnicodeKind;

/// Codes an identity range must cover before the whole map counts as one: no text font draws so many.
const IDENTITY_CODES: u64 = 0x1000;

/// What a target says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TargetClass {
    /// Text.
    Plausible,
    /// No character, or U+FFFD (row C4a).
    Nothing,
    /// U+0000, U+FEFF, U+FFFE or U+FFFF, which the standard for archives forbids (row C4b).
    Forbidden,
    /// Private use (row C4c).
    PrivateUse,
    /// C0 or C1 controls other than white space (row C4d).
    Control,
}

/// Classifies a target by its best character: a letter beside rubbish is a letter.
pub(super) fn target_class(text: &str) -> TargetClass {
    let mut class = TargetClass::Nothing;
    for c in text.chars() {
        let this = match c {
            '\u{FFFD}' => TargetClass::Nothing,
            '\0' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}' => TargetClass::Forbidden,
            '\t' | '\n' | '\r' => return TargetClass::Plausible,
            c if c.is_control() => TargetClass::Control,
            c if is_private_use(c) => TargetClass::PrivateUse,
            _ => return TargetClass::Plausible,
        };
        if class == TargetClass::Nothing {
            class = this;
        }
    }
    class
}

/// Whether a character is of a private use area.
pub(super) fn is_private_use(c: char) -> bool {
    matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{FFFFD}' | '\u{100000}'..='\u{10FFFD}')
}

/// A font's ToUnicode.
#[derive(Debug, Clone)]
pub(super) struct ToUnicode {
    map: CMap,
    base: Base,
    kind: ToUnicodeKind,
    claims_many_spaces: bool,
}

/// Codes that one font may call white space: some writers have a glyph for each width of it.
const MAX_SPACES: usize = 12;

/// What answers for codes that the map itself lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Base {
    None,
    /// The name Identity-H: Unicode = code.
    Identity,
    /// `usecmap` of Adobe-*-UCS2: CID → Unicode.
    Collection(Collection),
}

/// Statistics over the keys of a ToUnicode map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Keys {
    /// Codes that have a target.
    n_codes: u64,
    /// Codes whose target is the code itself.
    n_identity: u64,
}

impl ToUnicode {
    /// A stream that was decoded. `data` is what came out, `complete` whether that was all.
    pub(super) fn parse(data: &[u8], complete: bool) -> Self {
        let map = CMap::parse(data);
        let base = map.use_cmap.as_deref().map_or(Base::None, base_of);
        let mut this = Self { map, base, kind: ToUnicodeKind::Usable, claims_many_spaces: false };
        this.claims_many_spaces = this.count_spaces() > MAX_SPACES;
        this.kind = this.kind_by_content(!complete || data.iter().any(|b| !b.is_ascii_whitespace()));
        this
    }

    /// A name in place of a stream: Identity-H, or a CMap of Adobe's.
    pub(super) fn named(name: &str) -> Self {
        let base = base_of(name);
        let kind = match base {
            Base::None => ToUnicodeKind::Damaged,
            Base::Identity => ToUnicodeKind::Identity,
            Base::Collection(_) => ToUnicodeKind::Usable,
        };
        Self { map: CMap::default(), base, kind, claims_many_spaces: false }
    }

    /// A stream that cannot be decoded at all.
    pub(super) fn unreadable() -> Self {
        Self {
            map: CMap::default(),
            base: Base::None,
            kind: ToUnicodeKind::Damaged,
            claims_many_spaces: false,
        }
    }

    /// What the map is, by its content alone.
    pub(super) fn kind(&self) -> ToUnicodeKind {
        self.kind
    }

    /// Whether more codes are called white space than any font has: then the outlines are asked.
    pub(super) fn claims_many_spaces(&self) -> bool {
        self.claims_many_spaces
    }

    fn count_spaces(&self) -> usize {
        // A range of successive characters meets white space by chance; whole ranges of it are written code by code.
        let is_space = |target, offset: u32| match target {
            Target::Char(c) => char::from_u32(c as u32 + offset).is_some_and(char::is_whitespace),
            _ => false,
        };
        let spans = self.map.unicode_spans().iter();
        spans.filter(|span| is_space(span.value, (span.lo - span.origin).min(0xFFFF))).count()
    }

    /// Whether entries were left out.
    pub(super) fn is_damaged(&self) -> bool {
        self.map.damage != Damage::None || self.kind == ToUnicodeKind::Damaged
    }

    /// The target of a code, empty ones included; codes are compared as numbers, whatever their length.
    pub(super) fn lookup(&self, code: CharCode) -> Option<String> {
        self.map.unicode(code.0).or_else(|| match self.base {
            Base::None => None,
            Base::Identity => char::from_u32(code.0).map(String::from),
            Base::Collection(collection) => collection.unicode_of_cid(code.0),
        })
    }

    fn keys(&self) -> Keys {
        let mut keys = Keys::default();
        for span in self.map.unicode_spans().iter() {
            let n = u64::from(span.hi - span.lo) + 1;
            keys.n_codes += n;
            if char::from_u32(span.origin).map(Target::Char) == Some(span.value) {
                keys.n_identity += n;
            }
        }
        keys
    }

    /// Up to `cap` codes with their targets, in code order.
    pub(super) fn entries(&self, cap: usize) -> Vec<(u32, String)> {
        let spans = self.map.unicode_spans();
        spans
            .iter()
            .flat_map(|span| (span.lo..=span.hi).map(move |code| (code, span)))
            .take(cap)
            .map(|(code, span)| (code, self.map.text_of(span.value, code - span.origin)))
            .collect()
    }

    fn kind_by_content(&self, has_data: bool) -> ToUnicodeKind {
        if self.map.unicode_spans().is_empty() {
            return match (self.base, self.map.damage) {
                (Base::Identity, _) => ToUnicodeKind::Identity,
                (Base::Collection(_), _) => ToUnicodeKind::Usable,
                (Base::None, Damage::None) => ToUnicodeKind::Empty,
                (Base::None, _) if !has_data => ToUnicodeKind::Empty,
                (Base::None, _) => ToUnicodeKind::Damaged,
            };
        }
        let keys = self.keys();
        if keys.n_identity >= IDENTITY_CODES && keys.n_identity * 10 >= keys.n_codes * 9 {
            return ToUnicodeKind::Identity;
        }
        // A map of nothing but U+FFFD, U+0000 or empty strings maps nothing.
        let says_nothing =
            |text: &str| matches!(target_class(text), TargetClass::Nothing | TargetClass::Forbidden);
        let mut spans = self.map.unicode_spans().iter();
        let is_nothing = |target| says_nothing(&self.map.text_of(target, 0));
        if spans.all(|span| span.hi - span.lo < 2 && is_nothing(span.value)) && self.base == Base::None {
            return ToUnicodeKind::Empty;
        }
        ToUnicodeKind::Usable
    }
}

fn base_of(name: &str) -> Base {
    if name.starts_with("Identity") {
        return Base::Identity;
    }
    let ordering = name.strip_prefix("Adobe-").and_then(|name| name.strip_suffix("-UCS2"));
    ordering.and_then(Collection::from_ordering).map_or(Base::None, Base::Collection)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(map: &str) -> ToUnicodeKind {
        ToUnicode::parse(map.as_bytes(), true).kind()
    }

    #[test]
    fn kinds_by_content() {
        assert_eq!(kind("beginbfchar <01> <0041> endbfchar"), ToUnicodeKind::Usable);
        assert_eq!(kind("begincmap endcmap"), ToUnicodeKind::Empty);
        assert_eq!(kind(" \n"), ToUnicodeKind::Empty);
        assert_eq!(kind("rubbish"), ToUnicodeKind::Damaged);
        assert_eq!(kind("beginbfchar 12 endbfchar"), ToUnicodeKind::Damaged);
        assert_eq!(kind("beginbfrange <0000> <FFFF> <0000> endbfrange"), ToUnicodeKind::Identity);
        assert_eq!(kind("beginbfrange <0020> <007E> <0020> endbfrange"), ToUnicodeKind::Usable);
        assert_eq!(ToUnicode::named("Identity-H").kind(), ToUnicodeKind::Identity);
        assert_eq!(ToUnicode::named("WinAnsi").kind(), ToUnicodeKind::Damaged);
        let pages: String = (0..256).map(|p| format!("<{p:02X}00> <{p:02X}FF> <{p:02X}00> ")).collect();
        assert_eq!(kind(&format!("beginbfrange {pages} endbfrange")), ToUnicodeKind::Identity);
    }

    #[test]
    fn c4a_c4b_maps_of_nothing_are_empty() {
        assert_eq!(kind("beginbfchar <01> <FFFD> <02> <FFFD> endbfchar"), ToUnicodeKind::Empty);
        assert_eq!(kind("beginbfchar <01> <0000> <02> <> endbfchar"), ToUnicodeKind::Empty);
        assert_eq!(kind("beginbfchar <01> <FFFD> <02> <0041> endbfchar"), ToUnicodeKind::Usable);
    }

    #[test]
    fn c4_classes_of_targets() {
        for (text, class) in [
            ("a", TargetClass::Plausible),
            (" ", TargetClass::Plausible),
            ("\r", TargetClass::Plausible),
            ("", TargetClass::Nothing),
            ("\u{FFFD}", TargetClass::Nothing),
            ("\0", TargetClass::Forbidden),
            ("\u{FEFF}", TargetClass::Forbidden),
            ("\u{F020}", TargetClass::PrivateUse),
            ("\u{3}", TargetClass::Control),
            ("\u{90}", TargetClass::Control),
            ("\u{FFFD}a", TargetClass::Plausible),
        ] {
            assert_eq!(target_class(text), class, "{text:?}");
        }
    }

    #[test]
    fn bases_answer_for_missing_codes() {
        let map = ToUnicode::parse(b"/Adobe-Japan1-UCS2 usecmap beginbfchar <0001> <0041> endbfchar", true);
        assert_eq!(map.lookup(CharCode(1)).as_deref(), Some("A"));
        assert_eq!(map.lookup(CharCode(843)).as_deref(), Some("あ"));
        assert_eq!(ToUnicode::named("Identity-H").lookup(CharCode(0x41)).as_deref(), Some("A"));
    }

    #[test]
    fn keys_and_entries() {
        let map =
            ToUnicode::parse(b"beginbfrange <0010> <0012> <0041> <0041> <0041> <0041> endbfrange", true);
        let keys = map.keys();
        assert_eq!((keys.n_codes, keys.n_identity), (4, 1));
        assert_eq!(map.entries(2), [(0x10, "A".to_owned()), (0x11, "B".to_owned())]);
    }
}
