//! Faults that only the letters show: the maps are well formed, and no program or name denies them.

use super::*;

/// What a wrong map may be called: by its letters, or by the widths that deny it first.
const WRONG_LETTERS: &[ReasonCode] = &[
    ReasonCode::LetterSubstitution,
    ReasonCode::PartialSubstitution,
    ReasonCode::GlyphCodeShift,
    ReasonCode::ContradictedUnicode,
    ReasonCode::NonInjectiveUnicode,
];

const AWAY: &[Route] = &[Route::Ocr, Route::Decode];

/// A font without widths of its own and whose only route is this map: the letters alone can tell.
fn mute(to_unicode: ToUnicode, letters: &str) -> Type0 {
    severed(letters).to_unicode(to_unicode)
}

/// The map is found out by the letters, and the same page with the right map is kept.
#[track_caller]
fn told_by_letters(text: &str, wrong: ToUnicode, reasons: &[ReasonCode]) {
    text_in(mute(wrong, text), text).goes_to(AWAY, reasons);
    let twin = text_in(mute(ToUnicode::Right, text), text);
    assert_eq!(twin.route(), Route::Keep, "{twin}");
    assert!(twin.0.pages[0].judged, "{twin}");
}

#[test]
fn case_02_letters_shifted_by_their_class() {
    let text = english();
    told_by_letters(&text, ToUnicode::shifted(3), &[ReasonCode::GlyphCodeShift]);
    let by_class = |letter: char| {
        let by = if letter.is_lowercase() { 5 } else { 2 };
        let turned = |first: u8| char::from(first + (letter as u8 - first + by) % 26);
        Some(String::from(match letter {
            'a'..='z' => turned(b'a'),
            'A'..='Z' => turned(b'A'),
            other => other,
        }))
    };
    told_by_letters(&text, ToUnicode::mapped(by_class), WRONG_LETTERS);
}

#[test]
fn case_04_one_arabic_letter_for_another() {
    told_by_letters(prose::ARABIC, ToUnicode::replaced("م", "د"), &[ReasonCode::PartialSubstitution]);
}

#[test]
fn case_12_good_text_of_other_scripts_is_not_repaired() {
    for text in [prose::RUSSIAN, prose::GREEK, prose::ARABIC, prose::HEBREW, prose::GERMAN, prose::FRENCH] {
        let judged = text_in(mute(ToUnicode::Right, text), text);
        assert_eq!(judged.route(), Route::Keep, "{judged}");
    }
    for text in [prose::JAPANESE, prose::CHINESE, prose::CHINESE_TRADITIONAL, prose::KOREAN] {
        let judged = lines_in(mute(ToUnicode::Right, text), text);
        assert_eq!(judged.route(), Route::Keep, "{judged}");
    }
}

#[test]
fn case_12_other_scripts_in_wrong_letters_are_not_kept() {
    let text = prose::RUSSIAN;
    told_by_letters(text, ToUnicode::rotated(7), WRONG_LETTERS);
    let shifted = lines_in(mute(ToUnicode::shifted(7), prose::JAPANESE), prose::JAPANESE);
    shifted.is_not_trusted();
}

/// Arabic drawn line by line; `show` draws one line.
fn arabic(show: fn(PageBuilder, &str) -> PageBuilder) -> PdfBuilder {
    let font = Type0::identity_h(Sfnt::for_text(prose::ARABIC)).to_unicode(ToUnicode::Right);
    let page = |page: PageBuilder| page.font(font).size(14.0).paragraph_rtl(prose::ARABIC, show);
    PdfBuilder::new().page(page)
}

/// The words of a page's text with its repairs.
fn repaired_words(pdf: PdfBuilder) -> Vec<String> {
    let wish = TextWish { repair: true, decode: false };
    let score = trusted_text(&pdf.build(), &Limits::default(), wish);
    let text = score.pages[0].text.as_ref().expect("text was asked for");
    assert_eq!(text.withheld, None, "{}", Judged::of(score.clone()));
    text.text().split_whitespace().map(str::to_owned).collect()
}

#[test]
fn case_13_text_stored_as_it_looks() {
    let words: Vec<&str> = prose::ARABIC.split_whitespace().collect();
    let logical = || arabic(|page, line| page.show_rtl(line));
    assert_eq!(judge(logical()).route(), Route::Keep);
    assert_eq!(repaired_words(logical()), words);
    let visual = || arabic(|page, line| page.show(&line.chars().rev().collect::<String>()));
    judge(visual()).goes_to(&[Route::Repair], &[ReasonCode::VisualOrder]);
    assert_eq!(repaired_words(visual()), words);
}

#[test]
fn case_14_a_layer_is_judged_by_its_letters() {
    let layer = |text: &str| {
        let scan = Image::scan_of_text(1275, 1650);
        judge(
            PdfBuilder::new()
                .page(|page| page.image(scan, WHOLE).font(helvetica()).render_mode(3).paragraph(text)),
        )
    };
    let good = layer(&english());
    assert_eq!(good.route(), Route::Keep, "{good}");
    // Cyrillic print read by a recogniser that knows Latin only, and handwriting.
    let read_as_latin = "PaJ1QeJI CyMMa HaJlora no Hanory ynnaYI4BaeMoro B CB5I3H c npHMeHeHHeM ynpoII1eHHO14 CHCTeMbl \
        HaJIoroo6JIo)I(eHH51 o61>eKT HaJIoroo6JIo)I(eHH51 AOXOAbI noAJIe)I(aIII,a51 ynJIaTe yMeHbIIIeHHI0 no AaHHbIM \
        HaJIoronJIaTeJIbIIIHKa KoA cTpoKH 3HaqeHHe noKa3aTeJI51";
    layer(read_as_latin).goes_to(&[Route::Ocr], &[ReasonCode::UntrustedOcrLayer]);
    let scrawl = "/94:3? ey/1 .1/1.e_atinc24451a.y, 0-e-el-k- 5.A.:01.6e.e. d-atte- tet:A41 LCV WI.GL41.44 gta9Air N.k4k.O.AetAlket \
        lw3r.e kj_tta m0.rre4 dla/ee1 x_aat3r p1.oer4 s_ett8a a.w3ll k_e1rt ";
    layer(&scrawl.repeat(2)).goes_to(&[Route::Ocr], &[ReasonCode::UntrustedOcrLayer]);
}

#[test]
fn case_19_bytes_of_a_code_page_read_as_another() {
    // UTF-8 shown through a font that takes every byte for a character of Windows-1252.
    let text = prose::FRENCH;
    let bytes = |text: &str| -> String {
        text.chars()
            .flat_map(|letter| {
                let mut buffer = [0; 4];
                letter.encode_utf8(&mut buffer).bytes().map(char::from).collect::<Vec<_>>()
            })
            .collect()
    };
    let wrong = ToUnicode::mapped(move |letter| Some(bytes(&letter.to_string())));
    text_in(mute(wrong, text), text).goes_to(&[Route::Repair], &[ReasonCode::CodePageMojibake]);
    let twin = text_in(mute(ToUnicode::Right, text), text);
    assert_eq!(twin.route(), Route::Keep, "{twin}");
}

#[test]
fn case_39_vowels_for_vowels_and_consonants_for_consonants() {
    let cipher = ToUnicode::replaced("aeioubcdfghjklmnpqrstvwxz", "ouaeidfghjklmnpqrstvwxzbc");
    told_by_letters(&english(), cipher, WRONG_LETTERS);
}

#[test]
fn case_39_six_letters_swapped() {
    told_by_letters(&english(), ToUnicode::replaced("etrnsl", "trnsle"), WRONG_LETTERS);
}

#[test]
fn case_39_solved_letters_are_printed_when_asked_for() {
    let (text, cipher) = (english(), ToUnicode::replaced("etrnsl", "trnsle"));
    let font = mute(cipher, &text);
    let pdf = PdfBuilder::new().page(|page| page.font(font).paragraph(&text)).build();
    let read = |decode| {
        let score = trusted_text(&pdf, &Limits::default(), TextWish { repair: false, decode });
        (score.pages[0].route, score.pages[0].text.clone().expect("text was asked for"))
    };
    let (route, plain) = read(false);
    assert_eq!((route, plain.text().as_str()), (Route::Ocr, ""));
    let (_, solved) = read(true);
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(&solved.text()), words(&text));
    assert!(solved.pieces.iter().any(|piece| piece.provenance == Provenance::Solved));
}

#[test]
fn case_39_one_letter_swapped_names_its_code() {
    let text = prose::ENGLISH;
    let judged = text_in(mute(ToUnicode::replaced("h", "f"), text), text);
    judged.goes_to(AWAY, &[ReasonCode::PartialSubstitution]);
    let share = judged.reason(ReasonCode::PartialSubstitution).map_or(0.0, |reason| reason.share);
    assert!(share < 0.2, "one letter is charged, not the font\n{judged}");
}

#[test]
fn case_39_digits_are_nothing_the_letters_judge() {
    let text = "4711 0815 1234 5678 9012 3456 7890 2468 1357 ".repeat(12);
    let judged = text_in(mute(ToUnicode::replaced("0123456789", "1234567890"), &text), &text);
    assert!(!judged.0.pages[0].judged, "{judged}");
}

#[test]
fn case_40_no_script_is_exempt() {
    for text in [prose::RUSSIAN, prose::GREEK, prose::ARABIC] {
        told_by_letters(text, ToUnicode::rotated(5), WRONG_LETTERS);
    }
    told_by_letters(
        prose::HEBREW,
        ToUnicode::replaced("אבגדהוזחטיכלמנסעפצקרשת", "תשרקצפעסנמלכיטחזוהדגבא"),
        WRONG_LETTERS,
    );
    let six = ToUnicode::replaced("оетнра", "етнрао");
    told_by_letters(prose::RUSSIAN, six, WRONG_LETTERS);
    let six = ToUnicode::replaced("αοιετν", "οιετνα");
    told_by_letters(prose::GREEK, six, WRONG_LETTERS);
    let six = ToUnicode::replaced("المنري", "لمنريا");
    told_by_letters(prose::ARABIC, six, WRONG_LETTERS);
}

#[test]
fn a_certified_map_makes_strange_text_strange() {
    let text: String = english()
        .chars()
        .map(|c| if c.is_ascii_lowercase() { char::from(b'a' + (c as u8 - b'a') * 7 % 26) } else { c })
        .collect();
    let certified = text_in(Type0::identity_h(Sfnt::for_text(&text)).to_unicode(ToUnicode::Right), &text);
    assert_eq!(certified.route(), Route::Keep, "{certified}");
    text_in(mute(ToUnicode::Right, &text), &text).goes_to(AWAY, WRONG_LETTERS);
}

#[test]
fn a_sign_in_place_of_the_space() {
    for sign in ["$", "!", "\u{00A4}"] {
        let text = prose::ENGLISH;
        let judged = text_in(mute(ToUnicode::replaced(" ", sign), text), text);
        judged.goes_to(&[Route::Repair], &[ReasonCode::StandInSpace]);
    }
}

#[test]
fn private_use_is_no_text_and_a_bullet_is_no_page() {
    let text = english();
    let all = text_in(mute(ToUnicode::private_use(), &text), &text);
    all.goes_to(&[Route::Ocr], &[ReasonCode::PrivateUse, ReasonCode::UndecodableFont]);
    assert!(all.reason(ReasonCode::PrivateUse).is_some(), "the characters are named\n{all}");
    let bullet = format!("\u{2022} {text}");
    let one = text_in(mute(ToUnicode::replaced("\u{2022}", "\u{F0B7}"), &bullet), &bullet);
    assert_eq!(one.route(), Route::Keep, "{one}");
}

#[test]
fn control_characters_and_replacements_by_name() {
    let text = english();
    let controls = ToUnicode::mapped(|c| {
        Some(if c == ' ' { " ".to_owned() } else { char::from_u32(1 + c as u32 % 8).map(String::from)? })
    });
    let judged = text_in(mute(controls, &text), &text);
    judged.goes_to(&[Route::Ocr], &[ReasonCode::ControlCharacters]);
}

#[test]
fn a_page_of_signs_is_soup() {
    let text = english();
    let signs: Vec<char> = "!\"#$%&'()+,/:;<>?@[]^`{}§¶±×÷".chars().collect();
    let soup = ToUnicode::mapped(move |c| {
        Some(if c == ' ' { ' ' } else { signs[c as usize % signs.len()] }.to_string())
    });
    text_in(mute(soup, &text), &text).goes_to(
        AWAY,
        &[ReasonCode::SymbolSoup, ReasonCode::GlyphCodeShift, ReasonCode::NonInjectiveUnicode],
    );
    let twin = text_in(mute(ToUnicode::Right, &text), &text);
    assert_eq!(twin.route(), Route::Keep, "{twin}");
}
