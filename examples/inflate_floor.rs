//! The floor under every scan: reading the files and inflating each content, font and CMap stream once.
//!
//! ```text
//! inflate_floor index FOLDER > ranges.tsv   finds the streams (not timed)
//! inflate_floor run ranges.tsv              reads the files and inflates the ranges: this is the floor
//! ```
//!
//! Only streams with a single FlateDecode are taken and encrypted files are left out, so the floor is low
//! rather than high.

use std::collections::HashSet;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use flate2::{Decompress, FlushDecompress};
use hayro_syntax::Pdf;
use hayro_syntax::object::{Array, Dict, Name, Object, Stream};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["index", folder] => index(Path::new(folder)),
        ["run", ranges] => run(Path::new(ranges)),
        _ => Err("usage: inflate_floor index FOLDER | run RANGES".into()),
    }
}

fn index(folder: &Path) -> Result<(), Box<dyn Error>> {
    let mut out = String::new();
    let mut paths: Vec<_> =
        std::fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    paths.sort();
    let mut pages = 0;
    for path in paths {
        let bytes = Arc::new(std::fs::read(&path)?);
        let Ok(pdf) = Pdf::new(Arc::clone(&bytes)) else { continue };
        pages += pdf.pages().len();
        let mut found = Found {
            start: bytes.as_ptr() as usize,
            len: bytes.len(),
            seen: HashSet::new(),
            ranges: Vec::new(),
        };
        for page in pdf.pages().iter() {
            let dict = page.raw();
            if let Some(stream) = dict.get::<Stream<'_>>("Contents") {
                found.take(&stream);
            } else if let Some(parts) = dict.get::<Array<'_>>("Contents") {
                parts.iter::<Object<'_>>().filter_map(Object::into_stream).for_each(|part| found.take(&part));
            }
            let resources = dict.get::<Dict<'_>>("Resources").unwrap_or_default();
            found.resources(&resources, 0);
        }
        for (offset, length) in found.ranges {
            writeln!(out, "{}\t{offset}\t{length}", path.display())?;
        }
    }
    eprintln!("{pages} pages");
    print!("{out}");
    Ok(())
}

struct Found {
    start: usize,
    len: usize,
    seen: HashSet<usize>,
    ranges: Vec<(usize, usize)>,
}

impl Found {
    fn take(&mut self, stream: &Stream<'_>) {
        let flate = stream
            .dict()
            .get::<Name<'_>>("Filter")
            .is_some_and(|name| name.as_str() == "FlateDecode")
            || stream.dict().get::<Array<'_>>("Filter").is_some_and(|names| {
                names.iter::<Name<'_>>().map(|name| name.as_str().to_owned()).eq(["FlateDecode".to_owned()])
            });
        let std::borrow::Cow::Borrowed(data) = stream.raw_data() else { return };
        let offset = (data.as_ptr() as usize).wrapping_sub(self.start);
        if flate && offset < self.len && self.seen.insert(offset) {
            self.ranges.push((offset, data.len()));
        }
    }

    fn resources(&mut self, resources: &Dict<'_>, depth: u32) {
        if depth > 8 {
            return;
        }
        let entries = |key: &str| resources.get::<Dict<'_>>(key).unwrap_or_default();
        let forms = entries("XObject");
        for key in forms.keys() {
            let Some(stream) = forms.get::<Stream<'_>>(&*key) else { continue };
            let is_form =
                stream.dict().get::<Name<'_>>("Subtype").is_some_and(|name| name.as_str() == "Form");
            let known = self.seen.len();
            if is_form {
                self.take(&stream);
                if self.seen.len() > known {
                    self.resources(
                        &stream.dict().get::<Dict<'_>>("Resources").unwrap_or_default(),
                        depth + 1,
                    );
                }
            }
        }
        let fonts = entries("Font");
        for key in fonts.keys() {
            let Some(font) = fonts.get::<Dict<'_>>(&*key) else { continue };
            let descendant =
                font.get::<Array<'_>>("DescendantFonts").and_then(|a| a.iter::<Dict<'_>>().next());
            for dict in [Some(&font), descendant.as_ref()].into_iter().flatten() {
                ["ToUnicode", "Encoding", "CIDToGIDMap"]
                    .iter()
                    .filter_map(|key| dict.get::<Stream<'_>>(key))
                    .for_each(|stream| self.take(&stream));
                let descriptor = dict.get::<Dict<'_>>("FontDescriptor").unwrap_or_default();
                ["FontFile", "FontFile2", "FontFile3"]
                    .iter()
                    .filter_map(|key| descriptor.get::<Stream<'_>>(key))
                    .for_each(|stream| self.take(&stream));
                let procedures = dict.get::<Dict<'_>>("CharProcs").unwrap_or_default();
                procedures.keys().for_each(|key| {
                    if let Some(stream) = procedures.get::<Stream<'_>>(&*key) {
                        self.take(&stream);
                    }
                });
            }
        }
    }
}

fn run(ranges: &Path) -> Result<(), Box<dyn Error>> {
    let ranges = std::fs::read_to_string(ranges)?;
    let mut state = Decompress::new(true);
    let mut out = Vec::with_capacity(1 << 20);
    let (mut path, mut bytes, mut inflated) = ("", Vec::new(), 0_u64);
    for line in ranges.lines() {
        let mut fields = line.split('\t');
        let (Some(file), Some(offset), Some(length)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let (offset, length): (usize, usize) = (offset.parse()?, length.parse()?);
        if file != path {
            bytes = std::fs::read(file)?;
            path = file;
        }
        state.reset(true);
        out.clear();
        loop {
            let consumed = state.total_in() as usize;
            let before = state.total_out();
            let input = bytes.get(offset + consumed..offset + length).unwrap_or_default();
            let status = state.decompress_vec(input, &mut out, FlushDecompress::None);
            if out.len() == out.capacity() {
                out.reserve(out.capacity());
            }
            let stuck = state.total_in() as usize == consumed && state.total_out() == before;
            if !matches!(status, Ok(flate2::Status::Ok)) || stuck {
                break;
            }
        }
        inflated += out.len() as u64;
    }
    println!("{inflated} bytes inflated");
    Ok(())
}
