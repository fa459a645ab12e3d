//! Sums the spending of agents by role and depth.

use std::collections::BTreeMap;

use model::{Role, settled};
use records::trajectory::{Agent, CallUsage};
use serde::Serialize;

use crate::columns::Row;
use crate::summary::{amount, none, usd};

/// Spending of the agents of one role at one depth, over all recorded attempts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Spending {
    /// Role of the agents.
    pub role: Role,
    /// Depth of the agents; 0 for root agents.
    pub depth: u32,
    /// Number of agents.
    pub agents: u64,
    /// Number of the agents' requests to models.
    pub llm_calls: u64,
    /// Tokens and cost of these requests.
    #[serde(flatten)]
    pub used: CallUsage,
}

/// Sort key: depth first, so that roots come before their children.
type Kind = (u32, &'static str);

/// Accumulates the spending of agents by depth and role.
#[derive(Debug, Default)]
pub(super) struct Tally {
    kinds: BTreeMap<Kind, Spending>,
}

impl Tally {
    pub fn take(&mut self, agent: &Agent) {
        let Some(role) = agent.role else {
            return;
        };
        let kind = (agent.depth, role.as_str());
        let spending = self.kinds.entry(kind).or_insert(Spending {
            role,
            depth: agent.depth,
            agents: 0,
            llm_calls: 0,
            used: CallUsage::default(),
        });
        spending.agents += 1;
        spending.llm_calls += agent.calls.asked;
        spending.used += agent.calls.used();
    }

    pub fn finish(self) -> Vec<Spending> {
        let kinds = self.kinds.into_values();
        kinds
            .map(|mut spending| {
                spending.used.cost_usd = spending.used.cost_usd.map(settled);
                spending
            })
            .collect()
    }
}

impl Spending {
    /// Formats the cost: `$0.0240 (20 of $0.0012)` is the total, the number of agents and the mean
    /// cost of an agent.
    fn cost(&self) -> Option<String> {
        let cost = self.used.cost_usd?;
        let each = cost / self.agents.max(1) as f64;
        Some(self.with_mean(&usd(cost), &usd(each), self.used.unpriced_calls))
    }

    fn tokens(&self) -> Option<String> {
        let usage = self.used.usage?;
        let about = if usage.estimated { "~" } else { "" };
        let total = format!("{about}{}", amount(usage.total()));
        let each = usage.total() / self.agents.max(1);
        Some(self.with_mean(&total, &amount(each), self.used.uncounted_calls))
    }

    /// Formats a total and the mean of an agent. `unknown` calls are missing in both, so the mean
    /// is a lower bound.
    fn with_mean(&self, total: &str, each: &str, unknown: u64) -> String {
        let agents = self.agents;
        match unknown {
            0 => format!("{total} ({agents} of {each})"),
            _ => format!("{total} and {unknown} unknown ({agents} of ≥ {each})"),
        }
    }
}

/// Returns the tables of cost and tokens by agent, with titles and rows, for the spending of each
/// run. Empty tables are omitted.
pub(super) fn tables(runs: &[&[Spending]]) -> Vec<(&'static str, Vec<Row>)> {
    let mut tables = vec![
        ("cost by agent", rows(runs, Spending::cost)),
        ("tokens by agent", rows(runs, Spending::tokens)),
    ];
    tables.retain(|(_, rows)| !rows.is_empty());
    tables
}

fn rows(runs: &[&[Spending]], cell: fn(&Spending) -> Option<String>) -> Vec<Row> {
    let mut rows: BTreeMap<Kind, Vec<Option<String>>> = BTreeMap::new();
    for (index, run) in runs.iter().enumerate() {
        for spending in *run {
            let kind = (spending.depth, spending.role.as_str());
            let row = rows.entry(kind).or_insert_with(|| vec![None; runs.len()]);
            row[index] = cell(spending);
        }
    }
    rows.into_iter()
        .filter(|(_, cells)| cells.iter().any(Option::is_some))
        .map(|((depth, role), cells)| {
            let name = match depth {
                0 => role.to_owned(),
                _ => format!("{}, depth {depth}", role.replace('_', "-")),
            };
            let cells = cells.into_iter();
            let cells = cells.map(|cell| cell.unwrap_or_else(none));
            (name, cells.collect())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use model::{Role, Usage};
    use records::trajectory::CallUsage;

    use super::Spending;

    #[test]
    fn marks_means_as_lower_bounds_if_calls_are_unknown() {
        let rows = [
            (0, "$0.00400 (3 of $0.00133)", "440 (3 of 146)"),
            (
                2,
                "$0.00400 and 2 unknown (3 of ≥ $0.00133)",
                "440 and 2 unknown (3 of ≥ 146)",
            ),
        ];
        for (unknown, cost, tokens) in rows {
            let spending = Spending {
                role: Role::Child,
                depth: 1,
                agents: 3,
                llm_calls: 4 + unknown,
                used: CallUsage {
                    usage: Some(Usage {
                        input_tokens: 400,
                        output_tokens: 40,
                        ..Usage::default()
                    }),
                    cost_usd: Some(0.004),
                    unpriced_calls: unknown,
                    uncounted_calls: unknown,
                },
            };
            assert_eq!(spending.cost().as_deref(), Some(cost));
            assert_eq!(spending.tokens().as_deref(), Some(tokens));
        }
    }
}
