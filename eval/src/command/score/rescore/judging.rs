//! Stores the verdicts of a judge on a run's answers and enforces the judge's budget.
//!
//! Verdicts are written to a journal as they arrive, so that they are not paid for twice after an
//! interruption.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;
use harness::model::{Event, EventKind, Status};
use harness::provider::{Forecast, ProviderError};
use harness::{Reservation, SharedBudget, Spent};
use jiff::Timestamp;
use parking_lot::Mutex;
use records::run_dir::{RunDir, RunDirError, ScoreJournal};
use records::{AttemptRecord, JudgeUse};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::grader::{JudgeLog, spent_on_judge};
use crate::runner::record::Scored;

/// Key of an answer: sample, attempt, and digest of the answer, because an attempt may have been
/// rerun.
type AnswerKey = (String, u32, String);

/// Verdicts of a judge on the answers of a run, from all starts, and the judge's budget.
pub struct Judging {
    journal: ScoreJournal,
    kept: HashMap<AnswerKey, Scored>,
    budget: SharedBudget,
    run_id: String,
    /// Time of this start, which makes the ids of its calls unique.
    start: Timestamp,
    began: Instant,
}

/// Verdicts on the answers of all runs being scored, so that equal answers to a sample are judged
/// once.
#[derive(Default)]
pub struct Verdicts(Mutex<HashMap<Question, Slot>>);

/// Digest of the dataset, id of the sample, and digest of the judged text.
type Question = (String, String, String);

/// Verdict on equal answers, locked while one of them is judged.
type Slot = Arc<tokio::sync::Mutex<Option<Scored>>>;

impl Verdicts {
    /// Returns the slot shared by all answers equal to this one.
    pub(super) fn slot(&self, run: &RunDir, record: &AttemptRecord, answer: &str) -> Slot {
        let question = (
            run.lock.run.dataset_digest.clone(),
            record.id.clone(),
            hex::encode(Sha256::digest(answer)),
        );
        Arc::clone(self.0.lock().entry(question).or_default())
    }
}

/// Returns a copy of a verdict for an equal answer, without usage.
pub(super) fn repeated(scored: &Scored) -> Scored {
    let judge = scored.judge.as_ref().map(|judge| JudgeUse {
        calls: 0,
        cached_calls: 0,
        usage: None,
        cost_usd: Some(0.0),
        ..judge.clone()
    });
    Scored {
        judge,
        ..scored.clone()
    }
}

/// Line of the journal with a verdict. The other lines are events.
#[derive(Serialize, Deserialize)]
struct Verdict {
    id: String,
    attempt: u32,
    answer_sha256: String,
    scored: Scored,
}

impl Judging {
    /// Opens the journal of earlier starts. Its verdicts are reused, its failures are retried, and
    /// all its usage counts against the budget, which several runs may share.
    ///
    /// # Errors
    /// Like [`ScoreJournal::open`].
    pub fn open(run: &RunDir, scorer: &str, budget: &SharedBudget) -> Result<Self, RunDirError> {
        let (journal, lines, spent) = ScoreJournal::open::<Verdict>(&run.path, scorer)?;
        let verdicts = lines
            .into_iter()
            .filter(|line| line.scored.status != Status::Error);
        let kept = verdicts
            .map(|line| ((line.id, line.attempt, line.answer_sha256), line.scored))
            .collect();
        let (usage, calls) = (Some(spent.usage), spent.llm_calls);
        budget.charge(Spent::new(usage, spent.cost_usd, calls));
        Ok(Self {
            journal,
            kept,
            budget: budget.clone(),
            run_id: run.lock.run.run_id.clone(),
            start: Timestamp::now(),
            began: Instant::now(),
        })
    }

    /// Returns the number of verdicts from earlier starts.
    pub fn verdicts(&self) -> usize {
        self.kept.len()
    }

    /// Removes the journal, which is not needed once the scores of all runs are stored.
    ///
    /// # Errors
    /// [`RunDirError::Write`].
    pub fn finish(self) -> Result<(), RunDirError> {
        self.journal.remove()
    }

    /// Returns an earlier start's verdict on the answer of an attempt.
    pub(super) fn kept(&self, record: &AttemptRecord) -> Option<&Scored> {
        self.kept.get(&answer_key(record)?)
    }

    /// Stores the verdict on an attempt's answer. Attempts without an answer are not judged, so
    /// they are not stored.
    pub(super) fn keep(&self, record: &AttemptRecord, scored: &Scored) -> Result<(), RunDirError> {
        let Some((id, attempt, answer_sha256)) = answer_key(record) else {
            return Ok(());
        };
        let scored = scored.clone();
        let line = Verdict {
            id,
            attempt,
            answer_sha256,
            scored,
        };
        self.journal.append(&line, true)
    }

    /// Returns the error message if the judge's budget is used up.
    pub fn exhausted(&self) -> Option<String> {
        self.budget.exhausted().map(|error| error.to_string())
    }

    /// Returns the log for the judge's calls about an answer.
    pub(super) fn log_of<'a>(&'a self, record: &'a AttemptRecord) -> Log<'a> {
        Log {
            judging: self,
            record,
        }
    }
}

/// Records the calls of a judge about one answer and charges their usage to the budget.
pub(super) struct Log<'a> {
    judging: &'a Judging,
    record: &'a AttemptRecord,
}

#[async_trait]
impl JudgeLog for Log<'_> {
    fn log(&self, event: EventKind) {
        if let Some(spent) = spent_on_judge(&event) {
            self.judging.budget.charge(spent);
        }
        let (id, attempt) = (&self.record.id, self.record.attempt);
        let event = Event {
            run_id: self.judging.run_id.clone(),
            at_ms: Some(self.judging.began.elapsed().as_secs_f64() * 1e3),
            // All answers and starts share the file, so ids must differ even between calls that
            // never ended.
            invocation: format!("judge of {id}.{attempt} since {}", self.judging.start),
            ..Event::of_root(id, attempt, event)
        };
        // A full disk is reported when the verdict is stored.
        let _ = self.judging.journal.append(&event, false);
    }

    async fn admit(
        &self,
        forecast: Option<Forecast>,
    ) -> Result<Option<Reservation>, ProviderError> {
        self.judging.budget.reserve(forecast).await.map(Some)
    }
}

fn answer_key(record: &AttemptRecord) -> Option<AnswerKey> {
    let answer = record.answer.as_ref()?;
    let digest = hex::encode(Sha256::digest(answer));
    Some((record.id.clone(), record.attempt, digest))
}
