//! Reports of runs, computed from records and trajectories only: the output and plots of `rlm-eval
//! report`.

mod behavior;
mod groups;
mod spending;
mod text;

mod sweep_tables;
mod drawn_grid;
mod short_summary;
mod html;
mod plot;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;

use jiff::Timestamp;
use model::{Protocol, excerpt};
use records::run_dir::{RunDir, RunDirError};
use records::{AttemptRecord, RunIdentity};

use crate::compare::{self, Against, Comparison, Mismatch, RunScores, SampleScores};
use crate::differences::{self, Differences};
use crate::race::{RaceLog, RaceResult};
use crate::race_folder::race_of;
use crate::run_name::run_name;
use crate::summary::Summary;

pub use behavior::{RunBehavior, TimeSplit};
pub use drawn_grid::Grid;
pub use groups::{Group, Grouping};
pub use html::{HtmlError, html};
pub use spending::Spending;
pub use text::{conclusion, text};

/// All contents of a report.
#[derive(Debug, Clone)]
pub struct Report {
    /// Differences between the runs.
    pub differences: Differences,
    /// Reports of the individual runs.
    pub runs: Vec<RunReport>,
    /// Comparisons of the cells of each sweep.
    pub sweeps: Vec<SweepReport>,
    /// Differences that make the runs incomparable, so that `comparison` and `differing` are empty.
    /// Always empty for sweeps.
    pub mismatches: Vec<Mismatch>,
    /// Comparison of the runs if there are several and no sweep: each with the first, and the best
    /// with each other.
    pub comparison: Option<Comparison>,
    /// Samples whose score in at least one run differs from that in the first run, with the mean
    /// score in each run.
    pub differing: Vec<SampleScores>,
}

/// A sweep found in a folder.
#[derive(Debug)]
pub struct FoundSweep {
    /// Folder of the sweep.
    pub folder: PathBuf,
    /// Names of the cells that have begun, with the indices of their runs.
    pub cells: Vec<(String, usize)>,
    /// Names of the cells that have not begun.
    pub not_begun: Vec<String>,
    /// For each begun cell, the index of its baseline run, or its own index if it has no baseline.
    pub baselines: Vec<usize>,
    /// Race of the cells, finished or not; `None` if the sweep is not a race.
    pub race: Option<RaceLog>,
}

/// Comparisons of a sweep. Runs are named as in the report.
#[derive(Debug, Clone)]
pub struct SweepReport {
    /// Folder of the sweep.
    pub folder: PathBuf,
    /// Names of the cells that have not begun.
    pub not_begun: Vec<String>,
    /// Comparison of the cells.
    pub comparison: Comparison,
    /// Race of the cells. The p values and intervals of the comparison do not hold for cells that
    /// stopped early.
    pub race: Option<RaceResult>,
    /// Names of the cells that have begun, with the indices of their runs.
    pub cells: Vec<(String, usize)>,
}

/// All contents of a report about one run.
#[derive(Debug, Clone)]
pub struct RunReport {
    /// Name of the run in plots and comparisons: `A`, `B`, ….
    pub name: String,
    /// Short label that distinguishes the run from the others.
    pub label: String,
    /// Values that all attempts share.
    pub identity: RunIdentity,
    /// Time when the first attempt began, if recorded.
    pub started: Option<Timestamp>,
    /// Sources of the prices, with their dates.
    pub prices: Vec<String>,
    /// Scores, intervals and means.
    pub summary: Summary,
    /// Behavior of the run's agents.
    pub behaviour: RunBehavior,
    /// Scores grouped by metadata of the samples.
    pub groupings: Vec<Grouping>,
    /// Number of iterations of the root agent in each attempt that ended `ok` or `limit`.
    pub iterations: Vec<u32>,
    /// Attempts that scored less than 1 or have no score, worst first.
    pub failures: Vec<Failure>,
    /// Folder of the run.
    pub path: PathBuf,
    /// Folder of the race that the run is a cell of, if any.
    pub race: Option<PathBuf>,
}

/// An attempt that scored less than 1 or has no score.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// Id of the sample.
    pub id: String,
    /// Number of the attempt, 1-based.
    pub attempt: u32,
    /// Status with which the attempt ended.
    pub status: String,
    /// Score; `None` if the attempt ended in an error or was cancelled.
    pub score: Option<f64>,
    /// Agent's answer or, without an answer, the attempt's error; truncated.
    pub got: String,
    /// Expected answer; truncated.
    pub expected: String,
    /// Grids in the agent's answer, if it consists of ARC grids.
    pub got_grids: Option<Vec<Grid>>,
    /// Grids in the expected answer, if it consists of ARC grids.
    pub expected_grids: Option<Vec<Grid>>,
    /// Path of the trajectory, if it exists.
    pub trajectory: Option<PathBuf>,
}

impl Report {
    /// Creates the report of the given runs, including the comparisons within the given sweeps.
    ///
    /// # Errors
    /// Returns [`RunDirError`] if a trajectory cannot be read or is invalid.
    pub fn of(runs: &[RunDir], sweeps: &[FoundSweep]) -> Result<Self, RunDirError> {
        let mut labels = labels(&runs.iter().map(|run| &run.lock.run).collect::<Vec<_>>());
        for sweep in sweeps {
            let name = sweep.folder.file_name().unwrap_or_default();
            let is_all = sweep.cells.len() == runs.len();
            for (cell, place) in &sweep.cells {
                if let Some(label) = labels.get_mut(*place) {
                    *label = if is_all {
                        cell.clone()
                    } else {
                        format!("{}/{cell}", name.to_string_lossy())
                    };
                }
            }
        }
        let paths = runs.iter().map(|run| run.path.to_string_lossy());
        let labels = distinct(labels, paths);
        let records: Vec<&[AttemptRecord]> =
            runs.iter().map(|run| run.records.as_slice()).collect();
        let groupings = groups::of(&records);
        let reports = runs.iter().zip(labels).zip(groupings).enumerate();
        let reports = reports.map(|(index, ((run, label), groupings))| {
            RunReport::of(run, run_name(index), label, groupings)
        });
        let reports = reports.collect::<Result<Vec<_>, _>>()?;
        let scores: Vec<RunScores> = runs.iter().map(RunScores::of_run).collect();
        let parts: Vec<_> = scores.iter().map(|run| run.parts.clone()).collect();
        let mismatches = if sweeps.is_empty() {
            compare::mismatches(&scores)
        } else {
            Vec::new()
        };
        let is_compared = mismatches.is_empty();
        Ok(Self {
            mismatches,
            comparison: (is_compared && sweeps.is_empty() && scores.len() > 1)
                .then(|| compare::compare_all(&scores, &Against::First)),
            differing: if is_compared {
                differing(&scores)
            } else {
                Vec::new()
            },
            differences: Differences::of(&parts),
            sweeps: sweeps
                .iter()
                .map(|sweep| SweepReport::of(&scores, sweep))
                .collect(),
            runs: reports,
        })
    }

    /// Returns the names of the runs in plots and comparisons: `A`, `B`, ….
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.runs.iter().map(|run| run.name.as_str())
    }

    /// Lists the cells that have not begun and are therefore missing from tables and comparisons,
    /// in one sentence per sweep.
    pub fn not_begun(&self) -> impl Iterator<Item = String> {
        let lacking = self
            .sweeps
            .iter()
            .filter(|sweep| !sweep.not_begun.is_empty());
        lacking.map(|sweep| {
            let of = match self.sweeps.len() {
                1 => String::new(),
                _ => format!(" of the sweep {}", sweep.folder.display()),
            };
            let cells = sweep.not_begun.join(", ");
            format!("Cells{of} that have not begun and are not compared: {cells}.")
        })
    }

    /// Explains why the runs are not compared, in one sentence per difference. Different scorers
    /// are described by [`scorers`](Self::scorers).
    pub fn not_compared(&self) -> impl Iterator<Item = String> {
        let others = self.mismatches.iter().filter(|one| one.what != "scorer");
        others.map(|mismatch| format!("The scores are not comparable: {mismatch}."))
    }

    /// Warns if cells of races are compared outside their sweep, in one sentence per race. `names`
    /// are the displayed names of the runs.
    pub fn race_warnings<'a>(&'a self, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let comparison = self.comparison.as_ref();
        comparison.map_or_else(Vec::new, |comparison| comparison.race_warnings(names))
    }

    /// Describes which runs were scored by which scorer, or returns `None` if all used the same
    /// one. `names` are the displayed names of the runs.
    pub fn scorers<'a>(&'a self, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
        let scorers = self.runs.iter().map(|run| run.identity.scorer.as_str());
        differences::scorers(names.into_iter().zip(scorers))
    }
}

impl SweepReport {
    fn of(runs: &[RunScores], sweep: &FoundSweep) -> Self {
        let cells = sweep.cells.iter();
        let places: Vec<usize> = cells.map(|(_, place)| *place).collect();
        let member = |place: &usize| Some((run_name(*place), runs.get(*place)?.clone()));
        let (names, scores): (Vec<String>, Vec<RunScores>) =
            places.iter().filter_map(member).unzip();
        let among = |run: &usize| places.iter().position(|place| place == run);
        let baselines = sweep
            .baselines
            .iter()
            .map(|run| among(run).unwrap_or_default());
        let against = Against::Baseline(baselines.collect());
        Self {
            folder: sweep.folder.clone(),
            not_begun: sweep.not_begun.clone(),
            comparison: compare::compare_named(&scores, &names, &against),
            race: sweep.race.as_ref().map(RaceLog::result),
            cells: sweep.cells.clone(),
        }
    }
}

impl RunReport {
    fn of(
        run: &RunDir,
        name: String,
        label: String,
        groupings: Vec<Grouping>,
    ) -> Result<Self, RunDirError> {
        let summary = Summary::new(&run.records, run.attempts_total()).with_wasted(run.wasted);
        let ended = run.records.iter().filter(|record| behavior::ended(record));
        Ok(Self {
            name,
            label,
            identity: run.lock.run.clone(),
            prices: prices(run),
            started: run.started(),
            behaviour: behavior::of(run)?,
            groupings,
            iterations: ended.map(|record| record.iterations).collect(),
            failures: failures(run),
            path: run.path.clone(),
            race: race_of(&run.path),
            summary,
        })
    }

    /// Returns the mean duration in seconds of the attempts that ended `ok` or at a limit.
    /// Reports show the duration of attempts only as this mean.
    pub fn seconds_per_attempt(&self) -> Option<f64> {
        let mean = self.summary.per_attempt.as_ref()?;
        Some(mean.total_time_s)
    }
}

/// Returns the sources of the prices in a run. Scripted and replayed models have none, because
/// their files state the cost.
fn prices(run: &RunDir) -> Vec<String> {
    let model = &run.lock.run.model;
    if ["scripted", "replay"]
        .iter()
        .any(|own| model.starts_with(own))
    {
        return Vec::new();
    }
    let prices = run.config.pointer("/budget/prices");
    let prices = prices.and_then(serde_json::Value::as_array);
    let texts = prices
        .into_iter()
        .flatten()
        .filter_map(serde_json::Value::as_str);
    texts.map(str::to_owned).collect()
}

/// Returns the samples whose scores differ between any two runs, sorted by id.
fn differing(runs: &[RunScores]) -> Vec<SampleScores> {
    /// Smaller differences do not count, because floating-point sums depend on the order of
    /// attempts.
    const EQUAL: f64 = 1e-9;
    let mut samples = compare::samples(runs);
    samples.retain(|sample| {
        let known = || sample.scores.iter().flatten().copied();
        known().fold(f64::MIN, f64::max) - known().fold(f64::MAX, f64::min) > EQUAL
    });
    samples
}

/// Maximum characters of an answer in a report.
const EXCERPT: usize = 300;

fn failures(run: &RunDir) -> Vec<Failure> {
    let mut failures: Vec<Failure> = run
        .records
        .iter()
        .filter(|record| record.score.is_none_or(|score| score < 1.0))
        .map(|record| Failure {
            id: record.id.clone(),
            attempt: record.attempt,
            status: record.status.to_string(),
            score: record.score,
            got: excerpt(
                record
                    .answer
                    .as_deref()
                    .or(record.error.as_deref())
                    .unwrap_or_default(),
                EXCERPT,
            ),
            expected: match &record.expected {
                serde_json::Value::String(text) => excerpt(text, EXCERPT),
                value => excerpt(&value.to_string(), EXCERPT),
            },
            got_grids: record.answer.as_deref().and_then(drawn_grid::in_text),
            expected_grids: drawn_grid::in_value(&record.expected),
            trajectory: Some(run.trajectory(&record.id, record.attempt))
                .filter(|path| path.is_file()),
        })
        .collect();
    failures.sort_by(|a, b| {
        let score = |failure: &Failure| failure.score.unwrap_or(-1.0);
        (score(a).total_cmp(&score(b))).then_with(|| (&a.id, a.attempt).cmp(&(&b.id, b.attempt)))
    });
    failures
}

/// Returns the depth as part of a label, or an empty string for a protocol with a single call.
fn depth(run: &RunIdentity) -> String {
    if Protocol::capabilities_of(&run.protocol).is_some_and(|capabilities| capabilities.one_call) {
        String::new()
    } else {
        format!(" depth {}", run.max_depth)
    }
}

/// Replaces labels shared by several runs with the runs' paths.
fn distinct<'a>(labels: Vec<String>, paths: impl Iterator<Item = Cow<'a, str>>) -> Vec<String> {
    let all = labels.clone();
    let is_shared = |label: &String| all.iter().filter(|other| *other == label).count() > 1;
    let those = labels.into_iter().zip(paths);
    those
        .map(|(label, path)| {
            if is_shared(&label) {
                path.into_owned()
            } else {
                label
            }
        })
        .collect()
}

/// Returns short labels that distinguish the runs: benchmark, protocol, mode and drivers. If these
/// are equal, the differing model or depth is added; if all are equal, the run's id is used.
fn labels(runs: &[&RunIdentity]) -> Vec<String> {
    let differ = |of: fn(&RunIdentity) -> String| {
        let values: BTreeSet<String> = runs.iter().map(|run| of(run)).collect();
        values.len() > 1
    };
    let models = differ(|run| run.model.clone());
    let depths = differ(depth);
    let plain: Vec<String> = runs.iter().map(|run| run.label()).collect();
    let full = runs.iter().zip(&plain).map(|(run, label)| {
        let mut label = label.clone();
        if models {
            label = format!("{label} {}", run.model);
        }
        if depths {
            label += &depth(run);
        }
        label
    });
    let full: Vec<String> = full.collect();
    let unique = |labels: &[String], label: &String| {
        labels.iter().filter(|other| *other == label).count() == 1
    };
    let label = |((run, plain_label), full_label): ((&&RunIdentity, &String), &String)| {
        if unique(&plain, plain_label) {
            plain_label.clone()
        } else if unique(&full, full_label) {
            full_label.clone()
        } else {
            run.run_id.clone()
        }
    };
    runs.iter().zip(&plain).zip(&full).map(label).collect()
}
