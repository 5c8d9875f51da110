use std::sync::Arc;

use super::*;

/// A file of numbered objects with a correct cross-reference table; object 1 is the catalog.
pub(super) fn file(objects: &[&str]) -> Vec<u8> {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(bytes.len());
        bytes.extend(format!("{} 0 obj\n{object}\nendobj\n", index + 1).bytes());
    }
    let start = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for offset in offsets {
        bytes.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    bytes.extend(
        format!("trailer\n<</Size {}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1).bytes(),
    );
    bytes
}

pub(super) fn open(bytes: Vec<u8>) -> Result<Document, OpenError> {
    Document::open(Arc::from(bytes), &Limits::default())
}

#[test]
fn one_page_with_inherited_attributes() {
    let document = open(file(&[
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Count 1/Kids[3 0 R]/MediaBox[0 0 200 100]/Rotate 90/Resources<</Font<<>>>>>>",
        "<</Type/Page/Parent 2 0 R/CropBox[10 10 500 50]>>",
    ]))
    .unwrap();
    let pages = document.pages();
    assert_eq!(pages.len(), 1);
    assert_eq!(pages[0].crop_box, [10.0, 10.0, 200.0, 50.0]);
    assert_eq!(pages[0].rotate, 90);
    assert!(pages[0].resources.contains_key("Font"));
    assert_eq!(document.findings(), []);
}

#[test]
fn page_listed_twice_is_two_pages() {
    let document = open(file(&[
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Count 2/Kids[3 0 R 3 0 R]>>",
        "<</Type/Page/Parent 2 0 R>>",
    ]))
    .unwrap();
    assert_eq!(document.info().n_pages, 2);
    assert_eq!(document.pages().iter().map(|page| page.index).collect::<Vec<_>>(), [0, 1]);
}

#[test]
fn content_parts_are_joined_by_a_newline() {
    let document = open(file(&[
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Count 1/Kids[3 0 R]>>",
        "<</Type/Page/Parent 2 0 R/Contents[4 0 R 5 0 R]>>",
        "<</Length 1>>stream\nq\nendstream",
        "<</Length 2/Filter/AHx>>stream\n51\nendstream",
    ]))
    .unwrap();
    let mut out = Vec::new();
    assert_eq!(page_content(&document, &document.pages()[0], &mut out), ContentOutcome::default());
    assert_eq!(out, b"q\nQ");
}
