//! Reads result files of the JavaScript system.

use std::path::Path;

use harness::provider::{NodeRlmFile, NodeRlmResult, ReplayError};
use jiff::Timestamp;
use records::RunIdentity;
use records::run_dir::{CONFIG_VERSION, Fingerprint};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::attempt::{self, ImportSource};
use super::{ImportError, Imported};

/// Scorer name of imported runs, which keep the scores of the other system.
pub const SCORER: &str = "recorded/node-rlm";

/// Part of the error message of an attempt that used all its iterations.
const OUT_OF_ITERATIONS: &str = "reached max iterations";

/// Settings that result files lack and the user may supply.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SuppliedSettings {
    /// Prompt mode of the root.
    pub prompt_mode: Option<String>,
    /// Driver names, joined by `+`.
    pub drivers: Option<String>,
}

/// Reads a result file of the JavaScript system.
///
/// # Errors
/// [`ImportError`] with the file and, if known, the field.
pub fn read(path: &Path, guidance: &SuppliedSettings) -> Result<Imported, ImportError> {
    let bytes = std::fs::read(path).map_err(|error| ReplayError::unreadable(path, &error))?;
    let file = NodeRlmFile::read(path)?;
    let missing = |field: &str, wanted| invalid(path, field, "missing", wanted);
    let number = "expected a whole number";
    let max_iterations = file
        .config
        .max_iterations
        .ok_or_else(|| missing("config.maxIterations", number))?;
    let max_depth = file
        .config
        .max_depth
        .ok_or_else(|| missing("config.maxDepth", number))?;
    if file.results.is_empty() {
        return Err(missing("results[0]", "expected at least one result"));
    }
    let ended = ended(path, file.timestamp.as_deref())?;

    let mut attempts = Vec::new();
    for (index, result) in file.results.iter().enumerate() {
        let facts = facts(path, index, result, max_iterations)?;
        attempts.push(attempt::convert(&file.model, max_iterations, result, facts));
    }
    let dataset_digest = dataset_digest(&file.results);
    let sha256 = hex::encode(Sha256::digest(&bytes));
    let parts = [
        ("imported", json!("node-rlm")),
        // Unrecorded settings may differ, so each file counts as a different experiment.
        ("file_sha256", json!(sha256)),
        ("benchmark", json!(file.benchmark)),
        ("dataset_digest", json!(dataset_digest)),
        ("scorer", json!(SCORER)),
        ("model", json!(file.model)),
        ("prompt_mode", json!(guidance.prompt_mode)),
        ("drivers", json!(guidance.drivers)),
        ("max_depth", json!(max_depth)),
        ("max_iterations", json!(max_iterations)),
    ];
    let parts = parts.map(|(name, value)| (name.to_owned(), value));
    let fingerprint = Fingerprint::from_parts(parts.into());
    let config = json!({
        "v": CONFIG_VERSION,
        "eval_version": env!("CARGO_PKG_VERSION"),
        "run": null,
        "attempts_total": attempts.len(),
        "imported": {
            "system": "node-rlm",
            "file": path,
            "sha256": sha256,
            "timestamp": file.timestamp,
        },
        "benchmark": { "name": file.benchmark, "attempts": 1 },
        "engine": {
            "model": file.model,
            "protocol": "rlm",
            "prompt_mode": guidance.prompt_mode,
            "drivers": guidance.drivers,
            "max_depth": max_depth,
            "max_iterations": max_iterations,
        },
    });
    Ok(Imported {
        file: path.to_owned(),
        ended,
        identity: RunIdentity {
            run_id: String::new(),
            benchmark: file.benchmark,
            model: file.model,
            protocol: "rlm".to_owned(),
            prompt_mode: guidance.prompt_mode.clone(),
            drivers: guidance.drivers.clone(),
            max_depth,
            max_iterations,
            dataset_digest,
            scorer: SCORER.to_owned(),
            fingerprint: fingerprint.as_str().to_owned(),
        },
        fingerprint,
        config,
        attempts,
    })
}

fn ended(path: &Path, timestamp: Option<&str>) -> Result<Timestamp, ImportError> {
    let Some(text) = timestamp else {
        return Ok(Timestamp::now());
    };
    let wanted = "expected an RFC 3339 timestamp such as 2026-02-13T18:02:06Z";
    text.parse()
        .map_err(|_| invalid(path, "timestamp", &format!("{text:?}"), wanted))
}

fn invalid(path: &Path, field: &str, value: &str, wanted: &'static str) -> ImportError {
    ImportError::Field {
        path: path.to_owned(),
        field: field.to_owned(),
        value: value.to_owned(),
        wanted,
    }
}

/// Returns the required fields of an attempt if all are present and valid.
fn facts(
    path: &Path,
    index: usize,
    result: &NodeRlmResult,
    max_iterations: u32,
) -> Result<ImportSource, ImportError> {
    let wrong = |field: &str, value: &str, wanted| {
        invalid(path, &format!("results[{index}].{field}"), value, wanted)
    };
    let missing = |field: &str, wanted| wrong(field, "missing", wanted);
    let wanted = "expected a number from 0 to 1";
    let score = result.score.ok_or_else(|| missing("score", wanted))?;
    if !(0.0..=1.0).contains(&score) {
        return Err(wrong("score", &score.to_string(), wanted));
    }
    let iterations = result
        .iterations
        .ok_or_else(|| missing("iterations", "expected a whole number"))?;
    let wanted = "expected milliseconds, 0 or more";
    let wall_time_ms = result
        .wall_time_ms
        .ok_or_else(|| missing("wallTimeMs", wanted))?;
    if wall_time_ms < 0.0 {
        return Err(wrong("wallTimeMs", &wall_time_ms.to_string(), wanted));
    }
    let expected = result
        .expected
        .as_ref()
        .ok_or_else(|| missing("expected", "expected a string"))?;
    let error = result.error.as_ref();
    let is_out = error.is_some_and(|error| error.contains(OUT_OF_ITERATIONS));
    Ok(ImportSource {
        score,
        iterations,
        wall_time_ms,
        out_of_iterations: is_out && iterations >= max_iterations,
        expected: scorers_form(expected),
    })
}

/// Returns an expected answer in the scorer's form: the parsed value of a JSON array or object,
/// otherwise the text.
fn scorers_form(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(value @ (Value::Array(_) | Value::Object(_))) => value,
        _ => text.into(),
    }
}

/// Returns the lowercase hex SHA-256 of the tasks and expected answers, independent of their order.
/// The files contain nothing else that identifies the dataset.
fn dataset_digest(results: &[NodeRlmResult]) -> String {
    let mut tasks: Vec<[&str; 2]> = results
        .iter()
        .map(|result| {
            let expected = result.expected.as_deref().unwrap_or_default();
            [result.task_id.as_str(), expected]
        })
        .collect();
    tasks.sort_unstable();
    hex::encode(Sha256::digest(json!(tasks).to_string()))
}
