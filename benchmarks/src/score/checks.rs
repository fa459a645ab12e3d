//! `checks/2`: compares the results of a user-supplied row's checks with the expected results.

use serde_json::Value;

use super::{Score, Scorer, StringMatch, excerpt};
use crate::Sample;
use crate::decimal::same_json;

/// Scores the share of a sample's checks that pass. The expected value is `{"checks": […]}` with
/// one entry per user message: null, `{"page": VALUE}`, `{"request": JSON}` or
/// `{"answer": [TEXT, …]}`; an answer passes if it contains any of the texts, regardless of case.
///
/// Instead of an answer, it scores the final state of an attempt's environment, with one entry per
/// user message: `{"turns": [{"answer", "check", "problem"}]}`.
#[derive(Clone, Copy, Debug)]
pub struct Checks;

impl Checks {
    /// Name of the scorer with its version.
    pub const NAME: &str = "checks/2";
}

impl Scorer for Checks {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn validate_expected(&self, expected: &Value) -> Option<&'static str> {
        let checks = expected["checks"].as_array();
        checks.is_none().then_some("has no checks")
    }

    fn score(&self, answer: &str, sample: &Sample) -> Score {
        let state: Value = serde_json::from_str(answer).unwrap_or_default();
        // In an app environment, the state is nested in `state`, next to the agent's actions.
        let turns = state["turns"]
            .as_array()
            .or_else(|| state["state"]["turns"].as_array());
        let turns = turns.map(Vec::as_slice).unwrap_or_default();
        let checks = sample.expected["checks"].as_array();
        let checks = checks.map(Vec::as_slice).unwrap_or_default();
        let mut count = 0_u32;
        let mut held = 0_u32;
        let mut first_problem = None;
        for (number, check) in checks
            .iter()
            .enumerate()
            .filter(|(_, check)| !check.is_null())
        {
            count += 1;
            match problem(check, turns.get(number), sample) {
                None => held += 1,
                Some(problem) => {
                    first_problem.get_or_insert(match checks.len() {
                        1 => problem,
                        _ => format!("message {}: {problem}", number + 1),
                    });
                }
            }
        }
        let why = first_problem
            .map(|problem| format!("; {problem}"))
            .unwrap_or_default();
        let s = if count == 1 { "" } else { "s" };
        let value = if count == 0 {
            0.0
        } else {
            f64::from(held) / f64::from(count)
        };
        Score::new(value, format!("{held} of {count} check{s} held{why}"))
    }
}

/// Returns the reason why a check fails, or `None` if it passes.
fn problem(check: &Value, turn: Option<&Value>, sample: &Sample) -> Option<String> {
    let Some(turn) = turn else {
        return Some("the agent did not reach this message".to_owned());
    };
    if let Some(right) = check.get("answer") {
        let Some(answer) = turn["answer"].as_str() else {
            return Some("there is no answer".to_owned());
        };
        let wanted = Sample {
            expected: right.clone(),
            ..sample.clone()
        };
        let found = StringMatch::Part.score(answer, &wanted).value > 0.0;
        return (!found)
            .then(|| format!("the answer {} does not contain {right}", excerpt(answer)));
    }
    if let Some(problem) = turn["problem"].as_str() {
        return Some(format!("the check failed: {}", excerpt(problem)));
    }
    let found = &turn["check"];
    let right = check.get("page").or_else(|| check.get("request"))?;
    (!same_json(found, right)).then(|| {
        let (found, right) = (found.to_string(), right.to_string());
        format!("found {}, expected {}", excerpt(&found), excerpt(&right))
    })
}
