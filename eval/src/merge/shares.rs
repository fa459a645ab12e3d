//! Which shares of a run the folders to be merged are, and how many attempts these were to make together.

use std::collections::{BTreeMap, BTreeSet};

use records::run_dir::RunDir;
use serde_json::{Value, json};

use super::MergeError;

/// Stands for a run that is no share.
const WHOLE: &str = "";

/// Settings beside the fingerprint that have to be equal: they say which attempts a run makes.
const SELECTION: [&str; 7] = [
    "attempts",
    "context_lengths",
    "filters",
    "max_tasks",
    "sample_seed",
    "selected_problems",
    "tasks_per_length",
];

/// The shares, as `2/3`, each with the attempts that it was to make, and the attempts that all shares were to make where that
/// is known.
pub(super) struct Shares(BTreeMap<String, u64>, Option<u64>);

impl Shares {
    /// Those of all runs; one that is given twice counts once.
    ///
    /// # Errors
    /// [`MergeError::Shares`] for shares of different numbers.
    pub(super) fn of(runs: &[RunDir]) -> Result<Self, MergeError> {
        let mut shares = BTreeMap::new();
        for (share, planned) in runs.iter().flat_map(of_run) {
            let known = shares.entry(share).or_insert(0);
            *known = planned.max(*known);
        }
        let whole = runs.iter().filter_map(RunDir::attempts_of_all_shares);
        let shares = Self(shares, whole.max());
        let numbers = shares.numbers();
        if numbers.len() > 1 {
            let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
            return Err(MergeError::Shares(numbers));
        }
        Ok(shares)
    }

    /// Attempts that the whole run was to make, those of missing shares included where they are known; else those that
    /// are there were to make.
    pub(super) fn planned(&self) -> u64 {
        self.there() + self.missing_attempts().unwrap_or_default()
    }

    /// Attempts that the missing shares were to make, where that is known.
    pub(super) fn missing_attempts(&self) -> Option<u64> {
        Some(self.1?.saturating_sub(self.there()))
    }

    fn there(&self) -> u64 {
        match self.0.get(WHOLE) {
            Some(whole) => *whole,
            None => self.0.values().sum(),
        }
    }

    /// Those that are not there. They may have had no sample.
    pub(super) fn missing(&self) -> Vec<String> {
        if self.0.contains_key(WHOLE) {
            return Vec::new();
        }
        let all = self.numbers().into_iter();
        all.flat_map(|of| (1..=of).map(move |index| format!("{index}/{of}")))
            .filter(|share| !self.0.contains_key(share))
            .collect()
    }

    /// What `config.json` keeps of them, for the next merge: nothing of a whole run.
    pub(super) fn kept(&self) -> Option<Value> {
        (!self.missing().is_empty()).then(|| json!(self.0))
    }

    /// Of how many shares they speak.
    fn numbers(&self) -> BTreeSet<u32> {
        let of = self.0.keys().filter_map(|share| share.split_once('/'));
        of.filter_map(|(_, of)| of.parse().ok()).collect()
    }
}

fn of_run(run: &RunDir) -> BTreeMap<String, u64> {
    let setting = |name| run.config.get("benchmark")?.get(name);
    if let Some(merged) = setting("shares").and_then(Value::as_object) {
        let planned = |value: &Value| value.as_u64().unwrap_or_default();
        return merged
            .iter()
            .map(|(share, value)| (share.clone(), planned(value)))
            .collect();
    }
    let share = setting("partition").and_then(Value::as_str);
    BTreeMap::from([(share.unwrap_or(WHOLE).to_owned(), run.attempts_total())])
}

/// In which settings two runs choose other attempts, each as `attempts is 1 in one and 3 in the other`.
pub(super) fn other_selection(one: &RunDir, other: &RunDir) -> Vec<String> {
    let setting = |run: &RunDir, name| {
        let found = run.config.get("benchmark").and_then(|all| all.get(name));
        found.cloned().unwrap_or_default()
    };
    let mut differences: Vec<String> = SELECTION
        .iter()
        .map(|name| (name, setting(one, name), setting(other, name)))
        .filter(|(_, one, other)| one != other)
        .map(|(name, one, other)| format!("{name} is {one} in one and {other} in the other"))
        .collect();
    if let (Some(one), Some(other)) = (rule(one), rule(other))
        && one != other
    {
        differences.push(format!(
            "--partition dealt the samples of the one by rule {one} and of the other by rule {other}"
        ));
    }
    differences
}

/// Checks that the runs were dealt the samples of one whole: a share has the same ones in each of its runs, and none of another
/// share.
///
/// # Errors
/// [`MergeError::Selection`] for the first sample that was dealt otherwise.
pub(super) fn check_deal(runs: &[RunDir]) -> Result<(), MergeError> {
    let dealt = runs.iter().filter_map(|run| {
        let benchmark = run.config.get("benchmark")?;
        let share = benchmark.get("partition")?.as_str()?;
        let samples = benchmark.get("partition_samples")?.as_array()?;
        let samples: BTreeSet<&str> = samples.iter().filter_map(Value::as_str).collect();
        Some((run, share, samples))
    });
    let dealt: Vec<_> = dealt.collect();
    for (place, (run, share, samples)) in dealt.iter().enumerate() {
        for (earlier, earlier_share, earlier_samples) in &dealt[..place] {
            let wrong = if share == earlier_share {
                let mut only = samples.symmetric_difference(earlier_samples);
                only.next()
                    .map(|id| format!("only one of the two has {id} in share {share}"))
            } else {
                let mut both = samples.intersection(earlier_samples);
                both.next()
                    .map(|id| format!("{id} is in share {earlier_share} and in share {share}"))
            };
            if let Some(wrong) = wrong {
                return Err(MergeError::Selection {
                    first: earlier.path.clone(),
                    other: run.path.clone(),
                    differences: vec![wrong],
                });
            }
        }
    }
    Ok(())
}

/// The rule by which the samples of a share, or of a part of a run that shares were merged to, were dealt; none of a whole
/// run.
pub(super) fn rule(run: &RunDir) -> Option<u64> {
    let benchmark = run.config.get("benchmark")?;
    let is_part = ["partition", "shares"]
        .iter()
        .any(|name| benchmark.get(name).is_some_and(|value| !value.is_null()));
    // The first rule had no number.
    let rule = benchmark.get("partition_rule").and_then(Value::as_u64);
    is_part.then(|| rule.unwrap_or(1))
}
