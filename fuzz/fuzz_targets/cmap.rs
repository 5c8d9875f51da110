//! Any bytes as ToUnicode map and as CMap.
#![no_main]

mod font_file;

use libfuzzer_sys::fuzz_target;

const FONT: &[u8] = b"<</Type /Font /Subtype /Type0 /Encoding 5 0 R /ToUnicode 4 0 R \
    /DescendantFonts [<</Subtype /CIDFontType0 /CIDSystemInfo <</Ordering (Japan1)>>>>]>>";

/// Codes of one to four bytes, whatever the map makes of them.
const STRING: &[u8] = b"\x00\x41\x00\x42A\x81\x40\x8E\xA1\xA1\xA1\xFF\xFF\xD8\x00\xDC\x00\x00";

fuzz_target!(|map: &[u8]| {
    font_file::ask(&font_file::file(FONT, [map, map, b""]), STRING);
});
