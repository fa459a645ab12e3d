//! Settings of scorers that need a model or the sandbox.

use std::time::Duration;

use benchmarks::OutsideScorer;
use harness::sandbox::Isolation;

use super::{JudgeSettings, Keys, SettingsError, judge};
use crate::cli::{ModelArgs, ScorerArgs};

/// Settings of a scorer outside the benchmarks.
#[derive(Debug, Clone)]
pub struct GraderSettings {
    /// Scorer that replaces the benchmark's; `None` for the benchmark's own.
    pub given: Option<OutsideScorer>,
    /// Further scorers, whose scores are only recorded: names of rules, and those of
    /// [`OutsideScorer`].
    pub further: Vec<String>,
    /// Settings of the judge, if a judge scores answers.
    pub judge: Option<JudgeSettings>,
    /// Limits of a scorer file.
    pub limits: ScorerLimits,
    /// Isolation of a scorer file.
    pub isolation: Isolation,
}

/// Limits of a scorer file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScorerLimits {
    /// CPU time for loading the file and for each answer.
    pub time: Duration,
    /// Heap size in bytes.
    pub heap_bytes: u64,
}

/// Resolves the flags; `models` are the judge's model flags.
///
/// # Errors
/// A [`SettingsError`] for the first invalid flag.
pub(super) fn resolve(
    args: &ScorerArgs,
    models: &ModelArgs,
    keys: Keys,
    scorer: Option<&str>,
    isolation: Isolation,
) -> Result<GraderSettings, SettingsError> {
    let judge = judge::resolve(args, models, keys)?;
    Ok(GraderSettings {
        judge,
        further: Vec::new(),
        given: scorer.map(str::trim).and_then(OutsideScorer::parse),
        limits: ScorerLimits {
            time: *args.scorer_timeout,
            heap_bytes: args.scorer_memory_limit << 20,
        },
        isolation,
    })
}
