//! Rows of any table as JSON.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{DataType, Float32Type, Float64Type, Int32Type, Int64Type, UInt64Type};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use serde_json::{Map, Value};

use super::{Column, Value as Cell};

/// The rows of a batch, one object each; times in RFC 3339, hashes and words as they are.
pub fn json_rows(batch: &RecordBatch) -> Vec<Value> {
    let schema = batch.schema();
    (0..batch.num_rows())
        .map(|row| {
            let columns = schema.fields().iter().zip(batch.columns());
            Value::Object(columns.map(|(field, array)| (field.name().clone(), value(array, row))).collect())
        })
        .collect()
}

/// The rows of a batch as values of an answer; lists as JSON.
#[cfg(feature = "sql")]
pub fn value_rows(batch: &RecordBatch) -> Vec<Vec<Cell>> {
    let row = |row| batch.columns().iter().map(|array| cell(value(array, row))).collect();
    (0..batch.num_rows()).map(row).collect()
}

/// Fields of a row as values of an answer with these columns.
pub fn json_cells(row: &Value, columns: &[Column]) -> Vec<Cell> {
    columns.iter().map(|column| cell(row[column.name.as_ref()].clone())).collect()
}

fn cell(value: Value) -> Cell {
    match value {
        Value::Null => Cell::None,
        Value::String(text) => Cell::Text(text),
        Value::Number(n) => n.as_i64().map_or_else(|| Cell::Number(n.as_f64().unwrap_or(0.0)), Cell::Count),
        other => Cell::Text(other.to_string()),
    }
}

/// The value of a row.
pub(super) fn value(array: &dyn Array, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Utf8 => array.as_string::<i32>().value(row).into(),
        DataType::Utf8View => array.as_string_view().value(row).into(),
        DataType::Boolean => array.as_boolean().value(row).into(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row).into(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).into(),
        DataType::Float32 => shortest(array.as_primitive::<Float32Type>().value(row)),
        DataType::Float64 => array.as_primitive::<Float64Type>().value(row).into(),
        DataType::List(_) => items(&array.as_list::<i32>().value(row)),
        DataType::FixedSizeList(_, _) => items(&array.as_fixed_size_list().value(row)),
        DataType::Struct(fields) => {
            let columns = array.as_struct().columns().iter();
            let fields =
                fields.iter().zip(columns).map(|(field, array)| (field.name().clone(), value(array, row)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        _ => printed(array, row),
    }
}

fn items(array: &dyn Array) -> Value {
    (0..array.len()).map(|item| value(array, item)).collect()
}

/// The shortest decimal that is this number: 0.1, not 0.10000000149.
fn shortest(number: f32) -> Value {
    number.to_string().parse::<f64>().map_or(Value::Null, Value::from)
}

/// Times, and types that only queries make.
fn printed(array: &dyn Array, row: usize) -> Value {
    let options = FormatOptions::new().with_timestamp_tz_format(Some("%Y-%m-%dT%H:%M:%SZ"));
    match ArrayFormatter::try_new(array, &options) {
        Ok(formatter) => formatter.value(row).to_string().into(),
        Err(_) => Value::Null,
    }
}
