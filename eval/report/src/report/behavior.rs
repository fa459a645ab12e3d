//! Computes the behavior of a run's agents from their trajectories.

use std::io::ErrorKind;
use std::path::Path;

use model::Status;
use records::AttemptRecord;
use records::run_dir::{RunDir, RunDirError, fold};
use records::trajectory::Fold;
use serde::Serialize;

use super::spending::{Spending, Tally};

/// Behavior of agents in attempts that ended `ok` or `limit`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct RunBehavior {
    /// Number of attempts that the figures cover.
    pub attempts: u64,
    /// Share of attempts whose return in the first iteration was intercepted and sent back to the
    /// model for confirmation; `None` if unknown for any of the attempts.
    pub early_return_rate: Option<f64>,
    /// Share of attempts that called `rlm()` or `llm()`; `None` if unknown for any of the attempts.
    pub delegation_rate: Option<f64>,
    /// Number of cells run by all agents.
    pub cells: u64,
    /// Number of cells that ended in an error.
    pub failed_cells: u64,
    /// Number of self-corrections: failed cells after which the agent's next cell ran without an
    /// error.
    pub corrected_cells: u64,
    /// Share of all recorded attempts of the run that ended with status `error`.
    pub error_rate: Option<f64>,
    /// Mean time of an attempt by activity; `None` if unknown for any of the attempts.
    pub time: Option<TimeSplit>,
    /// Spending of agents by role and depth, over all recorded attempts.
    pub spending: Vec<Spending>,
}

/// Mean wall-clock time of an attempt in seconds, split into model, sandbox and overhead.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct TimeSplit {
    /// Time with at least one model call in flight.
    pub model_s: f64,
    /// Time in which a cell ran and no model call was in flight.
    pub sandbox_s: f64,
    /// Overhead of the harness.
    pub overhead_s: f64,
}

impl RunBehavior {
    /// Returns the share of cells that failed, or `None` without cells.
    pub fn failed_rate(&self) -> Option<f64> {
        share(self.failed_cells, self.cells)
    }

    /// Returns the share of failed cells that were corrected, or `None` without failures.
    pub fn corrected_rate(&self) -> Option<f64> {
        share(self.corrected_cells, self.failed_cells)
    }
}

fn share(part: u64, of: u64) -> Option<f64> {
    (of > 0).then(|| part as f64 / of as f64)
}

/// Whether an attempt ended `ok` or at a limit.
pub(super) fn ended(record: &AttemptRecord) -> bool {
    matches!(record.status, Status::Ok | Status::Limit)
}

/// Returns the behavior of a run. If an attempt has no trajectory, only its record is used.
pub(super) fn of(run: &RunDir) -> Result<RunBehavior, RunDirError> {
    let records: Vec<&AttemptRecord> = run.records.iter().filter(|record| ended(record)).collect();
    let errors = run
        .records
        .iter()
        .filter(|record| record.status == Status::Error);
    let mut sum = RunBehavior {
        attempts: records.len() as u64,
        early_return_rate: rate(&records, |record| record.returned_early),
        delegation_rate: rate(&records, |record| {
            record.delegations.map(|delegations| delegations > 0)
        }),
        error_rate: share(errors.count() as u64, run.records.len() as u64),
        ..RunBehavior::default()
    };
    let mut times = Some(TimeSplit::default());
    let mut tally = Tally::default();
    for record in &run.records {
        let seen = seen(&run.trajectory(&record.id, record.attempt))?;
        let agents = seen.iter().flat_map(|fold| &fold.agents);
        agents.clone().for_each(|agent| tally.take(agent));
        if !ended(record) {
            continue;
        }
        for agent in agents {
            sum.cells += agent.cells.ran;
            sum.failed_cells += agent.cells.failed;
            sum.corrected_cells += agent.cells.corrected;
        }
        times = times
            .zip(split(record, seen.as_ref()))
            .map(|(sum, one)| TimeSplit {
                model_s: sum.model_s + one.model_s,
                sandbox_s: sum.sandbox_s + one.sandbox_s,
                overhead_s: sum.overhead_s + one.overhead_s,
            });
    }
    let n = records.len() as f64;
    sum.time = times
        .filter(|_| !records.is_empty())
        .map(|times| TimeSplit {
            model_s: times.model_s / n,
            sandbox_s: times.sandbox_s / n,
            overhead_s: times.overhead_s / n,
        });
    sum.spending = tally.finish();
    Ok(sum)
}

fn rate(records: &[&AttemptRecord], of: impl Fn(&AttemptRecord) -> Option<bool>) -> Option<f64> {
    let known: Option<Vec<bool>> = records.iter().map(|record| of(record)).collect();
    let known = known?;
    share(
        known.iter().filter(|held| **held).count() as u64,
        known.len() as u64,
    )
}

/// Splits the duration of an attempt into parts that add up to it. Values are clamped, because
/// measured overhead and model time overlap slightly.
fn split(record: &AttemptRecord, seen: Option<&Fold>) -> Option<TimeSplit> {
    let total_s = record.total_time_s;
    let overhead_s = (record.overhead_ms? / 1000.0).clamp(0.0, total_s);
    let model_s = (covered(seen?.call_times()?.to_vec()) / 1000.0).clamp(0.0, total_s - overhead_s);
    Some(TimeSplit {
        model_s,
        sandbox_s: total_s - overhead_s - model_s,
        overhead_s,
    })
}

/// Returns the time covered by at least one interval.
fn covered(mut intervals: Vec<(f64, f64)>) -> f64 {
    intervals.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut until = f64::MIN;
    let mut sum = 0.0;
    for (begin, end) in intervals {
        sum += (end - begin.max(until)).max(0.0);
        until = until.max(end);
    }
    sum
}

/// Reads and folds the events of an attempt. Returns `None` if the trajectory is missing.
fn seen(path: &Path) -> Result<Option<Fold>, RunDirError> {
    match fold(path) {
        Ok(fold) => Ok(Some(fold)),
        Err(RunDirError::Read { reason, .. }) if reason.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::covered;

    #[test]
    fn counts_parallel_calls_once() {
        let rows: [(&[(f64, f64)], f64); 5] = [
            (&[], 0.0),
            (&[(1.0, 3.0)], 2.0),
            (&[(1.0, 3.0), (2.0, 4.0)], 3.0),
            (&[(5.0, 6.0), (1.0, 4.0), (2.0, 3.0)], 4.0),
            (&[(1.0, 2.0), (1.0, 2.0)], 1.0),
        ];
        for (intervals, wanted) in rows {
            let got = covered(intervals.to_vec());
            assert!((got - wanted).abs() < 1e-12, "{intervals:?}: {got}");
        }
    }
}
