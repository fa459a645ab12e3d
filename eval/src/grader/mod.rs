//! Scorers of runs: a scorer of the benchmarks crate, a JavaScript file in the sandbox, or a model
//! as judge.
//!
//! Invariant: an attempt whose scorer fails ends with status `error` and the reason, never with a
//! score of zero.

mod rule;

mod javascript;

mod judge;

use std::sync::Arc;

use async_trait::async_trait;
use benchmarks::{Dataset, OutsideScorer, Sample, Score};
use harness::model::EventKind;
use harness::provider::{Forecast, ProviderError};
use harness::{HaltReason, Model, Reservation, Spent};
use records::{JudgeUse, UNREADABLE, is_unreadable};
use serde_json::{Value, json};

pub use javascript::JavaScript;
pub use judge::{JUDGE_ATTEMPTS, Judge, JudgePrompt};
pub use rule::Rule;

use crate::models::judge_identity;
use crate::settings::GraderSettings;

/// Additional scorers. Their scores are recorded but do not count as the score of an attempt.
pub type Further = Arc<[Arc<dyn Grader>]>;

/// Scores answers.
#[async_trait]
pub trait Grader: Send + Sync {
    /// Name with a version, which changes whenever an answer could get a different score:
    /// `needle/1`.
    fn name(&self) -> &str;

    /// Everything that can change a score: the scorer's part of a run's fingerprint.
    fn identity(&self) -> Value;

    /// Checks before the run starts that the scorer works.
    ///
    /// # Errors
    /// [`GraderError`].
    async fn check(&self) -> Result<(), GraderError> {
        Ok(())
    }

    /// Whether this is the benchmark's own scorer, which accepts every form of expected answer that
    /// the benchmark uses.
    fn is_benchmarks_own(&self) -> bool {
        false
    }

    /// Scores an answer, which may be hostile. Model calls are reported to `log`.
    async fn grade(&self, answered: &ScorableAnswer<'_>, log: &dyn JudgeLog) -> Grade;
}

/// Reserves budget for requests to a judge and receives their cost as soon as it is known, so that
/// a killed process does not lose it.
#[async_trait]
pub trait JudgeLog: Send + Sync {
    /// Receives an event whose name starts with `Judge`. Must not block.
    fn log(&self, event: EventKind);

    /// Reserves the expected expense of a request to a judge, or of its retry. Waits while
    /// reservations of other calls fill the budget.
    ///
    /// # Errors
    /// [`ProviderError::OverBudget`] if the remaining budget is too small for the request.
    async fn admit(&self, forecast: Option<Forecast>)
    -> Result<Option<Reservation>, ProviderError>;
}

/// Returns the spending that an event of a judge reports, or `None` for any other event.
pub(crate) fn spent_on_judge(event: &EventKind) -> Option<Spent> {
    match event {
        EventKind::JudgeRequest { .. } => Some(Spent::new(None, None, 1)),
        EventKind::JudgeBilled { usage, cost_usd } => Some(Spent::new(Some(*usage), *cost_usd, 0)),
        EventKind::JudgeResponse { usage, cost_usd } => Some(Spent::new(*usage, *cost_usd, 0)),
        _ => None,
    }
}

/// Discards all events and admits all requests. Used when a finished run is rescored without a
/// judge.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoLog;

#[async_trait]
impl JudgeLog for NoLog {
    fn log(&self, _event: EventKind) {}

    async fn admit(&self, _: Option<Forecast>) -> Result<Option<Reservation>, ProviderError> {
        Ok(None)
    }
}

/// An answer to be scored.
#[derive(Debug, Clone, Copy)]
pub struct ScorableAnswer<'a> {
    /// Sample with an empty context. When a run is rescored, the query may also be empty.
    pub sample: &'a Sample,
    /// Number of the attempt, 1-based.
    pub attempt: u32,
    /// Value that the agent returned.
    pub answer: &'a str,
}

/// Scores an answer to a sample of this benchmark. If the benchmark encrypts expected answers,
/// other scorers than its own get the decrypted one, and their explanations, details and error
/// messages are not stored.
pub async fn grade(
    grader: &dyn Grader,
    benchmark: &str,
    answered: ScorableAnswer<'_>,
    log: &dyn JudgeLog,
) -> Grade {
    const EXPLANATION_WITHHELD: &str = "explanation withheld: the expected text stays encrypted";
    const ERROR_WITHHELD: &str = "message withheld: the expected text stays encrypted";
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
    let grade = grader
        .grade(&ScorableAnswer { sample, ..answered }, log)
        .await;
    Grade {
        score: match grade.score {
            Ok(score) => Ok(Score {
                explanation: EXPLANATION_WITHHELD.to_owned(),
                ..score
            }),
            Err(_) => Err(ERROR_WITHHELD.to_owned()),
        },
        details: grade
            .details
            .filter(is_unreadable)
            .map(|_| json!({ UNREADABLE: true })),
        ..grade
    }
}

/// Result of scoring an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Grade {
    /// Score, or the reason why the scorer failed.
    pub score: Result<Score, String>,
    /// Further details from the scorer.
    pub details: Option<Value>,
    /// Usage of the judge's model.
    pub judge: Option<JudgeUse>,
    /// Reason why further answers of the run cannot be scored.
    pub halts: Option<HaltReason>,
}

impl Grade {
    /// Returns a grade with only a score. An answer that the scorer could not parse is marked in
    /// the details.
    pub fn of(score: Score) -> Self {
        let details = score.is_unreadable.then(|| json!({ UNREADABLE: true }));
        Self {
            score: Ok(score),
            details,
            judge: None,
            halts: None,
        }
    }

    /// Whether the answer was not judged because the budget does not allow it.
    pub fn is_over_budget(&self) -> bool {
        matches!(self.halts, Some(HaltReason::OverBudget(_)))
    }

    /// Returns a grade without a score.
    pub fn failed(problem: impl Into<String>) -> Self {
        Self {
            score: Err(problem.into()),
            details: None,
            judge: None,
            halts: None,
        }
    }
}

/// Reason why a scorer cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum GraderError {
    /// The scorer's file cannot be read, does not load or does not define a scorer.
    #[error("scorer: {0}")]
    Script(String),
    /// The model of the judge is missing.
    #[error("scorer `judge`: the model is missing")]
    NoModel,
    /// A further scorer is unknown.
    #[error("--scorer: unknown scorer `{0}`")]
    Unknown(String),
    /// A scorer is given twice.
    #[error("--scorer: duplicate scorer {0}")]
    Twice(String),
    /// A flag configures a judge, but the named scorer does not use a model.
    #[error("{0}: the scorer {1} does not use a model")]
    NoJudge(&'static str, String),
    /// The sandbox of the scorer cannot start.
    #[error("scorer: {0}")]
    Sandbox(#[from] harness::sandbox::StartError),
}

/// Opens the scorer of a run and its further scorers, whose scores are only recorded. The scorer is
/// the user's choice, otherwise that of the benchmark's description, otherwise the benchmark's own.
/// `judge` is the judge's model, already open.
///
/// # Errors
/// [`GraderError`] for a file that cannot be read, a judge without a model, and a further scorer
/// that is unknown or given twice.
pub fn open(
    settings: &GraderSettings,
    dataset: &dyn Dataset,
    judge: Option<&Model>,
) -> Result<(Arc<dyn Grader>, Further), GraderError> {
    let scorer = settings.given.as_ref().or(dataset.outside_scorer());
    let further = settings.further.iter();
    let further: Vec<_> = further.map(|name| OutsideScorer::parse(name)).collect();
    // The judge may be one of the further scorers.
    let is_of_another =
        scorer != Some(&OutsideScorer::Judge) && further.contains(&Some(OutsideScorer::Judge));
    let own_judge = judge.filter(|_| !is_of_another).cloned();
    let first: Arc<dyn Grader> = match scorer {
        None if own_judge.is_some() => {
            let scorer = dataset.scorer().name().to_owned();
            return Err(GraderError::NoJudge(settings.judge_flag(), scorer));
        }
        None => Arc::new(Rule::of_benchmark(dataset.scorer())),
        Some(outside) => open_outside(outside, settings, own_judge)?,
    };
    let mut all = vec![first];
    for (name, outside) in settings.further.iter().zip(further) {
        let grader: Arc<dyn Grader> = if let Some(outside) = outside {
            let judge = judge.filter(|_| outside == OutsideScorer::Judge);
            open_outside(&outside, settings, judge.cloned())?
        } else {
            let rule = benchmarks::scorer(name);
            Arc::new(Rule::other(
                rule.ok_or_else(|| GraderError::Unknown(name.clone()))?,
            ))
        };
        if all.iter().any(|other| other.name() == grader.name()) {
            return Err(GraderError::Twice(name.clone()));
        }
        all.push(grader);
    }
    let first = all.remove(0);
    Ok((first, all.into()))
}

/// Opens a scorer that needs a model or the sandbox.
///
/// # Errors
/// Like [`open`].
pub fn open_outside(
    scorer: &OutsideScorer,
    settings: &GraderSettings,
    judge: Option<Model>,
) -> Result<Arc<dyn Grader>, GraderError> {
    Ok(match (scorer, &settings.judge, judge) {
        (OutsideScorer::JavaScript(_), _, Some(_)) => {
            let scorer = scorer.to_string();
            return Err(GraderError::NoJudge(settings.judge_flag(), scorer));
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
