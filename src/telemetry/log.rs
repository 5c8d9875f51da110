//! Log lines on standard error, and spans to a collector in builds with the feature `otlp`.

use std::io::{self, IsTerminal, Write};

use tracing::Subscriber;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::{EnvFilter, Layer, Registry};

use super::progress;

/// Variable with the filter, such as `debug` or `pagesieve::isolate=debug`; `warn` without it.
const VARIABLE: &str = "PAGESIEVE_LOG";
/// Variable with the form of lines: `json` for one object a line, with time and target; else for people.
const FORM: &str = "PAGESIEVE_LOG_FORMAT";

/// Starts logging; later calls change nothing. An unreadable filter is `warn`.
pub fn start_logging() {
    let filter = std::env::var(VARIABLE).ok().and_then(|filter| EnvFilter::try_new(filter).ok());
    let filter = filter.unwrap_or_else(|| EnvFilter::new("warn"));
    let is_json = std::env::var(FORM).is_ok_and(|form| form.eq_ignore_ascii_case("json"));
    let lines = if is_json { for_machines(AboveTheBar) } else { for_people(AboveTheBar) };
    let subscriber = Registry::default().with(lines.with_filter(filter));
    #[cfg(feature = "otlp")]
    let subscriber = subscriber.with(super::otlp::layer());
    // Not `init`: that would bring in what libraries write with the `log` crate, and the readers of PDF files
    // write of their documents.
    let _ = tracing::subscriber::set_global_default(subscriber);
}

type Lines<S> = Box<dyn Layer<S> + Send + Sync>;

fn for_people<S, W>(writer: W) -> Lines<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer().with_writer(writer);
    lines.with_ansi(io::stderr().is_terminal()).with_target(false).without_time().boxed()
}

fn for_machines<S, W>(writer: W) -> Lines<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    tracing_subscriber::fmt::layer()
        .json()
        .flatten_event(true)
        .with_span_list(false)
        .with_writer(writer)
        .boxed()
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

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::telemetry::trace;

    #[derive(Clone, Default)]
    struct Memory(Arc<Mutex<Vec<u8>>>);

    impl Write for Memory {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_line_of_json_is_one_object_whatever_it_holds() {
        let memory = Memory::default();
        let writer = memory.clone();
        let subscriber = Registry::default().with(for_machines(move || writer.clone()));
        tracing::subscriber::with_default(subscriber, || {
            let span = trace::span("01a2327d-4331-75c2-9061-5cc613a8d37d", "close");
            let _inside = span.enter();
            tracing::warn!(document.key = "a\u{1b}[31m\n\"b", "retrying");
        });
        let text = String::from_utf8(memory.0.lock().unwrap().clone()).unwrap();
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(!text.contains('\u{1b}'), "{text:?}");
        let line: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&line["level"], &line["message"]), (&"WARN".into(), &"retrying".into()));
        assert_eq!(line["document.key"], "a\u{1b}[31m\n\"b");
        assert_eq!(line["span"]["job"], "01a2327d-4331-75c2-9061-5cc613a8d37d");
        assert!(line["timestamp"].is_string() && line["target"].is_string(), "{line}");
    }
}
