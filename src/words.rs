//! The contract's words: how an enum is spelled in tables, messages and the ledger.
//!
//! The spelling is serde's, so JSON, Parquet and SQL cannot disagree.

use std::fmt;

use serde::Serialize;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{DeserializeOwned, IntoDeserializer};

/// Prints a unit variant as serde spells it.
#[derive(Debug, Clone, Copy)]
pub struct Word<T>(pub T);

impl<T: Serialize> fmt::Display for Word<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.serialize(f)
    }
}

/// The variant spelled `word`, or `None`.
pub fn parse_word<T: DeserializeOwned>(word: &str) -> Option<T> {
    let deserializer: StrDeserializer<'_, Error> = word.into_deserializer();
    T::deserialize(deserializer).ok()
}

/// Text that cannot change the structure of an output: control characters, bidi controls, line separators and characters
/// without width that joiners of scripts are not become spaces, at most `max` characters stay.
pub fn clean(text: &str, max: usize) -> String {
    let steers = |c: char| {
        matches!(
            c,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
                | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
        )
    };
    text.chars().map(|c| if c.is_control() || steers(c) { ' ' } else { c }).take(max).collect()
}

/// An error with its causes, on one harmless line; a cause that its effect already quotes is left out.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !text.ends_with(&words) {
            text = format!("{text}: {words}");
        }
        cause = error.source();
    }
    clean(&text, 500)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{Route, State};

    #[test]
    fn words_are_serdes_and_come_back() {
        assert_eq!(Word(State::OverLimit).to_string(), "over_limit");
        assert_eq!(parse_word("over_limit"), Some(State::OverLimit));
        assert_eq!(parse_word::<Route>("over_limit"), None);
    }

    #[test]
    fn hostile_text_is_tamed() {
        assert_eq!(clean("a\n\u{1b}[31m\u{202e}b\0", 99), "a  [31m b ");
        assert_eq!(clean("äöü", 2), "äö");
    }
}
