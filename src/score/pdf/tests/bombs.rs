use std::time::{Duration, Instant};

use super::*;

const OBJECTS: [&[u8]; 3] = [CATALOG, ONE_KID, b"<</Type/Page>>"];

/// Objects followed by so many blanks.
fn padded(blanks: usize, filter: &str, encode: fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let page = [OBJECTS[2], &vec![b' '; blanks]].concat();
    compressed_file(&[OBJECTS[0], OBJECTS[1], &page], filter, encode)
}

fn twice(data: &[u8]) -> Vec<u8> {
    zlib(&zlib(data))
}

fn small() -> Limits {
    Limits { object_stream_bytes: 1 << 20, ..Limits::default() }
}

fn is_over(bytes: &[u8]) -> bool {
    matches!(open_within(bytes, &small()), Err(OpenError::OverLimit(_)))
}

#[test]
fn object_stream_over_the_limit_is_refused() {
    assert!(is_over(&padded(2 << 20, "/FlateDecode", zlib)));
    assert!(is_over(&padded(2 << 20, "/Fl", zlib)));
    assert!(is_over(&padded(2 << 20, "[/Fl/Fl]", twice)));
    assert!(!is_over(&padded(1 << 19, "/FlateDecode", zlib)));
    assert!(!is_over(&padded(1 << 19, "[/Fl/Fl]", twice)));
    assert!(!is_over(&compressed_file(&OBJECTS, "/FlateDecode", zlib)));
}

#[test]
fn many_streams_within_the_limit_may_be_too_many() {
    let one = stream("/Type/ObjStm/N 0/First 0/Filter/FlateDecode", &zlib(&vec![b' '; 1 << 20]));
    let of = |n: usize| file(&[&OBJECTS[..], &vec![one.as_slice(); n]].concat());
    assert!(!is_over(&of(8)));
    assert!(is_over(&of(9)));
}

#[test]
fn cross_reference_stream_is_looked_at_too() {
    let blanks = zlib(&vec![0; 2 << 20]);
    let xref = stream("/Type/XRef/Size 3/W[1 1 1]/Root 1 0 R/Filter/FlateDecode", &blanks);
    assert!(is_over(&file(&[&OBJECTS[..], &[&xref]].concat())));
    let many = stream(
        "/Type/XRef/Size 4000000000/W[0 1 0]/Root 1 0 R/Filter/FlateDecode",
        &zlib(&vec![0; 16 << 20]),
    );
    let refused = open(file(&[&OBJECTS[..], &[&many]].concat()));
    assert!(matches!(refused, Err(OpenError::OverLimit(_))));
    // A size that its data cannot hold is a lie, not a bomb.
    let liar = stream("/Type/XRef/Size 4000000000/W[1 2 1]/Root 1 0 R", b"abcd");
    assert_eq!(open(file(&[&OBJECTS[..], &[&liar]].concat())).unwrap().info().n_pages, 1);
}

#[test]
fn dictionaries_that_do_not_parse_end_the_search() {
    // 4 MB; each dictionary is open to the end of the file.
    let junk = b"1 0 obj <</ObjStm (".repeat(200_000);
    let begin = Instant::now();
    assert_eq!(crate::score::pdf::bombs::check(&junk, &small()), Ok(()));
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
}

#[test]
fn content_bomb_costs_its_cap() {
    let content = stream("/Filter[/Fl/Fl]", &twice(&vec![b' '; 256 << 20]));
    assert!(content.len() < 2000, "{}", content.len());
    let limits = Limits { content_bytes: 4 << 20, ..Limits::default() };
    let document = open_within(one_page(&content, &[]), &limits).unwrap();
    let mut out = Vec::new();
    let begin = Instant::now();
    let outcome = page_content(&document, &document.pages()[0], &mut out);
    assert_eq!(codes(&outcome.findings), [FindingCode::StreamOverLimit]);
    assert_eq!(out.len(), 4 << 20);
    assert!(out.capacity() <= (4 << 20) + 1);
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
}
