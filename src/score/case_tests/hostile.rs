//! Files that cost more than they weigh: each costs itself only, and its healthy pages keep their verdicts.

use super::*;
use crate::sample::{self, Damage, Filter, StreamSpec};
use crate::score::{FindingCode, Limits, State, score_document};

/// A hostile page between two healthy ones.
fn between_healthy(draw: impl FnOnce(PageBuilder) -> PageBuilder) -> Judged {
    let judged = judge(
        PdfBuilder::new()
            .page(|page| page.font(helvetica()).paragraph(&english()))
            .page(draw)
            .page(|page| page.font(helvetica()).paragraph(&english())),
    );
    assert_eq!(judged.0.state, State::Scored, "{judged}");
    assert_eq!(judged.0.pages.len(), 3, "{judged}");
    assert_eq!((routes(&judged)[0], routes(&judged)[2]), (Route::Keep, Route::Keep), "{judged}");
    judged
}

fn found(judged: &Judged, code: FindingCode) -> bool {
    judged.0.findings.iter().any(|finding| finding.page == Some(2) && finding.code == code)
}

#[test]
fn bomb_of_eight_gibibytes_is_cut_off() {
    let twice = StreamSpec { raw: true, ..StreamSpec::default() }.filters(&[Filter::Flate, Filter::Flate]);
    let judged = between_healthy(|page| page.bytes(&sample::bomb_flate(8 << 30)).stream(twice));
    assert!(found(&judged, FindingCode::StreamOverLimit), "{judged}");
    assert_ne!((judged.0.pages[1].route, judged.0.pages[1].judged), (Route::Keep, true), "{judged}");
}

#[test]
fn sixty_mebibytes_of_tiny_operators_end_at_the_budget() {
    let packed = StreamSpec { raw: true, ..StreamSpec::default() }.filters(&[Filter::Flate]);
    let tiny = sample::repeated_deflated(&sample::tiny_operators(1 << 16), 60 << 20);
    let judged = between_healthy(|page| page.bytes(&tiny).stream(packed));
    assert!(found(&judged, FindingCode::OperatorBudget), "{judged}");
}

#[test]
fn arrays_a_million_deep_are_no_stack_overflow() {
    between_healthy(|page| page.bytes(&sample::nested_arrays(1_000_000)));
    between_healthy(|page| page.bytes(&b"<<".repeat(1_000_000)));
    between_healthy(|page| page.bytes(&b"(".repeat(1_000_000)));
    between_healthy(|page| page.bytes(&b"q ".repeat(1_000_000)));
    between_healthy(|page| page.bytes(&b"BT /F1 12 Tf ".repeat(100_000)));
}

#[test]
fn form_that_draws_itself_ends() {
    // Object 4 is the form; its own resources name it.
    let form = StreamSpec::new(
        "/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /XObject << /Me 3 0 R >> >>",
        "/Me Do /Me Do",
    );
    let judged = judge(PdfBuilder::new().extra_stream(form).page(|page| {
        page.resource_entries("/XObject << /Me 3 0 R >>").op("/Me Do").font(helvetica()).paragraph(&english())
    }));
    assert_eq!(judged.route(), Route::Keep, "{judged}");
    assert!(judged.0.findings.iter().any(|finding| finding.code == FindingCode::FormLoop), "{judged}");
}

#[test]
fn forms_that_double_at_each_level_end_at_the_budget() {
    let mut file = PdfBuilder::new();
    for level in 0..26 {
        let next = level + 4;
        file = file.extra_stream(StreamSpec::new(
            format!("/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /XObject << /N {next} 0 R >> >>"),
            "/N Do /N Do",
        ));
    }
    file = file
        .extra_stream(StreamSpec::new("/Type /XObject /Subtype /Form /BBox [0 0 612 792]", "0 0 m 1 1 l S"));
    let file = file.page(|page| {
        page.resource_entries("/XObject << /N 3 0 R >>").font(helvetica()).paragraph(&english()).op("/N Do")
    });
    let limits = Limits { operators_per_page: 500_000, ..Limits::default() };
    let judged = Judged::of(score_document(&file.build(), &limits));
    assert!(judged.0.findings.iter().any(|finding| finding.code == FindingCode::OperatorBudget), "{judged}");
    assert_eq!(judged.0.state, State::Scored, "{judged}");
    assert_eq!(judged.0.pages[0].glyphs_drawn, 444, "{judged}");
}

#[test]
fn page_trees_that_loop_or_are_deep() {
    let page = || PdfBuilder::new().page(|page| page.font(helvetica()).paragraph(&english()));
    let looped = judge(page().tree_loop());
    assert_eq!((looped.0.pages.len(), looped.route()), (1, Route::Keep), "{looped}");
    let deep = judge(page().tree_depth(200));
    assert_eq!((deep.0.pages.len(), deep.route()), (1, Route::Keep), "{deep}");
    let million = judge(page().count(1_000_000_000));
    assert_eq!(million.route(), Route::Keep, "{million}");
    let negative = judge(page().count(-5));
    assert_eq!((negative.0.pages.len(), negative.route()), (1, Route::Keep), "{negative}");
}

#[test]
fn damaged_containers_keep_their_page() {
    let page = || PdfBuilder::new().page(|page| page.font(helvetica()).paragraph(&english()));
    for damage in [
        Damage::BrokenStartXref,
        Damage::WrongOffsets,
        Damage::NoXref,
        Damage::NoHeader,
        Damage::JunkBefore(vec![b'x'; 600]),
        Damage::replaced("/Type /Catalog ", ""),
    ] {
        let judged = judge(page().damage(damage.clone()));
        assert_eq!(judged.0.state, State::Scored, "{damage:?}\n{judged}");
        assert_eq!(
            (judged.route(), judged.0.pages[0].glyphs_drawn),
            (Route::Keep, 444),
            "{damage:?}\n{judged}"
        );
    }
}

#[test]
fn damaged_streams_keep_their_text() {
    let streams = [
        StreamSpec { length: Some(0), ..StreamSpec::default() },
        StreamSpec { length: Some(100_000), ..StreamSpec::default() },
        StreamSpec { length: Some(-1), ..StreamSpec::default() },
        StreamSpec { length: Some(7), ..StreamSpec::default().filters(&[Filter::Flate]) },
        StreamSpec { abbreviated: true, ..StreamSpec::default().filters(&[Filter::Flate]) },
        StreamSpec { abbreviated: true, ..StreamSpec::default().filters(&[Filter::Ascii85, Filter::Lzw]) },
        StreamSpec { indirect_filter: true, ..StreamSpec::default().filters(&[Filter::Flate]) },
        StreamSpec { no_endstream: true, ..StreamSpec::default().filters(&[Filter::Flate]) },
        StreamSpec::default().filters(&[Filter::AsciiHex, Filter::RunLength]),
    ];
    for stream in streams {
        let judged = judge(
            PdfBuilder::new()
                .page(|page| page.stream(stream.clone()).font(helvetica()).paragraph(&english())),
        );
        assert_eq!(
            (judged.route(), judged.0.pages[0].glyphs_drawn),
            (Route::Keep, 444),
            "{stream:?}\n{judged}"
        );
    }
}

#[test]
fn a_stream_cut_in_the_middle_keeps_what_came_before() {
    let cut = StreamSpec { keep_bytes: Some(300), ..StreamSpec::default().filters(&[Filter::Flate]) };
    let judged =
        judge(PdfBuilder::new().page(|page| page.stream(cut).font(helvetica()).paragraph(prose::ENGLISH)));
    let page = &judged.0.pages[0];
    assert!((50..1_400).contains(&page.glyphs_drawn), "{judged}");
    assert!(!page.judged || page.route != Route::Keep, "half a page is no judged page\n{judged}");
    assert!(!judged.0.findings.is_empty(), "{judged}");
}

#[test]
fn a_page_listed_twice_is_two_pages() {
    let judged = judge(
        PdfBuilder::new()
            .page(|page| page.font(helvetica()).paragraph(&english()))
            .page(|page| page.font(severed(&english())).paragraph(&english()))
            .repeat_page(0)
            .repeat_page(1),
    );
    assert_eq!(routes(&judged), [Route::Keep, Route::Ocr, Route::Keep, Route::Ocr], "{judged}");
}

#[test]
fn encrypted_files_are_read_or_said_to_be_locked() {
    use crate::sample::{Cipher, Encryption};
    for cipher in [Cipher::Rc4Of40Bits, Cipher::Rc4Of128Bits, Cipher::Aes128, Cipher::Aes256] {
        let file = || {
            PdfBuilder::new()
                .page(|page| page.font(only_by(ToUnicode::Right, &english())).paragraph(&english()))
                .page(|page| page.font(severed(&english())).paragraph(&english()))
        };
        let open = judge(file().encrypt(Encryption::open(cipher)));
        assert_eq!(routes(&open), [Route::Keep, Route::Ocr], "{cipher:?}\n{open}");
        let locked = judge(file().encrypt(Encryption::locked(cipher, "tide")));
        assert_eq!((locked.0.state, locked.0.pages.len()), (State::Encrypted, 0), "{cipher:?}\n{locked}");
    }
}
