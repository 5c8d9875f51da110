//! `--fail-on`: a gate for scripts.

use std::str::FromStr;

use crate::score::Route;
use crate::words::parse_word;

/// What makes the scan exit with 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum FailOn {
    /// A page with this route or a worse one.
    Route(Route),
    /// A page with too little evidence to judge.
    NotJudged,
}

impl FromStr for FailOn {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "not-judged" => Ok(Self::NotJudged),
            // Every page is `keep` or worse, and `reextract` is for given text only.
            "keep" | "reextract" => {
                Err(format!("`{text}` is no gate: choose repair, decode, ocr or not-judged"))
            }
            _ => match parse_word(text) {
                Some(route) => Ok(Self::Route(route)),
                None => Err("choose repair, decode, ocr or not-judged".to_owned()),
            },
        }
    }
}

impl FailOn {
    /// As [`FromStr`], of text that an extractor gave: no page of it is routed to `decode`, some to `reextract`.
    pub(in crate::cli) fn of_given(text: &str) -> Result<Self, String> {
        match text {
            "reextract" => Ok(Self::Route(Route::Reextract)),
            "decode" => Err("`decode` is for PDFs: choose repair, reextract, ocr or not-judged".to_owned()),
            _ => text.parse().map_err(|_| "choose repair, reextract, ocr or not-judged".to_owned()),
        }
    }

    /// Whether the gate trips, given the pages by route and those not judged.
    pub(in crate::cli) fn trips(
        self,
        pages_by_route: impl IntoIterator<Item = (Route, u64)>,
        not_judged: u64,
    ) -> bool {
        match self {
            Self::NotJudged => not_judged > 0,
            Self::Route(limit) => {
                pages_by_route.into_iter().any(|(route, pages)| route >= limit && pages > 0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_trips_at_its_route_or_a_worse_one() {
        let pages = [(Route::Keep, 5), (Route::Decode, 1), (Route::Ocr, 0)];
        let trips = |gate: &str| gate.parse::<FailOn>().unwrap().trips(pages, 0);
        assert!(trips("repair") && trips("decode") && !trips("ocr") && !trips("not-judged"));
        assert!(FailOn::NotJudged.trips(pages, 1));
        for wrong in ["keep", "reextract", "OCR", "bad", ""] {
            assert!(wrong.parse::<FailOn>().is_err(), "{wrong}");
        }
    }
}
