//! Scores a run again from its records, without an agent.
//!
//! A record holds all that scorers read but the query, which comes from the trajectory, and the context, which is empty
//! here: no scorer reads it.

use std::path::PathBuf;
use std::sync::Arc;

use benchmarks::Sample;
use futures::{StreamExt as _, stream};
use harness::model::{EventKind, Status};
use serde::Serialize;
use serde_json::Value;

use crate::grader::{Answered, Grader, NoLog, grade};
use crate::record::{AttemptRecord, JudgeUse, Scored, judged};
use crate::run_dir::{Events, RunDir, RunDirError, write_scores};

/// Version of the lines of a file of scores; every line carries it as `v`.
pub const SCORES_VERSION: u32 = 1;

/// What an attempt scores by another scorer: a line of `scores/<scorer>.jsonl`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rescored<'a> {
    v: u32,
    run_id: &'a str,
    id: &'a str,
    attempt: u32,
    status: Status,
    scorer: &'a str,
    score: Option<f64>,
    score_explanation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score_details: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    judge: Option<&'a JudgeUse>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    recorded_scorer: &'a str,
    recorded_score: Option<f64>,
}

/// The records of a run with the scores of another scorer, at most `at_once` scored at a time. Statuses decide as they did
/// when the run was made: what ended in an error has no score, and no answer within the limits is 0. An answer whose
/// recorded scorer failed gets another chance.
pub async fn rescore(run: &RunDir, grader: &dyn Grader, at_once: usize) -> Vec<AttemptRecord> {
    let scored = stream::iter(&run.records).map(|record| async move {
        let status = match (record.status, &record.answer) {
            // Without an answer it was the attempt that failed.
            (Status::Error, Some(_)) => Status::Ok,
            (status, _) => status,
        };
        let grade = match (status, &record.answer) {
            (Status::Ok | Status::Limit, Some(answer)) => {
                let judged = judged(Some(answer), record.state.as_ref());
                let answered = Answered {
                    sample: &sample(run, record),
                    attempt: record.attempt,
                    answer: judged.as_deref().unwrap_or(answer),
                };
                Some(grade(grader, &run.lock.run.benchmark, answered, &NoLog).await)
            }
            _ => None,
        };
        let scored = Scored::of(status, record.answer.is_some(), grade);
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
    });
    scored.buffered(at_once).collect().await
}

/// Stores the new scores beside the recorded ones, and gives the file.
///
/// # Errors
/// [`RunDirError::Write`].
pub fn store(
    run: &RunDir,
    rescored: &[AttemptRecord],
    scorer: &str,
) -> Result<PathBuf, RunDirError> {
    let lines: Vec<Rescored> = run
        .records
        .iter()
        .zip(rescored)
        .map(|(recorded, new)| Rescored {
            v: SCORES_VERSION,
            run_id: &new.run_id,
            id: &new.id,
            attempt: new.attempt,
            status: new.status,
            scorer,
            score: new.score,
            score_explanation: new.score_explanation.as_deref(),
            score_details: new.score_details.as_ref(),
            judge: new.judge.as_ref(),
            error: new.error.as_deref(),
            recorded_scorer: &run.lock.run.scorer,
            recorded_score: recorded.score,
        })
        .collect();
    write_scores(&run.path, scorer, &lines)
}

fn sample(run: &RunDir, record: &AttemptRecord) -> Sample {
    Sample {
        id: record.id.clone(),
        query: query(run, record).unwrap_or_default(),
        context: Arc::default(),
        images: Vec::new(),
        expected: record.expected.clone(),
        metadata: record.metadata.clone(),
        cluster: record.cluster.clone(),
    }
}

/// What an attempt was asked, as its first event tells. None where it was not recorded.
fn query(run: &RunDir, record: &AttemptRecord) -> Option<String> {
    let path = run.trajectory(&record.id, record.attempt);
    let event = Events::open(&path).ok()?.next()?.ok()?;
    match event.kind {
        EventKind::AttemptStart { query, .. } => query,
        _ => None,
    }
}
