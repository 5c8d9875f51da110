//! From a code to its class: the order of ISO 32000-2, 9.10.2, then the program.

use super::fold::same_text;
use super::font::{Font, Kind, mac_text, win_ansi_text};
use super::names;
use super::program::Program;
use super::symbols;
use super::to_unicode::{TargetClass, is_private_use, target_class};
use super::{Case, CharCode, CodeClass, CodeRoute, Gid};
use crate::score::evidence::ToUnicodeKind;

/// What was found for one code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decision {
    pub(super) class: CodeClass,
    pub(super) case: Case,
    pub(super) text: Option<String>,
}

impl Decision {
    fn new(class: CodeClass, case: Case, text: Option<String>) -> Self {
        Self { class, case, text }
    }

    pub(super) fn spec(case: Case, text: impl Into<String>) -> Self {
        Self::new(CodeClass::ReadSpec, case, Some(text.into()))
    }

    pub(super) fn program(case: Case, text: impl Into<String>) -> Self {
        Self::new(CodeClass::ReadProgram, case, Some(text.into()))
    }

    pub(super) fn inferred(case: Case, text: impl Into<String>) -> Self {
        Self::new(CodeClass::Inferred, case, Some(text.into()))
    }

    pub(super) fn contradicted(case: Case, text: impl Into<String>) -> Self {
        Self::new(CodeClass::Contradicted, case, Some(text.into()))
    }

    pub(super) fn dead(case: Case) -> Self {
        Self::new(CodeClass::Dead, case, None)
    }

    pub(super) fn unknown(case: Case) -> Self {
        Self::new(CodeClass::Unknown, case, None)
    }

    /// Not read, but what it would be if the doubtful route held.
    pub(super) fn candidate(case: Case, text: Option<String>) -> Self {
        Self::new(CodeClass::Unknown, case, text)
    }
}

impl From<Decision> for CodeRoute {
    fn from(decision: Decision) -> Self {
        Self {
            class: decision.class,
            case: decision.case,
            unicode: decision.text.filter(|text| !text.is_empty()).map(String::into_boxed_str),
        }
    }
}

impl Font {
    /// Decides one code.
    pub(super) fn decide(&self, code: CharCode, n_bytes: u8) -> Decision {
        let target = self.to_unicode.as_ref().and_then(|map| map.lookup(code));
        let Some(text) = target else { return self.decide_without_map(code, n_bytes) };
        let broken = match target_class(&text) {
            TargetClass::Plausible if self.to_unicode_kind() == ToUnicodeKind::Identity => {
                return self.decide_identity(code, n_bytes, text);
            }
            TargetClass::Plausible => return Decision::spec(self.case_of_map(), text),
            TargetClass::Control => {
                // Under an identity map the map is the lie, whatever character an index happens to be.
                if self.to_unicode_kind() == ToUnicodeKind::Identity {
                    let decision = self.decide_identity(code, n_bytes, text.clone());
                    if decision.class == CodeClass::Contradicted {
                        return decision;
                    }
                }
                return Decision::contradicted(Case::C4d, text);
            }
            TargetClass::Nothing => Case::C4a,
            TargetClass::Forbidden => Case::C4b,
            TargetClass::PrivateUse => Case::C4c,
        };
        let mut decision = self.decide_without_map(code, n_bytes);
        decision.case = broken;
        if broken == Case::C4c && decision.text.is_none() {
            return self.decide_private_use(decision, text);
        }
        decision
    }

    fn decide_without_map(&self, code: CharCode, n_bytes: u8) -> Decision {
        match &self.kind {
            Kind::Composite(composite) => self.decide_composite(composite, code, n_bytes),
            Kind::Simple(simple) => self.decide_simple(simple, code),
            Kind::Type3(simple, type3) => self.decide_type3(simple, type3, code),
        }
    }

    fn case_of_map(&self) -> Case {
        match self.kind {
            Kind::Composite(_) => Case::C1,
            Kind::Simple(_) => Case::S1,
            Kind::Type3(..) => Case::T1,
        }
    }

    /// Row C4c: a private-use target has a meaning only in symbol fonts with a published convention.
    fn decide_private_use(&self, decision: Decision, text: String) -> Decision {
        let mut chars = text.chars();
        if let (Some(c), None) = (chars.next(), chars.next())
            && let Some(meant) = symbols::published_private_use(self.family(), c)
        {
            return Decision::program(Case::C4c, meant);
        }
        match decision.class {
            // What a reader extracts is the private-use character, and that is no text.
            CodeClass::Dead => Decision { text: Some(text), ..decision },
            _ => Decision { class: CodeClass::Unknown, case: Case::C4c, text: Some(text) },
        }
    }

    /// Row C4e: an identity map is true only where codes really are Unicode.
    fn decide_identity(&self, code: CharCode, n_bytes: u8, text: String) -> Decision {
        if let Some(program) = self.program()
            && let Some(gid) = self.gid(code, n_bytes)
        {
            match agrees(program, gid, &text) {
                Some(true) => return Decision::spec(Case::C4e, text),
                Some(false) => return Decision::contradicted(Case::C4e, text),
                None => {}
            }
        }
        match &self.kind {
            Kind::Composite(composite) => {
                // Codes that a CMap or a CIDToGIDMap turns into other numbers were not chosen as glyph indices.
                let addressed_by_unicode = self.has_cid_to_gid_stream()
                    || !self.is_identity_encoded()
                    || composite.ordering.as_deref() == Some("UCS");
                if addressed_by_unicode {
                    return Decision::spec(Case::C4e, text);
                }
            }
            Kind::Simple(simple) => {
                let named = u8::try_from(code.0).ok().and_then(|code| simple.name(code));
                let named = named.and_then(|(name, _)| names::unicode_of_name(name, simple.is_zapf()));
                match named {
                    Some(named) if same_text(&named, &text) => return Decision::spec(Case::C4e, text),
                    Some(_) => return Decision::contradicted(Case::C4e, text),
                    None => {}
                }
            }
            Kind::Type3(..) => {}
        }
        Decision::candidate(Case::C4e, Some(text))
    }

    /// Whether it is proven that no route exists for a glyph: the program is embedded, wholly read, and says
    /// nothing (conditions 5 to 7 of the proof).
    pub(super) fn is_proven_dead(&self, gid: Option<Gid>) -> bool {
        self.program().is_some_and(|program| {
            let says_nothing =
                |gid| program_text(program, gid).is_none() && !is_reached_by_character(program, gid);
            program.proves_absence() && gid.is_none_or(says_nothing)
        })
    }
}

/// Whether a symbol or Macintosh subtable reaches a glyph by a code that could be a character. Subsetters number
/// glyphs from 1 there, and controls are no text.
fn is_reached_by_character(program: &Program, gid: Gid) -> bool {
    let by_symbol = || {
        (0x20..=0xFF)
            .any(|code| program.gid_of_symbol(u16::from(code)) == Some(gid) && win_ansi_text(code).is_some())
    };
    let by_mac =
        || (0x20..=0xFF).any(|code| program.gid_of_mac(code) == Some(gid) && mac_text(code).is_some());
    (program.symbol_code_of(gid).is_some() && by_symbol()) || (program.mac_code_of(gid).is_some() && by_mac())
}

/// The text of a glyph by the program's Unicode cmap, else by its own names (P1, P2).
pub(super) fn program_text(program: &Program, gid: Gid) -> Option<String> {
    cmap_text(program, gid).or_else(|| name_text(program, gid))
}

/// The text of a glyph by the program's Unicode cmap; private use is none.
pub(super) fn cmap_text(program: &Program, gid: Gid) -> Option<String> {
    program.unicode_of(gid).filter(|&c| !is_private_use(c) && !c.is_control()).map(String::from)
}

/// The text of a glyph by its name in the program.
pub(super) fn name_text(program: &Program, gid: Gid) -> Option<String> {
    names::unicode_of_name(program.glyph_name(gid)?, false).filter(|text| !text.chars().any(is_private_use))
}

/// Whether the program says the same of a glyph; `None` where it says nothing. Any of several characters of its
/// cmap, or its name, will do.
pub(super) fn agrees(program: &Program, gid: Gid, text: &str) -> Option<bool> {
    let mut any = false;
    let mut buffer = [0; 4];
    for &c in program.unicodes_of(gid) {
        if is_private_use(c) || c.is_control() {
            continue;
        }
        any = true;
        if same_text(c.encode_utf8(&mut buffer), text) {
            return Some(true);
        }
    }
    if let Some(named) = name_text(program, gid) {
        any = true;
        if same_text(&named, text) {
            return Some(true);
        }
    }
    any.then_some(false)
}
