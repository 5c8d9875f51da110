//! Any font dictionary over any three streams.
#![no_main]

mod font_file;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    shape: u8,
    entries: &'a str,
    to_unicode: &'a [u8],
    map: &'a [u8],
    program: &'a [u8],
    string: &'a [u8],
}

/// Dictionaries that lead to the streams; the entries stand inside them.
const SHAPES: [&str; 6] = [
    "/Subtype /Type1 /ToUnicode 4 0 R /FontDescriptor <</FontFile 6 0 R>>",
    "/Subtype /Type1 /FontDescriptor <</FontFile3 6 0 R>>",
    "/Subtype /TrueType /FontDescriptor <</Flags 4 /FontFile2 6 0 R>>",
    "/Subtype /Type3 /FontMatrix [1 0 0 1 0 0] /CharProcs <</A 4 0 R /q1z 5 0 R>>",
    "/Subtype /Type0 /Encoding /Identity-H /ToUnicode 4 0 R \
        /DescendantFonts [<</Subtype /CIDFontType2 /CIDToGIDMap 5 0 R /FontDescriptor <</FontFile2 6 0 R>>>>]",
    "/Subtype /Type0 /Encoding 5 0 R \
        /DescendantFonts [<</Subtype /CIDFontType0 /FontDescriptor <</FontFile3 6 0 R>>>>]",
];

fuzz_target!(|input: Input<'_>| {
    let shape = SHAPES[usize::from(input.shape) % SHAPES.len()];
    let font = format!("<</Type /Font {shape} {}>>", input.entries);
    let file = font_file::file(font.as_bytes(), [input.to_unicode, input.map, input.program]);
    font_file::ask(&file, &input.string[..input.string.len().min(256)]);
});
