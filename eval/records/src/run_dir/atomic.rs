//! Files that are there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::RunDirError;
use super::links::without_links;

/// Writes a file so that a reader, or whoever comes after a crash, finds either all of it or what was there before.
///
/// The bytes go to a file beside it, reach the disk, and take the name by a rename, which POSIX makes atomic.
///
/// # Errors
/// [`RunDirError::Write`]; what was there before is there still.
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

/// Writes a value as indented JSON with a final newline, as [`write`] does.
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), RunDirError> {
    let mut bytes = serde_json::to_vec_pretty(value).map_err(|reason| RunDirError::Write {
        path: path.to_owned(),
        reason: reason.into(),
    })?;
    bytes.push(b'\n');
    write(path, &bytes)
}

/// Writes values as lines of JSON, likewise.
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

/// Brings new names in a folder to the disk: syncing a file does not sync the entry that names it.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        // The folder of a plain file name is the current one.
        let here = folder.as_os_str().is_empty();
        File::open(if here { Path::new(".") } else { folder })?.sync_all()?;
    }
    Ok(())
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A leftover of an earlier start is replaced; a link is not followed.
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let mut file = without_links(&mut options).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
