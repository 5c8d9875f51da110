//! The file around the pages: tree, information, cross-reference.

use std::fmt::Write as _;

use super::damage::{self, Damage};
use super::encrypt::{self, Encryption};
use super::objects::{Body, Objects, Ref, StreamSpec, deflate, text_string};
use super::page::{PageBuilder, Shared, numbers};

/// A PDF file in the making.
#[derive(Debug, Clone, Default)]
pub struct PdfBuilder {
    pages: Vec<PageBuilder>,
    order: Vec<usize>,
    info: Vec<(String, String)>,
    catalog: String,
    extra_objects: Vec<Extra>,
    tree: Tree,
    xref_stream: bool,
    object_streams: bool,
    compress: bool,
    encryption: Option<Encryption>,
    damage: Vec<Damage>,
}

#[derive(Debug, Clone)]
enum Extra {
    Plain(String),
    Stream(StreamSpec),
}

#[derive(Debug, Clone, Default)]
struct Tree {
    depth: usize,
    is_loop: bool,
    count: Option<i64>,
}

impl PdfBuilder {
    /// A file without pages.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a page.
    pub fn page(mut self, draw: impl FnOnce(PageBuilder) -> PageBuilder) -> Self {
        self.order.push(self.pages.len());
        self.pages.push(draw(PageBuilder::default()));
        self
    }

    /// Lists a page (0-based) once more at the end.
    pub fn repeat_page(mut self, index: usize) -> Self {
        self.order.push(index);
        self
    }

    /// `/Producer`.
    pub fn producer(self, producer: &str) -> Self {
        self.info("Producer", producer)
    }

    /// An entry of the information dictionary.
    pub fn info(mut self, key: &str, value: &str) -> Self {
        self.info.push((key.into(), value.into()));
        self
    }

    /// More entries of the catalog.
    pub fn catalog(mut self, entries: &str) -> Self {
        self.catalog.push_str(entries);
        self
    }

    /// A stream of its own; the first of these and of [`PdfBuilder::object`] is object 3, the next 4 …
    pub fn extra_stream(mut self, stream: StreamSpec) -> Self {
        self.extra_objects.push(Extra::Stream(stream));
        self
    }

    /// An object of its own, numbered as [`PdfBuilder::extra_stream`] says.
    pub fn object(mut self, body: &str) -> Self {
        self.extra_objects.push(Extra::Plain(body.into()));
        self
    }

    /// The page tree has this many nodes above its pages.
    pub fn tree_depth(mut self, depth: usize) -> Self {
        self.tree.depth = depth;
        self
    }

    /// The page tree's root lists itself as its last kid.
    pub fn tree_loop(mut self) -> Self {
        self.tree.is_loop = true;
        self
    }

    /// `/Count` of the root as written.
    pub fn count(mut self, count: i64) -> Self {
        self.tree.count = Some(count);
        self
    }

    /// A cross-reference stream instead of a table.
    pub fn xref_stream(mut self) -> Self {
        self.xref_stream = true;
        self
    }

    /// Objects in object streams, which needs a cross-reference stream.
    pub fn object_streams(mut self) -> Self {
        (self.object_streams, self.xref_stream) = (true, true);
        self
    }

    /// Streams without a filter of their own are compressed.
    pub fn compress(mut self) -> Self {
        self.compress = true;
        self
    }

    /// Encrypts the file.
    pub fn encrypt(mut self, encryption: Encryption) -> Self {
        self.encryption = Some(encryption);
        self
    }

    /// Damages the finished file; several in the order given.
    pub fn damage(mut self, damage: Damage) -> Self {
        self.damage.push(damage);
        self
    }

    /// The bytes of the file.
    ///
    /// # Panics
    /// If lopdf cannot read the healthy file back in order to encrypt it.
    pub fn build(self) -> Vec<u8> {
        let mut shared = Shared::new(Objects::new(self.compress));
        let (catalog, root) = (shared.objects.reserve(), shared.objects.reserve());
        for extra in &self.extra_objects {
            match extra {
                Extra::Plain(body) => shared.objects.add(body.as_str()),
                Extra::Stream(stream) => shared.objects.add_stream(stream),
            };
        }
        let ids: Vec<Ref> = self.pages.iter().map(|_| shared.objects.reserve()).collect();
        self.pages.iter().for_each(|page| shared.reserve_fonts(page));
        self.write_tree(&mut shared, root, &ids);
        let entries = self.catalog_entries(&mut shared);
        shared.objects.set(catalog, format!("<< /Type /Catalog /Pages {root} {entries} {} >>", self.catalog));
        let info = (!self.info.is_empty()).then(|| {
            let entries: String =
                self.info.iter().map(|(key, value)| format!("/{key} {} ", text_string(value))).collect();
            shared.objects.add(format!("<< {entries}>>"))
        });
        let trailer = Trailer { root: catalog, info };
        let layout = if self.object_streams {
            Layout::ObjectStreams
        } else if self.xref_stream {
            Layout::XrefStream
        } else {
            Layout::Table
        };
        let mut file = assemble(&shared.objects, &trailer, layout);
        if let Some(encryption) = &self.encryption {
            file = encrypt::encrypt(&file, encryption);
        }
        self.damage.iter().fold(file, damage::apply)
    }

    fn write_tree(&self, shared: &mut Shared, root: Ref, ids: &[Ref]) {
        let mut parent = root;
        for _ in 0..self.tree.depth {
            let kid = shared.objects.reserve();
            let count = self.order.len();
            let above = if parent == root { String::new() } else { "/Parent 2 0 R".into() };
            shared.objects.set(parent, format!("<< /Type /Pages {above} /Kids [{kid}] /Count {count} >>"));
            parent = kid;
        }
        let mut kids: Vec<Ref> = Vec::new();
        for (page, &id) in self.pages.iter().zip(ids) {
            let kid = self.write_page(shared, page, id, parent);
            kids.push(kid);
        }
        let mut listed: Vec<String> = self.order.iter().map(|&index| kids[index].to_string()).collect();
        if self.tree.is_loop {
            listed.push(root.to_string());
        }
        let count = self.tree.count.unwrap_or(self.order.len() as i64);
        shared.objects.set(parent, format!("<< /Type /Pages /Kids [{}] /Count {count} >>", listed.join(" ")));
    }

    /// Returns what the tree lists: the page, or the node that holds its resources.
    fn write_page(&self, shared: &mut Shared, page: &PageBuilder, id: Ref, parent: Ref) -> Ref {
        let resources = shared.write_resources(page);
        let contents = shared.write_content(page);
        let annotations: Vec<String> = page
            .annotations
            .iter()
            .map(|annotation| shared.write_annotation(annotation, id).to_string())
            .collect();
        let mut body = String::from("<< /Type /Page");
        let (listed, parent) = if page.inherits_resources {
            let node = shared.objects.add(format!(
                "<< /Type /Pages /Parent {parent} /Kids [{id}] /Count 1 /Resources {resources} >>"
            ));
            (node, node)
        } else {
            let _ = write!(body, " /Resources {resources}");
            (id, parent)
        };
        let _ = write!(body, " /Parent {parent} /MediaBox {} /Contents {contents}", numbers(&page.media_box));
        if let Some(crop_box) = &page.crop_box {
            let _ = write!(body, " /CropBox {}", numbers(crop_box));
        }
        if page.rotate != 0 {
            let _ = write!(body, " /Rotate {}", page.rotate);
        }
        if !annotations.is_empty() {
            let _ = write!(body, " /Annots [{}]", annotations.join(" "));
        }
        let _ = write!(body, " {} >>", page.entries);
        shared.objects.set(id, body);
        listed
    }

    fn catalog_entries(&self, shared: &mut Shared) -> String {
        let list = |ids: &mut dyn Iterator<Item = Ref>| -> String {
            ids.map(|id| id.to_string()).collect::<Vec<_>>().join(" ")
        };
        let mut entries = String::new();
        if !shared.layers.is_empty() {
            let all = list(&mut shared.layers.iter().map(|layer| layer.0));
            let off = list(&mut shared.layers.iter().filter(|layer| !layer.1).map(|layer| layer.0));
            let _ = write!(entries, "/OCProperties << /OCGs [{all}] /D << /Order [{all}] /OFF [{off}] >> >>");
        }
        if !shared.fields.is_empty() {
            let fields = list(&mut shared.fields.iter().copied());
            let _ = write!(entries, "/AcroForm << /Fields [{fields}] >>");
        }
        entries
    }
}

struct Trailer {
    root: Ref,
    info: Option<Ref>,
}

impl Trailer {
    fn entries(&self, size: usize) -> String {
        let info = self.info.map(|id| format!(" /Info {id}")).unwrap_or_default();
        let id = "0123456789ABCDEF0123456789ABCDEF";
        format!("/Size {size} /Root {}{info} /ID [<{id}> <{id}>]", self.root)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Table,
    XrefStream,
    ObjectStreams,
}

/// Where an object lies.
#[derive(Clone, Copy)]
enum Place {
    Offset(usize),
    InStream { stream: usize, index: usize },
}

fn assemble(objects: &Objects, trailer: &Trailer, layout: Layout) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n%\xE2\xE3\xCF\xD3\n".to_vec();
    let bodies = objects.bodies();
    let mut places = vec![Place::Offset(0); bodies.len()];
    let packed: Vec<usize> = match layout {
        Layout::ObjectStreams => (0..bodies.len()).filter(|&i| matches!(bodies[i], Body::Plain(_))).collect(),
        _ => Vec::new(),
    };
    for (i, body) in bodies.iter().enumerate().filter(|(i, _)| !packed.contains(i)) {
        places[i] = Place::Offset(file.len());
        let (Body::Plain(bytes) | Body::Stream(bytes)) = body;
        put_object(&mut file, i + 1, bytes);
    }
    for chunk in packed.chunks(100) {
        let number = places.len() + 1;
        for (index, &i) in chunk.iter().enumerate() {
            places[i] = Place::InStream { stream: number, index };
        }
        places.push(Place::Offset(file.len()));
        let stream = object_stream(bodies, chunk);
        put_object(&mut file, number, &stream);
    }
    let start = file.len();
    match layout {
        Layout::Table => put_table(&mut file, &places, trailer),
        _ => put_xref_stream(&mut file, &mut places, trailer),
    }
    file.extend(format!("startxref\n{start}\n%%EOF\n").into_bytes());
    file
}

fn put_object(file: &mut Vec<u8>, number: usize, body: &[u8]) {
    file.extend(format!("{number} 0 obj\n").into_bytes());
    file.extend(body);
    file.extend(b"\nendobj\n");
}

fn object_stream(bodies: &[Body], chunk: &[usize]) -> Vec<u8> {
    let (mut index, mut data) = (String::new(), Vec::new());
    for &i in chunk {
        let _ = write!(index, "{} {} ", i + 1, data.len());
        let (Body::Plain(bytes) | Body::Stream(bytes)) = &bodies[i];
        data.extend(bytes);
        data.push(b'\n');
    }
    let encoded = deflate(&[index.as_bytes(), &data].concat());
    let mut body = format!(
        "<< /Type /ObjStm /N {} /First {} /Filter /FlateDecode /Length {} >>\nstream\n",
        chunk.len(),
        index.len(),
        encoded.len()
    )
    .into_bytes();
    body.extend(encoded);
    body.extend(b"\nendstream");
    body
}

fn put_table(file: &mut Vec<u8>, places: &[Place], trailer: &Trailer) {
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", places.len() + 1);
    for place in places {
        let Place::Offset(offset) = place else { continue };
        let _ = writeln!(table, "{offset:010} 00000 n ");
    }
    let _ = writeln!(table, "trailer\n<< {} >>", trailer.entries(places.len() + 1));
    file.extend(table.into_bytes());
}

fn put_xref_stream(file: &mut Vec<u8>, places: &mut Vec<Place>, trailer: &Trailer) {
    places.push(Place::Offset(file.len()));
    let mut rows = vec![0, 0, 0, 0, 0, 0xFF, 0xFF];
    for place in places.iter() {
        let (kind, second, third) = match *place {
            Place::Offset(offset) => (1, offset as u32, 0),
            Place::InStream { stream, index } => (2, stream as u32, index as u16),
        };
        rows.push(kind);
        rows.extend(second.to_be_bytes());
        rows.extend(third.to_be_bytes());
    }
    let encoded = deflate(&rows);
    let mut body = format!(
        "<< /Type /XRef /W [1 4 2] {} /Filter /FlateDecode /Length {} >>\nstream\n",
        trailer.entries(places.len() + 1),
        encoded.len()
    )
    .into_bytes();
    body.extend(encoded);
    body.extend(b"\nendstream");
    put_object(file, places.len(), &body);
}
