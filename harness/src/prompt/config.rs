//! What a prompt depends on: mode, depth, and the iterations that each depth gets.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::error::PromptError;
use crate::text::nearest;

/// How the root works. It never changes a child, which always solves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PromptMode {
    /// The root solves the task itself; delegation is one of its means.
    #[default]
    Solver,
    /// The root analyzes, delegates to children in parallel and judges what they bring.
    Coordinator,
}

impl PromptMode {
    /// Every mode, in the order in which a list of choices shows them.
    pub const ALL: [Self; 2] = [Self::Solver, Self::Coordinator];

    /// The word for the mode in flags, files and CSV columns.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Solver => "solver",
            Self::Coordinator => "coordinator",
        }
    }
}

impl fmt::Display for PromptMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for PromptMode {
    type Err = PromptError;

    /// Reads `solver` or `coordinator`.
    ///
    /// # Errors
    /// [`PromptError::UnknownMode`] for any other word.
    fn from_str(word: &str) -> Result<Self, PromptError> {
        Self::ALL
            .into_iter()
            .find(|mode| mode.as_str() == word)
            .ok_or_else(|| PromptError::UnknownMode {
                given: word.to_owned(),
                nearest: nearest(word, Self::ALL.map(Self::as_str)),
            })
    }
}

/// What the core of a prompt depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptConfig {
    /// Depth of the agent; the root has 0.
    pub depth: u32,
    /// Agents at this depth and below are flat: one call, no REPL.
    pub max_depth: u32,
    /// The mode of the run. Only the root follows it.
    pub mode: PromptMode,
    /// Iterations that a child of this agent gets, where its children have a REPL.
    pub child_budget: u32,
}

impl PromptConfig {
    /// Whether a child of this agent would be an agent with a REPL: `depth < max_depth - 1`.
    pub const fn can_delegate(&self) -> bool {
        self.depth.saturating_add(1) < self.max_depth
    }

    /// Whether the agent has no REPL and answers in one call: `depth >= max_depth`.
    pub const fn is_flat(&self) -> bool {
        self.depth >= self.max_depth
    }

    /// The mode that the agent's own prompt follows: coordinator only for a root that has somebody
    /// to delegate to.
    ///
    /// The prompt of a coordinator that cannot delegate would ask it to launch children with iterations that
    /// they do not have, so with `max_depth` below 2 the root is a solver.
    pub const fn effective_mode(&self) -> PromptMode {
        if self.depth == 0 && self.can_delegate() {
            self.mode
        } else {
            PromptMode::Solver
        }
    }
}

/// The most iterations that an agent gets by its depth; the last entry holds for every depth below.
/// The root is bound by the run's setting alone.
const DEPTH_CAPS: [u32; 4] = [u32::MAX, 15, 4, 3];

/// Iterations of an agent at `depth` in a run with `max_iterations`: the smaller of the two limits.
pub const fn iterations_for_depth(depth: u32, max_iterations: u32) -> u32 {
    let row = if depth as usize >= DEPTH_CAPS.len() {
        DEPTH_CAPS.len() - 1
    } else {
        depth as usize
    };
    let cap = DEPTH_CAPS[row];
    if max_iterations < cap {
        max_iterations
    } else {
        cap
    }
}
