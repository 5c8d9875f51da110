//! Scored documents out of numbers: no PDF is read. The same numbers give the same documents.

use std::collections::BTreeMap;

use pagesieve::score::fonts::Case;
use pagesieve::score::{
    Certainty, DocumentInfo, DocumentScore, Finding, FindingCode, FontClass, FontFacts, FontScore,
    PageFontScore, PageScore, ProgramKind, Reason, ReasonCode, Route, Scope, State, ToUnicodeKind,
};

/// Random numbers that depend on the seed alone (SplitMix64).
#[derive(Debug, Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// Small numbers often, large ones seldom: about n / k of the draws are at most n / k.
    pub fn zipf(&mut self, n: u64) -> u64 {
        let share = self.below(1 << 30) as f64 / f64::from(1 << 30);
        ((n as f64 + 1.0).powf(share) - 1.0) as u64
    }
}

const FAMILIES: [&str; 24] = [
    "ArialMT",
    "Arial-BoldMT",
    "TimesNewRomanPSMT",
    "TimesNewRomanPS-BoldMT",
    "Calibri",
    "Calibri-Bold",
    "CMR10",
    "CMBX12",
    "CMMI10",
    "CMSY10",
    "Helvetica",
    "Helvetica-Bold",
    "Cambria",
    "Verdana",
    "Symbol",
    "Wingdings-Regular",
    "MinionPro-Regular",
    "MyriadPro-Bold",
    "DejaVuSans",
    "NimbusRomNo9L-Regu",
    "SimSun",
    "Garamond",
    "Tahoma",
    "CourierNewPSMT",
];

/// Hex digits of 64-bit words.
fn hex_of(words: &[u64]) -> String {
    words.iter().map(|word| format!("{word:016x}")).collect()
}

/// Content of a document, by its number and version.
pub fn sha256_of(n: u64, version: u64) -> String {
    let mut random = Random(n.wrapping_mul(1_000_003) ^ version.rotate_left(40) ^ 0x5eed);
    hex_of(&[random.next(), random.next(), random.next(), random.next()])
}

/// Document `n` of a corpus with `n_producers` producers and `n_pages` pages on average.
pub fn document(n: u64, version: u64, n_producers: u64, n_pages: u64) -> DocumentScore {
    let mut random = Random(n ^ version << 48 ^ 0xd0c);
    let producer = random.zipf(n_producers);
    let broken = producer % 37 == 3;
    let pages = match random.below(10) {
        0 => 1,
        1..=7 => 1 + random.below(n_pages.max(2)),
        _ => 1 + random.below(4 * n_pages.max(1)),
    };
    let fonts: Vec<FontScore> = (0..3).map(|at| font(&mut random, producer, at, broken && at == 0)).collect();
    let scanned = random.one_in(40);
    let density = 700 + random.below(700) + random.below(700);
    let pages: Vec<PageScore> =
        (1..=pages).map(|page| page_of(&mut random, page as u32, &fonts, density, broken, scanned)).collect();
    let mut findings = Vec::new();
    if random.one_in(50) {
        let code = FindingCode::StreamTruncated;
        findings.push(Finding { page: Some(1), code, detail: "the data ends before the stream does".into() });
    }
    DocumentScore {
        state: State::Scored,
        state_reason: None,
        info: DocumentInfo {
            n_pages: pages.len() as u32,
            producer: Some(format!("Tool{} {}.{}", letters(producer / 4), producer % 4, producer % 7)),
            creator: random.one_in(2).then(|| format!("Writer {}", producer % 50)),
            pdf_version: Some("1.7".into()),
            ..DocumentInfo::default()
        },
        fonts,
        pages,
        findings,
    }
}

/// A number in letters: no version could be read out of it.
fn letters(n: u64) -> String {
    let digit = char::from(b'a' + (n % 26) as u8);
    if n < 26 { digit.to_string() } else { letters(n / 26 - 1) + &digit.to_string() }
}

fn font(random: &mut Random, producer: u64, at: u64, dead: bool) -> FontScore {
    let number = random.below(FAMILIES.len() as u64);
    let family = FAMILIES[number as usize].to_owned();
    let tag: String = (0..6).map(|_| char::from(b'A' + random.below(26) as u8)).collect();
    let case = if dead { Case::C15 } else { Case::C1 };
    FontScore {
        facts: FontFacts {
            font: format!("{} 0 R", 4 + at * 7),
            base_font: Some(format!("{tag}+{family}")),
            subset_tag: Some(tag),
            signature: Random(producer / 4 * 100 + number).next(),
            family: Some(family),
            subtype: "Type0".into(),
            descendant: Some("CIDFontType2".into()),
            encoding: Some("Identity-H".into()),
            ordering: Some("Identity".into()),
            to_unicode: if dead { ToUnicodeKind::Absent } else { ToUnicodeKind::Usable },
            program: ProgramKind::TrueType,
            program_sha256: Some(hex_of(&[random.next(), random.next(), random.next(), random.next()])),
            has_cmap: false,
            has_post_names: false,
        },
        font_class: if dead { FontClass::Dead } else { FontClass::ReadSpec },
        font_case: Some(case),
        cases: BTreeMap::from([(case, 100 + random.below(10_000) as u32)]),
        glyphs_drawn: 1000,
        glyphs_unmapped: 0,
        glyphs_suspect: 0,
    }
}

fn page_of(
    random: &mut Random,
    page: u32,
    fonts: &[FontScore],
    density: u64,
    broken: bool,
    scanned: bool,
) -> PageScore {
    let drawn: Vec<PageFontScore> = fonts
        .iter()
        .enumerate()
        .map(|(at, font)| {
            let dead = font.font_class == FontClass::Dead;
            // A body font on pages that are alike but for a few, one for headings or emphasis, one for notes and numbers.
            let glyphs = match at {
                0 if random.one_in(8) => 1 + random.below(density),
                0 => density + random.below(300) + random.below(300),
                1 => 1 + random.zipf(300),
                _ => 1 + random.zipf(100),
            } as u32;
            PageFontScore {
                font_index: at as u32,
                font_class: font.font_class,
                font_case: font.font_case,
                glyphs_drawn: glyphs,
                glyphs_unmapped: if dead { glyphs } else { 0 },
                glyphs_suspect: if dead { glyphs } else { 0 },
            }
        })
        .collect();
    let glyphs_drawn = drawn.iter().map(|font| font.glyphs_drawn).sum();
    let glyphs_suspect = drawn.iter().map(|font| font.glyphs_suspect).sum();
    let share = glyphs_suspect as f32 / glyphs_drawn as f32;
    let mut reasons = Vec::new();
    if broken {
        reasons.push(Reason {
            code: ReasonCode::UndecodableFont,
            certainty: Certainty::Proven,
            share,
            font: Some(fonts[0].facts.font.clone()),
            scope: Scope::Document,
            detail: "no route to Unicode: Identity-H, no ToUnicode, no cmap, no names".into(),
        });
    } else if scanned {
        reasons.push(Reason {
            code: ReasonCode::Scanned,
            certainty: Certainty::Measured,
            share: 1.0,
            font: None,
            scope: Scope::Page,
            detail: "one image covers the page, no visible text".into(),
        });
    }
    let route = if reasons.is_empty() { Route::Keep } else { Route::Ocr };
    let y = random.below(7000) as f32 / 10.0;
    PageScore {
        page,
        route,
        judged: !random.one_in(30),
        judged_share: 1.0,
        glyphs_drawn,
        glyphs_suspect,
        image_coverage: if scanned { 1.0 } else { random.below(3) as f32 / 10.0 },
        script: Some("Latn".into()),
        language: Some(if random.one_in(5) { "de" } else { "en" }.into()),
        reasons,
        n_more_reasons: 0,
        regions: if broken { vec![[72.0, y, 520.0, y + 12.0]] } else { Vec::new() },
        n_more_regions: 0,
        assessed: Vec::new(),
        text: None,
        fonts: drawn,
    }
}

/// Makes a document one of `Brokensoft 3.1`, with a dead body font on every page.
pub fn plant(score: &mut DocumentScore) {
    score.info.producer = Some("Brokensoft 3.1 <b>=1+1".into());
    let font = score.fonts[0].facts.font.clone();
    for page in &mut score.pages {
        page.route = Route::Ocr;
        page.reasons = vec![Reason {
            code: ReasonCode::UndecodableFont,
            certainty: Certainty::Proven,
            share: 0.9,
            font: Some(font.clone()),
            scope: Scope::Document,
            detail: "no route to Unicode: Identity-H, no ToUnicode, no cmap, no names".into(),
        }];
    }
}

/// A document of which nothing was read.
pub fn unread(state: State) -> DocumentScore {
    DocumentScore {
        state,
        state_reason: Some("not read".into()),
        info: DocumentInfo::default(),
        fonts: Vec::new(),
        pages: Vec::new(),
        findings: Vec::new(),
    }
}
