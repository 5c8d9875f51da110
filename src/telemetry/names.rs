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
/// Documents in tasks that are not done; what workers are scaled by.
pub const DOCUMENTS_PENDING: &str = "pagesieve_documents_pending";
/// Jobs that have not ended.
pub const JOBS_UNFINISHED: &str = "pagesieve_jobs_unfinished";
/// Jobs closed into a snapshot.
pub const JOBS_CLOSED: &str = "pagesieve_jobs_closed_total";
/// 1 while this coordinator leads.
pub const LEADING: &str = "pagesieve_coordinator_leading";
/// Documents taken from the queue that were not known before.
pub const DOCUMENTS_RECEIVED: &str = "pagesieve_intake_documents_total";
/// Messages put among the dead letters.
pub const MESSAGES_REFUSED: &str = "pagesieve_intake_dead_letters_total";
/// Documents committed; label `state`.
pub const DOCUMENTS: &str = "pagesieve_worker_documents_total";
/// Pages committed; label `route`.
pub const PAGES: &str = "pagesieve_worker_pages_total";
/// Tasks in work.
pub const TASKS_IN_WORK: &str = "pagesieve_worker_tasks_in_work";
/// Tasks whose results were dropped because another worker has them.
pub const LEASES_LOST: &str = "pagesieve_worker_leases_lost_total";
/// Requests in the outbox that were not sent.
pub const OUTBOX_PENDING: &str = "pagesieve_outbox_pending";
/// Age of the oldest of them, in seconds.
pub const OUTBOX_OLDEST: &str = "pagesieve_outbox_oldest_seconds";
/// Answers of object storage; label `code` (a status with a meaning of its own, or its hundred).
pub const S3_REQUESTS: &str = "pagesieve_objects_s3_requests_total";
