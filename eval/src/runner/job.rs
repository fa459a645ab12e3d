//! Makes and scores the attempts of a run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use benchmarks::{Checks, Dataset, DatasetError, Sample};
use harness::model::{AttemptOutcome, Event, EventKind, EventSink, Stats, Status};
use harness::provider::http::redact;
use harness::provider::{Forecast, ProviderError};
use harness::{Engine, Reservation, Task};
use jiff::Timestamp;
use records::{AttemptRecord, FurtherScore, RunIdentity};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::{JoinError, JoinHandle};

use super::record::{Scored, judged, of_attempt, state_of_answers};
use super::shared_samples::SharedSamples;
use crate::grader::{Further, Grade, Grader, JudgeLog, ScorableAnswer, grade, spent_on_judge};
use crate::run::event::RunEvent;

/// Makes attempts of one run.
#[derive(Clone)]
pub struct AttemptRunner {
    /// Values shared by all attempts.
    pub identity: Arc<RunIdentity>,
    /// Engine that runs the agents.
    pub engine: Arc<Engine>,
    /// Source of the samples.
    pub dataset: Arc<dyn Dataset>,
    /// Scorer of the answers.
    pub grader: Arc<dyn Grader>,
    /// Additional scorers, whose scores are only recorded.
    pub further: Further,
}

impl AttemptRunner {
    /// Makes an attempt at the sample with this index, sending its events as they occur. A panic
    /// fails only this attempt. Dropping the future stops the attempt.
    ///
    /// # Errors
    /// [`DatasetError`] if the sample is unavailable.
    pub async fn make(
        &self,
        index: usize,
        attempt: u32,
        events: mpsc::UnboundedSender<RunEvent>,
    ) -> Result<AttemptRecord, DatasetError> {
        let job = Job {
            runner: self.clone(),
            samples: Arc::new(SharedSamples::new(Arc::clone(&self.dataset), &[])),
            index,
            attempt,
        };
        let mut task = AbortOnDrop(tokio::spawn(job.run(events)));
        match (&mut task.0).await {
            Ok(record) => record,
            Err(panic) => self.broken(index, attempt, &panic),
        }
    }

    /// Returns the record of an attempt that failed because of a bug in the harness.
    pub(super) fn broken(
        &self,
        index: usize,
        attempt: u32,
        panic: &JoinError,
    ) -> Result<AttemptRecord, DatasetError> {
        let sample = self.dataset.sample(index)?;
        let error = redact(format!("the harness failed: {panic}"));
        Ok(self.failed(&sample, index, attempt, error))
    }

    /// Returns the record of an attempt at `sample` that has only an error.
    pub fn failed(
        &self,
        sample: &Sample,
        index: usize,
        attempt: u32,
        error: String,
    ) -> AttemptRecord {
        let outcome = AttemptOutcome::without_answer(Status::Error, error, Stats::default());
        let now = Timestamp::now();
        of_attempt(&self.identity, sample, attempt, &outcome, None, now).of_sample(index)
    }
}

/// A task that is aborted when dropped.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// An attempt to run.
pub(super) struct Job {
    pub(super) runner: AttemptRunner,
    pub(super) samples: Arc<SharedSamples>,
    pub(super) index: usize,
    pub(super) attempt: u32,
}

impl Job {
    pub(super) async fn run(
        self,
        events: mpsc::UnboundedSender<RunEvent>,
    ) -> Result<AttemptRecord, DatasetError> {
        let sample = self.sample().await?;
        let attempt = self.attempt;
        send(
            &events,
            RunEvent::AttemptStarted {
                sample: sample.id.clone(),
                attempt,
            },
        );
        let started_at = Timestamp::now();
        let task = Task {
            run_id: self.runner.identity.run_id.clone(),
            sample: sample.id.clone(),
            attempt,
            query: sample.query.clone(),
            follow_ups: sample.follow_ups.clone(),
            context: Arc::clone(&sample.context),
            images: sample.images.clone(),
        };
        let began = Instant::now();
        let outcome = self
            .runner
            .engine
            .run(&task, Arc::new(Forward(events.clone())))
            .await;
        let log = Judging {
            engine: &self.runner.engine,
            task: &task,
            began,
            events: &events,
        };
        let answers = self.runner.further.iter();
        let answers: Vec<_> = answers
            .map(|grader| judged_by(&outcome, grader.name()))
            .collect();
        let mut outcome = with_turns(outcome, self.runner.grader.name());
        let status = outcome.status;
        let is_judged = match status {
            Status::Ok => !outcome.refused,
            Status::Limit => outcome.answer.is_some(),
            Status::Error | Status::Cancelled => false,
        };
        let judged = judged(outcome.answer.as_deref(), outcome.state.as_ref());
        let judged = judged.filter(|_| is_judged);
        let grade = self
            .grade(self.runner.grader.as_ref(), judged, &sample, &log)
            .await;
        let mut is_over_budget = grade.as_ref().is_some_and(Grade::is_over_budget);
        let mut scores = BTreeMap::new();
        let mut judge = None;
        for (grader, answer) in self.runner.further.iter().zip(answers) {
            if is_over_budget {
                break;
            }
            let answer = answer.filter(|_| is_judged);
            let grade = self.grade(grader.as_ref(), answer, &sample, &log).await;
            is_over_budget = grade.as_ref().is_some_and(Grade::is_over_budget);
            let scored = if outcome.refused {
                Scored::refused()
            } else {
                Scored::of(status, outcome.answer.is_some(), grade)
            };
            judge = judge.or(scored.judge);
            let score = FurtherScore {
                score: scored.score,
                explanation: scored.explanation,
                error: scored.error,
            };
            scores.insert(grader.name().to_owned(), score);
        }
        if is_over_budget {
            // A resumed run replays the answer from the journal and judges it.
            outcome.status = Status::Cancelled;
        }
        let record = of_attempt(
            &self.runner.identity,
            &sample,
            attempt,
            &outcome,
            grade,
            started_at,
        );
        // At most one of the scorers is a judge.
        let judge = record.judge.clone().or(judge);
        Ok(AttemptRecord {
            scores,
            judge,
            ..record.of_sample(self.index)
        })
    }

    /// Scores the answer, if any. Ends the run if further answers cannot be judged.
    async fn grade(
        &self,
        grader: &dyn Grader,
        answer: Option<String>,
        sample: &Sample,
        log: &Judging<'_>,
    ) -> Option<Grade> {
        let answer = answer?;
        let answered = ScorableAnswer {
            sample,
            attempt: self.attempt,
            answer: &answer,
        };
        let grade = grade(grader, &self.runner.identity.benchmark, answered, log).await;
        if let Some(reason) = &grade.halts {
            self.runner.engine.halt(reason.clone());
        }
        Some(grade)
    }

    /// Loads the sample on a blocking thread, because loading may read a whole row group of a
    /// Parquet file.
    ///
    /// # Errors
    /// Like [`Dataset::sample`]. A panic is propagated, so that it is reported as a panic of the
    /// attempt.
    async fn sample(&self) -> Result<Arc<Sample>, DatasetError> {
        let samples = Arc::clone(&self.samples);
        let index = self.index;
        let made = tokio::task::spawn_blocking(move || samples.get(index)).await;
        made.unwrap_or_else(|error| match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime is shutting down, which ends this attempt.
            Err(error) => std::panic::resume_unwind(Box::new(error.to_string())),
        })
    }
}

/// For the scorer `checks`, sets the state to all answers of the attempt unless the environment
/// provides a state.
fn with_turns(mut outcome: AttemptOutcome, scorer: &str) -> AttemptOutcome {
    if outcome.state.is_none() {
        outcome.state = turns(&outcome, scorer);
    }
    outcome
}

/// For the scorer `checks`, returns all answers of the attempt as state.
fn turns(outcome: &AttemptOutcome, scorer: &str) -> Option<Value> {
    if outcome.answer.is_none() || scorer != Checks::NAME {
        return None;
    }
    let answers = outcome.earlier_answers.iter().map(String::as_str);
    Some(state_of_answers(answers.chain(outcome.answer.as_deref())))
}

/// Returns the text that a scorer gets: the state if there is one, all answers for the scorer
/// `checks`, or the last answer.
fn judged_by(outcome: &AttemptOutcome, scorer: &str) -> Option<String> {
    let answer = outcome.answer.as_deref();
    match &outcome.state {
        Some(state) => judged(answer, Some(state)),
        None => judged(answer, turns(outcome, scorer).as_ref()),
    }
}

/// Adds the judge's calls to the attempt's events and charges them to the run's budget.
struct Judging<'a> {
    engine: &'a Engine,
    task: &'a Task,
    began: Instant,
    events: &'a mpsc::UnboundedSender<RunEvent>,
}

#[async_trait]
impl JudgeLog for Judging<'_> {
    fn log(&self, event: EventKind) {
        if let Some(spent) = spent_on_judge(&event) {
            self.engine.book(spent);
        }
        let event = Event {
            run_id: self.task.run_id.clone(),
            at_ms: Some(self.began.elapsed().as_secs_f64() * 1e3),
            invocation: "judge".to_owned(),
            ..Event::of_root(&self.task.sample, self.task.attempt, event)
        };
        send(self.events, RunEvent::Engine(event));
    }

    async fn admit(
        &self,
        forecast: Option<Forecast>,
    ) -> Result<Option<Reservation>, ProviderError> {
        self.engine.reserve(forecast).await.map(Some)
    }
}

/// Forwards engine events as run events.
struct Forward(mpsc::UnboundedSender<RunEvent>);

impl EventSink for Forward {
    fn emit(&self, event: Event) {
        send(&self.0, RunEvent::Engine(event));
    }
}

/// Sends an event. Ignores a failure, because the receiver is dropped only after the run has ended
/// or the consumer has panicked.
pub(super) fn send(events: &mpsc::UnboundedSender<RunEvent>, event: RunEvent) {
    let _ = events.send(event);
}
