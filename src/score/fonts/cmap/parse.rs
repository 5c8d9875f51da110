//! Sections of a CMap file.

use super::super::names;
use super::lexer::{Code, Lexer, Token, hex_digit};
use super::{CMap, CodeRange, Damage, MAX_ENTRIES, Target};

/// A CID, Unicode or codespace section: what stands between `begin…` and `end…`.
#[derive(Clone, Copy)]
enum Section {
    Codespace,
    CidRange,
    CidChar,
    NotdefRange,
    NotdefChar,
    BfRange,
    BfChar,
}

impl Section {
    fn opened_by(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"begincodespacerange" => Self::Codespace,
            b"begincidrange" => Self::CidRange,
            b"begincidchar" => Self::CidChar,
            b"beginnotdefrange" => Self::NotdefRange,
            b"beginnotdefchar" => Self::NotdefChar,
            b"beginbfrange" => Self::BfRange,
            b"beginbfchar" => Self::BfChar,
            _ => return None,
        })
    }
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    map: CMap,
    n_entries: usize,
}

pub(super) fn parse(data: &[u8]) -> CMap {
    let mut parser = Parser { lexer: Lexer::new(data), map: CMap::default(), n_entries: 0 };
    let any_section = parser.file();
    let mut map = parser.map;
    for spans in map.cids.iter_mut().chain(&mut map.notdefs) {
        spans.settle();
    }
    map.unicode.settle();
    if !any_section {
        map.damage = Damage::NoCMap;
    }
    map
}

impl<'a> Parser<'a> {
    /// Reads to the end; tells whether anything of a CMap was there.
    fn file(&mut self) -> bool {
        let mut any_section = false;
        let mut last_name = None;
        let mut next = self.lexer.next();
        while let Some(token) = next {
            next = None;
            match token {
                Token::Word(word) => {
                    if let Some(section) = Section::opened_by(word) {
                        any_section = true;
                        next = self.section(section);
                    } else if word == b"usecmap" {
                        any_section = true;
                        self.map.use_cmap = last_name.map(text);
                    } else if word == b"begincmap" {
                        any_section = true;
                    }
                }
                Token::Name(name) => {
                    last_name = Some(name);
                    next = self.entry(name);
                }
                _ => {}
            }
            if self.n_entries > MAX_ENTRIES {
                self.map.damage = Damage::Entries;
                break;
            }
            if next.is_none() {
                next = self.lexer.next();
            }
        }
        any_section
    }

    /// Reads the value of a known key; gives back what is no value.
    fn entry(&mut self, key: &[u8]) -> Option<Token<'a>> {
        let mut value = || self.lexer.next();
        match key {
            b"CMapName" => match value()? {
                Token::Name(name) => self.map.name = Some(text(name)),
                other => return Some(other),
            },
            b"WMode" => match value()? {
                Token::Integer(mode) => self.map.vertical = Some(mode == 1),
                other => return Some(other),
            },
            b"Registry" | b"Ordering" => match value()? {
                Token::Literal(value) | Token::Name(value) => {
                    let ros = self.map.ros.get_or_insert_default();
                    *(if key == b"Registry" { &mut ros.0 } else { &mut ros.1 }) = text(value);
                }
                other => return Some(other),
            },
            _ => {}
        }
        None
    }

    /// Reads entries up to the next word; gives it back when it opens a section (its `end…` is missing).
    fn section(&mut self, section: Section) -> Option<Token<'a>> {
        loop {
            let token = self.lexer.next()?;
            match token {
                Token::Code(lo) => {
                    self.n_entries += 1;
                    if self.n_entries > MAX_ENTRIES {
                        return None;
                    }
                    if let Some(other) = self.section_entry(section, lo) {
                        self.map.damage = Damage::Entries;
                        if let Token::Word(_) = other {
                            return Some(other);
                        }
                    }
                }
                Token::Word(_) => return Some(token),
                _ => self.map.damage = Damage::Entries,
            }
        }
    }

    /// Reads the rest of an entry that starts with `lo`; gives back the token that does not belong there.
    fn section_entry(&mut self, section: Section, lo: Code) -> Option<Token<'a>> {
        let hi = match section {
            Section::CidChar | Section::NotdefChar | Section::BfChar => lo,
            _ => match self.lexer.next()? {
                Token::Code(hi) => hi,
                other => return Some(other),
            },
        };
        match section {
            Section::Codespace => {
                let range = CodeRange::new(lo.n_bytes.max(hi.n_bytes), lo.value as u32, hi.value as u32);
                self.map.codespace.extend(range);
                None
            }
            Section::BfRange | Section::BfChar => self.unicode_entry(lo, hi),
            _ => match self.lexer.next()? {
                Token::Integer(cid) => {
                    self.cid_entry(section, lo, hi, cid);
                    None
                }
                other => Some(other),
            },
        }
    }

    fn cid_entry(&mut self, section: Section, lo: Code, hi: Code, cid: i64) {
        let n_bytes = usize::from(lo.n_bytes);
        let (Ok(cid), 1..=4) = (u32::try_from(cid), n_bytes) else {
            self.map.damage = Damage::Entries;
            return;
        };
        let spans = match section {
            Section::NotdefRange | Section::NotdefChar => &mut self.map.notdefs,
            _ => &mut self.map.cids,
        };
        spans[n_bytes - 1].push(lo.value as u32, hi.value as u32, cid);
    }

    fn unicode_entry(&mut self, lo: Code, hi: Code) -> Option<Token<'a>> {
        let (Ok(lo_code), Ok(hi_code)) = (u32::try_from(lo.value), u32::try_from(hi.value)) else {
            self.map.damage = Damage::Entries;
            return None;
        };
        let token = self.lexer.next()?;
        if token == Token::ArrayStart {
            return self.unicode_array(lo_code, hi_code);
        }
        match self.target(token) {
            Some(target) => {
                self.map.unicode.push(lo_code, hi_code, target);
                None
            }
            None => Some(token),
        }
    }

    /// `[<…> <…> …]`: a target for each code of the range.
    fn unicode_array(&mut self, lo: u32, hi: u32) -> Option<Token<'a>> {
        let mut code = Some(lo);
        loop {
            let token = self.lexer.next()?;
            match token {
                Token::ArrayEnd => return None,
                Token::Word(_) => return Some(token),
                _ => {}
            }
            self.n_entries += 1;
            if self.n_entries > MAX_ENTRIES {
                return None;
            }
            let Some(at) = code.filter(|&code| code <= hi) else { continue };
            match self.target(token) {
                Some(target) => self.map.unicode.push(at, at, target),
                None => self.map.damage = Damage::Entries,
            }
            code = at.checked_add(1);
        }
    }

    fn target(&mut self, token: Token<'a>) -> Option<Target> {
        let target = match token {
            Token::Code(Code { value, n_bytes: 1..=2 }) => {
                Target::Char(char::from_u32(value as u32).unwrap_or(char::REPLACEMENT_CHARACTER))
            }
            Token::Code(Code { value, n_bytes }) => {
                let bytes = value.to_be_bytes();
                self.text_target(&bytes[8 - usize::from(n_bytes)..])
            }
            Token::Hex(digits) => {
                let digits: Vec<u8> = digits.iter().filter_map(|&b| hex_digit(b)).collect();
                // At most 512 characters: longer ones are no text of a glyph.
                let bytes: Vec<u8> =
                    digits.chunks(2).take(1024).map(|d| d[0] << 4 | d.get(1).copied().unwrap_or(0)).collect();
                self.text_target(&bytes)
            }
            Token::Literal(bytes) => self.text_target(&bytes[..bytes.len().min(1024)]),
            Token::Name(name) => {
                let name = std::str::from_utf8(name).ok()?;
                let text = names::unicode_of_name(name, false)?;
                self.keep_text(text)
            }
            _ => return None,
        };
        Some(target)
    }

    /// UTF-16BE; a lone first byte of an odd number counts as a character. U+0000 beside others is padding.
    fn text_target(&mut self, bytes: &[u8]) -> Target {
        let (odd, even) = bytes.split_at(bytes.len() % 2);
        let units = even.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
        let units = odd.iter().map(|&byte| u16::from(byte)).chain(units);
        let mut text: String =
            char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        if text.contains('\0') && text.chars().any(|c| c != '\0') {
            text.retain(|c| c != '\0');
        }
        self.keep_text(text)
    }

    fn keep_text(&mut self, text: String) -> Target {
        let mut chars = text.chars();
        if let (Some(c), None) = (chars.next(), chars.next()) {
            return Target::Char(c);
        }
        self.map.texts.push(text.into());
        Target::Text(self.map.texts.len() as u32 - 1)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(128)]).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unicode(map: &str, code: u32) -> Option<String> {
        CMap::parse(map.as_bytes()).unicode(code)
    }

    #[test]
    fn bfchar_and_bfrange_in_all_their_forms() {
        let map = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n\
            /CMapName /Adobe-Identity-UCS def /CMapType 2 def\n\
            1 begincodespacerange <0000> <FFFF> endcodespacerange\n\
            3 beginbfchar <0003> <0020> <0004> <00660066> <0005> <D835DC00> endbfchar\n\
            3 beginbfrange <0010> <0019> <0030> <0020> <0022> [<0041> <00420043> /eacute]\n\
            <0030> <0031> <00410308> endbfrange endcmap";
        for (code, text) in [
            (3, " "),
            (4, "ff"),
            (5, "𝐀"),
            (0x10, "0"),
            (0x19, "9"),
            (0x20, "A"),
            (0x21, "BC"),
            (0x22, "é"),
            (0x30, "A\u{308}"),
            (0x31, "A\u{309}"),
        ] {
            assert_eq!(unicode(map, code).as_deref(), Some(text), "{code:x}");
        }
        assert_eq!(unicode(map, 0x23), None);
        let map = CMap::parse(map.as_bytes());
        assert_eq!((map.name.as_deref(), map.damage), (Some("Adobe-Identity-UCS"), Damage::None));
    }

    #[test]
    fn untidy_maps() {
        // No white space, one-byte targets, odd digits, no end, wrong counts, short arrays.
        assert_eq!(unicode("1 beginbfchar<01><41>endbfchar", 1).as_deref(), Some("A"));
        assert_eq!(unicode("beginbfchar <0 1> <0 0 4 1>", 1).as_deref(), Some("A"));
        assert_eq!(
            unicode("9 beginbfchar <01> <041> 2 beginbfrange <02> <03> <0042>", 3).as_deref(),
            Some("C")
        );
        assert_eq!(unicode("beginbfrange <01> <05> [<0041>] <06> <06> <0042>", 6).as_deref(), Some("B"));
        assert_eq!(unicode("beginbfrange <01> <05> [<0041> endbfrange", 1).as_deref(), Some("A"));
        assert_eq!(unicode("beginbfchar <01> 65 <02> <0042>", 2).as_deref(), Some("B"));
        assert_eq!(unicode("beginbfchar <01> <0000004100000042>", 1).as_deref(), Some("AB"));
        assert_eq!(unicode("beginbfchar <01> <>", 1).as_deref(), Some(""));
        assert_eq!(unicode("beginbfchar <01> <D800>", 1).as_deref(), Some("\u{FFFD}"));
        assert_eq!(unicode("beginbfchar <01> (A)", 1).as_deref(), Some("A"));
        assert_eq!(unicode("beginbfrange <05> <01> <0041>", 3), None);
        assert_eq!(CMap::parse(b"no map at all").damage, Damage::NoCMap);
        assert_eq!(CMap::parse(b"begincmap endcmap").damage, Damage::None);
    }

    #[test]
    fn later_entries_replace_earlier_ones() {
        let map = "beginbfrange <0000> <FFFF> <0000> endbfrange beginbfchar <0024> <0041> endbfchar";
        assert_eq!(unicode(map, 0x24).as_deref(), Some("A"));
        assert_eq!(unicode(map, 0x25).as_deref(), Some("%"));
    }

    #[test]
    fn cids_and_their_lengths() {
        let map = CMap::parse(
            b"/CIDSystemInfo 3 dict dup begin /Registry (Adobe) def /Ordering (Japan1) def /Supplement 2 def end def\n\
            /WMode 1 def /90ms-RKSJ-H usecmap\n\
            2 begincodespacerange <00> <80> <8140> <9FFC> endcodespacerange\n\
            2 begincidrange <20> <7e> 231 <8140> <817e> 633 endcidrange 1 begincidchar <a5> 61 endcidchar\n\
            1 beginnotdefrange <00> <1f> 1 endnotdefrange",
        );
        assert_eq!(map.cid(0x21, 1), Some(232));
        assert_eq!(map.cid(0x21, 2), None);
        assert_eq!(map.cid(0x8141, 2), Some(634));
        assert_eq!(map.cid(0xA5, 1), Some(61));
        assert_eq!(map.cid(0x1F, 1), Some(1));
        assert_eq!(map.ros, Some(("Adobe".to_owned(), "Japan1".to_owned())));
        assert_eq!((map.vertical, map.use_cmap.as_deref()), (Some(true), Some("90ms-RKSJ-H")));
        assert_eq!(map.codespace.len(), 2);
    }

    #[test]
    fn a_map_without_end_is_cut() {
        let mut map = String::from("beginbfchar ");
        for code in 0..MAX_ENTRIES as u32 + 10 {
            map += &format!("<{code:08X}> <0041> ");
        }
        let map = CMap::parse(map.as_bytes());
        assert_eq!(map.damage, Damage::Entries);
        assert!(map.unicode_spans().len() <= MAX_ENTRIES);
    }

    fn write(entries: &[(u16, u16, Vec<char>)]) -> String {
        let mut map = String::from("begincmap\n");
        for (lo, more, text) in entries {
            let hi = lo.saturating_add(more % 16);
            let mut units = [0; 2];
            let hex: String = text
                .iter()
                .flat_map(|c| {
                    c.encode_utf16(&mut units).iter().map(|u| format!("{u:04X}")).collect::<Vec<_>>()
                })
                .collect();
            map += &format!("1 beginbfrange <{lo:04X}> <{hi:04X}> <{hex}> endbfrange\n");
        }
        map + "endcmap"
    }

    proptest! {
        #[test]
        fn survives_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..4096)) {
            let map = CMap::parse(&bytes);
            let _ = (map.unicode(0x41), map.cid(0x41, 1));
        }

        #[test]
        fn survives_broken_maps(
            words in prop::collection::vec(prop::sample::select(vec![
                "beginbfchar", "endbfchar", "beginbfrange", "endbfrange", "begincidrange", "usecmap", "<", ">", "<41>",
                "<FFFFFFFF>", "<0000000000000000000000>", "[", "]", "(", ")", "/A", "12", "-1", "<<", ">>", "%",
            ]), 0..200),
        ) {
            let map = CMap::parse(words.join(" ").as_bytes());
            let _ = (map.unicode(u32::MAX), map.cid(u32::MAX, 4), map.unicode(0x41));
        }

        #[test]
        fn what_is_written_is_read(
            entries in prop::collection::vec((any::<u16>(), any::<u16>(), prop::collection::vec(
                (0x20_u32..0x2000).prop_map(|c| char::from_u32(c).unwrap()), 1..4)), 1..20),
        ) {
            let map = CMap::parse(write(&entries).as_bytes());
            let (lo, more, text) = entries.last().unwrap();
            for offset in 0..=u32::from(lo.saturating_add(more % 16) - lo) {
                let mut expected: Vec<char> = text.clone();
                let last = expected.last_mut().unwrap();
                *last = char::from_u32(*last as u32 + offset).unwrap();
                let expected: String = expected.into_iter().collect();
                prop_assert_eq!(map.unicode(u32::from(*lo) + offset), Some(expected));
            }
        }
    }
}
