//! One font on one page: its codes resolved and counted.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::cache::{FontCache, PdfFont, Resources};
use crate::score::fonts::{Case, CharCode, CodeClass};

/// No slot yet.
const NONE: u16 = u16::MAX;
/// Different codes of one font on one page.
const MAX_SLOTS: usize = 0xFFFE;

/// What a code's text is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SlotText {
    None,
    Char(char),
    /// Several characters: to be asked of the font.
    Longer,
}

/// One code.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub code: CharCode,
    pub n_bytes: u8,
    /// See [`Glyph`](crate::score::fonts::Glyph).
    pub advance: f32,
    pub blank: bool,
    pub case: Case,
    pub class: CodeClass,
    pub text: SlotText,
    /// Middle of its height above the baseline, for a size of 1.
    pub middle: f32,
    /// Its Type 3 procedure draws an image.
    pub draws_image: bool,
    /// Visible glyphs.
    pub visible: u32,
    /// Of these, under an ActualText that is believed.
    pub actual: u32,
}

impl Slot {
    pub(super) fn is_suspect(&self) -> bool {
        matches!(self.class, CodeClass::Dead | CodeClass::Contradicted)
    }

    /// Whether it stands for text other than white space.
    pub(super) fn says_something(&self) -> bool {
        match self.text {
            SlotText::None => false,
            SlotText::Char(letter) => !letter.is_whitespace(),
            SlotText::Longer => true,
        }
    }
}

/// A font with its codes drawn on one page.
pub(super) struct PageFont<'a> {
    pub pdf: Arc<PdfFont<'a>>,
    pub vertical: bool,
    /// Ascent and descent for a size of 1; of a Type 3 font, as far as its drawn glyphs reach.
    pub extent: [f32; 2],
    pub slots: Vec<Slot>,
    pub invisible: u32,
    pub hidden: u32,
    /// Glyphs an empty ActualText hides although their font reads them as letters.
    pub silenced: u32,
    /// Whether any glyph was shown.
    pub used: bool,
    one_byte: [u16; 256],
    longer: FxHashMap<(u32, u8), u16>,
}

impl<'a> PageFont<'a> {
    pub(super) fn new(pdf: Arc<PdfFont<'a>>) -> Self {
        let (ascent, descent) = pdf.font.vertical_extent();
        Self {
            vertical: pdf.font.is_vertical(),
            extent: if pdf.type3.is_some() { [0.0, 0.0] } else { [ascent, descent] },
            slots: Vec::new(),
            invisible: 0,
            hidden: 0,
            silenced: 0,
            used: false,
            one_byte: [NONE; 256],
            longer: FxHashMap::default(),
            pdf,
        }
    }

    /// Points per unit of size: 1, but for a Type 3 font, whose size may mean anything. There it is how far the drawn
    /// glyphs reach, else the height of the font's box; 0 where neither is known.
    pub(super) fn em(&self) -> f32 {
        let reach = self.extent[0] - self.extent[1];
        match &self.pdf.type3 {
            None => 1.0,
            Some(_) if reach > 0.0 => reach,
            Some(type3) => type3.box_em,
        }
    }

    /// As [`PageFont::em`], and at least what the font's box says: a line of points is not small text.
    pub(super) fn largest_em(&self) -> f32 {
        self.pdf.type3.as_ref().map_or(1.0, |type3| self.em().max(type3.box_em))
    }

    /// The slot of a code, with the number of operators that had to be read for it.
    #[inline]
    pub(super) fn slot(
        &mut self,
        code: CharCode,
        n_bytes: u8,
        cache: &FontCache<'a>,
        resources: &Resources<'a>,
    ) -> (usize, u32) {
        let known = match (n_bytes, code.0) {
            (1, code @ 0..=0xFF) => self.one_byte[code as usize],
            _ => self.longer.get(&(code.0, n_bytes)).copied().unwrap_or(NONE),
        };
        if known != NONE {
            return (usize::from(known), 0);
        }
        self.new_slot(code, n_bytes, cache, resources)
    }

    #[cold]
    fn new_slot(
        &mut self,
        code: CharCode,
        n_bytes: u8,
        cache: &FontCache<'a>,
        resources: &Resources<'a>,
    ) -> (usize, u32) {
        if self.slots.len() >= MAX_SLOTS {
            return (self.slots.len() - 1, 0);
        }
        let glyph = self.pdf.font.glyph(code, n_bytes);
        let mut chars = glyph.route.unicode.as_deref().unwrap_or_default().chars();
        let text = match (chars.next(), chars.next()) {
            (None, _) => SlotText::None,
            (Some(one), None) => SlotText::Char(one),
            _ => SlotText::Longer,
        };
        let mut slot = Slot {
            code,
            n_bytes,
            advance: if glyph.advance.is_finite() { glyph.advance } else { 0.0 },
            blank: glyph.blank,
            case: glyph.route.case,
            class: glyph.route.class,
            text,
            middle: (self.extent[0] + self.extent[1]) / 2.0,
            draws_image: false,
            visible: 0,
            actual: 0,
        };
        let mut n_ops = 0;
        if let Some(type3) = &self.pdf.type3 {
            let ink = type3.ink(code.0, cache, resources);
            n_ops = ink.n_ops;
            slot.blank |= ink.blank;
            slot.draws_image = ink.image.is_some();
            if !ink.bounds.is_empty() {
                slot.middle = ink.bounds.center()[1];
                self.extent = [self.extent[0].max(ink.bounds.y1), self.extent[1].min(ink.bounds.y0)];
            }
            // A whole word is no letter: T5. A map that gives several characters may know the word.
            let unread = matches!(slot.class, CodeClass::Dead | CodeClass::Unknown);
            if slot.text != SlotText::Longer && (ink.is_word_of_paths() || unread && ink.is_word_image()) {
                (slot.case, slot.class) = (Case::T5, CodeClass::Dead);
            }
        }
        let index = self.slots.len() as u16;
        self.slots.push(slot);
        match (n_bytes, code.0) {
            (1, code @ 0..=0xFF) => self.one_byte[code as usize] = index,
            _ => {
                self.longer.insert((code.0, n_bytes), index);
            }
        }
        (usize::from(index), n_ops)
    }

    /// The slot of a code that was drawn.
    pub(super) fn find(&mut self, code: CharCode) -> Option<&mut Slot> {
        // A run keeps no code lengths; codes of equal value and different length are one for corrections.
        let index = match code.0 {
            code @ 0..=0xFF if self.one_byte[code as usize] != NONE => self.one_byte[code as usize],
            code => (1..=4).find_map(|n_bytes| self.longer.get(&(code, n_bytes)).copied())?,
        };
        self.slots.get_mut(usize::from(index))
    }

    /// Appends a slot's text.
    #[inline]
    pub(super) fn push_text(&self, slot: usize, text: &mut String) {
        let slot = &self.slots[slot];
        match slot.text {
            SlotText::None => {}
            SlotText::Char(one) => text.push(one),
            SlotText::Longer => {
                text.push_str(
                    self.pdf.font.glyph(slot.code, slot.n_bytes).route.unicode.as_deref().unwrap_or_default(),
                );
            }
        }
    }
}
