//! `scripted`: models that answer by rules, either bundled or in a user's file.

use std::path::Path;
use std::sync::Arc;

use harness::provider::{ScriptLibrary, Scripted};

use super::{Offline, OfflineError, Opened, content_identity};

pub(super) static PROVIDER: Offline = Offline {
    name: "scripted",
    forms: &[
        ("scripted", "the scripted model of the benchmark"),
        ("scripted/NAME", "a bundled scripted model"),
        ("scripted:FILE", "your scripted model in a YAML file"),
    ],
    plays_back: false,
    takes: |rest| rest.len() != 1,
    open,
    identity,
};

/// Name of the judge's bundled model.
pub const JUDGE: &str = "judge";

/// Reason why the model reference `scripted` cannot be resolved.
#[derive(Debug, thiserror::Error)]
enum NoModel {
    /// The command does not have a benchmark.
    #[error(
        "`scripted` means the scripted model of a benchmark, but this command has no benchmark; \
         expected scripted/NAME or scripted:FILE"
    )]
    NoBenchmark,
    /// The benchmark does not have a scripted model.
    #[error(
        "the benchmark `{0}` does not have a scripted model; name another (scripted/NAME) or write \
         one (scripted:FILE)"
    )]
    NoneForBenchmark(String),
}

/// Returns the bundled models by name: those of the benchmarks and the judge's.
pub fn library() -> ScriptLibrary {
    let of_benchmarks = benchmarks::catalog().iter().flat_map(|entry| entry.models);
    let judge = include_str!("../grader/judge/model.yaml");
    of_benchmarks
        .copied()
        .chain([(JUDGE, judge)])
        .map(|(name, text)| (name.to_owned(), text.to_owned()))
        .collect()
}

fn open(rest: &str, benchmark: Option<&str>) -> Result<Opened, OfflineError> {
    if let Some(file) = rest.strip_prefix(':') {
        let provider = Scripted::from_file(Path::new(file))?;
        return Ok((Arc::new(provider), file.to_owned()));
    }
    let library = library();
    let name = if let Some(name) = rest.strip_prefix('/') {
        name
    } else {
        let name = benchmark.ok_or(NoModel::NoBenchmark)?;
        if library.digest(name).is_none() {
            return Err(NoModel::NoneForBenchmark(name.to_owned()).into());
        }
        name
    };
    Ok((Arc::new(library.open(name)?), name.to_owned()))
}

/// Identifies a bundled model by its content, like a file.
fn identity(rest: &str, benchmark: &str) -> String {
    if let Some(file) = rest.strip_prefix(':') {
        return content_identity(PROVIDER.name, file);
    }
    let name = rest.strip_prefix('/').unwrap_or(benchmark);
    match library().digest(name) {
        Some(digest) => format!("scripted:sha256:{digest}"),
        None => format!("scripted{rest}"),
    }
}
