//! Files → batches of some columns.

use std::fs::File;
use std::path::Path;

use arrow::array::{Array, AsArray, BooleanArray, Int32Array, RecordBatch, StringArray};
use arrow::datatypes::Int32Type;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowPredicateFn, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowFilter,
};
use parquet::file::metadata::PageIndexPolicy;

use super::ReportError;

/// Reads some columns of a file; `a.list.element.b` is a field of a list's elements.
pub(super) fn read(
    path: &Path,
    columns: &[&str],
    mut each: impl FnMut(&RecordBatch) -> Result<(), ReportError>,
) -> Result<(), ReportError> {
    let failed = |source| ReportError::Parquet { path: path.to_owned(), source };
    let builder = ParquetRecordBatchReaderBuilder::try_new(open(path)?).map_err(failed)?;
    let mask = ProjectionMask::columns(builder.parquet_schema(), columns.iter().copied());
    for batch in builder.with_projection(mask).with_batch_size(8192).build().map_err(failed)? {
        each(&batch.map_err(|error| failed(error.into()))?)?;
    }
    Ok(())
}

/// Reads the rows in which the text `column` is `value`, all columns: row groups whose bloom filter denies it are left out,
/// of the others the column is read, and of the other columns only the data pages with such rows.
pub(super) fn read_where(
    path: &Path,
    column: &'static str,
    value: &str,
    mut each: impl FnMut(&RecordBatch) -> Result<(), ReportError>,
) -> Result<(), ReportError> {
    let failed = |source| ReportError::Parquet { path: path.to_owned(), source };
    let options = ArrowReaderOptions::new().with_page_index_policy(PageIndexPolicy::Optional);
    let builder =
        ParquetRecordBatchReaderBuilder::try_new_with_options(open(path)?, options).map_err(failed)?;
    let leaves = builder.parquet_schema().columns().iter();
    let leaf = leaves.enumerate().find(|(_, leaf)| leaf.path().string() == column).map(|(index, _)| index);
    let leaf = leaf.ok_or_else(|| ReportError::Column { path: path.to_owned(), column })?;
    let mut groups = Vec::new();
    for group in 0..builder.metadata().num_row_groups() {
        let filter = builder.get_row_group_column_bloom_filter(group, leaf).map_err(failed)?;
        if filter.is_none_or(|filter| filter.check(&value)) {
            groups.push(group);
        }
    }
    if groups.is_empty() {
        return Ok(());
    }
    let wanted = value.to_owned();
    let only = ProjectionMask::leaves(builder.parquet_schema(), [leaf]);
    let predicate = ArrowPredicateFn::new(only, move |batch| {
        let texts = batch.column(0).as_string::<i32>();
        Ok(texts.iter().map(|text| Some(text == Some(wanted.as_str()))).collect::<BooleanArray>())
    });
    let rows = builder.with_row_groups(groups).with_row_filter(RowFilter::new(vec![Box::new(predicate)]));
    for batch in rows.build().map_err(failed)? {
        each(&batch.map_err(|error| failed(error.into()))?)?;
    }
    Ok(())
}

fn open(path: &Path) -> Result<File, ReportError> {
    File::open(path).map_err(|source| ReportError::Open { path: path.to_owned(), source })
}

/// A text column.
pub(super) fn texts<'b>(
    batch: &'b RecordBatch,
    path: &Path,
    column: &'static str,
) -> Result<&'b StringArray, ReportError> {
    let array = batch.column_by_name(column).and_then(|array| array.as_string_opt::<i32>());
    array.ok_or_else(|| ReportError::Column { path: path.to_owned(), column })
}

/// A column of counts.
pub(super) fn counts<'b>(
    batch: &'b RecordBatch,
    path: &Path,
    column: &'static str,
) -> Result<&'b Int32Array, ReportError> {
    let array = batch.column_by_name(column).and_then(|array| array.as_primitive_opt::<Int32Type>());
    array.ok_or_else(|| ReportError::Column { path: path.to_owned(), column })
}

/// The text of a row, where it has one.
pub(super) fn text_at(array: &StringArray, row: usize) -> Option<&str> {
    array.is_valid(row).then(|| array.value(row))
}

/// The count of a row.
pub(super) fn count_at(array: &Int32Array, row: usize) -> u64 {
    u64::try_from(array.value(row)).unwrap_or(0)
}
