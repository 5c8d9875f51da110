//! One page of given text → route and reasons.

use super::TextPage;
use super::marks::{self, Mark, MarkKind};
use super::parts;
use crate::score::Policy;
use crate::score::result::{Certainty, Reason, ReasonCode, Route, Scope};
use crate::score::signals::fonts::judge_sample;
use crate::score::signals::letters::chars::{Char, Kind};
use crate::score::signals::letters::codepage::CodePages;
use crate::score::signals::letters::fit::{Fit, fit_words};
use crate::score::signals::letters::judge::{Judgement, Known, LEAST_LETTERS, Remedy, Sample, Wrong};
use crate::score::signals::letters::model::Models;
use crate::score::signals::letters::segment;
use crate::score::signals::letters::words::Words;
use crate::score::signals::rtl;
use crate::score::signals::symbols::{is_rule, is_soup};
use crate::score::verdict::{is_most_of, weighs};

/// Reasons of a page.
const MOST_REASONS: usize = 8;
/// Codes and names that an extractor left, from which they are no accident, and how many different ones
/// (docling#968: 20 repeating numbers, ten different).
const LEAST_MARKS: usize = 20;
/// See `LEAST_MARKS`.
const LEAST_DIFFERENT: usize = 10;
/// Letters of a page from which its lines are also judged run by run: a paragraph in a bad font drowns in a long page.
const JUDGED_IN_RUNS: u32 = 1_000;
/// Letters of one token from which blanks are missing in it: the longest words in use stay below.
const LONG_TOKEN: u32 = 32;
/// Share of the letters in such tokens from which blanks are missing in the page.
const RUN_TOGETHER: f32 = 0.5;
/// Share of the letters that stand alone from which they were parted.
const APART: f32 = 0.7;
/// Letters in a row that stand alone, at least.
const APART_RUN: usize = 6;
/// Letters from which words run together are looked for.
const MERGED_FROM: usize = 200;
/// Bits a letter that more blanks must save. Measured with held-out text of 11 languages, 400 windows of 400 letters each:
/// clean text is over both bounds in none of nine languages, 0 % of Arabic and 1.5 % of Persian (whose spelling joins words);
/// with every second blank lost it is in 60 % (German, whose words are long) to 99 %.
const MERGED_BITS: f32 = 0.3;
/// New blanks a word, at least.
const MERGED_SHARE: f32 = 0.3;
/// Letters of a piece that text without blanks is cut into.
const PIECE: usize = 24;
/// Bits a letter above the pooled bound up to which text without its blanks still reads.
const WITHOUT_BLANKS_BITS: f32 = 0.9;

/// A reason with what it does to the page.
struct Found {
    reason: Reason,
    route: Route,
}

fn found(code: ReasonCode, certainty: Certainty, n: u32, visible: u32, detail: String) -> Found {
    let share = (n as f32 / visible.max(1) as f32).clamp(0.0, 1.0);
    let detail = detail.chars().take(120).collect();
    let reason = Reason { code, certainty, share, font: None, scope: Scope::Page, detail };
    let route =
        if weighs(n, visible) || is_most_of(n, visible) { code.route_of_given() } else { Route::Keep };
    Found { reason, route }
}

/// Characters of a page by what they are.
#[derive(Default)]
struct Counts {
    visible: u32,
    letters: u32,
    digits: u32,
    replacement: u32,
    private: u32,
    control: u32,
    rules: u32,
    signs: Vec<char>,
}

impl Counts {
    /// A sign that is known to stand for an elongation is no lost letter.
    fn leave_out(&mut self, sign: Option<(char, usize)>) {
        let Some((sign, n)) = sign else { return };
        let count = match Char::of(sign).kind {
            Kind::Replacement => &mut self.replacement,
            Kind::Private => &mut self.private,
            _ => &mut self.control,
        };
        *count = count.saturating_sub(n as u32);
    }

    fn of(text: &str) -> Self {
        let mut counts = Self::default();
        for c in text.chars() {
            let info = Char::of(c);
            counts.visible += u32::from(info.is_visible());
            match info.kind {
                Kind::Letter | Kind::Mark => counts.letters += 1,
                Kind::Digit => counts.digits += 1,
                Kind::Replacement => counts.replacement += 1,
                Kind::Private => counts.private += 1,
                Kind::Control if !matches!(c, '\n' | '\r' | '\t' | '\u{B}' | '\u{C}' | '\u{FEFF}') => {
                    counts.control += 1;
                }
                Kind::Space | Kind::Format | Kind::Control => {}
                _ if is_rule(c) => counts.rules += 1,
                _ if !counts.signs.contains(&c) && counts.signs.len() < 64 => counts.signs.push(c),
                _ => {}
            }
        }
        counts
    }
}

/// What undoes a fault of a page, where that is known.
#[derive(Debug, Clone)]
pub(super) enum Fix {
    /// Decode by another code page.
    CodePages(CodePages),
    /// Put blanks where this character stands.
    Blanks(char),
    /// Put letters where their names stand.
    Names,
    /// Undo these faults of right-to-left letters.
    Rtl(Vec<ReasonCode>),
}

/// A page that was judged, and how what is wrong with it can be undone.
pub(super) struct Examined {
    pub(super) page: TextPage,
    pub(super) fixes: Vec<(ReasonCode, Fix)>,
}

/// Judges a page; `None` where nothing of it is visible.
pub(super) fn examine(text: &str, policy: &Policy) -> Option<Examined> {
    let mut counts = Counts::of(text);
    // A control character is no ink, yet something stood there.
    if counts.visible + counts.control == 0 {
        return None;
    }
    let visible = counts.visible + counts.control;
    let marks = marks::find(text);
    let mut all = Vec::new();
    let faults = rtl::examine(text);
    if faults.iter().any(|fault| fault.code == ReasonCode::UnmappedElongation) {
        counts.leave_out(rtl::elongation(text));
    }
    all.extend(faults.into_iter().map(|fault| {
        // A ligature is turned around wherever it stands: its words tell, all letters are in doubt.
        let is_ligature = fault.code == ReasonCode::LamAlefTransposition;
        let n = if is_ligature { counts.letters } else { fault.n };
        found(fault.code, Certainty::Measured, n, visible, fault.detail)
    }));
    let left = left_marks(text, &marks, visible);
    let bare = if left.is_empty() { text.to_owned() } else { without(text, &marks) };
    all.extend(left);
    all.extend(symbols(&counts, visible));
    let letters = Sample::from_text(&bare);
    let words = Words::read(letters.chars.iter().copied());
    let apart = letters_apart(&bare, visible);
    let judgement = match &apart {
        Some(_) => Judgement { fit: fit_words(&words, None), ..Judgement::default() },
        None => judge_sample(letters, &Known::default(), 0),
    };
    all.extend(judgement.wrong.iter().map(|wrong| of_letters(wrong, &bare, &words, visible)));
    if judgement.wrong.is_empty() && apart.is_none() && words.n_letters() >= JUDGED_IN_RUNS {
        all.extend(in_runs(&bare, visible));
    }
    if judgement.wrong.is_empty() {
        let lost = run_together(&bare, visible);
        let merged = lost.is_none().then(|| merged_words(&words, visible)).flatten();
        all.extend(lost.or(merged));
    }
    all.extend(apart);
    let fixes = fixes(&all, &judgement.wrong);
    let routed = all.iter().any(|found| found.route > Route::Keep);
    let judged = judgement.judged || routed;
    if !judged {
        let detail = if words.n_letters() < LEAST_LETTERS as u32 {
            format!("{} letters are too few to judge", words.n_letters())
        } else {
            "too little running text of a known language to judge".to_owned()
        };
        let mut unjudged = found(ReasonCode::NotJudged, Certainty::Measured, visible, visible, detail);
        unjudged.route = policy.unjudged;
        all.push(unjudged);
    }
    all.sort_by(|a, b| {
        let (one, other) = (&a.reason, &b.reason);
        (b.route.cmp(&a.route))
            .then(one.certainty.cmp(&other.certainty))
            .then(other.share.total_cmp(&one.share))
            .then(one.code.cmp(&other.code))
    });
    let fit = judgement.fit;
    let page = TextPage {
        page: 0,
        line: 0,
        route: all.first().map_or(Route::Keep, |found| found.route),
        judged,
        visible,
        letters: counts.letters,
        script: fit.and_then(|fit| fit.script.iso15924()).map(str::to_owned),
        language: fit.filter(|fit| judged && fit.is_plausible()).map(|fit| fit.code.to_owned()),
        reasons: all.into_iter().take(MOST_REASONS).map(|found| found.reason).collect(),
    };
    Some(Examined { page, fixes })
}

/// How the reasons that route a page to a repair are undone.
fn fixes(all: &[Found], wrong: &[Wrong]) -> Vec<(ReasonCode, Fix)> {
    let of_rtl: Vec<ReasonCode> =
        all.iter().map(|found| found.reason.code).filter(|code| is_of_rtl(*code)).collect();
    let fix = |code: ReasonCode| {
        let wrong = wrong.iter().find(|wrong| wrong.code == code);
        match code {
            ReasonCode::GlyphNames => Some(Fix::Names),
            code if is_of_rtl(code) => Some(Fix::Rtl(of_rtl.clone())),
            ReasonCode::StandInSpace => char::from_u32(*wrong?.codes.first()?).map(Fix::Blanks),
            _ => match wrong?.remedy {
                Some(Remedy::CodePages(pages)) => Some(Fix::CodePages(pages)),
                _ => None,
            },
        }
    };
    let routed = all.iter().filter(|found| found.route == Route::Repair).map(|found| found.reason.code);
    routed.filter_map(|code| Some((code, fix(code)?))).collect()
}

fn is_of_rtl(code: ReasonCode) -> bool {
    use ReasonCode as R;
    matches!(code, R::VisualOrder | R::PresentationForms | R::BidiControls | R::UnmappedElongation)
}

/// The text with a blank for each mark.
pub(super) fn without(text: &str, marks: &[Mark]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for mark in marks {
        out.push_str(&text[from..mark.range.start]);
        out.push(' ');
        from = mark.range.end;
    }
    out.push_str(&text[from..]);
    out
}

/// Codes and names that an extractor left.
fn left_marks(text: &str, marks: &[Mark], visible: u32) -> Vec<Found> {
    let mut out = Vec::new();
    let is_code = |mark: &&Mark| matches!(mark.kind, MarkKind::Code(_));
    let characters = |marks: &[&Mark]| {
        marks.iter().map(|mark| text[mark.range.clone()].chars().count() as u32).sum::<u32>()
    };
    let (codes, names): (Vec<&Mark>, Vec<&Mark>) = marks.iter().partition(is_code);
    let bare_number = |mark: &&&Mark| {
        let own = &text[mark.range.clone()];
        own.strip_prefix('/').is_some_and(|own| own.bytes().all(|b| b.is_ascii_digit()))
    };
    let numbers: Vec<&MarkKind> = codes.iter().filter(bare_number).map(|mark| &mark.kind).collect();
    let mut different: Vec<u32> = codes
        .iter()
        .filter_map(|mark| if let MarkKind::Code(code) = mark.kind { Some(code) } else { None })
        .collect();
    different.sort_unstable();
    different.dedup();
    // Slashed numbers are also dates and fractions; codes in brackets are nothing else.
    let only_numbers = numbers.len() == codes.len();
    let enough = !only_numbers
        || (codes.len() >= LEAST_MARKS
            && different.len() >= LEAST_DIFFERENT
            && different.len() < codes.len());
    if !codes.is_empty() && enough {
        let detail = format!("{} glyphs left as codes, {} different", codes.len(), different.len());
        out.push(found(ReasonCode::UnmappedGlyphs, Certainty::Measured, characters(&codes), visible, detail));
    }
    if names.len() >= LEAST_MARKS {
        let detail = format!("{} glyphs left as names", names.len());
        out.push(found(ReasonCode::GlyphNames, Certainty::Measured, characters(&names), visible, detail));
    }
    out
}

fn symbols(counts: &Counts, visible: u32) -> Vec<Found> {
    let kinds = [
        (ReasonCode::ReplacementCharacters, counts.replacement, "U+FFFD"),
        (ReasonCode::PrivateUse, counts.private, "private use"),
        (ReasonCode::ControlCharacters, counts.control, "control characters"),
    ];
    let mut out: Vec<Found> = kinds
        .into_iter()
        .filter(|(_, n, _)| *n > 0)
        .map(|(code, n, what)| {
            found(code, Certainty::Measured, n, visible, format!("{n} characters are {what}"))
        })
        .collect();
    let (text, weighed) = (counts.letters + counts.digits, counts.visible.saturating_sub(counts.rules));
    if is_soup(text, weighed, counts.signs.len()) {
        let detail = format!("{text} letters and digits among {weighed} visible characters");
        out.push(found(ReasonCode::SymbolSoup, Certainty::Suspected, weighed - text, visible, detail));
    }
    out
}

/// What the letters say, with the characters it concerns.
fn of_letters(wrong: &Wrong, text: &str, words: &Words, visible: u32) -> Found {
    let n = if wrong.codes.is_empty() {
        words.n_letters()
    } else {
        text.chars().filter(|c| wrong.codes.contains(&u32::from(*c))).count() as u32
    };
    found(wrong.code, wrong.certainty, n, visible, wrong.detail.clone())
}

/// What the runs of lines say, each by itself: the worst of each reason.
fn in_runs(text: &str, visible: u32) -> Vec<Found> {
    let mut worst: Vec<(Wrong, u32)> = Vec::new();
    let text = text.replace('\u{C}', "\n");
    let (runs, _) = parts::split(&text);
    let n_runs = runs.len();
    for run in runs {
        let sample = Sample::from_text(&text[run]);
        let letters = sample.chars.iter().filter(|c| Char::of(**c).kind == Kind::Letter).count() as u32;
        for wrong in judge_sample(sample, &Known::default(), 0).wrong {
            use ReasonCode as R;
            if !matches!(wrong.code, R::LetterSubstitution | R::GlyphCodeShift | R::CodePageMojibake) {
                continue; // single codes take the whole page to be told from names
            }
            match worst.iter_mut().find(|(known, _)| known.code == wrong.code) {
                Some((_, n)) => *n += letters,
                None => worst.push((wrong, letters)),
            }
        }
    }
    let of_runs = |(wrong, n): (Wrong, u32)| {
        found(wrong.code, wrong.certainty, n, visible, format!("in part of {n_runs} runs: {}", wrong.detail))
    };
    worst.into_iter().map(of_runs).collect()
}

/// Whether the letters of a text read, blanks or not: cut anywhere into pieces as long as a word may be.
fn reads(text: &str) -> Option<Fit> {
    let mut pieces = String::with_capacity(text.len() + text.len() / PIECE);
    for (at, c) in text.chars().filter(|c| Char::of(*c).kind == Kind::Letter).enumerate() {
        if at > 0 && at % PIECE == 0 {
            pieces.push(' ');
        }
        pieces.push(c);
    }
    let words = Words::read(pieces.chars());
    let fit = fit_words(&words, None).filter(|fit| fit.n_letters >= LEAST_LETTERS)?;
    (fit.pooled_bits <= fit.pooled_bound + WITHOUT_BLANKS_BITS).then_some(fit)
}

/// Words without blanks between them, in scripts that have blanks.
fn run_together(text: &str, visible: u32) -> Option<Found> {
    let (mut letters, mut together) = (0, 0);
    for token in text.split_whitespace() {
        let mut n = 0;
        let mut small = false;
        for c in token.chars() {
            let info = Char::of(c);
            if info.kind == Kind::Letter && info.script.parts_words() {
                n += 1;
                small |= !info.upper;
            }
        }
        letters += n;
        // Sequences of capitals are codes.
        together += if n >= LONG_TOKEN && small { n } else { 0 };
    }
    if together < LEAST_LETTERS as u32 || (together as f32) < RUN_TOGETHER * letters as f32 {
        return None;
    }
    reads(text)?;
    let detail = format!("{together} of {letters} letters stand in tokens of {LONG_TOKEN} letters and more");
    Some(found(ReasonCode::LostWordBoundaries, Certainty::Measured, together, visible, detail))
}

/// Words that were run together here and there: the language of the page would part many of them.
fn merged_words(words: &Words, visible: u32) -> Option<Found> {
    let fit = fit_words(words, None).filter(|fit| fit.n_letters >= MERGED_FROM)?;
    let models = Models::get().script(fit.script)?;
    if fit.language >= models.n_languages() || !fit.script.parts_words() {
        return None;
    }
    let cut = segment::cut(models.language(fit.language), &words.prose[fit.script as usize].symbols);
    let (gain, share) =
        (cut.gain_bits / cut.letters.max(1) as f32, cut.added as f32 / cut.words.max(1) as f32);
    // What reads like nothing with its blanks was no text of words.
    if gain < MERGED_BITS || share < MERGED_SHARE || cut.bits > fit.bound {
        return None;
    }
    let detail = format!(
        "{} would have {} blanks more in {} words, {gain:.1} bits a letter saved",
        fit.code, cut.added, cut.words
    );
    Some(found(ReasonCode::MergedWords, Certainty::Measured, cut.letters, visible, detail))
}

/// Letters that stand apart, each in a cell or line of its own.
fn letters_apart(text: &str, visible: u32) -> Option<Found> {
    let is_single = |token: &str| {
        let mut chars = token.chars();
        let is_letter =
            |c| matches!(Char::of(c), Char { kind: Kind::Letter, script, .. } if script.parts_words());
        chars.next().is_some_and(is_letter) && chars.next().is_none()
    };
    let (mut letters, mut apart) = (0_u32, 0_u32);
    let mut joined = String::new();
    let mut run = String::new();
    let tokens = text.split(|c: char| c.is_whitespace() || c == '|').filter(|token| !token.is_empty());
    for token in tokens.chain(["."]) {
        letters += token.chars().filter(|c| Char::of(*c).kind == Kind::Letter).count() as u32;
        if is_single(token) {
            run.push_str(token);
            continue;
        }
        let n = run.chars().count();
        if n >= APART_RUN {
            apart += n as u32;
            joined.push_str(&run);
            joined.push(' ');
        }
        run.clear();
    }
    if apart < LEAST_LETTERS as u32 || (apart as f32) < APART * letters as f32 {
        return None;
    }
    reads(&joined)?;
    let detail = format!("{apart} of {letters} letters stand apart, one in a cell");
    Some(found(ReasonCode::LostWordBoundaries, Certainty::Measured, apart, visible, detail))
}
