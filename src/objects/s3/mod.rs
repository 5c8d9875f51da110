//! Object storage that speaks S3, through the AWS SDK.
//!
//! Takes: a bucket and a prefix. Gives: what [`Objects`](super::Objects) promises; a conditional create is a
//! `PUT` with `If-None-Match: *`. Fails: [`ObjectError`](super::ObjectError); what passes (500, 503, connections)
//! is tried again with jitter first. Never: reads a body beyond its cap, or makes a path of a key.

mod buckets;
mod client;
mod error;
#[cfg(test)]
mod faults;
mod root;
#[cfg(test)]
mod tests;
mod write;

pub use buckets::{Body, Buckets, Found};
pub use root::S3;

/// Bucket and key or prefix (which may be empty) of `s3://bucket/key`; `None` where it is something else.
pub fn parse_url(url: &str) -> Option<(&str, &str)> {
    let rest = url.strip_prefix("s3://")?;
    let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_');
    let good = (3..=255).contains(&bucket.len()) && bucket.chars().all(plain);
    (good && key.len() <= 1024 && !key.chars().any(char::is_control)).then_some((bucket, key))
}
