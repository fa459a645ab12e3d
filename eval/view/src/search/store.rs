//! The search index: an `SQLite` file next to the runs. It contains words and their locations, but
//! not the texts.
//!
//! The row number of a text is `run << 40 | file << 22 | text`, so that the texts of a run or a
//! file have consecutive row numbers.

use std::cell::RefCell;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use super::distinct::Distinct;
use super::texts::{Kind, Reading, folded};

/// Version of the index format. An index with another version is rebuilt.
const VERSION: i64 = 3;

const TEXT_BITS: u32 = 22;
const FILE_BITS: u32 = 18;

/// Row number of the first run. Newer runs get lower numbers, so that search results list them
/// first.
const FIRST_RUN: i64 = 1 << 20;

const SCHEMA: &str = include_str!("schema.sql");

/// First character of the indexed word that names a text's kind. It is in a private use area, so no
/// other word contains it.
const MARK: char = '\u{e0e0}';

/// State of a trajectory in the index.
#[derive(Debug, Default)]
pub struct KnownFile {
    /// Row number of the file, which is part of the row numbers of its texts.
    pub row: i64,
    /// Number of indexed bytes.
    pub bytes: u64,
    /// Modification time of the file when it was read, in nanoseconds since 1970.
    pub modified: i64,
    /// Hash of indexed bytes, for detecting that the file was replaced.
    pub digest: String,
    /// State needed to parse the next line.
    pub reading: Reading,
    /// Number of indexed texts.
    pub texts: i64,
}

/// Location of an indexed text in its trajectory.
#[derive(Debug, Clone)]
pub struct TextLocation {
    /// Byte offset of the line with the text.
    pub offset: u64,
    /// Length of the line in bytes.
    pub length: usize,
    /// Number of the iteration; 0 before the first iteration.
    pub iteration: u32,
    /// Kind of text.
    pub kind: Kind,
}

/// Attempt that a trajectory belongs to.
#[derive(Debug, Clone)]
pub struct Owner {
    /// Id of the run.
    pub run: String,
    /// Id of the sample.
    pub sample: String,
    /// Number of the attempt, 1-based.
    pub attempt: u32,
    /// File name of the trajectory in the run's folder `trajectories`.
    pub name: String,
}

/// An open index.
pub struct Store(Connection, RefCell<Distinct>);

impl Store {
    /// Opens the index for writing. Creates the index if it is missing or has another version.
    pub fn create(path: &Path) -> rusqlite::Result<Self> {
        let opened = Self::open_to_write(path)?;
        let version: i64 = opened
            .0
            .pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version == VERSION {
            return Ok(opened);
        }
        if version != 0 {
            drop(opened);
            let removed = match fs::remove_file(path) {
                // Another process replaced it.
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
                removed => removed,
            };
            removed.map_err(|error| {
                let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_READONLY);
                let problem = format!("cannot remove the index of another version: {error}");
                rusqlite::Error::SqliteFailure(code, Some(problem))
            })?;
            for end in ["-wal", "-shm"] {
                let mut name = path.as_os_str().to_owned();
                name.push(end);
                // SQLite removes them when it closes the last connection.
                let _ = fs::remove_file(PathBuf::from(name));
            }
            return Self::create(path);
        }
        opened.0.execute_batch(&format!(
            "BEGIN IMMEDIATE; {SCHEMA}; PRAGMA user_version = {VERSION}; COMMIT;"
        ))?;
        Ok(opened)
    }

    fn open_to_write(path: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open(path)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        // The index can be rebuilt from the runs, so writes do not wait for the disk.
        connection.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;",
        )?;
        Ok(Self(connection, RefCell::new(Distinct::new())))
    }

    /// Opens the index for searching, or returns `None` if it does not exist yet.
    pub fn open(path: &Path) -> rusqlite::Result<Option<Self>> {
        if !path.is_file() {
            return Ok(None);
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        connection.execute_batch("PRAGMA query_only = ON; PRAGMA mmap_size = 1073741824;")?;
        Ok((version == VERSION).then(|| Self(connection, RefCell::new(Distinct::new()))))
    }

    /// Begins a transaction.
    ///
    /// # Errors
    /// Returns an error if another process holds the write lock for too long.
    pub fn begin(&self) -> rusqlite::Result<()> {
        self.0.execute_batch("BEGIN IMMEDIATE")
    }

    /// Commits the transaction, after which searches find its texts.
    pub fn commit(&self) -> rusqlite::Result<()> {
        self.0.execute_batch("COMMIT")
    }

    /// Returns the row number of a run; assigns one if the run is new.
    pub fn run(&self, id: &str) -> rusqlite::Result<i64> {
        if let Some(row) = self.run_row(id)? {
            return Ok(row);
        }
        let lowest: Option<i64> = self
            .0
            .query_row("SELECT min(row) FROM run", [], |row| row.get(0))?;
        let row = lowest.map_or(FIRST_RUN, |lowest| lowest - 1);
        self.0
            .execute("INSERT INTO run (row, id) VALUES (?, ?)", params![row, id])?;
        Ok(row)
    }

    /// Returns the row number of a run, if it has one.
    pub fn run_row(&self, id: &str) -> rusqlite::Result<Option<i64>> {
        self.0
            .prepare_cached("SELECT row FROM run WHERE id = ?")?
            .query_row([id], |row| row.get(0))
            .optional()
    }

    /// Returns the state of a run's trajectory, or `None` if it has not been indexed.
    pub fn file(&self, run: i64, name: &str) -> rusqlite::Result<Option<KnownFile>> {
        let mut statement = self.0.prepare_cached(
            "SELECT row, bytes, modified, digest, reading, texts FROM file WHERE run = ? AND name = ?",
        )?;
        let found = statement.query_row(params![run, name], |row| {
            let reading: String = row.get(4)?;
            Ok(KnownFile {
                row: row.get(0)?,
                bytes: u64::try_from(row.get::<_, i64>(1)?).unwrap_or(0),
                modified: row.get(2)?,
                digest: row.get(3)?,
                reading: serde_json::from_str(&reading).unwrap_or_default(),
                texts: row.get(5)?,
            })
        });
        found.optional()
    }

    /// Adds a trajectory with a new row number. Searches no longer find the texts of an earlier
    /// trajectory with the same name.
    pub fn add_file(&self, run: i64, of: &Owner) -> rusqlite::Result<KnownFile> {
        self.0.execute(
            "UPDATE file SET name = NULL WHERE run = ? AND name = ?",
            params![run, of.name],
        )?;
        let highest: Option<i64> =
            self.0
                .query_row("SELECT max(row) FROM file WHERE run = ?", [run], |row| {
                    row.get(0)
                })?;
        let row = highest.map_or(run << FILE_BITS, |highest| highest + 1);
        self.0.execute(
            "INSERT INTO file (row, run, name, sample, attempt, bytes, modified, digest, texts, reading) \
             VALUES (?, ?, ?, ?, ?, 0, 0, '', 0, '{}')",
            params![row, run, of.name, of.sample, of.attempt],
        )?;
        Ok(KnownFile {
            row,
            ..KnownFile::default()
        })
    }

    /// Stores the state of a trajectory.
    pub fn keep_file(&self, file: &KnownFile) -> rusqlite::Result<()> {
        let reading = serde_json::to_string(&file.reading).unwrap_or_default();
        let bytes = i64::try_from(file.bytes).unwrap_or(i64::MAX);
        self.0
            .prepare_cached(
                "UPDATE file SET bytes = ?, modified = ?, digest = ?, texts = ?, reading = ? WHERE row = ?",
            )?
            .execute(params![bytes, file.modified, file.digest, file.texts, reading, file.row])?;
        Ok(())
    }

    /// Adds a text of a trajectory.
    pub fn add_text(
        &self,
        file: &mut KnownFile,
        text: &str,
        kind: Kind,
        (offset, length, iteration): (u64, usize, u32),
    ) -> rusqlite::Result<()> {
        let row = (file.row << TEXT_BITS) | file.texts;
        file.texts = (file.texts + 1).min((1 << TEXT_BITS) - 1);
        let mut marked = String::with_capacity(text.len() + 8);
        marked.push(MARK);
        marked.push_str(kind.name());
        self.1.borrow_mut().append(&folded(text), &mut marked);
        self.0
            .prepare_cached("INSERT INTO words (rowid, text) VALUES (?, ?)")?
            .execute(params![row, marked])?;
        let (offset, length) = (
            i64::try_from(offset).unwrap_or(i64::MAX),
            i64::try_from(length).unwrap_or(i64::MAX),
        );
        self.0
            .prepare_cached("INSERT OR REPLACE INTO place (row, offset, length, iteration, kind) VALUES (?, ?, ?, ?, ?)")?
            .execute(params![row, offset, length, iteration, kind as i64])?;
        Ok(())
    }

    /// Calls `each` with the row numbers of texts that contain all words, in ascending order, until
    /// `each` returns `false`. The last word of each group is a prefix if it has at least three
    /// letters.
    pub fn rows(
        &self,
        words: &[Vec<String>],
        kinds: &[Kind],
        run: Option<i64>,
        mut each: impl FnMut(i64) -> bool,
    ) -> rusqlite::Result<()> {
        let mut expression: Vec<String> = Vec::new();
        for group in words {
            for (place, word) in group.iter().enumerate() {
                // Prefixes of one or two letters match too many words.
                let star = place + 1 == group.len() && word.chars().count() > 2;
                expression.push(format!("\"{word}\"{}", if star { "*" } else { "" }));
            }
        }
        if !kinds.is_empty() {
            let marks = kinds
                .iter()
                .map(|kind| format!("\"{MARK}{}\"", kind.name()));
            expression.push(format!("({})", marks.collect::<Vec<_>>().join(" OR ")));
        }
        let shift = FILE_BITS + TEXT_BITS;
        let (from, to) = run.map_or((0, i64::MAX), |run| {
            (run << shift, ((run + 1) << shift) - 1)
        });
        let mut statement = self.0.prepare_cached(
            "SELECT rowid FROM words WHERE words MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid",
        )?;
        let mut rows = statement.query(params![expression.join(" AND "), from, to])?;
        while let Some(row) = rows.next()? {
            if !each(row.get(0)?) {
                break;
            }
        }
        Ok(())
    }

    /// Returns the location of a text.
    pub fn place(&self, row: i64) -> rusqlite::Result<TextLocation> {
        self.0
            .prepare_cached("SELECT offset, length, iteration, kind FROM place WHERE row = ?")?
            .query_row([row], |found| {
                let kind: i64 = found.get(3)?;
                Ok(TextLocation {
                    offset: u64::try_from(found.get::<_, i64>(0)?).unwrap_or(0),
                    length: usize::try_from(found.get::<_, i64>(1)?).unwrap_or(0),
                    iteration: found.get(2)?,
                    kind: usize::try_from(kind)
                        .ok()
                        .and_then(|kind| Kind::ALL.get(kind).copied())
                        .unwrap_or(Kind::Message),
                })
            })
    }

    /// Returns the attempt that a trajectory belongs to, or `None` if the trajectory has been
    /// replaced.
    pub fn attempt(&self, file: i64) -> rusqlite::Result<Option<Owner>> {
        self.0
            .prepare_cached(
                "SELECT run.id, file.sample, file.attempt, file.name FROM file JOIN run ON run.row = file.run \
                 WHERE file.row = ? AND file.name IS NOT NULL",
            )?
            .query_row([file], |row| {
                Ok(Owner {
                    run: row.get(0)?,
                    sample: row.get(1)?,
                    attempt: row.get(2)?,
                    name: row.get(3)?,
                })
            })
            .optional()
    }
}

/// Returns the row number of a file, given the row number of one of its texts.
pub const fn file_of(row: i64) -> i64 {
    row >> TEXT_BITS
}
