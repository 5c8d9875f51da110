//! Type 1 programs (Adobe Type 1 Font Format): PFA, PFB and what PDF embeds, with `eexec`.

use std::borrow::Cow;

use read_fonts::ps::type1::Type1Font;

use super::Part;
use super::cff::Builtin;
use super::names::Names;

/// Where a Type 1 program begins in bytes that may have rubbish before it.
pub(super) fn start(data: &[u8]) -> Option<usize> {
    if data.starts_with(&[0x80, 0x01]) {
        return Some(0);
    }
    let head = &data[..data.len().min(1024)];
    head.windows(2).position(|pair| pair == b"%!")
}

/// Opens the program at [`start`].
pub(super) fn open(data: &[u8]) -> Option<Type1Font> {
    Type1Font::new(data).ok().or_else(|| {
        // The reader insists on one of two first lines; the rest of the program does not depend on it.
        let unusual = data.starts_with(b"%!") && !data.starts_with(b"%!PS-AdobeFont");
        let repaired = unusual.then(|| [b"%!PS-AdobeFont-1.0\n", data].concat())?;
        Type1Font::new(&repaired).ok()
    })
}

/// Names of the CharStrings, in their order.
pub(super) fn read_names(font: &Type1Font) -> Names {
    let names = (0..font.num_glyphs()).map(|gid| font.glyph_name(gid.into()).map(Cow::Borrowed));
    Names::from_glyphs(names, Part::Read)
}

/// The entry `/Encoding`.
pub(super) fn read_encoding(font: &Type1Font) -> Option<Builtin> {
    let encoding = font.encoding()?;
    Some(Builtin::collect(encoding.predefined(), |code| encoding.map(code)))
}
