//! Every metric, `<stage>_<what>_<unit>_total`. Labels are from bounded sets, never producers, fonts or documents.

/// Scoring processes started.
pub const CHILDREN_STARTED: &str = "pagesieve_isolate_children_started_total";
/// Attempts on a document that ended without a score; label `cause`.
pub const CHILD_DEATHS: &str = "pagesieve_isolate_child_deaths_total";
/// 1 while the broker takes no messages (memory or disk alarm).
pub const QUEUE_BLOCKED: &str = "pagesieve_queue_blocked";
/// Requests in the OCR queue when the relay last looked.
pub const OCR_BACKLOG: &str = "pagesieve_ocr_backlog";
/// OCR requests published.
pub const OCR_PUBLISHED: &str = "pagesieve_ocr_requests_published_total";
