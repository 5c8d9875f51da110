//! The rules of `config/producers.toml`, as one automaton.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use figment::providers::{Format, Toml};
use serde::Deserialize;

/// The embedded `config/producers.toml`.
const PRODUCERS_TOML: &str = include_str!("../../../config/producers.toml");

pub(super) static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let file = figment::Figment::from(Toml::string(PRODUCERS_TOML)).extract();
    Rules::new(file.expect("the embedded file is tested"))
});

/// Where the version stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum VersionAt {
    /// Behind the name.
    #[default]
    After,
    /// In front of it; behind it where nothing is there.
    Before,
    /// Nowhere: numbers are models.
    None,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RulesFile {
    separators: Vec<String>,
    reversed_separators: Vec<String>,
    weak_separators: Vec<String>,
    tool: Vec<ToolRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolRule {
    family: String,
    names: Vec<String>,
    #[serde(default)]
    version: VersionAt,
}

pub(super) struct Rules {
    pub(super) separators: Vec<String>,
    pub(super) reversed_separators: Vec<String>,
    pub(super) weak_separators: Vec<String>,
    automaton: AhoCorasick,
    names: Vec<Name>,
    tools: Vec<(String, VersionAt)>,
}

/// A pattern of the automaton.
struct Name {
    /// Index of its rule; smaller ones win.
    tool: usize,
    /// Whether it must begin the string.
    at_start: bool,
}

/// Where a rule found its name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found<'r> {
    pub(super) family: &'r str,
    pub(super) version: VersionAt,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Rules {
    fn new(file: RulesFile) -> Self {
        let (mut patterns, mut names, mut tools) = (Vec::new(), Vec::new(), Vec::new());
        for (tool, rule) in file.tool.iter().enumerate() {
            for name in &rule.names {
                names.push(Name { tool, at_start: name.starts_with('^') });
                patterns.push(name.trim_start_matches('^').to_owned());
            }
            tools.push((rule.family.clone(), rule.version));
        }
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .build(patterns)
            .expect("a few hundred short names");
        let RulesFile { separators, reversed_separators, weak_separators, .. } = file;
        Self { separators, reversed_separators, weak_separators, automaton, names, tools }
    }

    /// The first rule that names `text`; of its names the one that begins first, the longest of these.
    pub(super) fn find(&self, text: &str) -> Option<Found<'_>> {
        let best = self
            .automaton
            .find_overlapping_iter(text)
            .filter(|found| {
                let name = &self.names[found.pattern().as_usize()];
                is_word(text, found.start(), found.end()) && (!name.at_start || found.start() == 0)
            })
            .map(|found| {
                (self.names[found.pattern().as_usize()].tool, found.start(), usize::MAX - found.end())
            })
            .min()?;
        let (family, version) = &self.tools[best.0];
        Some(Found { family, version: *version, start: best.1, end: usize::MAX - best.2 })
    }
}

/// Whether the bytes are a word: no letter or digit before, no letter behind. A digit behind begins the version.
fn is_word(text: &str, start: usize, end: usize) -> bool {
    let before = text[..start].chars().next_back();
    let behind = text[end..].chars().next();
    before.is_none_or(|c| !c.is_alphanumeric()) && behind.is_none_or(|c| !c.is_alphabetic())
}
