//! A turn of a web agent: what the model says in it, and what came of its actions.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a model says in a turn.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Envelope {
    /// Its private notes.
    pub memory: String,
    /// What is still owed to the request.
    pub todos_remaining: Vec<String>,
    /// What to run, in order; none ends the run.
    pub actions: Vec<Step>,
}

/// One entry of `actions`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Step {
    /// Says something to the user.
    Narrate {
        /// What.
        narrate: String,
    },
    /// Runs an action.
    Tool(ToolAction),
}

/// An action with its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolAction {
    /// The action's name, which need not exist.
    pub tool: String,
    /// Its arguments: an object.
    pub args: Value,
}

/// What came of one action, as the model reads it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionResult {
    /// `narrate`, or the action's name.
    pub action: String,
    /// How it went.
    pub result: How,
    /// What kind of problem it had: that of a page, `unknown_action`, `invalid_arguments` or `not_confirmed`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// What a custom action gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// More in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// How an action went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// It was done.
    Done,
    /// It was not done, and says why.
    Failed,
    /// An action before it kept it from being run.
    Skipped,
}

/// One turn in short.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LoggedTurn {
    /// 1-based.
    pub iteration: u32,
    /// The model's notes.
    pub memory: String,
    /// What it still owed.
    pub todos_remaining: Vec<String>,
    /// Its actions.
    pub actions: Vec<Step>,
    /// What came of each.
    pub results: Vec<ActionResult>,
    /// What was wrong with a response without a usable envelope, of which there is nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}
