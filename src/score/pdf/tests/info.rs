use super::*;
use crate::score::pdf::info::text;

#[test]
fn strings_in_every_encoding() {
    let of = |bytes: &[u8]| text(bytes);
    assert_eq!(of(b"pdfTeX-1.40.25").as_deref(), Some("pdfTeX-1.40.25"));
    assert_eq!(of(b"Microsoft\xae Word \x84 \xa0\x92\x80\x18").as_deref(), Some("Microsoft® Word — €™•˘"));
    assert_eq!(of("Microsoft® Word".as_bytes()).as_deref(), Some("Microsoft® Word"), "UTF-8 without a mark");
    assert_eq!(of(b"\xef\xbb\xbfW\xc3\xb6rd").as_deref(), Some("Wörd"));
    assert_eq!(of(b"\xfe\xff\0W\x04\x10\xd8\x3d\xde\0").as_deref(), Some("WА😀"));
    assert_eq!(of(b"\xff\xfeW\0\x10\x04").as_deref(), Some("WА"));
    assert_eq!(of(b"\xfe\xff\0\x1b\0e\0n\0\x1b\0W\0o").as_deref(), Some("Wo"), "language marks");
    assert_eq!(of(b"\xfe\xff\xd8\x3d\0W").as_deref(), Some("\u{fffd}W"), "half a surrogate pair");
}

#[test]
fn controls_blanks_and_length() {
    assert_eq!(text(b"  a\0b\r\nc\x7f  ").as_deref(), Some("abc"));
    assert_eq!(text(b" \0\r\n "), None);
    assert_eq!(text(b""), None);
    assert_eq!(text(b"\xfe\xff"), None);
    assert_eq!(text(&[b'x'; 5000]).map(|text| text.len()), Some(512));
}

fn with_metadata(xmp: &[u8], info: &[u8]) -> DocumentInfo {
    let catalog = b"<</Type/Catalog/Pages 2 0 R/Metadata 4 0 R/Version/2.0>>";
    let bytes = file_with_trailer(
        &[catalog, ONE_KID, b"<</Type/Page>>", &stream("/Type/Metadata/Filter/Fl", &zlib(xmp)), info],
        "/Root 1 0 R/Info 5 0 R",
    );
    open(bytes).unwrap().info().clone()
}

#[test]
fn metadata_stream_fills_what_the_dictionary_lacks() {
    let elements = "<x><pdf:Producer>A &amp; B&#x41;</pdf:Producer>\n<xmp:CreatorTool xml:lang='x'> C </xmp:CreatorTool>";
    let info = with_metadata(elements.as_bytes(), b"<</Producer(From Info)>>");
    assert_eq!((info.producer.as_deref(), info.creator.as_deref()), (Some("From Info"), Some("C")));
    let info = with_metadata(elements.as_bytes(), b"<<>>");
    assert_eq!(info.producer.as_deref(), Some("A & BA"));
    let attributes = b"<rdf:Description pdf:Producer='P &lt;1&gt;' xmp:CreatorTool = \"T\"/>";
    let info = with_metadata(attributes, b"<</Producer()/Creator(\\000)>>");
    assert_eq!((info.producer.as_deref(), info.creator.as_deref()), (Some("P <1>"), Some("T")));
    let wide: Vec<u8> =
        "\u{feff}<pdf:Producer>Ж</pdf:Producer>".encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(with_metadata(&wide, b"<<>>").producer.as_deref(), Some("Ж"));
    for broken in [
        "<pdf:Producer",
        "<pdf:Producer>",
        "<pdf:Producer/>",
        "pdf:Producer=",
        "pdf:Producer='x",
        "&#;&#x110000;",
    ] {
        assert_eq!(with_metadata(broken.as_bytes(), b"<<>>").producer, None, "{broken}");
    }
}

#[test]
fn later_version_of_header_and_catalog() {
    let version = |header: &str, catalog: &str| {
        let mut bytes =
            file(&[format!("<</Type/Catalog/Pages 2 0 R{catalog}>>").as_bytes(), ONE_KID, b"<</Type/Page>>"]);
        bytes[..8].copy_from_slice(header.as_bytes());
        open(bytes).unwrap().info().pdf_version.clone()
    };
    assert_eq!(version("%PDF-1.4", "").as_deref(), Some("1.4"));
    assert_eq!(version("%PDF-1.4", "/Version/1.7").as_deref(), Some("1.7"));
    assert_eq!(version("%PDF-1.7", "/Version/1.4").as_deref(), Some("1.7"));
    assert_eq!(version("%PDF-x.y", "").as_deref(), None);
    assert_eq!(version("%PDF-x.y", "/Version/2.0").as_deref(), Some("2.0"));
}
