//! Codes already resolved, read without a lock by every thread that draws with the font.

use std::hash::BuildHasher;
use std::sync::OnceLock;

use super::{CharCode, Glyph};

type Slot = OnceLock<Glyph>;
type Leaf = [Slot; 16];
type Branch = [OnceLock<Box<Leaf>>; 16];
type Root = [OnceLock<Box<Branch>>; 256];

/// Glyphs by code and length in bytes. Only grows; a glyph is resolved once.
///
/// One-byte codes index a table, two-byte codes a tree of 256 × 16 × 16 that costs about 1 KiB per 16
/// neighbouring codes; longer codes (UTF-16 surrogates, GB 18030, CNS-EUC) are rare and hashed.
#[derive(Debug, Default)]
pub(super) struct GlyphTable {
    one_byte: OnceLock<Box<[Slot; 256]>>,
    two_bytes: OnceLock<Box<Root>>,
    longer: OnceLock<Box<Node>>,
}

/// A node of a trie over the hash of the code, four bits a level.
#[derive(Debug)]
struct Node {
    key: (u32, u8),
    glyph: Slot,
    children: [OnceLock<Box<Node>>; 16],
}

impl GlyphTable {
    /// The glyph of a code, resolved by `resolve` at the first call.
    #[inline]
    pub(super) fn get(&self, code: CharCode, n_bytes: u8, resolve: impl FnOnce() -> Glyph) -> &Glyph {
        match (n_bytes, code.0) {
            (0 | 1, code @ 0..=0xFF) => {
                let table = self.one_byte.get_or_init(|| Box::new([const { OnceLock::new() }; 256]));
                table[code as usize].get_or_init(resolve)
            }
            (2, code @ 0..=0xFFFF) => {
                let root = self.two_bytes.get_or_init(|| Box::new([const { OnceLock::new() }; 256]));
                let branch =
                    root[(code >> 8) as usize].get_or_init(|| Box::new([const { OnceLock::new() }; 16]));
                let leaf = branch[(code >> 4 & 15) as usize]
                    .get_or_init(|| Box::new([const { OnceLock::new() }; 16]));
                leaf[(code & 15) as usize].get_or_init(resolve)
            }
            (n_bytes, code) => self.longer(code, n_bytes).get_or_init(resolve),
        }
    }

    fn longer(&self, code: u32, n_bytes: u8) -> &Slot {
        let key = (code, n_bytes);
        let mut hash = rustc_hash::FxBuildHasher.hash_one(key);
        let mut node = self.longer.get_or_init(|| Node::new(key));
        while node.key != key {
            // Rotated, so that equal hashes of different keys make a long chain and not an endless one.
            node = node.children[(hash & 15) as usize].get_or_init(|| Node::new(key));
            hash = hash.rotate_right(4);
        }
        &node.glyph
    }
}

impl Node {
    fn new(key: (u32, u8)) -> Box<Self> {
        Box::new(Self { key, glyph: OnceLock::new(), children: [const { OnceLock::new() }; 16] })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Case, CodeClass, CodeRoute};
    use super::*;

    fn glyph(advance: f32) -> Glyph {
        let route = CodeRoute { class: CodeClass::Unknown, case: Case::C23, unicode: None };
        Glyph { advance, route, blank: false }
    }

    #[test]
    fn keeps_the_first_answer_and_tells_lengths_apart() {
        let table = GlyphTable::default();
        assert_eq!(table.get(CharCode(0x41), 1, || glyph(1.0)).advance, 1.0);
        assert_eq!(table.get(CharCode(0x41), 1, || unreachable!()).advance, 1.0);
        assert_eq!(table.get(CharCode(0x41), 2, || glyph(2.0)).advance, 2.0);
        assert_eq!(table.get(CharCode(0x41), 4, || glyph(4.0)).advance, 4.0);
        assert_eq!(table.get(CharCode(0x41), 3, || glyph(3.0)).advance, 3.0);
        assert_eq!(table.get(CharCode(0x41), 4, || unreachable!()).advance, 4.0);
    }

    #[test]
    fn holds_every_long_code() {
        let table = GlyphTable::default();
        for code in 0..5_000_u32 {
            let code = code.wrapping_mul(0x0100_0193);
            table.get(CharCode(code), 4, || glyph(code as f32));
        }
        for code in 0..5_000_u32 {
            let code = code.wrapping_mul(0x0100_0193);
            assert_eq!(table.get(CharCode(code), 4, || unreachable!()).advance, code as f32);
        }
    }

    #[test]
    fn threads_see_one_glyph() {
        let table = GlyphTable::default();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for code in 0..2_000 {
                        let found = table.get(CharCode(code), 2, || glyph(code as f32));
                        assert_eq!(found.advance, code as f32);
                    }
                });
            }
        });
    }
}
