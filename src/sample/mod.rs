//! PDFs and fonts built in code, for tests and `pagesieve sample`.
//!
//! Takes: a description, by builders. Gives: bytes of PDF files and font programs, right where nothing else is asked for
//! and wrong in exactly the way that is. Fails: panics where a sample would not show what it is made to show (a
//! character the font lacks). Never: reads files, or writes any but in [`write()`]; calls the readers it is to test, but for
//! lopdf to encrypt.
//!
//! ```
//! use pagesieve::sample::{PdfBuilder, Sfnt, Type0};
//!
//! let font = Type0::identity_h(Sfnt::latin().without(&["cmap", "post"]));
//! let file = PdfBuilder::new().page(|page| page.font(font).show("COURT")).build();
//! assert!(file.starts_with(b"%PDF-1.7"));
//! ```

mod builder;
mod catalogue;
mod cff;
mod damage;
mod encrypt;
mod font;
mod glyphs;
mod letters;
mod mutate;
mod objects;
mod page;
mod program;
pub mod prose;
mod sfnt;
mod simple;
mod to_unicode;
mod type0;
mod type1;
mod type3;

#[cfg(test)]
mod tests;

pub use builder::PdfBuilder;
pub use catalogue::{Sample, files, write};
pub use cff::{Cff, CffEncoding};
pub use damage::{Damage, bomb_flate, nested_arrays, repeated_deflated, tiny_operators, zeros_deflated};
pub use encrypt::{Cipher, Encryption};
pub use font::Font;
pub use glyphs::{Glyph, Outline, Point, distinct, glyph_name, glyphs_for, latin_letters};
pub use mutate::mutate;
pub use objects::{Filter, Objects, Ref, StreamSpec};
pub use page::{Annotation, Image, PageBuilder};
pub use program::Program;
pub use sfnt::{Cmap, Post, Sfnt};
pub use simple::Simple;
pub use to_unicode::ToUnicode;
pub use type0::{CidToGid, Type0};
pub use type1::Type1Font;
pub use type3::{CharProc, Type3, Type3Glyph};
