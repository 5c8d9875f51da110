//! The predefined CMaps (ISO 32000-2, 9.7.5.2) and the character collections behind them.

use std::sync::OnceLock;

use encoding_rs::Encoding as Legacy;
use hayro_cmap::{BfString, CMapName, load_embedded};
use smallvec::SmallVec;

use super::codespace::{CodeRange, Codespace};

/// A character collection of Adobe whose CIDs are characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::score::fonts) enum Collection {
    /// Simplified Chinese.
    Gb1,
    /// Traditional Chinese.
    Cns1,
    /// Japanese.
    Japan1,
    /// Korean.
    Korea1,
    /// Korean, newer; its CIDs cannot be read here, its Unicode CMaps can.
    Kr,
}

impl Collection {
    /// The collection of an `/Ordering`. The registry is not asked: files get it wrong.
    pub(in crate::score::fonts) fn from_ordering(ordering: &str) -> Option<Self> {
        Some(match ordering {
            "GB1" => Self::Gb1,
            "CNS1" => Self::Cns1,
            "Japan1" => Self::Japan1,
            "Korea1" => Self::Korea1,
            "KR" => Self::Kr,
            _ => return None,
        })
    }

    /// The text of a CID, by the CMap Adobe-*-UCS2.
    pub(in crate::score::fonts) fn unicode_of_cid(self, cid: u32) -> Option<String> {
        let name = match self {
            Self::Gb1 => CMapName::AdobeGb1Ucs2,
            Self::Cns1 => CMapName::AdobeCns1Ucs2,
            Self::Japan1 => CMapName::AdobeJapan1Ucs2,
            Self::Korea1 => CMapName::AdobeKorea1Ucs2,
            Self::Kr => return None,
        };
        let text = match loaded(name)?.lookup_bf_string(cid)? {
            BfString::Char(c) => String::from(c),
            BfString::String(text) => text,
        };
        text.chars().any(|c| c != '\u{FFFD}').then_some(text)
    }

    /// The CID of a character, by the collection's UTF-16 CMap.
    fn cid_of_char(self, c: char) -> Option<u32> {
        let name = match self {
            Self::Gb1 => CMapName::UniGbUtf16H,
            Self::Cns1 => CMapName::UniCnsUtf16H,
            Self::Japan1 => CMapName::UniJisUtf16H,
            Self::Korea1 => CMapName::UniKsUtf16H,
            Self::Kr => return None,
        };
        let mut units = [0; 2];
        let (code, n_bytes) = match c.encode_utf16(&mut units) {
            [unit] => (u32::from(*unit), 2),
            [high, low] => (u32::from(*high) << 16 | u32::from(*low), 4),
            _ => return None,
        };
        loaded(name)?.lookup_cid_code(code, n_bytes)
    }
}

/// What the codes of a predefined CMap are.
#[derive(Debug, Clone, Copy)]
enum Codes {
    /// The CIDs themselves.
    Identity,
    /// UCS-2 or UTF-16BE.
    Utf16,
    /// UTF-32BE.
    Utf32,
    /// UTF-8.
    Utf8,
    /// A multibyte encoding of the time before Unicode, and its decoder where there is one.
    Legacy(Option<&'static Legacy>),
    /// Rows and cells of JIS X 0208: EUC-JP without the high bits.
    RowCell,
}

/// A predefined CMap.
#[derive(Debug, Clone)]
pub(in crate::score::fonts) struct Predefined {
    codes: Codes,
    collection: Option<Collection>,
    /// Name ends in `-V`, or is `V`.
    pub(in crate::score::fonts) vertical: bool,
    /// How strings are cut.
    pub(in crate::score::fonts) codespace: Codespace,
    cmap: Option<&'static hayro_cmap::CMap>,
}

impl Predefined {
    /// The CMap of that name; `None` for names that mean none.
    pub(in crate::score::fonts) fn named(name: &str) -> Option<Self> {
        if let Some(collection) = identity_of_collection(name) {
            return Some(Self::identity(false, Some(collection)));
        }
        let (base, vertical) = match name {
            "H" => (ROW_CELL, false),
            "V" => (ROW_CELL, true),
            _ => match name.strip_suffix("-H") {
                Some(base) => (base, false),
                None => (name.strip_suffix("-V")?, true),
            },
        };
        if base == "Identity" {
            return Some(Self::identity(vertical, None));
        }
        let (codes, collection, ranges) = unicode_map(base).or_else(|| legacy_map(base))?;
        let ranges: SmallVec<[CodeRange; 4]> =
            ranges.iter().filter_map(|&(n, low, high)| CodeRange::new(n, low, high)).collect();
        Some(Self {
            codes,
            collection: Some(collection),
            vertical,
            codespace: Codespace::of(&ranges),
            cmap: loaded(CMapName::from_bytes(name.as_bytes())),
        })
    }

    fn identity(vertical: bool, collection: Option<Collection>) -> Self {
        Self { codes: Codes::Identity, collection, vertical, codespace: Codespace::TwoBytes, cmap: None }
    }

    /// The collection its CIDs belong to; `None` for Identity-H and Identity-V.
    pub(in crate::score::fonts) fn collection(&self) -> Option<Collection> {
        self.collection
    }

    /// Whether its codes are Unicode.
    pub(in crate::score::fonts) fn is_unicode(&self) -> bool {
        matches!(self.codes, Codes::Utf16 | Codes::Utf32 | Codes::Utf8)
    }

    /// Whether its codes are CIDs.
    pub(in crate::score::fonts) fn is_identity(&self) -> bool {
        matches!(self.codes, Codes::Identity)
    }

    /// The CID of a code.
    pub(in crate::score::fonts) fn cid(&self, code: u32, n_bytes: u8) -> Option<u32> {
        match (self.codes, self.cmap) {
            (Codes::Identity, _) => (n_bytes == 2).then_some(code),
            (_, Some(cmap)) => cmap.lookup_cid_code(code, n_bytes),
            _ => self.collection?.cid_of_char(self.char_of_unicode_code(code, n_bytes)?),
        }
    }

    /// The text of a code: the code itself where it is Unicode, else the CID's, else what the legacy encoding says.
    pub(in crate::score::fonts) fn unicode(&self, code: u32, n_bytes: u8) -> Option<String> {
        if self.is_unicode() {
            return self.char_of_unicode_code(code, n_bytes).map(String::from);
        }
        let by_cid = || self.collection?.unicode_of_cid(self.cid(code, n_bytes)?);
        by_cid().or_else(|| self.legacy_text(code, n_bytes))
    }

    fn char_of_unicode_code(&self, code: u32, n_bytes: u8) -> Option<char> {
        match (self.codes, n_bytes) {
            (Codes::Utf16, 2) | (Codes::Utf32, 4) => char::from_u32(code),
            (Codes::Utf16, 4) => {
                let units = [(code >> 16) as u16, code as u16];
                char::decode_utf16(units).next()?.ok().filter(|&c| c as u32 >= 0x10000)
            }
            (Codes::Utf8, 1..=4) => {
                let bytes = code.to_be_bytes();
                let text = std::str::from_utf8(&bytes[4 - usize::from(n_bytes)..]).ok()?;
                let mut chars = text.chars();
                chars.next().filter(|_| chars.next().is_none())
            }
            _ => None,
        }
    }

    /// What the bytes of a code say in the multibyte encoding the CMap is named for: independent of all CID tables.
    pub(in crate::score::fonts) fn legacy_text(&self, code: u32, n_bytes: u8) -> Option<String> {
        let (decoder, code) = match self.codes {
            Codes::Legacy(decoder) => (decoder?, code),
            Codes::RowCell => (encoding_rs::EUC_JP, code | 0x8080),
            _ => return None,
        };
        let bytes = code.to_be_bytes();
        let bytes = bytes.get(4 - usize::from(n_bytes).min(4)..)?;
        let text = decoder.decode_without_bom_handling_and_without_replacement(bytes)?;
        (!text.is_empty()).then(|| text.into_owned())
    }
}

/// Stands for the names `H` and `V`, which have no base.
const ROW_CELL: &str = "\0";

/// `Adobe-Japan1-2` and its like: not predefined in PDF, but they occur. Codes are the CIDs of the collection.
fn identity_of_collection(name: &str) -> Option<Collection> {
    let (ordering, supplement) = name.strip_prefix("Adobe-")?.split_once('-')?;
    supplement.parse::<u8>().ok()?;
    Collection::from_ordering(ordering)
}

type Ranges = &'static [(u8, u32, u32)];

const UCS2: Ranges = &[(2, 0, 0xFFFF)];
const UTF16: Ranges = &[(2, 0, 0xD7FF), (4, 0xD800_DC00, 0xDBFF_DFFF), (2, 0xE000, 0xFFFF)];
const UTF32: Ranges = &[(4, 0, 0x0010_FFFF)];
const UTF8: Ranges =
    &[(1, 0, 0x7F), (2, 0xC280, 0xDFBF), (3, 0xE0_8080, 0xEF_BFBF), (4, 0xF080_8080, 0xF7BF_BFBF)];

/// `UniGB-UCS2`, `UniJIS2004-UTF16`, `UniAKR-UTF8` and their like.
fn unicode_map(base: &str) -> Option<(Codes, Collection, Ranges)> {
    let base = base.strip_suffix("-HW").unwrap_or(base);
    let (family, form) = base.strip_prefix("Uni")?.split_once('-')?;
    let collection = match family {
        "GB" => Collection::Gb1,
        "CNS" => Collection::Cns1,
        "KS" => Collection::Korea1,
        "AKR" => Collection::Kr,
        _ if family.starts_with("JIS") => Collection::Japan1,
        _ => return None,
    };
    let (codes, ranges) = match form {
        "UCS2" => (Codes::Utf16, UCS2),
        "UTF16" => (Codes::Utf16, UTF16),
        "UTF32" => (Codes::Utf32, UTF32),
        "UTF8" => (Codes::Utf8, UTF8),
        _ => return None,
    };
    Some((codes, collection, ranges))
}

const SHIFT_JIS: Ranges = &[(1, 0, 0x80), (2, 0x8140, 0x9FFC), (1, 0xA0, 0xDF), (2, 0xE040, 0xFCFC)];
const SHIFT_JIS_MAC: Ranges =
    &[(1, 0, 0x80), (2, 0x8140, 0x9FFC), (1, 0xA0, 0xDF), (2, 0xE040, 0xFCFC), (1, 0xFD, 0xFF)];

fn legacy_map(base: &str) -> Option<(Codes, Collection, Ranges)> {
    use Collection::{Cns1, Gb1, Japan1, Korea1};
    use encoding_rs as e;
    let (decoder, collection, ranges): (Option<&'static Legacy>, _, Ranges) = match base {
        ROW_CELL => return Some((Codes::RowCell, Japan1, &[(2, 0x2121, 0x7E7E)])),
        "GB-EUC" => (Some(e::GBK), Gb1, &[(1, 0, 0x80), (2, 0xA1A1, 0xFEFE)]),
        "GBpc-EUC" => (Some(e::GBK), Gb1, &[(1, 0, 0x80), (2, 0xA1A1, 0xFCFE), (1, 0xFD, 0xFF)]),
        "GBK-EUC" | "GBKp-EUC" => (Some(e::GBK), Gb1, &[(1, 0, 0x80), (2, 0x8140, 0xFEFE)]),
        "GBK2K" => {
            (Some(e::GB18030), Gb1, &[(1, 0, 0x7F), (4, 0x8130_8130, 0xFE39_FE39), (2, 0x8140, 0xFEFE)])
        }
        "B5pc" => (Some(e::BIG5), Cns1, &[(1, 0, 0x80), (2, 0xA140, 0xFCFE), (1, 0xFD, 0xFF)]),
        "ETen-B5" | "ETenms-B5" => (Some(e::BIG5), Cns1, &[(1, 0, 0x80), (2, 0xA140, 0xFEFE)]),
        "HKscs-B5" => (Some(e::BIG5), Cns1, &[(1, 0, 0x80), (2, 0x8740, 0xFEFE)]),
        "CNS-EUC" => (None, Cns1, &[(1, 0, 0x80), (4, 0x8EA1_A1A1, 0x8EA7_FEFE), (2, 0xA1A1, 0xFEFE)]),
        "EUC" => (Some(e::EUC_JP), Japan1, &[(1, 0, 0x80), (2, 0x8EA0, 0x8EDF), (2, 0xA1A1, 0xFEFE)]),
        "90ms-RKSJ" | "90msp-RKSJ" | "Add-RKSJ" | "Ext-RKSJ" => (Some(e::SHIFT_JIS), Japan1, SHIFT_JIS),
        "83pv-RKSJ" | "90pv-RKSJ" => (Some(e::SHIFT_JIS), Japan1, SHIFT_JIS_MAC),
        "KSC-EUC" => (Some(e::EUC_KR), Korea1, &[(1, 0, 0x80), (2, 0xA1A1, 0xFEFE)]),
        "KSCms-UHC" | "KSCms-UHC-HW" => (Some(e::EUC_KR), Korea1, &[(1, 0, 0x80), (2, 0x8141, 0xFEFE)]),
        "KSCpc-EUC" => (Some(e::EUC_KR), Korea1, &[(1, 0, 0x84), (2, 0xA141, 0xFDFE), (1, 0xFE, 0xFF)]),
        _ => return None,
    };
    Some((Codes::Legacy(decoder), collection, ranges))
}

/// An embedded CMap, parsed once for the process: the data is a constant of the program.
fn loaded(name: CMapName<'_>) -> Option<&'static hayro_cmap::CMap> {
    static CACHE: [OnceLock<Option<hayro_cmap::CMap>>; NAMES.len()] =
        [const { OnceLock::new() }; NAMES.len()];
    let at = NAMES.iter().position(|known| *known == name.to_bytes())?;
    CACHE[at]
        .get_or_init(|| {
            let data = load_embedded(CMapName::from_bytes(NAMES[at]))?;
            hayro_cmap::CMap::parse(data, load_embedded)
        })
        .as_ref()
}

/// Names of the embedded CMaps.
#[rustfmt::skip]
static NAMES: [&[u8]; 65] = [
    b"83pv-RKSJ-H", b"90ms-RKSJ-H", b"90ms-RKSJ-V", b"90msp-RKSJ-H", b"90msp-RKSJ-V", b"90pv-RKSJ-H",
    b"Add-RKSJ-H", b"Add-RKSJ-V", b"Adobe-CNS1-UCS2", b"Adobe-GB1-UCS2", b"Adobe-Japan1-UCS2",
    b"Adobe-Korea1-UCS2", b"B5pc-H", b"B5pc-V", b"CNS-EUC-H", b"CNS-EUC-V", b"ETen-B5-H", b"ETen-B5-V",
    b"ETenms-B5-H", b"ETenms-B5-V", b"EUC-H", b"EUC-V", b"Ext-RKSJ-H", b"Ext-RKSJ-V", b"GB-EUC-H",
    b"GB-EUC-V", b"GBK-EUC-H", b"GBK-EUC-V", b"GBK2K-H", b"GBK2K-V", b"GBKp-EUC-H", b"GBKp-EUC-V",
    b"GBpc-EUC-H", b"GBpc-EUC-V", b"H", b"HKscs-B5-H", b"HKscs-B5-V", b"Identity-H", b"Identity-V",
    b"KSC-EUC-H", b"KSC-EUC-V", b"KSCms-UHC-H", b"KSCms-UHC-HW-H", b"KSCms-UHC-HW-V", b"KSCms-UHC-V",
    b"KSCpc-EUC-H", b"UniCNS-UCS2-H", b"UniCNS-UCS2-V", b"UniCNS-UTF16-H", b"UniCNS-UTF16-V",
    b"UniGB-UCS2-H", b"UniGB-UCS2-V", b"UniGB-UTF16-H", b"UniGB-UTF16-V", b"UniJIS-UCS2-H",
    b"UniJIS-UCS2-HW-H", b"UniJIS-UCS2-HW-V", b"UniJIS-UCS2-V", b"UniJIS-UTF16-H", b"UniJIS-UTF16-V",
    b"UniKS-UCS2-H", b"UniKS-UCS2-V", b"UniKS-UTF16-H", b"UniKS-UTF16-V", b"V",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Text of bytes drawn with a predefined CMap.
    fn read(name: &str, bytes: &[u8]) -> String {
        let map = Predefined::named(name).unwrap();
        map.codespace
            .codes(bytes)
            .map(|(code, n)| map.unicode(code.0, n).unwrap_or_else(|| "\u{FFFD}".to_owned()))
            .collect()
    }

    #[test]
    fn c5_legacy_codes_through_cids() {
        assert_eq!(read("GBK-EUC-H", b"\xD6\xD0\xCE\xC4A"), "中文A");
        assert_eq!(read("GB-EUC-H", b"\xD6\xD0\xCE\xC4"), "中文");
        assert_eq!(read("90ms-RKSJ-H", b"\x93\xFA\x96\x7BA\xB1"), "日本Aｱ");
        assert_eq!(read("EUC-H", b"\xC6\xFC\xCB\xDC"), "日本");
        assert_eq!(read("H", b"\x46\x7C\x4B\x5C"), "日本");
        assert_eq!(read("ETen-B5-H", b"\xA4\xA4\xA4\xE5"), "中文");
        assert_eq!(read("KSC-EUC-H", b"\xC7\xD1\xB1\xDB"), "한글");
        assert_eq!(read("KSCms-UHC-V", b"\xC7\xD1\xB1\xDB"), "한글");
        assert_eq!(read("GBK2K-H", b"\xD6\xD0"), "中");
    }

    #[test]
    fn c5_legacy_codes_agree_with_an_independent_decoder() {
        for (name, bytes) in [
            ("GBK-EUC-H", b"\xD6\xD0\xCE\xC4".as_slice()),
            ("90ms-RKSJ-H", b"\x93\xFA\x96\x7B"),
            ("KSC-EUC-H", b"\xC7\xD1\xB1\xDB"),
            ("ETen-B5-H", b"\xA4\xA4\xA4\xE5"),
            ("H", b"\x46\x7C\x4B\x5C"),
        ] {
            let map = Predefined::named(name).unwrap();
            for (code, n) in map.codespace.codes(bytes) {
                assert_eq!(map.unicode(code.0, n), map.legacy_text(code.0, n), "{name} {:x}", code.0);
            }
        }
    }

    #[test]
    fn c6_unicode_codes_are_themselves() {
        assert_eq!(read("UniGB-UCS2-H", b"\x4E\x2D\x65\x87"), "中文");
        assert_eq!(read("UniJIS-UTF16-H", b"\x65\xE5\xD8\x40\xDC\x0B"), "日𠀋");
        assert_eq!(read("UniJIS-UCS2-HW-V", b"\x65\xE5"), "日");
        assert_eq!(read("UniJIS2004-UTF32-H", b"\0\0\x65\xE5"), "日");
        assert_eq!(read("UniCNS-UTF8-H", "中A".as_bytes()), "中A");
        assert_eq!(read("UniAKR-UTF16-H", b"\xD5\x5C"), "한");
        assert_eq!(read("UniGB-UCS2-H", b"\xD8\x00"), "\u{FFFD}");
    }

    #[test]
    fn cids_of_unicode_maps_without_data_are_those_of_utf16() {
        let cid = |name: &str, code, n| Predefined::named(name).unwrap().cid(code, n);
        assert_eq!(cid("UniJIS-UTF32-H", 0x65E5, 4), cid("UniJIS-UTF16-H", 0x65E5, 2));
        assert!(cid("UniJIS-UTF16-H", 0x65E5, 2).is_some());
        assert_eq!(cid("Identity-H", 0x65E5, 2), Some(0x65E5));
        assert_eq!(cid("Adobe-Japan1-2", 843, 2), Some(843));
        assert_eq!(read("Adobe-Japan1-2", &843_u16.to_be_bytes()), "あ");
    }

    #[test]
    fn names_that_mean_no_cmap() {
        for name in [
            "",
            "Identity",
            "Adobe-Foo-2",
            "Adobe-Japan1-UCS2",
            "UniXX-UCS2-H",
            "UniGB-UCS4-H",
            "WinAnsiEncoding",
            "-H",
            "Foo-H",
        ] {
            assert!(Predefined::named(name).is_none(), "{name}");
        }
        assert!(Predefined::named("Identity-V").unwrap().vertical);
    }

    #[test]
    fn every_embedded_map_parses_and_is_named_here() {
        for name in NAMES {
            assert!(loaded(CMapName::from_bytes(name)).is_some(), "{}", String::from_utf8_lossy(name));
            let name = std::str::from_utf8(name).unwrap();
            assert!(name.starts_with("Adobe-") || Predefined::named(name).is_some(), "{name}");
        }
    }

    #[test]
    fn codespaces_hold_every_code_of_the_embedded_maps() {
        for name in NAMES {
            let name = std::str::from_utf8(name).unwrap();
            let Some(map) = Predefined::named(name) else { continue };
            let Some(cmap) = map.cmap else { continue };
            for code in (0..=0xFF_u32).filter(|&c| cmap.lookup_cid_code(c, 1).is_some()) {
                let cut = map.codespace.codes(&[code as u8]).next().map(|(_, n)| n);
                assert_eq!(cut, Some(1), "{name} {code:x}");
                assert!(
                    !matches!(map.codespace.codes(&[code as u8, 0x41]).next(), Some((_, 2))),
                    "{name} {code:x}"
                );
            }
            for code in (0..=0xFFFF_u32).filter(|&c| cmap.lookup_cid_code(c, 2).is_some()) {
                let bytes = (code as u16).to_be_bytes();
                assert_eq!(map.codespace.codes(&bytes).next().map(|(_, n)| n), Some(2), "{name} {code:x}");
            }
        }
    }
}
