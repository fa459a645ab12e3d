//! A root agent's REPL without an agent: runs cells and returns their outcomes.

use std::sync::Arc;

use harness::sandbox::message::{AgentInfo, CellOutcome, Context};
use harness::sandbox::{Repl, Sandbox, SessionLost, StartError};
use serde_json::Value;

/// A REPL that starts a fresh session when its session is lost.
pub(super) struct RootRepl {
    sandbox: Sandbox,
    context: Arc<String>,
    /// `None` before the first cell and after a session is lost.
    repl: Option<Repl>,
    /// Number of cells run in this session.
    cells: u32,
}

/// Notice printed after a session is lost.
pub(super) const FRESH_SESSION: &str =
    "the next cell runs in a fresh session, without the names defined so far";

impl RootRepl {
    pub fn new(sandbox: Sandbox, context: Arc<String>) -> Self {
        Self {
            sandbox,
            context,
            repl: None,
            cells: 0,
        }
    }

    /// Runs a cell to completion. Every model call in it rejects. If the cell crashes the sandbox,
    /// the next cell runs in a fresh session.
    pub async fn run(
        &mut self,
        code: String,
    ) -> Result<Result<CellOutcome, SessionLost>, StartError> {
        self.cells += 1;
        let iteration = self.cells;
        let refuse = |kind| format!("{kind}(): there is no model in this REPL");
        let ended = self.repl().await?.run_to_end(code, iteration, refuse).await;
        if ended.is_err() {
            self.abandon();
        }
        Ok(ended)
    }

    pub async fn set(&mut self, name: String, value: Value) -> Result<(), StartError> {
        self.repl().await?.set(name, &value);
        Ok(())
    }

    /// Abandons the session and all code running in it.
    pub fn abandon(&mut self) {
        self.repl = None;
        self.cells = 0;
    }

    async fn repl(&mut self) -> Result<&mut Repl, StartError> {
        let repl = if let Some(repl) = self.repl.take() {
            repl
        } else {
            let session = self.sandbox.session().await?;
            session.open(None, Context::Text(Arc::clone(&self.context)), info())
        };
        Ok(self.repl.insert(repl))
    }
}

/// Returns the values of `__rlm` for the root of an agent tree of default depth, without query or
/// deadline.
fn info() -> AgentInfo {
    AgentInfo {
        depth: 0,
        max_depth: 2,
        max_iterations: u32::MAX,
        lineage: Vec::new(),
        invocation_id: "root".to_owned(),
        parent_id: None,
    }
}
