//! Codes of composite fonts without a usable ToUnicode target (rows C5–C22).

use super::composite::Composite;
use super::dict::ProgramKey;
use super::fold::same_text;
use super::font::{Font, mac_text, win_ansi_text};
use super::program::Program;
use super::route::{Decision, cmap_text, name_text};
use super::symbols;
use super::to_unicode::{TargetClass, target_class};
use super::{Case, CharCode, Cid, CodeClass, Gid};
use crate::score::evidence::ProgramKind;

impl Font {
    pub(super) fn decide_composite(&self, composite: &Composite, code: CharCode, n_bytes: u8) -> Decision {
        if let Some(decision) = self.decide_by_collection(composite, code, n_bytes) {
            return decision;
        }
        let Some(cid) = composite.cid(code, n_bytes) else {
            // Outside the CMap, or half a code: nothing is drawn but what CID 0 is.
            let is_private_map = composite.sound && composite.code_map.predefined().is_none();
            return Decision::unknown(if is_private_map { Case::C8 } else { Case::C23 });
        };
        if !self.is_embedded() {
            return decide_absent(composite, cid);
        }
        let Some(program) = self.program() else { return Decision::unknown(Case::C23) };
        match composite.gid(cid, program) {
            Some(gid) if u32::from(gid.0) < program.n_glyphs() && gid.0 > 0 => {
                self.decide_by_program(composite, program, cid, gid)
            }
            // Glyph 0, or past the last one: a box or nothing, but no character that reading could give.
            _ => Decision::unknown(self.case_of_silence(program)),
        }
    }

    /// Rows C5, C6, C7, C8, C21, C22: the standard's third route.
    fn decide_by_collection(&self, composite: &Composite, code: CharCode, n_bytes: u8) -> Option<Decision> {
        let map = &composite.code_map;
        let predefined = map.predefined().filter(|map| !map.is_identity());
        let text = match predefined {
            Some(map) => map.unicode(code.0, n_bytes),
            None => map.unicode(code, n_bytes).or_else(|| {
                composite.cid_collection()?.unicode_of_cid(u32::from(composite.cid(code, n_bytes)?.0))
            }),
        };
        let text = text?;
        if predefined.is_none()
            && let Some(decision) = self.deny_collection(composite, code, n_bytes, &text)
        {
            return Some(decision);
        }
        let case = match predefined {
            _ if map.is_vertical() => Case::C22,
            Some(map) if map.is_unicode() => Case::C6,
            Some(_) => Case::C5,
            None if map.predefined().is_none() => Case::C8,
            None if !self.is_embedded() => Case::C21,
            None => Case::C7,
        };
        Some(Decision::spec(case, text))
    }

    /// Row C7: TrueType subsets that declare a collection but whose CIDs are glyph indices. The program's cmap knows.
    fn deny_collection(
        &self,
        composite: &Composite,
        code: CharCode,
        n_bytes: u8,
        text: &str,
    ) -> Option<Decision> {
        let program = self.program().filter(|program| program.kind() == ProgramKind::TrueType)?;
        if !program.has_unicode_cmap() {
            return None;
        }
        let gid = composite.gid(composite.cid(code, n_bytes)?, program)?;
        let says = program.unicodes_of(gid);
        let mut buffer = [0; 4];
        if says.is_empty() || says.iter().any(|c| same_text(c.encode_utf8(&mut buffer), text)) {
            return None;
        }
        Some(Decision::contradicted(Case::C7, text))
    }

    /// Rows C9–C19 for a glyph of the embedded program.
    fn decide_by_program(&self, composite: &Composite, program: &Program, cid: Cid, gid: Gid) -> Decision {
        let composed = composite.has_gid_stream() && gid.0 != cid.0;
        if let Some(text) = cmap_text(program, gid) {
            let case = match self.program.key() {
                _ if composed => Case::C16,
                Some(ProgramKey::OpenType | ProgramKey::Cff) => Case::C19,
                _ if composite.ordering.as_deref() == Some("UCS") => Case::C9,
                _ => Case::C10,
            };
            return Decision::program(case, text);
        }
        if let Some(text) = name_text(program, gid) {
            let case = match program.kind() {
                _ if composed => Case::C16,
                ProgramKind::TrueType if program.post_version() == Some(1.0) => Case::C13,
                ProgramKind::TrueType => Case::C14,
                _ => Case::C18,
            };
            return Decision::program(case, text);
        }
        if let Some(text) = text_of_own_cid(program, gid) {
            return Decision::program(Case::C17, text);
        }
        if let Some(decision) = self.decide_by_symbol_cmap(program, gid) {
            return decision;
        }
        // CIDs of Adobe-UCS are Unicode where the writer meant it; nothing here can tell.
        if composite.ordering.as_deref() == Some("UCS")
            && let Some(text) = text_of_unicode_cid(cid)
        {
            return Decision::candidate(Case::C9, Some(text));
        }
        let case = self.case_of_silence(program);
        if self.is_proven_dead(Some(gid)) { Decision::dead(case) } else { Decision::unknown(case) }
    }

    /// Rows C11 and C12: a glyph that only a symbol or a Macintosh subtable reaches, by a code that could be text.
    pub(super) fn decide_by_symbol_cmap(&self, program: &Program, gid: Gid) -> Option<Decision> {
        if let Some(code) = program.symbol_code_of(gid) {
            let c = char::from_u32(u32::from(code) | 0xF000)?;
            if let Some(text) = symbols::published_private_use(self.family(), c) {
                return Some(Decision::program(Case::C11, text));
            }
            if let Some(text) = win_ansi_text((code & 0xFF) as u8) {
                return Some(judged(Case::C11, self.symbol_codes_are_latin(program), text));
            }
        }
        let text = mac_text(program.mac_code_of(gid)?)?;
        Some(judged(Case::C12, self.mac_codes_are_roman(program), text))
    }

    /// The row that describes a program that says nothing of a glyph.
    fn case_of_silence(&self, program: &Program) -> Case {
        match program.kind() {
            ProgramKind::TrueType if program.has_names() => Case::C14,
            ProgramKind::TrueType => Case::C15,
            _ if program.ros().is_some() => Case::C17,
            _ if self.program.key() == Some(ProgramKey::OpenType) => Case::C19,
            _ => Case::C18,
        }
    }
}

/// Text of a doubtful code: read where a certificate was found, else a candidate.
pub(super) fn judged(case: Case, accepted: bool, text: String) -> Decision {
    let class = if accepted { CodeClass::ReadProgram } else { CodeClass::Unknown };
    Decision { class, case, text: Some(text) }
}

/// Row P3, C17: a CID-keyed CFF program that is of a character collection itself.
fn text_of_own_cid(program: &Program, gid: Gid) -> Option<String> {
    let (registry, ordering) = program.ros()?;
    if registry != "Adobe" {
        return None;
    }
    let collection = super::cmap::Collection::from_ordering(ordering)?;
    collection.unicode_of_cid(u32::from(program.cid_of_gid(gid)?.0))
}

/// The character whose number a CID is, if it is one that text has.
fn text_of_unicode_cid(cid: Cid) -> Option<String> {
    let text = String::from(char::from_u32(u32::from(cid.0))?);
    (target_class(&text) == TargetClass::Plausible).then_some(text)
}

/// Rows C9 and C20: no program, and an ordering that names no characters.
fn decide_absent(composite: &Composite, cid: Cid) -> Decision {
    match composite.ordering.as_deref() {
        Some("UCS") => Decision::candidate(Case::C9, text_of_unicode_cid(cid)),
        Some("Identity") | None => Decision::unknown(Case::C20),
        Some(_) if composite.collection.is_some() => Decision::unknown(Case::C21),
        Some(_) => Decision::unknown(Case::C9),
    }
}
