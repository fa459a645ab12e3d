//! Scores a run again from its records, without an agent.
//!
//! A record holds all that scorers read but the query and the context, which are empty here: no scorer reads them.

use std::path::PathBuf;

use benchmarks::{Sample, Scorer};
use harness::outcome::Status;
use serde::Serialize;

use crate::record::{AttemptRecord, judged};
use crate::run_dir::{RunDir, RunDirError, write_scores};

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
    recorded_scorer: &'a str,
    recorded_score: Option<f64>,
}

/// The records of a run with the scores of another scorer. Statuses decide as they did when the run was made: what
/// ended in an error has no score, and no answer within the limits is 0.
pub fn rescore(records: &[AttemptRecord], scorer: &dyn Scorer) -> Vec<AttemptRecord> {
    let score = |record: &AttemptRecord| {
        let scored = match (record.status, &record.answer) {
            (Status::Error | Status::Cancelled, _) | (Status::Ok, None) => None,
            (Status::Limit, None) => Some((0.0, "no answer within the limits".to_owned())),
            (Status::Ok | Status::Limit, Some(answer)) => {
                let judged = judged(Some(answer), record.state.as_ref()).unwrap_or_default();
                let score = scorer.score(&judged, &sample(record));
                Some((score.value, score.explanation))
            }
        };
        let (score, score_explanation) = scored.unzip();
        AttemptRecord {
            score,
            score_explanation,
            ..record.clone()
        }
    };
    records.iter().map(score).collect()
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
            recorded_scorer: &run.lock.run.scorer,
            recorded_score: recorded.score,
        })
        .collect();
    write_scores(&run.path, scorer, &lines)
}

fn sample(record: &AttemptRecord) -> Sample {
    Sample {
        id: record.id.clone(),
        query: String::new(),
        context: "".into(),
        expected: record.expected.clone(),
        metadata: record.metadata.clone(),
        cluster: record.cluster.clone(),
    }
}
