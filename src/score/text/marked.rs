//! Marked content (ISO 32000-2, 14.6): hidden layers and ActualText.

/// Nesting that is followed; deeper marks are counted only.
const MAX_MARKS: usize = 1024;
/// Characters of one ActualText that are kept.
const MAX_CHARS: usize = 4096;

/// What one BMC or BDC opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Plain,
    /// Belongs to a layer that is off.
    Hidden,
    /// Has an ActualText: the outermost counts.
    Actual,
}

/// The open marks of the content.
#[derive(Debug, Default)]
pub(super) struct Marks {
    open: Vec<Mark>,
    n_deeper: u32,
    n_hidden: u32,
    /// The open ActualText.
    pub actual: Option<ActualText>,
}

/// An open span with ActualText.
#[derive(Debug)]
pub(super) struct ActualText {
    pub text: String,
    /// First run inside.
    pub first_run: usize,
    /// Whether the text was given to a run already.
    pub given: bool,
}

impl Marks {
    pub(super) fn depth(&self) -> usize {
        self.open.len() + self.n_deeper as usize
    }

    pub(super) fn is_hidden(&self) -> bool {
        self.n_hidden > 0
    }

    pub(super) fn push(&mut self, mark: Mark) {
        if self.open.len() == MAX_MARKS {
            self.n_deeper = self.n_deeper.saturating_add(1);
            return;
        }
        self.n_hidden += u32::from(mark == Mark::Hidden);
        self.open.push(mark);
    }

    /// Opens an ActualText; inside another one it is an ordinary mark.
    pub(super) fn push_actual(&mut self, text: String, first_run: usize) {
        if self.actual.is_some() || self.open.len() == MAX_MARKS {
            return self.push(Mark::Plain);
        }
        self.actual = Some(ActualText { text, first_run, given: false });
        self.open.push(Mark::Actual);
    }

    /// Closes the innermost mark; gives the ActualText that ends with it.
    pub(super) fn pop(&mut self) -> Option<ActualText> {
        if self.n_deeper > 0 {
            self.n_deeper -= 1;
            return None;
        }
        match self.open.pop()? {
            Mark::Plain => None,
            Mark::Hidden => {
                self.n_hidden -= 1;
                None
            }
            Mark::Actual => self.actual.take(),
        }
    }
}

/// A text string (7.9.2.2): UTF-16 or UTF-8 with its mark, else PDFDocEncoding. At most 4,096 characters.
pub(super) fn text_string(bytes: &[u8]) -> String {
    let utf16 = |from: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|pair| from([pair[0], pair[1]]));
        let chars = char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER));
        without_language(chars)
    };
    match bytes {
        [0xFE, 0xFF, ..] => utf16(u16::from_be_bytes),
        [0xFF, 0xFE, ..] => utf16(u16::from_le_bytes),
        [0xEF, 0xBB, 0xBF, rest @ ..] => without_language(String::from_utf8_lossy(rest).chars()),
        _ => bytes.iter().take(MAX_CHARS).map(|&byte| doc_char(byte)).collect(),
    }
}

/// Escape sequences that name a language are no text (7.9.2.2).
fn without_language(chars: impl Iterator<Item = char>) -> String {
    let mut inside = false;
    let text = chars.filter(|&c| {
        let escape = c == '\u{1B}';
        let keep = !inside && !escape;
        inside ^= escape;
        keep
    });
    text.take(MAX_CHARS).collect()
}

/// PDFDocEncoding (annex D.2); codes without a character become U+FFFD.
fn doc_char(byte: u8) -> char {
    const LOW: [char; 8] =
        ['\u{02D8}', '\u{02C7}', '\u{02C6}', '\u{02D9}', '\u{02DD}', '\u{02DB}', '\u{02DA}', '\u{02DC}'];
    const HIGH: [char; 33] = [
        '\u{2022}', '\u{2020}', '\u{2021}', '\u{2026}', '\u{2014}', '\u{2013}', '\u{0192}', '\u{2044}',
        '\u{2039}', '\u{203A}', '\u{2212}', '\u{2030}', '\u{201E}', '\u{201C}', '\u{201D}', '\u{2018}',
        '\u{2019}', '\u{201A}', '\u{2122}', '\u{FB01}', '\u{FB02}', '\u{0141}', '\u{0152}', '\u{0160}',
        '\u{0178}', '\u{017D}', '\u{0131}', '\u{0142}', '\u{0153}', '\u{0161}', '\u{017E}', '\u{FFFD}',
        '\u{20AC}',
    ];
    match byte {
        0x18..=0x1F => LOW[usize::from(byte - 0x18)],
        0x80..=0xA0 => HIGH[usize::from(byte - 0x80)],
        _ => char::from(byte),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_strings_in_every_encoding() {
        assert_eq!(text_string(b"\xFE\xFF\x00A\x06\x27\xD8\x3D\xDE\x00"), "Aا😀");
        assert_eq!(text_string(b"\xFF\xFEA\x00"), "A");
        assert_eq!(text_string("\u{FEFF}é".as_bytes()), "é");
        assert_eq!(text_string(b"a\x80\x93\xA0\xE9"), "a•ﬁ€é");
        assert_eq!(text_string(b"\xFE\xFF\x00\x1B\x00d\x00e\x00\x1B\x00X\xD8\x00"), "X\u{FFFD}");
        assert_eq!(text_string(b"\xFE\xFF\x00"), "");
    }

    #[test]
    fn marks_nest_beyond_what_is_followed() {
        let mut marks = Marks::default();
        marks.push_actual("x".into(), 0);
        marks.push(Mark::Hidden);
        marks.push_actual("inner".into(), 0);
        (0..2 * MAX_MARKS).for_each(|_| marks.push(Mark::Hidden));
        assert!(marks.is_hidden());
        (0..2 * MAX_MARKS + 1).for_each(|_| assert!(marks.pop().is_none()));
        assert!(marks.is_hidden());
        assert!(marks.pop().is_none() && !marks.is_hidden());
        assert_eq!(marks.pop().map(|actual| actual.text).as_deref(), Some("x"));
        assert!(marks.pop().is_none());
    }
}
