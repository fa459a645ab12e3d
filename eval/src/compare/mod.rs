//! Comparisons of runs over the same samples: what `eval compare` shows and writes.
//!
//! Invariant: a comparison is made from scores alone, so that a run directory and a CSV file give the same figures.

mod pairing;
mod report;

mod csv_file;
mod source;

mod rows;
mod table;
mod verdict;

mod error;

use serde::Serialize;

use crate::statistics::{Paired, holm};

pub use csv_file::CsvProblem;
pub use error::{CompareError, Mismatch};
pub use pairing::{Alignment, Errors, pair_up};
pub use report::{RunFigures, SampleScores};
pub use rows::{COLUMNS, to_csv};
pub use source::{Facts, RunScores, ScoredAttempt};
pub use table::table;

/// Version of [`Comparison`]; its JSON carries it as `v`.
pub const COMPARISON_VERSION: u32 = 1;

/// Differences up to this p value are called real: 1 in 20 where there are none.
pub const SIGNIFICANT: f64 = 0.05;

/// Runs, and how they differ.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// [`COMPARISON_VERSION`] of the writer.
    pub v: u32,
    /// The runs, in the order given.
    pub runs: Vec<RunFigures>,
    /// One for each two runs that are compared.
    pub comparisons: Vec<RunPair>,
    /// The mean score of each sample in each run.
    pub samples: Vec<SampleScores>,
}

/// The comparison of two runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunPair {
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
    /// Means, difference, interval and tests.
    #[serde(flatten)]
    pub paired: Paired,
    /// The p value to go by: McNemar's where it fits, else the t test's.
    pub p: Option<f64>,
    /// The same by Holm's correction over all comparisons; equal to `p` where there is one.
    pub p_holm: Option<f64>,
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
    let mut comparisons: Vec<RunPair> = pairs(runs.len(), against)
        .into_iter()
        .map(|(first, second)| pair(runs, first, second))
        .collect();
    correct(&mut comparisons, |pair| &mut pair.errors_excluded);
    correct(&mut comparisons, |pair| &mut pair.errors_as_zero);
    Ok(Comparison {
        v: COMPARISON_VERSION,
        runs: report::figures(runs),
        comparisons,
        samples: report::samples(runs),
    })
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

/// `A` to `Z`, then `AA`, `AB`, ….
fn name(index: usize) -> String {
    let mut name = String::new();
    let mut rest = index + 1;
    while rest > 0 {
        let letter = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(rest - 1) % 26];
        name.insert(0, char::from(letter));
        rest = (rest - 1) / 26;
    }
    name
}

fn pairs(count: usize, against: &Against) -> Vec<(usize, usize)> {
    let firsts = match against {
        Against::First => 1,
        Against::All => count,
        Against::Baseline(baselines) => {
            let pairs = baselines.iter().copied().zip(0..count);
            return pairs
                .filter(|(first, second)| first != second && *first < count)
                .collect();
        }
    };
    (0..firsts.min(count))
        .flat_map(|first| (first + 1..count).map(move |second| (first, second)))
        .collect()
}

fn pair(runs: &[RunScores], first: usize, second: usize) -> RunPair {
    let (a, b) = (&runs[first], &runs[second]);
    let difference = |errors| {
        let (pairs, _) = pair_up(a, b, errors);
        let paired = crate::statistics::paired(&pairs)?;
        let p = paired.p();
        Some(Difference {
            paired,
            p,
            p_holm: p,
        })
    };
    let fingerprints = [a, b].map(|run| run.facts.get("fingerprint"));
    RunPair {
        first: name(first),
        second: name(second),
        same_fingerprint: match fingerprints {
            [Some(a), Some(b)] => Some(a == b),
            _ => None,
        },
        alignment: pair_up(a, b, Errors::Excluded).1,
        errors_excluded: difference(Errors::Excluded),
        errors_as_zero: difference(Errors::AsZero),
    }
}

/// Puts Holm's p values over those of all comparisons in place. A comparison without a p value is none of the family.
fn correct(comparisons: &mut [RunPair], of: impl Fn(&mut RunPair) -> &mut Option<Difference>) {
    let mut tested: Vec<&mut Difference> = comparisons
        .iter_mut()
        .filter_map(|pair| of(pair).as_mut())
        .filter(|difference| difference.p.is_some())
        .collect();
    let values: Vec<f64> = tested
        .iter()
        .filter_map(|difference| difference.p)
        .collect();
    for (difference, adjusted) in tested.iter_mut().zip(holm(&values)) {
        difference.p_holm = Some(adjusted);
    }
}

#[cfg(test)]
mod tests {
    use super::{Against, name, pairs};

    #[test]
    fn runs_are_named_by_letters() {
        let names = [0, 1, 25, 26, 27, 701, 702].map(name);
        assert_eq!(names, ["A", "B", "Z", "AA", "AB", "ZZ", "AAA"]);
    }

    #[test]
    fn runs_are_measured_by_the_first_or_by_all() {
        assert_eq!(pairs(3, &Against::First), [(0, 1), (0, 2)]);
        assert_eq!(pairs(3, &Against::All), [(0, 1), (0, 2), (1, 2)]);
        let own = Against::Baseline(vec![0, 1, 0, 1]);
        assert_eq!(pairs(4, &own), [(0, 2), (1, 3)]);
    }
}
