//! Reads rows from Parquet files.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{ConvertedType, LogicalType, Type as Physical};
use parquet::errors::ParquetError;
use parquet::file::metadata::RowGroupMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::reader::TreeBuilder;
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor, Type};
use serde_json::Value;

use super::position::{At, Visit};
use crate::DatasetError;
use crate::fields::Row;

/// Passes every row of a file to `visit`, with only the given columns, or all columns if none are
/// given. The given columns must exist, and columns in `texts` must not be binary.
pub fn scan(
    path: &Path,
    columns: &[&str],
    texts: &[&str],
    visit: &mut Visit,
) -> Result<(), DatasetError> {
    let reader = open(path)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    let all = schema.root_schema().get_fields();
    let missing = columns
        .iter()
        .find(|column| !all.iter().any(|field| field.name() == **column));
    if let Some(column) = missing {
        let known: Vec<_> = all.iter().map(|field| field.name()).collect();
        let problem = format!(
            "column `{column}` is missing; the file has {}",
            known.join(", ")
        );
        return Err(DatasetError::unusable(path, problem));
    }
    let binary = all
        .iter()
        .find(|field| texts.contains(&field.name()) && is_binary(field));
    if let Some(field) = binary {
        let problem = format!(
            "column `{}` contains bytes; expected text (type STRING, also called UTF8)",
            field.name()
        );
        return Err(DatasetError::unusable(path, problem));
    }
    let chosen = all
        .iter()
        .filter(|field| columns.is_empty() || columns.contains(&field.name()))
        .cloned()
        .collect();
    let projection = Type::group_type_builder(schema.name())
        .with_fields(chosen)
        .build()
        .map_err(|error| DatasetError::unusable(path, error))?;
    let projection = Arc::new(SchemaDescriptor::new(Arc::new(projection)));
    let mut number = 0;
    for group in 0..reader.num_row_groups() {
        let rows = rows(&reader, group, Arc::clone(&projection));
        for (index, row) in rows
            .map_err(|error| DatasetError::unusable(path, error))?
            .enumerate()
        {
            number += 1;
            let row = row.map_err(|error| DatasetError::unusable(path, error))?;
            visit(At::Group(group, index), number, object(row))?;
        }
    }
    Ok(())
}

/// Passes all rows of one row group to `visit`, with all columns.
pub fn group(
    path: &Path,
    group: usize,
    visit: &mut dyn FnMut(Row) -> Result<(), DatasetError>,
) -> Result<(), DatasetError> {
    let reader = open(path)?;
    let schema = reader.metadata().file_metadata().schema_descr_ptr();
    for row in rows(&reader, group, schema).map_err(|error| DatasetError::unusable(path, error))? {
        let row = row.map_err(|error| DatasetError::unusable(path, error))?;
        visit(object(row).map_err(|problem| DatasetError::unusable(path, problem))?)?;
    }
    Ok(())
}

fn rows(
    reader: &SerializedFileReader<File>,
    group: usize,
    projection: SchemaDescPtr,
) -> Result<impl Iterator<Item = Result<Value, ParquetError>> + use<>, ParquetError> {
    let group = reader.get_row_group(group)?;
    let rows = TreeBuilder::new()
        .with_batch_size(batch(group.metadata()))
        .as_iter(projection, &*group)?;
    Ok(rows.map(|row| row.map(|row| row.to_json_value())))
}

/// Returns the number of rows to decode at a time: about one megabyte of rows.
fn batch(group: &RowGroupMetaData) -> usize {
    const MOST: i64 = 64;
    let bytes_a_row = group.total_byte_size() / group.num_rows().max(1);
    let count = (1 << 20) / bytes_a_row.max(1);
    usize::try_from(count.clamp(1, MOST)).unwrap_or(1)
}

fn object(row: Value) -> Result<Row, String> {
    match row {
        Value::Object(row) => Ok(row),
        _ => Err("is not a row of columns".to_owned()),
    }
}

/// Whether the file declares a column as bytes, so that its values are returned as Base64.
fn is_binary(field: &Type) -> bool {
    let info = field.get_basic_info();
    let is_byte_array = field.is_primitive()
        && matches!(
            field.get_physical_type(),
            Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY
        );
    let is_float16 = info.logical_type_ref() == Some(&LogicalType::Float16);
    let converted = info.converted_type();
    is_byte_array && !is_float16 && matches!(converted, ConvertedType::NONE | ConvertedType::BSON)
}

fn open(path: &Path) -> Result<SerializedFileReader<File>, DatasetError> {
    let file = File::open(path).map_err(DatasetError::cannot_read(path))?;
    let reader =
        SerializedFileReader::new(file).map_err(|error| DatasetError::unusable(path, error))?;
    let schema = reader.metadata().file_metadata().schema();
    let mut seen = BTreeSet::new();
    match schema
        .get_fields()
        .iter()
        .find(|field| !seen.insert(field.name()))
    {
        Some(field) => {
            let problem = format!("has the column `{}` twice", field.name());
            Err(DatasetError::unusable(path, problem))
        }
        None => Ok(reader),
    }
}
