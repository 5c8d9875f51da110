//! Is the text another one with all its code points moved by a constant?
//!
//! Takes: characters. Gives: the [`Shift`] that makes the text plausible. Fails: never.
//!
//! Glyph indices echoed as code points are off by 29 or 31, sloppy writers are off by anything; a cipher rotates the
//! alphabet. Few hypotheses, so little text convicts.

use super::chars::{Char, Kind};
use super::fit::{Fit, fit_words};
use super::model::{EDGE, FOREIGN, Models};
use super::words::Words;

/// Characters looked at while choosing.
const SAMPLE: usize = 360;
/// Farthest shift tried.
const FARTHEST: i32 = 127;

/// A constant change of code points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shift {
    /// Every character but white space is moved.
    All(i32),
    /// The Latin alphabet is rotated, in both cases.
    Rotated(u8),
}

impl Shift {
    /// The character that was meant.
    pub fn apply(self, c: char) -> char {
        match self {
            Self::All(by) if !matches!(c, ' ' | '\n' | '\r' | '\t' | '\u{C}') => {
                u32::try_from(c as i32 + by).ok().and_then(char::from_u32).unwrap_or('\u{FFFD}')
            }
            Self::Rotated(by) if c.is_ascii_lowercase() => rotate(c, b'a', by),
            Self::Rotated(by) if c.is_ascii_uppercase() => rotate(c, b'A', by),
            _ => c,
        }
    }
}

fn rotate(c: char, first: u8, by: u8) -> char {
    char::from(first + (c as u8 - first + by) % 26)
}

/// A shift and how the text reads under it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shifted {
    /// The shift.
    pub shift: Shift,
    /// The fit of the shifted text.
    pub fit: Fit,
    /// Share of the visible characters that are letters in prose then.
    pub prose_share: f32,
}

/// The shift under which the text reads best; `None` where none reads like text.
pub fn find(text: &[char]) -> Option<Shifted> {
    let sample: Vec<char> = text.iter().copied().take(SAMPLE).collect();
    let all = (-FARTHEST..=FARTHEST).filter(|by| *by != 0).map(Shift::All);
    let mut ranked: Vec<(f32, Shift)> = all
        .chain((1..26).map(Shift::Rotated))
        .filter_map(|shift| Some((rank(&sample, shift)?, shift)))
        .collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    ranked
        .into_iter()
        .take(3)
        .filter_map(|(_, shift)| read(text, shift))
        .min_by(|a, b| (a.fit.bits - a.fit.bound).total_cmp(&(b.fit.bits - b.fit.bound)))
}

/// Mean cost of pairs under the best language of the text, in units; `None` where it is no text.
fn rank(sample: &[char], shift: Shift) -> Option<f32> {
    let mut letters = 0;
    for &c in sample {
        let kind = Char::of(shift.apply(c)).kind;
        letters += usize::from(kind == Kind::Letter);
    }
    let visible = sample.iter().filter(|c| !matches!(**c, ' ' | '\n')).count();
    if letters * 10 < visible * 6 {
        return None;
    }
    let words = Words::read(sample.iter().map(|c| shift.apply(*c)));
    if words.n_ideographs() * 2 > words.n_letters() as usize {
        return fit_words(&words, None).map(|f| f.bits - f.bound + 40.0);
    }
    let script = words.main_script()?;
    let prose = &words.prose[script as usize];
    if prose.n_letters() * 2 < letters {
        return None;
    }
    let models = Models::get().script(script)?;
    let mut sums = vec![0_u32; models.n_languages()];
    let mut before = EDGE;
    for &symbol in &prose.symbols {
        for (sum, cost) in sums.iter_mut().zip(models.pair(before, symbol)) {
            *sum += u32::from(*cost);
        }
        before = symbol;
    }
    sums.into_iter().min().map(|s| s as f32 / prose.symbols.len() as f32)
}

fn read(text: &[char], shift: Shift) -> Option<Shifted> {
    let words = Words::read(text.iter().map(|c| shift.apply(*c)));
    let fit = fit_words(&words, None)?;
    if let (Some(models), Some(prose)) =
        (Models::get().script(fit.script), words.prose.get(fit.script as usize))
    {
        // Letters that no alphabet of the script has are no text.
        let foreign = prose.symbols.iter().filter(|s| **s == FOREIGN).count();
        if fit.language != usize::MAX && foreign * 10 > prose.symbols.len() || models.n_languages() == 0 {
            return None;
        }
    }
    let prose_share = fit.n_letters as f32 / words.visible.max(1) as f32;
    Some(Shifted { shift, fit, prose_share })
}
