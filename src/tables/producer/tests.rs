use proptest::prelude::*;

use super::*;

/// Real-world strings with the tools they name: `raw⇥family version⇥family version…`, one a line: made by the rules, read through and corrected.
const STRINGS: &str = include_str!("strings.tsv");

fn spelled(tools: &[Tool]) -> Vec<String> {
    let spell = |tool: &Tool| match &tool.version {
        Some(version) => format!("{} [{version}]", tool.family),
        None => tool.family.clone(),
    };
    tools.iter().map(spell).collect()
}

#[test]
fn real_world_strings() {
    let (mut wrong, mut n) = (String::new(), 0);
    for line in STRINGS.lines() {
        let (raw, expected) = line.split_once('\t').unwrap_or((line, ""));
        let got = spelled(&tools_of(raw)).join("\t");
        if got != expected {
            wrong += &format!("{raw}\t{got}\n");
        }
        n += 1;
    }
    assert!(n >= 500, "{n} strings");
    assert!(wrong.is_empty(), "now read as:\n{wrong}");
}

#[test]
fn creator_and_producer_make_a_chain() {
    let chain = |producer, creator| spelled(&tool_chain(producer, creator)).join(" > ");
    assert_eq!(
        chain(
            Some("Adobe PDF Library 9.0; modified using iText 2.1.7 by 1T3XT"),
            Some("Acrobat PDFMaker 9.1 for Word")
        ),
        "Acrobat PDFMaker [9.1] > Adobe PDF Library [9.0] > iText [2.1.7]"
    );
    let word = "Microsoft® Word 2016";
    assert_eq!(chain(Some(word), Some(word)), "Microsoft Word [2016]");
    assert_eq!(chain(Some(word), Some("Microsoft Word")), "Microsoft Word [2016]");
    assert_eq!(chain(None, Some("Writer")), "Writer");
    assert_eq!(chain(None, None), "");
    let many = "a; modified using ".repeat(20) + "a";
    assert_eq!(tool_chain(Some(&many), None).len(), 1, "the same tool over and over");
    let many: String = (0..30).map(|n| format!("tool{n} {n}.0; modified using ")).collect();
    assert_eq!(tool_chain(Some(&many), None).len(), MAX_TOOLS);
}

#[test]
fn the_first_tool_is_the_family() {
    for (producer, family, version) in [
        ("iText® 5.5.0; modified using PDFlib 7.0.3", "iText", Some("5.5.0")),
        ("  spaced\tout \u{7} 2 ", "spaced out", Some("2")),
        ("", "", None),
        ("\u{1b}[31m\u{202e}evil\u{2028}tool\u{200b} 1.0", "[31m evil tool", Some("1.0")),
        (
            "=HYPERLINK(\"http://x\")<script>alert(1)</script>",
            "=HYPERLINK(\"http://x\")<script>alert(1)</script>",
            None,
        ),
    ] {
        let tool = made_by(Some(producer), None);
        let got = tool.as_ref().map(|tool| (tool.family.as_str(), tool.version.as_deref()));
        assert_eq!(got, Some((family, version)).filter(|(family, _)| !family.is_empty()), "{producer:?}");
    }
}

#[test]
fn every_name_finds_its_own_rule_or_an_earlier_one() {
    #[derive(serde::Deserialize)]
    struct File {
        tool: Vec<Rule>,
    }
    #[derive(serde::Deserialize)]
    struct Rule {
        family: String,
        names: Vec<String>,
    }
    use figment::providers::{Format, Toml};
    let file: File = figment::Figment::from(Toml::file_exact("config/producers.toml")).extract().unwrap();
    let mut families = std::collections::BTreeSet::new();
    for rule in &file.tool {
        assert!(families.insert(&rule.family), "{} stands twice", rule.family);
        for name in &rule.names {
            assert!(!name.is_empty() && *name == name.to_lowercase() && name.trim() == name, "{name}");
            assert!(RULES.find(name.trim_start_matches('^')).is_some(), "{name}");
        }
    }
}

proptest! {
    #[test]
    fn any_string_has_capped_tools_without_control_characters(producer in "\\PC{0,600}|[\\x00-\\x7f]{0,40}|(\\PC{0,9}; modified using ){0,40}") {
        for tool in made_by(Some(&producer), None).into_iter().chain(tool_chain(Some(&producer), Some(&producer))) {
            prop_assert!(!tool.family.trim().is_empty());
            for text in [Some(tool.family), tool.version].into_iter().flatten() {
                prop_assert!(text.chars().count() <= MAX);
                prop_assert!(!text.chars().any(char::is_control));
            }
        }
    }
}
