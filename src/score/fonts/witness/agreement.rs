//! What a font claims of its codes against what the program says of their glyphs (spec/fonts 6.1, and row S13).
//!
//! Measured on one public corpus: 89 of 379 fonts testable, 0.6 % of 13,490 codes disagree, all of them benign. So the
//! test is a certificate first, and a trap for stale or shifted maps second.

use super::fold;
use super::view::{Code, Source, View};

/// Codes that must disagree.
const MIN_CODES: usize = 3;
/// Their share of the testable codes, in percent.
const MIN_PERCENT: usize = 10;

/// How one code stands the test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The program says nothing of this glyph, says two things, or differs in a benign way.
    Untestable,
    /// The cmap says the same.
    AgreesWithCmap,
    /// The glyph's name says the same, the cmap nothing.
    AgreesWithName,
    /// Both, or the one that speaks, say something else.
    Denied,
}

/// Counts over the drawn codes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Agreement {
    /// Codes that agree with the cmap.
    pub(super) by_cmap: usize,
    /// Codes that agree with a name alone.
    pub(super) by_name: usize,
    /// Codes that are denied.
    pub(super) denied: Vec<u32>,
    /// Of these, how many by the cmap.
    pub(super) denied_by_cmap: usize,
    /// Drawn codes with a claim to test.
    pub(super) claimed: usize,
    /// Visible glyphs of codes that agree, and of all claimed ones.
    pub(super) visible_agreed: u64,
    pub(super) visible_claimed: u64,
}

impl Agreement {
    pub(super) fn of(view: &View<'_>) -> Self {
        let mut counts = Self::default();
        for code in view.drawn().filter(|code| code.source != Source::Program && is_testable_claim(code)) {
            counts.claimed += 1;
            counts.visible_claimed += u64::from(code.visible);
            let (verdict, by_cmap) = judge(view, code);
            match verdict {
                Verdict::Untestable => continue,
                Verdict::Denied => {
                    counts.denied.push(code.code);
                    counts.denied_by_cmap += usize::from(by_cmap);
                    continue;
                }
                Verdict::AgreesWithCmap => counts.by_cmap += 1,
                Verdict::AgreesWithName => counts.by_name += 1,
            }
            counts.visible_agreed += u64::from(code.visible);
        }
        counts
    }

    pub(super) fn testable(&self) -> usize {
        self.by_cmap + self.by_name + self.denied.len()
    }

    /// Whether enough codes are denied to contradict the font.
    pub(super) fn is_contradicted(&self) -> bool {
        self.denied.len() >= MIN_CODES && self.denied.len() * 100 >= self.testable() * MIN_PERCENT
    }
}

fn is_testable_claim(code: &Code) -> bool {
    code.claim.as_deref().is_some_and(|claim| claim.chars().all(fold::is_meaningful))
}

/// The verdict, and whether the cmap took part in a denial.
fn judge(view: &View<'_>, code: &Code) -> (Verdict, bool) {
    let Some(claim) = code.claim.as_deref() else { return (Verdict::Untestable, false) };
    // A standard font without program is drawn by the names of its encoding: they are what stands on the page.
    if view.program.is_none() {
        return match code.named.as_deref() {
            Some(name) if view.standard.is_some() && code.source == Source::ToUnicode => {
                (against(claim, &[name.to_owned()], false), false)
            }
            _ => (Verdict::Untestable, false),
        };
    }
    let Some(gid) = code.gid else { return (Verdict::Untestable, false) };
    let testimony = view.testimony(gid);
    if testimony.is_split() {
        return (Verdict::Untestable, false);
    }
    let by_cmap: Vec<String> = testimony.by_cmap.iter().map(|&c| c.to_string()).collect();
    if !by_cmap.is_empty() {
        return (against(claim, &by_cmap, true), true);
    }
    // Where the encoding chose the glyph by its name, the name cannot testify for the encoding.
    match testimony.by_name {
        Some(name) if code.source == Source::ToUnicode || code.named.is_none() => {
            (against(claim, &[name], false), false)
        }
        _ => (Verdict::Untestable, false),
    }
}

fn against(claim: &str, texts: &[String], cmap: bool) -> Verdict {
    if texts.iter().any(|text| fold::same(claim, text)) {
        return if cmap { Verdict::AgreesWithCmap } else { Verdict::AgreesWithName };
    }
    if texts.iter().any(|text| fold::is_benign(claim, text)) { Verdict::Untestable } else { Verdict::Denied }
}
