//! Sources of the question and its context.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::SettingsError;
use crate::process::terminal;

/// Maximum size of a text in bytes. The engine needs up to twice this memory to store the text, and
/// the same again to modify it.
const MAX_BYTES: u64 = 500_000_000;

/// Source of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuerySource {
    /// Text given with `--query`.
    Text(String),
    /// Path of a file.
    File(PathBuf),
    /// Standard input.
    Stdin,
}

impl QuerySource {
    /// Reads the question without surrounding whitespace.
    ///
    /// # Errors
    /// [`SettingsError`] for a source that cannot be read, is not UTF-8, or is blank.
    pub fn read(&self) -> Result<String, SettingsError> {
        let (name, text) = match self {
            Self::Text(text) => ("--query", text.clone()),
            Self::File(path) => ("--query-file", read_file(path)?),
            Self::Stdin => ("stdin", read_text(Path::new("stdin"), io::stdin().lock())?),
        };
        let text = text.trim();
        if text.is_empty() {
            let problem = format!("{name}: the question is blank");
            return Err(SettingsError::new(problem));
        }
        Ok(text.to_owned())
    }
}

/// Source of a context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContextSource {
    /// Empty context.
    Empty,
    /// A file, read unchanged.
    File(PathBuf),
    /// The text files of a folder.
    Folder(PathBuf),
}

impl ContextSource {
    /// Reads the context. A folder's context consists of the files in it at any depth, sorted by
    /// path, each after a line `==> PATH <==` with its relative path. Hidden files and folders,
    /// links to folders, and files that are not UTF-8 are skipped.
    ///
    /// # Errors
    /// [`SettingsError`] for a file or folder that cannot be read or is too long, and for a
    /// [`ContextSource::File`] that is not UTF-8.
    pub fn read(&self) -> Result<Arc<String>, SettingsError> {
        Ok(match self {
            Self::Empty => Arc::default(),
            Self::File(path) => read_file(path)?.into(),
            Self::Folder(path) => read_folder(path, |_| true)?.into(),
        })
    }
}

/// Reads the text files of a folder like [`ContextSource::read`], but only those for which
/// `is_allowed` returns true.
///
/// # Errors
/// As for [`ContextSource::read`].
pub fn read_folder(
    folder: &Path,
    is_allowed: impl Fn(&Path) -> bool,
) -> Result<String, SettingsError> {
    let mut paths = Vec::new();
    collect_files(folder, &mut paths)?;
    paths.retain(|path| is_allowed(path));
    paths.sort();
    let mut text = String::new();
    let mut left_out = Vec::new();
    for path in paths {
        let name = path.strip_prefix(folder).unwrap_or(&path);
        let Some(content) = read_if_text(&path)? else {
            left_out.push(name.display().to_string());
            continue;
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text += "==> ";
        text += &name.to_string_lossy();
        text += " <==\n";
        text += &content;
        if !text.ends_with('\n') {
            text.push('\n');
        }
        if text.len() as u64 > MAX_BYTES {
            return Err(too_long(folder));
        }
    }
    if let Some(note) = binary_note(folder, &left_out) {
        terminal::note(&note);
    }
    Ok(text)
}

/// Returns a note about a folder's skipped files, which names at most three; `None` if there are
/// none.
fn binary_note(folder: &Path, files: &[String]) -> Option<String> {
    const NAMED: usize = 3;
    let more = match files.len() {
        0 => return None,
        count if count > NAMED => format!(" and {} more", count - NAMED),
        _ => String::new(),
    };
    let named = files[..files.len().min(NAMED)].join(", ");
    let folder = folder.display();
    Some(format!(
        "{folder}: skipped files that are not UTF-8 text: {named}{more}"
    ))
}

/// Returns the text of a file in a folder, or `None` if it is not UTF-8 text.
fn read_if_text(path: &Path) -> Result<Option<String>, SettingsError> {
    let unreadable = |error| SettingsError::unreadable(path, error);
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(unreadable)?;
    if detect_binary_format(&bytes).is_some() {
        return Ok(None);
    }
    let is_cut = bytes.len() as u64 > MAX_BYTES;
    match String::from_utf8(bytes) {
        Ok(_) if is_cut => Err(too_long(path)),
        Ok(text) => Ok(Some(text)),
        // The limit may split a character.
        Err(error) if is_cut && error.utf8_error().error_len().is_none() => Err(too_long(path)),
        Err(_) => Ok(None),
    }
}

fn collect_files(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), SettingsError> {
    let unreadable = |error| SettingsError::unreadable(folder, error);
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let kind = entry.file_type().map_err(unreadable)?;
        if hidden {
            continue;
        }
        if kind.is_dir() {
            collect_files(&entry.path(), paths)?;
        } else if entry.path().is_file() {
            paths.push(entry.path());
        }
    }
    Ok(())
}

/// Reads a text file.
///
/// # Errors
/// [`SettingsError`] for a file that cannot be read, is not UTF-8, or is too long.
pub fn read_file(path: &Path) -> Result<String, SettingsError> {
    let file = File::open(path).map_err(|error| SettingsError::unreadable(path, error))?;
    read_text(path, file)
}

fn read_text(path: &Path, source: impl io::Read) -> Result<String, SettingsError> {
    let mut bytes = Vec::new();
    let read = source.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| SettingsError::unreadable(path, error))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_long(path));
    }
    if let Some(kind) = detect_binary_format(&bytes) {
        let problem = format!(
            "{}: it is {kind}, not text; convert it to text first, or omit it",
            path.display()
        );
        return Err(SettingsError::new(problem));
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        SettingsError::new(format!(
            "{}: not UTF-8 text: invalid byte at offset {at}",
            path.display()
        ))
    })
}

/// Detects, by a file's first bytes, a binary format that users may mistake for text.
fn detect_binary_format(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"%PDF-") {
        Some("a PDF")
    } else if bytes.starts_with(b"PK\x03\x04") {
        Some("an archive or an Office document")
    } else {
        None
    }
}

fn too_long(path: &Path) -> SettingsError {
    SettingsError::new(format!("{}: longer than {MAX_BYTES} bytes", path.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::{ContextSource, QuerySource};

    /// Returns the context made of these files, or the error; `DIR` stands for their folder.
    fn read(files: &[(&str, &[u8])], source: fn(PathBuf) -> ContextSource) -> String {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        match source(folder.path().to_owned()).read() {
            Ok(text) => text.to_string(),
            Err(error) => error
                .to_string()
                .replace(&*folder.path().to_string_lossy(), "DIR"),
        }
    }

    #[test]
    fn reads_files_as_context() {
        let files: [(&str, &[u8]); 5] = [
            ("b.txt", b"second"),
            ("a.txt", "first ü\n".as_bytes()),
            ("c/d.md", b""),
            (".hidden", b"\xff"),
            (".git/config", b"no"),
        ];
        assert_eq!(
            read(&files, ContextSource::Folder),
            "==> a.txt <==\nfirst ü\n\n==> b.txt <==\nsecond\n\n==> c/d.md <==\n"
        );
        assert_eq!(read(&[], ContextSource::Folder), "");
        assert_eq!(
            read(&files, |folder| ContextSource::File(folder.join("b.txt"))),
            "second"
        );
        assert_eq!(read(&files, |_| ContextSource::Empty), "");
        assert_eq!(
            read(
                &[
                    ("p.png", b"\x89PNG"),
                    ("q.pdf", b"%PDF-1.7\n"),
                    ("z", b"text")
                ],
                ContextSource::Folder
            ),
            "==> z <==\ntext\n"
        );
        let file = |folder: PathBuf| ContextSource::File(folder.join("x"));
        assert_eq!(
            read(&[("x", b"ok \xff")], file),
            "DIR/x: not UTF-8 text: invalid byte at offset 3"
        );
        assert_eq!(
            read(&[("x", b"%PDF-1.7\n\xe2")], file),
            "DIR/x: it is a PDF, not text; convert it to text first, or omit it"
        );
        assert_eq!(
            read(&[], |folder| ContextSource::File(folder.join("x"))),
            "cannot read DIR/x: No such file or directory (os error 2)"
        );
    }

    #[test]
    fn rejects_blank_question() {
        let read = |text: &str| {
            QuerySource::Text(text.to_owned())
                .read()
                .map_err(|e| e.to_string())
        };
        assert_eq!(read("\n why? \n"), Ok("why?".to_owned()));
        assert_eq!(
            read(" \n"),
            Err("--query: the question is blank".to_owned())
        );
    }
}
