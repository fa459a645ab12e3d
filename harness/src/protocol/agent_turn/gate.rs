//! The confirm gate: a policy around whatever runs actions.

use std::sync::Arc;

use async_trait::async_trait;

use super::catalog::Entry;
use super::executor::{Executor, Outcome};
use crate::model::web::ToolAction;
use crate::prompt::ConfirmPolicy;
use crate::prompt::web::not_confirmed;

/// Says whether an action that needs a confirmation gets it.
#[async_trait]
pub trait ConfirmGate: Send + Sync {
    /// Whether to run this action with these arguments.
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

/// Runs actions that need a confirmation only when they have it.
pub(super) struct Confirmed<E> {
    pub inner: E,
    pub gate: Arc<dyn ConfirmGate>,
}

#[async_trait]
impl<E: Executor> Executor for Confirmed<E> {
    async fn execute(&self, entry: &Entry, action: &ToolAction) -> Outcome {
        if entry.confirm && !self.gate.confirm(&action.tool, &action.args).await {
            return Outcome::Refused(not_confirmed());
        }
        self.inner.execute(entry, action).await
    }
}
