//! The command line as a script sees it: exit codes, standard output, standard error.

use crate::support::{expect, pagesieve, run, stderr, stdout, text};

/// Runs a command that must end with `code`, and gives what it said on standard error.
fn refused(code: i32, arguments: &[&str]) -> String {
    let output = expect(code, arguments);
    assert_eq!(stdout(&output), "", "{arguments:?}");
    stderr(&output).to_owned()
}

#[test]
fn the_version_names_the_rules() {
    let output = run(&["--version"]);
    assert!(output.status.success());
    let rules = pagesieve::score::RULES_VERSION;
    assert_eq!(stdout(&output), format!("pagesieve {} (rules {rules})\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn help_succeeds_and_a_wrong_command_line_is_exit_2() {
    assert!(run(&["--help"]).status.success());
    assert!(run(&["scan", "--help"]).status.success());
    for wrong in
        [&["frobnicate"][..], &[], &["scan"], &["scan", "x"], &["scan", "--threads", "0", "x", "--out", "y"]]
    {
        refused(2, wrong);
    }
}

#[test]
fn completions_name_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let output = run(&["completions", shell]);
        assert!(output.status.success());
        assert!(stdout(&output).contains("inspect"), "{shell}");
        assert!(!stdout(&output).contains("address-space"), "{shell} shows the hidden command");
    }
}

#[test]
fn settings_come_from_defaults_file_and_environment_in_this_order() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.toml");
    std::fs::write(&file, "[limits]\npages = 7\ndepth = 9\n[listen]\naddr = \"127.0.0.1:1\"\n").unwrap();
    let output = pagesieve()
        .args(["config", "print", "--config", text(&file)])
        .env("PAGESIEVE_LIMITS__PAGES", "8")
        .env("PAGESIEVE_LISTEN__TOKEN", "123456")
        .env("PAGESIEVE_LOG", "info")
        .output()
        .unwrap();
    let shown = stdout(&output);
    assert!(output.status.success(), "{}", stderr(&output));
    for line in ["pages = 8", "depth = 9", "filters = 16", "token = \"***\""] {
        assert!(shown.lines().any(|shown| shown == line), "{line} is not in\n{shown}");
    }
    assert!(!shown.contains("123456"));
}

#[test]
fn wrong_settings_are_named_before_anything_happens() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.toml");
    std::fs::write(&file, "[limits]\npages = 0\n").unwrap();
    let out = folder.path().join("out");
    for command in [&["config", "check"][..], &["scan", text(folder.path()), "--out", text(&out)]] {
        let said = refused(2, &[command, &["--config", text(&file)]].concat());
        assert!(said.contains("`limits.pages` is 0, but must be 1 to 1000000"), "{said}");
    }
    assert!(!out.exists());
    std::fs::write(&file, "[limits]\nspeed = 1\n").unwrap();
    assert!(refused(2, &["config", "check", "--config", text(&file)]).contains("speed"));
    assert!(refused(2, &["config", "check", "--config", "/nonexistent"]).contains("/nonexistent"));
    assert!(run(&["config", "check"]).status.success());
}

#[test]
fn a_scan_of_nothing_is_exit_2_and_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    std::fs::write(empty.join("notes.txt"), "no PDF").unwrap();
    assert!(refused(2, &["scan", text(&empty), "--out", text(&out)]).contains("*.pdf"));
    assert!(refused(2, &["scan", "/nonexistent", "--out", text(&out)]).contains("/nonexistent"));
    assert!(refused(2, &["scan", "s3://bucket/x", "--out", text(&out)]).contains("s3://bucket/x"));
    assert!(refused(2, &["scan", "/nonexistent/*.pdf", "--out", text(&out)]).contains("nothing to scan"));
}

#[test]
fn a_folder_of_the_users_is_never_written_to() {
    let folder = tempfile::tempdir().unwrap();
    let mine = folder.path().join("mine.txt");
    std::fs::write(&mine, "precious").unwrap();
    let samples = folder.path().join("samples");
    assert!(run(&["sample", text(&samples)]).status.success());
    for fresh in [&[][..], &["--fresh"]] {
        let said = refused(2, &[&["scan", text(&samples), "--out", text(folder.path())], fresh].concat());
        assert!(said.contains("not empty"), "{said}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
    assert_eq!(std::fs::read_to_string(&mine).unwrap(), "precious");
}

#[test]
fn inspect_judges_the_boxes_it_is_given() {
    let folder = tempfile::tempdir().unwrap();
    pagesieve::sample::write(folder.path()).unwrap();
    let file = folder.path().join("severed-font-footer.pdf");
    let region = |region| expect(0, &["inspect", text(&file), "--page", "1", "--region", region, "--json"]);
    let assessed = |output: &std::process::Output| {
        let report: serde_json::Value = serde_json::from_str(stdout(output)).unwrap();
        report["pages"][0]["assessed"][0].clone()
    };
    // The page's own regions are where its dead heading stands.
    let page: serde_json::Value =
        serde_json::from_str(stdout(&expect(0, &["inspect", text(&file), "--json"]))).unwrap();
    let heading: Vec<String> =
        page["pages"][0]["regions"][0].as_array().unwrap().iter().map(ToString::to_string).collect();
    let heading = heading.join(",");
    let heading = assessed(&region(&heading));
    assert_eq!(
        (&heading["route"], &heading["reasons"][0]["code"]),
        (&"ocr".into(), &"undecodable_font".into())
    );
    let empty = assessed(&region("0,0,10,10"));
    assert_eq!((&empty["route"], &empty["reasons"][0]["code"]), (&"keep".into(), &"blank".into()));
    let human = expect(0, &["inspect", text(&file), "--region", "0,0,10,10"]);
    assert!(stdout(&human).contains("box 0,0,10,10: keep, 0 glyphs"), "{}", stdout(&human));
    for wrong in ["1,2,3", "0,0,0,5", "a,b,c,d"] {
        assert!(refused(2, &["inspect", text(&file), "--region", wrong]).contains("--region"));
    }
}
