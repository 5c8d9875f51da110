//! Text from a file or standard input, for `check` and `repair`.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use encoding_rs::Encoding;

use super::exit::usage;
use super::output;

/// Longest text, in bytes.
const MOST_BYTES: u64 = 512 << 20;

/// Where the text is and how it is written.
#[derive(Debug, clap::Args)]
pub(super) struct Source {
    /// A text file; `-` or nothing reads standard input.
    #[arg(value_name = "FILE", default_value = "-")]
    pub(super) file: String,
    /// How the file is written, by its WHATWG name such as `windows-1252`; without it UTF-8, or UTF-16 with a byte order
    /// mark.
    #[arg(long, value_name = "NAME", value_parser = encoding)]
    encoding: Option<&'static Encoding>,
}

fn encoding(name: &str) -> Result<&'static Encoding, String> {
    Encoding::for_label(name.as_bytes())
        .ok_or_else(|| "no such encoding, try `utf-8` or `windows-1252`".to_owned())
}

impl Source {
    /// Reads the whole text. Bytes that are none in its encoding become U+FFFD, and standard error says how many.
    ///
    /// # Errors
    /// When there is no such file, when it is a folder or too long: the caller's.
    pub(super) fn read(&self) -> anyhow::Result<String> {
        let mut bytes = Vec::new();
        let read = if self.file == "-" {
            io::stdin().lock().take(MOST_BYTES + 1).read_to_end(&mut bytes)
        } else {
            File::open(Path::new(&self.file))
                .and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes))
        };
        read.map_err(|error| usage(format!("cannot read `{}`: {error}", self.file)))?;
        if bytes.len() as u64 > MOST_BYTES {
            return Err(usage(format!("`{}` is longer than {} MiB: part it", self.file, MOST_BYTES >> 20)));
        }
        if bytes.starts_with(b"%PDF-") {
            return Err(usage(format!("`{}` is a PDF: use `inspect` or `text`", self.file)));
        }
        if self.encoding.is_none()
            && let Ok(text) = std::str::from_utf8(bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes))
        {
            return Ok(text.to_owned());
        }
        let (text, used, failed) = self.encoding.unwrap_or(encoding_rs::UTF_8).decode(&bytes);
        if failed {
            let n = text.chars().filter(|c| *c == '\u{FFFD}').count();
            output::say(&format!(
                "pagesieve: {n} places are no {}: read as U+FFFD; say how the file is written with --encoding",
                used.name()
            ));
        }
        Ok(text.into_owned())
    }
}
