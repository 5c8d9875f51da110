//! Ranges of codes, later definitions over earlier ones.

/// A map from code ranges to values, read by binary search.
#[derive(Debug, Clone)]
pub(in crate::score::fonts) struct Spans<V> {
    spans: Vec<Span<V>>,
    /// Whether `spans` is sorted and free of overlaps.
    settled: bool,
}

/// Codes `lo..=hi`; `origin` is the code that the value belongs to, later codes count on from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::score::fonts) struct Span<V> {
    pub(in crate::score::fonts) lo: u32,
    pub(in crate::score::fonts) hi: u32,
    pub(in crate::score::fonts) origin: u32,
    pub(in crate::score::fonts) value: V,
}

impl<V> Default for Spans<V> {
    fn default() -> Self {
        Self { spans: Vec::new(), settled: true }
    }
}

impl<V: Copy> Spans<V> {
    /// Adds `lo..=hi`; a range that ends before it starts is left out.
    pub(in crate::score::fonts) fn push(&mut self, lo: u32, hi: u32, value: V) {
        if lo > hi {
            return;
        }
        self.settled &= self.spans.last().is_none_or(|last| last.hi < lo);
        self.spans.push(Span { lo, hi, origin: lo, value });
    }

    pub(in crate::score::fonts) fn len(&self) -> usize {
        self.spans.len()
    }

    pub(in crate::score::fonts) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The ranges in code order, once settled.
    pub(in crate::score::fonts) fn iter(&self) -> impl Iterator<Item = &Span<V>> {
        self.spans.iter()
    }

    /// Sorts, and cuts earlier definitions where later ones cover them. Must be called before [`Spans::get`].
    pub(in crate::score::fonts) fn settle(&mut self) {
        if self.settled {
            return;
        }
        self.settled = true;
        // Stable: among equal starts the later definition stays behind the earlier one.
        let mut order: Vec<(usize, Span<V>)> = self.spans.drain(..).enumerate().collect();
        order.sort_by_key(|&(at, span)| (span.lo, at));
        if order.windows(2).all(|pair| pair[0].1.hi < pair[1].1.lo) {
            self.spans.extend(order.into_iter().map(|(_, span)| span));
            return;
        }
        self.sweep(&order);
    }

    /// Walks the codes from left to right; of the definitions open at a code the latest counts.
    fn sweep(&mut self, order: &[(usize, Span<V>)]) {
        let mut open = std::collections::BinaryHeap::<(usize, usize)>::new(); // position in the file, index
        let (mut next, mut last_index) = (0, usize::MAX);
        let mut at = 0_u64;
        loop {
            if open.is_empty() {
                let Some((_, span)) = order.get(next) else { break };
                at = at.max(u64::from(span.lo));
            }
            while let Some((position, span)) = order.get(next)
                && u64::from(span.lo) <= at
            {
                open.push((*position, next));
                next += 1;
            }
            let Some(&(_, index)) = open.peek() else { continue };
            let span = order[index].1;
            if u64::from(span.hi) < at {
                open.pop();
                continue;
            }
            let before_next = order.get(next).map_or(u64::MAX, |(_, next)| u64::from(next.lo) - 1);
            let end = before_next.min(u64::from(span.hi));
            match self.spans.last_mut() {
                Some(last) if index == last_index && u64::from(last.hi) + 1 == at => last.hi = end as u32,
                _ => self.spans.push(Span { lo: at as u32, hi: end as u32, ..span }),
            }
            (at, last_index) = (end + 1, index);
        }
    }

    /// The value of a code's range and how far into the range the code lies.
    #[inline]
    pub(in crate::score::fonts) fn get(&self, code: u32) -> Option<(V, u32)> {
        let at = self.spans.partition_point(|span| span.hi < code);
        let span = self.spans.get(at)?;
        (span.lo <= code).then(|| (span.value, code - span.origin))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn settled(ranges: &[(u32, u32, u32)]) -> Spans<u32> {
        let mut spans = Spans::default();
        for &(lo, hi, value) in ranges {
            spans.push(lo, hi, value);
        }
        spans.settle();
        spans
    }

    #[test]
    fn later_definitions_win() {
        let spans = settled(&[(0, 0xFFFF, 1), (0x20, 0x7E, 2), (0x41, 0x41, 3), (0, 0, 4)]);
        assert_eq!(spans.get(0), Some((4, 0)));
        assert_eq!(spans.get(0x1F), Some((1, 0x1F)));
        assert_eq!(spans.get(0x40), Some((2, 0x20)));
        assert_eq!(spans.get(0x41), Some((3, 0)));
        assert_eq!(spans.get(0x42), Some((2, 0x22)));
        assert_eq!(spans.get(0xFFFF), Some((1, 0xFFFF)));
        assert_eq!(spans.get(0x10000), None);
    }

    #[test]
    fn the_last_code_of_all_is_a_code() {
        let spans = settled(&[(u32::MAX, u32::MAX, 1), (5, u32::MAX, 2), (7, 6, 3)]);
        assert_eq!(spans.get(u32::MAX), Some((2, u32::MAX - 5)));
        assert_eq!(spans.get(4), None);
    }

    proptest! {
        #[test]
        fn agrees_with_a_plain_search(ranges in prop::collection::vec((0..60_u32, 0..20_u32), 0..30)) {
            let ranges: Vec<_> =
                (0..).zip(&ranges).map(|(value, &(lo, more))| (lo, lo + more, value)).collect();
            let spans = settled(&ranges);
            for code in 0..90 {
                let plain = ranges.iter().rev().find(|r| (r.0..=r.1).contains(&code));
                prop_assert_eq!(spans.get(code), plain.map(|r| (r.2, code - r.0)));
            }
            prop_assert!(spans.iter().zip(spans.iter().skip(1)).all(|(a, b)| a.hi < b.lo));
        }
    }
}
