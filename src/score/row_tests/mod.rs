//! One test for every row of the table "from a character code to Unicode": the fault, and its nearest healthy page.
//!
//! The number of the row stands in the test's name. Files are built by [`crate::sample`].

mod beyond;
mod composite;
mod composite_programs;
mod composite_unicode;
mod decode;
mod proof;
mod simple;
mod simple_programs;
mod type3;

use std::fmt::Write as _;

use super::fonts::Case;
use super::{
    Certainty, DocumentScore, FontClass, FontScore, Limits, Reason, ReasonCode, Route, score_document,
};
use crate::sample::{Font, PdfBuilder, prose};

/// About 400 letters of English: enough for letter statistics to have a say.
pub(super) fn english() -> String {
    prose::sentences(prose::ENGLISH).take(6).collect::<Vec<_>>().join(" ")
}

/// A score, asked in the words of the specification.
pub(super) struct Judged(pub(super) DocumentScore, Option<Texts>);

/// What was written into a file, and what its font reads of it.
struct Texts {
    written: String,
    read: String,
}

/// Scores one page of English in a font.
pub(super) fn english_in(font: impl Into<Font>) -> Judged {
    text_in(font, &english())
}

/// Scores one page of running text in a font.
pub(super) fn text_in(font: impl Into<Font>, text: &str) -> Judged {
    let font = font.into();
    let texts = Texts { written: text.to_owned(), read: decode::decode(&font, text) };
    let Judged(score, _) = judge(PdfBuilder::new().page(|page| page.font(font).paragraph(text)));
    Judged(score, Some(texts))
}

/// Scores one page of text without spaces, 25 characters a line.
pub(super) fn lines_in(font: impl Into<Font>, text: &str) -> Judged {
    let letters: Vec<char> = text.chars().collect();
    let font = font.into();
    let texts = Texts { written: text.to_owned(), read: decode::decode(&font, text) };
    let Judged(score, _) = judge(PdfBuilder::new().page(|page| {
        letters.chunks(25).fold(page.font(font), |page, line| page.show(&line.iter().collect::<String>()))
    }));
    Judged(score, Some(texts))
}

/// Scores a file.
pub(super) fn judge(file: PdfBuilder) -> Judged {
    Judged::of(score_document(&file.build(), &Limits::default()))
}

/// Text without white space, case and the typography of hyphens and apostrophes.
fn folded(text: &str) -> String {
    let letters = text.chars().filter(|letter| !letter.is_whitespace()).flat_map(char::to_lowercase);
    letters
        .map(|letter| match letter {
            '\u{2010}' => '-',
            '\u{2019}' => '\'',
            other => other,
        })
        .collect()
}

impl Judged {
    /// A score by itself.
    pub(super) fn of(score: DocumentScore) -> Self {
        Self(score, None)
    }

    /// Route of the first page.
    pub(super) fn route(&self) -> Route {
        self.0.pages[0].route
    }

    /// Reasons of the first page.
    pub(super) fn reasons(&self) -> &[Reason] {
        &self.0.pages[0].reasons
    }

    pub(super) fn reason(&self, code: ReasonCode) -> Option<&Reason> {
        self.reasons().iter().find(|reason| reason.code == code)
    }

    /// The font that draws most.
    pub(super) fn font(&self) -> &FontScore {
        self.0.fonts.iter().max_by_key(|font| font.glyphs_drawn).unwrap_or_else(|| panic!("no font\n{self}"))
    }

    /// How many glyphs of the most used font fall under a case.
    pub(super) fn glyphs(&self, case: Case) -> u32 {
        self.font().cases.get(&case).copied().unwrap_or(0)
    }

    /// The first page is kept, the font is of one of these classes and cases, and reads what was written.
    #[track_caller]
    pub(super) fn is_kept(&self, classes: &[FontClass], cases: &[Case]) -> &Self {
        assert_eq!(self.route(), Route::Keep, "{self}");
        if let Some(Texts { written, read }) = &self.1 {
            assert_eq!(folded(read), folded(written), "{self}");
        }
        self.is(classes, cases)
    }

    /// The most used font is of one of these classes and cases.
    #[track_caller]
    pub(super) fn is(&self, classes: &[FontClass], cases: &[Case]) -> &Self {
        let font = self.font();
        assert!(classes.contains(&font.font_class), "expected one of {classes:?}\n{self}");
        assert!(
            font.font_case.is_some_and(|case| cases.contains(&case)),
            "expected one of {cases:?}\n{self}"
        );
        self
    }

    /// The first page takes one of these routes, for one of these reasons.
    #[track_caller]
    pub(super) fn goes_to(&self, routes: &[Route], reasons: &[ReasonCode]) -> &Self {
        assert!(routes.contains(&self.route()), "expected one of {routes:?}\n{self}");
        assert!(
            self.reasons().iter().any(|reason| reasons.contains(&reason.code)),
            "expected one of {reasons:?}\n{self}"
        );
        self
    }

    /// The font is dead, and the page goes to OCR or is decoded with evidence.
    #[track_caller]
    pub(super) fn is_dead(&self, cases: &[Case]) -> &Self {
        self.goes_to(
            &[Route::Ocr, Route::Decode],
            &[ReasonCode::UndecodableFont, ReasonCode::UnmappedGlyphs, ReasonCode::KnownGlyphOrder],
        )
        .is(&[FontClass::Dead, FontClass::Inferred], cases)
    }

    /// Nobody vouches for the text: the page is routed away, or said not to be judged.
    #[track_caller]
    pub(super) fn is_not_trusted(&self) -> &Self {
        let page = &self.0.pages[0];
        assert!(page.route > Route::Repair || !page.judged, "trusted\n{self}");
        self
    }

    /// The page is neither routed away nor said to be dead; whether it is judged is left open.
    #[track_caller]
    pub(super) fn is_not_condemned(&self) -> &Self {
        assert!(self.route() <= Route::Decode, "condemned\n{self}");
        assert_ne!(self.font().font_class, FontClass::Dead, "{self}");
        self
    }
}

impl std::fmt::Display for Judged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = format!("{:?} {:?}\n", self.0.state, self.0.state_reason);
        for page in &self.0.pages {
            let _ = writeln!(
                out,
                "page {}: {:?}, judged {} ({}), {} of {} glyphs suspect, image {}",
                page.page,
                page.route,
                page.judged,
                page.judged_share,
                page.glyphs_suspect,
                page.glyphs_drawn,
                page.image_coverage
            );
            for reason in &page.reasons {
                let _ = writeln!(
                    out,
                    "  {:?} {:?} {:.3} {:?}: {}",
                    reason.code, reason.certainty, reason.share, reason.font, reason.detail
                );
            }
        }
        for font in &self.0.fonts {
            let _ = writeln!(
                out,
                "font {} {:?}: {:?} {:?} {:?}, ToUnicode {:?}, program {:?}",
                font.facts.font,
                font.facts.base_font,
                font.font_class,
                font.font_case,
                font.cases,
                font.facts.to_unicode,
                font.facts.program
            );
        }
        let _ = writeln!(out, "{:?}", self.0.findings);
        f.write_str(&out)
    }
}
