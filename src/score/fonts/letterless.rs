//! Font families that hold no letters: what they draw is no text, dead or alive.

/// Published families of music notation (lower case, without spaces and hyphens; a prefix of the family's name).
const MUSIC: &[&str] = &[
    "gnulilypondfeta",
    "gnulilypondparmesan",
    "feta",
    "parmesan",
    "emmentaler",
    "bravura",
    "leland",
    "petaluma",
    "maestro",
    "petrucci",
    "sonata",
    "opusstd",
    "opusspecial",
    "inkpen2",
    "gootville",
    "gonville",
    "mscore",
    "finalemaestro",
    "musicalsymbols",
    "novembre",
    "november2",
    "profondo",
    "haydn",
];

/// Whether a family is known to draw letters at all; an unknown family is.
pub(in crate::score) fn holds_letters(family: Option<&str>) -> bool {
    let Some(family) = family else { return true };
    let plain: String =
        family.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).take(40).collect();
    !MUSIC.iter().any(|name| plain.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::holds_letters;

    #[test]
    fn notes_are_no_letters_and_a_text_family_is() {
        assert!(!holds_letters(Some("GNU-LilyPond-feta-20")));
        assert!(!holds_letters(Some("Bravura")));
        assert!(holds_letters(Some("Helvetica")) && holds_letters(None));
    }
}
