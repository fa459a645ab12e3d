//! Formats differences between runs as text.

use std::collections::BTreeMap;

use records::run_dir::Changed;

use super::parts::ENGINE;
use super::slot::Slot;
use super::value::{label, texts};
use super::{Differences, Part};
use crate::summary::{NONE, none};

/// Returns a row for each differing part: its name and its value in each run.
pub fn rows(differences: &Differences) -> Vec<(String, Vec<String>)> {
    let row = |part: &Part| {
        let cells = part.values.iter();
        let cells = cells.map(|value| value.clone().unwrap_or_else(none));
        (label(&part.part), cells.collect())
    };
    differences.parts.iter().map(row).collect()
}

/// Returns sentences about the differences, to show below the table or, if nothing differs, instead
/// of it. `runs` is the number of runs.
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
    if differences.parts.iter().any(|part| part.part == ENGINE) {
        sentences.push(
            "Code ran on different JavaScript engines. They differ in speed, limits and some printed output, so \
             scores may differ as well."
                .to_owned(),
        );
    }
    sentences.extend(profile(differences));
    sentences.extend(differences.mixed.iter().cloned());
    sentences.extend(differences.programs.iter().cloned());
    sentences
}

/// Explains why only some of the runs have a profile, if that is the case.
fn profile(differences: &Differences) -> Option<String> {
    let part = differences
        .parts
        .iter()
        .find(|part| part.part == "profile")?;
    let is_none = |value: &Option<String>| value.as_deref().is_none_or(|value| value == "none");
    let some = part.values.iter().any(is_none) && !part.values.iter().all(is_none);
    some.then(|| {
        "Only some of the runs have the drivers of a profile: `rlm-eval run` applies the profile that matches the model \
         (--profile auto), and a sweep applies none unless a flag names one."
            .to_owned()
    })
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
            "No recorded part differs between the runs. CSV files do not contain all parts of a fingerprint, so other parts may differ."
        }
        (false, true, _) => return None,
        (false, false, _) => {
            "CSV files do not contain all parts of a fingerprint, so other parts may also differ."
        }
    };
    Some(text.to_owned())
}

/// Formats a changed setting outside the fingerprint: `date is 2020-01-02, and 2020-01-01 before`.
/// `elsewhere` is the end of the sentence, which tells when or where the other value applies.
pub fn changed(changed: &Changed, elsewhere: &str) -> String {
    let values = [&changed.now, &changed.before].map(Slot::Value);
    let shown = texts(&values);
    let mut texts = shown.iter().map(|text| text.as_deref().unwrap_or(NONE));
    let (now, before) = (texts.next().unwrap_or(NONE), texts.next().unwrap_or(NONE));
    format!("{} is {now}, and {before} {elsewhere}", label(changed.name))
}

/// Describes which runs were scored by which scorer, or returns `None` if all have the same scorer.
/// `runs` contains pairs of a label and a scorer.
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
        "These runs were scored by different scorers, so their scores are not comparable: {}.",
        each.join("; ")
    ))
}
