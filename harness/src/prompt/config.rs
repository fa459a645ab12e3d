//! Settings that a prompt depends on: mode, depth, and the iterations at each depth.

use crate::settings::PromptMode;

/// Inputs of a prompt's core sections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptConfig {
    /// Depth of the agent; the root has 0.
    pub depth: u32,
    /// Minimum depth of flat agents, which answer in one call, without a REPL.
    pub max_depth: u32,
    /// Prompt mode of the run. It affects only the root.
    pub mode: PromptMode,
    /// Maximum iterations of a child of this agent, if its children have a REPL.
    pub child_budget: u32,
}

impl PromptConfig {
    /// Whether children of this agent have a REPL: `depth < max_depth - 1`.
    pub const fn can_delegate(&self) -> bool {
        self.depth.saturating_add(1) < self.max_depth
    }

    /// Whether the agent has no REPL and answers in one call: `depth >= max_depth`.
    pub const fn is_flat(&self) -> bool {
        self.depth >= self.max_depth
    }

    /// Returns the mode of the agent's prompt: [`PromptMode::Coordinator`] only for a root that can
    /// delegate.
    ///
    /// With `max_depth` below 2, the root is a solver: the coordinator's prompt asks for children
    /// with several iterations, which are not available at that depth.
    pub const fn effective_mode(&self) -> PromptMode {
        if self.depth == 0 && self.can_delegate() {
            self.mode
        } else {
            PromptMode::Solver
        }
    }
}

/// Maximum iterations by depth; the last entry applies to all greater depths. The root is limited
/// only by the run's setting.
const DEPTH_CAPS: [u32; 4] = [u32::MAX, 15, 4, 3];

/// Returns the maximum iterations of an agent at `depth`: the smaller of the run's `max_iterations`
/// and the limit for this depth.
pub fn iterations_for_depth(depth: u32, max_iterations: u32) -> u32 {
    let row = (depth as usize).min(DEPTH_CAPS.len() - 1);
    DEPTH_CAPS[row].min(max_iterations)
}
