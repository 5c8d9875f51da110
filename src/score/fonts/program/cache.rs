//! Programs shared by all documents of the process.
//!
//! Takes: a stream as it stands in the file, with what decodes it. Gives: the program, parsed once. Content-addressed
//! and compared byte by byte, so that scoring stays a pure function. Never: grows past its bound.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::{Program, ProgramError};

/// Bytes kept, streams and programs together.
const CAPACITY_BYTES: usize = 256 << 20;
/// Larger ones are not kept: they would push out everything else.
const ENTRY_BYTES: usize = 16 << 20;
/// What an entry costs beside its bytes.
const OVERHEAD_BYTES: usize = 1024;

/// What determines the decoded bytes of a font stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamKey<'a> {
    /// The stream as stored (decrypted, not decoded).
    pub raw: &'a [u8],
    /// Filters and their parameters, in any spelling that differs where they differ.
    pub filters: &'a [u8],
    /// The cap under which it is decoded.
    pub cap_bytes: usize,
}

impl StreamKey<'_> {
    fn hash(&self) -> u64 {
        xxh3_64(self.raw) ^ xxh3_64(self.filters).rotate_left(1) ^ self.cap_bytes as u64
    }
}

struct Entry {
    raw: Box<[u8]>,
    filters: Box<[u8]>,
    cap_bytes: usize,
    outcome: Result<Arc<Program>, ProgramError>,
}

impl Entry {
    fn is_of(&self, key: &StreamKey<'_>) -> bool {
        self.cap_bytes == key.cap_bytes && *self.filters == *key.filters && *self.raw == *key.raw
    }

    fn size_bytes(&self) -> usize {
        // What is read lazily (cmap, names, outlines) is about as large as the program again.
        let program = self.outcome.as_ref().map_or(0, |program| 2 * program.size_bytes());
        self.raw.len() + self.filters.len() + program + OVERHEAD_BYTES
    }
}

/// Least recently used entries go first.
#[derive(Default)]
struct Cache {
    entries: FxHashMap<u64, (Arc<Entry>, u64)>,
    size_bytes: usize,
    clock: u64,
}

impl Cache {
    fn find(&mut self, hash: u64) -> Option<Arc<Entry>> {
        self.clock += 1;
        let (entry, used) = self.entries.get_mut(&hash)?;
        *used = self.clock;
        Some(Arc::clone(entry))
    }

    fn insert(&mut self, hash: u64, entry: Arc<Entry>) {
        self.clock += 1;
        self.size_bytes += entry.size_bytes();
        if let Some((old, _)) = self.entries.insert(hash, (entry, self.clock)) {
            self.size_bytes -= old.size_bytes();
        }
        if self.size_bytes > CAPACITY_BYTES {
            self.evict();
        }
    }

    /// Down to three quarters, so that the search for the oldest is paid once in many insertions.
    fn evict(&mut self) {
        let mut ages: Vec<(u64, u64)> = self.entries.iter().map(|(&hash, &(_, used))| (used, hash)).collect();
        ages.sort_unstable();
        for (_, hash) in ages {
            if self.size_bytes <= CAPACITY_BYTES / 4 * 3 {
                break;
            }
            if let Some((entry, _)) = self.entries.remove(&hash) {
                self.size_bytes -= entry.size_bytes();
            }
        }
    }
}

/// The program of a stream; `decode` runs only when it is not at hand.
pub fn get_or_parse(
    key: &StreamKey<'_>,
    decode: impl FnOnce() -> Vec<u8>,
) -> Result<Arc<Program>, ProgramError> {
    static CACHE: OnceLock<Mutex<Cache>> = OnceLock::new();
    let cache = CACHE.get_or_init(Mutex::default);
    lookup(cache, key, decode)
}

fn lookup(
    cache: &Mutex<Cache>,
    key: &StreamKey<'_>,
    decode: impl FnOnce() -> Vec<u8>,
) -> Result<Arc<Program>, ProgramError> {
    let locked = || cache.lock().unwrap_or_else(PoisonError::into_inner);
    let hash = key.hash();
    let found = locked().find(hash);
    if let Some(entry) = found.filter(|entry| entry.is_of(key)) {
        return entry.outcome.clone();
    }
    // Two threads may do this at once for one program: both get the same answer.
    let outcome = Program::from_vec(decode()).map(Arc::new);
    let entry = Entry {
        raw: key.raw.into(),
        filters: key.filters.into(),
        cap_bytes: key.cap_bytes,
        outcome: outcome.clone(),
    };
    if entry.size_bytes() <= ENTRY_BYTES {
        locked().insert(hash, Arc::new(entry));
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key<'a>(raw: &'a [u8], filters: &'a [u8]) -> StreamKey<'a> {
        StreamKey { raw, filters, cap_bytes: 1 << 20 }
    }

    #[test]
    fn decodes_once_and_keeps_filters_apart() {
        let cache: Mutex<Cache> = Mutex::default();
        let mut n_decoded = 0;
        for _ in 0..3 {
            let _ = lookup(&cache, &key(b"raw", b"Fl"), || {
                n_decoded += 1;
                Vec::new()
            });
        }
        assert_eq!(n_decoded, 1);
        let other = lookup(&cache, &key(b"raw", b"LZW"), || b"not a font".to_vec());
        assert_eq!(other.err(), Some(ProgramError::Unknown));
        let first = lookup(&cache, &key(b"raw", b"Fl"), || unreachable!("cached"));
        assert_eq!(first.err(), Some(ProgramError::Empty));
    }

    #[test]
    fn an_entry_with_the_same_hash_and_other_bytes_is_not_taken() {
        let cache: Mutex<Cache> = Mutex::default();
        let hash = key(b"one", b"").hash();
        let wrong = Entry {
            raw: (*b"two").into(),
            filters: (*b"").into(),
            cap_bytes: 1 << 20,
            outcome: Err(ProgramError::TooLarge),
        };
        cache.lock().unwrap().insert(hash, Arc::new(wrong));
        assert_eq!(lookup(&cache, &key(b"one", b""), Vec::new).err(), Some(ProgramError::Empty));
    }

    #[test]
    fn stays_within_its_bound_and_drops_the_oldest() {
        let cache: Mutex<Cache> = Mutex::default();
        // More than it holds, each of two megabytes.
        let n_blocks = (CAPACITY_BYTES >> 21) as u32 + 20;
        let blocks: Vec<Vec<u8>> = (0..n_blocks).map(|seed| seed.to_le_bytes().repeat(1 << 19)).collect();
        for block in &blocks {
            let _ = lookup(&cache, &key(block, b""), Vec::new);
            let _ = lookup(&cache, &key(&blocks[0], b""), Vec::new);
        }
        let locked = cache.lock().unwrap();
        assert!(locked.size_bytes <= CAPACITY_BYTES);
        let actual: usize = locked.entries.values().map(|(entry, _)| entry.size_bytes()).sum();
        assert_eq!(locked.size_bytes, actual);
        assert!(locked.entries.contains_key(&key(&blocks[0], b"").hash()), "used all the time");
        assert!(!locked.entries.contains_key(&key(&blocks[1], b"").hash()), "oldest");
    }
}
