//! Hashes the files of user-supplied environments; the hashes are part of the dataset's digest.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::{fs, io};

use sha2::{Digest, Sha256};

use super::MOST_BYTES;
use crate::contained::contained;
use crate::{SiteSource, UserEnvironment};

/// Maximum number of files in a site's folder.
const MOST_FILES: usize = 5_000;

/// Hashes of site folders by path, so that a folder shared by many rows is hashed only once.
#[derive(Default)]
pub(crate) struct EnvironmentDigests(HashMap<PathBuf, [u8; 32]>);

impl EnvironmentDigests {
    /// Returns the hash of an environment's files; the row itself is hashed elsewhere.
    pub(crate) fn of(&mut self, world: &UserEnvironment) -> Result<[u8; 32], String> {
        match world {
            UserEnvironment::Apps(apps) => {
                let mut all = Sha256::new();
                for (_, text) in &apps.documents {
                    all.update(Sha256::digest(text));
                }
                Ok(all.finalize().into())
            }
            UserEnvironment::Site(site) => match &site.source {
                SiteSource::Address(_) => Ok([0; 32]),
                SiteSource::Folder(folder) => {
                    if let Some(known) = self.0.get(folder) {
                        return Ok(*known);
                    }
                    let found = of_files(folder, &files_of(folder)?)?;
                    self.0.insert(folder.clone(), found);
                    Ok(found)
                }
                // Hash the files that the command names, relative to the folder of the rows.
                SiteSource::Command(command) => {
                    let words = command
                        .words
                        .iter()
                        .flat_map(|word| word.split_whitespace());
                    let files: BTreeMap<String, PathBuf> = words
                        .filter_map(|word| {
                            let path = contained(&command.folder, Path::new(word)).ok()?;
                            path.is_file().then(|| (word.to_owned(), path))
                        })
                        .collect();
                    of_files(&command.folder, &files)
                }
            },
        }
    }
}

fn of_files(folder: &Path, files: &BTreeMap<String, PathBuf>) -> Result<[u8; 32], String> {
    let mut all = Sha256::new();
    let mut bytes = 0;
    for (name, path) in files {
        let content = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        bytes += content.len() as u64;
        if bytes > MOST_BYTES {
            return Err(format!(
                "the files of {} have more than {MOST_BYTES} bytes",
                folder.display()
            ));
        }
        all.update(format!("{name}\0"));
        all.update(Sha256::digest(content));
    }
    Ok(all.finalize().into())
}

/// Returns all files in a folder and its subfolders, by path relative to the folder.
fn files_of(folder: &Path) -> Result<BTreeMap<String, PathBuf>, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        let failed = |error: io::Error| format!("{}: {error}", next.display());
        for entry in fs::read_dir(&next).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            let path = entry.path();
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_file() {
                let name = path
                    .strip_prefix(folder)
                    .unwrap_or(&path)
                    .display()
                    .to_string();
                files.insert(name, path);
            }
            if files.len() > MOST_FILES {
                return Err(format!(
                    "{} has more than {MOST_FILES} files",
                    folder.display()
                ));
            }
        }
    }
    Ok(files)
}
