//! Which program made a file: `/Producer` without its version.
//!
//! Rules for real-world strings come later; until then the family is what stands before the first version-like token.

use crate::words::clean;

/// Longest family or version, in characters.
const MAX: usize = 120;

/// Words that announce a version and belong to neither family nor version.
const ANNOUNCERS: [&str; 7] = ["version", "ver.", "ver", "v.", "v", "release", "build"];

/// Family and version of a raw `/Producer`. A family is never empty; a string that begins with its version, or has none,
/// is a family as it stands.
///
/// `Acrobat Distiller 17.0 (Windows)` is (`Acrobat Distiller`, `17.0`); `pdfTeX-1.40.25` is (`pdfTeX`, `1.40.25`).
pub fn family_and_version(producer: &str) -> (String, Option<String>) {
    let text = clean(producer, 512);
    let text = text.trim();
    for (start, token) in tokens(text) {
        let Some((offset, version)) = version_in(token) else { continue };
        let family = trim_family(&text[..start + offset]);
        if !family.is_empty() {
            return (clean(family, MAX), Some(clean(version, MAX)));
        }
    }
    (clean(text, MAX), None)
}

/// Words with their byte offsets.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start_of = move |token: &str| token.as_ptr() as usize - text.as_ptr() as usize;
    text.split_whitespace().map(move |token| (start_of(token), token))
}

/// The version that `token` is, or ends in after `-`, `/` or `_`, with its offset.
fn version_in(token: &str) -> Option<(usize, &str)> {
    let lead = token.len() - token.trim_start_matches(['(', '[']).len();
    let body = token[lead..].trim_end_matches([')', ']', ',', ';', ':', '.']);
    if is_version(body) {
        return Some((lead, body));
    }
    let (at, _) = body.match_indices(['-', '/', '_']).find(|&(at, _)| {
        let rest = &body[at + 1..];
        rest.contains('.') && is_version(rest)
    })?;
    Some((lead + at + 1, &body[at + 1..]))
}

/// `17.0`, `2016`, `v3`, `m121`, `7.0.2p8`, `1.40.25-dev`; not `3D` nor `3-Heights`.
fn is_version(text: &str) -> bool {
    let digits = text.strip_prefix(['v', 'V', 'm', 'r']).unwrap_or(text);
    let (first, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
    !first.is_empty() && first.bytes().all(|b| b.is_ascii_digit()) && rest.chars().all(plain)
}

fn trim_family(text: &str) -> &str {
    let mut family = text;
    loop {
        family = family.trim_end_matches(|c: char| c.is_whitespace() || "([-/_,:;".contains(c));
        let cut = ANNOUNCERS.iter().find_map(|word| {
            let at = family.len().checked_sub(word.len())?;
            let is_word = family.is_char_boundary(at)
                && family[at..].eq_ignore_ascii_case(word)
                && family[..at].ends_with(char::is_whitespace);
            is_word.then_some(at)
        });
        match cut {
            Some(at) => family = &family[..at],
            None => return family,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn families_of_common_producers() {
        for (producer, family, version) in [
            ("Acrobat Distiller 17.0 (Windows)", "Acrobat Distiller", Some("17.0")),
            ("GPL Ghostscript 9.26", "GPL Ghostscript", Some("9.26")),
            ("Microsoft® Word 2016", "Microsoft® Word", Some("2016")),
            ("iText® 5.5.13 ©2000-2018 iText Group NV", "iText®", Some("5.5.13")),
            ("Mac OS X 10.6.8 Quartz PDFContext", "Mac OS X", Some("10.6.8")),
            ("pdfTeX-1.40.25", "pdfTeX", Some("1.40.25")),
            ("MiKTeX pdfTeX-1.40.4", "MiKTeX pdfTeX", Some("1.40.4")),
            ("Skia/PDF m121", "Skia/PDF", Some("m121")),
            ("PDFlib 7.0.2p8 (Linux)", "PDFlib", Some("7.0.2p8")),
            ("3-Heights(TM) PDF Producer 4.5.21.0", "3-Heights(TM) PDF Producer", Some("4.5.21.0")),
            ("PScript5.dll Version 5.2.2", "PScript5.dll", Some("5.2.2")),
            ("xdvipdfmx (20200315)", "xdvipdfmx", Some("20200315")),
            ("Adobe 3D Export", "Adobe 3D Export", None),
            ("wkhtmltopdf_0.12.5", "wkhtmltopdf", Some("0.12.5")),
            ("Adobe PDF Library, v. 15.0;", "Adobe PDF Library", Some("15.0")),
            ("1.4", "1.4", None),
            ("", "", None),
            ("  spaced\tout \u{7} 2 ", "spaced out", Some("2")),
        ] {
            let (got_family, got_version) = family_and_version(producer);
            assert_eq!((got_family.as_str(), got_version.as_deref()), (family, version), "{producer:?}");
        }
    }

    proptest! {
        #[test]
        fn any_string_has_a_capped_family_without_control_characters(producer in "\\PC{0,600}|[\\x00-\\x7f]{0,40}") {
            let (family, version) = family_and_version(&producer);
            prop_assert_eq!(family.is_empty(), clean(&producer, 512).trim().is_empty());
            for text in [Some(family), version].into_iter().flatten() {
                prop_assert!(text.chars().count() <= MAX);
                prop_assert!(!text.chars().any(char::is_control));
            }
        }
    }
}
