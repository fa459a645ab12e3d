//! Flags of what may be spent, and of what it is priced by.

use std::path::PathBuf;

use clap::Args;
use serde::{Deserialize, Serialize};

use super::number::{decimal, whole};

/// Budgets of the run and of each attempt.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
#[command(next_help_heading = "Budget")]
pub struct BudgetArgs {
    /// US dollars that the run may cost [default: no limit]
    #[arg(long, value_parser = decimal, value_name = "USD")]
    pub max_cost: Option<f64>,

    /// Tokens that the run may use, input and output together [default: no limit]
    #[arg(long, value_parser = whole::<u64>, value_name = "N")]
    pub max_tokens: Option<u64>,

    /// Requests to models that the run may make; one that is sent again counts once [default: no limit]
    #[arg(long, value_parser = whole::<u64>, value_name = "N")]
    pub max_llm_calls: Option<u64>,

    /// Wall seconds after which the run begins nothing more, counted anew with --resume [default: no limit]
    #[arg(long, value_parser = decimal, value_name = "SECONDS")]
    pub time_limit: Option<f64>,

    /// US dollars that one attempt may cost, all its agents included [default: no limit]
    #[arg(long, value_parser = decimal, value_name = "USD")]
    pub attempt_max_cost: Option<f64>,

    /// Tokens that one attempt may use [default: no limit]
    #[arg(long, value_parser = whole::<u64>, value_name = "N")]
    pub attempt_max_tokens: Option<u64>,

    /// Requests to models that one attempt may make [default: no limit]
    #[arg(
        long,
        value_parser = whole::<u64>,
        value_name = "N"
    )]
    pub attempt_max_llm_calls: Option<u64>,

    /// YAML file of prices, tried before the bundled ones [default: the bundled ones alone]
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
}
