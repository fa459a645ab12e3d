//! JavaScript and TypeScript files of a user's own, run in the sandbox: plain ones, and modules in the shape of the Standard Agents
//! specification, whose default export is what `definePrompt` or `defineHook` was given.
//!
//! Such code has `library.js` to import from, and neither files nor network nor models. It runs where [`run_scripts_in`] says.

mod place;

use std::thread;

use sandbox::message::{AgentInfo, CellError, CellErrorKind, CellOutcome, Context};
use sandbox::{DEFAULT_EXPORT, Event, Repl, Sandbox, cell_of_module};
use serde_json::Value;

use place::{HEAP_MEGABYTES, TIME};
pub(crate) use place::{fresh_sandbox, shared_sandbox};
pub use place::{run_scripts_in, scripts_run_in};

const LIBRARY: &str = include_str!("library.js");

/// What a file is wrong in.
#[derive(Debug, thiserror::Error)]
#[error("{}{problem}", .line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub(crate) struct ScriptFileError {
    /// The file's line, where it is known.
    pub line: Option<u64>,
    /// What is wrong, in words of the parser or of the code.
    pub problem: String,
}

impl From<String> for ScriptFileError {
    fn from(problem: String) -> Self {
        Self {
            line: None,
            problem,
        }
    }
}

/// The default export of a module as JSON, functions left out.
///
/// # Errors
/// [`ScriptFileError`] for code that does not parse, fails, takes too long or exports nothing.
pub(crate) fn default_export(source: &str, is_typescript: bool) -> Result<String, ScriptFileError> {
    on_thread(async || {
        let sandbox = fresh_sandbox()?;
        let mut file = ScriptFile::of_module(&sandbox, source, is_typescript).await?;
        let export = file.run(format!("return({DEFAULT_EXPORT})")).await?;
        Ok(export.value.unwrap_or_default())
    })
}

/// What a function of a plain file gives for these arguments; a promise is awaited.
///
/// # Errors
/// [`ScriptFileError`] for code that does not parse, fails, takes too long, has no such function or gives no JSON.
pub(crate) fn call_function(
    source: &str,
    name: &str,
    arguments: &[Value],
) -> Result<Value, ScriptFileError> {
    on_thread(async || {
        let sandbox = fresh_sandbox()?;
        let mut file = ScriptFile::plain(&sandbox, source).await?;
        let ask = format!("return(typeof {name} === \"function\")");
        if file.run(ask).await?.value.as_deref() != Some("true") {
            return Err(format!("it has no function `{name}`").into());
        }
        file.set("__arguments", &Value::from(arguments.to_vec()));
        let call = format!("return(JSON.stringify(await {name}(...__arguments)) ?? \"null\")");
        let given = file.run(call).await?.value.unwrap_or_default();
        serde_json::from_str(&given).map_err(|error| format!("it gave no JSON: {error}").into())
    })
}

/// Runs something of a file to its end, on a thread of its own: callers may be inside of a runtime or not.
fn on_thread<T: Send>(
    read: impl AsyncFnOnce() -> Result<T, ScriptFileError> + Send,
) -> Result<T, ScriptFileError> {
    thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| format!("cannot start a runtime to read it in: {error}"))?;
            runtime.block_on(read())
        });
        let stopped = |_| Err("reading it was not finished".to_owned().into());
        reading.join().unwrap_or_else(stopped)
    })
}

/// A session in which a file has run.
pub(crate) struct ScriptFile {
    repl: Repl,
    cells: u32,
    /// The cell that is the file.
    cell_of_file: u32,
}

impl ScriptFile {
    /// Runs a plain file.
    ///
    /// # Errors
    /// [`ScriptFileError`], as in [`default_export`].
    pub async fn plain(sandbox: &Sandbox, source: &str) -> Result<Self, ScriptFileError> {
        let mut file = Self::open(sandbox, 1).await?;
        file.run(source.to_owned()).await?;
        Ok(file)
    }

    /// Runs a module. Its default export, which is an object, is then the variable [`DEFAULT_EXPORT`].
    ///
    /// # Errors
    /// [`ScriptFileError`], as in [`default_export`].
    pub async fn of_module(
        sandbox: &Sandbox,
        source: &str,
        is_typescript: bool,
    ) -> Result<Self, ScriptFileError> {
        let code = cell_of_module(source, is_typescript).map_err(|error| ScriptFileError {
            line: Some(error.line as u64),
            problem: error.message,
        })?;
        let mut file = Self::open(sandbox, 2).await?;
        file.run(LIBRARY.to_owned()).await?;
        file.run(code).await?;
        let ask = format!("return(typeof {DEFAULT_EXPORT} === \"object\")");
        if file.run(ask).await?.value.as_deref() != Some("true") {
            return Err("it has no `export default` of an object".to_owned().into());
        }
        Ok(file)
    }

    async fn open(sandbox: &Sandbox, cell_of_file: u32) -> Result<Self, ScriptFileError> {
        let session = sandbox.session().await.map_err(|error| error.to_string())?;
        let info = AgentInfo {
            depth: 0,
            max_depth: 0,
            max_iterations: 1,
            lineage: Vec::new(),
            invocation_id: "file".to_owned(),
            parent_id: None,
        };
        Ok(Self {
            repl: session.open(None, Context::text(""), info),
            cells: 0,
            cell_of_file,
        })
    }

    /// Gives a variable a JSON value.
    pub fn set(&self, name: &str, value: &Value) {
        self.repl.set(name, value);
    }

    /// Runs a cell.
    ///
    /// # Errors
    /// [`ScriptFileError`] with the innermost line of the file, where the cell fails.
    pub async fn run(&mut self, code: String) -> Result<CellOutcome, ScriptFileError> {
        self.cells += 1;
        self.repl.run(code, self.cells);
        loop {
            let event = self.repl.next().await.map_err(|lost| place::lost(&lost))?;
            match event {
                Event::Called(call) => {
                    let reason = "there are no models here".to_owned();
                    self.repl.settle(call.id, Err(reason));
                }
                Event::Invoked(call) => {
                    let reason = "there are no host functions here".to_owned();
                    self.repl.settle_function(call.id, Err(reason));
                }
                Event::CallContext { .. } | Event::StatusAsked { .. } | Event::Cancelled(_) => {}
                Event::Finished(CellOutcome {
                    error: Some(error), ..
                }) => return Err(self.error(&error)),
                Event::Finished(outcome) => return Ok(outcome),
            }
        }
    }

    /// A cell's error, with the innermost line of the file.
    fn error(&self, error: &CellError) -> ScriptFileError {
        let cell = format!("cell {}:", self.cell_of_file);
        let of_file = |frame: &String| {
            let place = frame.split(&cell).nth(1)?;
            let line: String = place.chars().take_while(char::is_ascii_digit).collect();
            line.parse().ok()
        };
        ScriptFileError {
            line: error.stack.iter().find_map(of_file),
            problem: match error.kind {
                CellErrorKind::TimedOut => {
                    format!("it ran for more than {} s", TIME.as_secs())
                }
                CellErrorKind::OutOfMemory => {
                    format!("it took more than {HEAP_MEGABYTES} MB of memory")
                }
                _ => error.message.clone(),
            },
        }
    }
}
