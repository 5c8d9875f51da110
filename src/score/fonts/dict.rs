//! Entries of font dictionaries, read with the tolerance other readers have.

use hayro_syntax::xref::XRef;

use crate::score::pdf::{
    Array, Decoded, Dict, MaybeRef, Name, Object, ObjectIdentifier, Rect, Stream, decode_stream,
};

/// Longest name kept from a font dictionary, in characters.
const MAX_NAME_CHARS: usize = 200;

/// The entries of a font dictionary and what they lead to.
pub(super) struct Source<'a> {
    pub(super) dict: Dict<'a>,
    /// Decoded bytes of one stream.
    pub(super) cap_bytes: usize,
    /// Kept by the font for streams read later.
    pub(super) objects: &'a XRef,
}

/// A stream of the document that is read when it is asked for. Holds the document's objects alive.
#[derive(Clone)]
pub(super) struct LateStream {
    objects: XRef,
    id: ObjectIdentifier,
    cap_bytes: usize,
}

impl std::fmt::Debug for LateStream {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "stream {} {} R", self.id.obj_number, self.id.gen_number)
    }
}

impl LateStream {
    /// The stream under a key; `None` where it is no reference.
    pub(super) fn read(dict: &Dict<'_>, key: &str, objects: &XRef, cap_bytes: usize) -> Option<Self> {
        let id = dict.get_ref(key)?.into();
        Some(Self { objects: objects.clone(), id, cap_bytes })
    }

    /// The stream of an object.
    pub(super) fn of(id: ObjectIdentifier, objects: &XRef, cap_bytes: usize) -> Self {
        Self { objects: objects.clone(), id, cap_bytes }
    }

    /// Runs `use_it` on the stream; `None` where the object is no stream.
    pub(super) fn with<T>(&self, use_it: impl FnOnce(&Stream<'_>) -> T) -> Option<T> {
        let stream = self.objects.get::<Stream<'_>>(self.id)?;
        Some(use_it(&stream))
    }

    /// Decoded bytes, and how it ended.
    pub(super) fn decode(&self) -> Option<(Vec<u8>, Decoded)> {
        self.with(|stream| {
            let mut out = Vec::new();
            let end = decode_stream(stream, self.cap_bytes, &mut out);
            (out, end)
        })
    }

    /// The cap it is decoded under.
    pub(super) fn cap_bytes(&self) -> usize {
        self.cap_bytes
    }
}

/// A name as text: cut at 200 characters, control characters removed.
pub(super) fn clean_name(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.chars().filter(|c| !c.is_control()).take(MAX_NAME_CHARS).collect::<String>().trim().to_owned()
}

/// A glyph name, told apart from all others: what is not UTF-8 is taken byte by byte, and nothing is removed.
pub(super) fn glyph_name(bytes: &[u8]) -> Box<str> {
    let bytes = &bytes[..bytes.len().min(MAX_NAME_CHARS)];
    match std::str::from_utf8(bytes) {
        Ok(name) => name.into(),
        Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into(),
    }
}

/// A name (or, from careless writers, a string) under a key.
pub(super) fn name(dict: &Dict<'_>, key: &str) -> Option<String> {
    let text = match dict.get::<Object<'_>>(key)? {
        Object::Name(name) => clean_name(&name),
        Object::String(text) => clean_name(&text),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// A finite number under a key.
pub(super) fn number(dict: &Dict<'_>, key: &str) -> Option<f32> {
    dict.get::<f32>(key).filter(|number| number.is_finite())
}

/// A dictionary under a key; of a stream its dictionary.
pub(super) fn dict<'a>(parent: &Dict<'a>, key: &str) -> Option<Dict<'a>> {
    match parent.get::<Object<'a>>(key)? {
        Object::Dict(dict) => Some(dict),
        Object::Stream(stream) => Some(stream.dict().clone()),
        _ => None,
    }
}

/// The first dictionary of an array, or the dictionary that stands in its place.
pub(super) fn first_dict<'a>(parent: &Dict<'a>, key: &str) -> Option<Dict<'a>> {
    match parent.get::<Object<'a>>(key)? {
        Object::Array(array) => array.iter::<Object<'a>>().find_map(|object| match object {
            Object::Dict(dict) => Some(dict),
            _ => None,
        }),
        Object::Dict(dict) => Some(dict),
        _ => None,
    }
}

/// What a font descriptor says (ISO 32000-2, 9.8).
#[derive(Debug, Clone, Default)]
pub(super) struct Descriptor {
    pub(super) font_name: Option<String>,
    pub(super) flags: Option<u32>,
    pub(super) missing_width: f32,
    ascent: Option<f32>,
    descent: Option<f32>,
    bbox: Option<[f32; 4]>,
    pub(super) program: Option<Embedded>,
}

/// An embedded program, unread.
#[derive(Debug, Clone)]
pub(super) struct Embedded {
    pub(super) stream: LateStream,
    /// The key it hangs on.
    pub(super) key: ProgramKey,
}

/// Under which key a program is embedded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProgramKey {
    /// `/FontFile`: Type 1.
    Type1,
    /// `/FontFile2`: TrueType.
    TrueType,
    /// `/FontFile3` with Subtype OpenType.
    OpenType,
    /// `/FontFile3`: bare CFF.
    Cff,
}

impl Descriptor {
    /// Reads the descriptor of a font dictionary; an empty one where there is none.
    pub(super) fn read(font: &Dict<'_>, source: &Source<'_>) -> Self {
        let Some(dict) = dict(font, "FontDescriptor") else { return Self::default() };
        let keys = [
            ("FontFile2", ProgramKey::TrueType),
            ("FontFile3", ProgramKey::Cff),
            ("FontFile", ProgramKey::Type1),
        ];
        let program = keys.into_iter().find_map(|(key, kind)| {
            let stream = LateStream::read(&dict, key, source.objects, source.cap_bytes)?;
            let subtype = stream.with(|stream| name(stream.dict(), "Subtype"))?; // no stream: not embedded
            let is_opentype = kind == ProgramKey::Cff && subtype.as_deref() == Some("OpenType");
            Some(Embedded { stream, key: if is_opentype { ProgramKey::OpenType } else { kind } })
        });
        Self {
            font_name: name(&dict, "FontName"),
            flags: dict.get::<i32>("Flags").map(|flags| flags as u32),
            missing_width: number(&dict, "MissingWidth").unwrap_or(0.0),
            ascent: number(&dict, "Ascent"),
            descent: number(&dict, "Descent"),
            bbox: rect(&dict, "FontBBox"),
            program,
        }
    }

    /// Whether the font is flagged symbolic and not also nonsymbolic; `None` where there are no flags.
    pub(super) fn is_symbolic(&self) -> Option<bool> {
        let flags = self.flags?;
        match (flags & 4 != 0, flags & 32 != 0) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// Ascent and descent in em, where plausible.
    pub(super) fn vertical_extent(&self) -> Option<(f32, f32)> {
        let plausible = |(ascent, descent): (f32, f32)| {
            let (ascent, descent) = (ascent / 1000.0, descent / 1000.0);
            // Some writers store the descent without its sign.
            let descent = if descent > 0.0 { -descent } else { descent };
            ((0.2..=2.0).contains(&ascent) && descent >= -1.5).then_some((ascent, descent))
        };
        let stated = || plausible((self.ascent?, self.descent?));
        let boxed = || self.bbox.and_then(|bbox| plausible((bbox[3], bbox[1].min(0.0))));
        stated().or_else(boxed)
    }
}

/// A rectangle of four finite numbers.
pub(super) fn rect(dict: &Dict<'_>, key: &str) -> Option<[f32; 4]> {
    let rect = dict.get::<Rect>(key)?;
    let rect = [rect.x0 as f32, rect.y0 as f32, rect.x1 as f32, rect.y1 as f32];
    rect.iter().all(|n| n.is_finite()).then_some(rect)
}

/// Numbers of an array, in order; what is no number counts as 0.
pub(super) fn numbers(array: &Array<'_>, cap: usize) -> Vec<f32> {
    array
        .iter::<Object<'_>>()
        .take(cap)
        .map(|object| object.into_f32().filter(|number| number.is_finite()).unwrap_or(0.0))
        .collect()
}

/// Whether a value is the reference of a stream.
pub(super) fn reference(dict: &Dict<'_>, key: &Name<'_>) -> Option<ObjectIdentifier> {
    match dict.get_raw::<Object<'_>>(key)? {
        MaybeRef::Ref(reference) => Some(reference.into()),
        MaybeRef::NotRef(_) => None,
    }
}
