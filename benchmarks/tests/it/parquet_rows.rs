//! Writes Parquet files for tests.

use std::sync::Arc;

use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde::Deserialize;

/// Rows of a Parquet file with a single row group. All values are nullable strings or bytes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParquetRows {
    /// Names of the columns, with the suffix ` as bytes` for columns of bytes instead of strings.
    pub columns: Vec<String>,
    pub rows: Vec<Vec<Option<String>>>,
    /// Name of the compression in the `parquet` crate, such as `LZ4_RAW`; defaults to
    /// `UNCOMPRESSED`.
    #[serde(default)]
    pub compression: Option<String>,
}

impl ParquetRows {
    pub fn file(&self) -> Vec<u8> {
        let column = |name: &String| match name.strip_suffix(" as bytes") {
            Some(name) => format!("optional binary {name};"),
            None => format!("optional binary {name} (UTF8);"),
        };
        let columns: String = self.columns.iter().map(column).collect();
        let schema = parse_message_type(&format!("message rows {{ {columns} }}")).unwrap();
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
            let values = self.rows.iter().map(|row| row[column].as_deref());
            let levels: Vec<i16> = values
                .clone()
                .map(|value| i16::from(value.is_some()))
                .collect();
            let values: Vec<ByteArray> = values.flatten().map(ByteArray::from).collect();
            let mut column = group.next_column().unwrap().unwrap();
            let typed = column.typed::<ByteArrayType>();
            typed.write_batch(&values, Some(&levels), None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
        writer.close().unwrap();
        file
    }
}
