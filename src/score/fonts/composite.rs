//! Composite fonts: code → CID → glyph (ISO 32000-2, 9.7).

use std::sync::OnceLock;

use super::cmap::{CMap, Codespace, Collection, Predefined};
use super::dict::{self, LateStream, Source};
use super::program::Program;
use super::widths::CidWidths;
use super::{CharCode, Cid, Gid};
use crate::score::evidence::ProgramKind;
use crate::score::pdf::{Decoded, Dict, Object, Stream, decode_stream};

/// Embedded CMaps that may use one another in a row.
const MAX_USE_CMAP: u32 = 8;

/// The CMap that cuts strings and gives CIDs.
#[derive(Debug, Clone)]
pub(super) enum CodeMap {
    Predefined(Predefined),
    Embedded(Box<EmbeddedMap>),
}

/// A CMap stream and what it builds on.
#[derive(Debug, Clone)]
pub(super) struct EmbeddedMap {
    map: CMap,
    base: Option<CodeMap>,
    codespace: Codespace,
    vertical: bool,
}

impl CodeMap {
    /// The CMap of `/Encoding`, and whether it was sound. Identity-H where there is none.
    fn read(font: &Dict<'_>, key: &str, cap_bytes: usize, depth: u32) -> (Option<Self>, bool) {
        match font.get::<Object<'_>>(key) {
            Some(Object::Name(name)) => {
                let map = Predefined::named(&dict::clean_name(&name));
                let sound = map.is_some();
                (map.map(Self::Predefined), sound)
            }
            Some(Object::Stream(stream)) if depth < MAX_USE_CMAP => {
                Self::read_stream(&stream, cap_bytes, depth)
            }
            None | Some(Object::Null(_)) if depth > 0 => (None, true),
            _ => (None, false),
        }
    }

    fn read_stream(stream: &Stream<'_>, cap_bytes: usize, depth: u32) -> (Option<Self>, bool) {
        let mut data = Vec::new();
        let end = decode_stream(stream, cap_bytes, &mut data);
        let map = CMap::parse(&data);
        let (mut base, _) = Self::read(stream.dict(), "UseCMap", cap_bytes, depth + 1);
        if base.is_none() {
            base = map.use_cmap.as_deref().and_then(Predefined::named).map(Self::Predefined);
        }
        // A predefined CMap written out keeps its name; one that lost its mappings means it all the same.
        if base.is_none() && !map.has_cids() {
            let stated = dict::name(stream.dict(), "CMapName");
            let name = map.name.as_deref().or(stated.as_deref());
            base = name.and_then(Predefined::named).map(Self::Predefined);
        }
        let codespace = match &base {
            Some(base) if map.codespace.is_empty() => base.codespace().clone(),
            _ => Codespace::of(&map.codespace),
        };
        let stated = stream.dict().get::<i32>("WMode").map(|mode| mode == 1);
        let inherited = base.as_ref().is_some_and(Self::is_vertical);
        let vertical = stated.or(map.vertical).unwrap_or(inherited);
        let sound = end == Decoded::Complete && (map.has_cids() || base.is_some());
        (Some(Self::Embedded(Box::new(EmbeddedMap { map, base, codespace, vertical }))), sound)
    }

    pub(super) fn codespace(&self) -> &Codespace {
        match self {
            Self::Predefined(map) => &map.codespace,
            Self::Embedded(map) => &map.codespace,
        }
    }

    pub(super) fn is_vertical(&self) -> bool {
        match self {
            Self::Predefined(map) => map.vertical,
            Self::Embedded(map) => map.vertical,
        }
    }

    /// The CID of a code.
    fn cid(&self, code: CharCode, n_bytes: u8) -> Option<u32> {
        match self {
            Self::Predefined(map) => map.cid(code.0, n_bytes),
            Self::Embedded(map) => {
                let own = map.map.cid(code.0, n_bytes);
                own.or_else(|| map.base.as_ref()?.cid(code, n_bytes))
            }
        }
    }

    /// The text of a code by a predefined CMap (S3), where one is used and the stream does not replace it.
    pub(super) fn unicode(&self, code: CharCode, n_bytes: u8) -> Option<String> {
        match self {
            Self::Predefined(map) => map.unicode(code.0, n_bytes),
            Self::Embedded(map) => match (map.map.cid(code.0, n_bytes), map.base.as_ref()?) {
                (None, base) => base.unicode(code, n_bytes),
                (Some(cid), base) => base.collection()?.unicode_of_cid(cid),
            },
        }
    }

    /// The collection that the CIDs belong to by the CMap.
    fn collection(&self) -> Option<Collection> {
        match self {
            Self::Predefined(map) => map.collection(),
            Self::Embedded(map) => map.base.as_ref()?.collection(),
        }
    }

    /// Whether a predefined CMap gives text by itself, and whether its codes are Unicode.
    pub(super) fn predefined(&self) -> Option<&Predefined> {
        match self {
            Self::Predefined(map) => Some(map),
            Self::Embedded(_) => None,
        }
    }
}

/// How CIDs become glyphs of a TrueType program.
#[derive(Debug)]
enum CidToGid {
    Identity,
    Stream { stream: LateStream, bytes: OnceLock<Box<[u8]>> },
}

/// A Type 0 font with its descendant.
#[derive(Debug)]
pub(super) struct Composite {
    pub(super) code_map: CodeMap,
    /// Whether `/Encoding` was readable.
    pub(super) sound: bool,
    /// `/Ordering` of the descendant.
    pub(super) ordering: Option<String>,
    /// The collection of the ordering.
    pub(super) collection: Option<Collection>,
    cid_to_gid: CidToGid,
    pub(super) widths: CidWidths,
}

impl Composite {
    /// Reads a Type 0 font; `descendant` is its CIDFont (the font itself where that is all there is).
    pub(super) fn read(font: &Dict<'_>, descendant: &Dict<'_>, source: &Source<'_>) -> Self {
        let (map, sound) = CodeMap::read(font, "Encoding", source.cap_bytes, 0);
        let code_map = map
            .or_else(|| Predefined::named("Identity-H").map(CodeMap::Predefined))
            .expect("Identity-H is predefined");
        let info = dict::dict(descendant, "CIDSystemInfo");
        let ordering = info.and_then(|info| dict::name(&info, "Ordering"));
        let collection = ordering.as_deref().and_then(Collection::from_ordering);
        let stream = LateStream::read(descendant, "CIDToGIDMap", source.objects, source.cap_bytes)
            .filter(|stream| stream.with(|_| ()).is_some());
        let cid_to_gid = match stream {
            Some(stream) => CidToGid::Stream { stream, bytes: OnceLock::new() },
            None => CidToGid::Identity,
        };
        Self { code_map, sound, ordering, collection, cid_to_gid, widths: CidWidths::read(descendant) }
    }

    /// The CID of a code; codes outside the CMap draw CID 0.
    pub(super) fn cid(&self, code: CharCode, n_bytes: u8) -> Option<Cid> {
        self.code_map.cid(code, n_bytes).and_then(|cid| u16::try_from(cid).ok()).map(Cid)
    }

    /// The collection of the CIDs: the descendant's, else the CMap's.
    pub(super) fn cid_collection(&self) -> Option<Collection> {
        self.collection.or_else(|| self.code_map.collection())
    }

    /// Whether a CIDToGIDMap stream stands between CID and glyph.
    pub(super) fn has_gid_stream(&self) -> bool {
        matches!(self.cid_to_gid, CidToGid::Stream { .. })
    }

    /// The glyph of a CID in the embedded program.
    pub(super) fn gid(&self, cid: Cid, program: &Program) -> Option<Gid> {
        match &self.cid_to_gid {
            CidToGid::Stream { stream, bytes } => {
                let bytes =
                    bytes.get_or_init(|| stream.decode().map(|(data, _)| data.into()).unwrap_or_default());
                let at = usize::from(cid.0) * 2;
                let pair = bytes.get(at..at + 2)?;
                Some(Gid(u16::from_be_bytes([pair[0], pair[1]])))
            }
            CidToGid::Identity if program.kind() == ProgramKind::TrueType => Some(Gid(cid.0)),
            CidToGid::Identity => program.gid_of_cid(cid),
        }
    }
}
