//! Compares runs over their common samples, for `rlm-eval compare`.
//!
//! Invariant: the comparison of two runs depends only on columns of `results.csv` (sample, attempt,
//! cluster, status and score), so a run directory and its CSV file give the same p values.

mod family;
mod pairing;
mod report;

mod csv_file;
mod source;

mod rows;
mod table;
mod verdict;

mod error;

use serde::Serialize;
use statistics::{Method, Paired};

use crate::differences::{Differences, RunParts};

pub use csv_file::CsvProblem;
pub use error::{CompareError, Mismatch};
pub use family::{BEST, Family, FamilyKind};
pub use pairing::{Alignment, ErrorCounting, pair_up};
pub use report::{RunFigures, SampleScores};
pub use rows::{COLUMNS, to_csv};
pub use source::{RunColumns, RunScores, ScoredAttempt};
pub use table::{heading, interval_text, p_text};
pub use table::{pairs, started, table};
pub use verdict::{cautions, verdict};

/// Version of [`Comparison`], written as `v` in its JSON.
pub const COMPARISON_VERSION: u32 = 2;

/// Significance level: the maximum probability of a finding if there is no difference.
pub const SIGNIFICANT: f64 = 0.05;

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

/// The comparison of two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunPair {
    /// Family that the comparison belongs to.
    pub family: FamilyKind,
    /// Name of the run that serves as the reference: `A`.
    pub first: String,
    /// Name of the run that is compared with it: `B`.
    pub second: String,
    /// Whether both runs have the same settings, so that only chance makes them differ; see
    /// [`RunParts::same_fingerprint`].
    pub same_fingerprint: Option<bool>,
    /// Samples that could not be aligned.
    pub alignment: Alignment,
    /// Difference over the samples with a score in both runs; `None` if there are no such samples.
    pub errors_excluded: Option<Difference>,
    /// Difference if every attempt of status `error` scores 0.
    pub errors_as_zero: Option<Difference>,
}

/// The difference between two runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// Means, difference, interval and p value, computed by one method.
    #[serde(flatten)]
    pub paired: Paired,
    /// P value after Holm's correction over the family; equals `p` for a single comparison.
    pub p_holm: Option<f64>,
    /// Smallest true difference that a test with this much data detects 4 times out of 5, at the
    /// significance level that Holm's correction leaves to this comparison. `None` if even a
    /// difference of 1 is detected less often, or if the variance is unknown.
    pub detectable: Option<f64>,
}

impl Difference {
    /// Returns the p value for the null hypothesis of no difference. It is below 0.05 exactly if
    /// the interval excludes 0.
    pub fn p(&self) -> Option<f64> {
        self.paired.p()
    }

    /// Returns the name of the method that computed the interval and the p value, or `no test`.
    pub fn method(&self) -> &'static str {
        self.paired.method().map_or("no test", Method::name)
    }
}

/// Selects the pairs of runs to compare.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Against {
    /// Compares every later run with the first.
    First,
    /// Compares every run with every earlier run.
    All,
    /// Compares each run with the run at the given index. A run with its own index is a baseline
    /// and is not compared with another.
    Baseline(Vec<usize>),
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
    let figures = report::figures(runs);
    let (families, comparisons) = family::compare(runs, &figures, against);
    let parts: Vec<RunParts> = runs.iter().map(|run| run.parts.clone()).collect();
    Comparison {
        v: COMPARISON_VERSION,
        differences: Differences::of(&parts),
        runs: figures,
        families,
        comparisons,
        samples: report::samples(runs),
    }
}

/// Returns a mismatch for each of benchmark, dataset and scorer in which the runs differ.
pub fn mismatches(runs: &[RunScores]) -> Vec<Mismatch> {
    let mut found = Vec::new();
    for fact in ["benchmark", "dataset_digest", "scorer"] {
        let mut known = runs
            .iter()
            .enumerate()
            .filter_map(|(index, run)| Some((index, run.facts.get(fact)?)));
        let Some((first, value)) = known.next() else {
            continue;
        };
        if let Some((second, other)) = known.find(|(_, other)| *other != value) {
            found.push(Mismatch {
                what: fact,
                first: name(first),
                first_value: value.to_owned(),
                second: name(second),
                second_value: other.to_owned(),
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
        let silent = silent.filter(|(_, run)| run.facts.get(fact).is_none());
        let names: Vec<String> = silent.map(|(index, _)| name(index)).collect();
        (fact, names)
    };
    ["dataset_digest", "scorer"]
        .map(silent)
        .into_iter()
        .filter(|(_, silent)| !silent.is_empty())
        .collect()
}

impl Comparison {
    /// Renames the runs to `names`, which are in the order of the runs.
    #[must_use]
    pub fn renamed(mut self, names: &[String]) -> Self {
        let old: Vec<String> = self.runs.iter().map(|run| run.name.clone()).collect();
        let rename = |name: &mut String| {
            let place = old.iter().position(|old| old == name);
            if let Some(new) = place.and_then(|place| names.get(place)) {
                name.clone_from(new);
            }
        };
        self.runs.iter_mut().for_each(|run| rename(&mut run.name));
        for family in &mut self.families {
            let members = family.baselines.iter_mut().chain(&mut family.runs);
            let best = family.best.iter_mut().chain(&mut family.as_good);
            members.chain(best).for_each(rename);
        }
        self.differences = self.differences.named(names);
        for pair in &mut self.comparisons {
            rename(&mut pair.first);
            rename(&mut pair.second);
        }
        self
    }
}

/// Returns the name of the run at an index: `A` to `Z`, then `AA`, `AB`, ….
pub fn name(index: usize) -> String {
    let mut name = String::new();
    let mut rest = index + 1;
    while rest > 0 {
        let letter = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(rest - 1) % 26];
        name.insert(0, char::from(letter));
        rest = (rest - 1) / 26;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn names_runs_by_letters() {
        let names = [0, 1, 25, 26, 27, 701, 702].map(name);
        assert_eq!(names, ["A", "B", "Z", "AA", "AB", "ZZ", "AAA"]);
    }
}
