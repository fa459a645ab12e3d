//! Compressed journals of attempts that have a record.
//!
//! A journal repeats the responses of its attempt's trajectory. It is therefore compressed with the
//! trajectory as a prefix, which leaves about 4 % of the trajectory's size, and can be read only
//! together with the unchanged trajectory: `zstd -d --patch-from=TRAJECTORY JOURNAL.zst`.
//!
//! Invariant: either the plain journal or the compressed one is complete. A plain journal takes
//! precedence, because it belongs to an attempt that runs again.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Write};
use std::path::{Path, PathBuf};

use super::super::links::without_links;
use super::super::{atomic, if_exists};

/// Compression level of zstd. Higher levels take more time and save less than 5 %.
const LEVEL: i32 = 3;
/// Maximum size of a trajectory that serves as prefix, in bytes. Beside a larger one, a journal is
/// small, and is compressed without a prefix.
const MAX_PREFIX: u64 = 48 * 1024 * 1024;
/// Smallest and largest binary logarithm of the window, within which text is found again. The
/// largest covers a prefix and a journal of its size; readers allow no larger one by default.
const WINDOW_LOG: std::ops::RangeInclusive<u32> = 17..=27;
/// Maximum size of a journal in bytes, so that a file made by someone else cannot fill the memory.
const MAX_JOURNAL: u64 = 1024 * 1024 * 1024;

/// Extension of a compressed journal, after that of the plain one.
const EXTENSION: &str = "zst";

/// Returns the path of the compressed copy of a journal.
pub(super) fn path(journal: &Path) -> PathBuf {
    journal.with_added_extension(EXTENSION)
}

/// Replaces journals by compressed copies, which are on disk when this returns. `attempts` contains
/// the path of each journal and of its trajectory. A journal that cannot be compressed stays as it
/// is.
pub(super) fn compress(attempts: &[(PathBuf, PathBuf)]) {
    let mut copies = Vec::new();
    for (journal, trajectory) in attempts {
        if let Ok(Some(copy)) = write_copy(journal, trajectory) {
            copies.push((journal, trajectory, copy));
        }
    }
    // All copies are written before the first one is synced, so that they share the disk's writes.
    copies.retain(|(journal, trajectory, copy)| {
        let synced = sync(trajectory)
            .and_then(|()| sync(copy))
            .and_then(|()| fs::rename(copy, path(journal)));
        if synced.is_err() {
            let _ = fs::remove_file(copy);
        }
        synced.is_ok()
    });
    let Some((journal, trajectory, _)) = copies.first() else {
        return;
    };
    let folders = [journal, trajectory].map(|path| path.parent().unwrap_or(Path::new("")));
    if folders
        .into_iter()
        .try_for_each(atomic::sync_folder)
        .is_ok()
    {
        for (journal, ..) in copies {
            // If it remains, it takes precedence.
            let _ = fs::remove_file(journal);
        }
    }
}

/// Writes a compressed copy of a journal to a temporary file and returns its path. Returns `None`
/// if there is no journal, or if its copy could not be read again.
fn write_copy(journal: &Path, trajectory: &Path) -> io::Result<Option<PathBuf>> {
    let lines = match if_exists(fs::metadata(journal))? {
        Some(meta) if meta.len() <= MAX_JOURNAL => fs::read(journal)?,
        _ => return Ok(None),
    };
    if std::str::from_utf8(&lines).is_err() {
        return Ok(None);
    }
    let prefix = prefix(trajectory)?;
    let size = (prefix.len() + lines.len()).max(1);
    let window = (size.ilog2() + 1).clamp(*WINDOW_LOG.start(), *WINDOW_LOG.end());
    let mut encoder = zstd::stream::write::Encoder::with_ref_prefix(Vec::new(), LEVEL, &prefix)?;
    encoder.window_log(window)?;
    encoder.long_distance_matching(true)?;
    encoder.include_checksum(true)?;
    encoder.write_all(&lines)?;
    let compressed = encoder.finish()?;
    let copy = path(journal).with_added_extension("tmp");
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    without_links(&mut options)
        .open(&copy)?
        .write_all(&compressed)?;
    Ok(Some(copy))
}

/// Syncs a file to disk, if it exists.
fn sync(path: &Path) -> io::Result<()> {
    if_exists(File::open(path))?.map_or(Ok(()), |file| file.sync_all())
}

/// Reads the compressed copy of a journal.
///
/// # Errors
/// Returns the error of the operating system, or an error if the copy is damaged or the trajectory
/// was changed.
pub(super) fn read(journal: &Path, trajectory: &Path) -> io::Result<String> {
    let packed = path(journal);
    let file = File::open(&packed)?;
    let prefix = prefix(trajectory)?;
    let mut decoder = zstd::stream::read::Decoder::with_ref_prefix(BufReader::new(file), &prefix)?;
    decoder.window_log_max(*WINDOW_LOG.end())?;
    let mut text = String::new();
    let read = decoder.take(MAX_JOURNAL + 1).read_to_string(&mut text);
    let name = |path: &Path| path.file_name().unwrap_or_default().display().to_string();
    let problem = match read {
        Ok(_) if text.len() as u64 <= MAX_JOURNAL => return Ok(text),
        Ok(_) => format!("{} is larger than 1 GiB", name(&packed)),
        Err(_) => format!(
            "{} is damaged, or trajectories/{} was changed",
            name(&packed),
            name(trajectory)
        ),
    };
    Err(io::Error::new(io::ErrorKind::InvalidData, problem))
}

/// Replaces a compressed journal by the plain one, so that the attempt can continue.
///
/// # Errors
/// Returns the error of the operating system, or an error like [`read`].
pub(super) fn restore(journal: &Path, trajectory: &Path) -> io::Result<()> {
    let text = read(journal, trajectory)?;
    atomic::replace(journal, text.as_bytes())?;
    fs::remove_file(path(journal))
}

/// Returns the path of the plain journal that was compressed to the file at `path`, or `None` if
/// that is not a compressed journal.
pub(super) fn plain(path: &Path) -> Option<PathBuf> {
    (path.extension()? == EXTENSION).then(|| path.with_extension(""))
}

/// Whether a killed process left the file when it wrote a journal.
pub(super) fn is_temporary(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "tmp")
}

/// Returns the content of a trajectory, or nothing if it is missing or too large.
fn prefix(trajectory: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if let Some(file) = if_exists(File::open(trajectory))?
        && file.metadata()?.len() <= MAX_PREFIX
    {
        file.take(MAX_PREFIX).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    /// Returns a text of random words, which is hard to compress without a prefix.
    fn words(seed: u64, count: usize) -> String {
        let mut state = seed;
        let word = |_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            format!("{:x} ", state >> 33)
        };
        (0..count).map(word).collect()
    }

    #[test]
    fn compresses_what_the_trajectory_repeats() {
        let folder = TempDir::new().unwrap();
        let (journal, trajectory) = (folder.path().join("q.jsonl"), folder.path().join("t.jsonl"));
        // A larger trajectory needs a larger window.
        for count in [1_000, 100_000, 300_000] {
            let (first, second) = (words(1, count), words(2, count));
            let lines = format!("{{\"text\":\"{first}\"}}\n{{\"text\":\"{second}\"}}\n");
            fs::write(&trajectory, format!("{second}\n{first}\n")).unwrap();
            fs::write(&journal, &lines).unwrap();
            compress(&[(journal.clone(), trajectory.clone())]);
            assert!(!journal.exists());
            let size = fs::metadata(path(&journal)).unwrap().len();
            assert!(size < lines.len() as u64 / 50, "{count}: {size}");
            assert_eq!(read(&journal, &trajectory).unwrap(), lines, "{count}");
        }
        restore(&journal, &trajectory).unwrap();
        assert!(journal.exists() && !path(&journal).exists());
    }

    #[test]
    fn keeps_journal_without_trajectory() {
        let folder = TempDir::new().unwrap();
        let (journal, missing) = (folder.path().join("q.jsonl"), folder.path().join("none"));
        let both = [(journal.clone(), missing.clone())];
        compress(&both);
        assert!(!path(&journal).exists());
        // What could not be read again stays as it is.
        fs::write(&journal, b"\xff\n").unwrap();
        compress(&both);
        assert!(journal.exists() && !path(&journal).exists());
        fs::write(&journal, "{}\n").unwrap();
        compress(&both);
        assert_eq!(read(&journal, &missing).unwrap(), "{}\n");
    }

    #[test]
    fn names_changed_files() {
        let folder = TempDir::new().unwrap();
        let (journal, trajectory) = (folder.path().join("q.jsonl"), folder.path().join("t.jsonl"));
        let text = words(3, 100);
        fs::write(&trajectory, &text).unwrap();
        fs::write(&journal, &text).unwrap();
        compress(&[(journal.clone(), trajectory.clone())]);
        fs::write(&trajectory, words(4, 100)).unwrap();
        let error = read(&journal, &trajectory).unwrap_err().to_string();
        assert_eq!(
            error,
            "q.jsonl.zst is damaged, or trajectories/t.jsonl was changed"
        );
        // A truncated copy.
        fs::write(&trajectory, &text).unwrap();
        let bytes = fs::read(path(&journal)).unwrap();
        fs::write(path(&journal), &bytes[..bytes.len() / 2]).unwrap();
        assert!(read(&journal, &trajectory).is_err());
    }
}
