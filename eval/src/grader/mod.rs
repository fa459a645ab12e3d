//! What scores the answers of a run: a rule of the benchmarks, a JavaScript file in the sandbox, or a model as judge.
//!
//! Invariant: a scorer that fails gives no score. Its attempt ends in an error, which says why, and never in a zero.

mod rule;

mod javascript;

mod judge;

use std::sync::Arc;

use async_trait::async_trait;
use benchmarks::{Dataset, OutsideScorer, Sample, Score};
use harness::model::EventKind;
use harness::{HaltReason, Model};
use records::{JudgeUse, UNREADABLE, is_unreadable};
use serde_json::{Value, json};

pub use javascript::JavaScript;
pub use judge::{JUDGE_ATTEMPTS, Judge, JudgePrompt};
pub use rule::Rule;

use crate::models::judge_identity;
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

    /// Whether it is the benchmark's own, which reads the right answer in whatever form the benchmark has it.
    fn is_benchmarks_own(&self) -> bool {
        false
    }

    /// Scores an answer, and takes it as hostile. Calls to models for it are reported to `log`.
    async fn grade(&self, answered: &Answered<'_>, log: &dyn JudgeLog) -> Grade;
}

/// Takes what is spent on judging an answer, while it is: a process that is killed leaves no record that has it.
pub trait JudgeLog: Send + Sync {
    /// Takes one event, of those whose name begins with `Judge`. Must not block.
    fn log(&self, event: EventKind);

    /// Why a judge may not be asked once more about the same answer, if so.
    fn forbids_more(&self) -> Option<String> {
        None
    }
}

/// A log that keeps nothing, for answers whose run has ended.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLog;

impl JudgeLog for NoLog {
    fn log(&self, _event: EventKind) {}
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

/// Scores an answer at a sample of this benchmark. Where the right answer is encrypted in samples and records, the scorer gets it
/// in plain, and what it says of it is not kept.
pub async fn grade(
    grader: &dyn Grader,
    benchmark: &str,
    answered: Answered<'_>,
    log: &dyn JudgeLog,
) -> Grade {
    const UNTOLD: &str = "why is not kept: the expected text stays encrypted";
    let expected = &answered.sample.expected;
    let plain = if grader.is_benchmarks_own() {
        None
    } else {
        benchmarks::decrypted_expected(benchmark, expected)
    };
    let Some(expected) = plain else {
        return grader.grade(&answered, log).await;
    };
    let sample = Sample {
        expected,
        ..answered.sample.clone()
    };
    let sample = &sample;
    let grade = grader.grade(&Answered { sample, ..answered }, log).await;
    Grade {
        score: grade.score.map(|score| Score {
            explanation: UNTOLD.to_owned(),
            ..score
        }),
        details: grade
            .details
            .filter(is_unreadable)
            .map(|_| json!({ UNREADABLE: true })),
        ..grade
    }
}

/// What came of scoring an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Grade {
    /// The score, or why there is none.
    pub score: Result<Score, String>,
    /// Further details from the scorer.
    pub details: Option<Value>,
    /// What a model took that was asked.
    pub judge: Option<JudgeUse>,
    /// Why no answer of the run can be scored any more.
    pub halts: Option<HaltReason>,
}

impl Grade {
    /// A score, and nothing else. That the scorer cannot read the answer is a detail of the score.
    pub fn of(score: Score) -> Self {
        let details = score.is_unreadable.then(|| json!({ UNREADABLE: true }));
        Self {
            score: Ok(score),
            details,
            judge: None,
            halts: None,
        }
    }

    /// No score.
    pub fn failed(problem: impl Into<String>) -> Self {
        Self {
            score: Err(problem.into()),
            details: None,
            judge: None,
            halts: None,
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
    /// There is no model to ask.
    #[error("scorer `judge`: it needs a model to ask")]
    NoModel,
    /// A flag speaks of a model to ask, and nobody asks one.
    #[error("{flag}: the scorer is {scorer}, which asks no model")]
    NoJudge {
        /// The flag.
        flag: &'static str,
        /// The scorer.
        scorer: String,
    },
    /// The sandbox that it runs in does not start.
    #[error("scorer: {0}")]
    Sandbox(#[from] harness::sandbox::StartError),
}

impl GraderError {
    /// A flag that speaks of a model to ask, where the scorer asks none.
    pub fn no_judge(flag: &'static str, scorer: &str) -> Self {
        Self::NoJudge {
            flag,
            scorer: scorer.to_owned(),
        }
    }
}

/// The scorer of a run: the one that the user names, else the one that the benchmark's description names, else the
/// benchmark's own. `judge` is the open model of the settings' judge.
///
/// # Errors
/// [`GraderError`] for a file that cannot be read, or a judge without a model.
pub fn open(
    settings: &GraderSettings,
    dataset: &dyn Dataset,
    judge: Option<Model>,
) -> Result<Arc<dyn Grader>, GraderError> {
    match settings.given.as_ref().or(dataset.outside_scorer()) {
        None if judge.is_some() => Err(GraderError::no_judge(
            "--judge-model",
            dataset.scorer().name(),
        )),
        None => Ok(Arc::new(Rule::of_benchmark(dataset.scorer()))),
        Some(outside) => open_outside(outside, settings, judge),
    }
}

/// A scorer that the benchmarks cannot run.
///
/// # Errors
/// Those of [`open`].
pub fn open_outside(
    scorer: &OutsideScorer,
    settings: &GraderSettings,
    judge: Option<Model>,
) -> Result<Arc<dyn Grader>, GraderError> {
    Ok(match (scorer, &settings.judge, judge) {
        (OutsideScorer::JavaScript(_), _, Some(_)) => {
            let scorer = scorer.to_string();
            return Err(GraderError::no_judge("--judge-model", &scorer));
        }
        (OutsideScorer::JavaScript(path), _, None) => Arc::new(JavaScript::read(path, settings)?),
        (OutsideScorer::Judge, Some(settings), Some(model)) => Arc::new(Judge::new(
            model,
            settings.prompt.clone(),
            settings.asked,
            &judge_identity(settings),
        )),
        (OutsideScorer::Judge, _, _) => return Err(GraderError::NoModel),
    })
}
