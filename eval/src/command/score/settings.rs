//! Flags and settings of `rlm-eval score`.

use std::path::PathBuf;
use std::sync::Arc;

use benchmarks::{OutsideScorer, Scorer};
use clap::Args;
use harness::Budget;
use harness::provider::PriceTable;

use crate::process::terminal;
use crate::settings::flags::NotFromFile;
use crate::settings::flags::TypedFlags;
use crate::settings::values::whole;
use crate::settings::{
    GraderSettings, IsolationKind, Keys, LimitArgs, ModelArgs, ScorerArgs, SettingsError,
    TrafficArgs, benchmark, budget, grader, layers,
};

/// The flags of `rlm-eval score`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES, mut_arg("judge_model", |model| model.visible_alias("model")))]
pub struct ScoreArgs {
    /// Run directories, sweep folders, or folders that contain any of these at any depth
    #[arg(required = true, value_name = "DIR")]
    pub dirs: Vec<PathBuf>,

    /// Scorer: a name from `rlm-eval list scorers`, with or without version (exact, needle/1), or a
    /// JavaScript file
    #[arg(long, value_name = "NAME|FILE")]
    pub scorer: String,

    /// Settings of the scorer.
    #[command(flatten)]
    pub scoring: ScorerArgs,

    /// Name of the flag that names the judge's model, as typed: `--judge-model` or its alias.
    #[arg(skip = grader::JUDGE_MODEL)]
    judge_flag: &'static str,

    /// Flags of the judge's calls, including its server (`--base-url`) and sampling.
    #[command(flatten)]
    pub models: ModelArgs,

    /// Retries and rate limits of the judge's requests.
    #[command(flatten)]
    pub traffic: TrafficArgs,

    /// Folder that caches responses. A request is not sent again, and costs nothing, if an attempt
    /// with the same number has already received its response [default: no cache]
    #[arg(long, value_name = "DIR", add = NotFromFile)]
    pub cache: Option<PathBuf>,

    /// Limits of the judge.
    #[command(flatten, next_help_heading = BUDGET)]
    pub limits: LimitArgs,

    /// YAML file of prices, which take precedence over the bundled ones [default: only the bundled
    /// ones]
    #[arg(long, value_name = "FILE", help_heading = BUDGET)]
    pub prices: Option<PathBuf>,

    /// Maximum answers scored concurrently
    #[arg(
        long,
        value_parser = whole::<usize>(1..=1_000),
        default_value_t = 5,
        value_name = "N",
        help_heading = "Scoring"
    )]
    pub concurrency: usize,

    /// Print the new summary as JSON instead of a table next to the old one
    #[arg(long, help_heading = "Scoring")]
    pub json: bool,
}

const BUDGET: &str = "Budget of the judge, over all starts of the same scoring";

const EXAMPLES: &str = "\
Runs no agent; of all scorers, only `judge` calls a model. The scores are written to scores/SCORER.jsonl in the \
folder of each run, one line for each attempt; the records of the run stay unchanged. `report`, `compare` and `view` use \
them with --scores SCORER. A judge is asked once about identical answers to a sample. Each verdict is stored immediately: if the \
command is stopped, killed or out of budget, or fails for some answers, start it again to score the rest.

Examples:
  rlm-eval score results/s-niah-solver-20261121-092406-5f3a --scorer exact
  rlm-eval score results/mine-solver-20261121-092406-5f3a --scorer score.js
  rlm-eval score results/mine-solver-20261121-092406-5f3a --scorer judge --model openai/gpt-5 --max-cost 5";

/// Resolved settings of a scorer.
pub struct ScoreSettings {
    /// Scorer to use.
    pub scorer: OtherScorer,
    /// Settings of the judge or scorer file.
    pub grader: GraderSettings,
    /// Rate limits and retries of a judge's requests.
    pub traffic: TrafficArgs,
    /// Budget of a judge.
    pub budget: Budget,
    /// Price table, in which the user's prices override the bundled ones.
    pub prices: PriceTable,
}

/// Scorer of a run that is scored again.
pub enum OtherScorer {
    /// A bundled scoring rule.
    Rule(Arc<dyn Scorer>),
    /// A judge or a scorer file.
    Outside(OutsideScorer),
}

/// Returns the flag of the first limit that is set.
pub fn budget_flag(budget: &Budget) -> Option<&'static str> {
    let of_money = budget.cost_usd.map(|_| "--max-cost");
    let of_tokens = budget.tokens.map(|_| "--max-tokens");
    let of_calls = budget.calls.map(|_| "--max-llm-calls");
    of_money.or(of_tokens).or(of_calls)
}

impl ScoreArgs {
    /// Sets the names of flags that have an alias to those on the command line, for messages.
    pub(crate) fn name_typed_flags(&mut self, typed: &TypedFlags) {
        if typed.has_name("model") {
            self.judge_flag = "--model";
        }
    }
}

impl ScoreSettings {
    /// Resolves the flags.
    ///
    /// # Errors
    /// [`SettingsError`] for the first invalid flag or a limit out of bounds.
    pub fn resolve(args: &ScoreArgs) -> Result<Self, SettingsError> {
        let name = args.scorer.trim();
        let isolation = IsolationKind::Process.of(1, false)?;
        let grader = grader::resolve(
            &args.scoring,
            args.judge_flag,
            &args.models,
            Keys::Needed,
            Some(name),
            isolation,
        )?;
        let scorer = match grader.given.clone() {
            Some(outside) => OtherScorer::Outside(outside),
            None => OtherScorer::Rule(benchmark::rule(name)?),
        };
        let judge = grader.judge.as_ref().map(|judge| &judge.model);
        let prices = budget::prices(args.prices.as_deref())?;
        budget::check_prices(args.limits.max_cost.map(|_| "--max-cost"), &prices, judge)?;
        if let Some(old) = budget::old_prices(&prices, judge, layers::today()) {
            terminal::warning(&old);
        }
        let mut traffic = args.traffic.clone();
        traffic.allow_concurrent(args.concurrency);
        Ok(Self {
            scorer,
            grader,
            traffic,
            budget: args.limits.budget(None),
            prices,
        })
    }
}
