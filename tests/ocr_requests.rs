//! OCR requests: every message against its schema, one per content and page.

use std::collections::BTreeSet;

use serde_json::Value;

use pagesieve::ocr::{OCR_REQUEST_JSON, request_id};
use pagesieve::score::Route;

use crate::synthetic;
use crate::world::{Doc, World, corpus, new_job};

fn queue(world: &World) -> Vec<Value> {
    let text = std::fs::read_to_string(world.root().join("ocr-queue.ndjson")).unwrap();
    let schema = serde_json::from_str(OCR_REQUEST_JSON).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let requests: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for request in &requests {
        let errors: Vec<_> = validator.iter_errors(request).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{request}: {errors:?}");
    }
    let ids: Vec<&str> = requests.iter().map(|request| request["id"].as_str().unwrap()).collect();
    assert!(ids.is_sorted_by(|a, b| a < b), "sorted by id, each once");
    requests
}

fn expected(docs: &[Doc]) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for doc in docs {
        for page in synthetic::document(doc.n, doc.version, 40, 6).pages {
            if page.route == Route::Ocr {
                ids.insert(request_id(&synthetic::sha256_of(doc.n, doc.version), page.page, 0));
            }
        }
    }
    ids
}

fn ids(requests: &[Value]) -> BTreeSet<String> {
    requests.iter().map(|request| request["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn ids_can_be_made_by_anyone() {
    // printf 'v1\n%s\n%d' $(printf '0%.0s' $(seq 64)) 12 | sha256sum
    let id = request_id(&"0".repeat(64), 12, 0);
    assert_eq!(id, "ocr:6c373e782148639a1081f29fdaf27bc184b6f464f8af959c9f2c925c1618fd16");
    // printf 'v1\n%s\n%d\n%d' $(printf '0%.0s' $(seq 64)) 12 1 | sha256sum
    assert_eq!(
        request_id(&"0".repeat(64), 12, 1),
        "ocr:44064b2ec5e3affa54cce5e062fbe3f31ebf2989b27168d4bbb95d2368fbfb7e"
    );
}

#[test]
fn the_schema_refuses_what_is_no_request() {
    let schema: Value = serde_json::from_str(OCR_REQUEST_JSON).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    assert!(!validator.is_valid(&serde_json::json!({})));
    assert!(!validator.is_valid(&serde_json::json!({"specversion": "1.0", "id": "ocr:1"})));
}

#[tokio::test]
async fn the_queue_has_one_valid_request_per_page_and_content() {
    let world = World::new().await;
    let mut docs = corpus(300);
    // Twelve copies of a document that has pages for OCR, far from it by URI.
    let flagged = docs.iter().find(|doc| !expected(std::slice::from_ref(doc)).is_empty()).unwrap().clone();
    docs.extend((0..12).map(|copy| Doc { uri: format!("zz/{copy:02}.pdf"), ..flagged.clone() }));
    let closed = world.scan(&docs).await;
    let requests = queue(&world);
    assert_eq!(ids(&requests), expected(&docs));
    assert!(requests.len() > 20, "{}", requests.len());
    assert_eq!(closed.ocr_requests, requests.len() as u64);

    let sha256 = synthetic::sha256_of(flagged.n, 0);
    let of_copies: Vec<_> = requests.iter().filter(|r| r["data"]["sha256"] == sha256.as_str()).collect();
    for request in of_copies {
        let uris: Vec<&str> =
            request["data"]["uris"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert_eq!((uris.len(), uris[0], uris[9]), (10, flagged.uri.as_str(), "zz/08.pdf"));
        assert_eq!(request["subject"], format!("{sha256}#page={}", request["data"]["page"]));
        assert_eq!(request["data"]["page_count"], synthetic::document(flagged.n, 0, 40, 6).pages.len());
    }
    for request in &requests {
        let proven = request["data"]["reasons"][0]["certainty"] == "proven";
        assert_eq!(proven, !request["data"]["fonts"].as_array().unwrap().is_empty());
        assert_eq!(proven, !request["data"]["regions"].as_array().unwrap().is_empty());
        assert_eq!(request["source"], "/pagesieve/corpus/default");
    }
}

#[tokio::test]
async fn the_queue_follows_the_corpus() {
    let world = World::new().await;
    let docs = corpus(200);
    world.scan(&docs).await;
    let first = queue(&world);
    let pending = |n: usize| {
        let ledger = world.ledger.clone();
        async move { assert_eq!(ledger.pending_requests(10_000).await.unwrap().len(), n) }
    };
    pending(first.len()).await;

    // Half of the corpus is gone; what stays asks with the same words.
    world.scan(&docs[..100]).await;
    let half = queue(&world);
    assert_eq!(ids(&half), expected(&docs[..100]));
    assert!(half.len() < first.len() && half.iter().all(|request| first.contains(request)));
    pending(half.len()).await;

    // It is back, and all is scored by other rules: the same pages, not asked for twice.
    let job = world.work(&new_job("other rules"), &docs, true).await;
    world.close(&job).await.unwrap();
    assert_eq!(ids(&queue(&world)), ids(&first));
    pending(first.len()).await;
}
