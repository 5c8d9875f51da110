//! The output folder: ours, empty, or none of our business.

use std::path::{Path, PathBuf};

use super::super::exit::usage;

/// The ledger's file; a folder that has it is pagesieve's.
pub(super) const LEDGER: &str = "_ledger.sqlite";

/// Makes the folder where it is missing, and refuses one that holds something else: nothing of the user's is
/// ever written over or removed. Gives its absolute path.
pub(super) fn prepare(out: &Path) -> anyhow::Result<PathBuf> {
    let shown = out.display();
    if out.to_str().is_some_and(|out| out.starts_with("s3://")) {
        return Err(usage(
            "--out wants a folder; results on object storage are written by the roles, see `results.root`",
        ));
    }
    if out.exists() && !out.is_dir() {
        return Err(usage(format!("`{shown}` is a file; --out wants a folder")));
    }
    std::fs::create_dir_all(out).map_err(|error| usage(format!("cannot make `{shown}`: {error}")))?;
    let entries =
        std::fs::read_dir(out).map_err(|error| usage(format!("cannot look into `{shown}`: {error}")))?;
    let mut names = entries.flatten().map(|entry| entry.file_name());
    // The lock is made first, so a scan killed at once leaves it alone.
    let is_ours = |name: &std::ffi::OsString| name.as_encoded_bytes().starts_with(LEDGER.as_bytes());
    let first = names.next();
    if first.is_some() && !first.iter().chain(&names.collect::<Vec<_>>()).any(is_ours) {
        return Err(usage(format!(
            "`{shown}` is not empty and holds no results of pagesieve; choose another folder for --out"
        )));
    }
    Ok(std::path::absolute(out)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_empty_folders_and_our_own_are_taken() {
        let root = tempfile::tempdir().unwrap();
        assert!(prepare(&root.path().join("new/deep")).unwrap().is_dir());
        prepare(&root.path().join("new/deep")).unwrap();
        assert!(prepare(root.path()).unwrap_err().to_string().contains("not empty"));
        std::fs::write(root.path().join("new/deep/_ledger.sqlite"), "").unwrap();
        std::fs::write(root.path().join("new/deep/mine.txt"), "").unwrap();
        prepare(&root.path().join("new/deep")).unwrap();
        assert!(
            prepare(&root.path().join("new/deep/mine.txt")).unwrap_err().to_string().contains("is a file")
        );
    }
}
