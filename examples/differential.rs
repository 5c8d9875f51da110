//! Reads every font of every PDF file in a folder with both reader stacks and prints where they part.
//!
//! usage: cargo run --release --no-default-features --example differential -- FOLDER
//!
//! One line a font: file, font, whether the facts differ or the second stack cannot read them, and which; then the totals by
//! cause.

use std::collections::BTreeMap;
use std::path::PathBuf;

use pagesieve::score::{Limits, differential};

fn main() -> std::io::Result<()> {
    let Some(folder) = std::env::args().nth(1) else {
        eprintln!("usage: differential FOLDER");
        std::process::exit(2);
    };
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    paths.sort();
    let (mut n_files, mut n_unread, mut n_fonts) = (0, 0, 0);
    let mut causes: BTreeMap<String, usize> = BTreeMap::new();
    for path in paths.iter().filter(|path| path.is_file()) {
        n_files += 1;
        let Some((n, parted)) = differential(&std::fs::read(path)?, &Limits::default()) else {
            n_unread += 1;
            continue;
        };
        n_fonts += n;
        for found in parted {
            println!("{}\t{}\t{:?}\t{}", path.display(), found.font, found.kind, found.cause);
            *causes.entry(format!("{:?}: {}", found.kind, found.cause)).or_default() += 1;
        }
    }
    let n_parted: usize = causes.values().sum();
    eprintln!(
        "{n_files} files ({n_unread} not opened), {n_fonts} fonts: the stacks agree on {}",
        n_fonts - n_parted
    );
    for (cause, n) in causes {
        eprintln!("{n:6}  {cause}");
    }
    Ok(())
}
