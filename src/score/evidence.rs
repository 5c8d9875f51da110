//! What was measured, before anything is decided.
//!
//! These types cross the pipe between child and parent, so that a verdict can still be made from
//! the pages that arrived before a kill. They carry no document text but names of fonts and tools.

use serde::{Deserialize, Serialize};

use super::fonts::{Case, CodeClass};
use super::result::DocumentScore;

/// What a file says of itself. Strings are at most 512 characters, control characters removed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocumentInfo {
    /// Pages of the page tree, a page listed twice counted twice (as qpdf numbers them).
    pub n_pages: u32,
    /// `/Producer`, as text.
    pub producer: Option<String>,
    /// `/Creator`, as text.
    pub creator: Option<String>,
    /// `1.7`, from header or catalog.
    pub pdf_version: Option<String>,
    /// Whether the file was encrypted (and readable with an empty user password).
    pub encrypted: bool,
    /// Whether the second reader had to supply the objects.
    pub second_reader: bool,
}

/// A kind of damage or oddity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names say it; the README lists them")]
pub enum FindingCode {
    ReadBySecondReader,
    FewerPagesThanCount,
    PageTreeDamaged,
    StreamTruncated,
    StreamDamaged,
    StreamOverLimit,
    FilterUnsupported,
    ContentUndecodable,
    ContentSyntax,
    OperatorBudget,
    GlyphBudget,
    FormDepth,
    FormLoop,
    FontMissing,
    FontDamaged,
    FontProgramDamaged,
    CMapDamaged,
    ReadersDisagree,
    SecondReaderFailed,
    PagePanic,
    FontPanic,
    TooManyFonts,
}

/// One damage or oddity, counted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Finding {
    /// 1-based page, where it belongs to one.
    pub page: Option<u32>,
    /// What.
    pub code: FindingCode,
    /// At most 120 characters, from fixed templates.
    pub detail: String,
}

/// The ToUnicode map of a font, judged by its content alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToUnicodeKind {
    /// No `/ToUnicode`.
    #[default]
    Absent,
    /// Covers every drawn code with a plausible target.
    Usable,
    /// Lacks some drawn codes.
    Partial,
    /// No mapping at all.
    Empty,
    /// One range 0000–FFFF onto itself, or the name Identity-H.
    Identity,
    /// Cannot be parsed or decoded.
    Damaged,
}

/// The kind of the embedded font program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProgramKind {
    /// `glyf` outlines in an sfnt wrapper.
    #[serde(rename = "truetype")]
    TrueType,
    /// `CFF ` table in an sfnt wrapper.
    OpentypeCff,
    /// Bare CFF.
    Cff,
    /// Type 1 (FontFile).
    Type1,
    /// Glyph procedures of a Type 3 font.
    Type3,
    /// Not embedded.
    #[default]
    None,
}

/// What is read from a font dictionary and its program, before any verdict.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FontFacts {
    /// `4 0 R`, or `p1/F1` for a direct dictionary.
    pub font: String,
    /// `/BaseFont` (of Type3: `/Name`), subset tag included; at most 200 characters.
    pub base_font: Option<String>,
    /// `AAAAAA`, where `base_font` has one.
    pub subset_tag: Option<String>,
    /// `base_font` without the subset tag.
    pub family: Option<String>,
    /// `/Subtype` of the font.
    pub subtype: String,
    /// `/Subtype` of the descendant, of a Type0 font.
    pub descendant: Option<String>,
    /// Name of the encoding or CMap; `differences` and `stream` where it is no name.
    pub encoding: Option<String>,
    /// `/Ordering` of the descendant's CIDSystemInfo.
    pub ordering: Option<String>,
    /// The ToUnicode map.
    pub to_unicode: ToUnicodeKind,
    /// The program.
    pub program: ProgramKind,
    /// SHA-256 of the decoded program, lower-case hex; `None` where it was not read.
    pub program_sha256: Option<String>,
    /// Whether the program has a cmap subtable.
    pub has_cmap: bool,
    /// Whether the program names its glyphs (post 1 or 2, CFF charset, Type1 CharStrings).
    pub has_post_names: bool,
    /// xxh3-64 of what a generator's subsetter leaves alike in all its subsets (see the README).
    pub signature: u64,
}

/// A font pooled over the document: what the verdict needs beside the counts of each page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FontEvidence {
    /// The facts.
    pub facts: FontFacts,
    /// What the pooled witnesses say, worst first; empty for a healthy font.
    pub charges: Vec<super::fonts::Charge>,
    /// Whether the second stack read the same facts; `None` when it was not asked.
    pub second_stack: Option<super::fonts::SecondStack>,
    /// Whether an independent witness certified the Unicode of this font's drawn codes.
    pub certified: bool,
    /// Whether a language model could judge the font's letters.
    pub letters_judged: bool,
    /// ISO 639 code of the language they read as, where they do.
    pub language: Option<String>,
}

impl FontEvidence {
    /// A font of which nothing but the facts is known.
    pub fn of_facts(facts: FontFacts) -> Self {
        Self {
            facts,
            charges: Vec::new(),
            second_stack: None,
            certified: false,
            letters_judged: false,
            language: None,
        }
    }
}

/// A line of glyphs of one font on one page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LineBox {
    /// `[x0, y0, x1, y1]` in points of the crop box, origin lower left, rotation not applied.
    pub bounds: [f32; 4],
    /// Visible glyphs in it.
    pub glyphs: u32,
    /// Of these, dead or contradicted.
    pub suspect: u32,
}

/// One font on one page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageFontEvidence {
    /// Index into the fonts of the document, in order of first use.
    pub font_index: u32,
    /// Visible glyphs by case and class. Blanks (drawn code is a space, or its outline is empty) are left out.
    pub cases: Vec<(Case, CodeClass, u32)>,
    /// Visible glyphs without any Unicode.
    pub unmapped: u32,
    /// Glyphs of an invisible layer (render mode 3 or 7).
    pub invisible: u32,
    /// Glyphs hidden otherwise: clipped, off-page, white, covered, hidden optional content, ≤ 1 pt.
    pub hidden: u32,
    /// At most 64 lines.
    pub lines: Vec<LineBox>,
}

/// Images of one page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ImageEvidence {
    /// Images drawn and visible.
    pub n_images: u32,
    /// Share of the crop box under the largest drawn, clipped image, 0.0..=1.0.
    pub largest_coverage: f32,
    /// Share of the crop box under the union of all drawn, clipped images (on a coarse grid).
    pub union_coverage: f32,
    /// Bounds of the largest, in points of the crop box.
    pub largest_bounds: [f32; 4],
    /// Effective resolution of the largest, or of a layer over a quarter of it or more; the lower of the two axes.
    pub effective_dpi: f32,
    /// Whether its codec, or that of such a layer, is one of scanners (CCITT, JBIG2), or it has one bit a sample.
    /// Supports, never decides.
    pub bilevel: bool,
    /// Visible glyphs drawn inside the largest image's bounds.
    pub glyphs_over: u32,
    /// Invisible glyphs inside the largest image's bounds: an OCR layer.
    pub invisible_over: u32,
    /// Share of the largest image's area covered by lines of visible text.
    pub text_over_share: f32,
    /// Images joined to the largest: strips and tiles that fill one area without gaps; 1 for a single one.
    pub n_tiles: u32,
    /// The largest is a stencil that paints one colour.
    pub stencil: bool,
    /// The largest has a soft mask: an overlay such as a logo or a shadow, or a layer of a compressed scan.
    pub soft_masked: bool,
    /// Pixels of the largest: a page of print needs some 100,000 at least.
    pub n_pixels: u64,
    /// Encoded bytes of the largest and of the images drawn on it: scans are often split into layers.
    pub n_bytes: u64,
    /// These bytes as bits a pixel of the largest: a flat background needs few, print and pictures many.
    pub bits_per_pixel: f32,
    /// Of `glyphs_over`, more than a tenth of the image's height away from its upper and lower edge: not in a header
    /// or footer.
    pub glyphs_inner: u32,
    /// Largest size of visible text over the largest image, in points: stamps and headers are small, headlines not.
    pub largest_size_over: f32,
    /// Object number of the largest, 0 for an inline image: a scan differs from page to page, a background does not.
    pub object: u32,
    /// Share of the crop box under images and not under lines of visible text (on a coarse grid).
    pub free_coverage: f32,
}

/// Glyph-like paths of one page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct OutlineEvidence {
    /// Small, filled subpaths of at least six segments: they could be contours of letters.
    pub glyph_like: u32,
    /// Of these, with a shape drawn at least twice elsewhere on the page.
    pub repeated: u32,
    /// Different repeated shapes.
    pub n_shapes: u32,
    /// Of `glyph_like`, on a line that looks like text: at least four shapes, most of them repeated on the page, at
    /// least three different ones. A letter has one to three contours, an ideograph several.
    pub on_lines: u32,
    /// These lines, at most 64.
    pub lines: Vec<LineBox>,
}

/// Everything measured on one page.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PageEvidence {
    /// 0-based.
    pub page_index: u32,
    /// Width and height of the crop box in points.
    pub size: [f32; 2],
    /// Fonts that draw on the page.
    pub fonts: Vec<PageFontEvidence>,
    /// Images.
    pub images: ImageEvidence,
    /// Outlined text.
    pub outlines: OutlineEvidence,
    /// Painted path operators that leave a visible mark.
    pub n_paths: u32,
    /// Shadings and patterns painted.
    pub n_shadings: u32,
    /// Share of the crop box under lines of visible text (on a coarse grid), 0.0..=1.0.
    pub text_coverage: f32,
    /// Most frequent script of the visible text (ISO 15924).
    pub script: Option<String>,
    /// What the letters say, per page; see `signals::letters`.
    pub language: Option<String>,
    /// Charges that rest on this page's text alone (order, forms, marks, spaces …).
    pub text_charges: Vec<super::signals::TextCharge>,
    /// Some content could not be decoded: an empty answer is not "no text".
    pub undecodable: bool,
    /// A panic or a budget ended the page; what stands here is what was seen before.
    pub incomplete: bool,
    /// Damage seen on this page.
    pub findings: Vec<Finding>,
}

/// What scoring reports while it runs, in any page order; `Opened` first, `Done` last.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "events are streamed one at a time, never stored in bulk")]
pub enum Event {
    /// The page tree was reached.
    Opened(DocumentInfo),
    /// A page was measured. Its fonts are named by their own facts, indexes being unknown yet.
    Page {
        /// The evidence; `font_index` counts into `fonts`.
        evidence: PageEvidence,
        /// Facts of the fonts of this page.
        fonts: Vec<FontFacts>,
    },
    /// The whole score; always the last event.
    Done(Box<DocumentScore>),
}
