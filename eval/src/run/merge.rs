//! Merges the shards of a run from several machines into one run directory.
//!
//! The merged run equals a run of all attempts on one machine. Shards must agree in fingerprint,
//! program and selection.

mod error;
mod shards;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use harness::model::Event;
use records::AttemptRecord;
use records::program_versions;
use records::run_dir::{
    Events, Lock, NewRun, RunDir, RunDirError, check_fingerprint, merge_history,
};
use report::summary::Summary;
use serde_json::Value;

use shards::Shards;

pub use error::MergeError;

/// Rule that chooses between different records of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Preference {
    /// The record of the try that started last.
    Newest,
    /// The record with a score, or else the record of the run with more attempts.
    Complete,
}

/// Result of a merge.
#[derive(Debug)]
pub struct Merged {
    /// Summary of the whole run.
    pub summary: Summary,
    /// Short label for tables.
    pub label: String,
    /// Number of attempts that were in more than one run and had equal records.
    pub overlaps: usize,
    /// Number of these attempts that were made and paid for more than once.
    pub made_again: usize,
    /// For each run, the number of its records that were replaced by another run's record of the
    /// same attempt.
    pub dropped: BTreeMap<PathBuf, usize>,
    /// Missing shards, such as `2/3`.
    pub missing: Vec<String>,
    /// Number of attempts planned in the missing shards, or `None` if unknown. The summary counts
    /// them as not made.
    pub missing_attempts: Option<u64>,
    /// Sentences about differing settings that are not part of the fingerprint.
    pub mixed: Vec<String>,
    /// Runs that were incomplete when read, each with the reason.
    pub unfinished: Vec<String>,
}

/// Merges runs into a new folder, whose name becomes the id of the merged run.
///
/// The merged run has the attempts of all runs, and the settings of the first run except its
/// partition. `prefer` chooses between different records of one attempt, and `allow_program_change`
/// accepts runs of different programs.
///
/// # Errors
/// [`MergeError`]; the new folder is then removed.
pub fn merge(
    out: &Path,
    dirs: &[PathBuf],
    prefer: Option<Preference>,
    allow_program_change: bool,
) -> Result<Merged, MergeError> {
    if out.exists() {
        return Err(MergeError::Exists(out.to_owned()));
    }
    let runs: Vec<RunDir> = dirs
        .iter()
        .map(|dir| RunDir::open(dir))
        .collect::<Result<_, _>>()?;
    let Some(first) = runs.first() else {
        return Err(MergeError::RunDir(RunDirError::NotARun {
            path: out.to_owned(),
            missing: "runs to merge",
        }));
    };
    for run in &runs {
        check_fingerprint(&run.path, &run.lock, &run.config)?;
    }
    for run in &runs {
        same_experiment(first, run)?;
        if !allow_program_change {
            same_programs(first, run)?;
        }
    }
    let shares = Shards::of(&runs)?;
    shards::check_partition(&runs)?;
    let Choice {
        chosen,
        overlaps,
        copies_made_again,
        dropped,
        made_again,
    } = choose(&runs, prefer)?;

    let new = NewRun::create_at(out)?;
    let mut config = first.config.clone();
    let mixed = merge_settings(&mut config, &runs[1..]);
    let written = write(new, first, config, &runs, (&chosen, &made_again), &shares);
    if written.is_err() {
        // Report the first failure, not a failure of the cleanup.
        let _ = fs::remove_dir_all(out);
    }
    Ok(Merged {
        summary: written?,
        label: first.lock.run.label(),
        overlaps,
        made_again: copies_made_again,
        dropped,
        missing: shares.missing(),
        missing_attempts: shares.missing_attempts(),
        mixed,
        unfinished: runs.iter().filter_map(unfinished).collect(),
    })
}

/// Merges the settings outside the fingerprint into those of the first run. Returns a sentence for
/// each setting that differs, listing its values.
fn merge_settings(config: &mut Value, others: &[RunDir]) -> Vec<String> {
    let mut sentences = Vec::new();
    for run in others {
        for changed in merge_history(config, &run.config) {
            let of = run.path.display().to_string();
            let sentence = format!(
                "{}; the merged run keeps both",
                report::differences::changed(&changed, &format!("in {of}"))
            );
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
    }
    sentences
}

/// Returns the reason why a run is incomplete, if it is.
fn unfinished(run: &RunDir) -> Option<String> {
    let why = if run.is_running() {
        "a process is still working on it".to_owned()
    } else if let Some(truncated_record) = &run.truncated_record {
        format!(
            "line {} of samples.jsonl is truncated",
            truncated_record.line
        )
    } else if (run.records.len() as u64) < run.attempts_total() {
        "it was stopped early".to_owned()
    } else {
        return None;
    };
    Some(format!(
        "{}: {why}; it has {} of its {} attempts",
        run.path.display(),
        run.records.len(),
        run.attempts_total()
    ))
}

/// Returns the sample ids in the order of a run on one machine: as named by the user, or else in
/// dataset order.
fn order(config: &Value, chosen: &Chosen<'_>) -> Vec<String> {
    let named = config["benchmark"]["selected_problems"].as_array();
    let named = named.into_iter().flatten().filter_map(Value::as_str);
    let named: Vec<&str> = named.collect();
    let place = |id: &str| {
        let is = |name: &&&str| id == **name || id.ends_with(&format!("-{name}"));
        named.iter().position(|name| is(&name))
    };
    let mut ids: BTreeMap<&str, Option<u64>> = BTreeMap::new();
    for ((id, _), (_, record)) in chosen {
        ids.insert(id, record.sample_index);
    }
    let mut ids: Vec<(Option<usize>, Option<u64>, &str)> = ids
        .into_iter()
        .map(|(id, index)| (place(id), index, id))
        .collect();
    ids.sort_unstable();
    ids.into_iter().map(|(.., id)| id.to_owned()).collect()
}

fn same_experiment(first: &RunDir, other: &RunDir) -> Result<(), MergeError> {
    let differences = first.lock.fingerprint.differences(&other.lock.fingerprint);
    if !differences.is_empty() {
        let differences = differences.iter();
        let differences: Vec<String> = differences
            .map(|difference| difference.between("in one", "in the other"))
            .collect();
        return Err(MergeError::Unrelated {
            first: first.path.clone(),
            other: other.path.clone(),
            problem: format!("different experiments: {}", differences.join("; ")),
        });
    }
    match shards::other_selection(first, other).as_slice() {
        [] => Ok(()),
        differences => Err(shards::unrelated(first, other, &differences.join("; "))),
    }
}

/// Rejects runs of different programs, because mixing their results must be requested explicitly.
fn same_programs(first: &RunDir, other: &RunDir) -> Result<(), MergeError> {
    let difference = program_versions::difference(&first.lock, &other.lock);
    difference.map_or(Ok(()), |difference| {
        Err(MergeError::Program {
            first: first.path.clone(),
            other: other.path.clone(),
            difference,
        })
    })
}

/// Record of each attempt and the run that it comes from, by sample id and attempt number.
type Chosen<'a> = BTreeMap<(&'a str, u32), (&'a RunDir, &'a AttemptRecord)>;

/// Attempts of all runs without duplicates.
struct Choice<'a> {
    chosen: Chosen<'a>,
    /// Number of attempts that are in more than one run and have equal records.
    overlaps: usize,
    /// Number of these attempts that were made separately rather than copied.
    copies_made_again: usize,
    /// For each run, the number of its records that other runs' records replaced.
    dropped: BTreeMap<PathBuf, usize>,
    made_again: UnusedTrajectories,
}

/// Trajectories of each run, by its folder, that are not used because another run provides the
/// attempt.
type UnusedTrajectories = BTreeMap<PathBuf, Vec<PathBuf>>;

fn choose(runs: &[RunDir], prefer: Option<Preference>) -> Result<Choice<'_>, MergeError> {
    let mut chosen = Chosen::new();
    let (mut overlaps, mut copies_made_again) = (0, 0);
    let mut dropped = BTreeMap::new();
    let mut made_again = UnusedTrajectories::new();
    for run in runs {
        for record in &run.records {
            let key = (record.id.as_str(), record.attempt);
            let Some((first, earlier)) = chosen.get(&key).copied() else {
                chosen.insert(key, (run, record));
                continue;
            };
            let fields = differences(earlier, record);
            if !fields.is_empty()
                && let Some(prefer) = prefer
            {
                let other = if is_preferred((run, record), (first, earlier), prefer) {
                    chosen.insert(key, (run, record));
                    first
                } else {
                    run
                };
                *dropped.entry(other.path.clone()).or_default() += 1;
                let trajectory = other.trajectory(&record.id, record.attempt);
                let of_run = made_again.entry(other.path.clone()).or_default();
                of_run.push(trajectory);
                continue;
            }
            if !fields.is_empty() {
                return Err(MergeError::Disagree {
                    id: record.id.clone(),
                    attempt: record.attempt,
                    first: first.path.clone(),
                    other: run.path.clone(),
                    fields,
                });
            }
            overlaps += 1;
            // A copy has the start time of its original.
            if record.started_at != earlier.started_at {
                copies_made_again += 1;
                let trajectory = run.trajectory(&record.id, record.attempt);
                let of_run = made_again.entry(run.path.clone()).or_default();
                of_run.push(trajectory);
            }
        }
    }
    Ok(Choice {
        chosen,
        overlaps,
        copies_made_again,
        dropped,
        made_again,
    })
}

/// Whether a record replaces an earlier record of the same attempt.
fn is_preferred(
    (run, record): (&RunDir, &AttemptRecord),
    (other_run, other): (&RunDir, &AttemptRecord),
    prefer: Preference,
) -> bool {
    match prefer {
        Preference::Newest => record.started_at > other.started_at,
        Preference::Complete => {
            (record.score.is_some(), run.records.len())
                > (other.score.is_some(), other_run.records.len())
        }
    }
}

/// Returns the fields in which two records of an attempt differ, ignoring times and run ids.
fn differences(a: &AttemptRecord, b: &AttemptRecord) -> Vec<String> {
    const IGNORED_FIELDS: [&str; 5] = [
        "run_id",
        "total_time_s",
        "working_time_s",
        "overhead_ms",
        "started_at",
    ];
    let (a, b) = (serde_json::json!(a), serde_json::json!(b));
    let fields = a.as_object().into_iter().flatten();
    fields
        .filter(|(name, value)| {
            !IGNORED_FIELDS.contains(&name.as_str()) && b.get(name.as_str()) != Some(value)
        })
        .map(|(name, _)| name.clone())
        .collect()
}

fn write(
    new: NewRun,
    first: &RunDir,
    mut config: Value,
    runs: &[RunDir],
    (chosen, made_again): (&Chosen<'_>, &UnusedTrajectories),
    shares: &Shards,
) -> Result<Summary, MergeError> {
    let total = shares.planned().max(chosen.len() as u64);
    let run_id = new.id().to_owned();
    let mut identity = first.lock.run.clone();
    identity.run_id.clone_from(&run_id);
    config["run"] = serde_json::json!(identity);
    config["attempts_total"] = total.into();
    if let Some(benchmark) = config.get_mut("benchmark").and_then(Value::as_object_mut) {
        benchmark.remove("shares");
    }
    let rule = shards::rule(first);
    for (section, name) in [
        ("flags", "partition"),
        ("benchmark", "partition"),
        ("benchmark", "partition_rule"),
        ("benchmark", "partition_samples"),
    ] {
        let section = config.get_mut(section);
        if let Some(setting) = section.and_then(|section| section.get_mut(name)) {
            *setting = Value::Null;
        }
    }
    if let Some(shares) = shares.kept() {
        config["benchmark"]["shares"] = shares;
        config["benchmark"]["partition_rule"] = rule.into();
    }
    let order = order(&config, chosen);
    let mut lock = Lock::new(first.lock.fingerprint.clone(), identity);
    for program in runs.iter().flat_map(|run| run.lock.programs()) {
        if !lock.programs().contains(&program) {
            lock.later_programs.push(program);
        }
    }
    let mut writer = new.begin(&config, lock, order)?;
    let mut records = Vec::with_capacity(chosen.len());
    for (run, record) in chosen.values() {
        let record = AttemptRecord {
            run_id: run_id.clone(),
            answer: run.answer(record)?,
            answer_file: None,
            ..(*record).clone()
        };
        writer.begin_attempt(&record.id, record.attempt);
        for event in Events::open(&run.trajectory(&record.id, record.attempt))? {
            writer.event(&Event {
                run_id: run_id.clone(),
                ..event?
            });
        }
        writer.end_attempt(&record);
        records.push(record.without_texts());
        if let Some(error) = writer.take_error() {
            return Err(error.into());
        }
    }
    // Count the spending of a run only once, even if its folder is listed twice.
    let places = runs.iter().map(|run| {
        let path = &run.path;
        let place = fs::canonicalize(path).unwrap_or_else(|_| path.clone());
        (place, made_again.get(path).map_or(&[][..], Vec::as_slice))
    });
    for (place, unused) in places.collect::<BTreeMap<_, _>>() {
        writer.adopt_wasted(&place, unused)?;
    }
    let summary = Summary::new(&records, total);
    let stored = writer.finish(|wasted| summary.clone().with_wasted(wasted));
    match writer.take_error() {
        Some(error) => Err(error.into()),
        None => Ok(stored.unwrap_or(summary)),
    }
}
