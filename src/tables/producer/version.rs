//! Version-like words.

/// Words that announce a version and belong to neither family nor version.
const ANNOUNCERS: [&str; 7] = ["version", "ver.", "ver", "v.", "v", "release", "build"];

/// The first version in the text behind a name. What follows a copyright sign is a year.
pub(super) fn first(text: &str) -> Option<&str> {
    let edition = || tokens(text).map(|(_, token)| token).find(|token| is_edition(token));
    let body = text.trim_start_matches(['-', '/', '_', '=', ':', ',', ' ']);
    let words = tokens(body).map(|(_, token)| token).take_while(|token| !is_copyright(token));
    words.filter_map(version_in).map(|(_, version)| version).next().or_else(edition)
}

/// Family and version of a string that no rule knows. A family is never empty; a string that begins with its version, or has
/// none, is a family as it stands.
pub(super) fn split(text: &str) -> (&str, Option<&str>) {
    for (start, token) in tokens(text) {
        let Some((offset, version)) = version_in(token) else { continue };
        let family = trim_family(&text[..start + offset]);
        if !family.is_empty() {
            return (family, Some(version));
        }
    }
    (text, None)
}

/// Words with their byte offsets.
fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let start_of = move |token: &str| token.as_ptr() as usize - text.as_ptr() as usize;
    text.split_whitespace().map(move |token| (start_of(token), token))
}

fn is_copyright(token: &str) -> bool {
    token.starts_with('©') || token.eq_ignore_ascii_case("copyright") || token.eq_ignore_ascii_case("(c)")
}

/// `CS6` of a suite whose versions are letters.
fn is_edition(token: &str) -> bool {
    token.strip_prefix("CS").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The version that `token` is, or ends in after `-`, `/`, `_` or `=`, with its offset.
fn version_in(token: &str) -> Option<(usize, &str)> {
    let lead = token.len() - token.trim_start_matches(['(', '[']).len();
    let body = token[lead..].split(['(', ')', '[', ']']).next().unwrap_or_default();
    let body = body.trim_end_matches([',', ';', ':', '.']);
    if let Some(version) = as_version(body) {
        return Some((lead + body.len() - version.len(), version));
    }
    if let Some((numbers, _)) = body.split_once('/')
        && numbers.contains('.')
        && let Some(version) = as_version(numbers)
    {
        return Some((lead + numbers.len() - version.len(), version));
    }
    let (at, version) = body.match_indices(['-', '/', '_', '=']).find_map(|(at, _)| {
        let rest = &body[at + 1..];
        Some((at, as_version(rest).filter(|_| rest.contains('.'))?))
    })?;
    Some((lead + at + 1, version))
}

/// `17.0`, `2016`, `3` of `v3`, `m121`, `7.0.2p8`, `1.40.25-dev`; not `3D`, `3-Heights` nor `6.org`.
fn as_version(text: &str) -> Option<&str> {
    let numbers = text.strip_prefix(['v', 'V', 'r', 'm']).unwrap_or(text);
    let (first, rest) = numbers.split_once('.').unwrap_or((numbers, ""));
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
    let is_version = !first.is_empty()
        && first.bytes().all(|b| b.is_ascii_digit())
        && rest.chars().all(plain)
        && rest.chars().next().is_none_or(|c| c.is_ascii_digit() || matches!(c, 'x' | 'X'));
    // The milestones of Chrome are written with their letter everywhere.
    is_version.then_some(if text.starts_with('m') { text } else { numbers })
}

fn trim_family(text: &str) -> &str {
    let mut family = text;
    loop {
        family = family.trim_end_matches(|c: char| c.is_whitespace() || "([-/_,:;=".contains(c));
        let cut = ANNOUNCERS.iter().find_map(|word| {
            let at = family.len().checked_sub(word.len())?;
            let is_word = family.is_char_boundary(at)
                && family[at..].eq_ignore_ascii_case(word)
                && family[..at].ends_with(char::is_whitespace);
            is_word.then_some(at)
        });
        match cut {
            Some(at) => family = &family[..at],
            // The letter of a version that is written without it.
            None => return family.strip_suffix(" v").unwrap_or(family),
        }
    }
}
