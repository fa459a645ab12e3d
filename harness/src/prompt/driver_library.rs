//! The drivers available to a run: the bundled ones and those in a user's folder.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::Path;

use include_dir::{Dir, include_dir};

use super::driver::{Driver, DriverSource};
use super::error::PromptError;
use crate::settings::PromptMode;
use crate::text::{read_text_file, sorted_paths};

/// Folder of the bundled drivers, each in a file `NAME.md`.
static BUNDLED: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/drivers");

/// A collection of drivers with unique names.
#[derive(Debug, Clone)]
pub struct DriverLibrary {
    drivers: BTreeMap<String, Driver>,
}

impl DriverLibrary {
    /// Returns the bundled drivers.
    pub fn bundled() -> Self {
        let drivers = BUNDLED.files().map(|file| {
            let name = file.path().file_stem().and_then(OsStr::to_str);
            let name = name.expect("names of bundled files are UTF-8");
            let text = file.contents_utf8().expect("bundled files are UTF-8");
            let driver = Driver::parse(name, DriverSource::Bundled, text)
                .expect("bundled drivers are valid");
            (name.to_owned(), driver)
        });
        Self {
            drivers: drivers.collect(),
        }
    }

    /// Adds every `*.md` of a folder. A driver replaces a known one with the same name.
    ///
    /// # Errors
    /// Returns [`PromptError::Invalid`] if the folder or a file cannot be read, or if a file is not
    /// a valid driver.
    pub fn with_dir(mut self, folder: &Path) -> Result<Self, PromptError> {
        let paths = sorted_paths(folder);
        for path in paths.map_err(|error| PromptError::unreadable(folder, &error))? {
            if path.extension().is_none_or(|extension| extension != "md") || path.is_dir() {
                continue;
            }
            let text = read_text_file(&path);
            let text = text.map_err(|error| PromptError::unreadable(&path, &error))?;
            let name = path
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let driver = Driver::parse(&name, DriverSource::File(path), &text)?;
            self.drivers.insert(name, driver);
        }
        Ok(self)
    }

    /// Returns all drivers, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &Driver> {
        self.drivers.values()
    }

    /// Returns the drivers with these names, in this order. Repeated names are ignored.
    ///
    /// # Errors
    /// Returns [`PromptError::UnknownDriver`] with the most similar name.
    pub fn resolve<S: AsRef<str>>(&self, names: &[S]) -> Result<Vec<Driver>, PromptError> {
        let mut resolved: Vec<Driver> = Vec::with_capacity(names.len());
        for name in names.iter().map(AsRef::as_ref) {
            let driver = self
                .drivers
                .get(name)
                .ok_or_else(|| PromptError::UnknownDriver {
                    name: name.to_owned(),
                    known: self.drivers.keys().cloned().collect(),
                })?;
            if !resolved.iter().any(|earlier| earlier.name == driver.name) {
                resolved.push(driver.clone());
            }
        }
        Ok(resolved)
    }
}

/// Returns warnings about the selected drivers: one for each driver that is not written for the
/// prompt mode (`None` if the root has no mode), and one for each pair in which a driver declares a
/// conflict with the other.
pub fn warnings(mode: impl Into<Option<PromptMode>>, drivers: &[Driver]) -> Vec<String> {
    let mode = mode.into();
    let misfits = drivers
        .iter()
        .filter_map(|driver| Some((driver, mode.filter(|mode| !driver.modes.contains(mode))?)))
        .map(|(driver, mode)| {
            let modes: Vec<&str> = driver.modes.iter().map(|mode| mode.as_str()).collect();
            format!(
                "driver `{}` is written for {} mode, but the run is in {mode} mode",
                driver.name,
                modes.join(" and ")
            )
        });
    let pairs = drivers
        .iter()
        .enumerate()
        .flat_map(|(at, first)| drivers[at + 1..].iter().map(move |second| (first, second)));
    let conflicts = pairs
        .filter(|(first, second)| {
            first.conflicts.contains(&second.name) || second.conflicts.contains(&first.name)
        })
        .map(|(first, second)| {
            format!(
                "drivers `{}` and `{}` contradict each other",
                first.name, second.name
            )
        });
    misfits.chain(conflicts).collect()
}
