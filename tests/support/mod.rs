//! What several tests need: the program, corpora built in code, tables that can be compared.

pub(crate) mod browser;
pub(crate) mod disk;
pub(crate) mod fleet;
pub(crate) mod proxy;
pub(crate) mod s3;
pub(crate) mod services;
pub(crate) mod tables;

use std::path::Path;
use std::process::{Command, Output};

use pagesieve::sample;

pub(crate) fn pagesieve() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pagesieve"));
    // What the developer has set must not decide a test.
    for (name, _) in
        std::env::vars_os().filter(|(name, _)| name.as_encoded_bytes().starts_with(b"PAGESIEVE_"))
    {
        command.env_remove(name);
    }
    command
}

pub(crate) fn run(arguments: &[&str]) -> Output {
    pagesieve().args(arguments).output().expect("the program starts")
}

pub(crate) fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("output is UTF-8")
}

pub(crate) fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("output is UTF-8")
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// Runs a command that must end with `code`, and gives its output.
pub(crate) fn expect(code: i32, arguments: &[&str]) -> Output {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
    output
}

/// A folder with the samples and `hooks` documents that each make a child wait a little, spread over subfolders.
pub(crate) fn corpus(folder: &Path, hooks: usize) {
    sample::write(&folder.join("samples")).expect("samples can be written");
    for number in 0..hooks {
        let folder = folder.join(format!("hooks-{}", number % 7));
        std::fs::create_dir_all(&folder).expect("a folder");
        let hook = format!("%PAGESIEVE-HOOK open=1 sleep={} %{number}", number % 3 * 10);
        std::fs::write(folder.join(format!("{number:04}.pdf")), hook).expect("a document");
    }
}
