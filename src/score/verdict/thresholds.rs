//! Every bound a verdict rests on, with where it was measured.

/// Suspect letters of a page below which a reason is listed and changes no route (DESIGN 3).
pub(super) const SUSPECT_GLYPHS: u32 = 20;
/// The same as a share of the page's visible letters.
pub(super) const SUSPECT_SHARE: f64 = 0.03;
/// A page is judged when some witness or model could judge this share of its visible glyphs.
pub(super) const JUDGED_SHARE: f32 = 0.5;
/// A page whose text is mostly suspect is suspect however short it is: a one-line cover in a dead font.
pub(super) const SHORT_PAGE_GLYPHS: u32 = 3;
/// See `SHORT_PAGE_GLYPHS`.
pub(super) const SHORT_PAGE_SHARE: f64 = 0.5;

// Images. Measured on 1,065 labelled pages of 959 public files: 80 legible without text, 224 without words.

/// Share of the page under its largest image from which it is the page.
pub(super) const SCAN_COVERAGE: f32 = 0.5;
/// Pixels below which an image is a logo or a picture, not lines of print.
pub(super) const PRINT_PIXELS: u64 = 150_000;
/// Encoded bytes below which an image holds no words in any codec.
pub(super) const PRINT_BYTES: u64 = 2_000;
/// Encoded bits a pixel below which an image in grey or colour is flat.
pub(super) const FLAT_BITS: f32 = 0.02;
/// Encoded bits a pixel from which a compressed image is a photograph; print takes 0.01 to 1.8.
pub(super) const PHOTOGRAPH_BITS: f32 = 2.0;
/// Glyphs up to which the text of a page is a caption to the image that covers most of it. Rests on few pages.
pub(super) const CAPTION_GLYPHS: u32 = 150;
/// A scan under a digital header, footer or stamp: the image is nearly the whole page and text stands at its edges.
/// Pages with a background or a full-bleed picture have 130 glyphs and more inside.
pub(super) const OVERLAY_COVERAGE: f32 = 0.9;
/// Share of an image under text from which the text belongs to it.
pub(super) const INSET_TEXT_SHARE: f32 = 0.03;
/// A scanned table or letter inside a digital page.
pub(super) const INSET_COVERAGE: f32 = 0.25;
/// See `INSET_COVERAGE`.
pub(super) const INSET_DPI: f32 = 150.0;
/// Different repeated shapes from which paths are an alphabet: ticks, dots and dashes have fewer.
pub(super) const OUTLINE_SHAPES: u32 = 8;
/// Outlined letters as a share of all letters, outlined or live. Labels in charts stay below.
pub(super) const OUTLINE_SHARE: f32 = 0.3;
