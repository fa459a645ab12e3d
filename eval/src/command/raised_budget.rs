//! Suggests a higher budget after a run or a sweep has used up its own.

use harness::{Budget, Spent};

/// Returns the flags of a higher budget, each preceded by a space. Each limit that is used up is
/// set to twice its value, or to twice the amount spent if that is more. If it is unknown which
/// limit is used up, all are raised. The time limit is not raised, because it applies to each start
/// separately.
pub(super) fn raised(budget: &Budget, spent: Spent) -> String {
    let cost = budget.cost_usd.is_some_and(|most| spent.cost_usd >= most);
    let tokens = budget.tokens.is_some_and(|most| spent.tokens >= most);
    let calls = budget.calls.is_some_and(|most| spent.calls >= most);
    let is_unknown = !(cost || tokens || calls) && budget.time.is_none();
    let mut flags = String::new();
    if let Some(most) = budget.cost_usd.filter(|_| cost || is_unknown) {
        let twice = if spent.cost_usd < 2.0 * most {
            2.0 * most
        } else {
            (200.0 * spent.cost_usd).ceil() / 100.0
        };
        flags += &format!(" --max-cost {twice}");
    }
    let twice = |most: u64, spent: u64| most.max(spent.saturating_add(1) / 2).saturating_mul(2);
    if let Some(most) = budget.tokens.filter(|_| tokens || is_unknown) {
        flags += &format!(" --max-tokens {}", twice(most, spent.tokens));
    }
    if let Some(most) = budget.calls.filter(|_| calls || is_unknown) {
        flags += &format!(" --max-llm-calls {}", twice(most, spent.calls));
    }
    flags
}
