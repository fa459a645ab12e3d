//! One fold over the events of an attempt: what each agent did and used, and what judges took.
//!
//! Whatever counts a trajectory counts with it: what a run spent for nothing, the behaviour and spending of a report, the
//! agents of the viewer. It takes one event at a time, so that no trajectory is held as a whole. The engine's
//! [`Stats`](model::Stats) count as an attempt goes, also what no event shows: a response that a hook refused, a
//! fault that was repaired.

mod calls;
mod truncate;

use std::collections::{BTreeMap, HashMap};

use model::{Event, EventKind, Role, Status};

pub use calls::{Calls, Used};
pub use truncate::{boundary, cut_strings, heads};

/// What the events so far come to.
#[derive(Debug, Default)]
pub struct Fold {
    agents: Vec<Agent>,
    by_id: HashMap<String, usize>,
    judges: BTreeMap<String, Calls>,
    /// Begin and end of each agent's call to a model, in milliseconds.
    times: Vec<(f64, f64)>,
    /// Whether some call does not say when it was.
    is_untimed: bool,
    has_begun: bool,
    has_ended: bool,
}

/// An agent of the attempt.
#[derive(Debug)]
pub struct Agent {
    /// Its invocation: `root`, `d1-c0`, ….
    pub id: String,
    /// The agent that called it.
    pub parent: Option<String>,
    /// 0 for the root.
    pub depth: u32,
    /// What it is; none until it has begun.
    pub role: Option<Role>,
    /// The model it was to use; empty likewise.
    pub model: String,
    /// Iterations that it was given; 0 likewise.
    pub max_iterations: u32,
    /// How it ended; none while it runs.
    pub status: Option<Status>,
    /// Its cells.
    pub cells: Cells,
    /// Its requests to models.
    pub calls: Calls,
}

/// The cells that agents ran.
#[derive(Debug, Clone, Copy, Default)]
pub struct Cells {
    /// All of them.
    pub ran: u64,
    /// Those that ended in an error.
    pub failed: u64,
    /// Self-corrections: failed cells whose agent's next cell ran without an error.
    pub corrected: u64,
    /// Whether the last one failed.
    is_failing: bool,
}

impl Fold {
    /// Takes the next event, and says which of the [`agents`](Self::agents) it is of: none if it is the attempt's or a judge's.
    pub fn take(&mut self, event: &Event) -> Option<usize> {
        match &event.kind {
            // They carry the root's id, and may come before the root begins.
            EventKind::AttemptStart { .. } => {
                self.has_begun = true;
                return None;
            }
            EventKind::AttemptResumed { .. } | EventKind::AttemptRestarted { .. } => return None,
            EventKind::AttemptEnd { .. } => {
                self.has_ended = true;
                return None;
            }
            // A judge is no agent of the attempt.
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

    /// The place of an agent among the [`agents`](Self::agents); one that is new is added.
    pub fn agent(&mut self, id: &str, parent: Option<&str>, depth: u32) -> usize {
        if let Some(place) = self.place(id) {
            return place;
        }
        self.agents.push(Agent {
            id: id.to_owned(),
            parent: parent.map(str::to_owned),
            depth,
            role: None,
            model: String::new(),
            max_iterations: 0,
            status: None,
            cells: Cells::default(),
            calls: Calls::default(),
        });
        self.by_id.insert(id.to_owned(), self.agents.len() - 1);
        self.agents.len() - 1
    }

    /// The place of an agent that there is.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The agents, in the order of their first events.
    pub fn agents(&self) -> &[Agent] {
        &self.agents
    }

    /// What judges took.
    pub fn judges(&self) -> impl Iterator<Item = &Calls> {
        self.judges.values()
    }

    /// When each call of an agent to a model began and ended, in milliseconds; none if that is not known of all.
    pub fn call_times(&self) -> Option<&[(f64, f64)]> {
        (!self.is_untimed).then_some(&self.times)
    }

    /// Whether the attempt has begun: what is left of one that goes on elsewhere has no beginning.
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Whether the attempt has ended.
    pub fn has_ended(&self) -> bool {
        self.has_ended
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
