//! The page tree (ISO 32000-2, 7.7.3), walked over the reader's objects.
//!
//! The reader's own list drops a page that is listed twice; here it counts twice, as in qpdf. An intermediate node is
//! entered once: loops end, and a crafted graph of shared nodes costs no more than its bytes.

use hayro_syntax::Pdf;
use hayro_syntax::object::array::ArrayIter;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Array, Dict, MaybeRef, Name, Object, ObjectIdentifier, Rect};

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
    /// `None` for a hole: a kid whose object is lost or leads back.
    dict: Option<&'w Dict<'a>>,
    inherited: &'w Inherited<'a>,
}

impl<'a> Found<'_, 'a> {
    pub(super) fn is_hole(&self) -> bool {
        self.dict.is_none()
    }

    /// Resolves the attributes that a page may inherit.
    pub(super) fn into_page(self, index: u32) -> super::Page<'a> {
        let mut own = self.inherited.clone();
        if let Some(dict) = self.dict {
            own.extend(dict);
        }
        super::Page {
            index,
            dict: self.dict.cloned().unwrap_or_default(),
            lost: self.dict.is_none(),
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Walked {
    /// Pages found, at most the limit and one.
    pub n_pages: u32,
    /// Kids that give no page though one is listed: their object is lost, or a node met again.
    pub n_holes: u32,
    /// `/Count` of the root, where it states one.
    pub stated: Option<i64>,
    /// A kid was missing, a node met again, or had no kids where it states some.
    pub damaged: bool,
    /// `/Pages` is a dictionary.
    pub has_root: bool,
}

struct Frame<'a> {
    kids: ArrayIter<'a>,
    inherited: Inherited<'a>,
}

struct Walk<'a, F> {
    stack: Vec<Frame<'a>>,
    walked: Walked,
    visit: F,
}

/// Walks the tree from the catalog, calling `visit` for each page and hole in order; stops after `max_pages` and one.
pub(super) fn walk<'a>(pdf: &'a Pdf, max_pages: u32, visit: impl FnMut(Found<'_, 'a>)) -> Walked {
    let mut walk = Walk { stack: Vec::new(), walked: Walked::default(), visit };
    let xref = pdf.xref();
    let Some(catalog) = xref.get::<Dict<'a>>(xref.root_id()) else { return walk.walked };
    let Some(root) = catalog.get::<Dict<'a>>("Pages") else { return walk.walked };
    walk.walked.has_root = true;
    walk.walked.stated = root.get::<i64>("Count");
    let listed: FxHashMap<ObjectIdentifier, &Dict<'a>> =
        pdf.pages().iter().filter_map(|page| Some((own_id(page.raw())?, page.raw()))).collect();
    let mut entered: FxHashSet<_> = catalog.get_ref("Pages").into_iter().collect();
    if is_node(&root) || looks_like_page(&root) {
        walk.enter(root, &Inherited::default());
    } else {
        walk.walked.damaged = walk.walked.stated != Some(0);
    }
    while let Some(frame) = walk.stack.last_mut() {
        if walk.walked.n_pages + walk.walked.n_holes > max_pages {
            break;
        }
        let Some(kid) = frame.kids.next() else {
            walk.stack.pop();
            continue;
        };
        let dict = match kid {
            MaybeRef::Ref(id) if entered.contains(&id) => None,
            // The reader has parsed its pages already.
            MaybeRef::Ref(id) => match listed.get(&id.into()) {
                Some(dict) if !dict.contains_key("Kids") => {
                    walk.walked.n_pages += 1;
                    (walk.visit)(Found { dict: Some(dict), inherited: &frame.inherited });
                    continue;
                }
                _ => {
                    let dict = xref.get::<Dict<'a>>(id.into());
                    if dict.as_ref().is_some_and(is_node) {
                        entered.insert(id);
                    }
                    dict
                }
            },
            MaybeRef::NotRef(object) => object.into_dict(),
        };
        let Some(dict) = dict else {
            walk.walked.damaged = true;
            walk.walked.n_holes += 1;
            (walk.visit)(Found { dict: None, inherited: &frame.inherited });
            continue;
        };
        let inherited = frame.inherited.clone();
        walk.enter(dict, &inherited);
    }
    walk.walked
}

impl<'a, F: FnMut(Found<'_, 'a>)> Walk<'a, F> {
    fn enter(&mut self, dict: Dict<'a>, inherited: &Inherited<'a>) {
        if is_node(&dict) {
            match dict.get::<Array<'a>>("Kids") {
                Some(kids) => {
                    let mut inherited = inherited.clone();
                    inherited.extend(&dict);
                    self.stack.push(Frame { kids: kids.raw_iter(), inherited });
                }
                None => self.walked.damaged = true,
            }
        } else if dict.get::<Name<'_>>("Type").as_deref() == Some(b"Pages") && !looks_like_page(&dict) {
            // An empty node, or one that lost its kids.
            self.walked.damaged |= dict.get::<i64>("Count").is_some_and(|count| count > 0);
        } else {
            self.walked.n_pages += 1;
            (self.visit)(Found { dict: Some(&dict), inherited });
        }
    }
}

/// Pages that no tree reaches, in file order.
pub(super) fn orphans<'a>(pdf: &'a Pdf) -> impl Iterator<Item = Dict<'a>> {
    let dicts = pdf.objects().into_iter().filter_map(|object| match object {
        Object::Dict(dict) => Some(dict),
        _ => None,
    });
    dicts.filter(|dict| dict.get::<Name<'_>>("Type").as_deref() == Some(b"Page"))
}

fn looks_like_page(dict: &Dict<'_>) -> bool {
    dict.get::<Name<'_>>("Type").as_deref() == Some(b"Page") || dict.contains_key("Contents")
}

/// The id of a page that is an object of its own. The reader gives a direct kid the id of its parent, which is then what
/// its `/Parent` says, if it has one.
fn own_id(page: &Dict<'_>) -> Option<ObjectIdentifier> {
    let id = page.obj_id()?;
    let parent = page.get_ref("Parent")?;
    (id != parent.into()).then_some(id)
}

/// Some writers leave `/Type` out or set it wrong: a node is what has `/Kids`.
fn is_node(dict: &Dict<'_>) -> bool {
    dict.contains_key("Kids") && dict.get::<Name<'_>>("Type").as_deref() != Some(b"Page")
}

/// A page found outside any tree: it inherits nothing.
pub(super) fn lone_page<'a>(dict: &Dict<'a>, index: u32) -> super::Page<'a> {
    Found { dict: Some(dict), inherited: &Inherited::default() }.into_page(index)
}

/// A page whose object is lost.
pub(super) fn lost_page<'a>(index: u32) -> super::Page<'a> {
    Found { dict: None, inherited: &Inherited::default() }.into_page(index)
}
