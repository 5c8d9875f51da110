//! What a server's refusals mean.

use std::error::Error;
use std::io;

use aws_sdk_s3::error::{ProvideErrorMetadata, SdkError};

use super::super::ObjectError;

/// Longest text of a server that is passed on.
const TEXT_CHARS: usize = 300;

/// Codes that are the installation's fault, not the object's: they end one document after the other until someone acts.
const OURS: &[&str] = &[
    "ExpiredToken",
    "InvalidAccessKeyId",
    "InvalidToken",
    "NoSuchBucket",
    "RequestTimeTooSkewed",
    "SignatureDoesNotMatch",
];

/// HTTP status of the answer, where there was one.
pub(super) fn status<E>(error: &SdkError<E>) -> Option<u16> {
    error.raw_response().map(|response| response.status().as_u16())
}

/// The error of one call on `key`.
pub(super) fn failed<E>(action: &'static str, key: &str, error: &SdkError<E>) -> ObjectError
where
    E: ProvideErrorMetadata + Error + 'static,
{
    let key = key.to_owned();
    let code = error.code().unwrap_or_default();
    let source = io::Error::other(text(error));
    match status(error) {
        _ if OURS.contains(&code) => ObjectError::Refused { action, key, source },
        Some(404) => ObjectError::NotFound(key),
        Some(412) => ObjectError::Changed(key),
        // 408 and 429 pass; 409 is a conflict with another writer.
        Some(400..=407 | 410..=428 | 430..=499 | 300..=399) => ObjectError::Refused { action, key, source },
        _ => ObjectError::Away { action, key, source },
    }
}

/// Whether the installation is at fault, so that no document is to pay for it.
pub(super) fn is_ours(error: &ObjectError) -> bool {
    let ObjectError::Refused { source, .. } = error else { return false };
    let text = source.to_string();
    OURS.iter().any(|code| text.contains(code))
}

/// `503 SlowDown: Reduce your request rate`, or the causes of a connection that failed.
fn text<E: ProvideErrorMetadata + Error + 'static>(error: &SdkError<E>) -> String {
    let text = match status(error) {
        Some(status) => {
            let code = error.code().unwrap_or("without a code");
            let message = error.message().map(|message| format!(": {message}")).unwrap_or_default();
            format!("{status} {code}{message}")
        }
        None => {
            let mut text = error.to_string();
            let mut cause = error.source();
            while let Some(error) = cause {
                text += &format!(": {error}");
                cause = error.source();
            }
            text
        }
    };
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(TEXT_CHARS).collect()
}
