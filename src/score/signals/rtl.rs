//! Arabic, Persian, Urdu and Hebrew: order, forms and marks, in PDFs and in given text.
//!
//! Takes: the text of a page. Gives: what is wrong with its right-to-left letters, and the text that was meant. Fails: never.
//!
//! | reason | sign |
//! |---|---|
//! | `visual_order` | the words of nearly all lines read better backward, by half a bit a letter |
//! | `mixed_reading_order` | those of some lines do, those of others read forward |
//! | `quran_glyph_codes` | shapes count upward, code after code: words of a page's own font, numbered as they come |
//! | `lam_alef_transposition` | words begin with alef, hamza-alef, lam: a ligature was turned around with its line |
//! | `presentation_forms` | letters are stored as the shapes they take (U+FB50–FDFF, U+FE70–FEFF, U+FB1D–FB4F) |
//! | `bidi_controls` | marks and embeddings (U+200E–200F, U+202A–202E, U+2066–2069) by the word |
//! | `unmapped_elongation` | a character that is no text stands between joined letters, where a kashida was drawn |

use unicode_normalization::UnicodeNormalization;

use super::TextCharge;
use super::letters::chars::{Char, Kind};
use super::letters::fit::fit_words;
use super::letters::words::Words;
use crate::score::result::{Certainty, ReasonCode, Scope};
use crate::score::text::PageMeasure;
use crate::score::text::reading::{Order, has_rtl, joined};

/// Letters of a line whose order is asked.
const LINE_LETTERS: usize = 20;
/// Letters of shorter lines from which they are asked together.
const SHORT_LINES_LETTERS: usize = 60;
/// Share of shapes that follow the one before by code from which they are numbers.
const NUMBERED: f32 = 0.5;
/// Words with a transposed ligature from which they are no accident.
const TRANSPOSED: u32 = 2;
/// Bits a letter by which a line must read better the other way (specification of the letters, 1.8).
const ORDER_BITS: f32 = 0.5;
/// Share of the letters of decided lines that read backward from which the page does.
const BACKWARD: f32 = 0.9;
/// Share from which some lines do.
const SOME_BACKWARD: f32 = 0.1;
/// Uses of a character that stands for an elongation.
const ELONGATIONS: usize = 12;
/// Share of them that must stand between letters.
const BETWEEN_LETTERS: f32 = 0.8;

/// One thing that is wrong, and how many characters it concerns.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::score) struct RtlFault {
    pub(in crate::score) code: ReasonCode,
    pub(in crate::score) n: u32,
    pub(in crate::score) detail: String,
}

fn is_rtl_letter(c: char) -> bool {
    matches!(Char::of(c), Char { kind: Kind::Letter, script, .. } if script.is_rtl())
}

/// Letters stored as shapes; ornaments, and words that are one sign, are themselves.
fn is_form(c: char) -> bool {
    matches!(c, '\u{FB1D}'..='\u{FB4F}' | '\u{FB50}'..='\u{FDCF}' | '\u{FE70}'..='\u{FEFC}')
        && !matches!(c, '\u{FB29}' | '\u{FBB2}'..='\u{FBC2}' | '\u{FD3E}' | '\u{FD3F}')
}

fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// The character that stands between joined Arabic letters and is no text.
pub(in crate::score) fn elongation(text: &str) -> Option<(char, usize)> {
    let is_candidate = |c: char| {
        matches!(Char::of(c).kind, Kind::Replacement | Kind::Private)
            || (c.is_control() && !c.is_whitespace())
    };
    let is_arabic = |c: char| ('\u{620}'..='\u{6FF}').contains(&c) && is_rtl_letter(c);
    let chars: Vec<char> = text.chars().filter(|c| Char::of(*c).kind != Kind::Mark).collect();
    let mut uses: Vec<(char, usize, usize)> = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let c = chars[at];
        if !is_candidate(c) {
            at += 1;
            continue;
        }
        let end = at + chars[at..].iter().take_while(|other| **other == c).count();
        let between = at > 0 && is_arabic(chars[at - 1]) && chars.get(end).is_some_and(|c| is_arabic(*c));
        let n = end - at;
        let inside = if between { n } else { 0 };
        match uses.iter().position(|(known, ..)| *known == c) {
            Some(known) => (uses[known].1, uses[known].2) = (uses[known].1 + n, uses[known].2 + inside),
            None if uses.len() < 64 => uses.push((c, n, inside)),
            None => {}
        }
        at = end;
    }
    let (c, all, inside) = uses.into_iter().max_by_key(|(_, _, inside)| *inside)?;
    (inside >= ELONGATIONS && inside as f32 >= BETWEEN_LETTERS * all as f32).then_some((c, all))
}

/// Charges on the right-to-left text of a page of a PDF, as its content gives it.
pub(in crate::score) fn charges(measure: &PageMeasure) -> Vec<TextCharge> {
    if !has_rtl(measure) {
        return Vec::new();
    }
    let mut text = String::new();
    for (run, before) in joined(measure, Order::Content, |run| !run.invisible) {
        text.push_str(before.text());
        text.push_str(measure.text(run));
    }
    let charge = |fault: RtlFault| TextCharge {
        code: fault.code,
        certainty: Certainty::Measured,
        glyphs: fault.n,
        font_index: None,
        scope: Scope::Page,
        detail: fault.detail,
    };
    examine(&text).into_iter().map(charge).collect()
}

/// What is wrong with the right-to-left letters of a page.
pub(in crate::score) fn examine(text: &str) -> Vec<RtlFault> {
    let mut out = Vec::new();
    let forms = text.chars().filter(|c| is_form(*c)).count() as u32;
    let controls = text.chars().filter(|c| is_bidi_control(*c)).count() as u32;
    let letters = text.chars().filter(|c| is_rtl_letter(*c)).count();
    if letters < LINE_LETTERS && forms < LINE_LETTERS as u32 {
        return out;
    }
    let mut fault = |code, n: u32, detail: String| {
        if n > 0 {
            out.push(RtlFault { code, n, detail });
        }
    };
    let numbered = numbered(text);
    if numbered > 0 {
        let detail = format!("{numbered} characters count upward: a font's glyphs in the order of a page");
        fault(ReasonCode::QuranGlyphCodes, numbered, detail);
        return out;
    }
    fault(ReasonCode::PresentationForms, forms, format!("{forms} letters are stored as shapes"));
    fault(ReasonCode::BidiControls, controls, format!("{controls} marks and embeddings of direction"));
    let elongated = elongation(text).map_or(0, |(_, n)| n as u32);
    let detail = format!("{elongated} characters without a meaning stand between joined letters");
    fault(ReasonCode::UnmappedElongation, elongated, detail);
    let transposed = transposed_lam_alef(text);
    fault(
        ReasonCode::LamAlefTransposition,
        transposed,
        format!("{transposed} words begin with alef, alef and lam"),
    );
    let [forward, backward] = order(text);
    let decided = forward + backward;
    if decided > 0 && backward as f32 >= BACKWARD * decided as f32 {
        fault(
            ReasonCode::VisualOrder,
            letters as u32,
            format!("{backward} of {decided} letters read backward"),
        );
    } else if decided > 0 && backward as f32 >= SOME_BACKWARD * decided as f32 {
        let detail = format!("{backward} of {decided} letters read backward, by lines");
        fault(ReasonCode::MixedReadingOrder, backward, detail);
    }
    out
}

/// Characters of fonts that draw a word or verse a glyph and number them in the order of the page: the text of printed
/// Qurans. No spelling counts upward.
fn numbered(text: &str) -> u32 {
    let codes: Vec<u32> =
        text.chars().filter(|c| matches!(c, '\u{FB50}'..='\u{FDFF}')).map(u32::from).collect();
    let upward = codes.windows(2).filter(|pair| pair[1] == pair[0] + 1).count();
    let downward = codes.windows(2).filter(|pair| pair[0] == pair[1] + 1).count();
    let enough = codes.len() >= LINE_LETTERS && upward.max(downward) as f32 >= NUMBERED * codes.len() as f32;
    if enough { codes.len() as u32 } else { 0 }
}

/// Words in which the article's lam stands behind the alef that it is written with: a ligature of lam and alef that was
/// turned around as two letters. Counted where such words are more than those spelt right.
fn transposed_lam_alef(text: &str) -> u32 {
    let is_other_alef = |c: char| matches!(c, 'ا' | 'أ' | 'إ' | 'آ');
    let (mut wrong, mut right) = (0, 0);
    for word in text.split(|c: char| !is_rtl_letter(c) && Char::of(c).kind != Kind::Mark) {
        let letters: Vec<char> = word.chars().filter(|c| is_rtl_letter(*c)).take(4).collect();
        let at = usize::from(matches!(letters.first(), Some('و' | 'ف' | 'ب' | 'ك')));
        match letters.get(at..at + 3) {
            Some(['ا', alef, 'ل']) if is_other_alef(*alef) => wrong += 1,
            Some(['ا', 'ل', alef]) if is_other_alef(*alef) => right += 1,
            _ => {}
        }
    }
    if wrong >= TRANSPOSED && wrong > right { wrong } else { 0 }
}

/// Letters of lines that read forward and of lines that read backward; lines that are too short are asked together.
fn order(text: &str) -> [u32; 2] {
    let mut decided = [0, 0];
    let (mut short, mut n_short) = (String::new(), 0);
    let mut decide = |text: &str, n: usize| {
        if let Some(backward) = reads_backward(text) {
            decided[usize::from(backward)] += n as u32;
        }
    };
    for line in text.lines() {
        let n = line.chars().filter(|c| is_rtl_letter(*c)).count();
        if n >= LINE_LETTERS {
            decide(line, n);
        } else if n > 0 {
            n_short += n;
            short.push_str(line);
            short.push('\n');
        }
    }
    if n_short >= SHORT_LINES_LETTERS {
        decide(&short, n_short);
    }
    decided
}

/// Whether the words of a text read better backward; `None` where neither way is better by enough.
fn reads_backward(text: &str) -> Option<bool> {
    let plain: String = text.chars().map(base_form).collect();
    let bits = |words: &Words| fit_words(words, None).filter(|fit| fit.script.is_rtl()).map(|fit| fit.bits);
    let forward = bits(&Words::read(plain.chars()))?;
    let backward = bits(&Words::read(plain.chars().rev()))?;
    ((forward - backward).abs() >= ORDER_BITS).then_some(backward < forward)
}

/// The letter of a shape, where it is one.
fn base_form(c: char) -> char {
    let mut letters = std::iter::once(c).nfkc();
    match (is_form(c), letters.next(), letters.next()) {
        (true, Some(letter), None) => letter,
        _ => c,
    }
}

/// The text with the given faults undone: order first, because a shape of two letters is one sign in it.
pub(in crate::score) fn repair(text: &str, faults: &[ReasonCode]) -> String {
    let has = |code| faults.contains(&code);
    let mut out = text.to_owned();
    if has(ReasonCode::BidiControls) {
        out.retain(|c| !is_bidi_control(c));
    }
    if has(ReasonCode::UnmappedElongation)
        && let Some((sign, _)) = elongation(&out)
    {
        out.retain(|c| c != sign);
    }
    if has(ReasonCode::VisualOrder) {
        out = out.split_inclusive('\n').map(logical_line).collect();
    }
    if has(ReasonCode::PresentationForms) {
        out = unshaped(&out);
    }
    out
}

/// Letters in the place of shapes; no other character is normalised. A shape between blanks that carries a mark alone is
/// its mark.
fn unshaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_form(c) {
            out.extend(std::iter::once(c).nfkc().filter(|c| *c != ' '));
        } else {
            out.push(c);
        }
    }
    out
}

/// A line that is stored as it looks, in the order in which it is read, and the other way round. Lines without
/// right-to-left letters stay.
pub(in crate::score) fn logical_line(line: &str) -> String {
    if !line.chars().any(is_rtl_letter) {
        return line.to_owned();
    }
    let ending = &line[line.trim_end_matches(['\n', '\r', '\u{C}']).len()..];
    let body: Vec<char> = line[..line.len() - ending.len()].chars().collect();
    let mut turned: Vec<char> = clusters(&body).into_iter().rev().flatten().copied().collect();
    turn_back(&mut turned);
    mirror(&mut turned);
    turned.into_iter().chain(ending.chars()).collect()
}

/// A letter with its marks where lines were turned around letter by letter; else each character by itself, as most
/// extractors and shapers turn them. Told by where marks stand: behind the last letter of a word as it looks, or before
/// the first.
fn clusters(chars: &[char]) -> Vec<&[char]> {
    let is_mark = |c: &char| Char::of(*c).kind == Kind::Mark;
    let is_space = |at: usize| chars.get(at).is_none_or(|c| Char::of(*c).kind == Kind::Space);
    let marks = || (0..chars.len()).filter(|at| is_mark(&chars[*at]));
    let leading = marks().filter(|at| *at == 0 || is_space(at - 1)).count();
    let trailing = marks().filter(|at| is_space(at + 1)).count();
    let by_letter = trailing > leading;
    let mut out = Vec::new();
    let mut start = 0;
    for at in 1..=chars.len() {
        if at == chars.len() || !by_letter || !is_mark(&chars[at]) {
            out.push(&chars[start..at]);
            start = at;
        }
    }
    out
}

/// Numbers and runs of left-to-right words keep their own order.
fn turn_back(chars: &mut [char]) {
    let is_ltr = |c: char| {
        matches!(Char::of(c), Char { kind: Kind::Digit, .. })
            || matches!(Char::of(c), Char { kind: Kind::Letter, script, .. } if !script.is_rtl())
    };
    let mut at = 0;
    while at < chars.len() {
        if !is_ltr(chars[at]) {
            at += 1;
            continue;
        }
        // A run ends at its last strong or digit character; what stands between two of them belongs to it.
        let mut end = at + 1;
        let mut ahead = at + 1;
        while ahead < chars.len() && !is_rtl_letter(chars[ahead]) {
            let parts_numbers = chars[end..ahead].iter().any(|c| c.is_whitespace())
                && (chars[end - 1].is_numeric() || chars[ahead].is_numeric());
            if is_ltr(chars[ahead]) && !parts_numbers {
                end = ahead + 1;
            } else if is_ltr(chars[ahead]) {
                break;
            }
            ahead += 1;
        }
        chars[at..end].reverse();
        at = end;
    }
}

/// Brackets are turned around where that makes pairs of them.
fn mirror(chars: &mut [char]) {
    const PAIRS: [(char, char); 5] = [('(', ')'), ('[', ']'), ('{', '}'), ('«', '»'), ('<', '>')];
    let mirrored =
        |c: char| PAIRS.iter().find_map(|(a, b)| if c == *a { Some(*b) } else { (c == *b).then_some(*a) });
    let pairs = |chars: &[char]| {
        let (mut open, mut n) = (Vec::new(), 0);
        for c in chars {
            if PAIRS.iter().any(|(a, _)| a == c) {
                open.push(*c);
            } else if let Some(opens) = PAIRS.iter().find(|(_, b)| b == c).map(|(a, _)| *a) {
                n += i32::from(open.pop() == Some(opens));
            }
        }
        n - open.len() as i32
    };
    let other: Vec<char> = chars.iter().map(|c| mirrored(*c).unwrap_or(*c)).collect();
    if pairs(&other) > pairs(chars) {
        chars.copy_from_slice(&other);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::prose;

    fn codes(text: &str) -> Vec<ReasonCode> {
        examine(text).into_iter().map(|fault| fault.code).collect()
    }

    /// As it looks: lines turned around, numbers and Latin words not, brackets mirrored.
    fn visual(text: &str) -> String {
        text.split_inclusive('\n').map(logical_line).collect()
    }

    #[test]
    fn healthy_text_has_no_fault() {
        for text in [prose::ARABIC, prose::HEBREW] {
            assert_eq!(codes(text), []);
        }
        let decorated = format!("{}\n{}", "ســـــــلام علـــــيكم".repeat(3), prose::ARABIC);
        assert_eq!(codes(&decorated), [], "tatweel is a letter");
    }

    #[test]
    fn order_is_seen_and_restored() {
        let logical = format!(
            "{}\nصدر التقرير عام 2024 عن معهد Open Data Lab (الطبعة الثانية) في 12.5 صفحة\n",
            prose::ARABIC
        );
        for text in [logical.as_str(), prose::HEBREW] {
            let given = visual(text);
            assert_ne!(given, text);
            assert_eq!(codes(&given), [ReasonCode::VisualOrder]);
            assert_eq!(repair(&given, &[ReasonCode::VisualOrder]), text);
            let plain: String =
                text.lines().map(|line| line.chars().rev().chain(['\n']).collect::<String>()).collect();
            assert_eq!(codes(&plain), [ReasonCode::VisualOrder]);
        }
        let mixed = format!("{}\n{}\n", prose::ARABIC, visual(prose::ARABIC));
        assert_eq!(codes(&mixed), [ReasonCode::MixedReadingOrder]);
    }

    #[test]
    fn a_ligature_turned_around_is_seen() {
        let right = "الأولى والأخيرة في الإدارة عن الآثار من الأعمال والإنتاج";
        assert_eq!(codes(right), []);
        let wrong = right.replace("لأ", "أل").replace("لإ", "إل").replace("لآ", "آل");
        assert_eq!(codes(&wrong), [ReasonCode::LamAlefTransposition]);
    }

    #[test]
    fn glyphs_of_quran_pages_count_upward() {
        let page: String = ('\u{FB51}'..='\u{FB90}').flat_map(|c| [c, ' ']).collect();
        assert_eq!(codes(&page), [ReasonCode::QuranGlyphCodes]);
        let shapes: String = "ﭘﺪﺭ ﭼﻪ ﮔﻔﺖ ﮐﻪ ﭘﺴﺮ ﮊﺭﻑ ﭼﯿﺰ ﮔﯿﺮﺩ ﭘﺎﮎ ﭼﻮﻥ ﯾﺎﺭ ﮐﻨﺪ".to_owned();
        assert_eq!(codes(&shapes), [ReasonCode::PresentationForms]);
    }

    #[test]
    fn short_lines_are_asked_together() {
        let short = |text: &str| text.split(' ').collect::<Vec<_>>().join("\n");
        assert_eq!(codes(&short(prose::ARABIC)), []);
        assert_eq!(codes(&short(&visual(prose::ARABIC))), [ReasonCode::VisualOrder]);
    }

    #[test]
    fn shapes_controls_and_elongations_are_undone() {
        let shaped: String = prose::ARABIC
            .chars()
            .map(|c| ('\u{FE70}'..='\u{FEF4}').find(|form| base_form(*form) == c).unwrap_or(c))
            .collect();
        assert_eq!(codes(&shaped), [ReasonCode::PresentationForms]);
        assert_eq!(repair(&shaped, &[ReasonCode::PresentationForms]), prose::ARABIC);
        let marked: String =
            prose::HEBREW.split(' ').map(|word| format!("\u{202B}{word}\u{202C} ")).collect();
        assert_eq!(codes(&marked), [ReasonCode::BidiControls]);
        assert_eq!(repair(&marked, &[ReasonCode::BidiControls]).trim_end(), prose::HEBREW);
        let elongated = prose::ARABIC
            .replace("الم", "ال\u{E0A3}\u{E0A3}م")
            .replace("الت", "ال\u{E0A3}ت")
            .replace("ست", "س\u{E0A3}ت")
            .replace("ين", "ي\u{E0A3}ن");
        assert!(codes(&elongated).contains(&ReasonCode::UnmappedElongation), "{:?}", codes(&elongated));
        assert_eq!(repair(&elongated, &[ReasonCode::UnmappedElongation]), prose::ARABIC);
    }
}
