//! The tables' columns, read from `config/schemas/tables.json`: what is documented is what is written.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use arrow::datatypes::{DataType, Field, Fields, Schema, SchemaRef, TimeUnit};
use serde::Deserialize;

/// The embedded `config/schemas/tables.json`.
pub const TABLES_JSON: &str = include_str!("../../config/schemas/tables.json");

/// Version of the schema, in paths and manifests.
pub const SCHEMA_VERSION: &str = "v1";

/// A table of the snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// One row per document.
    Documents,
    /// One row per page.
    Pages,
    /// One row per page and font that draws on it.
    PageFonts,
    /// One row per cluster of fonts; derived from `pages` and `page_fonts`.
    Clusters,
}

impl Table {
    /// All tables of a snapshot, in the order of a manifest.
    pub const ALL: [Self; 4] = [Self::Documents, Self::Pages, Self::PageFonts, Self::Clusters];
    /// Those whose rows come from scored documents.
    pub const SCORED: [Self; 3] = [Self::Documents, Self::Pages, Self::PageFonts];

    /// Its name, and the folder it lies in.
    pub fn name(self) -> &'static str {
        match self {
            Self::Documents => "documents",
            Self::Pages => "pages",
            Self::PageFonts => "page_fonts",
            Self::Clusters => "clusters",
        }
    }

    /// The table called `name`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }

    pub(super) fn layout(self) -> &'static Layout {
        &LAYOUTS[self as usize]
    }

    /// The Arrow schema of its files.
    pub fn schema(self) -> SchemaRef {
        Arc::clone(&self.layout().schema)
    }
}

/// How a table is laid out.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) schema: SchemaRef,
    /// Indexes of the columns that rows are sorted by.
    pub(super) sort: Vec<usize>,
    /// How columns (with their leaves) are encoded.
    pub(super) encodings: BTreeMap<String, ColumnEncoding>,
    /// Levels of zstd where the usual one is not best, by column.
    pub(super) zstd_levels: BTreeMap<String, i32>,
    /// Columns with a bloom filter.
    pub(super) bloom: Vec<String>,
}

/// How a column's values are stored, as measured on 500,000 pages: random values are no smaller with a dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum ColumnEncoding {
    /// A dictionary per row group.
    #[default]
    Dictionary,
    /// The values as they are.
    Plain,
    /// Differences of neighbours (DELTA_BINARY_PACKED).
    Delta,
    /// All lengths, then all bytes (DELTA_LENGTH_BYTE_ARRAY).
    DeltaLength,
    /// First bytes, then second bytes … (BYTE_STREAM_SPLIT): counts whose high bytes are alike.
    ByteStreamSplit,
}

static LAYOUTS: LazyLock<[Layout; 4]> = LazyLock::new(|| {
    let file: TablesFile = serde_json::from_str(TABLES_JSON).expect("the embedded file is tested");
    Table::ALL.map(|table| layout(&file.tables[table.name()]))
});

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TablesFile {
    #[serde(rename = "schema")]
    _schema: String,
    #[serde(rename = "description")]
    _description: String,
    tables: BTreeMap<String, TableJson>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TableJson {
    #[serde(rename = "description")]
    _description: String,
    sort: Vec<String>,
    columns: Vec<ColumnJson>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ColumnJson {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    nullable: bool,
    #[serde(default, rename = "unit")]
    _unit: Option<String>,
    #[serde(rename = "description")]
    _description: String,
    #[serde(default)]
    encoding: ColumnEncoding,
    /// Random hex is 7 to 11 % smaller at 1, which finds no matches in it that cost more than they save; counts and dictionaries
    /// of hashes are 2 to 8 % smaller at 15 than at the usual 9 (500,000 pages).
    #[serde(default)]
    zstd_level: Option<i32>,
    #[serde(default)]
    bloom_filter: bool,
    #[serde(default)]
    fields: Vec<ColumnJson>,
}

fn layout(table: &TableJson) -> Layout {
    let schema = Arc::new(Schema::new(table.columns.iter().map(field).collect::<Fields>()));
    let sort = table.sort.iter().map(|name| schema.index_of(name).expect("the embedded file is tested"));
    let levels = table.columns.iter().filter_map(|column| Some((column.name.clone(), column.zstd_level?)));
    let filtered = table.columns.iter().filter(|column| column.bloom_filter);
    Layout {
        sort: sort.collect(),
        encodings: table.columns.iter().map(|column| (column.name.clone(), column.encoding)).collect(),
        zstd_levels: levels.collect(),
        bloom: filtered.map(|column| column.name.clone()).collect(),
        schema,
    }
}

fn field(column: &ColumnJson) -> Field {
    Field::new(&column.name, data_type(column), column.nullable)
}

fn data_type(column: &ColumnJson) -> DataType {
    match column.kind.as_str() {
        "Utf8" => DataType::Utf8,
        "Boolean" => DataType::Boolean,
        "Int32" => DataType::Int32,
        "Int64" => DataType::Int64,
        "Float32" => DataType::Float32,
        "Timestamp(us, UTC)" => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        "List<Struct>" => list(DataType::Struct(column.fields.iter().map(field).collect())),
        "List<FixedSizeList<Float32,4>>" => {
            list(DataType::FixedSizeList(Arc::new(Field::new("element", DataType::Float32, false)), 4))
        }
        other => panic!("the embedded file is tested: type `{other}`"),
    }
}

fn list(element: DataType) -> DataType {
    DataType::List(Arc::new(Field::new("element", element, false)))
}
