//! Counts the finished attempts of a run, and formats phrases that reporters share.

use std::collections::BTreeMap;

use records::AttemptRecord;

use harness::{Budget, Spent};
use report::sanitize::sanitize;
use report::summary::{amount, usd};

use crate::run::event::RunPlan;

/// Maximum width of a sample id, in columns.
const ID_WIDTH: usize = 40;

/// Maximum width of an error, in columns.
const ERROR_WIDTH: usize = 120;

/// Counts of finished attempts.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    /// Number of attempts of the whole run.
    pub(super) total: u64,
    /// Number of finished attempts, including those of earlier starts.
    pub(super) done: u64,
    /// Number of attempts of this start that ended in an error.
    pub(super) errors: u64,
    /// Amounts spent, including by earlier starts.
    pub(super) spent: Spent,
    budget: Budget,
    /// Sum and number of the scores of each sample, including those of earlier starts.
    scores: BTreeMap<String, (f64, u64)>,
}

impl Tally {
    /// Returns the counts at the start of a run.
    pub(super) fn of(plan: &RunPlan) -> Self {
        let mut tally = Self {
            total: plan.attempts_total,
            done: plan.attempts_done,
            budget: plan.budget,
            ..Self::default()
        };
        for (sample, score) in &plan.scores_done {
            tally.add_score(sample, *score);
        }
        tally
    }

    fn add_score(&mut self, sample: &str, score: f64) {
        let (sum, count) = self.scores.entry(sample.to_owned()).or_default();
        *sum += score;
        *count += 1;
    }

    /// Counts a finished attempt.
    pub(super) fn add(&mut self, record: &AttemptRecord) {
        self.done += 1;
        self.errors += u64::from(record.status == harness::model::Status::Error);
        if let Some(score) = record.score {
            self.add_score(&record.id, score);
        }
    }

    /// Returns the amounts spent, each with its budget if it has one: `$0.52 of $2, 12k tokens`.
    /// Omits a cost that is 0 or unknown. Omits tokens if the cost is omitted and they have no
    /// budget.
    pub(super) fn spending(&self) -> Option<String> {
        let Budget {
            cost_usd, tokens, ..
        } = self.budget;
        let of = |budget: Option<String>| {
            budget.map_or_else(String::new, |budget| format!(" of {budget}"))
        };
        let cost = (self.spent.cost_usd > 0.0).then(|| {
            let most = of(cost_usd.map(|most| format!("${most}")));
            format!("{}{most}", usd(self.spent.cost_usd))
        });
        let counts = self.spent.cost_usd > 0.0 || tokens.is_some();
        let tokens = (self.spent.tokens > 0 && counts).then(|| {
            let most = of(tokens.map(amount));
            format!("{}{most} tokens", amount(self.spent.tokens))
        });
        let parts: Vec<String> = cost.into_iter().chain(tokens).collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Returns the mean of the samples' mean scores, as in the summary, or `None` without a score.
    pub(super) fn mean(&self) -> Option<f64> {
        let means = self.scores.values().map(|(sum, count)| sum / *count as f64);
        let samples = self.scores.len();
        (samples > 0).then(|| means.sum::<f64>() / samples as f64)
    }
}

/// Returns the label of an attempt: its sample id, followed by its number if it is not the first.
pub(super) fn label(sample: &str, attempt: u32) -> String {
    let id = sanitize(sample, ID_WIDTH);
    match attempt {
        1 => id,
        _ => format!("{id}#{attempt}"),
    }
}

/// Returns the attempt's error after a separator, or an empty string without an error.
pub(super) fn error(record: &AttemptRecord) -> String {
    let error = record
        .error
        .as_deref()
        .map(|error| sanitize(error, ERROR_WIDTH));
    error.map(|error| format!(": {error}")).unwrap_or_default()
}
