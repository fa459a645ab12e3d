//! Settings of scorers that are no rule of the benchmarks.

use std::time::Duration;

use benchmarks::OutsideScorer;
use harness::sandbox::Isolation;

use super::{JudgeSettings, Keys, SettingsError, judge};
use crate::cli::{ModelArgs, ScorerArgs};

/// How such a scorer is run.
#[derive(Debug, Clone)]
pub struct GraderSettings {
    /// The one that takes the place of the benchmark's; none for the benchmark's.
    pub given: Option<OutsideScorer>,
    /// The model that a judge asks.
    pub judge: Option<JudgeSettings>,
    /// What a scorer file may use.
    pub limits: ScorerLimits,
    /// Where it runs.
    pub isolation: Isolation,
}

/// What a scorer file may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScorerLimits {
    /// CPU time of loading it, and of each answer.
    pub time: Duration,
    /// Bytes of heap.
    pub heap_bytes: u64,
}

/// Resolves the flags; `models` are those by which a judge is asked.
///
/// # Errors
/// A [`SettingsError`] for the first flag that is wrong.
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
        given: scorer.map(str::trim).and_then(OutsideScorer::parse),
        limits: ScorerLimits {
            time: *args.scorer_timeout,
            heap_bytes: args.scorer_memory_limit << 20,
        },
        isolation,
    })
}
