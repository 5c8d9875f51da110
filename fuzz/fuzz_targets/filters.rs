//! Any chain of filters over any bytes.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use pagesieve::score::pdf::{Filter, Layout, Predictor, decode_raw};

#[derive(Arbitrary, Debug)]
struct Stage {
    kind: u8,
    predictor: u8,
    colors: u8,
    bits: u8,
    columns: u16,
    early_change: bool,
}

impl Stage {
    fn filter(&self) -> Filter {
        let layout = || Layout::new(self.colors.into(), self.bits.into(), self.columns.into());
        let predictor = Predictor::new(self.predictor.into(), layout);
        match self.kind % 7 {
            0 => Filter::Flate(predictor),
            1 => Filter::Lzw { early_change: self.early_change, predictor },
            2 => Filter::Ascii85,
            3 => Filter::AsciiHex,
            4 => Filter::RunLength,
            5 => Filter::Brotli(predictor),
            _ => Filter::Identity,
        }
    }
}

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    stages: Vec<Stage>,
    cap_bytes: u16,
    raw: &'a [u8],
}

fuzz_target!(|input: Input<'_>| {
    let filters: Vec<Filter> = input.stages.iter().take(4).map(Stage::filter).collect();
    let mut out = Vec::new();
    decode_raw(&filters, input.raw, input.cap_bytes.into(), &mut out);
    assert!(out.len() <= usize::from(input.cap_bytes));
});
