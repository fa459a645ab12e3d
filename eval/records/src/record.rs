//! The record of one finished attempt: a line of `samples.jsonl`, and what every table and figure is made from.
//!
//! A figure that a record lacks was not recorded by the system that made the attempt; it is null and never 0.

use std::collections::BTreeMap;

use jiff::Timestamp;
use model::{Status, Usage};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Value, json};

/// Version of [`AttemptRecord`]; every line carries it as `v`.
pub const RECORD_VERSION: u32 = 1;

/// What all attempts of a run have in common: the constant columns of its CSV.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunIdentity {
    /// The run: the name of its folder, for a cell of a sweep with the sweep's id before it.
    pub run_id: String,
    /// The benchmark's name in the catalog.
    pub benchmark: String,
    /// The root's model, as `PROVIDER/MODEL`.
    pub model: String,
    /// How the model speaks: `rlm`, `direct`, ….
    pub protocol: String,
    /// `solver` or `coordinator`: the mode of the root's prompt. None where that has no mode, as in every protocol but `rlm`, and
    /// of a run of another system that does not say.
    pub prompt_mode: Option<String>,
    /// Names of the drivers in their order, joined by `+`; empty for none; unknown likewise.
    pub drivers: Option<String>,
    /// The greatest depth that an agent can have: 0 where the root has no children.
    pub max_depth: u32,
    /// Responses that the root can give.
    pub max_iterations: u32,
    /// Lower-case hex SHA-256 of the dataset.
    pub dataset_digest: String,
    /// The scorer with its version: `needle/1`.
    pub scorer: String,
    /// Lower-case hex SHA-256 of what can change an answer.
    pub fingerprint: String,
}

impl RunIdentity {
    /// A few words for tables: benchmark, how the agent works, and whether drivers guide it.
    pub fn label(&self) -> String {
        let how = match &self.prompt_mode {
            Some(mode) if self.protocol == "rlm" => mode,
            _ => &self.protocol,
        };
        let drivers = match self.drivers.as_deref() {
            None | Some("") => "",
            Some(_) => " + drivers",
        };
        format!("{} {how}{drivers}", self.benchmark)
    }
}

/// What a model took that judged an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeUse {
    /// The model, as `PROVIDER/MODEL`.
    pub model: String,
    /// The name of its prompt.
    pub prompt: String,
    /// Lower-case hex SHA-256 of the prompt's file.
    pub prompt_sha256: String,
    /// Times that it was asked.
    pub calls: u32,
    /// Those of them that a cache answered: they took no tokens and cost nothing.
    #[serde(default)]
    pub cached_calls: u32,
    /// Tokens; none if no reply carries a count.
    pub usage: Option<Usage>,
    /// US dollars; none if the cost of any reply is unknown.
    pub cost_usd: Option<f64>,
}

impl JudgeUse {
    /// Takes in what a reply, or a try without one, took.
    pub fn add(&mut self, usage: Option<Usage>, cost_usd: Option<f64>) {
        if let Some(usage) = usage {
            *self.usage.get_or_insert_default() += usage;
        }
        self.cost_usd = self.cost_usd.zip(cost_usd).map(|(sum, cost)| sum + cost);
    }
}

/// Field of [`AttemptRecord::score_details`] that is true if the scorer could not read the form of the answer.
pub const UNREADABLE: &str = "unreadable";

/// Whether the details of a score state that the scorer could not read the answer.
pub fn is_unreadable(details: &Value) -> bool {
    details[UNREADABLE] == true
}

/// One finished attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AttemptRecord {
    /// [`RECORD_VERSION`] of the writer.
    pub v: u32,
    /// The run.
    pub run_id: String,
    /// The sample.
    pub id: String,
    /// 1-based.
    pub attempt: u32,
    /// The sample's place in its dataset, from 0; unknown of a run that another system made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample_index: Option<u64>,
    /// Samples of one cluster stand or fall together; none for a sample on its own.
    pub cluster: Option<String>,
    /// How the attempt ended.
    pub status: Status,
    /// From 0 for wrong to 1 for right; none if there is nothing to judge.
    pub score: Option<f64>,
    /// Why it has that score, for people.
    pub score_explanation: Option<String>,
    /// Further details from the scorer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_details: Option<Value>,
    /// What a model took that judged the answer; no other figure of the record holds any of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge: Option<JudgeUse>,
    /// Why there is no answer; beside an answer, why its scorer failed.
    pub error: Option<String>,
    /// The root's answer; of one that has a file, its beginning.
    pub answer: Option<String>,
    /// The file in the run's folder that holds the whole answer, if that is too long for a line
    /// ([`model::long_answer`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer_file: Option<String>,
    /// The state of the attempt's world, which scorers judge instead of the answer; none where there was no world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<Value>,
    /// The right answer, in the scorer's form.
    pub expected: Value,
    /// Facts about the sample to group by.
    pub metadata: BTreeMap<String, Value>,
    /// Iterations of the root alone.
    pub iterations: u32,
    /// Agents, the root and one-shot calls included.
    pub agents: Option<u32>,
    /// Depth of the deepest agent; the root has 0.
    pub depth_reached: Option<u32>,
    /// Requests to models.
    pub llm_calls: Option<u32>,
    /// Tokens; none if no response carries a count.
    #[serde(default, deserialize_with = "counted")]
    pub usage: Option<Usage>,
    /// US dollars; none if the cost of any response is unknown.
    pub cost_usd: Option<f64>,
    /// Wall seconds from start to end.
    pub total_time_s: f64,
    /// The attempt's seconds less those in which all its work waited: for a rate limit, a connection or a retry.
    pub working_time_s: Option<f64>,
    /// Milliseconds in which neither a model nor the sandbox worked.
    pub overhead_ms: Option<f64>,
    /// Requests to models that were sent again.
    pub retries: Option<u32>,
    /// Requests to models that a cache answered.
    #[serde(default)]
    pub cached_calls: Option<u32>,
    /// Tokens of those, which are part of `usage` but were not used again; none if there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_usage: Option<Usage>,
    /// Times that older outputs were left out of a conversation that outgrew its model's context.
    #[serde(default)]
    pub context_trims: Option<u32>,
    /// Responses that did not follow the protocol.
    pub protocol_faults: Option<u32>,
    /// Calls of `rlm()` and `llm()`.
    pub delegations: Option<u32>,
    /// Calls that nobody awaited.
    pub unawaited: Option<u32>,
    /// Cells that ended in an error.
    pub failed_cells: u32,
    /// Whether the root's first-iteration return was shown back to it.
    pub returned_early: Option<bool>,
    /// Lower-case hex SHA-256 of the program that made it ([`crate::program::Program::digest`]); none if it is not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// When the attempt began, in RFC 3339.
    #[serde(with = "rfc3339")]
    pub started_at: Option<Timestamp>,
}

impl AttemptRecord {
    /// Without what no summary reads and may be long; the run's folder has it.
    #[must_use]
    pub fn without_texts(&self) -> Self {
        Self {
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

    /// Whether the scorer could not read the form of the answer, which then scores 0.
    pub fn is_unreadable(&self) -> bool {
        self.score_details.as_ref().is_some_and(is_unreadable)
    }

    /// The same with its sample's place in the dataset.
    #[must_use]
    pub fn of_sample(self, index: usize) -> Self {
        Self {
            sample_index: Some(index as u64),
            ..self
        }
    }
}

/// Tokens as recorded. Earlier versions recorded a missing count as zeros; no real request uses zero tokens.
///
/// # Errors
/// A value that is not a count of tokens.
pub fn counted<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Usage>, D::Error> {
    let usage = Option::<Usage>::deserialize(from)?;
    Ok(usage.filter(|usage| usage.total() > 0))
}

/// A timestamp as RFC 3339 text, or null.
mod rfc3339 {
    use jiff::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    #[expect(clippy::ref_option, reason = "serde asks for this form")]
    pub(super) fn serialize<S: Serializer>(
        time: &Option<Timestamp>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        match time {
            Some(time) => to.collect_str(time),
            None => to.serialize_none(),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Timestamp>, D::Error> {
        Option::<String>::deserialize(from)?
            .map(|text| text.parse().map_err(Error::custom))
            .transpose()
    }
}
