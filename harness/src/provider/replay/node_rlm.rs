//! Reads result files of the JavaScript system. They contain an object with the root's responses in
//! `results[].trace[]`.
//!
//! The files do not contain the responses of children.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::Deserialize;

use super::file::{ReplayError, format_error, read_text};
use super::recorded_run::{Key, RecordedRun};
use crate::model::lenient_json;
use crate::provider::Response;

/// A result file of the JavaScript system. Only fields that playback requires must be present.
#[derive(Debug, Clone, Deserialize)]
pub struct NodeRlmFile {
    /// Name of the benchmark, such as `arc`.
    pub benchmark: String,
    /// Model, such as `anthropic/claude-opus-4-6`.
    pub model: String,
    /// Settings of the run, if recorded.
    #[serde(default)]
    pub config: NodeRlmConfig,
    /// Time when the run ended, in RFC 3339 format.
    pub timestamp: Option<String>,
    /// Results, one for each task.
    pub results: Vec<NodeRlmResult>,
}

/// Settings of a run.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeRlmConfig {
    /// Maximum iterations of the root.
    pub max_iterations: Option<u32>,
    /// Depth at which agents do not have a REPL.
    pub max_depth: Option<u32>,
}

/// Result of one task.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeRlmResult {
    /// Id of the sample, such as `arc-247ef758`.
    pub task_id: String,
    /// Answer; blank if the root did not answer.
    pub answer: Option<String>,
    /// Expected answer.
    pub expected: Option<String>,
    /// Score from 0 (wrong) to 1 (right).
    pub score: Option<f64>,
    /// Number of iterations of the root.
    pub iterations: Option<u32>,
    /// Iterations of the root.
    pub trace: Vec<NodeRlmStep>,
    /// Wall-clock milliseconds.
    pub wall_time_ms: Option<f64>,
    /// Reason for a missing answer.
    pub error: Option<String>,
}

/// One iteration of the root.
#[derive(Debug, Clone, Deserialize)]
pub struct NodeRlmStep {
    /// Complete response, including the code blocks.
    pub reasoning: String,
    /// Code blocks that were run, in order.
    #[serde(default)]
    pub code: Vec<String>,
    /// Output of the blocks.
    pub output: Option<String>,
    /// Error of the code blocks.
    pub error: Option<String>,
}

impl NodeRlmFile {
    /// Reads a result file.
    ///
    /// # Errors
    /// Returns [`ReplayError`] if the file cannot be read, has another format, or contains a task
    /// twice.
    pub fn read(path: &Path) -> Result<Self, ReplayError> {
        let text = read_text(path)?;
        // Checked explicitly, because serde parses an array as a struct without field names.
        if text.trim_start().starts_with('[') {
            return Err(format_error(path, "it is an array"));
        }
        let file: Self =
            lenient_json::from_str(&text).map_err(|error| format_error(path, error))?;
        let mut seen = HashSet::new();
        for result in &file.results {
            if !seen.insert(&result.task_id) {
                let problem = format!("task {} is recorded twice", result.task_id);
                return Err(format_error(path, problem));
            }
        }
        Ok(file)
    }
}

/// Reads a result file for playback.
pub(super) fn read(path: &Path) -> Result<RecordedRun, ReplayError> {
    let file = NodeRlmFile::read(path)?;
    let mut samples = Vec::new();
    let mut responses = HashMap::new();
    for result in file.results {
        for (turn, step) in (1..).zip(result.trace) {
            let key = Key {
                sample: result.task_id.clone(),
                attempt: 1,
                invocation: "root".to_owned(),
                turn,
                trims: 0,
            };
            let response = Response {
                text: step.reasoning,
                served_model: Some(file.model.clone()),
                ..Response::default()
            };
            responses.insert(key, Ok(response).into());
        }
        samples.push(result.task_id);
    }
    Ok(RecordedRun {
        samples,
        responses,
        has_attempts: false,
        cassette: None,
    })
}
