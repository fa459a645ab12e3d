//! `rlm-eval repl --json`: reads one JSON object per line and writes one per line.

use std::io::{self, BufRead, Write};

use harness::sandbox::{StartError, check_name};
use serde::Serialize;
use serde_json::{Map, Value};

use super::root::{FRESH_SESSION, RootRepl};
use crate::error::Error;

/// Answers each input line with one output line, in order, until the input ends.
///
/// An invalid request is answered with an error, and the session continues.
///
/// # Errors
/// [`Error::Sandbox`], [`Error::Stdin`] and [`Error::Stdout`]. A reader that closes the pipe ends
/// the conversation without an error.
pub(super) async fn converse(
    root: &mut RootRepl,
    mut input: impl BufRead,
    mut output: impl Write,
) -> Result<(), Error> {
    for number in 1_u64.. {
        // Allocate a buffer for each line, so that the memory of a 100 MB line is freed after it.
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line).map_err(Error::Stdin)? == 0 {
            break;
        }
        let request = parse(&line);
        drop(line);
        let answer = match request {
            Ok(request) => answer(root, request).await?,
            Err(problem) => Answer::error(format!("line {number}: {problem}")),
        };
        match write_line(&mut output, &answer) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
            written => written.map_err(Error::Stdout)?,
        }
    }
    Ok(())
}

/// One line of input.
enum Request {
    /// `{"code": "…"}`: runs a cell.
    Code(String),
    /// `{"set": {…}}`: sets global variables.
    Set(Map<String, Value>),
}

/// One line of output.
#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Cell {
        output: String,
        error: Option<String>,
        value: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        stack: Vec<String>,
    },
    Set {
        ok: bool,
    },
}

impl Answer {
    fn error(error: String) -> Self {
        Self::Cell {
            output: String::new(),
            error: Some(error),
            value: None,
            stack: Vec::new(),
        }
    }
}

async fn answer(root: &mut RootRepl, request: Request) -> Result<Answer, StartError> {
    let code = match request {
        Request::Code(code) => code,
        Request::Set(values) => {
            for (name, value) in values {
                root.set(name, value).await?;
            }
            return Ok(Answer::Set { ok: true });
        }
    };
    Ok(match root.run(code).await? {
        Err(lost) => Answer::error(format!("{lost}; {FRESH_SESSION}")),
        Ok(outcome) => {
            let (error, stack) = match outcome.error {
                Some(error) => (Some(error.message), error.stack),
                None => (None, Vec::new()),
            };
            Answer::Cell {
                output: outcome.output,
                error,
                value: outcome.value,
                stack,
            }
        }
    })
}

fn parse(line: &[u8]) -> Result<Request, String> {
    const EXPECTED: &str = "expected {\"code\": \"…\"} or {\"set\": {\"name\": value}}";
    let object: Map<String, Value> = serde_json::from_slice(line.trim_ascii_end())
        .map_err(|error| format!("{}; {EXPECTED}", problem(&error)))?;
    let mut entries = object.into_iter();
    let (Some((key, value)), None) = (entries.next(), entries.next()) else {
        return Err(format!("expected exactly one key; {EXPECTED}"));
    };
    match (key.as_str(), value) {
        ("code", Value::String(code)) => Ok(Request::Code(code)),
        ("set", Value::Object(values)) => {
            match values.keys().find_map(|name| check_name(name).err()) {
                Some(error) => Err(format!("`set`: {error}")),
                None => Ok(Request::Set(values)),
            }
        }
        ("code" | "set", _) => Err(format!("`{key}` has a value of the wrong type; {EXPECTED}")),
        _ => Err(format!("unknown key {key:?}; {EXPECTED}")),
    }
}

/// Formats an error with its column but without its line, which serde counts within the request.
/// The caller adds the line number in the input.
fn problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        // Errors about the whole line do not have a column.
        Some(text) if error.column() > 0 => format!("{text} (column {})", error.column()),
        Some(text) => text.to_owned(),
        None => text,
    }
}

fn write_line(output: &mut impl Write, answer: &Answer) -> io::Result<()> {
    serde_json::to_writer(&mut *output, answer)?;
    output.write_all(b"\n")?;
    output.flush()
}
