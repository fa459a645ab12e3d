//! Settings of `eval score`.

use std::path::PathBuf;
use std::sync::Arc;

use benchmarks::{OutsideScorer, Scorer};

use super::{GraderSettings, SettingsError, benchmark, grader, sandbox};
use crate::cli::{IsolationKind, ScoreArgs};

/// Which run is scored again, and how.
pub struct ScoreSettings {
    /// The run's folder.
    pub dir: PathBuf,
    /// The scorer.
    pub scorer: OtherScorer,
    /// How one that is no rule is run.
    pub grader: GraderSettings,
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
        let isolation = sandbox::isolation(IsolationKind::Process)?;
        let grader = grader::resolve(&args.scoring, Some(name), isolation)?;
        let scorer = match grader.given.clone() {
            Some(outside) => OtherScorer::Outside(outside),
            None => OtherScorer::Rule(benchmark::rule(name)?),
        };
        Ok(Self {
            dir: args.dir.clone(),
            scorer,
            grader,
            json: args.json,
        })
    }
}
