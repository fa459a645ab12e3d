//! Files of rows (JSONL, JSON, CSV, Parquet), scanned once to locate each row and then read row by
//! row.

mod csv_file;
mod json_file;
#[cfg_attr(not(feature = "parquet"), path = "table/parquet_absent.rs")]
mod parquet_file;
mod position;
mod row_group_cache;

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use self::position::At;
use self::row_group_cache::RowGroupCache;
use crate::DatasetError;
use crate::contained::check_links;
use crate::fields::Row;

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

impl Table {
    /// Finds a file, or the files in a folder that have one of the [`ENDINGS`], sorted by name. If
    /// the folder has none, its subfolder `data` is searched. From a folder, only files whose names
    /// begin with `split` are used. Without `split`, only files whose names begin with `usual` are
    /// used, if there are any.
    ///
    /// # Errors
    ///
    /// If no file is found, or if the named file has an unsupported extension.
    pub fn find(path: &Path, split: Option<&str>, usual: &str) -> Result<Self, DatasetError> {
        let read = DatasetError::cannot_read(path);
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
        Err(no_rows(path, split))
    }

    /// Checks that no file leads out of a folder through a link.
    ///
    /// # Errors
    /// Returns an error that names the first file that does.
    pub fn check_links(&self, root: &Path) -> Result<(), DatasetError> {
        self.files.iter().try_for_each(|file| {
            check_links(root, &file.path)
                .map_err(|problem| DatasetError::unusable(&file.path, problem))
        })
    }

    fn of(paths: Vec<PathBuf>) -> Result<Self, DatasetError> {
        let file = |path: PathBuf| {
            let format = format(&path).ok_or_else(|| no_rows(&path, None))?;
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
            let read = DatasetError::cannot_read(path);
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

    /// Returns the error for a row that cannot be used.
    pub fn error(&self, place: &RowLocation, problem: impl Display) -> DatasetError {
        DatasetError::Unusable(format!("{}: {problem}", self.place(place)))
    }

    /// Returns the folder of the file that contains a row.
    pub fn folder(&self, place: &RowLocation) -> &Path {
        let file = &self.files[place.file].path;
        file.parent().unwrap_or(Path::new(""))
    }

    /// Whether all files are Parquet files.
    pub fn is_parquet(&self) -> bool {
        let mut files = self.files.iter();
        files.all(|file| matches!(file.format, Format::Parquet))
    }

    /// Whether a scan of these columns reads all fields of a row, so that rows can be checked
    /// immediately.
    pub fn is_read_whole(&self, place: &RowLocation, columns: &[&str]) -> bool {
        columns.is_empty() || !matches!(self.files[place.file].format, Format::Parquet)
    }
}

/// Returns the error for a file or folder without rows, of a split if one is given.
fn no_rows(path: &Path, split: Option<&str>) -> DatasetError {
    DatasetError::Unusable(format!(
        "no rows in {}; expected files {}*.jsonl, *.json, *.csv or *.parquet: one file, or a folder with such files in it or in its subfolder data/",
        path.display(),
        split.unwrap_or_default()
    ))
}

fn format(path: &Path) -> Option<Format> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "jsonl" => Some(Format::Jsonl),
        "json" => Some(Format::Json),
        "csv" => Some(Format::Csv),
        "parquet" => Some(Format::Parquet),
        _ => None,
    }
}

/// Whether a file belongs to a split: whether its name begins with the split's.
pub fn is_of(file: &Path, split: &str) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    name.starts_with(split)
}

/// Whether a file contains a description of data instead of rows.
fn describes_data(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name == "fetched.json" || name == "dataset_info.json" || name == "dataset_infos.json"
}

fn stamp(path: &Path) -> Result<Stamp, DatasetError> {
    let metadata = fs::metadata(path).map_err(DatasetError::cannot_read(path))?;
    Ok((metadata.len(), metadata.modified().ok()))
}
