//! The second stack: the facts behind a proof, read again by lopdf and ttf-parser.
//!
//! Takes: a font with the codes that the first stack calls dead, or with charges it calls proven. Gives: whether
//! dictionary, ToUnicode map and program say the same to readers that share no code with the first ([`confirm`]).
//! Fails: never; what cannot be read is [`SecondStack::CannotRead`], and the proof falls to `suspected`. Never: is
//! asked for a healthy font, decodes without a cap, or looks at more than 1,024 codes.

mod map;
mod program;
mod survey;
mod type1;

#[cfg(test)]
mod tests;

use lopdf::{Dictionary, Object};

pub use survey::survey;

use self::map::Map;
use self::program::SecondProgram;
use super::dict::clean_name;
use super::to_unicode::{TargetClass, target_class};
use super::{CharCode, Charge, Cid, CodeClass, Font, Gid, SecondStack, fold, names};
use crate::score::pdf::Document;
use crate::score::{Certainty, ReasonCode};

/// Codes of one font that are confirmed; a proof over more rests on these.
const MAX_CODES: usize = 1024;
/// Codes of a contradiction that must be seen again.
const MIN_DENIED: usize = 3;

/// Why a fact is not confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Doubt {
    stack: SecondStack,
    /// What differs or cannot be read, in a few words.
    cause: &'static str,
}

/// `Ok` where a fact holds.
type Checked<T = ()> = Result<T, Doubt>;

fn differs(cause: &'static str) -> Doubt {
    Doubt { stack: SecondStack::Disagrees, cause }
}

fn unreadable(cause: &'static str) -> Doubt {
    Doubt { stack: SecondStack::CannotRead, cause }
}

/// Confirms what is claimed to be proven of a font: its dead drawn codes, and its proven charges, which fall to
/// [`Certainty::Suspected`] where the second stack does not agree. `None` where nothing is claimed.
pub fn confirm(
    document: &Document,
    font: &Font,
    drawn: &[(CharCode, u8, u32)],
    charges: &mut [Charge],
) -> Option<SecondStack> {
    let is_dead = |&(code, n_bytes, visible): &(CharCode, u8, u32)| {
        let glyph = font.glyph(code, n_bytes);
        visible > 0 && !glyph.blank && glyph.route.class == CodeClass::Dead
    };
    let dead: Vec<(CharCode, u8)> = drawn
        .iter()
        .filter(|code| is_dead(code))
        .map(|&(code, n_bytes, _)| (code, n_bytes))
        .take(MAX_CODES)
        .collect();
    let has_proven = charges.iter().any(|charge| charge.certainty == Certainty::Proven);
    if dead.is_empty() && !has_proven {
        return None;
    }
    let second = open(document, font);
    let mut verdict = if dead.is_empty() {
        Ok(())
    } else {
        second.as_ref().map_err(|no| *no).and_then(|second| second.confirm_dead(&dead))
    };
    for charge in charges.iter_mut().filter(|charge| charge.certainty == Certainty::Proven) {
        let confirmed =
            second.as_ref().map_err(|no| *no).and_then(|second| second.confirm_charge(charge, drawn));
        if let Err(no) = confirmed {
            charge.certainty = Certainty::Suspected;
            verdict = verdict.and(Err(no));
        }
    }
    Some(verdict.err().map_or(SecondStack::Agrees, |doubt| doubt.stack))
}

/// The font by the second stack.
fn open<'a>(document: &'a Document, font: &'a Font) -> Checked<Second<'a>> {
    if document.info().second_reader {
        // The first reader reads what the second one made of the file: that both agree shows nothing.
        return Err(unreadable("the file, but by the second reader"));
    }
    let pdf = document.second_reader().ok_or(unreadable("the file"))?;
    Second::open(pdf, font, document)
}

/// A font as the second stack sees it, with the first one's reading beside it.
struct Second<'a> {
    pdf: &'a lopdf::Document,
    first: &'a Font,
    dict: &'a Dictionary,
    /// The CIDFont of a composite font, else the font itself.
    descendant: &'a Dictionary,
    map: Option<Map>,
    program: Option<SecondProgram>,
    cid_to_gid: Option<Vec<u8>>,
}

impl<'a> Second<'a> {
    fn open(pdf: &'a lopdf::Document, first: &'a Font, document: &Document) -> Checked<Self> {
        let cap_bytes = document.limits.font_bytes;
        let dict = find_font(pdf, &first.facts().font)?;
        let mut second =
            Self { pdf, first, dict, descendant: dict, map: None, program: None, cid_to_gid: None };
        second.check_dictionary()?;
        if first.is_composite() {
            let descendants = second.entry(dict, "DescendantFonts").and_then(|object| object.as_array().ok());
            let descendant = descendants.and_then(|array| second.resolve(array.first()?)?.as_dict().ok());
            second.descendant = descendant.ok_or(unreadable("the CIDFont"))?;
            second.check_descendant(cap_bytes)?;
        }
        second.map = match second.entry(dict, "ToUnicode") {
            None => None,
            Some(Object::Stream(stream)) => Some(Map::parse(&decode(stream, cap_bytes)?)),
            Some(Object::Name(_)) => Some(Map::identity()),
            Some(_) => return Err(unreadable("ToUnicode")),
        };
        second.program = second.read_program(cap_bytes)?;
        if second.program.is_some() != first.is_embedded() {
            return Err(differs("whether a program is embedded"));
        }
        Ok(second)
    }

    fn resolve(&self, object: &'a Object) -> Option<&'a Object> {
        self.pdf.dereference(object).ok().map(|(_, object)| object).filter(|object| !object.is_null())
    }

    fn entry(&self, dict: &'a Dictionary, key: &str) -> Option<&'a Object> {
        self.resolve(dict.get(key.as_bytes()).ok()?)
    }

    fn name(&self, dict: &'a Dictionary, key: &str) -> Option<String> {
        let name = self.entry(dict, key)?.as_name().ok()?;
        Some(clean_name(name))
    }

    /// Subtype and encoding are the first reader's.
    fn check_dictionary(&self) -> Checked {
        let facts = self.first.facts();
        if self.name(self.dict, "Subtype").is_some_and(|subtype| subtype != facts.subtype) {
            return Err(differs("Subtype"));
        }
        let encoding = match self.entry(self.dict, "Encoding") {
            Some(Object::Name(name)) => Some(clean_name(name)),
            Some(Object::Stream(_)) => Some("stream".to_owned()),
            Some(Object::Dictionary(encoding)) => match self.name(encoding, "BaseEncoding") {
                Some(base) if !encoding.has(b"Differences") => Some(base),
                _ => Some("differences".to_owned()),
            },
            _ => None,
        };
        if encoding == facts.encoding { Ok(()) } else { Err(differs("Encoding")) }
    }

    /// The CIDFont's subtype, ordering and kind of CIDToGIDMap.
    fn check_descendant(&mut self, cap_bytes: usize) -> Checked {
        let facts = self.first.facts();
        let info = self.entry(self.descendant, "CIDSystemInfo").and_then(|object| object.as_dict().ok());
        let ordering = info.and_then(|info| match self.entry(info, "Ordering")? {
            Object::String(bytes, _) | Object::Name(bytes) => Some(bytes.clone()),
            _ => None,
        });
        // What the first reader knows by a name it cleaned is compared where both have one.
        let same_ordering = match (&ordering, &facts.ordering) {
            (Some(second), Some(first)) => clean_name(second) == *first,
            (None, None) => true,
            (second, first) => {
                second.as_ref().is_none_or(Vec::is_empty) && first.as_ref().is_none_or(String::is_empty)
            }
        };
        if self.name(self.descendant, "Subtype") != facts.descendant || !same_ordering {
            return Err(differs("the CIDFont"));
        }
        self.cid_to_gid = match self.entry(self.descendant, "CIDToGIDMap") {
            Some(Object::Stream(stream)) => Some(decode(stream, cap_bytes)?),
            _ => None,
        };
        if self.cid_to_gid.is_some() == self.first.has_cid_to_gid_stream() {
            Ok(())
        } else {
            Err(differs("CIDToGIDMap"))
        }
    }

    fn read_program(&self, cap_bytes: usize) -> Checked<Option<SecondProgram>> {
        let holder =
            if self.entry(self.descendant, "FontDescriptor").is_some() { self.descendant } else { self.dict };
        let Some(Object::Dictionary(descriptor)) = self.entry(holder, "FontDescriptor") else {
            return Ok(None);
        };
        let stream =
            ["FontFile2", "FontFile3", "FontFile"].iter().find_map(|key| match self.entry(descriptor, key) {
                Some(Object::Stream(stream)) => Some(stream),
                _ => None,
            });
        let Some(stream) = stream else { return Ok(None) };
        SecondProgram::parse(decode(stream, cap_bytes)?).map(Some)
    }

    /// Conditions 2 to 7 of the proof of death, for every code (spec/fonts 1).
    fn confirm_dead(&self, codes: &[(CharCode, u8)]) -> Checked {
        codes.iter().try_for_each(|&(code, n_bytes)| {
            self.check_target(code)?;
            if self.first.is_composite() {
                self.check_composite(code, n_bytes)
            } else {
                self.check_simple(code)
            }
        })
    }

    /// No ToUnicode target that says anything.
    fn check_target(&self, code: CharCode) -> Checked {
        let target = self.map.as_ref().and_then(|map| map.target(code.0));
        match target.map(|text| target_class(&text)) {
            Some(TargetClass::Plausible) => Err(differs("a target of ToUnicode")),
            _ => Ok(()),
        }
    }

    fn check_composite(&self, code: CharCode, n_bytes: u8) -> Checked {
        let Some(program) = &self.program else { return Ok(()) };
        let cid = self.first.cid(code, n_bytes).unwrap_or(Cid(0));
        let gid = match &self.cid_to_gid {
            Some(map) => {
                let at = usize::from(cid.0) * 2;
                map.get(at..at + 2).map(|pair| Gid(u16::from_be_bytes([pair[0], pair[1]])))
            }
            None => program.gid_of_cid(cid),
        };
        self.check_glyph(program, gid.unwrap_or(Gid(0)))
    }

    fn check_simple(&self, code: CharCode) -> Checked {
        let byte = u8::try_from(code.0).map_err(|_| differs("the length of a code"))?;
        let difference = self.difference(byte);
        let named = difference.as_deref().filter(|name| *name != ".notdef");
        if named.is_some_and(|name| names::unicode_of_name(name, false).is_some()) {
            return Err(differs("a name in Differences"));
        }
        let first = self.first.differences();
        let first = first.iter().find(|(code, _)| *code == byte).map(|(_, name)| (*name).to_owned());
        if first != difference {
            return Err(differs("a name in Differences"));
        }
        match &self.program {
            None => Ok(()),
            Some(program)
                if named.is_none() && difference.is_none() && program.builtin_name_resolves(byte) =>
            {
                Err(differs("the built-in encoding"))
            }
            Some(program) if program.is_type1() => Ok(()),
            Some(program) => self.check_glyph(program, self.first.gid(code, 1).unwrap_or(Gid(0))),
        }
    }

    /// The name that `/Differences` gives a code.
    fn difference(&self, code: u8) -> Option<String> {
        let encoding = self.entry(self.dict, "Encoding")?.as_dict().ok()?;
        let array = self.entry(encoding, "Differences")?.as_array().ok()?;
        let (mut at, mut found) = (0_i64, None);
        for object in array.iter().take(1 << 14) {
            match self.resolve(object)? {
                Object::Name(name) => {
                    if at == i64::from(code) {
                        found = Some(clean_name(name));
                    }
                    at = at.saturating_add(1);
                }
                number => at = number.as_float().map(|number| number as i64).unwrap_or(at),
            }
        }
        found
    }

    /// No cmap subtable reaches the glyph with a code that is not private, and its name says nothing.
    fn check_glyph(&self, program: &SecondProgram, gid: Gid) -> Checked {
        let name = program.glyph_name(gid)?;
        if program.is_reached(gid)? || name.is_some_and(|name| names::unicode_of_name(&name, false).is_some())
        {
            return Err(differs("a route to a glyph"));
        }
        Ok(())
    }

    /// The same codes are claimed to mean the same, and the cmap denies at least three of them here too.
    fn confirm_charge(&self, charge: &Charge, drawn: &[(CharCode, u8, u32)]) -> Checked {
        if !matches!(charge.code, ReasonCode::ContradictedUnicode | ReasonCode::IdentityUnicodeOnGlyphs) {
            return Err(unreadable("this kind of charge"));
        }
        let program = self.program.as_ref().ok_or(unreadable("the program"))?;
        let charged = drawn.iter().filter(|drawn| charge.codes.binary_search(&drawn.0.0).is_ok());
        let (mut denied, mut confirmed) = (0, 0);
        for &(code, n_bytes, _) in charged.take(MAX_CODES) {
            let Some(claim) = self.first.glyph(code, n_bytes).route.unicode.as_deref() else { continue };
            if let Some(map) = &self.map
                && map.target(code.0).is_none_or(|target| !fold::same_text(&target, claim))
            {
                return Err(differs("a target of ToUnicode"));
            }
            let Some(gid) = self.first.gid(code, n_bytes) else { continue };
            let letters = program.letters(gid)?;
            let is_claimed = letters.iter().any(|c| fold::same_text(claim, c.encode_utf8(&mut [0; 4])));
            denied += usize::from(!letters.is_empty() && !is_claimed);
            confirmed += usize::from(is_claimed);
        }
        if denied >= MIN_DENIED && denied > confirmed { Ok(()) } else { Err(differs("letters of the cmap")) }
    }
}

fn decode(stream: &lopdf::Stream, cap_bytes: usize) -> Checked<Vec<u8>> {
    stream.get_plain_content_with_limit(cap_bytes).map_err(|_| unreadable("a stream"))
}

/// The font of a name in reports: `4 0 R`, or `p1/F1` for a direct dictionary in a page's resources.
fn find_font<'a>(pdf: &'a lopdf::Document, name: &str) -> Checked<&'a Dictionary> {
    let found = match name.strip_suffix(" R") {
        Some(id) => id.split_once(' ').and_then(|(number, generation)| {
            let id = (number.parse().ok()?, generation.parse().ok()?);
            pdf.get_dictionary(id).ok()
        }),
        None => name.strip_prefix('p').and_then(|rest| rest.split_once('/')).and_then(|(page, font)| {
            let page = page.parse::<usize>().ok()?.checked_sub(1)?;
            let fonts = pdf.get_page_fonts(pdf.page_iter().nth(page)?).ok()?;
            fonts.get(font.as_bytes()).copied()
        }),
    };
    found.ok_or(unreadable("the font dictionary"))
}
