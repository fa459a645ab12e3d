//! Writes Parquet files for tests.

use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde::Deserialize;

/// Rows of a Parquet file with a single row group. All values are nullable strings or bytes. A
/// struct is null if it has no value.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParquetRows {
    /// Names of the columns, with the suffix ` as bytes` for columns of bytes instead of strings.
    /// `a.b` is the field `b` of the struct `a`; the fields of a struct are adjacent.
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Option<String>>>,
    /// Name of the compression in the `parquet` crate, such as `LZ4_RAW`; defaults to
    /// `UNCOMPRESSED`.
    #[serde(default)]
    pub compression: Option<String>,
}

impl ParquetRows {
    pub fn file(&self) -> Vec<u8> {
        let schema = parse_message_type(&self.schema()).unwrap();
        let compression = self.compression.as_deref().unwrap_or("UNCOMPRESSED");
        let compression: Compression = compression.parse().unwrap();
        let properties = WriterProperties::builder()
            .set_compression(compression)
            .build();
        let mut file = Vec::new();
        let mut writer =
            SerializedFileWriter::new(&mut file, Arc::new(schema), Arc::new(properties)).unwrap();
        let mut group = writer.next_row_group().unwrap();
        for column in 0..self.columns.len() {
            let levels = self.rows.iter().map(|row| self.level(row, column));
            let levels: Vec<i16> = levels.collect();
            let values = self.rows.iter().filter_map(|row| row[column].as_deref());
            let values: Vec<ByteArray> = values.map(ByteArray::from).collect();
            let mut column = group.next_column().unwrap().unwrap();
            let typed = column.typed::<ByteArrayType>();
            typed.write_batch(&values, Some(&levels), None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
        writer.close().unwrap();
        file
    }

    fn schema(&self) -> String {
        let mut schema = "message rows {".to_owned();
        let mut open: Vec<&str> = Vec::new();
        for column in &self.columns {
            let mut structs: Vec<&str> = name(column).split('.').collect();
            let field = structs.pop().unwrap();
            let both = open.iter().zip(&structs);
            let shared = both.take_while(|(open, own)| open == own).count();
            schema.push_str(&"}".repeat(open.len() - shared));
            for own in &structs[shared..] {
                schema.extend(["optional group ", *own, " {"]);
            }
            let is_text = name(column) == column;
            let annotation = if is_text { " (UTF8)" } else { "" };
            schema.extend(["optional binary ", field, annotation, ";"]);
            open = structs;
        }
        schema + &"}".repeat(open.len() + 1)
    }

    /// Returns the definition level of a value: how many of its structs and the value itself are
    /// not null.
    fn level(&self, row: &[Option<String>], column: usize) -> i16 {
        let own = name(&self.columns[column]);
        let ends = own.match_indices('.').map(|(end, _)| end);
        let is_there = |end: &usize| {
            self.columns.iter().zip(row).any(|(other, value)| {
                let rest = name(other).strip_prefix(&own[..*end]);
                value.is_some() && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        };
        let level = ends.chain([own.len()]).filter(is_there).count();
        i16::try_from(level).unwrap()
    }
}

/// Returns the name of a column without its suffix.
fn name(column: &str) -> &str {
    column.strip_suffix(" as bytes").unwrap_or(column)
}
