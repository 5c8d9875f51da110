//! What the pages of one document share: fonts, resources, forms and images, resolved once.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use rustc_hash::FxHashMap;

use super::geometry::{Bounds, Matrix};
use super::layers::Layers;
use super::type3::Type3;
use crate::score::fonts::Font;
use crate::score::pdf::{
    Array, Decoded, Dict, Document, Name, Object, ObjectIdentifier, Page, Stream, decode_stream,
};

/// Decoded forms up to this size are kept, for they are often drawn again.
const KEPT_FORM_BYTES: usize = 64 << 10;
/// Decoded forms of one document that are kept, in bytes.
const KEPT_FORMS_BYTES: usize = 16 << 20;

/// Fonts and other resources of one document, keyed by object id, shared by the threads that measure its pages.
///
/// A reader parses an object anew at each look-up; this is where that happens once.
pub struct FontCache<'a> {
    document: &'a Document,
    fonts: Shared<FontKey, Arc<OnceLock<Arc<PdfFont<'a>>>>>,
    resources: Shared<ObjectIdentifier, Arc<Resources<'a>>>,
    x_objects: Shared<ObjectIdentifier, Arc<XObject<'a>>>,
    states: Shared<ObjectIdentifier, Arc<ExtState<'a>>>,
    layers: OnceLock<Layers>,
    kept_bytes: AtomicUsize,
}

type Shared<K, V> = RwLock<FxHashMap<K, V>>;

/// A font is known by its object, or by page and place where its dictionary is direct.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum FontKey {
    Object(ObjectIdentifier),
    Direct { page: u32, place: usize },
}

/// A font with what drawing needs beside its codes.
pub(super) struct PdfFont<'a> {
    pub font: Arc<Font>,
    pub type3: Option<Type3<'a>>,
}

/// A resource dictionary, its categories resolved at first use.
pub(super) struct Resources<'a> {
    dict: Dict<'a>,
    fonts: OnceLock<Option<Dict<'a>>>,
    x_objects: OnceLock<Option<Dict<'a>>>,
    states: OnceLock<Option<Dict<'a>>>,
    properties: OnceLock<Option<Dict<'a>>>,
    spaces: OnceLock<Option<Dict<'a>>>,
}

impl<'a> Resources<'a> {
    pub(super) fn new(dict: Dict<'a>) -> Self {
        Self {
            dict,
            fonts: OnceLock::new(),
            x_objects: OnceLock::new(),
            states: OnceLock::new(),
            properties: OnceLock::new(),
            spaces: OnceLock::new(),
        }
    }

    fn fonts(&self) -> Option<&Dict<'a>> {
        self.fonts.get_or_init(|| self.dict.get("Font")).as_ref()
    }

    fn x_objects(&self) -> Option<&Dict<'a>> {
        self.x_objects.get_or_init(|| self.dict.get("XObject")).as_ref()
    }

    fn states(&self) -> Option<&Dict<'a>> {
        self.states.get_or_init(|| self.dict.get("ExtGState")).as_ref()
    }

    pub(super) fn properties(&self) -> Option<&Dict<'a>> {
        self.properties.get_or_init(|| self.dict.get("Properties")).as_ref()
    }

    fn spaces(&self) -> Option<&Dict<'a>> {
        self.spaces.get_or_init(|| self.dict.get("ColorSpace")).as_ref()
    }
}

/// What `Do` draws.
pub(super) enum XObject<'a> {
    Image {
        info: ImageInfo,
        dict: Dict<'a>,
    },
    Form(Box<Form<'a>>),
    /// PostScript, or damage.
    Other,
}

/// An image's dictionary; its data are never read.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(in crate::score) struct ImageInfo {
    pub width: u32,
    pub height: u32,
    /// A stencil that paints the current colour.
    pub stencil: bool,
    /// One bit a sample, or a codec of scanners.
    pub bilevel: bool,
    /// No mask of any kind.
    pub opaque: bool,
    /// Has an SMask.
    pub soft_masked: bool,
    /// Encoded size.
    pub n_bytes: u32,
    /// Object number; 0 for an inline image.
    pub object: u32,
}

/// A form XObject.
pub(super) struct Form<'a> {
    pub id: Option<ObjectIdentifier>,
    pub stream: Stream<'a>,
    pub matrix: Matrix,
    pub bbox: Option<Bounds>,
    /// A transparency group: alpha applies to it as a whole.
    pub group: bool,
    resources: OnceLock<Option<Arc<Resources<'a>>>>,
    content: OnceLock<Arc<[u8]>>,
}

impl<'a> Form<'a> {
    pub(super) fn new(stream: Stream<'a>, id: Option<ObjectIdentifier>) -> Self {
        let dict = stream.dict();
        Self {
            id,
            matrix: read_matrix(dict).unwrap_or(Matrix::IDENTITY),
            bbox: read_numbers(dict, "BBox").map(Bounds::of),
            group: dict.contains_key("Group"),
            stream,
            resources: OnceLock::new(),
            content: OnceLock::new(),
        }
    }

    /// Its own resources; `None` where it uses those of what draws it.
    pub(super) fn resources(&self, cache: &FontCache<'a>) -> Option<&Arc<Resources<'a>>> {
        self.resources.get_or_init(|| cache.resources_of(self.stream.dict())).as_ref()
    }

    /// Decoded content, `None` where it has not been kept.
    pub(super) fn kept(&self) -> Option<Arc<[u8]>> {
        self.content.get().cloned()
    }
}

/// An ExtGState, as far as visibility needs it; `None` leaves a value as it is.
#[derive(Default)]
pub(super) struct ExtState<'a> {
    pub fill_alpha: Option<f32>,
    pub stroke_alpha: Option<f32>,
    pub blends: Option<bool>,
    pub masked: Option<bool>,
    pub line_width: Option<f32>,
    pub font: Option<(Arc<PdfFont<'a>>, f32)>,
}

/// A family of colour spaces, as far as the look of white needs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Space {
    /// Gray, RGB, or an ICC profile of 1 or 3 components: white is all ones.
    Additive,
    /// CMYK, Separation, DeviceN: white is all zeros.
    Subtractive,
    /// Indexed, Lab, Pattern, unknown.
    Other,
}

impl<'a> FontCache<'a> {
    /// An empty cache.
    pub fn new(document: &'a Document) -> Self {
        Self {
            document,
            fonts: Shared::default(),
            resources: Shared::default(),
            x_objects: Shared::default(),
            states: Shared::default(),
            layers: OnceLock::new(),
            kept_bytes: AtomicUsize::new(0),
        }
    }

    pub(super) fn document(&self) -> &'a Document {
        self.document
    }

    pub(super) fn layers(&self) -> &Layers {
        self.layers.get_or_init(|| Layers::read(self.document))
    }

    pub(super) fn page_resources(&self, page: &Page<'a>) -> Arc<Resources<'a>> {
        match page.dict.get_ref("Resources") {
            Some(id) => {
                shared(&self.resources, id.into(), || Arc::new(Resources::new(page.resources.clone())))
            }
            None => Arc::new(Resources::new(page.resources.clone())),
        }
    }

    pub(super) fn resources_of(&self, dict: &Dict<'a>) -> Option<Arc<Resources<'a>>> {
        if let Some(id) = dict.get_ref("Resources") {
            let id = ObjectIdentifier::from(id);
            if let Some(found) = lookup(&self.resources, &id) {
                return Some(found);
            }
            let resources = Arc::new(Resources::new(dict.get("Resources")?));
            return Some(shared(&self.resources, id, || resources));
        }
        Some(Arc::new(Resources::new(dict.get("Resources")?)))
    }

    /// The font of a name. `page` counts from 0.
    pub(super) fn font(&self, resources: &Resources<'a>, name: &[u8], page: u32) -> Option<Arc<PdfFont<'a>>> {
        let fonts = resources.fonts()?;
        if let Some(id) = fonts.get_ref(name) {
            return self.font_object(id.into());
        }
        let dict: Dict<'a> = fonts.get(name)?;
        let key = FontKey::Direct { page, place: dict.data().as_ptr() as usize };
        let name: String =
            String::from_utf8_lossy(name).chars().filter(|c| !c.is_control()).take(64).collect();
        Some(self.read_font(key, &dict, format!("p{}/{name}", page + 1)))
    }

    /// The font that is an object of its own.
    pub(super) fn font_object(&self, id: ObjectIdentifier) -> Option<Arc<PdfFont<'a>>> {
        let key = FontKey::Object(id);
        if let Some(cell) = lookup(&self.fonts, &key)
            && let Some(font) = cell.get()
        {
            return Some(font.clone());
        }
        let dict = match self.document.get(id)? {
            Object::Dict(dict) => dict,
            Object::Stream(stream) => stream.dict().clone(),
            _ => return None,
        };
        Some(self.read_font(key, &dict, format!("{} {} R", id.obj_number, id.gen_number)))
    }

    /// A font without a dictionary: what a page draws with a name that its resources lack.
    pub(super) fn missing_font(&self, page: u32) -> Arc<PdfFont<'a>> {
        let key = FontKey::Direct { page, place: 0 };
        self.read_font(key, &Dict::empty(), format!("p{}/missing", page + 1))
    }

    fn read_font(&self, key: FontKey, dict: &Dict<'a>, name: String) -> Arc<PdfFont<'a>> {
        let cell = shared(&self.fonts, key, Arc::default);
        let read = || {
            let font = Arc::new(Font::read(dict, self.document, name));
            Arc::new(PdfFont { font, type3: Type3::read(dict, self) })
        };
        cell.get_or_init(read).clone()
    }

    /// The XObject of a name.
    pub(super) fn x_object(&self, resources: &Resources<'a>, name: &[u8]) -> Option<Arc<XObject<'a>>> {
        let x_objects = resources.x_objects()?;
        // A stream is always an object of its own (7.3.8).
        let id = ObjectIdentifier::from(x_objects.get_ref(name)?);
        if let Some(found) = lookup(&self.x_objects, &id) {
            return Some(found);
        }
        let stream: Stream<'a> = x_objects.get(name)?;
        Some(shared(&self.x_objects, id, || Arc::new(self.read_x_object(stream, id))))
    }

    fn read_x_object(&self, stream: Stream<'a>, id: ObjectIdentifier) -> XObject<'a> {
        let dict = stream.dict();
        let subtype = dict.get::<Name<'_>>("Subtype");
        let is_image = match subtype.as_deref() {
            Some(b"Image") => true,
            Some(b"Form") => false,
            // Forms and images without a subtype are drawn by all viewers.
            None if dict.contains_key("BBox") => false,
            None if dict.contains_key("Width") => true,
            _ => return XObject::Other,
        };
        if is_image {
            return XObject::Image { info: self.read_image(&stream, id), dict: dict.clone() };
        }
        XObject::Form(Box::new(Form::new(stream, Some(id))))
    }

    fn read_image(&self, stream: &Stream<'a>, id: ObjectIdentifier) -> ImageInfo {
        let dict = stream.dict();
        let size = |key: &str, short: &str| {
            let value = dict.get::<f32>(key).or_else(|| dict.get::<f32>(short)).unwrap_or(0.0);
            value.clamp(0.0, 1e6) as u32
        };
        let stencil = dict.get::<bool>("ImageMask").or_else(|| dict.get("IM")).unwrap_or(false);
        let bits = dict.get::<i32>("BitsPerComponent").or_else(|| dict.get("BPC"));
        let soft_masked = dict.contains_key("SMask") || dict.get::<i32>("SMaskInData").unwrap_or(0) > 0;
        // The reader knows where wrong lengths really end; decrypting data only to count them is too dear.
        let n_bytes = if self.document.info().encrypted {
            dict.get::<f32>("Length").unwrap_or(0.0).clamp(0.0, u32::MAX as f32) as u32
        } else {
            stream.raw_data().len().min(u32::MAX as usize) as u32
        };
        let (width, height) = (size("Width", "W"), size("Height", "H"));
        ImageInfo {
            width,
            height,
            stencil,
            bilevel: stencil || bits == Some(1) || has_scanner_codec(dict),
            opaque: !stencil && !soft_masked && !dict.contains_key("Mask"),
            soft_masked,
            n_bytes,
            object: id.obj_number,
        }
    }

    pub(super) fn ext_state(&self, resources: &Resources<'a>, name: &[u8]) -> Option<Arc<ExtState<'a>>> {
        let states = resources.states()?;
        let Some(id) = states.get_ref(name).map(ObjectIdentifier::from) else {
            return Some(Arc::new(self.read_ext_state(&states.get(name)?)));
        };
        if let Some(found) = lookup(&self.states, &id) {
            return Some(found);
        }
        let state = Arc::new(self.read_ext_state(&states.get(name)?));
        Some(shared(&self.states, id, || state))
    }

    fn read_ext_state(&self, dict: &Dict<'a>) -> ExtState<'a> {
        let blends = dict.get::<Object<'a>>("BM").map(|mode| {
            let mode = match mode {
                Object::Array(modes) => modes.iter::<Object<'a>>().next(),
                mode => Some(mode),
            };
            !matches!(mode, Some(Object::Name(name)) if matches!(&*name, b"Normal" | b"Compatible"))
        });
        let font = dict.get::<Array<'a>>("Font").and_then(|pair| {
            let mut pair = pair.raw_iter();
            let font = self.font_object(pair.next()?.as_obj_ref()?.into())?;
            match pair.next()? {
                crate::score::pdf::MaybeRef::NotRef(Object::Number(size)) => Some((font, size.as_f32())),
                _ => None,
            }
        });
        ExtState {
            fill_alpha: dict.get("ca"),
            stroke_alpha: dict.get("CA"),
            blends,
            masked: dict.get::<Object<'a>>("SMask").map(|mask| matches!(mask, Object::Dict(_))),
            line_width: dict.get("LW"),
            font,
        }
    }

    /// The family of a named colour space.
    pub(super) fn space(&self, resources: &Resources<'a>, name: &[u8]) -> Space {
        match device_space(name) {
            Space::Other => {}
            space => return space,
        }
        let found = resources.spaces().and_then(|spaces| spaces.get::<Object<'a>>(name));
        match found {
            Some(Object::Name(name)) => device_space(&name),
            Some(Object::Array(array)) => array_space(&array),
            _ => Space::Other,
        }
    }

    /// Decodes a form's content into `out`; keeps it where it is small.
    pub(super) fn decode_form(&self, form: &Form<'a>, out: &mut Vec<u8>) -> Decoded {
        let decoded = decode_stream(&form.stream, self.document.limits.content_bytes, out);
        if decoded == Decoded::Complete
            && out.len() <= KEPT_FORM_BYTES
            && self.kept_bytes.load(Ordering::Relaxed) + out.len() <= KEPT_FORMS_BYTES
        {
            form.content.get_or_init(|| {
                self.kept_bytes.fetch_add(out.len(), Ordering::Relaxed);
                Arc::from(&out[..])
            });
        }
        decoded
    }
}

fn lookup<K: Eq + std::hash::Hash, V: Clone>(map: &Shared<K, V>, key: &K) -> Option<V> {
    // A panic while a map was locked cannot leave it half written: only whole values are inserted.
    map.read().unwrap_or_else(PoisonError::into_inner).get(key).cloned()
}

/// The value of a key; the first thread to insert wins.
fn shared<K: Eq + std::hash::Hash, V: Clone>(map: &Shared<K, V>, key: K, make: impl FnOnce() -> V) -> V {
    if let Some(found) = lookup(map, &key) {
        return found;
    }
    let made = make();
    map.write().unwrap_or_else(PoisonError::into_inner).entry(key).or_insert(made).clone()
}

fn device_space(name: &[u8]) -> Space {
    match name {
        b"DeviceGray" | b"G" | b"CalGray" | b"DeviceRGB" | b"RGB" | b"CalRGB" => Space::Additive,
        b"DeviceCMYK" | b"CMYK" => Space::Subtractive,
        _ => Space::Other,
    }
}

fn array_space(array: &Array<'_>) -> Space {
    let mut parts = array.iter::<Object<'_>>();
    let Some(Object::Name(family)) = parts.next() else { return Space::Other };
    match &*family {
        b"Separation" | b"DeviceN" => Space::Subtractive,
        b"ICCBased" => match parts.next() {
            Some(Object::Stream(profile)) => match profile.dict().get::<i32>("N") {
                Some(4) => Space::Subtractive,
                Some(1 | 3) => Space::Additive,
                _ => Space::Other,
            },
            _ => Space::Other,
        },
        name => device_space(name),
    }
}

fn has_scanner_codec(dict: &Dict<'_>) -> bool {
    let is_codec = |name: &Name<'_>| matches!(&**name, b"CCITTFaxDecode" | b"CCF" | b"JBIG2Decode");
    match dict.get::<Object<'_>>("Filter") {
        Some(Object::Name(name)) => is_codec(&name),
        Some(Object::Array(filters)) => filters.iter::<Name<'_>>().take(16).any(|name| is_codec(&name)),
        _ => false,
    }
}

/// `/Matrix`, where it is one.
pub(super) fn read_matrix(dict: &Dict<'_>) -> Option<Matrix> {
    read_numbers(dict, "Matrix").map(Matrix)
}

/// An entry that is an array of `N` finite numbers.
pub(super) fn read_numbers<const N: usize>(dict: &Dict<'_>, key: &str) -> Option<[f32; N]> {
    let array: Array<'_> = dict.get(key)?;
    let mut numbers = [0.0; N];
    let mut found = array.iter::<Object<'_>>();
    for number in &mut numbers {
        *number = found.next()?.into_f32().filter(|value| value.is_finite())?;
    }
    Some(numbers)
}
