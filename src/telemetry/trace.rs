//! Traces: one a job, named after it, so that whoever knows the job can join its trace without being told.
//!
//! The trace id is the job's UUID, the id of a part's span follows from the part's name: messages of a job carry the same
//! `traceparent` whichever process sends them, and nothing has to be stored for it.

use sha2::{Digest, Sha256};

/// Name of the header, of HTTP and of AMQP.
pub const TRACEPARENT: &str = "traceparent";

/// The [W3C trace context](https://www.w3.org/TR/trace-context-2/) of a part of a job (`submit`, `task 7`): version 00, sampled, with
/// a random trace id. `None` where the job is no UUID.
pub fn traceparent(job: &str, part: &str) -> Option<String> {
    let (trace, span) = ids(job, part)?;
    Some(format!("00-{trace:032x}-{span:016x}-03"))
}

/// A span of a job's trace, below the one that its messages name (`submit`). Exported in builds with the feature `otlp`.
pub fn span(job: &str, part: &'static str) -> tracing::Span {
    let span = tracing::info_span!("job", otel.name = part, job, task = tracing::field::Empty);
    #[cfg(feature = "otlp")]
    if let Some(submit) = ids(job, "submit") {
        super::otlp::join(&span, submit);
    }
    span
}

/// Sends the spans that were not sent yet; the last call before a process ends.
pub fn flush() {
    #[cfg(feature = "otlp")]
    super::otlp::flush();
}

/// Trace and span id of a part of a job; neither is 0.
pub(crate) fn ids(job: &str, part: &str) -> Option<(u128, u64)> {
    let trace = uuid::Uuid::parse_str(job).ok()?.as_u128();
    let hash = Sha256::digest(format!("{job}\n{part}"));
    let span = u64::from_be_bytes(hash[..8].try_into().expect("eight of 32 bytes"));
    (trace != 0).then_some((trace, span.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_a_trace() {
        let job = "01a2327d-4331-75c2-9061-5cc613a8d37d";
        let submit = traceparent(job, "submit").unwrap();
        assert!(
            submit.starts_with("00-01a2327d433175c290615cc613a8d37d-") && submit.ends_with("-03"),
            "{submit}"
        );
        assert_eq!(submit.len(), 55);
        assert_eq!(Some(&submit), traceparent(job, "submit").as_ref());
        assert_ne!(Some(submit), traceparent(job, "task 1"));
        assert_eq!(traceparent("a job", "submit"), None);
        assert_eq!(traceparent("00000000-0000-0000-0000-000000000000", "submit"), None);
    }
}
