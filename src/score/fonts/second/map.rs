//! A ToUnicode map, read by a scanner that knows two operators and nothing else.

use std::collections::BTreeMap;

/// Entries that are kept.
const MAX_ENTRIES: usize = 1 << 17;

/// Code to target.
pub(super) struct Map {
    targets: BTreeMap<u32, String>,
    /// Codes that the map does not list are themselves.
    identity: bool,
}

enum Token {
    Hex(Vec<u8>),
    Open,
    Close,
    Word(Vec<u8>),
}

impl Map {
    /// The name Identity-H in place of a stream.
    pub(super) fn identity() -> Self {
        Self { targets: BTreeMap::new(), identity: true }
    }

    pub(super) fn parse(data: &[u8]) -> Self {
        let mut map = Self { targets: BTreeMap::new(), identity: false };
        let mut block: Option<Vec<Token>> = None;
        let mut is_range = false;
        for token in tokens(data) {
            match (&token, &mut block) {
                (Token::Word(word), _) if word.starts_with(b"beginbf") => {
                    is_range = word == b"beginbfrange";
                    block = Some(Vec::new());
                }
                (Token::Word(word), Some(operands)) if word.starts_with(b"endbf") => {
                    let operands = std::mem::take(operands);
                    if is_range {
                        map.add_ranges(&operands)
                    } else {
                        map.add_chars(&operands)
                    }
                    block = None;
                }
                (_, Some(operands)) => operands.push(token),
                _ => {}
            }
        }
        map
    }

    pub(super) fn target(&self, code: u32) -> Option<String> {
        let own = self.targets.get(&code).cloned();
        own.or_else(|| self.identity.then(|| char::from_u32(code).map(String::from)).flatten())
    }

    fn add(&mut self, code: u32, target: String) {
        if self.targets.len() < MAX_ENTRIES {
            self.targets.insert(code, target);
        }
    }

    fn add_chars(&mut self, operands: &[Token]) {
        for pair in operands.chunks_exact(2) {
            if let [Token::Hex(code), Token::Hex(target)] = pair {
                self.add(number(code), utf16(target, 0));
            }
        }
    }

    fn add_ranges(&mut self, mut operands: &[Token]) {
        while let [Token::Hex(first), Token::Hex(last), rest @ ..] = operands {
            let (first, last) = (number(first), number(last));
            let codes = (first..=last).take(MAX_ENTRIES);
            match rest {
                [Token::Hex(target), rest @ ..] => {
                    codes.for_each(|code| self.add(code, utf16(target, code - first)));
                    operands = rest;
                }
                [Token::Open, rest @ ..] => {
                    let n = rest.iter().position(|token| matches!(token, Token::Close)).unwrap_or(rest.len());
                    for (code, target) in codes.zip(&rest[..n]) {
                        if let Token::Hex(target) = target {
                            self.add(code, utf16(target, 0));
                        }
                    }
                    operands = rest.get(n + 1..).unwrap_or_default();
                }
                _ => return,
            }
        }
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

/// UTF-16BE with its last unit moved on.
fn utf16(bytes: &[u8], offset: u32) -> String {
    let mut units: Vec<u16> =
        bytes.chunks(2).map(|pair| pair.iter().fold(0, |unit, &byte| unit << 8 | u16::from(byte))).collect();
    if let Some(last) = units.last_mut() {
        *last = last.wrapping_add(offset as u16);
    }
    String::from_utf16_lossy(&units)
}

fn tokens(data: &[u8]) -> impl Iterator<Item = Token> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let byte = *data.get(at)?;
            at += 1;
            match byte {
                b'[' => return Some(Token::Open),
                b']' => return Some(Token::Close),
                b'%' => at += data[at..].iter().take_while(|&&b| b != b'\n' && b != b'\r').count(),
                b'<' if data.get(at) == Some(&b'<') => at += 1,
                b'<' => {
                    let body = data[at..].iter().take_while(|&&b| b != b'>').count();
                    let hex = &data[at..at + body];
                    at += body + 1;
                    return Some(Token::Hex(from_hex(hex)));
                }
                b if b.is_ascii_alphanumeric() => {
                    let more = data[at..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
                    at += more;
                    return Some(Token::Word(data[at - more - 1..at].to_vec()));
                }
                _ => {}
            }
        }
    })
}

fn from_hex(digits: &[u8]) -> Vec<u8> {
    let values: Vec<u8> =
        digits.iter().filter_map(|&digit| char::from(digit).to_digit(16)).map(|value| value as u8).collect();
    values.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).copied().unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn chars_ranges_and_arrays() {
        let map = Map::parse(
            b"/CIDInit /ProcSet findresource begin 1 begincodespacerange <0000> <FFFF> endcodespacerange\n\
              2 beginbfchar <0001> <0041> <0002> <D83DDE00> endbfchar % a remark\n\
              2 beginbfrange <0010> <0012> <0061> <0020><0021>[<0066><00660069>] endbfrange",
        );
        let target = |code| map.target(code).unwrap_or_default();
        assert_eq!([1, 2, 0x12, 0x20, 0x21, 3].map(target), ["A", "\u{1F600}", "c", "f", "fi", ""]);
        assert_eq!(Map::identity().target(0x41).as_deref(), Some("A"));
    }

    #[test]
    fn an_endless_range_is_bounded() {
        let map = Map::parse(b"1 beginbfrange <00000000> <FFFFFFFF> <0000> endbfrange");
        assert!(map.targets.len() <= MAX_ENTRIES);
    }

    proptest! {
        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..512)) {
            let _ = Map::parse(&[b"beginbfrange ".as_slice(), &bytes, b" endbfrange"].concat());
        }
    }
}
