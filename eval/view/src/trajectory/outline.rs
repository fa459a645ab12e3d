//! The outline of an attempt: the usage, result and children of each iteration of each agent.

use std::fs::File;
use std::io;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::file_parts::event;
use super::index::Index;
use super::iteration_marks::IterationMarks;

/// Maximum number of entries per agent; if there are more iterations, neighboring ones are merged.
const APART: usize = 1_000;

/// Maximum number of images in an attempt's film strip.
const PICTURES: usize = 400;

#[derive(Debug, Serialize)]
pub struct AgentOutline<'a> {
    id: &'a str,
    iterations: Vec<Turn>,
}

/// One iteration, or several neighboring iterations merged into one entry.
#[derive(Debug, Serialize)]
pub struct Turn {
    /// Number of the first iteration.
    number: u64,
    /// Number of the last iteration, if several are merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<u64>,
    #[serde(flatten)]
    marks: IterationMarks,
    /// Last image in these iterations, in the format of events.
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<Value>,
}

/// Returns the outline of all agents, in the order in which they started.
pub fn outline<'a>(index: &'a Index, path: &Path) -> io::Result<Vec<AgentOutline<'a>>> {
    let mut file = File::open(path)?;
    let mut pictures = PICTURES;
    let mut agents = Vec::new();
    for (id, places) in index.places() {
        let step = places.iterations.len().div_ceil(APART).max(1);
        let mut iterations = Vec::new();
        for some in places.iterations.chunks(step) {
            let (Some(first), Some(last)) = (some.first(), some.last()) else {
                continue;
            };
            let mut marks = first.marks.clone();
            for other in &some[1..] {
                marks.and(&other.marks);
            }
            let picture = match marks.picture.filter(|_| pictures > 0) {
                None => None,
                Some(place) => {
                    pictures -= 1;
                    image(&event(&mut file, place, 64)?)
                }
            };
            iterations.push(Turn {
                number: first.number,
                to: (step > 1).then_some(last.number),
                marks,
                picture,
            });
        }
        agents.push(AgentOutline { id, iterations });
    }
    Ok(agents)
}

/// Returns the last image in an event.
fn image(event: &Value) -> Option<Value> {
    let kind = &event["kind"];
    let shot = &kind["event"]["image"];
    if shot.is_object() {
        return Some(shot.clone());
    }
    let messages = kind["new_messages"].as_array()?.iter().rev();
    let mut images = messages.filter_map(|message| message["images"].as_array()?.last());
    images.next().cloned()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, Instant};

    use serde_json::{Value, json};

    use super::super::index::Index;
    use super::outline;

    #[test]
    fn marks_usage_and_result_of_iterations() {
        let event = |kind: Value| {
            json!({"v": 1, "run_id": "r", "sample": "s", "attempt": 1, "at_ms": 1.0, "invocation": "root",
                "parent": null, "depth": 0, "kind": kind})
            .to_string()
        };
        let usage = json!({"input_tokens": 100, "cached_input_tokens": 60, "output_tokens": 7, "reasoning_tokens": 2,
            "estimated": false});
        let end = |error: Value, returned: Value, intercepted: bool| {
            event(
                json!({"type": "iteration_end", "iteration": 1, "code": "", "output": "", "error": error,
                "returned": returned, "intercepted": intercepted, "executed_ms": 4.0, "dropped_blocks": 0}),
            )
        };
        let response = event(
            json!({"type": "llm_response", "text": "", "reasoning": null, "usage": usage,
            "cost_usd": 0.5, "served_model": null, "ms": 30.0}),
        );
        let shot = event(json!({"type": "web", "event": {"what": "screenshot",
            "image": {"media_type": "image/png", "data": "A".repeat(200)}}}));
        let lines = [
            event(json!({"type": "iteration_start", "iteration": 1})),
            response.clone(),
            event(json!({"type": "delegation_spawn", "child": "d1-c0", "role": "child"})),
            event(json!({"type": "delegation_error", "child": "d1-c0", "error": "no"})),
            end(json!("boom"), Value::Null, false),
            event(json!({"type": "iteration_start", "iteration": 2})),
            response.clone(),
            response,
            shot,
            end(Value::Null, json!("42"), true),
            event(json!({"type": "iteration_start", "iteration": 3})),
            end(Value::Null, json!("42"), false),
        ];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.1.jsonl");
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        let mut index = Index::default();
        index
            .advance(&path, Instant::now() + Duration::from_secs(60))
            .unwrap();
        let mut found = json!(outline(&index, &path).unwrap());
        let picture = found[0]["iterations"][1]["picture"].take();
        assert_eq!(picture["data"]["bytes"], 200);
        let wanted = json!([{"id": "root", "iterations": [
            {"number": 1, "errors": 1, "children": ["d1-c0"], "failed_calls": 1, "usage": [100, 60, 7, 2],
                "cost_usd": 0.5, "model_ms": 30.0, "code_ms": 4.0},
            {"number": 2, "intercepted": true, "usage": [200, 120, 14, 4], "cost_usd": 1.0, "model_ms": 60.0,
                "code_ms": 4.0, "picture": null},
            {"number": 3, "returned": true, "code_ms": 4.0},
        ]}]);
        assert_eq!(found, wanted);
    }
}
