//! Sandbox sessions for the JavaScript of tools. Each call has its own session and its own limits.

use std::sync::OnceLock;
use std::time::Duration;

use sandbox::message::{AgentInfo, CellOutcome, Context};
use sandbox::{Config, Event, Isolation, Limits, Repl, Sandbox};

/// Maximum CPU time of one call.
const CPU_TIME: Duration = Duration::from_secs(10);
/// Maximum wait for timers in one call.
const TIMER_TIMEOUT: Duration = Duration::from_secs(10);
/// Heap limit of one call in bytes, excluding the task's context.
const HEAP_BYTES: u64 = 128 << 20;

/// Sandbox for the JavaScript of tools. The first call starts it.
pub struct ToolSandbox {
    isolation: Isolation,
    sandbox: OnceLock<Sandbox>,
}

impl ToolSandbox {
    /// Creates a sandbox with this isolation, without starting it.
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
                timer_timeout: TIMER_TIMEOUT,
                heap_bytes: HEAP_BYTES,
                ..Limits::default()
            },
            ..Config::default()
        };
        // Warnings about missing kernel features are ignored here; the agents' sandbox reports
        // them.
        let made = Sandbox::new(config, self.isolation.clone(), |_| ())
            .map_err(|error| error.to_string())?;
        Ok(self.sandbox.get_or_init(|| made).clone())
    }

    /// Opens a REPL in a new session.
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

/// Runs a cell to its end. The cell cannot call models.
///
/// # Errors
/// Returns the reason why the session ended.
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
            | Event::StatusRequested { .. }
            | Event::Cancelled(_)
            | Event::Invoked(_) => {}
        }
    }
}
