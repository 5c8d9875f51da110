//! The files of `pagesieve sample` get the verdicts that their descriptions promise.

use super::*;
use crate::sample;
use crate::score::{Limits, score_document};

#[test]
fn samples_get_the_routes_they_promise() {
    let mut wrong = Vec::new();
    for file in &sample::files() {
        let score = score_document(&file.bytes, &Limits::default());
        let routes: Vec<String> =
            score.pages.iter().map(|page| format!("{:?}", page.route).to_lowercase()).collect();
        if routes != file.routes {
            wrong.push(format!("{}: expected {:?}\n{}", file.name, file.routes, Judged::of(score)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
