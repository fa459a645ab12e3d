//! What scores the answers of a run: a rule of the benchmarks, a JavaScript file in the sandbox, or a model as judge.
//!
//! Invariant: a scorer that fails gives no score. Its attempt ends in an error, which says why, and never in a zero.

mod rule;

mod javascript;

use std::sync::Arc;

use async_trait::async_trait;
use benchmarks::{Dataset, OutsideScorer, Sample, Score};
use serde_json::Value;

pub use javascript::JavaScript;
pub use rule::Rule;

use crate::settings::GraderSettings;

/// Scores answers.
#[async_trait]
pub trait Grader: Send + Sync {
    /// The name, with a version that changes whenever an answer may score differently: `needle/1`.
    fn name(&self) -> &str;

    /// All of it that can change a score: its part of a run's fingerprint.
    fn identity(&self) -> Value;

    /// Finds out, before anything is run, whether it can score at all.
    ///
    /// # Errors
    /// [`GraderError`].
    async fn check(&self) -> Result<(), GraderError> {
        Ok(())
    }

    /// Scores an answer, and takes it as hostile.
    async fn grade(&self, answered: &Answered<'_>) -> Grade;
}

/// An answer to be scored.
#[derive(Debug, Clone, Copy)]
pub struct Answered<'a> {
    /// What was asked. Its context is empty, and its query may be, where a run is scored from its records.
    pub sample: &'a Sample,
    /// 1-based.
    pub attempt: u32,
    /// What the agent returned.
    pub answer: &'a str,
}

/// What came of scoring an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Grade {
    /// The score, or why there is none.
    pub score: Result<Score, String>,
    /// What else the scorer tells of the answer.
    pub details: Option<Value>,
}

impl Grade {
    /// A score, and nothing else.
    pub fn of(score: Score) -> Self {
        Self {
            score: Ok(score),
            details: None,
        }
    }

    /// No score.
    pub fn failed(problem: impl Into<String>) -> Self {
        Self {
            score: Err(problem.into()),
            details: None,
        }
    }
}

/// A scorer that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GraderError {
    /// Its file cannot be read.
    #[error("scorer: cannot read {path}: {reason}")]
    Read {
        /// The file.
        path: String,
        /// Why.
        reason: std::io::Error,
    },
    /// Its file does not load, or is no scorer.
    #[error("scorer: {0}")]
    Script(String),
    /// The sandbox that it runs in does not start.
    #[error("scorer: {0}")]
    Sandbox(#[from] harness::sandbox::StartError),
}

/// The scorer of a run: the one that the user names, else the one that the benchmark's description names, else the
/// benchmark's own.
///
/// # Errors
/// [`GraderError`] for a file that cannot be read.
pub fn open(
    settings: &GraderSettings,
    dataset: &dyn Dataset,
) -> Result<Arc<dyn Grader>, GraderError> {
    match settings.given.as_ref().or(dataset.outside_scorer()) {
        None => Ok(Arc::new(Rule(dataset.scorer()))),
        Some(outside) => open_outside(outside, settings),
    }
}

/// A scorer that the benchmarks cannot run.
///
/// # Errors
/// [`GraderError`] for a file that cannot be read.
pub fn open_outside(
    scorer: &OutsideScorer,
    settings: &GraderSettings,
) -> Result<Arc<dyn Grader>, GraderError> {
    match scorer {
        OutsideScorer::JavaScript(path) => Ok(Arc::new(JavaScript::read(path, settings)?)),
    }
}
