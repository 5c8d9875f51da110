//! What a score says. The words are the contract's: tables, JSON and messages use the same ones.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::evidence::{DocumentInfo, Finding, FontFacts};
use super::fonts::Case;
use super::trusted::PageText;

/// What to do with a page's text layer, in order of severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Route {
    /// The text layer is right, or there is nothing to read.
    Keep,
    /// Letters right; order, forms, marks, spaces or code page need a deterministic repair.
    Repair,
    /// Letters recoverable with evidence, without OCR.
    Decode,
    /// The given text is damaged by its extractor (only `check`).
    Reextract,
    /// Must be read from pixels.
    Ocr,
}

/// How strong the evidence for a reason is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// Structure alone shows it, and both reader stacks agree on the facts.
    Proven,
    /// Statistics with stated bounds.
    Measured,
    /// Likely, but not shown.
    Suspected,
}

/// Whether a reason rests on this page alone or on a font pooled over the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// This page alone.
    Page,
    /// A font over the whole document.
    Document,
}

/// Why a page has its route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the table of reasons in the README explains each once")]
pub enum ReasonCode {
    UndecodableFont,
    UnmappedGlyphs,
    LetterSubstitution,
    PartialSubstitution,
    ContradictedUnicode,
    NonInjectiveUnicode,
    IdentityUnicodeOnGlyphs,
    LegacyEncoding,
    GlyphCodeShift,
    KnownGlyphOrder,
    GlyphNames,
    Scanned,
    ScanWithOverlay,
    UntrustedOcrLayer,
    OutlinedText,
    PartialCoverage,
    PrivateUse,
    ReplacementCharacters,
    ControlCharacters,
    SymbolSoup,
    QuranGlyphCodes,
    VisualOrder,
    PresentationForms,
    BidiControls,
    UnmappedElongation,
    StandInSpace,
    CodePageMojibake,
    MixedReadingOrder,
    LamAlefTransposition,
    LostWordBoundaries,
    MergedWords,
    Blank,
    NotJudged,
    PageError,
}

/// One cause of a page's route.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// The cause.
    pub code: ReasonCode,
    /// How strong the evidence is.
    pub certainty: Certainty,
    /// Share of the page's visible glyphs (fonts) or area (images), 0.0..=1.0.
    pub share: f32,
    /// The font's name in reports: `4 0 R`, or `p1/F1` for a direct dictionary.
    pub font: Option<String>,
    /// What the evidence was pooled over.
    pub scope: Scope,
    /// At most 120 characters from fixed templates, without document text.
    pub detail: String,
}

/// How a document ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Every page has a verdict.
    Scored,
    /// A limit or a crash ended the attempt after some pages.
    Partial,
    /// A password or key is needed.
    Encrypted,
    /// No page tree is reachable in either reader.
    Malformed,
    /// Too large, or too many pages.
    OverLimit,
    /// The wall clock ran out before a page was measured.
    Timeout,
    /// The memory limit was hit before a page was measured.
    Memory,
    /// The child died for another cause.
    Crashed,
    /// The object is gone (404).
    Missing,
    /// The object could not be fetched.
    FetchFailed,
}

/// The class of a font: the one all its drawn codes share, else `mixed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FontClass {
    /// Through the standard's routes (ISO 32000-2, 9.10.2) or ActualText.
    ReadSpec,
    /// Through the font program's cmap, glyph names or ROS.
    ReadProgram,
    /// Known glyph order, outlines or a solved map; never called reading.
    Inferred,
    /// Proof that no route exists.
    Dead,
    /// A route exists, another independent witness denies it.
    Contradicted,
    /// Not parsed, or nothing can check it.
    Unknown,
    /// Drawn codes of several classes.
    Mixed,
}

/// One font of a document, with the evidence about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FontScore {
    /// What is read from the dictionary and the program.
    #[serde(flatten)]
    pub facts: FontFacts,
    /// Class of the drawn codes.
    pub font_class: FontClass,
    /// The case with most suspect drawn codes, else most drawn.
    pub font_case: Option<Case>,
    /// Drawn, visible glyphs by case of `spec/fonts`.
    pub cases: BTreeMap<Case, u32>,
    /// Drawn, visible glyphs.
    pub glyphs_drawn: u32,
    /// Of these, without any Unicode.
    pub glyphs_unmapped: u32,
    /// Of these, dead, contradicted or judged wrong.
    pub glyphs_suspect: u32,
}

/// One font on one page: a row of `page_fonts`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageFontScore {
    /// Index into [`DocumentScore::fonts`].
    pub font_index: u32,
    /// Class of the codes drawn on this page.
    pub font_class: FontClass,
    /// The case with most suspect codes drawn on this page, else most drawn.
    pub font_case: Option<Case>,
    /// Drawn, visible glyphs on this page.
    pub glyphs_drawn: u32,
    /// Of these, without any Unicode.
    pub glyphs_unmapped: u32,
    /// Of these, dead, contradicted or judged wrong.
    pub glyphs_suspect: u32,
}

/// The verdict on one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageScore {
    /// 1-based page number.
    pub page: u32,
    /// The worst route of the reasons over the threshold.
    pub route: Route,
    /// Whether there was enough evidence to judge.
    pub judged: bool,
    /// Share of the visible glyphs that some witness or model could judge, 0.0..=1.0.
    pub judged_share: f32,
    /// Drawn, visible glyphs.
    pub glyphs_drawn: u32,
    /// Of these, dead, contradicted or judged wrong.
    pub glyphs_suspect: u32,
    /// Share of the crop box under the largest drawn, clipped image, 0.0..=1.0.
    pub image_coverage: f32,
    /// ISO 15924 code of the most frequent script.
    pub script: Option<String>,
    /// ISO 639 code of the best language model.
    pub language: Option<String>,
    /// At most 8, worst first.
    pub reasons: Vec<Reason>,
    /// Reasons beyond those listed.
    pub n_more_reasons: u32,
    /// At most 16 boxes `[x0, y0, x1, y1]` in points of the crop box, origin lower left.
    pub regions: Vec<[f32; 4]>,
    /// Regions beyond those listed.
    pub n_more_regions: u32,
    /// One entry per font drawn on the page.
    pub fonts: Vec<PageFontScore>,
    /// The boxes a caller asked about ([`Settings::regions`](super::Settings)), in their order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub assessed: Vec<RegionScore>,
    /// The trusted text, where it was asked for ([`Settings::text`](super::Settings)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<PageText>,
}

/// The verdict on one box of a page that a caller asked about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RegionScore {
    /// The box as it was given: `[x0, y0, x1, y1]` in points of the crop box, origin lower left.
    pub region: [f32; 4],
    /// The worst route of the reasons over the threshold.
    pub route: Route,
    /// Whether there was enough evidence to judge.
    pub judged: bool,
    /// Share of the visible glyphs that some witness or model could judge, 0.0..=1.0.
    pub judged_share: f32,
    /// Glyphs drawn and visible inside.
    pub glyphs_drawn: u32,
    /// Of these, dead, contradicted or judged wrong.
    pub glyphs_suspect: u32,
    /// Share of the box under the largest drawn, clipped image, 0.0..=1.0.
    pub image_coverage: f32,
    /// At most 8, worst first; shares are of what is inside.
    pub reasons: Vec<Reason>,
    /// The trusted text inside, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<PageText>,
}

/// The verdict on one document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DocumentScore {
    /// How it ended.
    pub state: State,
    /// Why, at most 120 characters; `None` for a plain `scored`.
    pub state_reason: Option<String>,
    /// What the file says of itself.
    pub info: DocumentInfo,
    /// Fonts that draw, in order of first use.
    pub fonts: Vec<FontScore>,
    /// In page order.
    pub pages: Vec<PageScore>,
    /// What was found damaged or odd, without document text.
    pub findings: Vec<Finding>,
}
