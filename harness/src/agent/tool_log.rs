//! Log of an agent's tool calls, for its caller.

use std::sync::Arc;

use parking_lot::Mutex;

/// Log of an agent's tool calls, for its caller.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolLog(Arc<Mutex<Vec<LoggedCall>>>);

/// A tool call and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LoggedCall {
    pub name: String,
    /// Arguments as JSON text.
    pub arguments: String,
    /// Result or error as shown to the agent.
    pub shown: Result<String, String>,
}

impl ToolLog {
    pub fn push(&self, call: LoggedCall) {
        let mut calls = self.0.lock();
        calls.push(call);
    }

    pub fn take(&self) -> Vec<LoggedCall> {
        std::mem::take(&mut *self.0.lock())
    }
}
