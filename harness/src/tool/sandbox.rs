//! Sandbox sessions for the JavaScript of tools. Each call has its own session and its own limits.

use std::sync::OnceLock;
use std::time::Duration;

use sandbox::message::{AgentInfo, CallKind, CellOutcome, Context};
use sandbox::{Config, Isolation, Limits, Repl, Sandbox};

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
        let info = AgentInfo::of_host_code("tool");
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
    let refuse = |kind: CallKind| format!("{kind}(): a tool has no models");
    let ran = repl.run_to_end(code, iteration, refuse).await;
    ran.map_err(|lost| lost.to_string())
}
