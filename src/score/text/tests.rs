use super::*;

#[test]
fn runs_share_two_buffers() {
    let mut page = PageMeasure::default();
    let run = TextRun::new(0, [10.0, 700.0], [30.0, 700.0], 12.0);
    page.push_run(run, [(CharCode(1), "a"), (CharCode(2), ""), (CharCode(3), "é")]);
    page.push_run(TextRun { gap_before: true, ..run }, [(CharCode(4), "b")]);
    let [first, second] = page.runs[..] else { panic!("two runs") };
    assert_eq!(page.text(&first), "aé");
    assert_eq!(page.codes(&first), [(CharCode(1), 0), (CharCode(2), 1), (CharCode(3), 1)]);
    assert_eq!((page.text(&second), page.codes(&second)), ("b", &[(CharCode(4), 0)][..]));
}
