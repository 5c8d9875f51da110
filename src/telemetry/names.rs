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
/// Answers of the broker to published messages; label `outcome` (confirmed, missed).
pub const CONFIRMS: &str = "pagesieve_queue_confirms_total";
/// Pages routed to OCR; label `reason`, of which a page has up to eight.
pub const FLAGGED: &str = "pagesieve_worker_flagged_pages_total";
/// Time of a task's steps; label `stage` (score: fetching included, build, upload, commit).
pub const STAGE_SECONDS: &str = "pagesieve_worker_stage_seconds";
/// Time of a look for tasks in the ledger.
pub const LEDGER_SECONDS: &str = "pagesieve_ledger_claim_seconds";
/// Time until nothing is pending at the pace of the last minutes; absent while that is unknown.
pub const JOB_ETA: &str = "pagesieve_job_eta_seconds";
/// When a job was last closed by this coordinator, in seconds since 1970.
pub const JOB_CLOSED_AT: &str = "pagesieve_job_last_closed_timestamp_seconds";
/// 1, with labels `version` and `rules`.
pub const BUILD_INFO: &str = "pagesieve_build_info";

/// What a metric is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Times, in buckets.
    Histogram,
}

/// Every metric, with what `/metrics` tells of it.
pub const ALL: &[(&str, Kind, &str)] = &[
    (CHILDREN_STARTED, Kind::Counter, "Scoring processes started."),
    (CHILD_DEATHS, Kind::Counter, "Attempts on a document that ended without a score; label `cause`."),
    (QUEUE_BLOCKED, Kind::Gauge, "1 while the broker takes no messages (memory or disk alarm)."),
    (OCR_BACKLOG, Kind::Gauge, "Requests in the OCR queue when the relay last looked."),
    (OCR_PUBLISHED, Kind::Counter, "OCR requests published."),
    (DOCUMENTS_PENDING, Kind::Gauge, "Documents in tasks that are not done; what workers are scaled by."),
    (JOBS_UNFINISHED, Kind::Gauge, "Jobs that have not ended."),
    (JOBS_CLOSED, Kind::Counter, "Jobs closed into a snapshot."),
    (LEADING, Kind::Gauge, "1 while this coordinator leads."),
    (DOCUMENTS_RECEIVED, Kind::Counter, "Documents taken from the queue that were not known before."),
    (MESSAGES_REFUSED, Kind::Counter, "Messages put among the dead letters."),
    (DOCUMENTS, Kind::Counter, "Documents committed; label `state`."),
    (PAGES, Kind::Counter, "Pages committed; label `route`."),
    (TASKS_IN_WORK, Kind::Gauge, "Tasks in work."),
    (LEASES_LOST, Kind::Counter, "Tasks whose results were dropped because another worker has them."),
    (OUTBOX_PENDING, Kind::Gauge, "Requests in the outbox that were not sent."),
    (OUTBOX_OLDEST, Kind::Gauge, "Age of the oldest OCR request that was not sent, in seconds."),
    (
        S3_REQUESTS,
        Kind::Counter,
        "Answers of object storage; label `code` (a status with a meaning of its own, or its hundred).",
    ),
    (
        CONFIRMS,
        Kind::Counter,
        "Answers of the broker to published messages; label `outcome` (confirmed, missed).",
    ),
    (FLAGGED, Kind::Counter, "Pages routed to OCR; label `reason`, of which a page has up to eight."),
    (
        STAGE_SECONDS,
        Kind::Histogram,
        "Time of a task's steps; label `stage` (score: fetching included, build, upload, commit).",
    ),
    (LEDGER_SECONDS, Kind::Histogram, "Time of a look for tasks in the ledger."),
    (
        JOB_ETA,
        Kind::Gauge,
        "Time until nothing is pending at the pace of the last minutes; absent while that is unknown.",
    ),
    (JOB_CLOSED_AT, Kind::Gauge, "When a job was last closed by this coordinator, in seconds since 1970."),
    (BUILD_INFO, Kind::Gauge, "1, with labels `version` and `rules`."),
];
