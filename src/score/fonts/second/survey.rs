//! Every fact about a font, read by both stacks: what a proof rests on is compared also where nothing is to be proven.

use super::super::{Case, CharCode, Font, fold, program::Program};
use super::{MAX_CODES, Second, differs, open};
use crate::score::fonts::SecondStack;
use crate::score::pdf::Document;

/// Where the stacks part over a font, in a few words; `None` where they agree. Compared are the dictionary, the targets
/// of ToUnicode for drawn codes, and what the program's cmap says of drawn glyphs.
pub fn survey(
    document: &Document,
    font: &Font,
    drawn: &[(CharCode, u8, u32)],
) -> Option<(SecondStack, &'static str)> {
    let compare = || {
        let second = open(document, font)?;
        for &(code, n_bytes, _) in drawn.iter().take(MAX_CODES) {
            second.compare_target(code, n_bytes)?;
            if let Some(program) = font.program() {
                second.compare_letters(program, code, n_bytes)?;
            }
        }
        Ok(())
    };
    let compared: super::Checked = compare();
    compared.err().map(|doubt| (doubt.stack, doubt.cause))
}

impl Second<'_> {
    /// What the first stack reads from ToUnicode, the second reads too.
    fn compare_target(&self, code: CharCode, n_bytes: u8) -> super::Checked {
        let route = &self.first.glyph(code, n_bytes).route;
        let Some(text) =
            route.unicode.as_deref().filter(|_| matches!(route.case, Case::C1 | Case::S1 | Case::T1))
        else {
            return Ok(());
        };
        let target = self.map.as_ref().and_then(|map| map.target(code.0));
        if target.is_some_and(|target| fold::same_text(&target, text)) {
            Ok(())
        } else {
            Err(differs("a target of ToUnicode"))
        }
    }

    /// The same code points lead to the glyph.
    fn compare_letters(&self, first: &Program, code: CharCode, n_bytes: u8) -> super::Checked {
        let (Some(second), Some(gid)) = (&self.program, self.first.gid(code, n_bytes)) else { return Ok(()) };
        let public = |c: &char| !matches!(u32::from(*c), 0xE000..=0xF8FF | 0xF_0000..);
        let mut ours: Vec<char> = first.unicodes_of(gid).iter().copied().filter(public).collect();
        let mut theirs: Vec<char> = second.letters(gid)?.to_vec();
        for letters in [&mut ours, &mut theirs] {
            letters.sort_unstable();
            letters.dedup();
        }
        if ours == theirs { Ok(()) } else { Err(differs("letters of the cmap")) }
    }
}
