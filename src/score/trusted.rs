//! The text of a page, as far as it can be trusted.
//!
//! Takes: one page's measure, its verdict and the evidence on the document's fonts. Gives: [`PageText`]: pieces with where
//! each comes from. Fails: never. Never: gives text that the verdict routes away, unless a repair or decoding was asked for
//! and the result passes the check of given text.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::evidence::FontEvidence;
use super::fonts::{CharCode, CodeClass, witness};
use super::pool::{self, PooledFont};
use super::result::{PageScore, Reason, ReasonCode, Route};
use super::signals::fonts::judge_letters;
use super::signals::letters::fit::fit_words;
use super::signals::letters::judge::{Known, Remedy};
use super::signals::letters::words::Words;
use super::signals::rtl;
use super::text::reading::{Break, Order, joined};
use super::text::{FontUse, PageMeasure, TextRun};
use super::{Policy, check_text, repair_text};

/// Share of a page's glyphs that must be read before decoded text is given (issue of the page's own font apart).
const READ_SHARE: f64 = 0.8;

/// Bytes of a font's text that tell how its capitals were exchanged.
const ENOUGH_TEXT: usize = 8_000;

/// What is wanted of the text of each page beside its verdict.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextWish {
    /// Repair pages that are routed to `repair`.
    pub repair: bool,
    /// Decode glyphs that are routed to `decode`.
    pub decode: bool,
}

/// Where a piece of text comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// By the standard's routes: ToUnicode, encoding, predefined CMap (ISO 32000-2, 9.10.2).
    Standard,
    /// The page says so itself (ISO 32000-2, 14.9.4).
    ActualText,
    /// The font program's cmap, names or character collection.
    Program,
    /// Decoded: names of glyphs.
    GlyphNames,
    /// Decoded: a known glyph order that widths confirm.
    KnownGlyphOrder,
    /// Decoded: a map that the letters solved.
    Solved,
    /// A repair of the whole page.
    Repaired,
}

/// Text of one provenance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextPiece {
    /// The text; lines end with a line feed. No controls but that.
    pub text: String,
    /// Where it comes from.
    pub provenance: Provenance,
}

/// Why text of a page is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Withheld {
    /// It must be read from pixels.
    Ocr,
    /// A repair was not asked for.
    NeedsRepair,
    /// Its repair does not pass the check.
    RepairFails,
    /// Decoding was not asked for.
    NeedsDecoding,
    /// Too little of it can be decoded, or the result does not pass the check.
    DecodingFails,
}

/// The trusted text of a page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageText {
    /// In content order; together they are the text.
    pub pieces: Vec<TextPiece>,
    /// Why something is left out; `None` where nothing is.
    pub withheld: Option<Withheld>,
    /// Visible glyphs that are left out.
    pub glyphs_withheld: u32,
}

impl PageText {
    /// The whole text.
    pub fn text(&self) -> String {
        self.pieces.iter().map(|piece| piece.text.as_str()).collect()
    }

    fn push(&mut self, text: &str, provenance: Provenance) {
        if text.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(last) if last.provenance == provenance => last.text.push_str(text),
            _ => self.pieces.push(TextPiece { text: text.to_owned(), provenance }),
        }
    }
}

/// How the codes of one font are read once the font is judged.
#[derive(Default)]
pub(super) struct Reader {
    /// Charged codes, with the class their charge puts them into.
    charged: FxHashMap<u32, CodeClass>,
    /// Letters of codes that can be decoded.
    decoded: FxHashMap<u32, (String, Provenance)>,
}

/// A reader for each font of the document.
pub(super) fn readers(
    pooled: &[PooledFont],
    fonts: &[FontEvidence],
    measures: &[PageMeasure],
    wish: TextWish,
) -> Vec<Reader> {
    let read = |(font, evidence): (&PooledFont, &FontEvidence)| {
        let mut reader = Reader::default();
        for charge in evidence.charges.iter().rev() {
            let class = pool::charged_class(charge.code);
            reader.charged.extend(charge.codes.iter().map(|code| (*code, class)));
        }
        if wish.decode {
            reader.decoded = decode(font, evidence, measures);
        }
        reader
    };
    pooled.iter().zip(fonts).map(read).collect()
}

/// The letters of the codes that a charge says how to read.
fn decode(
    font: &PooledFont,
    evidence: &FontEvidence,
    measures: &[PageMeasure],
) -> FxHashMap<u32, (String, Provenance)> {
    let mut decoded = FxHashMap::default();
    for charge in &evidence.charges {
        match charge.code {
            ReasonCode::KnownGlyphOrder => {
                let Some(order) = witness::known_order(&font.font, &font.drawn) else { continue };
                for &(code, n_bytes, _) in font.drawn.iter().filter(|drawn| charge.codes.contains(&drawn.0.0))
                {
                    if let Some(letter) = witness::known_letter(&font.font, code, n_bytes, order) {
                        decoded.insert(code.0, (letter.to_string(), Provenance::KnownGlyphOrder));
                    }
                }
            }
            ReasonCode::GlyphNames => {
                for &code in &charge.codes {
                    if let Some(text) = font.font.glyph_name_text(CharCode(code)) {
                        decoded.insert(code, (text, Provenance::GlyphNames));
                    }
                }
            }
            ReasonCode::GlyphCodeShift => {
                let letters = judge_letters(&font.font, measures, &Known::default());
                let shift = letters.wrong.iter().find_map(|wrong| match &wrong.remedy {
                    Some(Remedy::Shift(shift)) => Some(*shift),
                    _ => None,
                });
                let Some(shift) = shift else { continue };
                for &(code, n_bytes, _) in &font.drawn {
                    if let Some(text) = &font.font.glyph(code, n_bytes).route.unicode {
                        let meant = text.chars().map(|c| shift.apply(c)).collect();
                        decoded.insert(code.0, (meant, Provenance::Solved));
                    }
                }
            }
            ReasonCode::LetterSubstitution | ReasonCode::PartialSubstitution => {
                let letters = judge_letters(&font.font, measures, &Known::default());
                let remedy = letters.wrong.iter().find(|wrong| wrong.code == charge.code);
                match remedy.and_then(|wrong| wrong.remedy.as_ref()) {
                    Some(Remedy::Letters(pairs)) => {
                        let capitals = capitals_exchanged(font, measures, pairs);
                        for &(code, n_bytes, _) in &font.drawn {
                            if let Some(text) = &font.font.glyph(code, n_bytes).route.unicode {
                                let meant = text.chars().map(|c| exchanged(c, pairs, capitals)).collect();
                                decoded.insert(code.0, (meant, Provenance::Solved));
                            }
                        }
                    }
                    Some(Remedy::Codes(meant)) => decoded.extend(
                        meant.iter().map(|(code, letter)| (*code, (letter.to_string(), Provenance::Solved))),
                    ),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    decoded
}

/// The letter meant by one of exchanged letters, in the case given; pairs are of folded letters.
fn exchanged(given: char, pairs: &[(char, char)], capitals: bool) -> char {
    let folded = given.to_lowercase().next().unwrap_or(given);
    match pairs.iter().find(|(own, _)| *own == folded) {
        Some((_, meant)) if folded == given => *meant,
        Some((_, meant)) if capitals => meant.to_uppercase().next().unwrap_or(*meant),
        _ => given,
    }
}

/// Whether capitals were exchanged like their small letters: a map may be wrong for the one and right for the other, and
/// models fold them. The way in which the font's text reads better.
fn capitals_exchanged(font: &PooledFont, measures: &[PageMeasure], pairs: &[(char, char)]) -> bool {
    let mut text = String::new();
    for measure in measures {
        let index = measure.fonts.iter().position(|used| Arc::ptr_eq(&used.font, &font.font));
        for run in measure.runs.iter().filter(|run| index == Some(run.font as usize)) {
            text.push_str(if run.gap_before { " " } else { "" });
            text.push_str(measure.text(run));
        }
        if text.len() > ENOUGH_TEXT {
            break;
        }
    }
    let bits = |capitals| {
        let words = Words::read(text.chars().map(|c| exchanged(c, pairs, capitals)));
        fit_words(&words, None).map_or(f32::MAX, |fit| fit.bits)
    };
    bits(true) < bits(false)
}

/// Whether decoding may bring a page back: routed to it, or to OCR for nothing but letters that were solved. Those stay on
/// the OCR queue, because a rare letter may be solved wrongly; who asks for decoding gets them marked as solved.
fn may_be_decoded(page: &PageScore) -> bool {
    use ReasonCode as R;
    let is_solvable = |code| matches!(code, R::LetterSubstitution | R::PartialSubstitution);
    match page.route {
        Route::Decode => true,
        Route::Ocr => {
            page.reasons.iter().all(|reason| reason.code.route() < Route::Ocr || is_solvable(reason.code))
        }
        _ => false,
    }
}

/// The text of a judged page.
pub(super) fn page_text(
    page: &PageScore,
    measure: &PageMeasure,
    readers: &[Reader],
    wish: TextWish,
    policy: &Policy,
) -> PageText {
    match page.route {
        Route::Repair if !wish.repair => nothing(measure, Withheld::NeedsRepair),
        Route::Repair => repaired(&collect(page, measure, readers, false), measure, policy),
        _ if wish.decode && may_be_decoded(page) => {
            let (text, read) = collect_counting(page, measure, readers, true);
            let all = read + text.glyphs_withheld;
            let enough = f64::from(read) >= READ_SHARE * f64::from(all.max(1));
            if enough && check_text(&text.text(), policy).route == Route::Keep {
                return text;
            }
            let mut text = match page.route {
                Route::Ocr if page.regions.is_empty() => nothing(measure, Withheld::Ocr),
                _ => collect(page, measure, readers, false),
            };
            text.withheld = text.withheld.map(|_| Withheld::DecodingFails);
            text
        }
        Route::Ocr if page.regions.is_empty() => nothing(measure, Withheld::Ocr),
        _ => collect(page, measure, readers, false),
    }
}

/// Codes of a run that leave ink.
fn inked(run: &TextRun, measure: &PageMeasure) -> u32 {
    let codes = measure.codes(run);
    let Some(used) = measure.fonts.get(run.font as usize) else { return codes.len() as u32 };
    codes.iter().filter(|(code, _)| !used.font.glyph(*code, n_bytes(used, *code)).blank).count() as u32
}

/// Bytes of a code in the font's strings.
fn n_bytes(used: &FontUse, code: CharCode) -> u8 {
    used.codes.iter().find(|count| count.code == code).map_or(1, |count| count.n_bytes)
}

/// A page routed as a whole is empty.
fn nothing(measure: &PageMeasure, why: Withheld) -> PageText {
    let visible = measure.runs.iter().filter(|run| !run.invisible);
    let glyphs_withheld = visible.map(|run| inked(run, measure)).sum();
    PageText { pieces: Vec::new(), withheld: Some(why), glyphs_withheld }
}

fn repaired(text: &PageText, measure: &PageMeasure, policy: &Policy) -> PageText {
    // One page: form feeds were taken out.
    let given = text.text() + "\u{C}";
    let repaired = repair_text(&given, policy);
    if repaired.repaired.is_empty() {
        return nothing(measure, Withheld::RepairFails);
    }
    let mut out = PageText::default();
    out.push(repaired.text.trim_end_matches('\u{C}'), Provenance::Repaired);
    out
}

fn collect(page: &PageScore, measure: &PageMeasure, readers: &[Reader], decode: bool) -> PageText {
    collect_counting(page, measure, readers, decode).0
}

/// The text, and how many visible glyphs it was read from.
fn collect_counting(
    page: &PageScore,
    measure: &PageMeasure,
    readers: &[Reader],
    decode: bool,
) -> (PageText, u32) {
    let mut out = PageText::default();
    let mut read = 0;
    let bad_layer = page.reasons.iter().any(|reason| reason.code == ReasonCode::UntrustedOcrLayer);
    let regions: &[[f32; 4]] = if page.route == Route::Ocr && !decode { &page.regions } else { &[] };
    let stored_as_it_looks =
        |reason: &Reason| matches!(reason.code, ReasonCode::VisualOrder | ReasonCode::MixedReadingOrder);
    let order = if page.reasons.iter().any(stored_as_it_looks) { Order::Visual } else { Order::Content };
    let mut pending = Break::None;
    for (run, before) in joined(measure, order, |_| true) {
        pending = pending.max(before);
        let middle = [(run.from[0] + run.to[0]) / 2.0, (run.from[1] + run.to[1]) / 2.0];
        let inside = |[x0, y0, x1, y1]: &[f32; 4]| {
            (*x0..=*x1).contains(&middle[0]) && (*y0..=*y1).contains(&middle[1])
        };
        if (run.invisible && bad_layer) || regions.iter().any(inside) {
            if !run.invisible {
                out.glyphs_withheld += inked(run, measure);
            }
            continue;
        }
        let mut pieces: Vec<(String, Provenance)> = Vec::new();
        read_run(run, measure, readers, (decode, order), &mut pieces, &mut out.glyphs_withheld, &mut read);
        let Some((_, provenance)) = pieces.iter().find(|(text, _)| !text.is_empty()) else { continue };
        if !out.pieces.is_empty() {
            out.push(pending.text(), *provenance);
        }
        pending = Break::None;
        for (text, provenance) in pieces {
            out.push(&text, provenance);
        }
    }
    if let Some(last) = out.pieces.last_mut() {
        last.text.push('\n');
    }
    let is_decode = page.route == Route::Decode;
    out.withheld =
        (out.glyphs_withheld > 0).then_some(if is_decode { Withheld::NeedsDecoding } else { Withheld::Ocr });
    (out, read)
}

/// One run, code by code. What one code stands for is in reading order whatever that of the line is: a ligature of lam and
/// alef is turned around with its line and must come out of the line's repair as it was.
fn read_run(
    run: &TextRun,
    measure: &PageMeasure,
    readers: &[Reader],
    (decode, order): (bool, Order),
    pieces: &mut Vec<(String, Provenance)>,
    withheld: &mut u32,
    read: &mut u32,
) {
    let mut push = |text: &str, provenance: Provenance| {
        let turned =
            (order == Order::Visual && text.chars().nth(1).is_some()).then(|| rtl::logical_line(text));
        let text = turned.as_deref().unwrap_or(text);
        let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
        match pieces.last_mut() {
            Some((last, own)) if *own == provenance => last.extend(clean),
            _ => pieces.push((clean.collect(), provenance)),
        }
    };
    let (text, codes) = (measure.text(run), measure.codes(run));
    if run.actual_text {
        *read += codes.len() as u32;
        return push(text, Provenance::ActualText);
    }
    let Some(used) = measure.fonts.get(run.font as usize) else { return };
    let number =
        measure.evidence.fonts.get(run.font as usize).map_or(usize::MAX, |font| font.font_index as usize);
    let reader = readers.get(number);
    for (at, &(code, start)) in codes.iter().enumerate() {
        let end = codes.get(at + 1).map_or(text.len(), |&(_, next)| next as usize);
        let own = text.get(start as usize..end).unwrap_or_default();
        let glyph = used.font.glyph(code, n_bytes(used, code));
        let charged = reader.and_then(|reader| reader.charged.get(&code.0)).copied();
        let class = charged.unwrap_or(glyph.route.class);
        let decoded = reader.and_then(|reader| reader.decoded.get(&code.0)).filter(|_| decode);
        match (class, decoded) {
            (CodeClass::Inferred | CodeClass::Contradicted, Some((meant, provenance))) => {
                push(meant, *provenance)
            }
            (CodeClass::ReadSpec | CodeClass::Unknown, _) if !own.is_empty() => {
                push(own, Provenance::Standard)
            }
            (CodeClass::ReadProgram, _) if !own.is_empty() => push(own, Provenance::Program),
            _ => {
                *withheld += u32::from(!run.invisible && !glyph.blank);
                continue;
            }
        }
        *read += 1;
    }
}
