use super::*;

const TEXT: &[u8] = b"BT /F1 12 Tf (hello) Tj ET";

/// The content comes whole, with these findings; nothing counts as lost.
#[track_caller]
fn whole(bytes: impl AsRef<[u8]>, findings: &[FindingCode]) {
    let (out, outcome) = content_of(bytes);
    assert_eq!(
        (String::from_utf8_lossy(&out).trim(), codes(&outcome.findings).as_slice()),
        (String::from_utf8_lossy(TEXT).trim(), findings)
    );
    assert!(!outcome.undecodable);
}

/// Something is lost, and said so.
#[track_caller]
fn lost(bytes: impl AsRef<[u8]>, expected: &[u8], findings: &[FindingCode]) {
    let (out, outcome) = content_of(bytes);
    assert_eq!((out.as_slice(), codes(&outcome.findings).as_slice()), (expected, findings));
    assert!(outcome.undecodable);
}

mod length {
    use super::*;

    #[test]
    fn right_by_value_or_by_reference() {
        whole(one_page(&stream("", TEXT), &[]), &[]);
        whole(one_page(&raw_stream("/Length 5 0 R", TEXT), &[b"26"]), &[]);
    }

    #[test]
    fn zero_wrong_or_missing_is_repaired() {
        for length in [
            "/Length 0",
            "/Length 5",
            "/Length 99",
            "/Length 99999999",
            "/Length -3",
            "/Length/X",
            "",
            "/Length 9 0 R",
        ] {
            whole(one_page(&raw_stream(length, TEXT), &[]), &[]);
            whole(one_page(&raw_stream(&format!("{length}/Filter/FlateDecode"), &zlib(TEXT)), &[]), &[]);
        }
    }

    #[test]
    fn empty_content_is_empty() {
        assert_eq!(content_of(one_page(&stream("", b""), &[])), (vec![], ContentOutcome::default()));
        let empty = one_page(&stream("/Filter/FlateDecode", b""), &[]);
        assert_eq!(content_of(empty), (vec![], ContentOutcome::default()));
    }

    #[test]
    fn missing_end_keyword_does_not_lose_the_stream() {
        let open_ended =
            |entries: &str, data: &[u8]| [format!("<<{entries}>>stream\n").as_bytes(), data].concat();
        let length = format!("/Length {}", TEXT.len());
        let keyword = [FindingCode::StreamDamaged];
        whole(one_page(&open_ended(&length, TEXT), &[]), &keyword);
        whole(one_page(&open_ended("/Length 3", TEXT), &[]), &keyword);
        whole(one_page(&open_ended("/Filter/FlateDecode", &zlib(TEXT)), &[]), &keyword);
        // The end found belongs to a later object, whose text is not this page's.
        whole(one_page(&open_ended("/Length 3", TEXT), &[&stream("", b"(other page) Tj")]), &[]);
    }

    #[test]
    fn blanks_between_keyword_and_line_end() {
        let content =
            [format!("<</Length {}>>stream  \r\n", TEXT.len()).as_bytes(), TEXT, b"\nendstream"].concat();
        whole(one_page(&content, &[]), &[FindingCode::StreamDamaged]);
    }

    #[test]
    fn file_cut_within_the_content() {
        let bytes = one_page(&stream("", TEXT), &[]);
        let cut = &bytes[..String::from_utf8_lossy(&bytes).find("llo)").unwrap()];
        lost(cut, b"BT /F1 12 Tf (he", &[FindingCode::StreamDamaged, FindingCode::StreamTruncated]);
        let long: Vec<u8> = (0..400).flat_map(|n| format!("{n} 0 m ").into_bytes()).collect();
        let bytes = one_page(&stream("/Filter/FlateDecode", &zlib(&long)), &[]);
        let (out, outcome) = content_of(&bytes[..bytes.len() - 400]);
        assert!(outcome.undecodable && !out.is_empty() && long.starts_with(&out));
    }
}

mod filters {
    use super::*;

    fn hex(data: &[u8]) -> Vec<u8> {
        data.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect()
    }

    #[test]
    fn named_directly_abbreviated_or_by_reference() {
        whole(one_page(&stream("/Filter/FlateDecode", &zlib(TEXT)), &[]), &[]);
        whole(one_page(&stream("/Filter/Fl", &zlib(TEXT)), &[]), &[]);
        whole(one_page(&stream("/Filter 5 0 R", &zlib(TEXT)), &[b"/FlateDecode"]), &[]);
        whole(one_page(&stream("/Filter[5 0 R]", &zlib(TEXT)), &[b"/FlateDecode"]), &[]);
        whole(one_page(&stream("/Filter 5 0 R", &hex(&zlib(TEXT))), &[b"[/AHx 6 0 R]", b"/Fl"]), &[]);
        whole(one_page(&stream("/F/AHx", &hex(TEXT)), &[]), &[]);
    }

    #[test]
    fn parameters_by_reference() {
        let rows = [b"\x00".as_slice(), TEXT].concat();
        let parms: [&[u8]; 1] = [b"<</Predictor 15/Columns 26>>"];
        whole(one_page(&stream("/Filter/FlateDecode/DecodeParms 5 0 R", &zlib(&rows)), &parms), &[]);
        whole(
            one_page(&stream("/Filter[/AHx/Fl]/DecodeParms[9 0 R 5 0 R]", &hex(&zlib(&rows))), &parms),
            &[],
        );
    }

    #[test]
    fn what_cannot_be_undone_is_said() {
        lost(one_page(&stream("/Filter/DCTDecode", TEXT), &[]), b"", &[FindingCode::FilterUnsupported]);
        lost(one_page(&stream("/Filter/Nonsense", TEXT), &[]), b"", &[FindingCode::FilterUnsupported]);
        lost(one_page(&stream("/F(elsewhere.bin)", TEXT), &[]), b"", &[FindingCode::FilterUnsupported]);
        lost(one_page(&stream("/Filter/FlateDecode", TEXT), &[]), b"", &[FindingCode::StreamDamaged]);
        let (out, outcome) = content_of(one_page(&stream("/Filter/Fl", &zlib(TEXT)[..20]), &[]));
        assert!(TEXT.starts_with(&out) && outcome.undecodable);
        assert_eq!(codes(&outcome.findings), [FindingCode::StreamTruncated]);
    }

    #[test]
    fn content_is_held_to_the_limit_over_all_parts() {
        let limits = Limits { content_bytes: 30, ..Limits::default() };
        let of = |contents: &str| {
            let page = format!("<</Type/Page/Contents {contents}>>");
            let document = open_within(
                file(&[CATALOG, ONE_KID, page.as_bytes(), &stream("/Filter/Fl", &zlib(TEXT))]),
                &limits,
            )
            .unwrap();
            let mut out = Vec::new();
            let outcome = page_content(&document, &document.pages()[0], &mut out);
            (out, codes(&outcome.findings))
        };
        assert_eq!(of("4 0 R"), (TEXT.to_vec(), vec![]));
        let joined = [TEXT, b"\n", &TEXT[..3]].concat();
        assert_eq!(of("[4 0 R 4 0 R 4 0 R]"), (joined, vec![FindingCode::StreamOverLimit]));
    }
}

mod parts {
    use super::*;

    fn page_with(contents: &str, more: &[&[u8]]) -> Vec<u8> {
        let page = format!("<</Type/Page/Contents {contents}>>");
        file(&[&[CATALOG, ONE_KID, page.as_bytes()], more].concat())
    }

    const A: &[u8] = b"<</Length 5>>stream\nBT /F\nendstream";
    const B: &[u8] = b"<</Length 5>>stream\n1 Tf \nendstream";

    #[test]
    fn joined_by_a_newline_in_order() {
        let joined = (b"BT /F\n1 Tf ".to_vec(), ContentOutcome::default());
        assert_eq!(content_of(page_with("[4 0 R 5 0 R]", &[A, B])), joined);
        assert_eq!(content_of(page_with("6 0 R", &[A, B, b"[4 0 R 5 0 R]"])), joined);
        assert_eq!(content_of(page_with("[4 0 R[5 0 R]]", &[A, B])), joined, "nested");
        assert_eq!(content_of(page_with("[4 0 R null 5 0 R 6 0 R]", &[A, B, b"null"])), joined, "null");
    }

    #[test]
    fn none_is_none() {
        let page = file(&[CATALOG, ONE_KID, b"<</Type/Page>>"]);
        assert_eq!(content_of(page), (vec![], ContentOutcome::default()));
        assert_eq!(content_of(page_with("[]", &[])), (vec![], ContentOutcome::default()));
        assert_eq!(content_of(page_with("null", &[])), (vec![], ContentOutcome::default()));
    }

    #[test]
    fn missing_parts_are_said_once() {
        lost(page_with("9 0 R", &[]), b"", &[FindingCode::ContentUndecodable]);
        let missing = format!("[4 0 R {}]", "9 0 R ".repeat(50));
        let (out, outcome) = content_of(page_with(&missing, &[A]));
        assert_eq!(out.trim_ascii_end(), b"BT /F");
        assert_eq!((outcome.findings.len(), outcome.undecodable), (1, true));
        assert_eq!(outcome.findings[0].page, Some(1));
    }

    #[test]
    fn what_is_no_stream_is_said() {
        for contents in ["(text)", "<</X 1>>", "42", "/Name"] {
            lost(page_with(contents, &[]), b"", &[FindingCode::ContentUndecodable]);
            lost(page_with("4 0 R", &[contents.as_bytes()]), b"", &[FindingCode::ContentUndecodable]);
        }
        let looped = page_with("4 0 R", &[b"[4 0 R 4 0 R]"]);
        lost(looped, b"", &[FindingCode::ContentUndecodable]);
    }

    #[test]
    fn second_reader_gives_a_stream_by_its_id() {
        let document = open(one_page(&stream("/Filter[/Fl]/DP[null]", &zlib(TEXT)), &[])).unwrap();
        let mut out = Vec::new();
        let id = ObjectIdentifier::new(4, 0);
        let end = crate::score::pdf::second::decode_stream(&document, id, None, 1 << 20, &mut out);
        assert_eq!(end, Some(crate::score::pdf::filters::End::Complete));
        assert_eq!(out, TEXT);
        let same = zlib(TEXT);
        let end = crate::score::pdf::second::decode_stream(&document, id, Some(&same), 1 << 20, &mut out);
        assert_eq!(end, None, "the same bytes cannot fare better");
    }
}
