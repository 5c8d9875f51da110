//! Files damaged at random, reproducibly: for tests that nothing a file holds can harm a scan.

use std::ops::Range;

use memchr::memmem;

/// Pseudo-random numbers from a seed (SplitMix64: Steele, Lea and Flood 2014).
#[derive(Debug, Clone)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Below `bound`; 0 where that is 0.
    fn below(&mut self, bound: usize) -> usize {
        if bound == 0 { 0 } else { (self.next() % bound as u64) as usize }
    }

    /// A range of at most `longest` bytes of `length`.
    fn range(&mut self, length: usize, longest: usize) -> Range<usize> {
        let start = self.below(length);
        start..(start + 1 + self.below(longest)).min(length)
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> Option<T> {
        from.get(self.below(from.len())).cloned()
    }
}

/// Words that mean something to a reader, in a place where they do not.
const WORDS: [&[u8]; 16] = [
    b"endobj",
    b"endstream",
    b"stream\n",
    b"<<",
    b">>",
    b"[",
    b"]",
    b"(",
    b"\xff\xff\xff\xff",
    b"obj",
    b"R",
    b"-1",
    b"4294967296",
    b"/Length",
    b"/Kids",
    b"%%EOF",
];

/// A file with one to four damages; the same seed gives the same file.
pub fn mutate(file: &[u8], seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut file = file.to_vec();
    for _ in 0..=random.below(4) {
        damage(&mut file, &mut random);
    }
    file
}

fn damage(file: &mut Vec<u8>, random: &mut Random) {
    let length = file.len();
    match random.below(10) {
        // Truncated at either end.
        0 => file.truncate(random.below(length)),
        1 => drop(file.drain(..random.below(length.min(1024)))),
        // Bytes changed, zeroed, lost, doubled.
        2 => {
            for _ in 0..=random.below(32) {
                let (at, byte) = (random.below(length), random.next() as u8);
                file.get_mut(at).into_iter().for_each(|old| *old = byte);
            }
        }
        3 => {
            let range = random.range(length, 512);
            file[range].fill(0);
        }
        4 => drop(file.drain(random.range(length, 512))),
        5 => {
            let part = file[random.range(length, 2048)].to_vec();
            let at = random.below(length);
            file.splice(at..at, part);
        }
        // A word where none belongs.
        6 => {
            let (at, word) = (random.below(length), random.pick(&WORDS).unwrap_or_default());
            file.splice(at..at, word.iter().copied());
        }
        // Another number: a length, a reference, an offset, an operand.
        7 => {
            let digits: Vec<usize> = (0..length).filter(|&at| file[at].is_ascii_digit()).collect();
            for _ in 0..=random.below(8) {
                let digit = b'0' + random.below(10) as u8;
                if let Some(at) = random.pick(&digits) {
                    file[at] = digit;
                }
            }
        }
        // Two objects trade places, so that their numbers name each other.
        8 => swap_objects(file, random),
        // A stream that ends early.
        _ => {
            let starts: Vec<usize> = memmem::find_iter(file, b"stream").collect();
            if let Some(start) = random.pick(&starts) {
                let cut = random.range(length - start, 4096);
                file.drain(start + cut.start..start + cut.end);
            }
        }
    }
}

fn swap_objects(file: &mut Vec<u8>, random: &mut Random) {
    let bodies: Vec<Range<usize>> = memmem::find_iter(file, b" obj")
        .filter_map(|at| Some(at..at + memmem::find(&file[at..], b"endobj")?))
        .collect();
    let (Some(a), Some(b)) = (random.pick(&bodies), random.pick(&bodies)) else { return };
    let (first, second) = if a.start <= b.start { (a, b) } else { (b, a) };
    if first.end > second.start {
        return;
    }
    let (one, other) = (file[first.clone()].to_vec(), file[second.clone()].to_vec());
    file.splice(second, one);
    file.splice(first, other);
}

#[cfg(test)]
mod tests {
    use super::mutate;

    #[test]
    fn the_same_seed_gives_the_same_damage_and_most_seeds_damage() {
        let file = crate::sample::PdfBuilder::new().page(|page| page).build();
        let damaged = (0..500).filter(|&seed| mutate(&file, seed) != file).count();
        assert!(damaged > 480, "{damaged}");
        assert!((0..500).all(|seed| mutate(&file, seed) == mutate(&file, seed)));
    }

    #[test]
    fn an_empty_file_stays_one_that_can_be_damaged() {
        for seed in 0..500 {
            mutate(b"", seed);
            mutate(b"x", seed);
        }
    }
}
