//! Titles against the headings that show them (row X7): the outline and the document information hold Unicode text that
//! does not come from the font which draws the heading.
//!
//! A bookmark's destination is not needed: a line whose codes repeat just where the letters of a title repeat, over a
//! dozen letters, shows that title. What its font reads there instead is then wrong, the same way at every repetition.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::{CharCode, Charge, Font};
use super::known_text::Pairs;
use crate::score::pdf::{Dict, Document, PdfString, text_string};

/// Outline items that are looked at.
const MAX_ITEMS: usize = 4096;
/// Lines of one font that are compared.
pub const MAX_LINES: usize = 20_000;
/// Letters and digits of a title worth comparing, at least.
const MIN_LETTERS: usize = 8;
/// … and at most: longer ones are broken over lines.
const MAX_LETTERS: usize = 120;
/// Letters of a title that repeat an earlier one: each is met by chance once in some twenty times.
const MIN_REPEATS: usize = 3;

/// The titles of a document, by where their letters repeat.
#[derive(Debug, Default)]
pub struct Titles {
    by_pattern: FxHashMap<Vec<u8>, Vec<Vec<char>>>,
    /// Letters of each title, folded, that may be read as they are.
    known: FxHashSet<String>,
}

impl Titles {
    /// Reads the outline (ISO 32000-2, 12.3.3) and the title in the document information (14.3.3).
    pub fn read(document: &Document) -> Self {
        let mut titles = Self::default();
        if let Some(title) = document.title() {
            titles.add(&title);
        }
        let outline = document.catalog().and_then(|catalog| catalog.get::<Dict<'_>>("Outlines"));
        let mut open: Vec<Dict<'_>> = outline.and_then(|outline| outline.get("First")).into_iter().collect();
        let mut n_items = 0;
        // Damaged outlines lead in circles: the number of items bounds the walk.
        while let Some(item) = open.pop().filter(|_| n_items < MAX_ITEMS) {
            n_items += 1;
            if let Some(title) = item.get::<PdfString<'_>>("Title").and_then(|title| text_string(&title)) {
                titles.add(&title);
            }
            open.extend(item.get::<Dict<'_>>("Next"));
            open.extend(item.get::<Dict<'_>>("First"));
        }
        titles
    }

    fn add(&mut self, title: &str) {
        let letters: Vec<char> = title.chars().filter(|c| !c.is_whitespace()).collect();
        // A heading may be set in capitals where its title is not.
        let capitals: Vec<char> = letters.iter().flat_map(|c| c.to_uppercase()).collect();
        self.known.insert(folded(capitals.iter().copied()));
        for letters in [letters, capitals] {
            let different: FxHashSet<char> = letters.iter().copied().collect();
            if !(MIN_LETTERS..=MAX_LETTERS).contains(&letters.len())
                || letters.len() - different.len() < MIN_REPEATS
            {
                continue;
            }
            let same = self.by_pattern.entry(pattern(letters.iter())).or_default();
            if !same.contains(&letters) {
                same.push(letters);
            }
        }
    }

    /// Whether there is anything to compare with.
    pub fn is_empty(&self) -> bool {
        self.by_pattern.is_empty()
    }

    /// The charge against a font whose lines show titles and read otherwise. Each line is the codes of its glyphs with
    /// their lengths in bytes, in the order in which they are drawn.
    pub fn charge(&self, font: &Font, lines: &[Vec<(CharCode, u8)>]) -> Option<Charge> {
        let mut pairs = Pairs::default();
        for line in lines.iter().take(MAX_LINES) {
            let inked: Vec<_> =
                line.iter().filter(|&&(code, n_bytes)| !font.glyph(code, n_bytes).blank).collect();
            if !(MIN_LETTERS..=MAX_LETTERS).contains(&inked.len()) {
                continue;
            }
            // Two titles of one pattern could both be meant.
            let Some([title]) = self.by_pattern.get(&pattern(inked.iter())).map(Vec::as_slice) else {
                continue;
            };
            let glyph = |&&(code, n_bytes): &&(CharCode, u8)| font.glyph(code, n_bytes);
            let read: String = inked.iter().filter_map(|code| glyph(code).route.unicode.clone()).collect();
            if self.known.contains(&folded(read.chars().flat_map(char::to_uppercase))) {
                continue;
            }
            for (code, &letter) in inked.iter().zip(title) {
                let read = glyph(code).route.unicode.as_deref().unwrap_or_default();
                pairs.add(code.0, read, letter);
            }
        }
        pairs.charge("X7: witness titles of the outline")
    }
}

/// For each element, where it stood first.
fn pattern<T: std::hash::Hash + Eq>(elements: impl Iterator<Item = T>) -> Vec<u8> {
    let mut first: FxHashMap<T, u8> = FxHashMap::default();
    let place = |element| {
        let next = first.len() as u8; // at most MAX_LETTERS different ones
        *first.entry(element).or_insert(next)
    };
    elements.map(place).collect()
}

/// Letters and digits alone: the typography of quotes and hyphens differs between a heading and its title.
fn folded(text: impl Iterator<Item = char>) -> String {
    text.filter(|c| c.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests {
    use crate::sample::{PdfBuilder, Sfnt, ToUnicode, Type0};
    use crate::score::{Limits, Reason, ReasonCode, score_document};

    const HEADING: &str = "Minutes of the meeting of the harbour commission";

    /// Reasons of a page with a heading in a font that nothing else can judge, and an outline with a title.
    fn reasons(map: ToUnicode, title: &str) -> Vec<Reason> {
        let sfnt = Sfnt::latin().monospaced(600).without(&["cmap", "post"]);
        let font = crate::sample::Font::from(Type0::identity_h(sfnt).to_unicode(map));
        // Direct dictionaries: an outline that refers to no object number of the page's.
        let outline = format!("/Outlines << /First << /Title ({title}) >> >>");
        let file = PdfBuilder::new().catalog(&outline).page(|page| page.font(&font).show(HEADING));
        score_document(&file.build(), &Limits::default()).pages.remove(0).reasons
    }

    fn is_charged(reasons: &[Reason]) -> bool {
        let by_titles = |reason: &Reason| reason.detail.starts_with("X7");
        reasons.iter().any(|reason| reason.code == ReasonCode::ContradictedUnicode && by_titles(reason))
    }

    #[test]
    fn x7_a_title_denies_the_font_of_its_heading() {
        let reasons = reasons(ToUnicode::rotated(5), HEADING);
        assert!(is_charged(&reasons), "{reasons:?}");
    }

    #[test]
    fn x7_twin_the_same_another_or_a_capital_title_is_kept() {
        let capitals = HEADING.to_uppercase();
        for (map, title) in [
            (ToUnicode::Right, HEADING),
            (ToUnicode::Right, capitals.as_str()),
            (ToUnicode::Right, "Report of the auditors of the harbour commission"),
            (ToUnicode::rotated(5), "Report of the auditors of the harbour commission"),
        ] {
            assert!(!is_charged(&reasons(map, title)), "{title}");
        }
    }
}
