//! Runs one action on the page.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};

use super::catalog::{Catalog, Entry, Run};
use crate::model::web::ToolAction;
use crate::model::web::{Acted, Action, Page, PageError, PageProblem};
use crate::prompt::web::unknown_action;

/// Runs known actions whose arguments conform to their schemas.
#[async_trait]
pub(super) trait Executor: Send + Sync {
    async fn execute(&self, entry: &Entry, action: &ToolAction) -> Outcome;
}

/// Looks up actions and validates their arguments before the inner executor may ask for
/// confirmation.
pub(super) struct Checked<E> {
    pub inner: E,
    pub catalog: Arc<Catalog>,
}

/// Result of an action.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The action was done. A custom action returns a value.
    Done(Acted, Option<Value>),
    /// The action was not confirmed. Contains the text for the model.
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

impl<E: Executor> Checked<E> {
    pub async fn execute(&self, action: &ToolAction) -> Outcome {
        let Some(entry) = self.catalog.get(&action.tool) else {
            return Outcome::Invalid {
                kind: "unknown_action",
                message: unknown_action(&action.tool, &self.catalog.names().join(", ")),
            };
        };
        if let Err(message) = entry.check(&action.args) {
            return Outcome::Invalid {
                kind: "invalid_arguments",
                message,
            };
        }
        self.inner.execute(entry, action).await
    }
}

/// Runs actions on a page.
pub(super) struct OnPage(pub Arc<dyn Page>);

#[async_trait]
impl Executor for OnPage {
    async fn execute(&self, entry: &Entry, action: &ToolAction) -> Outcome {
        let Self(page) = self;
        let done = match &entry.run {
            // The schema has already ensured that the fields exist.
            Run::Builtin => match read(action) {
                Ok(action) => page.act(&action).await.map(|acted| (acted, None)),
                Err(message) => Err(PageError::new(PageProblem::Malformed, message)),
            },
            // The host shows the panel, so the page does nothing.
            Run::Present => Ok((Acted::SamePage, None)),
            Run::Script(script) => {
                let call = format!("({script})({})", action.args);
                page.run_script(&call).await
            }
        };
        match done {
            Ok((acted, value)) => Outcome::Done(acted, value),
            Err(error) => Outcome::Failed(error),
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
