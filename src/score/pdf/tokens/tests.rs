use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

/// Operators with their operands, spelled out.
fn read(content: &[u8]) -> Vec<String> {
    let mut tokens = Tokenizer::new(content);
    let mut seen = Vec::new();
    while let Some(op) = tokens.next_op() {
        let mut line = String::new();
        for operand in tokens.operands() {
            line += &spell(operand, tokens.items());
            line.push(' ');
        }
        line += std::str::from_utf8(op.keyword()).unwrap();
        seen.push(line);
    }
    seen
}

fn spell(operand: &Operand<'_>, items: &[Operand<'_>]) -> String {
    let mut scratch = Vec::new();
    match operand {
        Operand::Number(value) => format!("{value}"),
        Operand::Name(raw) => format!("/{}", name_bytes(raw, &mut scratch).escape_ascii()),
        Operand::String(raw, spelling) => {
            format!("({})", string_bytes(raw, *spelling, &mut scratch).escape_ascii())
        }
        Operand::Array(start, end) => {
            let items: Vec<String> =
                items[*start as usize..*end as usize].iter().map(|item| spell(item, &[])).collect();
            format!("[{}]", items.join(" "))
        }
        Operand::Dict(raw) => format!("<<{}>>", raw.escape_ascii()),
        Operand::Bytes(raw) => format!("{{{}}}", raw.escape_ascii()),
        Operand::Bool(value) => format!("{value}"),
        Operand::Null => "null".into(),
    }
}

#[test]
fn every_operator_is_found_by_its_keyword() {
    for keyword in ["b", "BDC", "d0", "T*", "'", "\"", "scn", "SCN", "f*", "EMC"] {
        let op = Op::from_keyword(keyword.as_bytes()).unwrap();
        assert_eq!(op.keyword(), keyword.as_bytes());
    }
    assert_eq!(Op::from_keyword(b"F"), Some(Op::Fill));
    for word in ["", "x", "Tq", "BTT", "BDCX", "\0", "f\0"] {
        assert_eq!(Op::from_keyword(word.as_bytes()), None, "{word:?}");
    }
}

#[test]
fn a_text_object() {
    let content = b"BT /F1 12 Tf 1 0 0 1 72.5 700 Tm (Hi) Tj [(A) -120.5 <4142> 3 (C)] TJ ET";
    assert_eq!(
        read(content),
        ["BT", "/F1 12 Tf", "1 0 0 1 72.5 700 Tm", "(Hi) Tj", "[(A) -120.5 (AB) 3 (C)] TJ", "ET"]
    );
}

#[test]
fn strings_are_unescaped() {
    assert_eq!(read(br"(a\(b\)c \\ \101\7x (n(e)sted)) Tj"), [r"(a(b)c \\ A\x07x (n(e)sted)) Tj"]);
    assert_eq!(read(b"(a\r\nb\\\nc\\\r\nd) Tj"), [r"(a\nbcd) Tj"]);
    assert_eq!(read(b"<48 65 6C6c 6> Tj"), ["(Hell`) Tj"]);
    assert_eq!(read(b"() Tj <> Tj"), ["() Tj", "() Tj"]);
}

#[test]
fn names_are_unescaped() {
    assert_eq!(read(b"/A#20b#zz 1 Tf / 1 Tf"), ["/A b#zz 1 Tf", "/ 1 Tf"]);
}

#[test]
fn odd_numbers_read_as_viewers_read_them() {
    let numbers = b"--5 +3 .5 -.25 4. 5-3 1.2.3 . - +-7 1e-3 2E2 6.02e+1 12345678901234567890123 0.000000000000000000001 d";
    assert_eq!(
        read(numbers),
        ["-5 3 0.5 -0.25 4 5 1.2 0 -0 -7 0.001 200 60.2 12345679000000000000000 0.000000000000000000001 d"]
    );
}

#[test]
fn a_lone_point_is_zero() {
    assert_eq!(read(b". .59 1 rg"), ["0 0.59 1 rg"]); // pdf.js issue9252
}

#[test]
fn missing_white_space_is_put_back() {
    assert_eq!(
        read(b"0 0 mBT ETQq 1 0 0 1 0 0cm q1 0 0 RG"),
        ["0 0 m", "BT", "ET", "Q", "q", "1 0 0 1 0 0 cm", "q", "1 0 0 RG"]
    );
    assert_eq!(
        read(b"BT/F1 9 Tf(x)Tj[(y)]TJ<7a>Tj ET"),
        ["BT", "/F1 9 Tf", "(x) Tj", "[(y)] TJ", "(z) Tj", "ET"]
    );
}

#[test]
fn words_that_are_no_operators_drop_their_operands() {
    let mut tokens = Tokenizer::new(b"1 2 hello 3 w");
    assert_eq!(tokens.next_op(), Some(Op::SetLineWidth));
    assert_eq!(tokens.operands(), [Operand::Number(3.0)]);
    assert_eq!(tokens.damage(), 1);
}

#[test]
fn operators_inside_an_array() {
    assert_eq!(read(b"[(a) 2 Tc (b)] TJ"), ["[(a) 2 (b)] TJ"]);
    assert_eq!(read(b"[(a) TJ (b) Tj"), ["[(a)] TJ", "(b) Tj"]);
    assert_eq!(read(b"[(a) foo (b)] TJ ]]>> 1 w"), ["[(a) (b)] TJ", "1 w"]);
}

#[test]
fn an_unclosed_string_costs_one_operator() {
    assert_eq!(read(b"(abc Tj\n(def) Tj 5 w (g"), ["(abc Tj\\n(def) Tj", "5 w"]);
    assert_eq!(read(b"(abc\n5 w"), ["(abc) 5 w"]);
}

#[test]
fn an_unclosed_dictionary_costs_its_brackets() {
    assert_eq!(read(b"/Span << /A 1 BDC (x) Tj"), ["/Span /A 1 BDC", "(x) Tj"]);
}

#[test]
fn dictionaries_with_nested_values() {
    let content = b"/Span <</ActualText(a>>b)/D<</E 1>>/F[<41>[2]]>> BDC 1 w";
    let mut tokens = Tokenizer::new(content);
    assert_eq!(tokens.next_op(), Some(Op::BeginMarkedContentDict));
    let Operand::Dict(dict) = tokens.operands()[1] else { panic!("a dictionary") };
    let entries: Vec<_> = Entries::new(dict).collect();
    assert_eq!(
        entries,
        [
            (&b"ActualText"[..], Operand::String(b"a>>b", Spelling::Plain)),
            (b"D", Operand::Dict(b"/E 1")),
            (b"F", Operand::Bytes(b"<41>[2]")),
        ]
    );
    assert_eq!(Entries::get(dict, b"D"), Some(Operand::Dict(b"/E 1")));
    assert_eq!(tokens.next_op(), Some(Op::SetLineWidth));
}

#[test]
fn inline_images_by_computed_length() {
    let mut content = b"q BI /W 4 /H 2 /BPC 8 /CS /G ID ".to_vec();
    content.extend(b"\n EI Q 1"); // eight bytes of data that look like an end
    content.extend(b"\nEI Q");
    assert_eq!(read(&content), ["q", r"<< /W 4 /H 2 /BPC 8 /CS /G >> {\n EI Q 1} BI", "Q"]);
}

#[test]
fn inline_images_by_what_follows() {
    let content = b"BI /W 9 /H 9 /F /Fl ID \x01\x02 EI \x80\x81 EI x=1 EI\nQ (t) Tj";
    assert_eq!(read(content), [r"<< /W 9 /H 9 /F /Fl >> {\x01\x02 EI \x80\x81 EI x=1 } BI", "Q", "(t) Tj"]);
    let content = b"BI /W 9 /H 9 /F /A85 ID abc EI Q ~> EI Q";
    assert_eq!(read(content), ["<< /W 9 /H 9 /F /A85 >> {abc EI Q ~> } BI", "Q"]);
    assert_eq!(read(b"BI /W 1 ID abc"), ["<< /W 1 >> {abc} BI"]);
    assert_eq!(read(b"BI BI /W 1 /IM true ID a\nEI\nQ"), ["<< /W 1 /IM true >> {a\\n} BI", "Q"]);
    assert_eq!(read(b"BI 1 w (a) Tj"), ["w", "(a) Tj"]);
}

#[test]
fn comments_end_with_their_line() {
    assert_eq!(read(b"1 % 2 w (\n w %"), ["1 w"]);
}

#[test]
fn more_operands_than_any_operator_takes() {
    let content = [b"7 ".repeat(1000), b"1 2 3 4 re".to_vec()].concat();
    let mut tokens = Tokenizer::new(&content);
    assert_eq!(tokens.next_op(), Some(Op::Rectangle));
    assert_eq!(tokens.numbers(), Some([1.0, 2.0, 3.0, 4.0]));
    assert!(tokens.operands().len() <= MAX_OPERANDS);
}

/// Patterns whose naive reading takes quadratic time or a deep stack.
#[test]
fn hostile_repetitions_take_linear_time() {
    let patterns: [&[u8]; 14] = [
        b"[",
        b"<<",
        b"(",
        b"<",
        b"BI ",
        b"BI <",
        b"BI (",
        b"BI ID EI\x80 ",
        b"BI /A [",
        b"[<<",
        b"/a<<(",
        b")]>}",
        b"BI /F /A85 ID ",
        b"(<<BI ",
    ];
    for pattern in patterns {
        let content = pattern.repeat((2 << 20) / pattern.len());
        let start = std::time::Instant::now();
        let mut tokens = Tokenizer::new(&content);
        while tokens.next_op().is_some() {}
        assert!(start.elapsed().as_secs() < 8, "{} took {:?}", pattern.escape_ascii(), start.elapsed());
    }
}

fn spelled_operand() -> impl Strategy<Value = (Vec<u8>, String)> {
    let number = (-99_999i32..99_999).prop_map(|value| {
        let value = value as f32 / 100.0;
        (format!("{value}").into_bytes(), format!("{value}"))
    });
    let name =
        "[A-Za-z][A-Za-z0-9]{0,6}".prop_map(|name| (format!("/{name}").into_bytes(), format!("/{name}")));
    let hex = vec(any::<u8>(), 0..8).prop_map(|bytes| {
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        (format!("<{digits}>").into_bytes(), format!("({})", bytes.escape_ascii()))
    });
    let literal = vec(any::<u8>(), 0..12).prop_map(|bytes| {
        let mut spelled = vec![b'('];
        for &byte in &bytes {
            match byte {
                b'(' | b')' | b'\\' => spelled.extend([b'\\', byte]),
                b'\r' => spelled.extend(b"\\r"),
                b'\n' => spelled.extend(b"\\012"),
                _ => spelled.push(byte),
            }
        }
        spelled.push(b')');
        (spelled, format!("({})", bytes.escape_ascii()))
    });
    prop_oneof![number, name, hex, literal]
}

fn spelled_operator() -> impl Strategy<Value = (Vec<u8>, String)> {
    let keyword = prop::sample::select(vec!["w", "Tj", "TJ", "re", "cm", "Tf", "scn", "Do", "BDC", "f*"]);
    (vec(spelled_operand(), 0..6), any::<bool>(), keyword).prop_map(|(operands, array, keyword)| {
        let (mut bytes, mut line) = (Vec::new(), String::new());
        let separator = if array { " " } else { "" };
        let texts: Vec<&str> = operands.iter().map(|(_, text)| text.as_str()).collect();
        if array {
            bytes.push(b'[');
            line += &format!("[{}] ", texts.join(" "));
        } else {
            texts.iter().for_each(|text| line += &format!("{text} "));
        }
        for (spelled, _) in &operands {
            bytes.extend(spelled);
            bytes.extend(b" \n");
        }
        bytes.extend(if array { &b"]"[..] } else { b"" });
        bytes.extend(format!("{separator}{keyword}\n").bytes());
        (bytes, line + keyword)
    })
}

proptest! {
    #[test]
    fn tokenizer_survives_any_bytes(bytes in vec(any::<u8>(), 0..4096)) {
        let mut tokens = Tokenizer::new(&bytes);
        while tokens.next_op().is_some() {
            let mut scratch = Vec::new();
            for operand in tokens.operands() {
                match operand {
                    Operand::String(raw, spelling) => { string_bytes(raw, *spelling, &mut scratch); }
                    Operand::Dict(raw) => { Entries::new(raw).count(); }
                    Operand::Array(start, end) => prop_assert!(start <= end && *end as usize <= tokens.items().len()),
                    _ => {}
                }
            }
        }
        prop_assert_eq!(tokens.offset(), bytes.len());
    }

    #[test]
    fn tokenizer_survives_content_like_bytes(
        words in vec(prop::sample::select(vec![
            "BI", "ID", "EI", "(", ")", "<", ">", "<<", ">>", "[", "]", "/N", "1.5", "-", "Tj", "TJ", "q", "%", "\\", " ", "\n", "true",
        ]), 0..400)
    ) {
        let content = words.concat().into_bytes();
        let mut tokens = Tokenizer::new(&content);
        while tokens.next_op().is_some() {
            for operand in tokens.operands() {
                if let Operand::Dict(raw) = operand { Entries::new(raw).count(); }
            }
        }
    }

    #[test]
    fn what_is_written_is_read(operators in vec(spelled_operator(), 0..40)) {
        let content: Vec<u8> = operators.iter().flat_map(|(bytes, _)| bytes.clone()).collect();
        let lines: Vec<String> = operators.into_iter().map(|(_, line)| line).collect();
        prop_assert_eq!(read(&content), lines);
    }
}
