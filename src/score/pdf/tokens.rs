//! Content streams as operators with their operands (ISO 32000-2, 7.8.2), read from borrowed bytes.
//!
//! Takes: decoded content. Gives: one [`Op`] at a time, its operands on a small stack, strings and names as slices
//! of the content. Fails: never; what no reader can make sense of is skipped and counted in
//! [`Tokenizer::damage`]. Never: allocates per token, recurses, looks at a byte more than a small, fixed number of
//! times (so that any content takes linear time).

mod inline_image;
mod lex;
mod op;
#[cfg(test)]
mod tests;

pub use lex::Spelling;
pub use op::Op;

use lex::{CLASS, Class};

/// Operands kept for an operator; the standard needs at most 33 (`scn` with 32 components and a pattern).
const MAX_OPERANDS: usize = 40;

/// Elements kept of an operand that is an array.
const MAX_ITEMS: usize = 1 << 16;

/// A dictionary among operands that has not ended after so many bytes is a stray `<<`.
const MAX_DICT_BYTES: usize = 1 << 20;

/// Strings and dictionaries without end that are searched to the end of the content.
const MAX_UNCLOSED: u32 = 8;

/// One operand, borrowed from the content.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operand<'c> {
    /// Integer or real.
    Number(f32),
    /// Without `/`, escapes as written: see [`name_bytes`].
    Name(&'c [u8]),
    /// Without its delimiters, escapes as written: see [`string_bytes`].
    String(&'c [u8], Spelling),
    /// Elements `start..end` of [`Tokenizer::items`]; arrays in arrays are flattened.
    Array(u32, u32),
    /// Between `<<` and `>>`, or between `BI` and `ID`: see [`Entries`].
    Dict(&'c [u8]),
    /// Data of an inline image.
    Bytes(&'c [u8]),
    /// `true` or `false`.
    Bool(bool),
    /// `null`.
    Null,
}

/// Bytes of a string operand, written to `scratch` where they are not spelled plainly.
pub fn string_bytes<'s>(raw: &'s [u8], spelling: Spelling, scratch: &'s mut Vec<u8>) -> &'s [u8] {
    lex::unescape(raw, spelling, scratch)
}

/// Bytes of a name operand, written to `scratch` where it holds `#xx`.
pub fn name_bytes<'s>(raw: &'s [u8], scratch: &'s mut Vec<u8>) -> &'s [u8] {
    lex::unescape_name(raw, scratch)
}

/// A position in content.
pub struct Tokenizer<'c> {
    data: &'c [u8],
    at: usize,
    operands: [Operand<'c>; MAX_OPERANDS],
    n_operands: usize,
    items: Vec<Operand<'c>>,
    n_unclosed: u32,
    no_greater: bool,
    lenient_images: bool,
    damage: u32,
}

impl<'c> Tokenizer<'c> {
    /// Starts at the first byte.
    pub fn new(data: &'c [u8]) -> Self {
        Self {
            data,
            at: 0,
            operands: [Operand::Null; MAX_OPERANDS],
            n_operands: 0,
            items: Vec::new(),
            n_unclosed: 0,
            no_greater: false,
            lenient_images: false,
            damage: 0,
        }
    }

    /// Operands of the last operator, in order.
    #[inline]
    pub fn operands(&self) -> &[Operand<'c>] {
        &self.operands[..self.n_operands]
    }

    /// Elements of the arrays among the operands.
    #[inline]
    pub fn items(&self) -> &[Operand<'c>] {
        &self.items
    }

    /// The last `N` operands as numbers; `None` where there are fewer or others.
    #[inline]
    pub fn numbers<const N: usize>(&self) -> Option<[f32; N]> {
        let first = self.n_operands.checked_sub(N)?;
        let mut numbers = [0.0; N];
        for (number, operand) in numbers.iter_mut().zip(&self.operands[first..self.n_operands]) {
            match operand {
                Operand::Number(value) => *number = *value,
                _ => return None,
            }
        }
        Some(numbers)
    }

    /// Tokens that were skipped because no reader can make sense of them.
    pub fn damage(&self) -> u32 {
        self.damage
    }

    /// Offset after the last operator.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The next operator; its operands replace those of the last one.
    pub fn next_op(&mut self) -> Option<Op> {
        self.n_operands = 0;
        if !self.items.is_empty() {
            self.items.clear();
        }
        let mut depth = 0u32; // of arrays
        loop {
            let byte = *self.data.get(self.at)?;
            match CLASS[byte as usize] {
                Class::White => self.at += 1,
                Class::Number => {
                    let (value, end) = lex::number(self.data, self.at);
                    self.at = end;
                    self.push(Operand::Number(value), depth);
                }
                Class::Keyword => {
                    if let Some(op) = self.keyword(&mut depth) {
                        return Some(op);
                    }
                }
                Class::Name => {
                    let start = self.at + 1;
                    self.at = lex::skip_regular(self.data, start);
                    self.push(Operand::Name(&self.data[start..self.at]), depth);
                }
                Class::String => {
                    let (raw, spelling) = self.literal();
                    self.push(Operand::String(raw, spelling), depth);
                }
                Class::Less => self.less(depth),
                Class::ArrayStart => {
                    self.at += 1;
                    depth = depth.saturating_add(1);
                }
                Class::ArrayEnd => {
                    self.at += 1;
                    depth = self.array_end(depth);
                }
                Class::Comment => self.at = lex::skip_comment(self.data, self.at),
                Class::Greater | Class::Stray => {
                    self.at += 1;
                    self.damage = self.damage.saturating_add(1);
                }
            }
        }
    }

    #[inline]
    fn push(&mut self, operand: Operand<'c>, depth: u32) {
        if depth > 0 {
            if self.items.len() < MAX_ITEMS {
                self.items.push(operand);
            }
            return;
        }
        if self.n_operands == MAX_OPERANDS {
            // Operators take the last operands.
            self.operands.copy_within(MAX_OPERANDS / 2.., 0);
            self.n_operands = MAX_OPERANDS / 2;
            self.damage = self.damage.saturating_add(1);
        }
        self.operands[self.n_operands] = operand;
        self.n_operands += 1;
    }

    fn array_end(&mut self, depth: u32) -> u32 {
        match depth {
            0 => self.damage = self.damage.saturating_add(1),
            1 => self.close_array(),
            _ => {}
        }
        depth.saturating_sub(1)
    }

    /// The items since the last array become an operand.
    fn close_array(&mut self) {
        let start = self.operands().iter().rev().find_map(|operand| match operand {
            Operand::Array(_, end) => Some(*end),
            _ => None,
        });
        self.push(Operand::Array(start.unwrap_or(0), self.items.len() as u32), 0);
    }

    /// An operator, or a word that is none: `true`, `false`, `null`, or damage.
    #[inline]
    fn keyword(&mut self, depth: &mut u32) -> Option<Op> {
        let start = self.at;
        self.at = lex::skip_regular(self.data, start);
        let word = &self.data[start..self.at];
        match Op::from_keyword(word) {
            // Some producers set spacing inside the array of a TJ.
            Some(Op::SetCharSpacing | Op::SetWordSpacing) if *depth > 0 => None,
            Some(op) => {
                if *depth > 0 {
                    self.damage = self.damage.saturating_add(1);
                    *depth = 0;
                    self.close_array();
                }
                if op == Op::InlineImage { self.inline_image() } else { Some(op) }
            }
            None => self.odd_word(word, start, *depth),
        }
    }

    #[cold]
    fn odd_word(&mut self, word: &[u8], start: usize, depth: u32) -> Option<Op> {
        match word {
            b"true" => self.push(Operand::Bool(true), depth),
            b"false" => self.push(Operand::Bool(false), depth),
            b"null" => self.push(Operand::Null, depth),
            _ => {
                self.damage = self.damage.saturating_add(1);
                if depth == 0 {
                    if let Some((op, n)) = op::split_glued(word).filter(|(op, _)| *op != Op::InlineImage) {
                        self.at = start + n;
                        return Some(op);
                    }
                    self.n_operands = 0;
                }
            }
        }
        None
    }

    #[inline]
    fn literal(&mut self) -> (&'c [u8], Spelling) {
        let found = if self.n_unclosed < MAX_UNCLOSED { lex::literal(self.data, self.at) } else { None };
        let (raw, spelling, end) = match found {
            Some(found) => found,
            None => {
                self.n_unclosed += u32::from(self.n_unclosed < MAX_UNCLOSED);
                self.damage = self.damage.saturating_add(1);
                lex::cut_literal(self.data, self.at)
            }
        };
        self.at = end;
        (raw, spelling)
    }

    /// `<`: a hexadecimal string or a dictionary.
    fn less(&mut self, depth: u32) {
        if self.data.get(self.at + 1) == Some(&b'<') {
            return self.dictionary(depth);
        }
        let start = self.at + 1;
        let rest = &self.data[start..];
        let end = if self.no_greater { None } else { memchr::memchr(b'>', rest) };
        match end {
            Some(end) => {
                self.at = start + end + 1;
                self.push(Operand::String(&rest[..end], Spelling::Hex), depth);
            }
            None => {
                self.no_greater = true;
                self.damage = self.damage.saturating_add(1);
                self.at = start;
            }
        }
    }

    fn dictionary(&mut self, depth: u32) {
        let start = self.at + 2;
        let window = &self.data[..self.data.len().min(start.saturating_add(MAX_DICT_BYTES))];
        let end = if self.n_unclosed < MAX_UNCLOSED { dict_end(window, start) } else { None };
        match end {
            Some(end) => {
                self.at = end;
                self.push(Operand::Dict(&self.data[start..end - 2]), depth);
            }
            None => {
                self.n_unclosed += u32::from(self.n_unclosed < MAX_UNCLOSED);
                self.damage = self.damage.saturating_add(1);
                self.at = start;
            }
        }
    }

    /// As [`skip_token`]; `None` for a string without end, of which only a few are searched for.
    fn skip_closed(&mut self, at: usize, class: Class) -> Option<usize> {
        let may_fail = matches!(class, Class::String | Class::Less);
        if may_fail && (self.n_unclosed >= MAX_UNCLOSED || self.no_greater) {
            return None;
        }
        let end = skip_token(self.data, at);
        if may_fail && end == at + 1 {
            self.n_unclosed += 1;
            return None;
        }
        Some(end)
    }

    /// After `BI`. Where no `ID` follows the dictionary, what was read is dropped.
    #[cold]
    fn inline_image(&mut self) -> Option<Op> {
        let start = self.at;
        let mut at = start;
        loop {
            at = lex::skip_white(self.data, at);
            let &byte = self.data.get(at)?;
            let class = CLASS[byte as usize];
            if class != Class::Keyword {
                at = self.skip_closed(at, class)?;
                continue;
            }
            let end = lex::skip_regular(self.data, at);
            match &self.data[at..end] {
                b"true" | b"false" | b"null" => at = end,
                b"ID" => break,
                // `ID` without white space before binary data.
                word if word.starts_with(b"ID") => break,
                _ => {
                    self.damage = self.damage.saturating_add(1);
                    self.at = at;
                    return None;
                }
            }
        }
        let dict = &self.data[start..at];
        // One white-space character after `ID` belongs to it (8.9.7); a CR LF is one end of line.
        let mut from = at + 2;
        if self.data.get(from).is_some_and(|&byte| lex::is_white(byte)) {
            from += if self.data[from..].starts_with(b"\r\n") { 2 } else { 1 };
        }
        let from = from.min(self.data.len());
        let (end, after) = inline_image::find_end(self.data, dict, from, &mut self.lenient_images);
        self.at = after;
        self.n_operands = 0;
        self.push(Operand::Dict(dict), 0);
        self.push(Operand::Bytes(&self.data[from..end.max(from)]), 0);
        Some(Op::InlineImage)
    }
}

/// Offset after the token or white space at `at`; always greater.
///
/// Searches for the end of a string to the end of `data`: callers bound how often that may fail.
fn skip_token(data: &[u8], at: usize) -> usize {
    match CLASS[data[at] as usize] {
        Class::White => lex::skip_white(data, at),
        Class::Number => lex::number(data, at).1,
        Class::Keyword => lex::skip_regular(data, at),
        Class::Name => lex::skip_regular(data, at + 1),
        Class::String => lex::literal(data, at).map_or(at + 1, |(_, _, end)| end),
        Class::Less if data.get(at + 1) == Some(&b'<') => at + 2,
        Class::Less => memchr::memchr(b'>', &data[at..]).map_or(at + 1, |end| at + end + 1),
        Class::Greater if data.get(at + 1) == Some(&b'>') => at + 2,
        Class::Greater | Class::ArrayStart | Class::ArrayEnd | Class::Stray => at + 1,
        Class::Comment => lex::skip_comment(data, at),
    }
}

/// Offset after the `>>` that ends the dictionary whose content starts at `at`.
fn dict_end(data: &[u8], mut at: usize) -> Option<usize> {
    let mut depth = 0u32;
    while let Some(pair) = data.get(at..at + 2) {
        match pair {
            b"<<" => depth = depth.saturating_add(1),
            b">>" if depth == 0 => return Some(at + 2),
            b">>" => depth -= 1,
            _ => {}
        }
        // A `<` or `(` without end inside would be searched to the end each time: that ends the look.
        let end = skip_token(data, at);
        if end == at + 1 && matches!(CLASS[data[at] as usize], Class::String | Class::Less) {
            return None;
        }
        at = end;
    }
    None
}

/// Entries of a dictionary operand, in order; arrays come as [`Operand::Bytes`] of their content, dictionaries as
/// [`Operand::Dict`]. Keys as written.
pub struct Entries<'c> {
    data: &'c [u8],
    at: usize,
}

impl<'c> Entries<'c> {
    /// Entries of what stands between the brackets.
    pub fn new(data: &'c [u8]) -> Self {
        Self { data, at: 0 }
    }

    /// First value of a key.
    pub fn get(data: &'c [u8], key: &[u8]) -> Option<Operand<'c>> {
        Self::new(data).find_map(|(found, value)| (found == key).then_some(value))
    }

    fn value(&mut self) -> Option<Operand<'c>> {
        loop {
            self.at = lex::skip_white(self.data, self.at);
            let start = self.at;
            let class = CLASS[*self.data.get(start)? as usize];
            self.at = skip_token(self.data, start);
            return Some(match class {
                Class::Number => Operand::Number(lex::number(self.data, start).0),
                Class::Name => Operand::Name(&self.data[start + 1..self.at]),
                Class::String => {
                    let (raw, spelling, _) = lex::literal(self.data, start)?;
                    Operand::String(raw, spelling)
                }
                Class::Less if self.data[start..].starts_with(b"<<") => {
                    self.at = dict_end(self.data, start + 2)?;
                    Operand::Dict(&self.data[start + 2..self.at - 2])
                }
                Class::Less => Operand::String(self.data.get(start + 1..self.at - 1)?, Spelling::Hex),
                Class::ArrayStart => Operand::Bytes(self.array(start + 1)?),
                Class::Keyword => match &self.data[start..self.at] {
                    b"true" => Operand::Bool(true),
                    b"false" => Operand::Bool(false),
                    _ => Operand::Null,
                },
                Class::White | Class::Comment => continue,
                Class::Greater | Class::ArrayEnd | Class::Stray => continue,
            });
        }
    }

    /// Content of the array that starts at `start`; the position moves behind it.
    fn array(&mut self, start: usize) -> Option<&'c [u8]> {
        let mut depth = 0u32;
        loop {
            let at = self.at;
            match self.data.get(at)? {
                b'[' => depth = depth.saturating_add(1),
                b']' if depth == 0 => {
                    self.at = at + 1;
                    return Some(&self.data[start..at]);
                }
                b']' => depth -= 1,
                _ => {}
            }
            self.at = skip_token(self.data, at);
        }
    }
}

impl<'c> Iterator for Entries<'c> {
    type Item = (&'c [u8], Operand<'c>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Operand::Name(key) = self.value()? {
                return Some((key, self.value()?));
            }
        }
    }
}
