//! Settings of `eval score`.

use std::path::PathBuf;
use std::sync::Arc;

use benchmarks::{OutsideScorer, Scorer};

use super::{BudgetSettings, GraderSettings, Keys, SettingsError, benchmark, budget, grader};
use crate::cli::{IsolationKind, ScoreArgs, TrafficArgs};

/// Which run is scored again, and how.
pub struct ScoreSettings {
    /// The run's folder.
    pub dir: PathBuf,
    /// The scorer.
    pub scorer: OtherScorer,
    /// How one that is no rule is run.
    pub grader: GraderSettings,
    /// How requests go to a judge.
    pub traffic: TrafficArgs,
    /// What it may use, and by which prices.
    pub budget: BudgetSettings,
    /// Folder of its cache.
    pub cache: Option<PathBuf>,
    /// Answers that are scored at once; at least 1.
    pub concurrency: usize,
    /// Whether the summary is printed as JSON instead of a table.
    pub json: bool,
}

/// The scorer of a run that is scored again.
pub enum OtherScorer {
    /// A rule of the benchmarks.
    Rule(Arc<dyn Scorer>),
    /// One that they cannot run.
    Outside(OutsideScorer),
}

impl ScoreSettings {
    /// Resolves the flags.
    ///
    /// # Errors
    /// [`SettingsError::UnknownScorer`], or for a limit that is out of bounds.
    pub fn resolve(args: &ScoreArgs) -> Result<Self, SettingsError> {
        let name = args.scorer.trim();
        let isolation = IsolationKind::Process.shared_by(1)?;
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
        let judge = grader.judge.as_ref().map(|judge| judge.model.as_str());
        let budget = budget::of_scoring(args, judge)?;
        Ok(Self {
            dir: args.dir.clone(),
            scorer,
            grader,
            traffic: args.traffic.clone(),
            budget,
            cache: args.cache.clone(),
            concurrency: args.concurrency,
            json: args.json,
        })
    }
}
