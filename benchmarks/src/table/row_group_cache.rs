//! Caches rows of Parquet files as JSON in a temporary file, so that a row can be read without
//! decoding the rows before it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::Path;

use parking_lot::Mutex;
use serde_json::Value;

use super::parquet_file;
use crate::DatasetError;
use crate::fields::Row;

/// Cached row groups of a table's files. Each group is decoded once, when one of its rows is first
/// requested. Reading a row from a Parquet file decodes all earlier rows of its group, so without a
/// cache a run would take quadratic time. The temporary file has no name and is removed with the
/// cache.
#[derive(Default)]
pub struct RowGroupCache(Mutex<CacheFile>);

#[derive(Default)]
struct CacheFile {
    file: Option<File>,
    /// Number of bytes used in the file.
    length: u64,
    /// Byte ranges of the cached rows, by index of the table's file and row group.
    groups: BTreeMap<(usize, usize), Vec<Range<u64>>>,
}

impl RowGroupCache {
    /// Reads the row with the 0-based `index` in a row group. `file` is the index of the table's
    /// file at `path`.
    ///
    /// # Errors
    ///
    /// If the group cannot be read or has no such row, or the temporary file cannot be written or
    /// read.
    pub fn row(
        &self,
        path: &Path,
        file: usize,
        group: usize,
        index: usize,
    ) -> Result<Row, DatasetError> {
        // Even after a panic while the lock is held, only completely written groups have ranges.
        let mut cached = self.0.lock();
        if !cached.groups.contains_key(&(file, group)) {
            let rows = cached.write(path, group)?;
            cached.groups.insert((file, group), rows);
        }
        let rows = &cached.groups[&(file, group)];
        let range = rows.get(index).cloned();
        let range = range.ok_or_else(|| DatasetError::unusable(path, "a row is missing"))?;
        cached.read(&range).map_err(|reason| failed(path, &reason))
    }
}

impl CacheFile {
    fn write(&mut self, path: &Path, group: usize) -> Result<Vec<Range<u64>>, DatasetError> {
        let wrong = |reason| failed(path, &reason);
        let file = match self.file.take() {
            Some(file) => file,
            None => tempfile::tempfile().map_err(wrong)?,
        };
        let file = self.file.insert(file);
        file.seek(SeekFrom::Start(self.length)).map_err(wrong)?;
        let mut writer = BufWriter::with_capacity(1 << 16, file);
        let mut end = self.length;
        let mut rows = Vec::new();
        parquet_file::group(path, group, &mut |row| {
            let text = Value::Object(row).to_string();
            writer.write_all(text.as_bytes()).map_err(wrong)?;
            rows.push(end..end + text.len() as u64);
            end += text.len() as u64;
            Ok(())
        })?;
        writer.flush().map_err(wrong)?;
        drop(writer);
        self.length = end;
        Ok(rows)
    }

    fn read(&mut self, range: &Range<u64>) -> io::Result<Row> {
        let file = self.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        file.seek(SeekFrom::Start(range.start))?;
        let mut text = Vec::new();
        file.take(range.end - range.start).read_to_end(&mut text)?;
        Ok(serde_json::from_slice(&text)?)
    }
}

fn failed(path: &Path, reason: &io::Error) -> DatasetError {
    let folder = std::env::temp_dir();
    let problem = format!(
        "cannot write or read the temporary file for its rows in {}: {reason}",
        folder.display()
    );
    DatasetError::unusable(path, problem)
}
