//! Finds the differences between runs in all parts of their fingerprints, with the effective value
//! in each run.
//!
//! Tables of several runs begin with the differences, so that readers do not attribute an effect to
//! the wrong setting.

mod parts;
mod slot;
mod text;
mod value;

use std::collections::BTreeSet;

use records::program_versions::{self, ProgramVersions};
use serde::Serialize;
use serde_json::Value;

use crate::run_name::run_name;

pub use parts::RunParts;
pub(crate) use parts::constant_columns;
use slot::{Slot, alike};
pub use text::{changed, rows, scorers, sentences};
pub(crate) use value::shortened_pair;

/// Parts listed first, in this order; the others follow by name. The first [`TREATMENTS`] describe
/// how agents work.
const FIRST: [&str; 17] = [
    "model",
    "protocol",
    "prompt_mode",
    "profile",
    "drivers",
    "prompt_layers",
    "tools",
    "hooks",
    "max_depth",
    "max_iterations",
    parts::ENGINE,
    "sampling",
    "model_aliases",
    "benchmark",
    "dataset_digest",
    "scorer",
    "program",
];

/// Number of entries at the start of [`FIRST`] that describe how agents work.
const TREATMENTS: usize = 10;

/// Maximum number of table rows for one part. A part with more differences is shown as one row with
/// digests.
const MOST_ROWS: usize = 6;

/// Differences and common settings of several runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Differences {
    /// Whether all runs have the same settings; see [`RunParts::same_fingerprint`]. `None` if a
    /// fingerprint is unknown.
    pub same_fingerprint: Option<bool>,
    /// Whether every run records all parts of its fingerprint. If not, only the columns of
    /// `results.csv` are compared.
    pub all_parts: bool,
    /// Parts that differ, starting with those that describe how agents work.
    pub parts: Vec<Part>,
    /// Parts that are the same in all runs, with their values: those that describe how agents work,
    /// and the JavaScript engine.
    pub same: Vec<(String, String)>,
    /// Sentences about different program versions, in several runs or within one. Runs are called
    /// `A`, `B`, …, until [`named`](Self::named) renames them.
    pub programs: Vec<String>,
    /// Sentences about runs whose attempts differ in a setting outside the fingerprint.
    pub mixed: Vec<String>,
    #[serde(skip)]
    program_versions: Vec<ProgramVersions>,
    #[serde(skip)]
    mixed_in: Vec<Vec<(&'static str, Value)>>,
}

/// A part of the fingerprint in which runs differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Part {
    /// Name of the part in the fingerprint, with members after a dot:
    /// `sandbox.limits.output_chars`.
    pub part: String,
    /// Effective value in each run, in order. `None` if the run's protocol does not use the part.
    pub values: Vec<Option<String>>,
}

impl Differences {
    /// Compares the runs part by part.
    pub fn of(runs: &[RunParts]) -> Self {
        let all_parts = runs.iter().all(RunParts::has_fingerprint_parts);
        let known: Vec<_> = runs.iter().map(|run| run.get(all_parts)).collect();
        let names: BTreeSet<&str> = known
            .iter()
            .flat_map(|parts| parts.keys().map(String::as_str))
            .collect();
        let first = FIRST.iter().copied().filter(|name| names.contains(name));
        let others = names.iter().copied().filter(|name| !FIRST.contains(name));
        let (mut parts, mut same) = (Vec::new(), Vec::new());
        for name in first.chain(others) {
            let absent = |run: &parts::Parts| {
                let program = run.get(parts::PROGRAM);
                let records = |other: &&&parts::Parts| {
                    other.contains_key(name) && other.get(parts::PROGRAM) == program
                };
                // A program that recorded the part for another run has omitted it here.
                match program.and_then(|_| known.iter().find(records)) {
                    Some(_) => Slot::Default,
                    None => Slot::NotRecorded,
                }
            };
            let values: Vec<Slot> = known
                .iter()
                .map(|run| {
                    run.get(name)
                        .map_or_else(|| absent(run), |part| Slot::of(part.as_ref()))
                })
                .collect();
            let is_treatment = FIRST[..TREATMENTS].contains(&name);
            // The protocol determines which other parts are used, so an unused part, such as the
            // sandbox, is not a separate difference.
            let used: Vec<Slot> = values
                .iter()
                .copied()
                .filter(|slot| is_treatment || *slot != Slot::Unused)
                .collect();
            let is_named = is_treatment || name == parts::ENGINE;
            if !alike(&used) {
                parts.extend(rows_of(name, &values));
            } else if is_named && let Some(Slot::Value(value)) = used.first() {
                same.push((name.to_owned(), value::in_effect(name, value)));
            }
        }
        Self {
            same_fingerprint: same_fingerprint(runs),
            all_parts,
            parts,
            same,
            programs: Vec::new(),
            mixed: Vec::new(),
            mixed_in: runs.iter().map(|run| run.mixed.clone()).collect(),
            program_versions: runs
                .iter()
                .map(|run| run.program_versions.clone())
                .collect(),
        }
        .named(&(0..runs.len()).map(run_name).collect::<Vec<_>>())
    }

    /// Renames the runs in all sentences to `names`, which are in the order of the runs.
    #[must_use]
    pub fn named(mut self, names: &[impl ToString]) -> Self {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        self.mixed = mixed(names.iter().zip(&self.mixed_in));
        self.programs = program_versions::remarks(names.into_iter().zip(&self.program_versions));
        self
    }
}

/// Returns one row for each differing member of a part, or a single row if the part has no members
/// or more than [`MOST_ROWS`] of them differ.
fn rows_of(name: &str, values: &[Slot]) -> Vec<Part> {
    let mut rows = Vec::new();
    divide(name, values, &mut rows);
    if rows.len() > MOST_ROWS {
        let digests = values.iter().map(|slot| value::digest_text(*slot));
        let count = rows.len();
        rows = vec![Part {
            part: format!("{name} ({count} members)"),
            values: digests.collect(),
        }];
    }
    rows
}

fn divide(name: &str, values: &[Slot], rows: &mut Vec<Part>) {
    let divisible = values.iter().any(|slot| slot.is_divisible())
        && values
            .iter()
            .all(|slot| slot.is_divisible() || slot.is_empty() || slot.is_unknown());
    if alike(values) {
        return;
    }
    if !divisible {
        rows.push(Part {
            part: name.to_owned(),
            values: value::texts(values),
        });
        return;
    }
    let members: BTreeSet<&String> = values
        .iter()
        .filter_map(|slot| match slot {
            Slot::Value(Value::Object(members)) => Some(members.keys()),
            _ => None,
        })
        .flatten()
        .collect();
    for member in members {
        let values: Vec<Slot> = values.iter().map(|slot| slot.member(member)).collect();
        divide(&format!("{name}.{member}"), &values, rows);
    }
}

fn same_fingerprint(runs: &[RunParts]) -> Option<bool> {
    let mut pairs = runs.windows(2);
    pairs.try_fold(!runs.is_empty(), |same, pair| {
        Some(pair[0].same_fingerprint(&pair[1])? && same)
    })
}

/// Returns a sentence for each setting that had several values within a run. `runs` pairs the name
/// of each run with these settings and their values.
fn mixed<'a>(
    runs: impl Iterator<Item = (&'a String, &'a Vec<(&'static str, Value)>)>,
) -> Vec<String> {
    let of_run = |(run, settings): (&'a String, &'a Vec<(&'static str, Value)>)| {
        let sentence = move |(name, values): &(&'static str, Value)| {
            let values = values.as_array().into_iter().flatten();
            let values: Vec<Slot> = values.map(Slot::Value).collect();
            let values: Vec<String> = value::texts(&values).into_iter().flatten().collect();
            let name = value::label(name);
            format!(
                "The attempts of {run} had several values of {name}: {}.",
                values.join("; ")
            )
        };
        settings.iter().map(sentence)
    };
    runs.flat_map(of_run).collect()
}
