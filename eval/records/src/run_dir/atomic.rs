//! Atomic file writes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::RunDirError;
use super::links::without_links;

/// Writes a file atomically: readers, also after a crash, find either the new content or the old.
///
/// The bytes go to a temporary file next to it, are synced, and take its name by a rename, which is
/// atomic under POSIX.
///
/// # Errors
/// Returns [`RunDirError::Write`] if the file cannot be written. The old content stays.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), RunDirError> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".tmp");
    let beside = Path::new(&beside);
    let written = write_synced(beside, bytes)
        .and_then(|()| fs::rename(beside, path))
        .and_then(|()| path.parent().map_or(Ok(()), sync_folder));
    written.map_err(|reason| {
        // The first failure is the one to report; the leftover may not even exist.
        let _ = fs::remove_file(beside);
        RunDirError::Write {
            path: path.to_owned(),
            reason,
        }
    })
}

/// Writes a value as indented JSON with a final newline, atomically like [`write`].
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), RunDirError> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(|reason| RunDirError::Write {
        path: path.to_owned(),
        reason: reason.into(),
    })?;
    bytes.push(b'\n');
    write(path, &bytes)
}

/// Writes values as JSON Lines, atomically like [`write`].
pub(super) fn write_lines(path: &Path, values: &[impl Serialize]) -> io::Result<()> {
    let mut bytes = Vec::new();
    for value in values {
        serde_json::to_writer(&mut bytes, value)?;
        bytes.push(b'\n');
    }
    write(path, &bytes).map_err(|error| match error {
        RunDirError::Write { reason, .. } => reason,
        other => io::Error::other(other),
    })
}

/// Syncs a folder, because syncing a new file does not sync the entry that names it.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        // A bare file name has an empty parent, which means the current folder.
        let here = folder.as_os_str().is_empty();
        File::open(if here { Path::new(".") } else { folder })?.sync_all()?;
    }
    Ok(())
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Replaces a leftover of an earlier start, but never follows a link.
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let mut file = without_links(&mut options).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
