use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use super::*;

/// Lists sources and gives the paths below `root`, and the number of problems.
fn found(root: &Path, arguments: &[&OsStr]) -> (Vec<String>, usize) {
    let sources = arguments.iter().map(|argument| Source::parse(argument).unwrap()).collect();
    let mut paths = Vec::new();
    let mut problems = 0;
    for listed in list(sources) {
        match listed {
            Listed::Document(document) => {
                let path = to_path(&document.uri).unwrap();
                paths.push(path.strip_prefix(root).unwrap().to_str().unwrap().to_owned());
            }
            Listed::Problem { .. } => problems += 1,
        }
    }
    (paths, problems)
}

fn tree() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir_all(root.path().join("b/c")).unwrap();
    for name in ["z.pdf", "a.PDF", "notes.txt", "b/c/deep.Pdf", "b/x.pdf", "b/pdf"] {
        fs::write(root.path().join(name), name).unwrap();
    }
    root
}

#[test]
fn a_folder_is_listed_by_name_through_links_but_not_round_in_circles() {
    let root = tree();
    symlink(root.path(), root.path().join("b/loop")).unwrap();
    symlink(root.path().join("z.pdf"), root.path().join("link.pdf")).unwrap();
    symlink("nowhere", root.path().join("broken.pdf")).unwrap();
    symlink("nowhere", root.path().join("broken.txt")).unwrap();
    let (paths, problems) = found(root.path(), &[root.path().as_os_str()]);
    assert_eq!(paths, ["a.PDF", "b/c/deep.Pdf", "b/x.pdf", "broken.pdf", "link.pdf", "z.pdf"]);
    assert_eq!(problems, 0);
}

#[test]
fn a_pipe_in_a_folder_is_no_document() {
    let root = tree();
    let pipe = std::ffi::CString::new(root.path().join("pipe.pdf").to_str().unwrap()).unwrap();
    // SAFETY: the path is a valid C string.
    assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
    assert!(!found(root.path(), &[root.path().as_os_str()]).0.contains(&"pipe.pdf".to_owned()));
    let error = fetch(&root.path().join("pipe.pdf"), 10).unwrap_err();
    assert!(matches!(error, FetchError::NotAFile), "{error}");
}

#[test]
fn a_named_file_is_taken_whatever_its_name() {
    let root = tree();
    let (paths, _) = found(root.path(), &[root.path().join("notes.txt").as_os_str()]);
    assert_eq!(paths, ["notes.txt"]);
}

#[test]
fn a_pattern_takes_files_and_folders_but_a_file_named_like_one_is_itself() {
    let root = tree();
    fs::write(root.path().join("[1].pdf"), "1").unwrap();
    let pattern = root.path().join("[bz]*");
    assert_eq!(found(root.path(), &[pattern.as_os_str()]).0, ["b/c/deep.Pdf", "b/x.pdf", "z.pdf"]);
    let literal = root.path().join("[1].pdf");
    assert_eq!(found(root.path(), &[literal.as_os_str()]).0, ["[1].pdf"]);
}

#[test]
fn a_manifest_names_documents_that_may_be_gone() {
    let root = tree();
    let z = root.path().join("z.pdf");
    let gone = root.path().join("gone.pdf");
    let text = format!(
        "{}\r\n\n{}\n{}\ns3://b/k\ns3://bucket/",
        from_path(&z),
        gone.display(),
        root.path().join("a.PDF").display()
    );
    fs::write(root.path().join("list"), text).unwrap();
    let argument = format!("@{}", root.path().join("list").display());
    assert_eq!(
        found(root.path(), &[OsStr::new(&argument)]),
        (vec!["z.pdf".into(), "gone.pdf".into(), "a.PDF".into()], 2)
    );
}

#[test]
fn what_names_nothing_is_an_error() {
    for argument in ["/nonexistent", "@/nonexistent", "/nonexistent/../x"] {
        let error = Source::parse(OsStr::new(argument)).unwrap_err();
        assert!(error.to_string().contains(argument), "{error}");
    }
    assert!(matches!(Source::parse(OsStr::new("s3:///p")), Err(SourceError::Bucket(_))));
    assert!(matches!(Source::parse(OsStr::new("/x/***")), Err(SourceError::Glob { .. })));
}

#[test]
fn the_etag_tells_versions_apart_and_bytes_belong_to_it() {
    let root = tree();
    let path = root.path().join("z.pdf");
    let first = fetch(&path, 100).unwrap();
    assert_eq!(&first.bytes[..], b"z.pdf");
    let Some(Listed::Document(listed)) = list(vec![Source::Path(path.clone())]).next() else {
        panic!("not listed")
    };
    assert_eq!(listed.etag.as_deref(), Some(first.etag.as_str()));
    fs::remove_file(&path).unwrap();
    fs::write(&path, "Z.PDF").unwrap();
    assert_ne!(fetch(&path, 100).unwrap().etag, first.etag);
}

#[test]
fn a_file_over_the_limit_is_not_read() {
    let root = tree();
    let path = root.path().join("z.pdf");
    assert!(fetch(&path, 5).is_ok());
    let error = fetch(&path, 4).unwrap_err();
    assert!(matches!(error, FetchError::TooLarge { size_bytes: 5, limit_bytes: 4 }), "{error}");
    assert!(matches!(fetch(&root.path().join("gone"), 4), Err(FetchError::Missing)));
    assert!(matches!(fetch(root.path(), 4), Err(FetchError::NotAFile)));
}

#[test]
fn only_what_lies_below_a_root_is_read() {
    let root = tree();
    let (below, secret) = (root.path().join("b"), root.path().join("z.pdf"));
    let roots = [root.path().join("nonexistent"), below.clone()];
    let link = |target: &Path, name: &str| {
        std::os::unix::fs::symlink(target, below.join(name)).unwrap();
        below.join(name)
    };
    let inside = [below.join("x.pdf"), link(&below.join("x.pdf"), "inward"), below.join("c/deep.Pdf")];
    for path in &inside {
        fetch_below(&roots, path, 100).unwrap();
    }
    let outside = [
        secret.clone(),
        below.join("../z.pdf"),
        PathBuf::from(format!("{}x.pdf", below.display())),
        PathBuf::from("/etc/passwd"),
        PathBuf::from("/nonexistent"),
        link(&secret, "outward"),
        link(root.path(), "up").join("z.pdf"),
        PathBuf::from("/proc/self/environ"),
    ];
    for path in &outside {
        let error = fetch_below(&roots, path, 1 << 20).unwrap_err();
        assert!(matches!(error, FetchError::NotAllowed), "{}: {error}", path.display());
        assert!(matches!(fetch_below(&[], path, 1 << 20), Err(FetchError::NotAllowed)));
    }
    assert!(matches!(fetch_below(&roots, &below.join("gone"), 100), Err(FetchError::Missing)));
    assert!(matches!(fetch_below(&roots, &below.join("x.pdf"), 2), Err(FetchError::TooLarge { .. })));
    // A root that is itself a link is as good as what it points to.
    let alias = root.path().join("alias");
    std::os::unix::fs::symlink(&below, &alias).unwrap();
    fetch_below(std::slice::from_ref(&alias), &alias.join("x.pdf"), 100).unwrap();
}
