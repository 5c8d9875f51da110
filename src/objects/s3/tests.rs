use super::super::conformance::conformance;
use super::super::{Created, ObjectError, ObjectKey, Objects};
use super::*;
use crate::config::Store;

/// A bucket of its own on the server of the tests.
pub(super) async fn fresh() -> S3 {
    let endpoint = std::env::var("PAGESIEVE_TEST_S3")
        .expect("PAGESIEVE_TEST_S3 names an S3 server for tests; ./test.sh starts one");
    at(&endpoint).await
}

pub(super) async fn at(endpoint: &str) -> S3 {
    // SAFETY: nextest runs one test in a process, and all threads of cargo's runner set the same values.
    unsafe {
        std::env::set_var("AWS_ACCESS_KEY_ID", "pagesieve");
        std::env::set_var("AWS_SECRET_ACCESS_KEY", "pagesieve-secret");
    }
    let store = Store { endpoint: endpoint.to_owned(), region: "us-east-1".to_owned(), path_style: true };
    let bucket = format!("t{}", uuid::Uuid::now_v7().simple());
    let s3 = S3::new(&store, &bucket, "/some/root/");
    s3.buckets.client().await.create_bucket().bucket(&bucket).send().await.unwrap();
    s3
}

fn key(text: &str) -> ObjectKey {
    ObjectKey::new(text).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn s3_is_object_storage() {
    // The race of many writers is in `faults`, one request at a time: moto's conditional write is not atomic.
    let s3 = fresh().await;
    conformance(&s3).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_file_goes_in_parts_and_comes_back_in_pieces() {
    let s3 = fresh().await;
    let bytes: Vec<u8> =
        (0..(17_u32 << 20) + 5).map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let file = s3.scratch().join("large");
    std::fs::write(&file, &bytes).unwrap();
    s3.put_file(&key("large"), &file).await.unwrap();
    assert!(!file.exists());
    assert!(s3.get(&key("large"), 1 << 30, None).await.unwrap() == bytes);
    let etag = s3.head(&key("large")).await.unwrap().unwrap().etag;
    assert!(etag.ends_with("-3"), "three parts: {etag}");
    let copy = s3.local_file(&key("large"), &s3.scratch()).await.unwrap();
    assert!(std::fs::read(&copy).unwrap() == bytes);
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_of_others_are_listed_and_read_whatever_they_look_like() {
    let s3 = fresh().await;
    let client = s3.buckets.client().await;
    let mut keys: Vec<String> =
        ["x/a//b.pdf", "x/../../etc/passwd", "x/ü %41+.pdf", "x/y/1", "x/y/2"].map(String::from).into();
    keys.push(format!("x/{}", "l".repeat(600)));
    for key in &keys {
        client.put_object().bucket(&s3.bucket).key(key).body(b"1".to_vec().into()).send().await.unwrap();
    }
    let (send, mut pages) = tokio::sync::mpsc::channel(100);
    s3.buckets.list(&s3.bucket, "x", send).await.unwrap();
    let mut found = Vec::new();
    while let Some(page) = pages.recv().await {
        found.extend(page.into_iter().map(|found| found.key));
    }
    found.sort();
    keys.sort();
    assert_eq!(found, keys);
    for key in &keys {
        let body = s3.buckets.get(&s3.bucket, key, 10, None).await;
        assert_eq!(body.unwrap().bytes, b"1", "{key}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_bucket_is_the_installations_fault_a_missing_object_is_not() {
    let s3 = fresh().await;
    let missing = s3.buckets.get("no-such-bucket-here", "a", 10, None).await.unwrap_err();
    assert!(matches!(missing, ObjectError::Refused { .. }), "{missing:?}");
    assert!(Buckets::is_ours(&missing) && !missing.is_transient());
    let missing = s3.buckets.get(&s3.bucket, "a", 10, None).await.unwrap_err();
    assert!(matches!(missing, ObjectError::NotFound(_)) && !Buckets::is_ours(&missing), "{missing:?}");
    let refused = s3.buckets.get(&s3.bucket, "a", 10, Some("0")).await.unwrap_err();
    assert!(matches!(refused, ObjectError::NotFound(_) | ObjectError::Changed(_)), "{refused:?}");
    assert_eq!(s3.put_if_absent(&key("a"), b"1".to_vec()).await.unwrap(), Created::Yes);
}

#[test]
fn addresses() {
    assert_eq!(parse_url("s3://bucket/a/b"), Some(("bucket", "a/b")));
    assert_eq!(parse_url("s3://bucket/"), Some(("bucket", "")));
    assert_eq!(parse_url("s3://bucket"), Some(("bucket", "")));
    for wrong in ["", "s3://", "s3://b?x/a", "S3://bucket/a", "/bucket/a", "s3://../a", "s3://bucket/a\u{1b}"]
    {
        // `..` is too short for a bucket.
        assert_eq!(parse_url(wrong), None, "{wrong:?}");
    }
}
