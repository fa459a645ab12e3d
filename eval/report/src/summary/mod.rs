//! Summary of a run, computed from its records by pure functions.

mod cluster;
mod interval_notes;
mod judged;
mod repeated;

mod figures;
mod table;

mod attempt_rows;

use std::collections::{BTreeMap, BTreeSet};

use model::{Status, Usage, settled};
use serde::{Deserialize, Serialize};

use records::{AttemptRecord, TotalSpending, Wasted, counted, is_zero};
use statistics::{Estimate, estimate, sample_means};

pub use cluster::Cluster;
pub(crate) use figures::none;
pub use figures::{
    NONE, amount, cost, cost_of_all_tries, cost_per_right_answer, further, length_label, percent,
    score_text, statuses_text, tokens, usd,
};
pub use interval_notes::difference_notes;
pub use interval_notes::interval_notes;
pub use judged::JudgeUsage;
pub use repeated::{Attempts, Pass, Repeated};
pub(crate) use table::context_lengths;
pub use table::{further_scorers, headline, rows_table, table};

/// Version of [`Summary`], written as `v` in its file.
pub const SUMMARY_VERSION: u32 = 3;

/// Summary of a run: `summary.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// [`SUMMARY_VERSION`] of the program that wrote the summary.
    pub v: u32,
    /// Number of planned attempts.
    pub attempts_total: u64,
    /// Number of attempts with a record.
    pub attempts: u64,
    /// Number of samples with at least one recorded attempt.
    pub samples: u64,
    /// Number of attempts with a score.
    pub scored: u64,
    /// Number of attempts that score 1.
    #[serde(default)]
    pub right: u64,
    /// `scored / attempts_total`; 0 for an empty run.
    pub coverage: f64,
    /// Number of attempts by status.
    pub statuses: Statuses,
    /// Mean over samples of the mean score of their scored attempts. `None` if no attempt has a
    /// score.
    pub score: Option<Estimate>,
    /// Mean score if every attempt of status `error` scores 0, as if the agents were to blame for
    /// infrastructure errors.
    pub score_errors_as_zero: Option<Estimate>,
    /// Scores by additional scorers, keyed by name with version.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<String, FurtherScores>,
    /// pass@k and related figures; `None` if every sample was attempted once.
    pub repeated: Option<Repeated>,
    /// Scores by `context_length` of the samples, or by the data's `context_len`, shortest first.
    /// Empty if the samples have neither.
    pub by_context_length: Vec<ContextLength>,
    /// Means per attempt; `None` if no attempt ended `ok` or `limit`.
    pub per_attempt: Option<PerAttempt>,
    /// Number of attempts whose return in the first iteration was intercepted and sent back to the
    /// model for confirmation; `None` if unknown for any of the attempts.
    pub returned_early: Option<u64>,
    /// Number of attempts in which text was dropped from a conversation that exceeded the model's
    /// context window: older outputs, or, with `direct`, the middle of the context.
    #[serde(default)]
    pub context_trimmed: u64,
    /// Number of attempts with a prompt that the server probably truncated.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut_prompts: u64,
    /// Number of attempts whose answer the scorer could not parse; they score 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreadable: u64,
    /// Number of attempts in which the model refused; they score 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refused: u64,
    /// Tokens of the attempts with a known count; `None` if no count is known.
    #[serde(default, deserialize_with = "counted")]
    pub usage: Option<Usage>,
    /// Number of attempts without a token count.
    #[serde(default)]
    pub usage_unknown: u64,
    /// Number of retried requests to models; `None` if unknown for any of the attempts.
    pub retries: Option<u64>,
    /// Number of requests to models in attempts with a known number.
    #[serde(default)]
    pub llm_calls: u64,
    /// Number of these requests that a cache answered at no cost.
    #[serde(default)]
    pub cached_calls: u64,
    /// Known cost in US dollars; `None` if no cost is known.
    pub cost_usd: Option<f64>,
    /// Number of attempts with unknown cost.
    pub cost_unknown: u64,
    /// Usage of the judge model, which is not included in any other figure; `None` without a judge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeUsage>,
    /// Sum of the durations of all attempts, in seconds.
    pub total_time_s: f64,
    /// Spending on abandoned and superseded attempts, as recorded in the run directory.
    #[serde(default)]
    pub wasted: Wasted,
}

/// Reason why the cost of a correct answer is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoCost {
    /// No attempt scores 1.
    #[error("no right answer")]
    NoneRight,
    /// The cost of an attempt or call is unknown.
    #[error("price unknown")]
    UnknownPrice,
}

/// Number of attempts by status.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statuses {
    /// Number of attempts with an answer.
    pub ok: u64,
    /// Number of attempts that hit a limit.
    pub limit: u64,
    /// Number of attempts that failed because of the infrastructure.
    pub error: u64,
    /// Number of attempts cancelled because the run was stopped.
    pub cancelled: u64,
}

/// Score at one context length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextLength {
    /// Context length according to the samples' metadata.
    pub context_length: u64,
    /// Whether the length is in the data's own unit, such as tokens, instead of characters.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_in_own_unit: bool,
    /// Number of attempts with a record.
    pub attempts: u64,
    /// Number of attempts with a score.
    pub scored: u64,
    /// Mean over samples of the mean score of their attempts.
    pub score: Option<Estimate>,
}

impl ContextLength {
    /// Returns the length with its unit.
    pub(crate) fn length(&self) -> Length {
        Length {
            value: self.context_length,
            is_in_own_unit: self.is_in_own_unit,
        }
    }
}

/// A context length with its unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Length {
    pub value: u64,
    /// Whether the length is in the data's own unit instead of characters.
    pub is_in_own_unit: bool,
}

impl Length {
    /// Formats the length. `characters` is the name of the unit, which is omitted for a length in
    /// the data's own unit.
    pub fn label(self, characters: &str) -> String {
        let label = length_label(self.value);
        if self.is_in_own_unit {
            format!("length {label}")
        } else {
            format!("{label} {characters}")
        }
    }
}

/// Score by an additional scorer, which does not affect the run's own score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FurtherScores {
    /// Number of attempts with a score.
    pub scored: u64,
    /// Mean over samples of the mean score of their scored attempts. `None` if no attempt has a
    /// score.
    pub score: Option<Estimate>,
}

/// Means over the attempts that ended `ok` or `limit`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PerAttempt {
    /// Number of attempts that the means cover.
    pub attempts: u64,
    /// Mean number of iterations of the root.
    pub iterations: f64,
    /// Share of attempts that called `rlm()` or `llm()`. This and the following optional figures
    /// are `None` if unknown for any of the attempts.
    pub delegation_rate: Option<f64>,
    /// Mean number of agents, including the root and one-shot calls.
    pub agents: Option<f64>,
    /// Mean number of requests to models.
    pub llm_calls: Option<f64>,
    /// Mean wall-clock time in seconds.
    pub total_time_s: f64,
    /// Mean overhead in milliseconds: the time in which neither a model nor the sandbox worked.
    pub overhead_ms: Option<f64>,
    /// Maximum overhead of an attempt in milliseconds.
    pub most_overhead_ms: Option<f64>,
    /// Total overhead as a share of the attempts' time.
    pub overhead_share: Option<f64>,
}

impl Summary {
    /// Summarizes a run with `attempts_total` planned attempts; `records` has one record for each
    /// finished attempt.
    pub fn new(records: &[AttemptRecord], attempts_total: u64) -> Self {
        let score = |record: &AttemptRecord| record.score;
        let score_or_zero = |record: &AttemptRecord| match record.status {
            Status::Error => Some(0.0),
            _ => record.score,
        };
        let scored = scored(records);
        let costs: Vec<f64> = records
            .iter()
            .filter_map(|record| record.cost_usd)
            .collect();
        let samples: BTreeSet<&str> = records.iter().map(|record| record.id.as_str()).collect();
        Self {
            v: SUMMARY_VERSION,
            attempts_total,
            attempts: records.len() as u64,
            samples: samples.len() as u64,
            scored,
            right: count(records, |record| {
                record.score.is_some_and(|score| score >= 1.0)
            }),
            coverage: match attempts_total {
                0 => 0.0,
                total => scored as f64 / total as f64,
            },
            statuses: statuses(records),
            score: mean_score(records, score),
            score_errors_as_zero: mean_score(records, score_or_zero),
            scores: further_scores(records),
            repeated: repeated::repeated(records, score_or_zero),
            by_context_length: by_context_length(records),
            per_attempt: per_attempt(records),
            returned_early: records
                .iter()
                .map(|record| record.returned_early.map(u64::from))
                .sum(),
            context_trimmed: count(records, |record| {
                record.context_trims.is_some_and(|trims| trims > 0)
            }),
            cut_prompts: count(records, |record| record.cut_prompts > 0),
            unreadable: count(records, AttemptRecord::is_unreadable),
            refused: count(records, |record| record.refused),
            usage: usage(records),
            usage_unknown: count(records, |record| record.usage.is_none()),
            retries: records
                .iter()
                .map(|record| record.retries.map(u64::from))
                .sum(),
            llm_calls: sum(records, |record| record.llm_calls),
            cached_calls: sum(records, |record| record.cached_calls),
            cost_usd: (!costs.is_empty()).then(|| settled(costs.iter().sum())),
            cost_unknown: (records.len() - costs.len()) as u64,
            judge: judged::judged(records),
            // Without records, `sum()` would return -0.
            total_time_s: records
                .iter()
                .fold(0.0, |sum, record| sum + record.total_time_s),
            wasted: Wasted::default(),
        }
    }

    /// Returns all figures that tables show with an interval.
    pub fn estimates(&self) -> impl Iterator<Item = &Estimate> {
        let scores = [&self.score, &self.score_errors_as_zero];
        let further = self.scores.values().map(|further| &further.score);
        let lengths = self.by_context_length.iter().map(|group| &group.score);
        let repeated = self.repeated.iter().flat_map(Repeated::estimates);
        let scores = scores.into_iter().chain(further).chain(lengths);
        scores.flatten().chain(repeated)
    }

    /// Returns the total spending of the run, including abandoned and superseded attempts.
    pub fn spent(&self) -> TotalSpending {
        let Wasted {
            abandoned,
            superseded,
        } = self.wasted;
        let mut usage = self.usage.unwrap_or_default();
        usage += abandoned.usage;
        usage += superseded.usage;
        let costs = [self.cost_usd, abandoned.cost_usd, superseded.cost_usd];
        let known = costs.iter().any(Option::is_some);
        TotalSpending {
            attempts: self.attempts + abandoned.attempts + superseded.attempts,
            usage,
            cost_usd: known.then(|| settled(costs.into_iter().flatten().sum())),
            unknown_calls: abandoned.unknown_calls + superseded.unknown_calls,
        }
    }

    /// Returns the cost of a correct answer in US dollars: the cost of all tries divided by the
    /// number of attempts that score 1. The cost of judging is not included.
    ///
    /// # Errors
    /// Returns [`NoCost`] if there is no correct answer or a cost is unknown.
    pub fn cost_per_right_answer(&self) -> Result<f64, NoCost> {
        let spent = self.spent();
        match spent.cost_usd {
            Some(cost) if self.cost_unknown == 0 && spent.unknown_calls == 0 => {
                if self.right == 0 {
                    return Err(NoCost::NoneRight);
                }
                Ok(cost / self.right as f64)
            }
            _ => Err(NoCost::UnknownPrice),
        }
    }

    /// Whether the run spent anything on attempts that do not count, or on lost calls of attempts
    /// that do.
    pub fn has_wasted(&self) -> bool {
        let wasted = [self.wasted.abandoned, self.wasted.superseded];
        wasted
            .iter()
            .any(|spent| spent.attempts + spent.llm_calls > 0)
    }

    /// Sets the spending on abandoned and superseded attempts.
    #[must_use]
    pub fn with_wasted(self, wasted: Wasted) -> Self {
        Self { wasted, ..self }
    }
}

fn usage(records: &[AttemptRecord]) -> Option<Usage> {
    let mut counted = records.iter().filter_map(|record| record.usage);
    let first = counted.next()?;
    Some(counted.fold(first, |mut sum, usage| {
        sum += usage;
        sum
    }))
}

fn sum(records: &[AttemptRecord], of: fn(&AttemptRecord) -> Option<u32>) -> u64 {
    records.iter().filter_map(of).map(u64::from).sum()
}

fn count<'a>(
    records: impl IntoIterator<Item = &'a AttemptRecord>,
    holds: impl Fn(&AttemptRecord) -> bool,
) -> u64 {
    records.into_iter().filter(|record| holds(record)).count() as u64
}

fn scored<'a>(records: impl IntoIterator<Item = &'a AttemptRecord>) -> u64 {
    count(records, |record| record.score.is_some())
}

fn statuses(records: &[AttemptRecord]) -> Statuses {
    let with = |status| count(records, |record| record.status == status);
    Statuses {
        ok: with(Status::Ok),
        limit: with(Status::Limit),
        error: with(Status::Error),
        cancelled: with(Status::Cancelled),
    }
}

fn mean_score<'a>(
    records: impl IntoIterator<Item = &'a AttemptRecord>,
    score: impl Fn(&AttemptRecord) -> Option<f64>,
) -> Option<Estimate> {
    let scores = records.into_iter().filter_map(|record| {
        let score = score(record)?;
        Some((record.id.as_str(), Cluster::of_record(record), score))
    });
    estimate(&sample_means(scores))
}

/// Metadata fields with the length of a sample's context: in characters, or in the data's own unit,
/// such as tokens.
pub(crate) const LENGTHS: [&str; 2] = ["context_length", "context_len"];

fn further_scores(records: &[AttemptRecord]) -> BTreeMap<String, FurtherScores> {
    let names: BTreeSet<&String> = records
        .iter()
        .flat_map(|record| record.scores.keys())
        .collect();
    let scores = names.into_iter().map(|name| {
        let score = |record: &AttemptRecord| record.scores.get(name)?.score;
        let scores = FurtherScores {
            scored: count(records, |record| score(record).is_some()),
            score: mean_score(records, score),
        };
        (name.clone(), scores)
    });
    scores.collect()
}

fn by_context_length(records: &[AttemptRecord]) -> Vec<ContextLength> {
    let mut groups: BTreeMap<Length, Vec<&AttemptRecord>> = BTreeMap::new();
    for record in records {
        let length = LENGTHS
            .iter()
            .find_map(|name| Some((*name, record.metadata.get(*name)?)));
        if let Some((name, value)) = length
            && let Some(value) = value.as_u64()
        {
            let is_in_own_unit = name != LENGTHS[0];
            let length = Length {
                value,
                is_in_own_unit,
            };
            groups.entry(length).or_default().push(record);
        }
    }
    groups
        .into_iter()
        .map(|(length, records)| ContextLength {
            context_length: length.value,
            is_in_own_unit: length.is_in_own_unit,
            attempts: records.len() as u64,
            scored: scored(records.iter().copied()),
            score: mean_score(records.iter().copied(), |record| record.score),
        })
        .collect()
}

fn per_attempt(records: &[AttemptRecord]) -> Option<PerAttempt> {
    let ended: Vec<_> = records
        .iter()
        .filter(|record| matches!(record.status, Status::Ok | Status::Limit))
        .collect();
    if ended.is_empty() {
        return None;
    }
    let n = ended.len() as f64;
    let mean =
        |of: fn(&AttemptRecord) -> f64| ended.iter().map(|record| of(record)).sum::<f64>() / n;
    // Attempts with a known value may differ from the others, so no mean over only some of them is
    // computed.
    let mean_if_known = |of: fn(&AttemptRecord) -> Option<f64>| {
        let sum: Option<f64> = ended.iter().map(|record| of(record)).sum();
        sum.map(|sum| sum / n)
    };
    let overheads: Option<Vec<f64>> = ended.iter().map(|record| record.overhead_ms).collect();
    let time: f64 = ended.iter().map(|record| record.total_time_s).sum();
    Some(PerAttempt {
        attempts: ended.len() as u64,
        iterations: mean(|record| record.iterations.into()),
        delegation_rate: mean_if_known(|record| {
            let delegations = record.delegations?;
            Some(if delegations > 0 { 1.0 } else { 0.0 })
        }),
        agents: mean_if_known(|record| record.agents.map(Into::into)),
        llm_calls: mean_if_known(|record| record.llm_calls.map(Into::into)),
        total_time_s: mean(|record| record.total_time_s),
        overhead_ms: mean_if_known(|record| record.overhead_ms),
        most_overhead_ms: overheads
            .as_ref()
            .and_then(|overheads| overheads.iter().copied().max_by(f64::total_cmp)),
        overhead_share: overheads.filter(|_| time > 0.0).map(|overheads| {
            let share = overheads.iter().sum::<f64>() / 1000.0 / time;
            share.clamp(0.0, 1.0)
        }),
    })
}
