//! Why a page did not do what it was asked.

use serde::{Deserialize, Serialize};

/// What went wrong, by what can be done about it, and in words for the agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PageError {
    /// What kind of problem it is.
    pub problem: PageProblem,
    /// What happened and what would be right, as a lowercase fragment.
    pub message: String,
}

/// Kinds of problems. All but [`PageProblem::Broken`] are reported to the agent, which goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PageProblem {
    /// The id was in an earlier dump, and its element is gone or not in the newest one.
    StaleId,
    /// No dump of this page ever showed the id.
    UnknownId,
    /// CSS that matches nothing.
    NoMatch,
    /// Neither an id nor CSS, or a key or argument that does not exist.
    Malformed,
    /// The element is there, and this cannot be done to it: covered, disabled, not a field, no such option.
    Inapplicable,
    /// The address does not answer, or is out of the task's reach.
    Unreachable,
    /// A dialog is open, and until it is answered the page stands still; or there is none to answer.
    Dialog,
    /// The filter of the dump, or the script of a custom action, failed.
    Script,
    /// The page did not answer in time.
    TimedOut,
    /// The browser or the world failed: the attempt ends with status `error`.
    Broken,
}

impl PageProblem {
    /// The word for the problem in records and in what agents read.
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
    /// A problem and its description.
    pub fn new(problem: PageProblem, message: impl Into<String>) -> Self {
        Self {
            problem,
            message: message.into(),
        }
    }
}
