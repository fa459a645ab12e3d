//! The definitions available to a run: the bundled fragments and those in a user's folder.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use super::fault::{Fault, Faults, SourceLocation};
use super::file::{self, Format};
use super::properties::{Definition, Kind, Sides, Source};
use crate::prompt::{section_slots, section_texts};
use crate::text::{did_you_mean, hint_for_unknown, nearest, read_text_file, sorted_paths};

/// A collection of definitions with unique names.
#[derive(Debug, Clone)]
pub struct Library {
    definitions: BTreeMap<String, Definition>,
    /// File stems of definitions with reported faults. References to them are not reported as
    /// unknown.
    broken: BTreeSet<String>,
    /// Partial definitions from files with faults, each with the fields whose faults have been
    /// reported.
    partial: Vec<(Definition, Vec<String>)>,
    /// Code files that do not call `definePrompt`.
    other_code: Vec<PathBuf>,
}

impl Library {
    /// Returns the bundled fragments: the sections of system prompts.
    pub fn bundled() -> Self {
        let definitions = section_texts().map(|(name, text, _)| {
            let source = Source::Bundled(format!("{name}.md"));
            let fragment = file::read(Format::Section, name, &source, text)
                .expect("bundled fragments are valid");
            (name.to_owned(), fragment)
        });
        Self {
            definitions: definitions.collect(),
            broken: BTreeSet::new(),
            partial: Vec::new(),
            other_code: Vec::new(),
        }
    }

    /// Adds every `*.md`, `*.yaml`, `*.yml` and `*.json` of a folder, and every `*.ts` and `*.js`
    /// that calls `definePrompt`, without subfolders. A definition replaces a bundled one with the
    /// same name. Two definitions with the same name in the folder are a fault.
    ///
    /// # Errors
    /// Returns all faults of all files.
    pub fn with_dir(mut self, folder: &Path) -> Result<Self, Faults> {
        let faults = self.add_dir(folder);
        if faults.is_empty() {
            Ok(self)
        } else {
            Err(Faults(faults))
        }
    }

    /// Adds the valid definitions of a folder, as [`Library::with_dir`] does, and returns all
    /// faults.
    pub fn add_dir(&mut self, folder: &Path) -> Vec<Fault> {
        let mut faults = Vec::new();
        let mut read: BTreeMap<String, Definition> = BTreeMap::new();
        for definition in self.read_dir(folder, &mut faults) {
            if let Some(first) = read.get(&definition.name) {
                let problem = format!("`{}` is also the name of {}", first.name, first.source);
                faults.push(Fault::new(definition.place("name"), problem));
            } else {
                read.insert(definition.name.clone(), definition);
            }
        }
        self.definitions.extend(read);
        faults
    }

    /// Returns the valid definitions of a folder, sorted by file name.
    fn read_dir(&mut self, folder: &Path, faults: &mut Vec<Fault>) -> Vec<Definition> {
        let paths = match sorted_paths(folder) {
            Ok(paths) => paths,
            Err(error) => {
                faults.push(unreadable(folder, &error));
                return Vec::new();
            }
        };
        let mut definitions = Vec::new();
        for path in paths {
            let Some(format) = Format::of(&path).filter(|_| !path.is_dir()) else {
                continue;
            };
            let text = match read_text_file(&path) {
                Ok(text) => text,
                Err(error) => {
                    faults.push(unreadable(&path, &error));
                    continue;
                }
            };
            if !format.fits(&text) {
                self.other_code.push(path);
                continue;
            }
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            let source = Source::File(path.clone());
            match file::read_partial(format, &stem, &source, &text) {
                (Some(definition), own) if own.is_empty() => definitions.push(definition),
                (definition, own) => {
                    let reported = own.iter().map(|fault| fault.place.field.clone()).collect();
                    self.partial.extend(definition.map(|read| (read, reported)));
                    faults.extend(own);
                    self.broken.insert(stem.into_owned());
                }
            }
        }
        definitions
    }

    /// Returns the partial definitions from files with faults, each with the fields whose faults
    /// have been reported.
    pub(super) fn partial(&self) -> &[(Definition, Vec<String>)] {
        &self.partial
    }

    /// Whether faults have been reported for the file with this stem.
    pub(super) fn is_broken(&self, name: &str) -> bool {
        self.broken.contains(name)
    }

    /// Returns a note about each code file that does not call `definePrompt`.
    pub fn notes(&self) -> Vec<String> {
        let note = |path: &PathBuf| {
            format!(
                "{} does not define a prompt: expected a call of `definePrompt`",
                path.display()
            )
        };
        self.other_code.iter().map(note).collect()
    }

    /// Returns all definitions, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.values()
    }

    /// Returns the definitions that replace bundled sections, sorted by name.
    pub fn overridden(&self) -> impl Iterator<Item = &Definition> {
        self.iter()
            .filter(|definition| definition.is_own())
            .filter(|definition| self.is_section(&definition.name))
    }

    /// Whether a bundled section has this name, even if it has been replaced.
    pub fn is_section(&self, name: &str) -> bool {
        section_slots(name).is_some()
    }

    /// Returns the definition with this name, if it exists.
    pub fn find(&self, name: &str) -> Option<&Definition> {
        self.definitions.get(name)
    }

    /// Returns the definition with this name.
    ///
    /// # Errors
    /// Returns a message with the most similar name, or else with the names of all user
    /// definitions.
    pub fn get(&self, name: &str) -> Result<&Definition, String> {
        self.find(name).ok_or_else(|| {
            let near = nearest(name, self.definitions.keys().map(String::as_str));
            let own = self.iter().filter(|definition| definition.is_own());
            let known: Vec<String> = own.map(|definition| definition.name.clone()).collect();
            format!(
                "unknown prompt `{name}`{}",
                did_you_mean(near.as_deref(), &known)
            )
        })
    }

    /// Returns the faults of an agent's sides, each as the property and the problem. Each side must
    /// be a prompt, which also prevents an agent from being its own side.
    pub fn side_faults(&self, sides: &Sides) -> Vec<(&'static str, String)> {
        let named = [
            ("sideA", Some(&sides.side_a)),
            ("sideB", sides.side_b.as_ref()),
        ];
        let given = named.into_iter().filter_map(|(field, name)| {
            // A missing side is reported separately.
            Some((field, name.filter(|name| !name.is_empty())?))
        });
        let wrong = given.filter_map(|(field, name)| {
            let problem = match self.find(name).map(|side| side.kind) {
                Some(Kind::Prompt) => return None,
                Some(Kind::Agent) => format!("`{name}` is an agent, expected a prompt"),
                Some(Kind::Fragment) => format!("`{name}` is a fragment, expected a prompt"),
                None if self.is_broken(name) => return None,
                None => {
                    let prompts = self.iter().filter(|known| known.kind == Kind::Prompt);
                    let known: Vec<String> = prompts.map(|known| known.name.clone()).collect();
                    let hint = hint_for_unknown(name, &known);
                    format!("unknown prompt `{name}`{hint}")
                }
            };
            Some((field, problem))
        });
        wrong.collect()
    }
}

pub(super) fn unreadable(path: &Path, error: &io::Error) -> Fault {
    let place = SourceLocation::of_file(path.display());
    Fault::new(place, format!("cannot be read: {error}"))
}
