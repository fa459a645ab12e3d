//! Fetches benchmark data from its source into a folder.
//!
//! A folder appears under the benchmark's name only when it is complete and verified. Until then,
//! the files are stored in a hidden folder next to it, so that an interrupted fetch can be resumed.

mod sources;

mod download;

mod error;
mod event;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use download::{Downloads, sha256_of};

pub use error::FetchError;
pub use event::FetchEvent;
pub use sources::names;

/// File in a fetched folder that records the source and the checksums.
const RECORD: &str = "fetched.json";

/// Result of a fetch.
#[derive(Debug, PartialEq, Eq)]
pub enum Fetched {
    /// The data was fetched.
    New {
        /// Folder of the data.
        folder: PathBuf,
        /// Number of files.
        files: usize,
    },
    /// The data was fetched earlier and is unchanged.
    Here {
        /// Folder of the data.
        folder: PathBuf,
    },
}

/// Contents of `fetched.json`.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    v: u32,
    /// Source of the data.
    source: String,
    /// Time of the fetch, in UTC.
    fetched_at: String,
    /// SHA-256 of each file, by path.
    files: BTreeMap<String, String>,
}

/// Fetches the data of a benchmark into the folder with its name below `root`.
///
/// If the folder exists, only checks that its files are unchanged. A `mirror` replaces the scheme
/// and host of every URL.
///
/// # Errors
/// [`FetchError`] if the source is unreachable or has changed, a file cannot be written, or the
/// existing folder was changed or was not created by a fetch.
pub async fn fetch(
    name: &str,
    root: &Path,
    mirror: Option<&str>,
    report: &mut (dyn FnMut(FetchEvent) + Send),
) -> Result<Fetched, FetchError> {
    let folder = root.join(name);
    if folder.exists() {
        check(&folder)?;
        return Ok(Fetched::Here { folder });
    }
    let mut downloads = Downloads::new()?;
    let (source, wanted) = sources::plan(name, mirror, &mut downloads, report).await?;
    report(FetchEvent::Planned {
        files: wanted.len(),
        bytes: wanted.iter().map(|file| file.bytes).sum(),
    });
    if !benchmarks::READS_PARQUET && wanted.iter().any(|file| file.path.ends_with(".parquet")) {
        report(FetchEvent::Unreadable);
    }
    let part = root.join(format!(".{name}.part"));
    let mut files = BTreeMap::new();
    for file in &wanted {
        let path = part.join(&file.path);
        let sha256 = downloads.file(file, &path, report).await?;
        files.insert(file.path.clone(), sha256);
    }
    let record = Record {
        v: 1,
        source,
        fetched_at: Timestamp::now().to_string(),
        files,
    };
    let path = part.join(RECORD);
    let write = |reason: io::Error| FetchError::write(&path, &reason);
    let text = serde_json::to_string_pretty(&record).map_err(|error| write(error.into()))?;
    fs::write(&path, text + "\n").map_err(write)?;
    fs::rename(&part, &folder).map_err(|reason| FetchError::write(&folder, &reason))?;
    Ok(Fetched::New {
        folder,
        files: wanted.len(),
    })
}

/// Whether the data of a benchmark exists below `root`.
pub fn is_here(name: &str, root: &Path) -> bool {
    root.join(name).is_dir()
}

/// Checks that the contents of a folder are unchanged since the fetch.
fn check(folder: &Path) -> Result<(), FetchError> {
    let foreign = || {
        FetchError(format!(
            "{} already exists but was not fetched; move it away, or use it with --data-dir",
            folder.display()
        ))
    };
    let text = fs::read(folder.join(RECORD)).map_err(|_| foreign())?;
    let record: Record = serde_json::from_slice(&text).map_err(|_| foreign())?;
    for (name, sha256) in &record.files {
        let path = folder.join(name);
        if sha256_of(&path).ok().as_ref() != Some(sha256) {
            return Err(FetchError(format!(
                "{} has changed since it was fetched; remove its folder and fetch the data again",
                path.display()
            )));
        }
    }
    Ok(())
}
