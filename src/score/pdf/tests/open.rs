use super::*;

fn pages_of(bytes: impl AsRef<[u8]>) -> (usize, Vec<FindingCode>) {
    let document = open(bytes).unwrap();
    let pages = document.pages();
    assert_eq!(pages.len(), document.info().n_pages as usize);
    assert!(pages.iter().zip(0..).all(|(page, index)| page.index == index));
    (pages.len(), codes(document.findings()))
}

const CONTENT: &[u8] = b"<</Length 1>>stream\nq\nendstream";

fn healthy() -> Vec<u8> {
    one_page(CONTENT, &[])
}

#[test]
fn healthy_file_has_its_page_and_no_finding() {
    assert_eq!(pages_of(healthy()), (1, vec![]));
    assert!(!open(healthy()).unwrap().info().second_reader);
}

mod xref {
    use super::*;

    fn replaced(from: &str, to: &str) -> Vec<u8> {
        let text = String::from_utf8(healthy()).unwrap();
        assert!(text.contains(from));
        text.replace(from, to).into_bytes()
    }

    #[test]
    fn table_that_points_at_nothing_is_repaired() {
        let start = String::from_utf8(healthy()).unwrap().find("0000000009").unwrap();
        let mut bytes = healthy();
        for entry in 0..4 {
            bytes[start + entry * 20 + 8..][..2].copy_from_slice(b"77");
        }
        assert_eq!(pages_of(&bytes), (1, vec![]));
        assert_eq!(content_of(&bytes).0, b"q");
    }

    #[test]
    fn one_wrong_entry_is_repaired() {
        let bytes = healthy();
        let page = String::from_utf8(bytes.clone()).unwrap().find("3 0 obj").unwrap();
        let (page, wrong) = (format!("{page:010}"), format!("{:010}", page + 5));
        assert_eq!(pages_of(replaced(&page, &wrong)), (1, vec![]));
    }

    #[test]
    fn start_may_be_wrong_or_missing() {
        assert_eq!(pages_of(replaced("startxref\n", "startxref\n9")), (1, vec![]));
        assert_eq!(pages_of(replaced("startxref", "")), (1, vec![]));
        assert_eq!(pages_of(replaced("xref\n0", "xxxx\n0")), (1, vec![]));
        let truncated = String::from_utf8(healthy()).unwrap();
        let truncated = &truncated[..truncated.find("xref").unwrap()];
        assert_eq!(pages_of(truncated), (1, vec![]), "no trailer at all");
    }

    #[test]
    fn header_may_be_missing_or_late() {
        assert_eq!(pages_of(&healthy()[9..]), (1, vec![]));
        assert_eq!(pages_of([b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), &healthy()].concat()), (1, vec![]));
    }

    #[test]
    fn entry_lost_by_a_bad_update_is_found_again() {
        // The update claims the page's object to be where there is none.
        let mut bytes = healthy();
        let start = bytes.len();
        let before = String::from_utf8(bytes.clone()).unwrap().find("xref\n").unwrap();
        bytes.extend(format!(
            "xref\n4 1\n{:010} 00000 n \ntrailer\n<</Size 5/Root 1 0 R/Prev {before}>>\nstartxref\n{start}\n%%EOF\n",
            start + 3
        ).bytes());
        assert_eq!(content_of(bytes).0, b"q");
    }

    #[test]
    fn streams_of_objects_under_full_and_abbreviated_filters() {
        let objects: [&[u8]; 3] = [CATALOG, ONE_KID, b"<</Type/Page/MediaBox[0 0 9 9]>>"];
        for (filter, encode) in [
            ("/FlateDecode", zlib as fn(&[u8]) -> Vec<u8>),
            ("/Fl", zlib),
            ("[/AHx]", |data| data.iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect()),
        ] {
            assert_eq!(pages_of(compressed_file(&objects, filter, encode)), (1, vec![]), "{filter}");
        }
    }

    #[test]
    fn file_before_an_unreadable_update_is_read() {
        // The later part is another file, locked, with offsets of its own.
        let locked = encrypted::locked_file();
        let document = open([healthy(), locked].concat()).unwrap();
        assert_eq!(document.info().n_pages, 1);
        assert_eq!(codes(document.findings()), [FindingCode::PageTreeDamaged]);
    }
}

mod tree {
    use super::*;

    #[test]
    fn attributes_are_inherited() {
        let document = open(file(&[
            CATALOG,
            b"<</Type/Pages/Count 1/Kids[3 0 R]/MediaBox[0 0 200 100]/Rotate 90/Resources<</Font<<>>>>>>",
            b"<</Type/Page/Parent 2 0 R/CropBox[10 10 500 50]>>",
        ]))
        .unwrap();
        let page = &document.pages()[0];
        assert_eq!((page.crop_box, page.rotate), ([10.0, 10.0, 200.0, 50.0], 90));
        assert!(page.resources.contains_key("Font") && !page.lost);
        assert_eq!(document.findings(), []);
    }

    #[test]
    fn boxes_and_rotation_out_of_the_ordinary() {
        let page = |entries: &str| {
            let document =
                open(file(&[CATALOG, ONE_KID, format!("<</Type/Page{entries}>>").as_bytes()])).unwrap();
            let page = document.pages()[0].clone();
            (page.crop_box, page.rotate)
        };
        let a4 = [0.0, 0.0, 595.276, 841.89];
        assert_eq!(page(""), (a4, 0));
        assert_eq!(page("/MediaBox[0 0 0 0]"), (a4, 0));
        assert_eq!(page("/MediaBox[200 100 0 0]/Rotate -90"), ([0.0, 0.0, 200.0, 100.0], 270));
        assert_eq!(page("/MediaBox[0 0 9 9]/CropBox[20 20 30 30]/Rotate 450"), ([0.0, 0.0, 9.0, 9.0], 90));
        assert_eq!(page("/MediaBox[0 0 1e30 9]/Rotate 45"), (a4, 0));
        assert_eq!(page("/CropBox[1 2 3 4]/Rotate 180.0"), ([1.0, 2.0, 3.0, 4.0], 180));
        assert_eq!(page("/MediaBox[0 0 (x) 9]/Rotate/X"), (a4, 0));
    }

    #[test]
    fn page_listed_twice_is_two_pages() {
        let twice = file(&[CATALOG, b"<</Type/Pages/Count 2/Kids[3 0 R 3 0 R]>>", PAGE, CONTENT]);
        assert_eq!(pages_of(twice), (2, vec![]));
    }

    #[test]
    fn root_may_be_a_page() {
        let bytes = file(&[CATALOG, b"<</Type/Page/Contents 3 0 R/MediaBox[0 0 9 9]>>", CONTENT]);
        let document = open(bytes).unwrap();
        assert_eq!(document.pages()[0].crop_box, [0.0, 0.0, 9.0, 9.0]);
    }

    #[test]
    fn kids_may_be_direct_and_untyped() {
        let bytes = file(&[
            CATALOG,
            b"<</Type/Pages/Count 3/Kids[<</Type/Page/Rotate 90>> <</Kids[<</Rotate 180>>]/Resources<</X 1>>>> 3 0 R]>>",
            b"<</MediaBox[0 0 9 9]>>",
        ]);
        assert_eq!(pages_of(&bytes), (3, vec![]));
        let document = open(bytes).unwrap();
        let pages = document.pages();
        assert_eq!(pages.iter().map(|page| page.rotate).collect::<Vec<_>>(), [90, 180, 0]);
        assert!(pages[1].resources.contains_key("X") && !pages[2].resources.contains_key("X"));
    }

    #[test]
    fn deep_tree_is_followed_without_recursion() {
        let levels = 3000;
        let nodes: Vec<Vec<u8>> = (0..levels)
            .map(|level| format!("<</Type/Pages/Count 1/Kids[{} 0 R]>>", level + 3).into_bytes())
            .collect();
        let mut objects = vec![CATALOG];
        objects.extend(nodes.iter().map(Vec::as_slice));
        objects.push(b"<</Type/Page>>");
        assert_eq!(pages_of(file(&objects)), (1, vec![]));
    }

    #[test]
    fn loops_end() {
        // The second kid leads back; it holds its place, since `/Count` counts it.
        let looped = file(&[CATALOG, b"<</Type/Pages/Count 3/Kids[3 0 R 2 0 R 3 0 R]>>", PAGE, CONTENT]);
        let document = open(&looped).unwrap();
        assert_eq!(document.pages().iter().map(|page| page.lost).collect::<Vec<_>>(), [false, true, false]);
        assert!(codes(document.findings()).contains(&FindingCode::PageTreeDamaged));
        let uncounted = String::from_utf8(looped).unwrap().replace("/Count 3", "/Count 2").into_bytes();
        assert_eq!(pages_of(uncounted), (2, vec![FindingCode::PageTreeDamaged]));
    }

    #[test]
    fn graph_of_shared_nodes_costs_no_more_than_its_bytes() {
        // Each level lists the next one twice: 2^40 paths.
        let nodes: Vec<Vec<u8>> = (0..40)
            .map(|level| format!("<</Type/Pages/Kids[{0} 0 R {0} 0 R]>>", level + 3).into_bytes())
            .collect();
        let mut objects = vec![CATALOG];
        objects.extend(nodes.iter().map(Vec::as_slice));
        objects.push(b"<</Type/Page>>");
        let (n_pages, findings) = pages_of(file(&objects));
        assert!(n_pages <= 2, "{n_pages}");
        assert_eq!(findings, [FindingCode::PageTreeDamaged]);
    }

    #[test]
    fn lost_kid_holds_its_place_where_count_counts_it() {
        let kids = |count: u32| {
            let root = format!("<</Type/Pages/Count {count}/Kids[3 0 R 9 0 R 3 0 R]>>");
            file(&[CATALOG, root.as_bytes(), PAGE, CONTENT])
        };
        let document = open(kids(3)).unwrap();
        let pages = document.pages();
        assert_eq!(pages.iter().map(|page| page.lost).collect::<Vec<_>>(), [false, true, false]);
        let damaged = [FindingCode::FewerPagesThanCount, FindingCode::PageTreeDamaged];
        assert_eq!(codes(document.findings()), damaged);
        let mut out = Vec::new();
        let outcome = page_content(&document, &pages[1], &mut out);
        assert!(outcome.undecodable && out.is_empty());
        assert_eq!(codes(&outcome.findings), [FindingCode::ContentUndecodable]);
        assert_eq!(pages_of(kids(2)), (2, vec![FindingCode::PageTreeDamaged]));
    }

    #[test]
    fn pages_without_a_tree_are_found() {
        let lost_tree = file(&[CATALOG, b"<</Type/Pages/Count 2/Kids[8 0 R 9 0 R]>>", PAGE, CONTENT, PAGE]);
        let (n_pages, findings) = pages_of(lost_tree);
        assert_eq!(n_pages, 2);
        assert!(findings.contains(&FindingCode::PageTreeDamaged));
    }

    #[test]
    fn empty_tree_is_no_damage_and_no_tree_is() {
        for root in ["<</Type/Pages/Count 0/Kids[]>>", "<</Type/Pages/Kids[]>>"] {
            assert_eq!(pages_of(file(&[CATALOG, root.as_bytes()])), (0, vec![]), "{root}");
        }
        for root in [
            "<</Type/Pages/Count 0>>",
            "<</Type/Pages/Count 1>>",
            "<</Type/Pages/Count 3/Kids[]>>",
            "(no tree)",
            "<</X 1>>",
        ] {
            let refusal = refusal(file(&[CATALOG, root.as_bytes()]));
            assert!(matches!(refusal, OpenError::Malformed(_)), "{root}: {refusal:?}");
        }
        for bytes in
            [b"".as_slice(), b"%PDF-1.7", b"no PDF at all", &[0; 3000], &file(&[b"<</Type/Catalog>>"])]
        {
            assert!(matches!(refusal(bytes), OpenError::Malformed(_)));
        }
    }

    #[test]
    fn count_of_a_liar_does_not_matter() {
        let root = format!("<</Type/Pages/Count {}/Kids[3 0 R]>>", u32::MAX);
        let liar = file(&[CATALOG, root.as_bytes(), PAGE, CONTENT]);
        assert_eq!(pages_of(liar), (1, vec![FindingCode::FewerPagesThanCount]));
        for count in ["-7", "(x)", "1e300", "99999999999999999999999999"] {
            let root = format!("<</Type/Pages/Count {count}/Kids[3 0 R]>>");
            assert_eq!(pages_of(file(&[CATALOG, root.as_bytes(), PAGE, CONTENT])).0, 1, "{count}");
        }
    }
}

mod second_reader {
    use super::*;

    #[test]
    fn direct_root_of_the_tree_is_read_by_the_second() {
        let kids = "/Pages<</Type/Pages/Count 1/Kids[2 0 R]>>";
        let bytes =
            file(&[format!("<</Type/Catalog{kids}>>").as_bytes(), b"<</Type/Page/Contents 3 0 R>>", CONTENT]);
        let document = open(&bytes).unwrap();
        assert!(document.info().second_reader && !document.info().encrypted);
        assert_eq!(codes(document.findings()), [FindingCode::ReadBySecondReader]);
        assert_eq!(document.info().pdf_version.as_deref(), Some("1.7"));
        assert_eq!(content_of(bytes).0, b"q");
    }

    #[test]
    fn direct_catalog_is_read() {
        let direct = "/Root<</Type/Catalog/Pages 1 0 R>>";
        let objects: [&[u8]; 3] =
            [b"<</Type/Pages/Count 1/Kids[2 0 R]>>", b"<</Type/Page/Contents 3 0 R>>", CONTENT];
        assert_eq!(content_of(file_with_trailer(&objects, direct)).0, b"q");
    }

    #[test]
    fn both_readers_agree_on_a_healthy_file() {
        let document = open(healthy()).unwrap();
        let second = document.second_reader().unwrap();
        assert_eq!(second.page_iter().count(), 1);
        assert!(std::ptr::eq(second, document.second_reader().unwrap()), "loaded once");
    }
}

mod limits {
    use super::*;

    #[test]
    fn bytes_and_pages_over_the_limits_are_refused() {
        let three = file(&[CATALOG, b"<</Type/Pages/Count 3/Kids[3 0 R 3 0 R 3 0 R]>>", PAGE, CONTENT]);
        let within = |limits: Limits| open_within(&three, &limits).map(|document| document.info().n_pages);
        let pages = |pages| Limits { pages, ..Limits::default() };
        assert_eq!(within(pages(3)), Ok(3));
        assert_eq!(within(pages(2)), Err(OpenError::OverLimit("more than 2 pages".into())));
        let bytes = |document_bytes| Limits { document_bytes, ..Limits::default() };
        assert_eq!(within(bytes(three.len() as u64)), Ok(3));
        assert!(matches!(within(bytes(three.len() as u64 - 1)), Err(OpenError::OverLimit(_))));
    }

    #[test]
    fn document_is_shared_by_threads() {
        fn shared<T: Sync + Send>(_: &T) {}
        shared(&open(healthy()).unwrap());
    }
}

mod any_tree {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Node {
        Page { direct: bool },
        Kids { direct: bool, kids: Vec<Node> },
    }

    fn any_node() -> impl Strategy<Value = Node> {
        let page = any::<bool>().prop_map(|direct| Node::Page { direct });
        page.prop_recursive(5, 40, 5, |inner| {
            (any::<bool>(), prop::collection::vec(inner, 0..5))
                .prop_map(|(direct, kids)| Node::Kids { direct, kids })
        })
    }

    /// Writes the node's object, or returns it to be written into its parent; pages are numbered by their width.
    fn write(node: &Node, all_indirect: bool, objects: &mut Vec<Vec<u8>>, n_pages: &mut u32) -> String {
        let (direct, text) = match node {
            Node::Page { direct } => {
                *n_pages += 1;
                (*direct, format!("<</Type/Page/MediaBox[0 0 {n_pages} 9]>>"))
            }
            Node::Kids { direct, kids } => {
                let before = *n_pages;
                let kids: Vec<_> =
                    kids.iter().map(|kid| write(kid, all_indirect, objects, n_pages)).collect();
                (*direct, format!("<</Type/Pages/Count {}/Kids[{}]>>", *n_pages - before, kids.join(" ")))
            }
        };
        if direct && !all_indirect {
            return text;
        }
        objects.push(text.into_bytes());
        format!("{} 0 R", objects.len())
    }

    fn tree(kids: &[Node], all_indirect: bool) -> (Vec<u8>, u32) {
        let (mut objects, mut n_pages) = (vec![CATALOG.to_vec(), Vec::new()], 0);
        let kids: Vec<_> =
            kids.iter().map(|kid| write(kid, all_indirect, &mut objects, &mut n_pages)).collect();
        objects[1] = format!("<</Type/Pages/Count {n_pages}/Kids[{}]>>", kids.join(" ")).into_bytes();
        (file(&objects.iter().map(Vec::as_slice).collect::<Vec<_>>()), n_pages)
    }

    proptest! {
        #[test]
        fn pages_come_in_order(kids in prop::collection::vec(any_node(), 0..5)) {
            let (bytes, n_pages) = tree(&kids, false);
            let document = open(bytes).unwrap();
            let widths: Vec<u32> = document.pages().iter().map(|page| page.crop_box[2] as u32).collect();
            prop_assert_eq!(widths, (1..=n_pages).collect::<Vec<_>>());
            prop_assert_eq!(document.findings(), []);
        }

        #[test]
        fn both_readers_count_alike(kids in prop::collection::vec(any_node(), 1..5)) {
            let (bytes, n_pages) = tree(&kids, true);
            let document = open(bytes).unwrap();
            prop_assert_eq!(document.info().n_pages, n_pages);
            prop_assert_eq!(document.second_reader().unwrap().page_iter().count(), n_pages as usize);
        }
    }
}
