//! Opens a benchmark by its name in the catalog or by its path.

use std::path::Path;

use crate::options::{OpenError, Options};
use crate::table::ENDINGS;
use crate::{Dataset, catalog, entry, user_dataset};

/// Opens a benchmark by its name in the [`catalog()`], or a user-supplied one by the path of its
/// file or folder (see [`is_path`]).
///
/// # Errors
///
/// If the name is unknown, an option is missing or invalid, or the benchmark's files cannot be read
/// or are malformed.
pub fn open(name: &str, options: &Options) -> Result<Box<dyn Dataset>, OpenError> {
    match entry(name) {
        None if is_path(name) => user_dataset::open(Path::new(name), options),
        Some(entry) => (entry.open)(options),
        None => {
            let known: Vec<&str> = catalog().iter().map(|entry| entry.name).collect();
            Err(OpenError::Invalid(format!(
                "unknown benchmark `{name}`; expected one of {}",
                known.join(", ")
            )))
        }
    }
}

/// Whether a benchmark's name is a path: it contains a `/`, has the extension of a supported file
/// format, or names an existing file or folder and is not in the catalog.
pub fn is_path(name: &str) -> bool {
    let ending = Path::new(name)
        .extension()
        .and_then(|ending| ending.to_str());
    name.contains('/')
        || ending.is_some_and(|ending| ENDINGS.contains(&ending.to_ascii_lowercase().as_str()))
        || (Path::new(name).exists() && entry(name).is_none())
}
