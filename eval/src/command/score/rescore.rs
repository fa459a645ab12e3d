//! Rescores a run from its records, without running agents.
//!
//! Records contain the inputs of scorers except for the query, which is read from the trajectory.
//! The context is empty, because no scorer reads it. Verdicts of a judge are stored as they arrive
//! ([`Judging`]).

mod judging;

use std::sync::OnceLock;

use benchmarks::{Checks, Sample};
use futures::{StreamExt as _, stream};
use harness::HaltReason;
use harness::model::{EventKind, Status, WebEvent};
use records::AttemptRecord;
use records::run_dir::{Events, RunDir, RunDirError};

use crate::grader::{Grade, Grader, NoLog, ScorableAnswer, grade};
use crate::runner::record::{Scored, has_only_answers, state_of_answers};

use judging::repeated;
pub use judging::{Judging, Verdicts};

/// Reason why scoring stopped early.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stopped {
    /// The user stopped the scoring.
    Interrupted,
    /// Scoring an answer failed in a way that would affect all remaining answers.
    Because(String),
}

/// Scores the answers of a run, at most `at_once` concurrently, until `stop` completes. Statuses
/// have the same effect as in the original run: an attempt that failed gets no score, and one that
/// reached a limit without an answer scores 0. If only the recorded scorer failed, the answer is
/// scored. With `judging`, verdicts of earlier starts and verdicts on equal answers are reused, and
/// the judge's budget is enforced.
///
/// Returns the records with the new scores in run order, `None` for attempts that are not done, and
/// the reason why scoring stopped early, if it did.
///
/// # Errors
/// [`RunDirError::Write`] if a verdict cannot be stored, [`RunDirError::Answer`] if an answer's
/// file cannot be read.
pub async fn rescore(
    run: &RunDir,
    grader: &dyn Grader,
    at_once: usize,
    judging: Option<(&Judging, &Verdicts)>,
    stop: impl Future<Output = ()>,
) -> Result<(Vec<Option<AttemptRecord>>, Option<Stopped>), RunDirError> {
    let halted = OnceLock::new();
    let score = |(index, record): (usize, &AttemptRecord)| {
        let record = record.clone();
        let halted = &halted;
        async move {
            let mut verdict = None;
            if let Some((judging, verdicts)) = judging {
                if let Some(answer) = run.answer(&record)? {
                    let answer =
                        scored_text(run, &record, &answer, grader.name()).unwrap_or(answer);
                    let slot = verdicts.slot(run, &record, &answer);
                    verdict = Some(slot.lock_owned().await);
                }
                let known = verdict.as_deref_mut();
                if let Some(kept) = judging.kept(&record) {
                    if let Some(known) = known {
                        known.get_or_insert_with(|| kept.clone());
                    }
                    return Ok((index, Some(with_score(&record, kept.clone()))));
                }
                if let Some(Some(known)) = known {
                    let scored = repeated(known);
                    judging.keep(&record, &scored)?;
                    return Ok((index, Some(with_score(&record, scored))));
                }
                if let Some(why) = halted.get().cloned().or_else(|| judging.exhausted()) {
                    let _ = halted.set(why);
                    return Ok((index, None));
                }
            }
            let judging = judging.map(|(judging, _)| judging);
            let Some(scored) = score(run, grader, &record, judging, halted).await? else {
                return Ok((index, None));
            };
            if let Some(judging) = judging {
                judging.keep(&record, &scored)?;
            }
            if let Some(verdict) = verdict.as_deref_mut()
                && scored.score.is_some()
            {
                *verdict = Some(scored.clone());
            }
            Ok((index, Some(with_score(&record, scored))))
        }
    };
    let mut records = vec![None; run.records.len()];
    let mut results = stream::iter(run.records.iter().enumerate())
        .map(score)
        .buffer_unordered(at_once);
    tokio::pin!(stop);
    let mut is_interrupted = false;
    loop {
        tokio::select! {
            biased;
            () = &mut stop => {
                is_interrupted = true;
                break;
            }
            next = results.next() => match next {
                Some(result) => {
                    let (index, record) = result?;
                    records[index] = record;
                }
                None => break,
            },
        }
    }
    drop(results);
    let is_missing = records.iter().any(Option::is_none);
    let stopped = if is_interrupted {
        Some(Stopped::Interrupted)
    } else {
        halted
            .into_inner()
            .filter(|_| is_missing)
            .map(Stopped::Because)
    };
    Ok((records, stopped))
}

/// Scores one answer, or returns `None` if the budget is used up. `halted` receives the reason for
/// a failure that would also affect all other answers.
///
/// # Errors
/// [`RunDirError::Answer`] if the answer's file cannot be read.
async fn score(
    run: &RunDir,
    grader: &dyn Grader,
    record: &AttemptRecord,
    judging: Option<&Judging>,
    halted: &OnceLock<String>,
) -> Result<Option<Scored>, RunDirError> {
    if record.refused {
        return Ok(Some(Scored::refused()));
    }
    let answer = run.answer(record)?;
    let status = match (record.status, &answer) {
        // If an attempt with an error has an answer, the scorer failed, not the attempt.
        (Status::Error, Some(_)) => Status::Ok,
        (status, _) => status,
    };
    let grade = match (status, &answer) {
        (Status::Ok | Status::Limit, Some(answer)) => {
            let judged = match scored_text(run, record, answer, grader.name()) {
                Ok(judged) => judged,
                Err(problem) => {
                    let failed = Some(Grade::failed(problem));
                    return Ok(Some(Scored::of(status, true, failed)));
                }
            };
            let answered = ScorableAnswer {
                sample: &sample(run, record),
                attempt: record.attempt,
                answer: &judged,
            };
            let benchmark = &run.lock.run.benchmark;
            let grade = match judging {
                Some(judging) => {
                    let log = judging.log_of(record);
                    grade(grader, benchmark, answered, &log).await
                }
                None => grade(grader, benchmark, answered, &NoLog).await,
            };
            if let Some(reason) = &grade.halts {
                let _ = halted.set(reason.message().to_owned());
                if matches!(reason, HaltReason::OverBudget(_)) {
                    return Ok(None);
                }
            }
            Some(grade)
        }
        _ => None,
    };
    Ok(Some(Scored::of(status, answer.is_some(), grade)))
}

/// Returns the text that a scorer gets, which is the same as in a run.
///
/// # Errors
/// A problem if the scorer `checks` needs answers that the record lacks.
fn scored_text(
    run: &RunDir,
    record: &AttemptRecord,
    answer: &str,
    scorer: &str,
) -> Result<String, &'static str> {
    let is_checks = scorer == Checks::NAME;
    match &record.state {
        Some(state) if is_checks || !has_only_answers(state) || has_environment(run, record) => {
            Ok(state.to_string())
        }
        None if is_checks => match record.expected["checks"].as_array() {
            Some(checks) if checks.len() > 1 => {
                Err("the record lacks the answers to earlier messages")
            }
            _ => Ok(state_of_answers([answer]).to_string()),
        },
        _ => Ok(answer.to_owned()),
    }
}

/// Whether the state of an attempt is that of an environment.
fn has_environment(run: &RunDir, record: &AttemptRecord) -> bool {
    let path = run.trajectory(&record.id, record.attempt);
    let Ok(events) = Events::open(&path) else {
        return false;
    };
    events.map_while(Result::ok).any(|event| {
        matches!(
            event.kind,
            EventKind::Web {
                event: WebEvent::State { .. }
            }
        )
    })
}

fn with_score(record: &AttemptRecord, scored: Scored) -> AttemptRecord {
    AttemptRecord {
        status: scored.status,
        score: scored.score,
        score_explanation: scored.explanation,
        score_details: scored.details,
        judge: scored.judge,
        error: match &record.answer {
            Some(_) => scored.error,
            None => record.error.clone(),
        },
        ..record.clone()
    }
}

fn sample(run: &RunDir, record: &AttemptRecord) -> Sample {
    Sample {
        id: record.id.clone(),
        query: query(run, record).unwrap_or_default(),
        expected: record.expected.clone(),
        metadata: record.metadata.clone(),
        cluster: record.cluster.clone(),
        ..Sample::default()
    }
}

/// Returns the query of an attempt from its first event. `None` if it was not recorded.
fn query(run: &RunDir, record: &AttemptRecord) -> Option<String> {
    let path = run.trajectory(&record.id, record.attempt);
    let event = Events::open(&path).ok()?.next()?.ok()?;
    match event.kind {
        EventKind::AttemptStart { query, .. } => query,
        _ => None,
    }
}
