//! Fonts of all pages → one judgement per font of the document.
//!
//! A font is judged over the whole document: witnesses need its drawn codes together, and a charge
//! found on one page holds for the same code on every other. Page evidence leaves here with the
//! font indexes of the document and with the classes the witnesses left standing.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::evidence::{FontEvidence, PageFontEvidence};
use super::fonts::witness::{self, FormValues, Judgement, Titles};
use super::fonts::{Case, CharCode, Charge, CodeClass, Font, second};
use super::pdf::Document;
use super::result::{ReasonCode, Scope};
use super::signals::TextCharge;
use super::signals::fonts::{judge_layer, judge_letters};
use super::signals::letters::judge::{Known, Wrong};
use super::signals::{rtl, symbols};
use super::text::{CodeCount, PageMeasure};

/// A font with the codes the whole document draws with it.
pub(super) struct PooledFont {
    pub(super) font: Arc<Font>,
    /// Distinct codes in ascending order, with visible glyphs summed over pages.
    pub(super) drawn: Vec<(CharCode, u8, u32)>,
}

/// Numbers the fonts in order of first use and rewrites every page's `font_index` to it.
pub(super) fn number_fonts(measures: &mut [PageMeasure]) -> Vec<PooledFont> {
    let mut index_of: FxHashMap<*const Font, u32> = FxHashMap::default();
    let mut fonts: Vec<PooledFont> = Vec::new();
    let mut drawn: Vec<FxHashMap<(CharCode, u8), u32>> = Vec::new();
    for measure in measures.iter_mut() {
        let mut renumbered = Vec::with_capacity(measure.fonts.len());
        for used in &measure.fonts {
            let next = fonts.len() as u32;
            let index = *index_of.entry(Arc::as_ptr(&used.font)).or_insert(next);
            if index == next {
                fonts.push(PooledFont { font: Arc::clone(&used.font), drawn: Vec::new() });
                drawn.push(FxHashMap::default());
            }
            let drawn = &mut drawn[index as usize];
            for &CodeCount { code, n_bytes, visible } in &used.codes {
                *drawn.entry((code, n_bytes)).or_insert(0) += visible;
            }
            renumbered.push(index);
        }
        for font in &mut measure.evidence.fonts {
            font.font_index = renumbered[font.font_index as usize];
        }
    }
    for (font, drawn) in fonts.iter_mut().zip(drawn) {
        font.drawn = drawn.into_iter().map(|((code, n_bytes), visible)| (code, n_bytes, visible)).collect();
        font.drawn.sort_unstable();
    }
    fonts
}

/// Other Unicode in the file, to check decoded text against (rows X6 and X7).
pub(super) struct KnownTexts {
    pub(super) form_values: FormValues,
    pub(super) titles: Titles,
}

/// The font that draws most of a document's visible glyphs; the first of equal ones.
pub(super) fn main_font(fonts: &[PooledFont]) -> usize {
    let n_glyphs = |font: &PooledFont| font.drawn.iter().map(|drawn| u64::from(drawn.2)).sum::<u64>();
    (0..fonts.len()).max_by_key(|&at| (n_glyphs(&fonts[at]), std::cmp::Reverse(at))).unwrap_or(0)
}

/// What is known of a font once its drawn codes are: facts, charges, proofs.
pub(super) fn judge_font(
    document: &Document,
    pooled: &PooledFont,
    measures: &[PageMeasure],
    known: &KnownTexts,
    is_main: bool,
) -> FontEvidence {
    let PooledFont { font, drawn } = pooled;
    let Judgement { mut charges, is_certified } = witness::judge(font, drawn);
    charges.extend(known.form_values.charge(font));
    if charges.is_empty() && !is_certified {
        charges.extend(witness::allocation_charge(font, &first_use(font, measures)));
        if !known.titles.is_empty() {
            charges.extend(known.titles.charge(font, &lines_of(font, measures)));
        }
    }
    // The search for a permutation is the dearest test, and makes of `suspected` a `measured`: it is for the main font.
    let (suspicious, unsolved) = (!charges.is_empty(), !is_main);
    let known = Known { certified: is_certified, suspicious, hint: None, unsolved };
    let letters = judge_letters(font, measures, &known);
    charges.extend(letters.wrong.iter().map(|wrong| letters_charge(wrong, drawn)));
    let second_stack = second::confirm(document, font, drawn, &mut charges);
    FontEvidence {
        facts: font.facts_for(drawn),
        certified: is_certified,
        charges,
        second_stack,
        letters_judged: letters.judged,
        language: letters
            .fit
            .filter(|fit| letters.judged && fit.is_plausible())
            .map(|fit| fit.code.to_owned()),
    }
}

/// What the letters hold against a font: the codes they name, else all that are drawn.
fn letters_charge(wrong: &Wrong, drawn: &[(CharCode, u8, u32)]) -> Charge {
    let codes = match wrong.code {
        ReasonCode::PartialSubstitution | ReasonCode::StandInSpace => wrong.codes.clone(),
        _ => drawn.iter().map(|(code, ..)| code.0).collect(),
    };
    Charge {
        code: wrong.code,
        certainty: wrong.certainty,
        codes,
        detail: wrong.detail.chars().take(120).collect(),
    }
}

/// The evidence of a font that no witness could be heard on.
pub(super) fn unjudged(pooled: &PooledFont) -> FontEvidence {
    FontEvidence::of_facts(pooled.font.facts().clone())
}

/// Codes of a simple font in the order in which the content of the document first shows them.
fn first_use(font: &Arc<Font>, measures: &[PageMeasure]) -> Vec<CharCode> {
    let mut order = Vec::new();
    let mut seen = [false; 256];
    for measure in measures {
        let Some(index) = measure.fonts.iter().position(|used| Arc::ptr_eq(&used.font, font)) else {
            continue;
        };
        for run in measure.runs.iter().filter(|run| run.font as usize == index) {
            for &(code, _) in measure.codes(run) {
                if let Some(seen) = seen.get_mut(code.0 as usize).filter(|seen| !**seen) {
                    *seen = true;
                    order.push(code);
                }
            }
        }
    }
    order
}

/// The lines that a font shows, as codes with their lengths in bytes; at most [`witness::MAX_LINES`].
fn lines_of(font: &Arc<Font>, measures: &[PageMeasure]) -> Vec<Vec<(CharCode, u8)>> {
    let mut lines: Vec<Vec<(CharCode, u8)>> = Vec::new();
    for measure in measures {
        let Some(index) = measure.fonts.iter().position(|used| Arc::ptr_eq(&used.font, font)) else {
            continue;
        };
        let lengths: FxHashMap<CharCode, u8> =
            measure.fonts[index].codes.iter().map(|count| (count.code, count.n_bytes)).collect();
        let mut end: Option<[f32; 2]> = None;
        for run in &measure.runs {
            let is_shown = run.font as usize == index && !run.invisible && !run.actual_text;
            if !is_shown {
                end = None;
                continue;
            }
            let continues = end
                .is_some_and(|[x, y]| (run.from[1] - y).abs() < 0.5 * run.size && run.from[0] > x - run.size);
            if !continues {
                if lines.len() == witness::MAX_LINES {
                    return lines;
                }
                lines.push(Vec::new());
            }
            let codes = measure.codes(run).iter();
            let codes = codes.filter_map(|(code, _)| Some((*code, *lengths.get(code)?)));
            lines.last_mut().expect("one was just begun").extend(codes);
            end = Some(run.to);
        }
    }
    lines
}

/// The class a charge puts its codes into.
pub(super) fn charged_class(code: ReasonCode) -> CodeClass {
    match code {
        ReasonCode::KnownGlyphOrder | ReasonCode::GlyphNames | ReasonCode::GlyphCodeShift => {
            CodeClass::Inferred
        }
        ReasonCode::UndecodableFont | ReasonCode::UnmappedGlyphs => CodeClass::Dead,
        _ => CodeClass::Contradicted,
    }
}

/// Recounts a page's fonts with the charged codes in the class their charge puts them into.
///
/// Fonts without a charge keep the counts taken while the page was measured.
pub(super) fn apply_charges(measure: &mut PageMeasure, fonts: &[FontEvidence]) {
    for (used, counts) in measure.fonts.iter().zip(&mut measure.evidence.fonts) {
        let Some(FontEvidence { charges, .. }) = fonts.get(counts.font_index as usize) else { continue };
        if charges.is_empty() {
            continue;
        }
        let mut charged: FxHashMap<u32, CodeClass> = FxHashMap::default();
        for charge in charges.iter().rev() {
            let class = charged_class(charge.code);
            charged.extend(charge.codes.iter().map(|&code| (code, class)));
        }
        recount(&used.font, &used.codes, &charged, counts);
    }
}

/// Notes the language of a page, what its characters are, and judges its OCR layer, where it has one.
pub(super) fn hear_letters(measure: &mut PageMeasure, fonts: &[FontEvidence]) {
    let drawn = |font: &PageFontEvidence| font.cases.iter().map(|(.., n)| n).sum::<u32>();
    let language = |font: &PageFontEvidence| fonts.get(font.font_index as usize)?.language.clone();
    let spoken = measure.evidence.fonts.iter().filter_map(|font| Some((drawn(font), language(font)?)));
    if let Some((_, language)) = spoken.max_by_key(|(drawn, _)| *drawn) {
        measure.evidence.language = Some(language);
    }
    let of_symbols = symbols::charges(measure, fonts);
    measure.evidence.text_charges.extend(of_symbols);
    let of_order = rtl::charges(measure);
    measure.evidence.text_charges.extend(of_order);
    let layer: u32 = measure.evidence.fonts.iter().map(|font| font.invisible).sum();
    if layer == 0 || measure.evidence.images.n_images == 0 {
        return;
    }
    let Some(wrong) = judge_layer(measure) else { return };
    measure.evidence.text_charges.push(TextCharge {
        code: ReasonCode::UntrustedOcrLayer,
        certainty: wrong.certainty,
        glyphs: layer,
        font_index: None,
        scope: Scope::Page,
        detail: format!("invisible layer: {}", wrong.detail).chars().take(120).collect(),
    });
}

fn recount(
    font: &Font,
    codes: &[CodeCount],
    charged: &FxHashMap<u32, CodeClass>,
    counts: &mut PageFontEvidence,
) {
    let mut cases: FxHashMap<(Case, CodeClass), u32> = FxHashMap::default();
    let actual_text: Vec<_> = counts.cases.iter().filter(|(case, ..)| *case == Case::X1).copied().collect();
    let mut seen: FxHashSet<CharCode> = FxHashSet::default();
    let mut any_charged = 0_u32;
    for &CodeCount { code, n_bytes, visible } in codes {
        let glyph = font.glyph(code, n_bytes);
        seen.insert(code);
        let class = match charged.get(&code.0) {
            Some(&class) => {
                any_charged += visible;
                class
            }
            None if glyph.blank => continue,
            None => glyph.route.class,
        };
        *cases.entry((glyph.route.case, class)).or_insert(0) += visible;
    }
    if any_charged == 0 {
        return;
    }
    counts.cases = cases.into_iter().map(|((case, class), n)| (case, class, n)).chain(actual_text).collect();
    counts.cases.sort_unstable();
    // The lines were measured before the witnesses were heard: charged glyphs may stand in any of them.
    for line in &mut counts.lines {
        line.suspect = line.suspect.max(1);
    }
}
