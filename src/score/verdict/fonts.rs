//! Dead, contradicted and inferred glyphs, weighted by what the page draws.

use super::super::evidence::{FontEvidence, PageFontEvidence};
use super::super::fonts::{Case, CodeClass, SecondStack, holds_letters};
use super::super::pool::charged_class;
use super::super::result::FontClass;
use super::{Certainty, Finding, PageEvidence, ReasonCode, Route, is_most_of, is_suspect, weighs};

/// Visible glyphs of one font on one page (or of one font in the document).
#[derive(Debug, Clone, Default)]
pub(in crate::score) struct Counts {
    pub(in crate::score) drawn: u32,
    pub(in crate::score) dead: u32,
    pub(in crate::score) contradicted: u32,
    pub(in crate::score) inferred: u32,
    /// Unknown and without any Unicode: no extractor has text for them.
    pub(in crate::score) lost: u32,
    pub(in crate::score) suspect: u32,
    pub(in crate::score) judged: u32,
    pub(in crate::score) by_case: Vec<(Case, CodeClass, u32)>,
}

impl Counts {
    pub(in crate::score) fn of(font: &PageFontEvidence, evidence: &FontEvidence) -> Self {
        let mut counts = Self::default();
        let mut settled = 0;
        let mut unknown = 0;
        for &(case, class, n) in &font.cases {
            counts.drawn += n;
            match class {
                CodeClass::Dead => counts.dead += n,
                CodeClass::Contradicted => counts.contradicted += n,
                CodeClass::Inferred => counts.inferred += n,
                CodeClass::Unknown => unknown += n,
                CodeClass::ReadSpec | CodeClass::ReadProgram => settled += n,
            }
            counts.by_case.push((case, class, n));
        }
        counts.lost = unknown.min(font.unmapped.saturating_sub(counts.dead));
        counts.suspect = counts.dead + counts.contradicted + counts.lost;
        let open = settled + unknown - counts.lost;
        counts.judged = counts.suspect
            + counts.inferred
            + if evidence.certified || evidence.letters_judged { open } else { 0 };
        counts
    }

    pub(in crate::score) fn add(&mut self, other: &Self) {
        self.drawn += other.drawn;
        self.dead += other.dead;
        self.contradicted += other.contradicted;
        self.inferred += other.inferred;
        self.lost += other.lost;
        self.suspect += other.suspect;
        self.judged += other.judged;
        for &(case, class, n) in &other.by_case {
            match self.by_case.iter_mut().find(|(c, k, _)| (*c, *k) == (case, class)) {
                Some((_, _, sum)) => *sum += n,
                None => self.by_case.push((case, class, n)),
            }
        }
    }

    /// Visible glyphs by case.
    pub(in crate::score) fn cases(&self) -> std::collections::BTreeMap<Case, u32> {
        let mut cases = std::collections::BTreeMap::new();
        for &(case, _, n) in &self.by_case {
            *cases.entry(case).or_default() += n;
        }
        cases
    }

    /// The class all glyphs share, else `mixed`; `None` when nothing visible is drawn.
    pub(in crate::score) fn class(&self) -> Option<FontClass> {
        let mut classes = self.by_case.iter().filter(|(_, _, n)| *n > 0).map(|(_, class, _)| *class);
        let first = classes.next()?;
        if classes.any(|class| class != first) {
            return Some(FontClass::Mixed);
        }
        Some(match first {
            CodeClass::ReadSpec => FontClass::ReadSpec,
            CodeClass::ReadProgram => FontClass::ReadProgram,
            CodeClass::Inferred => FontClass::Inferred,
            CodeClass::Dead => FontClass::Dead,
            CodeClass::Contradicted => FontClass::Contradicted,
            CodeClass::Unknown => FontClass::Unknown,
        })
    }

    /// The case with most suspect glyphs, else most drawn.
    pub(in crate::score) fn case(&self) -> Option<Case> {
        let most = |suspect_only: bool| {
            let mut by_case = std::collections::BTreeMap::<Case, u32>::new();
            for &(case, class, n) in &self.by_case {
                if !suspect_only || is_suspect(class) || (class == CodeClass::Unknown && self.lost > 0) {
                    *by_case.entry(case).or_default() += n;
                }
            }
            by_case.into_iter().max_by_key(|&(case, n)| (n, std::cmp::Reverse(case))).map(|(case, _)| case)
        };
        (self.suspect > 0).then(|| most(true)).flatten().or_else(|| most(false))
    }
}

/// Reasons that rest on the fonts of a page.
pub(super) fn findings(page: &PageEvidence, fonts: &[FontEvidence], page_drawn: u32) -> Vec<Finding> {
    // Several small dead fonts make one dead page: the weight is that of all suspects together.
    let mut suspects = Suspects::default();
    let mut counted = Vec::new();
    for font in &page.fonts {
        let Some(evidence) = fonts.get(font.font_index as usize) else { continue };
        let counts = Counts::of(font, evidence);
        if holds_letters(evidence.facts.family.as_deref()) {
            suspects.add(&counts);
        }
        counted.push((font, evidence, counts));
    }
    let worth = suspects.worth(page_drawn);
    let mut findings = Vec::new();
    for (font, evidence, counts) in &counted {
        let holds_letters = holds_letters(evidence.facts.family.as_deref());
        let of_font = of_font(font, evidence, counts, page_drawn);
        findings.extend(of_font.into_iter().map(|finding| {
            let weighs = holds_letters && finding.route <= worth;
            finding.listed_unless(weighs)
        }));
    }
    findings
}

/// Suspect letters of a page over all its fonts.
#[derive(Debug, Clone, Copy, Default)]
struct Suspects {
    /// Dead, contradicted or lost.
    letters: u32,
    /// Wrong as they are, but known.
    inferred: u32,
    /// Of these, in Type 3 fonts without names: readers echo their codes, which are right more often than not.
    echoed: u32,
}

impl Suspects {
    fn add(&mut self, counts: &Counts) {
        let echo = |case| matches!(case, Case::T3 | Case::T4);
        self.letters += counts.suspect;
        self.inferred += counts.inferred;
        self.echoed += counts
            .by_case
            .iter()
            .filter(|(case, class, _)| echo(*case) && (is_suspect(*class) || *class == CodeClass::Unknown))
            .map(|(_, _, n)| n)
            .sum::<u32>()
            .min(counts.suspect);
    }

    /// The worst route these letters are worth: 20 and 3 %, or most of a short page. A page that decodes but for a
    /// dead glyph or two decodes.
    fn worth(self, page_drawn: u32) -> Route {
        let weigh = |letters, solid| weighs(letters, page_drawn) || is_most_of(solid, page_drawn);
        if weigh(self.letters, self.letters - self.echoed) {
            Route::Ocr
        } else if weigh(self.letters + self.inferred, self.letters + self.inferred - self.echoed) {
            Route::Decode
        } else {
            Route::Keep
        }
    }
}

fn of_font(
    font: &PageFontEvidence,
    evidence: &FontEvidence,
    counts: &Counts,
    page_drawn: u32,
) -> Vec<Finding> {
    let name = &evidence.facts.font;
    let share = |n: u32| n as f32 / page_drawn.max(1) as f32;
    let mut findings = Vec::new();
    let charged =
        |class: CodeClass| evidence.charges.iter().find(|charge| charged_class(charge.code) == class);
    if counts.dead > 0 {
        let case = counts.case().map_or_else(String::new, |case| format!("{case:?}: "));
        let (code, certainty, detail) = match charged(CodeClass::Dead) {
            Some(charge) => (charge.code, charge.certainty, charge.detail.clone()),
            None => {
                let whole = counts.dead * 2 > counts.drawn;
                let code = if whole { ReasonCode::UndecodableFont } else { ReasonCode::UnmappedGlyphs };
                let (certainty, note) = proof(evidence.second_stack);
                (
                    code,
                    certainty,
                    format!("{case}no route from code to Unicode for {} glyphs{note}", counts.dead),
                )
            }
        };
        findings.push(
            Finding::new(code, certainty, share(counts.dead), detail)
                .of_font(name)
                .at(lines(font, counts.dead)),
        );
    }
    if counts.lost > 0 {
        let whole = counts.lost * 2 > counts.drawn;
        let code = if whole { ReasonCode::UndecodableFont } else { ReasonCode::UnmappedGlyphs };
        let case = counts.case().map_or_else(String::new, |case| format!("{case:?}: "));
        let detail = format!("{case}no text for {} glyphs, and no proof that there is none", counts.lost);
        findings.push(
            Finding::new(code, Certainty::Suspected, share(counts.lost), detail)
                .of_font(name)
                .at(lines(font, counts.lost)),
        );
    }
    for (class, n) in [(CodeClass::Contradicted, counts.contradicted), (CodeClass::Inferred, counts.inferred)]
    {
        if n == 0 {
            continue;
        }
        let (code, certainty, detail) = match charged(class) {
            Some(charge) => (charge.code, charge.certainty, charge.detail.clone()),
            None if class == CodeClass::Inferred => (
                ReasonCode::GlyphNames,
                Certainty::Measured,
                "letters inferred from names of glyphs".to_owned(),
            ),
            None => (
                ReasonCode::ControlCharacters,
                Certainty::Suspected,
                "ToUnicode maps drawn glyphs to control characters".to_owned(),
            ),
        };
        findings.push(Finding::new(code, certainty, share(n), detail).of_font(name).at(lines(font, n)));
    }
    findings
}

fn proof(second_stack: Option<SecondStack>) -> (Certainty, &'static str) {
    match second_stack {
        Some(SecondStack::Agrees) => (Certainty::Proven, ""),
        Some(SecondStack::Disagrees) => (Certainty::Suspected, "; the second reader disagrees"),
        Some(SecondStack::CannotRead) => (Certainty::Suspected, "; second reader failed"),
        None => (Certainty::Suspected, "; not confirmed by the second reader"),
    }
}

/// Lines with suspect glyphs; every line of the font when most of its glyphs are suspect.
fn lines(font: &PageFontEvidence, n_suspect: u32) -> Vec<[f32; 4]> {
    let drawn: u32 = font.lines.iter().map(|line| line.glyphs).sum();
    let all = n_suspect * 2 > drawn;
    font.lines.iter().filter(|line| all || line.suspect > 0).map(|line| line.bounds).collect()
}
