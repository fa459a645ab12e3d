//! What differs between runs, as text for people.

use std::collections::BTreeMap;

use super::{Differences, Part};
use crate::summary::NONE;

/// A row for each part that differs: its name, and what stands there for each run.
pub fn rows(differences: &Differences) -> Vec<(String, Vec<String>)> {
    let row = |part: &Part| {
        let cells = part.values.iter();
        let cells = cells.map(|value| value.clone().unwrap_or_else(|| NONE.to_owned()));
        (label(&part.part), cells.collect())
    };
    differences.parts.iter().map(row).collect()
}

/// The sentences below the table, or in its place. `runs` is how many there are.
pub fn sentences(differences: &Differences, runs: usize) -> Vec<String> {
    let mut sentences = Vec::new();
    if runs > 1 {
        sentences.extend(comparison(differences));
    }
    let same = differences.same.iter();
    let same: Vec<String> = same
        .map(|(part, value)| format!("{} {value}", label(part)))
        .collect();
    if !same.is_empty() {
        let who = if runs > 1 {
            "The same in all"
        } else {
            "In effect"
        };
        sentences.push(format!("{who}: {}.", same.join("; ")));
    }
    sentences.extend(differences.programs.iter().cloned());
    sentences
}

fn comparison(differences: &Differences) -> Option<String> {
    let is_empty = differences.parts.is_empty();
    let text = match (
        is_empty,
        differences.all_parts,
        differences.same_fingerprint,
    ) {
        (true, _, Some(true)) => {
            "Nothing differs between the runs: they have the same fingerprint."
        }
        (true, true, _) => "Nothing differs between the runs.",
        (true, false, Some(false)) => {
            "The runs differ in a part of their fingerprints that their records do not show."
        }
        (true, false, None) => {
            "No recorded part differs between the runs. CSV files do not hold all parts of a fingerprint, so others may."
        }
        (false, true, _) => return None,
        (false, false, _) => {
            "CSV files do not hold all parts of a fingerprint, so more may differ than is shown."
        }
    };
    Some(text.to_owned())
}

/// Which runs were scored by which scorer, if not all by the same. `runs` are labels with scorers.
pub fn scorers<'a>(runs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Option<String> {
    let mut by_scorer: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (label, scorer) in runs {
        by_scorer.entry(scorer).or_default().push(label);
    }
    if by_scorer.len() < 2 {
        return None;
    }
    let each = by_scorer
        .iter()
        .map(|(scorer, labels)| format!("{scorer} ({})", labels.join(", ")));
    let each: Vec<String> = each.collect();
    Some(format!(
        "These runs were scored by different scorers, so their scores do not compare: {}.",
        each.join("; ")
    ))
}

/// The name of a part for people.
fn label(part: &str) -> String {
    let part = match part.strip_prefix("prompt_layers") {
        Some(rest) => format!(
            "custom prompt{}",
            rest.strip_prefix(".definition").unwrap_or(rest)
        ),
        None => part.to_owned(),
    };
    part.replace('_', " ")
}
