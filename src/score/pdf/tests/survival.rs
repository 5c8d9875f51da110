use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn small() -> Limits {
    Limits { content_bytes: 1 << 20, object_stream_bytes: 1 << 20, pages: 100, ..Limits::default() }
}

/// Opens, and reads every page's content.
fn exercise(bytes: &[u8]) {
    let Ok(document) = open_within(bytes, &small()) else { return };
    let pages = document.pages();
    assert_eq!(pages.len(), document.info().n_pages as usize);
    let mut out = Vec::new();
    for page in pages {
        page_content(&document, &page, &mut out);
        assert!(out.len() <= small().content_bytes);
    }
}

fn samples() -> Vec<Vec<u8>> {
    let content =
        stream("/Filter[/AHx/Fl]/DecodeParms[null<</Predictor 12/Columns 3>>]", b"789c03000000000001>");
    vec![
        one_page(&content, &[]),
        file(&[
            CATALOG,
            b"<</Type/Pages/Count 2/Kids[3 0 R 4 0 R]/MediaBox[0 0 9 9]>>",
            b"<</Type/Page/Contents[5 0 R 5 0 R]>>",
            b"<</Type/Pages/Kids[<</Type/Page/Contents 5 0 R>>]/Count 1>>",
            &stream("/Filter/FlateDecode", &zlib(b"BT (x) Tj ET")),
        ]),
        compressed_file(&[CATALOG, ONE_KID, b"<</Type/Page>>"], "/FlateDecode", zlib),
        encrypted::locked_file(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn open_survives_any_bytes(bytes in vec(any::<u8>(), 0..2048)) {
        exercise(&bytes);
        exercise(&[b"%PDF-1.7\n1 0 obj\n<<".as_slice(), &bytes].concat());
    }

    #[test]
    fn open_survives_damage(
        sample in 0..4usize,
        changes in vec((any::<prop::sample::Index>(), any::<u8>()), 0..20),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut bytes = samples().swap_remove(sample);
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        exercise(&bytes);
    }

    #[test]
    fn open_survives_shuffled_tokens(tokens in vec(prop::sample::select(vec![
        "1 0 obj", "2 0 obj", "endobj", "<<", ">>", "[", "]", "/Type", "/Pages", "/Page", "/Kids", "/Count", "1 0 R",
        "2 0 R", "3", "stream\n", "endstream", "xref\n0 3\n", "trailer", "startxref\n0\n", "/Root", "/Contents", "(x)",
        "/Length", "/Filter", "/Fl", "/ObjStm", "/XRef", "/Encrypt", "%%EOF\n", "/Prev", "/W", "/Index", "/N", "/First",
    ]), 0..60)) {
        exercise(tokens.join(" ").as_bytes());
    }
}
