//! Flags of `rlm-eval score`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::BoolishValueParser;

use super::budget::MOST;
use super::number::{dollars, whole};
use super::{ModelArgs, ScorerArgs, TrafficArgs};

/// The flags of `rlm-eval score`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES, mut_arg("judge_model", |model| model.visible_alias("model")))]
pub struct ScoreArgs {
    /// Run directory
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,

    /// The scorer: a name of `rlm-eval list scorers`, with or without its version (exact, needle/1), or a JavaScript file
    #[arg(long, value_name = "NAME|FILE")]
    pub scorer: String,

    /// What it may use.
    #[command(flatten)]
    pub scoring: ScorerArgs,

    /// How a judge is asked; --base-url is its server, and the sampling is its own.
    #[command(flatten)]
    pub models: ModelArgs,

    /// How requests go to it.
    #[command(flatten)]
    pub traffic: TrafficArgs,

    /// Folder of a store of responses: a question that was answered once, in an attempt of the same number, is not sent
    /// again [default: no cache]
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,

    /// US dollars that the judge may cost, earlier starts of the same scoring included [default: no limit]
    #[arg(long, value_parser = dollars, value_name = "USD", help_heading = "Budget")]
    pub max_cost: Option<f64>,

    /// Tokens that the judge may use, likewise, input and output together [default: no limit]
    #[arg(long, value_parser = whole::<u64>(1..=MOST), value_name = "N", help_heading = "Budget")]
    pub max_tokens: Option<u64>,

    /// Times that the judge may be asked, likewise [default: no limit]
    #[arg(long, value_parser = whole::<u64>(1..=MOST), value_name = "N", help_heading = "Budget")]
    pub max_llm_calls: Option<u64>,

    /// YAML file of prices, tried before the bundled ones [default: the bundled ones alone]
    #[arg(long, value_name = "FILE", help_heading = "Budget")]
    pub prices: Option<PathBuf>,

    /// Answers that are scored at once
    #[arg(
        long,
        value_parser = whole::<usize>(1..=1_000),
        default_value_t = 5,
        value_name = "N"
    )]
    pub concurrency: usize,

    /// Print the new summary as JSON instead of a table beside the old one
    #[arg(long, value_parser = BoolishValueParser::new())]
    pub json: bool,
}

const EXAMPLES: &str = "\
No agent runs; `judge` is the one scorer that asks a model. The scores go to DIR/scores/SCORER.jsonl, a line for each attempt; what the run \
has recorded stays as it is. A judge's verdicts are kept as they come: where it is stopped, killed or out of budget, or fails at some answers, the same \
command goes on with the answers that have no score yet.

Examples:
  rlm-eval score results/s-niah-solver-20261121-092406-5f3a --scorer exact
  rlm-eval score results/mine-solver-20261121-092406-5f3a --scorer score.js
  rlm-eval score results/mine-solver-20261121-092406-5f3a --scorer judge --model openai/gpt-5 --max-cost 5";
