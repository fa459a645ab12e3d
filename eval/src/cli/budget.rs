//! Flags of budgets and prices.

use std::path::PathBuf;

use clap::Args;
use harness::Budget;
use serde::Serialize;

use super::number::{Seconds, dollars, whole};

/// Maximum value of a token or request limit; larger numbers are probably typos.
pub(super) const MOST: u64 = 1_000_000_000_000;

/// Budgets of the run and of each attempt.
#[derive(Debug, Clone, Args, Serialize)]
#[command(next_help_heading = "Budget")]
pub struct BudgetArgs {
    /// Cost limit of the run, in US dollars [default: no limit]
    #[arg(long, value_parser = dollars, value_name = "USD")]
    pub max_cost: Option<f64>,

    /// Token limit of the run, input and output together [default: no limit]
    #[arg(long, value_parser = whole::<u64>(1..=MOST), value_name = "N")]
    pub max_tokens: Option<u64>,

    /// Limit of requests to models for the run; a retried request counts once [default: no limit]
    #[arg(long, value_parser = whole::<u64>(1..=MOST), value_name = "N")]
    pub max_llm_calls: Option<u64>,

    /// Wall time limit of the run in seconds, after which no attempt or model call starts; with
    /// --resume, the time starts from zero [default: no limit]
    #[arg(long, value_name = "SECONDS")]
    pub time_limit: Option<Seconds>,

    /// Cost limit of one attempt, including all its agents, in US dollars [default: no limit]
    #[arg(long, value_parser = dollars, value_name = "USD")]
    pub attempt_max_cost: Option<f64>,

    /// Token limit of one attempt [default: no limit]
    #[arg(long, value_parser = whole::<u64>(1..=MOST), value_name = "N")]
    pub attempt_max_tokens: Option<u64>,

    /// Limit of requests to models for one attempt [default: no limit]
    #[arg(
        long,
        value_parser = whole::<u64>(1..=MOST),
        value_name = "N"
    )]
    pub attempt_max_llm_calls: Option<u64>,

    /// YAML file of prices, which take precedence over the bundled ones [default: only the bundled
    /// ones]
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
}

impl BudgetArgs {
    /// Returns the budget of the run.
    pub fn of_run(&self) -> Budget {
        Budget {
            cost_usd: self.max_cost,
            tokens: self.max_tokens,
            calls: self.max_llm_calls,
            time: self.time_limit.map(|time| *time),
        }
    }

    /// Returns the flag that limits cost, if it is set.
    pub fn of_money(&self) -> Option<&'static str> {
        let of_run = self.max_cost.map(|_| "--max-cost");
        of_run.or(self.attempt_max_cost.map(|_| "--attempt-max-cost"))
    }

    /// Returns the budget of each attempt, without its time limit, which is a flag of the engine.
    pub const fn of_attempt(&self) -> Budget {
        Budget {
            cost_usd: self.attempt_max_cost,
            tokens: self.attempt_max_tokens,
            calls: self.attempt_max_llm_calls,
            time: None,
        }
    }
}
