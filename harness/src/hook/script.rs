//! Hooks of a user's own: JavaScript files whose functions have the names of the events.

use std::path::{Path, PathBuf};
use std::time::Duration;

use async_trait::async_trait;
use sandbox::message::{AgentInfo, CellError, CellOutcome, Context};
use sandbox::{Config, Event, Repl, Session};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::{Hook, HookError, HookEvent, HookWork, Passed};

/// What a hook may compute, and may wait, at one event.
const TIME: Duration = Duration::from_secs(5);

/// A hook in a file.
#[derive(Debug, Clone)]
pub struct ScriptHook {
    name: String,
    description: String,
    digest: String,
    file: PathBuf,
    source: String,
    events: Vec<&'static str>,
}

/// A file that is no hook.
#[derive(Debug, thiserror::Error)]
pub enum HookFileError {
    /// It cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Its code fails.
    #[error("{}: {reason}", .path.display())]
    Code {
        /// The file.
        path: PathBuf,
        /// What it says, and on which line.
        reason: String,
    },
    /// It has no function of an event's name.
    #[error("{}: it has none of the functions {}", .path.display(), HookEvent::NAMES.join(", "))]
    NoMoment {
        /// The file.
        path: PathBuf,
    },
}

/// The hook files of a folder, by name.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, HookFileError> {
    let unreadable = |source| HookFileError::Read {
        path: folder.to_owned(),
        source,
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path();
        if file.extension().is_some_and(|extension| extension == "js") {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

impl ScriptHook {
    /// Reads a hook's file, and runs it once to see which events it has a function for. Its description is the
    /// comment `//` of its first line.
    ///
    /// # Errors
    /// [`HookFileError`] with the file and, where its code fails, the line.
    pub async fn read(file: &Path) -> Result<Self, HookFileError> {
        let source = std::fs::read_to_string(file).map_err(|source| HookFileError::Read {
            path: file.to_owned(),
            source,
        })?;
        let first = source.lines().next().unwrap_or_default();
        let digest = Sha256::digest(&source);
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
            digest: hex::encode(digest),
            file: file.to_owned(),
            source,
            events: Vec::new(),
        };
        let failed = |reason| HookFileError::Code {
            path: file.to_owned(),
            reason,
        };
        let mut running = Running::start(&hook).await.map_err(failed)?;
        for name in HookEvent::NAMES {
            let ask = format!("return(typeof {name} === \"function\")");
            if running.cell(ask).await.map_err(failed)?.value.as_deref() == Some("true") {
                hook.events.push(name);
            }
        }
        if hook.events.is_empty() {
            return Err(HookFileError::NoMoment {
                path: file.to_owned(),
            });
        }
        Ok(hook)
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

    fn begin(&self) -> Box<dyn HookWork> {
        Box::new(ScriptWork {
            hook: self.clone(),
            running: None,
        })
    }
}

/// A hook's script in an attempt; it starts with the first event that it has a function for.
struct ScriptWork {
    hook: ScriptHook,
    running: Option<Running>,
}

#[async_trait]
impl HookWork for ScriptWork {
    async fn see(&mut self, event: HookEvent) -> Result<Passed, HookError> {
        let name = event.name();
        if !self.hook.events.contains(&name) {
            return Ok(Passed {
                event,
                notes: Vec::new(),
            });
        }
        self.pass(event).await.map_err(|reason| HookError {
            hook: self.hook.name.clone(),
            event: name,
            reason,
        })
    }
}

impl ScriptWork {
    async fn pass(&mut self, event: HookEvent) -> Result<Passed, String> {
        if self.running.is_none() {
            let started = Running::start(&self.hook).await;
            self.running = Some(started.map_err(|reason| self.located(&reason))?);
        }
        let Some(running) = &mut self.running else {
            return Err("it did not start".to_owned());
        };
        running.repl.set("__moment", &event.to_json());
        // Without a value of its own, what it did to its argument counts.
        let call = format!("return((await {}(__moment)) ?? __moment)", event.name());
        let outcome = running.cell(call).await;
        let outcome = outcome.map_err(|reason| self.located(&reason))?;
        let changes: Value = serde_json::from_str(outcome.value.as_deref().unwrap_or_default())
            .map_err(|_| self.located("it returned no object"))?;
        let notes = outcome.output.lines().map(str::to_owned).collect();
        let event = event.changed(changes);
        let event = event.map_err(|reason| self.located(&reason))?;
        Ok(Passed { event, notes })
    }

    fn located(&self, reason: &str) -> String {
        format!("{}: {reason}", self.hook.file.display())
    }
}

/// A session in which a hook's file has run.
struct Running {
    repl: Repl,
    cells: u32,
}

impl Running {
    async fn start(hook: &ScriptHook) -> Result<Self, String> {
        let mut config = Config::default();
        config.limits.cell_time = TIME;
        config.limits.cell_wait = TIME;
        let session = Session::in_thread(config)
            .await
            .map_err(|error| error.to_string())?;
        let info = AgentInfo {
            depth: 0,
            max_depth: 0,
            max_iterations: 1,
            lineage: Vec::new(),
            invocation_id: hook.name.clone(),
            parent_id: None,
        };
        let mut running = Self {
            repl: session.open(None, Context::text(""), info),
            cells: 0,
        };
        running.cell(hook.source.clone()).await?;
        Ok(running)
    }

    async fn cell(&mut self, code: String) -> Result<CellOutcome, String> {
        self.cells += 1;
        self.repl.run(code, self.cells);
        loop {
            match self.repl.next().await.map_err(|error| error.to_string())? {
                Event::Called(call) => {
                    let reason = "a hook has no models".to_owned();
                    self.repl.settle(call.id, Err(reason));
                }
                Event::Invoked(call) => {
                    let reason = "a hook has no host functions".to_owned();
                    self.repl.settle_function(call.id, Err(reason));
                }
                Event::CallContext { .. } => {}
                Event::Finished(CellOutcome {
                    error: Some(error), ..
                }) => return Err(located(&error)),
                Event::Finished(outcome) => return Ok(outcome),
            }
        }
    }
}

/// An error with the innermost line of the hook's file, which is the first cell.
fn located(error: &CellError) -> String {
    let of_file = |frame: &String| {
        let place = frame.split("cell 1:").nth(1)?;
        let line: String = place.chars().take_while(char::is_ascii_digit).collect();
        (!line.is_empty()).then_some(line)
    };
    match error.stack.iter().find_map(of_file) {
        Some(line) => format!("line {line}: {}", error.message),
        None => error.message.clone(),
    }
}
