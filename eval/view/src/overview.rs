//! The row of a run in the table of runs, and the figures and plots on the run's page.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use jiff::Timestamp;
use records::{AttemptRecord, RunIdentity};
use report::summary::Summary;
use serde::Serialize;
use serde_json::{Value, json};

use super::error::ViewError;
use super::histogram::histogram;
use super::run_file::{Progress, RunFile, modified};

/// Row of a run in the table of runs.
#[derive(Debug, Clone, Serialize)]
pub struct Overview {
    /// Id of the run: the relative path of its folder.
    pub id: String,
    /// Start time, in RFC 3339.
    pub started_at: Option<String>,
    /// Whether the run is complete, running or stopped.
    pub progress: Option<Progress>,
    /// Settings that all attempts of the run share.
    pub run: Option<RunIdentity>,
    /// Summary of the records so far.
    pub summary: Option<Summary>,
    /// Reason why the run cannot be read.
    pub problem: Option<String>,
}

impl Overview {
    /// Creates the row of a run in the folder `path`. If the run cannot be read, the row states the
    /// reason.
    pub fn read(id: &str, path: &Path, file: Result<&RunFile, &ViewError>) -> Self {
        match file {
            Ok(file) => Self::of(id, file),
            Err(problem) => Self {
                id: id.to_owned(),
                started_at: started_at(id, path, &[]),
                progress: None,
                run: None,
                summary: None,
                problem: Some(problem.to_string()),
            },
        }
    }

    /// Creates the row of a run.
    pub fn of(id: &str, file: &RunFile) -> Self {
        Self {
            id: id.to_owned(),
            started_at: started_at(id, &file.run.path, &file.run.records),
            progress: Some(file.progress_inputs.progress()),
            run: Some(file.run.lock.run.clone()),
            summary: Some(file.summary.clone()),
            problem: None,
        }
    }
}

/// Returns the start time of a run: that of its first attempt, otherwise the time in its name,
/// otherwise the time of its lock file.
fn started_at(id: &str, path: &Path, records: &[AttemptRecord]) -> Option<String> {
    let first = records.iter().filter_map(|record| record.started_at).min();
    let written = || Timestamp::try_from(modified(&path.join("lock.json"))?).ok();
    let time = first.or_else(|| time_in_name(id)).or_else(written)?;
    Some(time.to_string())
}

/// Parses the UTC time in a run's name of the form `…-yyyymmdd-hhmmss-…`.
fn time_in_name(id: &str) -> Option<Timestamp> {
    let parts: Vec<&str> = id.split('-').collect();
    parts.windows(2).find_map(|pair| {
        let digits = |text: &str, count| {
            text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        let [date, time] = pair else { return None };
        if !digits(date, 8) || !digits(time, 6) {
            return None;
        }
        let (year, month, day) = (&date[..4], &date[4..6], &date[6..]);
        let (hour, minute, second) = (&time[..2], &time[2..4], &time[4..]);
        let text = format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z");
        text.parse().ok()
    })
}

/// Returns the data of a run's page above the list of samples.
pub fn page(id: &str, file: &RunFile) -> Value {
    let records = &file.run.records;
    let plot = |label: &str, unit: &str, of: fn(&AttemptRecord) -> Option<f64>| {
        let values: Vec<(f64, Option<f64>)> = records
            .iter()
            .filter_map(|record| of(record).map(|value| (value, record.score)))
            .collect();
        histogram(&values, unit).map(|bins| json!({ "label": label, "unit": unit, "bins": bins }))
    };
    let plots: Vec<Value> = [
        plot("Iterations", "", |record| Some(record.iterations.into())),
        plot("Time", "s", |record| Some(record.total_time_s)),
        plot("Agents", "", |record| record.agents.map(Into::into)),
        plot("Tokens", "", |record| {
            record.usage.map(|usage| usage.total() as f64)
        }),
        plot("Cost", "$", |record| record.cost_usd),
    ]
    .into_iter()
    .flatten()
    .collect();
    let mut page = json!({
        "overview": Overview::of(id, file),
        "config": file.run.config,
        "plots": plots,
        "spread": spread(records),
        "under_way": file.under_way,
        "torn": file.run.truncated_record.as_ref().map(|record| record.line),
        "scorers": file.scorers,
    });
    if let Some(workers) = workers(file) {
        page["queue"] = workers;
    }
    page
}

/// Returns the workers of a queued run, as last recorded by the process that coordinates the run,
/// or `None` for other runs.
fn workers(file: &RunFile) -> Option<Value> {
    /// Maximum bytes of the file; a larger file was not written by this program.
    const MOST: u64 = 16 << 20;
    if file.progress_inputs.progress() != Progress::Running {
        return None;
    }
    let path = file.run.path.join("workers.json");
    let size = fs::metadata(&path).ok()?.len();
    let bytes = (size <= MOST).then(|| fs::read(&path).ok())??;
    let workers: Value = serde_json::from_slice(&bytes).ok()?;
    (workers["v"] == 1).then_some(workers)
}

/// Counts the samples by number of right attempts. Each row contains a label such as `1 of 4`, the
/// number of samples, and a color class. Returns no rows if no sample has more than one scored
/// attempt.
fn spread(records: &[AttemptRecord]) -> Vec<(String, u64, &'static str)> {
    let mut samples: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for record in records {
        if let Some(score) = record.score {
            let (right, all) = samples.entry(&record.id).or_default();
            *right += u64::from(score >= 1.0);
            *all += 1;
        }
    }
    if samples.values().all(|(_, all)| *all < 2) {
        return Vec::new();
    }
    let mut bins: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for (right, all) in samples.values() {
        *bins.entry((*all, *right)).or_default() += 1;
    }
    let most = bins.keys().map(|(all, _)| *all).max().unwrap_or_default();
    for right in 0..=most {
        bins.entry((most, right)).or_default();
    }
    let bins = bins.into_iter().rev();
    bins.map(|((all, right), samples)| {
        let kind = match right {
            0 => "wrong",
            right if right == all => "right",
            _ => "limit",
        };
        (format!("{right} of {all}"), samples, kind)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::time_in_name;

    #[test]
    fn parses_time_in_run_name() {
        let rows = [
            (
                "s-niah-solver-20261121-092406-5f3a",
                Some("2026-11-21T09:24:06Z"),
            ),
            ("s-niah", None),
            ("x-20261321-092406-5f3a", None),
        ];
        for (id, time) in rows {
            assert_eq!(
                time_in_name(id).map(|time| time.to_string()).as_deref(),
                time
            );
        }
    }
}
