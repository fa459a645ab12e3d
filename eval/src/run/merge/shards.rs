//! Determines the shards of the merged folders and the total number of planned attempts.

use std::collections::{BTreeMap, BTreeSet};

use records::run_dir::RunDir;
use serde_json::{Value, json};

use super::error::MergeError;

/// Key for a run without a partition.
const WHOLE: &str = "";

/// Settings outside the fingerprint that must be equal, because they select the attempts.
const SELECTION: [&str; 7] = [
    "attempts",
    "context_lengths",
    "filters",
    "max_tasks",
    "sample_seed",
    "selected_problems",
    "tasks_per_length",
];

/// Number of planned attempts of each shard, such as `2/3`, and of all shards together if known.
pub(super) struct Shards(BTreeMap<String, u64>, Option<u64>);

impl Shards {
    /// Collects the shards of all runs, counting duplicate shards once.
    ///
    /// # Errors
    /// [`MergeError::Shards`] for shards of partitions with different sizes.
    pub(super) fn of(runs: &[RunDir]) -> Result<Self, MergeError> {
        let mut shares = BTreeMap::new();
        for (share, planned) in runs.iter().flat_map(of_run) {
            let known = shares.entry(share).or_insert(0);
            *known = planned.max(*known);
        }
        let whole = runs.iter().filter_map(RunDir::attempts_of_all_shards);
        let shares = Self(shares, whole.max());
        let numbers = shares.numbers();
        if numbers.len() > 1 {
            let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
            return Err(MergeError::Shards(numbers));
        }
        Ok(shares)
    }

    /// Returns the number of planned attempts, including those of missing shards if known.
    pub(super) fn planned(&self) -> u64 {
        self.there() + self.missing_attempts().unwrap_or_default()
    }

    /// Returns the number of planned attempts of missing shards, if known.
    pub(super) fn missing_attempts(&self) -> Option<u64> {
        Some(self.1?.saturating_sub(self.there()))
    }

    fn there(&self) -> u64 {
        match self.0.get(WHOLE) {
            Some(whole) => *whole,
            None => self.0.values().sum(),
        }
    }

    /// Returns the missing shards. Some of them may have no samples.
    pub(super) fn missing(&self) -> Vec<String> {
        if self.0.contains_key(WHOLE) {
            return Vec::new();
        }
        let all = self.numbers().into_iter();
        all.flat_map(|of| (1..=of).map(move |index| format!("{index}/{of}")))
            .filter(|share| !self.0.contains_key(share))
            .collect()
    }

    /// Returns the planned attempts by shard, stored in `config.json` for later merges; `None` if
    /// no shard is missing.
    pub(super) fn kept(&self) -> Option<Value> {
        (!self.missing().is_empty()).then(|| json!(self.0))
    }

    /// Returns the partition sizes that the shards name, without duplicates: 3 for `2/3`.
    fn numbers(&self) -> BTreeSet<u32> {
        let of = self.0.keys().filter_map(|share| share.split_once('/'));
        of.filter_map(|(_, of)| of.parse().ok()).collect()
    }
}

fn of_run(run: &RunDir) -> BTreeMap<String, u64> {
    let benchmark = &run.config["benchmark"];
    if let Some(merged) = benchmark["shares"].as_object() {
        let planned = |value: &Value| value.as_u64().unwrap_or_default();
        return merged
            .iter()
            .map(|(share, value)| (share.clone(), planned(value)))
            .collect();
    }
    let share = benchmark["partition"].as_str();
    BTreeMap::from([(share.unwrap_or(WHOLE).to_owned(), run.attempts_total())])
}

/// Describes the selection settings that differ between two runs, as in `attempts is 1 in one and 3
/// in the other`.
pub(super) fn other_selection(one: &RunDir, other: &RunDir) -> Vec<String> {
    let setting = |run: &RunDir, name: &str| run.config["benchmark"][name].clone();
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
            "--partition assigned the samples by rule {one} in one run and by rule {other} in the \
             other"
        ));
    }
    differences
}

/// Checks that all runs partition the same samples: runs of the same shard have the same samples,
/// and different shards do not overlap.
///
/// # Errors
/// [`MergeError::Unrelated`] for the first sample that conflicts.
pub(super) fn check_partition(runs: &[RunDir]) -> Result<(), MergeError> {
    let dealt = runs.iter().filter_map(|run| {
        let benchmark = &run.config["benchmark"];
        let share = benchmark["partition"].as_str()?;
        let samples = benchmark["partition_samples"].as_array()?;
        let samples: BTreeSet<&str> = samples.iter().filter_map(Value::as_str).collect();
        Some((run, share, samples))
    });
    let dealt: Vec<_> = dealt.collect();
    for (place, (run, share, samples)) in dealt.iter().enumerate() {
        for (earlier, earlier_share, earlier_samples) in &dealt[..place] {
            let wrong = if share == earlier_share {
                let mut only = samples.symmetric_difference(earlier_samples);
                only.next()
                    .map(|id| format!("only one of the two runs has {id} in shard {share}"))
            } else {
                let mut both = samples.intersection(earlier_samples);
                both.next()
                    .map(|id| format!("{id} is in shard {earlier_share} and in shard {share}"))
            };
            if let Some(wrong) = wrong {
                return Err(unrelated(earlier, run, &wrong));
            }
        }
    }
    Ok(())
}

/// Returns the error for runs that are not shards of one run.
pub(super) fn unrelated(first: &RunDir, other: &RunDir, differences: &str) -> MergeError {
    MergeError::Unrelated {
        first: first.path.clone(),
        other: other.path.clone(),
        problem: format!("not shards of one run: {differences}"),
    }
}

/// Returns the version of the partition rule of a shard or of merged shards; `None` for a whole
/// run.
pub(super) fn rule(run: &RunDir) -> Option<u64> {
    let benchmark = &run.config["benchmark"];
    let is_part = !(benchmark["partition"].is_null() && benchmark["shares"].is_null());
    // The first version was recorded without a number.
    is_part.then(|| benchmark["partition_rule"].as_u64().unwrap_or(1))
}
