//! A font as the witnesses see it.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use super::super::program::Program;
use super::super::standard14::Standard;
use super::super::{Case, CharCode, CodeClass, Font, Gid, names};
use super::fold;

/// Entries of a ToUnicode map that name glyphs which are not drawn.
const MAX_UNDRAWN: usize = 4096;

/// Difference of widths, in em, that rounding and scaling explain.
const MAX_MISFIT: f32 = 0.03;

/// Where the text of a code comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The ToUnicode CMap.
    ToUnicode,
    /// The encoding: glyph names, or a predefined CMap.
    Encoding,
    /// The font program itself, which then cannot testify.
    Program,
}

/// One code with what is said of it.
#[derive(Debug, Clone)]
pub(super) struct Code {
    pub(super) code: u32,
    /// Visible glyphs; 0 for a code that the map knows and nothing draws.
    pub(super) visible: u32,
    /// The glyph it draws.
    pub(super) gid: Option<Gid>,
    /// The text it is said to mean; never empty.
    pub(super) claim: Option<String>,
    pub(super) source: Source,
    /// The text of the glyph name by which a simple font finds the glyph, whatever ToUnicode says.
    pub(super) named: Option<String>,
    /// Displacement in em.
    pub(super) advance: f32,
    /// The width that the dictionary states for this very code, in em.
    pub(super) stated: Option<f32>,
}

impl Code {
    fn of(font: &Font, (code, n_bytes, visible): (CharCode, u8, u32)) -> Self {
        let glyph = font.glyph(code, n_bytes);
        let by_map = matches!(glyph.route.case, Case::C1 | Case::S1 | Case::T1 | Case::C4e | Case::C4d);
        let source = match glyph.route.class {
            CodeClass::ReadProgram => Source::Program,
            _ if by_map => Source::ToUnicode,
            _ => Source::Encoding,
        };
        let says_something = |text: &&str| !text.is_empty() && !text.chars().all(|c| !fold::is_meaningful(c));
        Self {
            code: code.0,
            visible,
            gid: font.gid(code, n_bytes),
            claim: glyph.route.unicode.as_deref().filter(says_something).map(str::to_owned),
            source,
            named: font.glyph_name_text(code),
            advance: glyph.advance,
            stated: font.stated_width(code, n_bytes),
        }
    }

    /// The claim, if it is one character.
    pub(super) fn letter(&self) -> Option<char> {
        single(self.claim.as_deref()?)
    }

    pub(super) fn is_drawn(&self) -> bool {
        self.visible > 0
    }
}

/// Whether a program's advances are those the dictionary states, by and large. If not, it is not this font's program, it is
/// damaged, or codes reach other glyphs in it than is thought: then it is no witness.
fn draws_these_codes(program: &Program, codes: &[Code]) -> bool {
    let (mut n, mut misfits) = (0, 0);
    for code in codes {
        let (Some(stated), Some(gid)) = (code.stated.filter(|width| *width > 0.0), code.gid) else {
            continue;
        };
        n += 1;
        misfits += usize::from(program.advance(gid).is_none_or(|own| (own - stated).abs() > MAX_MISFIT));
    }
    misfits * 10 <= n * 3
}

/// The only character of a text.
pub(super) fn single(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

/// The character so many code points on.
pub(super) fn shifted(c: char, by: i32) -> Option<char> {
    char::from_u32((c as u32).checked_add_signed(by)?)
}

/// A font with its codes; those drawn come first.
pub(super) struct View<'a> {
    pub(super) program: Option<&'a Program>,
    /// A composite font.
    pub(super) is_composite: bool,
    /// The standard font a font without program is drawn with.
    pub(super) standard: Option<Standard>,
    /// `/BaseFont` without its subset tag.
    pub(super) family: Option<&'a str>,
    pub(super) codes: Vec<Code>,
    /// Where undrawn codes are looked up.
    font: Option<&'a Font>,
    letters_of_gids: OnceCell<FxHashMap<Gid, Vec<char>>>,
}

impl<'a> View<'a> {
    pub(super) fn new(program: Option<&'a Program>, codes: Vec<Code>) -> Self {
        Self {
            program,
            is_composite: true,
            standard: None,
            family: None,
            codes,
            font: None,
            letters_of_gids: OnceCell::new(),
        }
    }

    /// The view of a font, with the codes the document draws with it (code, length in bytes, visible glyphs). Reads
    /// the program.
    pub(super) fn of(font: &'a Font, drawn: &[(CharCode, u8, u32)]) -> Self {
        let codes = drawn.iter().filter(|drawn| drawn.2 > 0).map(|&drawn| Code::of(font, drawn));
        let codes: Vec<Code> = codes.collect();
        let program = font.program().filter(|program| draws_these_codes(program, &codes));
        Self {
            is_composite: font.is_composite(),
            standard: font.standard(),
            family: font.facts().family.as_deref(),
            font: Some(font),
            ..Self::new(program, codes)
        }
    }

    /// The font itself.
    pub(super) fn font(&self) -> Option<&'a Font> {
        self.font
    }

    /// Letters of codes that the map knows and nothing draws.
    fn undrawn_letters(&self) -> Vec<(Gid, char)> {
        let Some(font) = self.font else { return Vec::new() };
        let n_bytes = if self.is_composite { 2 } else { 1 };
        let entries = font.to_unicode_entries(MAX_UNDRAWN).into_iter();
        entries
            .filter_map(|(code, text)| Some((font.gid(CharCode(code), n_bytes)?, single(&text)?)))
            .collect()
    }

    /// Codes that leave visible glyphs.
    pub(super) fn drawn(&self) -> impl Iterator<Item = &Code> {
        self.codes.iter().filter(|code| code.is_drawn())
    }

    /// What the map calls a glyph, as far as that is single characters, drawn or not.
    pub(super) fn letters_of(&self, gid: Gid) -> &[char] {
        let letters = self.letters_of_gids.get_or_init(|| {
            let mut letters: FxHashMap<Gid, Vec<char>> = FxHashMap::default();
            let drawn = self.codes.iter().filter_map(|code| Some((code.gid?, code.letter()?)));
            for (gid, letter) in drawn.chain(self.undrawn_letters()) {
                let known = letters.entry(gid).or_default();
                if !known.contains(&letter) {
                    known.push(letter);
                }
            }
            letters
        });
        letters.get(&gid).map_or(&[], Vec::as_slice)
    }

    /// Whether a code's outline is known to be empty.
    pub(super) fn is_blank(&self, code: &Code) -> Option<bool> {
        self.program?.is_blank(code.gid?)
    }

    /// The number by which the original font counts a glyph, as far as a subset keeps it: the GID, the CID of a CID-keyed
    /// program; the code where there is no program.
    pub(super) fn index(&self, code: &Code) -> u32 {
        index(self.program, code.gid, code.code)
    }

    /// What the program says a glyph is.
    pub(super) fn testimony(&self, gid: Gid) -> Testimony {
        let Some(program) = self.program else { return Testimony::default() };
        let by_cmap: Vec<char> =
            program.unicodes_of(gid).iter().copied().filter(|&c| fold::is_meaningful(c)).collect();
        let name = program.glyph_name(gid);
        let by_name = name.and_then(|name| names::unicode_of_name(name, false));
        Testimony { by_cmap, by_name: by_name.filter(|text| text.chars().all(fold::is_meaningful)) }
    }
}

/// What cmap and names of a program say of one glyph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Testimony {
    pub(super) by_cmap: Vec<char>,
    pub(super) by_name: Option<String>,
}

impl Testimony {
    /// Cmap and name speak, and of different characters: then neither is believed.
    pub(super) fn is_split(&self) -> bool {
        let Some(name) = &self.by_name else { return false };
        !self.by_cmap.is_empty()
            && !self.by_cmap.iter().any(|&c| fold::same(name, c.encode_utf8(&mut [0; 4])))
    }
}

/// See [`View::index`].
pub(super) fn index(program: Option<&Program>, gid: Option<Gid>, code: u32) -> u32 {
    let Some((program, gid)) = program.zip(gid) else { return code };
    program.cid_of_gid(gid).map_or(u32::from(gid.0), |cid| u32::from(cid.0))
}
