//! Reads untrusted files. Rejects devices, pipes and files that are too large.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Maximum bytes of a prompt, hook, tool, driver, scorer or other text file.
const MAX_TEXT_BYTES: u64 = 16 << 20;

/// Maximum bytes of a recording, which is a cassette or a trajectory file.
pub const MAX_RECORDING_BYTES: u64 = 4 << 30;

/// Reads a text file.
///
/// # Errors
/// Returns the errors of [`fs::read_to_string`], and an error if the file is not regular or larger
/// than 16 MB.
pub fn read_text_file(path: &Path) -> io::Result<String> {
    read_text(path, MAX_TEXT_BYTES)
}

/// Reads a text file of at most `most` bytes.
///
/// # Errors
/// Returns the errors of [`read_text_file`], with `most` as the limit.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let bytes = read_file(path, most)?;
    // Same message as the standard library's.
    String::from_utf8(bytes).map_err(|_| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            "stream did not contain valid UTF-8",
        )
    })
}

/// Returns the paths of the entries of a folder, sorted.
///
/// # Errors
/// Returns the errors of [`fs::read_dir`] and of its entries.
pub(crate) fn sorted_paths(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    Ok(paths)
}

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
/// Returns the errors of [`fs::read`], and an error if the file is not regular or larger than
/// `most` bytes.
pub fn read_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Checked before opening, because opening a named pipe would block.
    check(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    check(&metadata)?;
    let too_large = || {
        let megabytes = most >> 20;
        io::Error::other(format!("larger than the maximum of {megabytes} MB"))
    };
    if metadata.is_file() && metadata.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(too_large());
    }
    Ok(bytes)
}

/// Rejects everything except regular files and folders. Folders pass, because reading them fails
/// with a more specific error.
fn check(metadata: &fs::Metadata) -> io::Result<()> {
    if metadata.is_file() || metadata.is_dir() {
        return Ok(());
    }
    Err(io::Error::other("not a regular file"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_regular_files_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "123").unwrap();
        assert_eq!(read_file(&path, 3).unwrap(), b"123");
        assert_eq!(read_text_file(&path).unwrap(), "123");
        let rows = [
            (read_file(&path, 2), "larger than the maximum of 0 MB"),
            (read_file(Path::new("/dev/zero"), 2), "not a regular file"),
            (read_file(folder.path(), 2), "Is a directory (os error 21)"),
            (
                read_file(&folder.path().join("none"), 2),
                "No such file or directory (os error 2)",
            ),
        ];
        for (read, expected) in rows {
            assert_eq!(read.unwrap_err().to_string(), expected);
        }
        fs::write(&path, b"\xff").unwrap();
        let expected = fs::read_to_string(&path).unwrap_err();
        let error = read_text_file(&path).unwrap_err();
        assert_eq!(error.to_string(), expected.to_string());
        assert_eq!(error.kind(), expected.kind());
    }
}
