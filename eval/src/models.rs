//! Opens the models that a run names.

use std::path::Path;
use std::sync::Arc;

use harness::prompt::ModelAlias;
use harness::provider::{Provider, Replay, ReplayError, Scripted, ScriptedError, scripted_digest};
use harness::{Model, Models};
use sha2::{Digest, Sha256};

/// A model that cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// `scripted` alone stands for the benchmark's own scripted model, and there is no benchmark.
    #[error(
        "`scripted` alone stands for a benchmark's scripted model; name one here: scripted/NAME or scripted:FILE"
    )]
    NoBenchmark,
    /// No scripted model is made for the benchmark.
    #[error(
        "no scripted model is made for the benchmark `{0}`; name another (scripted/NAME) or write one (scripted:FILE)"
    )]
    NoneForBenchmark(String),
    /// No such scripted model, or its file is wrong.
    #[error(transparent)]
    Scripted(#[from] ScriptedError),
    /// No such recording, or it cannot be played.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The settings let a reference pass that names no provider.
    #[error("unknown model `{0}`")]
    Unknown(String),
}

/// Opens the main model and the aliased ones. `benchmark` is what `scripted` alone stands for.
///
/// # Errors
/// [`ModelError`] for the first that cannot be opened.
pub fn open(
    reference: &str,
    aliases: &[ModelAlias],
    benchmark: Option<&str>,
) -> Result<Models, ModelError> {
    let main = open_one(reference, benchmark)?;
    let aliases = aliases
        .iter()
        .map(|alias| Ok((alias.clone(), open_one(&alias.model, benchmark)?)))
        .collect::<Result<_, ModelError>>()?;
    Ok(Models { main, aliases })
}

/// What of a model reference can change an answer: of a file or a bundled script, its content and not its
/// name.
pub fn identity(reference: &str, benchmark: &str) -> String {
    let bundled = if reference == "scripted" {
        Some(benchmark)
    } else {
        reference.strip_prefix("scripted/")
    };
    if let Some(digest) = bundled.and_then(scripted_digest) {
        return format!("scripted:sha256:{digest}");
    }
    let Some((provider, path)) = reference.split_once(':') else {
        return reference.to_owned();
    };
    let mut hash = Sha256::new();
    for file in files(Path::new(path)) {
        if let Ok(bytes) = std::fs::read(&file) {
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
    }
    let hex: String = hash
        .finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{provider}:sha256:{hex}")
}

/// The file itself, or the trajectories of a run directory.
fn files(path: &Path) -> Vec<std::path::PathBuf> {
    if !path.is_dir() {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path.join("trajectories"))
        .into_iter()
        .flatten()
        .flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}

fn open_one(reference: &str, benchmark: Option<&str>) -> Result<Model, ModelError> {
    let (provider, name): (Arc<dyn Provider>, &str) = if reference == "scripted" {
        let name = benchmark.ok_or(ModelError::NoBenchmark)?;
        if scripted_digest(name).is_none() {
            return Err(ModelError::NoneForBenchmark(name.to_owned()));
        }
        (Arc::new(Scripted::bundled(name)?), name)
    } else if let Some(name) = reference.strip_prefix("scripted/") {
        (Arc::new(Scripted::bundled(name)?), name)
    } else if let Some(file) = reference.strip_prefix("scripted:") {
        (Arc::new(Scripted::from_file(Path::new(file))?), file)
    } else if let Some(path) = reference.strip_prefix("replay:") {
        (Arc::new(Replay::open(Path::new(path))?), path)
    } else {
        return Err(ModelError::Unknown(reference.to_owned()));
    };
    Ok(Model {
        reference: reference.to_owned(),
        name: name.to_owned(),
        sampling: Arc::default(),
        provider,
    })
}
