//! Advance widths that a font dictionary states (ISO 32000-2, 9.6.2 and 9.7.4.3).

use super::cmap::Spans;
use super::dict::{number, numbers};
use crate::score::pdf::{Array, Dict, Object};

/// Entries of one `/Widths`, `/W` or `/W2` that are read.
const MAX_ENTRIES: usize = 1 << 18;

/// `/Widths` of a simple font, in thousandths (Type 3: in glyph space).
#[derive(Debug, Clone, Default)]
pub(super) struct SimpleWidths {
    first: u32,
    widths: Box<[f32]>,
}

impl SimpleWidths {
    pub(super) fn read(dict: &Dict<'_>) -> Self {
        let first = number(dict, "FirstChar").map_or(0, |first| first.max(0.0) as u32);
        let widths = dict.get::<Array<'_>>("Widths").map(|array| numbers(&array, 256).into());
        Self { first, widths: widths.unwrap_or_default() }
    }

    pub(super) fn get(&self, code: u32) -> Option<f32> {
        let at = code.checked_sub(self.first)? as usize;
        self.widths.get(at).copied()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.widths.is_empty()
    }
}

/// `/W`, `/DW`, `/W2` and `/DW2` of a CIDFont, in thousandths.
#[derive(Debug, Clone)]
pub(super) struct CidWidths {
    horizontal: Spans<f32>,
    default: f32,
    vertical: Spans<f32>,
    default_vertical: f32,
}

impl Default for CidWidths {
    fn default() -> Self {
        Self {
            horizontal: Spans::default(),
            default: 1000.0,
            vertical: Spans::default(),
            default_vertical: -1000.0,
        }
    }
}

impl CidWidths {
    pub(super) fn read(dict: &Dict<'_>) -> Self {
        let spans = |key, n_values| {
            dict.get::<Array<'_>>(key).map(|array| read_spans(&array, n_values)).unwrap_or_default()
        };
        let default_vertical = dict.get::<Array<'_>>("DW2").map(|array| numbers(&array, 2));
        Self {
            horizontal: spans("W", 1),
            default: number(dict, "DW").unwrap_or(1000.0),
            vertical: spans("W2", 3),
            default_vertical: default_vertical.and_then(|dw2| dw2.get(1).copied()).unwrap_or(-1000.0),
        }
    }

    /// The width of a CID.
    pub(super) fn horizontal(&self, cid: u32) -> f32 {
        self.stated(cid).unwrap_or(self.default)
    }

    /// The width that `/W` states for a CID.
    pub(super) fn stated(&self, cid: u32) -> Option<f32> {
        self.horizontal.get(cid).map(|(width, _)| width)
    }

    /// The vertical displacement of a CID, negative downwards.
    pub(super) fn vertical(&self, cid: u32) -> f32 {
        self.vertical.get(cid).map_or(self.default_vertical, |(width, _)| width)
    }
}

/// `c [v …]` and `c_first c_last v`, where a value is `n_values` numbers of which the first counts.
fn read_spans(array: &Array<'_>, n_values: usize) -> Spans<f32> {
    let mut spans = Spans::default();
    let mut pending: Vec<f32> = Vec::with_capacity(5);
    for object in array.iter::<Object<'_>>() {
        if spans.len() > MAX_ENTRIES {
            break;
        }
        match object {
            Object::Array(values) => {
                if let Some(first) = pending.last().and_then(|&first| cid(first)) {
                    let values = numbers(&values, n_values.saturating_mul(0x10000));
                    for (value, cid) in values.chunks(n_values).zip(first..) {
                        spans.push(cid, cid, value[0]);
                    }
                }
                pending.clear();
            }
            other => {
                pending.push(other.into_f32().filter(|number| number.is_finite()).unwrap_or(0.0));
                if pending.len() == 2 + n_values {
                    if let (Some(first), Some(last)) = (cid(pending[0]), cid(pending[1])) {
                        spans.push(first, last, pending[2]);
                    }
                    pending.clear();
                }
            }
        }
    }
    spans.settle();
    spans
}

fn cid(number: f32) -> Option<u32> {
    (0.0..=65_535.0).contains(&number).then_some(number as u32)
}

#[cfg(test)]
mod tests {
    use hayro_syntax::object::FromBytes;

    use super::*;

    #[test]
    fn both_forms_of_w() {
        let dict =
            Dict::from_bytes(b"<</W [1 [500 600] 10 20 700 15 [250]] /DW 900 /DW2 [880 -900]>>").unwrap();
        let widths = CidWidths::read(&dict);
        for (cid, width) in
            [(0, 900.0), (1, 500.0), (2, 600.0), (3, 900.0), (10, 700.0), (15, 250.0), (20, 700.0)]
        {
            assert_eq!(widths.horizontal(cid), width, "{cid}");
        }
        assert_eq!(widths.vertical(7), -900.0);
    }

    #[test]
    fn both_forms_of_w2() {
        let dict = Dict::from_bytes(b"<</W2 [1 [-500 250 800 -600 1 2] 5 6 -700 1 2]>>").unwrap();
        let widths = CidWidths::read(&dict);
        for (cid, width) in [(1, -500.0), (2, -600.0), (3, -1000.0), (5, -700.0), (6, -700.0)] {
            assert_eq!(widths.vertical(cid), width, "{cid}");
        }
        assert_eq!(widths.horizontal(1), 1000.0);
    }

    #[test]
    fn damaged_arrays() {
        for w in ["[1]", "[1 2]", "[[1 2]]", "[1 [/A (b)] 3 4]", "[-1 [5]]", "[1 99999 5]", "[5 1 5]"] {
            let dict = format!("<</W {w} /DW (x)>>");
            let dict = Dict::from_bytes(dict.as_bytes()).unwrap();
            assert_eq!(CidWidths::read(&dict).horizontal(9), 1000.0, "{w}");
        }
    }

    #[test]
    fn simple_widths() {
        let dict = Dict::from_bytes(b"<</FirstChar 32 /Widths [250 /x 300.5]>>").unwrap();
        let widths = SimpleWidths::read(&dict);
        assert_eq!(widths.get(32), Some(250.0));
        assert_eq!(widths.get(33), Some(0.0));
        assert_eq!(widths.get(34), Some(300.5));
        assert_eq!((widths.get(31), widths.get(35)), (None, None));
    }
}
