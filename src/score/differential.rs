//! Both reader stacks on every font of a file, whether or not anything is to be proven: for differential tests.

use std::sync::Arc;

use super::fonts::{SecondStack, second};
use super::pdf::Document;
use super::text::FontCache;
use super::{Limits, measure_pages, pool};

/// A font over which the stacks part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// `4 0 R`, or `p1/F1` for a direct dictionary.
    pub font: String,
    /// Whether they read different facts, or the second cannot read one.
    pub kind: SecondStack,
    /// Which, in a few words.
    pub cause: &'static str,
}

/// Compares what hayro-syntax with read-fonts and lopdf with ttf-parser read of each font that draws.
///
/// Gives the number of fonts compared, and those over which the stacks part; `None` for a file that cannot be opened.
pub fn differential(file: &[u8], limits: &Limits) -> Option<(usize, Vec<Disagreement>)> {
    let document = Document::open(Arc::from(file), limits).ok()?;
    let cache = FontCache::new(&document);
    let mut measures = measure_pages(&document, &cache, None, &|_| ());
    let fonts = pool::number_fonts(&mut measures);
    let parted = fonts.iter().filter_map(|pooled| {
        let (kind, cause) = second::survey(&document, &pooled.font, &pooled.drawn)?;
        Some(Disagreement { font: pooled.font.facts().font.clone(), kind, cause })
    });
    Some((fonts.len(), parted.collect()))
}

#[cfg(test)]
mod tests {
    use super::differential;
    use crate::score::Limits;

    #[test]
    fn the_stacks_agree_on_the_samples() {
        let (mut n_fonts, mut parted) = (0, Vec::new());
        for sample in crate::sample::files() {
            let Some((n, found)) = differential(&sample.bytes, &Limits::default()) else { continue };
            n_fonts += n;
            parted.extend(found.into_iter().map(|found| (sample.name, found)));
        }
        assert!(n_fonts > 20, "{n_fonts}");
        assert!(parted.is_empty(), "{parted:#?}");
    }
}
