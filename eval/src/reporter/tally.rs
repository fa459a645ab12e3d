//! What is known of a run while it runs, and the phrases in which reporters say it.

use records::AttemptRecord;

use crate::run_event::RunPlan;

use report::sanitize::sanitize;

/// Columns for a sample's id.
const ID_WIDTH: usize = 40;

/// Columns for an error.
const ERROR_WIDTH: usize = 120;

/// The attempts that have finished so far.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tally {
    /// Attempts of the whole run.
    pub(super) total: u64,
    /// Attempts that have finished, in earlier starts of the run too.
    pub(super) done: u64,
    /// Attempts that ended in an error, in this start.
    pub(super) errors: u64,
    scored: u64,
    score_sum: f64,
}

impl Tally {
    /// A run that begins or goes on.
    pub(super) fn of(plan: &RunPlan) -> Self {
        Self {
            total: plan.attempts_total,
            done: plan.attempts_done,
            ..Self::default()
        }
    }

    /// Counts a finished attempt.
    pub(super) fn add(&mut self, record: &AttemptRecord) {
        self.done += 1;
        self.errors += u64::from(record.status == harness::model::Status::Error);
        if let Some(score) = record.score {
            self.scored += 1;
            self.score_sum += score;
        }
    }

    /// The mean score in this start, once there is one.
    pub(super) fn mean(&self) -> Option<f64> {
        (self.scored > 0).then(|| self.score_sum / self.scored as f64)
    }
}

/// An attempt's name: the sample's id, and which attempt where there are several.
pub(super) fn label(sample: &str, attempt: u32) -> String {
    let id = sanitize(sample, ID_WIDTH);
    match attempt {
        1 => id,
        _ => format!("{id}#{attempt}"),
    }
}

/// An attempt's error, with what introduces it; empty if it has none.
pub(super) fn error(record: &AttemptRecord) -> String {
    let error = record
        .error
        .as_deref()
        .map(|error| sanitize(error, ERROR_WIDTH));
    error.map(|error| format!(": {error}")).unwrap_or_default()
}

/// `1 agent`, `2 agents`.
pub(super) fn counted(count: impl Into<u64>, word: &str) -> String {
    match count.into() {
        1 => format!("1 {word}"),
        count => format!("{count} {word}s"),
    }
}
