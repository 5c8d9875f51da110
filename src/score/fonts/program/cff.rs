//! CFF programs (Adobe Technical Note 5176): bare, or as the table `CFF ` of an sfnt.

use read_fonts::ps::cff::{CffFontRef, charset::CharsetKind, dict};
use read_fonts::ps::{PredefinedEncoding, Sid};
use read_fonts::types::GlyphId;
use read_fonts::{FontData, FontRead, tables::cff};

use super::Part;
use super::codes::Codes;
use super::names::{Names, latin1};
use crate::score::fonts::Gid;

/// Registry, ordering and supplement of a CID-keyed program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ros {
    pub(super) registry: String,
    pub(super) ordering: String,
    pub(super) supplement: i32,
}

/// What the top dictionary says; charset and encoding are read on demand.
#[derive(Debug)]
pub(super) struct CffFacts {
    pub(super) n_glyphs: u32,
    pub(super) units_per_em: u32,
    pub(super) ros: Option<Ros>,
}

impl CffFacts {
    /// Reads the first font of a font set. `upem` is that of `head`, inside an sfnt.
    pub(super) fn parse(data: &[u8], upem: Option<i32>) -> Option<Self> {
        let font = CffFontRef::new_cff(data, 0, upem).ok()?;
        Some(Self {
            n_glyphs: font.num_glyphs().min(0xFFFF),
            units_per_em: u32::try_from(font.upem()).ok().filter(|&upem| upem > 0).unwrap_or(1000),
            ros: read_ros(data),
        })
    }
}

fn read_ros(data: &[u8]) -> Option<Ros> {
    let table = cff::Cff::read(FontData::new(data)).ok()?;
    let top = table.top_dicts().get(0)?;
    let string = |sid: Sid| match sid.resolve_standard() {
        Ok(bytes) => latin1(bytes).into_owned(),
        Err(index) => table.strings().get(index).map(|bytes| latin1(bytes).into_owned()).unwrap_or_default(),
    };
    dict::entries(top, None).filter_map(Result::ok).find_map(|entry| match entry {
        dict::Entry::Ros { registry, ordering, supplement } => Some(Ros {
            registry: string(registry),
            ordering: string(ordering),
            supplement: supplement.to_i32(),
        }),
        _ => None,
    })
}

/// Names of a name-keyed program: its charset, through the string index.
pub(super) fn read_names(font: &CffFontRef<'_>) -> Names {
    let Some(charset) = font.charset() else { return Names::none(Part::Damaged) };
    let mut sids: Vec<Option<Sid>> = vec![None; font.num_glyphs().min(0xFFFF) as usize];
    for (gid, sid) in charset.iter() {
        if let Some(slot) = sids.get_mut(gid.to_u32() as usize) {
            *slot = Some(sid);
        }
    }
    let part = if sids.iter().all(Option::is_some) { Part::Read } else { Part::Damaged };
    Names::from_glyphs(sids.into_iter().map(|sid| font.string(sid?).map(latin1)), part)
}

/// CIDs of a CID-keyed program; `None` when the charset is a predefined one, which means CID = GID there.
pub(super) fn read_cids(font: &CffFontRef<'_>) -> Option<Codes<u16>> {
    let charset = font.charset()?;
    if !matches!(charset.kind(), CharsetKind::Custom(_)) {
        return None;
    }
    let n_glyphs = font.num_glyphs();
    let pairs = charset
        .iter()
        .filter(|(gid, _)| gid.to_u32() < n_glyphs)
        .filter_map(|(gid, cid)| Some((cid.to_u16(), 0, u16::try_from(gid.to_u32()).ok()?)));
    Some(Codes::new(pairs.collect(), |_| 0))
}

/// A built-in encoding: a glyph per code, and which of the predefined ones it is.
pub(super) struct Builtin {
    pub(super) gids: Box<[Option<Gid>; 256]>,
    pub(super) predefined: Option<PredefinedEncoding>,
}

impl Builtin {
    pub(super) fn collect(
        predefined: Option<PredefinedEncoding>,
        map: impl Fn(u8) -> Option<GlyphId>,
    ) -> Self {
        let mut gids = Box::new([None; 256]);
        for code in 0..=255_u8 {
            gids[usize::from(code)] = map(code).and_then(to_gid);
        }
        Self { gids, predefined }
    }
}

/// The encoding of a name-keyed program.
pub(super) fn read_encoding(font: &CffFontRef<'_>) -> Option<Builtin> {
    let encoding = font.encoding()?;
    Some(Builtin::collect(encoding.predefined(), |code| encoding.map(code)))
}

/// A glyph other than `.notdef`.
pub(super) fn to_gid(gid: GlyphId) -> Option<Gid> {
    u16::try_from(gid.to_u32()).ok().filter(|&gid| gid != 0).map(Gid)
}
