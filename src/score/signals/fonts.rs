//! The letters of each font of a document, and of its OCR layers.
//!
//! Takes: the pages' runs. Gives: one judgement per font, one per invisible layer. Fails: never; too little text is not
//! judged. A font's text is pooled over the pages up to a bound: beyond some thousand letters a language model learns
//! nothing new.

use std::sync::Arc;

use super::letters::chars::{Char, Kind};
use super::letters::fit::{Fit, fit_words};
use super::letters::judge::{Judgement, Known, LEAST_LETTERS, Sample, Wrong, judge_words};
use super::letters::words::{NonProse, Words};
use super::spaces;
use crate::score::fonts::Font;
use crate::score::result::{Certainty, ReasonCode};
use crate::score::text::{PageMeasure, TextRun};

/// Characters of one font that are judged.
const MOST_CHARS: usize = 2_500;
/// Letters from which a font of a PDF may be charged: formulas and labels have fewer in each font.
const CHARGED_FROM: u32 = 200;
/// Letters from which an invisible layer is judged. This and the next two were set on 17 layers of 959 public files: those
/// of legible print have 0.00 to 0.10 of their letters in tokens that are no words, those of handwriting or of Cyrillic
/// read as Latin 0.46 to 0.90.
const LAYER_FROM: u32 = 60;
/// Bits a letter above the clean bound from which the words of a layer are none.
const LAYER_FAR_BITS: f32 = 1.0;
/// Share of a layer's letters in tokens that are no words (digits, capitals and signs inside) from which it is junk.
const LAYER_JUNK_SHARE: f32 = 0.3;

/// What the letters of one font's visible text say, pooled over the document.
pub(in crate::score) fn judge_letters(
    font: &Arc<Font>,
    measures: &[PageMeasure],
    known: &Known,
) -> Judgement {
    let mut sample = Sample::default();
    for measure in measures {
        let Some(index) = measure.fonts.iter().position(|used| Arc::ptr_eq(&used.font, font)) else {
            continue;
        };
        if add_runs(&mut sample, measure, |run| {
            run.font as usize == index && !run.invisible && !run.actual_text
        }) {
            break;
        }
    }
    judge_sample(sample, known, CHARGED_FROM)
}

/// Judges a text, which may have formulas, labels and lines stored in visual order beside prose: a charge needs
/// `charged_from` letters that do not read as they are, in whatever order they are stored.
pub(in crate::score) fn judge_sample(mut sample: Sample, known: &Known, charged_from: u32) -> Judgement {
    let stand_in = (!known.certified).then(|| spaces::stand_in(&sample)).flatten();
    if let Some(stand_in) = &stand_in {
        stand_in.part(&mut sample);
    }
    let words = Words::read(sample.chars.iter().copied());
    if words.n_letters() < LEAST_LETTERS as u32 {
        return Judgement { n_letters: words.n_letters(), ..Judgement::default() };
    }
    let fit = fit_words(&words, known.hint);
    let reads = |fit: &Option<Fit>| fit.is_some_and(|fit| fit.is_passable());
    let mut judgement = if !reads(&fit) && fit.is_some_and(|fit| fit.script.is_rtl()) {
        judge_either_way(&sample, &words, known, charged_from)
    } else {
        let spared = known.certified || words.n_letters() < charged_from;
        judge_words(&sample, &words, &Known { certified: spared, ..*known })
    };
    if let Some(stand_in) = stand_in.filter(|_| judgement.fit.is_some_and(|fit| fit.is_passable())) {
        judgement.judged = true;
        judgement.wrong.insert(0, stand_in.wrong());
    }
    judgement
}

/// Judges lines that run from right to left, which may be stored in either order: each is read the way it reads best.
fn judge_either_way(sample: &Sample, words: &Words, known: &Known, charged_from: u32) -> Judgement {
    let backward = reversed_words(sample);
    let turned = Words::read(backward.chars.iter().copied());
    let bits = |words: &Words| fit_words(words, known.hint).map_or(f32::MAX, |fit| fit.bits - fit.bound);
    let (sample, words) = if bits(&turned) < bits(words) { (&backward, &turned) } else { (sample, words) };
    let spared = known.certified || words.n_letters() < charged_from;
    judge_words(sample, words, &Known { certified: spared, ..*known })
}

/// The sample with the characters of each word in the opposite order.
fn reversed_words(sample: &Sample) -> Sample {
    let mut out = sample.clone();
    let mut start = 0;
    let is_space = |c: char| Char::of(c).kind == Kind::Space;
    for end in 0..=out.chars.len() {
        if end == out.chars.len() || is_space(out.chars[end]) {
            out.chars[start..end].reverse();
            out.codes[start..end].reverse();
            start = end + 1;
        }
    }
    out
}

/// What the letters of one page's invisible layer say against it.
///
/// A layer claims to be what was recognised in an image, so its tokens that are no words are not excused as part numbers
/// when they are most of it.
pub(in crate::score) fn judge_layer(measure: &PageMeasure) -> Option<Wrong> {
    let mut sample = Sample::default();
    add_runs(&mut sample, measure, |run| run.invisible);
    let words = Words::read(sample.chars.iter().copied());
    let n_letters = words.n_letters();
    if n_letters < LAYER_FROM {
        return None;
    }
    let fit = fit_words(&words, None);
    let junk = junk_letters(&words) as f32 / n_letters as f32;
    let far = fit.filter(|fit| fit.bits > fit.bound + LAYER_FAR_BITS && !fit.is_passable());
    let detail = match far {
        _ if junk >= LAYER_JUNK_SHARE => {
            format!("{:.0} % of {n_letters} letters stand in tokens that are no words", 100.0 * junk)
        }
        Some(fit) => {
            format!("{:.1} bits a letter as {}, clean text stays under {:.1}", fit.bits, fit.code, fit.bound)
        }
        None => return None,
    };
    // No exchange is looked for: what a recogniser got wrong was never another text.
    Some(Wrong {
        code: ReasonCode::UntrustedOcrLayer,
        certainty: Certainty::Suspected,
        codes: Vec::new(),
        detail,
        remedy: None,
    })
}

/// Letters in tokens with digits, capitals or signs inside, or with characters that are no text.
fn junk_letters(words: &Words) -> u32 {
    let of = |why: NonProse| words.left_out[why as usize];
    of(NonProse::Digits) + of(NonProse::Address) + of(NonProse::CamelCase) + of(NonProse::Broken)
}

/// Adds the runs of a page that are wanted; whether the bound is reached.
fn add_runs(sample: &mut Sample, measure: &PageMeasure, wanted: impl Fn(&TextRun) -> bool) -> bool {
    let mut follows = false;
    for run in &measure.runs {
        if !wanted(run) {
            // What another font draws in between parts the words of this one.
            follows = false;
            continue;
        }
        if (run.gap_before || !follows) && !sample.chars.is_empty() {
            sample.chars.push(' ');
            sample.codes.push(u32::MAX);
        }
        follows = true;
        let text = measure.text(run);
        let codes = measure.codes(run);
        for (at, &(code, start)) in codes.iter().enumerate() {
            let end = codes.get(at + 1).map_or(text.len(), |&(_, next)| next as usize);
            for c in text.get(start as usize..end).unwrap_or_default().chars() {
                sample.chars.push(c);
                sample.codes.push(code.0);
            }
        }
        if sample.chars.len() >= MOST_CHARS {
            return true;
        }
    }
    false
}
