//! Codes that were handed out as they were needed (rows S15 and T2).
//!
//! A subsetter that numbers glyphs in order of first use leaves codes that mean nothing: the content stream itself
//! shows it, because each new code is the successor of the one before. No text in a real encoding does that.

/// New codes in a row that prove the habit: at 12, text in an alphabet would have to use its letters in the order of
/// their codes.
const MIN_CODES: usize = 12;

/// Whether codes, in order of first use, were allocated in that order. One step in ten may be missing (a glyph that is drawn
/// invisibly, or on another page).
pub(super) fn is_first_use(first_use: &[u32]) -> bool {
    if first_use.len() < MIN_CODES {
        return false;
    }
    let steps = first_use.windows(2);
    let in_turn = steps.clone().filter(|pair| pair[1] > pair[0] && pair[1] - pair[0] <= 2).count();
    in_turn * 10 >= steps.count() * 9
}

#[cfg(test)]
mod tests {
    use super::is_first_use;

    /// Codes of a text in order of first use.
    fn first_use(text: &str) -> Vec<u32> {
        let mut seen = Vec::new();
        for c in text.chars() {
            if !seen.contains(&(c as u32)) {
                seen.push(c as u32);
            }
        }
        seen
    }

    #[test]
    fn s15_codes_in_order_of_first_use_are_private() {
        assert!(is_first_use(&(33..60).collect::<Vec<_>>()));
        let with_gap: Vec<u32> = (33..60).filter(|code| *code != 40).collect();
        assert!(is_first_use(&with_gap));
    }

    #[test]
    fn s15_twin_text_in_an_encoding_is_not() {
        assert!(!is_first_use(&first_use("the quick brown fox jumps over the lazy dog")));
        assert!(!is_first_use(&first_use("0123456789"))); // a count: too short to tell
        assert!(!is_first_use(&first_use("abcdefgh said Jack")));
    }
}
