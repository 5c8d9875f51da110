//! `text` on files whose faults are known: what is printed can be trusted, and pages keep their positions.

use std::path::{Path, PathBuf};

use pagesieve::sample::prose;
use serde_json::Value;

use crate::support::{expect, run, stderr, stdout, text};

fn samples(folder: &Path) -> impl Fn(&str) -> PathBuf {
    assert!(run(&["sample", text(folder)]).status.success());
    let folder = folder.to_owned();
    move |name: &str| folder.join(name)
}

/// Words without blanks and line breaks, which are the layout's.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn trusted_pages_are_printed_and_a_page_routed_as_a_whole_is_empty() {
    let folder = tempfile::tempdir().unwrap();
    let file = samples(folder.path());
    let clean = expect(0, &["text", text(&file("clean.pdf"))]);
    let shown = stdout(&clean);
    assert_eq!(shown.matches('\u{C}').count(), 2);
    assert!(shown.ends_with('\u{C}') && stderr(&clean).is_empty(), "{}", stderr(&clean));
    assert!(words(shown).contains(&words(&prose::ENGLISH[..120])), "{shown}");
    let second = expect(0, &["text", text(&file("clean.pdf")), "--pages", "2"]);
    assert_eq!(stdout(&second), shown.split_inclusive('\u{C}').nth(1).unwrap());

    for (name, why) in [
        ("scan.pdf", ""),
        ("scan-with-bad-layer.pdf", "untrusted_ocr_layer"),
        ("severed-font.pdf", "undecodable_font"),
    ] {
        let output = expect(0, &["text", text(&file(name))]);
        assert_eq!(stdout(&output), "\u{C}", "{name}");
        assert!(stderr(&output).contains(why), "{name}: {}", stderr(&output));
    }
    // A healthy body is printed, the line in a dead font is not.
    let output = expect(0, &["text", text(&file("severed-font-footer.pdf"))]);
    assert!(words(stdout(&output)).contains(&words(&prose::ENGLISH[..80])), "{}", stdout(&output));
    assert!(stderr(&output).contains("glyphs left out, must be read from pixels; undecodable_font"));
    let output = expect(0, &["text", text(&file("severed-font-twin-cmap.pdf"))]);
    assert!(stdout(&output).trim().len() > 10);
    let layer = expect(0, &["text", text(&file("scan-with-good-layer.pdf"))]);
    assert!(words(stdout(&layer)).contains(&words(&prose::ENGLISH[..80])), "a good layer is printed");
}

#[test]
fn decoded_text_is_marked_and_given_only_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = samples(folder.path())("mac-glyph-order.pdf");
    let output = expect(0, &["text", text(&path)]);
    assert_eq!(stdout(&output), "\u{C}");
    assert!(stderr(&output).contains("--decode"), "{}", stderr(&output));
    let decoded = expect(0, &["text", text(&path), "--decode"]);
    assert_eq!(words(stdout(&decoded).trim_end_matches('\u{C}')), words(prose::ENGLISH));
    assert_eq!(stderr(&decoded), "");
    let json: Value =
        serde_json::from_str(stdout(&expect(0, &["text", text(&path), "--decode", "--json"]))).unwrap();
    let page = &json["pages"][0];
    assert_eq!((&page["route"], &page["withheld"]), (&"decode".into(), &Value::Null));
    assert_eq!(page["pieces"][0]["provenance"], "known_glyph_order");
    assert_eq!(words(page["text"].as_str().unwrap()), words(prose::ENGLISH));
}

#[test]
fn boxes_have_their_own_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = samples(folder.path())("clean.pdf");
    let all = stdout(&expect(0, &["text", text(&path)])).to_owned();
    let top = expect(0, &["text", text(&path), "--region", "0,600,612,792"]);
    let (inside, first_page) =
        (words(stdout(&top).split('\u{C}').next().unwrap()), words(all.split('\u{C}').next().unwrap()));
    assert!(
        !inside.is_empty() && inside.len() < first_page.len() && first_page.starts_with(&inside),
        "{inside}"
    );
    let corner = expect(0, &["text", text(&path), "--region", "0,0,5,5"]);
    assert_eq!(stdout(&corner), "\u{C}\u{C}");
}

#[test]
fn what_cannot_be_scored_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = samples(folder.path());
    let locked = expect(1, &["text", text(&file("encrypted-locked.pdf"))]);
    assert!(stderr(&locked).contains("encrypted"), "{}", stderr(&locked));
    let json: Value =
        serde_json::from_str(stdout(&expect(1, &["text", text(&file("malformed.pdf")), "--json"]))).unwrap();
    assert_eq!(json["state"], "malformed");
    assert!(stderr(&expect(2, &["text", "/nowhere/at/all"])).contains("cannot read"));
    expect(2, &["text", text(&file("clean.pdf")), "--pages", "9"]);
}
