//! Executes the actions of an envelope in order, until one fails or changes the page.

use serde_json::Value;

use super::executor::{Checked, Executor, Outcome};
use crate::model::web::{Acted, PageError, PageProblem};
use crate::model::web::{ActionResult, How, Step};
use crate::prompt::web::{
    dialog_opened, page_changed, page_failed, skipped_changed, skipped_dialog, skipped_failed,
};

/// Results of the actions of a turn.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub results: Vec<ActionResult>,
    /// Number of actions that do not exist or have invalid arguments.
    pub faults: u32,
    /// Last narrated text.
    pub narrated: Option<String>,
}

/// Executes actions in order. The actions after a failure or a page change are skipped.
///
/// # Errors
/// Returns the error of a broken browser, together with the results of the earlier actions.
pub(super) async fn walk(
    steps: &[Step],
    executor: &Checked<impl Executor>,
) -> (Walked, Result<(), PageError>) {
    let mut walked = Walked::default();
    let mut skip: Option<String> = None;
    for step in steps {
        let action = match step {
            Step::Narrate { .. } => "narrate",
            Step::Tool(action) => &action.tool,
        };
        let mut result = ActionResult {
            action: action.chars().take(LONGEST_NAME).collect(),
            result: How::Done,
            problem: None,
            value: None,
            note: None,
        };
        if let Some(why) = &skip {
            result.result = How::Skipped;
            result.note = Some(why.clone());
            walked.results.push(result);
            continue;
        }
        match step {
            Step::Narrate { narrate } => walked.narrated = Some(narrate.clone()),
            Step::Tool(action) => match executor.execute(action).await {
                Outcome::Done(acted, value) => {
                    result.value = value.map(shortened);
                    match acted {
                        Acted::SamePage => {}
                        Acted::PageChanged { url } => {
                            result.note = Some(page_changed(&url));
                            skip = Some(skipped_changed());
                        }
                        Acted::DialogOpened { kind, message } => {
                            result.note = Some(dialog_opened(&kind, &message));
                            skip = Some(skipped_dialog());
                        }
                    }
                }
                Outcome::Failed(error) if error.problem == PageProblem::Broken => {
                    return (walked, Err(error));
                }
                Outcome::Failed(error) => {
                    result.problem = Some(error.problem.as_str().to_owned());
                    result.note = Some(page_failed(&error));
                }
                Outcome::Refused(why) => {
                    result.problem = Some("not_confirmed".to_owned());
                    result.note = Some(why);
                }
                Outcome::Invalid { kind, message } => {
                    walked.faults += 1;
                    result.problem = Some(kind.to_owned());
                    result.note = Some(message);
                }
            },
        }
        if result.problem.is_some() {
            result.result = How::Failed;
            skip = Some(skipped_failed());
        }
        walked.results.push(result);
    }
    (walked, Ok(()))
}

/// Maximum characters of an action's name in a result.
const LONGEST_NAME: usize = 60;
/// Maximum characters of a custom action's value. A longer value is cut and becomes text.
const LONGEST_VALUE: usize = 4_000;

fn shortened(value: Value) -> Value {
    let text = value.to_string();
    match text.char_indices().nth(LONGEST_VALUE) {
        None => value,
        Some((end, _)) => Value::String(format!("{}[...truncated]", &text[..end])),
    }
}
