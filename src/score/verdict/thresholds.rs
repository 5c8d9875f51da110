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
/// Resolution below which print of body size is not legible in grey or colour (a 9-pixel x-height at 12 points).
pub(super) const PRINT_DPI: f32 = 50.0;
/// The same for one bit a sample; fax, the coarsest in use, has 98 lines an inch.
pub(super) const BILEVEL_DPI: f32 = 95.0;
/// Resolution that no scanner of pages has.
pub(super) const SCANNER_DPI: f32 = 2_400.0;
/// Encoded bytes below which an image is flat: 1,000 bytes hold no line of print in any codec.
pub(super) const PRINT_BYTES: u64 = 1_000;
/// A page of print under an overlay has lines, not one word: 4 bytes each of some thousand letters.
pub(super) const OVERLAY_BYTES: u64 = 4_000;
/// Encoded bits a pixel from which a compressed image is a photograph; print takes 0.01 to 1.7.
pub(super) const PHOTOGRAPH_BITS: f32 = 2.0;
/// A scan under a digital header, footer or stamp: the image is nearly the whole page …
pub(super) const OVERLAY_COVERAGE: f32 = 0.75;
/// … of a scanner's resolution …
pub(super) const OVERLAY_DPI: f32 = 100.0;
/// … the text over it is small: a headline over a full-bleed picture takes more …
pub(super) const OVERLAY_TEXT_SHARE: f32 = 0.03;
/// … and short.
pub(super) const OVERLAY_GLYPHS: u32 = 200;
/// A scanned table or letter inside a digital page.
pub(super) const INSET_COVERAGE: f32 = 0.25;
/// See `INSET_COVERAGE`.
pub(super) const INSET_DPI: f32 = 150.0;
/// Different repeated shapes from which paths are an alphabet: ticks, dots and dashes have fewer.
pub(super) const OUTLINE_SHAPES: u32 = 8;
/// Outlined letters as a share of all letters, outlined or live. Labels in charts stay below.
pub(super) const OUTLINE_SHARE: f32 = 0.3;
