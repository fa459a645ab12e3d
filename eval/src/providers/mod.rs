//! Providers that need no server: how references to them look, what they open, and what of a reference can change an answer.
//!
//! Each is a file here with a `PROVIDER`, and its `mod` line, by which `build.rs` finds it. Servers of models are data:
//! `harness/endpoints.yaml`.

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

/// All of them, in the order of their `mod` lines, in which help and errors list their forms.
pub static OFFLINE: &[&Offline] = include!(concat!(env!("OUT_DIR"), "/offline.rs"));

/// What is known of one.
pub struct Offline {
    /// What its references begin with, up to the first `/` or `:`.
    pub name: &'static str,
    /// The forms of its references, each with what it stands for.
    pub forms: &'static [(&'static str, &'static str)],
    /// Whether it answers from a record, so that no prompt changes what it says.
    pub plays_back: bool,
    /// Whether what follows the name, with its `/` or `:`, makes a whole reference.
    pub takes: fn(&str) -> bool,
    /// Opens what follows the name. The other text is the benchmark that the run is of, if it is of one.
    pub open: fn(&str, Option<&str>) -> Result<Opened, OfflineError>,
    /// What of the reference can change an answer: of a file its content, and not its name. The texts are those of `open`.
    pub identity: fn(&str, &str) -> String,
}

/// A provider, and the name of its model.
pub type Opened = (Arc<dyn Provider>, String);

/// Why one cannot be opened, in the words of its own error.
pub type OfflineError = Box<dyn Error + Send + Sync>;

/// What of a file can change an answer, or of the trajectories of a run directory. That of a file is the hash that a bundled one of
/// the same content has.
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

/// The file itself, or the trajectories of a run directory.
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
