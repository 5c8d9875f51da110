//! Runs of a page put together into lines.
//!
//! Takes: the runs of a page in content order. Gives: which run follows which, and what stands between them. Fails: never.
//! Never: knows letters beyond the direction their script is written in.

use super::{PageMeasure, TextRun};

/// A line begins where the baseline moves by this share of the size.
const LINE_SHIFT: f32 = 0.5;
/// Gap as wide as a space, in sizes; the same as between runs in content order.
const WORD_GAP: f32 = 0.2;
/// Pieces of one right-to-left line are at most so many sizes apart.
const LINE_GAP: f32 = 3.0;
/// Right-to-left characters of a page from which its lines may be built leftward.
const FEW: usize = 20;

/// What stands before a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::score) enum Break {
    /// Nothing: it continues the run before.
    None,
    /// A gap of a space's width.
    Space,
    /// The end of a line.
    Line,
}

impl Break {
    /// The character that stands for it.
    pub(in crate::score) fn text(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Space => " ",
            Self::Line => "\n",
        }
    }
}

/// In which order the runs of a line come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::score) enum Order {
    /// As they are drawn.
    Content,
    /// From left to right along the baseline, as they look.
    Visual,
}

/// Whether a page has right-to-left text to speak of. Reads first bytes of UTF-8 alone: Hebrew and Arabic lie in
/// U+0590–06FF, their shapes in U+FB1D–FEFC.
pub(in crate::score) fn has_rtl(measure: &PageMeasure) -> bool {
    let bytes = measure.text.as_bytes();
    let leads = bytes
        .windows(2)
        .filter(|pair| matches!(pair[0], 0xD6..=0xDB) || (pair[0] == 0xEF && matches!(pair[1], 0xAC..=0xBB)));
    leads.take(FEW).count() == FEW
}

/// The wanted runs of a page, each with what stands before it.
pub(in crate::score) fn joined(
    measure: &PageMeasure,
    order: Order,
    wanted: impl Fn(&TextRun) -> bool,
) -> Vec<(&TextRun, Break)> {
    let leftward = has_rtl(measure);
    let mut out: Vec<(&TextRun, Break)> = Vec::new();
    let mut line: Option<Line> = None;
    let mut first = 0;
    for run in measure.runs.iter().filter(|run| wanted(run)) {
        let own = line.take().filter(|line| line.goes_on_with(run, leftward));
        let before = match &own {
            Some(_) if run.gap_before => Break::Space,
            Some(_) => Break::None,
            None => Break::Line,
        };
        if own.is_none() {
            arrange(&mut out[first..], order);
            first = out.len();
        }
        line = Some(own.unwrap_or_else(|| Line::of(run)).with(run));
        out.push((run, before));
    }
    arrange(&mut out[first..], order);
    if let Some(first) = out.first_mut() {
        first.1 = Break::None;
    }
    out
}

/// Puts the runs of one line into the order wanted.
fn arrange(line: &mut [(&TextRun, Break)], order: Order) {
    if order == Order::Content || line.len() < 2 {
        return;
    }
    let along = direction(line[0].0);
    let place = |run: &TextRun| {
        let [a, b] = [run.from, run.to].map(|[x, y]| x * along[0] + y * along[1]);
        [a.min(b), a.max(b)]
    };
    line.sort_by(|(a, _), (b, _)| place(a)[0].total_cmp(&place(b)[0]));
    line[0].1 = Break::Line;
    for at in 1..line.len() {
        let [before, own] = [line[at - 1].0, line[at].0];
        let gap = place(own)[0] - place(before)[1];
        line[at].1 = if gap > WORD_GAP * own.size.max(before.size) { Break::Space } else { Break::None };
    }
}

/// A line so far: the run drawn last, and where along its baseline the line has ink.
struct Line {
    last: ([f32; 2], [f32; 2], f32),
    along: [f32; 2],
    extent: [f32; 2],
}

impl Line {
    fn of(run: &TextRun) -> Self {
        Self {
            last: (run.from, run.to, run.size),
            along: direction(run),
            extent: [f32::INFINITY, f32::NEG_INFINITY],
        }
    }

    fn with(mut self, run: &TextRun) -> Self {
        self.last = (run.from, run.to, run.size);
        for [x, y] in [run.from, run.to] {
            let at = x * self.along[0] + y * self.along[1];
            self.extent = [self.extent[0].min(at), self.extent[1].max(at)];
        }
        self
    }

    fn goes_on_with(&self, run: &TextRun, leftward: bool) -> bool {
        let (from, to, size) = self.last;
        let step = [run.from[0] - to[0], run.from[1] - to[1]];
        let aside = step[1] * self.along[0] - step[0] * self.along[1];
        let em = run.size.max(size);
        if aside.abs() > LINE_SHIFT * em {
            return false;
        }
        let place = |[x, y]: [f32; 2]| x * self.along[0] + y * self.along[1];
        if leftward {
            let [start, end] = [place(run.from), place(run.to)];
            let gap = (start.min(end) - self.extent[1]).max(self.extent[0] - start.max(end));
            return gap <= LINE_GAP * em;
        }
        place(run.from) >= place(from).min(place(to)) - run.size
    }
}

/// Unit vector of a run's baseline.
fn direction(run: &TextRun) -> [f32; 2] {
    let [dx, dy] = [run.to[0] - run.from[0], run.to[1] - run.from[1]];
    let length = dx.hypot(dy);
    // Mirrored or empty runs are read along the page.
    if length > 1e-3 { [dx / length, dy / length] } else { [1.0, 0.0] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::fonts::CharCode;

    fn page(runs: &[(&str, [f32; 2], f32)]) -> PageMeasure {
        let mut page = PageMeasure::default();
        for (text, from, width) in runs {
            let run = TextRun::new(0, *from, [from[0] + width, from[1]], 10.0);
            page.push_run(TextRun { gap_before: true, ..run }, [(CharCode(1), *text)]);
        }
        page
    }

    fn read(page: &PageMeasure, order: Order) -> String {
        let mut out = String::new();
        for (run, before) in joined(page, order, |_| true) {
            out += before.text();
            out += page.text(run);
        }
        out
    }

    #[test]
    fn words_placed_leftward_are_one_line_of_right_to_left_text() {
        let leftward = |words: [&str; 4]| {
            page(&[
                (words[0], [100.0, 50.0], 40.0),
                (words[1], [50.0, 50.0], 45.0),
                (words[2], [100.0, 30.0], 40.0),
                (words[3], [97.0, 10.0], 43.0),
            ])
        };
        let arabic = leftward(["الحكاية", "الخسارة", "العسكرية", "اللبنانيين"]);
        assert_eq!(read(&arabic, Order::Content), "الحكاية الخسارة\nالعسكرية\nاللبنانيين");
        assert_eq!(read(&arabic, Order::Visual), "الخسارة الحكاية\nالعسكرية\nاللبنانيين");
        let latin = leftward(["second", "first", "third", "fourth"]);
        assert_eq!(read(&latin, Order::Content), "second\nfirst\nthird\nfourth");
    }

    #[test]
    fn a_turned_line_is_a_line() {
        let mut page = PageMeasure::default();
        for (text, y) in [("one", 10.0), ("two", 40.0)] {
            let run = TextRun { gap_before: true, ..TextRun::new(0, [50.0, y], [50.0, y + 25.0], 10.0) };
            page.push_run(run, [(CharCode(1), text)]);
        }
        assert_eq!(read(&page, Order::Content), "one two");
    }
}
