//! The published files as Delta tables: a log beside them, no byte of them written again.
//!
//! ```text
//! <root>/<table>/_delta_log/00000000000000000000.json    protocol, schema, files of the first registration
//! <root>/<table>/_delta_log/00000000000000000001.json    files that went and files that came, by the next one
//! ```
//!
//! After [Delta's protocol](https://github.com/delta-io/delta/blob/master/PROTOCOL.md), reader version 1 and writer version 2. A
//! version is won by whoever creates its file first. Versions whose jobs were removed can no longer be read, as after `VACUUM`.

use std::collections::{BTreeMap, BTreeSet};

use arrow::datatypes::{DataType, Field, Fields};
use serde_json::{Value, json};
use uuid::Uuid;

use super::manifest::{CURRENT_FILE, Current, Manifest, ManifestFile};
use super::schema::Table;
use crate::objects::{Created, ObjectError, ObjectKey, Objects};
use crate::time::Timestamp;

/// Longest log that is read, in versions; one a night is 27 years.
const MAX_VERSIONS: usize = 10_000;
/// Largest file of a log, or manifest.
const MAX_BYTES: u64 = 64 << 20;

/// Why tables were not registered.
#[derive(Debug, thiserror::Error)]
pub enum DeltaError {
    /// Storage failed.
    #[error(transparent)]
    Objects(#[from] ObjectError),
    /// There is no `_current.json`.
    #[error("there are no published results")]
    NoResults,
    /// A file cannot be read.
    #[error("`{0}` is damaged")]
    Damaged(String),
    /// The log is not one of ours alone.
    #[error("the log of `{0}` has checkpoints or gaps: another program writes it")]
    Foreign(&'static str),
    /// Somebody else wrote this version at the same time.
    #[error("the log of `{0}` was written by somebody else meanwhile; try again")]
    Raced(&'static str),
}

/// What was done for one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Registered {
    /// The table.
    pub table: Table,
    /// The log's newest version.
    pub version: u64,
    /// Files of the table.
    pub files: usize,
    /// Whether this version is new; the files were registered already where it is not.
    pub new: bool,
}

/// Registers the current snapshots of all corpora below a root.
///
/// # Errors
/// See [`DeltaError`]; tables registered before stay so, and the same call goes on.
pub async fn register(objects: &dyn Objects) -> Result<Vec<Registered>, DeltaError> {
    let current: Current = match read(objects, CURRENT_FILE).await {
        Err(DeltaError::Objects(ObjectError::NotFound(_))) => return Err(DeltaError::NoResults),
        other => other?,
    };
    let mut files = Vec::new();
    for corpus in current.corpora.values() {
        files.extend(read::<Manifest>(objects, &corpus.manifest).await?.files);
    }
    let mut registered = Vec::new();
    for table in Table::ALL {
        let of_table: Vec<&ManifestFile> = files.iter().filter(|file| file.table == table.name()).collect();
        registered.push(register_table(objects, table, &of_table).await?);
    }
    Ok(registered)
}

async fn read<T: serde::de::DeserializeOwned>(objects: &dyn Objects, key: &str) -> Result<T, DeltaError> {
    let bytes = objects.get(&ObjectKey::new(key)?, MAX_BYTES, None).await?;
    serde_json::from_slice(&bytes).map_err(|_| DeltaError::Damaged(key.to_owned()))
}

async fn register_table(
    objects: &dyn Objects,
    table: Table,
    files: &[&ManifestFile],
) -> Result<Registered, DeltaError> {
    let log = Log::read(objects, table).await?;
    let wanted: BTreeMap<&str, &ManifestFile> =
        files.iter().filter_map(|file| Some((below(table, &file.path)?, *file))).collect();
    let is_same = log.files.iter().map(String::as_str).eq(wanted.keys().copied());
    if let Some(version) = log.newest
        && is_same
    {
        return Ok(Registered { table, version, files: wanted.len(), new: false });
    }
    let version = log.newest.map_or(0, |newest| newest + 1);
    let now = Timestamp::now().0 / 1000;
    let mut actions = vec![json!({"commitInfo": {
        "timestamp": now, "operation": "WRITE", "operationParameters": {"mode": "Overwrite"},
        "engineInfo": concat!("pagesieve/", env!("CARGO_PKG_VERSION")),
    }})];
    if version == 0 {
        actions.push(json!({"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}));
        actions.push(json!({"metaData": {
            "id": Uuid::now_v7().hyphenated().to_string(), "name": table.name(),
            "format": {"provider": "parquet", "options": {}}, "schemaString": schema(table).to_string(),
            "partitionColumns": [], "configuration": {}, "createdTime": now,
        }}));
    }
    for path in log.files.iter().filter(|path| !wanted.contains_key(path.as_str())) {
        actions.push(json!({"remove": {"path": path, "deletionTimestamp": now, "dataChange": true}}));
    }
    for (path, file) in wanted.iter().filter(|(path, _)| !log.files.contains(**path)) {
        let key = ObjectKey::new(file.path.as_str())?;
        let meta = objects.head(&key).await?.ok_or_else(|| ObjectError::NotFound(file.path.clone()))?;
        actions.push(json!({"add": {
            "path": path, "partitionValues": {}, "size": meta.size_bytes, "modificationTime": meta.modified.0 / 1000,
            "dataChange": true, "stats": json!({"numRecords": file.rows}).to_string(),
        }}));
    }
    let lines: String = actions.iter().map(|action| format!("{action}\n")).collect();
    let key = ObjectKey::new(format!("{}{version:020}.json", folder(table)))?;
    match objects.put_if_absent(&key, lines.into_bytes()).await? {
        Created::Yes => Ok(Registered { table, version, files: wanted.len(), new: true }),
        Created::Exists => Err(DeltaError::Raced(table.name())),
    }
}

/// A file's path below its table. Ours need no encoding: letters, digits, `=`, `-`, `/` and `.`.
fn below(table: Table, path: &str) -> Option<&str> {
    path.strip_prefix(table.name())?.strip_prefix('/')
}

fn folder(table: Table) -> String {
    format!("{}/_delta_log/", table.name())
}

/// What a log says.
#[derive(Debug, Default)]
struct Log {
    newest: Option<u64>,
    files: BTreeSet<String>,
}

impl Log {
    async fn read(objects: &dyn Objects, table: Table) -> Result<Self, DeltaError> {
        let folder = folder(table);
        let mut log = Self::default();
        for meta in objects.list(&folder, None, MAX_VERSIONS).await? {
            let expected = log.newest.map_or(0, |newest| newest + 1);
            if meta.key.as_str() != format!("{folder}{expected:020}.json") {
                return Err(DeltaError::Foreign(table.name()));
            }
            let bytes = objects.get(&meta.key, MAX_BYTES, None).await?;
            let damaged = || DeltaError::Damaged(meta.key.to_string());
            for line in std::str::from_utf8(&bytes).map_err(|_| damaged())?.lines() {
                let action: Value = serde_json::from_str(line).map_err(|_| damaged())?;
                if let Some(path) = action["add"]["path"].as_str() {
                    log.files.insert(path.to_owned());
                } else if let Some(path) = action["remove"]["path"].as_str() {
                    log.files.remove(path);
                }
            }
            log.newest = Some(expected);
        }
        Ok(log)
    }
}

/// A table's schema as Delta writes it.
fn schema(table: Table) -> Value {
    fields(table.schema().fields())
}

fn fields(fields: &Fields) -> Value {
    let fields = fields.iter().map(|field| {
        json!({"name": field.name(), "type": kind(field), "nullable": field.is_nullable(), "metadata": {}})
    });
    json!({"type": "struct", "fields": fields.collect::<Vec<_>>()})
}

fn kind(field: &Field) -> Value {
    match field.data_type() {
        DataType::Utf8 => json!("string"),
        DataType::Boolean => json!("boolean"),
        DataType::Int32 => json!("integer"),
        DataType::Int64 => json!("long"),
        DataType::Float32 => json!("float"),
        DataType::Timestamp(_, _) => json!("timestamp"),
        DataType::List(element) | DataType::FixedSizeList(element, _) => {
            json!({"type": "array", "elementType": kind(element), "containsNull": element.is_nullable()})
        }
        DataType::Struct(of) => fields(of),
        other => unreachable!("no table has a column of type {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_type_of_deltas() {
        let plain = ["string", "boolean", "integer", "long", "float", "timestamp"];
        for table in Table::ALL {
            let schema = schema(table);
            for field in schema["fields"].as_array().unwrap() {
                let kind = &field["type"];
                assert!(kind.as_str().is_none_or(|kind| plain.contains(&kind)), "{field}");
                assert!(kind.is_string() || kind["type"] == "array", "{field}");
            }
        }
        let pages = schema(Table::Pages);
        let regions =
            pages["fields"].as_array().unwrap().iter().find(|field| field["name"] == "regions").unwrap();
        assert_eq!(regions["type"]["elementType"]["elementType"], "float");
    }
}
