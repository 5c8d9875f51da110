//! Codes of simple fonts without a usable ToUnicode target (rows S2–S20, T2–T6).

use super::dict::ProgramKey;
use super::encodings::{Encoding, mac_code_of_name};
use super::fold::same_text;
use super::font::{Font, mac_text, win_ansi_text};
use super::names::{self, NameShape};
use super::program::Program;
use super::route::{Decision, agrees, program_text};
use super::route_composite::judged;
use super::simple::{BaseEncoding, NameSource, Simple, SimpleKind};
use super::symbols;
use super::type3::Type3;
use super::{Case, CharCode, Cid, CodeClass, Gid};
use crate::score::evidence::ProgramKind;

/// How a TrueType program was asked for a glyph (ISO 32000-2, 9.6.5.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Via {
    /// The Unicode subtable, by the name's character.
    Unicode,
    /// The Macintosh subtable, by the name's Mac OS code.
    MacName,
    /// The `post` names.
    PostName,
    /// The symbol subtable, by the code.
    Symbol,
    /// The Macintosh subtable, by the code.
    MacCode,
    /// The Unicode subtable, by the code as in Windows.
    UnicodeCode,
}

impl Font {
    pub(super) fn decide_simple(&self, simple: &Simple, code: CharCode) -> Decision {
        let Ok(code) = u8::try_from(code.0) else { return Decision::unknown(Case::C23) };
        let decision = match self.rules_of(simple) {
            SimpleKind::TrueType => self.decide_truetype(simple, code),
            _ => self.decide_type1(simple, code),
        };
        // Row S12: a multiple master is a Type 1 font in all of this.
        if simple.kind == SimpleKind::MmType1 && !matches!(decision.case, Case::S6 | Case::S7 | Case::S9) {
            return Decision { case: Case::S12, ..decision };
        }
        decision
    }

    /// The kind of rules to follow: those of the embedded program, by the key it hangs on, where the dictionary says
    /// something else. The program itself is not read for this.
    fn rules_of(&self, simple: &Simple) -> SimpleKind {
        match (self.program.key(), simple.kind) {
            (Some(ProgramKey::TrueType), _) => SimpleKind::TrueType,
            (Some(_), SimpleKind::TrueType) => SimpleKind::Type1,
            (_, stated) => stated,
        }
    }

    // ---- Type 1 and CFF ----

    fn decide_type1(&self, simple: &Simple, code: u8) -> Decision {
        match simple.difference(code) {
            Some(".notdef") => return self.decide_notdef(simple, code),
            Some(name) => return self.decide_name(simple, code, name, NameSource::Differences),
            None => {}
        }
        match simple.base {
            BaseEncoding::BuiltIn => self.decide_builtin(simple, code),
            BaseEncoding::None => self.decide_absent_symbol(standard_text(code), code),
            BaseEncoding::Named(_) | BaseEncoding::Implicit(_) => match simple.base_name(code) {
                Some((name, source)) => self.decide_name(simple, code, name, source),
                None => self.decide_unnamed(simple, code),
            },
        }
    }

    /// Row S18: not embedded, symbolic, no encoding. Of fonts with published codes the text is known all the same.
    fn decide_absent_symbol(&self, candidate: Option<String>, code: u8) -> Decision {
        match symbols::published(self.family(), code) {
            Some(text) => Decision::inferred(Case::S18, text),
            None => Decision::candidate(Case::S18, candidate),
        }
    }

    /// Rows S2–S5, S8, S18: a name of the dictionary.
    fn decide_name(&self, simple: &Simple, code: u8, name: &str, source: NameSource) -> Decision {
        match names::shape_of_name(name, simple.is_zapf()) {
            NameShape::Unicode => {
                let text = names::unicode_of_name(name, simple.is_zapf()).unwrap_or_default();
                Decision::spec(self.case_of_name(simple, source), text)
            }
            shape => self.decide_odd_name(simple, code, name, shape),
        }
    }

    fn case_of_name(&self, simple: &Simple, source: NameSource) -> Case {
        let is_standard_symbol = simple.standard.is_some_and(|standard| standard.is_symbolic());
        match source {
            _ if is_standard_symbol && !self.is_embedded() => Case::S4,
            NameSource::Differences if !self.is_embedded() && simple.standard.is_none() => Case::S18,
            NameSource::Differences => Case::S5,
            NameSource::Named => Case::S2,
            NameSource::Implicit if simple.has_differences() => Case::S20,
            NameSource::Implicit => Case::S3,
        }
    }

    /// Rows S6 and S7: a name outside the list.
    fn decide_odd_name(&self, simple: &Simple, code: u8, name: &str, shape: NameShape) -> Decision {
        let program = self.program();
        let gid = program.and_then(|program| self.gid_of_odd_name(program, simple, code, name, shape));
        if let (Some(program), Some(gid)) = (program, gid)
            && let Some(text) = program_text(program, gid)
        {
            return Decision::program(Case::S6, text);
        }
        if let (Some(program), NameShape::Cid(cid)) = (program, shape)
            && let Some((_, ordering)) = program.ros()
            && let Some(text) =
                super::cmap::Collection::from_ordering(ordering).and_then(|c| c.unicode_of_cid(cid))
        {
            return Decision::program(Case::S6, text);
        }
        if let NameShape::Echo(number) = shape {
            if let Some(c) = simple.tex.and_then(|tex| tex.char(number)) {
                return Decision::inferred(Case::S7, c);
            }
            return Decision::candidate(Case::S7, u8::try_from(number).ok().and_then(win_ansi_text));
        }
        // Of a sign that is named by a word no text is lost.
        if shape != NameShape::Word && self.is_proven_dead(gid) {
            return Decision::dead(Case::S6);
        }
        Decision::unknown(Case::S6)
    }

    fn gid_of_odd_name(
        &self,
        program: &Program,
        simple: &Simple,
        code: u8,
        name: &str,
        shape: NameShape,
    ) -> Option<Gid> {
        if program.kind() == ProgramKind::TrueType {
            return match shape {
                NameShape::Glyph(number) => {
                    program.gid_of_name(name).or_else(|| u16::try_from(number).ok().map(Gid))
                }
                _ => self.truetype_gid(program, simple, code).map(|(gid, _)| gid),
            };
        }
        program.gid_of_name(name).or_else(|| match shape {
            NameShape::Cid(cid) => program.gid_of_cid(Cid(u16::try_from(cid).ok()?)),
            _ => None,
        })
    }

    /// The glyph that a code of a simple font draws.
    pub(super) fn simple_gid(&self, program: &Program, simple: &Simple, code: u8) -> Option<Gid> {
        let name = simple.name(code).map(|(name, _)| name);
        if let Some(name) = name {
            let shape = names::shape_of_name(name, simple.is_zapf());
            if !matches!(shape, NameShape::Unicode | NameShape::NotDef)
                && let Some(gid) = self.gid_of_odd_name(program, simple, code, name, shape)
            {
                return Some(gid);
            }
        }
        if program.kind() == ProgramKind::TrueType {
            // Without any cmap engines take the code for the glyph index.
            let by_code = || (!program.has_cmap()).then_some(Gid(u16::from(code)));
            return self.truetype_gid(program, simple, code).map(|(gid, _)| gid).or_else(by_code);
        }
        match name {
            Some(name) => program.gid_of_name(name),
            None => program.builtin_gid(code),
        }
    }

    /// Row S9: `.notdef` in the Differences. The base encoding answers if it can.
    fn decide_notdef(&self, simple: &Simple, code: u8) -> Decision {
        let text =
            simple.base_name(code).and_then(|(name, _)| names::unicode_of_name(name, simple.is_zapf()));
        if let Some(text) = text {
            return Decision::spec(Case::S9, text);
        }
        if simple.base == BaseEncoding::BuiltIn
            && let Some(program) = self.program()
            && let Some(text) = builtin_text(program, code)
        {
            return Decision::program(Case::S9, text);
        }
        let gid = self.gid(CharCode(u32::from(code)), 1);
        if self.is_proven_dead(gid) { Decision::dead(Case::S9) } else { Decision::unknown(Case::S9) }
    }

    /// Rows S10 and S11: the encoding built into a Type 1 or CFF program.
    fn decide_builtin(&self, simple: &Simple, code: u8) -> Decision {
        let Some(program) = self.program() else {
            // A program that cannot be read: of Latin fonts StandardEncoding is likely.
            let text = standard_text(code).filter(|_| !simple.is_symbolic);
            return Decision::candidate(Case::C23, text);
        };
        if program.kind() == ProgramKind::TrueType {
            return self.decide_symbolic(simple, code); // under a key of Type 1
        }
        let case = if program.kind() == ProgramKind::Type1 { Case::S10 } else { Case::S11 };
        let name = program.builtin_name(code);
        let gid = program.builtin_gid(code);
        if let Some(text) = name.and_then(|name| names::unicode_of_name(name, simple.is_zapf())) {
            // A name without a glyph draws `.notdef`.
            return if gid.is_some() {
                Decision::program(case, text)
            } else {
                Decision::candidate(case, Some(text))
            };
        }
        if let Some(text) = gid.and_then(|gid| program_text(program, gid)) {
            return Decision::program(case, text);
        }
        // Names beat TeX's vector; the vector beats nothing.
        if let Some(c) = simple.tex.and_then(|tex| tex.char(u32::from(code))) {
            return Decision::inferred(Case::S7, c);
        }
        match name {
            Some(name) => {
                self.decide_odd_name(simple, code, name, names::shape_of_name(name, simple.is_zapf()))
            }
            None => Decision::unknown(case),
        }
    }

    /// A code that the base encoding does not name: it draws `.notdef`, unless the program knows better.
    fn decide_unnamed(&self, simple: &Simple, code: u8) -> Decision {
        if let Some(program) = self.program()
            && let Some(text) = builtin_text(program, code)
        {
            let case = if program.kind() == ProgramKind::Type1 { Case::S10 } else { Case::S11 };
            return Decision::program(case, text);
        }
        Decision::unknown(if simple.has_differences() { Case::S9 } else { Case::S2 })
    }

    // ---- TrueType ----

    fn decide_truetype(&self, simple: &Simple, code: u8) -> Decision {
        let name = match simple.difference(code) {
            Some(".notdef") => return self.decide_notdef(simple, code),
            Some(name) => Some((name, NameSource::Differences)),
            None => simple.base_name(code),
        };
        let Some((name, source)) = name else {
            // A code without a name draws nothing in a font that is not there.
            let is_nothing = !self.is_embedded() && simple.base != BaseEncoding::None;
            return if is_nothing { Decision::unknown(Case::S2) } else { self.decide_symbolic(simple, code) };
        };
        let text = match names::shape_of_name(name, simple.is_zapf()) {
            NameShape::Unicode => names::unicode_of_name(name, simple.is_zapf()).unwrap_or_default(),
            shape => return self.decide_odd_name(simple, code, name, shape),
        };
        let Some(program) = self.program() else {
            return Decision::spec(self.case_of_name(simple, source), text);
        };
        let Some((gid, via)) = self.truetype_gid(program, simple, code) else {
            return decide_missing_glyph(program, text);
        };
        let denied = match via {
            Via::Unicode | Via::PostName => false,
            _ => {
                // The trap of row S2: a symbol font that is said to hold Latin letters.
                let published = symbols::published(self.family(), code);
                agrees(program, gid, &text) == Some(false)
                    || published.is_some_and(|published| !same_text(&published, &text))
            }
        };
        match via {
            _ if denied => Decision::contradicted(Case::S13, text),
            // Named as text, drawn by a code that the program alone explains.
            Via::Symbol => Decision::spec(Case::S14, text),
            Via::MacCode => Decision::spec(Case::S15, text),
            _ => Decision::spec(Case::S13, text),
        }
    }

    /// Rows S14–S17: a symbolic TrueType font, where the code means what the program makes of it.
    fn decide_symbolic(&self, simple: &Simple, code: u8) -> Decision {
        let Some(program) = self.program() else {
            if !self.is_embedded() {
                return self.decide_absent_symbol(win_ansi_text(code), code);
            }
            return Decision::candidate(Case::C23, win_ansi_text(code));
        };
        let found = self.truetype_gid(program, simple, code);
        // Without any cmap engines take the code for the glyph index.
        let gid = found.map(|(gid, _)| gid).or_else(|| {
            (!program.has_cmap() && u32::from(code) < program.n_glyphs()).then_some(Gid(u16::from(code)))
        });
        if let Some(gid) = gid
            && let Some(text) = program_text(program, gid)
        {
            return Decision::program(Case::S16, text);
        }
        if let (Some(_), Some(text)) = (found, symbols::published(self.family(), code)) {
            return Decision::program(Case::S14, text);
        }
        if let (Some(_), Some(c)) = (found, simple.tex.and_then(|tex| tex.char_of_truetype(u32::from(code))))
        {
            return Decision::inferred(Case::S7, c);
        }
        let (case, accepted, text): (_, fn(&Self, &Program) -> bool, _) = match found {
            Some((_, Via::Symbol)) => (Case::S14, Self::symbol_codes_are_latin, win_ansi_text(code)),
            Some((_, Via::MacCode | Via::MacName)) => (Case::S15, Self::mac_codes_are_roman, mac_text(code)),
            Some(_) => (Case::S16, |_, _| false, win_ansi_text(code)),
            None if program.has_cmap() => return Decision::unknown(Case::S17),
            None => (Case::S17, |_, _| false, None),
        };
        match text {
            Some(text) => judged(case, accepted(self, program), text),
            // A private code that no text can be.
            None if self.is_proven_dead(gid) => Decision::dead(case),
            None => Decision::unknown(case),
        }
    }

    /// The glyph that engines draw for a code of a TrueType program, and how it was found.
    pub(super) fn truetype_gid(&self, program: &Program, simple: &Simple, code: u8) -> Option<(Gid, Via)> {
        let symbol = || program.gid_of_symbol(u16::from(code)).map(|gid| (gid, Via::Symbol));
        let mac_code = || program.gid_of_mac(code).map(|gid| (gid, Via::MacCode));
        let name = simple.name(code).map(|(name, _)| name);
        let by_name = || {
            let name = name?;
            let unicode = names::char_of_name(name, simple.is_zapf());
            let by_unicode = || {
                let c = unicode?;
                let doubles = doubles_of(c).iter().copied();
                std::iter::once(c).chain(doubles).find_map(|c| program.gid_of_unicode(c))
            };
            let by_mac = || program.gid_of_mac(mac_code_of_name(name)?);
            let by_post = || program.gid_of_name(name);
            by_unicode()
                .map(|gid| (gid, Via::Unicode))
                .or_else(|| by_mac().map(|gid| (gid, Via::MacName)))
                .or_else(|| by_post().map(|gid| (gid, Via::PostName)))
        };
        let by_code = || {
            let c = win_ansi_text(code)?.chars().next()?;
            program.gid_of_unicode(c).map(|gid| (gid, Via::UnicodeCode))
        };
        if simple.is_symbolic {
            return symbol().or_else(by_name).or_else(mac_code).or_else(by_code);
        }
        // By code only where names cannot have been meant.
        let by_any_code = || {
            let nameless = name.is_none() || !program.has_unicode_cmap();
            nameless.then(|| symbol().or_else(mac_code).or_else(by_code)).flatten()
        };
        by_name().or_else(by_any_code)
    }

    // ---- Type 3 ----

    pub(super) fn decide_type3(&self, simple: &Simple, type3: &Type3, code: CharCode) -> Decision {
        let Ok(code) = u8::try_from(code.0) else { return Decision::unknown(Case::C23) };
        let Some((name, _)) = simple.name(code) else { return Decision::unknown(Case::T6) };
        if !type3.has_proc(name) {
            return Decision::unknown(Case::T6); // draws nothing
        }
        match names::shape_of_name(name, false) {
            NameShape::Unicode => {
                Decision::spec(Case::T2, names::unicode_of_name(name, false).unwrap_or_default())
            }
            NameShape::Echo(number) => match simple.tex.and_then(|tex| tex.char(number)) {
                Some(c) => Decision::inferred(Case::T3, c),
                // A digit drawn by its own code is named by itself, not by a number.
                None if name.as_bytes() == [code] => Decision::candidate(Case::T3, Some(name.to_owned())),
                None => Decision::candidate(Case::T3, u8::try_from(number).ok().and_then(win_ansi_text)),
            },
            shape => match type3.is_blank(name) {
                Some(true) => Decision::unknown(Case::T6),
                Some(false) if shape != NameShape::Word => Decision::dead(Case::T4),
                _ => Decision::unknown(Case::T4),
            },
        }
    }
}

/// Row S13: the name means a letter that the program does not hold: what is drawn is not that letter.
fn decide_missing_glyph(program: &Program, text: String) -> Decision {
    let has_routes = program.has_unicode_cmap() || program.has_names();
    if has_routes && program.proves_absence() && !text.trim().is_empty() {
        return Decision { class: CodeClass::Contradicted, case: Case::S13, text: Some(text) };
    }
    Decision::spec(Case::S13, text)
}

fn builtin_text(program: &Program, code: u8) -> Option<String> {
    program.builtin_gid(code)?;
    names::unicode_of_name(program.builtin_name(code)?, false)
}

fn standard_text(code: u8) -> Option<String> {
    names::unicode_of_name(Encoding::Standard.name(code)?, false)
}

/// Other characters that a font may hold the glyph of a character under.
fn doubles_of(c: char) -> &'static [char] {
    match c {
        ' ' => &['\u{A0}'],
        '-' => &['\u{AD}', '\u{2010}', '\u{2011}'],
        '\u{2206}' => &['\u{394}'],
        '\u{394}' => &['\u{2206}'],
        '\u{2126}' => &['\u{3A9}'],
        '\u{3A9}' => &['\u{2126}'],
        '\u{B5}' => &['\u{3BC}'],
        '\u{3BC}' => &['\u{B5}'],
        '¯' => &['ˉ'],
        '·' => &['∙', '⋅', '•'],
        '•' => &['·', '∙'],
        '⁄' => &['∕', '/'],
        'Ţ' => &['Ț'],
        'ţ' => &['ț'],
        'Ş' => &['Ș'],
        'ş' => &['ș'],
        'Đ' => &['Ð'],
        '˜' => &['~', '∼'],
        'ˆ' => &['^'],
        _ => &[],
    }
}
