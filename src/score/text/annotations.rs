//! Annotation appearances and form fields, drawn over the page (ISO 32000-2, 12.5.5).

use std::sync::Arc;

use super::cache::{Form, Resources, read_numbers};
use super::geometry::{Bounds, Matrix};
use super::machine::Machine;
use crate::score::pdf::{Array, Dict, MaybeRef, Name, Object, ObjectIdentifier, Page, Stream};

/// Annotations of one page.
const MAX_ANNOTATIONS: usize = 1 << 14;
/// Hidden and NoView (table 167).
const NOT_SHOWN: i32 = 1 << 1 | 1 << 5;

impl<'a> Machine<'_, 'a> {
    pub(super) fn draw_annotations(&mut self, page: &Page<'a>, resources: &Arc<Resources<'a>>) {
        let Some(annotations) = page.dict.get::<Array<'a>>("Annots") else { return };
        for annotation in annotations.iter::<Object<'a>>().take(MAX_ANNOTATIONS) {
            if let Object::Dict(annotation) = annotation {
                self.reset();
                self.draw_annotation(&annotation, resources);
            }
        }
    }

    fn draw_annotation(&mut self, annotation: &Dict<'a>, resources: &Arc<Resources<'a>>) {
        let Some(states) = annotation.get::<Dict<'a>>("AP") else { return };
        if annotation.get::<i32>("F").unwrap_or(0) & NOT_SHOWN != 0
            || annotation.get::<Name<'a>>("Subtype").is_some_and(|kind| &*kind == b"Popup")
            || self.cache.layers().hides(self.cache.document(), annotation, b"OC")
        {
            return;
        }
        let Some(rect) = read_numbers(annotation, "Rect").map(Bounds::of) else { return };
        let Some((stream, id)) = appearance(&states, annotation) else { return };
        let form = Form::new(stream, id);
        let Some(bbox) = form.bbox else { return };
        // Algorithm 8.1: the transformed appearance box is fitted to the annotation's rectangle.
        let shown = form.matrix.bounds(&bbox);
        let scale = |to: f32, from: f32| if from > 0.0 { to / from } else { 1.0 };
        let (sx, sy) = (scale(rect.width(), shown.width()), scale(rect.height(), shown.height()));
        let fit = Matrix([sx, 0.0, 0.0, sy, rect.x0 - shown.x0 * sx, rect.y0 - shown.y0 * sy]);
        self.state.ctm = fit.then(&self.state.ctm);
        self.draw_form(&form, resources);
    }
}

/// `/N`, or of several states the one that `/AS` names.
fn appearance<'a>(
    states: &Dict<'a>,
    annotation: &Dict<'a>,
) -> Option<(Stream<'a>, Option<ObjectIdentifier>)> {
    let id = |found: Option<crate::score::pdf::ObjRef>| found.map(ObjectIdentifier::from);
    match states.get::<Object<'a>>("N")? {
        Object::Stream(stream) => Some((stream, id(states.get_ref("N")))),
        Object::Dict(by_state) => {
            let state = annotation.get::<Name<'a>>("AS")?;
            match by_state.get_raw::<Object<'a>>(&*state)? {
                MaybeRef::Ref(found) => Some((by_state.get(&*state)?, Some(found.into()))),
                MaybeRef::NotRef(_) => None,
            }
        }
        _ => None,
    }
}
