//! Executes the actions of an envelope in order, until one fails, changes the page or opens a
//! dialog.

use serde_json::Value;

use super::executor::{ActionOutcome, Executor};
use super::texts::{dialog_opened, page_failed};
use crate::model::web::{ActionEffect, PageError, PageProblem};
use crate::model::web::{ActionResult, ActionStatus, Step};
use crate::prompt::sections::{
    WEB_PAGE_CHANGED, WEB_SKIPPED_CHANGED, WEB_SKIPPED_DIALOG, WEB_SKIPPED_FAILED,
};

/// Results of a turn's actions.
#[derive(Debug, Default)]
pub(super) struct TurnResults {
    pub results: Vec<ActionResult>,
    /// Number of unknown actions and of actions with invalid arguments.
    pub faults: u32,
    /// Last narrated text.
    pub narrated: Option<String>,
}

/// Executes actions in order. After a failure, a page change or an opened dialog, the remaining
/// actions are skipped.
///
/// # Errors
/// Returns the error of a broken browser, together with the results of the earlier actions.
pub(super) async fn execute_steps(
    steps: &[Step],
    executor: &Executor,
) -> (TurnResults, Result<(), PageError>) {
    let mut walked = TurnResults::default();
    let mut skip: Option<String> = None;
    for step in steps {
        let action = match step {
            Step::Narrate { .. } => "narrate",
            Step::Tool(action) => &action.tool,
        };
        let mut result = ActionResult {
            action: action.chars().take(LONGEST_NAME).collect(),
            result: ActionStatus::Done,
            problem: None,
            value: None,
            note: None,
        };
        if let Some(why) = &skip {
            result.result = ActionStatus::Skipped;
            result.note = Some(why.clone());
            walked.results.push(result);
            continue;
        }
        match step {
            Step::Narrate { narrate } => walked.narrated = Some(narrate.clone()),
            Step::Tool(action) => match executor.execute(action).await {
                ActionOutcome::Done(acted, value) => {
                    result.value = value.map(shortened);
                    match acted {
                        ActionEffect::SamePage => {}
                        ActionEffect::PageChanged { url } => {
                            result.note = Some(WEB_PAGE_CHANGED.render([&url]));
                            skip = Some(WEB_SKIPPED_CHANGED.render([]));
                        }
                        ActionEffect::DialogOpened { kind, message } => {
                            result.note = Some(dialog_opened(&kind, &message));
                            skip = Some(WEB_SKIPPED_DIALOG.render([]));
                        }
                    }
                }
                ActionOutcome::Failed(error) if error.problem == PageProblem::Broken => {
                    return (walked, Err(error));
                }
                ActionOutcome::Failed(error) => {
                    result.problem = Some(error.problem.as_str().to_owned());
                    result.note = Some(page_failed(&error));
                }
                ActionOutcome::Refused(why) => {
                    result.problem = Some("not_confirmed".to_owned());
                    result.note = Some(why);
                }
                ActionOutcome::Invalid { kind, message } => {
                    walked.faults += 1;
                    result.problem = Some(kind.to_owned());
                    result.note = Some(message);
                }
            },
        }
        if result.problem.is_some() {
            result.result = ActionStatus::Failed;
            skip = Some(WEB_SKIPPED_FAILED.render([]));
        }
        walked.results.push(result);
    }
    (walked, Ok(()))
}

/// Maximum characters of an action's name in a result.
const LONGEST_NAME: usize = 60;
/// Maximum characters of a custom action's value as JSON. A longer value is replaced by a string
/// with its beginning.
const LONGEST_VALUE: usize = 4_000;

fn shortened(value: Value) -> Value {
    let text = value.to_string();
    match text.char_indices().nth(LONGEST_VALUE) {
        None => value,
        Some((end, _)) => Value::String(format!("{}[...truncated]", &text[..end])),
    }
}
