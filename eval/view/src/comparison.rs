//! Compares runs for a page: the first run is the baseline, each other run is paired with it sample
//! by sample, and the best of the others are compared with each other.

use std::collections::BTreeMap;

use model::excerpt;
use report::compare::{self, Against, FamilyKind, RunPair, RunScores, cautions, heading, verdict};
use report::differences;
use serde::Serialize;

use super::overview::Overview;
use super::run_file::{RunFile, Scorers};
use super::sample_list::natural;

/// Maximum characters of an answer in a row of [`Differing`].
const SHOWN: usize = 120;

/// Maximum difference between equal scores: rounding of sums depends on the order of attempts.
const EQUAL: f64 = 1e-9;

/// The comparison page; the first run is the baseline.
#[derive(Debug, Serialize)]
pub struct Comparison {
    /// The compared runs, baseline first.
    pub runs: Vec<Overview>,
    /// Scorers that scored every run.
    pub scorers: Option<Scorers>,
    /// Names of the runs in pairs and sentences, in order: `A`, `B`, ….
    pub names: Vec<String>,
    /// Parts of the fingerprint that differ between the runs: label, and value in each run.
    pub differing: Vec<(String, Vec<String>)>,
    /// Remarks about the differences, one sentence each.
    pub sentences: Vec<String>,
    /// Families of comparisons: each other run with the baseline, and the best runs with each
    /// other.
    pub families: Vec<Family>,
    /// Number of samples with a score in the baseline and in at least one other run.
    pub shared_samples: usize,
    /// Whether all runs used the same data and scorer.
    pub one_task: bool,
    /// Number of samples whose score in at least one run differs from that in the baseline.
    pub differing_samples: usize,
    /// Number of differing samples before this page.
    pub offset: usize,
    /// Differing samples on this page, in natural order.
    pub samples: Vec<Differing>,
}

/// Comparisons whose p values are corrected together.
#[derive(Debug, Serialize)]
pub struct Family {
    /// Kind of the family.
    pub kind: FamilyKind,
    /// Description of the comparisons and the correction of their p values; `None` if only two runs
    /// are compared.
    pub heading: Option<String>,
    /// Comparisons to show, in the order of the runs.
    pub pairs: Vec<Pair>,
}

/// A comparison of two runs over the samples scored in both: the figures of `rlm-eval compare`.
#[derive(Debug, PartialEq, Serialize)]
pub struct Pair {
    /// Figures with errors excluded and with errors as zero, with p values corrected over the
    /// family.
    #[serde(flatten)]
    pub compared: RunPair,
    /// Verdict and cautions about the intervals, one sentence each.
    pub verdict: Vec<String>,
    /// Whether both runs used the same data and scorer.
    pub same_task: bool,
}

/// A sample whose scores differ between the runs.
#[derive(Debug, Serialize)]
pub struct Differing {
    /// Id of the sample.
    pub id: String,
    /// Result in each run, in order; `None` if the run has no score for the sample.
    pub results: Vec<Option<SampleResult>>,
}

/// Result of a sample in one run.
#[derive(Debug, Clone, Serialize)]
pub struct SampleResult {
    /// Mean score of the run's scored attempts at the sample.
    pub score: f64,
    /// Number of the first scored attempt, 1-based.
    pub attempt: u32,
    /// Beginning of that attempt's answer.
    pub answer: Option<String>,
}

/// Compares runs. `named` contains the runs with their ids, baseline first.
pub fn compare(named: &[(&str, &RunFile)], offset: usize, limit: usize) -> Comparison {
    let files: Vec<&RunFile> = named.iter().map(|(_, run)| *run).collect();
    let (mut samples, shared_samples) = differing_and_shared(&files);
    let scores: Vec<RunScores> = named
        .iter()
        .map(|(_, run)| RunScores::of_run(&run.run))
        .collect();
    let compared = compare::compare_all(&scores, &Against::First);
    let names: Vec<String> = compared.runs.iter().map(|run| run.name.clone()).collect();
    let named_run = |name: &String| names.iter().position(|known| known == name);
    let file_of = |name| named_run(name).map(|place| named[place].1);
    let families = compared.families.iter().map(|family| {
        let pairs = compared.comparisons.iter();
        let pairs = pairs.filter(|pair| pair.family == family.kind);
        let pairs = pairs.map(|pair| Pair {
            verdict: [verdict(pair, family.comparisons > 1), cautions([pair])].concat(),
            same_task: matches!((file_of(&pair.first), file_of(&pair.second)), (Some(a), Some(b)) if same_task(a, b)),
            compared: pair.clone(),
        });
        Family {
            kind: family.kind,
            heading: heading(family, named.len()),
            pairs: pairs.collect(),
        }
    });
    let families: Vec<Family> = families.collect();
    let differing_samples = samples.len();
    samples.drain(..offset.min(differing_samples));
    samples.truncate(limit);
    Comparison {
        runs: named
            .iter()
            .map(|(id, run)| Overview::of(id, run))
            .collect(),
        scorers: Scorers::of_all(&files),
        differing: differences::rows(&compared.differences),
        sentences: [
            differences::sentences(&compared.differences, named.len()),
            compared.race_warnings(names.iter().map(String::as_str)),
        ]
        .concat(),
        names,
        families,
        shared_samples,
        one_task: files.iter().all(|run| same_task(files[0], run)),
        differing_samples,
        offset,
        samples,
    }
}

/// Returns the samples whose score in at least one run differs from that in the first run, in
/// natural order.
pub fn differing(runs: &[&RunFile]) -> Vec<Differing> {
    differing_and_shared(runs).0
}

/// Returns the differing samples, and the number of samples that the first run shares with at least
/// one other run.
fn differing_and_shared(runs: &[&RunFile]) -> (Vec<Differing>, usize) {
    let results: Vec<Results> = runs.iter().map(|run| results(run)).collect();
    let Some((base, others)) = results.split_first() else {
        return (Vec::new(), 0);
    };
    let mut shared = 0;
    let mut ids = Vec::new();
    for (id, of_base) in base {
        let mut found = others.iter().filter_map(|run| run.get(id)).peekable();
        shared += usize::from(found.peek().is_some());
        if found.any(|other| differs(other, of_base)) {
            ids.push(id);
        }
    }
    ids.sort_by(|a, b| natural(a, b));
    let rows = ids.into_iter().map(|id| Differing {
        id: id.clone(),
        results: results.iter().map(|run| run.get(id).cloned()).collect(),
    });
    (rows.collect(), shared)
}

type Results = BTreeMap<String, SampleResult>;

fn differs(a: &SampleResult, b: &SampleResult) -> bool {
    (a.score - b.score).abs() > EQUAL
}

/// Returns the mean score of each scored sample, by sample id.
fn results(file: &RunFile) -> Results {
    let mut found: BTreeMap<String, (SampleResult, f64)> = BTreeMap::new();
    for record in &file.run.records {
        let Some(score) = record.score else { continue };
        let (result, attempts) = found.entry(record.id.clone()).or_insert_with(|| {
            let answer = record.answer.as_deref().map(|text| excerpt(text, SHOWN));
            let attempt = record.attempt;
            let result = SampleResult {
                score: 0.0,
                attempt,
                answer,
            };
            (result, 0.0)
        });
        result.score += score;
        *attempts += 1.0;
    }
    let means = found.into_iter().map(|(id, (mut result, attempts))| {
        result.score /= attempts;
        (id, result)
    });
    means.collect()
}

fn same_task(base: &RunFile, run: &RunFile) -> bool {
    let (base, run) = (&base.run.lock.run, &run.run.lock.run);
    base.benchmark == run.benchmark
        && base.dataset_digest == run.dataset_digest
        && base.scorer == run.scorer
}
