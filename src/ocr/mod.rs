//! Pages routed to OCR → OCR requests.
//!
//! Takes: scored documents. Gives: one [`OcrRequest`] per distinct (content, page) with route `ocr`, a CloudEvents 1.0 message;
//! at close the file `ocr-queue.ndjson`. Fails: never on a document. Never: asks twice for one content, whatever the night, the
//! rules or the URI; carries document text.

mod queue_file;
mod relay;
mod request;

pub use queue_file::{QueueFile, QueueFileError, request_ids, write_queue_file};
pub use relay::Relay;
pub use request::{
    MAX_FONTS, MAX_URIS, OCR_REQUEST_JSON, OcrData, OcrFont, OcrReason, OcrRequest, request_id, requests,
};
