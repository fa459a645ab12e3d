//! Result files of the JavaScript system: one object with every root response under `results[].trace[]`.
//!
//! What children answered is not in them.

use std::collections::HashMap;
use std::path::Path;

use serde::Deserialize;

use super::{Key, Replay, ReplayError, Response, format_error, read_text};

#[derive(Deserialize)]
struct ResultFile {
    #[expect(dead_code, reason = "tells this format from others")]
    benchmark: String,
    model: String,
    results: Vec<TaskResult>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskResult {
    task_id: String,
    trace: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    /// The whole response, code block included.
    reasoning: String,
}

/// Reads such a file.
pub(super) fn read(path: &Path) -> Result<Replay, ReplayError> {
    let text = read_text(path)?;
    let file: ResultFile =
        serde_json::from_str(&text).map_err(|error| format_error(path, error.to_string()))?;
    let mut samples = Vec::new();
    let mut responses = HashMap::new();
    for result in file.results {
        if samples.contains(&result.task_id) {
            return Err(format_error(
                path,
                format!("task {} is recorded twice", result.task_id),
            ));
        }
        for (turn, step) in (1..).zip(result.trace) {
            let key = Key {
                sample: result.task_id.clone(),
                attempt: 1,
                invocation: "root".to_owned(),
                turn,
            };
            let response = Response {
                text: step.reasoning,
                served_model: Some(file.model.clone()),
                ..Response::default()
            };
            responses.insert(key, response);
        }
        samples.push(result.task_id);
    }
    Ok(Replay {
        name: path.display().to_string(),
        samples,
        responses,
        has_attempts: false,
    })
}
