//! Optional content (ISO 32000-2, 8.11): which groups the default configuration hides.

use rustc_hash::FxHashSet;

use crate::score::pdf::{Array, Dict, Document, MaybeRef, Name, Object, ObjectIdentifier};

/// Groups and expressions looked at for one membership dictionary.
const MAX_NODES: u32 = 4096;
/// Nesting of a visibility expression.
const MAX_DEPTH: u32 = 16;
/// Groups of a configuration.
const MAX_GROUPS: usize = 1 << 16;

/// Visibility of optional-content groups when the document is opened.
#[derive(Debug, Default)]
pub(super) struct Layers {
    base_off: bool,
    on: FxHashSet<ObjectIdentifier>,
    off: FxHashSet<ObjectIdentifier>,
}

impl Layers {
    /// Reads `/OCProperties /D` of the catalog.
    pub(super) fn read(document: &Document) -> Self {
        let properties = document.catalog().and_then(|catalog| catalog.get::<Dict<'_>>("OCProperties"));
        let Some(config) = properties.and_then(|properties| properties.get::<Dict<'_>>("D")) else {
            return Self::default();
        };
        let groups = |key: &str| {
            let array: Option<Array<'_>> = config.get(key);
            let refs = array.iter().flat_map(|array| array.raw_iter()).take(MAX_GROUPS);
            refs.filter_map(|group| group.as_obj_ref()).map(ObjectIdentifier::from).collect()
        };
        let base_off = config.get::<Name<'_>>("BaseState").is_some_and(|state| &*state == b"OFF");
        Self { base_off, on: groups("ON"), off: groups("OFF") }
    }

    /// Whether nothing is ever hidden.
    pub(super) fn is_trivial(&self) -> bool {
        !self.base_off && self.off.is_empty()
    }

    fn is_off(&self, group: ObjectIdentifier) -> bool {
        if self.base_off { !self.on.contains(&group) } else { self.off.contains(&group) }
    }

    /// Whether content that belongs to the entry `key` of `dict` (a group or a membership dictionary) is hidden.
    pub(super) fn hides(&self, document: &Document, dict: &Dict<'_>, key: &[u8]) -> bool {
        if self.is_trivial() || !dict.contains_key(key) {
            return false;
        }
        let id = dict.get_ref(key).map(ObjectIdentifier::from);
        match dict.get::<Dict<'_>>(key) {
            Some(member) if member.get::<Name<'_>>("Type").is_some_and(|kind| &*kind == b"OCMD") => {
                !self.shows_member(document, &member)
            }
            Some(_) => id.is_some_and(|id| self.is_off(id)),
            None => false,
        }
    }

    /// A membership dictionary: its expression where it has one, else its policy (8.11.2.2).
    fn shows_member(&self, document: &Document, member: &Dict<'_>) -> bool {
        let mut budget = MAX_NODES;
        if let Some(expression) = member.get::<Array<'_>>("VE") {
            return self.shows(document, &expression, MAX_DEPTH, &mut budget);
        }
        let mut groups: Vec<ObjectIdentifier> = match member.get_ref("OCGs") {
            Some(id) => match document.get(id.into()) {
                Some(Object::Array(array)) => references(&array),
                _ => vec![id.into()],
            },
            None => member.get::<Array<'_>>("OCGs").map(|array| references(&array)).unwrap_or_default(),
        };
        groups.truncate(MAX_NODES as usize);
        if groups.is_empty() {
            return true;
        }
        let off = |group: &ObjectIdentifier| self.is_off(*group);
        match member.get::<Name<'_>>("P").as_deref() {
            Some(b"AllOn") => !groups.iter().any(off),
            Some(b"AnyOff") => groups.iter().any(off),
            Some(b"AllOff") => groups.iter().all(off),
            _ => !groups.iter().all(off),
        }
    }

    /// `[/And …]`, `[/Or …]`, `[/Not …]` over groups and expressions.
    fn shows(&self, document: &Document, expression: &Array<'_>, depth: u32, budget: &mut u32) -> bool {
        let mut terms = expression.raw_iter();
        let operator = match terms.next() {
            Some(MaybeRef::NotRef(Object::Name(name))) => name,
            _ => return true,
        };
        let mut values = terms.map(|term| {
            if depth == 0 || *budget == 0 {
                return true;
            }
            *budget -= 1;
            match term {
                MaybeRef::NotRef(Object::Array(inner)) => self.shows(document, &inner, depth - 1, budget),
                MaybeRef::NotRef(_) => true,
                MaybeRef::Ref(id) => match document.get(id.into()) {
                    Some(Object::Array(inner)) => self.shows(document, &inner, depth - 1, budget),
                    _ => !self.is_off(id.into()),
                },
            }
        });
        match &*operator {
            b"Not" => !values.next().unwrap_or(false),
            b"Or" => values.any(|value| value),
            _ => values.all(|value| value),
        }
    }
}

fn references(array: &Array<'_>) -> Vec<ObjectIdentifier> {
    let groups = array.raw_iter().take(MAX_NODES as usize);
    groups.filter_map(|group| group.as_obj_ref()).map(ObjectIdentifier::from).collect()
}
