//! A turn of a web agent: the model's response, and the results of its actions.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A model's response in a turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// Private notes of the model.
    pub memory: String,
    /// Tasks that remain to be done for the user's request.
    pub todos_remaining: Vec<String>,
    /// Actions to run, in order; empty if the model answers the user.
    pub actions: Vec<Step>,
}

/// One entry of [`Envelope::actions`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Step {
    /// Sends a message to the user.
    Narrate {
        /// Text of the message.
        narrate: String,
    },
    /// Runs an action.
    Tool(ToolAction),
}

/// An action with its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolAction {
    /// Name of the action as the model wrote it; the action may not exist.
    pub tool: String,
    /// Arguments, as an object.
    pub args: Value,
}

/// Result of one action, as the model reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionResult {
    /// `narrate`, or the name of the action.
    pub action: String,
    /// Outcome of the action.
    pub result: ActionStatus,
    /// Kind of the problem: the name of a [`PageProblem`](super::PageProblem), `unknown_action`,
    /// `invalid_arguments` or `not_confirmed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Return value of a custom action.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Further explanation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Outcome of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionStatus {
    /// The action was done.
    Done,
    /// The action failed; the result explains why.
    Failed,
    /// The action was skipped because of an earlier action.
    Skipped,
}

/// One turn in the log at the end of a trajectory.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LoggedTurn {
    /// Number of the iteration, 1-based.
    pub iteration: u32,
    /// Private notes of the model.
    pub memory: String,
    /// Tasks that remain to be done for the user's request.
    pub todos_remaining: Vec<String>,
    /// Actions of the turn.
    pub actions: Vec<Step>,
    /// Results of the actions.
    pub results: Vec<ActionResult>,
    /// Reason why the response had no usable envelope. If set, the other fields except `iteration`
    /// are empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}
