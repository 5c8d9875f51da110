//! Names that echo codes, taken for dingbats (row T3).
//!
//! dvips names the glyphs of its bitmap fonts a0, a1 … by their codes; a1 to a206 are also Zapf's names of his dingbats, and
//! some distillers make a ToUnicode map from them. In ZapfDingbats itself hardly any number is the code.

use super::super::names;
use super::view::{Source, View};

/// Codes that must be so named and mapped.
const MIN_CODES: usize = 8;

/// The drawn codes whose target is the dingbat of a name that counts the code; empty below the threshold.
pub(super) fn find(view: &View<'_>) -> Option<Vec<u32>> {
    let mapped = view.drawn().filter(|code| code.source == Source::ToUnicode && code.claim.is_some());
    let is_dingbat =
        |code: u32, claim: &str| names::unicode_of_name(&format!("a{code}"), true).as_deref() == Some(claim);
    let (mut n, mut codes) = (0, Vec::new());
    for code in mapped {
        n += 1;
        if code.claim.as_deref().is_some_and(|claim| is_dingbat(code.code, claim)) {
            codes.push(code.code);
        }
    }
    (codes.len() >= MIN_CODES && codes.len() * 10 >= n * 8).then_some(codes)
}
