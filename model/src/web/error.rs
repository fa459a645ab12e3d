//! Errors of actions on pages.

use serde::{Deserialize, Serialize};

/// Reason why an action on a page failed, with a message for the agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PageError {
    /// Kind of the problem.
    pub problem: PageProblem,
    /// Description of the problem and of valid input, as a lowercase fragment.
    pub message: String,
}

/// Kinds of problems. All except [`PageProblem::Broken`] are reported to the agent, which
/// continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageProblem {
    /// The id is from an earlier dump, and its element no longer exists or is not in the newest
    /// dump.
    StaleId,
    /// The id has never been in a dump of this page.
    UnknownId,
    /// The CSS selector matches nothing.
    NoMatch,
    /// The selector is neither an id nor a CSS selector, or a key or argument is unknown.
    Malformed,
    /// The action does not apply to the element: the element is covered, disabled or not a field,
    /// or the option does not exist.
    Inapplicable,
    /// The address does not respond, or is outside the environment.
    Unreachable,
    /// An open dialog blocks the page, or there is no dialog to answer.
    Dialog,
    /// The filter of the dump, or the script of a custom action, failed.
    Script,
    /// The page did not respond in time.
    TimedOut,
    /// The browser or the environment failed. The attempt ends with status `error`.
    Broken,
}

impl PageProblem {
    /// Returns the name used in records and in messages to agents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::StaleId => "stale_id",
            Self::UnknownId => "unknown_id",
            Self::NoMatch => "no_match",
            Self::Malformed => "malformed",
            Self::Inapplicable => "inapplicable",
            Self::Unreachable => "unreachable",
            Self::Dialog => "dialog",
            Self::Script => "script",
            Self::TimedOut => "timed_out",
            Self::Broken => "broken",
        }
    }
}

impl PageError {
    /// Creates an error with a message.
    pub fn new(problem: PageProblem, message: impl Into<String>) -> Self {
        Self {
            problem,
            message: message.into(),
        }
    }
}
