//! Damaged files through a whole scan: none is lost, none takes the program or a neighbour along.

use std::path::Path;

use pagesieve::sample::{self, mutate};

use super::support::{expect, stdout, text};

/// Damaged copies of each sample; `examples/mutated_corpus.rs` makes as many as one wants.
const COPIES: u64 = 12;

fn damaged_samples(folder: &Path) -> u64 {
    let samples = sample::files();
    for (number, file) in (0..).zip(&samples) {
        for copy in 0..COPIES {
            let seed = number * COPIES + copy;
            std::fs::write(folder.join(format!("{seed:06}.pdf")), mutate(&file.bytes, seed)).unwrap();
        }
    }
    COPIES * samples.len() as u64
}

#[test]
fn every_damaged_file_ends_in_one_state_and_kills_no_child() {
    let folder = tempfile::tempdir().unwrap();
    let (files, out) = (folder.path().join("files"), folder.path().join("out"));
    std::fs::create_dir(&files).unwrap();
    let n_files = damaged_samples(&files);
    let output = expect(0, &["scan", text(&files), "--out", text(&out), "--json", "--quiet"]);
    let summary: serde_json::Value = serde_json::from_str(stdout(&output)).unwrap();
    let states = summary["documents_by_state"].as_object().unwrap();
    assert_eq!(states.values().map(|n| n.as_u64().unwrap()).sum::<u64>(), n_files, "{summary}");
    let allowed = ["scored", "encrypted", "malformed", "over_limit"];
    let died: Vec<_> =
        states.iter().filter(|(state, n)| !allowed.contains(&state.as_str()) && **n != 0).collect();
    assert!(died.is_empty(), "{died:?}");
    assert!(states["scored"].as_u64().unwrap() > n_files / 2, "{summary}");
}
