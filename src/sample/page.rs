//! One page, or one form: its content, and the resources it names.

use std::fmt::Write as _;

use super::font::Font;
use super::glyphs::{self, Segment};
use super::objects::{Objects, Ref, StreamSpec, hex, text_string};
use super::sfnt::Sfnt;

/// A page in the making. Text starts at (72, 720) in 12 points, each `show` on a line of its own.
#[derive(Debug, Clone)]
pub struct PageBuilder {
    content: Vec<u8>,
    resources: Resources,
    cursor: Cursor,
    pub(super) media_box: [f32; 4],
    pub(super) crop_box: Option<[f32; 4]>,
    pub(super) rotate: i32,
    pub(super) entries: String,
    pub(super) annotations: Vec<Annotation>,
    pub(super) stream: StreamSpec,
    pub(super) split_content: bool,
    pub(super) inherits_resources: bool,
    pub(super) widget_fields: usize,
}

#[derive(Debug, Clone, Default)]
struct Resources {
    fonts: Vec<Font>,
    x_objects: Vec<XObject>,
    layers: Vec<bool>,
    entries: String,
}

#[derive(Debug, Clone, Copy)]
struct Cursor {
    font: Option<usize>,
    size: f32,
    x: f32,
    y: f32,
    leading: f32,
}

#[derive(Debug, Clone)]
enum XObject {
    Image(StreamSpec),
    Form { content: Box<PageBuilder>, entries: String },
}

/// An annotation, a form field's widget among them.
#[derive(Debug, Clone)]
pub struct Annotation {
    /// `Widget`, `FreeText`, `Stamp` …
    pub subtype: &'static str,
    /// In points.
    pub rect: [f32; 4],
    /// `/F`: 2 hidden, 4 print.
    pub flags: u32,
    /// More entries: `/FT /Tx /T (name) /V (value)` for a field.
    pub entries: String,
    /// The normal appearance, in coordinates from (0, 0).
    pub appearance: Option<PageBuilder>,
}

/// An image; nobody decodes it, so its data may be anything.
#[derive(Debug, Clone)]
pub struct Image {
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// 1 or 8.
    pub bits: u8,
    /// `DeviceGray`, `DeviceRGB`.
    pub colour_space: &'static str,
    /// The stream: data and filters.
    pub stream: StreamSpec,
}

impl Image {
    /// A grey picture of 8 bits a sample, compressed with Flate.
    pub fn grey(width: u32, height: u32) -> Self {
        let data: Vec<u8> =
            (0..width * height).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let stream = StreamSpec::new("", data).filters(&[super::objects::Filter::Flate]);
        Self { width, height, bits: 8, colour_space: "DeviceGray", stream }
    }

    /// A picture whose codec is only declared (`DCTDecode`, `CCITTFaxDecode`, `JBIG2Decode` …).
    pub fn declared(width: u32, height: u32, bits: u8, filter: &'static str) -> Self {
        let data = vec![0xA5; 64];
        let stream = StreamSpec::new("", data).filters(&[super::objects::Filter::Declared(filter)]);
        Self { width, height, bits, colour_space: "DeviceGray", stream }
    }

    /// White paper with lines of black letters, one bit a pixel: what a scanner makes of a page of text.
    pub fn scan_of_text(width: u32, height: u32) -> Self {
        let row_bytes = width.div_ceil(8) as usize;
        let mut data = vec![0xFF_u8; row_bytes * height as usize];
        let cell = (height as usize / 800).max(1);
        let margin = 50 * cell;
        let letters_per_line = (width as usize).saturating_sub(2 * margin) / (6 * cell);
        let n_lines = (height as usize).saturating_sub(2 * margin) / (12 * cell);
        let mut words = super::prose::ENGLISH.split_whitespace().cycle();
        let mut next = words.next();
        for line in 0..n_lines {
            let mut column = 0;
            while let Some(word) = next.filter(|word| column + word.len() <= letters_per_line) {
                for letter in word.chars() {
                    stamp(
                        &mut data,
                        row_bytes,
                        letter,
                        (margin + column * 6 * cell, margin + line * 12 * cell),
                        cell,
                    );
                    column += 1;
                }
                column += 1;
                next = words.next();
            }
        }
        let stream = StreamSpec::new("", data).filters(&[super::objects::Filter::Flate]);
        Self { width, height, bits: 1, colour_space: "DeviceGray", stream }
    }

    fn into_stream(self) -> StreamSpec {
        let entries = format!(
            "/Type /XObject /Subtype /Image /Width {} /Height {} /BitsPerComponent {} /ColorSpace /{} {}",
            self.width, self.height, self.bits, self.colour_space, self.stream.entries
        );
        StreamSpec { entries, ..self.stream }
    }
}

/// Blackens the cells of a letter; `cell` pixels a side.
fn stamp(data: &mut [u8], row_bytes: usize, letter: char, (left, top): (usize, usize), cell: usize) {
    for (column, cells) in super::letters::grid(letter).into_iter().enumerate() {
        for row in (0..8).filter(|row| cells >> row & 1 == 1) {
            for y in top + row * cell..top + (row + 1) * cell {
                for x in left + column * cell..left + (column + 1) * cell {
                    if let Some(byte) = data.get_mut(y * row_bytes + x / 8) {
                        *byte &= !(0x80 >> (x % 8));
                    }
                }
            }
        }
    }
}

impl Default for PageBuilder {
    fn default() -> Self {
        Self {
            content: Vec::new(),
            resources: Resources::default(),
            cursor: Cursor { font: None, size: 12.0, x: 72.0, y: 720.0, leading: 1.3 },
            media_box: [0.0, 0.0, 612.0, 792.0],
            crop_box: None,
            rotate: 0,
            entries: String::new(),
            annotations: Vec::new(),
            stream: StreamSpec::default(),
            split_content: false,
            inherits_resources: false,
            widget_fields: 0,
        }
    }
}

impl PageBuilder {
    /// Uses a font from here on.
    pub fn font(mut self, font: impl Into<Font>) -> Self {
        let font = font.into();
        let known = self.resources.fonts.iter().position(|other| other.is_same(&font));
        self.cursor.font = Some(known.unwrap_or_else(|| {
            self.resources.fonts.push(font);
            self.resources.fonts.len() - 1
        }));
        self
    }

    /// Binds a font in the resources without drawing with it.
    pub fn unused_font(mut self, font: impl Into<Font>) -> Self {
        self.resources.fonts.push(font.into());
        self
    }

    /// Font size in points.
    pub fn size(mut self, size: f32) -> Self {
        self.cursor.size = size;
        self
    }

    /// Where the next text begins, in points.
    pub fn at(mut self, x: f32, y: f32) -> Self {
        (self.cursor.x, self.cursor.y) = (x, y);
        self
    }

    /// Shows a line of text and moves down by a line.
    ///
    /// # Panics
    /// Without a font, or if the font has no code for a character.
    pub fn show(self, text: &str) -> Self {
        let codes = self.current_font().encode(text);
        self.show_codes(&codes)
    }

    /// Shows codes as they are and moves down by a line.
    ///
    /// # Panics
    /// Without a font.
    pub fn show_codes(mut self, codes: &[u8]) -> Self {
        let Cursor { font, size, x, y, leading } = self.cursor;
        let font = font.expect("a font is set before text is shown") + 1;
        let _ = writeln!(self.text(), "BT /F{font} {size} Tf {x} {y} Td <{}> Tj ET", hex(codes));
        self.cursor.y -= size * leading;
        self
    }

    /// Shows a line of right-to-left text that ends at the right margin: codes in logical order, each glyph placed to
    /// the left of the one before, as conforming producers write it.
    ///
    /// # Panics
    /// As [`PageBuilder::show`].
    pub fn show_rtl(mut self, text: &str) -> Self {
        let Cursor { font, size, y, leading, .. } = self.cursor;
        let right = self.media_box[2] - 72.0;
        let mut out = String::new();
        let mut x = None;
        let mut before = 0.0;
        for letter in text.chars() {
            let letter = letter.to_string();
            let font = self.current_font();
            let (advance, codes) = (font.advance(&letter), hex(&font.encode(&letter)));
            match x {
                None => x = Some(right - advance * size / 1000.0),
                Some(_) => {
                    let _ = write!(out, "{} ", before + advance);
                }
            }
            let _ = write!(out, "<{codes}> ");
            before = advance;
        }
        let (x, font) = (x.unwrap_or(right), font.map_or(1, |font| font + 1));
        let _ = writeln!(self.text(), "BT /F{font} {size} Tf {x} {y} Td [{out}] TJ ET");
        self.cursor.y -= size * leading;
        self
    }

    /// Shows running right-to-left text, broken into lines; `show_line` draws one ([`PageBuilder::show_rtl`], or
    /// reversed by [`PageBuilder::show`]: visual order).
    ///
    /// # Panics
    /// As [`PageBuilder::show`].
    pub fn paragraph_rtl(mut self, text: &str, show_line: impl Fn(Self, &str) -> Self) -> Self {
        let width = self.media_box[2] - 144.0;
        for line in self.lines(text, width) {
            self = show_line(self, &line);
        }
        self
    }

    /// Shows running text, broken into lines at the right margin.
    ///
    /// # Panics
    /// As [`PageBuilder::show`].
    pub fn paragraph(mut self, text: &str) -> Self {
        let width = self.media_box[2] - 72.0 - self.cursor.x;
        for line in self.lines(text, width) {
            self = self.show(&line);
        }
        self
    }

    /// Text broken into lines no wider than `width` points in the current font.
    pub fn lines(&self, text: &str, width: f32) -> Vec<String> {
        let font = self.current_font();
        let mut lines = vec![String::new()];
        for word in text.split_whitespace() {
            let last = lines.last_mut().expect("there is always a line");
            let longer = if last.is_empty() { word.to_owned() } else { format!("{last} {word}") };
            if last.is_empty() || font.advance(&longer) * self.cursor.size / 1000.0 <= width {
                *last = longer;
            } else {
                lines.push(word.to_owned());
            }
        }
        lines
    }

    /// Text rendering mode: 3 draws nothing, 7 only clips.
    pub fn render_mode(self, mode: u8) -> Self {
        self.op(&format!("{mode} Tr"))
    }

    /// Fill colour, each part 0.0..=1.0.
    pub fn colour(self, red: f32, green: f32, blue: f32) -> Self {
        self.op(&format!("{red} {green} {blue} rg"))
    }

    /// Operators as they are; a line is added.
    pub fn op(mut self, operators: &str) -> Self {
        self.content.extend(operators.as_bytes());
        self.content.push(b'\n');
        self
    }

    /// Content bytes as they are.
    pub fn bytes(mut self, content: &[u8]) -> Self {
        self.content.extend(content);
        self
    }

    /// Runs `draw` between `q` and `Q`.
    pub fn saved(self, draw: impl FnOnce(Self) -> Self) -> Self {
        draw(self.op("q")).op("Q")
    }

    /// Draws an image into a box.
    pub fn image(self, image: Image, [x0, y0, x1, y1]: [f32; 4]) -> Self {
        let (width, height) = (x1 - x0, y1 - y0);
        let (page, name) = self.bind(XObject::Image(image.into_stream()));
        page.op(&format!("q {width} 0 0 {height} {x0} {y0} cm /{name} Do Q"))
    }

    /// Binds an image without drawing it.
    pub fn unused_image(self, image: Image) -> Self {
        self.bind(XObject::Image(image.into_stream())).0
    }

    /// Draws a form XObject with content and resources of its own.
    pub fn form(self, draw: impl FnOnce(Self) -> Self) -> Self {
        self.form_with("", draw)
    }

    /// A form XObject with more entries (`/Matrix`, `/Group`, `/OC`).
    pub fn form_with(self, entries: &str, draw: impl FnOnce(Self) -> Self) -> Self {
        let (page, name) =
            self.bind(XObject::Form { content: Box::new(draw(Self::default())), entries: entries.into() });
        page.op(&format!("/{name} Do"))
    }

    /// Binds a form XObject without drawing it.
    pub fn unused_form(self, draw: impl FnOnce(Self) -> Self) -> Self {
        self.bind(XObject::Form { content: Box::new(draw(Self::default())), entries: String::new() }).0
    }

    fn bind(mut self, x_object: XObject) -> (Self, String) {
        self.resources.x_objects.push(x_object);
        let name = format!("X{}", self.resources.x_objects.len());
        (self, name)
    }

    /// Marked content with ActualText.
    pub fn actual_text(self, text: &str, draw: impl FnOnce(Self) -> Self) -> Self {
        let begin = format!("/Span << /ActualText {} >> BDC", text_string(text));
        draw(self.op(&begin)).op("EMC")
    }

    /// Marked content of an optional content group.
    pub fn layer(mut self, visible: bool, draw: impl FnOnce(Self) -> Self) -> Self {
        self.resources.layers.push(visible);
        let begin = format!("/OC /L{} BDC", self.resources.layers.len());
        draw(self.op(&begin)).op("EMC")
    }

    /// Text as filled paths: what is left when a designer converts text to outlines.
    pub fn outlined(mut self, font: &Sfnt, text: &str) -> Self {
        let Cursor { size, mut x, y, leading, .. } = self.cursor;
        let scale = size / 1000.0;
        for letter in text.chars() {
            let Some(glyph) = font.gid(letter).map(|gid| &font.glyphs()[usize::from(gid)]) else { continue };
            let place = |(px, py): (i16, i16)| {
                format!("{:.2} {:.2}", x + f32::from(px) * scale, y + f32::from(py) * scale)
            };
            let contours = glyph.contours(font.glyphs());
            for contour in &contours {
                let Some((start, segments)) = glyphs::cubic_segments(contour) else { continue };
                let _ = write!(self.text(), "{} m ", place(start));
                for segment in segments {
                    let _ = match segment {
                        Segment::Line(px, py) => write!(self.text(), "{} l ", place((px, py))),
                        Segment::Curve([a, b, c]) => {
                            write!(self.text(), "{} {} {} c ", place(a), place(b), place(c))
                        }
                    };
                }
                self.content.extend(b"h ");
            }
            if !contours.is_empty() {
                self.content.extend(b"f\n");
            }
            x += f32::from(glyph.advance) * scale;
        }
        self.cursor.y -= size * leading;
        self
    }

    /// Adds an annotation.
    pub fn annotation(mut self, annotation: Annotation) -> Self {
        self.annotations.push(annotation);
        self
    }

    /// A text field: its value, and an appearance that draws it.
    pub fn text_field(mut self, rect: [f32; 4], value: &str, appearance: impl FnOnce(Self) -> Self) -> Self {
        self.widget_fields += 1;
        let entries = format!("/FT /Tx /T (field{}) /V {}", self.widget_fields, text_string(value));
        let start = Self { cursor: Cursor { x: 2.0, y: 4.0, ..Self::default().cursor }, ..Self::default() };
        self.annotation(Annotation {
            subtype: "Widget",
            rect,
            flags: 4,
            entries,
            appearance: Some(appearance(start)),
        })
    }

    /// MediaBox in points.
    pub fn media_box(mut self, media_box: [f32; 4]) -> Self {
        self.media_box = media_box;
        self
    }

    /// CropBox in points.
    pub fn crop_box(mut self, crop_box: [f32; 4]) -> Self {
        self.crop_box = Some(crop_box);
        self
    }

    /// `/Rotate` in degrees, clockwise.
    pub fn rotate(mut self, degrees: i32) -> Self {
        self.rotate = degrees;
        self
    }

    /// More entries of the page dictionary.
    pub fn entries(mut self, entries: &str) -> Self {
        self.entries.push_str(entries);
        self
    }

    /// More entries of the resource dictionary (`/ExtGState …`, `/ColorSpace …`).
    pub fn resource_entries(mut self, entries: &str) -> Self {
        self.resources.entries.push_str(entries);
        self
    }

    /// How the content stream is stored: filters and lies. Its data are set when the page is written.
    pub fn stream(mut self, stream: StreamSpec) -> Self {
        self.stream = stream;
        self
    }

    /// The content in two streams, cut between two operators in the middle.
    pub fn split_content(mut self) -> Self {
        self.split_content = true;
        self
    }

    /// The resources stand in the page tree's node above, not in the page.
    pub fn inherit_resources(mut self) -> Self {
        self.inherits_resources = true;
        self
    }

    /// The content so far.
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    fn current_font(&self) -> &Font {
        let font = self.cursor.font.expect("a font is set before text is shown");
        &self.resources.fonts[font]
    }

    fn text(&mut self) -> impl std::fmt::Write + '_ {
        Utf8Writer(&mut self.content)
    }
}

struct Utf8Writer<'c>(&'c mut Vec<u8>);

impl std::fmt::Write for Utf8Writer<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.extend(text.as_bytes());
        Ok(())
    }
}

/// What is shared by the pages of a file while it is written.
pub(super) struct Shared {
    pub(super) objects: Objects,
    fonts: Vec<(Font, Ref)>,
    /// Optional content groups: reference and whether visible.
    pub(super) layers: Vec<(Ref, bool)>,
    /// Widgets with a field type: the fields of the form.
    pub(super) fields: Vec<Ref>,
}

impl Shared {
    pub(super) fn new(objects: Objects) -> Self {
        Self { objects, fonts: Vec::new(), layers: Vec::new(), fields: Vec::new() }
    }

    /// Takes numbers for a page's fonts, so that they stand right behind the pages.
    pub(super) fn reserve_fonts(&mut self, page: &PageBuilder) {
        for font in page.resources.fonts.iter().filter(|font| !font.is_direct()) {
            if !self.fonts.iter().any(|(other, _)| other.is_same(font)) {
                let id = self.objects.reserve();
                self.fonts.push((font.clone(), id));
                let dictionary = font.write(&mut self.objects);
                self.objects.set(id, dictionary);
            }
        }
    }

    /// Writes resources and returns their dictionary.
    pub(super) fn write_resources(&mut self, page: &PageBuilder) -> String {
        self.reserve_fonts(page);
        let mut out = String::from("<<");
        let fonts: Vec<String> = page
            .resources
            .fonts
            .iter()
            .enumerate()
            .map(|(i, font)| format!("/F{} {}", i + 1, self.font_value(font)))
            .collect();
        put_dictionary(&mut out, "Font", &fonts);
        let x_objects: Vec<String> = page
            .resources
            .x_objects
            .iter()
            .enumerate()
            .map(|(i, x_object)| format!("/X{} {}", i + 1, self.write_x_object(x_object)))
            .collect();
        put_dictionary(&mut out, "XObject", &x_objects);
        let mut layers = Vec::new();
        for (i, &visible) in page.resources.layers.iter().enumerate() {
            let id = self.objects.add(format!("<< /Type /OCG /Name (Layer {}) >>", self.layers.len() + 1));
            self.layers.push((id, visible));
            layers.push(format!("/L{} {id}", i + 1));
        }
        put_dictionary(&mut out, "Properties", &layers);
        let _ = write!(out, " {} >>", page.resources.entries);
        out
    }

    fn font_value(&mut self, font: &Font) -> String {
        if font.is_direct() {
            return font.write(&mut self.objects);
        }
        let known = self.fonts.iter().find(|(other, _)| other.is_same(font));
        known.map(|(_, id)| id.to_string()).expect("fonts are reserved before resources are written")
    }

    fn write_x_object(&mut self, x_object: &XObject) -> Ref {
        match x_object {
            XObject::Image(stream) => self.objects.add_stream(stream),
            XObject::Form { content, entries } => self.write_form(content, content.media_box, entries),
        }
    }

    fn write_form(&mut self, form: &PageBuilder, bounds: [f32; 4], entries: &str) -> Ref {
        let resources = self.write_resources(form);
        let entries = format!(
            "/Type /XObject /Subtype /Form /BBox {} /Resources {resources} {entries}",
            numbers(&bounds)
        );
        let stream = StreamSpec { entries, data: form.content.clone(), ..form.stream.clone() };
        self.objects.add_stream(&stream)
    }

    /// Writes the content stream or streams and returns the value of `/Contents`.
    pub(super) fn write_content(&mut self, page: &PageBuilder) -> String {
        let mut write = |data: &[u8]| {
            let stream = StreamSpec { data: data.to_vec(), ..page.stream.clone() };
            self.objects.add_stream(&stream)
        };
        if !page.split_content {
            return write(&page.content).to_string();
        }
        let middle = page.content.len() / 2;
        let cut =
            page.content[middle..].iter().position(|&byte| byte == b'\n').map_or(middle, |at| middle + at);
        let (first, second) = page.content.split_at(cut);
        format!("[{} {}]", write(first), write(second))
    }

    pub(super) fn write_annotation(&mut self, annotation: &Annotation, page: Ref) -> Ref {
        let [x0, y0, x1, y1] = annotation.rect;
        let appearance = annotation
            .appearance
            .as_ref()
            .map(|form| format!("/AP << /N {} >>", self.write_form(form, [0.0, 0.0, x1 - x0, y1 - y0], "")));
        let id = self.objects.add(format!(
            "<< /Type /Annot /Subtype /{} /Rect {} /F {} /P {page} {} {} >>",
            annotation.subtype,
            numbers(&annotation.rect),
            annotation.flags,
            annotation.entries,
            appearance.unwrap_or_default(),
        ));
        if annotation.entries.contains("/FT") {
            self.fields.push(id);
        }
        id
    }
}

pub(super) fn numbers(values: &[f32]) -> String {
    let values: Vec<String> = values.iter().map(f32::to_string).collect();
    format!("[{}]", values.join(" "))
}

fn put_dictionary(out: &mut String, key: &str, entries: &[String]) {
    if !entries.is_empty() {
        let _ = write!(out, " /{key} << {} >>", entries.join(" "));
    }
}
