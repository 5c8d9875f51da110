//! Log lines on standard error.

use std::io::{self, IsTerminal, Write};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use super::progress;

/// Variable with the filter, such as `debug` or `pagesieve::isolate=debug`; `warn` without it.
const VARIABLE: &str = "PAGESIEVE_LOG";

/// Starts logging for a person at a terminal; later calls change nothing. An unreadable filter is `warn`.
pub fn start_logging() {
    let filter = std::env::var(VARIABLE).ok().and_then(|filter| EnvFilter::try_new(filter).ok());
    let filter = filter.unwrap_or_else(|| EnvFilter::new("warn"));
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(AboveTheBar)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .without_time()
        .finish();
    // Not `init`: that would bring in what libraries write with the `log` crate, and the readers of PDF files
    // write of their documents.
    let _ = tracing::subscriber::set_global_default(lines);
}

/// Standard error; the progress bar makes room for each line. Control characters never get through.
#[derive(Debug, Clone, Copy)]
struct AboveTheBar;

impl Write for AboveTheBar {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        progress::aside(|| io::stderr().write_all(line))?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

impl MakeWriter<'_> for AboveTheBar {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        *self
    }
}
