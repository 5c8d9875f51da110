//! Text that is strange and right: never flagged by its letters. The damaged twin of each page has the same strange text
//! beside prose in wrong letters: what is strange acquits nobody.

use super::*;

/// Strange text and prose, each in a font that nothing but its map vouches for.
fn beside_prose(strange: &str, map: ToUnicode) -> Judged {
    let text = english();
    let font = severed(strange).to_unicode(ToUnicode::Right);
    let body = severed(&text).to_unicode(map);
    judge(PdfBuilder::new().page(|page| {
        let page = strange.lines().take(24).fold(page.font(font).size(8.0), |page, line| page.show(line));
        page.font(body).size(10.0).at(72.0, 420.0).paragraph(&text)
    }))
}

fn turned(judged: &Judged) -> bool {
    judged.route() > Route::Repair
}

#[track_caller]
fn never_flagged(strange: &str) {
    let alone = {
        let font = severed(strange).to_unicode(ToUnicode::Right);
        judge(
            PdfBuilder::new()
                .page(|page| strange.lines().fold(page.font(font).size(8.0), |page, line| page.show(line))),
        )
    };
    assert_eq!(alone.route(), Route::Keep, "{alone}");
    let healthy = beside_prose(strange, ToUnicode::Right);
    assert_eq!(healthy.route(), Route::Keep, "{healthy}");
    let twin = beside_prose(strange, ToUnicode::rotated(11));
    assert!(turned(&twin), "the prose beside it is a cipher\n{twin}");
}

/// Lines made by turning through the given words.
fn lines(words: &[&str], per_line: usize, n: usize) -> String {
    let mut turn = words.iter().cycle();
    let line = |_| turn.by_ref().take(per_line).copied().collect::<Vec<_>>().join(" ");
    (0..n).map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn forms_of_a_tax_office() {
    never_flagged(
        "Form 1040 (2023)  Page 2\n16 Tax (see instructions). Check if any from Form(s): 1 8814 2 4972 3 ____ . . . 16\n\
         17 Amount from Schedule 2, line 3 . . . . . . . . . . . . . . . . . 17\n18 Add lines 16 and 17 . . . . . . . . . . 18\n\
         19 Child tax credit or credit for other dependents from Schedule 8812 . . 19\n20 Amount from Schedule 3, line 8 . . 20\n\
         21 Add lines 19 and 20 . . . . . . . . . . . . 21\n22 Subtract line 21 from line 18. If zero or less, enter -0- . 22\n\
         25 Federal income tax withheld from:\na Form(s) W-2 . . . . 25a\nb Form(s) 1099 . . . . 25b\nc Other forms (see instructions) . . 25c\n\
         EIN  SSN  MFJ  MFS  HOH  QSS  Dept. of the Treasury-IRS  OMB No. 1545-0074  Cat. No. 11320B",
    );
}

#[test]
fn contents_with_leaders() {
    let chapters =
        ["The first boats", "Weighing the catch", "The northern pier", "Six long evenings", "A second count"];
    let text: Vec<String> = (1..20)
        .map(|n| {
            format!(
                "{n}.{} {} ........................................ {}",
                n % 4 + 1,
                chapters[n % 5],
                n * 7
            )
        })
        .collect();
    never_flagged(&text.join("\n"));
}

#[test]
fn mathematics() {
    never_flagged(&lines(
        &[
            "f(x) = ax + b",
            "∀ε > 0 ∃δ",
            "x ∈ X",
            "dx dy",
            "lim n→∞",
            "ρ = m V",
            "λ i j",
            "k T",
            "(u, v)",
            "sin θ",
            "log n",
            "∂u ∂t",
            "Σ a k",
            "q.e.d.",
            "i.e. p | q",
        ],
        5,
        20,
    ));
}

#[test]
fn czech_without_vowels() {
    never_flagged(&lines(
        &[
            "Strč", "prst", "skrz", "krk", "zmrzl", "vlk", "smrk", "čtvrt", "hrst", "zrn", "vrb", "trs",
            "plch", "zdrhl", "skrz", "drn", "prv", "zhlt", "hrst", "mlh",
        ],
        8,
        18,
    ));
}

#[test]
fn source_code() {
    never_flagged(&lines(
        &[
            "getUserName(",
            "parseHttpResponse",
            "setOnClickListener",
            "maxBufferSize",
            "toLowerCase()",
            "isEmptyOrNull",
            "nextElementSibling",
            "fooBarBaz",
            "readOnlyMode",
            "xmlHttpRequest",
            "newInstanceOf",
            "onBackPressed",
        ],
        4,
        22,
    ));
}

#[test]
fn part_numbers_hex_and_sequences() {
    let parts: Vec<String> =
        (1..120).map(|n| format!("AX{}-{:03}/{}B", n * 37 % 97, n * 7, n * 13 % 10)).collect();
    never_flagged(&lines(&parts.iter().map(String::as_str).collect::<Vec<_>>(), 6, 20));
    let bytes: Vec<String> = (1_u32..400).map(|n| format!("{:08x}", n.wrapping_mul(2_654_435_761))).collect();
    never_flagged(&lines(&bytes.iter().map(String::as_str).collect::<Vec<_>>(), 8, 20));
    let bases: Vec<String> = (0..120_u32)
        .map(|n| {
            (0..10)
                .map(|k| ['A', 'C', 'G', 'T'][(n.wrapping_mul(2_654_435_761) >> (2 * k)) as usize % 4])
                .collect()
        })
        .collect();
    let upper = lines(&bases.iter().map(String::as_str).collect::<Vec<_>>(), 6, 20);
    never_flagged(&upper);
    never_flagged(&upper.to_lowercase());
}

#[test]
fn prices_in_dollars() {
    let text: Vec<String> = (1..24)
        .map(|n| format!("Cheddar ${n}.50  Gouda ${}.20  Rye bread ${}.95  Olives ${n}.10", n + 2, n % 7))
        .collect();
    never_flagged(&text.join("\n"));
}

#[test]
fn names_and_addresses() {
    never_flagged(
        "Siobhán Ní Dhomhnaill, 14 Sráid na bhFíníní, Corcaigh\nGrzegorz Brzęczyszczykiewicz, ul. Żółkiewskiego 7, Łękołody\n\
         Nguyễn Thị Minh Khai, 23 Phố Huế, Hà Nội\nBjörk Guðmundsdóttir, Laugavegur 12, 101 Reykjavík\n\
         Xóchitl Cuauhtémoc, Av. Tlalpan 300, Ciudad de México\nDr. Wolfgang Schnatz-Ostheim, Kirchgasse 3, 8001 Zürich\n\
         Oluwaseun Adébáyò, 5 Awolowo Rd, Ikoyi, Lagos\nPtolemy Wright-Fitzgerald, 221B Baker Street, London NW1 6XE\n\
         João da Silva Araújo, Rua do Ouvidor 50, Rio de Janeiro\nTuğba Çağlayan, İstiklal Cd. 88, Beyoğlu, İstanbul",
    );
}

#[test]
fn bibliographies() {
    never_flagged(
        "[1] H. Q. Nguyen, A. Kowalczyk, and J.-P. Dupont. Phys. Rev. Lett. 83, 3077 (1999).\n\
         [2] Schmidt, K., Öztürk, M. & al., Z. Naturforsch. A 42 (1987), pp. 112-119, doi:10.1515/zna-1987-0204.\n\
         [3] M. Zhou et al., \"Sparse coding,\" in Proc. ICML, vol. 12, no. 3, 2011, pp. 88-97.\n\
         [4] E. Þorsteinsson, Acta Math. Scand. 17:2, 45ff. (1973); ibid. 18:1, 9 (1974).\n\
         [5] N. Bourbaki, Éléments de mathématique, Hermann, Paris, 1939-. MR 0354 651.\n\
         [6] P. Dvořák, J. Czech. Chem. Soc. 5, 1 (1961). [7] R. O. Wells Jr., Ann. of Math. (2) 98 (1973).\n\
         [8] arXiv:2003.01234v2 [cs.CL]; https://www.example.org/~jd/papers/2003-01.pdf (accessed 3 May 2020).",
    );
}

#[test]
fn one_replacement_character() {
    let text = format!("{} \u{2022}", english());
    let one = |map: ToUnicode| text_in(severed(&text).to_unicode(map), &text);
    let judged = one(ToUnicode::replaced("\u{2022}", "\u{FFFD}"));
    assert_eq!(judged.route(), Route::Keep, "{judged}");
    let many = one(ToUnicode::replaced("etaoin", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"));
    assert!(turned(&many), "{many}");
}
