//! Finds reasons for failures in a trajectory: the last failed call, and a child with the right
//! answer.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use memchr::memmem;
use model::web::{ActionResult, ActionStatus};
use model::{Event, EventKind, WebEvent};
use parking_lot::Mutex;
use records::trajectory::heads;
use serde_json::Value;

use super::answer_form::is_right;
use crate::error::ViewError;

/// Maximum bytes of a string in an event. Longer answers of children are not compared.
const READ: usize = 16_000;

/// Reasons for an attempt's failure, found in its trajectory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trace {
    /// Kind of the last failed call, unless at least two of the root's cells succeeded after it.
    pub last_failed: Option<String>,
    /// First child that gave the right answer.
    pub right_child: Option<String>,
}

/// Cache of traces by path. A trace is valid while the length of its file is unchanged.
#[derive(Debug, Default)]
pub struct Traces(Mutex<HashMap<PathBuf, (u64, Arc<Trace>)>>);

#[derive(Debug)]
pub enum TraceLookup {
    /// The trajectory is missing or cannot be read.
    Nothing,
    /// No time was left for reading the trajectory.
    Later,
    /// The trace, from the cache or the trajectory.
    Read(Arc<Trace>),
}

impl Traces {
    /// Returns the cached trace of a trajectory, or reads it if time is left. Subtracts the time
    /// spent on reading from `left`.
    pub(super) fn of(
        &self,
        path: &Path,
        expected: &Value,
        left: &mut Duration,
        inside: impl Fn(&Path) -> Result<(), ViewError>,
    ) -> TraceLookup {
        let Ok(file) = fs::metadata(path) else {
            return TraceLookup::Nothing;
        };
        if let Some((length, trace)) = self.0.lock().get(path)
            && *length == file.len()
        {
            return TraceLookup::Read(Arc::clone(trace));
        }
        if left.is_zero() {
            return TraceLookup::Later;
        }
        if !file.is_file() || inside(path).is_err() {
            return TraceLookup::Nothing;
        }
        let began = Instant::now();
        let trace = Trace::read(path, expected);
        *left = left.saturating_sub(began.elapsed());
        let Ok(trace) = trace else {
            return TraceLookup::Nothing;
        };
        let trace = Arc::new(trace);
        let known = (file.len(), Arc::clone(&trace));
        self.0.lock().insert(path.to_owned(), known);
        TraceLookup::Read(trace)
    }
}

/// Event types to parse; all other lines are skipped.
const TYPES: [&str; 6] = [
    "iteration_end",
    "invocation_end",
    "tool_call",
    "delegation_error",
    "llm_error",
    "web",
];

impl Trace {
    /// Reads the trajectory of an attempt whose expected answer is `expected`.
    pub fn read(path: &Path, expected: &Value) -> io::Result<Self> {
        let wanted = TYPES.map(|name| format!("\"type\":\"{name}\""));
        let finders = wanted.iter().map(memmem::Finder::new);
        let finders: Vec<_> = finders.collect();
        let mut file = BufReader::with_capacity(1 << 18, File::open(path)?);
        let mut reading = TraceReader {
            expected,
            trace: Self::default(),
            successes_since_failure: 0,
        };
        let mut line = Vec::new();
        loop {
            line.clear();
            if file.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if finders.iter().all(|finder| finder.find(&line).is_none()) {
                continue;
            }
            if let Ok(event) = serde_json::from_slice(&heads(&line, READ)) {
                reading.take(&event);
            }
        }
        if reading.successes_since_failure > 1 {
            reading.trace.last_failed = None;
        }
        Ok(reading.trace)
    }
}

struct TraceReader<'a> {
    expected: &'a Value,
    trace: Trace,
    /// Number of root cells and browser action lists that succeeded after the last failed call.
    successes_since_failure: u32,
}

impl TraceReader<'_> {
    fn take(&mut self, event: &Event) {
        match &event.kind {
            EventKind::InvocationEnd {
                answer: Some(answer),
                ..
            } if event.depth > 0
                && self.trace.right_child.is_none()
                && is_right(answer, self.expected) =>
            {
                self.trace.right_child = Some(event.invocation.clone());
            }
            EventKind::IterationEnd { error, code, .. } => match error {
                Some(error) => self.failed(format!("cell: {}", error_class(error))),
                None if event.depth == 0 && !code.is_empty() => self.successes_since_failure += 1,
                None => {}
            },
            EventKind::ToolCall { name, is_error, .. } if *is_error => {
                self.failed(format!("tool {name}"));
            }
            EventKind::DelegationError { .. } => self.failed("call of a child".to_owned()),
            EventKind::LlmError { .. } => self.failed("call of the model".to_owned()),
            EventKind::Web {
                event:
                    WebEvent::PageCall {
                        function,
                        error: Some(_),
                        ..
                    },
            } => self.failed(function.clone()),
            EventKind::Web {
                event: WebEvent::ActionResults { results },
            } => self.take_action_results(results),
            EventKind::Web {
                event: WebEvent::NoPage { .. },
            } => self.failed("reading the page".to_owned()),
            _ => {}
        }
    }

    fn failed(&mut self, kind: String) {
        self.trace.last_failed = Some(kind);
        self.successes_since_failure = 0;
    }

    fn take_action_results(&mut self, results: &[ActionResult]) {
        match results.iter().rev().find_map(failed_action) {
            Some(kind) => self.failed(kind),
            None => self.successes_since_failure += 1,
        }
    }
}

fn failed_action(result: &ActionResult) -> Option<String> {
    (result.result == ActionStatus::Failed).then(|| format!("action {}", result.action))
}

/// Returns the class of an error, such as `TypeError` for `TypeError: x is not a function`, or the
/// first line if there is no class.
fn error_class(error: &str) -> &str {
    let line = error.trim().lines().next().unwrap_or_default();
    let line = line.strip_prefix("Uncaught ").unwrap_or(line);
    match line.split_once(':') {
        Some((class, _)) if !class.is_empty() && class.chars().all(char::is_alphanumeric) => class,
        _ => line,
    }
}
