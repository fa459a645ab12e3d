//! Settings of `rlm-eval score`.

use std::path::PathBuf;
use std::sync::Arc;

use benchmarks::{OutsideScorer, Scorer};
use harness::Budget;
use harness::provider::PriceTable;

use super::{GraderSettings, Keys, SettingsError, benchmark, budget, grader, layers};
use crate::cli::{IsolationKind, ScoreArgs, TrafficArgs};
use crate::process::terminal;

/// Runs to score again, and the scoring settings.
pub struct ScoreSettings {
    /// Folders of the runs, or folders that contain them.
    pub dirs: Vec<PathBuf>,
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
    /// Folder of the judge's response cache.
    pub cache: Option<PathBuf>,
    /// Maximum answers that are scored concurrently; at least 1.
    pub concurrency: usize,
    /// Whether to print the summary as JSON instead of a table.
    pub json: bool,
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
        budget::check_prices(args.max_cost.map(|_| "--max-cost"), &prices, judge)?;
        if let Some(old) = budget::old_prices(&prices, judge, layers::today()) {
            terminal::warning(&old);
        }
        let mut traffic = args.traffic.clone();
        traffic.allow_concurrent(args.concurrency);
        Ok(Self {
            dirs: args.dirs.clone(),
            scorer,
            grader,
            traffic,
            budget: Budget {
                cost_usd: args.max_cost,
                tokens: args.max_tokens,
                calls: args.max_llm_calls,
                time: None,
            },
            prices,
            cache: args.cache.clone(),
            concurrency: args.concurrency,
            json: args.json,
        })
    }
}
