//! Writes damaged copies of PDF files into a folder, to scan them and see that nothing is lost.
//!
//! usage: cargo run --release --example mutated_corpus -- SEEDS OUT [COUNT] [FIRST]
//!
//! SEEDS is a folder of PDF files (`pagesieve sample` writes one); those over 64 KiB are left out. COUNT files are written
//! (default 10,000), 1,000 to a subfolder; file number n is damaged with seed FIRST + n (default 0), so that a run can be
//! repeated file by file. Then:
//!
//! ```text
//! pagesieve scan OUT --out DIR --json      every file ends in one state; `crashed`, `timeout` and `memory` name their cause
//! ```

use std::path::{Path, PathBuf};

use pagesieve::sample::mutate;

/// Larger seeds would make the folder larger, not the damage more varied.
const MOST_BYTES: u64 = 64 << 10;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [seeds, out, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: mutated_corpus SEEDS OUT [COUNT] [FIRST]");
        std::process::exit(2);
    };
    let number = |at: usize, default: u64| rest.get(at).map_or(Some(default), |text| text.parse().ok());
    let (Some(count), Some(first)) = (number(0, 10_000), number(1, 0)) else {
        eprintln!("COUNT and FIRST are numbers");
        std::process::exit(2);
    };
    let seeds = read_seeds(Path::new(seeds))?;
    if seeds.is_empty() {
        eprintln!("{} holds no PDF file of at most {MOST_BYTES} bytes", arguments[0]);
        std::process::exit(2);
    }
    for number in 0..count {
        let folder = Path::new(out).join(format!("{:03}", number / 1000));
        if number % 1000 == 0 {
            std::fs::create_dir_all(&folder)?;
        }
        let file = &seeds[(number % seeds.len() as u64) as usize];
        std::fs::write(folder.join(format!("{number:06}.pdf")), mutate(file, first + number))?;
    }
    println!("{count} files from {} seeds", seeds.len());
    Ok(())
}

fn read_seeds(folder: &Path) -> std::io::Result<Vec<Vec<u8>>> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("pdf")));
    paths.sort();
    let mut seeds = Vec::new();
    for path in paths {
        if std::fs::metadata(&path)?.len() <= MOST_BYTES {
            seeds.push(std::fs::read(path)?);
        }
    }
    Ok(seeds)
}
