//! Character maps of PDF: code → CID and code → Unicode.
//!
//! Takes: the decoded bytes of a CMap or ToUnicode stream ([`CMap::parse`]), or the name of a predefined one
//! ([`Predefined::named`]). Gives: codespace, CIDs, Unicode targets, and what the file says of itself. Fails: never;
//! what cannot be read is left out and told by [`CMap::damage`]. Never: runs PostScript, or keeps more than
//! [`MAX_ENTRIES`] ranges.

mod codespace;
mod lexer;
mod parse;
mod predefined;
mod spans;

use codespace::CodeRange;
pub(in crate::score::fonts) use codespace::Codespace;
pub(in crate::score::fonts) use predefined::{Collection, Predefined};
pub(in crate::score::fonts) use spans::Spans;

/// Ranges and characters of one CMap that are kept; beyond it the map is damaged.
const MAX_ENTRIES: usize = 1 << 18;

/// What a bfchar or bfrange gives to its first code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::score::fonts) enum Target {
    /// One character; U+FFFD for half a surrogate pair.
    Char(char),
    /// Index into the texts of the map: none or several characters.
    Text(u32),
}

/// Damage seen while parsing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::score::fonts) enum Damage {
    /// None.
    #[default]
    None,
    /// Some entries were left out.
    Entries,
    /// No section of a CMap was found at all.
    NoCMap,
}

/// A parsed CMap or ToUnicode CMap.
#[derive(Debug, Clone, Default)]
pub(in crate::score::fonts) struct CMap {
    /// `/CMapName`.
    pub(in crate::score::fonts) name: Option<String>,
    /// `/Registry` and `/Ordering`.
    pub(in crate::score::fonts) ros: Option<(String, String)>,
    /// `/WMode 1`.
    pub(in crate::score::fonts) vertical: Option<bool>,
    /// The name before `usecmap`.
    pub(in crate::score::fonts) use_cmap: Option<String>,
    /// The codespace ranges.
    pub(in crate::score::fonts) codespace: Vec<CodeRange>,
    /// CIDs by length of the code in bytes, less one.
    cids: [Spans<u32>; 4],
    notdefs: [Spans<u32>; 4],
    unicode: Spans<Target>,
    texts: Vec<Box<str>>,
    /// What was wrong.
    pub(in crate::score::fonts) damage: Damage,
}

impl CMap {
    /// Reads a CMap with every tolerance: sections without their end, wrong counts, names and short strings as
    /// targets, odd digits, no white space.
    pub(in crate::score::fonts) fn parse(data: &[u8]) -> Self {
        parse::parse(data)
    }

    /// The CID of a code of that length; of a notdef range its one CID.
    pub(in crate::score::fonts) fn cid(&self, code: u32, n_bytes: u8) -> Option<u32> {
        let at = usize::from(n_bytes).checked_sub(1)?;
        if let Some((cid, offset)) = self.cids.get(at)?.get(code) {
            return cid.checked_add(offset);
        }
        // One encoding CMap of the wild maps codes with bfchar: the number of the target is the CID.
        if let Some((Target::Char(c), offset)) = self.unicode.get(code) {
            return (c as u32).checked_add(offset);
        }
        self.notdefs[at].get(code).map(|(cid, _)| cid)
    }

    /// Whether any code has a CID.
    pub(in crate::score::fonts) fn has_cids(&self) -> bool {
        !self.unicode.is_empty() || self.cids.iter().any(|spans| !spans.is_empty())
    }

    /// The Unicode text of a code, whatever its length: readers compare numbers. Empty targets are `Some("")`.
    pub(in crate::score::fonts) fn unicode(&self, code: u32) -> Option<String> {
        let (target, offset) = self.unicode.get(code)?;
        Some(self.text_of(target, offset))
    }

    /// The text that a range gives to its code number `offset`.
    pub(in crate::score::fonts) fn text_of(&self, target: Target, offset: u32) -> String {
        match target {
            Target::Char(c) => String::from(plus(c, offset)),
            Target::Text(at) => {
                let text = &*self.texts[at as usize];
                let mut chars = text.chars();
                match chars.next_back() {
                    Some(last) if offset > 0 => {
                        let mut text = chars.as_str().to_owned();
                        text.push(plus(last, offset));
                        text
                    }
                    _ => text.to_owned(),
                }
            }
        }
    }

    /// The ranges of the Unicode part in code order.
    pub(in crate::score::fonts) fn unicode_spans(&self) -> &Spans<Target> {
        &self.unicode
    }
}

/// The character `offset` places on; U+FFFD where there is none.
fn plus(c: char, offset: u32) -> char {
    (c as u32).checked_add(offset).and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}
