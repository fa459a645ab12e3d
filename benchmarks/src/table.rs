//! Files of rows (JSONL, JSON, CSV, Parquet), scanned once to locate each row and then read row by
//! row.

mod csv_file;
mod json_file;
#[cfg_attr(not(feature = "parquet"), path = "table/parquet_absent.rs")]
mod parquet_file;
mod row_group_cache;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use self::row_group_cache::RowGroupCache;
use crate::DatasetError;
use crate::contained::check_links;

/// Fields of a row, by name.
pub type Row = Map<String, Value>;

/// Extensions of the supported files.
pub const ENDINGS: [&str; 4] = ["jsonl", "json", "csv", "parquet"];

/// Files that contain rows.
pub struct Table {
    files: Vec<TableFile>,
    rows: RowGroupCache,
}

struct TableFile {
    path: PathBuf,
    format: Format,
    stamp: Stamp,
}

/// Length in bytes and modification time, which reveal whether a file has changed since it was
/// read.
type Stamp = (u64, Option<SystemTime>);

#[derive(Clone, Copy)]
enum Format {
    Jsonl,
    Json,
    Csv,
    Parquet,
}

#[derive(Clone, Debug)]
pub struct RowLocation {
    file: usize,
    at: At,
    /// Line on which the row begins, or row number in Parquet; 1-based.
    number: u64,
}

#[derive(Clone, Debug)]
enum At {
    /// Offset and length in bytes.
    Bytes(u64, usize),
    Csv(Box<csv::Position>),
    /// Row group and the row's index in it.
    #[cfg_attr(
        not(feature = "parquet"),
        expect(dead_code, reason = "only the Parquet reader creates it")
    )]
    Group(usize, usize),
}

impl Table {
    /// Finds a file, or the files in a folder that have one of the [`ENDINGS`], sorted by name. If
    /// the folder has none, its subfolder `data` is searched. Only files whose names begin with
    /// `split` are used. Without `split`, only files whose names begin with `usual` are used, if
    /// there are any.
    ///
    /// # Errors
    ///
    /// If no file is found, or if the named file has an unsupported extension.
    pub fn find(path: &Path, split: Option<&str>, usual: &str) -> Result<Self, DatasetError> {
        let read = |reason| DatasetError::Read {
            path: path.to_owned(),
            reason,
        };
        if fs::metadata(path).map_err(read)?.is_file() {
            return Self::of(vec![path.to_owned()]);
        }
        for folder in [path.to_owned(), path.join("data")] {
            let mut files = match fs::read_dir(&folder) {
                Ok(entries) => entries
                    .map(|entry| Ok(entry?.path()))
                    .collect::<io::Result<Vec<_>>>()
                    .map_err(read)?,
                Err(_) => continue,
            };
            files.retain(|file| format(file).is_some() && file.is_file() && !describes_data(file));
            files.sort();
            let is_of = |file: &PathBuf, split: &str| {
                let name = file.file_name().unwrap_or_default().to_string_lossy();
                name.starts_with(split)
            };
            match split {
                Some(split) => files.retain(|file| is_of(file, split)),
                None if files.iter().any(|file| is_of(file, usual)) => {
                    files.retain(|file| is_of(file, usual));
                }
                None => {}
            }
            if !files.is_empty() {
                return Self::of(files);
            }
        }
        Err(DatasetError::NoRows {
            path: path.to_owned(),
            split: split.map(str::to_owned),
        })
    }

    /// Checks that no file leads out of a folder through a link.
    ///
    /// # Errors
    /// Returns an error that names the first file that does.
    pub fn check_links(&self, root: &Path) -> Result<(), DatasetError> {
        self.files.iter().try_for_each(|file| {
            check_links(root, &file.path).map_err(|problem| DatasetError::Row {
                place: file.path.display().to_string(),
                problem: problem.to_string(),
            })
        })
    }

    fn of(paths: Vec<PathBuf>) -> Result<Self, DatasetError> {
        let file = |path: PathBuf| {
            let format = format(&path).ok_or_else(|| DatasetError::NoRows {
                path: path.clone(),
                split: None,
            })?;
            let stamp = stamp(&path)?;
            Ok(TableFile {
                path,
                format,
                stamp,
            })
        };
        let files = paths.into_iter().map(file).collect::<Result<_, _>>()?;
        Ok(Self {
            files,
            rows: RowGroupCache::default(),
        })
    }

    /// Returns the SHA-256 digest of the files' contents, which excludes their names.
    ///
    /// # Errors
    ///
    /// If a file cannot be read.
    pub fn digest(&self) -> Result<[u8; 32], DatasetError> {
        let mut all = Sha256::new();
        for TableFile { path, .. } in &self.files {
            let read = |reason| DatasetError::Read {
                path: path.clone(),
                reason,
            };
            let mut file = File::open(path).map_err(read)?;
            let mut hash = Sha256::new();
            let mut buffer = vec![0; 1 << 16];
            loop {
                match file.read(&mut buffer).map_err(read)? {
                    0 => break,
                    count => hash.update(&buffer[..count]),
                }
            }
            all.update(hash.finalize());
        }
        Ok(all.finalize().into())
    }

    /// Reads all rows in order and calls `visit` for each. For a malformed row, `visit` receives an
    /// error message. From Parquet files, only `columns` are read, or all columns if it is empty.
    /// All `columns` must exist, and columns in `texts` must not contain bytes.
    ///
    /// # Errors
    ///
    /// If a file cannot be read at all, or `visit` fails.
    pub fn scan(
        &self,
        columns: &[&str],
        texts: &[&str],
        visit: &mut dyn FnMut(RowLocation, Result<Row, String>) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
        for (file, TableFile { path, format, .. }) in self.files.iter().enumerate() {
            let mut visit = |at, number, row| visit(RowLocation { file, at, number }, row);
            match format {
                Format::Jsonl => json_file::scan_lines(path, &mut visit)?,
                Format::Json => json_file::scan_list(path, &mut visit)?,
                Format::Csv => csv_file::scan(path, &mut visit)?,
                Format::Parquet => parquet_file::scan(path, columns, texts, &mut visit)?,
            }
        }
        Ok(())
    }

    /// Reads all fields of a row.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or has changed.
    pub fn row(&self, place: &RowLocation) -> Result<Row, DatasetError> {
        let file = &self.files[place.file];
        if stamp(&file.path)? != file.stamp {
            return Err(DatasetError::Changed {
                path: file.path.clone(),
            });
        }
        match &place.at {
            At::Bytes(start, length) => json_file::row(&file.path, *start, *length),
            At::Csv(position) => csv_file::row(&file.path, position),
            At::Group(group, row) => self.rows.row(&file.path, place.file, *group, *row),
        }
    }

    /// Returns the location of a row for messages: `questions.jsonl:3`.
    pub fn place(&self, place: &RowLocation) -> String {
        let file = &self.files[place.file];
        let path = file.path.display();
        match file.format {
            Format::Parquet => format!("{path}, row {}", place.number),
            _ => format!("{path}:{}", place.number),
        }
    }

    /// Returns the folder of the file that contains a row.
    pub fn folder(&self, place: &RowLocation) -> &Path {
        let file = &self.files[place.file].path;
        file.parent().unwrap_or(Path::new(""))
    }

    /// Whether a scan of these columns reads all fields of a row, so that rows can be checked
    /// immediately.
    pub fn is_read_whole(&self, place: &RowLocation, columns: &[&str]) -> bool {
        columns.is_empty() || !matches!(self.files[place.file].format, Format::Parquet)
    }
}

/// Callback for each row: its location in the file, its number, and the row or an error message.
type Visit<'a> = dyn FnMut(At, u64, Result<Row, String>) -> Result<(), DatasetError> + 'a;

fn format(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "jsonl" => Some(Format::Jsonl),
        "json" => Some(Format::Json),
        "csv" => Some(Format::Csv),
        "parquet" => Some(Format::Parquet),
        _ => None,
    }
}

/// Whether a file contains a description of data instead of rows.
fn describes_data(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name == "fetched.json" || name == "dataset_info.json" || name == "dataset_infos.json"
}

fn stamp(path: &Path) -> Result<Stamp, DatasetError> {
    let metadata = fs::metadata(path).map_err(|reason| DatasetError::Read {
        path: path.to_owned(),
        reason,
    })?;
    Ok((metadata.len(), metadata.modified().ok()))
}

/// Returns the error for a malformed file.
fn unusable(path: &Path, problem: impl std::fmt::Display) -> DatasetError {
    DatasetError::Row {
        place: path.display().to_string(),
        problem: problem.to_string(),
    }
}

/// An invalid field: what is wrong with it, and what would be valid.
#[derive(Debug)]
pub struct Fault {
    field: String,
    problem: String,
}

impl Fault {
    /// Creates a fault. The problem is phrased to follow the field's name.
    pub fn new(field: &str, problem: impl Into<String>) -> Self {
        Self {
            field: field.to_owned(),
            problem: problem.into(),
        }
    }

    /// Appends to the problem.
    pub fn and(mut self, more: &str) -> Self {
        self.problem.push_str(more);
        self
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "field `{}` {}", self.field, self.problem)
    }
}

/// Returns a required field.
pub fn field<'a>(row: &'a Row, name: &str) -> Result<&'a Value, Fault> {
    match row.get(name) {
        Some(Value::Null) => Err(Fault::new(name, "has no value")),
        None => {
            let known: Vec<_> = row.keys().take(12).map(String::as_str).collect();
            Err(Fault::new(
                name,
                format!("is missing; the row has {}", known.join(", ")),
            ))
        }
        Some(value) => Ok(value),
    }
}

/// Returns a required string field.
pub fn text<'a>(row: &'a Row, name: &str) -> Result<&'a str, Fault> {
    let value = field(row, name)?;
    value
        .as_str()
        .ok_or_else(|| Fault::new(name, format!("is {}; expected a text", kind(value))))
}

/// Returns a required integer field, which is a string in CSV.
pub fn whole(row: &Row, name: &str) -> Result<i64, Fault> {
    let value = field(row, name)?;
    let number = match value {
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_i64(),
    };
    number.ok_or_else(|| Fault::new(name, format!("is {}; expected a whole number", kind(value))))
}

/// Returns a string or number field as a string.
pub fn label(row: &Row, name: &str) -> Result<String, Fault> {
    match field(row, name)? {
        Value::String(text) => Ok(text.trim().to_owned()),
        Value::Number(number) => Ok(number.to_string()),
        value => Err(Fault::new(
            name,
            format!("is {}; expected a text or a number", kind(value)),
        )),
    }
}

/// Returns the named fields, without those that the row lacks.
pub fn some(row: &Row, names: &[&str]) -> BTreeMap<String, Value> {
    let pair = |name: &&str| Some(((*name).to_owned(), row.get(*name)?.clone()));
    names.iter().filter_map(pair).collect()
}

/// Returns the strings of a field that contains one string or a list. The result is empty if the
/// field is missing or blank. In CSV, a list is JSON.
pub fn texts(row: &Row, name: &str) -> Result<Vec<String>, Fault> {
    let wrong = |what: &str| {
        Fault::new(
            name,
            format!("is {what}; expected a text or a list of texts"),
        )
    };
    let list = |items: &[Value]| {
        let one = |item: &Value| item.as_str().map(str::to_owned);
        let all: Option<Vec<String>> = items.iter().map(one).collect();
        all.ok_or_else(|| wrong("a list with an item that is not a text"))
    };
    match row.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(Vec::new()),
        Some(Value::String(text)) if text.trim_start().starts_with('[') => {
            let items: Vec<Value> =
                serde_json::from_str(text).map_err(|_| wrong("not a JSON list"))?;
            list(&items)
        }
        Some(Value::String(text)) => Ok(vec![text.clone()]),
        Some(Value::Array(items)) => list(items),
        Some(value) => Err(wrong(kind(value))),
    }
}

/// Returns the type of a value in words.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
