//! Files built byte by byte: each fault beside its healthy twin.

mod bombs;
mod content;
mod encrypted;
mod info;
mod open;
mod survival;

use std::io::Write;
use std::sync::Arc;

use super::*;
use crate::score::evidence::FindingCode;

const CATALOG: &[u8] = b"<</Type/Catalog/Pages 2 0 R>>";
const ONE_KID: &[u8] = b"<</Type/Pages/Count 1/Kids[3 0 R]>>";
const PAGE: &[u8] = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R>>";

/// Numbered objects, a correct cross-reference table, and a trailer; object 1 is the catalog.
fn file(objects: &[&[u8]]) -> Vec<u8> {
    file_with_trailer(objects, "/Root 1 0 R")
}

fn file_with_trailer(objects: &[&[u8]], trailer: &str) -> Vec<u8> {
    let (mut bytes, offsets) = body(objects);
    let start = bytes.len();
    let size = objects.len() + 1;
    bytes.extend(format!("xref\n0 {size}\n0000000000 65535 f \n").bytes());
    for offset in offsets {
        bytes.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    bytes.extend(format!("trailer\n<</Size {size}{trailer}>>\nstartxref\n{start}\n%%EOF\n").bytes());
    bytes
}

fn body(objects: &[&[u8]]) -> (Vec<u8>, Vec<usize>) {
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(bytes.len());
        bytes.extend(format!("{} 0 obj\n", index + 1).bytes());
        bytes.extend_from_slice(object);
        bytes.extend_from_slice(b"\nendobj\n");
    }
    (bytes, offsets)
}

/// As [`file`], with the objects in an object stream and a cross-reference stream, both under `filter`.
fn compressed_file(objects: &[&[u8]], filter: &str, encode: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let n = objects.len();
    let (mut index, mut members) = (String::new(), Vec::new());
    for (position, object) in objects.iter().enumerate() {
        index += &format!("{} {} ", position + 1, members.len());
        members.extend_from_slice(object);
        members.push(b'\n');
    }
    let first = index.len();
    let data = encode(&[index.as_bytes(), &members].concat());
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let container = bytes.len();
    let dict = format!("/Type/ObjStm/N {n}/First {first}/Filter {filter}");
    bytes.extend([format!("{} 0 obj\n", n + 1).as_bytes(), &stream(&dict, &data), b"\nendobj\n"].concat());
    let start = bytes.len();
    let mut entries = vec![0u8; 6];
    for position in 0..n {
        entries.extend([&[2], (n as u32 + 1).to_be_bytes().as_slice(), &[position as u8]].concat());
    }
    for offset in [container, start] {
        entries.extend([&[1], (offset as u32).to_be_bytes().as_slice(), &[0]].concat());
    }
    let dict = format!("/Type/XRef/Size {}/W[1 4 1]/Root 1 0 R/Filter {filter}", n + 3);
    bytes.extend([format!("{} 0 obj\n", n + 2).as_bytes(), &stream(&dict, &encode(&entries))].concat());
    bytes.extend(format!("\nendobj\nstartxref\n{start}\n%%EOF\n").bytes());
    bytes
}

fn stream(entries: &str, data: &[u8]) -> Vec<u8> {
    raw_stream(&format!("{entries}/Length {}", data.len()), data)
}

/// A stream whose `/Length` is what the entries say.
fn raw_stream(entries: &str, data: &[u8]) -> Vec<u8> {
    [format!("<<{entries}>>stream\n").as_bytes(), data, b"\nendstream"].concat()
}

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// One page whose content is the given object, with more objects after it.
fn one_page(content: &[u8], more: &[&[u8]]) -> Vec<u8> {
    file(&[&[CATALOG, ONE_KID, PAGE, content], more].concat())
}

fn open(bytes: impl AsRef<[u8]>) -> Result<Document, OpenError> {
    open_within(bytes, &Limits::default())
}

fn open_within(bytes: impl AsRef<[u8]>, limits: &Limits) -> Result<Document, OpenError> {
    Document::open(Arc::from(bytes.as_ref()), limits)
}

fn codes(findings: &[Finding]) -> Vec<FindingCode> {
    findings.iter().map(|finding| finding.code).collect()
}

/// The first page's content.
fn content_of(bytes: impl AsRef<[u8]>) -> (Vec<u8>, ContentOutcome) {
    let document = open(bytes).unwrap();
    let mut out = b"left over".to_vec();
    let outcome = page_content(&document, &document.pages()[0], &mut out);
    (out, outcome)
}

/// The error of a file that must not open.
fn refusal(bytes: impl AsRef<[u8]>) -> OpenError {
    open(bytes).err().expect("it must not open")
}
