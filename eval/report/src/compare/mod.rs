//! Comparisons of runs over the same samples: what `rlm-eval compare` shows and writes.
//!
//! Invariant: a comparison is made from scores alone, so that a run directory and a CSV file give the same figures.

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
pub use pairing::{Alignment, Errors, pair_up};
pub use report::{RunFigures, SampleScores};
pub use rows::{COLUMNS, to_csv};
pub use source::{RunColumns, RunScores, ScoredAttempt};
pub use table::{heading, interval_text, p_text};
pub use table::{pairs, table};
pub use verdict::{cautions, verdict};

/// Version of [`Comparison`]; its JSON carries it as `v`.
pub const COMPARISON_VERSION: u32 = 2;

/// Differences up to this p value are called real: 1 in 20 where there are none.
pub const SIGNIFICANT: f64 = 0.05;

/// Runs, and how they differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// [`COMPARISON_VERSION`] of the writer.
    pub v: u32,
    /// What differs between the runs, in their order.
    pub differences: Differences,
    /// The runs, in the order given.
    pub runs: Vec<RunFigures>,
    /// The families of comparisons over which p values are corrected, each by itself.
    pub families: Vec<Family>,
    /// One for each two runs whose comparison is shown, family by family.
    pub comparisons: Vec<RunPair>,
    /// The mean score of each sample in each run.
    pub samples: Vec<SampleScores>,
}

/// The comparison of two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunPair {
    /// The family of comparisons over which its p values are corrected.
    pub family: FamilyKind,
    /// Name of the run that the other is measured by: `A`.
    pub first: String,
    /// Name of the other: `B`.
    pub second: String,
    /// Whether both have the fingerprint of one experiment, so that they differ by chance. None if it is unknown of one.
    pub same_fingerprint: Option<bool>,
    /// What could not be compared.
    pub alignment: Alignment,
    /// Over the samples that have a score in both; none if there are none.
    pub errors_excluded: Option<Difference>,
    /// The same with every attempt of status `error` taken as 0.
    pub errors_as_zero: Option<Difference>,
}

/// How two runs differ.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Difference {
    /// Means, difference, and the interval and p value of one method.
    #[serde(flatten)]
    pub paired: Paired,
    /// The p value by Holm's correction over its family of comparisons; equal to `p` where that is the only one.
    pub p_holm: Option<f64>,
    /// The least difference that such runs find 4 times out of 5, by the test of `p` and at the level that Holm's
    /// correction leaves it. None where even a difference of 1 is found less often, or nothing shows how much they vary.
    pub detectable: Option<f64>,
}

impl Difference {
    /// p value of no difference, below 0.05 exactly if the interval excludes 0.
    pub fn p(&self) -> Option<f64> {
        self.paired.p()
    }

    /// Name of the method of the interval and the p value.
    pub fn method(&self) -> &'static str {
        self.paired.method().map_or("no test", Method::name)
    }
}

/// Which runs are measured by which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Against {
    /// Every later run by the first.
    First,
    /// Every run by every earlier one.
    All,
    /// Each run by the one at this place among them, and one at its own place by none.
    Baseline(Vec<usize>),
}

/// Compares runs by their scores.
///
/// # Errors
/// [`CompareError::Differ`] for runs of which the benchmark, the dataset or the scorer differ, unless `allow_mismatch`.
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

/// The same, whether the runs measure one thing or not.
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

/// All that keeps these runs from being compared; empty if nothing does.
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

/// What cannot be checked of runs, and the names of those that do not say it.
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
    /// The same with these names for the runs, in their order.
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

/// `A` to `Z`, then `AA`, `AB`, ….
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
    fn runs_are_named_by_letters() {
        let names = [0, 1, 25, 26, 27, 701, 702].map(name);
        assert_eq!(names, ["A", "B", "Z", "AA", "AB", "ZZ", "AAA"]);
    }
}
