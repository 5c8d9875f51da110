use super::*;

#[test]
fn flate_round_trip() {
    use std::io::Write;
    let text = b"BT /F1 12 Tf (hello) Tj ET\n".repeat(1000);
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(&text).unwrap();
    let mut out = Vec::new();
    let filters = [Filter::Flate(Predictor::None)];
    assert_eq!(decode_raw(&filters, &encoder.finish().unwrap(), 1 << 20, &mut out), Decoded::Complete);
    assert_eq!(out, text);
}
