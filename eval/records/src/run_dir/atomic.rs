//! Atomic file writes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::RunDirError;
use super::links::without_links;

/// Writes a file atomically: even after a crash, readers find either the new content or the old.
///
/// The bytes are written to a temporary file in the same folder, synced, and renamed to `path`,
/// which is atomic under POSIX.
///
/// # Errors
/// Returns [`RunDirError::Write`] if the file cannot be written. The old content is then unchanged,
/// unless only the folder could not be synced.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), RunDirError> {
    replace(path, bytes).map_err(|reason| RunDirError::cannot_write(path, reason))
}

/// Writes a file like [`write()`], but returns the error of the operating system.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".tmp");
    let beside = Path::new(&beside);
    let written = write_synced(beside, bytes)
        .and_then(|()| fs::rename(beside, path))
        .and_then(|()| path.parent().map_or(Ok(()), sync_folder));
    written.inspect_err(|_| {
        // Report only the first failure. The temporary file may not exist.
        let _ = fs::remove_file(beside);
    })
}

/// Writes a file that the user named. Unlike [`write()`], this function writes to devices, pipes
/// and sockets instead of replacing them, and replaces the target of a link instead of the link.
///
/// # Errors
/// Returns [`RunDirError::Write`] if the file cannot be written.
pub fn write_output(path: &Path, bytes: &[u8]) -> Result<(), RunDirError> {
    let cannot = |reason| RunDirError::cannot_write(path, reason);
    // These paths may refer to a regular file that the shell has opened.
    let is_descriptor = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"]
        .iter()
        .any(|descriptors| path.starts_with(descriptors));
    let is_special = fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
    if is_descriptor || is_special {
        let mut options = OpenOptions::new();
        let opened = options.append(true).open(path);
        return opened
            .and_then(|mut file| file.write_all(bytes))
            .map_err(cannot);
    }
    if !path.is_symlink() {
        return write(path, bytes);
    }
    match fs::canonicalize(path) {
        Ok(target) => write(&target, bytes),
        // The target does not exist yet, so create it through the link.
        Err(_) => fs::write(path, bytes).map_err(cannot),
    }
}

/// Writes a value as indented JSON with a final newline, atomically like [`write`].
pub(super) fn write_json(path: &Path, value: &impl Serialize) -> Result<(), RunDirError> {
    let mut bytes = serde_json::to_vec_pretty(value)
        .map_err(|reason| RunDirError::cannot_write(path, reason.into()))?;
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
    replace(path, &bytes)
}

/// Syncs a folder, because syncing a new file does not sync its directory entry.
pub(super) fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        // A bare file name has an empty parent, which means the current folder.
        let here = folder.as_os_str().is_empty();
        File::open(if here { Path::new(".") } else { folder })?.sync_all()?;
    }
    Ok(())
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // Overwrite the leftover file of a killed process, but never follow a link.
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    let mut file = without_links(&mut options).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::write_output;

    #[test]
    fn writes_outputs_through_links_and_devices() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("target"), "old").unwrap();
        symlink("target", at("link")).unwrap();
        symlink("later", at("dangling")).unwrap();
        symlink("/dev/null", at("device")).unwrap();
        for (path, holds) in [
            ("plain", "plain"),
            ("link", "target"),
            ("dangling", "later"),
            ("device", "device"),
        ] {
            let is_link = at(path).is_symlink();
            write_output(&at(path), b"new").unwrap();
            assert_eq!(at(path).is_symlink(), is_link, "{path}");
            let content = if path == "device" { "" } else { "new" };
            assert_eq!(fs::read_to_string(at(holds)).unwrap(), content, "{path}");
        }
        // Only some systems have this folder.
        if let Ok(shared) = tempfile::tempdir_in("/dev/shm") {
            let path = shared.path().join("file");
            for content in ["first", "new"] {
                write_output(&path, content.as_bytes()).unwrap();
                assert_eq!(fs::read_to_string(&path).unwrap(), content);
            }
        }
    }
}
