//! What one document may cost. Every length, depth and count read from a file is checked here.

use serde::{Deserialize, Serialize};

/// Bounds that shape a score; a changed value changes `score_key`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Largest file that is read, in bytes. Range 1 KiB to 4 GiB.
    pub document_bytes: u64,
    /// Most pages that are scored. Range 1 to 1,000,000.
    pub pages: u32,
    /// Decoded bytes of one content stream (page or form). Range 64 KiB to 1 GiB.
    pub content_bytes: usize,
    /// Decoded bytes of one font program, CMap or CIDToGIDMap. Range 64 KiB to 256 MiB.
    pub font_bytes: usize,
    /// Decoded bytes of one object or cross-reference stream, an eighth of what all of them may take. Range 1 MiB to
    /// 256 MiB.
    pub object_stream_bytes: usize,
    /// Content operators of one page, forms included. Range 1,000 to 100,000,000.
    pub operators_per_page: u64,
    /// Glyphs drawn on one page. Range 1,000 to 100,000,000.
    pub glyphs_per_page: u64,
    /// Nesting of form XObjects, Type3 procedures, arrays and dictionaries. Range 1 to 256.
    pub depth: u32,
    /// Filters of one stream. Range 1 to 32.
    pub filters: usize,
    /// Fonts of one page. Range 16 to 65,536.
    pub fonts_per_page: usize,
    /// Decoded content bytes of the whole document, over all pages. Range 1 MiB to 64 GiB.
    pub document_content_bytes: u64,
    /// Wall clock of one document: fixed part, in milliseconds.
    pub wall_ms: u64,
    /// Wall clock of one document: part per page, in milliseconds.
    pub wall_ms_per_page: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            document_bytes: 512 << 20,
            pages: 100_000,
            content_bytes: 128 << 20,
            font_bytes: 32 << 20,
            object_stream_bytes: 64 << 20,
            operators_per_page: 20_000_000,
            glyphs_per_page: 2_000_000,
            depth: 28,
            filters: 16,
            fonts_per_page: 4_096,
            document_content_bytes: 4 << 30,
            wall_ms: 30_000,
            wall_ms_per_page: 20,
        }
    }
}
