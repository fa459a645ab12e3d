//! User-supplied hooks in JavaScript or TypeScript files, which define functions named after events
//! or call `defineHook`.

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use sandbox::Sandbox;
use serde_json::Value;

use super::{Hook, HookError, HookEvent, RunningHook};
use crate::script_file::{ScriptFile, fresh_sandbox, shared_sandbox};
use crate::text::{LineError, read_text_file, sha256_hex, sorted_paths};

/// Script that converts the argument of `defineHook` to an event handler.
const DEFINED: &str = include_str!("defined.js");

/// Hook defined by a file.
#[derive(Debug, Clone)]
pub struct ScriptHook {
    name: String,
    description: String,
    digest: String,
    file: PathBuf,
    source: String,
    /// Whether the file calls `defineHook`.
    is_module: bool,
    events: Vec<&'static str>,
}

/// Error for a folder or file that cannot be read, or for a file that does not define a hook.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct HookFileError(String);

impl HookFileError {
    fn unreadable(path: &Path, error: &std::io::Error) -> Self {
        Self(format!("cannot read {}: {error}", path.display()))
    }
}

/// Returns the hook files of a folder, sorted by name.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, HookFileError> {
    let mut files =
        sorted_paths(folder).map_err(|error| HookFileError::unreadable(folder, &error))?;
    files.retain(|file| {
        file.extension().is_some_and(|ending| ending == "js") || is_typescript(file)
    });
    Ok(files)
}

fn is_typescript(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "ts")
}

impl ScriptHook {
    /// Reads a hook from a file. Runs the file once to find the events that the hook handles. The
    /// description is a `//` comment on the first line.
    ///
    /// # Errors
    /// Returns [`HookFileError`] with the file and, if its code fails, the line.
    pub async fn read(file: &Path) -> Result<Self, HookFileError> {
        let source =
            read_text_file(file).map_err(|error| HookFileError::unreadable(file, &error))?;
        let first = source.lines().next().unwrap_or_default();
        let mut hook = Self {
            name: file
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            description: first
                .strip_prefix("//")
                .unwrap_or_default()
                .trim()
                .to_owned(),
            digest: sha256_hex(&source),
            file: file.to_owned(),
            is_module: sandbox::module_calls(&source, is_typescript(file), "defineHook"),
            source,
            events: Vec::new(),
        };
        let found = hook.find_events().await;
        found.map_err(|error| HookFileError(hook.located(&error.to_string())))?;
        if hook.events.is_empty() {
            let names = HookEvent::NAMES.join(", ");
            let problem = format!("expected at least one of the functions {names}");
            return Err(HookFileError(hook.located(&problem)));
        }
        Ok(hook)
    }

    /// Runs the file to find the events that the hook handles and the name that the file passes to
    /// `defineHook`.
    async fn find_events(&mut self) -> Result<(), LineError> {
        let mut running = start(self, &fresh_sandbox()?).await?;
        for name in HookEvent::NAMES {
            let ask = if self.is_module {
                format!("return($event === \"{name}\")")
            } else {
                format!("return(typeof {name} === \"function\")")
            };
            if running.run(ask).await?.value.as_deref() == Some("true") {
                self.events.push(name);
            }
        }
        if self.is_module {
            let id = running.run("return($default.id)".to_owned()).await?;
            self.name = id.value.unwrap_or_default();
        }
        Ok(())
    }

    fn located(&self, reason: &str) -> String {
        format!("{}: {reason}", self.file.display())
    }
}

impl Hook for ScriptHook {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn events(&self) -> &[&'static str] {
        &self.events
    }

    fn digest(&self) -> &str {
        &self.digest
    }

    fn begin(&self) -> Box<dyn RunningHook> {
        Box::new(ScriptWork {
            hook: self.clone(),
            running: None,
        })
    }
}

/// Hook script in one attempt. It starts at the first event that it handles.
struct ScriptWork {
    hook: ScriptHook,
    running: Option<ScriptFile>,
}

#[async_trait]
impl RunningHook for ScriptWork {
    async fn handle(&mut self, event: &mut HookEvent) -> Result<Vec<String>, HookError> {
        let name = event.name();
        if !self.hook.events.contains(&name) {
            return Ok(Vec::new());
        }
        self.pass(event).await.map_err(|reason| HookError {
            hook: self.hook.name.clone(),
            event: name,
            reason,
        })
    }
}

impl ScriptWork {
    async fn pass(&mut self, event: &mut HookEvent) -> Result<Vec<String>, String> {
        if self.running.is_none() {
            let started = start(&self.hook, &shared_sandbox()?).await;
            self.running = Some(started.map_err(|error| self.hook.located(&error.to_string()))?);
        }
        let Some(running) = &mut self.running else {
            return Err("it did not start".to_owned());
        };
        running.set("__moment", &event.to_json());
        let function = if self.hook.is_module {
            "$hook"
        } else {
            event.name()
        };
        // A handler without a return value may have changed its argument in place.
        let call = format!("return((await {function}(__moment)) ?? __moment)");
        let outcome = running.run(call).await;
        let outcome = outcome.map_err(|error| self.hook.located(&error.to_string()))?;
        let changes: Value = serde_json::from_str(outcome.value.as_deref().unwrap_or_default())
            .map_err(|_| self.hook.located("it did not return an object"))?;
        let changed = event.changed(changes);
        *event = changed.map_err(|reason| self.hook.located(&reason))?;
        Ok(outcome.output.lines().map(str::to_owned).collect())
    }
}

/// Starts a session and runs a hook's file in it.
async fn start(hook: &ScriptHook, sandbox: &Sandbox) -> Result<ScriptFile, LineError> {
    if !hook.is_module {
        return ScriptFile::plain(sandbox, &hook.source).await;
    }
    let is_typescript = is_typescript(&hook.file);
    let mut file = ScriptFile::of_module(sandbox, &hook.source, is_typescript).await?;
    file.run(DEFINED.to_owned()).await?;
    Ok(file)
}
