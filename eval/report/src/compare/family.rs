//! Selects the runs to compare, and groups the comparisons into families for the correction of p
//! values.
//!
//! Each family is corrected separately, so that the probability of any false finding within a
//! family is at most 5 %.

use std::collections::BTreeSet;

use serde::Serialize;
use statistics::{detectable, holm, paired};

use super::difference::{Difference, SIGNIFICANT};
use super::pairing::{Alignment, ErrorCounting, pair_up};
use super::report::RunFigures;
use super::run_scores::RunScores;

/// Number of best runs to compare with each other.
pub const BEST: usize = 3;

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

/// Rule that selects the comparisons of a family.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FamilyKind {
    /// Comparisons of each run with its baseline.
    Baseline,
    /// Comparisons of the best runs with each other, without baselines. Because the compared scores
    /// also select the best runs, p values are corrected over all pairs of candidates; only pairs
    /// of the best runs are shown.
    Best,
    /// Comparisons of each run with every earlier run.
    All,
}

impl FamilyKind {
    /// Returns the name used in CSV and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Baseline => "baseline",
            Self::Best => "best",
            Self::All => "all",
        }
    }
}

/// A family of comparisons whose p values are corrected together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Family {
    /// Kind of the family.
    pub kind: FamilyKind,
    /// Names of the baseline runs; empty unless `kind` is [`Baseline`](FamilyKind::Baseline).
    pub baselines: Vec<String>,
    /// Names of the compared runs. Depending on `kind`, these are the runs compared with a
    /// baseline, the candidates for the best, or all runs.
    pub runs: Vec<String>,
    /// Names of the [`BEST`] runs with the highest scores, in their original order. If scores are
    /// equal, the earlier run is preferred. Empty unless `kind` is [`Best`](FamilyKind::Best).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub best: Vec<String>,
    /// Names of the other runs whose score equals the lowest score in `best`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub as_good: Vec<String>,
    /// Number of comparisons in the family.
    pub comparisons: u64,
    /// Number of comparisons shown.
    pub shown: u64,
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
    /// [`RunParts::same_fingerprint`](crate::differences::RunParts::same_fingerprint).
    pub same_fingerprint: Option<bool>,
    /// Samples that could not be aligned.
    pub alignment: Alignment,
    /// Difference over the samples with a score in both runs; `None` if there are no such samples.
    pub errors_excluded: Option<Difference>,
    /// Difference if every attempt of status `error` scores 0.
    pub errors_as_zero: Option<Difference>,
}

type RunIndices = (usize, usize);

/// Scores and figures of a run.
type Run<'a> = (&'a RunScores, &'a RunFigures);

/// Returns the families and their shown comparisons.
pub(super) fn compare(runs: &[Run], against: &Against) -> (Vec<Family>, Vec<RunPair>) {
    let families = match against {
        Against::All => {
            let all: Vec<usize> = (0..runs.len()).collect();
            vec![family(runs, FamilyKind::All, &all, &all_pairs(&all), None)]
        }
        Against::First => with_baselines(runs, &vec![0; runs.len()]),
        Against::Baseline(baselines) => with_baselines(runs, baselines),
    };
    let (families, pairs): (Vec<Family>, Vec<_>) = families.into_iter().flatten().unzip();
    (families, pairs.into_iter().flatten().collect())
}

type Compared = Option<(Family, Vec<RunPair>)>;

fn with_baselines(runs: &[Run], baselines: &[usize]) -> Vec<Compared> {
    let measured = baselines.iter().copied().zip(0..runs.len());
    let measured: Vec<RunIndices> = measured
        .filter(|(first, second)| first != second && *first < runs.len())
        .collect();
    let others: Vec<usize> = measured.iter().map(|(_, second)| *second).collect();
    let best = Best::of(&others, runs);
    vec![
        family(runs, FamilyKind::Baseline, &others, &measured, None),
        family(
            runs,
            FamilyKind::Best,
            &others,
            &all_pairs(&others),
            Some(&best),
        ),
    ]
}

/// Compares `pairs`, corrects their p values, and keeps only comparisons between the `best` runs,
/// if given. Returns `None` without pairs.
fn family(
    runs: &[Run],
    kind: FamilyKind,
    members: &[usize],
    pairs: &[RunIndices],
    best: Option<&Best>,
) -> Compared {
    if pairs.is_empty() {
        return None;
    }
    let mut compared: Vec<RunPair> = pairs
        .iter()
        .map(|(first, second)| pair(kind, runs[*first], runs[*second]))
        .collect();
    let is_shown = |(first, second): &RunIndices| {
        best.is_none_or(|best| best.runs.contains(first) && best.runs.contains(second))
    };
    for errors in [ErrorCounting::Excluded, ErrorCounting::AsZero] {
        correct(&mut compared, errors);
        find_power(runs, &mut compared, pairs, errors, is_shown);
    }
    let those = compared.into_iter().zip(pairs);
    let those: Vec<RunPair> = those
        .filter(|(_, place)| is_shown(place))
        .map(|(pair, _)| pair)
        .collect();
    let baselines: BTreeSet<usize> = match kind {
        FamilyKind::Baseline => pairs.iter().map(|(first, _)| *first).collect(),
        FamilyKind::Best | FamilyKind::All => BTreeSet::new(),
    };
    let name = |index: &usize| runs[*index].1.name.clone();
    let names = |runs: &[usize]| runs.iter().map(name).collect();
    let family = Family {
        kind,
        baselines: baselines.iter().map(name).collect(),
        runs: names(members),
        best: best.map(|best| names(&best.runs)).unwrap_or_default(),
        as_good: best.map(|best| names(&best.as_good)).unwrap_or_default(),
        comparisons: pairs.len() as u64,
        shown: those.len() as u64,
    };
    Some((family, those))
}

fn all_pairs(of: &[usize]) -> Vec<RunIndices> {
    let firsts = of.iter().enumerate();
    firsts
        .flat_map(|(place, first)| of[place + 1..].iter().map(|second| (*first, *second)))
        .collect()
}

/// Runs with the best scores, counting errors as zero.
struct Best {
    /// At most [`BEST`] runs in their original order; if scores are equal, the earlier runs.
    runs: Vec<usize>,
    /// Other runs whose score equals the lowest score in `runs`.
    as_good: Vec<usize>,
}

impl Best {
    fn of(members: &[usize], runs: &[Run]) -> Self {
        /// Scores are rounded to multiples of this, because floating-point sums depend on the order
        /// of attempts.
        const EQUAL: f64 = 1e-9;
        let score = |index: &usize| {
            let score = runs[*index].1.score_errors_as_zero.as_ref()?;
            Some((*index, (score.mean / EQUAL).round()))
        };
        let mut scored: Vec<(usize, f64)> = members.iter().filter_map(score).collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let others = scored.split_off(scored.len().min(BEST));
        let last = scored.last().map(|(_, score)| *score);
        let as_good = others.iter().filter(|(_, score)| Some(*score) == last);
        let as_good = as_good.map(|(index, _)| *index).collect();
        let mut runs: Vec<usize> = scored.into_iter().map(|(index, _)| index).collect();
        runs.sort_unstable();
        Self { runs, as_good }
    }
}

fn pair(family: FamilyKind, (a, first): Run, (b, second): Run) -> RunPair {
    let difference = |errors| {
        let (pairs, _) = pair_up(a, b, errors);
        let paired = paired(&pairs)?;
        let p_holm = paired.p();
        Some(Difference {
            paired,
            p_holm,
            detectable: None,
        })
    };
    RunPair {
        family,
        first: first.name.clone(),
        second: second.name.clone(),
        same_fingerprint: a.parts.same_fingerprint(&b.parts),
        alignment: pair_up(a, b, ErrorCounting::Excluded).1,
        errors_excluded: difference(ErrorCounting::Excluded),
        errors_as_zero: difference(ErrorCounting::AsZero),
    }
}

/// Returns the difference for one way to count errors.
fn of(pair: &mut RunPair, errors: ErrorCounting) -> &mut Option<Difference> {
    match errors {
        ErrorCounting::Excluded => &mut pair.errors_excluded,
        ErrorCounting::AsZero => &mut pair.errors_as_zero,
    }
}

/// Sets `p_holm` by Holm's correction over all comparisons that have a p value.
fn correct(comparisons: &mut [RunPair], errors: ErrorCounting) {
    let mut tested: Vec<&mut Difference> = comparisons
        .iter_mut()
        .filter_map(|pair| of(pair, errors).as_mut())
        .filter(|difference| difference.paired.p().is_some())
        .collect();
    let values: Vec<f64> = tested
        .iter()
        .filter_map(|difference| difference.paired.p())
        .collect();
    for (difference, adjusted) in tested.iter_mut().zip(holm(&values)) {
        difference.p_holm = Some(adjusted);
    }
}

/// Computes the detectable difference of each shown comparison at its significance level in Holm's
/// correction. The level is 0.05 divided by the number of comparisons without the significant ones
/// that have a smaller p value.
fn find_power(
    runs: &[Run],
    comparisons: &mut [RunPair],
    places: &[RunIndices],
    errors: ErrorCounting,
    is_shown: impl Fn(&RunIndices) -> bool,
) {
    let tested = |difference: &Difference| Some((difference.paired.p()?, difference.p_holm?));
    let known: Vec<(f64, f64)> = comparisons
        .iter_mut()
        .filter_map(|pair| of(pair, errors).as_ref().and_then(tested))
        .collect();
    for (comparison, place) in comparisons.iter_mut().zip(places) {
        let Some(difference) = of(comparison, errors).as_mut().filter(|_| is_shown(place)) else {
            continue;
        };
        let Some((own, _)) = tested(difference) else {
            continue;
        };
        let found = known
            .iter()
            .filter(|(p, holm)| *holm < SIGNIFICANT && *p < own);
        let left = known.len() - found.count();
        let (pairs, _) = pair_up(runs[place.0].0, runs[place.1].0, errors);
        difference.detectable = detectable(&pairs, SIGNIFICANT / left as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::all_pairs;

    #[test]
    fn lists_each_pair_once() {
        assert_eq!(all_pairs(&[]), []);
        assert_eq!(all_pairs(&[4]), []);
        assert_eq!(all_pairs(&[0, 2, 5]), [(0, 2), (0, 5), (2, 5)]);
    }
}
