//! The definitions that a run can choose from: the bundled fragments and those of a user's folder.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::io;
use std::path::Path;

use super::fault::{Fault, Faults, Place};
use super::file::{self, Format};
use super::properties::{Definition, Source};
use crate::prompt::{did_you_mean, nearest, section_texts};

/// Definitions by name.
#[derive(Debug, Clone)]
pub struct Library {
    definitions: BTreeMap<String, Definition>,
}

impl Library {
    /// The fragments that are part of the program: the sections of system prompts.
    pub fn bundled() -> Self {
        let definitions = section_texts().map(|(name, text)| {
            let source = Source::Bundled(format!("{name}.md"));
            let fragment = file::read(Format::Markdown, name, &source, text)
                .expect("bundled fragments are tested");
            (name.to_owned(), fragment)
        });
        Self {
            definitions: definitions.collect(),
        }
    }

    /// Adds every `*.md`, `*.yaml`, `*.yml` and `*.json` of a folder, its subfolders left out. A definition there
    /// takes the place of a bundled one of the same name; two of one name in the folder are a fault.
    ///
    /// # Errors
    /// Every fault of every file.
    pub fn with_dir(mut self, folder: &Path) -> Result<Self, Faults> {
        let mut faults = Vec::new();
        let mut read: BTreeMap<String, Definition> = BTreeMap::new();
        for definition in read_dir(folder, &mut faults) {
            if let Some(first) = read.get(&definition.name) {
                faults.push(Fault {
                    place: definition.place("name"),
                    problem: format!("`{}` is also the name of {}", first.name, first.source),
                    includes: Vec::new(),
                });
            } else {
                read.insert(definition.name.clone(), definition);
            }
        }
        if !faults.is_empty() {
            return Err(Faults(faults));
        }
        self.definitions.extend(read);
        Ok(self)
    }

    /// Every definition, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.values()
    }

    /// The definition of this name, if there is one.
    pub fn find(&self, name: &str) -> Option<&Definition> {
        self.definitions.get(name)
    }

    /// The definition of this name.
    ///
    /// # Errors
    /// A sentence with the nearest known name.
    pub fn get(&self, name: &str) -> Result<&Definition, String> {
        self.find(name).ok_or_else(|| {
            let known: Vec<String> = self.definitions.keys().cloned().collect();
            let near = nearest(name, known.iter().map(String::as_str));
            format!(
                "unknown prompt `{name}`{}",
                did_you_mean(near.as_deref(), &known)
            )
        })
    }
}

/// Every definition of a folder, in the order of their files' names; files with faults are left out.
fn read_dir(folder: &Path, faults: &mut Vec<Fault>) -> Vec<Definition> {
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let mut paths: Vec<_> = match entries {
        Ok(entries) => entries.iter().map(DirEntry::path).collect(),
        Err(error) => {
            faults.push(unreadable(folder, &error));
            return Vec::new();
        }
    };
    paths.sort();
    let mut definitions = Vec::new();
    for path in paths {
        let Some(format) = Format::of(&path).filter(|_| !path.is_dir()) else {
            continue;
        };
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) => {
                faults.push(unreadable(&path, &error));
                continue;
            }
        };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        match file::read(format, &stem, &Source::File(path.clone()), &text) {
            Ok(definition) => definitions.push(definition),
            Err(Faults(own)) => faults.extend(own),
        }
    }
    definitions
}

fn unreadable(path: &Path, error: &io::Error) -> Fault {
    Fault {
        place: Place {
            file: path.display().to_string(),
            ..Place::default()
        },
        problem: format!("cannot be read: {error}"),
        includes: Vec::new(),
    }
}
