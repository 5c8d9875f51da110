//! Who may call whom: the `use` lines of `src` against the data flow.

use std::path::{Path, PathBuf};

/// Each part with the parts it may name (`lib.rs` and `main.rs` name all).
const MAY_USE: &[(&str, &[&str])] = &[
    ("score", &[]),
    ("sample", &[]),
    ("config", &["score"]),
    ("telemetry", &["config"]),
    ("objects", &["config", "telemetry"]),
    ("listen", &["config", "telemetry", "score"]),
    ("queue", &["config", "telemetry"]),
    ("source", &["config", "telemetry", "objects", "queue"]),
    ("isolate", &["config", "telemetry", "source", "score"]),
    ("tables", &["config", "telemetry", "source", "objects", "score"]),
    ("ledger", &["config", "telemetry", "source", "score"]),
    ("ocr", &["config", "telemetry", "source", "queue", "ledger", "objects", "score", "tables"]),
    (
        "live",
        &[
            "config",
            "telemetry",
            "source",
            "objects",
            "queue",
            "ledger",
            "tables",
            "score",
            "isolate",
            "report",
            "listen",
        ],
    ),
    ("report", &["config", "telemetry", "source", "objects", "ledger", "tables", "score", "isolate"]),
];

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            files.push(path);
        }
    }
}

/// Parts of the crate named by `crate::part` in the code of a file, comments left out.
fn parts_named(source: &str) -> Vec<String> {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split("crate::").skip(1))
        .filter_map(|rest| rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next())
        .map(str::to_owned)
        .collect()
}

#[test]
fn no_part_calls_against_the_data_flow() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for (part, allowed) in MAY_USE {
        let mut files = Vec::new();
        if !src.join(part).exists() {
            continue;
        }
        rust_files(&src.join(part), &mut files);
        assert!(!files.is_empty(), "no files under src/{part}");
        for file in files {
            // Tests may build their input with `sample`.
            let source = std::fs::read_to_string(&file).unwrap();
            let is_part = |name: &str| src.join(name).is_dir();
            for named in parts_named(&source) {
                if is_part(&named)
                    && named != *part
                    && named != "sample"
                    && !allowed.contains(&named.as_str())
                {
                    wrong.push(format!("{} uses {named}", file.strip_prefix(&src).unwrap().display()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "against the data flow:\n{}", wrong.join("\n"));
}

#[test]
fn score_knows_no_clock_environment_storage_or_logging() {
    let mut files = Vec::new();
    rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src/score"), &mut files);
    let forbidden = [
        "std::env",
        "std::fs",
        "std::net",
        "std::time",
        "tokio",
        "sqlx",
        "lapin",
        "aws_",
        "tracing::",
        "rand::",
    ];
    let mut wrong = Vec::new();
    for file in files {
        let name = file.to_string_lossy().into_owned();
        if name.contains("test") {
            continue;
        }
        let source = std::fs::read_to_string(&file).unwrap();
        let code = source.split("#[cfg(test)]").next().unwrap_or_default();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            wrong.extend(
                forbidden.iter().filter(|word| begins_in(line, word)).map(|word| format!("{name}: {word}")),
            );
        }
    }
    assert!(wrong.is_empty(), "score is pure:\n{}", wrong.join("\n"));
}

/// Whether a word of `line` begins with `start`: `draws_text` has no `aws_` in it.
fn begins_in(line: &str, start: &str) -> bool {
    line.match_indices(start).any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}
