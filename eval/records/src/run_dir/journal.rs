//! `journal/`: the responses that attempts received from models. With them, attempts can resume
//! where a killed process stopped, and be forked. The engine defines the lines; this module parses
//! only their costs. The journal of an attempt with a record is compressed.

mod archive;
mod compressor;
mod paid_responses;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

pub(super) use compressor::Compressor;
pub(super) use paid_responses::{PaidResponse, as_events, spent};

use super::links::without_links;
use super::{ABANDONED, JOURNAL, RunDirError, TRAJECTORIES, atomic, if_exists, name};
use paid_responses::paid_lines;

/// Journals of a run's attempts: one file for each attempt, open from its first line to the
/// attempt's end.
#[derive(Debug)]
pub struct Journal {
    run: PathBuf,
    open: Mutex<HashMap<(String, u32), Open>>,
}

/// Open file of a journal.
#[derive(Debug)]
struct Open {
    file: File,
    /// Whether the file has lines that were not synced to disk.
    is_dirty: bool,
}

/// Complete lines of an attempt's journal.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct JournalLines {
    /// The lines, oldest first.
    pub lines: Vec<String>,
    /// Whether a truncated last line was removed from the file.
    pub is_cut: bool,
}

impl Journal {
    /// Returns the journals of the run in a folder.
    pub fn of(run: &Path) -> Self {
        Self {
            run: run.to_owned(),
            open: Mutex::default(),
        }
    }

    /// Returns the path of an attempt's journal.
    pub fn path(&self, sample: &str, attempt: u32) -> PathBuf {
        path(&self.run, sample, attempt)
    }

    /// Whether the attempt has a journal, plain or compressed.
    pub fn exists(&self, sample: &str, attempt: u32) -> bool {
        let path = self.path(sample, attempt);
        path.is_file() || archive::path(&path).is_file()
    }

    /// Closes and reads an attempt's plain journal. A truncated last line is removed from the file.
    /// Returns no lines if there is no file.
    ///
    /// # Errors
    /// Returns the error of the operating system, or an error that names the first line that is not
    /// UTF-8.
    pub fn read(&self, sample: &str, attempt: u32) -> io::Result<JournalLines> {
        self.lock().remove(&(sample.to_owned(), attempt));
        let path = self.path(sample, attempt);
        let opened = without_links(OpenOptions::new().read(true).write(true)).open(&path);
        let Some(mut file) = if_exists(opened)? else {
            return Ok(JournalLines::default());
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let is_cut = cut(&mut bytes);
        if is_cut {
            file.set_len(bytes.len() as u64)?;
        }
        let lines = self.lines(sample, attempt, &bytes)?;
        Ok(JournalLines { lines, is_cut })
    }

    /// Splits the bytes of an attempt's journal into lines.
    fn lines(&self, sample: &str, attempt: u32, bytes: &[u8]) -> io::Result<Vec<String>> {
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        if bytes.is_empty() {
            return Ok(Vec::new());
        }
        let lines = bytes.split(|&byte| byte == b'\n').zip(1..);
        let text = |(line, number): (&[u8], usize)| {
            String::from_utf8(line.to_vec()).map_err(|_| {
                let name = self.name(sample, attempt);
                let what = format!("{name}: line {number}: not valid UTF-8");
                io::Error::new(io::ErrorKind::InvalidData, what)
            })
        };
        lines.map(text).collect()
    }

    /// Returns the path of an attempt's journal relative to the run's folder, for messages.
    pub fn name(&self, sample: &str, attempt: u32) -> String {
        let path = self.path(sample, attempt);
        let path = path.strip_prefix(&self.run).unwrap_or(&path);
        path.display().to_string()
    }

    /// Reads a journal, plain or compressed, and does not change it. Used for runs that this
    /// process has not locked.
    ///
    /// # Errors
    /// Returns the error of the operating system, or an error if a compressed journal is damaged or
    /// its trajectory was changed.
    pub fn look(&self, sample: &str, attempt: u32) -> io::Result<Vec<String>> {
        let path = self.path(sample, attempt);
        let mut bytes = match if_exists(fs::read(&path))? {
            Some(bytes) => bytes,
            None => archive::read(&path, &trajectory(&self.run, sample, attempt))?.into_bytes(),
        };
        cut(&mut bytes);
        self.lines(sample, attempt, &bytes)
    }

    /// Appends complete lines. On return, the operating system has received the lines, and the
    /// directory entry of a new file is on disk.
    ///
    /// # Errors
    /// Returns the error of the operating system. In that case, none of the lines is kept.
    pub fn append(&self, sample: &str, attempt: u32, lines: &str) -> io::Result<()> {
        let mut open = self.lock();
        let key = (sample.to_owned(), attempt);
        let open_file = match open.entry(key) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => {
                let folder = self.run.join(JOURNAL);
                let has_folder = folder.is_dir();
                fs::create_dir_all(&folder)?;
                let path = self.path(sample, attempt);
                let is_new = !path.exists();
                let file =
                    without_links(OpenOptions::new().append(true).create(true)).open(path)?;
                // Sync the directory entries, so that the file can be found after a crash.
                if is_new {
                    atomic::sync_folder(&folder)?;
                }
                if !has_folder {
                    atomic::sync_folder(&self.run)?;
                }
                entry.insert(Open {
                    file,
                    is_dirty: false,
                })
            }
        };
        open_file.is_dirty = true;
        let file = &mut open_file.file;
        let before = file.seek(SeekFrom::End(0))?;
        file.write_all(lines.as_bytes()).inspect_err(|_| {
            // Report only the first failure. If a truncated line remains, reading removes it.
            let _ = file.set_len(before);
        })
    }

    /// Syncs the journal of a finished attempt to disk and closes it.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub fn end(&self, sample: &str, attempt: u32) -> io::Result<()> {
        let file = self.lock().remove(&(sample.to_owned(), attempt));
        file.map_or(Ok(()), |open| open.file.sync_data())
    }

    /// Syncs the open journals to disk. Attempts may append lines meanwhile.
    ///
    /// # Errors
    /// Returns the first error of the operating system.
    pub fn sync(&self) -> io::Result<()> {
        let dirty = self
            .lock()
            .values_mut()
            .try_fold(Vec::new(), |mut all, open| {
                if std::mem::take(&mut open.is_dirty) {
                    all.push(open.file.try_clone()?);
                }
                Ok::<_, io::Error>(all)
            })?;
        dirty.iter().try_for_each(File::sync_data)
    }

    /// Returns the number of open journals with lines that may not be on disk yet.
    pub fn unsynced(&self) -> usize {
        self.lock().values().filter(|open| open.is_dirty).count()
    }

    /// Removes the journal of an attempt that restarts from the beginning, and records the
    /// responses' usage and costs in `abandoned/`.
    ///
    /// If the process is killed in between, [`paid_in`] counts the responses once, and [`reopen`]
    /// removes the journal.
    ///
    /// # Errors
    /// Returns the error of the operating system.
    pub fn give_up(&self, sample: &str, attempt: u32) -> io::Result<()> {
        self.lock().remove(&(sample.to_owned(), attempt));
        let path = self.path(sample, attempt);
        let Some(bytes) = if_exists(fs::read(&path))? else {
            return Ok(());
        };
        let paid = paid_lines(&bytes);
        // The trajectory of an attempt without responses shows what it cost.
        if !paid.is_empty() {
            let events = as_events(&paid, sample, attempt);
            fs::create_dir_all(self.run.join(ABANDONED))?;
            atomic::write_lines(&given_up_path(&self.run, &path, &bytes), &events)?;
        }
        fs::remove_file(path)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(String, u32), Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads the responses of a plain journal in order. Returns an empty list if the journal is missing
/// or was given up, because `abandoned/` then contains them.
pub(super) fn paid_in(run: &Path, path: &Path) -> io::Result<Vec<PaidResponse>> {
    let Some(bytes) = if_exists(fs::read(path))? else {
        return Ok(Vec::new());
    };
    if given_up_path(run, path, &bytes).exists() {
        return Ok(Vec::new());
    }
    Ok(paid_lines(&bytes))
}

/// Returns the path in `abandoned/` of the spending in a journal that is given up. It depends on
/// the journal's bytes, so that it belongs to no other journal of the attempt.
fn given_up_path(run: &Path, journal: &Path, bytes: &[u8]) -> PathBuf {
    let stem = journal.file_stem().unwrap_or_default().to_string_lossy();
    let hash = hex::encode(Sha256::digest(bytes));
    // No other name continues with `j` after its last `~`; see `keep_abandoned`.
    let name = format!("{stem}~j{}.jsonl", &hash[..16]);
    run.join(ABANDONED).join(name)
}

/// Removes a truncated last line, and returns whether there was one.
fn cut(bytes: &mut Vec<u8>) -> bool {
    let whole = bytes.iter().rposition(|&byte| byte == b'\n');
    let whole = whole.map_or(0, |last| last + 1);
    let is_cut = whole < bytes.len();
    bytes.truncate(whole);
    is_cut
}

/// Lines from another machine, from which wasted spending is computed.
#[derive(Debug, Clone, Copy)]
pub enum WastedSource<'a> {
    /// Lines of a trajectory.
    Trajectory(&'a [u8]),
    /// Lines of a journal.
    Journal(&'a [u8]),
}

/// Records wasted spending in `abandoned/`. `number` identifies the source among those of the
/// attempt, so that each source is recorded only once.
///
/// # Errors
/// Returns [`RunDirError::Write`] if the file cannot be written.
pub fn keep_abandoned(
    run: &Path,
    (sample, attempt): (&str, u32),
    number: u64,
    what: WastedSource<'_>,
) -> Result<(), RunDirError> {
    let name = name::trajectory(sample, attempt);
    let stem = name.strip_suffix(".jsonl").unwrap_or(&name);
    let to = run.join(ABANDONED);
    // No other name continues with `q` after its last `~`: only digits, `j` or hex digits of a
    // hash follow.
    let path = to.join(format!("{stem}~q{number}.jsonl"));
    if path.exists() {
        return Ok(());
    }
    let written = fs::create_dir_all(&to).and_then(|()| match what {
        WastedSource::Trajectory(lines) => atomic::replace(&path, lines),
        WastedSource::Journal(lines) => {
            let paid = paid_lines(lines);
            if paid.is_empty() {
                return Ok(());
            }
            atomic::write_lines(&path, &as_events(&paid, sample, attempt))
        }
    });
    written.map_err(|reason| RunDirError::Write { path, reason })
}

/// Compresses the journals of attempts whose records are on disk. A journal that cannot be
/// compressed stays as it is.
fn compress(run: &Path, attempts: &[(String, u32)]) {
    let paths = attempts.iter().map(|(sample, attempt)| {
        (
            path(run, sample, *attempt),
            trajectory(run, sample, *attempt),
        )
    });
    archive::compress(&paths.collect::<Vec<_>>());
}

/// Restores the journals of the attempts of a resumed run that continue: those for whose file names
/// `is_open` is true. Removes the temporary files of a killed process, and journals that it gave
/// up.
///
/// A damaged journal stays compressed, and its attempt starts over. Returns the problems of these
/// journals.
///
/// # Errors
/// Returns the error of the operating system.
pub(super) fn reopen(run: &Path, is_open: impl Fn(&str) -> bool) -> io::Result<Vec<String>> {
    let mut damaged = Vec::new();
    let Some(entries) = if_exists(fs::read_dir(run.join(JOURNAL)))? else {
        return Ok(damaged);
    };
    for entry in entries {
        let path = entry?.path();
        if archive::is_temporary(&path) {
            let _ = fs::remove_file(path);
            continue;
        }
        if path.extension().is_some_and(|end| end == "jsonl")
            && path.is_file()
            && given_up_path(run, &path, &fs::read(&path)?).exists()
        {
            fs::remove_file(path)?;
            continue;
        }
        let Some(journal) = archive::plain(&path) else {
            continue;
        };
        let Some(name) = journal.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if is_open(name) && !journal.exists() {
            match archive::restore(&journal, &run.join(TRAJECTORIES).join(name)) {
                // The trajectory shows what the attempt cost.
                Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                    damaged.push(error.to_string());
                }
                restored => restored?,
            }
        }
    }
    // The order of a folder's entries differs between machines.
    damaged.sort_unstable();
    Ok(damaged)
}

fn trajectory(run: &Path, sample: &str, attempt: u32) -> PathBuf {
    name::trajectory_in(&run.join(TRAJECTORIES), sample, attempt)
}

/// Returns the path of an attempt's journal.
pub(super) fn path(run: &Path, sample: &str, attempt: u32) -> PathBuf {
    run.join(JOURNAL).join(name::trajectory(sample, attempt))
}
