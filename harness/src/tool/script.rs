//! Tools defined by the JavaScript files of a folder, one per file. Every call runs in its own
//! sandbox session.
//!
//! A file assigns `module.exports = { description, parameters, variables, run }`. The name of the
//! file is the name of the tool. The tool can access its arguments, `env` and `options`, but not
//! the agents.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use sandbox::HostFunctions;
use sandbox::message::{CellError, Context};
use serde::Deserialize;
use serde_json::{Number, Value, json};

use super::sandbox::{ToolSandbox, finish};
use super::{Tool, ToolError, ToolScope};
use crate::model::ToolSpec;
use crate::prompt::definition::{InputSchema, Variable, VariableType};
use crate::text::{read_text_file, sha256_hex, sorted_paths};

/// Code that runs before a tool's file.
const BEFORE: &str = include_str!("script/before.js");
/// Code that returns the exports of the file.
const DESCRIBE: &str = include_str!("script/describe.js");
/// Code that calls the exported function `run`.
const CALL: &str = include_str!("script/call.js");
/// Variable with the arguments and the scope of the call.
const CALL_NAME: &str = "__call";
/// Number of the cell that contains the file, as it appears in stack traces.
const FILE_CELL: u32 = 2;

/// A tool defined by a file.
struct Script {
    spec: ToolSpec,
    variables: Vec<Variable>,
    file: PathBuf,
    source: Arc<str>,
    digest: String,
    sandbox: Arc<ToolSandbox>,
}

/// Error for a file that does not define a tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct ScriptError {
    /// Path of the file, with `:LINE` appended if the line is known.
    pub file: String,
    /// Description of the problem.
    pub problem: String,
}

/// Exports of a file. `run` is the result of `typeof run`, normally `function`.
#[derive(Deserialize)]
struct Exported {
    description: Value,
    parameters: Value,
    variables: Value,
    run: String,
}

/// Loads a tool from each `*.js` file of a folder, sorted by file name.
///
/// # Errors
/// Returns [`ScriptError`] for the first file that does not define a tool, or for a folder that
/// cannot be read.
pub async fn script_tools(
    folder: &Path,
    sandbox: &Arc<ToolSandbox>,
) -> Result<Vec<Arc<dyn Tool>>, ScriptError> {
    let unreadable = |path: &Path, error: &std::io::Error| ScriptError {
        file: path.display().to_string(),
        problem: format!("cannot be read: {error}"),
    };
    let mut files = sorted_paths(folder).map_err(|error| unreadable(folder, &error))?;
    files.retain(|path| path.extension().is_some_and(|ending| ending == "js"));
    let mut tools: Vec<Arc<dyn Tool>> = Vec::new();
    for file in files {
        let source = read_text_file(&file).map_err(|error| unreadable(&file, &error))?;
        tools.push(Arc::new(load(file, source, sandbox).await?));
    }
    Ok(tools)
}

async fn load(
    file: PathBuf,
    source: String,
    sandbox: &Arc<ToolSandbox>,
) -> Result<Script, ScriptError> {
    let wrong = |problem: String| ScriptError {
        file: file.display().to_string(),
        problem,
    };
    let name = file.file_stem().unwrap_or_default().to_string_lossy();
    HostFunctions::new([name.to_string()])
        .map_err(|error| wrong(format!("the file name is not a valid tool name: {error}")))?;
    let text = run(sandbox, &source, None, DESCRIBE)
        .await
        .map_err(|failure| failure.of(&file))?;
    let exported: Exported =
        serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    if exported.run != "function" {
        let found = exported.run;
        return Err(wrong(format!(
            "expected `module.exports = {{ description, parameters, run }}` with a function `run`, found {found}"
        )));
    }
    let description = exported.description.as_str().unwrap_or_default().trim();
    if description.is_empty() {
        return Err(wrong(
            "`description` must be a string that is not blank".to_owned(),
        ));
    }
    InputSchema::new(exported.parameters.clone())
        .map_err(|problem| wrong(format!("`parameters`: {problem}")))?;
    let variables: Vec<Declared> = match exported.variables {
        Value::Null => Vec::new(),
        list => serde_json::from_value(list).map_err(|error| {
            wrong(format!(
                "`variables` must be a list of {{ name, type, required, description }}: {error}"
            ))
        })?,
    };
    let variables = variables.into_iter().map(Variable::from).collect();
    Ok(Script {
        spec: ToolSpec {
            name: name.to_string(),
            description: description.to_owned(),
            parameters: exported.parameters,
        },
        variables,
        digest: sha256_hex(&source),
        source: source.into(),
        sandbox: Arc::clone(sandbox),
        file,
    })
}

/// A variable declared by a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Declared {
    name: String,
    #[serde(rename = "type", default = "text")]
    kind: VariableType,
    #[serde(default)]
    required: bool,
    #[serde(default)]
    description: String,
}

const fn text() -> VariableType {
    VariableType::Text
}

impl From<Declared> for Variable {
    fn from(declared: Declared) -> Self {
        Self {
            name: declared.name,
            kind: declared.kind,
            required: declared.required,
            description: declared.description,
        }
    }
}

#[async_trait]
impl Tool for Script {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: Value, scope: &ToolScope) -> Result<Value, ToolError> {
        if let Some(number) = lossy_integer(&arguments) {
            return Err(ToolError(format!(
                "JavaScript cannot hold the integer {number} exactly: pass it as a string"
            )));
        }
        let call = json!({
            "arguments": arguments,
            "scope": { "env": scope.env, "options": scope.options },
        });
        let text = run(&self.sandbox, &self.source, Some(&call), CALL)
            .await
            .map_err(|failure| {
                // The message omits the folder, which does not help the model.
                let file = self.file.file_name().unwrap_or_default();
                ToolError(failure.of(Path::new(file)).to_string())
            })?;
        // The result is in a list, because JSON cannot represent `undefined`.
        let mut results: Vec<Value> = serde_json::from_str(&text)
            .map_err(|error| ToolError(format!("its result is no JSON: {error}")))?;
        Ok(results.pop().unwrap_or_default())
    }

    fn variables(&self) -> &[Variable] {
        &self.variables
    }

    fn version(&self) -> String {
        self.digest.clone()
    }
}

/// Returns the first number in a call's arguments whose absolute value exceeds 2^53 - 1
/// (`Number.MAX_SAFE_INTEGER`), if any.
fn lossy_integer(arguments: &Value) -> Option<&Number> {
    const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;
    match arguments {
        Value::Number(number) => {
            let is_lossy = number
                .as_f64()
                .is_some_and(|value| value.abs() > MAX_SAFE_INTEGER);
            is_lossy.then_some(number)
        }
        Value::Array(items) => items.iter().find_map(lossy_integer),
        Value::Object(members) => members.values().find_map(lossy_integer),
        _ => None,
    }
}

/// Error when running a file or its function `run`.
enum Failure {
    /// The code threw an error or was stopped.
    Cell(CellError),
    /// The sandbox failed.
    Sandbox(String),
}

impl Failure {
    fn of(self, file: &Path) -> ScriptError {
        let file = file.display();
        match self {
            Self::Cell(error) => ScriptError {
                file: line(&error).map_or(file.to_string(), |line| format!("{file}:{line}")),
                problem: error.message,
            },
            Self::Sandbox(problem) => ScriptError {
                file: file.to_string(),
                problem,
            },
        }
    }
}

/// Returns the line of the file at which an error occurred: the innermost one in the stack trace,
/// or else the one in the message.
fn line(error: &CellError) -> Option<u32> {
    let digits = |text: &str| {
        let end = text.find(|c: char| !c.is_ascii_digit());
        text[..end.unwrap_or(text.len())].parse().ok()
    };
    let place = format!("cell {FILE_CELL}:");
    let of_stack = error
        .stack
        .iter()
        .find_map(|frame| digits(frame.split_once(&place)?.1));
    of_stack.or_else(|| digits(error.message.rsplit_once("(line ")?.1))
}

/// Runs a file and then `code` in a new session. Returns the result of `code`.
async fn run(
    sandbox: &ToolSandbox,
    source: &str,
    call: Option<&Value>,
    code: &str,
) -> Result<String, Failure> {
    let context = Context::text("");
    let mut repl = sandbox.open(context).await.map_err(Failure::Sandbox)?;
    let mut returned = None;
    for (number, cell) in [(1, BEFORE), (FILE_CELL, source), (3, code)] {
        if number == 3
            && let Some(call) = call
        {
            repl.set(CALL_NAME, call);
        }
        let outcome = finish(&mut repl, cell, number)
            .await
            .map_err(Failure::Sandbox)?;
        if let Some(error) = outcome.error {
            return Err(Failure::Cell(error));
        }
        returned = outcome.value;
    }
    returned.ok_or_else(|| Failure::Sandbox("it ended without a result".to_owned()))
}
