//! Providers that work without a server.
//!
//! Each is a module in this folder with a static `PROVIDER`, which `model_ref.rs` lists. Model
//! servers are data instead: `harness/endpoints.yaml`.

mod scripted;
mod replay;

mod model_ref;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use harness::provider::Provider;
use harness::{MAX_RECORDING_BYTES, read_file};
use sha2::{Digest, Sha256};

pub use model_ref::{ModelRef, Named, UnknownModel, model_forms, names, profile_name};
pub use scripted::{JUDGE as SCRIPTED_JUDGE, library as scripts};

/// A provider that works without a server.
pub struct Offline {
    /// Prefix of references, up to the first `/` or `:`.
    pub name: &'static str,
    /// Forms of references to the provider, each with its meaning.
    pub forms: &'static [(&'static str, &'static str)],
    /// Whether it replays recorded responses, which no prompt can change.
    pub plays_back: bool,
    /// Whether the text after the name, including its `/` or `:`, completes a valid reference.
    pub takes: fn(&str) -> bool,
    /// Opens a reference. The first argument is the text after the name, and the second is the
    /// benchmark of the run, if any.
    pub open: fn(&str, Option<&str>) -> Result<Opened, OfflineError>,
    /// Returns everything about the reference that can change an answer; for a file, this is its
    /// content without its name. Takes the text after the name and the benchmark of the run.
    pub identity: fn(&str, &str) -> String,
}

/// A provider and the name of its model.
pub type Opened = (Arc<dyn Provider>, String);

/// Reason why a provider cannot be opened.
pub type OfflineError = Box<dyn Error + Send + Sync>;

/// Returns the identity of a file or of the trajectories of a run directory. A file has the same
/// identity as a bundled file with equal content.
fn content_identity(provider: &str, path: &str) -> String {
    let mut hash = Sha256::new();
    let path = Path::new(path);
    for file in files(path) {
        if let Ok(bytes) = read_file(&file, MAX_RECORDING_BYTES) {
            if path.is_dir() {
                hash.update((bytes.len() as u64).to_le_bytes());
            }
            hash.update(bytes);
        }
    }
    format!("{provider}:sha256:{}", hex::encode(hash.finalize()))
}

/// Returns the file itself, or the trajectories of a run directory.
fn files(path: &Path) -> Vec<PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path.join("trajectories"))
        .into_iter()
        .flatten()
        .flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}
