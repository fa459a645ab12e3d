//! An executor that asks for confirmation before it runs an action.

use std::sync::Arc;

use async_trait::async_trait;

use super::catalog::CatalogEntry;
use super::executor::{ActionOutcome, Executor};
use super::texts::not_confirmed;
use crate::model::web::ToolAction;
use crate::prompt::ConfirmPolicy;

/// Decides whether actions that require confirmation may run.
#[async_trait]
pub trait ConfirmGate: Send + Sync {
    /// Returns whether the action may run with these arguments.
    async fn confirm(&self, tool: &str, args: &serde_json::Value) -> bool;
}

#[async_trait]
impl ConfirmGate for ConfirmPolicy {
    async fn confirm(&self, tool: &str, _args: &serde_json::Value) -> bool {
        match self {
            Self::Allow => true,
            Self::Deny => false,
            Self::List(names) => names.contains(tool),
        }
    }
}

/// Runs actions that require confirmation only if the gate confirms them.
pub(super) struct ConfirmingExecutor<E> {
    pub inner: E,
    pub gate: Arc<dyn ConfirmGate>,
}

#[async_trait]
impl<E: Executor> Executor for ConfirmingExecutor<E> {
    async fn execute(&self, entry: &CatalogEntry, action: &ToolAction) -> ActionOutcome {
        if entry.confirm && !self.gate.confirm(&action.tool, &action.args).await {
            return ActionOutcome::Refused(not_confirmed());
        }
        self.inner.execute(entry, action).await
    }
}
