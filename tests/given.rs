//! `check` and `repair` as a script sees them.

use std::io::Write;
use std::process::{Output, Stdio};

use pagesieve::sample::prose;
use pagesieve::score::{Policy, TextScore, check_text};

use crate::support::{expect, pagesieve, run, stderr, stdout, text};

/// Runs a command with a text on its standard input.
fn piped(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = pagesieve()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn rotated() -> String {
    let turn =
        |c: char| if c.is_ascii_lowercase() { char::from((c as u8 - b'a' + 13) % 26 + b'a') } else { c };
    prose::ENGLISH.chars().map(turn).collect()
}

#[test]
fn check_says_what_the_library_says_and_gates() {
    let given = format!("{}\u{C}\u{C}{}\u{C}", prose::GERMAN, rotated());
    let output = piped(&["check", "--json"], given.as_bytes());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let score: TextScore = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!(score, check_text(&given, &Policy::default()));
    assert_eq!((score.n_pages, score.n_blank), (3, 1));

    let output = piped(&["check", "-"], given.as_bytes());
    let shown = stdout(&output);
    assert!(shown.starts_with("page 3, line 1: ocr\n  glyph_code_shift "), "{shown}");
    assert!(shown.ends_with("3 pages, 1 keep, 1 ocr, 1 blank\n"), "{shown}");
    for (gate, code) in [("ocr", 1), ("repair", 1), ("reextract", 1), ("not-judged", 0)] {
        let output = piped(&["check", "--fail-on", gate], given.as_bytes());
        assert_eq!(output.status.code(), Some(code), "{gate}");
    }
    let output = piped(&["check", "--fail-on", "not-judged"], b"Total 12");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(piped(&["check", "--fail-on", "decode"], b"").status.code(), Some(2));
}

#[test]
fn check_and_repair_refuse_what_is_no_text() {
    let folder = tempfile::tempdir().unwrap();
    let pdf = folder.path().join("a.pdf");
    std::fs::write(&pdf, b"%PDF-1.7\n").unwrap();
    for command in ["check", "repair"] {
        assert!(stderr(&expect(2, &[command, text(&pdf)])).contains("is a PDF"));
        assert!(stderr(&expect(2, &[command, "/nowhere/at/all"])).contains("cannot read"));
        assert!(stderr(&expect(2, &[command, text(folder.path())])).contains("cannot read"));
        assert_eq!(run(&[command, "--encoding", "klingon", "x"]).status.code(), Some(2));
    }
    let latin = encoding_rs::WINDOWS_1252.encode(prose::FRENCH).0;
    let output = piped(&["check"], &latin);
    assert!(stderr(&output).contains("--encoding"), "{}", stderr(&output));
    let output = piped(&["check", "--encoding", "windows-1252"], &latin);
    assert!(stdout(&output).contains(" keep"), "{}", stdout(&output));
    assert_eq!(stdout(&piped(&["check"], b"")), "0 pages\n");
}

#[test]
fn repair_writes_what_was_meant_and_lists_what_it_did() {
    let mojibake = encoding_rs::WINDOWS_1252.decode(prose::FRENCH.as_bytes()).0.into_owned();
    let given = format!("{}\u{C}{mojibake}\u{C}{}\u{C}", prose::GERMAN, rotated());
    let meant = format!("{}\u{C}{}\u{C}{}\u{C}", prose::GERMAN, prose::FRENCH, rotated());
    let output = piped(&["repair"], given.as_bytes());
    assert_eq!(stdout(&output), meant);
    let said = stderr(&output);
    assert!(said.contains("page 2, line 1: repaired code_page_mojibake"), "{said}");
    assert!(said.contains("page 3, line 1: left alone, ocr for glyph_code_shift"), "{said}");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("text.txt");
    std::fs::write(&file, &given).unwrap();
    let output = expect(0, &["repair", text(&file), "-o", text(&file), "--json"]);
    let report: serde_json::Value = serde_json::from_str(stdout(&output)).unwrap();
    assert_eq!((&report["repaired"][0]["page"], &report["left_alone"][0]["page"]), (&2.into(), &3.into()));
    assert!(report.get("text").is_none());
    assert_eq!(std::fs::read_to_string(&file).unwrap(), meant);
    assert!(stderr(&expect(2, &["repair", text(&file), "-o", "/nowhere/at/all"])).contains("cannot write"));
}
