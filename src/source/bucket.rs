//! Objects of a bucket as documents.

use std::thread;

use tokio::sync::mpsc;

use super::{DocumentRef, FetchError, Fetched, Listed};
use crate::config::Store;
use crate::objects::{Buckets, Found, ObjectError};
use crate::words::chain;

/// Pages of a listing that wait to be taken.
const PAGES_AHEAD: usize = 4;

/// The documents below a prefix, in no order; at the end a problem when the listing is not whole. Nothing is read of any.
pub(super) fn list(
    store: &Store,
    bucket: String,
    prefix: String,
) -> impl Iterator<Item = Listed> + Send + use<> {
    let (send, mut pages) = mpsc::channel(PAGES_AHEAD);
    let buckets = Buckets::new(store);
    let (listed, exact, place) = (bucket.clone(), prefix.clone(), format!("s3://{bucket}/{prefix}"));
    // A thread with an event loop of its own: whoever takes the documents blocks.
    let mut lister = Some(thread::spawn(move || -> Result<(), String> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        runtime.block_on(buckets.list(&listed, &prefix, send)).map_err(|error| chain(&error))
    }));
    let mut page = Vec::new().into_iter();
    std::iter::from_fn(move || {
        loop {
            for found in page.by_ref() {
                if let Some(listed) = document(&bucket, found, &exact) {
                    return Some(listed);
                }
            }
            match pages.blocking_recv() {
                Some(next) => page = Vec::into_iter(next),
                None => {
                    let ended = lister.take()?.join();
                    let why = ended.unwrap_or_else(|_| Err("internal error".to_owned())).err()?;
                    return Some(Listed::Problem { place: place.clone(), why });
                }
            }
        }
    })
}

fn document(bucket: &str, found: Found, exact: &str) -> Option<Listed> {
    let is_pdf =
        found.key.len() >= 4 && found.key.as_bytes()[found.key.len() - 4..].eq_ignore_ascii_case(b".pdf");
    if !is_pdf && found.key != exact {
        return None;
    }
    let uri = format!("s3://{bucket}/{}", found.key);
    if uri.chars().any(char::is_control) {
        let why = "a key with control characters; rename the object".to_owned();
        return Some(Listed::Problem { place: uri, why });
    }
    let etag = Some(found.etag).filter(|etag| !etag.is_empty());
    Some(Listed::Document(DocumentRef { uri, etag, size_bytes: Some(found.size_bytes) }))
}

/// Reads a whole object of at most `limit_bytes`: the listed version, or where that is gone the one that took its place.
///
/// # Errors
/// See [`FetchError`]; of [`FetchError::Storage`] the caller tells whose fault it is.
pub async fn fetch_object(
    buckets: &Buckets,
    bucket: &str,
    key: &str,
    etag: Option<&str>,
    limit_bytes: u64,
) -> Result<Fetched, FetchError> {
    let body = match buckets.get(bucket, key, limit_bytes, etag).await {
        Err(ObjectError::Changed(_)) => buckets.get(bucket, key, limit_bytes, None).await,
        other => other,
    };
    match body {
        Ok(body) => Ok(Fetched { bytes: body.bytes.into(), etag: body.etag }),
        Err(ObjectError::NotFound(_)) => Err(FetchError::Missing),
        Err(ObjectError::TooLarge { size_bytes, limit_bytes, .. }) => {
            Err(FetchError::TooLarge { size_bytes, limit_bytes })
        }
        Err(error) => Err(FetchError::Storage(error)),
    }
}
