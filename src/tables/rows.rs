//! Scored documents → rows, one Arrow batch per table and bucket, sorted.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, BooleanArray, FixedSizeListArray, Float32Array, Int32Array, Int64Array, ListArray, RecordBatch,
    StringArray, StringBuilder, StructArray, TimestampMicrosecondArray,
};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::{DataType, Field, Fields};

use super::schema::Table;
use super::{ScoredDocument, StagingContext, TablesError, bucket_of, producer};
use crate::score::{Finding, FontScore, PageFontScore, PageScore, Reason, Route};
use crate::words::{Word, clean};

/// Findings kept per document.
const MAX_FINDINGS: usize = 16;

/// A document with what its rows share.
struct Doc<'a> {
    scored: &'a ScoredDocument,
    producer: Option<String>,
    family: Option<String>,
    version: Option<String>,
    creator: Option<String>,
    tools: Vec<producer::Tool>,
    bucket: u8,
}

struct Page<'a> {
    doc: &'a Doc<'a>,
    page: &'a PageScore,
}

struct PageFont<'a> {
    doc: &'a Doc<'a>,
    page: u32,
    drawn: &'a PageFontScore,
    font: &'a FontScore,
}

/// Sorted rows of one task: `(table, bucket) → rows`.
pub(super) fn build(
    context: &StagingContext,
    documents: &[ScoredDocument],
) -> Result<BTreeMap<(Table, u8), RecordBatch>, TablesError> {
    let docs: Vec<Doc<'_>> = documents.iter().map(Doc::new).collect();
    let mut by_bucket = BTreeMap::<u8, Vec<&Doc<'_>>>::new();
    for doc in &docs {
        by_bucket.entry(doc.bucket).or_default().push(doc);
    }
    let mut batches = BTreeMap::new();
    for (bucket, mut docs) in by_bucket {
        docs.sort_by(|a, b| a.key().cmp(&b.key()));
        batches.insert((Table::Documents, bucket), documents_batch(context, &docs)?);
        let pages = page_rows(&docs)?;
        if !pages.is_empty() {
            batches.insert((Table::Pages, bucket), pages_batch(context, &pages)?);
        }
        let mut fonts = page_font_rows(&docs)?;
        fonts.sort_by(|a, b| a.key().cmp(&b.key()));
        if !fonts.is_empty() {
            batches.insert((Table::PageFonts, bucket), page_fonts_batch(context, &fonts)?);
        }
    }
    Ok(batches)
}

impl<'a> Doc<'a> {
    fn new(scored: &'a ScoredDocument) -> Self {
        let info = &scored.score.info;
        let named = |text: &Option<String>| {
            let text = clean(text.as_deref()?, 512);
            (!text.trim().is_empty()).then_some(text)
        };
        let (producer, creator) = (named(&info.producer), named(&info.creator));
        let tools = producer::tool_chain(producer.as_deref(), creator.as_deref());
        let maker = producer::made_by(producer.as_deref(), creator.as_deref());
        let (family, version) = maker.map_or((None, None), |tool| (Some(tool.family), tool.version));
        let bucket = bucket_of(family.as_deref());
        Self { scored, producer, family, version, creator, tools, bucket }
    }

    fn key(&self) -> (Option<&str>, Option<&str>, &str) {
        (self.family.as_deref(), self.producer.as_deref(), &self.scored.document.uri)
    }
}

impl PageFont<'_> {
    fn key(&self) -> impl Ord {
        let facts = &self.font.facts;
        let producer = (self.doc.family.as_deref(), self.doc.producer.as_deref());
        let font = (facts.family.as_deref().map(name), facts.subset_tag.as_deref().map(name));
        (producer, font, self.doc.scored.document.uri.as_str(), self.page, name(&facts.font))
    }
}

fn page_rows<'a>(docs: &[&'a Doc<'a>]) -> Result<Vec<Page<'a>>, TablesError> {
    let mut rows = Vec::new();
    for doc in docs {
        if !doc.scored.score.pages.is_empty() && doc.scored.sha256.is_none() {
            return Err(TablesError::NoContent(doc.scored.document.uri.clone()));
        }
        let mut pages: Vec<_> = doc.scored.score.pages.iter().map(|page| Page { doc, page }).collect();
        pages.sort_by_key(|row| row.page.page);
        rows.append(&mut pages);
    }
    Ok(rows)
}

fn page_font_rows<'a>(docs: &[&'a Doc<'a>]) -> Result<Vec<PageFont<'a>>, TablesError> {
    let mut rows = Vec::new();
    for doc in docs {
        for page in &doc.scored.score.pages {
            for drawn in &page.fonts {
                let font = doc.scored.score.fonts.get(drawn.font_index as usize);
                let font = font.ok_or_else(|| TablesError::NoFont(doc.scored.document.uri.clone()))?;
                rows.push(PageFont { doc, page: page.page, drawn, font });
            }
        }
    }
    Ok(rows)
}

/// Builds a batch column by column; the order is the schema's, which `finish` checks by type and length, and a test by
/// content.
struct Columns<'r, R> {
    table: Table,
    rows: &'r [R],
    arrays: Vec<ArrayRef>,
}

impl<'r, R> Columns<'r, R> {
    fn new(table: Table, rows: &'r [R]) -> Self {
        Self { table, rows, arrays: Vec::with_capacity(table.schema().fields().len()) }
    }

    fn push(&mut self, array: impl arrow::array::Array + 'static) -> &mut Self {
        self.arrays.push(Arc::new(array));
        self
    }

    fn text<T: AsRef<str>>(&mut self, value: impl Fn(&'r R) -> Option<T>) -> &mut Self {
        let array: StringArray = self.rows.iter().map(value).collect();
        self.push(array)
    }

    fn word<T: Display>(&mut self, value: impl Fn(&'r R) -> T) -> &mut Self {
        let array = words(self.rows.iter().map(value));
        self.push(array)
    }

    fn flag(&mut self, value: impl Fn(&'r R) -> bool) -> &mut Self {
        let array: BooleanArray = self.rows.iter().map(|row| Some(value(row))).collect();
        self.push(array)
    }

    fn int(&mut self, value: impl Fn(&'r R) -> u32) -> &mut Self {
        let array = Int32Array::from_iter_values(self.rows.iter().map(|row| int32(value(row))));
        self.push(array)
    }

    fn long(&mut self, value: impl Fn(&'r R) -> Option<u64>) -> &mut Self {
        let to_i64 = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        let array: Int64Array = self.rows.iter().map(|row| value(row).map(to_i64)).collect();
        self.push(array)
    }

    fn share(&mut self, value: impl Fn(&'r R) -> f32) -> &mut Self {
        let array = Float32Array::from_iter_values(self.rows.iter().map(|row| finite(value(row))));
        self.push(array)
    }

    /// The columns that every table begins with.
    fn common(
        &mut self,
        context: &StagingContext,
        scored: impl Fn(&'r R) -> &'r ScoredDocument,
    ) -> &mut Self {
        let n = self.rows.len();
        self.push(StringArray::from_iter_values(std::iter::repeat_n(&context.job, n)));
        self.push(StringArray::from_iter_values(std::iter::repeat_n(&context.job, n)));
        self.push(StringArray::from_iter_values(std::iter::repeat_n(&context.rules_version, n)));
        self.text(|row| Some(&scored(row).document.uri));
        self.text(|row| scored(row).sha256.as_deref());
        let times = self.rows.iter().map(|row| scored(row).scored_at.whole_second().0);
        let times = TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC");
        self.push(times)
    }

    fn producer(&mut self, doc: impl Fn(&'r R) -> &'r Doc<'r>) -> &mut Self {
        self.text(|row| doc(row).family.as_deref());
        self.text(|row| doc(row).version.as_deref());
        self.text(|row| doc(row).producer.as_deref())
    }

    fn finish(&mut self) -> Result<RecordBatch, TablesError> {
        Ok(RecordBatch::try_new(self.table.schema(), std::mem::take(&mut self.arrays))?)
    }
}

fn documents_batch(context: &StagingContext, docs: &[&Doc<'_>]) -> Result<RecordBatch, TablesError> {
    let pages_of = |doc: &Doc<'_>, keep: &dyn Fn(&PageScore) -> bool| {
        int_len(doc.scored.score.pages.iter().filter(|page| keep(page)).count())
    };
    let route = |route: Route| move |doc: &&Doc<'_>| pages_of(doc, &|page| page.route == route);
    let glyphs = |doc: &Doc<'_>, of: fn(&PageScore) -> u32| {
        Some(doc.scored.score.pages.iter().map(|page| u64::from(of(page))).sum())
    };
    let mut columns = Columns::new(Table::Documents, docs);
    columns
        .common(context, |doc| doc.scored)
        .text(|_| Some(&context.corpus))
        .producer(|doc| doc)
        .text(|doc| doc.creator.as_deref());
    let chains: Vec<&[producer::Tool]> = docs.iter().map(|doc| doc.tools.as_slice()).collect();
    columns.push(struct_list(
        list_field(Table::Documents, "tools"),
        &chains,
        |tools: &[&producer::Tool]| {
            vec![
                Arc::new(StringArray::from_iter_values(tools.iter().map(|tool| &tool.family))),
                Arc::new(tools.iter().map(|tool| tool.version.as_deref()).collect::<StringArray>()),
            ]
        },
    )?);
    columns
        .text(|doc| doc.scored.score.info.pdf_version.as_deref().map(name))
        .flag(|doc| doc.scored.score.info.encrypted)
        .flag(|doc| doc.scored.score.info.second_reader)
        .word(|doc| Word(doc.scored.score.state))
        .text(|doc| doc.scored.score.state_reason.as_deref().map(detail))
        .word(|doc| Word(doc.scored.change))
        .text(|doc| doc.scored.document.etag.as_deref())
        .long(|doc| doc.scored.document.size_bytes)
        .int(|doc| doc.scored.score.info.n_pages)
        .int(route(Route::Keep))
        .int(route(Route::Repair))
        .int(route(Route::Decode))
        .int(route(Route::Ocr))
        .int(|doc| pages_of(doc, &|page| page.judged))
        .int(|doc| int_len(doc.scored.score.fonts.len()))
        .long(|doc| glyphs(doc, |page| page.glyphs_drawn))
        .long(|doc| glyphs(doc, |page| page.glyphs_suspect));
    let findings = |doc: &&Doc<'_>| {
        let all = &doc.scored.score.findings;
        all[..all.len().min(MAX_FINDINGS)].to_vec()
    };
    let lists: Vec<Vec<Finding>> = docs.iter().map(findings).collect();
    let field = list_field(Table::Documents, "findings");
    columns.push(struct_list(field, &lists, |items: &[&Finding]| {
        vec![
            Arc::new(items.iter().map(|item| item.page.map(int32)).collect::<Int32Array>()),
            Arc::new(words(items.iter().map(|item| Word(item.code)))),
            Arc::new(items.iter().map(|item| Some(detail(&item.detail))).collect::<StringArray>()),
        ]
    })?);
    columns.int(|doc| int_len(doc.scored.score.findings.len().saturating_sub(MAX_FINDINGS))).finish()
}

fn pages_batch(context: &StagingContext, rows: &[Page<'_>]) -> Result<RecordBatch, TablesError> {
    let mut columns = Columns::new(Table::Pages, rows);
    columns
        .common(context, |row| row.doc.scored)
        .producer(|row| row.doc)
        .int(|row| row.page.page)
        .word(|row| Word(row.page.route))
        .flag(|row| row.page.judged)
        .share(|row| row.page.judged_share)
        .int(|row| row.page.glyphs_drawn)
        .int(|row| row.page.glyphs_suspect)
        .share(|row| row.page.image_coverage)
        .text(|row| row.page.script.as_deref().map(name))
        .text(|row| row.page.language.as_deref().map(name));
    let lists: Vec<&[Reason]> = rows.iter().map(|row| row.page.reasons.as_slice()).collect();
    columns.push(struct_list(list_field(Table::Pages, "reasons"), &lists, |items: &[&Reason]| {
        vec![
            Arc::new(words(items.iter().map(|item| Word(item.code)))),
            Arc::new(words(items.iter().map(|item| Word(item.certainty)))),
            Arc::new(Float32Array::from_iter_values(items.iter().map(|item| finite(item.share)))),
            Arc::new(items.iter().map(|item| item.font.as_deref().map(name)).collect::<StringArray>()),
            Arc::new(words(items.iter().map(|item| Word(item.scope)))),
            Arc::new(items.iter().map(|item| Some(detail(&item.detail))).collect::<StringArray>()),
        ]
    })?);
    columns.int(|row| row.page.n_more_reasons);
    columns.push(boxes(rows.iter().map(|row| row.page.regions.as_slice()))?);
    columns.int(|row| row.page.n_more_regions).finish()
}

fn page_fonts_batch(context: &StagingContext, rows: &[PageFont<'_>]) -> Result<RecordBatch, TablesError> {
    let mut columns = Columns::new(Table::PageFonts, rows);
    columns
        .common(context, |row| row.doc.scored)
        .producer(|row| row.doc)
        .int(|row| row.page)
        .text(|row| Some(name(&row.font.facts.font)))
        .text(|row| row.font.facts.base_font.as_deref().map(name))
        .text(|row| row.font.facts.subset_tag.as_deref().map(name))
        .text(|row| row.font.facts.family.as_deref().map(name))
        .text(|row| Some(name(&row.font.facts.subtype)))
        .text(|row| row.font.facts.descendant.as_deref().map(name))
        .text(|row| row.font.facts.encoding.as_deref().map(name))
        .text(|row| row.font.facts.ordering.as_deref().map(name))
        .word(|row| Word(row.font.facts.to_unicode))
        .word(|row| Word(row.font.facts.program))
        .text(|row| row.font.facts.program_sha256.as_deref())
        .flag(|row| row.font.facts.has_cmap)
        .flag(|row| row.font.facts.has_post_names)
        .word(|row| format!("{:016x}", row.font.facts.signature))
        .word(|row| Word(row.drawn.font_class))
        .text(|row| row.drawn.font_case.map(|case| Word(case).to_string()))
        .int(|row| row.drawn.glyphs_drawn)
        .int(|row| row.drawn.glyphs_unmapped)
        .int(|row| row.drawn.glyphs_suspect);
    let lists: Vec<Vec<_>> = rows.iter().map(|row| row.font.cases.iter().collect()).collect();
    let field = list_field(Table::PageFonts, "cases");
    columns.push(struct_list(field, &lists, |items: &[&(&crate::score::fonts::Case, &u32)]| {
        vec![
            Arc::new(words(items.iter().map(|(case, _)| Word(case)))),
            Arc::new(Int32Array::from_iter_values(items.iter().map(|(_, glyphs)| int32(**glyphs)))),
        ]
    })?);
    columns.finish()
}

fn words<T: Display>(values: impl Iterator<Item = T>) -> StringArray {
    use std::fmt::Write as _;
    let mut builder = StringBuilder::new();
    for value in values {
        write!(builder, "{value}").expect("writing to memory");
        builder.append_value("");
    }
    builder.finish()
}

/// The element field of a list column.
fn list_field(table: Table, column: &str) -> Arc<Field> {
    let schema = table.schema();
    match schema.field_with_name(column).expect("a column of the table").data_type() {
        DataType::List(element) => Arc::clone(element),
        other => panic!("`{column}` is a list, not {other}"),
    }
}

/// A list of structs, from the lists of all rows.
fn struct_list<T, L: AsRef<[T]>>(
    element: Arc<Field>,
    lists: &[L],
    arrays: impl Fn(&[&T]) -> Vec<ArrayRef>,
) -> Result<ListArray, TablesError> {
    let items: Vec<&T> = lists.iter().flat_map(|list| list.as_ref()).collect();
    let offsets = OffsetBuffer::from_lengths(lists.iter().map(|list| list.as_ref().len()));
    let DataType::Struct(fields) = element.data_type() else { panic!("a list of structs") };
    let values = StructArray::try_new(Fields::clone(fields), arrays(&items), None)?;
    Ok(ListArray::try_new(element, offsets, Arc::new(values), None)?)
}

fn boxes<'a>(lists: impl Iterator<Item = &'a [[f32; 4]]> + Clone) -> Result<ListArray, TablesError> {
    let element = list_field(Table::Pages, "regions");
    let DataType::FixedSizeList(number, _) = element.data_type() else { panic!("a list of boxes") };
    let numbers = lists.clone().flatten().flatten().map(|number| finite(*number));
    let numbers = Arc::new(Float32Array::from_iter_values(numbers));
    let values = FixedSizeListArray::try_new(Arc::clone(number), 4, numbers, None)?;
    let offsets = OffsetBuffer::from_lengths(lists.map(<[_]>::len));
    Ok(ListArray::try_new(element, offsets, Arc::new(values), None)?)
}

/// Numbers that compare equal to themselves: equal tables are compared byte by byte.
fn finite(number: f32) -> f32 {
    if number.is_finite() { number + 0.0 } else { 0.0 }
}

fn int32(n: u32) -> i32 {
    i32::try_from(n).unwrap_or(i32::MAX)
}

fn int_len(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// A name from a file: capped, without characters that change the structure of an output.
fn name(text: &str) -> Cow<'_, str> {
    tame(text, 200)
}

/// A fixed template with names from a file.
fn detail(text: &str) -> Cow<'_, str> {
    tame(text, 120)
}

fn tame(text: &str, max: usize) -> Cow<'_, str> {
    if text.len() <= max && text.bytes().all(|b| (0x20..0x7f).contains(&b)) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(clean(text, max))
}
