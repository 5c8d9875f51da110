//! Spans to a collector over OTLP: HTTP with protobuf, in batches, from a thread of its own.
//!
//! The variables are OpenTelemetry's: `OTEL_EXPORTER_OTLP_ENDPOINT` (or `…_TRACES_ENDPOINT`) switches it on, `OTEL_SERVICE_NAME` and
//! `OTEL_RESOURCE_ATTRIBUTES` name the process. A collector that is away costs nothing but its spans.

use std::sync::OnceLock;

use opentelemetry::Context;
use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState, TracerProvider,
};
use opentelemetry_otlp::SpanExporter;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::{Level, Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::registry::LookupSpan;

/// Variables of which one must be set.
const ENDPOINTS: [&str; 2] = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];

static PROVIDER: OnceLock<SdkTracerProvider> = OnceLock::new();

/// The layer that exports this program's spans; `None` where no collector is named.
pub(super) fn layer<S>() -> Option<impl Layer<S>>
where
    S: Subscriber + for<'a> LookupSpan<'a> + Send + Sync,
{
    if ENDPOINTS.iter().all(|name| std::env::var_os(name).is_none_or(|value| value.is_empty())) {
        return None;
    }
    let exporter = match SpanExporter::builder().with_http().build() {
        Ok(exporter) => exporter,
        Err(error) => {
            // Logging is only about to begin.
            eprintln!("pagesieve: no traces: {}", crate::words::chain(&error));
            return None;
        }
    };
    let mut resource = Resource::builder();
    if std::env::var_os("OTEL_SERVICE_NAME").is_none() {
        resource = resource.with_service_name("pagesieve");
    }
    let provider =
        SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource.build()).build();
    let tracer = provider.tracer("pagesieve");
    let _ = PROVIDER.set(provider); // a process starts logging once
    let ours = Targets::new().with_target("pagesieve", Level::INFO);
    Some(tracing_opentelemetry::layer().with_tracer(tracer).with_filter(ours))
}

/// Makes a span part of a job's trace, below the span that its messages name.
pub(super) fn join(span: &Span, (trace, parent): (u128, u64)) {
    let (trace, parent) = (TraceId::from(trace), SpanId::from(parent));
    let remote = SpanContext::new(trace, parent, TraceFlags::SAMPLED, true, TraceState::default());
    let _ = span.set_parent(Context::new().with_remote_span_context(remote)); // a span that nobody exports has none
}

/// Sends what is left, at the end of the process.
pub(super) fn flush() {
    if let Some(provider) = PROVIDER.get() {
        let _ = provider.shutdown();
    }
}
