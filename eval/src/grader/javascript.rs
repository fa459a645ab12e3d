//! Scores with a JavaScript file whose function `score(answer, expected, metadata)` runs in the
//! sandbox.
//!
//! Each answer is scored in a separate isolate, so that scores are independent.

use std::path::Path;

use async_trait::async_trait;
use benchmarks::Score;
use harness::sandbox::message::{
    AgentInfo, CallKind, CellError, CellErrorKind, CellOutcome, Context,
};
use harness::sandbox::{Config, Isolation, Limits, Repl, Sandbox, StartError};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{Grade, Grader, GraderError, JudgeLog, ScorableAnswer};
use crate::process::terminal;
use crate::settings::{GraderSettings, ScorerLimits};

/// Cell that checks whether the file defines a scorer.
const IS_SCORER: &str = include_str!("javascript/is_scorer.js");

/// Cell that calls the scorer.
const SCORE: &str = include_str!("javascript/score.js");

/// Maximum size of a score's details, in characters of JSON.
const LONGEST_DETAILS: usize = 100_000;

/// A scorer in a JavaScript file.
pub struct JavaScript {
    /// File name, for messages.
    file: String,
    source: String,
    /// Lowercase hex SHA-256 of the source.
    digest: String,
    name: String,
    limits: ScorerLimits,
    isolation: Isolation,
    sandbox: Sandbox,
}

impl JavaScript {
    /// Opens the file without running it.
    ///
    /// # Errors
    /// [`GraderError::Script`] or [`GraderError::Sandbox`].
    pub fn read(path: &Path, settings: &GraderSettings) -> Result<Self, GraderError> {
        let source = harness::read_text_file(path).map_err(|reason| {
            GraderError::Script(format!("cannot read {}: {reason}", path.display()))
        })?;
        let digest = hex::encode(Sha256::digest(&source));
        let file = path.file_name().unwrap_or(path.as_os_str());
        let (limits, isolation) = (settings.limits, settings.isolation.clone());
        Ok(Self {
            file: file.to_string_lossy().into_owned(),
            name: format!("javascript/{}", &digest[..12]),
            sandbox: sandbox(limits, isolation.clone())?,
            source,
            digest,
            limits,
            isolation,
        })
    }

    /// Runs the file, then a cell that receives `values`, in a fresh isolate, and returns the
    /// cell's value.
    async fn run(
        &self,
        sandbox: &Sandbox,
        cell: &str,
        values: &[(&str, &Value)],
    ) -> Result<String, String> {
        let session = sandbox.session().await.map_err(|error| error.to_string())?;
        let info = AgentInfo::of_host_code("scorer");
        let mut repl = session.open(None, Context::text(""), info);
        self.cell(&mut repl, 1, &self.source).await?;
        for (name, value) in values {
            repl.set(*name, value);
        }
        self.cell(&mut repl, 2, cell).await
    }

    async fn cell(&self, repl: &mut Repl, number: u32, code: &str) -> Result<String, String> {
        let refuse = |kind: CallKind| format!("{kind}() is not available in a scorer");
        match repl.run_to_end(code, number, refuse).await {
            Ok(CellOutcome {
                error: Some(error), ..
            }) => Err(self.describe(&error)),
            Ok(outcome) => Ok(outcome.value.unwrap_or_default()),
            Err(lost) => Err(format!("{}: {lost}", self.file)),
        }
    }

    /// Formats an error with file name and line.
    fn describe(&self, error: &CellError) -> String {
        let file = &self.file;
        let ScorerLimits { time, heap_bytes } = self.limits;
        match error.kind {
            CellErrorKind::TimedOut => {
                let seconds = time.as_secs_f64();
                return format!(
                    "{file}: it exceeded the time limit of {seconds} s (--scorer-timeout)"
                );
            }
            CellErrorKind::OutOfMemory => {
                let megabytes = heap_bytes >> 20;
                return format!(
                    "{file}: it exceeded the memory limit of {megabytes} MB \
                    (--scorer-memory-limit)"
                );
            }
            _ => {}
        }
        if let Some((message, line, column)) = syntax_error(&error.message) {
            return format!("{file}:{line}:{column}: {message}");
        }
        // The file is the first cell; its innermost stack frame is where the error occurred.
        let place = error
            .stack
            .iter()
            .find_map(|frame| frame.split_once("cell 1:"));
        match place {
            Some((_, place)) => {
                let place = place.trim_end_matches(')');
                format!("{file}:{place}: {}", error.message)
            }
            None => format!("{file}: {}", error.message),
        }
    }
}

#[async_trait]
impl Grader for JavaScript {
    fn name(&self) -> &str {
        &self.name
    }

    fn identity(&self) -> Value {
        json!({ "javascript": self.digest })
    }

    async fn check(&self) -> Result<(), GraderError> {
        // Use a separate sandbox, so that the isolates of `self.sandbox` remain available to the
        // attempts.
        let sandbox = sandbox(self.limits, self.isolation.clone())?;
        let kind = self.run(&sandbox, IS_SCORER, &[]).await;
        match kind.map_err(GraderError::Script)?.as_str() {
            "function" => Ok(()),
            kind => Err(GraderError::Script(format!(
                "{}: `score` is {kind}; the file must declare function score(answer, expected, metadata)",
                self.file
            ))),
        }
    }

    async fn grade(&self, answered: &ScorableAnswer<'_>, _log: &dyn JudgeLog) -> Grade {
        let sample = answered.sample;
        let values = [
            ("$answer", &json!(answered.answer)),
            ("$expected", &sample.expected),
            ("$metadata", &json!(sample.metadata)),
        ];
        let returned = match self.run(&self.sandbox, SCORE, &values).await {
            Ok(returned) => returned,
            Err(problem) => return Grade::failed(problem),
        };
        match self.read_score(&returned) {
            Ok((score, details)) => Grade {
                details,
                ..Grade::of(score)
            },
            Err(problem) => Grade::failed(format!("{}: {problem}", self.file)),
        }
    }
}

impl JavaScript {
    /// Parses the value that `score` returned. `returned` is its JSON text, or empty if JSON cannot
    /// represent the value.
    fn read_score(&self, returned: &str) -> Result<(Score, Option<Value>), String> {
        let wanted = "expected a number from 0 to 1, or an object {score, …} with such a number";
        let value: Value = serde_json::from_str(returned).unwrap_or_default();
        let shown: String = returned.chars().take(60).collect();
        let (number, mut details) = match value {
            Value::Object(mut fields) => (fields.shift_remove("score"), fields),
            value => (Some(value), Map::new()),
        };
        let number = number.as_ref().and_then(Value::as_f64);
        let Some(value) = number.filter(|number| (0.0..=1.0).contains(number)) else {
            let shown = if shown.is_empty() {
                "a value that JSON cannot represent".to_owned()
            } else {
                shown
            };
            return Err(format!("score() returned {shown}; {wanted}"));
        };
        let explanation = match details.get("explanation") {
            Some(Value::String(_)) => details.shift_remove("explanation"),
            _ => None,
        };
        let explanation = match explanation {
            Some(Value::String(text)) => text,
            _ => format!("by {}", self.file),
        };
        let details = (!details.is_empty()).then_some(Value::Object(details));
        if let Some(details) = &details
            && details.to_string().chars().count() > LONGEST_DETAILS
        {
            return Err(format!(
                "the details exceed {LONGEST_DETAILS} characters of JSON"
            ));
        }
        Ok((Score::new(value, explanation), details))
    }
}

/// Splits `SyntaxError: Unexpected token (line 1, column 9)` into message, line and column.
fn syntax_error(message: &str) -> Option<(&str, &str, &str)> {
    let (message, place) = message.strip_suffix(')')?.rsplit_once(" (line ")?;
    let (line, column) = place.split_once(", column ")?;
    message
        .starts_with("SyntaxError")
        .then_some((message, line, column))
}

fn sandbox(limits: ScorerLimits, isolation: Isolation) -> Result<Sandbox, StartError> {
    /// Bytes that a worker process may use beyond its heap before it is killed.
    const BEYOND_HEAP: u64 = 1536 << 20;
    let config = Config {
        limits: Limits {
            cell_time: limits.time,
            timer_timeout: limits.time,
            heap_bytes: limits.heap_bytes,
            process_bytes: limits.heap_bytes + BEYOND_HEAP,
            ..Limits::default()
        },
        ..Config::default()
    };
    Sandbox::new(config, isolation, terminal::warning)
}
