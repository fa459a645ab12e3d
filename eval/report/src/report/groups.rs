//! Groups scores by metadata of the samples.

use std::collections::{BTreeMap, BTreeSet};

use records::AttemptRecord;
use serde::Serialize;
use serde_json::Value;
use statistics::Estimate;

use crate::summary::Summary;

/// Scores of a run grouped by one metadata field of its samples.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Grouping {
    /// Name of the field: `context_length`.
    pub name: String,
    /// Groups by value: numbers in ascending order, then strings in alphabetical order.
    pub groups: Vec<Group>,
}

/// Attempts at samples with the same value of a field, or with values in the same range.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Group {
    /// Value of the field, or a range such as `1 to 5`.
    pub value: String,
    /// Number of attempts with a record.
    pub attempts: u64,
    /// Mean score; `None` if no attempt has a score.
    pub score: Option<Estimate>,
}

/// Maximum number of distinct values of a field that forms one group per value.
const MOST_VALUES: usize = 16;
/// Minimum average number of samples per group.
const LEAST_SAMPLES: usize = 2;
/// Minimum number of samples for grouping a numeric field by quarters.
const LEAST_FOR_QUARTERS: usize = 8;

/// Metadata field with the nominal length of a context.
pub(super) const CONTEXT_LENGTH: &str = "context_length";
/// Metadata field with the actual length of a context, ignored if the nominal length is known.
const CONTEXT_CHARACTERS: &str = "context_characters";

/// Returns the groupings of each run, by the same rules for all runs. Groups are formed by every
/// field with 2 to 16 values and on average at least 2 samples per value, by quarters of numeric
/// fields with more values, and always by context length.
pub(super) fn of(runs: &[&[AttemptRecord]]) -> Vec<Vec<Grouping>> {
    let all = || runs.iter().copied().flatten();
    let names: BTreeSet<&String> = all().flat_map(|record| record.metadata.keys()).collect();
    let has_length = names.iter().any(|name| *name == CONTEXT_LENGTH);
    let facts: Vec<(&String, GroupingRule)> = names
        .into_iter()
        .filter(|name| !(has_length && *name == CONTEXT_CHARACTERS))
        .filter_map(|name| Some((name, GroupingRule::of(name, all())?)))
        .collect();
    runs.iter()
        .map(|records| {
            let groupings = facts.iter().map(|(name, fact)| by(name, fact, records));
            groupings.collect()
        })
        .collect()
}

/// Rule by which a field forms groups.
enum GroupingRule {
    /// One group per value.
    Values,
    /// One group per quarter of the samples, with the smallest and largest value of each quarter.
    Quarters(Vec<(f64, f64)>),
}

impl GroupingRule {
    fn of<'a>(name: &str, records: impl Iterator<Item = &'a AttemptRecord>) -> Option<Self> {
        let mut samples: BTreeMap<&str, &Value> = BTreeMap::new();
        for record in records {
            if let Some(value) = record.metadata.get(name) {
                samples.insert(&record.id, value);
            }
        }
        let values: BTreeSet<_> = samples.values().filter_map(|value| key(value)).collect();
        let groups = 2..=MOST_VALUES;
        let any_length = name == CONTEXT_LENGTH && !values.is_empty();
        if any_length
            || groups.contains(&values.len()) && values.len() * LEAST_SAMPLES <= samples.len()
        {
            return Some(Self::Values);
        }
        let numbers: Option<Vec<f64>> = samples.values().map(|value| value.as_f64()).collect();
        let mut numbers = numbers?;
        numbers.sort_by(f64::total_cmp);
        let quarters = quarters(&numbers);
        (numbers.len() >= LEAST_FOR_QUARTERS && quarters.len() > 1)
            .then_some(Self::Quarters(quarters))
    }

    /// Returns the sort key and the name of the group that a value belongs to.
    fn group(&self, value: &Value) -> Option<(SortKey, String)> {
        match self {
            Self::Values => key(value),
            Self::Quarters(quarters) => {
                let number = value.as_f64()?;
                let place = quarters.iter().position(|(_, most)| number <= *most)?;
                let (least, most) = quarters[place];
                let name = if least < most {
                    format!("{least} to {most}")
                } else {
                    least.to_string()
                };
                Some((SortKey::Number(place as i128), name))
            }
        }
    }
}

/// Splits sorted numbers into at most four ranges of about equal size; equal numbers stay together.
fn quarters(sorted: &[f64]) -> Vec<(f64, f64)> {
    let mut ranges: Vec<(f64, f64)> = Vec::new();
    let mut from = 0;
    for quarter in 1..=4 {
        let end = (sorted.len() * quarter).div_ceil(4);
        let Some(most) = end.checked_sub(1).and_then(|last| sorted.get(last)) else {
            continue;
        };
        if let Some(least) = sorted.get(from).filter(|least| *least <= most) {
            ranges.push((*least, *most));
        }
        from = sorted.partition_point(|number| number <= most);
    }
    ranges
}

/// Sort key of a group: numbers by value, before strings.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum SortKey {
    Number(i128),
    Text(String),
}

fn key(value: &Value) -> Option<(SortKey, String)> {
    match value {
        Value::Number(number) => Some((place(number), number.to_string())),
        Value::String(text) => Some((SortKey::Text(text.clone()), text.clone())),
        Value::Bool(flag) => Some((SortKey::Text(flag.to_string()), flag.to_string())),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn by(name: &str, fact: &GroupingRule, records: &[AttemptRecord]) -> Grouping {
    let mut groups: BTreeMap<(SortKey, String), Vec<AttemptRecord>> = BTreeMap::new();
    for record in records {
        let value = record.metadata.get(name);
        if let Some(group) = value.and_then(|value| fact.group(value)) {
            groups.entry(group).or_default().push(record.clone());
        }
    }
    let groups = groups.into_iter().map(|((_, value), records)| Group {
        value,
        attempts: records.len() as u64,
        score: Summary::new(&records, records.len() as u64).score,
    });
    Grouping {
        name: name.to_owned(),
        groups: groups.collect(),
    }
}

/// Converts a number to thousandths, which keeps the order of all numbers that occur as groups.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a saturating cast preserves the order"
)]
fn place(number: &serde_json::Number) -> SortKey {
    SortKey::Number((number.as_f64().unwrap_or_default() * 1000.0) as i128)
}

#[cfg(test)]
mod tests {
    use super::quarters;

    #[test]
    fn keeps_equal_numbers_in_one_quarter() {
        check(&[], &[]);
        check(&[1.0, 1.0, 1.0, 1.0], &[(1.0, 1.0)]);
        check(
            &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
            &[(1.0, 2.0), (3.0, 4.0), (5.0, 6.0), (7.0, 8.0)],
        );
        check(&[1.0, 1.0, 1.0, 2.0], &[(1.0, 1.0), (2.0, 2.0)]);
    }

    fn check(sorted: &[f64], wanted: &[(f64, f64)]) {
        assert_eq!(quarters(sorted), wanted);
    }
}
