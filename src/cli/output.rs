//! What goes to standard output and standard error.

use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Text that came from a file, made harmless for a terminal: control characters (colours, cursor,
/// title) and those that turn the writing direction or break the line become `�`.
pub(super) fn safe(text: &str) -> String {
    text.chars().map(|c| if is_unsafe(c) { '\u{fffd}' } else { c }).collect()
}

fn is_unsafe(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Writes to standard output. A reader that went away (`| head`) is no error.
///
/// # Errors
/// When the output cannot be written for another cause, such as a full disk.
pub(super) fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// A file in `folder` that is to be put in place when it is whole, with the permissions that any new file has.
pub(super) fn unfinished_in(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let any = std::fs::Permissions::from_mode(0o666); // less what the umask takes away
    tempfile::Builder::new().permissions(any).tempfile_in(folder)
}

/// A line for the person at the terminal, on standard error; nobody may be reading.
pub(super) fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_steer_the_terminal() {
        assert_eq!(safe("a\x1b[31mb\u{9b}c\u{202e}d\ne"), "a\u{fffd}[31mb\u{fffd}c\u{fffd}d\u{fffd}e");
        assert_eq!(safe("Zürich 東京 مرحبا"), "Zürich 東京 مرحبا");
    }
}
