//! Reads the text files that rows name as their contexts.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::contained::contained;
use crate::fields::Fault;

/// Maximum size of a context in bytes.
const MAX_BYTES: u64 = 500_000_000;

/// A context file named by a row. Its path is relative to the folder of the row's file.
pub struct ContextFile {
    /// Name of the field with the path.
    pub field: String,
    /// Path as given.
    pub name: String,
}

impl ContextFile {
    /// Reads the file. `folder` is the folder of the row's file.
    ///
    /// # Errors
    /// Returns [`Fault`] if the file is outside the folder or missing, is not UTF-8 text, or is too
    /// long.
    pub fn read(&self, folder: &Path) -> Result<String, Fault> {
        let path = self.path(folder)?;
        let fault = |why: String| {
            let problem = format!("names {}, which cannot be read: {why}", path.display());
            Fault::new(&self.field, problem)
        };
        // Opening a named pipe would wait for a writer.
        let found = fs::metadata(&path).map_err(|error| fault(error.to_string()))?;
        if !found.is_file() {
            return Err(fault("it is not a file".to_owned()));
        }
        let file = File::open(&path).map_err(|error| fault(error.to_string()))?;
        let mut bytes = Vec::new();
        let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes);
        read.map_err(|error| fault(error.to_string()))?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(fault(format!("it has more than {MAX_BYTES} bytes")));
        }
        String::from_utf8(bytes).map_err(|_| fault("it is not UTF-8 text".to_owned()))
    }

    fn path(&self, folder: &Path) -> Result<PathBuf, Fault> {
        contained(folder, Path::new(&self.name))
            .map_err(|problem| Fault::new(&self.field, format!("is {:?}: {problem}", self.name)))
    }
}

/// Hashes of context files. A file that several rows name is read only once.
#[derive(Default)]
pub struct ContextDigests(HashMap<PathBuf, [u8; 32]>);

impl ContextDigests {
    /// Returns the SHA-256 hash of a file's text.
    ///
    /// # Errors
    /// Returns the errors of [`ContextFile::read`].
    pub fn of(&mut self, file: &ContextFile, folder: &Path) -> Result<[u8; 32], Fault> {
        let path = file.path(folder)?;
        let path = fs::canonicalize(&path).unwrap_or(path);
        if let Some(known) = self.0.get(&path) {
            return Ok(*known);
        }
        let found = hash(&file.read(folder)?);
        self.0.insert(path, found);
        Ok(found)
    }
}

pub fn hash(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}
