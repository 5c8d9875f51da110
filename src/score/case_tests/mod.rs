//! Faults people reported against extractors and quality gates, each rebuilt in code with its healthy twin.
//!
//! The number in a test's name is that of the case in the specification "public faults to beat".

mod fonts;
mod hostile;
mod letters;
mod pages;
mod samples;
mod strange;
mod unicode;

use super::fonts::Case;
use super::row_tests::{Judged, english, english_in, judge, lines_in, text_in};
use super::{Certainty, FontClass, ReasonCode, Route};
use super::{Limits, Provenance, TextWish, trusted_text};
use crate::sample::{Font, Image, PageBuilder, PdfBuilder, Sfnt, Simple, ToUnicode, Type0, distinct, prose};

const WHOLE: [f32; 4] = [0.0, 0.0, 612.0, 792.0];

fn helvetica() -> Font {
    Simple::standard14("Helvetica").into()
}

/// A composite font without any route to letters; its widths say nothing.
fn severed(letters: &str) -> Type0 {
    Type0::identity_h(Sfnt::for_text(letters).monospaced(600).without(&["cmap", "post"]))
}

/// A composite font whose only route is this ToUnicode map; widths are those of its letters.
fn only_by(to_unicode: ToUnicode, letters: &str) -> Type0 {
    Type0::identity_h(Sfnt::for_text(letters).without(&["cmap", "post"])).to_unicode(to_unicode)
}

/// A line of text, and healthy prose below it.
fn line_over_prose(font: impl Into<Font>, line: &str) -> Judged {
    judge(
        PdfBuilder::new().page(|page| {
            page.font(font).show(line).font(helvetica()).at(72.0, 600.0).paragraph(prose::ENGLISH)
        }),
    )
}

fn routes(judged: &Judged) -> Vec<Route> {
    judged.0.pages.iter().map(|page| page.route).collect()
}
