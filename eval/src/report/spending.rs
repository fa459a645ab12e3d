//! What agents used up, by their kind and depth.

use std::collections::{BTreeMap, HashMap, HashSet};

use harness::model::{Event, EventKind, Role, Usage};
use serde::Serialize;

use super::RunReport;
use crate::summary::{NONE, amount, usd};

/// What the agents of one kind at one depth used, in all attempts that have a record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Spending {
    /// What they are.
    pub role: Role,
    /// 0 for the root.
    pub depth: u32,
    /// How many there were.
    pub agents: u64,
    /// Their requests to models.
    pub llm_calls: u64,
    /// Their tokens; none if none are counted.
    pub usage: Option<Usage>,
    /// Their US dollars, where they are known; none if they are known of no call.
    pub cost_usd: Option<f64>,
    /// Calls that used tokens whose cost is not known.
    pub unpriced_calls: u64,
}

/// Depth first: roots before their children.
type Kind = (u32, &'static str);

/// Adds up what trajectories tell.
#[derive(Debug, Default)]
pub(super) struct Tally {
    kinds: BTreeMap<Kind, Spending>,
    /// The agents of the trajectory under way.
    agents: HashMap<String, Kind>,
    /// Those of them whose last call ended in an error.
    refused: HashSet<String>,
}

impl Tally {
    /// Begins a trajectory: its agents are others than those before.
    pub fn begin(&mut self) {
        self.agents.clear();
        self.refused.clear();
    }

    pub fn take(&mut self, event: &Event) {
        if let EventKind::InvocationStart { role, .. } = event.kind {
            let kind = (event.depth, role.as_str());
            self.agents.insert(event.invocation.clone(), kind);
            let spending = self.kinds.entry(kind).or_insert(Spending {
                role,
                depth: event.depth,
                agents: 0,
                llm_calls: 0,
                usage: None,
                cost_usd: None,
                unpriced_calls: 0,
            });
            spending.agents += 1;
            return;
        }
        let kind = self.agents.get(&event.invocation);
        let Some(spending) = kind.and_then(|kind| self.kinds.get_mut(kind)) else {
            return;
        };
        match &event.kind {
            EventKind::LlmRequest { .. } => spending.llm_calls += 1,
            EventKind::LlmError { .. } => {
                self.refused.insert(event.invocation.clone());
            }
            // A conversation that was shortened after it was refused was sent again.
            EventKind::ContextTrimmed { .. } => {
                spending.llm_calls += u64::from(self.refused.remove(&event.invocation));
            }
            EventKind::LlmResponse {
                usage, cost_usd, ..
            } => spending.add(*usage, *cost_usd),
            EventKind::LlmBilled { usage, cost_usd } => spending.add(Some(*usage), *cost_usd),
            _ => {}
        }
    }

    pub fn finish(self) -> Vec<Spending> {
        self.kinds.into_values().collect()
    }
}

impl Spending {
    fn add(&mut self, usage: Option<Usage>, cost_usd: Option<f64>) {
        if let Some(usage) = usage {
            *self.usage.get_or_insert_default() += usage;
        }
        match cost_usd {
            Some(cost) => *self.cost_usd.get_or_insert(0.0) += cost,
            None => self.unpriced_calls += 1,
        }
    }

    /// `$0.0240 (20 of $0.0012)`: all of it, and how many agents on average used how much.
    fn cost(&self) -> Option<String> {
        let cost = self.cost_usd?;
        let each = cost / self.agents.max(1) as f64;
        let unknown = match self.unpriced_calls {
            0 => String::new(),
            calls => format!(" and {calls} unknown"),
        };
        Some(format!(
            "{}{unknown} ({} of {})",
            usd(cost),
            self.agents,
            usd(each)
        ))
    }

    fn tokens(&self) -> Option<String> {
        let usage = self.usage?;
        let about = if usage.estimated { "~" } else { "" };
        let each = usage.total() / self.agents.max(1);
        Some(format!(
            "{about}{} ({} of {})",
            amount(usage.total()),
            self.agents,
            amount(each)
        ))
    }
}

/// A row of a table: its name, and what stands there for each run.
type Row = (String, Vec<String>);

/// The tables of cost and of tokens by agent: their titles and rows. What no run knows is left out.
pub(super) fn tables(runs: &[RunReport]) -> Vec<(&'static str, Vec<Row>)> {
    let mut tables = vec![
        ("cost by agent", rows(runs, Spending::cost)),
        ("tokens by agent", rows(runs, Spending::tokens)),
    ];
    tables.retain(|(_, rows)| !rows.is_empty());
    tables
}

fn rows(runs: &[RunReport], cell: fn(&Spending) -> Option<String>) -> Vec<Row> {
    let mut rows: BTreeMap<Kind, Vec<Option<String>>> = BTreeMap::new();
    for (index, run) in runs.iter().enumerate() {
        for spending in &run.behaviour.spending {
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
            let cells = cells.map(|cell| cell.unwrap_or_else(|| NONE.to_owned()));
            (name, cells.collect())
        })
        .collect()
}
