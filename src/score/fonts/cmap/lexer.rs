//! Tokens of a CMap file: the little PostScript that CMaps use, read with every tolerance.

/// A token; strings and names are slices of the file where they need no decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// `<0041>`, at most eight bytes kept as a number.
    Code(Code),
    /// A hexadecimal string longer than eight bytes: its digits, undecoded.
    Hex(&'a [u8]),
    /// `(text)`, escapes undecoded.
    Literal(&'a [u8]),
    /// `/Name`.
    Name(&'a [u8]),
    /// An integer; the fraction of a real is dropped.
    Integer(i64),
    /// `[`.
    ArrayStart,
    /// `]`.
    ArrayEnd,
    /// An operator or any other word.
    Word(&'a [u8]),
}

/// A short string: value, big-endian, and length in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Code {
    pub(super) value: u64,
    pub(super) n_bytes: u8,
}

/// Reads tokens from bytes. Never fails: what is no token is a word.
#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    data: &'a [u8],
    at: usize,
}

fn is_space(b: u8) -> bool {
    matches!(b, b'\0' | b'\t' | b'\n' | b'\x0C' | b'\r' | b' ')
}

fn is_delimiter(b: u8) -> bool {
    matches!(b, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

/// The value of a hexadecimal digit.
pub(super) fn hex_digit(b: u8) -> Option<u8> {
    match b {
        b'0'..=b'9' => Some(b - b'0'),
        b'a'..=b'f' => Some(b - b'a' + 10),
        b'A'..=b'F' => Some(b - b'A' + 10),
        _ => None,
    }
}

impl<'a> Lexer<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        Self { data, at: 0 }
    }

    fn hex_string(&mut self) -> Token<'a> {
        let start = self.at;
        let (mut value, mut n_digits) = (0_u64, 0_usize);
        while let Some(&b) = self.data.get(self.at) {
            match hex_digit(b) {
                Some(digit) => {
                    value = value << 4 | u64::from(digit);
                    n_digits += 1;
                }
                // A string that is never closed ends where the next thing starts.
                None if matches!(b, b'>' | b'<' | b'/' | b'[' | b']') => break,
                None => {}
            }
            self.at += 1;
        }
        let digits = &self.data[start..self.at];
        if self.data.get(self.at) == Some(&b'>') {
            self.at += 1;
        }
        if n_digits > 16 {
            return Token::Hex(digits);
        }
        // An odd digit out counts as followed by 0 (ISO 32000-2, 7.3.4.3), but `<0>` and `<041>` are numbers
        // short of a leading zero wherever they occur in CMaps.
        Token::Code(Code { value, n_bytes: n_digits.div_ceil(2) as u8 })
    }

    fn literal_string(&mut self) -> Token<'a> {
        let start = self.at;
        let mut depth = 1_usize;
        while let Some(&b) = self.data.get(self.at) {
            match b {
                b'\\' => self.at += 1,
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            self.at += 1;
        }
        let end = self.at.min(self.data.len());
        self.at = (self.at + 1).min(self.data.len());
        Token::Literal(&self.data[start..end])
    }

    fn regular(&mut self) -> &'a [u8] {
        let start = self.at;
        while self.data.get(self.at).is_some_and(|&b| !is_space(b) && !is_delimiter(b)) {
            self.at += 1;
        }
        &self.data[start..self.at]
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let b = *self.data.get(self.at)?;
            match b {
                _ if is_space(b) => self.at += 1,
                b'%' => {
                    let rest = &self.data[self.at..];
                    self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                }
                b'<' if self.data.get(self.at + 1) == Some(&b'<') => {
                    self.at += 2;
                    return Some(Token::Word(b"<<"));
                }
                b'<' => {
                    self.at += 1;
                    return Some(self.hex_string());
                }
                b'(' => {
                    self.at += 1;
                    return Some(self.literal_string());
                }
                b'/' => {
                    self.at += 1;
                    return Some(Token::Name(self.regular()));
                }
                b'[' => {
                    self.at += 1;
                    return Some(Token::ArrayStart);
                }
                b']' => {
                    self.at += 1;
                    return Some(Token::ArrayEnd);
                }
                _ if is_delimiter(b) => self.at += 1, // a stray `>`, `)`, `{` or `}`
                _ => {
                    let word = self.regular();
                    return Some(integer(word).map_or(Token::Word(word), Token::Integer));
                }
            }
        }
    }
}

fn integer(word: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(word).ok()?;
    let whole = text.split('.').next()?;
    whole.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        Lexer::new(text.as_bytes())
            .map(|token| match token {
                Token::Code(code) => format!("{:X}:{}", code.value, code.n_bytes),
                Token::Hex(hex) => format!("hex {}", String::from_utf8_lossy(hex)),
                Token::Literal(text) => format!("({})", String::from_utf8_lossy(text)),
                Token::Name(name) => format!("/{}", String::from_utf8_lossy(name)),
                Token::Integer(n) => n.to_string(),
                Token::ArrayStart => "[".to_owned(),
                Token::ArrayEnd => "]".to_owned(),
                Token::Word(word) => String::from_utf8_lossy(word).into_owned(),
            })
            .collect()
    }

    #[test]
    fn reads_tidy_and_untidy_tokens() {
        assert_eq!(
            tokens("1 beginbfchar<00 41><0 041>%no\n/A(b\\)c)[1.5]endbfchar"),
            ["1", "beginbfchar", "41:2", "41:2", "/A", "(b\\)c)", "[", "1", "]", "endbfchar"]
        );
        assert_eq!(tokens("<0041<0042>"), ["41:2", "42:2"]);
        assert_eq!(tokens("<>"), ["0:0"]);
        assert_eq!(tokens("<006600660069006C0061>"), ["hex 006600660069006C0061"]);
        assert_eq!(tokens("<< /K >> } ) >"), ["<<", "/K"]);
        assert_eq!(tokens("(never closed"), ["(never closed)"]);
        assert_eq!(tokens("(ends in a bar\\"), ["(ends in a bar\\)"]);
    }
}
