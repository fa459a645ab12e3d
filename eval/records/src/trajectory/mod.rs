//! Aggregates the events of an attempt: actions and usage of each agent, and usage of judges.
//!
//! All code that aggregates trajectories uses this module: wasted spending, the behavior and
//! spending sections of a report, and the viewer's list of agents. [`Fold`] processes one event at
//! a time, so a trajectory is never in memory as a whole. The engine counts its
//! [`Stats`](model::Stats) separately while an attempt runs, because they include facts that are
//! not in events, such as a response that a hook rejected or a fault that was repaired.

mod calls;
mod truncate;

use std::collections::{BTreeMap, HashMap};

use model::{Event, EventKind, Role, Status};

pub use calls::{CallUsage, Calls};
pub use truncate::{boundary, cut_strings, heads};

/// Running totals over the events of an attempt.
#[derive(Debug, Default)]
pub struct Fold {
    /// Agents in the order of their first events.
    pub agents: Vec<Agent>,
    by_id: HashMap<String, usize>,
    /// Model calls of each judge.
    pub judges: BTreeMap<String, Calls>,
    /// Start and end of each model call by an agent, in milliseconds.
    times: Vec<(f64, f64)>,
    /// Whether the time of at least one call is not recorded.
    is_untimed: bool,
    /// Whether the events include the start of an attempt. The lost calls of a resumed attempt do
    /// not.
    pub has_begun: bool,
    /// Whether the events include the end of the attempt.
    pub has_ended: bool,
}

/// An agent of the attempt.
#[derive(Debug, Default)]
pub struct Agent {
    /// Invocation id: `root`, `d1-c0`, ….
    pub id: String,
    /// Invocation id of the agent that called it.
    pub parent: Option<String>,
    /// Depth in the tree of agents; 0 for the root.
    pub depth: u32,
    /// Role of the agent; `None` until it has begun.
    pub role: Option<Role>,
    /// Model assigned to the agent; empty until it has begun.
    pub model: String,
    /// Maximum iterations of the agent; 0 until it has begun.
    pub max_iterations: u32,
    /// How the agent ended; `None` if it has not ended.
    pub status: Option<Status>,
    /// Counts of the agent's cells.
    pub cells: Cells,
    /// Running totals over the agent's model calls.
    pub calls: Calls,
}

/// Counts of the cells that agents ran.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cells {
    /// Number of cells that ran.
    pub ran: u64,
    /// Number of cells that ended in an error.
    pub failed: u64,
    /// Number of self-corrections: failed cells whose next cell in the same agent succeeded.
    pub corrected: u64,
    /// Whether the last cell failed.
    is_failing: bool,
}

impl Fold {
    /// Processes the next event. Returns the index of its agent in [`agents`](Self::agents), or
    /// `None` if the event belongs to the attempt or a judge.
    pub fn take(&mut self, event: &Event) -> Option<usize> {
        match &event.kind {
            // The attempt's own events carry the root's id, and may come before the root begins.
            EventKind::AttemptStart { .. } => {
                self.has_begun = true;
                return None;
            }
            EventKind::AttemptResumed { .. } | EventKind::AttemptRestarted { .. } => return None,
            EventKind::AttemptEnd { .. } => {
                self.has_ended = true;
                return None;
            }
            // A judge is not an agent of the attempt.
            EventKind::JudgeRequest { .. }
            | EventKind::JudgeBilled { .. }
            | EventKind::JudgeResponse { .. }
            | EventKind::JudgeError { .. } => {
                let judge = self.judges.entry(event.invocation.clone());
                judge.or_default().take(&event.kind);
                return None;
            }
            EventKind::LlmResponse { ms, .. } | EventKind::LlmError { ms, .. } => {
                match event.at_ms.zip(*ms) {
                    Some((end, ms)) => self.times.push((end - ms, end)),
                    None => self.is_untimed = true,
                }
            }
            _ => {}
        }
        let place = self.agent(&event.invocation, event.parent.as_deref(), event.depth);
        self.agents[place].take(&event.kind);
        Some(place)
    }

    /// Returns the index of an agent in [`agents`](Self::agents). Adds the agent if it is new.
    pub fn agent(&mut self, id: &str, parent: Option<&str>, depth: u32) -> usize {
        if let Some(place) = self.place(id) {
            return place;
        }
        self.agents.push(Agent {
            id: id.to_owned(),
            parent: parent.map(str::to_owned),
            depth,
            ..Agent::default()
        });
        self.by_id.insert(id.to_owned(), self.agents.len() - 1);
        self.agents.len() - 1
    }

    /// Returns the index of an agent if it exists.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// Returns the start and end of each model call by an agent, in milliseconds, or `None` if any
    /// of these times is unknown.
    pub fn call_times(&self) -> Option<&[(f64, f64)]> {
        (!self.is_untimed).then_some(&self.times)
    }
}

impl Agent {
    fn take(&mut self, kind: &EventKind) {
        match kind {
            EventKind::InvocationStart {
                role,
                model,
                max_iterations,
                ..
            } => {
                self.role = Some(*role);
                self.model.clone_from(model);
                self.max_iterations = *max_iterations;
            }
            EventKind::InvocationEnd { status, .. } => self.status = Some(*status),
            EventKind::IterationEnd { code, error, .. } if !code.is_empty() => {
                let fails = error.is_some();
                self.cells.ran += 1;
                self.cells.failed += u64::from(fails);
                self.cells.corrected += u64::from(self.cells.is_failing && !fails);
                self.cells.is_failing = fails;
            }
            _ => self.calls.take(kind),
        }
    }
}
