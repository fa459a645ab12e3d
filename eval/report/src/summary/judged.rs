//! Sums the usage of a run's judge, which is kept apart from that of its agents.

use model::Usage;
use serde::{Deserialize, Serialize};

use records::AttemptRecord;

/// Usage of the model that judged the answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JudgeUsage {
    /// The model, as `PROVIDER/MODEL`.
    pub model: String,
    /// Name of the judge's prompt.
    pub prompt: String,
    /// Lowercase hex SHA-256 of the prompt's file.
    pub prompt_sha256: String,
    /// Number of attempts whose answer the judge assessed or tried to assess.
    pub attempts: u64,
    /// Number of requests to the judge.
    pub calls: u64,
    /// Tokens of the attempts with a known count; `None` if no count is known.
    pub usage: Option<Usage>,
    /// Known cost in US dollars; `None` if no cost is known.
    pub cost_usd: Option<f64>,
    /// Number of attempts with unknown cost.
    pub cost_unknown: u64,
}

/// Sums the usage of judges over records. Returns `None` if no record was judged by a model.
pub(super) fn judged(records: &[AttemptRecord]) -> Option<JudgeUsage> {
    let mut sum: Option<JudgeUsage> = None;
    for judge in records.iter().filter_map(|record| record.judge.as_ref()) {
        let sum = sum.get_or_insert_with(|| JudgeUsage {
            model: judge.model.clone(),
            prompt: judge.prompt.clone(),
            prompt_sha256: judge.prompt_sha256.clone(),
            attempts: 0,
            calls: 0,
            usage: None,
            cost_usd: None,
            cost_unknown: 0,
        });
        sum.attempts += 1;
        sum.calls += u64::from(judge.calls);
        if let Some(usage) = judge.usage {
            *sum.usage.get_or_insert_default() += usage;
        }
        match judge.cost_usd {
            Some(cost) => *sum.cost_usd.get_or_insert_default() += cost,
            None => sum.cost_unknown += 1,
        }
    }
    sum
}
