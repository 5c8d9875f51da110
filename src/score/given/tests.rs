//! Each fault of given text with its healthy twin, and what must never be flagged.

use proptest::prelude::*;

use super::*;
use crate::sample::prose;
use crate::score::Policy;

fn check(text: &str) -> TextScore {
    check_text(text, &Policy::default())
}

fn codes(score: &TextScore) -> Vec<ReasonCode> {
    score.pages.iter().flat_map(|page| page.reasons.iter().map(|reason| reason.code)).collect()
}

#[track_caller]
fn assert_found(text: &str, code: ReasonCode, route: Route) {
    let score = check(text);
    assert_eq!((score.route, codes(&score).contains(&code)), (route, true), "{score:#?}");
}

#[track_caller]
fn assert_kept(text: &str) {
    let score = check(text);
    assert_eq!(score.route, Route::Keep, "{score:#?}");
}

#[test]
fn prose_of_every_script_is_kept_and_judged() {
    for text in [
        prose::ENGLISH,
        prose::GERMAN,
        prose::FRENCH,
        prose::RUSSIAN,
        prose::GREEK,
        prose::ARABIC,
        prose::HEBREW,
        prose::CHINESE,
        prose::CHINESE_TRADITIONAL,
        prose::JAPANESE,
        prose::KOREAN,
    ] {
        let score = check(text);
        assert_eq!(score.route, Route::Keep, "{score:#?}");
        assert!(score.pages.iter().all(|page| page.judged && page.language.is_some()), "{score:#?}");
    }
}

#[test]
fn form_feeds_part_pages_and_blank_ones_are_counted_and_skipped() {
    let text = format!("{}\u{C}  \n\u{C}{}\u{C}", prose::ENGLISH, prose::GERMAN);
    let score = check(&text);
    assert_eq!((score.parted_by, score.n_pages, score.n_blank), (PartedBy::FormFeeds, 3, 1));
    let numbers: Vec<(u32, u32)> = score.pages.iter().map(|page| (page.page, page.line)).collect();
    assert_eq!(numbers, [(1, 1), (3, 2)]);
    assert_eq!(check("").n_pages, 0);
}

#[test]
fn without_form_feeds_runs_of_whole_lines_are_pages() {
    let line = "The harbour office opens at seven in the morning.\n";
    let score = check(&line.repeat(100));
    assert_eq!(score.parted_by, PartedBy::Length);
    assert!((5..=12).contains(&score.n_pages), "{}", score.n_pages);
    assert!(score.pages.iter().all(|page| page.line == 1 || (page.line - 1) % 13 == 0), "{score:#?}");
    let endless = "x".repeat(100_000);
    assert!(check(&endless).n_pages > 5, "a line without end is parted too");
}

#[test]
fn codes_and_names_left_by_extractors() {
    let cids: String = prose::ENGLISH.chars().take(200).map(|c| format!("(cid:{})", c as u32 % 97)).collect();
    assert_found(&cids, ReasonCode::UnmappedGlyphs, Route::Ocr);
    let docling: String = prose::ENGLISH
        .chars()
        .take(200)
        .map(|c| if c == ' ' { "/i255 ".into() } else { format!("/{} ", c as u32 - 32) })
        .collect();
    assert_found(&docling, ReasonCode::UnmappedGlyphs, Route::Ocr);
    let glyphs: String =
        prose::ENGLISH.chars().take(200).map(|c| format!("GLYPH<c={},font=/AAAAAA+Foo>", c as u32)).collect();
    assert_found(&glyphs, ReasonCode::UnmappedGlyphs, Route::Ocr);
    let gids: String = prose::ENGLISH.chars().take(200).map(|c| format!("/gid{:05}", c as u32)).collect();
    assert_found(&gids, ReasonCode::UnmappedGlyphs, Route::Ocr);
    let names: String =
        prose::RUSSIAN.chars().take(200).map(|c| format!("/uni{:04X}", u32::from(c))).collect();
    assert_found(&names, ReasonCode::GlyphNames, Route::Repair);
    // Fractions, dates, paths and a lone code are none.
    assert_kept(&format!("{} On 3/4 and 12/31, see /usr/share/doc/a. (cid:3)", prose::ENGLISH));
    assert_kept(&"1/2 3/4 5/8 /1 /2 /1 /2\n".repeat(20));
}

#[test]
fn characters_that_are_no_text() {
    let half = |with: char| -> String {
        prose::ENGLISH.chars().enumerate().map(|(at, c)| if at % 3 == 0 { with } else { c }).collect()
    };
    assert_found(&half('\u{FFFD}'), ReasonCode::ReplacementCharacters, Route::Ocr);
    assert_found(&half('\u{E012}'), ReasonCode::PrivateUse, Route::Ocr);
    assert_found(&half('\u{3}'), ReasonCode::ControlCharacters, Route::Ocr);
    assert_found(&"!\"#$%&'()*+,/:;<>?@[\\]^`{}".repeat(10), ReasonCode::SymbolSoup, Route::Ocr);
    assert_kept(&format!("{} \u{FFFD}", prose::ENGLISH));
    assert_found(&"\u{3}\u{4}\u{5}".repeat(20), ReasonCode::ControlCharacters, Route::Ocr);
}

#[test]
fn letters_that_are_not_those_of_a_language() {
    let rotated: String = prose::ENGLISH
        .chars()
        .map(|c| match c {
            'a'..='z' => char::from((c as u8 - b'a' + 13) % 26 + b'a'),
            c => c,
        })
        .collect();
    let score = check(&rotated);
    assert_eq!(score.route, Route::Ocr, "{score:#?}");
    let shifted: String = prose::ENGLISH
        .chars()
        .map(|c| if c == ' ' { c } else { char::from_u32(u32::from(c) - 29).unwrap_or(c) })
        .collect();
    assert_found(&shifted, ReasonCode::GlyphCodeShift, Route::Ocr);
    let mojibake = encoding_rs::WINDOWS_1252.decode(prose::FRENCH.as_bytes()).0.into_owned();
    assert_found(&mojibake, ReasonCode::CodePageMojibake, Route::Repair);
    let one: String = prose::ENGLISH
        .chars()
        .map(|c| match c {
            'e' => 'q',
            c => c,
        })
        .collect();
    assert_ne!(check(&one).route, Route::Keep);
}

#[test]
fn a_bad_paragraph_in_a_long_page() {
    let bad: String = prose::ENGLISH
        .chars()
        .map(|c| match c {
            'a'..='z' => char::from((c as u8 - b'a') * 7 % 26 + b'a'),
            c => c,
        })
        .collect();
    let good = prose::ENGLISH.repeat(3);
    let score = check(&format!("{good}\n{bad}\n{good}\u{C}"));
    assert_eq!(score.route, Route::Ocr, "{score:#?}");
    assert_kept(&format!("{good}\n{good}\u{C}"));
}

#[test]
fn blanks_lost_and_letters_apart() {
    let together: String = prose::ENGLISH.chars().filter(|c| c.is_alphabetic()).collect();
    assert_found(&together, ReasonCode::LostWordBoundaries, Route::Reextract);
    let apart: String =
        prose::ENGLISH.chars().filter(|c| c.is_alphabetic()).flat_map(|c| [c, '\n']).collect();
    assert_found(&apart, ReasonCode::LostWordBoundaries, Route::Reextract);
    let stand_in = prose::ENGLISH.replace(' ', "$");
    assert_found(&stand_in, ReasonCode::StandInSpace, Route::Repair);
    assert_kept(&"ACGTTGCAAGCTTACGATCGATCGGATATCGCGA\n".repeat(20));
    assert_kept(&"A B C D E F G H I J K L\n".repeat(10));
}

#[test]
fn never_flagged() {
    let form = "1 Wages, salaries, tips, etc. Attach Form(s) W-2 ............ 1\n2a Tax-exempt interest . . 2a\n\
        b Taxable interest . . . 2b\n3a Qualified dividends . . 3a\n4a IRA distributions 4a b Taxable amount 4b\n"
        .repeat(6);
    let contents: String = (1..40)
        .map(|n| format!("{n}.{} The harbour at dawn .......................... {}\n", n % 7, n * 3))
        .collect();
    let mathematics =
        "∑ x_i² ≤ ∫₀¹ f(t) dt ⇒ ∀ε>0 ∃δ: |x−y|<δ → |f(x)−f(y)|<ε, where α ∈ ℝⁿ and β = γ⊗δ\n".repeat(8);
    let czech =
        "strč prst skrz krk. smrž pln skvrn zvlhl z mlh. chrt zmrzl v trs. vlk zhltl hrst zrn.\n".repeat(5);
    let source =
        "let inputStreamReader = newBufferedReader(getFileName, defaultCharSet);\nfnHandleKeyPress(evt) { \
        setTimeoutMs(defaultDelayMs); return onErrorCallback(httpStatusCode); }\n"
            .repeat(6);
    let parts: String = (0..60).map(|n| format!("XK-{:04}-{}Z7 QR{n}9T-B{n} ", n * 37, n)).collect();
    let hex: String = (0..400_u32).map(|n| format!("{:08x} ", n.wrapping_mul(2_654_435_761))).collect();
    let dna = "GATTACAGATTACACCGGTTAACCGGTATACGTACGTTAGC\n".repeat(12);
    let prices: String =
        (1..60).map(|n| format!("Cheddar ${n}.50 Gouda ${}.20 Brie ${n}.99\n", n + 2)).collect();
    let names = "Nguyễn Văn Thành, Þórunn Sigurðardóttir, Łukasz Wójcik, Siobhán Ó Briain\n\
        12 Rue de l’Église, 75014 Paris; Strandgötu 4, Akureyri; ul. Świętokrzyska 8, Warszawa\n"
        .repeat(3);
    let bibliography =
        "[12] J. Müller, K. Østergaard, “On the Zeros of L-functions,” Ann. Math. 45(2), pp. 12–19, 1998. \
        doi:10.1000/xyz123\n[13] A. B. Zhang et al., Proc. SPIE 1234, 56 (2001).\n"
            .repeat(6);
    for text in
        [&form, &contents, &mathematics, &czech, &source, &parts, &hex, &dna, &prices, &names, &bibliography]
    {
        assert_kept(text);
    }
}

#[test]
fn the_unjudged_are_named_and_the_policy_decides() {
    let score = check("Total 12 300 EUR");
    assert_eq!((score.route, score.n_not_judged), (Route::Keep, 1));
    assert_eq!(codes(&score), [ReasonCode::NotJudged]);
    let strict = Policy { unjudged: Route::Ocr, ..Policy::default() };
    assert_eq!(check_text("Total 12 300 EUR", &strict).route, Route::Ocr);
}

proptest! {
    #[test]
    fn any_text_has_a_verdict(text in "\\PC{0,300}|[ -~\n\u{C}(cid:)/G<>]{0,300}|[\\x00-\u{10FFFF}]{0,100}") {
        let score = check(&text);
        prop_assert!(score.pages.len() + score.n_blank as usize == score.n_pages as usize);
        for page in &score.pages {
            prop_assert!(page.reasons.len() <= 8);
            for reason in &page.reasons {
                prop_assert!((0.0..=1.0).contains(&reason.share) && reason.detail.chars().count() <= 120);
            }
        }
    }
}

fn repair(text: &str) -> RepairedText {
    repair_text(text, &Policy::default())
}

#[test]
fn what_is_repaired_is_what_was_meant() {
    let mojibake = encoding_rs::WINDOWS_1252.decode(prose::FRENCH.as_bytes()).0.into_owned();
    let names: String = prose::RUSSIAN.chars().map(|c| format!("/uni{:04X}", u32::from(c))).collect();
    let koi8: String =
        encoding_rs::WINDOWS_1251.decode(&encoding_rs::KOI8_R.encode(prose::RUSSIAN).0).0.into_owned();
    for (given, meant) in [
        (mojibake, prose::FRENCH),
        (names, prose::RUSSIAN),
        (prose::ENGLISH.replace(' ', "$"), prose::ENGLISH),
        (koi8, prose::RUSSIAN),
    ] {
        let pages = format!("{}\u{C}{given}\u{C}{}", prose::GERMAN, prose::GREEK);
        let repaired = repair(&pages);
        assert_eq!(repaired.text, format!("{}\u{C}{meant}\u{C}{}", prose::GERMAN, prose::GREEK));
        assert_eq!(
            (repaired.repaired.len(), repaired.repaired[0].page, repaired.left_alone.len()),
            (1, 2, 0)
        );
        assert!(repaired.repaired[0].changes.iter().all(|change| change.n > 0));
        assert_eq!(repair(&repaired.text).text, repaired.text, "a repaired text needs no repair");
    }
}

#[test]
fn what_cannot_be_repaired_stays_byte_for_byte() {
    let rotated: String = prose::ENGLISH
        .chars()
        .map(|c| if c.is_ascii_lowercase() { char::from((c as u8 - b'a' + 13) % 26 + b'a') } else { c })
        .collect();
    let repaired = repair(&rotated);
    assert_eq!(repaired.text, rotated);
    assert!(!repaired.left_alone.is_empty() && repaired.repaired.is_empty());
    assert!(repaired.left_alone.iter().all(|left| left.route == Route::Ocr && !left.why.is_empty()));
}

proptest! {
    #[test]
    fn a_repair_changes_nothing_that_is_kept(text in "\\PC{0,300}|[ -~\n\u{C}(cid:)/G<>]{0,300}") {
        let repaired = repair(&text);
        if check(&text).route == Route::Keep {
            prop_assert_eq!(&repaired.text, &text);
        }
        prop_assert!(repaired.repaired.len() + repaired.left_alone.len() <= repaired.n_pages as usize);
    }
}

#[test]
fn words_run_together_here_and_there() {
    for text in [prose::ENGLISH, prose::ARABIC, prose::RUSSIAN] {
        let text = text.repeat(2);
        let healthy = check_text(&text, &Policy::default());
        assert_eq!(healthy.route, Route::Keep, "{healthy:?}");
        let mut blanks = 0;
        let every_second = |c: &char| {
            blanks += u32::from(*c == ' ');
            *c != ' ' || blanks % 2 == 0
        };
        let merged: String = text.chars().filter(every_second).collect();
        let score = check_text(&merged, &Policy::default());
        assert_eq!((score.route, codes(&score)), (Route::Reextract, vec![ReasonCode::MergedWords]));
    }
}

#[test]
fn transposed_ligatures_of_a_page() {
    let wrong = prose::ARABIC.replace("لا", "ال").replace("لأ", "أل").replace("لإ", "إل");
    let words = " في األولى من اإلدارة عن اآلثار";
    let score = check_text(&format!("{wrong}{words}"), &Policy::default());
    assert_eq!(score.route, Route::Reextract, "{score:?}");
}
