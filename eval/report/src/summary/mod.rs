//! The summary of a run: pure functions of its records.

mod interval_notes;
mod judged;
mod repeated;
mod table;

mod attempt_rows;

use std::collections::{BTreeMap, BTreeSet};

use model::{Status, Usage, settled};
use serde::{Deserialize, Serialize};

use records::{AllSpent, AttemptRecord, Wasted, counted};
use statistics::{Estimate, estimate, sample_means};

pub use interval_notes::difference_notes;
pub use interval_notes::interval_notes;
pub use judged::Judged;
pub use repeated::{Attempts, Pass, Repeated};
pub use table::{
    NONE, amount, context_lengths, cost, cost_of_all_tries, cost_per_right_answer, percent,
    score_text, statuses_text, tokens, usd,
};
pub use table::{headline, length_label, rows_table, table};

/// Version of [`Summary`]; the file carries it as `v`.
pub const SUMMARY_VERSION: u32 = 2;

/// What came of a run: `summary.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// [`SUMMARY_VERSION`] of the writer.
    pub v: u32,
    /// Attempts that the run was to make.
    pub attempts_total: u64,
    /// Attempts that have a record.
    pub attempts: u64,
    /// Samples that have a record.
    pub samples: u64,
    /// Attempts that have a score.
    pub scored: u64,
    /// Attempts that score 1.
    #[serde(default)]
    pub right: u64,
    /// `scored / attempts_total`, 0 of an empty run.
    pub coverage: f64,
    /// Attempts by how they ended.
    pub statuses: Statuses,
    /// Mean over samples of the mean score of their attempts that have one. None if none has.
    pub score: Option<Estimate>,
    /// The same with every attempt of status `error` taken as 0: the score if the infrastructure is to blame too.
    pub score_errors_as_zero: Option<Estimate>,
    /// pass@k and its kin; none where every sample was attempted once.
    pub repeated: Option<Repeated>,
    /// By the samples' `context_length`, or the `context_len` of the data, shortest first; empty if they have none.
    pub by_context_length: Vec<ContextLength>,
    /// What an attempt took on average; none if none ran to its end.
    pub per_attempt: Option<PerAttempt>,
    /// Attempts whose first-iteration return was shown back to them. None if it is unknown of one.
    pub returned_early: Option<u64>,
    /// Attempts in which something was left out of a conversation, because it outgrew its model's context: older outputs, or
    /// with `direct` the middle of the context itself.
    #[serde(default)]
    pub context_trimmed: u64,
    /// Attempts whose answer has a form that the scorer could not read; they score 0.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unreadable: u64,
    /// Tokens of the attempts that have a count; none if none has.
    #[serde(default, deserialize_with = "counted")]
    pub usage: Option<Usage>,
    /// Attempts whose tokens nobody counted.
    #[serde(default)]
    pub usage_unknown: u64,
    /// Requests to models that were sent again. None if they are unknown of one attempt.
    #[serde(default)]
    pub retries: Option<u64>,
    /// Requests to models, as far as they are known.
    #[serde(default)]
    pub llm_calls: u64,
    /// Those of them that a cache answered, which cost nothing.
    #[serde(default)]
    pub cached_calls: u64,
    /// US dollars of the attempts of which the cost is known; none if it is known of none.
    pub cost_usd: Option<f64>,
    /// Attempts of which the cost is not known.
    pub cost_unknown: u64,
    /// What a model took that judged the answers, of which no other figure holds any; none where none did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<Judged>,
    /// Seconds that all attempts took, one after the other.
    pub total_time_s: f64,
    /// What was spent beside the attempts that count, as recorded in the run directory.
    #[serde(default)]
    pub wasted: Wasted,
}

/// Why a right answer has no cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoCost {
    /// No attempt scores 1.
    #[error("no right answer")]
    NoneRight,
    /// The cost of an attempt or call is not known.
    #[error("price unknown")]
    UnknownPrice,
}

/// Attempts by how they ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statuses {
    /// With an answer.
    pub ok: u64,
    /// At a limit.
    pub limit: u64,
    /// By a failure of the infrastructure.
    pub error: u64,
    /// Because the run was stopped.
    pub cancelled: u64,
}

/// The score at one length of context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextLength {
    /// Characters, as the samples' metadata say.
    pub context_length: u64,
    /// Attempts that have a record.
    pub attempts: u64,
    /// Attempts that have a score.
    pub scored: u64,
    /// Mean over their samples of the mean score of the attempts.
    pub score: Option<Estimate>,
}

/// Means over the attempts that ran to an end of their own: status `ok` or `limit`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PerAttempt {
    /// How many these are.
    pub attempts: u64,
    /// Iterations of the root.
    pub iterations: f64,
    /// The share of attempts that called `rlm()` or `llm()` at all. This and the next are unknown where they are
    /// unknown of one of the attempts.
    pub delegation_rate: Option<f64>,
    /// Agents, the root and one-shot calls included.
    pub agents: Option<f64>,
    /// Requests to models.
    pub llm_calls: Option<f64>,
    /// Wall seconds.
    pub total_time_s: f64,
    /// Milliseconds in which neither a model nor the sandbox worked.
    pub overhead_ms: Option<f64>,
    /// The most of these that any attempt had.
    pub most_overhead_ms: Option<f64>,
    /// All of these as a share of the attempts' time.
    pub overhead_share: Option<f64>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde calls"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Summary {
    /// The summary of a run that was to make `attempts_total` attempts; `records` holds one for each that it made.
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
            unreadable: count(records, AttemptRecord::is_unreadable),
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
            // Not `sum()`, by which no record is -0.
            total_time_s: records
                .iter()
                .fold(0.0, |sum, record| sum + record.total_time_s),
            wasted: Wasted::default(),
        }
    }

    /// Every figure that a table shows with its interval.
    pub fn estimates(&self) -> impl Iterator<Item = &Estimate> {
        let scores = [&self.score, &self.score_errors_as_zero];
        let lengths = self.by_context_length.iter().map(|group| &group.score);
        let repeated = self.repeated.iter().flat_map(Repeated::estimates);
        scores.into_iter().chain(lengths).flatten().chain(repeated)
    }

    /// What the run has used up in all: in the attempts that count, and in those that were abandoned or made again.
    pub fn spent(&self) -> AllSpent {
        let Wasted {
            abandoned,
            superseded,
        } = self.wasted;
        let mut usage = self.usage.unwrap_or_default();
        usage += abandoned.usage;
        usage += superseded.usage;
        let costs = [self.cost_usd, abandoned.cost_usd, superseded.cost_usd];
        let known = costs.iter().any(Option::is_some);
        AllSpent {
            attempts: self.attempts + abandoned.attempts + superseded.attempts,
            usage,
            cost_usd: known.then(|| settled(costs.into_iter().flatten().sum())),
            unknown_calls: abandoned.unknown_calls + superseded.unknown_calls,
        }
    }

    /// US dollars that a right answer took: those of all tries, whatever came of them, by the attempts that score 1. What
    /// judging the answers cost is not among them.
    ///
    /// # Errors
    /// [`NoCost`] where there is no such figure.
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

    /// Whether there were attempts that count for nothing.
    pub fn has_wasted(&self) -> bool {
        self.wasted.abandoned.attempts + self.wasted.superseded.attempts > 0
    }

    /// The same with what the run's directory knows to have been spent for nothing.
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

/// What an attempt stands or falls with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cluster<'a> {
    /// The samples of a named cluster.
    Named(&'a str),
    /// The other attempts at its sample.
    Sample(&'a str),
}

impl<'a> Cluster<'a> {
    /// That of the attempts at a sample.
    pub fn of(sample: &'a str, cluster: Option<&'a str>) -> Self {
        cluster.map_or(Self::Sample(sample), Self::Named)
    }

    fn of_record(record: &'a AttemptRecord) -> Self {
        Self::of(&record.id, record.cluster.as_deref())
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

/// The facts that say how long a sample's context is: in characters, or as the data counts it, in tokens.
pub(crate) const LENGTHS: [&str; 2] = ["context_length", "context_len"];

fn by_context_length(records: &[AttemptRecord]) -> Vec<ContextLength> {
    let mut groups: BTreeMap<u64, Vec<&AttemptRecord>> = BTreeMap::new();
    for record in records {
        let mut lengths = LENGTHS.iter().filter_map(|name| record.metadata.get(*name));
        let length = lengths.next();
        if let Some(length) = length.and_then(serde_json::Value::as_u64) {
            groups.entry(length).or_default().push(record);
        }
    }
    groups
        .into_iter()
        .map(|(context_length, records)| ContextLength {
            context_length,
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
    // Attempts with a value may differ from those without: no mean of a part.
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
