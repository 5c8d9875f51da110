//! Advances against the letters that are claimed (spec/fonts 6.4).
//!
//! In every proportional Latin font i, l and j are narrow and m and w wide. Over a dozen letters the advances of a font
//! go with those of Helvetica or Times; under a shift or a permutation they go with nothing.

use super::super::standard14::Standard;
use super::view::{Source, View, shifted};

/// Distinct letters without which nothing is said.
const MIN_LETTERS: usize = 14;
/// Spread of the advances (standard deviation over mean) below which a font counts as monospaced.
const MIN_SPREAD: f32 = 0.12;
/// Correlation below which the letters are not those claimed, for fewer and for more than [`MANY_LETTERS`] letters.
///
/// Of 1,118 fonts of the labelled corpus, the ten below 0.45 draw other letters than they claim, and the next (a caps and
/// small-caps font and a script) stand at 0.59 and 0.65; nine in ten are above 0.85.
const MAX_WRONG: [f32; 2] = [0.3, 0.45];
const MANY_LETTERS: usize = 16;

/// A test of measures against letters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fit {
    /// Distinct letters.
    pub(super) n: usize,
    /// Pearson's correlation with the measures of common fonts, the better of several, -1.0..=1.0.
    pub(super) correlation: f32,
}

/// The reference, per letter: advances of a sans and of a serif font, in thousandths of an em.
fn reference(letter: char) -> Option<[f32; 2]> {
    letter.is_ascii_alphabetic().then_some(())?;
    let width = |font: Standard| font.latin_width(letter).map(f32::from);
    Some([width(Standard::Helvetica)?, width(Standard::TimesRoman)?])
}

/// Fits letters with their advances in em. `None` for too few letters or one width for all.
pub(super) fn fit(letters: impl Iterator<Item = (char, f32)>, min_letters: usize) -> Option<Fit> {
    let mut seen = [false; 128];
    let mut samples: Vec<(f32, [f32; 2])> = Vec::new();
    for (letter, advance) in letters {
        if let Some(expected) = reference(letter)
            && advance > 0.0
            && !std::mem::replace(&mut seen[letter as usize], true)
        {
            samples.push((advance, expected));
        }
    }
    if samples.len() < min_letters {
        return None;
    }
    let n = samples.len() as f32;
    let mean = samples.iter().map(|sample| sample.0).sum::<f32>() / n;
    let deviation = (samples.iter().map(|sample| (sample.0 - mean).powi(2)).sum::<f32>() / n).sqrt();
    if deviation < MIN_SPREAD * mean {
        return None;
    }
    let correlation = (0..2)
        .map(|font| pearson(samples.iter().map(|sample| (sample.0, sample.1[font]))))
        .fold(-1.0, f32::max);
    Some(Fit { n: samples.len(), correlation })
}

pub(super) fn pearson(pairs: impl Iterator<Item = (f32, f32)> + Clone) -> f32 {
    let n = pairs.clone().count() as f32;
    let mean = |pick: fn(&(f32, f32)) -> f32| pairs.clone().map(|pair| pick(&pair)).sum::<f32>() / n;
    let (mx, my) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for (x, y) in pairs {
        xy += (x - mx) * (y - my);
        xx += (x - mx).powi(2);
        yy += (y - my).powi(2);
    }
    if xx * yy > 0.0 { xy / (xx * yy).sqrt() } else { 0.0 }
}

/// How the drawn letters fit the advances that the dictionary states, shifted by so many code points.
pub(super) fn of_claims(view: &View<'_>, shift: i32) -> Option<Fit> {
    let letters = view.drawn().filter(|code| code.source != Source::Program);
    fit(letters.filter_map(|code| Some((shifted(code.letter()?, shift)?, code.advance))), MIN_LETTERS)
}

/// Whether the advances belong to other letters.
pub(super) fn is_contradicted(fit: Fit) -> bool {
    fit.correlation < MAX_WRONG[usize::from(fit.n >= MANY_LETTERS)]
}
