//! Compares runs over their common samples, for `rlm-eval compare`.
//!
//! Invariant: the comparison of two runs depends only on columns of `results.csv` (sample, attempt,
//! cluster, status and score), so a run directory and its CSV file give the same p values.

mod difference;
mod family;
mod pairing;
mod report;

mod csv_file;
mod run_scores;
mod source;

mod rows;
mod table;
mod verdict;

mod error;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::differences::{Differences, RunParts, shortened_pair};
use crate::run_name::run_name;

pub use difference::{Difference, SIGNIFICANT, interval_text, p_text};
pub use error::{CompareError, CsvProblem, Mismatch};
pub use family::{Against, BEST, Family, FamilyKind, RunPair};
pub use pairing::{Alignment, ErrorCounting, pair_up};
pub(crate) use report::samples;
pub use report::{RunFigures, SampleScores};
pub use rows::{COLUMNS, to_csv};
pub use run_scores::{RunScores, ScoredAttempt};
pub use table::{heading, pairs, started, table};
pub use verdict::{cautions, verdict};

/// Version of [`Comparison`], written as `v` in its JSON.
pub const COMPARISON_VERSION: u32 = 2;

/// A comparison of several runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// [`COMPARISON_VERSION`] of the program that computed the comparison.
    pub v: u32,
    /// Differences between the runs' settings.
    pub differences: Differences,
    /// The runs, in the order given.
    pub runs: Vec<RunFigures>,
    /// Families of comparisons, each corrected separately.
    pub families: Vec<Family>,
    /// Shown comparisons of two runs, family by family.
    pub comparisons: Vec<RunPair>,
    /// Mean score of each sample in each run.
    pub samples: Vec<SampleScores>,
}

/// Compares runs by their scores.
///
/// # Errors
/// Returns [`CompareError::Differ`] if the runs differ in benchmark, dataset or scorer and
/// `allow_mismatch` is false.
pub fn compare(
    runs: &[RunScores],
    against: &Against,
    allow_mismatch: bool,
) -> Result<Comparison, CompareError> {
    if !allow_mismatch && let Some(differing) = mismatches(runs).into_iter().next() {
        return Err(CompareError::Differ(Box::new(differing)));
    }
    Ok(compare_all(runs, against))
}

/// Compares runs like [`compare`], without checking for [`mismatches`].
pub fn compare_all(runs: &[RunScores], against: &Against) -> Comparison {
    let names: Vec<String> = (0..runs.len()).map(run_name).collect();
    compare_named(runs, &names, against)
}

/// Compares runs like [`compare_all`], with these names in the order of the runs.
pub(crate) fn compare_named(runs: &[RunScores], names: &[String], against: &Against) -> Comparison {
    let figures = report::figures(runs, names);
    let compared: Vec<_> = runs.iter().zip(&figures).collect();
    let (families, comparisons) = family::compare(&compared, against);
    let parts: Vec<RunParts> = runs.iter().map(|run| run.parts.clone()).collect();
    Comparison {
        v: COMPARISON_VERSION,
        differences: Differences::of(&parts).named(names),
        runs: figures,
        families,
        comparisons,
        samples: samples(runs),
    }
}

/// Returns a mismatch for each of benchmark, dataset and scorer in which the runs differ.
pub fn mismatches(runs: &[RunScores]) -> Vec<Mismatch> {
    let mut found = Vec::new();
    for fact in ["benchmark", "dataset_digest", "scorer"] {
        let mut known = runs
            .iter()
            .enumerate()
            .filter_map(|(index, run)| Some((index, run.facts.get(fact)?.as_str())));
        let Some((first, value)) = known.next() else {
            continue;
        };
        if let Some((second, other)) = known.find(|(_, other)| *other != value) {
            let [first_value, second_value] = shortened_pair([value, other]);
            found.push(Mismatch {
                what: fact,
                first: run_name(first),
                first_value,
                second: run_name(second),
                second_value,
            });
        }
    }
    found
}

/// Returns the columns that [`mismatches`] cannot check in all runs, with the names of the runs
/// that do not record them.
pub fn unchecked(runs: &[RunScores]) -> Vec<(&'static str, Vec<String>)> {
    let silent = |fact: &'static str| {
        let silent = runs.iter().enumerate();
        let silent = silent.filter(|(_, run)| !run.facts.contains_key(fact));
        let names: Vec<String> = silent.map(|(index, _)| run_name(index)).collect();
        (fact, names)
    };
    ["dataset_digest", "scorer"]
        .map(silent)
        .into_iter()
        .filter(|(_, silent)| !silent.is_empty())
        .collect()
}

impl Comparison {
    /// Returns a warning for each race whose cells are compared, because p values and intervals are
    /// invalid for them. `names` are the displayed names of the runs.
    pub fn race_warnings<'a>(&'a self, names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let mut races: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (name, run) in names.into_iter().zip(&self.runs) {
            if let Some(race) = &run.race {
                races.entry(race.as_str()).or_default().push(name);
            }
        }
        let warning = |(race, names): (&str, Vec<&str>)| {
            let are = match names.len() {
                1 => "is a cell",
                _ => "are cells",
            };
            format!(
                "Warning: {} {are} of the race in {}, which stops cells because of their scores. p values and \
                 intervals assume a fixed number of samples, so they are invalid here and show differences that \
                 do not exist too often; `rlm-eval report` of that folder shows valid ones.",
                names.join(", "),
                race
            )
        };
        races.into_iter().map(warning).collect()
    }
}
