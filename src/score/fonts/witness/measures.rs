//! Advances and heights heard together: each can be odd in an honest font, both at once are not.

use super::extents;
use super::view::View;
use super::widths::{self, Fit};

/// Correlation that confirms letters, what the other measure must reach beside it, and the distance to the next best guess.
pub(super) const MIN_SOLVED: f32 = 0.85;
pub(super) const MIN_BESIDE: f32 = 0.7;
pub(super) const MIN_LEAD: f32 = 0.1;

/// What the measures say of the claims.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measures {
    pub(super) widths: Option<Fit>,
    pub(super) heights: Option<Fit>,
}

impl Measures {
    /// Of the claims shifted by so many code points.
    pub(super) fn of(view: &View<'_>, shift: i32) -> Self {
        Self { widths: widths::of_claims(view, shift), heights: extents::of_claims(view, shift) }
    }

    /// Whether one measure denies the claims and the other does not confirm them.
    pub(super) fn are_contradicted(self) -> bool {
        let confirms = |fit: Option<Fit>| fit.is_some_and(|fit| fit.correlation >= MIN_BESIDE);
        let by_widths = self.widths.is_some_and(widths::is_contradicted);
        let by_heights = self.heights.is_some_and(extents::is_contradicted);
        (by_widths && !confirms(self.heights)) || (by_heights && !confirms(self.widths))
    }

    /// Whether some measure fits at least so well.
    pub(super) fn confirm(self, correlation: f32) -> bool {
        self.fits().any(|fit| fit.correlation >= correlation)
    }

    /// Distinct letters that were measured.
    pub(super) fn n_letters(self) -> usize {
        self.fits().map(|fit| fit.n).max().unwrap_or(0)
    }

    fn fits(self) -> impl Iterator<Item = Fit> {
        self.widths.into_iter().chain(self.heights)
    }

    /// Mean correlation; `None` where neither measure says anything.
    fn mean(self) -> Option<f32> {
        let (n, sum) = self.fits().fold((0.0, 0.0), |(n, sum), fit| (n + 1.0, sum + fit.correlation));
        (n > 0.0).then(|| sum / n)
    }

    /// The measures in words.
    pub(super) fn describe(self) -> String {
        let words = |what: &str, fit: Option<Fit>| {
            fit.map(|fit| format!("{what} r = {:.2} over {} letters", fit.correlation, fit.n))
        };
        let parts = [words("widths", self.widths), words("heights", self.heights)];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// The shift of all claims that the measures confirm, and hardly any other shift.
pub(super) fn solve_shift(view: &View<'_>) -> Option<i32> {
    let (mut best, mut second) = ((0, -1.0, None), -1.0);
    for shift in -60..=60 {
        let measures = Measures::of(view, shift);
        let Some(mean) = measures.mean() else { continue };
        if mean > best.1 {
            second = best.1;
            best = (shift, mean, Some(measures));
        } else if mean > second {
            second = mean;
        }
    }
    let all_confirm = best.2?.fits().all(|fit| fit.correlation >= MIN_BESIDE);
    (best.0 != 0 && best.1 >= MIN_SOLVED && best.1 - second >= MIN_LEAD && all_confirm).then_some(best.0)
}
