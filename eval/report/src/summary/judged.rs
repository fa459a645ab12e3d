//! What the judge of a run took, apart from what its agents took.

use model::Usage;
use serde::{Deserialize, Serialize};

use records::AttemptRecord;

/// What a model took that judged the answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Judged {
    /// The model, as `PROVIDER/MODEL`.
    pub model: String,
    /// The name of its prompt.
    pub prompt: String,
    /// Lower-case hex SHA-256 of the prompt's file.
    pub prompt_sha256: String,
    /// Attempts of which it judged the answer, or tried to.
    pub attempts: u64,
    /// Times that it was asked.
    pub calls: u64,
    /// Tokens of the attempts that have a count; none if none has.
    pub usage: Option<Usage>,
    /// US dollars of the attempts of which the cost is known; none if it is known of none.
    pub cost_usd: Option<f64>,
    /// Attempts of which the cost is not known.
    pub cost_unknown: u64,
}

/// The sum over records; none if no model judged any of them.
pub(super) fn judged(records: &[AttemptRecord]) -> Option<Judged> {
    let mut sum: Option<Judged> = None;
    for judge in records.iter().filter_map(|record| record.judge.as_ref()) {
        let sum = sum.get_or_insert_with(|| Judged {
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
