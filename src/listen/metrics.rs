//! The metrics of this process as text for Prometheus.

use std::sync::OnceLock;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

use super::ListenError;
use crate::score::{RULES_VERSION, Route, State};
use crate::telemetry::names::{self, Kind};
use crate::words::Word;

/// Upper bounds in seconds: from a commit in a millisecond to a document at its wall limit.
const SECONDS: &[f64] =
    &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];

static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();

/// Records from now on; the same recorder for every port of the process.
pub(super) fn recorder() -> Result<&'static PrometheusHandle, ListenError> {
    if let Some(recorder) = RECORDER.get() {
        return Ok(recorder);
    }
    let failed = |error: &dyn std::fmt::Display| ListenError::Recorder(error.to_string());
    let builder = PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), SECONDS)
        .map_err(|error| failed(&error))?;
    let recorder = builder.install_recorder().map_err(|error| failed(&error))?;
    for (name, kind, help) in names::ALL {
        match kind {
            Kind::Counter => metrics::describe_counter!(*name, *help),
            Kind::Gauge => metrics::describe_gauge!(*name, *help),
            Kind::Histogram => metrics::describe_histogram!(*name, *help),
        }
    }
    begin();
    let version = env!("CARGO_PKG_VERSION");
    metrics::gauge!(names::BUILD_INFO, "version" => version, "rules" => RULES_VERSION).set(1.0);
    Ok(RECORDER.get_or_init(|| recorder))
}

/// Counters begin at 0 rather than with the first event: a rate needs a value before it, and an alert that nothing happens
/// needs a series. Those with labels begin with the words that every job meets; the others come when they are met.
fn begin() {
    for name in [
        names::CHILDREN_STARTED,
        names::OCR_PUBLISHED,
        names::JOBS_CLOSED,
        names::DOCUMENTS_RECEIVED,
        names::MESSAGES_REFUSED,
        names::LEASES_LOST,
    ] {
        metrics::counter!(name).increment(0);
    }
    for state in [State::Scored, State::Encrypted, State::Malformed] {
        metrics::counter!(names::DOCUMENTS, "state" => Word(state).to_string()).increment(0);
    }
    for route in [Route::Keep, Route::Repair, Route::Decode, Route::Ocr] {
        metrics::counter!(names::PAGES, "route" => Word(route).to_string()).increment(0);
    }
    for outcome in ["confirmed", "missed"] {
        metrics::counter!(names::CONFIRMS, "outcome" => outcome).increment(0);
    }
    metrics::gauge!(names::QUEUE_BLOCKED).set(0.0);
}

/// The text; what the histograms hold is drained into their buckets first.
pub(super) fn render(recorder: &PrometheusHandle) -> String {
    recorder.run_upkeep();
    recorder.render()
}
