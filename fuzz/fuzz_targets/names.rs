//! Any glyph names.
#![no_main]

mod font_file;

use std::fmt::Write as _;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|names: Vec<&[u8]>| {
    let mut font =
        String::from("<</Type /Font /Subtype /Type1 /BaseFont /ZapfDingbats /Encoding <</Differences [0");
    for name in names.iter().take(256) {
        font.push_str(" /");
        for byte in *name {
            // Writing to a string cannot fail.
            let _ = write!(font, "#{byte:02X}");
        }
    }
    font.push_str("]>>>>");
    let string: Vec<u8> = (0..=255).collect();
    font_file::ask(&font_file::file(font.as_bytes(), [b"", b"", b""]), &string);
});
