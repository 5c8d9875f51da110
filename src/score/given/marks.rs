//! What extractors leave in a text where they found no Unicode: codes, glyph numbers and glyph names.
//!
//! | mark | left by |
//! |---|---|
//! | `(cid:23)` | pdfminer, pdfplumber |
//! | `GLYPH<23>` `GLYPH(cmap:df00)` `GLYPH<c=1,font=/F+A>` | docling |
//! | `/23` `/i255` `/gid00043` `/g23` `/c17` `/a5` | docling, glyphs named by number |
//! | `/uni0416` `/afii10017` `/H` | docling and others, glyphs named by a list |

use std::ops::Range;

use crate::score::fonts::unicode_of_name;

/// Longest mark, in bytes.
const LONGEST: usize = 96;

/// One mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    /// Where, in bytes.
    pub(super) range: Range<usize>,
    /// What it is.
    pub(super) kind: MarkKind,
}

/// What a mark tells of its glyph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MarkKind {
    /// A code or number, from which no letter follows.
    Code(u32),
    /// A name that the lists of glyph names know.
    Name(String),
}

/// The marks of a text, in order. One that stands alone may be a path, a fraction or a word: weigh them.
pub(super) fn find(text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find(['(', '/', 'G', 'g']).map(|at| from + at) {
        let rest = &text[at..];
        let found = match rest.as_bytes()[0] {
            b'(' => cid(rest),
            b'/' if begins_name(&text[..at]) => name(rest),
            b'/' => None,
            _ => glyph(rest),
        };
        match found {
            Some((length, kind)) => {
                marks.push(Mark { range: at..at + length, kind });
                from = at + length;
            }
            None => from = at + 1,
        }
    }
    marks
}

/// A name follows white space or another mark, never a letter: `and/or`, `km/h`.
fn begins_name(before: &str) -> bool {
    before.chars().next_back().is_none_or(|c| c.is_whitespace())
        || before.rfind('/').is_some_and(|slash| {
            let own = &before[slash + 1..];
            !own.is_empty() && own.len() <= LONGEST && own.bytes().all(is_name_byte)
        })
}

fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_')
}

/// `(cid:23)`.
fn cid(rest: &str) -> Option<(usize, MarkKind)> {
    let digits = rest.strip_prefix("(cid:")?;
    let n = digits.bytes().take(7).take_while(u8::is_ascii_digit).count();
    let code = digits[..n].parse().ok()?;
    digits[n..].starts_with(')').then_some((5 + n + 1, MarkKind::Code(code)))
}

/// `GLYPH<…>`, `GLYPH(…)`, `GLYPH&lt;…&gt;`; small letters likewise.
fn glyph(rest: &str) -> Option<(usize, MarkKind)> {
    let word = rest.get(..5).filter(|word| *word == "GLYPH" || *word == "glyph")?;
    let after = &rest[word.len()..];
    let (open, close) = [("<", ">"), ("(", ")"), ("&lt;", "&gt;"), ("[", "]")]
        .into_iter()
        .find(|(open, _)| after.starts_with(open))?;
    let inner = &after[open.len()..];
    let end = inner.bytes().take(LONGEST).position(|b| b == close.as_bytes()[0])?;
    if !inner[end..].starts_with(close) || !inner[..end].bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let digits: String = inner[..end].chars().filter(char::is_ascii_digit).take(6).collect();
    Some((word.len() + open.len() + end + close.len(), MarkKind::Code(digits.parse().unwrap_or(0))))
}

/// `/23`, `/gid00043`, `/uni0416`, `/H`.
fn name(rest: &str) -> Option<(usize, MarkKind)> {
    let n = rest[1..].bytes().take(LONGEST).take_while(|b| is_name_byte(*b)).count();
    let name = &rest[1..=n];
    if n == 0 {
        return None;
    }
    let letters = name.bytes().take_while(u8::is_ascii_alphabetic).count();
    let numbered = name.len() > letters && name[letters..].bytes().all(|b| b.is_ascii_digit());
    let prefix = &name[..letters];
    let by_number = numbered
        && matches!(
            prefix,
            "" | "i" | "g" | "G" | "gid" | "glyph" | "cid" | "c" | "C" | "a" | "index" | "F" | "char"
        );
    if by_number {
        return Some((n + 1, MarkKind::Code(name[letters..].get(..6.min(n - letters))?.parse().ok()?)));
    }
    let text = unicode_of_name(name, false)?;
    Some((n + 1, MarkKind::Name(text)))
}
