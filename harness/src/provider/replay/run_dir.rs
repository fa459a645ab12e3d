//! Reads run directories, which contain responses in `trajectories/*.jsonl`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::file::{ReplayError, format_error, lines, read_bytes};
use super::recorded_run::{Key, RecordedRun};
use crate::model::lenient_json;
use crate::model::{Event, EventKind, Protocol, Role};
use crate::prompt::code_tool;
use crate::provider::{ProviderError, Response};
use crate::text::sorted_paths;

/// Reads a run directory. Skips a truncated last line, which a killed run may have left.
pub(super) fn read(path: &Path) -> Result<RecordedRun, ReplayError> {
    let folder = path.join("trajectories");
    if !folder.is_dir() {
        return Err(format_error(path, "it has no folder `trajectories`"));
    }
    let mut run = RecordedRun {
        samples: Vec::new(),
        responses: HashMap::new(),
        has_attempts: true,
        cassette: None,
    };
    let files = sorted_paths(&folder).map_err(|error| ReplayError::unreadable(&folder, &error))?;
    let is_trajectory = |file: &&PathBuf| file.extension().is_some_and(|ending| ending == "jsonl");
    for file in files.iter().filter(is_trajectory) {
        read_trajectory(file, &mut run)?;
    }
    Ok(run)
}

fn read_trajectory(file: &Path, run: &mut RecordedRun) -> Result<(), ReplayError> {
    let bytes = read_bytes(file)?;
    let mut turns: HashMap<String, u32> = HashMap::new();
    let mut root = Role::Root(Protocol::Rlm);
    let lines: Vec<&[u8]> = lines(&bytes).collect();
    for (index, line) in lines.iter().enumerate() {
        let event: Event = match lenient_json::from_slice(line) {
            Ok(event) => event,
            Err(_) if index + 1 == lines.len() && !bytes.ends_with(b"\n") => break,
            Err(error) => return Err(format_error(file, in_line(index + 1, &error))),
        };
        match event.kind {
            EventKind::InvocationStart { role, .. } if event.depth == 0 => root = role,
            EventKind::LlmRequest { .. } => {
                *turns.entry(event.invocation.clone()).or_default() += 1;
            }
            EventKind::LlmResponse {
                text,
                reasoning,
                mut tool_calls,
                code,
                truncated,
                usage,
                cost_usd,
                served_model,
                request_id,
                finish_reason,
                ..
            } => {
                let turn = turns.get(&event.invocation).copied().unwrap_or(1);
                let role = if event.depth == 0 { root } else { Role::Child };
                let invocation = Key::invocation(role, &event.invocation);
                if !run.samples.contains(&event.sample) {
                    run.samples.push(event.sample.clone());
                }
                let key = Key {
                    sample: event.sample,
                    attempt: event.attempt,
                    invocation,
                    turn,
                    trims: 0,
                };
                tool_calls.extend(code.as_deref().map(code_tool::call));
                let response = Response {
                    text,
                    reasoning,
                    tool_calls,
                    // Omitted, because only the server that returned it can use it.
                    reasoning_signature: None,
                    usage,
                    cost_usd,
                    served_model,
                    request_id,
                    finish_reason,
                };
                let result = if truncated {
                    let response = Box::new(response);
                    Err(ProviderError::Truncated { response })
                } else {
                    Ok(response)
                };
                run.responses.insert(key, result.into());
            }
            _ => {}
        }
    }
    Ok(())
}

/// Formats a parser error with the actual line number. The parser reports line 1, because it
/// receives one line at a time.
fn in_line(line: usize, error: &serde_json::Error) -> String {
    let (text, column) = (error.to_string(), error.column());
    let place = format!(" at line {} column {column}", error.line());
    let problem = text.strip_suffix(&place).unwrap_or(&text);
    format!("{problem} at line {line} column {column}")
}
