//! Font program bytes → facts.
//!
//! Takes: the decoded bytes of an embedded font program (sfnt, TTC, `OTTO`, bare CFF, Type 1 as PFA or PFB),
//! recognised by their content and not by the key they hang on. Gives: a [`Program`] that owns what it
//! keeps and answers per glyph. Fails: [`ProgramError`] when nothing can be read at all; a part that cannot be
//! read is [`Part::Damaged`], which is kept apart from [`Part::Absent`], because only the latter proves a
//! code dead. Never: panics, believes a count or an offset, or does work without a bound.

mod cff;
mod charstring;
mod cmap;
mod codes;
mod directory;
mod glyph;
mod lookup;
mod names;
mod outline;
mod sfnt;
mod type1;

pub mod cache;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::{Arc, Mutex, OnceLock};

use read_fonts::ps::cff::CffFontRef;
use read_fonts::ps::type1::Type1Font;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

use self::cff::{Builtin, CffFacts};
use self::cmap::SfntCmap;
use self::codes::Codes;
use self::directory::Directory;
use self::names::Names;
use self::outline::Outline;
use crate::score::evidence::ProgramKind;

/// Largest program that is looked at; the caller's own cap is lower.
const MAX_BYTES: usize = 256 << 20;

/// Why a program answers nothing. It proves nothing about the codes drawn with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ProgramError {
    /// No bytes.
    #[error("the font program is empty")]
    Empty,
    /// Neither sfnt, CFF nor Type 1.
    #[error("the font program is of no known kind")]
    Unknown,
    /// The kind is known, its directory, top dictionary or encrypted portion cannot be read.
    #[error("the font program is damaged")]
    Damaged,
    /// More bytes than any font has.
    #[error("the font program is over the limit")]
    TooLarge,
}

/// Whether a part of a program was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The program has no such part: safe to build a proof on.
    Absent,
    /// Read to its end.
    Read,
    /// There, but not read or not to its end: what was read stands, absence proves nothing.
    Damaged,
}

/// An embedded font program. Parsing reads directories only; the rest is read on first use and kept.
pub struct Program {
    data: Box<[u8]>,
    body: Body,
    cmap: OnceLock<SfntCmap>,
    names: OnceLock<Names>,
    encoding: OnceLock<Option<Builtin>>,
    cids: OnceLock<Option<Codes<u16>>>,
    sha256: OnceLock<String>,
    outlines: Mutex<FxHashMap<u16, Option<Arc<Outline>>>>,
}

enum Body {
    Sfnt {
        directory: Directory,
        header: sfnt::Header,
        /// Where `CFF ` lies and what it says, if the outlines are there.
        cff: Option<(Range<usize>, CffFacts)>,
        /// Outlines are announced as CFF, readable or not.
        is_cff: bool,
    },
    /// From an offset to the end.
    Cff(usize, CffFacts),
    Type1(Box<Type1Font>),
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program")
            .field("kind", &self.kind())
            .field("size_bytes", &self.size_bytes())
            .field("n_glyphs", &self.n_glyphs())
            .finish_non_exhaustive()
    }
}

impl Program {
    /// Recognises and opens a program; copies its bytes (see [`Program::from_vec`]).
    pub fn parse(bytes: &[u8]) -> Result<Self, ProgramError> {
        Self::from_vec(bytes.to_vec())
    }

    /// Recognises and opens a program.
    pub fn from_vec(bytes: Vec<u8>) -> Result<Self, ProgramError> {
        if bytes.len() > MAX_BYTES {
            return Err(ProgramError::TooLarge);
        }
        let body = Body::parse(&bytes)?;
        Ok(Self {
            data: bytes.into_boxed_slice(),
            body,
            cmap: OnceLock::new(),
            names: OnceLock::new(),
            encoding: OnceLock::new(),
            cids: OnceLock::new(),
            sha256: OnceLock::new(),
            outlines: Mutex::default(),
        })
    }

    /// The kind its bytes have, whatever `/Subtype` says.
    pub fn kind(&self) -> ProgramKind {
        match &self.body {
            Body::Sfnt { is_cff: true, .. } => ProgramKind::OpentypeCff,
            Body::Sfnt { .. } => ProgramKind::TrueType,
            Body::Cff(..) => ProgramKind::Cff,
            Body::Type1(_) => ProgramKind::Type1,
        }
    }

    /// Glyphs of the program; Gids at or above it draw nothing of it.
    pub fn n_glyphs(&self) -> u32 {
        match &self.body {
            Body::Sfnt { header, .. } => header.n_glyphs,
            Body::Cff(_, facts) => facts.n_glyphs,
            Body::Type1(font) => font.num_glyphs().min(0xFFFF),
        }
    }

    /// SHA-256 of the decoded program, lower-case hex. Computed on first use.
    pub fn sha256(&self) -> &str {
        self.sha256.get_or_init(|| {
            use std::fmt::Write as _;
            Sha256::digest(&self.data).iter().fold(String::with_capacity(64), |mut hex, byte| {
                let _ = write!(hex, "{byte:02x}");
                hex
            })
        })
    }

    /// Size of the decoded program.
    pub fn size_bytes(&self) -> usize {
        self.data.len()
    }

    /// The decoded bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.data
    }

    /// Tags of the sfnt directory, sorted; empty for bare CFF and Type 1.
    pub fn tables(&self) -> &[[u8; 4]] {
        match &self.body {
            Body::Sfnt { directory, .. } => directory.tags(),
            _ => &[],
        }
    }

    /// A table of an sfnt, as far as it lies in the file.
    pub(in crate::score) fn table_bytes(&self, tag: &[u8; 4]) -> Option<&[u8]> {
        self.table(tag).map(|(bytes, _)| bytes)
    }

    fn table(&self, tag: &[u8; 4]) -> Option<(&[u8], bool)> {
        match &self.body {
            Body::Sfnt { directory, .. } => directory.table(&self.data, tag),
            _ => None,
        }
    }

    fn cff_font(&self) -> Option<CffFontRef<'_>> {
        let (range, upem) = match &self.body {
            Body::Sfnt { cff: Some((range, facts)), .. } => (range.clone(), facts.units_per_em),
            Body::Cff(start, facts) => (*start..self.data.len(), facts.units_per_em),
            _ => return None,
        };
        CffFontRef::new_cff(self.data.get(range)?, 0, i32::try_from(upem).ok()).ok()
    }

    fn cff_facts(&self) -> Option<&CffFacts> {
        match &self.body {
            Body::Sfnt { cff, .. } => cff.as_ref().map(|(_, facts)| facts),
            Body::Cff(_, facts) => Some(facts),
            Body::Type1(_) => None,
        }
    }

    /// Whether it is a CID-keyed CFF program: its glyphs have CIDs and no names.
    pub fn is_cid_keyed(&self) -> bool {
        self.cff_facts().is_some_and(|facts| facts.ros.is_some())
    }

    fn cmap(&self) -> &SfntCmap {
        self.cmap.get_or_init(|| SfntCmap::parse(self.table(b"cmap")))
    }

    fn names(&self) -> &Names {
        self.names.get_or_init(|| match &self.body {
            Body::Type1(font) => type1::read_names(font),
            _ if self.is_cid_keyed() => Names::none(Part::Absent),
            Body::Sfnt { is_cff: false, header, .. } => self
                .table(b"post")
                .map_or(Names::none(Part::Absent), |(post, _)| Names::from_post(post, header.n_glyphs)),
            _ => self.cff_font().map_or(Names::none(Part::Damaged), |font| cff::read_names(&font)),
        })
    }

    /// Whether the font's `cmap` table was read. `Absent` also when the table has no subtable.
    pub fn cmap_part(&self) -> Part {
        self.cmap().part()
    }

    /// Whether glyph names were read (post 1, 2, 2.5; CFF charset of a name-keyed font; Type 1 CharStrings).
    pub fn names_part(&self) -> Part {
        self.names().part()
    }

    /// Whether a cmap subtable of any kind was read, wholly or in part.
    pub fn has_cmap(&self) -> bool {
        self.cmap().n_subtables() > 0
    }

    /// Whether the program names its glyphs.
    pub fn has_names(&self) -> bool {
        self.names().has_any()
    }

    /// Whether what is not found here is not there: nothing damaged on the routes to Unicode, and the outlines are there
    /// (a viewer that cannot draw from the program takes another font).
    pub fn proves_absence(&self) -> bool {
        let outlines = match &self.body {
            Body::Sfnt { directory, is_cff: false, .. } => {
                directory.complete && directory.has(b"glyf") && directory.has(b"loca")
            }
            Body::Sfnt { directory, cff, .. } => directory.complete && cff.is_some(),
            Body::Cff(..) | Body::Type1(_) => true,
        };
        outlines && self.cmap_part() != Part::Damaged && self.names_part() != Part::Damaged
    }
}

impl Body {
    fn parse(data: &[u8]) -> Result<Self, ProgramError> {
        match data {
            [] => Err(ProgramError::Empty),
            [0, 1, 0, 0, ..]
            | [b'O', b'T', b'T', b'O', ..]
            | [b't', b'r', b'u', b'e', ..]
            | [b't', b't', b'c', b'f', ..] => Self::parse_sfnt(data).ok_or(ProgramError::Damaged),
            _ => Self::parse_postscript(data),
        }
    }

    fn parse_postscript(data: &[u8]) -> Result<Self, ProgramError> {
        // Rubbish before the header occurs; other readers look for it too.
        let start = (0..data.len().min(64)).find(|&at| matches!(data[at..], [1, 0, 4..=32, 1..=4, ..]));
        if let Some(start) = start
            && let Some(facts) = CffFacts::parse(&data[start..], None)
        {
            return Ok(Self::Cff(start, facts));
        }
        match type1::start(data) {
            Some(at) => {
                let font = type1::open(&data[at..]).ok_or(ProgramError::Damaged)?;
                Ok(Self::Type1(Box::new(font)))
            }
            None if start.is_some() => Err(ProgramError::Damaged),
            None => Err(ProgramError::Unknown),
        }
    }

    fn parse_sfnt(data: &[u8]) -> Option<Self> {
        let directory = Directory::parse(data)?;
        let is_cff = directory.has(b"CFF ") && (data.starts_with(b"OTTO") || !directory.has(b"glyf"));
        let head = directory.table(data, b"head").map_or(&[][..], |(bytes, _)| bytes);
        let upem = directory::u16_at(head, 18).map(i32::from).filter(|upem| (16..=16384).contains(upem));
        let cff = if is_cff {
            directory.range(b"CFF ").and_then(|range| {
                let facts = CffFacts::parse(data.get(range.clone())?, upem)?;
                Some((range, facts))
            })
        } else {
            None
        };
        let header = sfnt::Header::parse(data, &directory, cff.as_ref().map(|(_, facts)| facts.n_glyphs));
        Some(Self::Sfnt { directory, header, cff, is_cff })
    }
}
