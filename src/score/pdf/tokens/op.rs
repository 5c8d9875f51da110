//! The operators of content streams (ISO 32000-2, table A.1) and their look-up.

/// A content operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(missing_docs, reason = "ISO 32000-2, table A.1; each name is the operator it stands for")]
pub enum Op {
    CloseFillStroke,
    FillStroke,
    CloseFillStrokeEvenOdd,
    FillStrokeEvenOdd,
    BeginMarkedContentDict,
    /// BI … ID … EI as one operator: a dictionary (without its brackets) and the data stand on the stack.
    InlineImage,
    BeginMarkedContent,
    BeginText,
    BeginCompatibility,
    CurveTo,
    Concat,
    SetStrokeSpace,
    SetFillSpace,
    SetDash,
    GlyphWidth,
    GlyphWidthAndBox,
    DrawXObject,
    MarkPointDict,
    EndInlineImage,
    EndMarkedContent,
    EndText,
    EndCompatibility,
    Fill,
    FillEvenOdd,
    SetStrokeGray,
    SetFillGray,
    SetGraphicsState,
    ClosePath,
    SetFlatness,
    InlineImageData,
    SetLineJoin,
    SetLineCap,
    SetStrokeCmyk,
    SetFillCmyk,
    LineTo,
    MoveTo,
    SetMiterLimit,
    MarkPoint,
    EndPath,
    Save,
    Restore,
    Rectangle,
    SetStrokeRgb,
    SetFillRgb,
    SetRenderingIntent,
    CloseStroke,
    Stroke,
    SetStrokeColor,
    SetFillColor,
    SetStrokeColorN,
    SetFillColorN,
    Shade,
    NextLine,
    SetCharSpacing,
    MoveText,
    MoveTextSetLeading,
    SetFont,
    ShowText,
    ShowTextAdjusted,
    SetLeading,
    SetTextMatrix,
    SetRenderMode,
    SetRise,
    SetWordSpacing,
    SetHorizontalScaling,
    CurveToInitial,
    SetLineWidth,
    Clip,
    ClipEvenOdd,
    CurveToFinal,
    NextLineShow,
    NextLineShowSpaced,
}

use Op::*;

/// `F` is the obsolete spelling of `f`.
const OPS: [(&[u8], Op); 73] = [
    (b"b", CloseFillStroke),
    (b"B", FillStroke),
    (b"b*", CloseFillStrokeEvenOdd),
    (b"B*", FillStrokeEvenOdd),
    (b"BDC", BeginMarkedContentDict),
    (b"BI", InlineImage),
    (b"BMC", BeginMarkedContent),
    (b"BT", BeginText),
    (b"BX", BeginCompatibility),
    (b"c", CurveTo),
    (b"cm", Concat),
    (b"CS", SetStrokeSpace),
    (b"cs", SetFillSpace),
    (b"d", SetDash),
    (b"d0", GlyphWidth),
    (b"d1", GlyphWidthAndBox),
    (b"Do", DrawXObject),
    (b"DP", MarkPointDict),
    (b"EI", EndInlineImage),
    (b"EMC", EndMarkedContent),
    (b"ET", EndText),
    (b"EX", EndCompatibility),
    (b"f", Fill),
    (b"F", Fill),
    (b"f*", FillEvenOdd),
    (b"G", SetStrokeGray),
    (b"g", SetFillGray),
    (b"gs", SetGraphicsState),
    (b"h", ClosePath),
    (b"i", SetFlatness),
    (b"ID", InlineImageData),
    (b"j", SetLineJoin),
    (b"J", SetLineCap),
    (b"K", SetStrokeCmyk),
    (b"k", SetFillCmyk),
    (b"l", LineTo),
    (b"m", MoveTo),
    (b"M", SetMiterLimit),
    (b"MP", MarkPoint),
    (b"n", EndPath),
    (b"q", Save),
    (b"Q", Restore),
    (b"re", Rectangle),
    (b"RG", SetStrokeRgb),
    (b"rg", SetFillRgb),
    (b"ri", SetRenderingIntent),
    (b"s", CloseStroke),
    (b"S", Stroke),
    (b"SC", SetStrokeColor),
    (b"sc", SetFillColor),
    (b"SCN", SetStrokeColorN),
    (b"scn", SetFillColorN),
    (b"sh", Shade),
    (b"T*", NextLine),
    (b"Tc", SetCharSpacing),
    (b"Td", MoveText),
    (b"TD", MoveTextSetLeading),
    (b"Tf", SetFont),
    (b"Tj", ShowText),
    (b"TJ", ShowTextAdjusted),
    (b"TL", SetLeading),
    (b"Tm", SetTextMatrix),
    (b"Tr", SetRenderMode),
    (b"Ts", SetRise),
    (b"Tw", SetWordSpacing),
    (b"Tz", SetHorizontalScaling),
    (b"v", CurveToInitial),
    (b"w", SetLineWidth),
    (b"W", Clip),
    (b"W*", ClipEvenOdd),
    (b"y", CurveToFinal),
    (b"'", NextLineShow),
    (b"\"", NextLineShowSpaced),
];

/// Multiplier for which the 73 keys fall into different slots; found by trial, checked by `table`.
const SPREAD: u32 = 0x1812_8d91;

const fn pack(keyword: &[u8]) -> u32 {
    let mut key = (keyword.len() as u32) << 24;
    let mut at = 0;
    while at < keyword.len() {
        key |= (keyword[at] as u32) << (8 * at);
        at += 1;
    }
    key
}

const fn slot(key: u32) -> usize {
    (key.wrapping_mul(SPREAD) >> 24) as usize
}

const fn table() -> [(u32, Op); 256] {
    let mut table = [(0, EndPath); 256];
    let mut at = 0;
    while at < OPS.len() {
        let key = pack(OPS[at].0);
        assert!(table[slot(key)].0 == 0, "two operators share a slot");
        table[slot(key)] = (key, OPS[at].1);
        at += 1;
    }
    table
}

static TABLE: [(u32, Op); 256] = table();

impl Op {
    /// The operator spelled so, if there is one.
    #[inline]
    pub fn from_keyword(keyword: &[u8]) -> Option<Self> {
        if keyword.is_empty() || keyword.len() > 3 {
            return None;
        }
        let key = pack(keyword);
        let (found, op) = TABLE[slot(key)];
        (found == key).then_some(op)
    }

    /// Its spelling.
    pub fn keyword(self) -> &'static [u8] {
        OPS.iter().find(|(_, op)| *op == self).map_or(b"", |(keyword, _)| keyword)
    }
}

/// Splits off the first operator of a keyword whose white space is missing (`mBT`, `Qq`, `q1`), if all of the rest
/// can be read as operators or a number.
pub(super) fn split_glued(keyword: &[u8]) -> Option<(Op, usize)> {
    // Longer runs of letters are words, not glued operators.
    if keyword.len() > 8 {
        return None;
    }
    (1..=3.min(keyword.len())).rev().find_map(|n| {
        let op = Op::from_keyword(&keyword[..n])?;
        let rest = &keyword[n..];
        let reads = rest.is_empty()
            || rest.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'))
            || split_glued(rest).is_some();
        reads.then_some((op, n))
    })
}
