//! Fetches the data of benchmarks from its own home into a folder, whole or not at all.

mod sources;

mod download;

mod error;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub use error::FetchError;
pub use sources::names;

/// The file of a fetched folder that says what was fetched.
const RECORD: &str = "fetched.json";

/// What goes on while data is fetched.
#[derive(Debug)]
pub enum FetchEvent<'a> {
    /// All is known that will be fetched.
    Planned {
        /// The files.
        files: usize,
        /// Their size in bytes, where their home says it.
        bytes: Option<u64>,
    },
    /// Some of the files are Parquet files, which this program cannot read.
    Unreadable,
    /// So many more bytes are here; those that an earlier fetch left included.
    Bytes(u64),
    /// Bytes that were counted are thrown away, for their home sends the file from its beginning.
    Again(u64),
    /// A request failed and is sent again.
    Retry {
        /// Seconds until then.
        wait: u64,
        /// Why.
        reason: &'a str,
    },
}

/// What came of a fetch.
#[derive(Debug, PartialEq, Eq)]
pub enum Fetched {
    /// The data is here now.
    New {
        /// The folder.
        folder: PathBuf,
        /// Files.
        files: usize,
    },
    /// It was here already, and is what was fetched then.
    Here {
        /// The folder.
        folder: PathBuf,
    },
}

/// A file to fetch.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Wanted {
    /// Below the folder, with `/`.
    path: String,
    url: String,
    /// SHA-256, hex, where it is known beforehand.
    sha256: Option<String>,
    bytes: Option<u64>,
}

/// `fetched.json`.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    v: u32,
    /// Where it is from.
    source: String,
    /// In UTC.
    fetched_at: String,
    /// SHA-256 of each file, by its path.
    files: BTreeMap<String, String>,
}

/// Fetches the data of a benchmark into the folder of its name below `root`.
///
/// What is fetched is kept beside it until all is there, so that a fetch that was cut off goes on where it was, and a
/// folder of the benchmark's name is always whole. A `mirror` takes the place of scheme and host of every address.
///
/// # Errors
/// [`FetchError`]: the home of the data does not answer or has other data, the disk is full, or the folder holds what
/// was not fetched.
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
    let mut downloads = download::Downloads::new()?;
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
    let write = |reason| FetchError::Write {
        path: path.clone(),
        reason,
    };
    let text = serde_json::to_string_pretty(&record).map_err(|error| write(error.into()))?;
    fs::write(&path, text + "\n").map_err(write)?;
    fs::rename(&part, &folder).map_err(|reason| FetchError::Write {
        path: folder.clone(),
        reason,
    })?;
    Ok(Fetched::New {
        folder,
        files: wanted.len(),
    })
}

/// Whether the data of a benchmark is below `root`.
pub fn is_here(name: &str, root: &Path) -> bool {
    root.join(name).is_dir()
}

/// Checks that a folder holds what was fetched, to the byte.
fn check(folder: &Path) -> Result<(), FetchError> {
    let foreign = || FetchError::Foreign {
        folder: folder.to_owned(),
    };
    let text = fs::read(folder.join(RECORD)).map_err(|_| foreign())?;
    let record: Record = serde_json::from_slice(&text).map_err(|_| foreign())?;
    for (name, sha256) in &record.files {
        let path = folder.join(name);
        if sha256_of(&path).ok().as_ref() != Some(sha256) {
            return Err(FetchError::Damaged { path });
        }
    }
    Ok(())
}

/// SHA-256 of a file, hex.
fn sha256_of(path: &Path) -> std::io::Result<String> {
    use std::io::Read as _;
    let mut file = fs::File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer)? {
            0 => break,
            count => hash.update(&buffer[..count]),
        }
    }
    Ok(hex::encode(hash.finalize()))
}
