//! The graphics and text state of one page, and what its operators leave behind.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::PageMeasure;
use super::cache::{ExtState, FontCache, Form, Resources, Space, XObject};
use super::geometry::{Bounds, Grid, Matrix};
use super::images::ImageLog;
use super::marked::Marks;
use super::page_font::PageFont;
use super::path::Path;
use crate::score::evidence::{Finding, FindingCode};
use crate::score::pdf::{ObjectIdentifier, Page};
use crate::score::signals::outlines::OutlineLog;

/// Saved states; further `q` are counted and their `Q` ignored.
pub(super) const MAX_SAVED: usize = 1024;

/// A colour, as far as visibility needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Colour {
    White,
    Pattern,
    Other,
}

/// The graphics state (ISO 32000-2, tables 51 and 103), as far as visibility needs it.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    pub ctm: Matrix,
    /// Bounds of the clipping path within the page.
    pub clip: Bounds,
    /// Index into [`Machine::fonts`].
    pub font: Option<u32>,
    pub size: f32,
    pub char_spacing: f32,
    pub word_spacing: f32,
    /// 1.0 = 100 %.
    pub scaling: f32,
    pub leading: f32,
    pub rise: f32,
    pub mode: u8,
    pub fill: Colour,
    pub stroke: Colour,
    pub fill_space: Space,
    pub stroke_space: Space,
    pub fill_alpha: f32,
    pub stroke_alpha: f32,
    /// Alpha of the groups around.
    pub group_alpha: f32,
    /// A blend mode other than Normal.
    pub blends: bool,
    /// A soft mask.
    pub masked: bool,
    pub line_width: f32,
    /// Runs that clip what is painted next (render mode 7).
    pub text_clip: Option<(u32, u32)>,
}

impl State {
    fn new(ctm: Matrix, clip: Bounds) -> Self {
        Self {
            ctm,
            clip,
            font: None,
            size: 0.0,
            char_spacing: 0.0,
            word_spacing: 0.0,
            scaling: 1.0,
            leading: 0.0,
            rise: 0.0,
            mode: 0,
            fill: Colour::Other,
            stroke: Colour::Other,
            fill_space: Space::Additive,
            stroke_space: Space::Additive,
            fill_alpha: 1.0,
            stroke_alpha: 1.0,
            group_alpha: 1.0,
            blends: false,
            masked: false,
            line_width: 1.0,
            text_clip: None,
        }
    }

    /// Whether what is painted hides what is under it.
    pub(super) fn is_opaque(&self) -> bool {
        self.fill_alpha * self.group_alpha >= 0.99 && !self.blends && !self.masked
    }
}

/// Something opaque painted over what was there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cover {
    pub bounds: Bounds,
    /// Runs painted before it.
    pub n_runs: u32,
    /// An image, not a fill.
    pub image: bool,
}

/// What [`PageMeasure::runs`] does not hold of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunExtra {
    pub bounds: Bounds,
    /// Glyphs that are not blank.
    pub inked: u32,
    /// Of these, dead or contradicted.
    pub suspect: u32,
    /// Hidden, white on white or under a fill. An image painted over it makes it an OCR layer.
    pub gone: bool,
}

/// Names are looked up per resource dictionary; the address stands for it while the page is measured.
pub(super) type NameKey = (usize, SmallVec<[u8; 16]>);

/// Look-ups of one page.
#[derive(Default)]
pub(super) struct Memo<'a> {
    pub fonts: FxHashMap<NameKey, u32>,
    pub x_objects: FxHashMap<NameKey, Option<Arc<XObject<'a>>>>,
    pub states: FxHashMap<NameKey, Option<Arc<ExtState<'a>>>>,
    pub spaces: FxHashMap<NameKey, Space>,
    /// Keeps addresses from being used twice.
    pub resources: FxHashMap<usize, Arc<Resources<'a>>>,
    /// Index into [`Machine::fonts`] by the font's address.
    pub by_font: FxHashMap<usize, u32>,
    pub missing_font: Option<u32>,
}

pub(super) fn name_key(resources: &Arc<Resources<'_>>, name: &[u8]) -> NameKey {
    (Arc::as_ptr(resources) as usize, SmallVec::from_slice(name))
}

/// The interpreter of one page.
pub(super) struct Machine<'m, 'a> {
    pub cache: &'m FontCache<'a>,
    pub page_index: u32,
    pub area: Bounds,
    initial: State,
    pub state: State,
    pub saved: Vec<State>,
    /// States of the content around a form are not its own to restore.
    pub saved_base: usize,
    pub n_unsaved: u32,
    pub text_matrix: Matrix,
    pub line_matrix: Matrix,
    /// First run of the open text object that clips.
    pub clips_from: Option<u32>,
    pub path: Path,
    pub marks: Marks,
    pub fonts: Vec<PageFont<'a>>,
    pub memo: Memo<'a>,
    /// Cells where something that is not white may have been painted.
    pub ink: Grid,
    /// Cells with visible text so far.
    pub text_cells: Grid,
    pub covers: Vec<Cover>,
    pub images: ImageLog,
    pub outlines: OutlineLog,
    pub measure: PageMeasure,
    pub extras: Vec<RunExtra>,
    /// Forms being drawn.
    pub forms: Vec<ObjectIdentifier>,
    pub depth: u32,
    pub buffers: Vec<Vec<u8>>,
    pub scratch: Vec<u8>,
    pub operators_left: u64,
    pub glyphs_left: u64,
    pub bytes_left: u64,
    pub damage: u32,
}

impl<'m, 'a> Machine<'m, 'a> {
    pub(super) fn new(cache: &'m FontCache<'a>, page: &Page<'a>) -> Self {
        let limits = &cache.document().limits;
        let [x0, y0, x1, y1] = page.crop_box;
        let size = [(x1 - x0).abs(), (y1 - y0).abs()];
        let area = Bounds::of([0.0, 0.0, size[0], size[1]]);
        let mut measure = PageMeasure::default();
        measure.evidence.page_index = page.index;
        measure.evidence.size = size;
        let n_pages = u64::from(cache.document().info().n_pages.max(1));
        let content_bytes = limits.content_bytes as u64;
        // The document's budget in equal parts, so that a page's score does not depend on which was measured first.
        let bytes_left = (limits.document_content_bytes / n_pages).max(content_bytes);
        let initial = State::new(Matrix([1.0, 0.0, 0.0, 1.0, -x0.min(x1), -y0.min(y1)]), area);
        Self {
            cache,
            page_index: page.index,
            area,
            initial,
            state: initial,
            saved: Vec::new(),
            saved_base: 0,
            n_unsaved: 0,
            text_matrix: Matrix::IDENTITY,
            line_matrix: Matrix::IDENTITY,
            clips_from: None,
            path: Path::default(),
            marks: Marks::default(),
            fonts: Vec::new(),
            memo: Memo::default(),
            ink: Grid::new(size),
            text_cells: Grid::new(size),
            covers: Vec::new(),
            images: ImageLog::new(size),
            outlines: OutlineLog::default(),
            measure,
            extras: Vec::new(),
            forms: Vec::new(),
            depth: 0,
            buffers: Vec::new(),
            scratch: Vec::new(),
            operators_left: limits.operators_per_page,
            glyphs_left: limits.glyphs_per_page,
            bytes_left,
            damage: 0,
        }
    }

    /// As before the first operator: what unbalanced content left behind does not reach the annotations.
    pub(super) fn reset(&mut self) {
        self.state = self.initial;
        self.saved.clear();
        self.n_unsaved = 0;
        self.path.clear();
        while self.marks.depth() > 0 {
            self.end_mark();
        }
    }

    /// Notes damage, once of each kind.
    pub(super) fn find(&mut self, code: FindingCode, detail: &str) {
        let findings = &mut self.measure.evidence.findings;
        if findings.iter().all(|finding| finding.code != code) {
            findings.push(Finding { page: Some(self.page_index + 1), code, detail: detail.into() });
        }
    }

    /// A budget is spent: what was seen so far stands.
    #[cold]
    pub(super) fn out_of(&mut self, code: FindingCode, detail: &str) {
        self.measure.evidence.incomplete = true;
        self.find(code, detail);
    }

    pub(super) fn save(&mut self) {
        if self.saved.len() - self.saved_base >= MAX_SAVED {
            self.n_unsaved = self.n_unsaved.saturating_add(1);
        } else {
            self.saved.push(self.state);
        }
    }

    pub(super) fn restore(&mut self) {
        if self.n_unsaved > 0 {
            self.n_unsaved -= 1;
        } else if self.saved.len() > self.saved_base
            && let Some(state) = self.saved.pop()
        {
            self.state = state;
        }
    }

    /// Draws a form: its own matrix, clip and resources, and nothing of its state left behind (8.10.1).
    pub(super) fn draw_form(&mut self, form: &Form<'a>, around: &Arc<Resources<'a>>) {
        if self.depth >= self.cache.document().limits.depth {
            return self.out_of(FindingCode::FormDepth, "forms are nested deeper than `limits.depth`");
        }
        if form.id.is_some_and(|id| self.forms.contains(&id)) {
            return self.find(FindingCode::FormLoop, "a form draws itself");
        }
        let before = self.state;
        self.state.ctm = form.matrix.then(&self.state.ctm);
        if let Some(bbox) = &form.bbox {
            self.state.clip = self.state.clip.intersect(&self.state.ctm.bounds(bbox));
        }
        if form.group {
            self.state.group_alpha *= self.state.fill_alpha;
            (self.state.fill_alpha, self.state.stroke_alpha) = (1.0, 1.0);
        }
        // Nothing of it can show.
        if !self.state.clip.is_empty() {
            self.form_content(form, around);
        }
        self.state = before;
    }

    fn form_content(&mut self, form: &Form<'a>, around: &Arc<Resources<'a>>) {
        let mut buffer = Vec::new();
        let kept = form.kept();
        let content = match &kept {
            Some(content) => &content[..],
            None => {
                buffer = self.buffers.pop().unwrap_or_default();
                self.decode(form, &mut buffer);
                &buffer[..]
            }
        };
        if self.bytes_left < content.len() as u64 {
            self.bytes_left = 0;
            self.out_of(FindingCode::StreamOverLimit, "the content of the page's forms is too large");
        } else {
            self.bytes_left -= content.len() as u64;
            self.enter(form, content, around);
        }
        if buffer.capacity() > 0 {
            self.buffers.push(buffer);
        }
    }

    fn enter(&mut self, form: &Form<'a>, content: &[u8], around: &Arc<Resources<'a>>) {
        let resources = form.resources(self.cache).unwrap_or(around).clone();
        self.memo.resources.entry(Arc::as_ptr(&resources) as usize).or_insert_with(|| resources.clone());
        let (base, unsaved, marks) = (self.saved_base, self.n_unsaved, self.marks.depth());
        let (text, line) = (self.text_matrix, self.line_matrix);
        let path = std::mem::take(&mut self.path);
        (self.saved_base, self.n_unsaved) = (self.saved.len(), 0);
        self.forms.extend(form.id);
        self.depth += 1;
        self.run(content, &resources);
        self.depth -= 1;
        if form.id.is_some() {
            self.forms.pop();
        }
        while self.marks.depth() > marks {
            self.end_mark();
        }
        self.saved.truncate(self.saved_base);
        (self.saved_base, self.n_unsaved) = (base, unsaved);
        (self.text_matrix, self.line_matrix) = (text, line);
        self.path = path;
    }
}
