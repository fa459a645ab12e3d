//! Validates an action, asks for confirmation, and runs it on the page.

use std::sync::Arc;

use serde_json::{Value, json};

use super::catalog::{Catalog, Run};
use super::texts::unknown_action;
use crate::model::web::ToolAction;
use crate::model::web::{Action, ActionEffect, Page, PageError, PageProblem};
use crate::prompt::ConfirmPolicy;
use crate::prompt::sections::WEB_NOT_CONFIRMED;

/// Runs the actions of a catalog on a page.
pub(super) struct Executor {
    pub page: Arc<dyn Page>,
    pub catalog: Arc<Catalog>,
    /// Policy for actions that require confirmation.
    pub confirm: ConfirmPolicy,
}

/// Result of an action.
#[derive(Debug)]
pub(super) enum ActionOutcome {
    /// The action was done. A custom action returns a value.
    Done(ActionEffect, Option<Value>),
    /// The action was not confirmed. The text is for the model.
    Refused(String),
    /// The action does not exist, or its arguments violate its schema. This is a protocol fault.
    Invalid {
        /// `unknown_action` or `invalid_arguments`.
        kind: &'static str,
        message: String,
    },
    /// The page could not perform the action.
    Failed(PageError),
}

impl Executor {
    /// Runs an action if it exists, its arguments are valid, and it is confirmed where required.
    pub async fn execute(&self, action: &ToolAction) -> ActionOutcome {
        let Some(entry) = self.catalog.get(&action.tool) else {
            return ActionOutcome::Invalid {
                kind: "unknown_action",
                message: unknown_action(&action.tool, &self.catalog.names().join(", ")),
            };
        };
        if let Err(message) = entry.check(&action.args) {
            return ActionOutcome::Invalid {
                kind: "invalid_arguments",
                message,
            };
        }
        if entry.confirm && !self.confirm.confirms(&action.tool) {
            return ActionOutcome::Refused(WEB_NOT_CONFIRMED.render([]));
        }
        let done = match &entry.run {
            // The schema ensures that the fields exist.
            Run::Builtin => match read(action) {
                Ok(action) => self.page.act(&action).await.map(|acted| (acted, None)),
                Err(message) => Err(PageError::new(PageProblem::Malformed, message)),
            },
            // The host shows the panel, so there is nothing to do on the page.
            Run::Present => Ok((ActionEffect::SamePage, None)),
            Run::Script(script) => {
                let call = format!("({script})({})", action.args);
                self.page.run_script(&call).await
            }
        };
        match done {
            Ok((acted, value)) => ActionOutcome::Done(acted, value),
            Err(error) => ActionOutcome::Failed(error),
        }
    }
}

fn read(action: &ToolAction) -> Result<Action, String> {
    let mut tagged = json!({ "action": action.tool });
    if let (Some(tagged), Some(args)) = (tagged.as_object_mut(), action.args.as_object()) {
        tagged.extend(args.clone());
    }
    serde_json::from_value(tagged).map_err(|error| error.to_string())
}
