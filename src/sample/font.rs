//! A font as pages use it: one handle, whatever its kind.

use std::sync::Arc;

use super::objects::Objects;
use super::simple::Simple;
use super::type0::Type0;
use super::type3::Type3;

/// A font of a PDF. Cloned handles are the same object in the file.
#[derive(Debug, Clone)]
pub struct Font {
    kind: Arc<Kind>,
    direct: bool,
}

#[derive(Debug)]
enum Kind {
    Type0(Type0),
    Simple(Simple),
    Type3(Type3),
    /// A dictionary as it stands, shown strings being bytes.
    Raw(String),
}

impl Font {
    /// A font dictionary as it stands (`<< /Type /Font … >>`); `show` writes bytes.
    pub fn raw(dictionary: &str) -> Self {
        Self { kind: Arc::new(Kind::Raw(dictionary.into())), direct: false }
    }

    /// The dictionary stands in the resources, not in an object of its own.
    pub fn direct(mut self) -> Self {
        self.direct = true;
        self
    }

    /// The string that shows `text`.
    ///
    /// # Panics
    /// If the font has no code for a character: a sample that silently lost letters would show nothing.
    pub fn encode(&self, text: &str) -> Vec<u8> {
        text.chars()
            .flat_map(|letter| {
                let code = match &*self.kind {
                    Kind::Type0(font) => font.code(letter),
                    Kind::Simple(font) => font.code(letter).map(|code| vec![code]),
                    Kind::Type3(font) => font.code(letter).map(|code| vec![code]),
                    Kind::Raw(_) => u8::try_from(letter as u32).ok().map(|code| vec![code]),
                };
                code.unwrap_or_else(|| panic!("the font has no code for `{letter}`"))
            })
            .collect()
    }

    /// Advance of a text in 1/1000 of the font size.
    pub fn advance(&self, text: &str) -> f32 {
        let advance = |letter| match &*self.kind {
            Kind::Type0(font) => font.advance(letter),
            Kind::Simple(font) => font.advance(letter),
            Kind::Type3(font) => font.advance(letter),
            Kind::Raw(_) => 500,
        };
        text.chars().map(|letter| f32::from(advance(letter))).sum()
    }

    /// Whether both are one object.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.kind, &other.kind) && self.direct == other.direct
    }

    pub(super) fn is_direct(&self) -> bool {
        self.direct
    }

    /// Writes what the font needs and returns its dictionary.
    pub(super) fn write(&self, objects: &mut Objects) -> String {
        match &*self.kind {
            Kind::Type0(font) => font.write(objects),
            Kind::Simple(font) => font.write(objects),
            Kind::Type3(font) => font.write(objects),
            Kind::Raw(dictionary) => dictionary.clone(),
        }
    }
}

impl From<Type0> for Font {
    fn from(font: Type0) -> Self {
        Self { kind: Arc::new(Kind::Type0(font)), direct: false }
    }
}

impl From<Simple> for Font {
    fn from(font: Simple) -> Self {
        Self { kind: Arc::new(Kind::Simple(font)), direct: false }
    }
}

impl From<Type3> for Font {
    fn from(font: Type3) -> Self {
        Self { kind: Arc::new(Kind::Type3(font)), direct: false }
    }
}

impl From<&Font> for Font {
    fn from(font: &Font) -> Self {
        font.clone()
    }
}

/// Writes a FontDescriptor; `program` is its key and reference, if one is embedded.
pub(super) fn descriptor(
    objects: &mut Objects,
    base_font: &str,
    flags: u32,
    program: Option<String>,
) -> String {
    let program = program.unwrap_or_default();
    objects
        .add(format!(
            "<< /Type /FontDescriptor /FontName {} /Flags {flags} /FontBBox [0 -200 1000 900] /ItalicAngle 0 \
             /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 {program} >>",
            super::objects::name(base_font)
        ))
        .to_string()
}
