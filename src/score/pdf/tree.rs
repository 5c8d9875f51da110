//! The page tree (ISO 32000-2, 7.7.3), walked over the reader's objects.
//!
//! The reader's own list drops a page that is listed twice; here it counts twice, as in qpdf. An intermediate node is
//! entered once: loops end, and a crafted graph of shared nodes costs no more than its bytes.

use hayro_syntax::Pdf;
use hayro_syntax::object::array::ArrayIter;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Dict, MaybeRef, Name, Object, ObjectIdentifier, Rect};

/// A4 in points: what readers take for a page without a box.
const A4: [f32; 4] = [0.0, 0.0, 595.276, 841.89];
/// Sides of a page beyond this (in points) are nonsense.
const MAX_SIDE: f64 = 1e7;

/// What a page inherits (7.7.3.4).
#[derive(Clone, Default)]
struct Inherited<'a> {
    resources: Option<Dict<'a>>,
    media_box: Option<Rect>,
    crop_box: Option<Rect>,
    rotate: Option<i32>,
}

impl<'a> Inherited<'a> {
    fn extend(&mut self, dict: &Dict<'a>) {
        if dict.contains_key("Resources")
            && let Some(resources) = dict.get::<Dict<'a>>("Resources")
        {
            self.resources = Some(resources);
        }
        if dict.contains_key("MediaBox") {
            self.media_box = dict.get::<Rect>("MediaBox").or(self.media_box);
        }
        if dict.contains_key("CropBox") {
            self.crop_box = dict.get::<Rect>("CropBox").or(self.crop_box);
        }
        if dict.contains_key("Rotate") {
            self.rotate = dict.get::<i32>("Rotate").or(self.rotate);
        }
    }
}

/// One page as the walk meets it.
pub(super) struct Found<'w, 'a> {
    /// The page's own dictionary.
    pub dict: &'w Dict<'a>,
    inherited: &'w Inherited<'a>,
}

impl<'a> Found<'_, 'a> {
    /// Resolves the attributes that a page may inherit.
    pub(super) fn into_page(self, index: u32) -> super::Page<'a> {
        let mut own = self.inherited.clone();
        own.extend(self.dict);
        super::Page {
            index,
            dict: self.dict.clone(),
            resources: own.resources.unwrap_or_default(),
            crop_box: visible_box(own.media_box, own.crop_box),
            rotate: match own.rotate.unwrap_or(0).rem_euclid(360) {
                angle @ (90 | 180 | 270) => angle as u16,
                _ => 0,
            },
        }
    }
}

/// The crop box within the media box; where they do not meet, the media box; where that is empty, A4.
fn visible_box(media_box: Option<Rect>, crop_box: Option<Rect>) -> [f32; 4] {
    let sane = |rect: &Rect| {
        let sides = [rect.width(), rect.height()];
        sides.iter().all(|side| *side >= 1e-3 && *side <= MAX_SIDE)
            && [rect.x0, rect.y0].iter().all(|corner| corner.abs() <= MAX_SIDE)
    };
    let media_box = media_box.filter(sane);
    let crop_box = crop_box.filter(sane);
    let visible = match (media_box, crop_box) {
        (Some(media), Some(crop)) => Some(crop.intersect(media)).filter(sane).or(Some(media)),
        (media, crop) => media.or(crop),
    };
    visible.map_or(A4, |rect| [rect.x0, rect.y0, rect.x1, rect.y1].map(|side| side as f32))
}

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Walked {
    /// Pages found, at most the limit and one.
    pub n_pages: u32,
    /// `/Count` of the root, where it states one.
    pub stated: Option<i64>,
    /// A kid was missing, no dictionary, or a node met again.
    pub damaged: bool,
    /// `/Pages` is a dictionary.
    pub has_root: bool,
}

struct Frame<'a> {
    kids: ArrayIter<'a>,
    inherited: Inherited<'a>,
}

/// Walks the tree from the catalog, calling `visit` for each page in order; stops after `max_pages` and one.
pub(super) fn walk<'a>(pdf: &'a Pdf, max_pages: u32, mut visit: impl FnMut(Found<'_, 'a>)) -> Walked {
    let mut walked = Walked { n_pages: 0, stated: None, damaged: false, has_root: false };
    let root =
        pdf.xref().get::<Dict<'a>>(pdf.xref().root_id()).and_then(|root| root.get::<Dict<'a>>("Pages"));
    let Some(root) = root else { return walked };
    walked.has_root = true;
    walked.stated = root.get::<i64>("Count");
    let listed: FxHashMap<ObjectIdentifier, &Dict<'a>> =
        pdf.pages().iter().filter_map(|page| Some((page.raw().obj_id()?, page.raw()))).collect();
    let mut entered = FxHashSet::default();
    let mut stack = Vec::new();
    enter(root, Inherited::default(), &mut stack, &mut walked, &mut visit);
    entered.extend(pdf.xref().get::<Dict<'a>>(pdf.xref().root_id()).and_then(|root| root.get_ref("Pages")));
    while let Some(frame) = stack.last_mut() {
        if walked.n_pages > max_pages {
            break;
        }
        let Some(kid) = frame.kids.next() else {
            stack.pop();
            continue;
        };
        let dict = match kid {
            MaybeRef::Ref(id) if entered.contains(&id) => {
                walked.damaged = true;
                continue;
            }
            // The reader has parsed its pages already; a direct kid carries its parent's id, hence the look at the keys.
            MaybeRef::Ref(id) => match listed.get(&id.into()) {
                Some(dict) if !dict.contains_key("Kids") => {
                    walked.n_pages += 1;
                    visit(Found { dict, inherited: &frame.inherited });
                    continue;
                }
                _ => {
                    let dict = pdf.xref().get::<Dict<'a>>(id.into());
                    if dict.as_ref().is_some_and(is_node) {
                        entered.insert(id);
                    }
                    dict
                }
            },
            MaybeRef::NotRef(Object::Dict(dict)) => Some(dict),
            MaybeRef::NotRef(_) => None,
        };
        let Some(dict) = dict else {
            walked.damaged = true;
            continue;
        };
        let inherited = frame.inherited.clone();
        enter(dict, inherited, &mut stack, &mut walked, &mut visit);
    }
    walked
}

/// Some writers leave `/Type` out or set it wrong: a node is what has `/Kids`.
fn is_node(dict: &Dict<'_>) -> bool {
    dict.contains_key("Kids") && dict.get::<Name<'_>>("Type").as_deref() != Some(b"Page")
}

fn enter<'a>(
    dict: Dict<'a>,
    mut inherited: Inherited<'a>,
    stack: &mut Vec<Frame<'a>>,
    walked: &mut Walked,
    visit: &mut impl FnMut(Found<'_, 'a>),
) {
    if is_node(&dict) {
        match dict.get::<super::Array<'a>>("Kids") {
            Some(kids) => {
                inherited.extend(&dict);
                stack.push(Frame { kids: kids.raw_iter(), inherited });
            }
            None => walked.damaged = true,
        }
        return;
    }
    if dict.get::<Name<'_>>("Type").as_deref() == Some(b"Pages") {
        // An empty tree, or a node that lost its kids.
        walked.damaged |= dict.get::<i64>("Count").is_some_and(|count| count > 0);
        return;
    }
    walked.n_pages += 1;
    visit(Found { dict: &dict, inherited: &inherited });
}

/// A page found outside any tree: it inherits nothing.
pub(super) fn lone_page<'a>(dict: &Dict<'a>, index: u32) -> super::Page<'a> {
    Found { dict, inherited: &Inherited::default() }.into_page(index)
}
