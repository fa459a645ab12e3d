//! `samples.jsonl`: one line per finished attempt, synced before the attempt is reported.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::mem;
use std::path::{Path, PathBuf};

use model::Usage;
use serde::Deserialize;

use super::RunDirError;
use super::error::LineError;
use super::links::without_links;
use crate::{AttemptRecord, RECORD_VERSION};

/// A truncated last line, left by a process that died while writing it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TruncatedRecord {
    /// Number of the line, 1-based.
    pub line: usize,
    /// Byte offset of the line, which is the length of the file without it.
    pub offset: u64,
    /// Content of the incomplete line.
    pub bytes: Vec<u8>,
}

/// Reads the records of a `samples.jsonl` file in order. A truncated last line is returned
/// separately.
///
/// # Errors
/// Returns an error if the file cannot be read, or if a complete line is not a record of a known
/// version.
pub fn read_records(
    path: &Path,
) -> Result<(Vec<AttemptRecord>, Option<TruncatedRecord>), RunDirError> {
    let bytes = fs::read(path).map_err(|reason| RunDirError::cannot_read(path, reason))?;
    let mut records = Vec::new();
    let mut offset = 0;
    for (index, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        match parse(line) {
            Ok(record) => records.push(record),
            // The newline is the last byte written, so only a line without one can be truncated.
            Err(LineError::Malformed { .. }) if !line.ends_with(b"\n") => {
                let truncated_record = TruncatedRecord {
                    line: index + 1,
                    offset,
                    bytes: line.to_owned(),
                };
                return Ok((records, Some(truncated_record)));
            }
            Err(reason) => {
                return Err(RunDirError::Line {
                    path: path.to_owned(),
                    line: index + 1,
                    reason,
                });
            }
        }
        offset += line.len() as u64;
    }
    Ok((records, None))
}

/// Returns the latest record of each attempt, in the position of the attempt's first record.
pub fn latest(records: Vec<AttemptRecord>) -> Vec<AttemptRecord> {
    let mut places = BTreeMap::new();
    let mut kept: Vec<AttemptRecord> = Vec::with_capacity(records.len());
    for record in records {
        let place = *places
            .entry((record.id.clone(), record.attempt))
            .or_insert(kept.len());
        if place < kept.len() {
            kept[place] = record;
        } else {
            kept.push(record);
        }
    }
    kept
}

/// Relation of a record to the previous one of the same attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Successor {
    /// The record includes the counts and costs of the previous one.
    Continued,
    /// The attempt was rerun from the beginning, so the record does not include the previous one.
    Restarted,
}

/// Returns, for each record, the relation of the attempt's next record to it, or `None` if it is
/// the last.
pub(super) fn successors(records: &[AttemptRecord]) -> Vec<Option<Successor>> {
    let mut next = BTreeMap::new();
    let of = records.iter().rev().map(|record| {
        let relation = if record.continued {
            Successor::Continued
        } else {
            Successor::Restarted
        };
        next.insert((&record.id, record.attempt), relation)
    });
    let mut all: Vec<_> = of.collect();
    all.reverse();
    all
}

fn parse(line: &[u8]) -> Result<AttemptRecord, LineError> {
    /// The version is parsed first, because a later version may change all other fields.
    #[derive(Deserialize)]
    struct Versioned {
        v: u32,
    }
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let Versioned { v: found } =
        serde_json::from_slice(line).map_err(|error| malformed("an attempt record", &error))?;
    if found > RECORD_VERSION {
        let known = RECORD_VERSION;
        return Err(LineError::Version { found, known });
    }
    let mut record: AttemptRecord =
        serde_json::from_slice(line).map_err(|error| malformed("an attempt record", &error))?;
    // Requests that cost nothing used no tokens, as in an attempt without a response.
    if record.usage.is_none() && record.cost_usd == Some(0.0) {
        record.usage = Some(Usage::default());
    }
    Ok(record)
}

/// Converts the parser's error and drops its line number, which is always 1 because the parser saw
/// a single line.
pub(super) fn malformed(what: &'static str, error: &serde_json::Error) -> LineError {
    let column = error.column();
    let text = error.to_string();
    let place = format!(" at line {} column {column}", error.line());
    let problem = text.strip_suffix(&place).unwrap_or(&text).to_owned();
    LineError::Malformed {
        what,
        problem,
        column,
    }
}

/// `samples.jsonl`, open for appending during the run.
#[derive(Debug)]
pub(super) struct SampleLog {
    path: PathBuf,
    file: File,
    /// Length of the complete lines in bytes.
    length: u64,
    /// Whether the file ends in a truncated line that could not be removed. Appending another line
    /// would then corrupt the file.
    broken: bool,
    /// Whether records were appended that may not be on disk yet.
    unsynced: bool,
}

impl SampleLog {
    /// Creates a new file.
    pub(super) fn create(path: PathBuf) -> Result<Self, RunDirError> {
        let file = OpenOptions::new().append(true).create_new(true).open(&path);
        match file {
            Ok(file) => Ok(Self::new(path, file, 0)),
            Err(reason) => Err(RunDirError::Write { path, reason }),
        }
    }

    /// Opens the file of a resumed run and removes a truncated last line. Creates the file if it is
    /// missing.
    pub(super) fn reopen(
        path: &Path,
        truncated_record: Option<&TruncatedRecord>,
    ) -> Result<Self, RunDirError> {
        Self::try_reopen(path, truncated_record)
            .map_err(|reason| RunDirError::cannot_write(path, reason))
    }

    fn try_reopen(path: &Path, truncated_record: Option<&TruncatedRecord>) -> io::Result<Self> {
        let mut options = OpenOptions::new();
        options.append(true).read(true).create(true);
        let mut file = without_links(&mut options).open(path)?;
        if let Some(truncated_record) = truncated_record {
            file.set_len(truncated_record.offset)?;
        }
        let mut length = file.metadata()?.len();
        if length > 0 {
            let mut last = [0];
            file.seek(SeekFrom::Start(length - 1))?;
            file.read_exact(&mut last)?;
            // Only the newline of the last record is missing, so add it before the next record.
            if last != *b"\n" {
                file.write_all(b"\n")?;
                length += 1;
            }
        }
        file.sync_all()?;
        Ok(Self::new(path.to_owned(), file, length))
    }

    fn new(path: PathBuf, file: File, length: u64) -> Self {
        Self {
            path,
            file,
            length,
            broken: false,
            unsynced: false,
        }
    }

    /// Appends a record. It is guaranteed to be on disk after [`sync`](Self::sync).
    pub(super) fn append(&mut self, record: &AttemptRecord) -> Result<(), RunDirError> {
        self.try_append(record)
            .map_err(|reason| RunDirError::cannot_write(&self.path, reason))
    }

    fn try_append(&mut self, record: &AttemptRecord) -> io::Result<()> {
        if self.broken {
            return Err(io::Error::other("its last line is truncated"));
        }
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let written = self.file.write_all(&line);
        if written.is_err() {
            self.broken = self.file.set_len(self.length).is_err();
            return written;
        }
        self.length += line.len() as u64;
        self.unsynced = true;
        Ok(())
    }

    /// Syncs all appended records to disk.
    pub(super) fn sync(&mut self) -> Result<(), RunDirError> {
        if !mem::take(&mut self.unsynced) {
            return Ok(());
        }
        self.file
            .sync_data()
            .map_err(|reason| RunDirError::cannot_write(&self.path, reason))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn refuses_to_append_after_truncated_line() {
        // This device is always full and cannot be truncated, so a partially written line cannot be
        // removed.
        let path = PathBuf::from("/dev/full");
        let file = OpenOptions::new().append(true).open(&path).unwrap();
        let mut log = SampleLog::new(path, file, 0);
        let line = include_str!("../../tests/record.json");
        let record = serde_json::from_str(line).unwrap();
        let errors = [0; 2].map(|_| log.append(&record).unwrap_err().to_string());
        assert_eq!(
            errors,
            [
                "cannot write /dev/full: No space left on device (os error 28)",
                "cannot write /dev/full: its last line is truncated",
            ]
        );
    }
}
