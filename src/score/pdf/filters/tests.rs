use std::io::Write;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use hayro_syntax::object::FromBytes;

const CAP: usize = 1 << 20;

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn flate() -> Filter {
    Filter::Flate(Predictor::None)
}

fn decode(filters: &[Filter], raw: &[u8], cap_bytes: usize) -> (End, Vec<u8>) {
    let mut out = b"left over".to_vec();
    let end = run(filters, raw, cap_bytes, &mut out);
    (end, out)
}

fn stream(bytes: &[u8]) -> Stream<'_> {
    Stream::from_bytes(bytes).unwrap()
}

/// Text with repetitions, as content has.
fn text() -> Vec<u8> {
    (0..500)
        .flat_map(|n| format!("BT /F1 12 Tf {} {} Td (line {n}) Tj ET\n", n % 7, n).into_bytes())
        .collect()
}

mod flate_decode {
    use super::*;

    #[test]
    fn whole_data_are_complete() {
        assert_eq!(decode(&[flate()], &zlib(&text()), CAP), (End::Complete, text()));
        assert_eq!(decode(&[flate()], &zlib(b""), CAP), (End::Complete, vec![]));
        assert_eq!(decode(&[flate()], b"", CAP), (End::Complete, vec![]));
    }

    #[test]
    fn cap_is_exact() {
        let data = zlib(&text());
        let length = text().len();
        assert_eq!(decode(&[flate()], &data, length), (End::Complete, text()));
        assert_eq!(decode(&[flate()], &data, length - 1), (End::OverLimit, text()[..length - 1].to_vec()));
        assert_eq!(decode(&[flate()], &data, 0), (End::OverLimit, vec![]));
    }

    #[test]
    fn truncated_data_give_what_is_there() {
        let data = zlib(&text());
        let (end, out) = decode(&[flate()], &data[..data.len() / 2], CAP);
        assert_eq!(end, End::Truncated);
        assert!(out.len() > text().len() / 4 && text().starts_with(&out), "{} bytes", out.len());
    }

    #[test]
    fn damaged_data_give_what_came_before() {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(&text()).unwrap();
        encoder.flush().unwrap();
        // A block of the type that does not exist.
        let data = [encoder.get_ref().as_slice(), &[0xff; 20]].concat();
        assert_eq!(decode(&[flate()], &data, CAP), (End::Damaged, text()));
    }

    #[test]
    fn wrong_or_missing_checksum_is_no_damage() {
        let mut data = zlib(&text());
        *data.last_mut().unwrap() ^= 1;
        assert_eq!(decode(&[flate()], &data, CAP).0, End::Complete);
        data.truncate(data.len() - 4);
        assert_eq!(decode(&[flate()], &data, CAP), (End::Complete, text()));
    }

    #[test]
    fn header_may_be_missing_wrong_or_behind_a_line_end() {
        let data = zlib(&text());
        assert_eq!(decode(&[flate()], &data[2..], CAP), (End::Complete, text()));
        let wrong = [b"\x79\x9c".as_slice(), &data[2..]].concat();
        assert_eq!(decode(&[flate()], &wrong, CAP), (End::Complete, text()));
        let shifted = [b"\r\n".as_slice(), &data].concat();
        assert_eq!(decode(&[flate()], &shifted, CAP), (End::Complete, text()));
    }

    #[test]
    fn plain_bytes_are_damaged_and_give_nothing() {
        assert_eq!(decode(&[flate()], b"BT (plain) Tj ET", CAP), (End::Damaged, vec![]));
    }

    #[test]
    fn trailing_bytes_are_ignored() {
        let data = [zlib(&text()), b"\r\nendobj 7 0 obj".to_vec()].concat();
        assert_eq!(decode(&[flate()], &data, CAP), (End::Complete, text()));
    }

    #[test]
    fn length_is_counted_without_the_bytes() {
        let data = zlib(&vec![0; 3 << 20]);
        assert_eq!(flate::inflated_len(&data, 64 << 20), 3 << 20);
        assert!((1 << 20..2 << 20).contains(&flate::inflated_len(&data, 1 << 20)));
        assert_eq!(flate::inflated_len(&[0xff; 8], 100), 0);
    }
}

mod other_filters {
    use super::*;

    fn lzw(data: &[u8], early_change: bool) -> Vec<u8> {
        use weezl::{BitOrder, encode::Encoder};
        let mut encoder = match early_change {
            true => Encoder::with_tiff_size_switch(BitOrder::Msb, 8),
            false => Encoder::new(BitOrder::Msb, 8),
        };
        encoder.encode(data).unwrap()
    }

    #[test]
    fn lzw_round_trip_with_both_early_changes() {
        for early_change in [true, false] {
            let filter = Filter::Lzw { early_change, predictor: Predictor::None };
            assert_eq!(decode(&[filter], &lzw(&text(), early_change), CAP), (End::Complete, text()));
            assert_eq!(
                decode(&[filter], &lzw(&text(), early_change), 100),
                (End::OverLimit, text()[..100].to_vec())
            );
            // The other one reads wrong codes from the first change of width on.
            assert_ne!(decode(&[filter], &lzw(&text(), !early_change), CAP).1, text());
        }
    }

    #[test]
    fn lzw_example_of_the_standard() {
        // ISO 32000-2, 7.4.4.2, example 2.
        let filter = Filter::Lzw { early_change: true, predictor: Predictor::None };
        let encoded = [0x80, 0x0b, 0x60, 0x50, 0x22, 0x0c, 0x0c, 0x85, 0x01];
        let decoded = vec![45, 45, 45, 45, 45, 65, 45, 45, 45, 66];
        assert_eq!(decode(&[filter], &encoded, CAP), (End::Complete, decoded.clone()));
        assert_eq!(decode(&[filter], &encoded[..7], CAP), (End::Complete, decoded[..9].to_vec()));
    }

    #[test]
    fn ascii_85() {
        let whole = (End::Complete, b"Man is d".to_vec());
        for encoded in
            ["9jqo^BlbD-", "9jqo^BlbD-~>", "<~9jqo^ BlbD-~>", " 9jq\no^BlbD-\r\n~ >", "9jqo^BlbD-~>junk"]
        {
            assert_eq!(decode(&[Filter::Ascii85], encoded.as_bytes(), CAP), whole, "{encoded}");
        }
        assert_eq!(decode(&[Filter::Ascii85], b"z9jqo~>", CAP), (End::Complete, b"\0\0\0\0Man".to_vec()));
        assert_eq!(
            decode(&[Filter::Ascii85], b"9jqo^\x80BlbD-~>", CAP),
            (End::Damaged, b"Man is d".to_vec())
        );
        assert_eq!(decode(&[Filter::Ascii85], b"9jqo^B~>", CAP), (End::Damaged, b"Man ".to_vec()));
        assert_eq!(decode(&[Filter::Ascii85], b"zzzz", 7), (End::OverLimit, vec![0; 7]));
    }

    #[test]
    fn ascii_hex() {
        assert_eq!(decode(&[Filter::AsciiHex], b"4D 61\n6e>00", CAP), (End::Complete, b"Man".to_vec()));
        assert_eq!(decode(&[Filter::AsciiHex], b"4D617>", CAP), (End::Complete, b"Map".to_vec()));
        assert_eq!(decode(&[Filter::AsciiHex], b"4D61", CAP), (End::Complete, b"Ma".to_vec()));
        assert_eq!(decode(&[Filter::AsciiHex], b"4Dx61>", CAP), (End::Damaged, b"Ma".to_vec()));
        assert_eq!(decode(&[Filter::AsciiHex], b"4D6161", 2), (End::OverLimit, b"Ma".to_vec()));
    }

    #[test]
    fn run_length() {
        let encoded = [2, b'a', b'b', b'c', 254, b'x', 0, b'y', 128, 9, 9];
        assert_eq!(decode(&[Filter::RunLength], &encoded, CAP), (End::Complete, b"abcxxxy".to_vec()));
        assert_eq!(decode(&[Filter::RunLength], &encoded[..3], CAP), (End::Truncated, b"ab".to_vec()));
        assert_eq!(decode(&[Filter::RunLength], &[254], CAP), (End::Truncated, vec![]));
        assert_eq!(decode(&[Filter::RunLength], &encoded, 5), (End::OverLimit, b"abcxx".to_vec()));
    }

    #[test]
    fn brotli() {
        // One uncompressed meta-block, then an empty last one (RFC 7932, 9.2).
        let encoded = [0x30, 0x00, 0x10, b'h', b'a', b'l', b'l', 0x03];
        let (end, out) = decode(&[Filter::Brotli(Predictor::None)], &encoded, CAP);
        assert_eq!((end, out.as_slice()), (End::Complete, b"hall".as_slice()));
        assert_eq!(decode(&[Filter::Brotli(Predictor::None)], &encoded[..5], CAP).0, End::Damaged);
        assert_eq!(
            decode(&[Filter::Brotli(Predictor::None)], &encoded, 3),
            (End::OverLimit, b"hal".to_vec())
        );
    }

    #[test]
    fn every_stage_is_held_to_the_cap() {
        let twice = zlib(&zlib(&vec![b' '; 8 << 20]));
        assert!(twice.len() < 200);
        let (end, out) = decode(&[flate(), flate()], &twice, 1 << 20);
        assert_eq!((end, out.len()), (End::OverLimit, 1 << 20));
        // The first stage alone is over: what it gives is decoded as far as it goes.
        let (end, out) = decode(&[flate(), flate()], &twice, 1000);
        assert_eq!((end, out.len()), (End::OverLimit, 1000));
    }

    #[test]
    fn stages_follow_each_other() {
        let hex: Vec<u8> = zlib(&text()).iter().flat_map(|byte| format!("{byte:02x}").into_bytes()).collect();
        assert_eq!(
            decode(&[Filter::AsciiHex, Filter::Identity, flate()], &hex, CAP),
            (End::Complete, text())
        );
        assert_eq!(decode(&[Filter::AsciiHex, Filter::Unsupported], &hex, CAP), (End::Unsupported, vec![]));
        assert_eq!(decode(&[], b"plain", CAP), (End::Complete, b"plain".to_vec()));
        assert_eq!(decode(&[], b"plain", 2), (End::OverLimit, b"pl".to_vec()));
    }
}

mod predictors {
    use super::*;

    fn undo(predictor: Predictor, data: &[u8]) -> Vec<u8> {
        let mut data = data.to_vec();
        assert_eq!(predictor.undo(&mut data), End::Complete);
        data
    }

    fn png(colors: i64, bits: i64, columns: i64) -> Predictor {
        Predictor::new(15, || Layout::new(colors, bits, columns))
    }

    /// Encodes rows with the filter of each tag, by the PNG specification's own formulas.
    fn encode_png(left: usize, row: usize, tags: &[u8], data: &[u8]) -> Vec<u8> {
        let at = |y: usize, x: isize| if x < 0 { 0 } else { data[y * row + x as usize] };
        let mut out = Vec::new();
        for (y, tag) in tags.iter().enumerate() {
            out.push(*tag);
            for x in 0..row {
                let a = at(y, x as isize - left as isize);
                let b = if y == 0 { 0 } else { at(y - 1, x as isize) };
                let c = if y == 0 { 0 } else { at(y - 1, x as isize - left as isize) };
                let p = i32::from(a) + i32::from(b) - i32::from(c);
                let distance = |v: u8| (p - i32::from(v)).abs();
                let paeth = [a, b, c].into_iter().min_by_key(|v| distance(*v)).unwrap();
                let guess = match tag {
                    1 => a,
                    2 => b,
                    3 => ((u32::from(a) + u32::from(b)) / 2) as u8,
                    4 => paeth,
                    _ => 0,
                };
                out.push(data[y * row + x].wrapping_sub(guess));
            }
        }
        out
    }

    #[test]
    fn png_rows_of_every_filter() {
        let data: Vec<u8> = (0..60u32).map(|n| (n * n * 7 + n) as u8).collect();
        for (colors, left) in [(1, 1), (3, 3), (4, 4)] {
            let encoded = encode_png(left, 12, &[4, 0, 1, 2, 3], &data);
            assert_eq!(undo(png(colors, 8, 12 / colors), &encoded), data, "{colors} colours");
        }
        // A row cut short is kept as far as it goes.
        let encoded = encode_png(1, 12, &[2, 2, 2, 2, 2], &data);
        assert_eq!(undo(png(1, 8, 12), &encoded[..encoded.len() - 5]), data[..55]);
        assert_eq!(undo(png(1, 8, 12), &encoded[..53]), data[..48], "a lone tag");
    }

    #[test]
    fn tiff_differences_of_every_depth() {
        let tiff = |colors, bits, columns| Predictor::new(2, || Layout::new(colors, bits, columns));
        assert_eq!(undo(tiff(1, 8, 4), &[1, 1, 1, 1, 9, 255, 0, 0]), [1, 2, 3, 4, 9, 8, 8, 8]);
        assert_eq!(undo(tiff(3, 8, 2), &[1, 2, 3, 1, 1, 1]), [1, 2, 3, 2, 3, 4]);
        assert_eq!(undo(tiff(1, 16, 2), &[0x00, 0xff, 0x00, 0x01]), [0x00, 0xff, 0x01, 0x00]);
        assert_eq!(undo(tiff(1, 4, 4), &[0x11, 0x1f]), [0x12, 0x32]);
        assert_eq!(undo(tiff(1, 2, 4), &[0b01_01_01_01]), [0b01_10_11_00]);
        assert_eq!(undo(tiff(1, 1, 8), &[0b1010_0001]), [0b1100_0001]);
    }

    #[test]
    fn parameters_out_of_range_leave_nothing() {
        let invalid = [(0, 8, 1), (65, 8, 1), (1, 3, 1), (1, 8, 0), (1, 8, i64::MAX), (1, 8, -5)];
        for (colors, bits, columns) in invalid {
            let predictor = png(colors, bits, columns);
            assert_eq!(predictor, Predictor::Invalid);
            let filters = [Filter::Flate(predictor)];
            assert_eq!(decode(&filters, &zlib(&text()), CAP), (End::Damaged, vec![]));
        }
        assert_eq!(Predictor::new(7, || Layout::new(1, 8, 1)), Predictor::Invalid);
        assert_eq!(Predictor::new(1, || None), Predictor::None);
    }
}

mod dictionaries {
    use super::*;

    fn filters(dict: &str) -> Option<Vec<Filter>> {
        let dict = dict.to_owned().into_bytes();
        read_filters(&Dict::from_bytes(&dict).unwrap(), MAX_FILTERS).map(|filters| filters.to_vec())
    }

    #[test]
    fn names_in_full_and_abbreviated() {
        let names =
            ["FlateDecode", "Fl", "ASCII85Decode", "A85", "ASCIIHexDecode", "AHx", "RunLengthDecode", "RL"];
        let expected = [flate(), Filter::Ascii85, Filter::AsciiHex, Filter::RunLength];
        for (index, name) in names.iter().enumerate() {
            let expected = expected[index / 2];
            assert_eq!(filters(&format!("<</Filter/{name}>>")), Some(vec![expected]), "{name}");
            assert_eq!(filters(&format!("<</F[/{name}]>>")), Some(vec![expected]), "{name}");
        }
        let lzw = |early_change| Some(vec![Filter::Lzw { early_change, predictor: Predictor::None }]);
        assert_eq!(filters("<</Filter/LZW>>"), lzw(true));
        assert_eq!(filters("<</Filter/LZWDecode/DecodeParms<</EarlyChange 0>>>>"), lzw(false));
        assert_eq!(filters("<</Filter[]>>"), Some(vec![]));
        assert_eq!(filters("<</Filter null>>"), Some(vec![]));
        assert_eq!(filters("<</Length 3>>"), Some(vec![]));
    }

    #[test]
    fn parameters_belong_to_their_filter() {
        let png = Predictor::new(12, || Layout::new(1, 8, 5));
        let parms = "<</Predictor 12/Columns 5>>";
        assert_eq!(filters(&format!("<</Filter/Fl/DP{parms}>>")), Some(vec![Filter::Flate(png)]));
        assert_eq!(filters(&format!("<</Filter/Fl/DecodeParms[{parms}]>>")), Some(vec![Filter::Flate(png)]));
        assert_eq!(
            filters(&format!("<</Filter[/A85/Fl]/DecodeParms[null {parms}]>>")),
            Some(vec![Filter::Ascii85, Filter::Flate(png)])
        );
        assert_eq!(filters("<</Filter[/A85/Fl]/DecodeParms[null]>>"), Some(vec![Filter::Ascii85, flate()]));
    }

    #[test]
    fn what_cannot_be_followed_is_unsupported() {
        for dict in ["<</F(external.bin)>>", "<</F<</F(x)>>>>", "<</Filter(Fl)>>", "<</Filter[/Fl 3]>>"] {
            assert_eq!(filters(dict), None, "{dict}");
        }
        for name in ["DCTDecode", "JPXDecode", "CCITTFaxDecode", "JBIG2Decode", "DCT", "Nonsense"] {
            assert_eq!(filters(&format!("<</Filter/{name}>>")), Some(vec![Filter::Unsupported]), "{name}");
        }
        let many = "/AHx".repeat(MAX_FILTERS);
        assert_eq!(filters(&format!("<</Filter[{many}]>>")).unwrap().len(), MAX_FILTERS);
        assert_eq!(filters(&format!("<</Filter[{many}/AHx]>>")), None);
    }

    #[test]
    fn crypt_filter_passes_first_or_as_identity() {
        assert_eq!(filters("<</Filter/Crypt>>"), Some(vec![Filter::Identity]));
        assert_eq!(filters("<</Filter/Crypt/DecodeParms<</Name/Mine>>>>"), Some(vec![Filter::Identity]));
        let later = "<</Filter[/AHx/Crypt]/DecodeParms[null<</Name/Mine>>]>>";
        assert_eq!(filters(later), Some(vec![Filter::AsciiHex, Filter::Unsupported]));
    }

    #[test]
    fn streams_decode_and_hash_by_what_decides_their_bytes() {
        let of = |text: &'static [u8]| stream(text);
        let (a, b) =
            (of(b"<</Length 4/Filter/AHx>>stream\n4D61\nendstream"), b"<</Filter/AHx/Length 4/X 1>>");
        let b = [b.as_slice(), b"stream\n4D61\nendstream"].concat();
        let mut out = Vec::new();
        assert_eq!(decode_stream(&a, CAP, &mut out), Decoded::Complete);
        assert_eq!(out, b"Ma");
        assert_eq!(compressed_hash(&a), compressed_hash(&stream(&b)), "other keys do not matter");
        for other in [
            b"<</Length 4/Filter/Fl>>stream\n4D61\nendstream".as_slice(),
            b"<</Length 4/Filter/AHx>>stream\n4D62\nendstream",
            b"<</Length 4/Filter/AHx/DP<</Predictor 2>>>>stream\n4D61\nendstream",
            b"<</Length 4>>stream\n4D61\nendstream",
        ] {
            assert_ne!(compressed_hash(&a), compressed_hash(&stream(other)));
        }
        assert_eq!(
            decode_stream(&of(b"<</F(x)/Length 1>>stream\nq\nendstream"), CAP, &mut out),
            Decoded::Unsupported
        );
        assert_eq!(out, b"");
    }
}

fn any_filter() -> impl Strategy<Value = Filter> {
    let predictor = prop_oneof![
        Just(Predictor::None),
        (0..20i64, -1..40i64, prop_oneof![Just(1), Just(2), Just(4), Just(8), Just(16)], -1..100i64)
            .prop_map(|(n, colors, bits, columns)| Predictor::new(n, || Layout::new(colors, bits, columns))),
    ];
    (0..7, predictor, any::<bool>()).prop_map(|(kind, predictor, early_change)| match kind {
        0 => Filter::Flate(predictor),
        1 => Filter::Lzw { early_change, predictor },
        2 => Filter::Ascii85,
        3 => Filter::AsciiHex,
        4 => Filter::RunLength,
        5 => Filter::Brotli(predictor),
        _ => Filter::Identity,
    })
}

proptest! {
    #[test]
    fn any_filters_survive_any_bytes(
        filters in vec(any_filter(), 0..4),
        raw in vec(any::<u8>(), 0..2048),
        cap_bytes in 0..4096usize,
    ) {
        let (_, out) = decode(&filters, &raw, cap_bytes);
        prop_assert!(out.len() <= cap_bytes);
    }

    #[test]
    fn damaged_flate_never_exceeds_the_cap(
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
        cap_bytes in 0..30_000usize,
    ) {
        let mut raw = zlib(&text());
        let at = at.index(raw.len());
        raw[at] = byte;
        let (_, out) = decode(&[flate()], &raw, cap_bytes);
        prop_assert!(out.len() <= cap_bytes);
    }

    #[test]
    fn flate_round_trip(data in vec(any::<u8>(), 0..5000)) {
        prop_assert_eq!(decode(&[flate()], &zlib(&data), 5000), (End::Complete, data));
    }

    #[test]
    fn read_filters_survives_any_dictionary(text in "<<(/(Filter|F|DecodeParms|DP|Length) ?(\\[|\\]|/Fl|/AHx|null|1 0 R|<<|>>|[0-9]|\\(x\\)){0,6}){0,6}>>") {
        if let Some(dict) = Dict::from_bytes(text.as_bytes()) {
            let _ = read_filters(&dict, 4);
        }
    }
}
