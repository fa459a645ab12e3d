//! Where JavaScript of tools runs: sandbox sessions of their own, one for each call, with limits of their own.

use std::sync::OnceLock;
use std::time::Duration;

use sandbox::message::{AgentInfo, CellOutcome, Context};
use sandbox::{Config, Event, Isolation, Limits, Repl, Sandbox};

/// CPU time of one call.
const CPU_TIME: Duration = Duration::from_secs(10);
/// Waiting for timers in one call.
const WAIT: Duration = Duration::from_secs(10);
/// Heap of one call, the task's context not counted.
const HEAP_BYTES: u64 = 128 << 20;

/// Makes the sessions. Nothing is started before the first.
pub struct ToolSandbox {
    isolation: Isolation,
    sandbox: OnceLock<Sandbox>,
}

impl ToolSandbox {
    /// A sandbox whose sessions run there.
    pub const fn new(isolation: Isolation) -> Self {
        Self {
            isolation,
            sandbox: OnceLock::new(),
        }
    }

    fn sandbox(&self) -> Result<Sandbox, String> {
        if let Some(sandbox) = self.sandbox.get() {
            return Ok(sandbox.clone());
        }
        let config = Config {
            limits: Limits {
                cell_time: CPU_TIME,
                cell_wait: WAIT,
                heap_bytes: HEAP_BYTES,
                ..Limits::default()
            },
            ..Config::default()
        };
        // What the kernel lacks is reported by the sandbox of the agents.
        let made = Sandbox::new(config, self.isolation.clone(), |_| ())
            .map_err(|error| error.to_string())?;
        Ok(self.sandbox.get_or_init(|| made).clone())
    }

    /// A REPL in a session of its own.
    pub(super) async fn open(&self, context: Context) -> Result<Repl, String> {
        let sandbox = self.sandbox()?;
        let session = sandbox.session().await.map_err(|error| error.to_string())?;
        let info = AgentInfo {
            depth: 0,
            max_depth: 0,
            max_iterations: 1,
            lineage: Vec::new(),
            invocation_id: "tool".to_owned(),
            parent_id: None,
        };
        Ok(session.open(None, context, info))
    }
}

/// Runs a cell to its end. It has no models to call.
///
/// # Errors
/// Why the session is gone.
pub(super) async fn finish(
    repl: &mut Repl,
    code: &str,
    iteration: u32,
) -> Result<CellOutcome, String> {
    repl.run(code, iteration);
    loop {
        match repl.next().await.map_err(|lost| lost.to_string())? {
            Event::Finished(outcome) => return Ok(outcome),
            Event::Called(call) => {
                let reason = format!("{}(): a tool has no models", call.kind);
                repl.settle(call.id, Err(reason));
            }
            Event::CallContext { .. }
            | Event::StatusAsked { .. }
            | Event::Cancelled(_)
            | Event::Invoked(_) => {}
        }
    }
}
