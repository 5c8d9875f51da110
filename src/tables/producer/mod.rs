//! Which programs made a file: `/Producer` and `/Creator` as families and versions, in the order they worked.
//!
//! Takes: raw strings. Gives: [`Tool`]s. Never: fails, nor lets through what could change the structure of an output.
//! The rules are in `config/producers.toml`; a string costs one pass of an automaton over all names.

mod rules;
#[cfg(test)]
mod tests;
mod version;

use std::borrow::Cow;

use crate::words::clean;
use rules::RULES;

/// Characters of a raw string that are looked at.
const MAX_RAW: usize = 512;
/// Longest family or version, in characters.
const MAX: usize = 120;
/// Tools named by one string, at most; what is beyond is left out.
const MAX_TOOLS: usize = 8;

/// A program that worked on a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tool {
    /// Its name without version; never empty.
    pub family: String,
    /// Its version, as it is written.
    pub version: Option<String>,
}

/// The tool that wrote a file: the one its raw `/Producer` names first, before others modified it; where the file has no
/// producer, the first of its `/Creator`.
///
/// `Acrobat Distiller 17.0 (Windows)` is `Acrobat Distiller`, version `17.0`; `pdfTeX-1.40.25` is `pdfTeX`, `1.40.25`.
pub fn made_by(producer: Option<&str>, creator: Option<&str>) -> Option<Tool> {
    [producer, creator].into_iter().flatten().find_map(|raw| tools_of(raw).into_iter().next())
}

/// All tools that worked on a file, in order: the creator's, then the producer's, then those that modified it. One that
/// is named twice in a row stands once.
pub(super) fn tool_chain(producer: Option<&str>, creator: Option<&str>) -> Vec<Tool> {
    let mut chain: Vec<Tool> = Vec::new();
    for tool in [creator, producer].into_iter().flatten().flat_map(tools_of) {
        push(&mut chain, tool);
    }
    chain.truncate(MAX_TOOLS);
    chain
}

/// Adds a tool, unless the last one is the same; a version that is known wins over none.
fn push(chain: &mut Vec<Tool>, tool: Tool) {
    if let Some(last) = chain.last_mut().filter(|last| last.family == tool.family) {
        if last.version.is_none() {
            last.version = tool.version;
            return;
        }
        if tool.version.is_none() || last.version == tool.version {
            return;
        }
    }
    chain.push(tool);
}

fn tools_of(raw: &str) -> Vec<Tool> {
    let text = plain(raw);
    let mut tools = Vec::new();
    let pieces = split(&text, &RULES.separators).into_iter();
    let pieces = pieces.flat_map(|piece| split(piece, &RULES.reversed_separators).into_iter().rev());
    for piece in pieces.flat_map(weak_pieces) {
        if let Some(tool) = tool(piece) {
            push(&mut tools, tool);
        }
    }
    tools.truncate(MAX_TOOLS);
    tools
}

/// Without control characters and trade mark signs, one blank between words.
fn plain(raw: &str) -> String {
    let text = clean(raw, MAX_RAW);
    let mut text: Cow<'_, str> = text.as_str().into();
    for mark in ["®", "™", "(TM)", "(tm)", "(Tm)", "(R)", "(r)"] {
        if text.contains(mark) {
            text = text.replace(mark, " ").into();
        }
    }
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out.replace(" .", ".").replace(" ,", ",")
}

/// The pieces between separators, looked for without regard to ASCII case.
fn split<'t>(text: &'t str, separators: &[String]) -> Vec<&'t str> {
    let lower = text.to_ascii_lowercase(); // as long as `text`, byte by byte
    let (mut pieces, mut start) = (Vec::new(), 0);
    while let Some((at, length)) = separators
        .iter()
        .filter_map(|separator| Some((lower[start..].find(separator.as_str())?, separator.len())))
        .min()
    {
        pieces.push(&text[start..start + at]);
        start += at + length;
    }
    pieces.push(&text[start..]);
    pieces
}

/// The pieces of a piece, where rules know all of them; else the piece.
fn weak_pieces(piece: &str) -> Vec<&str> {
    let pieces = split(piece, &RULES.weak_separators);
    if pieces.len() > 1 && pieces.iter().all(|piece| RULES.find(piece).is_some()) {
        pieces
    } else {
        vec![piece]
    }
}

fn tool(piece: &str) -> Option<Tool> {
    let piece = piece.trim();
    if piece.is_empty() {
        return None;
    }
    if let Some(found) = RULES.find(piece) {
        let (before, after) = (&piece[..found.start], &piece[found.end..]);
        let version = match found.version {
            rules::VersionAt::After => version::first(after),
            rules::VersionAt::Before => version::first(before).or_else(|| version::first(after)),
            rules::VersionAt::None => None,
        };
        return Some(Tool {
            family: found.family.to_owned(),
            version: version.map(|version| clean(version, MAX)),
        });
    }
    let (family, version) = version::split(piece);
    Some(Tool { family: clean(family, MAX), version: version.map(|version| clean(version, MAX)) })
}
