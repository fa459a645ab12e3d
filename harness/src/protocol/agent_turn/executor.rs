//! Runs one action on the page, or says why not.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};

use super::catalog::{Catalog, Entry, Run};
use crate::model::web::ToolAction;
use crate::model::web::{Acted, Action, Page, PageError, PageProblem};
use crate::prompt::web::unknown_action;

/// Runs actions that there are, with arguments that are as their schemas say.
#[async_trait]
pub(super) trait Executor: Send + Sync {
    async fn execute(&self, entry: &Entry, action: &ToolAction) -> Outcome;
}

/// Looks actions up and checks their arguments, before anybody is asked about them.
pub(super) struct Checked<E> {
    pub inner: E,
    pub catalog: Arc<Catalog>,
}

/// What came of an action.
#[derive(Debug)]
pub(super) enum Outcome {
    /// It was done. A custom action gives a value.
    Done(Acted, Option<Value>),
    /// It was not confirmed.
    Refused(String),
    /// It does not exist, or its arguments are not as its schema says: the model did not follow the protocol.
    Invalid {
        /// `unknown_action` or `invalid_arguments`.
        kind: &'static str,
        message: String,
    },
    /// The page did not do it.
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
            // What was checked by the schema has the fields of the action.
            Run::Builtin => match read(action) {
                Ok(action) => page.act(&action).await.map(|acted| (acted, None)),
                Err(message) => Err(PageError::new(PageProblem::Malformed, message)),
            },
            // The panel is the host's: there is nothing to do on the page.
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
