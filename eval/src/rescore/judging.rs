//! A judge at work on the answers of a run: what it has said so far, what it took, and what it may take.

use std::collections::HashMap;
use std::time::Instant;

use harness::model::{EVENT_VERSION, Event, EventKind, Status, Usage};
use harness::{Budget, SharedBudget, Spent};
use jiff::Timestamp;
use records::AttemptRecord;
use records::run_dir::{RunDir, RunDirError, ScoreJournal};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::grader::JudgeLog;
use crate::record::Scored;

/// Which answer of a run: sample, attempt, and the answer's digest, as an attempt may have been made again.
type Which = (String, u32, String);

/// The verdicts of earlier starts and of this one, and the judge's budget over all of them.
pub struct Judging {
    journal: ScoreJournal,
    kept: HashMap<Which, Scored>,
    budget: SharedBudget,
    run_id: String,
    /// Identifies this start.
    start: Timestamp,
    began: Instant,
}

/// A line of the journal that is no event.
#[derive(Serialize, Deserialize)]
struct Verdict {
    id: String,
    attempt: u32,
    answer_sha256: String,
    scored: Scored,
}

impl Judging {
    /// Opens what earlier starts have left. Verdicts count, failures are tried again, and all of it counts in the budget.
    ///
    /// # Errors
    /// Those of [`ScoreJournal::open`].
    pub fn open(run: &RunDir, scorer: &str, budget: Budget) -> Result<Self, RunDirError> {
        let (journal, lines, spent) = ScoreJournal::open::<Verdict>(&run.path, scorer)?;
        let verdicts = lines
            .into_iter()
            .filter(|line| line.scored.status != Status::Error);
        let kept = verdicts
            .map(|line| ((line.id, line.attempt, line.answer_sha256), line.scored))
            .collect();
        let budget = SharedBudget::of_command(budget);
        budget.charge(Spent {
            cost_usd: spent.cost_usd.unwrap_or(0.0),
            tokens: spent.usage.total(),
            calls: spent.llm_calls,
        });
        Ok(Self {
            journal,
            kept,
            budget,
            run_id: run.lock.run.run_id.clone(),
            start: Timestamp::now(),
            began: Instant::now(),
        })
    }

    /// How many verdicts earlier starts have left.
    pub fn verdicts(&self) -> usize {
        self.kept.len()
    }

    /// Ends it: the scores are stored.
    ///
    /// # Errors
    /// [`RunDirError::Write`].
    pub fn finish(self) -> Result<(), RunDirError> {
        self.journal.remove()
    }

    /// What an earlier start has made of an answer.
    pub(super) fn kept(&self, record: &AttemptRecord) -> Option<&Scored> {
        self.kept.get(&which(record)?)
    }

    /// Keeps what came of an answer. Attempts without one need no judge.
    pub(super) fn keep(&self, record: &AttemptRecord, scored: &Scored) -> Result<(), RunDirError> {
        let Some((id, attempt, answer_sha256)) = which(record) else {
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

    /// Why the judge may be asked nothing more, if so.
    pub fn exhausted(&self) -> Option<String> {
        self.budget.exhausted().map(|error| error.to_string())
    }

    /// Where the judge's calls about an answer are noted.
    pub(super) fn log_of<'a>(&'a self, record: &'a AttemptRecord) -> Log<'a> {
        Log {
            judging: self,
            record,
        }
    }
}

/// Notes what the judge is asked about one answer, and books what it takes.
pub(super) struct Log<'a> {
    judging: &'a Judging,
    record: &'a AttemptRecord,
}

impl Log<'_> {
    fn book(&self, usage: Option<Usage>, cost_usd: Option<f64>) {
        self.judging.budget.charge(Spent {
            cost_usd: cost_usd.unwrap_or(0.0),
            tokens: usage.map_or(0, |usage| usage.total()),
            calls: 0,
        });
    }
}

impl JudgeLog for Log<'_> {
    fn log(&self, event: EventKind) {
        match &event {
            EventKind::JudgeRequest { .. } => self.judging.budget.charge(Spent {
                calls: 1,
                ..Spent::default()
            }),
            EventKind::JudgeBilled { usage, cost_usd } => self.book(Some(*usage), *cost_usd),
            EventKind::JudgeResponse { usage, cost_usd } => self.book(*usage, *cost_usd),
            _ => {}
        }
        let (id, attempt) = (&self.record.id, self.record.attempt);
        let event = Event {
            v: EVENT_VERSION,
            run_id: self.judging.run_id.clone(),
            sample: id.clone(),
            attempt,
            at_ms: Some(self.judging.began.elapsed().as_secs_f64() * 1e3),
            // All answers and starts share the file: this distinguishes calls that never ended.
            invocation: format!("judge of {id}.{attempt} since {}", self.judging.start),
            parent: None,
            depth: 0,
            kind: event,
        };
        // A disk that is full shows when the verdict is kept.
        let _ = self.judging.journal.append(&event, false);
    }

    fn forbids_more(&self) -> Option<String> {
        self.judging.exhausted()
    }
}

fn which(record: &AttemptRecord) -> Option<Which> {
    let answer = record.answer.as_ref()?;
    let digest = hex::encode(Sha256::digest(answer));
    Some((record.id.clone(), record.attempt, digest))
}
