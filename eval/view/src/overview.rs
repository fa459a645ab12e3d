//! A run in one row, and the figures and plots of its page.

use std::fs;
use std::path::Path;
use std::time::SystemTime;

use jiff::Timestamp;
use records::run_dir::RunDirError;
use records::{AttemptRecord, RunIdentity};
use report::summary::Summary;
use serde::Serialize;
use serde_json::{Value, json};

use super::run_file::{Progress, RunFile};

/// A run in the table of runs.
#[derive(Debug, Clone, Serialize)]
pub struct Overview {
    /// The run, by the name of its folder.
    pub id: String,
    /// When it began, in RFC 3339.
    pub started_at: Option<String>,
    /// How far it has come.
    pub progress: Option<Progress>,
    /// What all of its attempts have in common.
    pub run: Option<RunIdentity>,
    /// What came of it so far.
    pub summary: Option<Summary>,
    /// Why it cannot be read.
    pub problem: Option<String>,
}

impl Overview {
    /// Reads it from a run's folder. A run that cannot be read has a row, too, which says why.
    pub fn read(id: &str, path: &Path) -> Self {
        match RunFile::open(path) {
            Ok(file) => Self::of(id, &file),
            Err(problem) => Self::broken(id, path, &problem),
        }
    }

    /// The row of a run.
    pub fn of(id: &str, file: &RunFile) -> Self {
        Self {
            id: id.to_owned(),
            started_at: started_at(id, &file.run.path, &file.run.records),
            progress: Some(file.progress()),
            run: Some(file.run.lock.run.clone()),
            summary: Some(file.summary.clone()),
            problem: None,
        }
    }

    /// Whether the run may change without a change of the files that a stamp looks at.
    pub fn is_running(&self) -> bool {
        self.progress == Some(Progress::Running)
    }

    fn broken(id: &str, path: &Path, problem: &RunDirError) -> Self {
        Self {
            id: id.to_owned(),
            started_at: started_at(id, path, &[]),
            progress: None,
            run: None,
            summary: None,
            problem: Some(problem.to_string()),
        }
    }
}

/// When a run began: its first attempt, or else the time in its name, or else when its lock was written.
fn started_at(id: &str, path: &Path, records: &[AttemptRecord]) -> Option<String> {
    let first = records.iter().filter_map(|record| record.started_at).min();
    let written = || {
        let time: SystemTime = fs::metadata(path.join("lock.json")).ok()?.modified().ok()?;
        Timestamp::try_from(time).ok()
    };
    let time = first.or_else(|| time_in_name(id)).or_else(written)?;
    Some(time.to_string())
}

/// `…-yyyymmdd-hhmmss-…` in UTC.
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

/// What the page of a run shows above its samples.
pub fn page(id: &str, file: &RunFile) -> Value {
    let records = &file.run.records;
    let ended: Vec<&AttemptRecord> = records.iter().collect();
    let plot = |label: &str, unit: &str, of: fn(&AttemptRecord) -> Option<f64>| {
        let values: Vec<(f64, Option<f64>)> = ended
            .iter()
            .filter_map(|record| of(record).map(|value| (value, record.score)))
            .collect();
        histogram(&values).map(|bins| json!({ "label": label, "unit": unit, "bins": bins }))
    };
    let tokens = |record: &AttemptRecord| {
        let usage = record.usage?;
        Some((usage.input_tokens + usage.output_tokens) as f64)
    };
    let plots: Vec<Value> = [
        plot("Iterations", "", |record| Some(record.iterations.into())),
        plot("Time", "s", |record| Some(record.total_time_s)),
        plot("Agents", "", |record| record.agents.map(Into::into)),
        plot("Tokens", "", tokens),
        plot("Cost", "$", |record| record.cost_usd),
    ]
    .into_iter()
    .flatten()
    .collect();
    json!({
        "overview": Overview::of(id, file),
        "config": file.run.config,
        "plots": plots,
        "under_way": file.under_way,
        "torn": file.run.truncated_record.as_ref().map(|record| record.line),
    })
}

/// A bar of a histogram, split by score.
#[derive(Debug, PartialEq, Serialize)]
struct Bin {
    from: f64,
    to: f64,
    /// Attempts with a score of 1.
    right: u64,
    /// Attempts with a score below 1.
    wrong: u64,
    /// Attempts without a score.
    unscored: u64,
}

/// Values with their scores in at most 16 bins of equal width; whole numbers get bins of whole width.
/// `None` with fewer than two different values.
fn histogram(values: &[(f64, Option<f64>)]) -> Option<Vec<Bin>> {
    const MOST: f64 = 16.0;
    let numbers = values.iter().map(|(value, _)| *value);
    let low = numbers.clone().fold(f64::INFINITY, f64::min);
    let high = numbers.clone().fold(f64::NEG_INFINITY, f64::max);
    if !low.is_finite() || !high.is_finite() || low >= high {
        return None;
    }
    let whole = numbers.clone().all(|value| value.fract() == 0.0);
    let (width, count) = if whole {
        let width = ((high - low + 1.0) / MOST).ceil();
        (width, ((high - low + 1.0) / width).ceil())
    } else {
        ((high - low) / MOST, MOST)
    };
    let mut bins: Vec<Bin> = std::iter::successors(Some(0.0), |bin| Some(bin + 1.0))
        .take_while(|bin| *bin < count)
        .map(|bin| Bin {
            from: low + bin * width,
            to: low + (bin + 1.0) * width,
            right: 0,
            wrong: 0,
            unscored: 0,
        })
        .collect();
    for (value, score) in values {
        let place = bins.iter().rposition(|bin| *value >= bin.from).unwrap_or(0);
        match score {
            None => bins[place].unscored += 1,
            Some(score) if *score >= 1.0 => bins[place].right += 1,
            Some(_) => bins[place].wrong += 1,
        }
    }
    Some(bins)
}

#[cfg(test)]
mod tests {
    use super::{histogram, time_in_name};

    #[test]
    fn values_fall_into_few_bins() {
        let counts = |values: &[f64]| {
            let values: Vec<_> = values.iter().map(|value| (*value, Some(1.0))).collect();
            histogram(&values).map(|bins| {
                let bins = bins.iter();
                bins.map(|bin| (bin.from, bin.right)).collect::<Vec<_>>()
            })
        };
        assert_eq!(counts(&[]), None);
        assert_eq!(counts(&[3.0, 3.0]), None);
        assert_eq!(
            counts(&[1.0, 2.0, 2.0, 4.0]),
            Some(vec![(1.0, 1), (2.0, 2), (3.0, 0), (4.0, 1)])
        );
        let wide: Vec<f64> = (0..100).map(f64::from).collect();
        let bins = counts(&wide).unwrap();
        assert_eq!(bins.len(), 15);
        assert!(bins[..14].iter().all(|(_, count)| *count == 7), "{bins:?}");
        let fractions = counts(&[0.0, 0.5, 1.0]).unwrap();
        assert_eq!(fractions.len(), 16);
        assert_eq!(fractions.iter().map(|(_, count)| count).sum::<u64>(), 3);
    }

    #[test]
    fn a_name_tells_when_a_run_began() {
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
