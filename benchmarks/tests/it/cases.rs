//! Reads each benchmark's `cases.json`. Tests of `eval` use the runs in it, tests of this crate the
//! rest.

use std::fs;
use std::path::{Path, PathBuf};

use benchmarks::{Entry, catalog};
use serde::Deserialize;
use serde_json::Value;

/// Contents of `cases.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cases {
    /// Runs with the scripted model, for the tests of `eval`.
    pub run: Vec<Value>,
    /// Data to load; the snapshot `loaded-N.snap` contains the expected samples of entry N,
    /// 1-based.
    #[serde(default)]
    pub load: Vec<Load>,
    #[serde(default)]
    pub odd_rows: Vec<InvalidRow>,
    /// Answers and their scores under the benchmark's own scorer.
    #[serde(default)]
    pub scorer: Vec<ScoredAnswers>,
    /// An expected value that no hostile answer matches.
    #[serde(default)]
    pub hostile: Option<Value>,
}

/// A dataset to load, with its options.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// Path relative to the benchmark's folder.
    pub data: String,
    /// Other data that must yield the same samples.
    #[serde(default)]
    pub same: Option<String>,
    #[serde(default)]
    pub split: Option<String>,
}

/// An invalid row and the expected error.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InvalidRow {
    pub row: String,
    pub problem: String,
}

/// An expected value, and answers with their scores.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoredAnswers {
    pub expected: Value,
    pub answers: Vec<(String, f64)>,
}

/// Returns the folder of a benchmark.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src")
        .join(name.replace('-', "_"))
}

/// Returns every benchmark with its cases.
pub fn all() -> impl Iterator<Item = (&'static Entry, Cases)> {
    catalog().iter().map(|entry| {
        let path = folder(entry.name).join("cases.json");
        let text =
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let cases = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (entry, cases)
    })
}

#[test]
fn every_benchmark_has_the_required_cases() {
    for (entry, cases) in all() {
        assert!(!cases.run.is_empty(), "{} has no `run` case", entry.name);
        assert_eq!(
            (!cases.scorer.is_empty(), cases.hostile.is_some()),
            (entry.own_scorer.is_some(), entry.own_scorer.is_some()),
            "{}: cases of the scorer, and an expected value for hostile answers",
            entry.name
        );
    }
}
