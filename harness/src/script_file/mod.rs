//! Runs a user's JavaScript and TypeScript files in the sandbox: plain files, and modules as in the
//! Standard Agents specification. A module's default export is the argument of `definePrompt` or
//! `defineHook`.
//!
//! The code can import only `library.js`, and cannot access files, the network or models.
//! [`set_script_isolation`] sets the isolation.

mod host;

use std::thread;

use sandbox::message::{AgentInfo, CellError, CellErrorKind, CellOutcome, Context};
use sandbox::{DEFAULT_EXPORT, Repl, Sandbox, cell_of_module};
use serde_json::Value;

use host::{HEAP_MEGABYTES, TIME};
pub(crate) use host::{fresh_sandbox, shared_sandbox};
pub use host::{script_isolation, set_script_isolation};

use crate::text::LineError;

const LIBRARY: &str = include_str!("library.js");

/// Returns the default export of a module as JSON, which omits functions.
///
/// # Errors
/// Returns [`LineError`] for code that is invalid, throws an error, runs too long or does not
/// `export default` an object.
pub(crate) fn default_export(source: &str, is_typescript: bool) -> Result<String, LineError> {
    on_thread(async || {
        let sandbox = fresh_sandbox()?;
        let mut file = ScriptFile::of_module(&sandbox, source, is_typescript).await?;
        let export = file.run(format!("return({DEFAULT_EXPORT})")).await?;
        Ok(export.value.unwrap_or_default())
    })
}

/// Calls a function of a plain file and returns its result. If the result is a promise, awaits it.
///
/// # Errors
/// Returns [`LineError`] for code that is invalid, throws an error, runs too long, does not
/// define the function, or does not return JSON.
pub(crate) fn call_function(
    source: &str,
    name: &str,
    arguments: &[Value],
) -> Result<Value, LineError> {
    on_thread(async || {
        let sandbox = fresh_sandbox()?;
        let mut file = ScriptFile::plain(&sandbox, source).await?;
        let ask = format!("return(typeof {name} === \"function\")");
        if file.run(ask).await?.value.as_deref() != Some("true") {
            return Err(format!("it does not define a function `{name}`").into());
        }
        file.set("__arguments", &Value::from(arguments.to_vec()));
        let call = format!("return(JSON.stringify(await {name}(...__arguments)) ?? \"null\")");
        let given = file.run(call).await?.value.unwrap_or_default();
        serde_json::from_str(&given)
            .map_err(|error| format!("its result is not JSON: {error}").into())
    })
}

/// Runs a future to its end on a new thread, because the caller may be inside an async runtime.
fn on_thread<T: Send>(
    read: impl AsyncFnOnce() -> Result<T, LineError> + Send,
) -> Result<T, LineError> {
    thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| format!("cannot start a runtime to run it: {error}"))?;
            runtime.block_on(read())
        });
        let stopped = |_| Err("its thread stopped before it finished".to_owned().into());
        reading.join().unwrap_or_else(stopped)
    })
}

/// A sandbox session in which a file has run.
pub(crate) struct ScriptFile {
    repl: Repl,
    cells: u32,
    /// Number of the cell with the file's code, 1-based.
    cell_of_file: u32,
}

impl ScriptFile {
    /// Runs a plain file in a new session.
    ///
    /// # Errors
    /// Returns [`LineError`] for code that is invalid, throws an error or runs too long.
    pub async fn plain(sandbox: &Sandbox, source: &str) -> Result<Self, LineError> {
        let mut file = Self::open(sandbox, 1).await?;
        file.run(source.to_owned()).await?;
        Ok(file)
    }

    /// Runs a module in a new session. Stores the default export, which must be an object, in the
    /// variable [`DEFAULT_EXPORT`].
    ///
    /// # Errors
    /// Returns [`LineError`], as [`default_export`] does.
    pub async fn of_module(
        sandbox: &Sandbox,
        source: &str,
        is_typescript: bool,
    ) -> Result<Self, LineError> {
        let code = cell_of_module(source, is_typescript).map_err(|error| LineError {
            line: Some(error.line as u64),
            problem: error.message,
        })?;
        let mut file = Self::open(sandbox, 2).await?;
        file.run(LIBRARY.to_owned()).await?;
        file.run(code).await?;
        let ask = format!("return(typeof {DEFAULT_EXPORT} === \"object\")");
        if file.run(ask).await?.value.as_deref() != Some("true") {
            return Err("it does not `export default` an object".to_owned().into());
        }
        Ok(file)
    }

    async fn open(sandbox: &Sandbox, cell_of_file: u32) -> Result<Self, LineError> {
        let session = sandbox.session().await.map_err(|error| error.to_string())?;
        let info = AgentInfo::of_host_code("file");
        Ok(Self {
            repl: session.open(None, Context::text(""), info),
            cells: 0,
            cell_of_file,
        })
    }

    /// Sets a variable to a JSON value.
    pub fn set(&self, name: &str, value: &Value) {
        self.repl.set(name, value);
    }

    /// Runs a cell in the file's session.
    ///
    /// # Errors
    /// Returns [`LineError`] with the innermost line of the file if the cell fails.
    pub async fn run(&mut self, code: String) -> Result<CellOutcome, LineError> {
        self.cells += 1;
        let refuse = |_| "script files cannot call models".to_owned();
        let ran = self.repl.run_to_end(code, self.cells, refuse).await;
        let outcome = ran.map_err(|lost| host::lost(&lost))?;
        match &outcome.error {
            Some(error) => Err(self.error(error)),
            None => Ok(outcome),
        }
    }

    /// Converts a cell's error. The line is that of the innermost stack frame in the file.
    fn error(&self, error: &CellError) -> LineError {
        let cell = format!("cell {}:", self.cell_of_file);
        let of_file = |frame: &String| {
            let place = frame.split(&cell).nth(1)?;
            let line: String = place.chars().take_while(char::is_ascii_digit).collect();
            line.parse().ok()
        };
        LineError {
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
