//! Local paths as URIs and back.

use std::ffi::OsString;
use std::fmt::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

const SCHEME: &str = "file://";

/// `file://` and the absolute path, bytes that have no place in an IRI (RFC 3987) as `%XX`: control
/// characters, spaces, `" # % < > ? \ ^ { | }`, the backtick, and what is not UTF-8. Letters of all scripts stay.
pub fn from_path(path: &Path) -> String {
    let mut uri = SCHEME.to_owned();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            if stands(c) {
                uri.push(c);
            } else {
                escape(&mut uri, c.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        escape(&mut uri, chunk.invalid());
    }
    uri
}

/// The path of a `file://` URI, or `None` when it is another kind, names a host, or is no valid escape.
pub fn to_path(uri: &str) -> Option<PathBuf> {
    let path = uri.strip_prefix(SCHEME).filter(|path| path.starts_with('/'))?;
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = if *first == b'%' {
            let (digits, tail) = tail.split_first_chunk::<2>()?;
            bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
            tail
        } else {
            bytes.push(*first);
            tail
        };
    }
    // A path cannot hold it, and every system call would refuse it.
    (!bytes.contains(&0)).then(|| PathBuf::from(OsString::from_vec(bytes)))
}

fn stands(c: char) -> bool {
    let excluded = matches!(c, ' ' | '"' | '#' | '%' | '<' | '>' | '?' | '\\' | '^' | '`' | '{' | '|' | '}');
    // Invisible characters that steer the writing direction are excluded by RFC 3987, 4.1.
    let steering = matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !(excluded || steering || c.is_control())
}

fn escape(uri: &mut String, bytes: &[u8]) {
    for byte in bytes {
        write!(uri, "%{byte:02X}").expect("a string takes what is written");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn letters_stay_and_the_rest_is_escaped() {
        assert_eq!(from_path(Path::new("/a/Bericht 1.pdf")), "file:///a/Bericht%201.pdf");
        assert_eq!(from_path(Path::new("/a/تقرير.pdf")), "file:///a/تقرير.pdf");
        assert_eq!(from_path(Path::new("/a/\x1b[31m?#%.pdf")), "file:///a/%1B[31m%3F%23%25.pdf");
        let latin1 = PathBuf::from(OsString::from_vec(b"/\xe9t\xe9.pdf".to_vec()));
        assert_eq!(from_path(&latin1), "file:///%E9t%E9.pdf");
    }

    #[test]
    fn what_is_no_local_path_is_refused() {
        for uri in [
            "s3://bucket/key",
            "file://host/share/a.pdf",
            "/a.pdf",
            "file:///a%2",
            "file:///a%zz",
            "file:///%00",
        ] {
            assert_eq!(to_path(uri), None, "{uri}");
        }
    }

    proptest! {
        #[test]
        fn every_path_comes_back(bytes in proptest::collection::vec(1_u8..=255, 0..40)) {
            let mut path = b"/".to_vec();
            path.extend(bytes);
            let path = PathBuf::from(OsString::from_vec(path));
            let uri = from_path(&path);
            prop_assert!(!uri.chars().any(char::is_control));
            prop_assert_eq!(to_path(&uri), Some(path));
        }
    }
}
