//! Files of rows (JSONL, JSON, CSV, Parquet): read through once to learn where each row is, and then row by row.

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

/// The fields of a row by name.
pub type Row = Map<String, Value>;

/// The endings of the files that can be read.
pub const ENDINGS: [&str; 4] = ["jsonl", "json", "csv", "parquet"];

/// Some files, each with rows.
pub struct Table {
    files: Vec<TableFile>,
    rows: RowGroupCache,
}

struct TableFile {
    path: PathBuf,
    format: Format,
    stamp: Stamp,
}

/// Shows whether a file has changed since it was read: length in bytes, and time of modification.
type Stamp = (u64, Option<SystemTime>);

#[derive(Clone, Copy)]
enum Format {
    Jsonl,
    Json,
    Csv,
    Parquet,
}

/// Where a row is.
#[derive(Clone, Debug)]
pub struct Place {
    file: usize,
    at: At,
    /// The line on which the row begins, and in Parquet the row's number; from 1.
    number: u64,
}

#[derive(Clone, Debug)]
enum At {
    /// Bytes from the beginning of the file, and how many.
    Bytes(u64, usize),
    Csv(Box<csv::Position>),
    /// Row group, and row in it.
    #[cfg_attr(
        not(feature = "parquet"),
        expect(dead_code, reason = "only the reader of Parquet files makes it")
    )]
    Group(usize, usize),
}

impl Table {
    /// Takes a file, or those of a folder that have one of the [`ENDINGS`], by name. Of a folder without any, its
    /// subfolder `data` is taken. Only files whose names begin with `split` are, and without it, where some names begin with
    /// `usual`, those.
    ///
    /// # Errors
    ///
    /// There is no such file, or it has another ending.
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
            files.retain(|file| format(file).is_some() && file.is_file() && !is_our_own(file));
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

    /// Checks that no file leaves a folder by a link.
    ///
    /// # Errors
    /// Names the first that does.
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

    /// SHA-256 over the files' contents, and not over their names.
    ///
    /// # Errors
    ///
    /// A file cannot be read.
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

    /// Reads every row in its order. A row that is malformed comes as what is wrong with it. Of Parquet files only
    /// `columns` are read, where there are any, and they must have them all; their columns that are `texts` must not be of
    /// bytes.
    ///
    /// # Errors
    ///
    /// A file cannot be read at all, or `visit` fails.
    pub fn scan(
        &self,
        columns: &[&str],
        texts: &[&str],
        visit: &mut dyn FnMut(Place, Result<Row, String>) -> Result<(), DatasetError>,
    ) -> Result<(), DatasetError> {
        for (file, TableFile { path, format, .. }) in self.files.iter().enumerate() {
            let mut visit = |at, number, row| visit(Place { file, at, number }, row);
            match format {
                Format::Jsonl => json_file::scan_lines(path, &mut visit)?,
                Format::Json => json_file::scan_list(path, &mut visit)?,
                Format::Csv => csv_file::scan(path, &mut visit)?,
                Format::Parquet => parquet_file::scan(path, columns, texts, &mut visit)?,
            }
        }
        Ok(())
    }

    /// Reads one row whole.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is no longer what it was.
    pub fn row(&self, place: &Place) -> Result<Row, DatasetError> {
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

    /// Where a row is, for people: `questions.jsonl:3`.
    pub fn place(&self, place: &Place) -> String {
        let file = &self.files[place.file];
        let path = file.path.display();
        match file.format {
            Format::Parquet => format!("{path}, row {}", place.number),
            _ => format!("{path}:{}", place.number),
        }
    }

    /// The folder of the file that a row is in.
    pub fn folder(&self, place: &Place) -> &Path {
        let file = &self.files[place.file].path;
        file.parent().unwrap_or(Path::new(""))
    }

    /// Whether a scan of these columns reads rows whole, so that they can be checked at once.
    pub fn is_read_whole(&self, place: &Place, columns: &[&str]) -> bool {
        columns.is_empty() || !matches!(self.files[place.file].format, Format::Parquet)
    }
}

/// What a format hands over for each row: where it is, its number, and the row.
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

/// Files that describe data and hold none.
fn is_our_own(path: &Path) -> bool {
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

/// What is wrong with a file as a whole.
fn unusable(path: &Path, problem: impl std::fmt::Display) -> DatasetError {
    DatasetError::Row {
        place: path.display().to_string(),
        problem: problem.to_string(),
    }
}

/// What is wrong with a field, and what would be right.
#[derive(Debug)]
pub struct Fault {
    field: String,
    problem: String,
}

impl Fault {
    /// A fault of a field: its problem goes on after its name.
    pub fn new(field: &str, problem: impl Into<String>) -> Self {
        Self {
            field: field.to_owned(),
            problem: problem.into(),
        }
    }

    /// The same with more to say at its end.
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

/// A field that must be there.
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

/// A text that must be there.
pub fn text<'a>(row: &'a Row, name: &str) -> Result<&'a str, Fault> {
    let value = field(row, name)?;
    value
        .as_str()
        .ok_or_else(|| Fault::new(name, format!("is {}, it must be a text", kind(value))))
}

/// A whole number that must be there; CSV has it as a text.
pub fn whole(row: &Row, name: &str) -> Result<i64, Fault> {
    let value = field(row, name)?;
    let number = match value {
        Value::String(text) => text.trim().parse().ok(),
        value => value.as_i64(),
    };
    number.ok_or_else(|| {
        Fault::new(
            name,
            format!("is {}, it must be a whole number", kind(value)),
        )
    })
}

/// A text or number as text.
pub fn label(row: &Row, name: &str) -> Result<String, Fault> {
    match field(row, name)? {
        Value::String(text) => Ok(text.trim().to_owned()),
        Value::Number(number) => Ok(number.to_string()),
        value => Err(Fault::new(
            name,
            format!("is {}, it must be a text or a number", kind(value)),
        )),
    }
}

/// The fields of these names that the row has.
pub fn some(row: &Row, names: &[&str]) -> BTreeMap<String, Value> {
    let pair = |name: &&str| Some(((*name).to_owned(), row.get(*name)?.clone()));
    names.iter().filter_map(pair).collect()
}

/// The texts of a field: one, or a list; none where it is missing or blank. CSV has a list as JSON.
pub fn texts(row: &Row, name: &str) -> Result<Vec<String>, Fault> {
    let wrong = |what: &str| {
        Fault::new(
            name,
            format!("is {what}, it must be a text or a list of texts"),
        )
    };
    let list = |items: &[Value]| {
        let one = |item: &Value| item.as_str().map(str::to_owned);
        let all: Option<Vec<String>> = items.iter().map(one).collect();
        all.ok_or_else(|| wrong("a list of something else"))
    };
    match row.get(name) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::String(text)) if text.trim().is_empty() => Ok(Vec::new()),
        Some(Value::String(text)) if text.trim_start().starts_with('[') => {
            let items: Vec<Value> =
                serde_json::from_str(text).map_err(|_| wrong("no JSON list"))?;
            list(&items)
        }
        Some(Value::String(text)) => Ok(vec![text.clone()]),
        Some(Value::Array(items)) => list(items),
        Some(value) => Err(wrong(kind(value))),
    }
}

/// The kind of a value in words.
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
