//! The record of one finished attempt: a line of `samples.jsonl`, and the source of all tables and
//! charts.
//!
//! A number that was not recorded when the attempt ran is null, not 0.

use std::collections::BTreeMap;

use jiff::Timestamp;
use model::{Protocol, Status, Usage};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

/// Version of [`AttemptRecord`]; every line carries it as `v`.
pub const RECORD_VERSION: u32 = 1;

/// Values that all attempts of a run share: the constant columns of `results.csv`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunIdentity {
    /// Id of the run: the name of its folder, prefixed by the sweep's id for a cell of a sweep.
    pub run_id: String,
    /// Name of the benchmark in the catalog.
    pub benchmark: String,
    /// Model of the root, as `PROVIDER/MODEL`.
    pub model: String,
    /// Protocol of the root: `rlm`, `direct`, ….
    pub protocol: String,
    /// Mode of the root's prompt: `solver` or `coordinator`. `None` for protocols other than `rlm`,
    /// and for imported runs that do not record it.
    pub prompt_mode: Option<String>,
    /// Names of the drivers in order, joined by `+`. Empty if there are none, `None` if unknown.
    pub drivers: Option<String>,
    /// Maximum depth of an agent: 0 if the root cannot have children.
    pub max_depth: u32,
    /// Maximum number of responses of the root.
    pub max_iterations: u32,
    /// Lowercase hex SHA-256 of the dataset.
    pub dataset_digest: String,
    /// The scorer and its version: `needle/1`.
    pub scorer: String,
    /// Lowercase hex SHA-256 of everything that can change an answer.
    pub fingerprint: String,
}

impl RunIdentity {
    /// Returns a short label for tables: the benchmark, the prompt mode or protocol, and the
    /// drivers.
    pub fn label(&self) -> String {
        let capabilities = Protocol::capabilities_of(&self.protocol);
        let has_modes = capabilities.is_some_and(model::Capabilities::has_modes);
        let how = match &self.prompt_mode {
            Some(mode) if has_modes => mode,
            _ => &self.protocol,
        };
        let drivers = match self.drivers.as_deref() {
            None | Some("") => "",
            Some(_) => " + drivers",
        };
        format!("{} {how}{drivers}", self.benchmark)
    }
}

/// Usage of the model that judged an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeUse {
    /// The model, as `PROVIDER/MODEL`.
    pub model: String,
    /// Name of the judge's prompt.
    pub prompt: String,
    /// Lowercase hex SHA-256 of the prompt's file.
    pub prompt_sha256: String,
    /// Number of requests to the judge.
    pub calls: u32,
    /// Number of requests that were answered from a cache and cost nothing.
    #[serde(default)]
    pub cached_calls: u32,
    /// Tokens of all replies and billed tries; `None` if none were counted.
    pub usage: Option<Usage>,
    /// Cost of all replies and billed tries in US dollars; `None` if the cost of any is unknown.
    pub cost_usd: Option<f64>,
}

impl JudgeUse {
    /// Adds the usage and cost of a reply or a billed try.
    pub fn add(&mut self, usage: Option<Usage>, cost_usd: Option<f64>) {
        if let Some(usage) = usage {
            *self.usage.get_or_insert_default() += usage;
        }
        self.cost_usd = self.cost_usd.zip(cost_usd).map(|(sum, cost)| sum + cost);
    }
}

/// Name of the field in [`AttemptRecord::score_details`] that is true if the scorer could not parse
/// the answer.
pub const UNREADABLE: &str = "unreadable";

/// Whether the details of a score mark the answer as unparseable.
pub fn is_unreadable(details: &Value) -> bool {
    details[UNREADABLE] == true
}

/// Score of an attempt by an additional scorer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FurtherScore {
    /// Score from 0 (wrong) to 1 (right); `None` if there is nothing to score or the scorer failed.
    pub score: Option<f64>,
    /// Explanation of the score, for people.
    pub explanation: Option<String>,
    /// Reason why the scorer failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// One finished attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptRecord {
    /// [`RECORD_VERSION`] of the program that wrote the record.
    pub v: u32,
    /// Id of the run.
    pub run_id: String,
    /// Id of the sample.
    pub id: String,
    /// Number of the attempt, 1-based.
    pub attempt: u32,
    /// 0-based index of the sample in its dataset, or `None` for imported runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_index: Option<u64>,
    /// Name of the sample's cluster, whose results are correlated; `None` for an independent
    /// sample.
    pub cluster: Option<String>,
    /// How the attempt ended.
    pub status: Status,
    /// Score from 0 (wrong) to 1 (right); `None` if there is nothing to score.
    pub score: Option<f64>,
    /// Explanation of the score, for people.
    pub score_explanation: Option<String>,
    /// Further details from the scorer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_details: Option<Value>,
    /// Scores by additional scorers, keyed by name with version. Comparisons and score gates ignore
    /// them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub scores: BTreeMap<String, FurtherScore>,
    /// Usage of the model that judged the answer. All other usage and costs in the record exclude
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeUse>,
    /// Reason why there is no answer, or why scoring the answer failed.
    pub error: Option<String>,
    /// Answer of the root, or only its beginning if the answer has its own file.
    pub answer: Option<String>,
    /// File in the run's folder with the whole answer, if the answer is too long for a line
    /// ([`model::long_answer`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_file: Option<String>,
    /// Whether the model refused, or its provider's filter withheld the response. The refusal is
    /// the answer and scores 0.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// Final state of the attempt's environment, which is scored instead of the answer; `None`
    /// without an environment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// Expected answer, in the format of the scorer.
    pub expected: Value,
    /// Metadata of the sample, used for grouping.
    pub metadata: BTreeMap<String, Value>,
    /// Number of iterations of the root only.
    pub iterations: u32,
    /// Number of agents, including the root and one-shot calls.
    pub agents: Option<u32>,
    /// Depth of the deepest agent; the root has depth 0.
    pub depth_reached: Option<u32>,
    /// Number of requests to models, including those answered from a cache.
    pub llm_calls: Option<u32>,
    /// Tokens of all responses and billed tries; `None` if none were counted.
    #[serde(default, deserialize_with = "counted")]
    pub usage: Option<Usage>,
    /// Cost of all responses and billed tries in US dollars; `None` if the cost of any is unknown.
    pub cost_usd: Option<f64>,
    /// Wall-clock seconds from start to end.
    pub total_time_s: f64,
    /// Wall-clock seconds, excluding time in which all work waited for a rate limit, a connection
    /// or a retry.
    pub working_time_s: Option<f64>,
    /// Milliseconds without a running model call, cell or browser action, excluding time spent
    /// waiting.
    pub overhead_ms: Option<f64>,
    /// Number of retries of requests to models.
    pub retries: Option<u32>,
    /// Number of requests that were answered from a cache and not sent.
    pub cached_calls: Option<u32>,
    /// Tokens of cached responses, which `usage` includes although they were not billed again.
    /// `None` without cached responses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_usage: Option<Usage>,
    /// Number of times that a conversation was shortened to fit the model's context window or a
    /// configured limit.
    pub context_trims: Option<u32>,
    /// Number of prompts that the server probably truncated: it counted far fewer tokens than the
    /// prompts contain.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut_prompts: u32,
    /// Number of responses that did not follow the protocol.
    pub protocol_faults: Option<u32>,
    /// Number of calls to other agents, such as `rlm()` and `llm()`.
    pub delegations: Option<u32>,
    /// Number of delegations that were never awaited.
    pub unawaited: Option<u32>,
    /// Number of cells that ended in an error.
    pub failed_cells: u32,
    /// Whether the root returned in its first iteration and was shown the value for confirmation.
    pub returned_early: Option<bool>,
    /// Whether the attempt continued one that ended in an error and has an earlier record. All
    /// counts, usage and times include those of the earlier record.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continued: bool,
    /// Lowercase hex SHA-256 of the program that ran the attempt
    /// ([`crate::program::Program::digest`]); `None` if not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Start time of the attempt; RFC 3339 in the file. A missing field is an error.
    #[serde(deserialize_with = "Option::deserialize")]
    pub started_at: Option<Timestamp>,
}

/// Whether a count is zero, so that a serialized record omits it.
pub fn is_zero<T: Default + PartialEq>(count: &T) -> bool {
    *count == T::default()
}

impl AttemptRecord {
    /// Returns the record without the texts that summaries do not use, to save memory. The run's
    /// folder keeps these texts.
    #[must_use]
    pub fn without_texts(&self) -> Self {
        let scores = self.scores.iter().map(|(name, further)| {
            let score = FurtherScore {
                score: further.score,
                explanation: None,
                error: None,
            };
            (name.clone(), score)
        });
        Self {
            scores: scores.collect(),
            run_id: String::new(),
            score_explanation: None,
            score_details: self.is_unreadable().then(|| json!({ UNREADABLE: true })),
            error: None,
            answer: None,
            answer_file: None,
            state: None,
            expected: Value::Null,
            program: None,
            ..self.clone()
        }
    }

    /// Whether the scorer could not parse the answer, which then scores 0.
    pub fn is_unreadable(&self) -> bool {
        self.score_details.as_ref().is_some_and(is_unreadable)
    }

    /// Sets the 0-based index of the sample in the dataset.
    #[must_use]
    pub fn of_sample(self, index: usize) -> Self {
        Self {
            sample_index: Some(index as u64),
            ..self
        }
    }
}

/// Deserializes token counts. Earlier versions recorded missing counts as zeros. Because every real
/// request uses tokens, zeros become `None`.
///
/// # Errors
/// Returns an error if the value is neither token counts nor null.
pub fn counted<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Usage>, D::Error> {
    let usage = Option::<Usage>::deserialize(from)?;
    Ok(usage.filter(|usage| usage.total() > 0))
}
