//! The letters of each font of a document, and of its OCR layers.
//!
//! A font's text is pooled over the pages up to a bound: beyond some thousand letters a language model learns nothing new.

use std::sync::Arc;

use super::letters::chars::Script;
use super::letters::fit::fit_words;
use super::letters::judge::{Judgement, Known, LEAST_LETTERS, Sample, judge_words};
use super::letters::words::Words;
use crate::score::fonts::Font;
use crate::score::text::PageMeasure;

/// Characters of one font that are judged.
const MOST_CHARS: usize = 2_500;
/// Letters from which a font of a PDF may be charged: formulas and labels have fewer in each font.
const CHARGED_FROM: u32 = 400;

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
    judge_sample(&sample, known)
}

/// Judges a text of a PDF, which has formulas, labels and lines stored in visual order beside prose: a charge needs
/// enough text that does not read as it is, in a script whose stored order is its reading order.
fn judge_sample(sample: &Sample, known: &Known) -> Judgement {
    let words = Words::read(sample.chars.iter().copied());
    if words.n_letters() < LEAST_LETTERS as u32 {
        return Judgement { n_letters: words.n_letters(), ..Judgement::default() };
    }
    let reads = fit_words(&words, known.hint).is_some_and(|fit| fit.is_passable());
    // Arabic and Hebrew may be stored in visual order, and Greek letters of a Latin document are formulas.
    let prose = words.main_script().is_some_and(|script| matches!(script, Script::Latin | Script::Cyrillic));
    let spared = known.certified || reads || !prose || words.n_letters() < CHARGED_FROM;
    let known = Known { certified: spared, ..*known };
    judge_words(sample, &words, &known)
}

/// What the letters of one page's invisible layer say.
pub(in crate::score) fn judge_layer(measure: &PageMeasure) -> Judgement {
    let mut sample = Sample::default();
    add_runs(&mut sample, measure, |run| run.invisible);
    judge_sample(&sample, &Known::default())
}

/// Adds the runs of a page that are wanted; whether the bound is reached.
fn add_runs(
    sample: &mut Sample,
    measure: &PageMeasure,
    wanted: impl Fn(&crate::score::text::TextRun) -> bool,
) -> bool {
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
