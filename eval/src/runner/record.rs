//! Builds the record of a finished attempt from its outcome and grade.

use std::collections::BTreeMap;

use benchmarks::Sample;
use harness::model::{AttemptOutcome, Status, Usage};
use jiff::Timestamp;
use records::{AttemptRecord, JudgeUse, RECORD_VERSION, RunIdentity};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::grader::Grade;
use crate::process::program;

/// Builds the record of an attempt that started at `started_at`.
///
/// If the scorer failed, the status is `error`. An attempt that reached a limit without an answer
/// scores 0, because the agent was able to work. An `error` or `cancelled` attempt gets no score,
/// even with a `grade`.
pub(crate) fn of_attempt(
    run: &RunIdentity,
    sample: &Sample,
    attempt: u32,
    outcome: &AttemptOutcome,
    grade: Option<Grade>,
    started_at: Timestamp,
) -> AttemptRecord {
    let scored = if outcome.refused {
        Scored::refused()
    } else {
        Scored::of(outcome.status, outcome.answer.is_some(), grade)
    };
    let stats = &outcome.stats;
    let total_time_s = stats.total.as_secs_f64();
    let used_nothing = stats.used_nothing();
    AttemptRecord {
        v: RECORD_VERSION,
        run_id: run.run_id.clone(),
        id: sample.id.clone(),
        attempt,
        sample_index: None,
        cluster: sample.cluster.clone(),
        status: scored.status,
        score: scored.score,
        score_explanation: scored.explanation,
        score_details: scored.details,
        scores: BTreeMap::new(),
        judge: scored.judge,
        error: scored.error.or_else(|| outcome.error.clone()),
        answer: outcome.answer.clone(),
        answer_file: None,
        refused: outcome.refused,
        state: outcome.state.clone(),
        expected: sample.expected.clone(),
        metadata: sample.metadata.clone(),
        iterations: stats.iterations,
        agents: Some(stats.agents),
        depth_reached: Some(stats.depth_reached),
        llm_calls: Some(stats.llm_calls),
        usage: stats.usage.or_else(|| used_nothing.then(Usage::default)),
        cost_usd: stats.cost_usd().or_else(|| used_nothing.then_some(0.0)),
        total_time_s,
        working_time_s: Some(stats.working().as_secs_f64()),
        overhead_ms: Some(stats.overhead().as_secs_f64() * 1000.0),
        retries: Some(stats.retries),
        cached_calls: Some(stats.cached_calls),
        cached_usage: stats.cached_usage,
        context_trims: Some(stats.context_trims),
        cut_prompts: stats.cut_prompts,
        protocol_faults: Some(stats.protocol_faults),
        delegations: Some(stats.delegations),
        unawaited: Some(stats.unawaited),
        failed_cells: stats.failed_cells,
        returned_early: Some(stats.returned_early),
        continued: stats.continued,
        program: Some(program::this().digest()),
        started_at: Some(started_at),
    }
}

/// Returns the text to score: the environment's state as JSON if there is one, otherwise the
/// answer.
pub(crate) fn judged(answer: Option<&str>, state: Option<&Value>) -> Option<String> {
    match state {
        Some(state) => Some(state.to_string()),
        None => answer.map(str::to_owned),
    }
}

/// Returns the state that the scorer `checks` gets without an environment: the answers to all user
/// messages.
pub(crate) fn state_of_answers<'a>(answers: impl IntoIterator<Item = &'a str>) -> Value {
    let answers = answers.into_iter();
    let turns: Vec<Value> = answers.map(|answer| json!({ "answer": answer })).collect();
    json!({ "turns": turns })
}

/// Whether a state contains nothing but answers, like that of [`state_of_answers`].
pub(crate) fn has_only_answers(state: &Value) -> bool {
    let is_answer = |turn: &Value| {
        turn.as_object()
            .is_some_and(|turn| turn.keys().eq(["answer"]))
    };
    let turns = state["turns"].as_array();
    turns.is_some_and(|turns| turns.iter().all(is_answer))
}

/// Status and score of an attempt after grading.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Scored {
    /// Final status.
    pub status: Status,
    /// Score, if the attempt has one.
    pub score: Option<f64>,
    /// Explanation of the score.
    pub explanation: Option<String>,
    /// Further details from the scorer.
    pub details: Option<Value>,
    /// Usage of a judge.
    pub judge: Option<JudgeUse>,
    /// Reason why the scorer failed.
    pub error: Option<String>,
}

impl Scored {
    /// Returns the score of a refusal, which is the same for every scorer.
    pub fn refused() -> Self {
        Self {
            status: Status::Ok,
            score: Some(0.0),
            explanation: Some("the model refused".to_owned()),
            details: None,
            judge: None,
            error: None,
        }
    }

    /// Combines the status of an attempt with its grade.
    pub fn of(status: Status, has_answer: bool, grade: Option<Grade>) -> Self {
        let mut scored = Self {
            status,
            score: None,
            explanation: None,
            details: None,
            judge: None,
            error: None,
        };
        match (status, grade) {
            (Status::Limit, _) if !has_answer => {
                scored.score = Some(0.0);
                scored.explanation = Some("no answer within the limits".to_owned());
            }
            (Status::Error | Status::Cancelled, _) | (_, None) => {}
            (_, Some(grade)) => {
                scored.details = grade.details;
                scored.judge = grade.judge;
                match grade.score {
                    Ok(score) => {
                        scored.score = Some(score.value);
                        scored.explanation = Some(score.explanation);
                    }
                    Err(problem) => {
                        scored.status = Status::Error;
                        scored.error = Some(format!("the scorer failed: {problem}"));
                    }
                }
            }
        }
        scored
    }
}

#[cfg(test)]
mod tests;
