//! A map between codes and glyphs that answers both ways.

use crate::score::fonts::Gid;

/// Codes of one meaning, with the glyphs they reach.
#[derive(Debug)]
pub(super) struct Codes<T> {
    /// Sorted by code, one glyph each.
    forward: Vec<(T, u16)>,
    /// Glyphs, ascending, one entry per code of theirs.
    gids: Vec<u16>,
    /// The codes in the order of `gids`, best first within a glyph.
    codes: Vec<T>,
}

impl<T> Default for Codes<T> {
    fn default() -> Self {
        Self { forward: Vec::new(), gids: Vec::new(), codes: Vec::new() }
    }
}

impl<T: Copy + Ord> Codes<T> {
    /// `raw` holds (code, rank, glyph): of two glyphs of one code the lower rank counts forward, both count backward.
    /// Codes of one glyph are ordered by `quality`, then by themselves.
    pub(super) fn new(mut raw: Vec<(T, u8, u16)>, quality: impl Fn(&T) -> u8) -> Self {
        raw.sort_unstable_by_key(|&(code, rank, gid)| (code, rank, gid));
        let mut forward: Vec<(T, u16)> = raw.iter().map(|&(code, _, gid)| (code, gid)).collect();
        forward.dedup_by_key(|entry| entry.0);
        let mut pairs: Vec<(u16, T)> = raw.into_iter().map(|(code, _, gid)| (gid, code)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        for same_glyph in pairs.chunk_by_mut(|a, b| a.0 == b.0).filter(|codes| codes.len() > 1) {
            same_glyph.sort_by_cached_key(|&(_, code)| (quality(&code), code));
        }
        Self {
            forward,
            gids: pairs.iter().map(|pair| pair.0).collect(),
            codes: pairs.iter().map(|pair| pair.1).collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.forward.is_empty()
    }

    pub(super) fn gid(&self, code: T) -> Option<Gid> {
        let at = self.forward.binary_search_by_key(&code, |entry| entry.0).ok()?;
        Some(Gid(self.forward[at].1))
    }

    /// Codes of a glyph, best first.
    pub(super) fn codes(&self, gid: Gid) -> &[T] {
        let start = self.gids.partition_point(|&other| other < gid.0);
        let n = self.gids[start..].partition_point(|&other| other == gid.0);
        &self.codes[start..start + n]
    }
}
